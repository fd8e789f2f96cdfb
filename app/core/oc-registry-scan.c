/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <sys/stat.h>

#include "core/oc-activity-private.h"
#include "core/oc-status-private.h"

static void
snapshot_clear (gpointer data)
{
  OcSnapshot *self = data;

  g_clear_pointer (&self->plugins, g_ptr_array_unref);
  g_clear_pointer (&self->consent, oc_consent_unref);
  g_clear_pointer (&self->policy, oc_policy_unref);
  g_clear_pointer (&self->health, g_hash_table_unref);
  g_clear_pointer (&self->statuses, g_ptr_array_unref);
}

OcSnapshot *
oc_snapshot_ref (OcSnapshot *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_snapshot_unref (OcSnapshot *self)
{
  g_atomic_rc_box_release_full (self, snapshot_clear);
}

OcReader *
oc_reader_new (OcPaths *paths)
{
  OcReader *self = g_atomic_rc_box_new0 (OcReader);

  g_mutex_init (&self->mutex);
  self->paths = oc_paths_ref (paths);
  self->tools = oc_tools_new (NULL);
  return self;
}

OcReader *
oc_reader_ref (OcReader *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
reader_clear (gpointer data)
{
  OcReader *self = data;

  oc_paths_unref (self->paths);
  oc_tools_unref (self->tools);
  g_clear_pointer (&self->activity, oc_activity_unref);
  g_mutex_clear (&self->mutex);
}

void
oc_reader_unref (OcReader *self)
{
  g_atomic_rc_box_release_full (self, reader_clear);
}

/* Opens the activity where it is there and not open yet, or was put in the place of the open one. */
static void
follow_activity (OcReader *self)
{
  g_autoptr (GError) error = NULL;
  struct stat status;

  if (stat (oc_paths_get_activity (self->paths), &status) < 0)
    {
      g_clear_pointer (&self->activity, oc_activity_unref);
      return;
    }
  if (self->activity != NULL && self->activity_inode == (guint64) status.st_ino)
    return;
  g_clear_pointer (&self->activity, oc_activity_unref);
  self->activity = oc_activity_open (self->paths, &error);
  self->activity_version = -1;
  if (self->activity == NULL)
    g_debug ("The activity cannot be read: %s", error->message);
  else if (stat (oc_paths_get_activity (self->paths), &status) == 0)
    self->activity_inode = (guint64) status.st_ino;
}

/* Whether another connection wrote since the last call. */
static gboolean
activity_changed (OcReader *self)
{
  sqlite3_stmt *statement = oc_activity_prepare (self->activity, "PRAGMA data_version", NULL);
  gint64 version;

  if (statement == NULL || !oc_activity_next (self->activity, statement, NULL))
    return TRUE;
  version = sqlite3_column_int64 (statement, 0);
  sqlite3_reset (statement);
  if (version == self->activity_version)
    return FALSE;
  self->activity_version = version;
  return TRUE;
}

static GHashTable *
read_health (OcReader *self,
             OcSnapshot *previous)
{
  g_autoptr (GError) error = NULL;
  GHashTable *health;

  follow_activity (self);
  if (self->activity == NULL)
    return NULL;
  if (!activity_changed (self) && previous != NULL && previous->health != NULL)
    return g_hash_table_ref (previous->health);
  health = oc_activity_get_health (self->activity, &error);
  if (health == NULL)
    g_debug ("The activity cannot be read: %s", error->message);
  return health;
}

static GPtrArray *
read_plugins (OcReader *self,
              OcSnapshot *previous,
              GCancellable *cancellable,
              GError **error)
{
  g_autoptr (GHashTable) known = NULL;
  GPtrArray *plugins = oc_plugins_scan (self->paths, cancellable, error);

  if (plugins == NULL || previous == NULL)
    return plugins;
  /* What did not change stays the same value, so that it need not be compared again. */
  known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < previous->plugins->len; i++)
    g_hash_table_insert (known, (gpointer) oc_plugin_get_folder (previous->plugins->pdata[i]),
                         previous->plugins->pdata[i]);
  for (guint i = 0; i < plugins->len; i++)
    {
      OcPlugin *old = g_hash_table_lookup (known, oc_plugin_get_folder (plugins->pdata[i]));

      if (old != NULL && oc_plugin_equal (old, plugins->pdata[i]))
        {
          oc_plugin_unref (plugins->pdata[i]);
          plugins->pdata[i] = oc_plugin_ref (old);
        }
    }
  return plugins;
}

static OcStatus *
judge (OcReader *self,
       OcSnapshot *now,
       OcPlugin *plugin,
       OcStatus *old)
{
  const OcHealth *health
      = now->health != NULL ? g_hash_table_lookup (now->health, oc_plugin_get_id (plugin)) : NULL;
  g_autoptr (OcVerdict) verdict = oc_state_evaluate (plugin, now->consent, now->policy, health,
                                                     g_atomic_int_get (&self->review_every_update));

  if (old == NULL || oc_status_get_plugin (old) != plugin)
    return oc_status_new (plugin, verdict, self->tools);
  if (oc_verdict_equal (oc_status_get_verdict (old), verdict))
    return g_object_ref (old);
  return oc_status_with_verdict (old, verdict);
}

static int
compare_statuses (gconstpointer a,
                  gconstpointer b)
{
  return oc_status_compare (*(OcStatus *const *) a, *(OcStatus *const *) b);
}

static gboolean
judge_all (OcReader *self,
           OcSnapshot *now,
           OcSnapshot *previous,
           GCancellable *cancellable,
           GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; previous != NULL && i < previous->statuses->len; i++)
    {
      OcStatus *status = previous->statuses->pdata[i];

      g_hash_table_insert (known, (gpointer) oc_plugin_get_folder (oc_status_get_plugin (status)), status);
    }
  now->statuses = g_ptr_array_new_full (now->plugins->len, g_object_unref);
  for (guint i = 0; i < now->plugins->len; i++)
    {
      OcPlugin *plugin = now->plugins->pdata[i];

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      g_ptr_array_add (now->statuses,
                       judge (self, now, plugin, g_hash_table_lookup (known, oc_plugin_get_folder (plugin))));
      g_atomic_int_set (&self->scanned, (gint) i + 1);
    }
  g_ptr_array_sort (now->statuses, compare_statuses);
  return TRUE;
}

/* The old value where the file still says the same: it holds the records that were parsed already. */
static OcConsent *
read_consent (OcReader *self,
              OcSnapshot *previous,
              GCancellable *cancellable)
{
  g_autoptr (OcConsent) consent = oc_consent_load (self->paths, cancellable);

  if (previous != NULL && oc_consent_equal (previous->consent, consent))
    return oc_consent_ref (previous->consent);
  return g_steal_pointer (&consent);
}

OcSnapshot *
oc_reader_scan (OcReader *self,
                OcSnapshot *previous,
                OcDirty dirty,
                GCancellable *cancellable,
                GError **error)
{
  g_autoptr (OcSnapshot) now = g_atomic_rc_box_new0 (OcSnapshot);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (previous == NULL)
    dirty = OC_DIRTY_ALL;
  now->plugins = (dirty & OC_DIRTY_PLUGINS) != 0 ? read_plugins (self, previous, cancellable, error)
                                                 : g_ptr_array_ref (previous->plugins);
  if (now->plugins == NULL)
    return NULL;
  now->consent = (dirty & OC_DIRTY_CONSENT) != 0 ? read_consent (self, previous, cancellable)
                                                 : oc_consent_ref (previous->consent);
  now->policy = (dirty & OC_DIRTY_POLICY) != 0 ? oc_policy_load (self->paths) : oc_policy_ref (previous->policy);
  if ((dirty & OC_DIRTY_HEALTH) != 0)
    now->health = read_health (self, previous);
  else if (previous->health != NULL)
    now->health = g_hash_table_ref (previous->health);
  if (!judge_all (self, now, previous, cancellable, error))
    return NULL;
  return g_steal_pointer (&now);
}
