/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "core/oc-error.h"

/* A start looks at this many names of the temporary folder and removes at most this many files, so that neither a crowded
 * folder nor a plugin that left a million files holds up the next run. */
#define CLEAR_MAX_NAMES 20000
#define CLEAR_MAX_FILES 20000
#define MAKE_ATTEMPTS 16

struct _OcTemp
{
  char *path; /* owned */
  int fd;     /* owned: holds the lock */
};

static int
open_folder (int parent,
             const char *name)
{
  return openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/* What somebody mounted there (no plugin can) is not the plugin's, nor is what lies in it. */
static gboolean
is_mounted_on (int fd)
{
  struct statx info;

  return statx (fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &info) != 0 ||
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/* What a plugin made may have any mode. It is looked at through a descriptor, so no link is followed. */
static int
open_folder_to_empty (int parent,
                      const char *name)
{
  int fd = open_folder (parent, name);
  g_autofree char *proc = NULL;
  int path_fd;
  struct stat st;

  if (fd >= 0 && fstat (fd, &st) == 0 && (st.st_mode & 0700) == 0700)
    return fd;
  if (fd >= 0)
    close (fd);
  path_fd = openat (parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (path_fd < 0)
    return -1;
  proc = g_strdup_printf ("/proc/self/fd/%d", path_fd);
  fd = !is_mounted_on (path_fd) && chmod (proc, 0700) == 0 ? open_folder (parent, name) : -1;
  close (path_fd);
  return fd;
}

typedef struct
{
  int top;
  guint left;
  guint serial;
} Emptying;

static gboolean
is_folder (int parent,
           const char *name)
{
  struct stat st;

  return fstatat (parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR (st.st_mode);
}

/* Moves folders inside @name up to the top and removes all else in it. */
static void
flatten_folder (Emptying *work,
                const char *name)
{
  int fd = open_folder_to_empty (work->top, name);
  DIR *dir = fd >= 0 && !is_mounted_on (fd) ? fdopendir (fd) : NULL;
  struct dirent *entry;

  if (dir == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  while (work->left > 0 && (entry = readdir (dir)) != NULL)
    {
      g_autofree char *moved = NULL;
      int inner;

      if (g_str_equal (entry->d_name, ".") || g_str_equal (entry->d_name, ".."))
        continue;
      work->left--;
      if (!is_folder (fd, entry->d_name))
        {
          unlinkat (fd, entry->d_name, 0);
          continue;
        }
      /* Moving a folder writes its "..": it must be writable. */
      inner = open_folder_to_empty (fd, entry->d_name);
      if (inner >= 0)
        close (inner);
      /* The plugin may have taken any name; each taken one costs one attempt, whatever the depth. */
      do
        {
          g_free (moved);
          moved = g_strdup_printf (".ocelot-%u-%u", (guint) getpid (), work->serial++);
        }
      while (renameat2 (fd, entry->d_name, work->top, moved, RENAME_NOREPLACE) != 0 && errno == EEXIST);
    }
  closedir (dir);
}

/* Empties the folder at @top without recursion: a plugin can nest folders deeper than any stack or descriptor table. Each
 * round takes the top level apart and lifts the next one to it. */
static gboolean
empty_folder (int top,
              guint max_files)
{
  Emptying work = { .top = top, .left = max_files };
  gboolean progress = TRUE;

  while (progress && work.left > 0)
    {
      int copy = open_folder (top, ".");
      DIR *dir = copy >= 0 ? fdopendir (copy) : NULL;
      struct dirent *entry;

      progress = FALSE;
      if (dir == NULL)
        {
          if (copy >= 0)
            close (copy);
          return FALSE;
        }
      while (work.left > 0 && (entry = readdir (dir)) != NULL)
        {
          gboolean folder;

          if (g_str_equal (entry->d_name, ".") || g_str_equal (entry->d_name, ".."))
            continue;
          work.left--;
          folder = is_folder (top, entry->d_name);
          if (folder)
            flatten_folder (&work, entry->d_name);
          if (unlinkat (top, entry->d_name, folder ? AT_REMOVEDIR : 0) == 0)
            progress = TRUE;
        }
      closedir (dir);
    }
  return work.left > 0;
}

/* A left-over's remover and a new launcher may meet between mkdtemp() and flock(): the folder is only ours once the lock is
 * held and the folder is still there. */
static int
lock_folder (const char *path)
{
  int fd = open_folder (AT_FDCWD, path);
  struct stat here, there;

  if (fd < 0)
    return -1;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0 && fstat (fd, &here) == 0 && lstat (path, &there) == 0 &&
      here.st_ino == there.st_ino && here.st_dev == there.st_dev)
    return fd;
  close (fd);
  return -1;
}

OcTemp *
oc_temp_new (const char *parent,
             GError **error)
{
  g_autofree char *folder = g_canonicalize_filename (parent ? parent : g_get_tmp_dir (), "/");

  for (int i = 0; i < MAKE_ATTEMPTS; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/ocelot-%u-XXXXXX", folder, (guint) getpid ());
      OcTemp *self;
      int fd;

      if (g_mkdtemp_full (path, 0700) == NULL)
        {
          int saved = errno;

          g_set_error (error, OC_ERROR, OC_ERROR_IO,
                       _("A temporary folder could not be made in %s: %s. Make room there, or set TMPDIR to a folder you can write."),
                       folder, g_strerror (saved));
          return NULL;
        }
      fd = lock_folder (path);
      if (fd < 0)
        continue;
      self = g_new0 (OcTemp, 1);
      self->path = g_steal_pointer (&path);
      self->fd = fd;
      return self;
    }
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _("The temporary folder %s does not let its folders be locked."), folder);
  return NULL;
}

const char *
oc_temp_get_path (OcTemp *self)
{
  return self->path;
}

void
oc_temp_free (OcTemp *self)
{
  /* The plugin may have closed it, or opened it to others. */
  fchmod (self->fd, 0700);
  empty_folder (self->fd, G_MAXUINT);
  g_rmdir (self->path);
  close (self->fd);
  g_free (self->path);
  g_free (self);
}

/* ocelot-<digits>-<6 letters or digits> */
static gboolean
is_our_name (const char *name)
{
  const char *at = name;

  if (!g_str_has_prefix (at, "ocelot-"))
    return FALSE;
  at += strlen ("ocelot-");
  if (!g_ascii_isdigit (*at))
    return FALSE;
  while (g_ascii_isdigit (*at))
    at++;
  if (*at++ != '-' || strlen (at) != 6)
    return FALSE;
  for (; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at))
      return FALSE;
  return TRUE;
}

static void
clear_one (int parent,
           const char *name)
{
  struct stat st;
  int fd;

  if (fstatat (parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR (st.st_mode) || st.st_uid != geteuid ())
    return;
  fd = open_folder_to_empty (parent, name);
  if (fd < 0)
    return;
  if (fstat (fd, &st) == 0 && st.st_uid == geteuid () && !is_mounted_on (fd) && flock (fd, LOCK_EX | LOCK_NB) == 0 &&
      empty_folder (fd, CLEAR_MAX_FILES))
    unlinkat (parent, name, AT_REMOVEDIR);
  close (fd);
}

void
oc_temp_clear_left_overs (const char *parent)
{
  g_autofree char *folder = g_canonicalize_filename (parent ? parent : g_get_tmp_dir (), "/");
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;

  if (dir == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  for (guint n = 0; n < CLEAR_MAX_NAMES && (entry = readdir (dir)) != NULL; n++)
    if (is_our_name (entry->d_name))
      clear_one (fd, entry->d_name);
  closedir (dir);
}
