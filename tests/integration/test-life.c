/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How runs end that do not end by themselves, and what is left of them: nothing. */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

static const char *const some[] = { "process.spawn:true", "process.spawn:sleep", NULL };

/* TERM ignored, and a child in a session of its own that ignores it too (bun #35012, bwrap #529). */
static void
test_time_out (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "hang", "--timeout", "700", NULL);
  ran_assert (ran, 8, "time-out");
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 1);
  g_assert_cmpint (ran_get_int (ran, "durationMs"), >=, 690);
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 3000);
  g_assert_true (fixture_exists (fixture, "hanging"));
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

static void
test_stopped (void)
{
  static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (Fixture) fixture = fixture_new (some);
      g_autoptr (GSubprocess) process = NULL;
      g_autoptr (Ran) ran = NULL;

      if (!fixture_can_run (fixture))
        return;
      process = fixture_start (fixture, "hang", NULL);
      fixture_until (fixture_exists (fixture, "hanging"));
      /* A control: it is there, so that counting none afterwards means something. */
      g_assert_cmpuint (fixture_count_processes (fixture), >, 1);
      g_subprocess_send_signal (process, signals[i]);
      ran = fixture_wait (process);
      ran_assert (ran, 1, "stopped");
      g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 0);
      g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
      g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
    }
}

/* The launcher itself is killed: nothing outlives it, and the next start clears what it left. */
static void
test_killed (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) killed = NULL;
  g_autoptr (Ran) next = NULL;
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) runs = NULL;

  if (!fixture_can_run (fixture))
    return;
  process = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_subprocess_send_signal (process, SIGKILL);
  killed = fixture_wait (process);
  g_assert_null (killed->root);
  fixture_until (fixture_count_processes (fixture) == 0);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 1);

  next = fixture_run (fixture, "echo", NULL);
  ran_assert (next, 0, "done");
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
  activity = oc_activity_open (fixture->paths, NULL);
  runs = oc_activity_list_runs (activity, FIXTURE_ID, 10, NULL);
  g_assert_cmpint (((OcRun *) runs->pdata[1])->outcome, ==, OC_OUTCOME_STOPPED);
  g_assert_nonnull (strstr (((OcRun *) runs->pdata[1])->message, "launcher was ended"));
}

/* The same with a tool running in a sandbox of its own, and with a stop. */
static void
test_tool_ends_too (void)
{
  static const int signals[] = { SIGKILL, SIGTERM };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (Fixture) fixture = fixture_new (some);
      g_autoptr (GSubprocess) process = NULL;
      g_autoptr (Ran) ran = NULL;

      if (!fixture_can_run (fixture))
        return;
      process = fixture_start (fixture, "hang-with-tool", NULL);
      /* The launcher, the first process of each sandbox, the worker and the tool. */
      fixture_until (fixture_count_processes (fixture) >= 5);
      g_subprocess_send_signal (process, signals[i]);
      ran = fixture_wait (process);
      fixture_until (fixture_count_processes (fixture) == 0);
    }
}

/* What is cleared: only left-overs. A running launcher's folder, links, and what merely looks alike stay. */
static void
test_left_overs (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *left = g_build_filename (fixture->tmp, "ocelot-123-AbCdEf", NULL);
  g_autofree char *left_deep = g_build_filename (left, "a/b/c", NULL);
  g_autofree char *other = g_build_filename (fixture->tmp, "ocelot-123-AbCdEf-mine", NULL);
  g_autofree char *link = g_build_filename (fixture->tmp, "ocelot-124-AbCdEf", NULL);
  g_autofree char *target = g_build_filename (fixture->root, "target", NULL);
  g_autofree char *inside = g_build_filename (target, "file", NULL);
  g_autofree char *left_link = g_build_filename (left, "a/link", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) running = NULL;

  if (!fixture_can_run (fixture))
    return;
  g_assert_cmpint (g_mkdir_with_parents (left_deep, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (other, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (target, 0700), ==, 0);
  g_assert_true (g_file_set_contents (inside, "x", -1, NULL));
  g_assert_cmpint (symlink (target, link), ==, 0);
  g_assert_cmpint (symlink (target, left_link), ==, 0);
  process = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  ran = fixture_run (fixture, "echo", NULL);
  ran_assert (ran, 0, "done");
  g_assert_true (g_file_test (other, G_FILE_TEST_IS_DIR));
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (inside, G_FILE_TEST_IS_REGULAR));
  /* Its folder, the two that were kept. */
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 3);
  g_subprocess_send_signal (process, SIGTERM);
  running = fixture_wait (process);
  ran_assert (running, 1, "stopped");
}

static void
test_deep_temp (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "deep-temp", NULL);
  ran_assert (ran, 0, "done");
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

static void
finish_revoked (GSubprocess *process,
                int code,
                gint64 errors_in_a_row)
{
  g_autoptr (Ran) ran = fixture_wait (process);

  ran_assert (ran, code, "revoked");
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, errors_in_a_row);
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 15000);
}

/* xdg-desktop-portal #235: revoking is immediate. */
static void
test_revoked (void)
{
  static const char *const more[] = { "process.spawn:true", "process.spawn:sleep", "process.spawn:python3", NULL };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);
  g_autofree char *away = g_strconcat (fixture->plugin_folder, "-away", NULL);
  g_autoptr (GSubprocess) disabled = NULL;
  g_autoptr (GSubprocess) changed = NULL;
  g_autoptr (GSubprocess) removed = NULL;

  if (!fixture_can_run (fixture))
    return;
  disabled = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  fixture_disable (fixture);
  finish_revoked (disabled, 3, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);

  fixture_enable (fixture);
  g_unlink (marker);
  changed = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  fixture_write_manifest (fixture, more, NULL);
  finish_revoked (changed, 4, 0);

  fixture_write_manifest (fixture, some, NULL);
  g_unlink (marker);
  removed = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_cmpint (g_rename (fixture->plugin_folder, away), ==, 0);
  finish_revoked (removed, 2, 0);
}

/* Not only soon: a call that is made after the revocation is not answered any more. */
static void
test_no_call_after_revocation (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autofree char *late = g_build_filename (fixture->data_folder, "late", NULL);

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GSubprocess) process = fixture_start (fixture, "call-on", NULL);

      fixture_until (fixture_exists (fixture, "hanging"));
      fixture_disable (fixture);
      g_assert_true (g_file_set_contents (go, "", -1, NULL));
      finish_revoked (process, 3, 0);
      g_assert_false (g_file_test (late, G_FILE_TEST_EXISTS));
      g_unlink (go);
      g_unlink (marker);
      fixture_enable (fixture);
    }
  /* A control: with the consent in place calls go on after the sign, also while others' consents change. */
  {
    g_autoptr (GSubprocess) process = fixture_start (fixture, "call-on", NULL);
    g_autoptr (Ran) ran = NULL;

    g_assert_true (g_file_set_contents (go, "", -1, NULL));
    for (guint i = 0; i < 5; i++)
      {
        g_unlink (late);
        fixture_enable (fixture);
        fixture_until (fixture_exists (fixture, "late"));
      }
    g_subprocess_send_signal (process, SIGTERM);
    ran = fixture_wait (process);
    ran_assert (ran, 1, "stopped");
  }
}

static int stop_changing;

static gpointer
change_consents (gpointer data)
{
  while (!g_atomic_int_get (&stop_changing))
    fixture_enable (data);
  return NULL;
}

/* Each change makes calls wait for a moment: none is lost, none comes out of its turn, also where as many as may be are sent at once. */
static void
test_consents_change (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  GThread *thread;

  if (!fixture_can_run (fixture))
    return;
  g_atomic_int_set (&stop_changing, FALSE);
  thread = g_thread_new ("consents", change_consents, fixture);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Ran) ran = fixture_run (fixture, "pipelined-numbers", NULL);
      g_autofree char *result = NULL;

      ran_assert (ran, 0, "done");
      result = ran_dup_result (ran);
      g_assert_cmpstr (result, ==, "[]");
    }
  g_atomic_int_set (&stop_changing, TRUE);
  g_thread_join (thread);
}

/* While a tool runs, and while its storage is being written: ended as soon, nothing is left, nothing is spoilt. */
static void
test_revoked_amid (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *storage = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  g_autofree char *half = g_strconcat (storage, ".new", NULL);
  g_autoptr (GSubprocess) spawning = NULL;
  g_autoptr (GSubprocess) writing = NULL;
  g_autoptr (Ran) after = NULL;

  if (!fixture_can_run (fixture))
    return;
  spawning = fixture_start (fixture, "hang-with-tool", NULL);
  fixture_until (fixture_count_processes (fixture) >= 5);
  fixture_disable (fixture);
  finish_revoked (spawning, 3, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);

  fixture_enable (fixture);
  writing = fixture_start (fixture, "flood-storage", NULL);
  fixture_until (g_file_test (storage, G_FILE_TEST_EXISTS));
  fixture_disable (fixture);
  finish_revoked (writing, 3, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_false (g_file_test (half, G_FILE_TEST_EXISTS));

  fixture_enable (fixture);
  after = fixture_run (fixture, "storage", NULL);
  ran_assert (after, 0, "done");
  g_assert_null (strstr (after->out, "begins anew"));
}

/* Another plugin's consent, and new code under the same set, end nothing. */
static void
test_not_revoked (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autofree char *other = g_build_filename (oc_paths_get_plugins (fixture->paths), "org.example.Other", NULL);
  g_autofree char *manifest = g_build_filename (other, "plugin.json", NULL);
  g_autofree char *program = g_build_filename (other, "x", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  process = fixture_start (fixture, "wait-then-call", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_cmpint (g_mkdir (other, 0700), ==, 0);
  g_assert_true (g_file_set_contents_full (program, "#!/bin/sh\n", -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_assert_true (g_file_set_contents (manifest,
                                      "{\"manifestVersion\":1,\"id\":\"org.example.Other\",\"name\":\"O\",\"version\":\"1\","
                                      "\"kind\":\"process\",\"main\":\"x\",\"commands\":[{\"id\":\"a\",\"title\":\"a\"}],"
                                      "\"permissions\":[]}",
                                      -1, NULL));
  plugin = oc_plugin_load (oc_paths_get_plugins (fixture->paths), "org.example.Other");
  oc_consent_enable (fixture->paths, plugin, "terminal", NULL, &error);
  g_assert_no_error (error);
  fixture_write_manifest (fixture, some, "\"description\":\"new\",");
  g_assert_true (g_file_set_contents (go, "", -1, NULL));
  ran = fixture_wait (process);
  ran_assert (ran, 0, "done");
  g_assert_true (json_object_has_member (ran_get_result (ran), "result"));
}

static void
test_held_stdout (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "held-stdout", NULL);
  ran_assert (ran, 0, "done");
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 10000);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
}

static void
test_answer_and_exit (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);

  if (!fixture_can_run (fixture))
    return;
  for (int i = 0; i < 10; i++)
    {
      g_autoptr (Ran) ran = fixture_run (fixture, "answer-and-exit", NULL);

      ran_assert (ran, 0, "done");
    }
}

/* Three at the same time: each counts once. */
static void
test_concurrent_errors (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  GSubprocess *runs[3];
  guint disabled = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    runs[i] = fixture_start (fixture, "wait-then-call", NULL);
  fixture_until (fixture_count_temp (fixture) == 3);
  fixture_until (fixture_exists (fixture, "hanging"));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autoptr (Ran) crash = NULL;

      crash = fixture_run (fixture, "crash", NULL);
      ran_assert (crash, 1, "crash");
      g_assert_cmpint (ran_get_int (crash, "errorsInARow"), ==, i + 1);
      disabled += json_object_get_boolean_member (json_node_get_object (crash->root), "disabledAfterErrors");
    }
  g_assert_cmpuint (disabled, ==, 1);
  /* The consent is gone: those still running are ended. */
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      finish_revoked (runs[i], 3, 3);
      g_object_unref (runs[i]);
    }
  /* What tells the desktop outlives the launcher by a moment. */
  fixture_until (fixture_count_processes (fixture) == 0);
}

static guint
count_ready (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->data_folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_prefix (name, "ready-");
  return n;
}

/* As many as may run, all failing in the same moment: each is counted or was ended because of the others, the consent goes once,
 * one of them says so, and nobody waits for anybody. */
static void
test_all_fail_at_once (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (GPtrArray) listed = NULL;
  GSubprocess *runs[8];
  guint disabled = 0, counted = 0, told = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    runs[i] = fixture_start (fixture, "wait-then-crash", NULL);
  fixture_until (count_ready (fixture) == G_N_ELEMENTS (runs));
  g_assert_true (g_file_set_contents (go, "", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autoptr (Ran) ran = fixture_wait (runs[i]);

      if (g_strcmp0 (ran_get (ran, "outcome"), "crash") == 0)
        counted++;
      else
        ran_assert (ran, 3, "revoked");
      disabled += json_object_get_boolean_member (json_node_get_object (ran->root), "disabledAfterErrors");
      g_object_unref (runs[i]);
    }
  g_assert_cmpuint (counted, >=, 3);
  g_assert_cmpuint (disabled, ==, 1);
  consent = oc_consent_load (fixture->paths, NULL);
  g_assert_cmpint (oc_consent_record_get_state (oc_consent_look_up (consent, FIXTURE_ID)), ==, OC_RECORD_DISABLED_AFTER_ERRORS);
  activity = oc_activity_open (fixture->paths, NULL);
  listed = oc_activity_list_runs (activity, FIXTURE_ID, 0, NULL);
  for (guint i = 0; i < listed->len; i++)
    {
      const OcRun *run = listed->pdata[i];

      counted -= run->outcome == OC_OUTCOME_CRASH;
      told += run->message != NULL && strstr (run->message, "the plugin was disabled") != NULL;
    }
  g_assert_cmpuint (counted, ==, 0);
  g_assert_cmpuint (told, ==, 1);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

static void
test_places (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) descriptors = NULL;
  g_autofree char *result = NULL;
  struct stat st;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "write-places", NULL);
  ran_assert (ran, 0, "done");
  g_assert_true (fixture_exists (fixture, "made"));
  g_assert_cmpint (stat (fixture->data_folder, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 07777, ==, 0700);
  descriptors = fixture_run (fixture, "descriptors", NULL);
  ran_assert (descriptors, 0, "done");
  result = ran_dup_result (descriptors);
  g_assert_cmpstr (result, ==, "[0,1,2,3,4]");
}

/* In the launcher's process, before it is executed. */
static void
be_an_odd_parent (gpointer data)
{
  sigset_t all;

  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, NULL);
  signal (SIGCHLD, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  signal (SIGTERM, SIG_IGN);
  close (0);
}

/* Whatever the host application ignores, blocks or has closed: exit codes are known, and TERM stops. */
static void
test_odd_parent (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) crash = NULL;
  g_autoptr (Ran) stopped = NULL;
  g_autoptr (Ran) descriptors = NULL;
  g_autofree char *result = NULL;

  if (!fixture_can_run (fixture))
    return;
  fixture->child_setup = be_an_odd_parent;
  crash = fixture_run (fixture, "crash", NULL);
  ran_assert (crash, 1, "crash");
  g_assert_nonnull (strstr (ran_get (crash, "message"), "exit code 3"));
  descriptors = fixture_run (fixture, "descriptors", NULL);
  ran_assert (descriptors, 0, "done");
  result = ran_dup_result (descriptors);
  g_assert_cmpstr (result, ==, "[0,1,2,3,4]");
  process = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_subprocess_send_signal (process, SIGTERM);
  stopped = fixture_wait (process);
  ran_assert (stopped, 1, "stopped");
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/life/time-out", test_time_out);
  g_test_add_func ("/life/stopped", test_stopped);
  g_test_add_func ("/life/killed", test_killed);
  g_test_add_func ("/life/tool-ends-too", test_tool_ends_too);
  g_test_add_func ("/life/left-overs", test_left_overs);
  g_test_add_func ("/life/deep-temp", test_deep_temp);
  g_test_add_func ("/life/revoked", test_revoked);
  g_test_add_func ("/life/no-call-after-revocation", test_no_call_after_revocation);
  g_test_add_func ("/life/consents-change", test_consents_change);
  g_test_add_func ("/life/revoked-amid", test_revoked_amid);
  g_test_add_func ("/life/not-revoked", test_not_revoked);
  g_test_add_func ("/life/held-stdout", test_held_stdout);
  g_test_add_func ("/life/answer-and-exit", test_answer_and_exit);
  g_test_add_func ("/life/concurrent-errors", test_concurrent_errors);
  g_test_add_func ("/life/all-fail-at-once", test_all_fail_at_once);
  g_test_add_func ("/life/odd-parent", test_odd_parent);
  g_test_add_func ("/life/places", test_places);
  return g_test_run ();
}
