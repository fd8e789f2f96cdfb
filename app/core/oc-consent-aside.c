/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-consent-private.h"
#include "core/oc-error.h"

/* The lock, and the names of files that were set aside. */

/* Every holder reads, writes and syncs one small file. Who waits longer than this waits for a hung program. */
#define LOCK_WAIT_US (10 * G_USEC_PER_SEC)
/* So many set-aside files within one second would be an attack on the disk; the file then stays where it is. */
#define MAX_ASIDE_TRIES 100

/* A lock on a file that was removed keeps nobody out: the next one would make a new file and lock that. */
static gboolean
has_name (int fd,
          const char *path)
{
  struct stat held, named;

  return fstat (fd, &held) == 0 && lstat (path, &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* 1: held, 0: somebody else holds it, -1 and an error: it cannot be. */
static int
try_lock (int fd,
          const char *path,
          GError **error)
{
  /* An open-file lock: threads of one process keep each other out too, and a killed holder lets go. */
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  if (fcntl (fd, F_OFD_SETLK, &lock) == 0)
    return 1;
  if (errno == EAGAIN || errno == EACCES || errno == EINTR)
    return 0;
  oc_set_error_errno (error, errno, _ ("The lock “%s” cannot be taken: %s."), path);
  return -1;
}

/* A short, uneven pause, so that many waiters do not keep step with each other. FALSE: waited long enough. */
static gboolean
pause_for_lock (const char *path,
                gint64 deadline,
                gulong *pause_us,
                GCancellable *cancellable,
                GError **error)
{
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (g_get_monotonic_time () > deadline)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO,
                   _ ("Another program has held “%s” for ten seconds. Nothing was changed; end that program or try again."),
                   path);
      return FALSE;
    }
  g_usleep ((gulong) g_random_int_range (1, (gint32) *pause_us));
  *pause_us = MIN (*pause_us * 2, 8000);
  return TRUE;
}

int
oc_consent_file_lock (OcPaths *paths,
                      GCancellable *cancellable,
                      GError **error)
{
  g_autofree char *path = g_build_filename (oc_paths_get_base (paths), "consent.lock", NULL);
  gint64 deadline = g_get_monotonic_time () + LOCK_WAIT_US;
  gulong pause_us = 500;

  if (!oc_paths_ensure (paths, error))
    return -1;
  do
    {
      g_auto (OcFd) fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
      int held = 0;

      if (fd < 0)
        {
          oc_set_error_errno (error, errno, _ ("The lock “%s” cannot be opened: %s."), path);
          return -1;
        }
      while (held == 0 && has_name (fd, path))
        {
          held = try_lock (fd, path, error);
          if (held < 0 || (held == 0 && !pause_for_lock (path, deadline, &pause_us, cancellable, error)))
            return -1;
        }
      if (held == 1 && has_name (fd, path))
        {
          held = fd;
          fd = -1;
          return held;
        }
    }
  /* Its name was taken away: once more with what has the name now, within the same bounds. */
  while (pause_for_lock (path, deadline, &pause_us, cancellable, error));
  return -1;
}

char *
oc_consent_file_set_aside (OcPaths *paths,
                           OcConsentOutcome outcome,
                           GError **error)
{
  g_auto (OcFd) folder = open (oc_paths_get_base (paths), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *stamp = g_date_time_format (now, "%Y%m%dT%H%M%SZ");

  for (int i = 1; folder >= 0 && i <= MAX_ASIDE_TRIES; i++)
    {
      /* Sorted by name they are sorted by time. */
      g_autofree char *name
          = g_strdup_printf ("consent.%s-%02d.%s.json", stamp, i, oc_consent_outcome_to_id (outcome));

      if (renameat2 (folder, "consent.json", folder, name, RENAME_NOREPLACE) == 0)
        {
          (void) fsync (folder);
          return g_build_filename (oc_paths_get_base (paths), name, NULL);
        }
      /* File systems without NOREPLACE: a link never replaces either. */
      if (errno == EINVAL && linkat (folder, "consent.json", folder, name, 0) == 0)
        {
          (void) unlinkat (folder, "consent.json", 0);
          return g_build_filename (oc_paths_get_base (paths), name, NULL);
        }
      if (errno != EEXIST)
        break;
    }
  oc_set_error_errno (error, errno, _ ("The consent file “%s” could not be set aside: %s."),
                      oc_paths_get_consent (paths));
  return NULL;
}

static int
compare_newest_first (gconstpointer a,
                      gconstpointer b)
{
  return strcmp (*(const char *const *) b, *(const char *const *) a);
}

char **
oc_consent_file_list_set_aside (OcPaths *paths)
{
  const char *base = oc_paths_get_base (paths);
  g_autoptr (GDir) dir = g_dir_open (base, 0, NULL);
  GPtrArray *found = g_ptr_array_new ();
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, "consent.")
        && (g_str_has_suffix (name, ".damaged.json") || g_str_has_suffix (name, ".forged.json")))
      g_ptr_array_add (found, g_build_filename (base, name, NULL));
  g_ptr_array_sort (found, compare_newest_first);
  g_ptr_array_add (found, NULL);
  return (char **) g_ptr_array_free (found, FALSE);
}
