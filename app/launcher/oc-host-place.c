/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host-place.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "launcher/oc-plan.h"

struct _OcPlace
{
  OcPaths *paths; /* owned */
  char *id;
  char *folder;
  char *data_folder;
  char *temp_folder;
};

OcHostPlace *
oc_host_place_new (const OcHost *host)
{
  OcHostPlace *self = g_new0 (OcHostPlace, 1);

  self->paths = oc_paths_ref (host->paths);
  self->id = g_strdup (oc_plugin_get_id (host->plugin));
  self->folder = g_strdup (oc_plugin_get_real_folder (host->plugin));
  self->data_folder = g_strdup (host->data_folder);
  self->temp_folder = g_strdup (host->temp_folder);
  return self;
}

void
oc_host_place_free (OcHostPlace *self)
{
  oc_paths_unref (self->paths);
  g_free (self->id);
  g_free (self->folder);
  g_free (self->data_folder);
  g_free (self->temp_folder);
  g_free (self);
}

gboolean
oc_host_place_is_guarded (OcHostPlace *self,
                          int fd,
                          char **real)
{
  OcPlanInput input = {
    .paths = self->paths,
    .id = self->id,
    .folder = self->folder,
    .data_folder = self->data_folder,
    .temp_folder = self->temp_folder,
    .role = OC_ROLE_TOOL,
  };
  g_autofree char *proc = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *path = g_file_read_link (proc, NULL);
  g_autoptr (OcPlan) plan = NULL;
  struct statfs fs;
  gboolean guarded;

  if (path == NULL || *path != '/' || fstatfs (fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC)
    return TRUE;
  plan = oc_plan_new (&input, NULL);
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
