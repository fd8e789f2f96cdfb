/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-guarded.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"

/* As the kernel's own. */
#define MAX_LINKS 40
#define LIST_RESOURCE "/org/ocelot/core/guarded-places.list"

/* Where a variable is not set, its folder is the default below home; where it is, both are guarded. */
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

  g_string_erase (rest, 0, (gssize) (start + length));
  return component;
}

static void
go_up (GString *done)
{
  char *slash = strrchr (done->str, '/');

  if (slash != NULL)
    g_string_truncate (done, (gsize) (slash - done->str));
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

/* Adds what "~/…" means in @home, and with the XDG variables at odd places. */
static void
add_in_home (GPtrArray *places, const char *home, const char *below, const char *reason)
{
  g_autofree char *path = g_build_filename (home, below, NULL);

  oc_guarded_resolve (path, reason, places);
  for (gsize i = 0; i < G_N_ELEMENTS (xdg_folders); i++)
    {
      gsize length = strlen (xdg_folders[i].folder);
      const char *value = g_getenv (xdg_folders[i].variable);

      if (value != NULL && g_path_is_absolute (value) && g_str_has_prefix (below, xdg_folders[i].folder)
          && below[length] == '/')
        {
          g_autofree char *moved = g_build_filename (value, below + length + 1, NULL);

          oc_guarded_resolve (moved, reason, places);
        }
    }
}

static void
add_in_variable (GPtrArray *places, const char *spec, const char *const *homes, const char *reason)
{
  gsize length = strcspn (spec, "/");
  g_autofree char *name = g_strndup (spec + 1, length - 1);
  const char *value = g_getenv (name);
  const char *below = spec[length] == '/' ? spec + length + 1 : "";

  for (gsize i = 0; i < G_N_ELEMENTS (xdg_folders); i++)
    if (strcmp (name, xdg_folders[i].variable) == 0)
      {
        g_autofree char *in_home = g_build_filename (xdg_folders[i].folder, below, NULL);

        for (; *homes != NULL; homes++)
          add_in_home (places, *homes, in_home, reason);
        return;
      }
  if (value != NULL && g_path_is_absolute (value))
    {
      g_autofree char *path = g_build_filename (value, below, NULL);

      oc_guarded_resolve (path, reason, places);
    }
}

static gboolean
add_line (GPtrArray *places, const char *line, guint number, const char *const *homes, GError **error)
{
  g_auto (GStrv) fields = g_strsplit (line, "\t", 2);
  const char *path = fields[0];

  if (fields[1] == NULL || fields[1][0] == '\0')
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   "guarded-places: line %u of the list of guarded places has no reason after its path", number);
      return FALSE;
    }
  if (path[0] == '/' && path[1] != '\0')
    oc_guarded_resolve (path, fields[1], places);
  else if (g_str_has_prefix (path, "~/") && path[2] != '\0')
    for (gsize i = 0; homes[i] != NULL; i++)
      add_in_home (places, homes[i], path + 2, fields[1]);
  else if (path[0] == '$' && g_ascii_isupper (path[1]))
    add_in_variable (places, path, homes, fields[1]);
  else
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   "guarded-places: line %u of the list of guarded places begins with none of /, ~/ and $", number);
      return FALSE;
    }
  return TRUE;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const OcGuardedPlace *const *place_a = a, *const *place_b = b;

  return strcmp ((*place_a)->path, (*place_b)->path);
}

GPtrArray *
oc_guarded_list_from_text (const char *text, const char *const *homes, GError **error)
{
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_guarded_place_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0' && lines[i][0] != '#' && !add_line (places, lines[i], i + 1, homes, error))
      return NULL;
  g_ptr_array_sort (places, compare_places);
  for (guint i = 1; i < places->len;)
    if (compare_places (&places->pdata[i - 1], &places->pdata[i]) == 0)
      g_ptr_array_remove_index (places, i);
    else
      i++;
  return g_steal_pointer (&places);
}

GPtrArray *
oc_guarded_list (const char *const *homes, GError **error)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (LIST_RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autofree char *text = NULL;

  if (bytes == NULL)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "guarded-places: the list of guarded places is missing from the program");
      return NULL;
    }
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return oc_guarded_list_from_text (text, homes, error);
}
