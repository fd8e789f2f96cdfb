/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-cgroup-look.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#define MAX_PROCESSES 4096

/* One controller's file names: in the one hierarchy of today, and in the one of its own that it had before. */
static const struct
{
  const char *controller;
  const char *limit;
  const char *old_limit;
} controllers[] = {
  { "memory", "memory.max", "memory.limit_in_bytes" },
  { "pids", "pids.max", "pids.max" },
};

static gboolean
has_word (const char *list,
          const char *separator,
          const char *word)
{
  g_auto (GStrv) words = g_strsplit (list, separator, -1);

  return g_strv_contains ((const char *const *) words, word);
}

/* "0::/path" or "4:memory:/path", cut at the colons. (nullable) (transfer full) */
static char *
dup_group (const char *text,
           const char *controller,
           gboolean *old)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  char *group = NULL;

  *old = FALSE;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 3);

      if (g_strv_length (fields) != 3)
        continue;
      if (has_word (fields[1], ",", controller))
        {
          g_free (group);
          *old = TRUE;
          return g_strdup (fields[2]);
        }
      if (*fields[1] == '\0' && group == NULL)
        group = g_strdup (fields[2]);
    }
  return group;
}

gboolean
oc_cgroup_is_member (const char *proc,
                     const char *groups,
                     int pid,
                     const char *controller,
                     const char *unit,
                     char **folder)
{
  g_autofree char *path = g_strdup_printf ("%s/%d/cgroup", proc, pid);
  g_autofree char *end = g_strconcat ("/", unit, NULL);
  g_autofree char *text = NULL;
  g_autofree char *group = NULL;
  gboolean old;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return TRUE;
  group = dup_group (text, controller, &old);
  if (group == NULL || !g_str_has_suffix (group, end))
    return FALSE;
  if (folder != NULL)
    *folder = g_build_filename (groups, old ? controller : "", group, NULL);
  return TRUE;
}

static gboolean
has_limit (const char *folder,
           guint i,
           guint64 most)
{
  const char *names[] = { controllers[i].limit, controllers[i].old_limit };

  for (guint n = 0; n < G_N_ELEMENTS (names); n++)
    {
      g_autofree char *path = g_build_filename (folder, names[n], NULL);
      g_autofree char *text = NULL;
      guint64 limit;

      /* "max" is no number. */
      if (g_file_get_contents (path, &text, NULL, NULL)
          && g_ascii_string_to_unsigned (g_strstrip (text), 10, 0, G_MAXUINT64, &limit, NULL))
        return limit <= most;
    }
  return FALSE;
}

gboolean
oc_cgroup_has_limits (const char *proc,
                      const char *groups,
                      int pid,
                      const char *unit,
                      guint64 memory,
                      guint64 tasks,
                      char **reason)
{
  const guint64 most[] = { memory, tasks };

  for (guint i = 0; i < G_N_ELEMENTS (controllers); i++)
    {
      g_autofree char *folder = NULL;

      if (!oc_cgroup_is_member (proc, groups, pid, controllers[i].controller, unit, &folder) || folder == NULL
          || !has_limit (folder, i, most[i]))
        {
          *reason = g_strdup_printf (_("the control group %s was made, but does not limit “%s”"), unit, controllers[i].controller);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
oc_cgroup_can_limit (const char *groups)
{
  g_autofree char *path = g_build_filename (groups, "cgroup.controllers", NULL);
  g_autofree char *text = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    return has_word (g_strstrip (text), " ", "memory") && has_word (text, " ", "pids");
  for (guint i = 0; i < G_N_ELEMENTS (controllers); i++)
    {
      g_autofree char *folder = g_build_filename (groups, controllers[i].controller, NULL);

      if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
        return FALSE;
    }
  return TRUE;
}

static void
add_children (GArray *pids,
              const char *path)
{
  g_autofree char *text = NULL;
  char *at, *end;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  at = text;
  for (long child = strtol (at, &end, 10); end != at && pids->len < MAX_PROCESSES; child = strtol (at, &end, 10))
    {
      int value = (int) child;

      g_array_append_val (pids, value);
      at = end;
    }
}

/* A process may have been started by any thread of its parent. */
GArray *
oc_cgroup_list_processes (const char *proc,
                          GPid pid)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (int));
  int first = (int) pid;

  g_array_append_val (pids, first);
  for (guint i = 0; i < pids->len; i++)
    {
      g_autofree char *tasks = g_strdup_printf ("%s/%d/task", proc, g_array_index (pids, int, i));
      g_autoptr (GDir) dir = g_dir_open (tasks, 0, NULL);
      const char *task;

      while (dir != NULL && (task = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *children = g_build_filename (tasks, task, "children", NULL);

          add_children (pids, children);
        }
    }
  return pids;
}
