/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/oc-consent-private.h"
#include "core/oc-error.h"
#include "home.h"

/* What enabling, disabling, undoing and forgetting bind to, and many programs doing it at once. */

#define A "org.example.a"
#define B "org.example.b"

static char *program; /* this test's own file, for cases with several processes */

static guint
count_set_aside (Home *home)
{
  g_auto (GStrv) files = oc_consent_file_list_set_aside (home->paths);

  return g_strv_length (files);
}

/* deno GHSA-mc52-jpm2-cqh6 */
static void
test_swapped_while_shown (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) shown = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "file.readText");
  shown = home_find (home, A);
  home_add_plugin (home, A, "1", "process.spawn:sh");
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  g_assert_false (g_file_test (oc_paths_get_consent (home->paths), G_FILE_TEST_EXISTS));
  /* The same set with other words around it was not shown either. */
  g_clear_error (&error);
  home_add_plugin (home, A, "2", "file.readText");
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  /* The same bytes again: what was shown is what is there. */
  g_clear_error (&error);
  home_add_plugin (home, A, "1", "file.readText");
  g_assert_true (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_no_error (error);
}

static void
test_gone_while_shown (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) shown = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *elsewhere = g_build_filename (home->root, "elsewhere", NULL);

  home_add_plugin (home, A, "1", "");
  shown = home_find (home, A);
  g_assert_cmpint (g_rename (oc_plugin_get_folder (shown), elsewhere), ==, 0);
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  /* The same manifest, but through a link that was not there: another folder. */
  g_clear_error (&error);
  g_assert_cmpint (symlink (elsewhere, oc_plugin_get_folder (shown)), ==, 0);
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

static void
test_invalid_shadowed_blocked (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) invalid = NULL;
  g_autoptr (OcPlugin) shadowed = NULL;
  g_autoptr (OcPlugin) blocked = NULL;
  g_autoptr (OcPlugin) plain = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "no.such.permission");
  invalid = home_find (home, A);
  g_assert_false (oc_consent_enable (home->paths, invalid, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_clear_error (&error);
  home_add_plugin (home, B, "1", "process.spawn:git");
  plain = home_find (home, B);
  shadowed = oc_plugin_with_shadow (plain, "/elsewhere");
  g_assert_false (oc_consent_enable (home->paths, shadowed, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_clear_error (&error);
  home_write (home, "policy/policy.json", "{\"version\":1,\"blockPermissions\":[\"process.spawn\"]}");
  blocked = home_find (home, B);
  g_assert_false (oc_consent_enable (home->paths, blocked, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_DENIED);
  g_assert_false (g_file_test (oc_paths_get_consent (home->paths), G_FILE_TEST_EXISTS));
}

/* pnpm #12294, vscode #126746 */
static void
test_other_folder (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *plugins = g_build_filename (home->system, "ocelot", "Plugins", NULL);
  g_autofree char *user_folder = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);
  g_autofree char *moved = g_build_filename (home->root, A, NULL);

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  assert_state (home, A, "enabled");
  /* The very same bytes in the system's folder, the user's gone: another plugin. */
  g_assert_cmpint (g_rename (user_folder, moved), ==, 0);
  home_add_plugin_at (plugins, A, "1", "");
  assert_state (home, A, "disabled");
  /* The user's folder back, but as a link to where it went. */
  g_assert_cmpint (symlink (moved, user_folder), ==, 0);
  assert_state (home, A, "disabled");
  /* A link that leads to the same place as the consent says is still not the folder consented to. */
  g_assert_cmpint (g_remove (user_folder), ==, 0);
  g_assert_cmpint (g_rename (moved, user_folder), ==, 0);
  assert_state (home, A, "enabled");
}

static void
test_link_is_not_its_target (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *plugins = g_build_filename (home->system, "ocelot", "Plugins", NULL);
  g_autofree char *target = g_build_filename (plugins, A, NULL);
  g_autofree char *link_path = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);

  home_add_plugin_at (plugins, A, "1", "");
  g_assert_cmpint (symlink (target, link_path), ==, 0);
  home_enable (home, A);
  assert_state (home, A, "enabled");
  /* The same real folder, now found by itself. */
  g_assert_cmpint (g_remove (link_path), ==, 0);
  assert_state (home, A, "disabled");
}

static void
test_changed_set (void)
{
  g_autoptr (Home) home = home_new ();

  home_add_plugin (home, A, "1", "file.readText,process.spawn:git");
  home_enable (home, A);
  home_add_plugin (home, A, "2", "file.readText,process.spawn:git");
  assert_state (home, A, "enabled");
  home_add_plugin (home, A, "2", "file.readText,process.spawn:sh");
  assert_state (home, A, "needs-review");
  home_add_plugin (home, A, "2", "file.readText");
  assert_state (home, A, "needs-review");
  home_add_plugin (home, A, "3", "process.spawn:git,file.readText");
  assert_state (home, A, "enabled");
}

/* flatpak #4718 */
static void
test_forget_asks_again (void)
{
  g_autoptr (Home) home = home_new ();

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  g_assert_true (oc_consent_forget (home->paths, A, NULL, NULL));
  assert_state (home, A, "disabled");
}

static void
test_undo (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsentRecord) previous = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  before = home_record (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "window", &previous, NULL, NULL));
  g_assert_nonnull (previous);
  g_assert_true (oc_consent_undo_disable (home->paths, previous, NULL, &error));
  g_assert_no_error (error);
  after = home_record (home, A);
  g_assert_cmpstr (after, ==, before);
  assert_state (home, A, "enabled");
  /* Twice is too often: it is not disabled now. */
  g_assert_false (oc_consent_undo_disable (home->paths, previous, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

static void
test_undo_is_bound (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsentRecord) first = NULL;
  g_autoptr (OcConsentRecord) second = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "window", &first, NULL, NULL));
  /* Changed meanwhile. */
  home_add_plugin (home, A, "2", "process.spawn:git");
  g_assert_false (oc_consent_undo_disable (home->paths, first, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  g_clear_error (&error);
  /* Somebody enabled and disabled it in between: that decision stands. */
  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", &second, NULL, NULL));
  g_assert_false (oc_consent_undo_disable (home->paths, first, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  assert_state (home, A, "disabled");
  g_clear_error (&error);
  g_assert_true (oc_consent_forget (home->paths, A, NULL, NULL));
  g_assert_false (oc_consent_undo_disable (home->paths, second, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

static void
test_after_errors (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_failure_free);
  g_autofree char *long_output = g_strnfill (3 * OC_FAILURE_MAX_OUTPUT, 'x');
  gboolean disabled = FALSE;
  GPtrArray *kept;

  home_add_plugin (home, A, "1", "");
  home_add_plugin (home, B, "1", "");
  g_ptr_array_add (failures, oc_failure_new (1, "go", "crash", "signal 11\x1f\x7f\"\\\n\xff", "last \xe2\x82\xac line"));
  g_ptr_array_add (failures, oc_failure_new (2, "go", "time-out", "", long_output));
  home_enable (home, A);
  g_assert_true (oc_consent_disable_after_errors (home->paths, A, failures, &disabled, NULL, NULL));
  g_assert_true (disabled);
  /* Not enabled, or not any more: nothing is written, and somebody else did it. */
  g_assert_true (oc_consent_disable_after_errors (home->paths, A, failures, &disabled, NULL, NULL));
  g_assert_false (disabled);
  g_assert_true (oc_consent_disable_after_errors (home->paths, B, failures, &disabled, NULL, NULL));
  g_assert_false (disabled);
  g_assert_null (home_record (home, B));
  assert_state (home, A, "disabled-after-errors");
  consent = oc_consent_load (home->paths, NULL);
  kept = oc_consent_record_get_failures (oc_consent_look_up (consent, A));
  g_assert_cmpuint (kept->len, ==, 2);
  g_assert_cmpstr (((OcFailure *) kept->pdata[0])->message, ==, "signal 11\x1f\x7f\"\\\n\xef\xbf\xbd");
  g_assert_cmpstr (((OcFailure *) kept->pdata[0])->output, ==, "last \xe2\x82\xac line");
  g_assert_cmpuint (strlen (((OcFailure *) kept->pdata[1])->output), ==, OC_FAILURE_MAX_OUTPUT);
  home_enable (home, A);
  assert_state (home, A, "enabled");
}

/* A Plugins folder whose path is no UTF-8. */
static void
test_bytes_in_path (void)
{
  g_autofree char *root = g_dir_make_tmp ("ocelot-\xff\xfe-XXXXXX", NULL);
  g_autofree char *data = g_build_filename (root, "d", NULL);
  g_autofree char *policy = g_build_filename (root, "p", NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (data, NULL, policy);
  g_autoptr (Home) home = home_new ();
  g_autoptr (GError) error = NULL;
  OcPaths *own = home->paths;

  g_assert_true (oc_paths_ensure (paths, &error));
  home->paths = paths;
  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  assert_state (home, A, "enabled");
  home->paths = own;
  g_free (home->root);
  home->root = g_steal_pointer (&root);
}

/* The other process of test_many_writers(). */
static int
run_writer (const char *data,
            const char *id,
            int changes)
{
  g_autofree char *policy = g_build_filename (data, "policy", NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (data, NULL, policy);

  for (int i = 0; i < changes; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (OcPlugin) plugin = oc_plugins_find (paths, id, &error);
      gboolean ok = plugin != NULL
                    && (i % 2 == 0 ? oc_consent_enable (paths, plugin, "terminal", NULL, &error)
                                   : oc_consent_disable (paths, id, "terminal", NULL, NULL, &error));
      g_autoptr (OcConsent) consent = NULL;
      OcConsentRecord *record;

      if (!ok)
        {
          g_printerr ("%s: %s\n", id, error->message);
          return 1;
        }
      /* Nobody else changes this one, so what was written is there. */
      consent = oc_consent_load (paths, NULL);
      record = oc_consent_look_up (consent, id);
      if (record == NULL
          || oc_consent_record_get_state (record) != (i % 2 == 0 ? OC_RECORD_ENABLED : OC_RECORD_DISABLED))
        {
          g_printerr ("%s: change %d was lost (%s)\n", id, i, oc_consent_outcome_to_id (oc_consent_get_outcome (consent)));
          return 1;
        }
    }
  return 0;
}

static void
test_many_writers (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (g_object_unref);
  const int n = 8;

  for (int i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.w%d", i);
      g_autoptr (GError) error = NULL;
      GSubprocess *writer;

      home_add_plugin (home, id, "1", "process.spawn:git");
      writer = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, program, "--writer", home->data, id, "101", NULL);
      g_assert_no_error (error);
      g_ptr_array_add (writers, writer);
    }
  for (int i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;

      g_subprocess_wait_check (writers->pdata[i], NULL, &error);
      g_assert_no_error (error);
    }
  for (int i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.w%d", i);

      assert_state (home, id, "enabled");
    }
  g_assert_cmpuint (count_set_aside (home), ==, 0);
}

static void
test_lock_is_bounded (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (OcFd) held = oc_consent_file_lock (home->paths, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (held, >=, 0);
  g_cancellable_cancel (cancellable);
  g_assert_cmpint (oc_consent_file_lock (home->paths, cancellable, &error), ==, -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  oc_fd_close (&held);
  held = oc_consent_file_lock (home->paths, NULL, NULL);
  g_assert_cmpint (held, >=, 0);
}

static gpointer
wait_for_lock (gpointer paths)
{
  return GINT_TO_POINTER (oc_consent_file_lock (paths, NULL, NULL));
}

/* How many descriptors this process has of the file at @path. */
static guint
count_open (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *link = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *target = g_file_read_link (link, NULL);

      n += g_strcmp0 (target, path) == 0;
    }
  return n;
}

/* Somebody tidies up: whoever waits for the lock that lost its name must not hold one together with whoever came after. */
static void
test_lock_removed (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *path = g_build_filename (oc_paths_get_base (home->paths), "consent.lock", NULL);
  g_auto (OcFd) first = oc_consent_file_lock (home->paths, NULL, NULL);
  g_auto (OcFd) second = -1;
  g_auto (OcFd) waited = -1;
  gint64 deadline = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
  GThread *waiter;
  struct flock probe = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  GStatBuf held, named;

  g_assert_cmpint (first, >=, 0);
  waiter = g_thread_new ("waiter", wait_for_lock, home->paths);
  while (count_open (path) < 2 && g_get_monotonic_time () < deadline)
    g_thread_yield ();
  g_assert_cmpuint (count_open (path), ==, 2);
  g_assert_no_errno (g_unlink (path));
  second = oc_consent_file_lock (home->paths, NULL, NULL);
  oc_fd_close (&first);
  oc_fd_close (&second);
  waited = GPOINTER_TO_INT (g_thread_join (waiter));
  g_assert_cmpint (waited, >=, 0);
  /* It is the file that everybody else would open. */
  g_assert_no_errno (fstat (waited, &held));
  g_assert_no_errno (g_lstat (path, &named));
  g_assert_true (held.st_ino == named.st_ino);
  second = g_open (path, O_RDWR | O_CLOEXEC, 0);
  g_assert_cmpint (fcntl (second, F_OFD_SETLK, &probe), ==, -1);
}

static void
test_read_only_folder (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize len;

  if (geteuid () == 0)
    {
      g_test_skip ("uid 0 writes to read-only folders; the same case runs as an ordinary user");
      return;
    }
  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  before = home_read_consent (home, &len);
  g_assert_cmpint (g_chmod (oc_paths_get_base (home->paths), 0500), ==, 0);
  plugin = home_find (home, A);
  g_assert_false (oc_consent_enable (home->paths, plugin, "terminal", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  after = home_read_consent (home, &len);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpint (g_chmod (oc_paths_get_base (home->paths), 0700), ==, 0);
}

#define BODY_OF(kind)                                                                                                        \
  "{\"manifestVersion\":1,\"id\":\"" A "\",\"kind\":\"" kind "\",\"main\":\"bin/worker\",\"entry\":\"bin/worker\","         \
  "\"addons\":[],\"commands\":[{\"id\":\"go\"}],\"permissions\":[]}"

/* The same set, and yet more: a process reads whatever the user can, a script nothing. */
static void
test_other_kind (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsentRecord) previous = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "");
  home_write (home, "data/ocelot/Plugins/" A "/plugin.json", BODY_OF ("script"));
  home_enable (home, A);
  assert_state (home, A, "enabled");
  home_write (home, "data/ocelot/Plugins/" A "/plugin.json", BODY_OF ("process"));
  assert_state (home, A, "needs-review");
  /* Control: the same kind with other words around it. */
  home_write (home, "data/ocelot/Plugins/" A "/plugin.json", BODY_OF ("script") "\n");
  assert_state (home, A, "enabled");
  /* Nor does Undo give it back to another kind. */
  g_assert_true (oc_consent_disable (home->paths, A, "window", &previous, NULL, NULL));
  home_write (home, "data/ocelot/Plugins/" A "/plugin.json", BODY_OF ("process"));
  g_assert_false (oc_consent_undo_disable (home->paths, previous, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

/* One file that is good in both formats: its bytes, and so its digest, do not tell which one was reviewed. */
static void
test_other_format (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) shown = NULL;
  g_autoptr (OcConsentRecord) previous = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);
  g_autofree char *addon = g_build_filename (folder, "manifest.json", NULL);
  g_autofree char *process = g_build_filename (folder, "plugin.json", NULL);

  home_add_plugin (home, A, "1", "");
  home_write (home, "data/ocelot/Plugins/" A "/plugin.json", BODY_OF ("process"));
  g_assert_no_errno (g_rename (process, addon));
  shown = home_find (home, A);
  g_assert_cmpint (oc_manifest_get_kind (oc_plugin_get_manifest (shown)), ==, OC_PLUGIN_KIND_ADDON);
  /* Renamed between showing and enabling. */
  g_assert_no_errno (g_rename (addon, process));
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  g_clear_error (&error);
  /* Renamed afterwards. */
  g_assert_no_errno (g_rename (process, addon));
  g_assert_true (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_no_error (error);
  assert_state (home, A, "enabled");
  g_assert_no_errno (g_rename (addon, process));
  assert_state (home, A, "needs-review");
  g_assert_no_errno (g_rename (process, addon));
  g_assert_true (oc_consent_disable (home->paths, A, "window", &previous, NULL, NULL));
  g_assert_no_errno (g_rename (addon, process));
  g_assert_false (oc_consent_undo_disable (home->paths, previous, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

/* flatpak #4718, where nothing of ours sees the removal: in a file manager, or with rm. */
static void
test_installed_again (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) shown = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);
  g_autofree char *away = g_build_filename (home->root, "away", NULL);
  const char *const remove[] = { "rm", "-rf", folder, NULL };

  home_add_plugin (home, A, "1", "file.readText");
  shown = home_find (home, A);
  if (oc_plugin_get_born (shown) == NULL)
    {
      g_test_skip ("this file system does not keep when a folder was made");
      return;
    }
  home_enable (home, A);
  /* Controls: another version put into the same folder, and the folder away and back. */
  home_add_plugin (home, A, "2", "file.readText");
  assert_state (home, A, "enabled");
  g_assert_no_errno (g_rename (folder, away));
  g_assert_no_errno (g_rename (away, folder));
  assert_state (home, A, "enabled");

  g_assert_true (g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  home_add_plugin (home, A, "2", "file.readText");
  assert_state (home, A, "disabled");
  /* What was shown is another folder's, although every byte is the same. */
  home_add_plugin (home, A, "1", "file.readText");
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  home_enable (home, A);
  assert_state (home, A, "enabled");
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  if (argc == 5 && strcmp (argv[1], "--writer") == 0)
    return run_writer (argv[2], argv[3], atoi (argv[4]));
  program = g_file_read_link ("/proc/self/exe", NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/consent-changes/swapped-while-shown", test_swapped_while_shown);
  g_test_add_func ("/consent-changes/gone-while-shown", test_gone_while_shown);
  g_test_add_func ("/consent-changes/invalid-shadowed-blocked", test_invalid_shadowed_blocked);
  g_test_add_func ("/consent-changes/belongs-to-one-folder", test_other_folder);
  g_test_add_func ("/consent-changes/a-link-is-not-its-target", test_link_is_not_its_target);
  g_test_add_func ("/consent-changes/compares-whole-sets", test_changed_set);
  g_test_add_func ("/consent-changes/another-kind-is-another-grant", test_other_kind);
  g_test_add_func ("/consent-changes/another-format-is-another-grant", test_other_format);
  g_test_add_func ("/consent-changes/installed-again-asks-again", test_installed_again);
  g_test_add_func ("/consent-changes/forgotten-asks-again", test_forget_asks_again);
  g_test_add_func ("/consent-changes/undo", test_undo);
  g_test_add_func ("/consent-changes/undo-is-bound-to-its-disable", test_undo_is_bound);
  g_test_add_func ("/consent-changes/after-errors", test_after_errors);
  g_test_add_func ("/consent-changes/any-bytes-in-a-path", test_bytes_in_path);
  g_test_add_func ("/consent-changes/many-writers", test_many_writers);
  g_test_add_func ("/consent-changes/lock-is-bounded", test_lock_is_bounded);
  g_test_add_func ("/consent-changes/lock-was-removed", test_lock_removed);
  g_test_add_func ("/consent-changes/read-only-folder", test_read_only_folder);
  return g_test_run ();
}
