/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-catalogue-use.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>

#define DEFAULT_LIMIT 20
#define MAX_LIMIT 10000
/* Uses of one run that are shown; more than that is for --json. */
#define MAX_USES 500

static gboolean
is_shown (OcUse *use,
          gboolean refused_only)
{
  return !refused_only || !use->allowed;
}

static void
print_use (OcUse *use)
{
  g_autofree char *sentence = oc_catalogue_describe_use_counted (use);
  g_autofree char *detail = oc_text_escape (use->detail != NULL ? use->detail : "", 200, NULL);
  g_autofree char *program = use->program != NULL ? oc_text_escape (use->program, 80, NULL) : NULL;
  g_autofree char *method = oc_cli_describe_method (use->method);
  g_autoptr (GString) line = g_string_new (NULL);

  /* Translators: %s is a sentence or a call: “refused: curl tried to open a network socket”, “used: file.readText” */
  g_string_append_printf (line, use->allowed ? _ ("used: %s") : _ ("refused: %s"), sentence != NULL ? sentence : method);
  if (sentence == NULL && detail[0] != '\0')
    g_string_append_printf (line, " %s", detail);
  if (sentence == NULL && program != NULL)
    g_string_append_printf (line, _ (" by %s"), program);
  if (sentence == NULL && use->count > 1)
    g_string_append_printf (line, " ×%u", use->count);
  oc_cli_print_wrapped ("      ", line->str);
}

static void
print_run (OcRun *run,
           GPtrArray *uses,
           gboolean refused_only)
{
  /* Of a run whose launcher was killed it may not be known when it ended: then it is no later than its start. */
  g_autofree char *time = oc_cli_format_time (run->started);
  g_autofree char *duration = run->ended > run->started ? oc_cli_format_duration (run->ended - run->started) : NULL;
  g_autofree char *plugin = oc_text_escape (run->plugin, 0, NULL);
  g_autofree char *entry = oc_text_escape (run->entry, 80, NULL);
  g_autoptr (GString) line = g_string_new (oc_outcome_to_label (run->outcome));

  g_print ("%s  %s %s\n", time, plugin, entry);
  if (duration != NULL)
    g_string_append_printf (line, _ (", %s"), duration);
  g_string_append_printf (line, _ ("; used %u, refused %u"), run->n_allowed, run->n_refused);
  oc_cli_print_wrapped ("    ", line->str);
  if (run->message != NULL && run->message[0] != '\0')
    {
      g_autofree char *message = oc_text_escape_message (run->message, FALSE, 500);

      oc_cli_print_wrapped ("    ", message);
    }
  for (guint i = 0; i < uses->len; i++)
    if (is_shown (g_ptr_array_index (uses, i), refused_only))
      print_use (g_ptr_array_index (uses, i));
}

static void
add_run (JsonBuilder *builder,
         OcRun *run,
         GPtrArray *uses)
{
  json_builder_begin_object (builder);
  oc_cli_json_add_int (builder, "run", run->id);
  oc_cli_json_add_string (builder, "plugin", run->plugin);
  oc_cli_json_add_string (builder, "entry", run->entry);
  oc_cli_json_add_string (builder, "surface", run->surface);
  oc_cli_json_add_time (builder, "started", run->started);
  oc_cli_json_add_time (builder, "ended", run->ended);
  if (run->ended != 0)
    oc_cli_json_add_int (builder, "durationMs", (run->ended - run->started) / 1000);
  oc_cli_json_add_string (builder, "outcome", oc_outcome_to_id (run->outcome));
  oc_cli_json_add_string (builder, "message", run->message);
  oc_cli_json_add_string (builder, "output", run->output);
  oc_cli_json_add_int (builder, "used", run->n_allowed);
  oc_cli_json_add_int (builder, "refused", run->n_refused);
  oc_cli_json_add_uses (builder, "uses", uses);
  json_builder_end_object (builder);
}

static gboolean
print_runs (OcCli *self,
            OcActivity *activity,
            GPtrArray *runs,
            gboolean refused_only,
            GError **error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "runs");
  json_builder_begin_array (builder);
  for (guint i = 0; i < runs->len; i++)
    {
      OcRun *run = g_ptr_array_index (runs, i);
      g_autoptr (GPtrArray) uses = NULL;

      if (refused_only && run->n_refused == 0)
        continue;
      uses = oc_activity_list_uses (activity, run->plugin, run->id, MAX_USES, error);
      if (uses == NULL)
        return FALSE;
      if (self->json)
        add_run (builder, run, uses);
      else
        print_run (run, uses, refused_only);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  if (self->json)
    oc_cli_json_print (builder);
  return TRUE;
}

static int
run_log (OcCli *self,
         const OcCliCommand *command,
         char **argv)
{
  int limit = DEFAULT_LIMIT;
  gboolean refused = FALSE;
  const GOptionEntry entries[] = {
    { "limit", 0, 0, G_OPTION_ARG_INT, &limit, N_ ("How many runs, the newest first (20)"), N_ ("N") },
    { "refused", 0, 0, G_OPTION_ARG_NONE, &refused, N_ ("Only runs with something refused, and only that"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  int exit_code;

  if (!oc_cli_parse (self, command, entries, argv, &arguments, &exit_code))
    return exit_code;
  if (limit < 1 || limit > MAX_LIMIT)
    return oc_cli_refuse_usage (command, _ ("--limit is a number from 1 to 10000."));
  if (arguments[0] != NULL && !oc_plugin_id_check (arguments[0], &error))
    return oc_cli_report (self, OC_CLI_FAILED, error->message, _ ("“ocelotctl list” shows the installed plugins."));
  activity = oc_activity_open (self->paths, &error);
  if (activity != NULL)
    runs = oc_activity_list_runs (activity, arguments[0], limit, &error);
  if (runs == NULL || !print_runs (self, activity, runs, refused, &error))
    return oc_cli_report_error (self, error);
  if (runs->len == 0 && !self->json)
    oc_cli_print_wrapped ("", _ ("Nothing ran yet."));
  return OC_CLI_DONE;
}

const OcCliCommand oc_cli_log_command = {
  .name = "log",
  .arguments = "[ID] [--limit N] [--refused]",
  .summary = N_ ("Show what ran, what it used and what was refused, the newest first."),
  .max_arguments = 1,
  .run = run_log,
};
