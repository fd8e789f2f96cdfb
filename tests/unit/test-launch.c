/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-launch.h"
#include "home.h"

#define ANSWER                                                                                                \
  "{\"plugin\":\"org.example.a\",\"entry\":\"go\",\"outcome\":\"done\",\"exit\":0,\"message\":null,\"remedy\":null,"     \
  "\"result\":{\"n\":1},\"stdout\":\"out\",\"stderr\":\"err\",\"truncated\":false,\"durationMs\":3,"                    \
  "\"used\":[{\"permission\":\"ai\",\"method\":\"ai.invoke\",\"detail\":\"d\",\"count\":2}],"                           \
  "\"refused\":[{\"permission\":\"\",\"method\":\"socket\",\"detail\":\"\",\"program\":\"curl\",\"count\":9}],"         \
  "\"log\":[],\"disabledAfterErrors\":false,\"errorsInARow\":0}"

/* A made-up launcher: a shell script. */
static OcLauncher *
make_launcher (Home *home,
               const char *script)
{
  g_autofree char *path = g_build_filename (home->root, "launcher", NULL);
  g_autofree char *text = g_strconcat ("#!/bin/sh\n", script, "\n", NULL);

  home_write (home, "launcher", text);
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  return oc_launcher_new (path);
}

static OcRunResult *
run (OcLauncher *launcher,
     GError **error)
{
  const OcLaunchRequest request = { .plugin = "org.example.a", .entry = "go", .surface = "terminal" };

  return oc_launcher_run (launcher, &request, NULL, error);
}

/* Says that nothing is known to have run, with @words. */
static void
assert_refused (Home *home,
                const char *script,
                const char *words)
{
  g_autoptr (OcLauncher) launcher = make_launcher (home, script);
  g_autoptr (GError) error = NULL;
  g_autoptr (OcRunResult) result = run (launcher, &error);

  g_assert_null (result);
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” does not say “%s”", error->message, words);
}

static void
test_result (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcLauncher) launcher = make_launcher (home, "cat <<'END'\n" ANSWER "\nEND");
  g_autoptr (GError) error = NULL;
  g_autoptr (OcRunResult) result = run (launcher, &error);
  OcUse *use;

  g_assert_no_error (error);
  g_assert_cmpint (oc_run_result_get_exit (result), ==, OC_EXIT_DONE);
  g_assert_cmpint (oc_run_result_get_outcome (result), ==, OC_OUTCOME_DONE);
  g_assert_null (oc_run_result_get_message (result));
  g_assert_cmpstr (oc_run_result_get_stdout (result), ==, "out");
  g_assert_cmpstr (oc_run_result_get_stderr (result), ==, "err");
  g_assert_nonnull (strstr (oc_run_result_get_result_text (result), "\"n\""));
  g_assert_cmpuint (oc_run_result_get_used (result)->len, ==, 1);
  use = oc_run_result_get_used (result)->pdata[0];
  g_assert_cmpuint (use->count, ==, 2);
  g_assert_true (use->allowed);
  use = oc_run_result_get_refused (result)->pdata[0];
  g_assert_cmpstr (use->program, ==, "curl");
  g_assert_cmpuint (use->count, ==, 9);
  g_assert_false (use->allowed);
  g_assert_false (oc_run_result_is_disabled_after_errors (result));
}

/* A refusal is a result, not an error. */
static void
test_refusal (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcLauncher) launcher = make_launcher (
      home, "echo '{\"outcome\":\"not-run\",\"exit\":126,\"message\":\"no\",\"remedy\":\"do\"}'; exit 126");
  g_autoptr (GError) error = NULL;
  g_autoptr (OcRunResult) result = run (launcher, &error);

  g_assert_no_error (error);
  g_assert_cmpint (oc_run_result_get_exit (result), ==, OC_EXIT_REFUSED);
  g_assert_cmpint (oc_run_result_get_outcome (result), ==, OC_OUTCOME_REFUSED);
  g_assert_cmpstr (oc_run_result_get_message (result), ==, "no");
  g_assert_cmpstr (oc_run_result_get_remedy (result), ==, "do");
}

static void
test_arguments (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *script
      = g_strdup_printf ("for a in \"$@\"; do printf '%%s\\n' \"$a\"; done >'%s/arguments'\ncat <<'END'\n" ANSWER "\nEND",
                         home->root);
  g_autofree char *seen_path = g_build_filename (home->root, "arguments", NULL);
  g_autoptr (OcLauncher) launcher = make_launcher (home, script);
  g_autoptr (OcRunResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *seen = NULL;
  const char *const paths[] = { "/a b", "/--bind", "/\xff\xfe", "/$(id)", NULL };
  const OcLaunchRequest request = { .plugin = "org.example.a",
                                    .entry = "go",
                                    .paths = paths,
                                    .folder = "/--allow-root",
                                    .surface = "window",
                                    .timeout_ms = 1500 };

  oc_launcher_set_allow_root (launcher, TRUE);
  result = oc_launcher_run (launcher, &request, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (seen_path, &seen, NULL, NULL));
  g_assert_cmpstr (seen, ==,
                   "run\norg.example.a\ngo\n--timeout=1500\n--surface=window\n--folder=/--allow-root\n--allow-root\n--\n"
                   "/a b\n/--bind\n/\xff\xfe\n/$(id)\n");
}

/* CVE-2024-32462: a name that is read as an option */
static void
test_names_are_no_options (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcLauncher) launcher = make_launcher (home, "cat <<'END'\n" ANSWER "\nEND");
  const char *const names[] = { "--allow-root", "-x", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const OcLaunchRequest as_plugin = { .plugin = names[i], .entry = "go" };
      const OcLaunchRequest as_entry = { .plugin = "org.example.a", .entry = names[i] };
      g_autoptr (GError) error = NULL;

      g_assert_null (oc_launcher_run (launcher, &as_plugin, NULL, &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
      g_clear_error (&error);
      g_assert_null (oc_launcher_run (launcher, &as_entry, NULL, &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
    }
}

static void
test_nonsense (void)
{
  g_autoptr (Home) home = home_new ();

  assert_refused (home, "exit 0", "no answer");
  assert_refused (home, "echo oh dear >&2; exit 1", "oh dear");
  assert_refused (home, "kill -9 $$", "signal 9");
  assert_refused (home, "echo '{\"outcome\":\"done\",\"exit\":0'", "cannot be read");
  assert_refused (home, "echo '[]'", "cannot be read");
  assert_refused (home, "echo '{}'", "outcome");
  assert_refused (home, "echo '{\"outcome\":\"done\"}'", "exit");
  assert_refused (home, "head -c 17000000 /dev/zero", "longer");
  assert_refused (home, "printf '{\"outcome\":\"done\",\"exit\":0,\"a\":%s}' \"$(printf '%0200000d' 0 | tr 0 '[')\"", "line 1");
}

/* What it says must fit how it ended: a success that crashed is none. */
static void
test_exit_must_fit (void)
{
  g_autoptr (Home) home = home_new ();

  assert_refused (home, "echo '{\"outcome\":\"done\",\"exit\":0}'; exit 3", "does not fit");
  assert_refused (home, "echo '{\"outcome\":\"done\",\"exit\":0}'; kill -9 $$", "does not fit");
  assert_refused (home, "echo '{\"outcome\":\"done\",\"exit\":77}'; exit 77", "does not fit");
}

static void
assert_unusable (OcLauncher *launcher,
                 const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) run_error = NULL;
  g_autoptr (OcSandboxReport) report = NULL;
  g_autoptr (OcRunResult) result = NULL;
  OcLayer *layer;

  g_assert_null (oc_launcher_get_path (launcher, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” does not say “%s”", error->message, words);
  result = run (launcher, &run_error);
  g_assert_null (result);
  g_assert_error (run_error, OC_ERROR, OC_ERROR_SANDBOX);
  report = oc_launcher_check (launcher);
  g_assert_false (oc_sandbox_report_holds (report));
  g_assert_cmpuint (oc_sandbox_report_get_layers (report)->len, ==, 1);
  layer = oc_sandbox_report_get_layers (report)->pdata[0];
  g_assert_cmpstr (layer->id, ==, "launcher");
  g_assert_false (layer->holds);
  g_assert_nonnull (strstr (layer->detail, words));
  g_assert_nonnull (layer->remedy);
}

static void
test_unusable (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcLauncher) launcher = make_launcher (home, "touch \"$0.ran\"; echo '{}'");
  g_autoptr (OcLauncher) relative = oc_launcher_new ("launcher");
  g_autofree char *path = g_build_filename (home->root, "launcher", NULL);
  g_autofree char *ran = g_strconcat (path, ".ran", NULL);
  g_autoptr (GError) error = NULL;

  assert_unusable (relative, "absolute");
  g_assert_cmpint (g_chmod (path, 0757), ==, 0);
  assert_unusable (launcher, "write");
  if (geteuid () == 0)
    {
      g_assert_cmpint (chown (path, 12345, 0), ==, 0);
      g_assert_cmpint (g_chmod (path, 0755), ==, 0);
      assert_unusable (launcher, "another user");
      g_assert_cmpint (chown (path, 0, 12345), ==, 0);
      g_assert_cmpint (g_chmod (path, 0775), ==, 0);
      assert_unusable (launcher, "write");
    }
  g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  assert_unusable (launcher, "executable");
  g_assert_cmpint (g_remove (path), ==, 0);
  assert_unusable (launcher, "not there");
  g_assert_cmpint (g_mkdir (path, 0755), ==, 0);
  assert_unusable (launcher, "regular file");
  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_false (g_file_test (ran, G_FILE_TEST_EXISTS));
  /* The control. */
  g_clear_pointer (&launcher, oc_launcher_unref);
  launcher = make_launcher (home, "true");
  g_assert_cmpstr (oc_launcher_get_path (launcher, &error), ==, path);
  g_assert_no_error (error);
}

/* Neither PATH nor the environment chooses the launcher. */
static void
test_own_launcher (void)
{
  g_autoptr (OcLauncher) launcher = NULL;
  g_autofree char *expected
      = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT") != NULL ? g_getenv ("OC_TEST_BUILD_ROOT") : "", "app", "launcher",
                          "ocelot-launcher", NULL);
  const char *path;

  if (g_getenv ("OC_TEST_BUILD_ROOT") == NULL)
    {
      g_test_skip ("OC_TEST_BUILD_ROOT is not set; “meson test” sets it");
      return;
    }
  if (!g_file_test (expected, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the launcher is not built");
      return;
    }
  launcher = oc_launcher_new (NULL);
  path = oc_launcher_get_path (launcher, NULL);
  g_assert_cmpstr (path, ==, expected);
}

typedef struct
{
  OcLauncher *launcher;
  OcRunResult *result;
  GError *error;
  gboolean done;
  char *ready;
} Waiting;

static void
on_done (GObject *source,
         GAsyncResult *result,
         gpointer user_data)
{
  Waiting *waiting = user_data;

  waiting->result = oc_launcher_run_finish (waiting->launcher, result, &waiting->error);
  waiting->done = TRUE;
}

static gboolean
is_done (gpointer user_data)
{
  return ((Waiting *) user_data)->done;
}

static gboolean
is_ready (gpointer user_data)
{
  return g_file_test (((Waiting *) user_data)->ready, G_FILE_TEST_EXISTS);
}

static void
run_and_cancel (Home *home,
                const char *script,
                Waiting *waiting)
{
  const OcLaunchRequest request = { .plugin = "org.example.a", .entry = "go" };
  g_autoptr (OcLauncher) launcher = make_launcher (home, script);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  waiting->launcher = launcher;
  waiting->ready = g_build_filename (home->root, "launcher.ready", NULL);
  oc_launcher_run_async (launcher, &request, cancellable, on_done, waiting);
  home_wait (is_ready, waiting);
  g_assert_false (waiting->done);
  g_cancellable_cancel (cancellable);
  home_wait (is_done, waiting);
  g_free (waiting->ready);
}

static void
test_cancel (void)
{
  g_autoptr (Home) home = home_new ();
  Waiting waiting = { 0 };

  run_and_cancel (home,
                  "trap 'echo \"{\\\"outcome\\\":\\\"stopped\\\",\\\"exit\\\":1}\"; exit 1' TERM\n"
                  "touch \"$0.ready\"\nwhile :; do read x <\"$0.fifo\" || sleep 0.05; done 2>/dev/null",
                  &waiting);
  g_assert_no_error (waiting.error);
  g_assert_cmpint (oc_run_result_get_outcome (waiting.result), ==, OC_OUTCOME_STOPPED);
  oc_run_result_unref (waiting.result);
}

/* One that does not end when asked is ended, ten seconds later. */
static void
test_cancel_stubborn (void)
{
  g_autoptr (Home) home = home_new ();
  Waiting waiting = { 0 };
  gint64 start = g_get_monotonic_time ();

  run_and_cancel (home, "trap '' TERM\ntouch \"$0.ready\"\nexec sleep 600", &waiting);
  g_assert_null (waiting.result);
  g_assert_error (waiting.error, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 30 * G_USEC_PER_SEC);
  g_error_free (waiting.error);
}

/* pi-sandbox #76: somebody else holds the pipe */
static void
test_held_pipe (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *pid_path = g_build_filename (home->root, "launcher.pid", NULL);
  g_autoptr (OcLauncher) launcher
      = make_launcher (home, "sleep 600 &\necho $! >\"$0.pid\"\ncat <<'END'\n" ANSWER "\nEND");
  g_autoptr (GError) error = NULL;
  g_autoptr (OcRunResult) result = NULL;
  g_autofree char *pid = NULL;
  gint64 start = g_get_monotonic_time ();

  result = run (launcher, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 30 * G_USEC_PER_SEC);
  g_assert_true (g_file_get_contents (pid_path, &pid, NULL, NULL));
  kill (atoi (pid), SIGKILL);
}

static OcSandboxReport *
check_with (Home *home,
            const char *script)
{
  g_autoptr (OcLauncher) launcher = make_launcher (home, script);

  return oc_launcher_check (launcher);
}

static void
test_check (void)
{
  static const char *const bad[] = {
    /* each says "holds" and something that does not fit it */
    "echo '{\"holds\":true,\"summary\":\"s\",\"layers\":[{\"id\":\"a\",\"holds\":false}]}'",
    "echo '{\"holds\":true,\"summary\":\"s\",\"layers\":[]}'",
    "echo '{\"holds\":true,\"summary\":\"s\"}'",
    "echo '{\"holds\":true,\"summary\":\"s\",\"layers\":[{\"id\":\"a\"}]}'",
    "echo '{\"holds\":true,\"summary\":\"s\",\"layers\":[{\"id\":\"a\",\"holds\":true}]}'; exit 126",
    "echo '{\"holds\":\"yes\",\"layers\":[{\"id\":\"a\",\"holds\":true}]}'",
    "echo nonsense",
    "exit 0",
  };
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcSandboxReport) good = check_with (
      home, "test \"$*\" = 'check --json' && echo '{\"holds\":true,\"executor\":\"direct\",\"executorReason\":\"why\",\"summary\":\"fine\","
            "\"layers\":[{\"id\":\"seccomp\",\"title\":\"Calls\",\"holds\":true,\"detail\":\"tried\",\"remedy\":null}]}'");
  OcLayer *layer;

  g_assert_true (oc_sandbox_report_holds (good));
  g_assert_cmpstr (oc_sandbox_report_get_summary (good), ==, "fine");
  g_assert_cmpstr (oc_sandbox_report_get_executor (good), ==, "direct");
  g_assert_cmpstr (oc_sandbox_report_get_executor_reason (good), ==, "why");
  layer = oc_sandbox_report_get_layers (good)->pdata[0];
  g_assert_cmpstr (layer->id, ==, "seccomp");
  g_assert_cmpstr (layer->title, ==, "Calls");
  g_assert_true (layer->holds);
  g_assert_null (layer->remedy);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (OcSandboxReport) report = check_with (home, bad[i]);

      g_assert_false (oc_sandbox_report_holds (report));
      g_assert_cmpstr (oc_sandbox_report_get_summary (report), !=, NULL);
    }
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launch/result", test_result);
  g_test_add_func ("/launch/refusal-is-a-result", test_refusal);
  g_test_add_func ("/launch/arguments", test_arguments);
  g_test_add_func ("/launch/names-are-no-options", test_names_are_no_options);
  g_test_add_func ("/launch/nonsense", test_nonsense);
  g_test_add_func ("/launch/exit-must-fit", test_exit_must_fit);
  g_test_add_func ("/launch/unusable-launcher", test_unusable);
  g_test_add_func ("/launch/own-launcher", test_own_launcher);
  g_test_add_func ("/launch/cancel", test_cancel);
  g_test_add_func ("/launch/cancel-stubborn", test_cancel_stubborn);
  g_test_add_func ("/launch/held-pipe", test_held_pipe);
  g_test_add_func ("/launch/check", test_check);
  return g_test_run ();
}
