/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-policy.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-catalogue.h"
#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-json.h"
#include "core/oc-text.h"

/* A policy is written by hand; what is larger is no policy. */
#define POLICY_MAX_BYTES OC_JSON_MAX_BYTES
#define POLICY_VERSION 1

/* One line of a policy: something that is blocked, and by which file. */
typedef struct
{
  char *file;
  char *plugin;             /* (nullable) */
  OcPermission *permission; /* (nullable) */
  OcPermissionKind kind;    /* all permissions of that kind; UNKNOWN: none */
  char *text;               /* as shown */
  char *reason;             /* (nullable) the administrator's */
} Rule;

struct _OcPolicy
{
  GPtrArray *rules;  /* (element-type Rule) */
  char *block_all;   /* (nullable) why everything is blocked */
  gboolean reviews_every_update;
  guint n_files;
};

static void
rule_free (gpointer data)
{
  Rule *rule = data;

  g_free (rule->file);
  g_free (rule->plugin);
  g_clear_pointer (&rule->permission, oc_permission_unref);
  g_free (rule->text);
  g_free (rule->reason);
  g_free (rule);
}

/* What cannot be understood could be a refusal: it is read as the strictest one. */
static void
block_all (OcPolicy *self,
           const char *file,
           const char *fault)
{
  g_autofree char *shown = oc_text_escape (file, 0, NULL);

  if (self->block_all == NULL)
    self->block_all = g_strdup_printf (_ ("The policy file “%s” cannot be used, so every plugin is blocked: %s. Ask your "
                                          "administrator to mend it."),
                                       shown, fault);
}

static char *
read_policy (const char *path,
             gsize *len,
             GError **error)
{
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  g_autofree char *data = NULL;
  struct stat status;
  gssize n;

  if (fd < 0 || fstat (fd, &status) < 0)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_IO, g_strerror (errno));
      return NULL;
    }
  if (!S_ISREG (status.st_mode) || status.st_size > POLICY_MAX_BYTES)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, _ ("it is not a regular file of at most 1 MiB"));
      return NULL;
    }
  data = g_malloc ((gsize) status.st_size + 2);
  n = oc_fd_read_all (fd, data, (gsize) status.st_size + 1);
  if (n < 0)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_IO, g_strerror (errno));
      return NULL;
    }
  data[n] = '\0';
  *len = (gsize) n;
  return g_steal_pointer (&data);
}

static Rule *
add_rule (OcPolicy *self,
          const char *file,
          const char *text,
          const char *reason)
{
  Rule *rule = g_new0 (Rule, 1);

  rule->file = g_strdup (file);
  rule->text = oc_text_escape (text, 0, NULL);
  rule->reason = reason != NULL ? oc_text_escape (reason, 0, NULL) : NULL;
  g_ptr_array_add (self->rules, rule);
  return rule;
}

static gboolean
add_permission_rule (OcPolicy *self,
                     const char *file,
                     const char *text,
                     const char *reason,
                     GError **error)
{
  OcPermissionKind kind = oc_catalogue_find (text);
  OcPermission *permission = NULL;
  Rule *rule;

  /* "process.spawn" means all of its kind, "process.spawn:git" that one. */
  if (kind == OC_PERMISSION_UNKNOWN)
    {
      permission = oc_permission_parse (text, error);
      if (permission == NULL)
        {
          g_prefix_error (error, "blockPermissions: ");
          return FALSE;
        }
    }
  rule = add_rule (self, file, text, reason);
  rule->kind = kind;
  rule->permission = permission;
  return TRUE;
}

static gboolean
check_members (JsonObject *object,
               GError **error)
{
  static const char *const known[]
      = { "version", "blockPlugins", "blockPermissions", "reviewEveryUpdate", "reason", NULL };
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *l = names; l != NULL; l = l->next)
    if (!g_strv_contains (known, l->data))
      {
        g_autofree char *shown = oc_text_escape (l->data, 64, NULL);

        g_set_error (error, OC_ERROR, OC_ERROR_UNSUPPORTED, _ ("this version does not know what “%s” means"), shown);
        return FALSE;
      }
  return TRUE;
}

static gboolean
parse_policy (OcPolicy *self,
              const char *file,
              JsonNode *root,
              GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_auto (GStrv) plugins = NULL;
  g_auto (GStrv) permissions = NULL;
  JsonObject *object;
  const char *reason;
  gboolean reviews = FALSE;
  gint64 version = 0;

  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, _ ("it must hold one JSON object"));
      return FALSE;
    }
  object = json_node_get_object (root);
  if (!oc_json_get_int (object, "policy", "version", 1, POLICY_VERSION, 0, &version, error))
    return FALSE;
  if (version != POLICY_VERSION)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, _ ("“version” is missing; it must be 1"));
      return FALSE;
    }
  reason = oc_json_get_string (object, "policy", "reason", FALSE, &local_error);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (!check_members (object, error)
      || !oc_json_get_strv (object, "policy", "blockPlugins", &plugins, error)
      || !oc_json_get_strv (object, "policy", "blockPermissions", &permissions, error)
      || !oc_json_get_boolean (object, "policy", "reviewEveryUpdate", FALSE, &reviews, error))
    return FALSE;
  for (gsize i = 0; plugins != NULL && plugins[i] != NULL; i++)
    {
      if (!oc_plugin_id_check (plugins[i], error))
        {
          g_prefix_error (error, "blockPlugins: ");
          return FALSE;
        }
      add_rule (self, file, plugins[i], reason)->plugin = g_strdup (plugins[i]);
    }
  for (gsize i = 0; permissions != NULL && permissions[i] != NULL; i++)
    if (!add_permission_rule (self, file, permissions[i], reason, error))
      return FALSE;
  self->reviews_every_update |= reviews;
  return TRUE;
}

static void
load_file (OcPolicy *self,
           const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *data = NULL;
  gsize len = 0;

  self->n_files++;
  data = read_policy (path, &len, &error);
  if (data != NULL)
    root = oc_json_parse (data, len, POLICY_MAX_BYTES, &error);
  if (root == NULL || !parse_policy (self, path, root, &error))
    block_all (self, path, error->message);
}

static int
compare_strings (gconstpointer a,
                 gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
load_folder (OcPolicy *self,
             const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    {
      if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        {
          self->n_files++;
          block_all (self, folder, error->message);
        }
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.' && g_str_has_suffix (name, ".json"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_strings);
  for (guint i = 0; i < paths->len; i++)
    load_file (self, paths->pdata[i]);
}

OcPolicy *
oc_policy_load (OcPaths *paths)
{
  OcPolicy *self = g_atomic_rc_box_new0 (OcPolicy);
  const char *dir = oc_paths_get_policy_dir (paths);
  g_autofree char *file = g_build_filename (dir, "policy.json", NULL);
  g_autofree char *folder = g_build_filename (dir, "policy.d", NULL);
  struct stat status;

  self->rules = g_ptr_array_new_with_free_func (rule_free);
  /* lstat: a dangling link is a policy that cannot be read, not one that is not there. */
  if (lstat (file, &status) == 0 || errno != ENOENT)
    load_file (self, file);
  load_folder (self, folder);
  return self;
}

static void
policy_clear (gpointer data)
{
  OcPolicy *self = data;

  g_ptr_array_unref (self->rules);
  g_free (self->block_all);
}

OcPolicy *
oc_policy_ref (OcPolicy *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_policy_unref (OcPolicy *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, policy_clear);
}

gboolean
oc_policy_is_empty (OcPolicy *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->n_files == 0;
}

gboolean
oc_policy_reviews_every_update (OcPolicy *self)
{
  g_return_val_if_fail (self != NULL, TRUE);
  return self->reviews_every_update;
}

static gboolean
rule_matches (const Rule *rule,
              const char *id,
              OcPermissionSet *set)
{
  /* Ids that differ only in case clash, so a block must not be escaped by writing it otherwise. */
  if (rule->plugin != NULL)
    return g_ascii_strcasecmp (rule->plugin, id) == 0;
  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    {
      OcPermission *permission = oc_permission_set_get (set, i);

      if (rule->permission != NULL ? oc_permission_equal (rule->permission, permission)
                                   : oc_permission_get_kind (permission) == rule->kind)
        return TRUE;
    }
  return FALSE;
}

char *
oc_policy_explain_block (OcPolicy *self,
                         const char *id,
                         OcPermissionSet *set)
{
  g_return_val_if_fail (self != NULL && id != NULL && set != NULL, g_strdup (""));
  if (self->block_all != NULL)
    return g_strdup (self->block_all);
  for (guint i = 0; i < self->rules->len; i++)
    {
      const Rule *rule = self->rules->pdata[i];
      g_autofree char *file = NULL;

      if (!rule_matches (rule, id, set))
        continue;
      file = oc_text_escape (rule->file, 0, NULL);
      if (rule->reason != NULL)
        /* Translators: a file, what it blocks, and the administrator's own words */
        return g_strdup_printf (_ ("%s blocks %s: %s"), file, rule->text, rule->reason);
      return g_strdup_printf (_ ("%s blocks %s."), file, rule->text);
    }
  return NULL;
}
