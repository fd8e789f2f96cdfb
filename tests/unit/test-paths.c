/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-paths.h"

typedef struct
{
  char *root;
  OcPaths *paths;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autofree char *home = NULL;

  fixture->root = g_dir_make_tmp ("oc-paths-XXXXXX", NULL);
  home = g_build_filename (fixture->root, "home", "data", NULL);
  fixture->paths = oc_paths_new (home, NULL, "/nowhere/ocelot");
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  oc_paths_unref (fixture->paths);
  remove_tree (fixture->root);
  g_free (fixture->root);
}

static void
test_places (void)
{
  static const char *const dirs[] = { "/usr/share",  "relative",        "/opt/share/",
                                      "/usr//share", "/home/ada/share", NULL };
  g_autoptr (OcPaths) paths = oc_paths_new ("/home/ada/share", dirs, "/etc/ocelot");
  g_autofree char *data = oc_paths_dup_data (paths, "org.example.X");
  g_autofree char *storage = oc_paths_dup_storage (paths, "org.example.X");
  const char *const *system = oc_paths_get_system_plugins (paths);

  g_assert_cmpstr (oc_paths_get_base (paths), ==, "/home/ada/share/ocelot");
  g_assert_cmpstr (oc_paths_get_plugins (paths), ==, "/home/ada/share/ocelot/Plugins");
  g_assert_cmpstr (oc_paths_get_consent (paths), ==, "/home/ada/share/ocelot/consent.json");
  g_assert_cmpstr (oc_paths_get_key_file (paths), ==, "/home/ada/share/ocelot/consent.key");
  g_assert_cmpstr (oc_paths_get_activity (paths), ==, "/home/ada/share/ocelot/activity.db");
  g_assert_cmpstr (oc_paths_get_policy_dir (paths), ==, "/etc/ocelot");
  g_assert_cmpstr (data, ==, "/home/ada/share/ocelot/Data/org.example.X");
  g_assert_cmpstr (storage, ==, "/home/ada/share/ocelot/Storage/org.example.X.json");
  g_assert_cmpstr (system[0], ==, "/usr/share/ocelot/Plugins");
  g_assert_cmpstr (system[1], ==, "/opt/share/ocelot/Plugins");
  g_assert_null (system[2]);
}

/* In a process of its own: GLib reads the environment once. */
static void
test_relative_environment (void)
{
  g_autoptr (OcPaths) paths = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }

  g_setenv ("HOME", "/home/ada", TRUE);
  g_setenv ("XDG_DATA_HOME", "not/absolute", TRUE);
  g_setenv ("XDG_DATA_DIRS", "also/not:/usr/share", TRUE);
  paths = oc_paths_new_for_user ();
  g_assert_cmpstr (oc_paths_get_base (paths), ==, "/home/ada/.local/share/ocelot");
  g_assert_cmpstr (oc_paths_get_system_plugins (paths)[0], ==, "/usr/share/ocelot/Plugins");
  g_assert_null (oc_paths_get_system_plugins (paths)[1]);
}

static void
test_ensure (Fixture *fixture,
             gconstpointer data)
{
  static const char *const names[] = { "Plugins", "Data", "Storage" };
  g_autoptr (GError) error = NULL;
  struct stat st;

  g_assert_true (oc_paths_ensure (fixture->paths, &error));
  g_assert_no_error (error);
  g_assert_true (oc_paths_ensure (fixture->paths, &error)); /* again */
  g_assert_no_error (error);
  g_assert_cmpint (stat (oc_paths_get_base (fixture->paths), &st), ==, 0);
  g_assert_cmpint (st.st_mode & 07777, ==, 0700);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (oc_paths_get_base (fixture->paths), names[i],
                                                NULL);

      g_assert_cmpint (lstat (path, &st), ==, 0);
      g_assert_true (S_ISDIR (st.st_mode));
      g_assert_cmpint (st.st_mode & 07777, ==, 0700);
    }
}

static void
test_ensure_follows_no_link (Fixture *fixture,
                             gconstpointer data)
{
  g_autofree char *elsewhere = g_build_filename (fixture->root, "elsewhere", NULL);
  g_autofree char *home = g_path_get_dirname (oc_paths_get_base (fixture->paths));
  g_autofree char *made = g_build_filename (elsewhere, "Plugins", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (home, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (elsewhere, 0700), ==, 0);
  g_assert_cmpint (symlink (elsewhere, oc_paths_get_base (fixture->paths)), ==, 0);
  g_assert_false (oc_paths_ensure (fixture->paths, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_assert_nonnull (strstr (error->message, oc_paths_get_base (fixture->paths)));
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
  g_clear_error (&error);

  /* One level down. */
  g_assert_cmpint (unlink (oc_paths_get_base (fixture->paths)), ==, 0);
  g_assert_cmpint (g_mkdir (oc_paths_get_base (fixture->paths), 0700), ==, 0);
  g_assert_cmpint (symlink (elsewhere, oc_paths_get_plugins (fixture->paths)), ==, 0);
  g_assert_false (oc_paths_ensure (fixture->paths, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_clear_error (&error);

  /* The control: without the link it works. */
  g_assert_cmpint (unlink (oc_paths_get_plugins (fixture->paths)), ==, 0);
  g_assert_true (oc_paths_ensure (fixture->paths, &error));
  g_assert_no_error (error);
}

static void
test_ensure_names_a_file_in_the_way (Fixture *fixture,
                                     gconstpointer data)
{
  g_autofree char *home = g_path_get_dirname (oc_paths_get_base (fixture->paths));
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (home, 0700), ==, 0);
  g_assert_true (g_file_set_contents (oc_paths_get_base (fixture->paths), "mine", -1, NULL));
  g_assert_false (oc_paths_ensure (fixture->paths, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_assert_true (g_file_test (oc_paths_get_base (fixture->paths), G_FILE_TEST_IS_REGULAR));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/paths/places", test_places);
  g_test_add_func ("/paths/relative-environment-is-ignored", test_relative_environment);
  g_test_add ("/paths/ensure", Fixture, NULL, set_up, test_ensure, tear_down);
  g_test_add ("/paths/ensure-follows-no-link", Fixture, NULL, set_up, test_ensure_follows_no_link,
              tear_down);
  g_test_add ("/paths/ensure-names-a-file-in-the-way", Fixture, NULL, set_up,
              test_ensure_names_a_file_in_the_way, tear_down);
  return g_test_run ();
}
