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
  g_test_add_func ("/life/held-stdout", test_held_stdout);
  g_test_add_func ("/life/answer-and-exit", test_answer_and_exit);
  g_test_add_func ("/life/odd-parent", test_odd_parent);
  g_test_add_func ("/life/places", test_places);
  return g_test_run ();
}
