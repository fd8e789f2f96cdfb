/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host API through a real worker: each method, its limits, and what it says when it refuses. */
#include <signal.h>
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
test_storage_values (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  g_autofree char *result = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "storage-values", NULL);
  ran_assert (ran, 0, "done");
  result = ran_dup_result (ran);
  g_assert_cmpstr (result, ==, "[]");
}

static gint64
read_acknowledged (Fixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->data_folder, "acknowledged", NULL);
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? g_ascii_strtoll (text, NULL, 10) : 0;
}

/* The launcher is killed at any moment: what was acknowledged is there, whole, and what comes next finds nothing in its way. */
static void
test_storage_killed (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *file = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  g_autofree char *half = g_strconcat (file, ".new", NULL);
  g_autofree char *note = g_build_filename (fixture->data_folder, "acknowledged", NULL);
  g_autoptr (Ran) after = NULL;
  guint n_halves = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < 12; i++)
    {
      g_autoptr (GSubprocess) process = NULL;
      g_autoptr (Ran) killed = NULL;
      g_autoptr (JsonNode) root = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      gsize len;
      gint64 n;

      g_unlink (note);
      process = fixture_start (fixture, "storage-count", NULL);
      fixture_until (read_acknowledged (fixture) > i % 5);
      /* At another place of a write each time. */
      g_usleep (i * 311);
      g_subprocess_send_signal (process, SIGKILL);
      killed = fixture_wait (process);
      fixture_until (fixture_count_processes (fixture) == 0);
      g_assert_true (g_file_get_contents (file, &text, &len, &error));
      root = oc_json_parse (text, len, 16 * 1024 * 1024, &error);
      g_assert_no_error (error);
      n = json_array_get_int_element (json_object_get_array_member (json_object_get_object_member (json_node_get_object (root), "values"), "n"), 0);
      g_assert_cmpint (n, >=, read_acknowledged (fixture));
      g_assert_cmpint (n, <=, read_acknowledged (fixture) + 1);
      n_halves += g_file_test (half, G_FILE_TEST_EXISTS);
    }
  g_test_message ("%u of 12 were killed while they wrote", n_halves);
  after = fixture_run (fixture, "storage", NULL);
  ran_assert (after, 0, "done");
  g_assert_null (strstr (after->out, "begins anew"));
  g_assert_false (g_file_test (half, G_FILE_TEST_EXISTS));
}

/* In the place of the file: what is not ours is left alone, and the plugin hears of it. */
static void
test_storage_in_the_way (void)
{
  static const char calls[] = "[{\"method\":\"storage.set\",\"params\":{\"key\":\"k\",\"value\":1}},"
                              "{\"method\":\"storage.get\",\"params\":{\"key\":\"k\"}},{\"method\":\"storage.keys\"},"
                              "{\"method\":\"storage.remove\",\"params\":{\"key\":\"k\"}}]";
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *file = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  g_autofree char *target = fixture_make_file (fixture, "mine.json", "{\"version\":1,\"values\":{\"k\":\"mine\"}}", -1);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  if (!fixture_can_run (fixture))
    return;
  g_assert_true (g_file_get_contents (target, &before, NULL, NULL));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (JsonArray) outcomes = NULL;

      if (i == 0)
        g_assert_cmpint (symlink (target, file), ==, 0);
      else if (i == 1)
        g_assert_cmpint (g_mkdir (file, 0700), ==, 0);
      else
        g_assert_cmpint (mkfifo (file, 0600), ==, 0);
      outcomes = fixture_call (fixture, calls, NULL, NULL);
      for (guint j = 0; j < 4; j++)
        {
          g_test_message ("%s", outcome_get (outcomes, j, "message"));
          g_assert_cmpstr (outcome_get (outcomes, j, "reason"), ==, "storage");
          g_assert_nonnull (strstr (outcome_get (outcomes, j, "message"), file));
          g_assert_nonnull (strstr (outcome_get (outcomes, j, "message"), "Move it away"));
        }
      g_assert_cmpint (i == 1 ? g_rmdir (file) : g_unlink (file), ==, 0);
    }
  g_assert_true (g_file_get_contents (target, &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);
}

static void
test_storage_concurrent (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  GSubprocess *runs[8];
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
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (json_array_get_object_element (outcomes, 0), "result")), ==, 160);
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
  g_test_add_func ("/host/storage-values", test_storage_values);
  g_test_add_func ("/host/storage-killed", test_storage_killed);
  g_test_add_func ("/host/storage-in-the-way", test_storage_in_the_way);
  g_test_add_func ("/host/storage-concurrent", test_storage_concurrent);
  g_test_add_func ("/host/storage-damaged", test_storage_damaged);
  g_test_add_func ("/host/log", test_log);
  g_test_add_func ("/host/refused-often", test_refused_often);
  return g_test_run ();
}
