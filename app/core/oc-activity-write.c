/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/oc-activity-private.h"
#include "core/oc-error.h"

/* Numbers of a file that was set aside may still be held. */
#define MAX_NUMBERS_TRIED 1000

/* In a transaction. 0 and @error. */
static gint64
insert_run (OcActivity *self,
            const char *plugin,
            const char *entry,
            const char *surface,
            gint64 now,
            GError **error)
{
  for (int i = 0; i < MAX_NUMBERS_TRIED; i++)
    {
      sqlite3_stmt *insert
          = oc_activity_prepare (self, "INSERT INTO runs (plugin, entry, surface, started) VALUES (?, ?, ?, ?)", error);
      sqlite3_stmt *remove;
      gboolean held = FALSE;
      gint64 run;

      if (insert == NULL)
        return 0;
      oc_activity_bind (insert, 1, plugin);
      oc_activity_bind (insert, 2, entry);
      oc_activity_bind (insert, 3, surface);
      sqlite3_bind_int64 (insert, 4, now);
      if (!oc_activity_step (self, insert, error))
        return 0;
      run = sqlite3_last_insert_rowid (self->db);
      if (!oc_activity_hold (self, run, &held, error))
        return 0;
      if (held)
        return run;
      remove = oc_activity_prepare (self, "DELETE FROM runs WHERE id = ?", error);
      if (remove == NULL)
        return 0;
      sqlite3_bind_int64 (remove, 1, run);
      if (!oc_activity_step (self, remove, error))
        return 0;
    }
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _ ("The activity file “%s” has no free number for a run."), self->path);
  return 0;
}

static gboolean
note_last_run (OcActivity *self,
               const char *plugin,
               gint64 now,
               GError **error)
{
  sqlite3_stmt *health = oc_activity_prepare (self,
                                              "INSERT INTO health (plugin, errors, last_run) VALUES (?, 0, ?)"
                                              " ON CONFLICT (plugin) DO UPDATE SET last_run = excluded.last_run",
                                              error);

  if (health == NULL)
    return FALSE;
  oc_activity_bind (health, 1, plugin);
  sqlite3_bind_int64 (health, 2, now);
  return oc_activity_step (self, health, error);
}

static gboolean
check_number_of_runs (guint n,
                      guint max_at_once,
                      GError **error)
{
  if (max_at_once == 0 || n < max_at_once)
    return TRUE;
  g_set_error (error, OC_ERROR, OC_ERROR_BUSY,
               g_dngettext (GETTEXT_PACKAGE, "%u run of this plugin is going on; more are not allowed at a time.",
                            "%u runs of this plugin are going on; more are not allowed at a time.", n),
               n);
  return FALSE;
}

gint64
oc_activity_begin_run (OcActivity *self,
                       const char *plugin,
                       const char *entry,
                       const char *surface,
                       guint max_at_once,
                       GError **error)
{
  gint64 now = g_get_real_time ();
  gint64 run = 0;
  guint n = 0;
  gboolean ok;

  g_return_val_if_fail (self != NULL && plugin != NULL && entry != NULL && surface != NULL, 0);
  if (!oc_activity_reserve (self, error) || !oc_activity_begin (self, error))
    return 0;
  /* Within the transaction, so that of several starts at once each counts the others. */
  ok = oc_activity_settle (self, plugin, &n, error) && check_number_of_runs (n, max_at_once, error);
  if (ok)
    run = insert_run (self, plugin, entry, surface, now, error);
  ok = run != 0 && note_last_run (self, plugin, now, error);
  return oc_activity_end (self, ok, error) ? run : 0;
}

gboolean
oc_activity_record_use (OcActivity *self,
                        gint64 run,
                        const char *permission,
                        const char *method,
                        const char *detail,
                        const char *program,
                        gboolean allowed,
                        guint count,
                        GError **error)
{
  g_autofree char *cut = NULL;
  sqlite3_stmt *statement;

  g_return_val_if_fail (self != NULL && method != NULL, FALSE);
  statement = oc_activity_prepare (self,
                                   "INSERT INTO uses (run, permission, method, detail, program, allowed, count, last)"
                                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                                   " ON CONFLICT DO UPDATE SET count = count + excluded.count, last = excluded.last",
                                   error);
  if (statement == NULL)
    return FALSE;
  cut = g_strndup (detail != NULL ? detail : "", OC_USE_MAX_DETAIL);
  sqlite3_bind_int64 (statement, 1, run);
  oc_activity_bind (statement, 2, permission != NULL ? permission : "");
  oc_activity_bind (statement, 3, method);
  oc_activity_bind (statement, 4, cut);
  oc_activity_bind (statement, 5, program != NULL ? program : "");
  sqlite3_bind_int (statement, 6, allowed ? 1 : 0);
  sqlite3_bind_int64 (statement, 7, MAX (count, 1));
  sqlite3_bind_int64 (statement, 8, g_get_real_time ());
  return oc_activity_step (self, statement, error);
}

/* @plugin and @entry stay NULL where the run has ended already. */
static gboolean
find_open_run (OcActivity *self,
               gint64 run,
               char **plugin,
               char **entry,
               gboolean *open,
               GError **error)
{
  sqlite3_stmt *statement
      = oc_activity_prepare (self, "SELECT plugin, entry, outcome = 'running' FROM runs WHERE id = ?", error);
  g_autoptr (GError) local_error = NULL;

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, run);
  if (oc_activity_next (self, statement, &local_error))
    {
      *plugin = oc_activity_dup_column (statement, 0);
      *entry = oc_activity_dup_column (statement, 1);
      *open = sqlite3_column_int (statement, 2) != 0;
      sqlite3_reset (statement);
      return TRUE;
    }
  if (local_error != NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  else
    g_set_error_literal (error, OC_ERROR, OC_ERROR_NOT_FOUND, _ ("The activity has no record of this run."));
  return FALSE;
}

static gboolean
close_run (OcActivity *self,
           gint64 run,
           OcOutcome outcome,
           const char *message,
           const char *output,
           GError **error)
{
  sqlite3_stmt *statement = oc_activity_prepare (
      self, "UPDATE runs SET ended = ?, outcome = ?, message = ?, output = ? WHERE id = ?", error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, g_get_real_time ());
  oc_activity_bind (statement, 2, oc_outcome_to_id (outcome));
  oc_activity_bind (statement, 3, message);
  oc_activity_bind (statement, 4, output);
  sqlite3_bind_int64 (statement, 5, run);
  return oc_activity_step (self, statement, error);
}

static gboolean
forget_failures (OcActivity *self,
                 const char *plugin,
                 GError **error)
{
  sqlite3_stmt *errors = oc_activity_prepare (self, "UPDATE health SET errors = 0 WHERE plugin = ?", error);
  sqlite3_stmt *failures
      = errors == NULL ? NULL : oc_activity_prepare (self, "DELETE FROM failures WHERE plugin = ?", error);

  if (failures == NULL)
    return FALSE;
  oc_activity_bind (errors, 1, plugin);
  oc_activity_bind (failures, 1, plugin);
  return oc_activity_step (self, errors, error) && oc_activity_step (self, failures, error);
}

static gboolean
count_failure (OcActivity *self,
               const char *plugin,
               const char *entry,
               OcOutcome outcome,
               const char *message,
               const char *output,
               GError **error)
{
  sqlite3_stmt *errors = oc_activity_prepare (self,
                                              "INSERT INTO health (plugin, errors, last_run) VALUES (?, 1, 0)"
                                              " ON CONFLICT (plugin) DO UPDATE SET errors = errors + 1",
                                              error);
  sqlite3_stmt *failure;
  sqlite3_stmt *oldest;

  if (errors == NULL)
    return FALSE;
  failure = oc_activity_prepare (
      self, "INSERT INTO failures (plugin, time, entry, kind, message, output) VALUES (?, ?, ?, ?, ?, ?)", error);
  oldest = failure == NULL ? NULL
                           : oc_activity_prepare (self,
                                                  "DELETE FROM failures WHERE plugin = ?1 AND id NOT IN"
                                                  " (SELECT id FROM failures WHERE plugin = ?1 ORDER BY id DESC LIMIT ?2)",
                                                  error);
  if (oldest == NULL)
    return FALSE;
  oc_activity_bind (errors, 1, plugin);
  oc_activity_bind (failure, 1, plugin);
  sqlite3_bind_int64 (failure, 2, g_get_real_time ());
  oc_activity_bind (failure, 3, entry);
  oc_activity_bind (failure, 4, oc_outcome_to_id (outcome));
  oc_activity_bind (failure, 5, message != NULL ? message : "");
  oc_activity_bind (failure, 6, output != NULL ? output : "");
  oc_activity_bind (oldest, 1, plugin);
  sqlite3_bind_int (oldest, 2, OC_ACTIVITY_MAX_FAILURES);
  return oc_activity_step (self, errors, error) && oc_activity_step (self, failure, error)
         && oc_activity_step (self, oldest, error);
}

static gboolean
get_errors (OcActivity *self,
            const char *plugin,
            guint *errors_in_a_row,
            GError **error)
{
  sqlite3_stmt *statement = oc_activity_prepare (self, "SELECT errors FROM health WHERE plugin = ?", error);
  g_autoptr (GError) local_error = NULL;

  if (statement == NULL)
    return FALSE;
  oc_activity_bind (statement, 1, plugin);
  *errors_in_a_row = 0;
  if (oc_activity_next (self, statement, &local_error))
    {
      *errors_in_a_row = (guint) sqlite3_column_int64 (statement, 0);
      sqlite3_reset (statement);
    }
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static gboolean
try_end_run (OcActivity *self,
             gint64 run,
             OcOutcome outcome,
             const char *message,
             const char *output,
             guint *errors_in_a_row,
             GError **error)
{
  g_autofree char *plugin = NULL;
  g_autofree char *entry = NULL;
  gboolean open = FALSE;
  gboolean ok;

  if (!oc_activity_begin (self, error))
    return FALSE;
  ok = find_open_run (self, run, &plugin, &entry, &open, error);
  if (ok && open)
    {
      ok = close_run (self, run, outcome, message, output, error);
      if (ok && outcome == OC_OUTCOME_DONE)
        ok = forget_failures (self, plugin, error);
      else if (ok && oc_outcome_is_error (outcome))
        ok = count_failure (self, plugin, entry, outcome, message, output, error);
    }
  ok = ok && get_errors (self, plugin, errors_in_a_row, error);
  return oc_activity_end (self, ok, error);
}

gboolean
oc_activity_end_run (OcActivity *self,
                     gint64 run,
                     OcOutcome outcome,
                     const char *message,
                     const char *output,
                     guint *errors_in_a_row,
                     GError **error)
{
  g_autoptr (GError) local_error = NULL;
  guint errors = 0;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (outcome != OC_OUTCOME_RUNNING, FALSE);
  /* A plugin that fills the disk cannot keep its errors from being counted: room was kept for this. */
  if (!try_end_run (self, run, outcome, message, output, &errors, &local_error)
      && (!oc_activity_use_reserve (self) || !try_end_run (self, run, outcome, message, output, &errors, NULL)))
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (errors_in_a_row != NULL)
    *errors_in_a_row = errors;
  return TRUE;
}

gboolean
oc_activity_add_to_message (OcActivity *self,
                            gint64 run,
                            const char *sentence,
                            GError **error)
{
  sqlite3_stmt *statement;

  g_return_val_if_fail (self != NULL && sentence != NULL, FALSE);
  statement = oc_activity_prepare (self,
                                   "UPDATE runs SET message = CASE coalesce(message, '') WHEN '' THEN ?2"
                                   " ELSE message || ' ' || ?2 END WHERE id = ?1",
                                   error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, run);
  oc_activity_bind (statement, 2, sentence);
  return oc_activity_step (self, statement, error);
}

gboolean
oc_activity_reset_health (OcActivity *self,
                          const char *plugin,
                          GError **error)
{
  g_return_val_if_fail (self != NULL && plugin != NULL, FALSE);
  return oc_activity_begin (self, error) && oc_activity_end (self, forget_failures (self, plugin, error), error);
}

gboolean
oc_activity_clear (OcActivity *self,
                   const char *plugin,
                   GError **error)
{
  sqlite3_stmt *statement;
  gboolean ok;

  g_return_val_if_fail (self != NULL, FALSE);
  statement = oc_activity_prepare (self, "DELETE FROM runs WHERE (?1 IS NULL OR plugin = ?1) AND outcome <> 'running'", error);
  if (statement == NULL)
    return FALSE;
  oc_activity_bind (statement, 1, plugin);
  if (!oc_activity_begin (self, error))
    return FALSE;
  ok = oc_activity_settle (self, NULL, NULL, error) && oc_activity_step (self, statement, error);
  if (!oc_activity_end (self, ok, error))
    return FALSE;
  /* What was cleared is not to stay in the log. While somebody reads, that is for the next time: without waiting. */
  sqlite3_busy_timeout (self->db, 0);
  (void) sqlite3_wal_checkpoint_v2 (self->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  sqlite3_busy_timeout (self->db, OC_ACTIVITY_BUSY_TIMEOUT_MS);
  return TRUE;
}
