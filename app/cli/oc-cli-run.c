/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-catalogue-use.h"
#include "core/oc-text.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static gboolean
has_dots (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (g_str_equal (parts[i], ".") || g_str_equal (parts[i], ".."))
      return TRUE;
  return FALSE;
}

/* @path from the working folder. "link/../x" means what it means to the kernel, so the folder is resolved by it; the last
 * component stays, for the launcher to judge a link. */
static char *
make_absolute (const char *path)
{
  g_autofree char *cwd = g_get_current_dir ();
  g_autofree char *joined = g_path_is_absolute (path) ? g_strdup (path) : g_build_filename (cwd, path, NULL);
  g_autofree char *folder = NULL;
  g_autofree char *name = NULL;
  char *resolved;
  char *whole;

  if (!has_dots (joined))
    return g_steal_pointer (&joined);
  folder = g_path_get_dirname (joined);
  name = g_path_get_basename (joined);
  resolved = realpath (has_dots (name) ? joined : folder, NULL);
  if (resolved == NULL)
    return g_steal_pointer (&joined);
  whole = has_dots (name) ? g_strdup (resolved) : g_build_filename (resolved, name, NULL);
  free (resolved);
  return whole;
}

typedef struct
{
  OcLauncher *launcher;
  GMainLoop *loop;
  GCancellable *cancellable;
  OcRunResult *result;
  GError *error;
} Waiting;

static void
on_run_done (GObject *source,
             GAsyncResult *async_result,
             gpointer user_data)
{
  Waiting *waiting = user_data;

  waiting->result = oc_launcher_run_finish (waiting->launcher, async_result, &waiting->error);
  g_main_loop_quit (waiting->loop);
}

static gboolean
on_signal (gpointer user_data)
{
  Waiting *waiting = user_data;

  g_cancellable_cancel (waiting->cancellable);
  return G_SOURCE_CONTINUE;
}

/* Ctrl+C stops the plugin, and its result is still printed and recorded. */
static OcRunResult *
run_and_wait (OcLauncher *launcher,
              const OcLaunchRequest *request,
              GError **error)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Waiting waiting = { launcher, loop, cancellable, NULL, NULL };
  guint interrupt = g_unix_signal_add (SIGINT, on_signal, &waiting);
  guint terminate = g_unix_signal_add (SIGTERM, on_signal, &waiting);

  oc_launcher_run_async (launcher, request, cancellable, on_run_done, &waiting);
  g_main_loop_run (loop);
  g_source_remove (interrupt);
  g_source_remove (terminate);
  if (waiting.error != NULL)
    g_propagate_error (error, waiting.error);
  return waiting.result;
}

static void
print_uses (const char *heading,
            GPtrArray *uses)
{
  if (uses->len == 0)
    return;
  oc_cli_print_heading (heading);
  for (guint i = 0; i < uses->len; i++)
    {
      OcUse *use = g_ptr_array_index (uses, i);
      g_autofree char *sentence = oc_catalogue_describe_use_counted (use);
      g_autofree char *detail = oc_text_escape (use->detail != NULL ? use->detail : "", 200, NULL);
      g_autofree char *permission = oc_text_escape (use->permission != NULL ? use->permission : "", 200, NULL);
      g_autofree char *method = oc_cli_describe_method (use->method);
      g_autoptr (GString) line = g_string_new (sentence != NULL ? sentence : method);

      if (sentence == NULL && detail[0] != '\0')
        g_string_append_printf (line, " %s", detail);
      if (sentence == NULL && use->count > 1)
        g_string_append_printf (line, " ×%u", use->count);
      if (permission[0] != '\0')
        g_string_append_printf (line, " (%s)", permission);
      oc_cli_print_wrapped ("  - ", line->str);
    }
}

static void
print_foreign (const char *heading,
               const char *text)
{
  if (text == NULL || text[0] == '\0')
    return;
  oc_cli_print_heading (heading);
  oc_cli_print_foreign (text);
}

static void
print_result (OcRunResult *result)
{
  const char *json = oc_run_result_get_result_text (result);

  if (json != NULL && !g_str_has_prefix (json, "null"))
    print_foreign (_ ("Result"), json);
}

static OcCliStyle
style_of (int exit_code)
{
  return exit_code == OC_EXIT_DONE ? OC_CLI_GREEN : OC_CLI_RED;
}

static void
print_outcome (OcRunResult *result,
               const char *id,
               const char *entry)
{
  int exit_code = oc_run_result_get_exit (result);
  gboolean ran = oc_run_result_get_outcome (result) != OC_OUTCOME_REFUSED && exit_code != OC_EXIT_REFUSED
                 && (exit_code == OC_EXIT_DONE || exit_code == OC_EXIT_ERROR || exit_code == OC_EXIT_TIMED_OUT);
  const char *label = ran ? oc_outcome_to_label (oc_run_result_get_outcome (result)) : _ ("Not run");
  g_autofree char *styled = oc_cli_style (style_of (exit_code), label);
  g_autofree char *escaped = oc_text_escape (entry, 80, NULL);

  g_print ("%s: %s %s\n", styled, id, escaped);
  if (oc_run_result_get_message (result) != NULL)
    {
      g_autofree char *message = oc_text_escape_message (oc_run_result_get_message (result), TRUE, 4000);

      oc_cli_print_wrapped ("  ", message);
    }
  if (oc_run_result_get_remedy (result) != NULL)
    {
      g_autofree char *remedy = oc_text_escape_message (oc_run_result_get_remedy (result), TRUE, 2000);

      oc_cli_print_wrapped ("  ", remedy);
    }
}

static void
print_run (OcRunResult *result,
           const char *id,
           const char *entry)
{
  print_outcome (result, id, entry);
  print_result (result);
  print_foreign (_ ("Its output"), oc_run_result_get_stdout (result));
  print_foreign (_ ("Its messages"), oc_run_result_get_stderr (result));
  print_uses (_ ("What it used"), oc_run_result_get_used (result));
  print_uses (_ ("What was refused"), oc_run_result_get_refused (result));
  if (oc_run_result_is_disabled_after_errors (result))
    {
      g_autofree char *line = g_strdup_printf (_ ("That was the third error in a row: %s is disabled now. “ocelotctl show %s” "
                                                  "lists what happened; “ocelotctl enable %s” enables it again."),
                                               id, id, id);
      g_autofree char *styled = oc_cli_style (OC_CLI_RED, "! ");

      g_print ("\n");
      oc_cli_print_wrapped (styled, line);
    }
}

static int
run_run (OcCli *self,
         const OcCliCommand *command,
         char **argv)
{
  int timeout = 0;
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "timeout", 0, 0, G_OPTION_ARG_INT, &timeout, N_ ("End it after this time, if that is less than its own"), N_ ("MS") },
    { "folder", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_ ("The folder that is shown where it is started"), N_ ("FOLDER") },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) paths = NULL;
  g_autofree char *shown = NULL;
  g_autoptr (OcLauncher) launcher = NULL;
  g_autoptr (OcRunResult) result = NULL;
  g_autoptr (GError) error = NULL;
  OcLaunchRequest request = { 0 };
  int exit_code;

  if (!oc_cli_parse (self, command, entries, argv, &arguments, &exit_code))
    return exit_code;
  if (timeout < 0)
    return oc_cli_refuse_usage (command, _ ("A time-out is a number of milliseconds, 1 or more."));
  for (guint i = 2; arguments[i] != NULL; i++)
    {
      g_autofree char *path = make_absolute (arguments[i]);

      g_strv_builder_add (builder, path);
    }
  paths = g_strv_builder_end (builder);
  shown = folder != NULL ? make_absolute (folder) : NULL;
  request.plugin = arguments[0];
  request.entry = arguments[1];
  request.paths = (const char *const *) paths;
  request.folder = shown;
  request.surface = "terminal";
  request.timeout_ms = timeout;

  launcher = oc_launcher_new (NULL);
  oc_launcher_set_allow_root (launcher, self->allow_root);
  result = run_and_wait (launcher, &request, &error);
  if (result == NULL)
    return oc_cli_report_error (self, error);
  if (self->json)
    {
      g_autofree char *guarded = oc_cli_json_guard (oc_run_result_get_json (result));

      printf ("%s\n", g_strchomp (guarded));
    }
  else
    print_run (result, arguments[0], arguments[1]);
  return oc_run_result_get_exit (result);
}

const OcCliCommand oc_cli_run_command = {
  .name = "run",
  .arguments = "ID ENTRY [--timeout MS] [--folder FOLDER] [-- PATH…]",
  .summary = N_ ("Run one of a plugin's entries in its sandbox, on the given paths."),
  .details = N_ ("Goes through ocelot-launcher, the only thing that starts a plugin, and exits with its exit code. With --json "
                 "it prints the launcher's answer as it is."),
  .min_arguments = 2,
  .max_arguments = G_MAXUINT,
  .run = run_run,
};
