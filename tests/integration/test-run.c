/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ocelot-launcher run`: the main job, each exit code, and what counts as an error. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

static const char *const some[] = { "selection.read", "file.readText", "process.spawn:true", NULL };
static const char *const none[] = { NULL };

static void
test_main_job (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "hello", -1);
  g_autoptr (Ran) ran = NULL;
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *context;
  OcRun *run;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "echo", "--surface", "window", "--", file, NULL);
  ran_assert (ran, 0, "done");
  g_assert_cmpstr (ran->err, ==, "");
  context = ran_get_result (ran);
  g_assert_cmpstr (json_object_get_string_member (context, "command"), ==, "echo");
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (context, "paths"), 0), ==, file);
  g_assert_cmpstr (json_object_get_string_member (context, "folder"), ==, fixture->root);
  g_assert_cmpint (ran_count (ran, "used", "selection.read"), ==, 1);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);

  activity = oc_activity_open (fixture->paths, &error);
  g_assert_no_error (error);
  runs = oc_activity_list_runs (activity, FIXTURE_ID, 10, &error);
  g_assert_no_error (error);
  run = runs->pdata[0];
  g_assert_cmpstr (run->entry, ==, "echo");
  g_assert_cmpstr (run->surface, ==, "window");
  g_assert_cmpint (run->outcome, ==, OC_OUTCOME_DONE);
  g_assert_cmpint (run->ended, >=, run->started);
}

static void
test_without_selection_read (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "hello", -1);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "echo", "--", file, NULL);
  ran_assert (ran, 0, "done");
  g_assert_false (json_object_has_member (ran_get_result (ran), "paths"));
  g_assert_false (json_object_has_member (ran_get_result (ran), "folder"));
  g_assert_null (strstr (ran->out, "a.txt"));
}

static void
test_result_as_written (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "numbers", NULL);
  ran_assert (ran, 0, "done");
  g_assert_nonnull (strstr (ran->out, "\"result\":{\"a\":0.1,\"b\":1e5,\"c\":12345678901,\"d\":-0.0}}"));
}

static void
test_output (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) flood = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "output", NULL);
  ran_assert (ran, 0, "done");
  g_assert_nonnull (strstr (ran_get (ran, "stdout"), "to stdout\n"));
  g_assert_nonnull (strstr (ran_get (ran, "stdout"), "\xef\xbf\xbd\xef\xbf\xbd bytes\n"));
  g_assert_cmpstr (ran_get (ran, "stderr"), ==, "to stderr\n");
  g_assert_false (json_object_get_boolean_member (json_node_get_object (ran->root), "truncated"));

  flood = fixture_run (fixture, "flood-output", NULL);
  ran_assert (flood, 0, "done");
  g_assert_cmpuint (strlen (ran_get (flood, "stdout")), ==, 1024 * 1024);
  g_assert_true (json_object_get_boolean_member (json_node_get_object (flood->root), "truncated"));
}

/* Exit 2. */
static void
test_usage (void)
{
  static const struct
  {
    const char *argv[6];
    gboolean object;
  } cases[] = {
    { { NULL }, FALSE },
    { { "start", NULL }, FALSE },
    { { "run", NULL }, FALSE },
    { { "run", FIXTURE_ID, NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "extra", NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "--bind", NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "--timeout", NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "--timeout", "-5", NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "--timeout=1e3", NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "--surface=web", NULL }, FALSE },
    { { "run", FIXTURE_ID, "echo", "--", "", NULL }, FALSE },
    { { "check", "--yaml", NULL }, FALSE },
    { { "run", "--allow-root", "org.example.Nobody", "echo", NULL }, TRUE },
    { { "run", "--allow-root", "../../etc", "echo", NULL }, TRUE },
    { { "run", "--allow-root", FIXTURE_ID, "no-such-entry", NULL }, TRUE },
    { { "run", "--allow-root", FIXTURE_ID, "images", "--", NULL }, TRUE },
  };
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "hello", -1);
  g_autofree char *missing = g_strconcat (file, "-missing", NULL);
  g_autoptr (Ran) wrong = NULL;
  g_autoptr (Ran) gone = NULL;
  g_autoptr (Ran) many = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases) - 1; i++)
    {
      g_autoptr (Ran) ran = fixture_run_argv (fixture, cases[i].argv);

      g_test_message ("case %u: %s", i, ran->err);
      g_assert_cmpint (ran->exit, ==, 2);
      g_assert_cmpint (ran->root != NULL, ==, cases[i].object);
      g_assert_cmpstr (ran->err, !=, "");
      if (cases[i].object)
        g_assert_cmpstr (ran_get (ran, "outcome"), ==, "not-run");
    }
  wrong = fixture_run (fixture, "images", "--", file, NULL);
  ran_assert (wrong, 2, "not-run");
  g_assert_nonnull (strstr (ran_get (wrong, "message"), "png"));
  gone = fixture_run (fixture, "echo", "--", missing, NULL);
  ran_assert (gone, 2, "not-run");
  g_assert_nonnull (strstr (ran_get (gone, "message"), "a.txt-missing"));
  many = fixture_run (fixture, "echo", "--", file, file, file, file, file, file, NULL);
  ran_assert (many, 2, "not-run");
}

/* Exit 3: never enabled, disabled, enabled elsewhere. */
static void
test_no_consent (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *consent = g_strdup (oc_paths_get_consent (fixture->paths));
  g_autofree char *moved = g_strconcat (fixture->plugin_folder, "-real", NULL);
  g_autoptr (Ran) disabled = NULL;
  g_autoptr (Ran) absent = NULL;
  g_autoptr (Ran) linked = NULL;
  g_autoptr (Ran) enabled = NULL;

  if (!fixture_can_run (fixture))
    return;
  fixture_disable (fixture);
  disabled = fixture_run (fixture, "echo", NULL);
  ran_assert (disabled, 3, "not-run");
  g_assert_nonnull (ran_get (disabled, "message"));
  g_assert_nonnull (ran_get (disabled, "remedy"));
  g_assert_nonnull (strstr (disabled->err, "ocelot-launcher: "));
  g_assert_cmpint (g_unlink (consent), ==, 0);
  absent = fixture_run (fixture, "echo", NULL);
  ran_assert (absent, 3, "not-run");

  fixture_enable (fixture);
  enabled = fixture_run (fixture, "echo", NULL);
  ran_assert (enabled, 0, "done");
  /* The same id, now by a link to another folder (vscode #126746). */
  g_assert_cmpint (g_rename (fixture->plugin_folder, moved), ==, 0);
  g_assert_cmpint (symlink (moved, fixture->plugin_folder), ==, 0);
  linked = fixture_run (fixture, "echo", NULL);
  g_assert_cmpint (linked->exit, !=, 0);
  g_assert_cmpstr (ran_get (linked, "outcome"), ==, "not-run");
}

/* Exit 4, and that new code under the same set runs (CVE-2025-54136). */
static void
test_needs_review (void)
{
  static const char *const more[] = { "selection.read", "file.readText", "process.spawn:true", "process.spawn:python3", NULL };
  static const char *const fewer[] = { "selection.read", NULL };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) added = NULL;
  g_autoptr (Ran) removed = NULL;
  g_autoptr (Ran) updated = NULL;

  if (!fixture_can_run (fixture))
    return;
  fixture_write_manifest (fixture, more, NULL);
  added = fixture_run (fixture, "echo", NULL);
  ran_assert (added, 4, "not-run");
  g_assert_nonnull (ran_get (added, "remedy"));
  fixture_write_manifest (fixture, fewer, NULL);
  removed = fixture_run (fixture, "echo", NULL);
  ran_assert (removed, 4, "not-run");
  fixture_write_manifest (fixture, some, "\"description\":\"other bytes\",");
  updated = fixture_run (fixture, "echo", NULL);
  ran_assert (updated, 0, "done");
}

/* Exit 5. */
static void
test_invalid (void)
{
  static const char *const unknown[] = { "selection.read", "root.everything", NULL };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) broken = NULL;
  g_autofree char *path = g_build_filename (fixture->plugin_folder, "plugin.json", NULL);

  fixture_write_manifest (fixture, unknown, NULL);
  ran = fixture_run (fixture, "echo", NULL);
  ran_assert (ran, 5, "not-run");
  g_assert_nonnull (strstr (ran_get (ran, "message"), "permissions[1]"));
  g_assert_true (g_file_set_contents (path, "{", -1, NULL));
  broken = fixture_run (fixture, "echo", NULL);
  ran_assert (broken, 5, "not-run");
}

/* Exit 7: forged by one character; cut; nothing is lost. */
static void
test_unusable_consent (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  const char *consent = oc_paths_get_consent (fixture->paths);
  g_autoptr (Ran) forged = NULL;
  g_autoptr (Ran) damaged = NULL;
  g_autofree char *text = NULL;
  char *at;
  gsize len;

  g_assert_true (g_file_get_contents (consent, &text, &len, NULL));
  at = strstr (text, "terminal");
  g_assert_nonnull (at);
  *at = 'T';
  g_assert_true (g_file_set_contents (consent, text, (gssize) len, NULL));
  g_assert_cmpint (chmod (consent, 0600), ==, 0);
  forged = fixture_run (fixture, "echo", NULL);
  ran_assert (forged, 7, "not-run");
  g_assert_nonnull (strstr (ran_get (forged, "message"), "consent"));

  g_assert_true (g_file_set_contents (consent, text, (gssize) len / 2, NULL));
  g_assert_cmpint (chmod (consent, 0600), ==, 0);
  damaged = fixture_run (fixture, "echo", NULL);
  ran_assert (damaged, 7, "not-run");
}

/* Exit 126: what stands in the way of the sandbox. */
static void
test_refused (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *elsewhere = g_build_filename (fixture->root, "elsewhere", NULL);
  g_autofree char *data_parent = g_path_get_dirname (fixture->data_folder);
  const char *as_root[] = { "run", FIXTURE_ID, "echo", NULL };
  g_autoptr (Ran) linked = NULL;
  g_autoptr (Ran) no_tmp = NULL;

  if (!fixture_can_run (fixture))
    return;
  if (geteuid () == 0)
    {
      g_autoptr (Ran) ran = fixture_run_argv (fixture, as_root);

      ran_assert (ran, 126, "not-run");
    }
  /* CVE-2024-42472 */
  g_assert_cmpint (g_mkdir (elsewhere, 0700), ==, 0);
  g_rmdir (fixture->data_folder);
  g_assert_cmpint (symlink (elsewhere, fixture->data_folder), ==, 0);
  linked = fixture_run (fixture, "write-places", NULL);
  ran_assert (linked, 126, "not-run");
  g_assert_nonnull (strstr (ran_get (linked, "message"), "link"));
  g_assert_cmpint (g_rmdir (elsewhere), ==, 0);
  g_assert_cmpint (g_unlink (fixture->data_folder), ==, 0);

  fixture->env = g_environ_setenv (fixture->env, "TMPDIR", "/nonexistent/tmp", TRUE);
  no_tmp = fixture_run (fixture, "echo", NULL);
  ran_assert (no_tmp, 126, "not-run");
}

/* Exit 6. The policy's folder is built in, so /etc is replaced, in a mount namespace of its own. */
static Ran *
run_under_policy (Fixture *fixture,
                  const char *policy)
{
  g_autofree char *etc = g_build_filename (fixture->root, "etc", NULL);
  g_autofree char *folder = g_build_filename (etc, "ocelot", NULL);
  g_autofree char *file = g_build_filename (folder, "policy.json", NULL);
  g_autofree char *passwd = g_build_filename (etc, "passwd", NULL);
  g_autofree char *users = NULL;
  const char *argv[] = { "/usr/bin/unshare", "-rm", "--", "/bin/sh", "-c",
                         "mount --bind \"$1\" /etc && exec \"$2\" run --allow-root " FIXTURE_ID " echo", "sh", etc,
                         g_getenv ("OC_TEST_LAUNCHER"), NULL };
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_get_contents ("/etc/passwd", &users, NULL, NULL));
  g_assert_true (g_file_set_contents (passwd, users, -1, NULL));
  g_assert_true (g_file_set_contents_full (file, policy, -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
  g_subprocess_launcher_set_environ (launcher, fixture->env);
  process = g_subprocess_launcher_spawnv (launcher, argv, &error);
  g_assert_no_error (error);
  return fixture_wait (process);
}

static void
test_policy (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) other = NULL;
  g_autoptr (Ran) plugin = NULL;
  g_autoptr (Ran) permission = NULL;
  g_autoptr (Ran) broken = NULL;

  if (!fixture_can_run (fixture))
    return;
  other = run_under_policy (fixture, "{\"version\":1,\"blockPlugins\":[\"org.example.Other\"]}");
  g_test_message ("A policy for another plugin: %s%s", other->out, other->err);
  g_assert_cmpint (other->exit, !=, 6);
  g_assert_nonnull (other->root);
  plugin = run_under_policy (fixture, "{\"version\":1,\"blockPlugins\":[\"" FIXTURE_ID "\"],\"reason\":\"because\"}");
  ran_assert (plugin, 6, "not-run");
  g_assert_nonnull (strstr (ran_get (plugin, "message"), "because"));
  permission = run_under_policy (fixture, "{\"version\":1,\"blockPermissions\":[\"process.spawn\"]}");
  ran_assert (permission, 6, "not-run");
  /* One that cannot be understood blocks everything. */
  broken = run_under_policy (fixture, "{\"version\":1,");
  ran_assert (broken, 6, "not-run");
  g_assert_nonnull (strstr (ran_get (broken, "message"), "policy.json"));
}

static void
test_not_executable (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *worker = g_build_filename (fixture->plugin_folder, "bin", "worker", NULL);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  g_assert_true (g_file_set_contents_full (worker, "#!/nonexistent/interpreter\n", -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  ran = fixture_run (fixture, "echo", NULL);
  ran_assert (ran, 126, "not-run");
  g_assert_nonnull (ran_get (ran, "remedy"));
}

static void
test_other_kinds (void)
{
  static const char script[] = "{\"manifestVersion\":1,\"id\":\"" FIXTURE_ID
                               "\",\"name\":\"T\",\"version\":\"1\",\"kind\":\"script\",\"main\":\"main.js\","
                               "\"commands\":[{\"id\":\"echo\",\"title\":\"x\",\"minSelection\":0}],\"permissions\":[]}";
  static const char bundle[] = "{\"manifestVersion\":1,\"entry\":\"main.js\",\"version\":\"1\",\"addons\":[{\"kind\":\"addon\","
                               "\"name\":\"echo\",\"description\":\"x\",\"actionText\":\"x\",\"applicationType\":\"web\","
                               "\"permissions\":{}}]}";
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *manifest = g_build_filename (fixture->plugin_folder, "plugin.json", NULL);
  g_autofree char *addon = g_build_filename (fixture->plugin_folder, "manifest.json", NULL);
  g_autofree char *main_js = g_build_filename (fixture->plugin_folder, "main.js", NULL);
  g_autoptr (Ran) as_script = NULL;
  g_autoptr (Ran) as_addon = NULL;

  g_assert_true (g_file_set_contents (main_js, "\n", -1, NULL));
  g_assert_true (g_file_set_contents (manifest, script, -1, NULL));
  fixture_enable (fixture);
  as_script = fixture_run (fixture, "echo", NULL);
  ran_assert (as_script, 126, "not-run");
  g_assert_nonnull (strstr (ran_get (as_script, "message"), "later version"));

  g_assert_cmpint (g_unlink (manifest), ==, 0);
  g_assert_true (g_file_set_contents (addon, bundle, -1, NULL));
  fixture_enable (fixture);
  as_addon = fixture_run (fixture, "echo", NULL);
  ran_assert (as_addon, 126, "not-run");
  g_assert_nonnull (strstr (ran_get (as_addon, "message"), "later version"));
}

static void
assert_run (Fixture *fixture,
            const char *entry,
            const char *outcome,
            gint64 in_a_row)
{
  g_autoptr (Ran) ran = fixture_run (fixture, entry, NULL);

  ran_assert (ran, g_str_equal (outcome, "done") ? 0 : 1, outcome);
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, in_a_row);
  g_assert_false (json_object_get_boolean_member (json_node_get_object (ran->root), "disabledAfterErrors"));
}

static void
test_three_errors (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) third = NULL;
  g_autoptr (Ran) after = NULL;
  g_autoptr (Ran) again = NULL;
  g_autoptr (OcConsent) consent = NULL;
  OcConsentRecord *record;
  const OcFailure *failure;

  if (!fixture_can_run (fixture))
    return;
  assert_run (fixture, "crash", "crash", 1);
  assert_run (fixture, "uncaught", "exception", 2);
  /* A success resets; what the plugin reports, or was refused, neither counts nor resets. */
  assert_run (fixture, "echo", "done", 0);
  assert_run (fixture, "segfault", "crash", 1);
  assert_run (fixture, "report", "reported", 1);
  assert_run (fixture, "denied", "reported", 1);
  assert_run (fixture, "denied-uncaught", "reported", 1);
  assert_run (fixture, "internal", "exception", 2);
  third = fixture_run (fixture, "hostile-garbage", NULL);
  ran_assert (third, 1, "protocol");
  g_assert_true (json_object_get_boolean_member (json_node_get_object (third->root), "disabledAfterErrors"));

  /* At once, not when somebody next looks. */
  consent = oc_consent_load (fixture->paths, NULL);
  record = oc_consent_look_up (consent, FIXTURE_ID);
  g_assert_cmpint (oc_consent_record_get_state (record), ==, OC_RECORD_DISABLED_AFTER_ERRORS);
  g_assert_cmpuint (oc_consent_record_get_failures (record)->len, ==, 3);
  failure = oc_consent_record_get_failures (record)->pdata[0];
  g_assert_cmpstr (failure->entry, ==, "segfault");
  g_assert_cmpstr (failure->kind, ==, "crash");
  after = fixture_run (fixture, "echo", NULL);
  ran_assert (after, 3, "not-run");

  /* Only the user's enabling brings it back, also where nobody reset the count. */
  fixture_enable (fixture);
  again = fixture_run (fixture, "echo", NULL);
  ran_assert (again, 0, "done");
}

/* What is wrong with the computer, or with what the user asked for, is no error of the plugin's; and no success either. */
static void
test_not_its_errors (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *worker = g_build_filename (fixture->plugin_folder, "bin", "worker", NULL);
  g_autofree char *away = g_strconcat (worker, "-away", NULL);

  if (!fixture_can_run (fixture))
    return;
  assert_run (fixture, "crash", "crash", 1);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Ran) ran = NULL;

      if (i == 1)
        fixture->env = g_environ_setenv (fixture->env, "TMPDIR", "/nonexistent/tmp", TRUE);
      if (i == 2)
        {
          fixture->env = g_environ_setenv (fixture->env, "TMPDIR", fixture->tmp, TRUE);
          g_assert_cmpint (g_rename (worker, away), ==, 0);
        }
      ran = fixture_run (fixture, i == 0 ? "no-such-entry" : "echo", NULL);
      g_test_message ("%u: exit %d: %s", i, ran->exit, ran_get (ran, "message"));
      g_assert_cmpstr (ran_get (ran, "outcome"), ==, "not-run");
    }
  g_assert_cmpint (g_rename (away, worker), ==, 0);
  assert_run (fixture, "crash", "crash", 2);
}

/* JSON, but not what we take: the plugin's error, and one that its author is told. */
static void
test_untakeable_results (void)
{
  static const struct
  {
    const char *entry;
    const char *said;
  } cases[] = {
    { "result-nul", "NUL" },
    { "result-file-name", "surrogate" },
    { "result-nanoseconds", "whole numbers" },
    { "result-deep", "inside each other" },
  };
  g_autoptr (Fixture) fixture = fixture_new (none);

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Ran) ran = fixture_run (fixture, cases[i].entry, NULL);

      ran_assert (ran, 1, "exception");
      g_test_message ("%s", ran_get (ran, "message"));
      g_assert_true (g_str_has_prefix (ran_get (ran, "message"), "Its result cannot be taken: "));
      g_assert_nonnull (strstr (ran_get (ran, "message"), cases[i].said));
      g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 1);
      assert_run (fixture, "echo", "done", 0);
    }
}

static void
test_long_report (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "report-at-length", NULL);
  ran_assert (ran, 1, "reported");
  g_assert_cmpuint (strlen (ran_get (ran, "message")), ==, 4096 + strlen ("…"));
}

static void
test_crash_tells (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) crash = NULL;
  g_autoptr (Ran) segfault = NULL;

  if (!fixture_can_run (fixture))
    return;
  crash = fixture_run (fixture, "crash", NULL);
  ran_assert (crash, 1, "crash");
  g_assert_nonnull (strstr (ran_get (crash, "message"), "exit code 3"));
  g_assert_cmpstr (ran_get (crash, "stderr"), ==, "last words\n");
  segfault = fixture_run (fixture, "segfault", NULL);
  ran_assert (segfault, 1, "crash");
  g_assert_nonnull (strstr (ran_get (segfault, "message"), "signal 11"));
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/run/main-job", test_main_job);
  g_test_add_func ("/run/without-selection-read", test_without_selection_read);
  g_test_add_func ("/run/result-as-written", test_result_as_written);
  g_test_add_func ("/run/output", test_output);
  g_test_add_func ("/run/usage", test_usage);
  g_test_add_func ("/run/no-consent", test_no_consent);
  g_test_add_func ("/run/needs-review", test_needs_review);
  g_test_add_func ("/run/invalid", test_invalid);
  g_test_add_func ("/run/unusable-consent", test_unusable_consent);
  g_test_add_func ("/run/refused", test_refused);
  g_test_add_func ("/run/policy", test_policy);
  g_test_add_func ("/run/not-executable", test_not_executable);
  g_test_add_func ("/run/other-kinds", test_other_kinds);
  g_test_add_func ("/run/three-errors", test_three_errors);
  g_test_add_func ("/run/not-its-errors", test_not_its_errors);
  g_test_add_func ("/run/untakeable-results", test_untakeable_results);
  g_test_add_func ("/run/long-report", test_long_report);
  g_test_add_func ("/run/crash-tells", test_crash_tells);
  return g_test_run ();
}
