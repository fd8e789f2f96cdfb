/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the launcher keeps on disk: temporary folders, storage, and the watch on what a consent rests on. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-paths.h"
#include "launcher/oc-host-store.h"
#include "launcher/oc-run-folders.h"
#include "launcher/oc-run-watch.h"
#include "launcher/oc-temp.h"

static char *
make_home (void)
{
  char *home = g_dir_make_tmp ("ocelot-files-XXXXXX", NULL);

  g_assert_nonnull (home);
  return home;
}

static void
remove_home (char *home)
{
  const char *argv[] = { "rm", "-rf", "--", home, NULL };

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (home);
}

static void
test_temp (void)
{
  char *home = make_home ();
  g_autoptr (OcTemp) temp = oc_temp_new (home, NULL);
  g_autofree char *path = g_strdup (oc_temp_get_path (temp));
  g_autofree char *outer = g_build_filename (path, "a", NULL);
  g_autofree char *inner = g_build_filename (path, "a/b", NULL);
  g_autofree char *link = g_build_filename (path, "link", NULL);
  g_autofree char *beside = g_build_filename (home, "beside", NULL);
  g_autofree char *file = g_build_filename (beside, "file", NULL);
  struct stat st;

  g_assert_cmpint (stat (path, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 07777, ==, 0700);
  g_assert_cmpint (g_mkdir_with_parents (inner, 0700), ==, 0);
  g_assert_cmpint (chmod (inner, 0000), ==, 0);
  g_assert_cmpint (chmod (outer, 0000), ==, 0);
  g_assert_cmpint (g_mkdir (beside, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, "x", -1, NULL));
  g_assert_cmpint (symlink (beside, link), ==, 0);
  /* Its lock is held: it is no left-over. */
  oc_temp_clear_left_overs (home);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_DIR));
  g_clear_pointer (&temp, oc_temp_free);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
  remove_home (home);
}

static void
test_left_over_of_another_user (void)
{
  char *home = make_home ();
  g_autofree char *mine = g_build_filename (home, "ocelot-1-aaaaaa", NULL);
  g_autofree char *theirs = g_build_filename (home, "ocelot-2-bbbbbb", NULL);

  if (geteuid () != 0)
    {
      g_test_skip ("Only root can make another user's folder.");
      remove_home (home);
      return;
    }
  g_assert_cmpint (g_mkdir (mine, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (theirs, 0700), ==, 0);
  g_assert_cmpint (chown (theirs, 12345, 12345), ==, 0);
  oc_temp_clear_left_overs (home);
  g_assert_false (g_file_test (mine, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (theirs, G_FILE_TEST_EXISTS));
  remove_home (home);
}

static void
test_data_folder (void)
{
  char *home = make_home ();
  g_autoptr (OcPaths) paths = oc_paths_new (home, NULL, "/nonexistent");
  g_autofree char *data = NULL;
  g_autofree char *again = NULL;
  g_autoptr (GError) error = NULL;
  struct stat st;

  g_assert_true (oc_paths_ensure (paths, NULL));
  data = oc_run_ensure_data (paths, "a.b", &error);
  g_assert_no_error (error);
  g_assert_cmpint (chmod (data, 0777), ==, 0);
  again = oc_run_ensure_data (paths, "a.b", &error);
  g_assert_no_error (error);
  g_assert_cmpint (stat (data, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 07777, ==, 0700);
  g_assert_cmpint (g_rmdir (data), ==, 0);
  g_assert_cmpint (symlink (home, data), ==, 0);
  g_assert_null (oc_run_ensure_data (paths, "a.b", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  g_clear_error (&error);
  g_assert_cmpint (g_unlink (data), ==, 0);
  g_assert_true (g_file_set_contents (data, "x", -1, NULL));
  g_assert_null (oc_run_ensure_data (paths, "a.b", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  remove_home (home);
}

static void
on_notice (const char *message,
           gpointer data)
{
  (*(guint *) data)++;
}

/* Cut at every byte: no crash, nothing invented, and what was there is kept beside. */
static void
test_store_cut (void)
{
  char *home = make_home ();
  g_autofree char *path = g_build_filename (home, "s.json", NULL);
  g_autofree char *whole = NULL;
  gsize len;
  g_autoptr (OcStore) maker = oc_store_new (path, NULL, NULL);
  const char *seven = "7";

  g_assert_true (oc_store_set (maker, "key", seven, NULL));
  g_assert_true (g_file_get_contents (path, &whole, &len, NULL));
  for (gsize cut = 0; cut < len; cut++)
    {
      guint notices = 0;
      g_autoptr (OcStore) store = oc_store_new (path, on_notice, &notices);
      g_autofree char *value = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, whole, (gssize) cut, NULL));
      g_assert_true (oc_store_get (store, "key", &value, &error));
      g_assert_no_error (error);
      g_assert_null (value);
      g_assert_cmpuint (notices, ==, 1);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      g_assert_true (oc_store_set (store, "key", seven, &error));
      g_assert_no_error (error);
    }
  remove_home (home);
}

/* The last byte of each limit, and one more: which changes nothing. */
static void
test_store_limits (void)
{
  char *home = make_home ();
  g_autofree char *path = g_build_filename (home, "s.json", NULL);
  g_autoptr (OcStore) store = oc_store_new (path, NULL, NULL);
  g_autofree char *x = g_strnfill (OC_STORE_MAX_VALUE_BYTES - 2, 'x');
  g_autofree char *most = g_strdup_printf ("\"%s\"", x);
  g_autofree char *more = g_strdup_printf ("\"%sx\"", x);
  g_autofree char *small = NULL;
  g_autofree char *rest = NULL;
  g_autofree char *whole = NULL;
  g_autofree char *after = NULL;
  g_auto (GStrv) keys = NULL;
  g_autoptr (GError) error = NULL;
  gsize len = 0;

  g_assert_cmpuint (strlen (most), ==, 1024 * 1024);
  g_assert_true (oc_store_set (store, "0", most, NULL));
  g_assert_false (oc_store_set (store, "0", more, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "1048577"));
  g_clear_error (&error);
  for (char key[] = "1"; *key < '9'; (*key)++)
    g_assert_true (oc_store_set (store, key, most, NULL));
  g_assert_true (oc_store_set (store, "9", "\"\"", NULL));
  g_assert_true (g_file_get_contents (path, &small, &len, NULL));
  rest = g_strdup_printf ("\"%.*s\"", (int) (OC_STORE_MAX_BYTES - len), x);
  g_assert_true (oc_store_set (store, "9", rest, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &whole, &len, NULL));
  g_assert_cmpuint (len, ==, 10 * 1024 * 1024);
  g_assert_false (oc_store_set (store, "x", "1", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (path, &after, &len, NULL));
  g_assert_cmpstr (whole, ==, after);
  keys = oc_store_list (store, NULL);
  g_assert_cmpuint (g_strv_length (keys), ==, 10);
  /* With less in it there is room again. */
  g_assert_true (oc_store_remove (store, "0", NULL, NULL));
  g_assert_true (oc_store_set (store, "x", "1", NULL));
  remove_home (home);
}

/* A store never comes to be one that the next run takes for damaged. */
static void
check_last_key (const char *path,
                const char *one_more,
                const char *known)
{
  g_autoptr (OcStore) store = oc_store_new (path, NULL, NULL);
  g_autoptr (OcStore) next = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *value = NULL;
  guint notices = 0;

  g_assert_false (oc_store_set (store, one_more, "1", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_test_message ("%s", error->message);
  g_clear_error (&error);
  g_assert_true (oc_store_set (store, known, "7", &error));
  g_assert_no_error (error);
  next = oc_store_new (path, on_notice, &notices);
  g_assert_true (oc_store_get (next, known, &value, NULL));
  g_assert_cmpstr (value, ==, "7");
  g_assert_cmpuint (notices, ==, 0);
  g_assert_true (oc_store_remove (next, known, NULL, NULL));
  g_assert_true (oc_store_set (next, one_more, "1", NULL));
}

static void
test_store_keys (void)
{
  char *home = make_home ();
  g_autofree char *many_path = g_build_filename (home, "many.json", NULL);
  g_autofree char *alike_path = g_build_filename (home, "alike.json", NULL);
  g_autoptr (OcStore) alike = oc_store_new (alike_path, NULL, NULL);
  GString *many = g_string_new ("{\"version\":1,\"values\":{");
  /* "Ez" and "FY" have the same g_str_hash(), and so has every row of as many of them. */
  char key[15] = { 0 };

  for (guint i = 0; i < OC_JSON_MAX_KEYS; i++)
    g_string_append_printf (many, "%s\"k%u\":0", i > 0 ? "," : "", i);
  g_string_append (many, "}}");
  g_assert_true (g_file_set_contents (many_path, many->str, -1, NULL));
  check_last_key (many_path, "one more", "k0");

  for (guint i = 0; i <= OC_JSON_MAX_ALIKE_KEYS; i++)
    {
      for (guint bit = 0; bit < 7; bit++)
        memcpy (key + 2 * bit, (i >> bit) & 1 ? "Ez" : "FY", 2);
      if (i < OC_JSON_MAX_ALIKE_KEYS)
        g_assert_true (oc_store_set (alike, key, "1", NULL));
    }
  check_last_key (alike_path, key, "FYFYFYFYFYFYFY");
  g_string_free (many, TRUE);
  remove_home (home);
}

/* Two that each think they know the file. */
static void
test_store_shared (void)
{
  char *home = make_home ();
  g_autofree char *path = g_build_filename (home, "s.json", NULL);
  g_autoptr (OcStore) a = oc_store_new (path, NULL, NULL);
  g_autoptr (OcStore) b = oc_store_new (path, NULL, NULL);
  const char *one = "1";
  g_autofree char *got = NULL;
  g_auto (GStrv) keys = NULL;

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *key = g_strdup_printf ("%02u", i);

      g_assert_true (oc_store_set (i % 2 ? a : b, key, one, NULL));
    }
  keys = oc_store_list (a, NULL);
  g_assert_cmpuint (g_strv_length (keys), ==, 20);
  g_assert_true (oc_store_get (b, "19", &got, NULL));
  g_assert_cmpstr (got, ==, "1");
  remove_home (home);
}

static void
test_store_odd_files (void)
{
  char *home = make_home ();
  g_autofree char *path = g_build_filename (home, "s.json", NULL);
  g_autofree char *target = g_build_filename (home, "target", NULL);
  g_autoptr (OcStore) store = oc_store_new (path, NULL, NULL);
  const char *one = "1";
  g_autoptr (GError) error = NULL;
  char *value = NULL;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_false (oc_store_get (store, "k", &value, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_clear_error (&error);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_true (g_file_set_contents (target, "{\"version\":1,\"values\":{}}", -1, NULL));
  g_assert_cmpint (symlink (target, path), ==, 0);
  g_assert_false (oc_store_set (store, "k", one, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  remove_home (home);
}

static void
on_changed (gpointer data)
{
  (*(guint *) data)++;
}

static gboolean
on_deadline (gpointer data)
{
  g_error ("The change was never seen.");
  return G_SOURCE_REMOVE;
}

static void
wait_for_change (guint *n)
{
  guint deadline = g_timeout_add_seconds (20, on_deadline, NULL);
  guint before = *n;

  while (*n == before)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (deadline);
}

static void
check_watch (void (*prepare) (OcConsentWatch *watch))
{
  char *home = make_home ();
  g_autofree char *policy = g_build_filename (home, "etc/ocelot", NULL);
  g_autofree char *policy_file = g_build_filename (policy, "policy.json", NULL);
  g_autofree char *etc = g_build_filename (home, "etc", NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (home, NULL, policy);
  g_autofree char *plugin = g_build_filename (oc_paths_get_plugins (paths), "a.b", NULL);
  g_autofree char *manifest = g_build_filename (plugin, "plugin.json", NULL);
  g_autofree char *away = g_strconcat (plugin, "-away", NULL);
  g_autoptr (OcConsentWatch) watch = NULL;
  guint n = 0;

  g_assert_cmpint (g_mkdir_with_parents (plugin, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (etc, 0700), ==, 0);
  g_assert_true (g_file_set_contents (manifest, "{}", -1, NULL));
  watch = oc_consent_watch_new (paths, "a.b");
  if (prepare != NULL)
    prepare (watch);
  /* Also what happened before it was started. */
  g_assert_true (g_file_set_contents (oc_paths_get_consent (paths), "{}", -1, NULL));
  oc_consent_watch_start (watch, on_changed, &n);
  wait_for_change (&n);
  g_assert_true (g_file_set_contents (manifest, "{ }", -1, NULL));
  wait_for_change (&n);
  /* A folder that was not there, and then a file in it. */
  g_assert_cmpint (g_mkdir (policy, 0700), ==, 0);
  wait_for_change (&n);
  g_assert_true (g_file_set_contents (policy_file, "{}", -1, NULL));
  wait_for_change (&n);
  /* Written in place: the folder stays as it was. */
  g_assert_true (g_file_set_contents_full (policy_file, "{ }", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  wait_for_change (&n);
  g_assert_cmpint (g_rename (plugin, away), ==, 0);
  wait_for_change (&n);
  g_clear_pointer (&watch, oc_consent_watch_free);
  remove_home (home);
}

static void
test_watch (void)
{
  check_watch (oc_consent_watch_listen_at_once);
}

static void
test_watch_at_first (void)
{
  check_watch (NULL);
}

static void
test_watch_by_looking (void)
{
  check_watch (oc_consent_watch_poll_only);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launcher-files/temp", test_temp);
  g_test_add_func ("/launcher-files/left-over-of-another-user", test_left_over_of_another_user);
  g_test_add_func ("/launcher-files/data-folder", test_data_folder);
  g_test_add_func ("/launcher-files/store-cut", test_store_cut);
  g_test_add_func ("/launcher-files/store-limits", test_store_limits);
  g_test_add_func ("/launcher-files/store-keys", test_store_keys);
  g_test_add_func ("/launcher-files/store-shared", test_store_shared);
  g_test_add_func ("/launcher-files/store-odd-files", test_store_odd_files);
  g_test_add_func ("/launcher-files/watch", test_watch);
  g_test_add_func ("/launcher-files/watch-at-first", test_watch_at_first);
  g_test_add_func ("/launcher-files/watch-by-looking", test_watch_by_looking);
  return g_test_run ();
}
