/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-mount-table.h"

#include <string.h>

#include "core/oc-error.h"
#include "launcher/oc-plan-private.h"

/* Mount id, parent, device, root, mount point. */
#define N_FIELDS 5

typedef struct
{
  char *device;
  char *root;        /* within the file system */
  char *point;       /* where it is */
  guint n_of_device; /* in the table: 1 has no aliases */
} Mount;

struct _OcMountTable
{
  GArray *mounts; /* (element-type Mount), in the order of mounting */
};

static void
clear_mount (gpointer data)
{
  Mount *mount = data;

  g_free (mount->device);
  g_free (mount->root);
  g_free (mount->point);
}

void
oc_mount_table_free (OcMountTable *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->mounts);
  g_free (self);
}

/* Spaces, tabs, line feeds and backslashes are written as \040 and so on: the very escapes
 * g_strcompress() undoes. */
static gboolean
add_mount (GArray *mounts, const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, " ", N_FIELDS + 1);
  Mount mount = { 0 };

  if (g_strv_length (fields) <= N_FIELDS)
    return FALSE;
  mount.device = g_strdup (fields[2]);
  mount.root = g_strcompress (fields[3]);
  mount.point = g_strcompress (fields[4]);
  g_array_append_val (mounts, mount);
  return TRUE;
}

OcMountTable *
oc_mount_table_new_from_text (const char *text, GError **error)
{
  g_autoptr (OcMountTable) self = g_new0 (OcMountTable, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  self->mounts = g_array_new (FALSE, FALSE, sizeof (Mount));
  g_array_set_clear_func (self->mounts, clear_mount);
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0' && !add_mount (self->mounts, lines[i]))
      {
        g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                     "mounts: line %u of /proc/self/mountinfo cannot be understood", i + 1);
        return NULL;
      }
  for (guint i = 0; i < self->mounts->len; i++)
    for (guint j = 0; j < self->mounts->len; j++)
      if (strcmp (g_array_index (self->mounts, Mount, i).device,
                  g_array_index (self->mounts, Mount, j).device)
          == 0)
        g_array_index (self->mounts, Mount, i).n_of_device++;
  return g_steal_pointer (&self);
}

OcMountTable *
oc_mount_table_new (GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) local_error = NULL;

  if (!g_file_get_contents ("/proc/self/mountinfo", &text, NULL, &local_error))
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "mounts: %s", local_error->message);
      return NULL;
    }
  return oc_mount_table_new_from_text (text, error);
}

static gboolean
is_at_or_below (const char *path, const char *ancestor)
{
  return strcmp (path, ancestor) == 0 || oc_plan_is_below (path, ancestor);
}

/* What follows @ancestor in @path, with its slash; "" for the same. */
static const char *
get_tail (const char *path, const char *ancestor)
{
  return path + (strcmp (ancestor, "/") == 0 ? 0 : strlen (ancestor));
}

static char *
join (const char *folder, const char *tail)
{
  if (tail[0] == '\0' || strcmp (tail, "/") == 0)
    return g_strdup (folder);
  return g_strconcat (strcmp (folder, "/") == 0 ? "" : folder, tail, NULL);
}

/* The mount a path is on: the longest mount point above it, and of several at one place the last,
 * which covers the others. */
static Mount *
find_mount (OcMountTable *self, const char *path)
{
  Mount *found = NULL;

  for (guint i = 0; i < self->mounts->len; i++)
    {
      Mount *mount = &g_array_index (self->mounts, Mount, i);

      if (is_at_or_below (path, mount->point)
          && (found == NULL || strlen (mount->point) >= strlen (found->point)))
        found = mount;
    }
  return found;
}

void
oc_mount_table_find_aliases (OcMountTable *self, const char *path, GPtrArray *aliases)
{
  const Mount *home = find_mount (self, path);
  g_autofree char *inside = NULL;

  if (home == NULL || home->n_of_device < 2)
    return;
  inside = join (home->root, get_tail (path, home->point));
  for (guint i = 0; i < self->mounts->len; i++)
    {
      const Mount *mount = &g_array_index (self->mounts, Mount, i);
      g_autofree char *alias = NULL;

      if (strcmp (mount->device, home->device) != 0)
        continue;
      if (is_at_or_below (inside, mount->root))
        alias = join (mount->point, get_tail (inside, mount->root));
      else if (is_at_or_below (mount->root, inside)) /* a part of it, bound elsewhere */
        alias = g_strdup (mount->point);
      if (alias != NULL && strcmp (alias, path) != 0)
        g_ptr_array_add (aliases, g_steal_pointer (&alias));
    }
}
