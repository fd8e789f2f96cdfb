/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the runs that were begun still go on, and room on the disk for their ends. */
#include "oc-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-activity-private.h"
#include "core/oc-error.h"
#include "core/oc-fd.h"

/* A run is held by a lock on one byte of this file, at the place of its number. The kernel frees it with the process that
 * holds it, however that ends, and across containers; a number of a process could be somebody else's by then. The file lies
 * beside the consent file, which no sandbox shows, so that no plugin can hold a lock on it. */
#define LIFE_SUFFIX ".running"
/* What the last statements of a run take: a page or two of each table and index, twice (log and database), and the consent
 * file that may have to be written anew. */
#define RESERVE_BYTES (512 * 1024)

/* A description of its own each time: a lock is never in the way of the one who holds it. */
static int
open_life (OcActivity *self,
           int flags)
{
  g_autofree char *path = g_strconcat (self->path, LIFE_SUFFIX, NULL);

  return open (path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

static int
lock_byte (int fd,
           int command,
           gint64 run,
           struct flock *lock)
{
  int code;

  *lock = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t) run, .l_len = 1 };
  do
    code = fcntl (fd, command, lock);
  while (code < 0 && errno == EINTR);
  return code;
}

static gboolean
fail (OcActivity *self,
      GError **error)
{
  int saved = errno;
  g_autofree char *path = g_strconcat (self->path, LIFE_SUFFIX, NULL);

  oc_set_error_errno (error, saved, _ ("The file “%s”, which tells which runs go on, cannot be used: %s."), path);
  return FALSE;
}

gboolean
oc_activity_hold (OcActivity *self,
                  gint64 run,
                  gboolean *held,
                  GError **error)
{
  struct flock lock;

  if (self->life_fd < 0)
    self->life_fd = open_life (self, O_RDWR | O_CREAT);
  if (self->life_fd < 0)
    return fail (self, error);
  *held = lock_byte (self->life_fd, F_OFD_SETLK, run, &lock) == 0;
  return *held || errno == EAGAIN || errno == EACCES || fail (self, error);
}

void
oc_activity_let_go (OcActivity *self)
{
  oc_fd_close (&self->life_fd);
  oc_fd_close (&self->reserve_fd);
}

OcLife *
oc_life_open (OcActivity *self,
              GError **error)
{
  int fd = open_life (self, O_RDONLY);

  if (fd < 0 && errno != ENOENT)
    {
      fail (self, error);
      return NULL;
    }
  return g_memdup2 (&(OcLife){ .fd = fd }, sizeof (OcLife));
}

void
oc_life_free (OcLife *life)
{
  oc_fd_close (&life->fd);
  g_free (life);
}

/* What cannot be told is taken as going on: it is neither ended in the record nor forgotten. */
gboolean
oc_life_goes_on (OcLife *life,
                 gint64 run)
{
  struct flock lock;

  if (life->fd < 0)
    return FALSE;
  return lock_byte (life->fd, F_OFD_GETLK, run, &lock) != 0 || lock.l_type != F_UNLCK;
}

const char *
oc_life_get_message (void)
{
  return _ ("The launcher was ended while this ran, and everything that it had started with it.");
}

/* The runs that nobody has ended: (element-type gint64), and in @n_of_plugin how many of @plugin's go on. */
static GArray *
list_open (OcActivity *self,
           OcLife *life,
           const char *plugin,
           guint *n_of_plugin,
           GError **error)
{
  sqlite3_stmt *s = oc_activity_prepare (self, "SELECT id, plugin FROM runs WHERE outcome = 'running'", error);
  g_autoptr (GError) failure = NULL;
  GArray *dead;

  if (s == NULL)
    return NULL;
  dead = g_array_new (FALSE, FALSE, sizeof (gint64));
  while (oc_activity_next (self, s, &failure))
    {
      gint64 run = sqlite3_column_int64 (s, 0);

      if (!oc_life_goes_on (life, run))
        g_array_append_val (dead, run);
      else if (g_strcmp0 ((const char *) sqlite3_column_text (s, 1), plugin) == 0)
        (*n_of_plugin)++;
    }
  if (failure == NULL)
    return dead;
  g_propagate_error (error, g_steal_pointer (&failure));
  g_array_unref (dead);
  return NULL;
}

gboolean
oc_activity_settle (OcActivity *self,
                    const char *plugin,
                    guint *n_of_plugin,
                    GError **error)
{
  g_autoptr (OcLife) life = oc_life_open (self, error);
  g_autoptr (GArray) dead = NULL;
  guint n = 0;
  gboolean ok = TRUE;

  if (life == NULL || (dead = list_open (self, life, plugin, &n, error)) == NULL)
    return FALSE;
  for (guint i = 0; ok && i < dead->len; i++)
    {
      /* The last sign of it: when it was ended nobody knows. */
      sqlite3_stmt *s = oc_activity_prepare (self,
                                             "UPDATE runs SET outcome = ?2, message = ?3, ended ="
                                             " max(started, (SELECT coalesce(max(last), 0) FROM uses WHERE run = ?1))"
                                             " WHERE id = ?1 AND outcome = 'running'",
                                             error);

      if (s == NULL)
        return FALSE;
      sqlite3_bind_int64 (s, 1, g_array_index (dead, gint64, i));
      oc_activity_bind (s, 2, oc_outcome_to_id (OC_OUTCOME_STOPPED));
      oc_activity_bind (s, 3, oc_life_get_message ());
      ok = oc_activity_step (self, s, error);
    }
  if (ok && n_of_plugin != NULL)
    *n_of_plugin = n;
  return ok;
}

/* A file without a name, so that nothing is left of it whatever happens. Where the file system cannot do that, there is no
 * reserve; where there is no room, nothing may begin that could not be recorded. */
gboolean
oc_activity_reserve (OcActivity *self,
                     GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->path);

  if (self->reserve_fd >= 0)
    return TRUE;
  self->reserve_fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (self->reserve_fd >= 0 && fallocate (self->reserve_fd, 0, 0, RESERVE_BYTES) != 0)
    {
      int saved = errno;

      oc_fd_close (&self->reserve_fd);
      errno = saved;
    }
  if (self->reserve_fd >= 0 || (errno != ENOSPC && errno != EDQUOT))
    return TRUE;
  oc_set_error_errno (error, errno, _ ("There is no room in “%s” to record how a run ends: %s."), folder);
  return FALSE;
}

gboolean
oc_activity_use_reserve (OcActivity *self)
{
  if (self->reserve_fd < 0)
    return FALSE;
  oc_fd_close (&self->reserve_fd);
  return TRUE;
}
