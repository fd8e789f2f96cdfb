/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-activity.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-activity-private.h"
#include "core/oc-error.h"
#include "core/oc-fd.h"

#define SCHEMA_VERSION 1

/* What is written lasts when a program crashes or is killed. When the power fails the last rows may be lost, but not the file: one
 * fsync alone takes longer than a launch. So the log is left at the end as it is, not brought into the file with two of them each
 * time, but every so many pages; a start reads what has gathered, at most 400 KiB, within half a millisecond. */
#define CHECKPOINT_PAGES "100"

static const char schema[]
    = "CREATE TABLE runs ("
      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
      "  plugin TEXT NOT NULL,"
      "  entry TEXT NOT NULL,"
      "  surface TEXT NOT NULL,"
      "  started INTEGER NOT NULL,"
      "  ended INTEGER NOT NULL DEFAULT 0,"
      "  outcome TEXT NOT NULL DEFAULT 'running',"
      "  message TEXT,"
      "  output TEXT);"
      "CREATE INDEX runs_by_plugin ON runs (plugin, id);"
      "CREATE TABLE uses ("
      "  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,"
      "  permission TEXT NOT NULL,"
      "  method TEXT NOT NULL,"
      "  detail TEXT NOT NULL,"
      "  program TEXT NOT NULL,"
      "  allowed INTEGER NOT NULL,"
      "  count INTEGER NOT NULL,"
      "  last INTEGER NOT NULL,"
      "  PRIMARY KEY (run, permission, method, detail, program, allowed)) WITHOUT ROWID;"
      /* Not history: clearing the history leaves both. */
      "CREATE TABLE health ("
      "  plugin TEXT PRIMARY KEY,"
      "  errors INTEGER NOT NULL,"
      "  last_run INTEGER NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE failures ("
      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
      "  plugin TEXT NOT NULL,"
      "  time INTEGER NOT NULL,"
      "  entry TEXT NOT NULL,"
      "  kind TEXT NOT NULL,"
      "  message TEXT NOT NULL,"
      "  output TEXT NOT NULL);"
      "CREATE INDEX failures_by_plugin ON failures (plugin, id);"
      "PRAGMA user_version = 1;";

static const struct
{
  const char *id;
  const char *label;
  gboolean is_error;
} outcomes[] = {
  [OC_OUTCOME_RUNNING] = { "running", N_ ("Running"), FALSE },
  [OC_OUTCOME_DONE] = { "done", N_ ("Done"), FALSE },
  [OC_OUTCOME_REPORTED] = { "reported", N_ ("Reported an error"), FALSE },
  [OC_OUTCOME_CRASH] = { "crash", N_ ("Crashed"), TRUE },
  [OC_OUTCOME_TIMED_OUT] = { "time-out", N_ ("Took too long"), TRUE },
  [OC_OUTCOME_PROTOCOL] = { "protocol", N_ ("Broke the protocol"), TRUE },
  [OC_OUTCOME_EXCEPTION] = { "exception", N_ ("Uncaught exception"), TRUE },
  [OC_OUTCOME_STOPPED] = { "stopped", N_ ("Stopped"), FALSE },
  [OC_OUTCOME_REVOKED] = { "revoked", N_ ("Ended, since it was disabled"), FALSE },
  [OC_OUTCOME_REFUSED] = { "refused", N_ ("Did not run"), FALSE },
};

const char *
oc_outcome_to_id (OcOutcome outcome)
{
  g_return_val_if_fail (outcome < G_N_ELEMENTS (outcomes), "running");
  return outcomes[outcome].id;
}

OcOutcome
oc_outcome_from_id (const char *id)
{
  for (gsize i = 0; id != NULL && i < G_N_ELEMENTS (outcomes); i++)
    if (strcmp (outcomes[i].id, id) == 0)
      return (OcOutcome) i;
  /* Of a later version: how it ended is not known. */
  return OC_OUTCOME_RUNNING;
}

const char *
oc_outcome_to_label (OcOutcome outcome)
{
  g_return_val_if_fail (outcome < G_N_ELEMENTS (outcomes), "");
  return _ (outcomes[outcome].label);
}

gboolean
oc_outcome_is_error (OcOutcome outcome)
{
  g_return_val_if_fail (outcome < G_N_ELEMENTS (outcomes), TRUE);
  return outcomes[outcome].is_error;
}

void
oc_run_free (OcRun *self)
{
  if (self == NULL)
    return;
  g_free (self->plugin);
  g_free (self->entry);
  g_free (self->surface);
  g_free (self->message);
  g_free (self->output);
  g_free (self);
}

void
oc_use_free (OcUse *self)
{
  if (self == NULL)
    return;
  g_free (self->plugin);
  g_free (self->permission);
  g_free (self->method);
  g_free (self->detail);
  g_free (self->program);
  g_free (self);
}

void
oc_usage_free (OcUsage *self)
{
  if (self == NULL)
    return;
  g_free (self->permission);
  g_free (self);
}

gboolean
oc_activity_set_error (OcActivity *self,
                       GError **error)
{
  int code = sqlite3_errcode (self->db);

  g_set_error (error, OC_ERROR, code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? OC_ERROR_DAMAGED : OC_ERROR_IO,
               _ ("The activity file “%s” cannot be used: %s."), self->path, sqlite3_errmsg (self->db));
  return FALSE;
}

sqlite3_stmt *
oc_activity_prepare (OcActivity *self,
                     const char *sql,
                     GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup (self->statements, sql);

  if (statement != NULL)
    {
      sqlite3_reset (statement);
      sqlite3_clear_bindings (statement);
      return statement;
    }
  if (sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    {
      oc_activity_set_error (self, error);
      return NULL;
    }
  g_hash_table_insert (self->statements, (gpointer) sql, statement);
  return statement;
}

gboolean
oc_activity_next (OcActivity *self,
                  sqlite3_stmt *statement,
                  GError **error)
{
  int code = sqlite3_step (statement);

  if (code == SQLITE_ROW)
    return TRUE;
  if (code != SQLITE_DONE)
    oc_activity_set_error (self, error);
  sqlite3_reset (statement);
  return FALSE;
}

gboolean
oc_activity_step (OcActivity *self,
                  sqlite3_stmt *statement,
                  GError **error)
{
  gboolean ok = sqlite3_step (statement) == SQLITE_DONE;

  if (!ok)
    oc_activity_set_error (self, error);
  sqlite3_reset (statement);
  return ok;
}

gboolean
oc_activity_exec (OcActivity *self,
                  const char *sql,
                  GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK || oc_activity_set_error (self, error);
}

gboolean
oc_activity_begin (OcActivity *self,
                   GError **error)
{
  return oc_activity_exec (self, "BEGIN IMMEDIATE", error);
}

gboolean
oc_activity_end (OcActivity *self,
                 gboolean ok,
                 GError **error)
{
  if (ok && oc_activity_exec (self, "COMMIT", error))
    return TRUE;
  (void) sqlite3_exec (self->db, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

void
oc_activity_bind (sqlite3_stmt *statement,
                  int index,
                  const char *text)
{
  sqlite3_bind_text (statement, index, text, -1, SQLITE_TRANSIENT);
}

char *
oc_activity_dup_column (sqlite3_stmt *statement,
                        int column)
{
  return g_strdup ((const char *) sqlite3_column_text (statement, column));
}

/* SQLite would make it with the umask's mode; and what lies there must be the user's own file. An existing file is only
 * looked at, never opened: closing any descriptor of it would drop the locks that this process's other connections hold
 * (POSIX), and another process could then take the log away under them. */
static gboolean
make_file (const char *path,
           struct stat *status,
           GError **error)
{
  g_auto (OcFd) fd = -1;

  if (lstat (path, status) < 0 && errno == ENOENT)
    {
      fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (fd < 0 && errno != EEXIST)
        {
          oc_set_error_errno (error, errno, _ ("The activity file “%s” cannot be made: %s."), path);
          return FALSE;
        }
    }
  if (lstat (path, status) < 0)
    {
      oc_set_error_errno (error, errno, _ ("The activity file “%s” cannot be looked at: %s."), path);
      return FALSE;
    }
  if (!S_ISREG (status->st_mode) || status->st_uid != geteuid ())
    {
      oc_set_error_errno (error, EPERM, _ ("The activity file “%s” is no regular file of your own: %s."), path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
get_version (OcActivity *self,
             int *version,
             GError **error)
{
  sqlite3_stmt *statement = oc_activity_prepare (self, "PRAGMA user_version", error);

  if (statement == NULL || sqlite3_step (statement) != SQLITE_ROW)
    return statement == NULL ? FALSE : oc_activity_set_error (self, error);
  *version = sqlite3_column_int (statement, 0);
  sqlite3_reset (statement);
  return TRUE;
}

static gboolean
make_schema (OcActivity *self,
             GError **error)
{
  int version = 0;
  gboolean ok;

  if (!get_version (self, &version, error))
    return FALSE;
  if (version == 0)
    {
      if (!oc_activity_begin (self, error))
        return FALSE;
      /* Another process may have been quicker. */
      ok = get_version (self, &version, error) && (version != 0 || oc_activity_exec (self, schema, error));
      if (!oc_activity_end (self, ok, error))
        return FALSE;
      if (version == 0)
        version = SCHEMA_VERSION;
    }
  if (version == SCHEMA_VERSION)
    return TRUE;
  g_set_error (error, OC_ERROR, OC_ERROR_UNSUPPORTED,
               _ ("The activity file “%s” was made by a later version of Ocelot Plugins (format %d). Use that version, or move "
                  "the file away."),
               self->path, version);
  return FALSE;
}

static void
finalize_statement (gpointer statement)
{
  sqlite3_finalize (statement);
}

static OcActivity *
open_database (const char *path,
               GError **error)
{
  g_autoptr (OcActivity) self = g_new0 (OcActivity, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->path = g_strdup (path);
  self->life_fd = self->reserve_fd = -1;
  self->statements = g_hash_table_new_full (NULL, NULL, NULL, finalize_statement);
  if (sqlite3_open_v2 (path, &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
    {
      oc_activity_set_error (self, error);
      return NULL;
    }
  sqlite3_extended_result_codes (self->db, 0);
  sqlite3_busy_timeout (self->db, OC_ACTIVITY_BUSY_TIMEOUT_MS);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  if (!oc_activity_exec (self, "PRAGMA journal_mode = WAL", error)
      || !oc_activity_exec (self,
                            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;"
                            "PRAGMA wal_autocheckpoint = " CHECKPOINT_PAGES,
                            error)
      || !make_schema (self, error))
    return NULL;
  /* Versions before had no such index, and need none: it only makes things quick. */
  (void) oc_activity_exec (self, "CREATE INDEX IF NOT EXISTS runs_running ON runs (id) WHERE outcome = 'running'", NULL);
  return g_steal_pointer (&self);
}

/* Keeps a file that is no database, unless another process put a good one in its place meanwhile. */
static gboolean
set_aside (const char *path,
           const struct stat *bad,
           GError **error)
{
  static const char *const companions[] = { "-wal", "-shm" };
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *stamp = g_date_time_format (now, "%Y%m%dT%H%M%SZ");
  struct stat status;
  int code = -1;

  if (lstat (path, &status) < 0 || status.st_ino != bad->st_ino || status.st_dev != bad->st_dev)
    return TRUE;
  for (int i = 1; code < 0 && i <= 100; i++)
    {
      g_autofree char *aside = g_strdup_printf ("%s.%s-%02d.damaged", path, stamp, i);

      code = renameat2 (AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE);
      if (code < 0 && errno != EEXIST)
        break;
      for (gsize c = 0; code == 0 && c < G_N_ELEMENTS (companions); c++)
        {
          g_autofree char *from = g_strconcat (path, companions[c], NULL);
          g_autofree char *to = g_strconcat (aside, companions[c], NULL);

          (void) rename (from, to);
        }
    }
  if (code < 0)
    oc_set_error_errno (error, errno, _ ("The damaged activity file “%s” could not be set aside: %s."), path);
  return code == 0;
}

OcActivity *
oc_activity_open (OcPaths *paths,
                  GError **error)
{
  /* One thread at a time, for the same reason as in make_file(): a file just made is closed again. */
  static GMutex opening;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&opening);
  const char *path = oc_paths_get_activity (paths);
  g_autoptr (GError) local_error = NULL;
  g_autoptr (OcActivity) self = NULL;
  struct stat status;

  if (!oc_paths_ensure (paths, error) || !make_file (path, &status, error))
    return NULL;
  self = open_database (path, &local_error);
  if (self == NULL && g_error_matches (local_error, OC_ERROR, OC_ERROR_DAMAGED))
    {
      if (!set_aside (path, &status, error) || !make_file (path, &status, error))
        return NULL;
      g_clear_error (&local_error);
      self = open_database (path, &local_error);
    }
  if (self == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  return g_steal_pointer (&self);
}

OcActivity *
oc_activity_ref (OcActivity *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
oc_activity_unref (OcActivity *self)
{
  g_return_if_fail (self != NULL);
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->statements);
  sqlite3_close_v2 (self->db);
  oc_activity_let_go (self);
  g_free (self->path);
  g_free (self);
}
