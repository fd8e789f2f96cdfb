/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-manifest.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-manifest-draft.h"
#include "core/oc-text.h"

const char *
oc_plugin_kind_to_id (OcPluginKind kind)
{
  switch (kind)
    {
    case OC_PLUGIN_KIND_PROCESS:
      return "process";
    case OC_PLUGIN_KIND_SCRIPT:
      return "script";
    case OC_PLUGIN_KIND_ADDON:
      return "addon";
    case OC_PLUGIN_KIND_UNKNOWN:
      break;
    }
  return "unknown";
}

const char *
oc_entry_kind_to_id (OcEntryKind kind)
{
  switch (kind)
    {
    case OC_ENTRY_COMMAND:
      return "command";
    case OC_ENTRY_ADDON:
      return "addon";
    case OC_ENTRY_TEST_DATA_FUNCTION:
      return "testDataFunction";
    case OC_ENTRY_HOOK:
      return "hook";
    }
  g_return_val_if_reached (NULL);
}

gboolean
oc_plugin_id_check (const char *id,
                    GError **error)
{
  gsize len = strlen (id);
  gsize part = 0;
  guint n_parts = 1;
  gboolean good = len <= OC_ID_MAX_BYTES;

  for (gsize i = 0; good && i < len; i++)
    {
      if (id[i] == '.')
        {
          good = part > 0;
          part = 0;
          n_parts++;
        }
      else if (g_ascii_isalnum (id[i]) || id[i] == '_' || id[i] == '-')
        part++;
      else
        good = FALSE;
    }

  if (!good || part == 0 || n_parts < 2)
    {
      g_autofree char *shown = oc_text_escape (id, OC_ID_MAX_BYTES, NULL);

      g_set_error (error, OC_ERROR, OC_ERROR_INVALID,
                   _("“%s” is no plugin id: that is two or more parts with dots between them, as "
                      "in “org.example.Notes”, of "
                      "letters, digits, “-” and “_”, 128 bytes at most."),
                   shown);
      return FALSE;
    }
  return TRUE;
}

static void
problem_free (gpointer data)
{
  OcProblem *self = data;

  g_free (self->place);
  g_free (self->message);
  g_free (self->remedy);
  g_free (self);
}

static void
declaration_free (gpointer data)
{
  OcDeclaration *self = data;

  g_clear_pointer (&self->permission, oc_permission_unref);
  g_free (self->text);
  g_free (self->place);
  g_free (self->problem);
  g_free (self->reason);
  g_ptr_array_unref (self->entries);
  g_free (self);
}

OcEntry *
oc_entry_new (OcEntryKind kind)
{
  OcEntry *self = g_new0 (OcEntry, 1);

  self->kind = kind;
  self->max_selection = kind == OC_ENTRY_COMMAND ? G_MAXUINT : 0;
  return self;
}

static void
entry_free (gpointer data)
{
  OcEntry *self = data;

  g_free (self->id);
  g_free (self->title);
  g_free (self->description);
  g_strfreev (self->extensions);
  g_free (self->action_text);
  g_free (self->application_type);
  g_free (self->hook_type);
  g_strfreev (self->test_data_keys);
  g_strfreev (self->element_keys);
  g_strfreev (self->env_keys);
  g_strfreev (self->output_keys);
  g_clear_pointer (&self->permissions, oc_permission_set_unref);
  g_free (self);
}

static OcManifest *
manifest_alloc (const char *file_name,
                const char *folder_id)
{
  OcManifest *self = g_atomic_rc_box_new0 (OcManifest);

  self->file_name = g_strdup (file_name);
  self->id = g_strdup (folder_id);
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->declarations = g_ptr_array_new_with_free_func (declaration_free);
  self->problems = g_ptr_array_new_with_free_func (problem_free);
  self->ignored = g_ptr_array_new_with_free_func (g_free);
  return self;
}

/* Settles what enabling would grant. An invalid manifest grants nothing, to no entry. */
static void
manifest_settle (OcManifest *self)
{
  g_autoptr (GPtrArray) granted = g_ptr_array_new ();
  gboolean valid = self->problems->len == 0;

  for (guint i = 0; valid && i < self->declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (self->declarations, i);

      if (declaration->permission != NULL && !declaration->never_granted)
        g_ptr_array_add (granted, declaration->permission);
    }
  self->permissions = oc_permission_set_new (granted);

  for (guint i = 0; i < self->entries->len; i++)
    {
      OcEntry *entry = g_ptr_array_index (self->entries, i);

      if (valid && entry->permissions != NULL)
        continue;
      g_clear_pointer (&entry->permissions, oc_permission_set_unref);
      entry->permissions = oc_permission_set_ref (self->permissions);
    }

  if (self->name == NULL || *self->name == '\0')
    {
      g_free (self->name);
      self->name = g_strdup (self->id);
    }
}

static void
check_folder (OcDraft *draft)
{
  g_autoptr (GError) error = NULL;
  OcProblem *problem;

  if (oc_plugin_id_check (draft->manifest->id, &error))
    return;

  problem = g_new0 (OcProblem, 1);
  problem->place = g_strdup (_("the folder's name"));
  problem->message = g_strdup (error->message);
  problem->remedy = g_strdup (_("Rename the folder to the plugin's id."));
  g_ptr_array_add (draft->manifest->problems, problem);
}

/* "line 3, column 7: what is wrong" in its two parts. */
static void
add_json_problem (OcDraft *draft,
                  const GError *error)
{
  const char *colon = strstr (error->message, ": ");
  g_autofree char *place = NULL;

  if (colon == NULL)
    {
      oc_draft_add_problem (draft, "line 1, column 1", error->message, _("Correct the file."));
      return;
    }
  place = g_strndup (error->message, (gsize) (colon - error->message));
  oc_draft_add_problem (draft, place, colon + 2,
                        _("Correct the file at this place; the plugin's author can do that."));
}

static void
read_bytes (OcDraft *draft,
            GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;
  gsize len;
  const char *data = g_bytes_get_data (bytes, &len);

  root = oc_json_parse (data, len, 0, &error);
  if (root == NULL)
    {
      add_json_problem (draft, error);
      return;
    }
  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      oc_draft_add_problem (draft, "line 1, column 1", _("A manifest must be an object."),
                            _("Write the whole in { and }."));
      return;
    }

  if (draft->manifest->kind == OC_PLUGIN_KIND_ADDON)
    oc_manifest_read_addons (draft, json_node_get_object (root));
  else
    oc_manifest_read_plugin (draft, json_node_get_object (root));
}

OcManifest *
oc_manifest_new (const char *file_name,
                 const char *folder_id,
                 GBytes *bytes)
{
  OcManifest *self;
  OcDraft draft = { NULL };

  g_return_val_if_fail (file_name != NULL && folder_id != NULL && bytes != NULL, NULL);

  self = manifest_alloc (file_name, folder_id);
  self->digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  self->kind = g_str_equal (file_name, "manifest.json") ? OC_PLUGIN_KIND_ADDON
                                                        : OC_PLUGIN_KIND_UNKNOWN;

  draft.manifest = self;
  draft.by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  check_folder (&draft);
  read_bytes (&draft, bytes);
  g_hash_table_unref (draft.by_text);
  manifest_settle (self);
  return self;
}

OcManifest *
oc_manifest_new_unreadable (const char *file_name,
                            const char *folder_id,
                            const char *message,
                            const char *remedy)
{
  OcManifest *self;
  OcProblem *problem;

  g_return_val_if_fail (
      file_name != NULL && folder_id != NULL && message != NULL && remedy != NULL, NULL);

  self = manifest_alloc (file_name, folder_id);
  self->digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) "", 0);
  problem = g_new0 (OcProblem, 1);
  problem->place = g_strdup (file_name);
  problem->message = g_strdup (message);
  problem->remedy = g_strdup (remedy);
  g_ptr_array_add (self->problems, problem);
  manifest_settle (self);
  return self;
}

OcManifest *
oc_manifest_ref (OcManifest *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
manifest_clear (OcManifest *self)
{
  g_free (self->file_name);
  g_free (self->id);
  g_free (self->name);
  g_free (self->version);
  g_free (self->description);
  g_free (self->author);
  g_free (self->homepage);
  g_free (self->icon);
  g_free (self->main);
  g_free (self->digest);
  g_ptr_array_unref (self->entries);
  g_ptr_array_unref (self->declarations);
  g_ptr_array_unref (self->problems);
  g_ptr_array_unref (self->ignored);
  oc_permission_set_unref (self->permissions);
}

void
oc_manifest_unref (OcManifest *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify) manifest_clear);
}

OcPluginKind
oc_manifest_get_kind (OcManifest *self)
{
  return self->kind;
}

const char *
oc_manifest_get_file_name (OcManifest *self)
{
  return self->file_name;
}

const char *
oc_manifest_get_id (OcManifest *self)
{
  return self->id;
}

const char *
oc_manifest_get_name (OcManifest *self)
{
  return self->name;
}

const char *
oc_manifest_get_version (OcManifest *self)
{
  return self->version;
}

const char *
oc_manifest_get_description (OcManifest *self)
{
  return self->description;
}

const char *
oc_manifest_get_author (OcManifest *self)
{
  return self->author;
}

const char *
oc_manifest_get_homepage (OcManifest *self)
{
  return self->homepage;
}

const char *
oc_manifest_get_icon (OcManifest *self)
{
  return self->icon;
}

const char *
oc_manifest_get_main (OcManifest *self)
{
  return self->main;
}

GPtrArray *
oc_manifest_get_entries (OcManifest *self)
{
  return self->entries;
}

const OcEntry *
oc_manifest_find_entry (OcManifest *self,
                        const char *id)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const OcEntry *entry = g_ptr_array_index (self->entries, i);

      if (g_str_equal (entry->id, id))
        return entry;
    }
  return NULL;
}

GPtrArray *
oc_manifest_get_declarations (OcManifest *self)
{
  return self->declarations;
}

OcPermissionSet *
oc_manifest_get_permissions (OcManifest *self)
{
  return self->permissions;
}

GPtrArray *
oc_manifest_get_problems (OcManifest *self)
{
  return self->problems;
}

GPtrArray *
oc_manifest_get_ignored (OcManifest *self)
{
  return self->ignored;
}

gboolean
oc_manifest_is_valid (OcManifest *self)
{
  return self->problems->len == 0;
}

const char *
oc_manifest_get_digest (OcManifest *self)
{
  return self->digest;
}
