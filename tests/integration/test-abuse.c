/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that keep to the protocol and use up, fill or spoil what the launcher works with. */
#include "launcher-fixture.h"

#include <glib/gstdio.h>

#include "core/oc-activity.h"

#define N_NAMES 3000
/* Of rows that a run keeps, and a few that take up the rest. */
#define MAX_ROWS 1020

static const char *const none[] = { NULL };

/* What a call names is counted, but does not make the record of a run any longer. */
static void
test_names (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) uses = NULL;
  g_autoptr (Ran) ran = NULL;
  JsonArray *refused;
  gint64 count = 0;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "refused-names", NULL);
  ran_assert (ran, 0, "done");
  refused = json_object_get_array_member (json_node_get_object (ran->root), "refused");
  g_assert_cmpuint (json_array_get_length (refused), <=, MAX_ROWS);
  for (guint i = 0; i < json_array_get_length (refused); i++)
    count += json_object_get_int_member (json_array_get_object_element (refused, i), "count");
  g_assert_cmpint (count, ==, N_NAMES);
  g_assert_cmpint (ran_count (ran, "refused", "process.spawn"), >, 0);
  activity = oc_activity_open (fixture->paths, NULL);
  uses = oc_activity_list_uses (activity, FIXTURE_ID, 0, N_NAMES, NULL);
  g_assert_cmpuint (uses->len, <=, MAX_ROWS);
}

/* However much work its calls are, the time-out comes in between. */
static void
test_time_out_of_busy (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) filled = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  filled = fixture_run (fixture, "fill-storage", NULL);
  ran_assert (filled, 0, "done");
  ran = fixture_run (fixture, "flood-storage", "--timeout", "1000", NULL);
  ran_assert (ran, 8, "time-out");
  g_assert_cmpint (ran_get_int (ran, "durationMs"), >=, 1000);
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 10000);
}

/* Modes that shut its own folders to their owner: as uid 0 nothing is shut, and this is tried as an ordinary user too. */
static void
test_closed_folders (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *left = NULL;
  g_autoptr (Ran) temp = NULL;
  g_autoptr (Ran) data = NULL;
  g_autoptr (Ran) after = NULL;

  if (!fixture_can_run (fixture))
    return;
  temp = fixture_run (fixture, "close-temp", NULL);
  ran_assert (temp, 0, "done");
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
  /* One of a launcher that was killed. */
  left = g_build_filename (fixture->tmp, "ocelot-123-AbCdEf", NULL);
  g_assert_cmpint (g_mkdir (left, 0), ==, 0);
  data = fixture_run (fixture, "close-data", NULL);
  ran_assert (data, 0, "done");
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
  after = fixture_run (fixture, "echo", NULL);
  ran_assert (after, 0, "done");
}

static void
test_taken_names (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "take-names", NULL);
  ran_assert (ran, 0, "done");
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/abuse/names", test_names);
  g_test_add_func ("/abuse/time-out-of-busy", test_time_out_of_busy);
  g_test_add_func ("/abuse/closed-folders", test_closed_folders);
  g_test_add_func ("/abuse/taken-names", test_taken_names);
  return g_test_run ();
}
