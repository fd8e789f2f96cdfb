/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-folder-size.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"

/* Folders that are held open on the way down. Below them the way back is by "..", checked. */
#define MAX_OPEN 32
#define BLOCK_BYTES 512
#define WANTED (STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_INO | STATX_SIZE | STATX_BLOCKS | STATX_MNT_ID)

/* Which folder something is, whatever it is called. */
typedef struct
{
  guint64 inode;
  guint32 major, minor;
} Identity;

/* One folder on the way from the top to where the walk is. */
typedef struct
{
  DIR *dir; /* owned; NULL: given up for a while, at @position */
  Identity identity;
  long position;
} Level;

typedef struct
{
  GArray *levels;    /* owned (element-type Level) */
  GHashTable *seen;  /* owned (element-type Identity): files with several names */
  guint64 mount;
  guint64 max_names;
  const gint *cancelled;

  guint64 apparent;
  guint64 allocated;
  guint64 names;
  gboolean complete;
} Walk;

static guint
identity_hash (gconstpointer key)
{
  const Identity *identity = key;

  return (guint) (identity->inode ^ (identity->inode >> 32)) ^ identity->minor;
}

static gboolean
identity_equal (gconstpointer a,
                gconstpointer b)
{
  const Identity *one = a;
  const Identity *other = b;

  return one->inode == other->inode && one->major == other->major && one->minor == other->minor;
}

static Identity
identity_of (const struct statx *info)
{
  return (Identity){ info->stx_ino, info->stx_dev_major, info->stx_dev_minor };
}

static gboolean
look_at (int fd,
         const char *name,
         int flags,
         struct statx *info)
{
  return statx (fd, name, flags | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, WANTED, info) == 0;
}

/* Through a descriptor, so that no link is followed. */
static int
open_folder (int parent,
             const char *name)
{
  int fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  g_auto (OcFd) path_fd = -1;
  g_autofree char *proc = NULL;
  struct stat status;

  if (fd >= 0 || errno != EACCES)
    return fd;
  path_fd = openat (parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (path_fd < 0 || fstat (path_fd, &status) != 0 || status.st_uid != geteuid ())
    return -1;
  proc = g_strdup_printf ("/proc/self/fd/%d", path_fd);
  return chmod (proc, (status.st_mode & 07777) | 0700) == 0
             ? openat (path_fd, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
             : -1;
}

static Level *
get_last (Walk *walk)
{
  return &g_array_index (walk->levels, Level, walk->levels->len - 1);
}

/* @fd: (transfer full). FALSE: it is on another mount, or cannot be read. */
static gboolean
enter (Walk *walk,
       int fd)
{
  struct statx info;
  Level level = { 0 };

  if (fd < 0 || !look_at (fd, "", AT_EMPTY_PATH, &info))
    {
      walk->complete = FALSE;
      oc_fd_close (&fd);
      return FALSE;
    }
  if (walk->levels->len == 0)
    walk->mount = info.stx_mnt_id;
  if (info.stx_mnt_id != walk->mount)
    {
      oc_fd_close (&fd);
      return FALSE;
    }
  level.identity = identity_of (&info);
  level.dir = fdopendir (fd);
  if (level.dir == NULL)
    {
      walk->complete = FALSE;
      oc_fd_close (&fd);
      return FALSE;
    }
  g_array_append_val (walk->levels, level);
  return TRUE;
}

static void
count (Walk *walk,
       const struct statx *info)
{
  Identity identity = identity_of (info);

  walk->names++;
  if (!S_ISDIR (info->stx_mode) && info->stx_nlink > 1
      && !g_hash_table_add (walk->seen, g_memdup2 (&identity, sizeof identity)))
    return;
  walk->allocated += info->stx_blocks * BLOCK_BYTES;
  if (S_ISREG (info->stx_mode))
    walk->apparent += info->stx_size;
}

/* Goes down into @name of the last level. */
static void
descend (Walk *walk,
         const char *name)
{
  Level *last = get_last (walk);
  int fd = open_folder (dirfd (last->dir), name);

  if (!enter (walk, fd) || walk->levels->len <= MAX_OPEN)
    return;
  /* Not @last: adding may have moved it. */
  last = &g_array_index (walk->levels, Level, walk->levels->len - 2);
  last->position = telldir (last->dir);
  closedir (last->dir);
  last->dir = NULL;
}

static void
drop_last (Walk *walk)
{
  Level *last = get_last (walk);

  if (last->dir != NULL)
    closedir (last->dir);
  g_array_set_size (walk->levels, walk->levels->len - 1);
}

/* Back to the folder above. Where it was moved away from under the walk, to the nearest one that is held open. */
static void
ascend (Walk *walk)
{
  Level *last = get_last (walk);
  Level *above = walk->levels->len > 1 ? last - 1 : NULL;
  struct statx info;
  Identity identity;
  int fd = -1;

  if (above != NULL && above->dir == NULL)
    {
      fd = openat (dirfd (last->dir), "..", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
      if (fd >= 0 && look_at (fd, "", AT_EMPTY_PATH, &info))
        {
          identity = identity_of (&info);
          above->dir = identity_equal (&identity, &above->identity) ? fdopendir (fd) : NULL;
        }
      if (above->dir != NULL)
        seekdir (above->dir, above->position);
      else
        oc_fd_close (&fd);
    }
  drop_last (walk);
  while (walk->levels->len > 0 && get_last (walk)->dir == NULL)
    {
      walk->complete = FALSE;
      drop_last (walk);
    }
}

static gboolean
may_go_on (const Walk *walk)
{
  return (walk->max_names == 0 || walk->names < walk->max_names)
         && (walk->cancelled == NULL || !g_atomic_int_get (walk->cancelled));
}

static void
go (Walk *walk)
{
  while (walk->levels->len > 0 && may_go_on (walk))
    {
      Level *last = get_last (walk);
      struct dirent *entry = readdir (last->dir);
      struct statx info;

      if (entry == NULL)
        ascend (walk);
      else if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
               && look_at (dirfd (last->dir), entry->d_name, 0, &info))
        {
          count (walk, &info);
          if (S_ISDIR (info.stx_mode))
            descend (walk, entry->d_name);
        }
    }
  walk->complete = walk->complete && walk->levels->len == 0;
  while (walk->levels->len > 0)
    drop_last (walk);
}

gboolean
oc_folder_size_measure (const char *path,
                        guint64 max_names,
                        const gint *cancelled,
                        OcFolderSize *size,
                        GError **error)
{
  Walk walk = { .max_names = max_names, .cancelled = cancelled, .complete = TRUE };
  int fd = open_folder (AT_FDCWD, path);

  if (fd < 0 && errno != ENOENT)
    {
      oc_set_error_errno (error, errno, _ ("The folder “%s” cannot be measured: %s."), path);
      return FALSE;
    }
  walk.levels = g_array_new (FALSE, FALSE, sizeof (Level));
  walk.seen = g_hash_table_new_full (identity_hash, identity_equal, g_free, NULL);
  if (fd >= 0 && enter (&walk, fd))
    go (&walk);
  g_array_unref (walk.levels);
  g_hash_table_unref (walk.seen);
  *size = (OcFolderSize){ MAX (walk.apparent, walk.allocated), walk.names, walk.complete };
  return TRUE;
}
