/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-plugin.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-plugin-folder.h"
#include "core/oc-text.h"

struct _OcPlugin
{
  char *folder;
  char *real_folder;
  char *born;
  gboolean is_symlink;
  OcManifest *manifest;
  char *shadowed_by;
  GPtrArray *folder_problems; /* (element-type OcProblem) */
  GPtrArray *problems;        /* of the manifest and of the folder, borrowed from the two */
};

/* Takes @folder_problems. */
static OcPlugin *
plugin_new (const char *folder,
            const char *real_folder,
            const char *born,
            gboolean is_symlink,
            OcManifest *manifest,
            const char *shadowed_by,
            GPtrArray *folder_problems)
{
  OcPlugin *self = g_atomic_rc_box_new0 (OcPlugin);
  GPtrArray *of_manifest = oc_manifest_get_problems (manifest);

  self->folder = g_strdup (folder);
  self->real_folder = g_strdup (real_folder);
  self->born = g_strdup (born);
  self->is_symlink = is_symlink;
  self->manifest = oc_manifest_ref (manifest);
  self->shadowed_by = g_strdup (shadowed_by);
  self->folder_problems = folder_problems;
  self->problems = g_ptr_array_new ();
  for (guint i = 0; i < of_manifest->len; i++)
    g_ptr_array_add (self->problems, g_ptr_array_index (of_manifest, i));
  for (guint i = 0; i < folder_problems->len; i++)
    g_ptr_array_add (self->problems, g_ptr_array_index (folder_problems, i));
  return self;
}

static GPtrArray *
dup_problems (GPtrArray *problems)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_problem_free);

  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      g_ptr_array_add (copy, oc_problem_new (problem->place, problem->message, problem->remedy));
    }
  return copy;
}

OcPlugin *
oc_plugin_ref (OcPlugin *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
plugin_clear (OcPlugin *self)
{
  g_free (self->folder);
  g_free (self->real_folder);
  g_free (self->born);
  g_free (self->shadowed_by);
  g_ptr_array_unref (self->problems);
  g_ptr_array_unref (self->folder_problems);
  oc_manifest_unref (self->manifest);
}

void
oc_plugin_unref (OcPlugin *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify) plugin_clear);
}

OcPlugin *
oc_plugin_load_at (OcPluginsFolder *folder,
                   const char *name)
{
  OcPluginContents contents;
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  OcPlugin *self;

  oc_plugins_folder_read (folder, name, &contents);
  self = plugin_new (path, contents.real_folder, contents.born, contents.is_symlink,
                     contents.manifest, NULL, contents.problems);
  oc_manifest_unref (contents.manifest);
  g_free (contents.real_folder);
  g_free (contents.born);
  return self;
}

static OcPlugin *
plugin_new_unreachable (const char *plugins_folder,
                        const char *name,
                        const char *message,
                        const char *remedy)
{
  g_autoptr (OcManifest) manifest = oc_manifest_new_unreadable ("plugin.json", name, message,
                                                                remedy);
  g_autofree char *path = g_build_filename (plugins_folder, name, NULL);

  return plugin_new (path, NULL, NULL, FALSE, manifest, NULL,
                     g_ptr_array_new_with_free_func ((GDestroyNotify) oc_problem_free));
}

OcPlugin *
oc_plugin_load (const char *plugins_folder,
                const char *name)
{
  OcPluginsFolder folder;
  g_autoptr (GError) error = NULL;
  OcPlugin *self;

  g_return_val_if_fail (plugins_folder != NULL && g_path_is_absolute (plugins_folder), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  /* A name is one part of a path and nothing else. */
  if (*name == '\0' || strchr (name, '/') != NULL || g_str_equal (name, ".")
      || g_str_equal (name, ".."))
    return plugin_new_unreachable (plugins_folder, name,
                                   _("This is no name of a plugin's folder."),
                                   _("Give the plugin's id."));
  if (!oc_plugins_folder_open (&folder, plugins_folder, &error))
    return plugin_new_unreachable (plugins_folder, name,
                                   error != NULL ? error->message
                                                 : _("There is no Plugins folder here."),
                                   _("Install the plugin again, whole."));

  self = oc_plugin_load_at (&folder, name);
  oc_plugins_folder_close (&folder);
  return self;
}

const char *
oc_plugin_get_id (OcPlugin *self)
{
  return oc_manifest_get_id (self->manifest);
}

const char *
oc_plugin_get_folder (OcPlugin *self)
{
  return self->folder;
}

const char *
oc_plugin_get_real_folder (OcPlugin *self)
{
  return self->real_folder;
}

const char *
oc_plugin_get_born (OcPlugin *self)
{
  return self->born;
}

gboolean
oc_plugin_is_symlink (OcPlugin *self)
{
  return self->is_symlink;
}

OcManifest *
oc_plugin_get_manifest (OcPlugin *self)
{
  return self->manifest;
}

const char *
oc_plugin_get_shadowed_by (OcPlugin *self)
{
  return self->shadowed_by;
}

OcPlugin *
oc_plugin_with_shadow (OcPlugin *self,
                       const char *winner)
{
  return plugin_new (self->folder, self->real_folder, self->born, self->is_symlink, self->manifest,
                     winner, dup_problems (self->folder_problems));
}

GPtrArray *
oc_plugin_get_problems (OcPlugin *self)
{
  return self->problems;
}

static gboolean
problems_equal (GPtrArray *a,
                GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const OcProblem *x = g_ptr_array_index (a, i);
      const OcProblem *y = g_ptr_array_index (b, i);

      if (!g_str_equal (x->place, y->place) || !g_str_equal (x->message, y->message)
          || !g_str_equal (x->remedy, y->remedy))
        return FALSE;
    }
  return TRUE;
}

gboolean
oc_plugin_equal (OcPlugin *a,
                 OcPlugin *b)
{
  if (a == b)
    return TRUE;
  return g_str_equal (a->folder, b->folder) && g_strcmp0 (a->real_folder, b->real_folder) == 0
         && g_strcmp0 (a->born, b->born) == 0 && a->is_symlink == b->is_symlink && g_strcmp0 (a->shadowed_by, b->shadowed_by) == 0
         && g_str_equal (oc_manifest_get_file_name (a->manifest),
                         oc_manifest_get_file_name (b->manifest))
         && g_str_equal (oc_manifest_get_digest (a->manifest),
                         oc_manifest_get_digest (b->manifest))
         && problems_equal (a->problems, b->problems);
}

OcPlugin *
oc_plugin_with_clash (OcPlugin *self,
                      const char *other)
{
  GPtrArray *problems = dup_problems (self->folder_problems);
  g_autofree char *shown = oc_text_escape (other, 0, NULL);
  g_autofree char *message = NULL;

  /* Translators: %s is the path of another plugin's folder. */
  message = g_strdup_printf (_("Its id differs only in capitals from that of %s."), shown);
  g_ptr_array_add (
      problems, oc_problem_new (_("the folder's name"), message, _("Remove one of the two.")));
  return plugin_new (self->folder, self->real_folder, self->born, self->is_symlink, self->manifest,
                     self->shadowed_by, problems);
}
