/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-paths.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "oc-config.h"

struct _OcPaths
{
  char *data_home;
  char *base;
  char *plugins;
  char **system_plugins;
  char *consent;
  char *key_file;
  char *activity;
  char *policy_dir;
};

/* What <base> holds. Made with it, so that nobody else can make them first. */
static const char *const base_folders[] = { "Plugins", "Data", "Storage" };

OcPaths *
oc_paths_new_for_user (void)
{
  const char *const *dirs = g_get_system_data_dirs ();
  g_autoptr (GPtrArray) usable = g_ptr_array_new ();
  g_autofree char *data_home = g_strdup (g_get_user_data_dir ());

  /* The XDG base directory specification: a relative path in the environment is to be ignored.
   * GLib hands it through, and what a plugin is would then depend on the folder the program was
   * started in. */
  if (!g_path_is_absolute (data_home))
    {
      g_free (data_home);
      data_home = g_build_filename (g_get_home_dir (), ".local", "share", NULL);
    }

  for (gsize i = 0; dirs[i] != NULL; i++)
    {
      if (g_path_is_absolute (dirs[i]))
        g_ptr_array_add (usable, (gpointer) dirs[i]);
    }
  g_ptr_array_add (usable, NULL);

  return oc_paths_new (data_home, (const char *const *) usable->pdata, OC_POLICY_DIR);
}

OcPaths *
oc_paths_new (const char *data_home,
              const char *const *data_dirs,
              const char *policy_dir)
{
  OcPaths *self;
  g_autoptr (GPtrArray) system = NULL;

  g_return_val_if_fail (data_home != NULL && g_path_is_absolute (data_home), NULL);
  g_return_val_if_fail (policy_dir != NULL && g_path_is_absolute (policy_dir), NULL);

  self = g_atomic_rc_box_new0 (OcPaths);
  self->data_home = g_canonicalize_filename (data_home, "/");
  self->base = g_build_filename (self->data_home, "ocelot", NULL);
  self->plugins = g_build_filename (self->base, "Plugins", NULL);
  self->consent = g_build_filename (self->base, "consent.json", NULL);
  self->key_file = g_build_filename (self->base, "consent.key", NULL);
  self->activity = g_build_filename (self->base, "activity.db", NULL);
  self->policy_dir = g_canonicalize_filename (policy_dir, "/");

  system = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; data_dirs != NULL && data_dirs[i] != NULL; i++)
    {
      g_autofree char *dir = NULL;
      g_autofree char *folder = NULL;

      if (!g_path_is_absolute (data_dirs[i]))
        continue;

      dir = g_canonicalize_filename (data_dirs[i], "/");
      folder = g_build_filename (dir, "ocelot", "Plugins", NULL);
      if (g_str_equal (folder, self->plugins)
          || g_ptr_array_find_with_equal_func (system, folder, g_str_equal, NULL))
        continue;

      g_ptr_array_add (system, g_steal_pointer (&folder));
    }
  g_ptr_array_add (system, NULL);
  self->system_plugins = (char **) g_ptr_array_free (g_steal_pointer (&system), FALSE);

  return self;
}

OcPaths *
oc_paths_ref (OcPaths *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
oc_paths_clear (OcPaths *self)
{
  g_free (self->data_home);
  g_free (self->base);
  g_free (self->plugins);
  g_strfreev (self->system_plugins);
  g_free (self->consent);
  g_free (self->key_file);
  g_free (self->activity);
  g_free (self->policy_dir);
}

void
oc_paths_unref (OcPaths *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify) oc_paths_clear);
}

const char *
oc_paths_get_base (OcPaths *self)
{
  return self->base;
}

const char *
oc_paths_get_plugins (OcPaths *self)
{
  return self->plugins;
}

const char *const *
oc_paths_get_system_plugins (OcPaths *self)
{
  return (const char *const *) self->system_plugins;
}

const char *
oc_paths_get_consent (OcPaths *self)
{
  return self->consent;
}

const char *
oc_paths_get_key_file (OcPaths *self)
{
  return self->key_file;
}

const char *
oc_paths_get_activity (OcPaths *self)
{
  return self->activity;
}

const char *
oc_paths_get_policy_dir (OcPaths *self)
{
  return self->policy_dir;
}

char *
oc_paths_dup_data (OcPaths *self,
                   const char *id)
{
  g_return_val_if_fail (id != NULL && strchr (id, '/') == NULL, NULL);

  return g_build_filename (self->base, "Data", id, NULL);
}

char *
oc_paths_dup_storage (OcPaths *self,
                      const char *id)
{
  g_autofree char *name = NULL;

  g_return_val_if_fail (id != NULL && strchr (id, '/') == NULL, NULL);

  name = g_strconcat (id, ".json", NULL);
  return g_build_filename (self->base, "Storage", name, NULL);
}

static gboolean
set_folder_error (GError **error,
                  const char *folder,
                  int code)
{
  g_autofree char *shown = oc_text_escape (folder, 0, NULL);

  if (code == ELOOP || code == ENOTDIR)
    g_set_error (
        error, OC_ERROR, OC_ERROR_IO,
        /* Translators: %s is a path. */
        _("%s is not a folder of its own, but a link or a file. Move it away and start again."),
        shown);
  else
    g_set_error (
        error, OC_ERROR, OC_ERROR_IO,
        /* Translators: the first %s is a path, the second the system's words for what went wrong.
         */
        _("The folder %s cannot be made or opened: %s. Check who owns it and its permissions."),
        shown, g_strerror (code));
  return FALSE;
}

/* Makes @name beneath @parent_fd where it is not there and opens it, never through a symlink. -1:
 * errno says why. */
static int
ensure_folder_at (int parent_fd,
                  const char *name)
{
  if (mkdirat (parent_fd, name, 0700) != 0 && errno != EEXIST)
    return -1;

  return openat (parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

gboolean
oc_paths_ensure (OcPaths *self,
                 GError **error)
{
  int home_fd, base_fd;

  /* What lies above <base> is the user's to arrange, links included. */
  if (g_mkdir_with_parents (self->data_home, 0700) != 0)
    return set_folder_error (error, self->data_home, errno);
  home_fd = open (self->data_home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (home_fd < 0)
    return set_folder_error (error, self->data_home, errno);

  base_fd = ensure_folder_at (home_fd, "ocelot");
  if (base_fd < 0)
    {
      int code = errno;

      close (home_fd);
      return set_folder_error (error, self->base, code);
    }
  close (home_fd);

  for (gsize i = 0; i < G_N_ELEMENTS (base_folders); i++)
    {
      int fd = ensure_folder_at (base_fd, base_folders[i]);

      if (fd < 0)
        {
          int code = errno;
          g_autofree char *folder = g_build_filename (self->base, base_folders[i], NULL);

          close (base_fd);
          return set_folder_error (error, folder, code);
        }
      close (fd);
    }

  close (base_fd);
  return TRUE;
}
