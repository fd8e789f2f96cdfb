/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-launch.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-launch-private.h"

/* The self-test makes one sandbox and tries each layer: well under a second. */
#define CHECK_TIMEOUT_US (30 * G_USEC_PER_SEC)

struct _OcLauncher
{
  char *path;
  gint allow_root; /* atomic */
};

/* In an uninstalled build every program lies in the build folder, which oc-config.h marks; the launcher is the one built
 * together with this program. Whoever could plant another could as well have changed this program. */
static char *
find_in_build (const char *program)
{
  g_autofree char *folder = g_path_get_dirname (program);

  while (strcmp (folder, "/") != 0)
    {
      g_autofree char *mark = g_build_filename (folder, "oc-config.h", NULL);
      char *parent;

      if (g_file_test (mark, G_FILE_TEST_IS_REGULAR))
        return g_build_filename (folder, "app", "launcher", "ocelot-launcher", NULL);
      parent = g_path_get_dirname (folder);
      g_free (folder);
      folder = parent;
    }
  return NULL;
}

static char *
find_launcher (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;
  char *built = NULL;

  if (folder != NULL && strcmp (folder, OC_BINDIR) != 0 && strcmp (folder, OC_LIBEXECDIR) != 0)
    built = find_in_build (program);
  return built != NULL ? built : g_build_filename (OC_LIBEXECDIR, "ocelot-launcher", NULL);
}

OcLauncher *
oc_launcher_new (const char *path)
{
  OcLauncher *self = g_atomic_rc_box_new0 (OcLauncher);

  self->path = path != NULL ? g_strdup (path) : find_launcher ();
  return self;
}

static void
launcher_clear (gpointer data)
{
  g_free (((OcLauncher *) data)->path);
}

OcLauncher *
oc_launcher_ref (OcLauncher *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_launcher_unref (OcLauncher *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, launcher_clear);
}

void
oc_launcher_set_allow_root (OcLauncher *self,
                            gboolean allow_root)
{
  g_return_if_fail (self != NULL);
  g_atomic_int_set (&self->allow_root, allow_root != FALSE);
}

/* Debian and Ubuntu give each user a group of the same name and, with that, files that the group may write: nobody else is
 * in it. */
static gboolean
is_own_group (gid_t gid)
{
  char buffer[16384], user_buffer[4096];
  struct passwd user, *found_user = NULL;
  struct group group, *found = NULL;

  if (getpwuid_r (geteuid (), &user, user_buffer, sizeof user_buffer, &found_user) != 0 || found_user == NULL
      || getgrgid_r (gid, &group, buffer, sizeof buffer, &found) != 0 || found == NULL)
    return FALSE;
  if (user.pw_gid != gid || strcmp (user.pw_name, group.gr_name) != 0)
    return FALSE;
  for (char **member = group.gr_mem; *member != NULL; member++)
    if (strcmp (*member, user.pw_name) != 0)
      return FALSE;
  return TRUE;
}

/* Whether @uid stands for users who have no number here, root among them: so it is inside of a user namespace, as bubblewrap and
 * containers make them, where everything that root owns is shown like this. That such a file belongs to somebody else again
 * cannot be told; but whoever can put one in the place of the launcher can do so with the program that looks. */
static gboolean
is_unmapped_owner (uid_t uid)
{
  g_autofree char *overflow = NULL;
  g_autofree char *map = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/sys/kernel/overflowuid", &overflow, NULL, NULL)
      || g_ascii_strtoull (overflow, NULL, 10) != uid || !g_file_get_contents ("/proc/self/uid_map", &map, NULL, NULL))
    return FALSE;
  lines = g_strsplit (map, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      unsigned long long inside, outside, count;

      if (sscanf (lines[i], "%llu %llu %llu", &inside, &outside, &count) == 3 && uid >= inside && uid - inside < count)
        return FALSE;
    }
  return TRUE;
}

const char *
oc_launcher_get_path (OcLauncher *self,
                      GError **error)
{
  const char *fault = NULL;
  struct stat status;

  g_return_val_if_fail (self != NULL, NULL);
  if (!g_path_is_absolute (self->path))
    fault = _ ("its path is not absolute");
  else if (stat (self->path, &status) < 0)
    fault = errno == ENOENT ? _ ("it is not there") : g_strerror (errno);
  else if (!S_ISREG (status.st_mode))
    fault = _ ("it is not a regular file");
  else if (status.st_uid != 0 && status.st_uid != geteuid () && !is_unmapped_owner (status.st_uid))
    fault = _ ("it belongs to another user");
  else if ((status.st_mode & S_IWOTH) != 0
           || ((status.st_mode & S_IWGRP) != 0 && status.st_gid != 0 && !is_own_group (status.st_gid)))
    fault = _ ("other users may write it");
  else if (access (self->path, X_OK) < 0)
    fault = _ ("it is not executable");
  if (fault == NULL)
    return self->path;
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               _ ("The launcher “%s” cannot be used: %s. Nothing ran. Install Ocelot Plugins again."), self->path, fault);
  return NULL;
}

static GPtrArray *
begin_argv (OcLauncher *self,
            const char *command,
            GError **error)
{
  const char *path = oc_launcher_get_path (self, error);
  GPtrArray *argv;

  if (path == NULL)
    return NULL;
  argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup (path));
  g_ptr_array_add (argv, g_strdup (command));
  return argv;
}

static void
add_option (GPtrArray *argv,
            const char *option,
            const char *value)
{
  if (value == NULL)
    return;
  /* One word, so that no value can be taken for an option. */
  g_ptr_array_add (argv, g_strdup_printf ("%s=%s", option, value));
}

static GPtrArray *
run_argv (OcLauncher *self,
          const OcLaunchRequest *request,
          GError **error)
{
  g_autofree char *timeout = request->timeout_ms > 0 ? g_strdup_printf ("%u", request->timeout_ms) : NULL;
  GPtrArray *argv;

  /* The only two words before "--" that come from elsewhere. */
  if (request->plugin == NULL || request->entry == NULL || request->plugin[0] == '-' || request->entry[0] == '-'
      || request->plugin[0] == '\0' || request->entry[0] == '\0')
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID,
                           _ ("A run needs the id of a plugin and of an entry, neither beginning with “-”. Nothing ran."));
      return NULL;
    }
  argv = begin_argv (self, "run", error);
  if (argv == NULL)
    return NULL;
  g_ptr_array_add (argv, g_strdup (request->plugin));
  g_ptr_array_add (argv, g_strdup (request->entry));
  add_option (argv, "--timeout", timeout);
  add_option (argv, "--surface", request->surface);
  add_option (argv, "--folder", request->folder);
  if (g_atomic_int_get (&self->allow_root))
    g_ptr_array_add (argv, g_strdup ("--allow-root"));
  g_ptr_array_add (argv, g_strdup ("--"));
  for (gsize i = 0; request->paths != NULL && request->paths[i] != NULL; i++)
    g_ptr_array_add (argv, g_strdup (request->paths[i]));
  g_ptr_array_add (argv, NULL);
  return argv;
}

static OcRunResult *
run_argv_to_end (GPtrArray *argv,
                 GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (OcLaunchAnswer) answer
      = oc_launch_process ((const char *const *) argv->pdata, 0, cancellable, error);

  return answer != NULL ? oc_run_result_parse (answer, error) : NULL;
}

OcRunResult *
oc_launcher_run (OcLauncher *self,
                 const OcLaunchRequest *request,
                 GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (GPtrArray) argv = NULL;

  g_return_val_if_fail (self != NULL && request != NULL, NULL);
  argv = run_argv (self, request, error);
  return argv != NULL ? run_argv_to_end (argv, cancellable, error) : NULL;
}

/* A run lasts up to an hour; GTask's threads are few and for short work, so each run has its own. */
static gpointer
run_thread (gpointer data)
{
  GTask *task = data;
  GError *error = NULL;
  OcRunResult *result = run_argv_to_end (g_task_get_task_data (task), g_task_get_cancellable (task), &error);

  if (result != NULL)
    g_task_return_pointer (task, result, (GDestroyNotify) oc_run_result_unref);
  else
    g_task_return_error (task, error);
  g_object_unref (task);
  return NULL;
}

void
oc_launcher_run_async (OcLauncher *self,
                       const OcLaunchRequest *request,
                       GCancellable *cancellable,
                       GAsyncReadyCallback callback,
                       gpointer user_data)
{
  GTask *task;
  GPtrArray *argv;
  GError *error = NULL;

  g_return_if_fail (self != NULL && request != NULL);
  task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (task, oc_launcher_run_async);
  /* A cancelled run still has a result: what it did until then. */
  g_task_set_check_cancellable (task, FALSE);
  argv = run_argv (self, request, &error);
  if (argv == NULL)
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  g_task_set_task_data (task, argv, (GDestroyNotify) g_ptr_array_unref);
  g_thread_unref (g_thread_new ("oc-run", run_thread, task));
}

OcRunResult *
oc_launcher_run_finish (OcLauncher *self,
                        GAsyncResult *result,
                        GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

static OcSandboxReport *
check (OcLauncher *self,
       GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) argv = begin_argv (self, "check", &error);
  g_autoptr (OcLaunchAnswer) answer = NULL;
  OcSandboxReport *report = NULL;

  if (argv != NULL)
    {
      g_ptr_array_add (argv, g_strdup ("--json"));
      if (g_atomic_int_get (&self->allow_root))
        g_ptr_array_add (argv, g_strdup ("--allow-root"));
      g_ptr_array_add (argv, NULL);
      answer = oc_launch_process ((const char *const *) argv->pdata, CHECK_TIMEOUT_US, cancellable, &error);
    }
  if (answer != NULL)
    report = oc_sandbox_report_parse (answer, &error);
  if (report != NULL)
    return report;
  return oc_sandbox_report_new_missing (
      error->message,
      _ ("Install Ocelot Plugins again, so that the launcher is the one that belongs to this program; then test again."));
}

OcSandboxReport *
oc_launcher_check (OcLauncher *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return check (self, NULL);
}

static void
check_thread (GTask *task,
              gpointer source,
              gpointer task_data,
              GCancellable *cancellable)
{
  g_task_return_pointer (task, check (task_data, cancellable), (GDestroyNotify) oc_sandbox_report_unref);
}

void
oc_launcher_check_async (OcLauncher *self,
                         GCancellable *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_return_if_fail (self != NULL);
  g_task_set_source_tag (task, oc_launcher_check_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, oc_launcher_ref (self), (GDestroyNotify) oc_launcher_unref);
  g_task_run_in_thread (task, check_thread);
}

OcSandboxReport *
oc_launcher_check_finish (OcLauncher *self,
                          GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
