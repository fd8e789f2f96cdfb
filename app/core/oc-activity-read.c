/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-activity-private.h"

/* Finishes a list: it, or NULL where reading failed half way (a short list would be a lie). */
static GPtrArray *
finish_list (GPtrArray *list,
             GError *failure,
             GError **error)
{
  if (failure == NULL)
    return list;
  g_propagate_error (error, failure);
  g_ptr_array_unref (list);
  return NULL;
}

static sqlite3_int64
to_limit (guint limit)
{
  return limit > 0 ? (sqlite3_int64) limit : -1;
}

GPtrArray *
oc_activity_get_failures (OcActivity *self,
                          const char *plugin,
                          GError **error)
{
  GPtrArray *list;
  GError *failure = NULL;
  sqlite3_stmt *s;

  g_return_val_if_fail (self != NULL && plugin != NULL, NULL);
  s = oc_activity_prepare (
      self, "SELECT time, entry, kind, message, output FROM failures WHERE plugin = ? ORDER BY id", error);
  if (s == NULL)
    return NULL;
  list = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_failure_free);
  oc_activity_bind (s, 1, plugin);
  while (oc_activity_next (self, s, &failure))
    g_ptr_array_add (list, oc_failure_new (sqlite3_column_int64 (s, 0), (const char *) sqlite3_column_text (s, 1),
                                           (const char *) sqlite3_column_text (s, 2),
                                           (const char *) sqlite3_column_text (s, 3),
                                           (const char *) sqlite3_column_text (s, 4)));
  return finish_list (list, failure, error);
}

/* What one run's row says now. */
static void
read_run (OcRun *run,
          sqlite3_stmt *s,
          int first)
{
  g_free (run->message);
  g_free (run->output);
  run->ended = sqlite3_column_int64 (s, first);
  run->outcome = oc_outcome_from_id ((const char *) sqlite3_column_text (s, first + 1));
  run->message = oc_activity_dup_column (s, first + 2);
  run->output = oc_activity_dup_column (s, first + 3);
}

/* A run whose launcher is gone is shown as what the next start will make of it. Its row is read once more after the look
 * at its launcher, which may have ended it properly in between. */
static gboolean
settle_shown (OcActivity *self,
              GPtrArray *list,
              GError **error)
{
  g_autoptr (OcLife) life = NULL;

  for (guint i = 0; i < list->len; i++)
    {
      OcRun *run = list->pdata[i];
      GError *failure = NULL;
      sqlite3_stmt *s;

      if (run->outcome != OC_OUTCOME_RUNNING || run->ended != 0)
        continue;
      if (life == NULL && (life = oc_life_open (self, error)) == NULL)
        return FALSE;
      if (oc_life_goes_on (life, run->id))
        continue;
      s = oc_activity_prepare (self,
                               "SELECT ended, outcome, message, output, max(started, (SELECT coalesce(max(last), 0)"
                               " FROM uses WHERE run = ?1)) FROM runs WHERE id = ?1",
                               error);
      if (s == NULL)
        return FALSE;
      sqlite3_bind_int64 (s, 1, run->id);
      if (oc_activity_next (self, s, &failure))
        {
          gint64 last_sign = sqlite3_column_int64 (s, 4);

          read_run (run, s, 0);
          sqlite3_reset (s);
          if (run->outcome != OC_OUTCOME_RUNNING || run->ended != 0)
            continue;
          run->ended = last_sign;
          run->outcome = OC_OUTCOME_STOPPED;
          g_free (run->message);
          run->message = g_strdup (oc_life_get_message ());
        }
      else if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
    }
  return TRUE;
}

GPtrArray *
oc_activity_list_runs (OcActivity *self,
                       const char *plugin,
                       guint limit,
                       GError **error)
{
  GPtrArray *list;
  GError *failure = NULL;
  sqlite3_stmt *s;

  g_return_val_if_fail (self != NULL, NULL);
  s = oc_activity_prepare (self,
                           "SELECT id, plugin, entry, surface, started, ended, outcome, message, output,"
                           " (SELECT total(count) FROM uses WHERE run = id AND allowed = 1),"
                           " (SELECT total(count) FROM uses WHERE run = id AND allowed = 0)"
                           " FROM runs WHERE ?1 IS NULL OR plugin = ?1 ORDER BY id DESC LIMIT ?2",
                           error);
  if (s == NULL)
    return NULL;
  list = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_run_free);
  oc_activity_bind (s, 1, plugin);
  sqlite3_bind_int64 (s, 2, to_limit (limit));
  while (oc_activity_next (self, s, &failure))
    {
      OcRun *run = g_new0 (OcRun, 1);

      run->id = sqlite3_column_int64 (s, 0);
      run->plugin = oc_activity_dup_column (s, 1);
      run->entry = oc_activity_dup_column (s, 2);
      run->surface = oc_activity_dup_column (s, 3);
      run->started = sqlite3_column_int64 (s, 4);
      read_run (run, s, 5);
      run->n_allowed = (guint) sqlite3_column_int64 (s, 9);
      run->n_refused = (guint) sqlite3_column_int64 (s, 10);
      g_ptr_array_add (list, run);
    }
  if (failure == NULL)
    (void) settle_shown (self, list, &failure);
  return finish_list (list, failure, error);
}

GPtrArray *
oc_activity_list_uses (OcActivity *self,
                       const char *plugin,
                       gint64 run,
                       guint limit,
                       GError **error)
{
  GPtrArray *list;
  GError *failure = NULL;
  sqlite3_stmt *s;

  g_return_val_if_fail (self != NULL, NULL);
  s = oc_activity_prepare (self,
                           "SELECT run, plugin, permission, method, detail, nullif(program, ''), allowed, count, last"
                           " FROM uses JOIN runs ON runs.id = uses.run"
                           " WHERE (?1 IS NULL OR plugin = ?1) AND (?2 = 0 OR run = ?2)"
                           " ORDER BY last DESC, run DESC LIMIT ?3",
                           error);
  if (s == NULL)
    return NULL;
  list = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_use_free);
  oc_activity_bind (s, 1, plugin);
  sqlite3_bind_int64 (s, 2, run);
  sqlite3_bind_int64 (s, 3, to_limit (limit));
  while (oc_activity_next (self, s, &failure))
    {
      OcUse *use = g_new0 (OcUse, 1);

      use->run = sqlite3_column_int64 (s, 0);
      use->plugin = oc_activity_dup_column (s, 1);
      use->permission = oc_activity_dup_column (s, 2);
      use->method = oc_activity_dup_column (s, 3);
      use->detail = oc_activity_dup_column (s, 4);
      use->program = oc_activity_dup_column (s, 5);
      use->allowed = sqlite3_column_int (s, 6) != 0;
      use->count = (guint) sqlite3_column_int64 (s, 7);
      use->last = sqlite3_column_int64 (s, 8);
      g_ptr_array_add (list, use);
    }
  return finish_list (list, failure, error);
}

static gboolean
count_runs (OcActivity *self,
            const char *plugin,
            guint *n_runs,
            GError **error)
{
  sqlite3_stmt *s = oc_activity_prepare (self, "SELECT count(*) FROM runs WHERE plugin = ?", error);
  GError *failure = NULL;

  if (s == NULL)
    return FALSE;
  oc_activity_bind (s, 1, plugin);
  if (oc_activity_next (self, s, &failure))
    {
      *n_runs = (guint) sqlite3_column_int64 (s, 0);
      sqlite3_reset (s);
      return TRUE;
    }
  g_propagate_error (error, failure);
  return FALSE;
}

GPtrArray *
oc_activity_get_usage (OcActivity *self,
                       const char *plugin,
                       guint *n_runs,
                       GError **error)
{
  GPtrArray *list;
  GError *failure = NULL;
  sqlite3_stmt *s;
  guint runs = 0;

  g_return_val_if_fail (self != NULL && plugin != NULL, NULL);
  if (!count_runs (self, plugin, &runs, error))
    return NULL;
  s = oc_activity_prepare (self,
                           "SELECT permission, total(iif(allowed, count, 0)), total(iif(allowed, 0, count)),"
                           " max(iif(allowed, last, 0))"
                           " FROM uses JOIN runs ON runs.id = uses.run"
                           " WHERE plugin = ? AND permission <> '' GROUP BY permission ORDER BY permission",
                           error);
  if (s == NULL)
    return NULL;
  list = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_usage_free);
  oc_activity_bind (s, 1, plugin);
  while (oc_activity_next (self, s, &failure))
    {
      OcUsage *usage = g_new0 (OcUsage, 1);

      usage->permission = oc_activity_dup_column (s, 0);
      usage->n_allowed = (guint) sqlite3_column_int64 (s, 1);
      usage->n_refused = (guint) sqlite3_column_int64 (s, 2);
      usage->last = sqlite3_column_int64 (s, 3);
      g_ptr_array_add (list, usage);
    }
  if (failure == NULL && n_runs != NULL)
    *n_runs = runs;
  return finish_list (list, failure, error);
}

GHashTable *
oc_activity_get_health (OcActivity *self,
                        GError **error)
{
  g_autoptr (GHashTable) table = NULL;
  GError *failure = NULL;
  sqlite3_stmt *s;

  g_return_val_if_fail (self != NULL, NULL);
  s = oc_activity_prepare (self, "SELECT plugin, errors, last_run FROM health", error);
  if (s == NULL)
    return NULL;
  table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  while (oc_activity_next (self, s, &failure))
    {
      OcHealth *health = g_new0 (OcHealth, 1);

      health->errors_in_a_row = (guint) sqlite3_column_int64 (s, 1);
      health->last_run = sqlite3_column_int64 (s, 2);
      g_hash_table_insert (table, oc_activity_dup_column (s, 0), health);
    }
  if (failure == NULL)
    return g_steal_pointer (&table);
  g_propagate_error (error, failure);
  return NULL;
}
