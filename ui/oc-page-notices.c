/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-page-sections.h"

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "oc-format.h"
#include "oc-notice.h"

static char *
join_reasons (OcVerdict *verdict)
{
  const char *const *reasons = oc_verdict_get_reasons (verdict);
  g_autofree char *joined = g_strjoinv (" ", (char **) reasons);

  return joined[0] != '\0' ? g_steal_pointer (&joined) : NULL;
}

static OcNotice *
after_errors_new (OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcConsentRecord *record = oc_verdict_get_record (verdict);
  GPtrArray *failures = record != NULL ? oc_consent_record_get_failures (record) : NULL;
  guint n = failures != NULL ? failures->len : 0;
  g_autofree char *title = NULL;
  g_autofree char *text = NULL;
  OcNotice *notice;

  if (n == 0)
    {
      text = join_reasons (verdict);
      return oc_notice_new (OC_NOTICE_ERROR, _("Turned off after errors"), text);
    }
  title = g_strdup_printf (ngettext ("Turned off after %u error in a row", "Turned off after %u errors in a row", n), n);
  {
    const OcFailure *last = g_ptr_array_index (failures, n - 1);
    g_autofree char *when = oc_format_when (last->time, g_get_real_time ());
    g_autofree char *message = oc_escape_message (last->message);

    if (message != NULL && message[0] != '\0')
      /* Translators: first the time, "today at 14:02", then what happened */
      text = g_strdup_printf (_("The last one was %s: %s"), when, message);
    else
      text = g_strdup_printf (_("The last one was %s."), when);
  }
  notice = oc_notice_new (OC_NOTICE_ERROR, title, text);
  oc_notice_add_text (notice, _("It stays off, and nothing is granted, until you enable it again."));
  return notice;
}

static OcNotice *
state_notice_new (OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  g_autofree char *text = join_reasons (verdict);
  OcNotice *notice = NULL;

  switch (oc_verdict_get_state (verdict))
    {
    case OC_STATE_NEEDS_REVIEW:
      notice = oc_notice_new (OC_NOTICE_WARNING, _("It needs your review before it can run again"), text);
      oc_notice_add_button (notice, _("Review…"), "page.review", NULL);
      break;
    case OC_STATE_DISABLED_AFTER_ERRORS:
      notice = after_errors_new (status);
      oc_notice_add_button (notice, _("Review and Enable Again…"), "page.review", NULL);
      oc_notice_add_button (notice, _("Copy Report"), "page.copy-report", NULL);
      break;
    case OC_STATE_INVALID:
      notice = oc_notice_new (OC_NOTICE_ERROR, _("It cannot be enabled: its manifest or its folder is not valid"),
                              _("What is wrong is listed below. It is shown here so that you can see what it asks for."));
      break;
    case OC_STATE_BLOCKED:
      notice = oc_notice_new (OC_NOTICE_ERROR, _("Blocked by your administrator"), text);
      break;
    case OC_STATE_SHADOWED:
      notice = oc_notice_new (OC_NOTICE_INFO, _("Another folder takes the place of this one"), text);
      break;
    case OC_STATE_DISABLED:
      if (text != NULL)
        notice = oc_notice_new (OC_NOTICE_INFO, _("Why it is off"), text);
      break;
    case OC_STATE_ENABLED:
      if (oc_verdict_is_updated (verdict))
        notice = oc_notice_new (OC_NOTICE_INFO, _("Updated since you enabled it"),
                                text != NULL ? text : _("It asks for exactly the same as before, so it stays enabled."));
      else if (text != NULL)
        notice = oc_notice_new (OC_NOTICE_INFO, _("Good to know"), text);
      break;
    }
  return notice;
}

OcStatus *
oc_session_find_lookalike (OcSession *session,
                           OcStatus *status)
{
  GListModel *all = G_LIST_MODEL (oc_session_get_registry (session));
  const char *name = oc_manifest_get_name (oc_plugin_get_manifest (oc_status_get_plugin (status)));
  guint n = g_list_model_get_n_items (all);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (OcStatus) other = g_list_model_get_item (all, i);

      if (oc_verdict_get_state (oc_status_get_verdict (other)) != OC_STATE_ENABLED
          || g_str_equal (oc_status_get_id (other), oc_status_get_id (status)))
        continue;
      if (oc_text_looks_like (oc_manifest_get_name (oc_plugin_get_manifest (oc_status_get_plugin (other))), name))
        return other; /* the registry keeps it */
    }
  return NULL;
}

void
oc_page_fill_notices (GtkBox *box,
                      OcSession *session,
                      OcStatus *status)
{
  OcManifest *manifest = oc_plugin_get_manifest (oc_status_get_plugin (status));
  OcNotice *notice = state_notice_new (status);
  OcStatus *lookalike = oc_session_find_lookalike (session, status);

  if (notice != NULL)
    gtk_box_append (box, GTK_WIDGET (notice));
  if (lookalike != NULL)
    {
      g_autofree char *id = oc_escape (oc_status_get_id (lookalike));
      /* Translators: %s is the id of another plugin */
      g_autofree char *text = g_strdup_printf (_("%s is enabled and has the same name, or one that looks like it. Make sure that this is the one you "
                                                 "mean."), id);

      gtk_box_append (box, GTK_WIDGET (oc_notice_new (OC_NOTICE_WARNING, _("It is named like another plugin"), text)));
    }
  if (oc_text_has_hidden (oc_manifest_get_name (manifest)))
    gtk_box_append (box, GTK_WIDGET (oc_notice_new (OC_NOTICE_WARNING, _("Its name contains hidden characters"),
                                                    _("They are written out here, such as \\u{202E}, because they can make "
                                                      "a name look like another one."))));
}
