/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-tools.h"
#include "launcher/oc-plan-private.h"

/* A locale or time zone is a short name. Anything else in these variables is not passed on. */
#define MAX_VALUE 128

static gboolean
is_plain (const char *value)
{
  gsize length = strspn (value,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@:/+-,=");

  return length > 0 && length <= MAX_VALUE && value[length] == '\0' && strstr (value, "..") == NULL;
}

static gboolean
is_locale_variable (const char *name)
{
  return strcmp (name, "LANG") == 0 || strcmp (name, "TZ") == 0 || strcmp (name, "LANGUAGE") == 0
         || g_str_has_prefix (name, "LC_");
}

/* From nothing: whatever the launcher's caller had set (LD_PRELOAD, PATH, tokens, addresses of
 * agents) does not exist inside (deno #11964, #14122). */
char **
oc_plan_make_environment (OcPlan *self)
{
  g_autofree char *path = g_strjoinv (":", (char **)oc_tools_folders);
  g_auto (GStrv) names = g_listenv ();
  char **env = NULL;

  for (gsize i = 0; names[i] != NULL; i++)
    {
      const char *value = g_getenv (names[i]);

      if (is_locale_variable (names[i]) && value != NULL && is_plain (value))
        env = g_environ_setenv (env, names[i], value, TRUE);
    }
  env = g_environ_setenv (env, "PATH", path, TRUE);
  env = g_environ_setenv (env, "HOME", self->home, TRUE);
  env = g_environ_setenv (env, "USER", g_get_user_name (), TRUE);
  env = g_environ_setenv (env, "LOGNAME", g_get_user_name (), TRUE);
  env = g_environ_setenv (env, "TMPDIR", self->temp_folder, TRUE);
  env = g_environ_setenv (env, "OCELOT_PLUGIN_ID", self->id, TRUE);
  env = g_environ_setenv (env, "OCELOT_PLUGIN_FOLDER", self->folder, TRUE);
  env = g_environ_setenv (env, "OCELOT_PLUGIN_DATA", self->data_folder, TRUE);
  return env;
}
