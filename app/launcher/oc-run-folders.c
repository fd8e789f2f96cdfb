/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-folders.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"

static int
open_folder (int parent,
             const char *name)
{
  return openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean
check_folder (int fd,
              const char *path,
              GError **error)
{
  struct stat st;

  if (fstat (fd, &st) != 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO, "%s: %s", path, g_strerror (errno));
      return FALSE;
    }
  if (st.st_uid != geteuid ())
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, _("%s belongs to another user. Remove it, or take it over."), path);
      return FALSE;
    }
  if ((st.st_mode & 07777) != 0700 && fchmod (fd, 0700) != 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO, _("%s could not be closed to others: %s."), path, g_strerror (errno));
      return FALSE;
    }
  return TRUE;
}

/* A plugin that closed its folder gets it back open: else nothing of it would ever run again. Through a descriptor, so that
 * no link is followed. */
static int
open_data (int parent,
           const char *id)
{
  g_autofree char *proc = NULL;
  int fd = open_folder (parent, id);
  struct stat st;
  int path_fd;

  if (fd >= 0 || errno != EACCES)
    return fd;
  path_fd = openat (parent, id, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (path_fd < 0)
    return -1;
  proc = g_strdup_printf ("/proc/self/fd/%d", path_fd);
  if (fstat (path_fd, &st) == 0 && st.st_uid == geteuid () && chmod (proc, 0700) == 0)
    fd = open_folder (parent, id);
  else
    errno = EACCES;
  close (path_fd);
  return fd;
}

char *
oc_run_ensure_data (OcPaths *paths,
                    const char *id,
                    GError **error)
{
  g_autofree char *path = oc_paths_dup_data (paths, id);
  g_autofree char *above = g_path_get_dirname (path);
  int parent = open_folder (AT_FDCWD, above);
  gboolean ok = FALSE;
  int fd = -1;

  if (parent >= 0 && (mkdirat (parent, id, 0700) == 0 || errno == EEXIST))
    fd = open_data (parent, id);
  if (fd >= 0)
    ok = check_folder (fd, path, error);
  else if (errno == ELOOP || errno == ENOTDIR)
    g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                 _("%s is a link or no folder; a plugin’s data folder must be a real folder. Remove it."), parent < 0 ? above : path);
  else
    g_set_error (error, OC_ERROR, OC_ERROR_IO, _("%s could not be opened or made: %s."), path, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  if (parent >= 0)
    close (parent);
  return ok ? g_steal_pointer (&path) : NULL;
}
