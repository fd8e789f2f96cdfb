/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host API through a real worker: each method, its limits, and what it says when it refuses. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/oc-json.h"
#include "launcher-fixture.h"

enum
{
  INVALID_PARAMS = -32602,
  NOT_FOUND = -32003,
  TOO_LARGE = -32004,
};

static const char *const some[] = { "selection.read", "file.readText", NULL };
static const char *const none[] = { NULL };

static void
test_pipelined (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *text = g_strnfill (1000000, 'x');
  g_autofree char *file = fixture_make_file (fixture, "a.txt", text, -1);
  g_autoptr (Ran) calls = NULL;
  g_autoptr (Ran) reads = NULL;
  g_autofree char *result = NULL;

  if (!fixture_can_run (fixture))
    return;
  calls = fixture_run (fixture, "pipelined", NULL);
  ran_assert (calls, 0, "done");
  /* 60 MB asked for at once: taken bit by bit, and all of it arrives. */
  reads = fixture_run (fixture, "pipelined-reads", "--", file, NULL);
  ran_assert (reads, 0, "done");
  result = ran_dup_result (reads);
  g_assert_true (g_str_has_prefix (result, "[1000000,1000000,"));
}

static void
test_storage (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  g_autofree char *result = NULL;
  g_autofree char *file = NULL;
  struct stat st;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "storage", NULL);
  ran_assert (ran, 0, "done");
  result = ran_dup_result (ran);
  g_assert_cmpstr (result, ==,
                   "{\"n\":{\"deep\":[1,2,{\"x\":null}]},\"none\":null,\"keys\":[\"n\"],\"removed\":true,\"again\":false,\"after\":[]}");
  file = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  g_assert_cmpint (lstat (file, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 0777, ==, 0600);
}

static void
test_storage_limits (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  JsonObject *result;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "storage-limits", NULL);
  ran_assert (ran, 0, "done");
  result = ran_get_result (ran);
  g_assert_true (json_object_has_member (json_object_get_object_member (result, "value"), "result"));
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (result, "larger"), "code"), ==, TOO_LARGE);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (result, "all"), "code"), ==, TOO_LARGE);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (result, "long-key"), "code"), ==, INVALID_PARAMS);
  /* What did not fit is not there, and what was there still is. */
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (result, "keys")), ==, 9);
}

static void
test_storage_concurrent (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  GSubprocess *runs[4];
  g_autoptr (JsonArray) outcomes = NULL;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    runs[i] = fixture_start (fixture, "storage-many", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autoptr (Ran) ran = fixture_wait (runs[i]);

      ran_assert (ran, 0, "done");
      g_object_unref (runs[i]);
    }
  outcomes = fixture_call (fixture, "[{\"method\":\"storage.keys\"}]", NULL, NULL);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (json_array_get_object_element (outcomes, 0), "result")), ==, 80);
}

static void
test_storage_damaged (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *file = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  g_autofree char *folder = g_path_get_dirname (file);
  g_autoptr (Ran) ran = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;
  gboolean kept = FALSE;

  if (!fixture_can_run (fixture))
    return;
  g_assert_true (g_file_set_contents (file, "{\"version\":1,\"values\":{\"a\":1", -1, NULL));
  ran = fixture_run (fixture, "storage", NULL);
  ran_assert (ran, 0, "done");
  g_assert_nonnull (strstr (ran->out, "begins anew"));
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    kept = kept || strstr (name, ".damaged-") != NULL;
  g_assert_true (kept);
}

static void
test_log (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  JsonArray *log;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "log", NULL);
  ran_assert (ran, 0, "done");
  log = json_object_get_array_member (json_node_get_object (ran->root), "log");
  g_assert_cmpuint (json_array_get_length (log), ==, 201);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (log, 0), "message"), ==, "hello");
  g_assert_cmpuint (strlen (json_object_get_string_member (json_array_get_object_element (log, 1), "message")), <=, 2048 + 3);
  g_assert_nonnull (strstr (json_object_get_string_member (json_array_get_object_element (log, 200), "message"), "102 more"));
}

/* A million would be the same: one row. */
static void
test_refused_often (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) uses = NULL;
  OcUse *use;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "refused-often", NULL);
  ran_assert (ran, 0, "done");
  g_assert_cmpint (ran_count (ran, "refused", "process.spawn:nmap"), ==, 3000);
  activity = oc_activity_open (fixture->paths, NULL);
  uses = oc_activity_list_uses (activity, FIXTURE_ID, 0, 100, NULL);
  g_assert_cmpuint (uses->len, ==, 1);
  use = uses->pdata[0];
  g_assert_cmpuint (use->count, ==, 3000);
  g_assert_false (use->allowed);
  g_assert_cmpstr (use->detail, ==, "nmap");
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/host/pipelined", test_pipelined);
  g_test_add_func ("/host/storage", test_storage);
  g_test_add_func ("/host/storage-limits", test_storage_limits);
  g_test_add_func ("/host/storage-concurrent", test_storage_concurrent);
  g_test_add_func ("/host/storage-damaged", test_storage_damaged);
  g_test_add_func ("/host/log", test_log);
  g_test_add_func ("/host/refused-often", test_refused_often);
  return g_test_run ();
}
