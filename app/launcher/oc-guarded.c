/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-guarded.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/oc-guarded-lists.h"
#include "launcher/oc-plan-private.h"

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
  g_clear_pointer (&self->reason, g_ref_string_release);
  g_free (self);
}

/* @path: (transfer full) */
static void
add_place (GPtrArray *places, char *path, GRefString *reason, const struct stat *info)
{
  OcGuardedPlace *place = g_new0 (OcGuardedPlace, 1);

  place->path = path;
  place->reason = g_ref_string_acquire (reason);
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

static void
resolve_whole (const char *path, GRefString *reason, GPtrArray *places)
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

          add_place (places, g_strdup (done->str), reason, &info);
          /* A circle leads nowhere. */
          if (target == NULL || ++n_links > MAX_LINKS)
            return;
          g_string_truncate (done, target[0] == '/' ? 0 : length);
          g_string_prepend_c (rest, '/');
          g_string_prepend (rest, target);
        }
    }
  /* A link may lead to "/", which is no place to guard: whoever plans with it refuses it. */
  if (done->len == 0)
    reachable = lstat ("/", &info) == 0;
  add_place (places, g_strdup (done->len > 0 ? done->str : "/"), reason, reachable ? &info : NULL);
}

void
oc_guarded_resolve (const char *path, const char *reason, GPtrArray *places)
{
  GRefString *shared = g_ref_string_new (reason);

  resolve_whole (path, shared, places);
  g_ref_string_release (shared);
}

/* The list has hundreds of lines, most of them in few folders and most of what they name does not
 * exist: a tree of the folders as they are spelt, in which each is looked at once, and nothing below
 * one that is not there. */
typedef struct _Folder Folder;
struct _Folder
{
  char *canonical; /* "" is "/" */
  gboolean exists; /* and can be looked into */
  gboolean missing; /* where something could be: what is to lie in it is not looked for */
  gboolean told;
  guint n_asked;
  gboolean listed;
  GHashTable *names;    /* (nullable) (element-type utf8 utf8): what is in it, where that is known */
  GHashTable *children; /* (nullable) (element-type utf8 Folder) */
};

/* From this many questions on a folder is listed, unless there is more in it than that. */
#define LIST_AFTER 12
#define MAX_LISTED 1024

/* "~/.config" of one home, and what an XDG variable says instead. */
typedef struct
{
  Folder *folder;
  Folder *moved[G_N_ELEMENTS (xdg_folders)]; /* NULL: not moved */
} Home;

typedef struct
{
  const char *const *paths; /* of the homes */
  GArray *homes;            /* (element-type Home): made when the first is needed */
  Folder *root;
  GPtrArray *odd;    /* (element-type Folder): not in the tree below @root */
  GPtrArray *places; /* (element-type OcGuardedPlace) */
} Resolver;

static void
folder_free (gpointer data)
{
  Folder *self = data;

  g_free (self->canonical);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->children, g_hash_table_unref);
  g_free (self);
}

static void
folder_list (Folder *self)
{
  g_autoptr (GDir) dir = g_dir_open (self->canonical[0] != '\0' ? self->canonical : "/", 0, NULL);
  g_autoptr (GHashTable) names = NULL;
  const char *name;

  self->listed = TRUE;
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

/* Whether there is something of that name, with @info about it. @path: its canonical path. */
static gboolean
folder_look (Folder *self, const char *name, const char *path, struct stat *info)
{
  if (!self->exists)
    return FALSE;
  if (!self->listed && ++self->n_asked > LIST_AFTER)
    folder_list (self);
  if (self->names != NULL && !g_hash_table_contains (self->names, name))
    return FALSE;
  return lstat (path, info) == 0;
}

/* The general way, for links. The last place added is where it ends. */
static Folder *
resolve_folder_whole (Resolver *self, const char *path, GRefString *reason)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  Folder *folder = g_new0 (Folder, 1);

  resolve_whole (path, reason, found);
  for (guint i = 0; i < found->len; i++)
    {
      OcGuardedPlace *place = found->pdata[i];

      if (place->is_link)
        {
          g_ptr_array_add (self->places, place);
          continue;
        }
      folder->canonical = g_strdup (strcmp (place->path, "/") != 0 ? place->path : "");
      folder->exists = place->exists;
      oc_guarded_place_free (place);
    }
  /* A circle of links, through which nothing is reached. */
  if (folder->canonical == NULL)
    folder->canonical = g_strdup (path);
  return folder;
}

static Folder *
make_child (Resolver *self, Folder *parent, const char *name, GRefString *reason)
{
  g_autofree char *canonical = g_strconcat (parent->canonical, "/", name, NULL);
  struct stat info;
  gboolean exists = folder_look (parent, name, canonical, &info);
  Folder *child;

  if (exists && S_ISLNK (info.st_mode))
    return resolve_folder_whole (self, canonical, reason);
  child = g_new0 (Folder, 1);
  child->exists = exists;
  child->missing = !exists && parent->exists;
  child->canonical = g_steal_pointer (&canonical);
  return child;
}

static Folder *
get_child (Resolver *self, Folder *parent, const char *name, GRefString *reason)
{
  Folder *child = parent->children != NULL ? g_hash_table_lookup (parent->children, name) : NULL;

  if (child != NULL)
    return child;
  if (parent->children == NULL)
    parent->children = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, folder_free);
  child = make_child (self, parent, name, reason);
  g_hash_table_insert (parent->children, g_strdup (name), child);
  return child;
}

/* @below: without "." and "..": see oc_guarded_list_check(). Slashes too many count for one.
 * @leaf: (out) (nullable): its last component, which then is not walked into. It is cut apart. Does not go beyond the first
 * folder that is missing. */
static Folder *
walk (Resolver *self, Folder *folder, char *below, GRefString *reason, char **leaf)
{
  char *at = below;

  while (!folder->missing)
    {
      char *end;

      at += strspn (at, "/");
      end = at + strcspn (at, "/");
      if (leaf != NULL && end[strspn (end, "/")] == '\0')
        {
          *end = '\0';
          *leaf = at;
          return folder;
        }
      if (*at == '\0')
        return folder;
      if (*end != '\0')
        *end++ = '\0';
      folder = get_child (self, folder, at, reason);
      at = end;
    }
  return folder;
}

/* As oc_guarded_resolve(), with what is known of the folder. */
static void
resolve (Resolver *self, Folder *folder, const char *below, GRefString *reason)
{
  g_autofree char *copy = g_strdup (below);
  g_autofree char *canonical = NULL;
  struct stat info;
  gboolean exists;
  char *name;

  folder = walk (self, folder, copy, reason, &name);
  if (folder->missing)
    {
      if (!folder->told)
        add_place (self->places, g_strdup (folder->canonical), reason, NULL);
      folder->told = TRUE;
      return;
    }
  if (name[0] != '\0')
    canonical = g_strconcat (folder->canonical, "/", name, NULL);
  else
    canonical = g_strdup (folder->canonical[0] != '\0' ? folder->canonical : "/");
  exists = name[0] != '\0' ? folder_look (folder, name, canonical, &info)
                           : folder->exists && lstat (canonical, &info) == 0;
  if (exists && S_ISLNK (info.st_mode))
    {
      resolve_whole (canonical, reason, self->places);
      return;
    }
  add_place (self->places, g_steal_pointer (&canonical), reason, exists ? &info : NULL);
}

/* Absolute, from the environment, so of any form. */
static Folder *
get_folder (Resolver *self, const char *path, GRefString *reason)
{
  g_autofree char *copy = g_canonicalize_filename (path, "/");

  /* What ".." leads to where there are links the kernel alone knows: rare, so the slow way. */
  if (strstr (path, "..") != NULL)
    {
      Folder *folder = resolve_folder_whole (self, path, reason);

      g_ptr_array_add (self->odd, folder);
      return folder;
    }
  return walk (self, self->root, copy, reason, NULL);
}

static void
find_homes (Resolver *self, GRefString *reason)
{
  for (gsize i = 0; self->paths[i] != NULL; i++)
    {
      Home home = { .folder = get_folder (self, self->paths[i], reason) };

      for (gsize j = 0; j < G_N_ELEMENTS (xdg_folders); j++)
        {
          const char *value = g_getenv (xdg_folders[j].variable);
          g_autofree char *usual = g_strdup (xdg_folders[j].folder);

          if (value == NULL || !g_path_is_absolute (value))
            continue;
          home.moved[j] = get_folder (self, value, reason);
          if (home.moved[j] == walk (self, home.folder, usual, reason, NULL))
            home.moved[j] = NULL;
        }
      g_array_append_val (self->homes, home);
    }
}

/* Adds what "~/…" means in each home, and with the XDG variables at odd places. */
static void
add_in_homes (Resolver *self, const char *below, GRefString *reason)
{
  if (self->homes->len == 0)
    find_homes (self, reason);
  for (guint i = 0; i < self->homes->len; i++)
    {
      const Home *home = &g_array_index (self->homes, Home, i);

      resolve (self, home->folder, below, reason);
      for (gsize j = 0; j < G_N_ELEMENTS (xdg_folders); j++)
        {
          gsize length = home->moved[j] != NULL ? strlen (xdg_folders[j].folder) : 0;

          if (length > 0 && strncmp (below, xdg_folders[j].folder, length) == 0
              && (below[length] == '/' || below[length] == '\0'))
            resolve (self, home->moved[j], below + length, reason);
        }
    }
}

static void
add_in_variable (Resolver *self, const char *spec, GRefString *reason)
{
  gsize length = strcspn (spec, "/");
  g_autofree char *name = g_strndup (spec + 1, length - 1);
  const char *value = g_getenv (name);

  for (gsize i = 0; i < G_N_ELEMENTS (xdg_folders); i++)
    if (strcmp (name, xdg_folders[i].variable) == 0)
      {
        g_autofree char *in_home = g_strconcat (xdg_folders[i].folder, spec + length, NULL);

        add_in_homes (self, in_home, reason);
        return;
      }
  if (value != NULL && g_path_is_absolute (value))
    resolve (self, get_folder (self, value, reason), spec + length, reason);
}

static void
add_line (Resolver *self, char *line)
{
  char *tab = strchr (line, '\t');
  GRefString *reason = g_ref_string_new (tab + 1);
  const char *path = line;

  *tab = '\0';
  if (path[0] == '/')
    resolve (self, self->root, path, reason);
  else if (path[0] == '$')
    add_in_variable (self, path, reason);
  else
    add_in_homes (self, path + 2, reason);
  g_ref_string_release (reason);
}

static void
add_text (Resolver *self, const char *text)
{
  g_autofree char *copy = g_strdup (text);
  char *next;

  for (char *line = copy; line != NULL; line = next)
    {
      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      if (line[0] != '\0' && line[0] != '#')
        add_line (self, line);
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const OcGuardedPlace *const *place_a = a, *const *place_b = b;

  return oc_plan_compare_paths ((*place_a)->path, (*place_b)->path);
}

/* Sorted, each once. @lists: (element-type OcGuardedList), checked */
static GPtrArray *
resolve_lists (GPtrArray *lists, const char *const *homes)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (
      (GDestroyNotify)oc_guarded_place_free);
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (
      (GDestroyNotify)oc_guarded_place_free);
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Home));
  g_autoptr (GPtrArray) odd = g_ptr_array_new_with_free_func (folder_free);
  Folder root = { .canonical = (char *)"", .exists = TRUE };
  Resolver resolver
      = { .paths = homes, .homes = array, .root = &root, .odd = odd, .places = all };

  for (guint i = 0; i < lists->len; i++)
    add_text (&resolver, ((OcGuardedList *)lists->pdata[i])->text);
  g_clear_pointer (&root.names, g_hash_table_unref);
  g_clear_pointer (&root.children, g_hash_table_unref);
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
