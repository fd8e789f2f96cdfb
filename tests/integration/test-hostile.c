/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that break the protocol, each in one way: ended at once, as "protocol", with a message that says why. */
#include <string.h>

#include "launcher-fixture.h"

static const char *const some[] = { "file.readText", "process.spawn:sleep", NULL };

static const struct
{
  const char *name;
  const char *said;
} cases[] = {
  { "garbage", "hello, this is no frame" },
  { "binary", "no header" },
  { "no-length", "no Content-Length" },
  { "two-lengths", "two Content-Length" },
  { "negative", "greater than 0" },
  { "zero", "greater than 0" },
  { "huge", "4194305" },
  { "overflow", "greater than 0" },
  { "line-feeds", "4 KiB" },
  { "long-header", "4 KiB" },
  { "not-json", "not valid JSON" },
  { "array", "batch" },
  { "batch", "batch" },
  { "no-version", "jsonrpc" },
  { "null-id", "id" },
  { "object-id", "id" },
  { "both", "either" },
  { "neither", "either" },
  { "bad-error", "code" },
  { "other-id", "never made" },
  { "string-id", "never made" },
  { "duplicate-key", "not valid JSON" },
  { "not-utf8", "not valid JSON" },
  { "in-flight", "more than 64 calls" },
  { "same-id", "not yet answered" },
  { "notifications", "100,000" },
  { "closed", "closed" },
};

static void
test_hostile (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *entry = g_strconcat ("hostile-", cases[i].name, NULL);
  g_autoptr (Ran) ran = NULL;
  gint64 started;

  if (!fixture_can_run (fixture))
    return;
  started = g_get_monotonic_time ();
  ran = fixture_run (fixture, entry, NULL);
  ran_assert (ran, 1, "protocol");
  g_test_message ("%s", ran_get (ran, "message"));
  g_assert_nonnull (strstr (ran_get (ran, "message"), cases[i].said));
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 1);
  /* Ended by us, not by its own time-out of 20 seconds or its sleep of 30. */
  g_assert_cmpint (g_get_monotonic_time () - started, <, 15 * G_USEC_PER_SEC);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/hostile/", cases[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_hostile);
    }
  return g_test_run ();
}
