/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/oc-json.h"

void
fixture_init (int *argc,
              char ***argv)
{
  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  g_unsetenv ("DISPLAY");
  g_unsetenv ("WAYLAND_DISPLAY");
  g_setenv ("XDG_RUNTIME_DIR", "/nonexistent", TRUE);
  g_test_init (argc, argv, NULL);
  umask (022);
}

static const char *no_mounts = "No mount namespace was entered."; /* NULL: there can be mounts */

static gboolean
write_text (const char *path,
            const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean ok = fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text);

  if (fd >= 0)
    close (fd);
  return ok;
}

void
fixture_enter_mount_namespace (void)
{
  g_autofree char *uid_map = g_strdup_printf ("%u %u 1", geteuid (), geteuid ());
  g_autofree char *gid_map = g_strdup_printf ("%u %u 1", getegid (), getegid ());

  if (unshare (geteuid () == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0)
    no_mounts = "No mount namespace can be made here.";
  else if (geteuid () != 0
           && (!write_text ("/proc/self/setgroups", "deny") || !write_text ("/proc/self/uid_map", uid_map)
               || !write_text ("/proc/self/gid_map", gid_map)))
    g_error ("The user namespace cannot be entered: %s", g_strerror (errno));
  else if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    no_mounts = "Mounts cannot be made private here.";
  else
    no_mounts = NULL;
}

gboolean
fixture_can_mount (void)
{
  if (no_mounts == NULL)
    return TRUE;
  if (g_strcmp0 (g_getenv ("OC_SANDBOX_MUST_WORK"), "1") == 0)
    g_error ("%s", no_mounts);
  g_test_skip (no_mounts);
  return FALSE;
}

static void
copy_file (const char *from,
           const char *to,
           int mode)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *data = NULL;
  gsize len;

  g_file_get_contents (from, &data, &len, &error);
  g_assert_no_error (error);
  g_file_set_contents_full (to, data, (gssize) len, G_FILE_SET_CONTENTS_NONE, mode, &error);
  g_assert_no_error (error);
}

static char *
make_folder (const char *root,
             const char *name)
{
  char *path = g_build_filename (root, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  return path;
}

static char **
make_environment (Fixture *self)
{
  static const char *const passed[] = { "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS" };
  g_autofree char *run = make_folder (self->root, "run");
  g_autofree char *share = g_build_filename (self->root, "share", NULL);
  g_autofree char *system_share = make_folder (self->root, "system");
  char **env = g_new0 (char *, 1);

  env = g_environ_setenv (env, "PATH", "/usr/bin:/bin", TRUE);
  env = g_environ_setenv (env, "LANG", "C.UTF-8", TRUE);
  env = g_environ_setenv (env, "HOME", self->root, TRUE);
  env = g_environ_setenv (env, "TMPDIR", self->tmp, TRUE);
  env = g_environ_setenv (env, "XDG_RUNTIME_DIR", run, TRUE);
  env = g_environ_setenv (env, "XDG_DATA_HOME", share, TRUE);
  env = g_environ_setenv (env, "XDG_DATA_DIRS", system_share, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (passed); i++)
    if (g_getenv (passed[i]) != NULL)
      env = g_environ_setenv (env, passed[i], g_getenv (passed[i]), TRUE);
  return env;
}

Fixture *
fixture_new (const char *const *permissions)
{
  return fixture_new_in (g_get_tmp_dir (), permissions);
}

Fixture *
fixture_new_in (const char *folder,
                const char *const *permissions)
{
  Fixture *self = g_new0 (Fixture, 1);
  g_autofree char *share = NULL;
  g_autofree char *system_share = NULL;
  g_autofree char *bin = NULL;
  const char *system_dirs[2] = { NULL };

  self->root = g_build_filename (folder, "ocelot-test-XXXXXX", NULL);
  g_assert_nonnull (g_mkdtemp (self->root));
  self->tmp = make_folder (self->root, "tmp");
  share = make_folder (self->root, "share");
  system_share = make_folder (self->root, "system");
  system_dirs[0] = system_share;
  self->paths = oc_paths_new (share, system_dirs, "/nonexistent/policy");
  self->env = make_environment (self);
  self->plugin_folder = make_folder (share, "ocelot/Plugins/" FIXTURE_ID);
  self->data_folder = g_build_filename (share, "ocelot/Data/" FIXTURE_ID, NULL);
  bin = make_folder (self->plugin_folder, "bin");

  for (guint i = 0; i < 2; i++)
    {
      const char *name = i == 0 ? "worker" : "rpc.py";
      g_autofree char *from = g_test_build_filename (G_TEST_DIST, "worker", name, NULL);
      g_autofree char *to = g_build_filename (bin, name, NULL);

      copy_file (from, to, 0755);
    }
  fixture_write_manifest (self, permissions, NULL);
  fixture_enable (self);
  return self;
}

static void
remove_tree (const char *path)
{
  g_autofree char *quoted = g_shell_quote (path);
  const char *argv[] = { "rm", "-rf", "--", path, NULL };

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
}

void
fixture_free (Fixture *self)
{
  remove_tree (self->root);
  oc_paths_unref (self->paths);
  g_strfreev (self->env);
  g_free (self->root);
  g_free (self->tmp);
  g_free (self->plugin_folder);
  g_free (self->data_folder);
  g_free (self);
}

gboolean
fixture_can_run (Fixture *self)
{
  g_autoptr (Ran) ran = fixture_run (self, "echo", NULL);

  if (ran->exit != 126)
    return TRUE;
  if (g_strcmp0 (g_getenv ("OC_SANDBOX_MUST_WORK"), "1") == 0)
    g_error ("The sandbox must work here, and does not: %s", ran->out);
  g_test_skip (ran_get (ran, "message"));
  return FALSE;
}

/* The entries are what the worker says it has. */
static char **
list_entries (Fixture *self)
{
  g_autofree char *worker = g_build_filename (self->plugin_folder, "bin", "worker", NULL);
  const char *argv[] = { worker, "--list", NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, NULL, &error);
  g_assert_no_error (error);
  return g_strsplit (g_strchomp (out), "\n", -1);
}

void
fixture_write_manifest (Fixture *self,
                        const char *const *permissions,
                        const char *extra)
{
  g_auto (GStrv) entries = list_entries (self);
  g_autofree char *path = g_build_filename (self->plugin_folder, "plugin.json", NULL);
  GString *text = g_string_new ("{\"manifestVersion\":1,\"id\":\"" FIXTURE_ID "\",\"name\":\"Test\",");

  g_string_append (text, extra ? extra : "");
  g_string_append (text, "\"version\":\"1\",\"kind\":\"process\",\"main\":\"bin/worker\",\"commands\":[");
  for (guint i = 0; entries[i] != NULL; i++)
    g_string_append_printf (text, "%s{\"id\":\"%s\",\"title\":\"%s\",\"minSelection\":0,\"maxSelection\":5,\"timeoutSeconds\":20}",
                            i ? "," : "", entries[i], entries[i]);
  g_string_append (text, ",{\"id\":\"images\",\"title\":\"images\",\"minSelection\":0,\"extensions\":[\"png\"]}");
  g_string_append (text, "],\"permissions\":[");
  for (guint i = 0; permissions != NULL && permissions[i] != NULL; i++)
    g_string_append_printf (text, "%s\"%s\"", i ? "," : "", permissions[i]);
  g_string_append (text, "]}\n");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_string_free (text, TRUE);
}

static OcPlugin *
load_plugin (Fixture *self)
{
  OcPlugin *plugin = oc_plugin_load (oc_paths_get_plugins (self->paths), FIXTURE_ID);
  GPtrArray *problems = oc_plugin_get_problems (plugin);

  if (problems->len > 0)
    {
      const OcProblem *problem = problems->pdata[0];

      g_error ("The test plugin is not valid: %s: %s", problem->place, problem->message);
    }
  return plugin;
}

void
fixture_enable (Fixture *self)
{
  g_autoptr (OcPlugin) plugin = load_plugin (self);
  g_autoptr (GError) error = NULL;

  oc_consent_enable (self->paths, plugin, "terminal", NULL, &error);
  g_assert_no_error (error);
}

void
fixture_disable (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  oc_consent_disable (self->paths, FIXTURE_ID, "terminal", NULL, NULL, &error);
  g_assert_no_error (error);
}

char *
fixture_make_file (Fixture *self,
                   const char *name,
                   const char *data,
                   gssize len)
{
  g_autofree char *folder = make_folder (self->root, "files");
  char *path = g_build_filename (folder, name, NULL);
  g_autofree char *above = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (above, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, data, len, NULL));
  return path;
}

/* Runs. */

void
ran_free (Ran *self)
{
  g_clear_pointer (&self->root, json_node_unref);
  g_free (self->out);
  g_free (self->err);
  g_free (self);
}

static GSubprocess *
start_argv (Fixture *self,
            GPtrArray *argv)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  g_subprocess_launcher_set_environ (launcher, self->env);
  if (self->child_setup != NULL)
    g_subprocess_launcher_set_child_setup (launcher, self->child_setup, NULL, NULL);
  g_ptr_array_add (argv, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &error);
  g_assert_no_error (error);
  return process;
}

static GPtrArray *
begin_argv (void)
{
  const char *program = g_getenv ("OC_TEST_LAUNCHER");
  GPtrArray *argv = g_ptr_array_new ();

  g_assert_nonnull (program);
  g_ptr_array_add (argv, (char *) program);
  return argv;
}

static GSubprocess *
start_list (Fixture *self,
            const char *entry,
            va_list list)
{
  g_autoptr (GPtrArray) argv = begin_argv ();
  const char *argument;

  g_ptr_array_add (argv, (char *) "run");
  if (geteuid () == 0)
    g_ptr_array_add (argv, (char *) "--allow-root");
  /* Marks all its processes with this home, for fixture_count_processes(). */
  g_ptr_array_add (argv, (char *) "--folder");
  g_ptr_array_add (argv, self->root);
  g_ptr_array_add (argv, (char *) FIXTURE_ID);
  g_ptr_array_add (argv, (char *) entry);
  while ((argument = va_arg (list, const char *)) != NULL)
    g_ptr_array_add (argv, (char *) argument);
  return start_argv (self, argv);
}

GSubprocess *
fixture_start (Fixture *self,
               const char *entry,
               ...)
{
  GSubprocess *process;
  va_list list;

  va_start (list, entry);
  process = start_list (self, entry, list);
  va_end (list);
  return process;
}

Ran *
fixture_wait (GSubprocess *process)
{
  Ran *self = g_new0 (Ran, 1);
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GBytes) err = NULL;
  g_autoptr (GError) error = NULL;
  gsize len;
  const char *data;

  g_subprocess_communicate (process, NULL, NULL, &out, &err, &error);
  g_assert_no_error (error);
  self->exit = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;
  data = g_bytes_get_data (err, &len);
  self->err = g_strndup (data ? data : "", len);
  data = g_bytes_get_data (out, &len);
  self->out = g_strndup (data ? data : "", len);
  if (len > 0)
    {
      /* Always one object and nothing else, and one that the client takes. */
      self->root = oc_json_parse (self->out, len, 16 * 1024 * 1024, &error);
      g_assert_no_error (error);
      g_assert_true (JSON_NODE_HOLDS_OBJECT (self->root));
    }
  return self;
}

Ran *
fixture_run (Fixture *self,
             const char *entry,
             ...)
{
  g_autoptr (GSubprocess) process = NULL;
  va_list list;

  va_start (list, entry);
  process = start_list (self, entry, list);
  va_end (list);
  return fixture_wait (process);
}

Ran *
fixture_run_argv (Fixture *self,
                  const char *const *arguments)
{
  g_autoptr (GPtrArray) argv = begin_argv ();
  g_autoptr (GSubprocess) process = NULL;

  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (char *) arguments[i]);
  process = start_argv (self, argv);
  return fixture_wait (process);
}

const char *
ran_get (Ran *self,
         const char *key)
{
  return json_object_get_string_member_with_default (json_node_get_object (self->root), key, NULL);
}

gint64
ran_get_int (Ran *self,
             const char *key)
{
  return json_object_get_int_member (json_node_get_object (self->root), key);
}

char *
ran_dup_result (Ran *self)
{
  return oc_json_to_string (json_object_get_member (json_node_get_object (self->root), "result"), FALSE);
}

JsonObject *
ran_get_result (Ran *self)
{
  return json_object_get_object_member (json_node_get_object (self->root), "result");
}

gint64
ran_count (Ran *self,
           const char *list,
           const char *permission)
{
  JsonArray *array = json_object_get_array_member (json_node_get_object (self->root), list);
  gint64 n = 0;

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);

      if (g_str_equal (json_object_get_string_member (object, "permission"), permission))
        n += json_object_get_int_member (object, "count");
    }
  return n;
}

/* Calls. */

JsonArray *
fixture_call (Fixture *self,
              const char *calls,
              const char *const *paths,
              Ran **ran_out)
{
  g_autofree char *file = g_build_filename (self->data_folder, "calls.json", NULL);
  g_autoptr (GPtrArray) argv = begin_argv ();
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) ran = NULL;
  JsonArray *array;

  g_assert_cmpint (g_mkdir_with_parents (self->data_folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, calls, -1, NULL));
  g_ptr_array_add (argv, (char *) "run");
  if (geteuid () == 0)
    g_ptr_array_add (argv, (char *) "--allow-root");
  g_ptr_array_add (argv, (char *) FIXTURE_ID);
  g_ptr_array_add (argv, (char *) "api");
  g_ptr_array_add (argv, (char *) "--");
  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    g_ptr_array_add (argv, (char *) paths[i]);
  process = start_argv (self, argv);
  ran = fixture_wait (process);
  ran_assert (ran, 0, "done");
  array = json_array_ref (json_object_get_array_member (json_node_get_object (ran->root), "result"));
  if (ran_out != NULL)
    *ran_out = g_steal_pointer (&ran);
  return array;
}

gint64
outcome_code (JsonArray *outcomes,
              guint i)
{
  return json_object_get_int_member_with_default (json_array_get_object_element (outcomes, i), "code", 0);
}

const char *
outcome_get (JsonArray *outcomes,
             guint i,
             const char *key)
{
  return json_object_get_string_member_with_default (json_array_get_object_element (outcomes, i), key, NULL);
}

/* What is left. */

static gboolean
file_mentions (const char *path,
               const char *text)
{
  g_autofree char *data = NULL;
  gsize len;

  return g_file_get_contents (path, &data, &len, NULL) && memmem (data, len, text, strlen (text)) != NULL;
}

guint
fixture_count_processes (Fixture *self)
{
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (proc)) != NULL)
    {
      g_autofree char *cmdline = g_strdup_printf ("/proc/%s/cmdline", name);
      g_autofree char *environ_path = g_strdup_printf ("/proc/%s/environ", name);

      if (g_ascii_isdigit (*name) && (file_mentions (cmdline, self->root) || file_mentions (environ_path, self->root)))
        n++;
    }
  return n;
}

guint
fixture_count_temp (Fixture *self)
{
  g_autoptr (GDir) dir = g_dir_open (self->tmp, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

gboolean
fixture_exists (Fixture *self,
                const char *name_in_data)
{
  g_autofree char *path = g_build_filename (self->data_folder, name_in_data, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}
