/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-desktop-private.h"

#include <string.h>

#define GROUP G_KEY_FILE_DESKTOP_GROUP

/* <dir>/applications, the user's first. (transfer full) */
static char **
list_folders (void)
{
  const char *const *system = g_get_system_data_dirs ();
  GStrvBuilder *folders = g_strv_builder_new ();
  g_autofree char *own = g_build_filename (g_get_user_data_dir (), "applications", NULL);
  char **list;

  g_strv_builder_add (folders, own);
  for (guint i = 0; system[i] != NULL; i++)
    {
      g_autofree char *folder = g_build_filename (system[i], "applications", NULL);

      g_strv_builder_add (folders, folder);
    }
  list = g_strv_builder_end (folders);
  g_strv_builder_unref (folders);
  return list;
}

/* By the specification's section on file names, "a-b.desktop" is a-b.desktop or a/b.desktop. (transfer full) (nullable) */
static char *
find_in (const char *folder,
         const char *file_id)
{
  g_autofree char *name = g_strdup (file_id);
  char *dash = name;

  for (;;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
      dash = strchr (dash, '-');
      if (dash == NULL)
        return NULL;
      *dash = '/';
    }
}

static char *
find_file (const char *file_id)
{
  g_auto (GStrv) folders = list_folders ();

  for (guint i = 0; folders[i] != NULL; i++)
    {
      char *path = find_in (folders[i], file_id);

      if (path != NULL)
        return path;
    }
  return NULL;
}

/* The program of a TryExec or Exec that is not there. (transfer full) (nullable) */
static char *
find_missing_program (GKeyFile *file)
{
  g_autofree char *try = g_key_file_get_string (file, GROUP, G_KEY_FILE_DESKTOP_KEY_TRY_EXEC, NULL);
  g_autofree char *exec = g_key_file_get_string (file, GROUP, G_KEY_FILE_DESKTOP_KEY_EXEC, NULL);
  g_autofree char *found = try && *try ? g_find_program_in_path (try) : NULL;
  g_auto (GStrv) argv = NULL;

  if (try != NULL && *try != '\0' && found == NULL)
    return g_steal_pointer (&try);
  if (exec == NULL || !g_shell_parse_argv (exec, NULL, &argv, NULL))
    return NULL;
  g_free (found);
  found = g_find_program_in_path (argv[0]);
  return found == NULL ? g_strdup (argv[0]) : NULL;
}

OcEntryFault
oc_desktop_find_fault (const char *file_id,
                       char **detail)
{
  g_autofree char *path = find_file (file_id);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *program = NULL;

  if (path == NULL)
    {
      *detail = g_strdup (file_id);
      return OC_ENTRY_MISSING;
    }
  *detail = g_strdup (path);
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return OC_ENTRY_UNUSABLE;
  if (g_key_file_get_boolean (file, GROUP, G_KEY_FILE_DESKTOP_KEY_HIDDEN, NULL))
    return OC_ENTRY_HIDDEN;
  program = find_missing_program (file);
  if (program == NULL)
    return OC_ENTRY_UNUSABLE;
  g_free (*detail);
  *detail = g_strdup_printf ("%s: %s", path, program);
  return OC_ENTRY_PROGRAM_MISSING;
}

static gboolean
is_broken_in (const char *list,
              const char *type,
              char **detail)
{
  static const char *const groups[] = { "Default Applications", "Added Associations", "MIME Cache" };
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (!g_key_file_load_from_file (file, list, G_KEY_FILE_NONE, NULL))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_auto (GStrv) ids = g_key_file_get_string_list (file, groups[i], type, NULL, NULL);

      for (guint j = 0; ids != NULL && ids[j] != NULL; j++)
        {
          g_autofree char *found = NULL;

          if (oc_desktop_find_fault (ids[j], &found) == OC_ENTRY_PROGRAM_MISSING)
            {
              *detail = g_steal_pointer (&found);
              return TRUE;
            }
        }
    }
  return FALSE;
}

gboolean
oc_desktop_is_default_broken (const char *type,
                              char **detail)
{
  g_autofree char *config = g_build_filename (g_get_user_config_dir (), "mimeapps.list", NULL);
  g_auto (GStrv) folders = list_folders ();

  if (is_broken_in (config, type, detail))
    return TRUE;
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *list = g_build_filename (folders[i], "mimeapps.list", NULL);
      g_autofree char *cache = g_build_filename (folders[i], "mimeinfo.cache", NULL);

      if (is_broken_in (list, type, detail) || is_broken_in (cache, type, detail))
        return TRUE;
    }
  return FALSE;
}
