/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-bwrap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-launch.h"

#define STAGE2 "ocelot-stage2"
#define ALLOWED_BELOW "/usr/"

/* Set before any sandbox is started. */
static const char *other_path;

void
oc_bwrap_set_path (const char *path)
{
  other_path = path;
}

const char *
oc_bwrap_get_path (void)
{
  return other_path != NULL ? other_path : OC_BWRAP_PATH;
}

static gboolean
fail (GError **error, const char *path, const char *why)
{
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "user-namespace: %s: %s", path, why);
  return FALSE;
}

/* Whose the system is. In a user namespace that does not map the administrator it is shown as nobody's, and "0" there may be
 * this very user: what counts is to be the same as "/". */
static gboolean
get_owner (uid_t *owner)
{
  g_autofree char *nobody = NULL;
  struct stat info;

  if (stat ("/", &info) != 0)
    return FALSE;
  *owner = info.st_uid;
  return info.st_uid == 0
         || (g_file_get_contents ("/proc/sys/kernel/overflowuid", &nobody, NULL, NULL)
             && g_ascii_strtoull (nobody, NULL, 10) == info.st_uid);
}

gboolean
oc_bwrap_check (const char *path, GError **error)
{
  g_autofree char *canonical = realpath (path, NULL);
  g_autofree char *part = NULL;
  struct stat info;
  uid_t owner = 0;

  if (path == other_path)
    return TRUE;
  if (canonical == NULL)
    return fail (error, path, errno == ENOENT ? "is not installed" : g_strerror (errno));
  if (!g_str_has_prefix (canonical, ALLOWED_BELOW))
    return fail (error, path, "leads out of /usr");
  if (stat (canonical, &info) != 0)
    return fail (error, path, g_strerror (errno));
  if (!S_ISREG (info.st_mode) || (info.st_mode & 0111) == 0)
    return fail (error, path, "is no program");
  if (!get_owner (&owner))
    return fail (error, "/", "does not belong to the administrator");
  /* The program, and every folder on the way to it. */
  for (part = g_steal_pointer (&canonical);;)
    {
      char *parent;

      if (stat (part, &info) != 0)
        return fail (error, part, g_strerror (errno));
      if (info.st_uid != owner || (info.st_mode & 022) != 0)
        return fail (error, part, "can be changed by others than the administrator");
      if (strcmp (part, "/") == 0)
        return TRUE;
      parent = g_path_get_dirname (part);
      g_free (part);
      part = parent;
    }
}

static gboolean
is_holder (const char *pid, const char *link)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "fd", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_autofree char *target = g_file_read_link (file, NULL);

      if (g_strcmp0 (target, link) == 0)
        return TRUE;
    }
  return FALSE;
}

void
oc_bwrap_end_holders (guint64 socket)
{
  g_autofree char *link = g_strdup_printf ("socket:[%" G_GUINT64_FORMAT "]", socket);
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      guint64 pid = 0;
      g_auto (OcFd) pidfd = -1;

      if (!g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT, &pid, NULL) || (pid_t)pid == getpid ()
          || !is_holder (name, link))
        continue;
      /* Asked again once it is held: its number may have gone to another. */
      pidfd = (int)syscall (SYS_pidfd_open, (pid_t)pid, 0);
      if (pidfd >= 0 && is_holder (name, link))
        (void)syscall (SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
    }
}

int
oc_bwrap_open_stage2 (GError **error)
{
  g_autoptr (OcLauncher) launcher = oc_launcher_new (NULL);
  const char *launcher_path = oc_launcher_get_path (launcher, error);
  g_autofree char *folder = launcher_path != NULL ? g_path_get_dirname (launcher_path) : NULL;
  g_autofree char *beside = folder != NULL ? g_build_filename (folder, STAGE2, NULL) : NULL;
  /* The same is asked of it as of the launcher. */
  g_autoptr (OcLauncher) stage2 = beside != NULL ? oc_launcher_new (beside) : NULL;
  const char *path = stage2 != NULL ? oc_launcher_get_path (stage2, error) : NULL;
  int fd;

  if (path == NULL)
    return -1;
  fd = open (path, O_PATH | O_CLOEXEC);
  if (fd < 0)
    fail (error, path, g_strerror (errno));
  return fd;
}
