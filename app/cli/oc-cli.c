/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-error.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>

int
oc_cli_refuse_usage (const OcCliCommand *command,
                     const char *message)
{
  g_autofree char *escaped = oc_text_escape (message, 0, NULL);

  g_printerr ("ocelotctl: %s\n", escaped);
  g_printerr (_ ("Usage: ocelotctl %s %s\n"), command->name, command->arguments);
  return OC_CLI_USAGE;
}

static GOptionContext *
make_context (OcCli *self,
              const OcCliCommand *command,
              const GOptionEntry *entries,
              char ***arguments)
{
  const GOptionEntry common[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, N_ ("Print JSON, for programs"), NULL },
    { "allow-root", 0, 0, G_OPTION_ARG_NONE, &self->allow_root,
      N_ ("Let the launcher run as root (tests, containers)"), NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, arguments, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context = g_option_context_new (command->arguments);
  guint columns = oc_cli_get_columns ();
  g_autofree char *summary = oc_cli_wrap ("", _ (command->summary), columns);

  g_option_context_set_summary (context, g_strchomp (summary));
  if (command->details != NULL)
    {
      g_autofree char *details = oc_cli_wrap ("", _ (command->details), columns);

      g_option_context_set_description (context, details);
    }
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  g_option_context_add_main_entries (context, common, GETTEXT_PACKAGE);
  /* GLib would print the help and exit by itself, with the program's name only. */
  g_option_context_set_help_enabled (context, FALSE);
  return context;
}

static gboolean
asks_for_help (char **argv)
{
  for (guint i = 0; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    if (g_str_equal (argv[i], "--help") || g_str_equal (argv[i], "-h"))
      return TRUE;
  return FALSE;
}

/* Which of the command's words is missing, by its name in the usage line: they come first there. (transfer full) */
static char *
describe_missing (const OcCliCommand *command,
                  guint n_given)
{
  g_auto (GStrv) names = g_strsplit (command->arguments, " ", -1);

  if (n_given >= g_strv_length (names))
    return g_strdup (_ ("Something is missing."));
  if (g_str_equal (names[n_given], "ENTRY"))
    return g_strdup (_ ("ENTRY is missing: “ocelotctl show ID” names what a plugin offers to run."));
  if (g_str_equal (names[n_given], "ID"))
    return g_strdup (_ ("ID is missing: “ocelotctl list” names the installed plugins."));
  /* Translators: %s is a word of the usage line, such as ID. */
  return g_strdup_printf (_ ("%s is missing."), names[n_given]);
}

gboolean
oc_cli_parse (OcCli *self,
              const OcCliCommand *command,
              const GOptionEntry *entries,
              char **argv,
              char ***arguments,
              int *exit_code)
{
  g_auto (GStrv) rest = NULL;
  g_autoptr (GOptionContext) context = make_context (self, command, entries, &rest);
  g_autoptr (GError) error = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) line = NULL;
  guint n;

  if (asks_for_help (argv))
    {
      g_autofree char *name = g_strdup_printf ("ocelotctl %s", command->name);
      g_autofree char *help = NULL;

      g_set_prgname (name);
      help = g_option_context_get_help (context, TRUE, NULL);
      g_print ("%s", help);
      *exit_code = OC_CLI_DONE;
      return FALSE;
    }
  /* GOption looks for a program's name in front. */
  g_strv_builder_add (builder, "ocelotctl");
  g_strv_builder_addv (builder, (const char **) argv);
  line = g_strv_builder_end (builder);
  if (!g_option_context_parse_strv (context, &line, &error))
    {
      *exit_code = oc_cli_refuse_usage (command, error->message);
      return FALSE;
    }
  n = rest != NULL ? g_strv_length (rest) : 0;
  if (n < command->min_arguments || n > command->max_arguments)
    {
      g_autofree char *message = n < command->min_arguments ? describe_missing (command, n)
                                                            : g_strdup (_ ("That is one word too many."));

      *exit_code = oc_cli_refuse_usage (command, message);
      return FALSE;
    }
  *arguments = rest != NULL ? g_steal_pointer (&rest) : g_new0 (char *, 1);
  return TRUE;
}

int
oc_cli_report (OcCli *self,
               int exit_code,
               const char *message,
               const char *remedy)
{
  gboolean hidden = FALSE;
  g_autofree char *escaped = oc_text_escape_lines (message, -1, 0, &hidden);

  /* Whoever put a message together should have escaped what is not ours; a terminal is not the place to find out. */
  g_printerr ("ocelotctl: %s\n", hidden ? escaped : message);
  if (remedy != NULL && remedy[0] != '\0')
    g_printerr ("%s\n", remedy);
  if (self->json)
    {
      g_autoptr (JsonBuilder) builder = json_builder_new ();

      json_builder_begin_object (builder);
      oc_cli_json_add_int (builder, "exit", exit_code);
      oc_cli_json_add_string (builder, "error", message);
      oc_cli_json_add_string (builder, "remedy", remedy);
      json_builder_end_object (builder);
      oc_cli_json_print (builder);
    }
  return exit_code;
}

static int
exit_code_of (const GError *error)
{
  if (error->domain != OC_ERROR)
    return OC_CLI_FAILED;
  switch ((OcError) error->code)
    {
    case OC_ERROR_INVALID:
      return OC_CLI_INVALID;
    case OC_ERROR_LOCKED:
    case OC_ERROR_DAMAGED:
    case OC_ERROR_FORGED:
      return OC_CLI_CONSENT;
    case OC_ERROR_STALE:
      return OC_CLI_NEEDS_REVIEW;
    case OC_ERROR_DENIED:
      return OC_CLI_BLOCKED;
    case OC_ERROR_SANDBOX:
      return OC_CLI_SANDBOX;
    case OC_ERROR_NOT_FOUND:
    case OC_ERROR_IO:
    case OC_ERROR_TIMED_OUT:
    case OC_ERROR_UNSUPPORTED:
    case OC_ERROR_BUSY:
      return OC_CLI_FAILED;
    }
  return OC_CLI_FAILED;
}

int
oc_cli_report_error (OcCli *self,
                     const GError *error)
{
  return oc_cli_report (self, exit_code_of (error), error->message, NULL);
}

/* As oc_plugins_find(); a folder whose name is no plugin id is found too, since "list" names it and sends here to learn what
 * is wrong. */
static OcPlugin *
find_plugin (OcCli *self,
             const char *id,
             GError **error)
{
  g_autoptr (GError) local = NULL;
  OcPlugin *found = oc_plugins_find (self->paths, id, &local);
  g_autoptr (GPtrArray) plugins = NULL;

  if (found != NULL)
    return found;
  if (g_error_matches (local, OC_ERROR, OC_ERROR_INVALID))
    plugins = oc_plugins_scan (self->paths, NULL, NULL);
  for (guint i = 0; plugins != NULL && i < plugins->len; i++)
    if (g_str_equal (oc_plugin_get_id (plugins->pdata[i]), id))
      return oc_plugin_ref (plugins->pdata[i]);
  g_propagate_error (error, g_steal_pointer (&local));
  return NULL;
}

static OcCliSubject *
load_subject (OcCli *self,
              const char *id,
              GError **error)
{
  g_autoptr (OcCliSubject) subject = g_new0 (OcCliSubject, 1);
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GHashTable) health = NULL;

  subject->plugin = find_plugin (self, id, error);
  if (subject->plugin == NULL)
    return NULL;
  activity = oc_activity_open (self->paths, error);
  if (activity == NULL)
    return NULL;
  health = oc_activity_get_health (activity, error);
  if (health == NULL)
    return NULL;
  subject->consent = oc_consent_load (self->paths, NULL);
  subject->policy = oc_policy_load (self->paths);
  subject->verdict = oc_state_evaluate (subject->plugin, subject->consent, subject->policy,
                                        g_hash_table_lookup (health, id),
                                        oc_policy_reviews_every_update (subject->policy));
  return g_steal_pointer (&subject);
}

OcCliSubject *
oc_cli_subject_open (OcCli *self,
                     const char *id,
                     int *exit_code)
{
  g_autoptr (GError) error = NULL;
  OcCliSubject *subject;

  /* A word in another encoding is no id; what follows may count on UTF-8. */
  if (!g_utf8_validate (id, -1, NULL))
    {
      g_autofree char *escaped = oc_text_escape (id, 0, NULL);
      g_autofree char *message = g_strdup_printf (_ ("“%s” is no plugin id."), escaped);

      *exit_code = oc_cli_report (self, OC_CLI_FAILED, message, _ ("“ocelotctl list” shows the installed plugins."));
      return NULL;
    }
  subject = load_subject (self, id, &error);
  if (subject != NULL)
    return subject;
  if (g_error_matches (error, OC_ERROR, OC_ERROR_INVALID) || g_error_matches (error, OC_ERROR, OC_ERROR_NOT_FOUND))
    *exit_code = oc_cli_report (self, OC_CLI_FAILED, error->message, _ ("“ocelotctl list” shows the installed plugins."));
  else
    *exit_code = oc_cli_report_error (self, error);
  return NULL;
}

void
oc_cli_subject_free (OcCliSubject *self)
{
  g_clear_pointer (&self->plugin, oc_plugin_unref);
  g_clear_pointer (&self->consent, oc_consent_unref);
  g_clear_pointer (&self->policy, oc_policy_unref);
  g_clear_pointer (&self->verdict, oc_verdict_unref);
  g_free (self);
}
