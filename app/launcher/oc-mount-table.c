/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-mount-table.h"

#include <string.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "launcher/oc-plan-private.h"

/* Mount id, parent, device, root, mount point. */
#define N_FIELDS 5
/* From a layer to the overlay or back. Where an overlay lies in one of its own layers the names of a
 * place have no end; overlays on overlays on overlays are not met with. */
#define MAX_STEPS 3

typedef struct
{
  char *device;
  guint first_of_device; /* where the table has it first: stands for it, and is quicker to compare */
  char *root;            /* within the file system */
  gsize root_length;     /* 0: "/" */
  char *point;           /* where it is */
  gsize point_length;    /* 0: "/" */
  guint n_of_device;     /* in the table: 1 has no aliases */
  GPtrArray *layers; /* (nullable) (element-type utf8): of an overlay: the folders it is made of */
} Mount;

struct _OcMountTable
{
  GArray *mounts; /* (element-type Mount), in the order of mounting */
  gboolean has_layers;
};

static void
clear_mount (gpointer data)
{
  Mount *mount = data;

  g_free (mount->device);
  g_free (mount->root);
  g_free (mount->point);
  g_clear_pointer (&mount->layers, g_ptr_array_unref);
}

void
oc_mount_table_free (OcMountTable *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->mounts);
  g_free (self);
}

static void
add_layer (GPtrArray *layers, const char *path)
{
  if (g_path_is_absolute (path))
    g_ptr_array_add (layers, g_canonicalize_filename (path, "/"));
}

/* Separated by colons; a colon that belongs to a name has a backslash before it. */
static void
add_lower_layers (GPtrArray *layers, const char *text)
{
  g_autoptr (GString) path = g_string_new (NULL);

  for (const char *at = text;; at++)
    {
      if (*at == '\\' && at[1] != '\0')
        g_string_append_c (path, *++at);
      else if (*at != ':' && *at != '\0')
        g_string_append_c (path, *at);
      else
        {
          add_layer (layers, path->str);
          g_string_truncate (path, 0);
        }
      if (*at == '\0')
        return;
    }
}

/* What follows the mount point: optional fields, "-", the file system, its source, its options,
 * where a comma within a name is written as \054. Layers whose names are relative to a folder that
 * is not known are left out. */
static GPtrArray *
read_layers (const char *rest)
{
  const char *dash = strstr (rest, " - overlay ");
  const char *options = dash != NULL ? strrchr (dash, ' ') : NULL;
  g_auto (GStrv) list = g_strsplit (options != NULL ? options + 1 : "", ",", -1);
  g_autoptr (GPtrArray) layers = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; list[i] != NULL; i++)
    {
      g_autofree char *option = g_strcompress (list[i]);
      const char *value = strchr (option, '=');

      if (value == NULL)
        continue;
      value++;
      if (g_str_has_prefix (option, "lowerdir="))
        add_lower_layers (layers, value);
      else if (g_str_has_prefix (option, "upperdir=") || g_str_has_prefix (option, "lowerdir+=")
               || g_str_has_prefix (option, "datadir+="))
        add_layer (layers, value);
    }
  return layers->len > 0 ? g_steal_pointer (&layers) : NULL;
}

static gsize
measure (const char *path)
{
  return strcmp (path, "/") == 0 ? 0 : strlen (path);
}

/* @length: of @ancestor, 0: "/". Called for each mount for each place: cheap for those that do not match. */
static gboolean
is_within (const char *path, gsize path_length, const char *ancestor, gsize length)
{
  if (length == 0)
    return TRUE;
  return path_length >= length && (path[length] == '/' || path[length] == '\0')
         && memcmp (path, ancestor, length) == 0;
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
  mount.root_length = measure (mount.root);
  mount.point = g_strcompress (fields[4]);
  mount.point_length = measure (mount.point);
  mount.layers = read_layers (fields[N_FIELDS]);
  g_array_append_val (mounts, mount);
  return TRUE;
}

static void
count_devices (OcMountTable *self)
{
  g_autoptr (GHashTable) firsts = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->mounts->len; i++)
    {
      Mount *mount = &g_array_index (self->mounts, Mount, i);

      if (!g_hash_table_contains (firsts, mount->device))
        g_hash_table_insert (firsts, mount->device, GUINT_TO_POINTER (i));
      mount->first_of_device = GPOINTER_TO_UINT (g_hash_table_lookup (firsts, mount->device));
      g_array_index (self->mounts, Mount, mount->first_of_device).n_of_device++;
    }
  for (guint i = 0; i < self->mounts->len; i++)
    {
      Mount *mount = &g_array_index (self->mounts, Mount, i);

      mount->n_of_device = g_array_index (self->mounts, Mount, mount->first_of_device).n_of_device;
    }
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
    self->has_layers |= g_array_index (self->mounts, Mount, i).layers != NULL;
  count_devices (self);
  return g_steal_pointer (&self);
}

/* A container's overlay is made of folders of its host, which are not seen in it. */
static void
drop_hidden_layers (OcMountTable *self)
{
  self->has_layers = FALSE;
  for (guint i = 0; i < self->mounts->len; i++)
    {
      Mount *mount = &g_array_index (self->mounts, Mount, i);

      for (guint j = mount->layers != NULL ? mount->layers->len : 0; j > 0; j--)
        if (access (mount->layers->pdata[j - 1], F_OK) != 0)
          g_ptr_array_remove_index (mount->layers, j - 1);
      self->has_layers |= mount->layers != NULL && mount->layers->len > 0;
    }
}

OcMountTable *
oc_mount_table_new (GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) local_error = NULL;
  OcMountTable *self;

  if (!g_file_get_contents ("/proc/self/mountinfo", &text, NULL, &local_error))
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "mounts: %s", local_error->message);
      return NULL;
    }
  self = oc_mount_table_new_from_text (text, error);
  if (self != NULL && self->has_layers)
    drop_hidden_layers (self);
  return self;
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
  gsize length = measure (path);

  for (guint i = 0; i < self->mounts->len; i++)
    {
      Mount *mount = &g_array_index (self->mounts, Mount, i);

      if ((found == NULL || mount->point_length >= found->point_length)
          && is_within (path, length, mount->point, mount->point_length))
        found = mount;
    }
  return found;
}

/* Where @inside, a path in the file system that is mounted there, is seen; of a part of it that
 * is bound elsewhere, that part. (nullable) */
static char *
find_seen (const Mount *mount, const char *inside)
{
  gsize length = measure (inside);

  if (is_within (inside, length, mount->root, mount->root_length))
    return join (mount->point, inside + mount->root_length);
  return is_within (mount->root, mount->root_length, inside, length) ? g_strdup (mount->point)
                                                                     : NULL;
}

/* The same part of the same file system at another place. */
static void
find_bound (OcMountTable *self, const char *path, GPtrArray *aliases)
{
  const Mount *home = find_mount (self, path);
  g_autofree char *joined = NULL;
  const char *inside;

  if (home == NULL || home->n_of_device < 2)
    return;
  inside = path + home->point_length;
  if (home->root_length > 0 || inside[0] == '\0')
    inside = joined = join (home->root, inside);
  for (guint i = 0; i < self->mounts->len; i++)
    {
      const Mount *mount = &g_array_index (self->mounts, Mount, i);
      char *alias;

      /* There it has the name that it is known by. */
      if (mount == home || mount->first_of_device != home->first_of_device)
        continue;
      alias = find_seen (mount, inside);
      if (alias != NULL && strcmp (alias, path) != 0)
        g_ptr_array_add (aliases, alias);
      else
        g_free (alias);
    }
}

/* A layer of an overlay, and what lies in it, is seen in the overlay; and the other way round. */
static void
find_layered (OcMountTable *self, const char *path, GPtrArray *aliases)
{
  const Mount *home = find_mount (self, path);

  for (guint i = 0; i < self->mounts->len; i++)
    {
      const Mount *mount = &g_array_index (self->mounts, Mount, i);

      for (guint j = 0; mount->layers != NULL && j < mount->layers->len; j++)
        {
          const char *layer = mount->layers->pdata[j];
          char *alias = NULL;

          if (home != NULL && home->first_of_device == mount->first_of_device)
            {
              g_autofree char *inside = join (home->root, path + home->point_length);

              alias = join (layer, inside);
            }
          else if (strcmp (path, layer) == 0 || oc_plan_is_below (layer, path))
            alias = find_seen (mount, "/");
          else if (oc_plan_is_below (path, layer))
            alias = find_seen (mount, path + measure (layer));
          if (alias != NULL)
            g_ptr_array_add (aliases, alias);
        }
    }
}

static gboolean
has_text (GPtrArray *array, const char *text)
{
  return g_ptr_array_find_with_equal_func (array, text, g_str_equal, NULL);
}

void
oc_mount_table_find_aliases (OcMountTable *self, const char *path, GPtrArray *aliases)
{
  g_autoptr (GPtrArray) known = NULL; /* borrows, in the order in which they are looked at */
  guint next = 0;

  if (!self->has_layers)
    {
      find_bound (self, path, aliases);
      return;
    }
  known = g_ptr_array_new ();
  g_ptr_array_add (known, (gpointer)path);
  for (guint step = 0; step <= MAX_STEPS; step++)
    for (guint end = known->len; next < end; next++)
      {
        g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

        find_bound (self, known->pdata[next], found);
        if (step < MAX_STEPS)
          find_layered (self, known->pdata[next], found);
        for (guint i = 0; i < found->len; i++)
          if (!has_text (known, found->pdata[i]))
            {
              g_ptr_array_add (aliases, g_steal_pointer (&found->pdata[i]));
              g_ptr_array_add (known, aliases->pdata[aliases->len - 1]);
            }
      }
}
