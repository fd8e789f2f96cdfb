/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define INDENT "           "

/* How much of the author's words stands among ours: more could push ours out of sight. */
#define NAME_MAX_CHARS 80
#define TITLE_MAX_CHARS 80
#define REASON_MAX_CHARS 500
/* A permission that many entries ask for is the same permission. */
#define MAX_TITLES 20

/* The set that was consented to last for this very folder; NULL where there never was one. Borrowed. */
static OcPermissionSet *
get_last_set (OcCliSubject *subject)
{
  OcConsentRecord *record = oc_verdict_get_record (subject->verdict);

  if (record == NULL || !oc_consent_record_belongs_to (record, subject->plugin))
    return NULL;
  return oc_consent_record_get_permissions (record);
}

static void
print_labelled (const char *label,
                const char *text)
{
  g_autofree char *line = NULL;

  if (text == NULL)
    return;
  line = g_strdup_printf ("%s %s", label, text);
  oc_cli_print_wrapped (INDENT, line);
}

static void
print_quoted (const char *label,
              const char *text)
{
  g_autofree char *quoted = oc_cli_quote (INDENT, text, oc_cli_get_columns ());

  oc_cli_print_wrapped (INDENT, label);
  g_print ("%s", quoted);
}

/* The titles of the entries that ask for it, escaped. (transfer full) */
static char *
join_titles (GPtrArray *entries)
{
  g_autoptr (GString) titles = g_string_new (NULL);
  guint n = MIN (entries->len, MAX_TITLES);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *escaped = oc_text_escape (g_ptr_array_index (entries, i), TITLE_MAX_CHARS, NULL);

      g_string_append_printf (titles, "%s%s", i > 0 ? ", " : "", escaped);
    }
  if (entries->len > n)
    g_string_append (titles, ", …");
  return g_string_free (g_steal_pointer (&titles), FALSE);
}

/* Who asks for it, and what the author says of it: claims, kept apart from our own words. */
static void
print_claims (OcManifest *manifest,
              OcPermission *permission)
{
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);

  for (guint i = 0; i < declarations->len; i++)
    {
      OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      if (declaration->permission == NULL || declaration->never_granted
          || !oc_permission_equal (declaration->permission, permission))
        continue;
      if (declaration->entries->len > 0)
        {
          g_autofree char *titles = join_titles (declaration->entries);

          print_quoted (declaration->implied ? _ ("Comes with:") : _ ("Asked for by:"), titles);
        }
      if (declaration->reason != NULL)
        {
          g_autofree char *escaped = oc_text_escape (declaration->reason, REASON_MAX_CHARS, NULL);

          print_quoted (_ ("The author says:"), escaped);
        }
    }
}

static void
print_explanation (OcCliSubject *subject,
                   OcExplanation *explanation,
                   gboolean is_new)
{
  OcPermission *permission = oc_explanation_get_permission (explanation);
  OcSeverity severity = oc_explanation_get_severity (explanation);
  g_autofree char *label = g_strdup_printf ("  %-9s", oc_severity_to_label (severity));
  g_autofree char *styled = oc_cli_style (oc_cli_severity_style (severity), label);
  g_autofree char *written = oc_text_escape (oc_permission_get_text (permission), 0, NULL);

  oc_cli_print_wrapped (styled, oc_explanation_get_title (explanation));
  if (is_new)
    print_labelled (written, _ ("· New since you enabled it"));
  else
    oc_cli_print_wrapped (INDENT, written);
  oc_cli_print_wrapped (INDENT, oc_explanation_get_grants (explanation));
  print_labelled (_ ("How it is held to that:"), oc_explanation_get_held (explanation));
  print_labelled (_ ("Not included:"), oc_explanation_get_excludes (explanation));
  if (oc_explanation_get_here (explanation) != NULL)
    oc_cli_print_wrapped (INDENT, oc_explanation_get_here (explanation));
  print_claims (oc_plugin_get_manifest (subject->plugin), permission);
}

/* Those with @want_new only: what is new stands first, and within each group the worst. Returns how many. */
static guint
print_group (OcCliSubject *subject,
             GPtrArray *explanations,
             OcPermissionSet *last,
             gboolean want_new,
             guint n_before)
{
  guint n = n_before;

  for (guint i = 0; i < explanations->len; i++)
    {
      OcExplanation *explanation = g_ptr_array_index (explanations, i);
      gboolean is_new = last != NULL && !oc_permission_set_contains (last, oc_explanation_get_permission (explanation));

      if (is_new != want_new)
        continue;
      if (n++ > 0)
        g_print ("\n");
      print_explanation (subject, explanation, is_new);
    }
  return n;
}

static void
print_removed (OcPermissionSet *set,
               OcPermissionSet *last,
               OcTools *tools)
{
  g_autoptr (OcPermissionSet) removed = oc_permission_set_minus (last, set);
  g_autoptr (GPtrArray) explanations = oc_catalogue_explain_set (removed, tools);

  if (explanations->len == 0)
    return;
  oc_cli_print_heading (_ ("No longer asked for"));
  for (guint i = 0; i < explanations->len; i++)
    oc_cli_print_wrapped ("  - ", oc_explanation_get_title (g_ptr_array_index (explanations, i)));
}

static void
print_statements (const char *heading,
                  GPtrArray *statements)
{
  if (statements->len == 0)
    return;
  oc_cli_print_heading (heading);
  for (guint i = 0; i < statements->len; i++)
    {
      OcStatement *statement = g_ptr_array_index (statements, i);

      oc_cli_print_wrapped ("  - ", statement->title);
      if (statement->text != NULL && statement->text[0] != '\0')
        oc_cli_print_wrapped ("    ", statement->text);
    }
}

static void
print_never_granted (OcManifest *manifest)
{
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);
  gboolean begun = FALSE;

  for (guint i = 0; i < declarations->len; i++)
    {
      OcDeclaration *declaration = g_ptr_array_index (declarations, i);
      g_autofree char *written = oc_text_escape (declaration->text, 0, NULL);

      if (!declaration->never_granted)
        continue;
      if (!begun)
        oc_cli_print_heading (_ ("Declared, and never granted to entries of this kind"));
      begun = TRUE;
      oc_cli_print_wrapped ("  - ", written);
    }
}

/* What the name and the kind may deceive about. */
static void
print_warnings (OcCli *self,
                OcCliSubject *subject)
{
  const char *name = oc_manifest_get_name (oc_plugin_get_manifest (subject->plugin));
  g_autoptr (GPtrArray) records = oc_consent_list (subject->consent);
  g_autofree char *mark = oc_cli_style (OC_CLI_YELLOW, "! ");

  if (oc_verdict_get_state (subject->verdict) == OC_STATE_DISABLED_AFTER_ERRORS)
    {
      g_autofree char *text = g_strdup_printf (_ ("It was disabled after errors; “ocelotctl show %s” lists them."),
                                               oc_plugin_get_id (subject->plugin));

      oc_cli_print_wrapped (mark, text);
    }
  if (oc_verdict_is_other_kind (subject->verdict))
    oc_cli_print_wrapped (mark, _ ("It has become another kind of plugin since you enabled it: what it can always do is not the "
                                   "same as before."));
  for (guint i = 0; i < records->len; i++)
    {
      OcConsentRecord *record = records->pdata[i];
      const char *id = oc_consent_record_get_id (record);
      g_autoptr (OcPlugin) other = NULL;
      g_autofree char *text = NULL;

      if (oc_consent_record_get_state (record) != OC_RECORD_ENABLED
          || g_str_equal (id, oc_plugin_get_id (subject->plugin)))
        continue;
      other = oc_plugins_find (self->paths, id, NULL);
      if (other == NULL || !oc_text_looks_like (oc_manifest_get_name (oc_plugin_get_manifest (other)), name))
        continue;
      text = g_strdup_printf (_ ("%s is enabled and has the same name, or one that looks like it. Make sure that this is the one "
                                 "you mean."),
                              id);
      oc_cli_print_wrapped (mark, text);
      return;
    }
}

void
oc_cli_print_review (OcCli *self,
                     OcCliSubject *subject)
{
  OcManifest *manifest = oc_plugin_get_manifest (subject->plugin);
  OcPermissionSet *set = oc_manifest_get_permissions (manifest);
  OcPluginKind kind = oc_manifest_get_kind (manifest);
  OcPermissionSet *last = get_last_set (subject);
  g_autoptr (GPtrArray) explanations = oc_catalogue_explain_set (set, self->tools);
  g_autoptr (GPtrArray) combinations = oc_catalogue_combine (set, kind, self->tools);
  g_autoptr (GPtrArray) always = oc_catalogue_can_always (set, kind);
  g_autoptr (GPtrArray) never = oc_catalogue_can_never (set, kind);
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (manifest), NAME_MAX_CHARS, NULL);
  g_autofree char *version = oc_manifest_get_version (manifest) != NULL
                                 ? oc_text_escape (oc_manifest_get_version (manifest), 60, NULL)
                                 : NULL;
  g_autofree char *title = oc_cli_style (OC_CLI_BOLD, name);
  guint n_new;

  g_print ("%s %s\n%s\n", title, version != NULL ? version : "", oc_plugin_get_id (subject->plugin));
  print_warnings (self, subject);
  oc_cli_print_heading (_ ("Enabling it allows it to"));
  if (explanations->len == 0)
    oc_cli_print_wrapped ("  ", _ ("Nothing beyond what every plugin can do."));
  n_new = print_group (subject, explanations, last, TRUE, 0);
  print_group (subject, explanations, last, FALSE, n_new);
  print_never_granted (manifest);
  if (last != NULL)
    print_removed (set, last, self->tools);
  print_statements (_ ("Together"), combinations);
  print_statements (_ ("It can always"), always);
  print_statements (_ ("It can never"), never);
  if (kind != OC_PLUGIN_KIND_PROCESS)
    {
      g_print ("\n");
      oc_cli_print_wrapped ("", _ ("This version of Ocelot cannot run this kind of plugin yet: it can be enabled, and runs "
                                   "with a later version."));
    }
}

static void
add_explanations (JsonBuilder *builder,
                  GPtrArray *explanations,
                  OcPermissionSet *last)
{
  json_builder_set_member_name (builder, "explanations");
  json_builder_begin_array (builder);
  for (guint i = 0; i < explanations->len; i++)
    {
      OcExplanation *explanation = g_ptr_array_index (explanations, i);
      OcPermission *permission = oc_explanation_get_permission (explanation);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "permission", oc_permission_get_text (permission));
      oc_cli_json_add_string (builder, "severity", oc_severity_to_id (oc_explanation_get_severity (explanation)));
      oc_cli_json_add_string (builder, "title", oc_explanation_get_title (explanation));
      oc_cli_json_add_string (builder, "grants", oc_explanation_get_grants (explanation));
      oc_cli_json_add_string (builder, "held", oc_explanation_get_held (explanation));
      oc_cli_json_add_string (builder, "excludes", oc_explanation_get_excludes (explanation));
      oc_cli_json_add_string (builder, "here", oc_explanation_get_here (explanation));
      oc_cli_json_add_boolean (builder, "new", last != NULL && !oc_permission_set_contains (last, permission));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
print_json (OcCli *self,
            OcCliSubject *subject)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  OcManifest *manifest = oc_plugin_get_manifest (subject->plugin);
  OcPermissionSet *set = oc_manifest_get_permissions (manifest);
  OcPluginKind kind = oc_manifest_get_kind (manifest);
  OcPermissionSet *last = get_last_set (subject);
  g_autoptr (OcPermissionSet) removed
      = last != NULL ? oc_permission_set_minus (last, set) : oc_permission_set_new (NULL);
  g_autoptr (GPtrArray) explanations = oc_catalogue_explain_set (set, self->tools);
  g_autoptr (GPtrArray) combinations = oc_catalogue_combine (set, kind, self->tools);
  g_autoptr (GPtrArray) always = oc_catalogue_can_always (set, kind);
  g_autoptr (GPtrArray) never = oc_catalogue_can_never (set, kind);

  json_builder_begin_object (builder);
  oc_cli_json_add_plugin (builder, subject->plugin, subject->verdict);
  add_explanations (builder, explanations, last);
  oc_cli_json_add_set (builder, "removed", removed);
  oc_cli_json_add_statements (builder, "together", combinations);
  oc_cli_json_add_statements (builder, "canAlways", always);
  oc_cli_json_add_statements (builder, "canNever", never);
  json_builder_end_object (builder);
  oc_cli_json_print (builder);
}

/* How to say yes, also from a script: one option a line, to be copied. */
static void
print_next_step (OcCliSubject *subject)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-+/";
  const char *id = oc_plugin_get_id (subject->plugin);
  OcManifest *manifest = oc_plugin_get_manifest (subject->plugin);
  g_auto (GStrv) texts = oc_permission_set_to_strv (oc_manifest_get_permissions (manifest));

  oc_cli_print_heading (_ ("To enable it"));
  g_print ("  ocelotctl enable %s\n", id);
  oc_cli_print_heading (_ ("The same in a script, bound to what is shown here"));
  g_print ("  ocelotctl enable %s \\\n    --digest %s", id, oc_manifest_get_digest (manifest));
  for (guint i = 0; texts[i] != NULL; i++)
    {
      g_autofree char *quoted = g_shell_quote (texts[i]);

      g_print (" \\\n    --grant %s", texts[i][strspn (texts[i], plain)] == '\0' ? texts[i] : quoted);
    }
  g_print ("%s\n", texts[0] == NULL ? " \\\n    --grant none" : "");
}

static int
run_review (OcCli *self,
            const OcCliCommand *command,
            char **argv)
{
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcCliSubject) subject = NULL;
  int exit_code;

  if (!oc_cli_parse (self, command, NULL, argv, &arguments, &exit_code))
    return exit_code;
  subject = oc_cli_subject_open (self, arguments[0], &exit_code);
  if (subject == NULL)
    return exit_code;
  if (self->json)
    {
      print_json (self, subject);
      return oc_manifest_is_valid (oc_plugin_get_manifest (subject->plugin)) ? OC_CLI_DONE : OC_CLI_INVALID;
    }
  if (oc_verdict_get_state (subject->verdict) == OC_STATE_INVALID)
    {
      g_autofree char *message = g_strdup_printf (_ ("%s cannot be enabled: its manifest or its folder is not valid."), arguments[0]);
      g_autofree char *remedy = g_strdup_printf (_ ("“ocelotctl show %s” says what is wrong and where."), arguments[0]);

      return oc_cli_report (self, OC_CLI_INVALID, message, remedy);
    }
  oc_cli_print_review (self, subject);
  print_next_step (subject);
  return OC_CLI_DONE;
}

const OcCliCommand oc_cli_review_command = {
  .name = "review",
  .arguments = "ID",
  .summary = N_ ("Explain what enabling a plugin would grant, the worst first, and what is new since you last enabled it."),
  .details = N_ ("With --json the answer has the set (“permissions”) and the manifest's digest (“digest”), for use with "
                 "“ocelotctl enable --grant … --digest …”."),
  .min_arguments = 1,
  .max_arguments = 1,
  .run = run_review,
};
