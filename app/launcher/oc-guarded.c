/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-guarded.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/oc-guarded-lists.h"

/* As the kernel's own. */
#define MAX_LINKS 40

/* Where a variable is not set, its folder is the default below home; where it is, both are guarded.
 */
static const struct
{
  const char *variable;
  const char *folder;
} xdg_folders[] = {
  { "XDG_CONFIG_HOME", ".config" },
  { "XDG_DATA_HOME", ".local/share" },
  { "XDG_STATE_HOME", ".local/state" },
  { "XDG_CACHE_HOME", ".cache" },
};

void
oc_guarded_place_free (OcGuardedPlace *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->reason);
  g_free (self);
}

static void
add_place (GPtrArray *places, const char *path, const char *reason, const struct stat *info)
{
  OcGuardedPlace *place = g_new0 (OcGuardedPlace, 1);

  place->path = g_strdup (path);
  place->reason = g_strdup (reason);
  place->exists = info != NULL;
  place->is_link = info != NULL && S_ISLNK (info->st_mode);
  place->n_links = info != NULL && S_ISREG (info->st_mode) ? info->st_nlink : 1;
  g_ptr_array_add (places, place);
}

/* The rest of a path whose beginning is resolved, its first component taken off. */
static char *
take_component (GString *rest)
{
  gsize start = strspn (rest->str, "/");
  gsize length = strcspn (rest->str + start, "/");
  char *component = g_strndup (rest->str + start, length);

  g_string_erase (rest, 0, (gssize)(start + length));
  return component;
}

static void
go_up (GString *done)
{
  char *slash = strrchr (done->str, '/');

  if (slash != NULL)
    g_string_truncate (done, (gsize)(slash - done->str));
}

void
oc_guarded_resolve (const char *path, const char *reason, GPtrArray *places)
{
  g_autoptr (GString) done = g_string_new (NULL); /* canonical; "" is "/" */
  g_autoptr (GString) rest = g_string_new (path);
  guint n_links = 0;
  gboolean reachable = TRUE;
  struct stat info;

  while (rest->str[strspn (rest->str, "/")] != '\0')
    {
      g_autofree char *component = take_component (rest);
      gsize length = done->len;

      if (strcmp (component, ".") == 0)
        continue;
      if (strcmp (component, "..") == 0)
        {
          go_up (done);
          continue;
        }
      g_string_append_c (done, '/');
      g_string_append (done, component);
      reachable = reachable && lstat (done->str, &info) == 0;
      if (reachable && S_ISLNK (info.st_mode))
        {
          g_autofree char *target = g_file_read_link (done->str, NULL);

          add_place (places, done->str, reason, &info);
          /* A circle leads nowhere. */
          if (target == NULL || ++n_links > MAX_LINKS)
            return;
          g_string_truncate (done, target[0] == '/' ? 0 : length);
          g_string_prepend_c (rest, '/');
          g_string_prepend (rest, target);
        }
    }
  if (done->len > 0)
    add_place (places, done->str, reason, reachable ? &info : NULL);
}

/* The list has hundreds of lines, most of them in few folders and most of what they name does not
 * exist: each folder is looked at once. */
typedef struct
{
  char *canonical;
  gboolean exists;   /* and can be looked into */
  GHashTable *names; /* (nullable) (element-type utf8 utf8): what is in it, where that is known and
                        little */
} Folder;

/* A larger folder is not listed: to ask for each name is quicker then. */
#define MAX_LISTED 1024

typedef struct
{
  const char *const *homes;
  GHashTable *folders; /* (element-type utf8 Folder) */
  GPtrArray *places;
} Resolver;

static void
folder_free (gpointer data)
{
  Folder *self = data;

  g_free (self->canonical);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_free (self);
}

static void
folder_list (Folder *self)
{
  g_autoptr (GDir) dir = self->exists ? g_dir_open (
                             self->canonical[0] != '\0' ? self->canonical : "/", 0, NULL)
                                      : NULL;
  g_autoptr (GHashTable) names = NULL;
  const char *name;

  if (dir == NULL)
    return;
  names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      if (g_hash_table_size (names) == MAX_LISTED)
        return;
      g_hash_table_add (names, g_strdup (name));
    }
  self->names = g_steal_pointer (&names);
}

static gboolean
folder_may_have (const Folder *self, const char *name)
{
  return self->exists && (self->names == NULL || g_hash_table_contains (self->names, name));
}

/* The general way, for the beginning of paths and for links. The last place added is where it ends.
 */
static Folder *
resolve_folder_whole (Resolver *self, const char *path, const char *reason)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  Folder *folder = g_new0 (Folder, 1);

  oc_guarded_resolve (path, reason, found);
  for (guint i = 0; i < found->len; i++)
    {
      OcGuardedPlace *place = found->pdata[i];

      if (place->is_link)
        {
          g_ptr_array_add (self->places, place);
          continue;
        }
      folder->canonical = g_strdup (place->path);
      folder->exists = place->exists;
      oc_guarded_place_free (place);
    }
  /* "/", or a circle of links, through which nothing is reached. */
  if (folder->canonical == NULL)
    {
      folder->canonical = found->len == 0 ? g_strdup ("") : g_strdup (path);
      folder->exists = found->len == 0;
    }
  return folder;
}

static const Folder *
resolve_folder (Resolver *self, const char *path, const char *reason)
{
  Folder *folder = g_hash_table_lookup (self->folders, path);
  const char *name = strrchr (path, '/');
  struct stat info;

  if (folder != NULL)
    return folder;
  if (name == NULL || name == path || strcmp (name, "/.") == 0 || strcmp (name, "/..") == 0
      || name[1] == '\0')
    folder = resolve_folder_whole (self, path, reason);
  else
    {
      g_autofree char *parent_path = g_strndup (path, (gsize)(name - path));
      const Folder *parent = resolve_folder (self, parent_path, reason);
      g_autofree char *canonical = g_strconcat (parent->canonical, name, NULL);
      gboolean exists = folder_may_have (parent, name + 1) && lstat (canonical, &info) == 0;

      if (exists && S_ISLNK (info.st_mode))
        folder = resolve_folder_whole (self, canonical, reason);
      else
        {
          folder = g_new0 (Folder, 1);
          folder->canonical = g_steal_pointer (&canonical);
          folder->exists = exists;
        }
    }
  folder_list (folder);
  g_hash_table_insert (self->folders, g_strdup (path), folder);
  return folder;
}

/* As oc_guarded_resolve(), with what is known of the folder. */
static void
resolve (Resolver *self, const char *path, const char *reason)
{
  g_autofree char *parent_path = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  const Folder *parent = resolve_folder (self, parent_path, reason);
  g_autofree char *canonical = g_strconcat (parent->canonical, "/", name, NULL);
  gboolean exists;
  struct stat info;

  exists = folder_may_have (parent, name) && lstat (canonical, &info) == 0;
  if ((exists && S_ISLNK (info.st_mode)) || name[0] == '/' || strcmp (name, ".") == 0
      || strcmp (name, "..") == 0)
    oc_guarded_resolve (path, reason, self->places);
  else
    add_place (self->places, canonical, reason, exists ? &info : NULL);
}

/* Adds what "~/…" means in @home, and with the XDG variables at odd places. */
static void
add_in_home (Resolver *self, const char *home, const char *below, const char *reason)
{
  g_autofree char *path = g_build_filename (home, below, NULL);

  resolve (self, path, reason);
  for (gsize i = 0; i < G_N_ELEMENTS (xdg_folders); i++)
    {
      gsize length = strlen (xdg_folders[i].folder);
      const char *value = g_getenv (xdg_folders[i].variable);

      if (value != NULL && g_path_is_absolute (value)
          && g_str_has_prefix (below, xdg_folders[i].folder) && below[length] == '/')
        {
          g_autofree char *moved = g_build_filename (value, below + length + 1, NULL);

          resolve (self, moved, reason);
        }
    }
}

static void
add_in_variable (Resolver *self, const char *spec, const char *reason)
{
  gsize length = strcspn (spec, "/");
  g_autofree char *name = g_strndup (spec + 1, length - 1);
  const char *value = g_getenv (name);
  const char *below = spec[length] == '/' ? spec + length + 1 : "";

  for (gsize i = 0; i < G_N_ELEMENTS (xdg_folders); i++)
    if (strcmp (name, xdg_folders[i].variable) == 0)
      {
        g_autofree char *in_home = g_build_filename (xdg_folders[i].folder, below, NULL);

        for (gsize j = 0; self->homes[j] != NULL; j++)
          add_in_home (self, self->homes[j], in_home, reason);
        return;
      }
  if (value != NULL && g_path_is_absolute (value))
    {
      g_autofree char *path = g_build_filename (value, below, NULL);

      resolve (self, path, reason);
    }
}

static void
add_line (Resolver *self, char *line)
{
  char *reason = strchr (line, '\t');
  char *path = line;

  *reason++ = '\0';
  if (path[0] == '/')
    resolve (self, path, reason);
  else if (path[0] == '$')
    add_in_variable (self, path, reason);
  else
    for (gsize i = 0; self->homes[i] != NULL; i++)
      add_in_home (self, self->homes[i], path + 2, reason);
}

static void
add_text (Resolver *self, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0' && lines[i][0] != '#')
      add_line (self, lines[i]);
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const OcGuardedPlace *const *place_a = a, *const *place_b = b;

  return strcmp ((*place_a)->path, (*place_b)->path);
}

/* Sorted, each once. @lists: (element-type OcGuardedList), checked */
static GPtrArray *
resolve_lists (GPtrArray *lists, const char *const *homes)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (
      (GDestroyNotify)oc_guarded_place_free);
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (
      (GDestroyNotify)oc_guarded_place_free);
  g_autoptr (GHashTable) folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          folder_free);
  Resolver resolver = { .homes = homes, .folders = folders, .places = all };

  for (guint i = 0; i < lists->len; i++)
    add_text (&resolver, ((OcGuardedList *)lists->pdata[i])->text);
  g_ptr_array_sort (all, compare_places);
  for (guint i = 0; i < all->len; i++)
    if (places->len == 0 || compare_places (&places->pdata[places->len - 1], &all->pdata[i]) != 0)
      g_ptr_array_add (places, g_steal_pointer (&all->pdata[i]));
  return g_steal_pointer (&places);
}

GPtrArray *
oc_guarded_list_from_text (const char *text, const char *const *homes, GError **error)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new ();
  OcGuardedList list = { .text = (char *)text };

  g_ptr_array_add (lists, &list);
  return oc_guarded_list_check (&list, error) ? resolve_lists (lists, homes) : NULL;
}

GPtrArray *
oc_guarded_list (OcPaths *paths, const char *const *homes, GError **error)
{
  g_autoptr (GPtrArray) lists = oc_guarded_lists_read (paths, homes, error);

  return lists != NULL ? resolve_lists (lists, homes) : NULL;
}
