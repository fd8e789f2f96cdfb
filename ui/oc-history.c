/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-history.h"

struct _OcHistory
{
  GPtrArray *runs;
  GPtrArray *uses; /* (element-type GPtrArray<OcUse>), one for each run */
  GPtrArray *usage;
  guint n_runs;
};

typedef struct
{
  OcPaths *paths;
  char *plugin;
} LoadData;

static void
load_data_free (LoadData *data)
{
  oc_paths_unref (data->paths);
  g_free (data->plugin);
  g_free (data);
}

static void
history_clear (OcHistory *self)
{
  g_clear_pointer (&self->runs, g_ptr_array_unref);
  g_clear_pointer (&self->uses, g_ptr_array_unref);
  g_clear_pointer (&self->usage, g_ptr_array_unref);
}

OcHistory *
oc_history_ref (OcHistory *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_history_unref (OcHistory *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify) history_clear);
}

static gboolean
history_fill (OcHistory *self,
              OcActivity *activity,
              const char *plugin,
              GError **error)
{
  self->usage = oc_activity_get_usage (activity, plugin, &self->n_runs, error);
  if (self->usage == NULL)
    return FALSE;
  self->runs = oc_activity_list_runs (activity, plugin, OC_HISTORY_MAX_RUNS, error);
  if (self->runs == NULL)
    return FALSE;
  for (guint i = 0; i < self->runs->len; i++)
    {
      const OcRun *run = g_ptr_array_index (self->runs, i);
      GPtrArray *uses = oc_activity_list_uses (activity, plugin, run->id, OC_HISTORY_MAX_USES, error);

      if (uses == NULL)
        return FALSE;
      g_ptr_array_add (self->uses, uses);
    }
  return TRUE;
}

static void
load_thread (GTask *task,
             gpointer source,
             gpointer task_data,
             GCancellable *cancellable)
{
  LoadData *data = task_data;
  g_autoptr (OcHistory) self = g_atomic_rc_box_new0 (OcHistory);
  g_autoptr (OcActivity) activity = NULL;
  GError *error = NULL;

  self->uses = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  /* Looking must not make a file. */
  if (!g_file_test (oc_paths_get_activity (data->paths), G_FILE_TEST_EXISTS))
    {
      self->runs = g_ptr_array_new ();
      self->usage = g_ptr_array_new ();
      g_task_return_pointer (task, g_steal_pointer (&self), (GDestroyNotify) oc_history_unref);
      return;
    }
  activity = oc_activity_open (data->paths, &error);
  if (activity == NULL || !history_fill (self, activity, data->plugin, &error))
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&self), (GDestroyNotify) oc_history_unref);
}

void
oc_history_load_async (OcPaths *paths,
                       const char *plugin,
                       GCancellable *cancellable,
                       GAsyncReadyCallback callback,
                       gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  LoadData *data = g_new0 (LoadData, 1);

  data->paths = oc_paths_ref (paths);
  data->plugin = g_strdup (plugin);
  g_task_set_source_tag (task, oc_history_load_async);
  g_task_set_task_data (task, data, (GDestroyNotify) load_data_free);
  g_task_run_in_thread (task, load_thread);
}

OcHistory *
oc_history_load_finish (GAsyncResult *result,
                        GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

guint
oc_history_get_n_runs (OcHistory *self)
{
  return self->n_runs;
}

GPtrArray *
oc_history_get_runs (OcHistory *self)
{
  return self->runs;
}

GPtrArray *
oc_history_get_uses (OcHistory *self,
                     guint i)
{
  return g_ptr_array_index (self->uses, i);
}

const OcUsage *
oc_history_find_usage (OcHistory *self,
                       const char *permission)
{
  for (guint i = 0; i < self->usage->len; i++)
    {
      const OcUsage *usage = g_ptr_array_index (self->usage, i);

      if (g_strcmp0 (usage->permission, permission) == 0)
        return usage;
    }
  return NULL;
}
