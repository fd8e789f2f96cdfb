/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue-app.h"

#include <string.h>

#include <gio/gdesktopappinfo.h>

/* By the reasons of data/broad-tools.list: with a folder as its argument, and nothing else that the plugin chooses, most tools
 * that are broad are not. */
static const char *const running[] = { "shell", "multi", "recipe", "loader", "debugger", NULL };

static gboolean
is_key (OcTools *tools,
        const char *name,
        const char *key)
{
  return g_strcmp0 (oc_tools_get_broad_key (tools, name), key) == 0;
}

static OcAppReach
judge_name (OcTools *tools,
            const char *name)
{
  const char *key = oc_tools_get_broad_key (tools, name);

  if (g_strcmp0 (key, OC_TOOLS_NO_LIST) == 0)
    return OC_APP_RUNS_FOLDER;
  if (g_strcmp0 (key, "terminal") == 0)
    return OC_APP_TERMINAL;
  return key != NULL && g_strv_contains (running, key) ? OC_APP_RUNS_FOLDER : OC_APP_PLAIN;
}

static gboolean
is_option (const char *word)
{
  return *word == '-';
}

/* "%f" and the like: where the folder goes. */
static gboolean
is_field (const char *word)
{
  return word[0] == '%' && strchr ("fFuU", word[1]) != NULL && word[1] != '\0' && word[2] == '\0';
}

/* "python3 %f" runs the folder; "python3 /usr/share/app/main.py %f" is an application that happens to be written in Python. Of
 * code in the command line itself nothing is known. */
static gboolean
gets_folder_first (char **words)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (is_field (words[i]) || g_str_equal (words[i], "-c") || g_str_equal (words[i], "-e"))
      return TRUE;
    else if (!is_option (words[i]) || g_str_equal (words[i], "-m"))
      return FALSE;
  return FALSE;
}

/* "flatpak run --command=x org.example.App": the command, or the application's own name. (nullable) */
static const char *
find_flatpak_name (char **words)
{
  const char *id = NULL;

  for (guint i = 0; words[i] != NULL; i++)
    {
      if (g_str_has_prefix (words[i], "--command="))
        return words[i] + strlen ("--command=");
      if (id == NULL && !is_option (words[i]) && !g_str_equal (words[i], "run"))
        id = strrchr (words[i], '.') ? strrchr (words[i], '.') + 1 : words[i];
    }
  return id;
}

static OcAppReach
judge_words (OcTools *tools,
             char **words)
{
  OcAppReach reach = OC_APP_PLAIN;

  for (; words[0] != NULL; words++)
    {
      g_autofree char *name = g_path_get_basename (words[0]);

      /* Behind "env" and the like: options, variables, and somewhere the program. */
      if (is_option (name) || strchr (words[0], '=') != NULL)
        continue;
      if (is_key (tools, name, "starts"))
        {
          while (*++words != NULL)
            reach = MIN (reach, judge_words (tools, words));
          return reach;
        }
      if (g_str_equal (name, "flatpak"))
        {
          const char *inside = find_flatpak_name (words + 1);

          return inside != NULL ? judge_name (tools, inside) : OC_APP_PLAIN;
        }
      if (is_key (tools, name, "code"))
        return gets_folder_first (words + 1) ? OC_APP_RUNS_FOLDER : OC_APP_PLAIN;
      return judge_name (tools, name);
    }
  return OC_APP_PLAIN;
}

OcAppReach
oc_app_get_reach_of_command (const char *command,
                             OcTools *tools)
{
  g_auto (GStrv) words = NULL;

  /* What GLib cannot take apart it does not start. */
  if (command == NULL || !g_shell_parse_argv (command, NULL, &words, NULL))
    return OC_APP_PLAIN;
  return judge_words (tools, words);
}

static gboolean
is_terminal (GDesktopAppInfo *info)
{
  const char *text = g_desktop_app_info_get_categories (info);
  g_auto (GStrv) categories = g_strsplit (text ? text : "", ";", -1);

  return g_strv_contains ((const char *const *) categories, "TerminalEmulator");
}

OcAppReach
oc_app_get_reach (const char *id,
                  OcTools *tools,
                  char **name)
{
  g_autofree char *file = g_strconcat (id, ".desktop", NULL);
  g_autoptr (GDesktopAppInfo) info = g_desktop_app_info_new (file);
  const char *last = strrchr (id, '.') ? strrchr (id, '.') + 1 : id;
  OcAppReach reach = MIN (judge_name (tools, id), judge_name (tools, last));

  *name = NULL;
  if (info == NULL)
    return reach;
  *name = g_strdup (g_app_info_get_display_name (G_APP_INFO (info)));
  if (is_terminal (info))
    reach = MIN (reach, OC_APP_TERMINAL);
  return MIN (reach, oc_app_get_reach_of_command (g_app_info_get_commandline (G_APP_INFO (info)), tools));
}
