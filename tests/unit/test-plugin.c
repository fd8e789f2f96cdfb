/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-plugin.h"

typedef struct
{
  char *root;
  char *user; /* Plugins folders */
  char *system;
  OcPaths *paths;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autofree char *home = NULL;
  g_autofree char *share = NULL;
  const char *dirs[2] = { NULL };

  fixture->root = g_dir_make_tmp ("oc-plugin-XXXXXX", NULL);
  home = g_build_filename (fixture->root, "home", NULL);
  share = g_build_filename (fixture->root, "share", NULL);
  dirs[0] = share;
  fixture->paths = oc_paths_new (home, dirs, "/nowhere");
  fixture->user = g_strdup (oc_paths_get_plugins (fixture->paths));
  fixture->system = g_strdup (oc_paths_get_system_plugins (fixture->paths)[0]);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        g_chmod (path, 0700);
      dir = g_dir_open (path, 0, NULL);
    }
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
  g_free (fixture->user);
  g_free (fixture->system);
}

static void
write_file (const char *folder,
            const char *name,
            const char *text,
            int mode)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, mode), ==, 0);
}

/* Returns the plugin's folder. */
static char *
install (const char *plugins,
         const char *id)
{
  g_autofree char *text = g_strdup_printf (
      "{\"manifestVersion\":1,\"id\":\"%s\",\"kind\":\"process\",\"main\":\"bin/worker\","
      "\"commands\":[{\"id\":\"go\"}],\"permissions\":[\"openURL\"]}",
      id);
  char *folder = g_build_filename (plugins, id, NULL);

  write_file (folder, "plugin.json", text, 0644);
  write_file (folder, "bin/worker", "#!/bin/sh\n", 0755);
  return folder;
}

static void
assert_valid (OcPlugin *plugin)
{
  GPtrArray *problems = oc_plugin_get_problems (plugin);

  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      g_error ("%s: %s", problem->place, problem->message);
    }
}

/* @says: part of the message */
static void
assert_problem (OcPlugin *plugin,
                const char *says)
{
  GPtrArray *problems = oc_plugin_get_problems (plugin);

  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      if (strstr (problem->message, says) != NULL)
        return;
    }
  g_error ("%s: no problem says “%s”, of %u", oc_plugin_get_id (plugin), says, problems->len);
}

static OcPlugin *
find (Fixture *fixture,
      const char *id)
{
  g_autoptr (GError) error = NULL;
  OcPlugin *plugin = oc_plugins_find (fixture->paths, id, &error);

  g_assert_no_error (error);
  return plugin;
}

static GPtrArray *
scan (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *plugins = oc_plugins_scan (fixture->paths, NULL, &error);

  g_assert_no_error (error);
  return plugins;
}

static void
test_loads (Fixture *fixture,
            gconstpointer data)
{
  g_autofree char *folder = install (fixture->user, "org.example.Good");
  g_autofree char *real = realpath (folder, NULL);
  g_autoptr (OcPlugin) plugin = find (fixture, "org.example.Good");
  g_autoptr (OcPlugin) again = oc_plugin_load (fixture->user, "org.example.Good");

  assert_valid (plugin);
  g_assert_cmpstr (oc_plugin_get_id (plugin), ==, "org.example.Good");
  g_assert_cmpstr (oc_plugin_get_folder (plugin), ==, folder);
  g_assert_cmpstr (oc_plugin_get_real_folder (plugin), ==, real);
  g_assert_false (oc_plugin_is_symlink (plugin));
  g_assert_null (oc_plugin_get_shadowed_by (plugin));
  g_assert_true (oc_plugin_equal (plugin, again));

  write_file (folder, "plugin.json", "{}", 0644);
  g_clear_pointer (&again, oc_plugin_unref);
  again = oc_plugin_load (fixture->user, "org.example.Good");
  g_assert_false (oc_plugin_equal (plugin, again));
}

static void
test_no_folder (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (GPtrArray) plugins = scan (fixture);
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlugin) plugin = oc_plugin_load (fixture->user, "org.example.None");

  g_assert_cmpuint (plugins->len, ==, 0);
  g_assert_null (oc_plugins_find (fixture->paths, "org.example.None", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (oc_plugins_find (fixture->paths, "../../etc", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_assert_cmpuint (oc_plugin_get_problems (plugin)->len, >, 0);
}

static void
test_unreadable_folder (Fixture *fixture,
                        gconstpointer data)
{
  g_autofree char *base = g_path_get_dirname (fixture->user);
  gboolean is_root = geteuid () == 0;
  g_autoptr (GError) error = NULL;

  write_file (base, "Plugins", "a file", 0644);
  g_assert_null (oc_plugins_scan (fixture->paths, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_assert_nonnull (strstr (error->message, fixture->user));
  g_clear_error (&error);
  g_assert_null (oc_plugins_find (fixture->paths, "org.example.X", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_clear_error (&error);

  /* Not allowed is not the same as not there. */
  g_assert_cmpint (g_remove (fixture->user), ==, 0);
  g_assert_cmpint (g_mkdir (fixture->user, 0), ==, 0);
  /* The super-user may read everything: be somebody else for a moment. */
  if (is_root)
    g_assert_cmpint (seteuid (65534), ==, 0);
  g_assert_null (oc_plugins_scan (fixture->paths, NULL, &error));
  if (is_root)
    g_assert_cmpint (seteuid (0), ==, 0);
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
}

static void
test_names (Fixture *fixture,
            gconstpointer data)
{
  static const char *const names[] = { "", ".", "..", "a/b", "../x", "/etc" };

  g_assert_cmpint (g_mkdir_with_parents (fixture->user, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (OcPlugin) plugin = oc_plugin_load (fixture->user, names[i]);

      g_assert_cmpuint (oc_plugin_get_problems (plugin)->len, >, 0);
    }
}

static void
test_what_counts_as_plugin (Fixture *fixture,
                            gconstpointer data)
{
  g_autofree char *good = install (fixture->user, "org.example.Good");
  g_autofree char *hidden = install (fixture->user, ".hidden.Plugin");
  g_autofree char *empty = g_build_filename (fixture->user, "org.example.Empty", NULL);
  g_autofree char *dangling = g_build_filename (fixture->user, "org.example.Dangling", NULL);
  g_autofree char *odd = g_build_filename (fixture->user, "odd\xff\x1b", NULL);
  g_autoptr (GPtrArray) plugins = NULL;

  write_file (fixture->user, "org.example.File", "{}", 0644);
  g_assert_cmpint (g_mkdir (empty, 0755), ==, 0);
  g_assert_cmpint (g_mkdir (odd, 0755), ==, 0);
  g_assert_cmpint (symlink ("/nowhere/at/all", dangling), ==, 0);

  plugins = scan (fixture);
  g_assert_cmpuint (plugins->len, ==, 4);
  g_assert_cmpstr (oc_plugin_get_id (g_ptr_array_index (plugins, 0)), ==, "odd\xff\x1b");
  g_assert_cmpstr (oc_plugin_get_id (g_ptr_array_index (plugins, 1)), ==, "org.example.Dangling");
  assert_problem (g_ptr_array_index (plugins, 1), "link");
  g_assert_true (oc_plugin_is_symlink (g_ptr_array_index (plugins, 1)));
  g_assert_cmpstr (oc_plugin_get_id (g_ptr_array_index (plugins, 2)), ==, "org.example.Empty");
  assert_problem (g_ptr_array_index (plugins, 2), "no plugin.json");
  assert_valid (g_ptr_array_index (plugins, 3));
}

static void
test_symlinked_plugin (Fixture *fixture,
                       gconstpointer data)
{
  g_autofree char *elsewhere = g_build_filename (fixture->root, "elsewhere", NULL);
  g_autofree char *target = install (elsewhere, "org.example.Linked");
  g_autofree char *real = realpath (target, NULL);
  g_autofree char *link = g_build_filename (fixture->user, "org.example.Linked", NULL);
  g_autoptr (OcPlugin) plugin = NULL;

  g_assert_cmpint (g_mkdir_with_parents (fixture->user, 0700), ==, 0);
  g_assert_cmpint (symlink (target, link), ==, 0);
  plugin = find (fixture, "org.example.Linked");
  assert_valid (plugin);
  g_assert_true (oc_plugin_is_symlink (plugin));
  g_assert_cmpstr (oc_plugin_get_folder (plugin), ==, link);
  g_assert_cmpstr (oc_plugin_get_real_folder (plugin), ==, real);
}

static void
test_odd_manifests (Fixture *fixture,
                    gconstpointer data)
{
  g_autofree char *folder = install (fixture->user, "org.example.Odd");
  g_autofree char *manifest = g_build_filename (folder, "plugin.json", NULL);
  g_autofree char *moved = g_build_filename (folder, "moved.json", NULL);
  g_autofree char *large = g_malloc (OC_JSON_MAX_BYTES + 2);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd;

  g_assert_cmpint (g_rename (manifest, moved), ==, 0);
  for (guint i = 0; i < 6; i++)
    {
      g_autoptr (OcPlugin) plugin = NULL;

      switch (i)
        {
        case 0: /* a link, although to a good one beside it */
          g_assert_cmpint (symlink ("moved.json", manifest), ==, 0);
          break;
        case 1: /* nobody ever writes to it */
          g_assert_cmpint (mkfifo (manifest, 0644), ==, 0);
          break;
        case 2:
          g_assert_cmpint (g_mkdir (manifest, 0755), ==, 0);
          break;
        case 3:
          memset (large, ' ', OC_JSON_MAX_BYTES + 1);
          large[OC_JSON_MAX_BYTES + 1] = '\0';
          g_assert_true (g_file_set_contents (manifest, large, -1, NULL));
          break;
        case 4:
          fd = socket (AF_UNIX, SOCK_STREAM, 0);
          g_strlcpy (address.sun_path, manifest, sizeof address.sun_path);
          g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
          close (fd);
          break;
        case 5:
          g_assert_cmpint (symlink ("/dev/zero", manifest), ==, 0);
          break;
        default:
          g_assert_not_reached ();
        }
      plugin = find (fixture, "org.example.Odd");
      g_assert_cmpuint (oc_plugin_get_problems (plugin)->len, ==, 1);
      assert_problem (plugin, i == 0 || i == 5 ? "link" : i == 3 ? "1 MiB" : "no regular file");
      g_assert_cmpint (g_remove (manifest), ==, 0);
    }

  /* The control. */
  g_assert_cmpint (g_rename (moved, manifest), ==, 0);
  {
    g_autoptr (OcPlugin) plugin = find (fixture, "org.example.Odd");

    assert_valid (plugin);
  }
}

static void
test_largest_manifest (Fixture *fixture,
                       gconstpointer data)
{
  g_autofree char *folder = install (fixture->user, "org.example.Large");
  g_autofree char *manifest = g_build_filename (folder, "plugin.json", NULL);
  g_autofree char *text = NULL;
  g_autofree char *large = g_malloc (OC_JSON_MAX_BYTES + 1);
  g_autoptr (OcPlugin) plugin = NULL;
  gsize len;

  g_assert_true (g_file_get_contents (manifest, &text, &len, NULL));
  memset (large, ' ', OC_JSON_MAX_BYTES);
  large[OC_JSON_MAX_BYTES] = '\0';
  memcpy (large, text, len);
  g_assert_true (g_file_set_contents (manifest, large, -1, NULL));
  plugin = find (fixture, "org.example.Large");
  assert_valid (plugin);
}

static void
test_both_manifests (Fixture *fixture,
                     gconstpointer data)
{
  g_autofree char *folder = install (fixture->user, "org.example.Both");
  g_autoptr (OcPlugin) plugin = NULL;

  write_file (folder, "manifest.json",
              "{\"manifestVersion\":1,\"entry\":\"bin/worker\",\"addons\":[]}", 0644);
  plugin = find (fixture, "org.example.Both");
  assert_problem (plugin, "which of them counts");
  g_assert_cmpstr (oc_manifest_get_file_name (oc_plugin_get_manifest (plugin)), ==, "plugin.json");
}

static void
test_main (Fixture *fixture,
           gconstpointer data)
{
  g_autofree char *folder = install (fixture->user, "org.example.Main");
  g_autofree char *main_file = g_build_filename (folder, "bin", "worker", NULL);
  g_autofree char *bin = g_build_filename (folder, "bin", NULL);
  g_autofree char *moved = g_build_filename (folder, "moved", NULL);
  g_autoptr (OcPlugin) plugin = NULL;

  g_assert_cmpint (g_chmod (main_file, 0644), ==, 0);
  plugin = find (fixture, "org.example.Main");
  assert_problem (plugin, "“bin/worker” is not executable");
  /* The bytes are fine; it is the folder that is not. */
  g_assert_true (oc_manifest_is_valid (oc_plugin_get_manifest (plugin)));
  g_clear_pointer (&plugin, oc_plugin_unref);

  g_assert_cmpint (g_remove (main_file), ==, 0);
  plugin = find (fixture, "org.example.Main");
  assert_problem (plugin, "“bin/worker” is not there");
  g_clear_pointer (&plugin, oc_plugin_unref);

  g_assert_cmpint (symlink ("/bin/sh", main_file), ==, 0);
  plugin = find (fixture, "org.example.Main");
  assert_problem (plugin, "link");
  g_clear_pointer (&plugin, oc_plugin_unref);

  g_assert_cmpint (g_rename (bin, moved), ==, 0);
  g_assert_cmpint (symlink ("moved", bin), ==, 0);
  plugin = find (fixture, "org.example.Main");
  assert_problem (plugin, "link");
  g_clear_pointer (&plugin, oc_plugin_unref);

  g_assert_cmpint (g_remove (bin), ==, 0);
  g_assert_cmpint (g_mkdir (bin, 0755), ==, 0);
  g_assert_cmpint (g_mkdir (main_file, 0755), ==, 0);
  plugin = find (fixture, "org.example.Main");
  assert_problem (plugin, "no regular file");
  g_clear_pointer (&plugin, oc_plugin_unref);

  g_assert_cmpint (g_remove (main_file), ==, 0);
  write_file (folder, "bin/worker", "#!/bin/sh\n", 0755);
  plugin = find (fixture, "org.example.Main");
  assert_valid (plugin);
}

static void
test_shadowing (Fixture *fixture,
                gconstpointer data)
{
  g_autofree char *mine = install (fixture->user, "org.example.Same");
  g_autofree char *theirs = install (fixture->system, "org.example.Same");
  g_autofree char *only = install (fixture->system, "org.example.Only");
  g_autoptr (GPtrArray) plugins = scan (fixture);
  g_autoptr (OcPlugin) found = find (fixture, "org.example.Same");
  OcPlugin *shadowed;

  g_assert_cmpuint (plugins->len, ==, 3);
  g_assert_cmpstr (oc_plugin_get_folder (g_ptr_array_index (plugins, 0)), ==, mine);
  g_assert_null (oc_plugin_get_shadowed_by (g_ptr_array_index (plugins, 0)));
  g_assert_cmpstr (oc_plugin_get_folder (g_ptr_array_index (plugins, 1)), ==, only);
  shadowed = g_ptr_array_index (plugins, 2);
  g_assert_cmpstr (oc_plugin_get_folder (shadowed), ==, theirs);
  g_assert_cmpstr (oc_plugin_get_shadowed_by (shadowed), ==, mine);
  g_assert_cmpstr (oc_plugin_get_folder (found), ==, mine);

  /* The system's does not come forward where the user's is only broken. */
  write_file (mine, "plugin.json", "{", 0644);
  g_clear_pointer (&found, oc_plugin_unref);
  found = find (fixture, "org.example.Same");
  g_assert_cmpstr (oc_plugin_get_folder (found), ==, mine);
  g_assert_cmpuint (oc_plugin_get_problems (found)->len, >, 0);
}

static void
test_case_clash (Fixture *fixture,
                 gconstpointer data)
{
  g_autofree char *upper = install (fixture->user, "org.example.Clash");
  g_autofree char *lower = install (fixture->user, "org.example.clash");
  g_autofree char *other = install (fixture->user, "org.example.Other");
  g_autofree char *system = install (fixture->system, "ORG.example.Other");
  g_autofree char *alone = install (fixture->system, "org.example.Alone");
  g_autoptr (GPtrArray) plugins = scan (fixture);
  g_autoptr (OcPlugin) a = find (fixture, "org.example.Clash");
  g_autoptr (OcPlugin) b = find (fixture, "org.example.clash");
  g_autoptr (OcPlugin) c = find (fixture, "ORG.example.Other");
  g_autoptr (OcPlugin) d = find (fixture, "org.example.Alone");

  g_assert_cmpuint (plugins->len, ==, 5);
  for (guint i = 0; i < plugins->len; i++)
    {
      OcPlugin *plugin = g_ptr_array_index (plugins, i);

      if (g_str_equal (oc_plugin_get_folder (plugin), alone))
        assert_valid (plugin);
      else
        assert_problem (plugin, "only in capitals");
    }
  assert_problem (a, lower);
  assert_problem (b, upper);
  assert_problem (c, other);
  assert_valid (d);
}

static void
test_cancelled (Fixture *fixture,
                gconstpointer data)
{
  g_autofree char *folder = install (fixture->user, "org.example.Good");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (oc_plugins_scan (fixture->paths, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Not a limit but a guard: a scan must not become quadratic or leak descriptors. Figures come from
 * `--verbose`. */
static void
test_many (Fixture *fixture,
           gconstpointer data)
{
  guint n = g_test_perf () ? 10000 : 1500;
  g_autoptr (GPtrArray) plugins = NULL;
  gint64 began;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.Plugin%u", i);
      g_autofree char *folder = install (fixture->user, id);
    }
  began = g_get_monotonic_time ();
  plugins = scan (fixture);
  g_test_message ("%u plugins in %.3f s", n,
                  (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC);
  g_assert_cmpuint (plugins->len, ==, n);
  for (guint i = 0; i < n; i++)
    assert_valid (g_ptr_array_index (plugins, i));
  {
    g_autofree char *fds = g_strdup_printf ("/proc/self/fd/%d", 64);

    g_assert_false (g_file_test (fds, G_FILE_TEST_EXISTS));
  }
}

int
main (int argc,
      char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *, gconstpointer);
  } tests[] = {
    { "/plugin/loads", test_loads },
    { "/plugin/no-folder-is-empty", test_no_folder },
    { "/plugin/unreadable-folder-is-an-error", test_unreadable_folder },
    { "/plugin/names-are-one-part", test_names },
    { "/plugin/what-counts-as-plugin", test_what_counts_as_plugin },
    { "/plugin/symlink-is-marked", test_symlinked_plugin },
    { "/plugin/odd-manifests", test_odd_manifests },
    { "/plugin/largest-manifest", test_largest_manifest },
    { "/plugin/both-manifests", test_both_manifests },
    { "/plugin/main-is-looked-at", test_main },
    { "/plugin/shadowing", test_shadowing },
    { "/plugin/case-clash", test_case_clash },
    { "/plugin/cancelled", test_cancelled },
    { "/plugin/many", test_many },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
