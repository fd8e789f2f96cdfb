/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host-place.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "launcher/oc-plan.h"

/* Making a plan costs more than reading a file of 1 MB. */
#define PLAN_US G_USEC_PER_SEC

struct _OcHostPlace
{
  gatomicrefcount refs;
  GMutex lock;
  OcPlan *plan;   /* owned (nullable); under the lock */
  gint64 made;    /* monotonic; under the lock */
  OcPaths *paths; /* owned */
  char *id;
  char *folder;
  char *data_folder;
  char *temp_folder;
};

OcHostPlace *
oc_host_place_get (OcHost *host)
{
  OcHostPlace *self = host->place;

  if (self != NULL)
    {
      g_atomic_ref_count_inc (&self->refs);
      return self;
    }
  self = host->place = g_new0 (OcHostPlace, 1);
  g_atomic_ref_count_init (&self->refs);
  /* The caller's. */
  g_atomic_ref_count_inc (&self->refs);
  g_mutex_init (&self->lock);
  self->paths = oc_paths_ref (host->paths);
  self->id = g_strdup (oc_plugin_get_id (host->plugin));
  self->folder = g_strdup (oc_plugin_get_real_folder (host->plugin));
  self->data_folder = g_strdup (host->data_folder);
  self->temp_folder = g_strdup (host->temp_folder);
  return self;
}

void
oc_host_place_unref (OcHostPlace *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_mutex_clear (&self->lock);
  g_clear_pointer (&self->plan, oc_plan_unref);
  oc_paths_unref (self->paths);
  g_free (self->id);
  g_free (self->folder);
  g_free (self->data_folder);
  g_free (self->temp_folder);
  g_free (self);
}

/* (transfer full) (nullable): none could be made */
static OcPlan *
get_plan (OcHostPlace *self)
{
  OcPlanInput input = {
    .paths = self->paths,
    .id = self->id,
    .folder = self->folder,
    .data_folder = self->data_folder,
    .temp_folder = self->temp_folder,
    .role = OC_ROLE_TOOL,
  };
  OcPlan *plan;

  g_mutex_lock (&self->lock);
  if (self->plan == NULL || g_get_monotonic_time () > self->made + PLAN_US)
    {
      g_clear_pointer (&self->plan, oc_plan_unref);
      self->made = g_get_monotonic_time ();
      self->plan = oc_plan_new (&input, NULL);
    }
  plan = self->plan != NULL ? oc_plan_ref (self->plan) : NULL;
  g_mutex_unlock (&self->lock);
  return plan;
}

gboolean
oc_host_place_is_guarded (OcHostPlace *self,
                          int fd,
                          char **real)
{
  g_autofree char *proc = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *path = g_file_read_link (proc, NULL);
  g_autoptr (OcPlan) plan = NULL;
  struct statfs fs;
  gboolean guarded;

  if (path == NULL || *path != '/' || fstatfs (fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC)
    return TRUE;
  plan = get_plan (self);
  guarded = plan == NULL || oc_plan_denies (plan, path);
  if (real != NULL)
    *real = g_steal_pointer (&path);
  return guarded;
}

gboolean
oc_host_place_is_own (OcHostPlace *self,
                      const char *real)
{
  const char *const own[] = { self->folder, self->data_folder, self->temp_folder };

  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    {
      char *folder = own[i] ? realpath (own[i], NULL) : NULL;
      gboolean is_own = folder == NULL || oc_host_place_is_beneath (real, folder);

      free (folder);
      if (is_own)
        return TRUE;
    }
  return FALSE;
}

gboolean
oc_host_place_is_plain (const char *path)
{
  g_auto (GStrv) parts = NULL;

  if (*path != '/')
    return FALSE;
  if (path[1] == '\0')
    return TRUE;
  parts = g_strsplit (path + 1, "/", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] == '\0' || g_str_equal (parts[i], ".") || g_str_equal (parts[i], ".."))
      return FALSE;
  return TRUE;
}

gboolean
oc_host_place_is_beneath (const char *path,
                          const char *folder)
{
  gsize len = strlen (folder);

  if (g_str_equal (folder, "/"))
    return TRUE;
  return strncmp (path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}
