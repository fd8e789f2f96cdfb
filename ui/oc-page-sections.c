/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-page-sections.h"

#include <glib/gi18n-lib.h>

#include "core/oc-catalogue-use.h"
#include "core/oc-text.h"
#include "oc-config.h"
#include "oc-format.h"
#include "oc-permission-row.h"

static OcManifest *
get_manifest (OcStatus *status)
{
  return oc_plugin_get_manifest (oc_status_get_plugin (status));
}

char *
oc_page_describe_state (OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcConsentRecord *record = oc_verdict_get_record (verdict);
  OcState state = oc_verdict_get_state (verdict);
  g_autofree char *when = NULL;

  if (state != OC_STATE_ENABLED)
    return NULL; /* the switch, and a notice where there is more to say */
  if (record == NULL)
    return g_strdup (oc_state_to_label (state));
  when = oc_format_when (oc_consent_record_get_time (record), g_get_real_time ());
  if (g_strcmp0 (oc_consent_record_get_surface (record), "terminal") == 0)
    /* Translators: %s is "today at 14:02" or "on 28 November 2026" */
    return g_strdup_printf (_("Enabled in a terminal %s"), when);
  return g_strdup_printf (_("Enabled %s"), when);
}

char *
oc_page_describe_consent (OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcConsentRecord *record = oc_verdict_get_record (verdict);
  g_autofree char *when = NULL;

  switch (oc_verdict_get_state (verdict))
    {
    case OC_STATE_ENABLED:
      if (record == NULL)
        break;
      when = oc_format_when (oc_consent_record_get_time (record), g_get_real_time ());
      /* Translators: %s is "today at 14:02" or "on 28 November 2026" */
      return g_strdup_printf (_("You agreed to exactly this %s."), when);
    case OC_STATE_NEEDS_REVIEW:
      return g_strdup (_("It asks for this now. None of it is granted until you have reviewed it."));
    case OC_STATE_INVALID:
      return g_strdup (_("It asks for this. None of it is granted."));
    case OC_STATE_BLOCKED:
    case OC_STATE_SHADOWED:
      return g_strdup (_("It asks for this. None of it is granted now."));
    case OC_STATE_DISABLED:
    case OC_STATE_DISABLED_AFTER_ERRORS:
      break;
    }
  return g_strdup (_("Enabling it would grant exactly this. Nothing is granted now."));
}

void
oc_page_fill_permissions (GtkListBox *list,
                          OcSession *session,
                          OcStatus *status)
{
  OcTools *tools = oc_registry_get_tools (oc_session_get_registry (session));
  OcManifest *manifest = get_manifest (status);
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);
  OcPermissionSet *set = oc_manifest_get_permissions (manifest);
  g_autoptr (GPtrArray) explanations = oc_catalogue_explain_set (set, tools);

  for (guint i = 0; i < explanations->len; i++)
    {
      OcExplanation *explanation = g_ptr_array_index (explanations, i);
      OcPermission *permission = oc_explanation_get_permission (explanation);

      gtk_list_box_append (list, GTK_WIDGET (oc_permission_row_new (explanation,
                                                                    oc_manifest_find_declaration (manifest, permission),
                                                                    OC_PERMISSION_ROW_OPENS)));
    }
  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      if (declaration->permission == NULL || declaration->never_granted
          || !oc_permission_set_contains (set, declaration->permission))
        gtk_list_box_append (list, GTK_WIDGET (oc_permission_row_new_ungranted (declaration, tools)));
    }
}

gboolean
oc_page_fill_together (GtkBox *box,
                       OcSession *session,
                       OcStatus *status)
{
  OcManifest *manifest = get_manifest (status);
  g_autoptr (GPtrArray) statements = NULL;

  if (!oc_manifest_is_valid (manifest))
    return FALSE;
  statements = oc_catalogue_combine (oc_manifest_get_permissions (manifest), oc_manifest_get_kind (manifest),
                                     oc_registry_get_tools (oc_session_get_registry (session)));
  for (guint i = 0; i < statements->len; i++)
    gtk_box_append (box, oc_statement_box_new (g_ptr_array_index (statements, i)));
  return statements->len > 0;
}

void
oc_page_fill_baseline (GtkListBox *list,
                       OcStatus *status)
{
  OcManifest *manifest = get_manifest (status);
  OcPermissionSet *set = oc_manifest_get_permissions (manifest);
  g_autoptr (GPtrArray) always = oc_catalogue_can_always (set, oc_manifest_get_kind (manifest));
  g_autoptr (GPtrArray) never = oc_catalogue_can_never (set, oc_manifest_get_kind (manifest));

  if (always->len > 0)
    gtk_list_box_append (list, GTK_WIDGET (oc_statements_row_new ("emblem-ok-symbolic", _("It can always"), always,
                                                                  OC_PERMISSION_ROW_OPENS)));
  if (never->len > 0)
    gtk_list_box_append (list, GTK_WIDGET (oc_statements_row_new ("action-unavailable-symbolic", _("It can never"), never,
                                                                  OC_PERMISSION_ROW_OPENS)));
}

gboolean
oc_page_fill_problems (GtkListBox *list,
                       OcStatus *status)
{
  GPtrArray *problems = oc_plugin_get_problems (oc_status_get_plugin (status));

  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);
      g_autofree char *message = oc_escape_message (problem->message);
      g_autofree char *remedy = oc_escape_message (problem->remedy);
      g_autofree char *place = oc_escape_message (problem->place);
      g_autofree char *whole = g_strjoin ("\n", place, remedy, NULL);
      OcDetailRow *row = oc_detail_row_new ("dialog-error-symbolic", message);

      oc_detail_row_set_open_for_good (row);
      oc_detail_row_add_icon_class (row, "invalid");
      oc_detail_row_add_detail (row, oc_label_new (place, "code"));
      if (remedy != NULL)
        {
          /* Translators: %s is a sentence that tells what to do */
          g_autofree char *what = g_strdup_printf (_("What to do: %s"), remedy);

          oc_detail_row_add_detail (row, oc_label_new (what, NULL));
        }
      oc_detail_row_set_explanation (row, whole);
      gtk_list_box_append (list, GTK_WIDGET (row));
    }
  return problems->len > 0;
}

static const char *
failure_kind_to_label (const char *kind)
{
  return oc_outcome_to_label (oc_outcome_from_id (kind != NULL ? kind : ""));
}

/* The title of an entry, escaped; its id where the manifest no longer has it. (transfer full) */
static char *
dup_entry_title (OcStatus *status,
                 const char *id)
{
  const OcEntry *entry = id != NULL ? oc_manifest_find_entry (get_manifest (status), id) : NULL;

  return oc_escape (entry != NULL && entry->title != NULL ? entry->title : id != NULL ? id : "");
}

static GtkWidget *
output_new (const char *text)
{
  g_autofree char *escaped = oc_text_escape_lines (text, -1, 0, NULL);
  GtkWidget *label;

  g_strchomp (escaped);
  label = oc_label_new (escaped, "output");
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  return label;
}

gboolean
oc_page_fill_failures (GtkListBox *list,
                       OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcConsentRecord *record = oc_verdict_get_record (verdict);
  GPtrArray *failures;

  if (record == NULL || oc_verdict_get_state (verdict) != OC_STATE_DISABLED_AFTER_ERRORS)
    return FALSE;
  failures = oc_consent_record_get_failures (record);
  for (guint i = failures->len; i > 0; i--)
    {
      const OcFailure *failure = g_ptr_array_index (failures, i - 1);
      g_autofree char *entry = dup_entry_title (status, failure->entry);
      g_autofree char *when = oc_format_exactly (failure->time);
      g_autofree char *message = oc_escape_message (failure->message);
      g_autofree char *subtitle = g_strdup_printf ("%s · %s\n%s", when, entry,
                                                   message != NULL ? message : _("It left no message."));
      g_autofree char *key = g_strdup_printf ("failure-%" G_GINT64_FORMAT, failure->time);
      g_autofree char *whole = NULL;
      OcDetailRow *row = oc_detail_row_new ("dialog-error-symbolic", failure_kind_to_label (failure->kind));

      oc_detail_row_set_key (row, key);
      oc_detail_row_add_icon_class (row, "invalid");
      oc_detail_row_set_subtitle (row, subtitle);
      if (failure->output != NULL && failure->output[0] != '\0')
        {
          oc_detail_row_add_detail (row, oc_label_new (_("The last lines it wrote:"), "caption-heading"));
          oc_detail_row_add_detail (row, output_new (failure->output));
          whole = oc_text_escape_lines (failure->output, -1, 0, NULL);
        }
      oc_detail_row_set_explanation (row, whole);
      gtk_list_box_append (list, GTK_WIDGET (row));
      if (i == failures->len)
        oc_detail_row_set_expanded (row, TRUE);
    }
  return failures->len > 0;
}

static GtkWidget *
change_new (const char *heading,
            OcPermissionSet *set,
            OcTools *tools,
            const char *mark,
            const char *css_class)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *list = oc_detail_list_new ();
  g_autoptr (GPtrArray) explanations = oc_catalogue_explain_set (set, tools);

  for (guint i = 0; i < explanations->len; i++)
    {
      OcExplanation *explanation = g_ptr_array_index (explanations, i);
      g_autofree char *text = oc_escape (oc_permission_get_text (oc_explanation_get_permission (explanation)));
      g_autofree char *whole = oc_explanation_to_text (explanation);
      OcDetailRow *row = oc_detail_row_new (NULL, oc_explanation_get_title (explanation));

      if (oc_explanation_get_severity (explanation) == OC_SEVERITY_BROAD)
        oc_detail_row_add_mark (row, oc_severity_to_label (OC_SEVERITY_BROAD), "broad");
      oc_detail_row_add_mark (row, mark, css_class);
      oc_detail_row_set_subtitle (row, text);
      oc_detail_row_set_explanation (row, whole);
      gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (row));
    }
  gtk_box_append (GTK_BOX (box), oc_label_new (heading, "caption-heading"));
  gtk_box_append (GTK_BOX (box), list);
  return box;
}

gboolean
oc_page_fill_changes (GtkBox *box,
                      OcSession *session,
                      OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcTools *tools = oc_registry_get_tools (oc_session_get_registry (session));
  OcPermissionSet *added = oc_verdict_get_added (verdict);
  OcPermissionSet *removed = oc_verdict_get_removed (verdict);

  if (oc_verdict_get_state (verdict) != OC_STATE_NEEDS_REVIEW)
    return FALSE;
  if (oc_permission_set_get_n (added) > 0)
    gtk_box_append (box, change_new (_("It asks for these now"), added, tools, _("New"), "review"));
  if (oc_permission_set_get_n (removed) > 0)
    gtk_box_append (box, change_new (_("It no longer asks for these"), removed, tools, _("Gone"), "off"));
  return oc_permission_set_get_n (added) + oc_permission_set_get_n (removed) > 0;
}

static char *
describe_use (const OcUse *use)
{
  g_autofree char *sentence = oc_catalogue_describe_use (use);
  g_autofree char *method = oc_escape (use->method);
  g_autofree char *detail = oc_escape (use->detail);
  g_autofree char *program = oc_escape (use->program);
  g_autoptr (GString) text = g_string_new (NULL);

  if (sentence != NULL)
    {
      if (use->allowed)
        g_string_append (text, sentence);
      else
        /* Translators: %s is a sentence, such as “curl tried to open a network socket” */
        g_string_append_printf (text, _("Refused: %s"), sentence);
      if (use->count > 1)
        g_string_append_printf (text, _(" · %u times"), use->count);
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  if (use->allowed)
    g_string_append (text, method);
  else
    /* Translators: %s is what was refused, such as "socket" or "file.readText" */
    g_string_append_printf (text, _("Refused: %s"), method);
  if (detail != NULL && detail[0] != '\0')
    g_string_append_printf (text, " %s", detail);
  if (program != NULL && program[0] != '\0')
    /* Translators: %s is the name of a program */
    g_string_append_printf (text, _(" (by %s)"), program);
  if (use->count > 1)
    g_string_append_printf (text, _(" · %u times"), use->count);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_uses (OcDetailRow *row,
          GPtrArray *uses)
{
  /* What was refused is what a reader looks for. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < uses->len; i++)
      {
        const OcUse *use = g_ptr_array_index (uses, i);
        g_autofree char *text = NULL;

        if (use->allowed != (pass == 1))
          continue;
        text = describe_use (use);
        oc_detail_row_add_detail (row, oc_label_new (text, use->allowed ? "caption" : "refused"));
      }
}

static OcDetailRow *
run_row_new (OcStatus *status,
             const OcRun *run,
             GPtrArray *uses)
{
  g_autofree char *entry = dup_entry_title (status, run->entry);
  g_autofree char *when = oc_format_when (run->started, g_get_real_time ());
  g_autofree char *lasted = run->ended > run->started ? oc_format_duration (run->ended - run->started) : NULL;
  g_autofree char *message = oc_escape_message (run->message);
  g_autofree char *key = g_strdup_printf ("run-%" G_GINT64_FORMAT, run->id);
  g_autofree char *used = g_strdup_printf (ngettext ("%u use", "%u uses", run->n_allowed), run->n_allowed);
  g_autofree char *refused = g_strdup_printf (ngettext ("%u refused", "%u refused", run->n_refused), run->n_refused);
  g_autofree char *subtitle = NULL;
  gboolean is_error = oc_outcome_is_error (run->outcome) || run->outcome == OC_OUTCOME_REFUSED;
  OcDetailRow *row;

  row = oc_detail_row_new (is_error ? "dialog-error-symbolic" : "media-playback-start-symbolic", entry);
  subtitle = g_strjoin (" · ", when, oc_outcome_to_label (run->outcome), used, lasted, NULL);
  oc_detail_row_set_key (row, key);
  oc_detail_row_set_subtitle (row, subtitle);
  if (is_error)
    oc_detail_row_add_icon_class (row, "invalid");
  if (run->n_refused > 0)
    oc_detail_row_add_mark (row, refused, "off");
  if (message != NULL && message[0] != '\0')
    oc_detail_row_add_detail (row, oc_label_new (message, NULL));
  add_uses (row, uses);
  if (run->output != NULL && run->output[0] != '\0')
    oc_detail_row_add_detail (row, output_new (run->output));
  return row;
}

void
oc_page_fill_runs (GtkListBox *list,
                   OcStatus *status,
                   OcHistory *history)
{
  GPtrArray *runs = oc_history_get_runs (history);

  for (guint i = 0; i < runs->len; i++)
    gtk_list_box_append (list, GTK_WIDGET (run_row_new (status, g_ptr_array_index (runs, i),
                                                        oc_history_get_uses (history, i))));
}

static void
append_fact (GtkListBox *list,
             const char *title,
             const char *value)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  g_autofree char *escaped = oc_escape (value);
  GtkWidget *label;

  if (escaped == NULL || escaped[0] == '\0')
    {
      g_object_ref_sink (row);
      g_object_unref (row);
      g_object_ref_sink (box);
      g_object_unref (box);
      return;
    }
  label = oc_label_new (escaped, NULL);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (box, "fact");
  gtk_box_append (GTK_BOX (box), oc_label_new (title, "caption"));
  gtk_widget_add_css_class (gtk_widget_get_first_child (box), "dim-label");
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_widget_set_focusable (row, FALSE); /* the text in it is, to be copied */
  gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, title, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, escaped, -1);
  gtk_list_box_append (list, row);
}

void
oc_page_fill_facts (GtkListBox *list,
                    OcStatus *status)
{
  OcPlugin *plugin = oc_status_get_plugin (status);
  OcManifest *manifest = oc_plugin_get_manifest (plugin);

  append_fact (list, _("Id"), oc_plugin_get_id (plugin));
  append_fact (list, _("Folder"), oc_plugin_get_folder (plugin));
  if (oc_plugin_is_symlink (plugin))
    append_fact (list, _("The folder is a link to"), oc_plugin_get_real_folder (plugin));
  append_fact (list, _("Manifest"), oc_manifest_get_file_name (manifest));
  append_fact (list, _("What it runs"), oc_manifest_get_main (manifest));
  append_fact (list, _("Home page, as the plugin claims"), oc_manifest_get_homepage (manifest));
}

char *
oc_page_write_report (OcStatus *status)
{
  OcManifest *manifest = get_manifest (status);
  OcConsentRecord *record = oc_verdict_get_record (oc_status_get_verdict (status));
  g_autofree char *name = oc_escape (oc_manifest_get_name (manifest));
  g_autofree char *version = oc_escape (oc_manifest_get_version (manifest));
  GPtrArray *failures = record != NULL ? oc_consent_record_get_failures (record) : NULL;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s (%s) %s\nOcelot Plugins %s\n", name, oc_status_get_id (status),
                          version != NULL ? version : "", OC_VERSION);
  for (guint i = 0; failures != NULL && i < failures->len; i++)
    {
      const OcFailure *failure = g_ptr_array_index (failures, i);
      g_autoptr (GDateTime) then = g_date_time_new_from_unix_utc (failure->time / G_USEC_PER_SEC);
      g_autofree char *when = then != NULL ? g_date_time_format_iso8601 (then) : g_strdup ("?");
      g_autofree char *entry = oc_escape (failure->entry);
      g_autofree char *message = oc_escape_message (failure->message);
      g_autofree char *output = oc_text_escape_lines (failure->output != NULL ? failure->output : "", -1, 0, NULL);

      g_string_append_printf (text, "\n%s  %s  %s\n%s\n%s\n", when, entry, failure->kind, message != NULL ? message : "",
                              output);
    }
  return g_string_free (text, FALSE);
}
