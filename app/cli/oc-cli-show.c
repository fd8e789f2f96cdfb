/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-folder-size.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define RECENT_RUNS 3
/* A plugin is ended long before it has so many files of data. */
#define MAX_DATA_NAMES 1000000

static void
print_escaped_field (const char *label,
                     const char *raw)
{
  g_autofree char *escaped = raw != NULL ? oc_text_escape (raw, 0, NULL) : NULL;

  oc_cli_print_field (label, escaped);
}

/* What the plugin has stored. FALSE: it cannot be told. */
static gboolean
measure_data (OcCli *self,
              OcCliSubject *subject,
              OcFolderSize *size)
{
  const char *id = oc_plugin_get_id (subject->plugin);
  g_autofree char *folder = oc_plugin_id_check (id, NULL) ? oc_paths_dup_data (self->paths, id) : NULL;

  return folder != NULL && oc_folder_size_measure (folder, MAX_DATA_NAMES, NULL, size, NULL);
}

static void
print_data (OcCli *self,
            OcCliSubject *subject)
{
  OcFolderSize size;
  g_autofree char *bytes = NULL;
  g_autofree char *text = NULL;

  if (!measure_data (self, subject, &size))
    {
      oc_cli_print_field (_ ("Data"), _ ("cannot be measured"));
      return;
    }
  bytes = g_format_size_full (size.bytes, G_FORMAT_SIZE_IEC_UNITS);
  /* Translators: how much a plugin has stored: “1.2 MiB in 3 files and folders”. */
  text = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s in %" G_GUINT64_FORMAT " file or folder",
                                       "%s in %" G_GUINT64_FORMAT " files and folders", size.names),
                          bytes, size.names);
  oc_cli_print_field (_ ("Data"), size.names > 0 ? text : _ ("none"));
}

static void
print_identity (OcCliSubject *subject)
{
  OcManifest *manifest = oc_plugin_get_manifest (subject->plugin);
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (manifest), 0, NULL);
  g_autofree char *title = oc_cli_style (OC_CLI_BOLD, name);

  g_print ("%s\n", title);
  if (oc_manifest_get_description (manifest) != NULL)
    {
      g_autofree char *escaped = oc_text_escape_lines (oc_manifest_get_description (manifest), -1, 0, NULL);

      oc_cli_print_wrapped ("", escaped);
    }
  g_print ("\n");
  print_escaped_field (_ ("Id"), oc_plugin_get_id (subject->plugin));
  print_escaped_field (_ ("Version"), oc_manifest_get_version (manifest));
  /* Nothing proves who wrote it. */
  print_escaped_field (_ ("Author says"), oc_manifest_get_author (manifest));
  print_escaped_field (_ ("Home page"), oc_manifest_get_homepage (manifest));
  print_escaped_field (_ ("Folder"), oc_plugin_get_folder (subject->plugin));
  if (oc_plugin_is_symlink (subject->plugin))
    print_escaped_field (_ ("A link to"), oc_plugin_get_real_folder (subject->plugin));
  oc_cli_print_field (_ ("Kind"), oc_plugin_kind_to_id (oc_manifest_get_kind (manifest)));
}

static void
print_state (OcCliSubject *subject)
{
  const char *const *reasons = oc_verdict_get_reasons (subject->verdict);
  OcConsentRecord *record = oc_verdict_get_record (subject->verdict);

  oc_cli_print_field (_ ("State"), oc_state_to_label (oc_verdict_get_state (subject->verdict)));
  /* The problems of an invalid one are listed by themselves, with place and remedy. */
  for (guint i = 0; reasons[i] != NULL && oc_plugin_get_problems (subject->plugin)->len == 0; i++)
    oc_cli_print_wrapped ("             ", reasons[i]);
  if (oc_verdict_is_updated (subject->verdict))
    oc_cli_print_wrapped ("             ", _ ("It was updated since you enabled it; what it may do is the same."));
  if (record != NULL && oc_consent_record_get_time (record) != 0)
    {
      g_autofree char *time = oc_cli_format_time (oc_consent_record_get_time (record));

      oc_cli_print_field (_ ("Decided"), time);
    }
}

static void
print_problems (OcCliSubject *subject)
{
  GPtrArray *problems = oc_plugin_get_problems (subject->plugin);

  if (problems->len == 0)
    return;
  oc_cli_print_heading (_ ("What is wrong with it"));
  for (guint i = 0; i < problems->len; i++)
    {
      OcProblem *problem = g_ptr_array_index (problems, i);

      oc_cli_print_wrapped ("  - ", problem->place);
      oc_cli_print_wrapped ("    ", problem->message);
      if (problem->remedy != NULL)
        oc_cli_print_wrapped ("    ", problem->remedy);
    }
}

/* For its author: a mistyped word would otherwise be missed without a trace. */
static void
print_ignored (OcCliSubject *subject)
{
  GPtrArray *ignored = oc_manifest_get_ignored (oc_plugin_get_manifest (subject->plugin));

  if (ignored->len == 0)
    return;
  oc_cli_print_heading (_ ("In its manifest, and not known to this version: without effect"));
  for (guint i = 0; i < ignored->len; i++)
    oc_cli_print_wrapped ("  - ", g_ptr_array_index (ignored, i));
}

static OcUsage *
find_usage (GPtrArray *usage,
            const char *permission)
{
  for (guint i = 0; i < usage->len; i++)
    {
      OcUsage *candidate = g_ptr_array_index (usage, i);

      if (g_str_equal (candidate->permission, permission))
        return candidate;
    }
  return NULL;
}

static void
print_permissions (OcCli *self,
                   OcCliSubject *subject,
                   GPtrArray *usage)
{
  OcPermissionSet *set = oc_manifest_get_permissions (oc_plugin_get_manifest (subject->plugin));
  g_autoptr (GPtrArray) explanations = oc_catalogue_explain_set (set, self->tools);

  if (!oc_manifest_is_valid (oc_plugin_get_manifest (subject->plugin)))
    return;
  oc_cli_print_heading (oc_verdict_get_state (subject->verdict) == OC_STATE_ENABLED ? _ ("What it can do")
                                                                                      : _ ("What it asks for"));
  if (explanations->len == 0)
    oc_cli_print_wrapped ("  ", _ ("No permission beyond what every plugin has."));
  for (guint i = 0; i < explanations->len; i++)
    {
      OcExplanation *explanation = g_ptr_array_index (explanations, i);
      const char *text = oc_permission_get_text (oc_explanation_get_permission (explanation));
      OcSeverity severity = oc_explanation_get_severity (explanation);
      g_autofree char *label = g_strdup_printf ("  %-9s", oc_severity_to_label (severity));
      g_autofree char *styled = oc_cli_style (oc_cli_severity_style (severity), label);
      g_autofree char *escaped = oc_text_escape (text, 0, NULL);
      OcUsage *used = find_usage (usage, text);

      oc_cli_print_wrapped (styled, oc_explanation_get_title (explanation));
      oc_cli_print_wrapped ("           ", escaped);
      if (used != NULL && used->last != 0)
        {
          g_autofree char *time = oc_cli_format_time (used->last);
          g_autofree char *line = g_strdup_printf (_ ("Last used %s"), time);

          oc_cli_print_wrapped ("           ", line);
        }
    }
  g_print ("\n");
  oc_cli_print_wrapped ("  ", _ ("“ocelotctl review” explains each."));
}

static void
print_entries (OcCliSubject *subject)
{
  GPtrArray *entries = oc_manifest_get_entries (oc_plugin_get_manifest (subject->plugin));

  if (entries->len == 0)
    return;
  oc_cli_print_heading (_ ("What it offers to run"));
  for (guint i = 0; i < entries->len; i++)
    {
      OcEntry *entry = g_ptr_array_index (entries, i);
      g_autofree char *id = oc_text_escape (entry->id, 0, NULL);
      g_autofree char *title = entry->title != NULL ? oc_text_escape (entry->title, 0, NULL) : NULL;
      g_autofree char *first = g_strdup_printf ("  %s  ", id);
      g_autofree char *kind = g_strdup_printf ("(%s)", oc_entry_kind_to_id (entry->kind));

      if (entry->kind != OC_ENTRY_COMMAND)
        oc_cli_print_wrapped (first, kind);
      else
        oc_cli_print_wrapped (first, title != NULL && !g_str_equal (title, id) ? title : "");
    }
  if (oc_manifest_get_kind (oc_plugin_get_manifest (subject->plugin)) != OC_PLUGIN_KIND_PROCESS
      && oc_manifest_get_kind (oc_plugin_get_manifest (subject->plugin)) != OC_PLUGIN_KIND_UNKNOWN)
    oc_cli_print_wrapped ("  ", _ ("This version of Ocelot cannot run this kind of plugin yet."));
}

static void
print_failures (OcCliSubject *subject)
{
  OcConsentRecord *record = oc_verdict_get_record (subject->verdict);
  GPtrArray *failures = record != NULL ? oc_consent_record_get_failures (record) : NULL;

  if (failures == NULL || failures->len == 0)
    return;
  oc_cli_print_heading (_ ("What went wrong when it ran"));
  for (guint i = 0; i < failures->len; i++)
    {
      OcFailure *failure = g_ptr_array_index (failures, i);
      g_autofree char *time = oc_cli_format_time (failure->time);
      g_autofree char *entry = oc_text_escape (failure->entry, 80, NULL);
      g_autofree char *message = oc_text_escape_message (failure->message != NULL ? failure->message : "", FALSE, 500);
      const char *kind = oc_outcome_to_label (oc_outcome_from_id (failure->kind));
      g_autofree char *line = g_strdup_printf ("%s  %s: %s. %s", time, entry, kind, message);

      oc_cli_print_wrapped ("  - ", line);
      if (failure->output != NULL && failure->output[0] != '\0')
        oc_cli_print_foreign (failure->output);
    }
}

static void
print_runs (GPtrArray *runs)
{
  if (runs->len == 0)
    return;
  oc_cli_print_heading (_ ("Last runs"));
  for (guint i = 0; i < runs->len; i++)
    {
      OcRun *run = g_ptr_array_index (runs, i);
      g_autofree char *time = oc_cli_format_time (run->started);
      g_autofree char *entry = oc_text_escape (run->entry, 80, NULL);
      g_autofree char *line = g_strdup_printf (_ ("%s  %s: %s; used %u, refused %u"), time, entry,
                                               oc_outcome_to_label (run->outcome), run->n_allowed, run->n_refused);

      oc_cli_print_wrapped ("  ", line);
    }
}

static void
add_entries (JsonBuilder *builder,
             OcManifest *manifest)
{
  GPtrArray *entries = oc_manifest_get_entries (manifest);

  json_builder_set_member_name (builder, "entries");
  json_builder_begin_array (builder);
  for (guint i = 0; i < entries->len; i++)
    {
      OcEntry *entry = g_ptr_array_index (entries, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "kind", oc_entry_kind_to_id (entry->kind));
      oc_cli_json_add_string (builder, "id", entry->id);
      oc_cli_json_add_string (builder, "title", entry->title);
      oc_cli_json_add_string (builder, "description", entry->description);
      oc_cli_json_add_int (builder, "minSelection", entry->min_selection);
      if (entry->max_selection != G_MAXUINT)
        oc_cli_json_add_int (builder, "maxSelection", entry->max_selection);
      oc_cli_json_add_int (builder, "timeoutSeconds", entry->timeout_s);
      if (entry->permissions != NULL)
        oc_cli_json_add_set (builder, "permissions", entry->permissions);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_problems (JsonBuilder *builder,
              OcPlugin *plugin)
{
  GPtrArray *problems = oc_plugin_get_problems (plugin);

  json_builder_set_member_name (builder, "problems");
  json_builder_begin_array (builder);
  for (guint i = 0; i < problems->len; i++)
    {
      OcProblem *problem = g_ptr_array_index (problems, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "place", problem->place);
      oc_cli_json_add_string (builder, "message", problem->message);
      oc_cli_json_add_string (builder, "remedy", problem->remedy);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_ignored (JsonBuilder *builder,
             OcManifest *manifest)
{
  GPtrArray *ignored = oc_manifest_get_ignored (manifest);

  json_builder_set_member_name (builder, "ignored");
  json_builder_begin_array (builder);
  for (guint i = 0; i < ignored->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (ignored, i));
  json_builder_end_array (builder);
}

static void
add_record (JsonBuilder *builder,
            OcConsentRecord *record)
{
  json_builder_set_member_name (builder, "lastConsent");
  if (record == NULL)
    {
      json_builder_add_null_value (builder);
      return;
    }
  json_builder_begin_object (builder);
  oc_cli_json_add_set (builder, "permissions", oc_consent_record_get_permissions (record));
  oc_cli_json_add_string (builder, "digest", oc_consent_record_get_digest (record));
  oc_cli_json_add_string (builder, "version", oc_consent_record_get_version (record));
  oc_cli_json_add_string (builder, "folder", oc_consent_record_get_folder (record));
  oc_cli_json_add_string (builder, "surface", oc_consent_record_get_surface (record));
  oc_cli_json_add_time (builder, "time", oc_consent_record_get_time (record));
  json_builder_end_object (builder);
}

static void
add_data (JsonBuilder *builder,
          OcCli *self,
          OcCliSubject *subject)
{
  OcFolderSize size;

  json_builder_set_member_name (builder, "data");
  if (!measure_data (self, subject, &size))
    {
      json_builder_add_null_value (builder);
      return;
    }
  json_builder_begin_object (builder);
  oc_cli_json_add_int (builder, "bytes", (gint64) size.bytes);
  oc_cli_json_add_int (builder, "files", (gint64) size.names);
  json_builder_end_object (builder);
}

static void
print_json (OcCli *self,
            OcCliSubject *subject,
            GPtrArray *usage)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  OcManifest *manifest = oc_plugin_get_manifest (subject->plugin);

  json_builder_begin_object (builder);
  oc_cli_json_add_plugin (builder, subject->plugin, subject->verdict);
  oc_cli_json_add_string (builder, "description", oc_manifest_get_description (manifest));
  oc_cli_json_add_string (builder, "author", oc_manifest_get_author (manifest));
  oc_cli_json_add_string (builder, "homepage", oc_manifest_get_homepage (manifest));
  oc_cli_json_add_string (builder, "realFolder", oc_plugin_get_real_folder (subject->plugin));
  add_data (builder, self, subject);
  oc_cli_json_add_string (builder, "consent", oc_consent_outcome_to_id (oc_consent_get_outcome (subject->consent)));
  add_entries (builder, manifest);
  add_problems (builder, subject->plugin);
  add_ignored (builder, manifest);
  add_record (builder, oc_verdict_get_record (subject->verdict));
  json_builder_set_member_name (builder, "usage");
  json_builder_begin_array (builder);
  for (guint i = 0; i < usage->len; i++)
    {
      OcUsage *used = g_ptr_array_index (usage, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "permission", used->permission);
      oc_cli_json_add_int (builder, "allowed", used->n_allowed);
      oc_cli_json_add_int (builder, "refused", used->n_refused);
      oc_cli_json_add_time (builder, "last", used->last);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  oc_cli_json_print (builder);
}

static int
run_show (OcCli *self,
          const OcCliCommand *command,
          char **argv)
{
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcCliSubject) subject = NULL;
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) usage = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  int exit_code;

  if (!oc_cli_parse (self, command, NULL, argv, &arguments, &exit_code))
    return exit_code;
  subject = oc_cli_subject_open (self, arguments[0], &exit_code);
  if (subject == NULL)
    return exit_code;
  activity = oc_activity_open (self->paths, &error);
  if (activity != NULL)
    usage = oc_activity_get_usage (activity, arguments[0], NULL, &error);
  if (usage != NULL)
    runs = oc_activity_list_runs (activity, arguments[0], RECENT_RUNS, &error);
  if (runs == NULL)
    return oc_cli_report_error (self, error);
  if (self->json)
    {
      print_json (self, subject, usage);
      return OC_CLI_DONE;
    }
  print_identity (subject);
  print_data (self, subject);
  print_state (subject);
  print_problems (subject);
  print_ignored (subject);
  print_failures (subject);
  print_permissions (self, subject, usage);
  print_entries (subject);
  print_runs (runs);
  return OC_CLI_DONE;
}

const OcCliCommand oc_cli_show_command = {
  .name = "show",
  .arguments = "ID",
  .summary = N_ ("Show one plugin: its state and why, what it may do, what it offers, its last runs."),
  .min_arguments = 1,
  .max_arguments = 1,
  .run = run_show,
};
