/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-plugin.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-plugin-folder.h"
#include "core/oc-text.h"

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Adds the plugins of one Plugins folder to @plugins. */
static gboolean
scan_folder (const char *path,
             GPtrArray *plugins,
             GCancellable *cancellable,
             GError **error)
{
  OcPluginsFolder folder;
  g_autoptr (GError) local = NULL;
  g_autoptr (GPtrArray) names = NULL;

  if (!oc_plugins_folder_open (&folder, path, &local))
    {
      if (local == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  names = oc_plugins_folder_list (&folder, &local);
  if (names != NULL)
    g_ptr_array_sort (names, compare_names);
  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, &local))
        break;
      g_ptr_array_add (plugins, oc_plugin_load_at (&folder, g_ptr_array_index (names, i)));
    }

  oc_plugins_folder_close (&folder);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  return TRUE;
}

/* Two plugins whose ids are the same but for capitals. */
typedef struct
{
  OcPlugin *first;
  OcPlugin *other; /* (nullable) the first one with another spelling */
} CaseGroup;

static GHashTable *
group_by_case (GPtrArray *plugins)
{
  GHashTable *groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < plugins->len; i++)
    {
      OcPlugin *plugin = g_ptr_array_index (plugins, i);
      g_autofree char *key = g_ascii_strdown (oc_plugin_get_id (plugin), -1);
      CaseGroup *group = g_hash_table_lookup (groups, key);

      if (group == NULL)
        {
          group = g_new0 (CaseGroup, 1);
          group->first = plugin;
          g_hash_table_insert (groups, g_steal_pointer (&key), group);
        }
      else if (group->other == NULL
               && !g_str_equal (oc_plugin_get_id (group->first), oc_plugin_get_id (plugin)))
        group->other = plugin;
    }
  return groups;
}

/* The first of an id counts; later ones are shadowed. Ids that differ only in capitals are one
 * folder on some file systems, where one would have the other's data: none of them counts,
 * wherever they lie. Returns: (transfer full) */
static GPtrArray *
mark (GPtrArray *plugins)
{
  g_autoptr (GPtrArray) marked = g_ptr_array_new_full (plugins->len,
                                                       (GDestroyNotify) oc_plugin_unref);
  g_autoptr (GHashTable) winners = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) groups = group_by_case (plugins);

  for (guint i = 0; i < plugins->len; i++)
    {
      OcPlugin *plugin = g_ptr_array_index (plugins, i);
      const char *id = oc_plugin_get_id (plugin);
      OcPlugin *winner = g_hash_table_lookup (winners, id);
      g_autofree char *key = g_ascii_strdown (id, -1);
      const CaseGroup *group = g_hash_table_lookup (groups, key);
      g_autoptr (OcPlugin) result = oc_plugin_ref (plugin);

      if (winner == NULL)
        g_hash_table_insert (winners, (gpointer) id, plugin);
      else
        {
          OcPlugin *shadowed = oc_plugin_with_shadow (result, oc_plugin_get_folder (winner));

          oc_plugin_unref (result);
          result = shadowed;
        }

      if (group->other != NULL)
        {
          gboolean is_first = g_str_equal (id, oc_plugin_get_id (group->first));
          OcPlugin *other = is_first ? group->other : group->first;
          OcPlugin *clashing = oc_plugin_with_clash (result, oc_plugin_get_folder (other));

          oc_plugin_unref (result);
          result = clashing;
        }
      g_ptr_array_add (marked, g_steal_pointer (&result));
    }
  return g_steal_pointer (&marked);
}

GPtrArray *
oc_plugins_scan (OcPaths *paths,
                 GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (GPtrArray) plugins = g_ptr_array_new_with_free_func (
      (GDestroyNotify) oc_plugin_unref);
  const char *const *system = oc_paths_get_system_plugins (paths);

  if (!scan_folder (oc_paths_get_plugins (paths), plugins, cancellable, error))
    return NULL;
  for (gsize i = 0; system[i] != NULL; i++)
    {
      if (!scan_folder (system[i], plugins, cancellable, error))
        return NULL;
    }
  return mark (plugins);
}

/* Looks for @id in one Plugins folder. @found: (inout) (nullable) (transfer full): set where it is
 * not yet.
 * @clash: (inout) (nullable) (transfer full): the folder of a plugin whose id differs only in
 * capitals. */
static gboolean
find_in_folder (const char *path,
                const char *id,
                OcPlugin **found,
                char **clash,
                GError **error)
{
  OcPluginsFolder folder;
  g_autoptr (GError) local = NULL;
  g_autoptr (GPtrArray) names = NULL;

  if (!oc_plugins_folder_open (&folder, path, &local))
    {
      if (local == NULL)
        return TRUE;
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  names = oc_plugins_folder_list (&folder, error);
  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);

      if (g_str_equal (name, id))
        {
          if (*found == NULL)
            *found = oc_plugin_load_at (&folder, name);
        }
      else if (*clash == NULL && g_ascii_strcasecmp (name, id) == 0)
        *clash = g_build_filename (path, name, NULL);
    }

  oc_plugins_folder_close (&folder);
  return names != NULL;
}

OcPlugin *
oc_plugins_find (OcPaths *paths,
                 const char *id,
                 GError **error)
{
  const char *const *system = oc_paths_get_system_plugins (paths);
  g_autoptr (OcPlugin) found = NULL;
  g_autofree char *clash = NULL;

  if (!oc_plugin_id_check (id, error)
      || !find_in_folder (oc_paths_get_plugins (paths), id, &found, &clash, error))
    return NULL;
  for (gsize i = 0; system[i] != NULL; i++)
    {
      if (!find_in_folder (system[i], id, &found, &clash, error))
        return NULL;
    }

  if (found == NULL)
    {
      g_autofree char *shown = oc_text_escape (oc_paths_get_plugins (paths), 0, NULL);

      g_set_error (
          error, OC_ERROR, OC_ERROR_NOT_FOUND,
          /* Translators: the first %s is a plugin's id, the second the path of a folder. */
          _("There is no plugin “%s”. Plugins are in %s."), id,
          shown);
      return NULL;
    }
  if (clash != NULL)
    return oc_plugin_with_clash (found, clash);
  return g_steal_pointer (&found);
}
