/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run may use up, each beside a control that stays below. */
#include "launcher-fixture.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/oc-activity.h"

#define N_AT_ONCE 8

static const char *const none[] = { NULL };

static void
assert_ended (Ran *ran,
              const char *message)
{
  ran_assert (ran, 1, "crash");
  if (strstr (ran_get (ran, "message"), message) == NULL)
    g_error ("expected “%s”, got: %s", message, ran_get (ran, "message"));
}

/* The last run's message in the record tells what to do: the user may only look when the plugin is off. */
static void
assert_remedy_recorded (Fixture *fixture)
{
  g_autoptr (OcActivity) activity = oc_activity_open (fixture->paths, NULL);
  g_autoptr (GPtrArray) runs = oc_activity_list_runs (activity, FIXTURE_ID, 1, NULL);

  g_assert_cmpuint (runs->len, ==, 1);
  g_assert_nonnull (strstr (((OcRun *) runs->pdata[0])->message, fixture->data_folder));
}

static void
test_data_size (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) less = NULL;
  g_autoptr (Ran) much = NULL;
  g_autoptr (Ran) more = NULL;
  g_autoptr (Ran) start = NULL;
  g_autoptr (Ran) tidy = NULL;

  if (!fixture_can_run (fixture))
    return;
  less = fixture_run (fixture, "store-less", NULL);
  ran_assert (less, 0, "done");
  much = fixture_run (fixture, "store-much", NULL);
  assert_ended (much, "1.0 GiB in its data folder");
  g_assert_nonnull (strstr (ran_get (much, "remedy"), fixture->data_folder));
  assert_remedy_recorded (fixture);
  g_assert_cmpint (ran_get_int (much, "errorsInARow"), ==, 1);
  g_assert_cmpint (ran_get_int (much, "durationMs"), <, 10000);
  /* Nothing is taken from it, and it can put that right: it starts, but cannot add. */
  g_assert_true (fixture_exists (fixture, "first") && fixture_exists (fixture, "second"));
  start = fixture_run (fixture, "echo", NULL);
  ran_assert (start, 0, "done");
  more = fixture_run (fixture, "store-more", NULL);
  assert_ended (more, "GiB in its data folder");
  tidy = fixture_run (fixture, "tidy-up", NULL);
  ran_assert (tidy, 0, "done");
  g_assert_false (fixture_exists (fixture, "first"));
}

/* Wherever it lies. */
static void
test_data_places (void)
{
  static const struct
  {
    const char *entry;
    const char *message;
  } cases[] = {
    { "store-deep", "in its data folder" },
    { "store-many", "100000 files in its data folder" },
    { "store-in-temp", "in its temporary folder" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Fixture) fixture = fixture_new (none);
      g_autoptr (Ran) ran = NULL;

      if (!fixture_can_run (fixture))
        return;
      ran = fixture_run (fixture, cases[i].entry, NULL);
      assert_ended (ran, cases[i].message);
      g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
    }
}

static void
finish_stopped (GSubprocess *process)
{
  g_autoptr (Ran) ran = fixture_wait (process);

  ran_assert (ran, 1, "stopped");
}

/* Where no name leads to it: in files that were removed and stay open. */
static void
test_deleted (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) less = NULL;
  g_autoptr (Ran) much = NULL;

  if (!fixture_can_run (fixture))
    return;
  less = fixture_run (fixture, "store-deleted-less", NULL);
  ran_assert (less, 0, "done");
  much = fixture_run (fixture, "store-deleted", NULL);
  assert_ended (much, "in files that it had removed and kept open");
}

static void
test_at_once (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);
  GSubprocess *runs[N_AT_ONCE];
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) before = NULL;
  g_autoptr (GPtrArray) after = NULL;
  g_autoptr (Ran) refused = NULL;
  g_autoptr (Ran) let = NULL;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < N_AT_ONCE; i++)
    runs[i] = fixture_start (fixture, "wait-then-call", NULL);
  fixture_until (fixture_count_temp (fixture) == N_AT_ONCE);
  fixture_until (fixture_exists (fixture, "hanging"));
  activity = oc_activity_open (fixture->paths, NULL);
  before = oc_activity_list_runs (activity, FIXTURE_ID, 0, NULL);
  g_unlink (marker);
  refused = fixture_run (fixture, "echo", NULL);
  ran_assert (refused, 126, "not-run");
  g_assert_nonnull (strstr (ran_get (refused, "message"), "8 runs of this plugin are going on"));
  g_assert_nonnull (strstr (ran_get (refused, "remedy"), "stop one"));
  after = oc_activity_list_runs (activity, FIXTURE_ID, 0, NULL);
  g_assert_cmpuint (after->len, ==, before->len);
  /* One that is killed makes room. */
  g_subprocess_send_signal (runs[0], SIGKILL);
  g_subprocess_wait (runs[0], NULL, NULL);
  let = fixture_run (fixture, "echo", NULL);
  ran_assert (let, 0, "done");
  for (guint i = 1; i < N_AT_ONCE; i++)
    {
      g_subprocess_send_signal (runs[i], SIGTERM);
      finish_stopped (runs[i]);
    }
  fixture_until (fixture_count_processes (fixture) == 0);
  for (guint i = 0; i < N_AT_ONCE; i++)
    g_object_unref (runs[i]);
}

static void
test_files (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) large = NULL;
  g_autoptr (Ran) many = NULL;
  g_autofree char *result = NULL;
  g_autofree char *expected = g_strdup_printf ("[1,%d,%d]", EFBIG, -SIGXFSZ);
  JsonArray *opened;

  if (!fixture_can_run (fixture))
    return;
  large = fixture_run (fixture, "large-file", NULL);
  ran_assert (large, 0, "done");
  result = ran_dup_result (large);
  g_assert_cmpstr (result, ==, expected);
  many = fixture_run (fixture, "open-many", NULL);
  ran_assert (many, 0, "done");
  opened = json_node_get_array (json_object_get_member (json_node_get_object (many->root), "result"));
  g_assert_cmpint (json_array_get_int_element (opened, 1), ==, EMFILE);
  g_assert_cmpint (json_array_get_int_element (opened, 0), >, 500);
  g_assert_cmpint (json_array_get_int_element (opened, 0), <, 768);
}

static void
test_processes (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  JsonArray *forked;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "fork-many", NULL);
  if (geteuid () == 0)
    assert_ended (ran, "more than 256 processes");
  else
    {
      ran_assert (ran, 0, "done");
      forked = json_node_get_array (json_object_get_member (json_node_get_object (ran->root), "result"));
      g_assert_cmpint (json_array_get_int_element (forked, 1), ==, EAGAIN);
      g_assert_cmpint (json_array_get_int_element (forked, 0), >, 200);
      g_assert_cmpint (json_array_get_int_element (forked, 0), <, 256);
    }
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/limits/data-size", test_data_size);
  g_test_add_func ("/limits/data-places", test_data_places);
  g_test_add_func ("/limits/deleted", test_deleted);
  g_test_add_func ("/limits/at-once", test_at_once);
  g_test_add_func ("/limits/files", test_files);
  g_test_add_func ("/limits/processes", test_processes);
  return g_test_run ();
}
