/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which places are covered, and where the plugin's own folders appear again in what is covered. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "launcher/oc-guarded-lists.h"
#include "launcher/oc-guarded.h"
#include "launcher/oc-mount-table.h"
#include "launcher/oc-plan-private.h"

/* The names oc-temp.c gives the folders of runs. */
#define TEMP_PREFIX "ocelot-"

/* Where other programs' sockets are. No Unix socket can be opened at all (seccomp); this is the
 * second layer, and keeps the files beside the sockets, such as X11's keys, from being read.
 * Absolute, or "~/…", or "$NAME". */
static const struct
{
  const char *path;
  const char *reason;
} services[] = {
  { "/run/user", "session bus, keyring, agents, portals, Wayland" },
  { "$XDG_RUNTIME_DIR", "session bus, keyring, agents, portals, Wayland" },
  { "/run/dbus", "system bus" },
  { "/var/run/dbus", "system bus" },
  { "/tmp/.X11-unix", "X11" },
  { "/tmp/.ICE-unix", "session manager" },
  { "/tmp/.XIM-unix", "input methods" },
  { "~/.Xauthority", "X11's key" },
  { "$XAUTHORITY", "X11's key" },
  { "~/.ICEauthority", "the session manager's key" },
  { "/run/docker.sock", "docker" },
  { "/var/run/docker.sock", "docker" },
  { "/run/containerd", "containers" },
  { "/run/podman", "containers" },
  { "/run/crio", "containers" },
  { "/run/libvirt", "virtual machines" },
  { "/run/lxd.socket", "containers" },
  { "/var/lib/lxd/unix.socket", "containers" },
  { "/run/snapd.socket", "packages" },
  { "/run/snapd-snap.socket", "packages" },
  { "/run/systemd/private", "systemd" },
  { "/run/systemd/notify", "systemd" },
  { "/run/systemd/journal", "systemd" },
  { "/run/systemd/userdb", "systemd" },
  { "/run/pcscd", "smart cards" },
  { "/run/cups", "printers" },
  { "/run/screen", "terminals" },
};

static void
add_mask (OcPlan *self, const char *path, const char *reason)
{
  g_ptr_array_add (self->places, oc_place_new (OC_OP_MASK, path, reason));
}

static void
deny (OcPlan *self, const char *path)
{
  g_ptr_array_add (self->denied, g_strdup (path));
}

static void
add_services (OcPlan *self, const char *const *homes)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (
      (GDestroyNotify)oc_guarded_place_free);

  for (gsize i = 0; i < G_N_ELEMENTS (services); i++)
    {
      const char *path = services[i].path;
      const char *value = path[0] == '$' ? g_getenv (path + 1) : NULL;

      if (path[0] == '/')
        oc_guarded_resolve (path, services[i].reason, found);
      else if (value != NULL && g_path_is_absolute (value))
        oc_guarded_resolve (value, services[i].reason, found);
      for (gsize j = 0; path[0] == '~' && homes[j] != NULL; j++)
        {
          g_autofree char *in_home = g_build_filename (homes[j], path + 1, NULL);

          oc_guarded_resolve (in_home, services[i].reason, found);
        }
    }
  for (guint i = 0; i < found->len; i++)
    {
      const OcGuardedPlace *place = found->pdata[i];

      if (place->exists && !place->is_link && strcmp (place->path, "/") != 0)
        add_mask (self, place->path, place->reason);
    }
}

static gboolean
refuse_guarded (const char *own, const OcGuardedPlace *place, GError **error)
{
  g_autofree char *shown_own = oc_text_escape (own, 0, NULL);
  g_autofree char *shown = oc_text_escape (place->path, 0, NULL);

  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               "guarded-places: %s lies in or around the guarded place %s (%s); move one of them",
               shown_own, shown, place->reason);
  return FALSE;
}

static gboolean
is_at_or_below (const char *path, const char *ancestor)
{
  return strcmp (path, ancestor) == 0 || oc_plan_is_below (path, ancestor);
}

/* Each sandbox has its own: a history that is a link to /dev/null needs no guard, and the programs need /dev/null. */
static gboolean
is_made_anew (const char *path)
{
  return is_at_or_below (path, "/dev") || is_at_or_below (path, "/proc");
}

static gboolean
check_guarded (OcPlan *self, const OcGuardedPlace *place, GError **error)
{
  const char *own[] = { self->folder, self->data_folder, self->temp_folder };

  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    if (is_at_or_below (own[i], place->path))
      return refuse_guarded (own[i], place, error);
  /* A mount point below a folder the plugin can write could be swapped by it (CVE-2026-87766). */
  for (gsize i = 1; i < G_N_ELEMENTS (own); i++)
    if (oc_plan_is_below (place->path, own[i]))
      return refuse_guarded (own[i], place, error);
  return TRUE;
}

static void
add_aliases (OcPlan *self, OcMountTable *table, const char *path, const char *reason)
{
  g_autoptr (GPtrArray) aliases = g_ptr_array_new_with_free_func (g_free);

  oc_mount_table_find_aliases (table, path, aliases);
  for (guint i = 0; i < aliases->len; i++)
    {
      add_mask (self, aliases->pdata[i], reason);
      deny (self, aliases->pdata[i]);
    }
}

/* The same place under its other names, where it may lie no more than under its own. */
static gboolean
add_guarded_aliases (OcPlan *self, OcMountTable *table, const OcGuardedPlace *place, GError **error)
{
  g_autoptr (GPtrArray) aliases = g_ptr_array_new_with_free_func (g_free);

  oc_mount_table_find_aliases (table, place->path, aliases);
  for (guint i = 0; i < aliases->len; i++)
    {
      OcGuardedPlace alias = { .path = aliases->pdata[i], .reason = place->reason };

      if (!check_guarded (self, &alias, error))
        return FALSE;
      add_mask (self, alias.path, alias.reason);
      deny (self, alias.path);
    }
  return TRUE;
}

static void
note_links (OcPlan *self, const OcGuardedPlace *place)
{
  g_autofree char *shown = NULL;

  if (place->n_links < 2)
    return;
  shown = oc_text_escape (place->path, 0, NULL);
  g_ptr_array_add (
      self->notes,
      g_strdup_printf ("%s has other names on its disk (hard links), which stay readable", shown));
}

static gboolean
add_guarded (OcPlan *self,
             OcPaths *paths,
             const char *const *homes,
             OcMountTable *table,
             GError **error)
{
  g_autoptr (GPtrArray) places = oc_guarded_list (paths, homes, error);

  if (places == NULL)
    return FALSE;
  for (guint i = 0; i < places->len; i++)
    {
      OcGuardedPlace *place = places->pdata[i];

      if (is_made_anew (place->path))
        continue;
      if (!place->is_link)
        {
          if (!check_guarded (self, place, error)
              || !add_guarded_aliases (self, table, place, error))
            return FALSE;
          if (place->exists)
            add_mask (self, place->path, place->reason);
          note_links (self, place);
        }
      g_ptr_array_add (self->denied, g_steal_pointer (&place->path));
    }
  return TRUE;
}

/* Everything of ours but the plugin's own folders: other plugins, their data, consent, activity,
 * storage. */
static gboolean
add_own_base (OcPlan *self, OcPaths *paths, OcMountTable *table, GError **error)
{
  const char *base = oc_paths_get_base (paths);
  g_autofree char *canonical = realpath (base, NULL);
  g_autofree char *data = NULL;
  g_autofree char *folder = NULL;

  if (canonical == NULL)
    {
      g_autofree char *shown = oc_text_escape (base, 0, NULL);

      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "folders: %s: %s", shown, g_strerror (errno));
      return FALSE;
    }
  data = g_build_filename (canonical, "Data", self->id, NULL);
  folder = g_build_filename (canonical, "Plugins", self->id, NULL);
  /* A plugin folder that is a link to another plugin's data, or to the whole of Plugins, shows
   * neither. */
  if (strcmp (self->data_folder, data) != 0
      || (is_at_or_below (self->folder, canonical) && strcmp (self->folder, folder) != 0)
      || is_at_or_below (self->temp_folder, canonical))
    {
      g_autofree char *shown = oc_text_escape (canonical, 0, NULL);

      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   "folders: the plugin's folders in %s are not where they must be", shown);
      return FALSE;
    }
  g_ptr_array_add (self->places, oc_place_new (OC_OP_HIDE, canonical,
                                               "other plugins, consent, activity, storage"));
  deny (self, canonical);
  add_aliases (self, table, canonical, "other plugins, consent, activity, storage");
  return TRUE;
}

static gboolean
add_system_plugins (OcPlan *self, OcPaths *paths, OcMountTable *table, GError **error)
{
  const char *const *folders = oc_paths_get_system_plugins (paths);

  for (; *folders != NULL; folders++)
    {
      g_autofree char *canonical = realpath (*folders, NULL);
      g_autofree char *own = NULL;

      if (canonical == NULL && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        continue;
      own = canonical != NULL ? g_build_filename (canonical, self->id, NULL) : NULL;
      if (canonical == NULL
          || (is_at_or_below (self->folder, canonical) && strcmp (self->folder, own) != 0))
        {
          g_autofree char *shown = oc_text_escape (*folders, 0, NULL);

          g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                       "folders: the plugin's folder is not where it must be in %s", shown);
          return FALSE;
        }
      g_ptr_array_add (self->places, oc_place_new (OC_OP_HIDE, canonical, "other plugins"));
      add_aliases (self, table, canonical, "other plugins");
    }
  return TRUE;
}

/* The temporary folders of other runs lie beside ours and belong to the same user. Those that begin
 * later are kept from a worker by the allow-list: a name in the same folder makes it enumerate
 * that. */
static void
add_other_runs (OcPlan *self)
{
  g_autofree char *parent = g_path_get_dirname (self->temp_folder);
  g_autofree char *prefix = g_build_filename (parent, TEMP_PREFIX, NULL);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;

  deny (self, prefix);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (parent, name, NULL);
      struct stat info;

      if (!g_str_has_prefix (name, TEMP_PREFIX) || is_at_or_below (self->temp_folder, path)
          || is_at_or_below (self->data_folder, path) || is_at_or_below (self->folder, path)
          || lstat (path, &info) != 0 || !S_ISDIR (info.st_mode) || info.st_uid != geteuid ())
        continue;
      add_mask (self, path, "another run's temporary files");
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const OcPlace *const *place_a = a, *const *place_b = b;
  int order = oc_plan_compare_paths ((*place_a)->path, (*place_b)->path);

  /* Of two for one place the later kind wins: hidden with mount points over unreadable. */
  return order != 0 ? order : (int)(*place_b)->kind - (int)(*place_a)->kind;
}

static void
add_points (OcPlace *cover, const char *own)
{
  const char *rest = own + strlen (cover->path) + 1;

  for (const char *slash = strchr (rest, '/');; slash = strchr (slash + 1, '/'))
    {
      g_autofree char *point = slash != NULL ? g_strndup (rest, (gsize)(slash - rest))
                                             : g_strdup (rest);

      if (!g_ptr_array_find_with_equal_func (cover->points, point, g_str_equal, NULL))
        g_ptr_array_add (cover->points, g_steal_pointer (&point));
      if (slash == NULL)
        return;
    }
}

/* The nearest of @above, which lie in one another, that lies above @path; the others are done with.
 * (nullable) */
static OcPlace *
find_above (GPtrArray *above, const char *path)
{
  while (above->len > 0)
    {
      OcPlace *place = above->pdata[above->len - 1];

      if (oc_plan_is_below (path, place->path))
        return place;
      g_ptr_array_set_size (above, (int)above->len - 1);
    }
  return NULL;
}

/* Sorts, leaves out what is covered already, and makes way for the plugin's own folders. */
static void
settle (OcPlan *self)
{
  g_autoptr (GPtrArray) all = g_steal_pointer (&self->places);
  g_autoptr (GPtrArray) around = g_ptr_array_new ();
  GPtrArray *kept = g_ptr_array_new_with_free_func ((GDestroyNotify)oc_place_free);

  g_ptr_array_sort (all, compare_places);
  for (guint i = 0; i < all->len; i++)
    {
      OcPlace *place = all->pdata[i];
      OcPlace *above = find_above (around, place->path);
      const OcPlace *last = kept->len > 0 ? kept->pdata[kept->len - 1] : NULL;
      gboolean own = place->kind == OC_OP_READ_ONLY || place->kind == OC_OP_WRITABLE;
      gboolean covered = above != NULL && (above->kind == OC_OP_MASK || above->kind == OC_OP_HIDE);

      if ((!own && covered) || (last != NULL && strcmp (last->path, place->path) == 0))
        continue;
      /* Code that lies in nothing hidden needs no mount of its own: all is read-only. */
      if (place->kind == OC_OP_READ_ONLY && !covered)
        continue;
      if (own && covered)
        {
          above->kind = OC_OP_HIDE;
          add_points (above, place->path);
        }
      all->pdata[i] = NULL;
      g_ptr_array_add (kept, place);
      g_ptr_array_add (around, place);
    }
  self->places = kept;
}

/* For what is in order but for a few: each of them is put in its place. */
static void
put_in_order (GPtrArray *paths)
{
  for (guint i = 1; i < paths->len; i++)
    {
      gpointer moved = paths->pdata[i];
      guint low = 0, high = i - 1;

      if (oc_plan_compare_paths (paths->pdata[i - 1], moved) <= 0)
        continue;
      while (low < high)
        {
          guint middle = low + (high - low) / 2;

          if (oc_plan_compare_paths (paths->pdata[middle], moved) <= 0)
            low = middle + 1;
          else
            high = middle;
        }
      memmove (&paths->pdata[low + 1], &paths->pdata[low], (i - low) * sizeof moved);
      paths->pdata[low] = moved;
    }
}

gboolean
oc_plan_cover (OcPlan *self, OcPaths *paths, GError **error)
{
  g_autoptr (OcMountTable) table = oc_mount_table_new (error);
  g_auto (GStrv) homes = oc_guarded_list_homes (self->home);

  if (table == NULL)
    return FALSE;
  add_services (self, (const char *const *)homes);
  if (!add_guarded (self, paths, (const char *const *)homes, table, error)
      || !add_own_base (self, paths, table, error)
      || !add_system_plugins (self, paths, table, error))
    return FALSE;
  add_other_runs (self);
  g_ptr_array_add (self->places, oc_place_new (OC_OP_READ_ONLY, self->folder, "the plugin's code"));
  g_ptr_array_add (self->places,
                   oc_place_new (OC_OP_WRITABLE, self->data_folder, "the plugin's data"));
  g_ptr_array_add (self->places, oc_place_new (OC_OP_WRITABLE, self->temp_folder,
                                               "the plugin's temporary files"));
  settle (self);
  put_in_order (self->denied);
  return TRUE;
}
