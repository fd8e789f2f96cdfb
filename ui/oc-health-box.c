/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-health-box.h"

#include <glib/gi18n-lib.h>

#include "oc-format.h"
#include "oc-notice.h"

struct _OcHealthBox
{
  GtkBox parent_instance;

  OcSession *session;
};

G_DEFINE_FINAL_TYPE (OcHealthBox, oc_health_box, GTK_TYPE_BOX)

static void
oc_health_box_dispose (GObject *object)
{
  OcHealthBox *self = OC_HEALTH_BOX (object);

  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (oc_health_box_parent_class)->dispose (object);
}

static void
oc_health_box_class_init (OcHealthBoxClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = oc_health_box_dispose;
}

static void
oc_health_box_init (OcHealthBox *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 12);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/* The first layer that does not hold; what fails after it mostly follows from it. */
static void
add_layer (OcNotice *notice,
            GPtrArray *layers)
{
  for (guint i = 0; i < layers->len; i++)
    {
      const OcLayer *layer = g_ptr_array_index (layers, i);
      g_autofree char *title = oc_escape_message (layer->title);
      g_autofree char *detail = oc_escape_message (layer->detail != NULL ? layer->detail : "");
      g_autofree char *remedy = oc_escape_message (layer->remedy);
      g_autofree char *why = NULL;

      /* One that was not tried says nothing of the cause. */
      if (layer->holds || !layer->tried)
        continue;
      /* Translators: a layer of the sandbox and why it does not hold */
      why = g_strdup_printf (_("%s: %s"), title, detail);
      oc_notice_add_text (notice, why);
      if (remedy != NULL)
        {
          g_autofree char *what = g_strdup_printf (_("What to do: %s"), remedy);

          oc_notice_add_text (notice, what);
        }
      return;
    }
}

static void
add_sandbox (OcHealthBox *self)
{
  OcSandboxReport *report = oc_session_get_report (self->session);
  OcNotice *notice;

  if (report == NULL || oc_sandbox_report_holds (report))
    return;
  notice = oc_notice_new (OC_NOTICE_ERROR, _("The sandbox does not hold on this computer"),
                          _("Nothing is run and nothing can be enabled until it does."));
  add_layer (notice, oc_sandbox_report_get_layers (report));
  if (oc_sandbox_report_get_executor_reason (report) != NULL)
    {
      g_autofree char *reason = oc_escape_message (oc_sandbox_report_get_executor_reason (report));

      oc_notice_add_text (notice, reason);
    }
  oc_notice_add_button (notice, oc_session_is_checking (self->session) ? _("Testing…") : _("Test Again"),
                        "health.check-sandbox", NULL);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (notice));
}

static void
add_consent (OcHealthBox *self)
{
  OcConsent *consent = oc_registry_get_consent (oc_session_get_registry (self->session));
  OcNotice *notice = NULL;
  g_autofree char *text = NULL;
  const char *const *aside;

  if (consent == NULL)
    return;
  text = oc_escape_message (oc_consent_get_message (consent));
  aside = oc_consent_get_set_aside_files (consent);
  switch (oc_consent_get_outcome (consent))
    {
    case OC_CONSENT_LOCKED:
      notice = oc_notice_new (OC_NOTICE_WARNING, _("Your decisions are locked"), text);
      oc_notice_add_button (notice, _("Unlock…"), "health.unlock", NULL);
      break;
    case OC_CONSENT_DAMAGED:
      notice = oc_notice_new (OC_NOTICE_ERROR, _("The file with your decisions is damaged"), text);
      oc_notice_add_button (notice, _("Show the Folder"), "health.show-consent", NULL);
      break;
    case OC_CONSENT_FORGED:
      notice = oc_notice_new (OC_NOTICE_ERROR, _("The file with your decisions was changed by something else"), text);
      oc_notice_add_button (notice, _("Show the Folder"), "health.show-consent", NULL);
      break;
    case OC_CONSENT_ABSENT:
    case OC_CONSENT_VALID:
      if (aside == NULL || aside[0] == NULL)
        return;
      {
        g_autofree char *name = oc_escape (aside[0]);
        g_autofree char *said = NULL;

        /* Translators: %s is the path of a file */
        said = g_strdup_printf (_("It was damaged or changed by something else, so nothing in it counts, and it is kept as %s. "
                                  "Enable again what you want to use. This goes away when that file is moved or deleted."),
                                name);
        notice = oc_notice_new (OC_NOTICE_INFO, _("An earlier file with your decisions was set aside"), said);
        oc_notice_add_button (notice, _("Show the Folder"), "health.show-consent", NULL);
      }
      break;
    }
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (notice));
}

static void
add_scan_error (OcHealthBox *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  OcNotice *notice;

  g_object_get (oc_session_get_registry (self->session), "error", &error, NULL);
  if (error == NULL)
    return;
  text = oc_escape_message (error->message);
  notice = oc_notice_new (OC_NOTICE_ERROR, _("A folder of plugins cannot be read"), text);
  oc_notice_add_button (notice, _("Try Again"), "health.refresh", NULL);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (notice));
}

static void
refill (OcHealthBox *self)
{
  oc_box_clear (GTK_BOX (self));
  add_scan_error (self);
  add_sandbox (self);
  add_consent (self);
  gtk_widget_set_visible (GTK_WIDGET (self), gtk_widget_get_first_child (GTK_WIDGET (self)) != NULL);
}

void
oc_health_box_set_session (OcHealthBox *self,
                           OcSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_swapped (session, "changed", G_CALLBACK (refill), self);
  refill (self);
}
