/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "home.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-json.h"
#include "core/oc-state.h"

#define PATIENCE_US (30 * G_USEC_PER_SEC)

void
home_isolate (void)
{
  g_autofree char *runtime = g_dir_make_tmp ("ocelot-runtime-XXXXXX", NULL);

  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  g_unsetenv ("DISPLAY");
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  /* Known to the library before the folder goes again. */
  g_assert_cmpstr (g_get_user_runtime_dir (), ==, runtime);
  g_rmdir (runtime);
}

static void
remove_tree (const char *path)
{
  struct stat status;

  if (lstat (path, &status) < 0)
    return;
  if (S_ISDIR (status.st_mode))
    {
      g_autoptr (GDir) dir = NULL;
      const char *name;

      g_chmod (path, 0700);
      dir = g_dir_open (path, 0, NULL);
      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *child = g_build_filename (path, name, NULL);

          remove_tree (child);
        }
    }
  g_remove (path);
}

Home *
home_new (void)
{
  Home *self = g_new0 (Home, 1);
  g_autofree char *policy = NULL;

  self->root = g_dir_make_tmp ("ocelot-home-XXXXXX", NULL);
  g_assert_nonnull (self->root);
  self->data = g_build_filename (self->root, "data", NULL);
  self->system = g_build_filename (self->root, "system", NULL);
  policy = g_build_filename (self->root, "policy", NULL);
  self->paths = oc_paths_new (self->data, (const char *const[]){ self->system, NULL }, policy);
  g_assert_true (oc_paths_ensure (self->paths, NULL));
  return self;
}

void
home_free (Home *self)
{
  remove_tree (self->root);
  oc_paths_unref (self->paths);
  g_free (self->root);
  g_free (self->data);
  g_free (self->system);
  g_free (self);
}

void
home_write (Home *self,
            const char *path,
            const char *text)
{
  g_autofree char *whole = g_build_filename (self->root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_file_set_contents (whole, text, -1, &error);
  g_assert_no_error (error);
}

void
home_add_plugin_at (const char *plugins,
                    const char *id,
                    const char *version,
                    const char *permissions)
{
  g_autofree char *folder = g_build_filename (plugins, id, "bin", NULL);
  g_autofree char *worker = g_build_filename (folder, "worker", NULL);
  g_autofree char *manifest = g_build_filename (plugins, id, "plugin.json", NULL);
  g_auto (GStrv) list = g_strsplit (permissions, ",", -1);
  g_autofree char *joined = g_strjoinv ("\",\"", list);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  text = g_strdup_printf ("{\"manifestVersion\":1,\"id\":\"%s\",\"name\":\"%s\",\"version\":\"%s\",\"kind\":\"process\","
                          "\"main\":\"bin/worker\",\"commands\":[{\"id\":\"go\",\"title\":\"Go\"}],\"permissions\":[%s%s%s]}\n",
                          id, id, version, *joined != '\0' ? "\"" : "", joined, *joined != '\0' ? "\"" : "");
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_file_set_contents (worker, "#!/bin/sh\n", -1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_chmod (worker, 0755), ==, 0);
  g_file_set_contents (manifest, text, -1, &error);
  g_assert_no_error (error);
}

void
home_add_plugin (Home *self,
                 const char *id,
                 const char *version,
                 const char *permissions)
{
  home_add_plugin_at (oc_paths_get_plugins (self->paths), id, version, permissions);
}

OcPlugin *
home_find (Home *self,
           const char *id)
{
  g_autoptr (GError) error = NULL;
  OcPlugin *plugin = oc_plugins_find (self->paths, id, &error);

  g_assert_no_error (error);
  return plugin;
}

void
home_enable (Home *self,
             const char *id)
{
  g_autoptr (OcPlugin) plugin = home_find (self, id);
  g_autoptr (GError) error = NULL;

  oc_consent_enable (self->paths, plugin, "terminal", NULL, &error);
  g_assert_no_error (error);
}

char *
home_state (Home *self,
            const char *id)
{
  g_autoptr (OcPlugin) plugin = home_find (self, id);
  g_autoptr (OcConsent) consent = oc_consent_load (self->paths, NULL);
  g_autoptr (OcPolicy) policy = oc_policy_load (self->paths);
  g_autoptr (OcVerdict) verdict = oc_state_evaluate (plugin, consent, policy, NULL, FALSE);

  return g_strdup (oc_state_to_id (oc_verdict_get_state (verdict)));
}

char *
home_read_consent (Home *self,
                   gsize *len)
{
  char *data = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (oc_paths_get_consent (self->paths), &data, len, &error);
  g_assert_no_error (error);
  return data;
}

void
home_write_consent (Home *self,
                    const char *data,
                    gsize len)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents_full (oc_paths_get_consent (self->paths), data, (gssize) len, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
                            &error);
  g_assert_no_error (error);
}

char *
home_record (Home *self,
             const char *id)
{
  gsize len = 0;
  g_autofree char *data = home_read_consent (self, &len);
  g_autoptr (GArray) members = oc_json_members (data, len, 0, NULL);

  g_assert_nonnull (members);
  for (guint i = 0; i < members->len; i++)
    {
      OcJsonSpan *span = &g_array_index (members, OcJsonSpan, i);
      g_autoptr (GArray) records = NULL;

      if (strcmp (span->key, "records") != 0)
        continue;
      records = oc_json_members (data + span->start, span->end - span->start, 0, NULL);
      for (guint j = 0; j < records->len; j++)
        {
          OcJsonSpan *record = &g_array_index (records, OcJsonSpan, j);

          if (strcmp (record->key, id) == 0)
            return g_strndup (data + span->start + record->start, record->end - record->start);
        }
    }
  return NULL;
}

static gboolean
on_tick (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

void
home_wait (gboolean (*condition) (gpointer user_data),
           gpointer user_data)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE_US;
  guint tick = g_timeout_add (10, on_tick, NULL);

  while (!condition (user_data))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (tick);
}
