/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-registry.h"

#include <string.h>

#include "core/oc-status-private.h"

/* Changes come in bursts (an editor's save is three events, an unpacked plugin hundreds); half of the 200 ms that a change
 * may be late, the other half is for reading. */
#define BURST_MS 100
#define PROGRESS_MS 100
/* Past that many separate places one signal for all of the span is cheaper for everybody. */
#define MAX_RUNS 64

struct _OcRegistry
{
  GObject parent_instance;

  /* owned */
  OcReader *reader;
  OcSnapshot *snapshot; /* (nullable) */
  GPtrArray *items;     /* (element-type OcStatus) what the model shows */
  GHashTable *by_id;    /* id → OcStatus of @items, the one that counts */
  OcWatch *watch;       /* (nullable) */
  GCancellable *cancellable;
  GError *error;

  OcDirty dirty;
  OcDirty owed; /* what a reading that failed did not get to */
  gboolean loading;
  gboolean started;
  guint scanned;
  guint burst_source;
  guint progress_source;
};

enum
{
  PROP_0,
  PROP_LOADING,
  PROP_SCANNED,
  PROP_ERROR,
  N_PROPS
};

enum
{
  CONSENT_CHANGED,
  N_SIGNALS
};

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

static void oc_registry_list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (OcRegistry,
                               oc_registry,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, oc_registry_list_model_init))

static GType
oc_registry_get_item_type (GListModel *model)
{
  return OC_TYPE_STATUS;
}

static guint
oc_registry_get_n_items (GListModel *model)
{
  return OC_REGISTRY (model)->items->len;
}

static gpointer
oc_registry_get_item (GListModel *model,
                      guint position)
{
  OcRegistry *self = OC_REGISTRY (model);

  return position < self->items->len ? g_object_ref (self->items->pdata[position]) : NULL;
}

static void
oc_registry_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = oc_registry_get_item_type;
  iface->get_n_items = oc_registry_get_n_items;
  iface->get_item = oc_registry_get_item;
}

/* One place where the new list differs from the old one. */
typedef struct
{
  guint position; /* in the new list */
  guint removed;
  guint added;
} Run;

/* Both lists are sorted by the same key and share the objects that did not change, so one walk finds all runs. */
static GArray *
find_runs (GPtrArray *old,
           GPtrArray *new)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (Run));
  guint i = 0, j = 0;

  while (i < old->len || j < new->len)
    {
      Run run = { .position = j };

      while (i < old->len || j < new->len)
        {
          int order;

          if (i < old->len && j < new->len && old->pdata[i] == new->pdata[j])
            break;
          if (i >= old->len)
            order = 1;
          else if (j >= new->len)
            order = -1;
          else
            order = oc_status_compare (old->pdata[i], new->pdata[j]);
          run.removed += order <= 0 ? 1 : 0;
          run.added += order >= 0 ? 1 : 0;
          i += order <= 0 ? 1 : 0;
          j += order >= 0 ? 1 : 0;
        }
      if (run.removed > 0 || run.added > 0)
        g_array_append_val (runs, run);
      while (i < old->len && j < new->len && old->pdata[i] == new->pdata[j])
        i++, j++;
    }
  return runs;
}

static void
join_runs (GArray *runs)
{
  Run first, last, joined;
  gint64 shift = 0;

  if (runs->len <= MAX_RUNS)
    return;
  first = g_array_index (runs, Run, 0);
  last = g_array_index (runs, Run, runs->len - 1);
  for (guint i = 0; i < runs->len; i++)
    shift += (gint64) g_array_index (runs, Run, i).removed - g_array_index (runs, Run, i).added;
  joined.position = first.position;
  joined.added = last.position + last.added - first.position;
  joined.removed = (guint) (joined.added + shift);
  g_array_set_size (runs, 0);
  g_array_append_val (runs, joined);
}

/* Each run is applied and told of by itself: a listener always sees a list that fits what it was told. */
static void
apply_items (OcRegistry *self,
             GPtrArray *new)
{
  g_autoptr (GArray) runs = find_runs (self->items, new);

  join_runs (runs);
  for (guint i = 0; i < runs->len; i++)
    {
      Run *run = &g_array_index (runs, Run, i);

      if (run->removed > 0)
        g_ptr_array_remove_range (self->items, run->position, run->removed);
      if (run->added > 0)
        {
          guint tail = self->items->len - run->position;

          g_ptr_array_set_size (self->items, (gint) (self->items->len + run->added));
          memmove (self->items->pdata + run->position + run->added, self->items->pdata + run->position,
                   tail * sizeof (gpointer));
          for (guint k = 0; k < run->added; k++)
            self->items->pdata[run->position + k] = g_object_ref (new->pdata[run->position + k]);
        }
      g_list_model_items_changed (G_LIST_MODEL (self), run->position, run->removed, run->added);
    }
}

static void
index_items (OcRegistry *self,
             GPtrArray *statuses)
{
  g_hash_table_remove_all (self->by_id);
  for (guint i = 0; i < statuses->len; i++)
    {
      OcStatus *status = statuses->pdata[i];
      gpointer id = (gpointer) oc_status_get_id (status);

      if (oc_plugin_get_shadowed_by (oc_status_get_plugin (status)) == NULL
          || !g_hash_table_contains (self->by_id, id))
        g_hash_table_replace (self->by_id, id, g_object_ref (status));
    }
}

static void
set_error (OcRegistry *self,
           const GError *error)
{
  if (self->error == NULL && error == NULL)
    return;
  if (self->error != NULL && error != NULL && g_error_matches (self->error, error->domain, error->code)
      && strcmp (self->error->message, error->message) == 0)
    return;
  g_clear_error (&self->error);
  self->error = error != NULL ? g_error_copy (error) : NULL;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_ERROR]);
}

static void
set_scanned (OcRegistry *self,
             guint scanned)
{
  if (self->scanned == scanned)
    return;
  self->scanned = scanned;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SCANNED]);
}

static void
set_loading (OcRegistry *self,
             gboolean loading)
{
  if (self->loading == loading)
    return;
  self->loading = loading;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_LOADING]);
}

static gboolean
same_plugins (GPtrArray *a,
              GPtrArray *b)
{
  return a->len == b->len && memcmp (a->pdata, b->pdata, a->len * sizeof (gpointer)) == 0;
}

static void
apply_snapshot (OcRegistry *self,
                OcSnapshot *snapshot)
{
  g_autoptr (OcSnapshot) old = g_steal_pointer (&self->snapshot);

  self->snapshot = oc_snapshot_ref (snapshot);
  index_items (self, snapshot->statuses);
  apply_items (self, snapshot->statuses);
  set_scanned (self, snapshot->plugins->len);
  set_error (self, NULL);
  if (self->watch != NULL && (old == NULL || !same_plugins (old->plugins, snapshot->plugins)))
    oc_watch_set_plugins (self->watch, snapshot->plugins);
  if (old == NULL || !oc_consent_equal (old->consent, snapshot->consent))
    g_signal_emit (self, signals[CONSENT_CHANGED], 0);
}

/* One background reading. Everything it needs is its own. */
typedef struct
{
  OcReader *reader;
  OcSnapshot *previous; /* (nullable) */
  OcDirty dirty;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  oc_reader_unref (job->reader);
  g_clear_pointer (&job->previous, oc_snapshot_unref);
  g_free (job);
}

static void
job_thread (GTask *task,
            gpointer source,
            gpointer task_data,
            GCancellable *cancellable)
{
  Job *job = task_data;
  GError *error = NULL;
  OcSnapshot *snapshot = oc_reader_scan (job->reader, job->previous, job->dirty, cancellable, &error);

  if (snapshot != NULL)
    g_task_return_pointer (task, snapshot, (GDestroyNotify) oc_snapshot_unref);
  else
    g_task_return_error (task, error);
}

static void begin_job (OcRegistry *self);

static gboolean
on_burst_over (gpointer user_data)
{
  OcRegistry *self = user_data;

  self->burst_source = 0;
  if (!self->loading)
    begin_job (self);
  return G_SOURCE_REMOVE;
}

static void
mark_dirty (OcDirty dirty,
            gpointer user_data)
{
  OcRegistry *self = user_data;

  self->dirty |= dirty;
  /* Not put off by further events: a folder that changes all the time is still shown. */
  if (self->burst_source == 0 && !self->loading)
    self->burst_source = g_timeout_add (BURST_MS, on_burst_over, self);
}

static gboolean
on_progress (gpointer user_data)
{
  OcRegistry *self = user_data;

  set_scanned (self, (guint) g_atomic_int_get (&self->reader->scanned));
  return G_SOURCE_CONTINUE;
}

static void
on_job_done (GObject *source,
             GAsyncResult *result,
             gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcSnapshot) snapshot = g_task_propagate_pointer (G_TASK (result), &error);
  OcRegistry *self;

  /* Stopped, and perhaps gone: the reading holds no registry, so that its last reference is never dropped in a thread. */
  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  self = user_data;
  g_clear_handle_id (&self->progress_source, g_source_remove);
  if (snapshot != NULL)
    apply_snapshot (self, snapshot);
  else
    {
      /* What is shown stays: that a folder cannot be read does not mean that it is empty. */
      self->owed |= ((Job *) g_task_get_task_data (G_TASK (result)))->dirty;
      set_error (self, error);
    }
  set_loading (self, FALSE);
  if (self->dirty != OC_DIRTY_NOTHING)
    mark_dirty (self->dirty, self);
}

static void
begin_job (OcRegistry *self)
{
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, on_job_done, self);
  Job *job = g_new0 (Job, 1);

  job->reader = oc_reader_ref (self->reader);
  job->previous = self->snapshot != NULL ? oc_snapshot_ref (self->snapshot) : NULL;
  job->dirty = self->dirty | self->owed;
  self->dirty = self->owed = OC_DIRTY_NOTHING;
  g_task_set_source_tag (task, begin_job);
  g_task_set_task_data (task, job, job_free);
  if (self->progress_source == 0 && self->snapshot == NULL)
    self->progress_source = g_timeout_add (PROGRESS_MS, on_progress, self);
  set_loading (self, TRUE);
  g_task_run_in_thread (task, job_thread);
}

gboolean
oc_registry_load (OcRegistry *self,
                  GCancellable *cancellable,
                  GError **error)
{
  g_autoptr (OcSnapshot) snapshot = NULL;
  g_autoptr (GError) local_error = NULL;

  g_return_val_if_fail (OC_IS_REGISTRY (self), FALSE);
  snapshot = oc_reader_scan (self->reader, self->snapshot, OC_DIRTY_ALL, cancellable, &local_error);
  if (snapshot != NULL)
    {
      apply_snapshot (self, snapshot);
      return TRUE;
    }
  set_error (self, local_error);
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

void
oc_registry_start (OcRegistry *self)
{
  g_return_if_fail (OC_IS_REGISTRY (self));
  if (self->started)
    return;
  self->started = TRUE;
  self->cancellable = g_cancellable_new ();
  /* A folder that is not there cannot be watched. Where it cannot be made, reading will say so. */
  (void) oc_paths_ensure (oc_registry_get_paths (self), NULL);
  self->watch = oc_watch_new (oc_registry_get_paths (self), mark_dirty, self);
  if (self->snapshot != NULL)
    oc_watch_set_plugins (self->watch, self->snapshot->plugins);
  self->dirty = OC_DIRTY_ALL;
  begin_job (self);
}

void
oc_registry_stop (OcRegistry *self)
{
  g_return_if_fail (OC_IS_REGISTRY (self));
  self->started = FALSE;
  self->dirty = OC_DIRTY_NOTHING;
  g_clear_handle_id (&self->burst_source, g_source_remove);
  g_clear_handle_id (&self->progress_source, g_source_remove);
  g_clear_pointer (&self->watch, oc_watch_free);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  set_loading (self, FALSE);
}

void
oc_registry_refresh (OcRegistry *self)
{
  g_return_if_fail (OC_IS_REGISTRY (self));
  if (!self->started)
    {
      oc_registry_start (self);
      return;
    }
  self->dirty = OC_DIRTY_ALL;
  g_clear_handle_id (&self->burst_source, g_source_remove);
  if (!self->loading)
    begin_job (self);
}

void
oc_registry_set_review_every_update (OcRegistry *self,
                                     gboolean review_every_update)
{
  g_return_if_fail (OC_IS_REGISTRY (self));
  if (g_atomic_int_get (&self->reader->review_every_update) == review_every_update)
    return;
  g_atomic_int_set (&self->reader->review_every_update, review_every_update);
  /* Judging anew needs nothing to be read anew. */
  if (self->started)
    mark_dirty (OC_DIRTY_HEALTH, self);
}

gboolean
oc_registry_is_loading (OcRegistry *self)
{
  g_return_val_if_fail (OC_IS_REGISTRY (self), FALSE);
  return self->loading;
}

OcPaths *
oc_registry_get_paths (OcRegistry *self)
{
  g_return_val_if_fail (OC_IS_REGISTRY (self), NULL);
  return self->reader->paths;
}

OcTools *
oc_registry_get_tools (OcRegistry *self)
{
  g_return_val_if_fail (OC_IS_REGISTRY (self), NULL);
  return self->reader->tools;
}

OcConsent *
oc_registry_get_consent (OcRegistry *self)
{
  g_return_val_if_fail (OC_IS_REGISTRY (self), NULL);
  return self->snapshot != NULL ? self->snapshot->consent : NULL;
}

OcPolicy *
oc_registry_get_policy (OcRegistry *self)
{
  g_return_val_if_fail (OC_IS_REGISTRY (self), NULL);
  return self->snapshot != NULL ? self->snapshot->policy : NULL;
}

OcStatus *
oc_registry_find (OcRegistry *self,
                  const char *id)
{
  g_return_val_if_fail (OC_IS_REGISTRY (self) && id != NULL, NULL);
  return g_hash_table_lookup (self->by_id, id);
}

OcRegistry *
oc_registry_new (OcPaths *paths)
{
  OcRegistry *self = g_object_new (OC_TYPE_REGISTRY, NULL);

  self->reader = oc_reader_new (paths);
  return self;
}

static void
oc_registry_get_property (GObject *object,
                          guint id,
                          GValue *value,
                          GParamSpec *pspec)
{
  OcRegistry *self = OC_REGISTRY (object);

  switch (id)
    {
    case PROP_LOADING:
      g_value_set_boolean (value, self->loading);
      break;
    case PROP_SCANNED:
      g_value_set_uint (value, self->scanned);
      break;
    case PROP_ERROR:
      g_value_set_boxed (value, self->error);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
    }
}

static void
oc_registry_dispose (GObject *object)
{
  oc_registry_stop (OC_REGISTRY (object));
  G_OBJECT_CLASS (oc_registry_parent_class)->dispose (object);
}

static void
oc_registry_finalize (GObject *object)
{
  OcRegistry *self = OC_REGISTRY (object);

  g_clear_pointer (&self->by_id, g_hash_table_unref);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_clear_pointer (&self->snapshot, oc_snapshot_unref);
  g_clear_pointer (&self->reader, oc_reader_unref);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (oc_registry_parent_class)->finalize (object);
}

static void
oc_registry_class_init (OcRegistryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->get_property = oc_registry_get_property;
  object_class->dispose = oc_registry_dispose;
  object_class->finalize = oc_registry_finalize;
  props[PROP_LOADING] = g_param_spec_boolean ("loading", NULL, NULL, FALSE, flags);
  props[PROP_SCANNED] = g_param_spec_uint ("scanned", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_ERROR] = g_param_spec_boxed ("error", NULL, NULL, G_TYPE_ERROR, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[CONSENT_CHANGED] = g_signal_new ("consent-changed", OC_TYPE_REGISTRY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                           G_TYPE_NONE, 0);
}

static void
oc_registry_init (OcRegistry *self)
{
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_id = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
}
