/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "launcher/oc-plan-private.h"

gboolean
oc_plan_is_below (const char *path, const char *ancestor)
{
  gsize length = strlen (ancestor);

  if (strcmp (ancestor, "/") == 0)
    return path[0] == '/' && path[1] != '\0';
  return strncmp (path, ancestor, length) == 0 && path[length] == '/';
}

/* Thousands of times for each plan, and most paths have the home in common. */
static gsize
measure_common (const char *a, const char *b)
{
  gsize length = MIN (strlen (a), strlen (b));
  gsize common = 0;

  while (common + sizeof (guint64) <= length && memcmp (a + common, b + common, sizeof (guint64)) == 0)
    common += sizeof (guint64);
  while (common < length && a[common] == b[common])
    common++;
  return common;
}

int
oc_plan_compare_paths (const char *a, const char *b)
{
  gsize common = measure_common (a, b);

  a += common;
  b += common;
  if (*a == *b)
    return 0;
  if (*a == '\0' || *b == '\0')
    return *a == '\0' ? -1 : 1;
  if (*a == '/' || *b == '/')
    return *a == '/' ? -1 : 1;
  return (guchar)*a < (guchar)*b ? -1 : 1;
}

OcPlace *
oc_place_new (OcOpKind kind, const char *path, const char *reason)
{
  OcPlace *self = g_new0 (OcPlace, 1);

  self->kind = kind;
  self->path = g_strdup (path);
  self->reason = g_strdup (reason);
  self->points = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
oc_place_free (OcPlace *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->reason);
  g_ptr_array_unref (self->points);
  g_free (self);
}

static gboolean
refuse (GError **error, const char *path, const char *why)
{
  g_autofree char *shown = oc_text_escape (path, 0, NULL);

  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "folders: %s: %s", shown, why);
  return FALSE;
}

/* @private: must be the user's own and closed to others. Returns the canonical path. */
static char *
check_folder (const char *path, gboolean private, GError **error)
{
  g_autofree char *canonical = NULL;
  struct stat info;

  if (!g_path_is_absolute (path))
    {
      refuse (error, path, "is not an absolute path");
      return NULL;
    }
  if (lstat (path, &info) != 0)
    {
      refuse (error, path, g_strerror (errno));
      return NULL;
    }
  /* CVE-2024-42472: what a symlink at this place leads to would become writable. */
  if (S_ISLNK (info.st_mode) && private)
    {
      refuse (error, path,
              "is a symbolic link where a folder of the plugin's own must be; remove the link");
      return NULL;
    }
  canonical = realpath (path, NULL);
  if (canonical == NULL || stat (canonical, &info) != 0)
    {
      refuse (error, path, g_strerror (errno));
      return NULL;
    }
  if (!S_ISDIR (info.st_mode))
    {
      refuse (error, path, "is not a folder");
      return NULL;
    }
  if (private && (info.st_uid != geteuid () || (info.st_mode & 077) != 0))
    {
      refuse (error, path, "is open to other users; set its permissions to 0700");
      return NULL;
    }
  return g_steal_pointer (&canonical);
}

static gboolean
is_apart (const char *a, const char *b)
{
  return strcmp (a, b) != 0 && !oc_plan_is_below (a, b) && !oc_plan_is_below (b, a);
}

/* The folder with the code may lie around the writable ones (a plugin folder that is a link to the
 * whole home, say: they are mounted on top), never the other way round. */
static gboolean
check_apart (OcPlan *self, GError **error)
{
  if (!is_apart (self->data_folder, self->temp_folder))
    return refuse (error, self->temp_folder,
                   "the plugin's data and temporary folders lie in one another");
  if (strcmp (self->folder, self->data_folder) == 0
      || oc_plan_is_below (self->folder, self->data_folder))
    return refuse (error, self->folder, "the plugin's code lies in a folder it can write");
  if (strcmp (self->folder, self->temp_folder) == 0
      || oc_plan_is_below (self->folder, self->temp_folder))
    return refuse (error, self->folder, "the plugin's code lies in a folder it can write");
  return TRUE;
}

static void
plan_clear (gpointer data)
{
  OcPlan *self = data;

  g_free (self->id);
  g_free (self->folder);
  g_free (self->data_folder);
  g_free (self->temp_folder);
  g_free (self->home);
  g_ptr_array_unref (self->places);
  g_ptr_array_unref (self->denied);
  g_ptr_array_unref (self->notes);
  g_strfreev (self->environment);
  g_strfreev (self->hosts);
  g_clear_pointer (&self->names, oc_net_names_unref);
}

OcPlan *
oc_plan_new (const OcPlanInput *input, GError **error)
{
  g_autoptr (OcPlan) self = NULL;

  g_return_val_if_fail (input != NULL && input->paths != NULL && input->id != NULL, NULL);
  g_return_val_if_fail (
      input->folder != NULL && input->data_folder != NULL && input->temp_folder != NULL, NULL);

  self = g_atomic_rc_box_new0 (OcPlan);
  self->places = g_ptr_array_new_with_free_func ((GDestroyNotify)oc_place_free);
  self->denied = g_ptr_array_new_with_free_func (g_free);
  self->notes = g_ptr_array_new_with_free_func (g_free);
  self->id = g_strdup (input->id);
  self->home = g_strdup (input->home != NULL ? input->home : g_get_home_dir ());
  self->network = input->network;
  self->hosts = input->hosts != NULL ? g_strdupv ((char **)input->hosts) : g_new0 (char *, 1);
  self->role = input->role;
  self->limits = input->limits != NULL ? *input->limits : *oc_limits_get_default (input->role);
  self->folder = check_folder (input->folder, FALSE, error);
  if (self->folder == NULL)
    return NULL;
  self->data_folder = check_folder (input->data_folder, TRUE, error);
  if (self->data_folder == NULL)
    return NULL;
  self->temp_folder = check_folder (input->temp_folder, TRUE, error);
  if (self->temp_folder == NULL)
    return NULL;
  if (!g_path_is_absolute (self->home))
    {
      refuse (error, self->home, "the home folder is not an absolute path; set HOME");
      return NULL;
    }
  if (!check_apart (self, error) || !oc_plan_add_network (self, error)
      || !oc_plan_cover (self, input->paths, error))
    return NULL;
  self->environment = oc_plan_make_environment (self);
  return g_steal_pointer (&self);
}

OcPlan *
oc_plan_ref (OcPlan *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_plan_unref (OcPlan *self)
{
  g_atomic_rc_box_release_full (self, plan_clear);
}

static gboolean
is_in (const char *path, const char *place)
{
  return strcmp (path, place) == 0 || oc_plan_is_below (path, place);
}

gboolean
oc_plan_denies (OcPlan *self, const char *path)
{
  g_return_val_if_fail (self != NULL && path != NULL, TRUE);
  for (guint i = 0; i < self->denied->len; i++)
    if (is_in (path, self->denied->pdata[i]))
      return TRUE;
  for (guint i = 0; i < self->places->len; i++)
    {
      const OcPlace *place = self->places->pdata[i];

      if (place->kind == OC_OP_HIDE && is_in (path, place->path))
        return TRUE;
    }
  return FALSE;
}

char **
oc_plan_dup_environment (OcPlan *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_strdupv (self->environment);
}

static const char *
describe_network (OcNetwork network)
{
  switch (network)
    {
    case OC_NETWORK_NONE:
      return "none";
    case OC_NETWORK_HOSTS:
      return "named hosts";
    case OC_NETWORK_CLIENT:
      return "outbound";
    }
  return "?";
}

static const char *
describe_op (OcOpKind kind)
{
  switch (kind)
    {
    case OC_OP_MASK:
      return "unreadable";
    case OC_OP_HIDE:
      return "hidden";
    case OC_OP_READ_ONLY:
      return "read-only";
    case OC_OP_WRITABLE:
      return "writable";
    case OC_OP_CONTENT:
      return "replaced";
    }
  return "?";
}

char *
oc_plan_to_text (OcPlan *self)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (self != NULL, NULL);
  g_string_append_printf (text, "plugin %s\n", self->id);
  g_string_append_printf (text, "role %s\n", self->role == OC_ROLE_WORKER ? "worker" : "tool");
  g_string_append_printf (text, "network %s\n", describe_network (self->network));
  for (gsize i = 0; self->hosts[i] != NULL; i++)
    {
      g_autofree char *host = oc_text_escape (self->hosts[i], 0, NULL);

      g_string_append_printf (text, "  host %s\n", host);
    }
  for (guint i = 0; i < self->places->len; i++)
    {
      const OcPlace *place = self->places->pdata[i];
      g_autofree char *path = oc_text_escape (place->path, 0, NULL);

      g_string_append_printf (text, "%s %s (%s)\n", describe_op (place->kind), path, place->reason);
      for (guint j = 0; j < place->points->len; j++)
        {
          g_autofree char *point = oc_text_escape (place->points->pdata[j], 0, NULL);

          g_string_append_printf (text, "  with %s\n", point);
        }
    }
  g_string_append_printf (
      text, "allow-list leaves out %u places, those that do not exist yet among them\n",
      self->role == OC_ROLE_WORKER ? self->denied->len : 0);
  for (guint i = 0; i < self->notes->len; i++)
    g_string_append_printf (text, "note %s\n", (const char *)self->notes->pdata[i]);
  g_string_append_printf (text,
                          "limits address-space=%" G_GUINT64_FORMAT " file-size=%" G_GUINT64_FORMAT,
                          self->limits.address_space, self->limits.file_size);
  g_string_append_printf (text,
                          " open-files=%" G_GUINT64_FORMAT " processes=%" G_GUINT64_FORMAT "\n",
                          self->limits.open_files, self->limits.processes);
  return g_string_free (text, FALSE);
}
