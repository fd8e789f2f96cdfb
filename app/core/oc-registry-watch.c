/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <string.h>
#include <sys/stat.h>

#include "core/oc-status-private.h"

/* Each plugin folder costs one of the user's inotify watches (Linux gives 8,192 on small machines, shared with every other
 * program), so only so many get one. All others, and programs that lie in folders below a plugin's own, are looked at once
 * a second in another thread. */
#define MAX_WATCHED_PLUGINS 1000
#define POLL_INTERVAL_MS 1000
/* Looking takes at most a twentieth of the time. */
#define POLL_REST_FACTOR 20
/* Adding a watch takes some 20 µs; this many stay far below a frame. */
#define WATCHES_PER_STEP 50
#define RATE_LIMIT_MS 100

/* Something that is polled. */
typedef struct
{
  char *path;
  guint64 print;  /* of its status when last looked at */
  gboolean known; /* it was looked at */
} Probe;

struct _OcWatch
{
  OcPaths *paths;
  OcWatchFunc func;
  gpointer user_data;

  GPtrArray *fixed;       /* (element-type GFileMonitor) base, Plugins folders, policy */
  GHashTable *monitors;   /* real folder → GFileMonitor */
  GPtrArray *wanted;      /* (element-type utf8) folders that still want a monitor */
  guint step_source;
  guint poll_source;
  GArray *probes;         /* (element-type Probe), shared with the thread that looks */
  gboolean first_look;    /* the probes are new */
  GCancellable *cancellable;
};

static void
probe_clear (gpointer data)
{
  g_free (((Probe *) data)->path);
}

static guint64
fingerprint (const char *path)
{
  struct stat s;
  guint64 print;

  if (stat (path, &s) < 0)
    return 0;
  print = (guint64) s.st_ino * 1000003u + (guint64) s.st_mtim.tv_sec;
  print = print * 1000003u + (guint64) s.st_mtim.tv_nsec;
  print = print * 1000003u + (guint64) s.st_ctim.tv_nsec;
  return print * 1000003u + (guint64) s.st_size + ((guint64) s.st_mode << 40) + 1;
}

static void
on_plugins_changed (GFileMonitor *monitor,
                    GFile *file,
                    GFile *other,
                    GFileMonitorEvent event,
                    OcWatch *self)
{
  self->func (OC_DIRTY_PLUGINS, self->user_data);
}

static void
on_policy_changed (GFileMonitor *monitor,
                   GFile *file,
                   GFile *other,
                   GFileMonitorEvent event,
                   OcWatch *self)
{
  self->func (OC_DIRTY_POLICY, self->user_data);
}

static OcDirty
classify_base_file (GFile *file)
{
  g_autofree char *name = file != NULL ? g_file_get_basename (file) : NULL;

  if (name == NULL)
    return OC_DIRTY_NOTHING;
  if (strcmp (name, "consent.json") == 0 || strcmp (name, "consent.key") == 0)
    return OC_DIRTY_CONSENT;
  if (strcmp (name, "activity.db") == 0 || strcmp (name, "activity.db-wal") == 0)
    return OC_DIRTY_HEALTH;
  if (strcmp (name, "Plugins") == 0)
    return OC_DIRTY_PLUGINS;
  return OC_DIRTY_NOTHING;
}

static void
on_base_changed (GFileMonitor *monitor,
                 GFile *file,
                 GFile *other,
                 GFileMonitorEvent event,
                 OcWatch *self)
{
  OcDirty dirty = classify_base_file (file) | classify_base_file (other);

  /* Two seconds after every write to a database that stays open; the write itself was told of. */
  if (event == G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT)
    dirty &= ~OC_DIRTY_HEALTH;
  if (dirty != OC_DIRTY_NOTHING)
    self->func (dirty, self->user_data);
}

static GFileMonitor *
watch_folder (OcWatch *self,
              const char *path,
              GCallback callback)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  GFileMonitor *monitor = g_file_monitor_directory (file, G_FILE_MONITOR_WATCH_MOVES, NULL, &error);

  if (monitor == NULL)
    {
      g_debug ("“%s” cannot be watched: %s", path, error->message);
      return NULL;
    }
  g_file_monitor_set_rate_limit (monitor, RATE_LIMIT_MS);
  g_signal_connect (monitor, "changed", callback, self);
  return monitor;
}

static void
watch_fixed (OcWatch *self,
             const char *path,
             GCallback callback)
{
  GFileMonitor *monitor = watch_folder (self, path, callback);

  if (monitor != NULL)
    g_ptr_array_add (self->fixed, monitor);
}

static void
drop_monitor (gpointer data)
{
  GFileMonitor *monitor = data;

  g_file_monitor_cancel (monitor);
  g_object_unref (monitor);
}

OcWatch *
oc_watch_new (OcPaths *paths,
              OcWatchFunc func,
              gpointer user_data)
{
  OcWatch *self = g_new0 (OcWatch, 1);
  const char *const *system = oc_paths_get_system_plugins (paths);
  g_autofree char *policy_d = g_build_filename (oc_paths_get_policy_dir (paths), "policy.d", NULL);

  self->paths = oc_paths_ref (paths);
  self->func = func;
  self->user_data = user_data;
  self->fixed = g_ptr_array_new_with_free_func (drop_monitor);
  self->monitors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, drop_monitor);
  self->wanted = g_ptr_array_new_with_free_func (g_free);
  watch_fixed (self, oc_paths_get_base (paths), G_CALLBACK (on_base_changed));
  watch_fixed (self, oc_paths_get_plugins (paths), G_CALLBACK (on_plugins_changed));
  for (gsize i = 0; system[i] != NULL; i++)
    watch_fixed (self, system[i], G_CALLBACK (on_plugins_changed));
  watch_fixed (self, oc_paths_get_policy_dir (paths), G_CALLBACK (on_policy_changed));
  watch_fixed (self, policy_d, G_CALLBACK (on_policy_changed));
  return self;
}

static gboolean
on_step (gpointer user_data)
{
  OcWatch *self = user_data;

  for (guint i = 0; i < WATCHES_PER_STEP && self->wanted->len > 0; i++)
    {
      char *folder = g_ptr_array_steal_index_fast (self->wanted, self->wanted->len - 1);
      GFileMonitor *monitor = watch_folder (self, folder, G_CALLBACK (on_plugins_changed));

      if (monitor != NULL)
        g_hash_table_insert (self->monitors, folder, monitor);
      else
        g_free (folder);
    }
  if (self->wanted->len > 0)
    return G_SOURCE_CONTINUE;
  self->step_source = 0;
  /* What changed after it was read and before it was watched was seen by nobody: look once more. */
  self->func (OC_DIRTY_PLUGINS, self->user_data);
  return G_SOURCE_REMOVE;
}

static void schedule_poll (OcWatch *self,
                           guint delay_ms);

static void
poll_thread (GTask *task,
             gpointer source,
             gpointer task_data,
             GCancellable *cancellable)
{
  GArray *probes = task_data;
  gint64 start = g_get_monotonic_time ();
  gboolean changed = FALSE;

  for (guint i = 0; i < probes->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      Probe *probe = &g_array_index (probes, Probe, i);
      guint64 print = fingerprint (probe->path);

      changed |= probe->known && print != probe->print;
      probe->known = TRUE;
      probe->print = print;
    }
  g_task_set_name (task, changed ? "changed" : "same");
  g_task_return_int (task, (gssize) ((g_get_monotonic_time () - start) / 1000));
}

static void
on_polled (GObject *source,
           GAsyncResult *result,
           gpointer user_data)
{
  GTask *task = G_TASK (result);
  OcWatch *self;
  gssize took;

  /* Cancelled: the watch is gone. */
  if (g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    return;
  self = user_data;
  took = g_task_propagate_int (task, NULL);
  if (strcmp (g_task_get_name (task), "changed") == 0 || self->first_look)
    self->func (OC_DIRTY_PLUGINS, self->user_data);
  self->first_look = FALSE;
  schedule_poll (self, (guint) MAX (POLL_INTERVAL_MS, took * POLL_REST_FACTOR));
}

static gboolean
on_poll_due (gpointer user_data)
{
  OcWatch *self = user_data;
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, on_polled, self);

  self->poll_source = 0;
  g_task_set_source_tag (task, on_poll_due);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, g_array_ref (self->probes), (GDestroyNotify) g_array_unref);
  g_task_run_in_thread (task, poll_thread);
  return G_SOURCE_REMOVE;
}

static void
schedule_poll (OcWatch *self,
               guint delay_ms)
{
  if (self->probes->len > 0)
    self->poll_source = g_timeout_add (delay_ms, on_poll_due, self);
}

static void
stop_polling (OcWatch *self)
{
  g_clear_handle_id (&self->poll_source, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->probes, g_array_unref);
}

static void
add_probe (OcWatch *self,
           char *path)
{
  Probe probe = { .path = path };

  g_array_append_val (self->probes, probe);
}

static void
add_probes (OcWatch *self,
            OcPlugin *plugin,
            gboolean watched)
{
  const char *folder = oc_plugin_get_folder (plugin);
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  const char *program = oc_manifest_get_main (manifest);

  if (!watched)
    {
      add_probe (self, g_strdup (folder));
      add_probe (self, g_build_filename (folder, oc_manifest_get_file_name (manifest), NULL));
    }
  if (program != NULL && (!watched || strchr (program, '/') != NULL))
    add_probe (self, g_build_filename (folder, program, NULL));
}

static gboolean
is_not_kept (gpointer key,
             gpointer value,
             gpointer kept)
{
  return !g_hash_table_contains (kept, key);
}

void
oc_watch_set_plugins (OcWatch *self,
                      GPtrArray *plugins)
{
  g_autoptr (GHashTable) kept = g_hash_table_new (g_str_hash, g_str_equal);

  stop_polling (self);
  self->cancellable = g_cancellable_new ();
  self->probes = g_array_new (FALSE, TRUE, sizeof (Probe));
  g_array_set_clear_func (self->probes, probe_clear);
  g_ptr_array_set_size (self->wanted, 0);
  for (guint i = 0; i < plugins->len; i++)
    {
      OcPlugin *plugin = plugins->pdata[i];
      const char *folder = oc_plugin_get_real_folder (plugin);
      gboolean watched = folder != NULL && g_hash_table_size (kept) < MAX_WATCHED_PLUGINS;

      if (watched && g_hash_table_add (kept, (gpointer) folder) && !g_hash_table_contains (self->monitors, folder))
        g_ptr_array_add (self->wanted, g_strdup (folder));
      add_probes (self, plugin, watched);
    }
  g_hash_table_foreach_remove (self->monitors, is_not_kept, kept);
  if (self->wanted->len > 0 && self->step_source == 0)
    self->step_source = g_idle_add (on_step, self);
  /* The first look takes the fingerprints; what changed before it is found by reading once more, as in on_step(). */
  self->first_look = TRUE;
  schedule_poll (self, 1);
}

void
oc_watch_free (OcWatch *self)
{
  stop_polling (self);
  g_clear_handle_id (&self->step_source, g_source_remove);
  g_ptr_array_unref (self->fixed);
  g_hash_table_unref (self->monitors);
  g_ptr_array_unref (self->wanted);
  oc_paths_unref (self->paths);
  g_free (self);
}
