/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-manifest-draft.h"

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"

/* The keys of an entry's permissions object. What is not here is unknown, and unknown is deny. */
static const struct
{
  const char *key;
  gboolean is_list; /* of arguments; else true or false */
  gboolean addon_only;
} permission_keys[] = {
  { "fs", TRUE, FALSE },    { "net", TRUE, FALSE }, { "env", TRUE, FALSE },
  { "spawn", FALSE, TRUE }, { "ai", FALSE, TRUE },  { "ocr", FALSE, TRUE },
};

/* One entry's permissions while they are read. */
typedef struct
{
  OcDraft *draft;
  OcEntry *entry;
  GHashTable *seen;
  GPtrArray *granted; /* (element-type OcPermission), borrowed */
} EntryReader;

static void
declare (EntryReader *reader,
         const char *text,
         const char *place,
         gboolean never_granted)
{
  OcPermission *permission = oc_draft_declare (reader->draft, reader->seen, text, place,
                                               reader->entry->title, never_granted);

  if (permission != NULL && !never_granted)
    g_ptr_array_add (reader->granted, permission);
}

static void
read_arguments (EntryReader *reader,
                const char *key,
                JsonNode *node,
                const char *place)
{
  JsonArray *list;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    {
      if (oc_draft_count_declaration (reader->draft, place))
        oc_draft_declare_wrong (reader->draft, node, place, reader->entry->title,
                                _("This must be a list."),
                                _("Write it in [ and ], one text for each."));
      return;
    }

  list = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonNode *item = json_array_get_element (list, i);
      g_autofree char *numbered = g_strdup_printf ("%s[%u]", place, i);

      if (!oc_draft_count_declaration (reader->draft, numbered))
        return;
      if (JSON_NODE_HOLDS_VALUE (item) && json_node_get_value_type (item) == G_TYPE_STRING)
        {
          g_autofree char *text = g_strconcat (key, ":", json_node_get_string (item), NULL);

          declare (reader, text, numbered, FALSE);
        }
      else
        oc_draft_declare_wrong (reader->draft, item, numbered, reader->entry->title,
                                _("This must be a text."), _("Write it in \"."));
    }
}

static void
read_permission (EntryReader *reader,
                 const char *key,
                 JsonNode *node,
                 const char *place)
{
  for (gsize i = 0; i < G_N_ELEMENTS (permission_keys); i++)
    {
      if (!g_str_equal (permission_keys[i].key, key))
        continue;

      if (permission_keys[i].is_list)
        read_arguments (reader, key, node, place);
      else if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_BOOLEAN)
        {
          if (oc_draft_count_declaration (reader->draft, place))
            oc_draft_declare_wrong (reader->draft, node, place, reader->entry->title,
                                    _("This must be true or false."),
                                    _("Write one of the two, without \"."));
        }
      else if (json_node_get_boolean (node) && oc_draft_count_declaration (reader->draft, place))
        declare (reader, key, place,
                 permission_keys[i].addon_only && reader->entry->kind != OC_ENTRY_ADDON);
      return;
    }

  if (oc_draft_count_declaration (reader->draft, place))
    {
      g_autofree char *shown = oc_text_escape (key, 60, NULL);
      g_autofree char *message = g_strdup_printf (
          _("“%s” is not a permission that this version knows."), shown);
      OcDeclaration *declaration;

      oc_draft_declare_wrong (reader->draft, node, place, reader->entry->title, message,
                              _("Look at its spelling, capitals too, or use a version of Ocelot "
                                 "Plugins that knows it."));
      /* What the author asked for, not the value behind it. */
      declaration = g_ptr_array_index (reader->draft->manifest->declarations,
                                       reader->draft->manifest->declarations->len - 1);
      g_free (declaration->text);
      declaration->text = g_strdup (key);
    }
}

static void
read_permissions (EntryReader *reader,
                  JsonObject *object,
                  const char *place)
{
  JsonNode *node = json_object_get_member (object, "permissions");
  g_autofree char *where = oc_draft_join (place, "permissions");
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;

  if (node == NULL)
    return;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      oc_draft_add_problem (
          reader->draft, where, _("This must be an object."),
          _("Write it as { \"fs\": […], \"net\": […], \"env\": […], \"spawn\": true }."));
      return;
    }

  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &key, &value))
    {
      g_autofree char *shown = oc_text_escape (key, 60, NULL);
      g_autofree char *key_place = oc_draft_join (where, shown);

      read_permission (reader, key, value, key_place);
    }
}

static gboolean
read_kind (OcDraft *draft,
           JsonObject *object,
           const char *place,
           OcEntryKind *kind)
{
  g_autofree char *text = oc_draft_read_required_text (draft, object, place, "kind");
  static const OcEntryKind all[] = { OC_ENTRY_ADDON, OC_ENTRY_TEST_DATA_FUNCTION, OC_ENTRY_HOOK };
  g_autofree char *where = oc_draft_join (place, "kind");

  if (text == NULL)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      if (g_str_equal (text, oc_entry_kind_to_id (all[i])))
        {
          *kind = all[i];
          return TRUE;
        }
    }

  oc_draft_add_problem (draft, where, _("This kind of entry is not known here."),
                        _("Write \"addon\", \"testDataFunction\" or \"hook\"."));
  return FALSE;
}

static void
read_fields (OcDraft *draft,
             OcEntry *entry,
             JsonObject *object,
             const char *place)
{
  entry->description = oc_draft_read_text (draft, object, place, "description");
  entry->action_text = oc_draft_read_text (draft, object, place, "actionText");
  entry->application_type = oc_draft_read_text (draft, object, place, "applicationType");
  entry->hook_type = oc_draft_read_text (draft, object, place, "hookType");
  entry->test_data_keys = oc_draft_read_texts (draft, object, place, "testDataKeys");
  entry->element_keys = oc_draft_read_texts (draft, object, place, "elementKeys");
  entry->env_keys = oc_draft_read_texts (draft, object, place, "envKeys");
  entry->output_keys = oc_draft_read_texts (draft, object, place, "outputKeys");
  entry->cicd_credentials = oc_draft_read_flag (draft, object, place, "cicdCredentials");
  entry->timeout_s = OC_COMMAND_DEFAULT_TIMEOUT_S;
}

static void
read_addon (OcDraft *draft,
            JsonNode *node,
            const char *place,
            GHashTable *names)
{
  g_autofree char *name_place = oc_draft_join (place, "name");
  g_autofree char *cicd_place = oc_draft_join (place, "cicdCredentials");
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) granted = g_ptr_array_new ();
  EntryReader reader = { .draft = draft, .seen = seen, .granted = granted };
  JsonObject *object;
  /* What is granted least where the kind is not known. */
  OcEntryKind kind = OC_ENTRY_HOOK;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      oc_draft_add_problem (draft, place, _("This must be an object."),
                            _("Write the entry in { and }."));
      return;
    }

  object = json_node_get_object (node);
  read_kind (draft, object, place, &kind);
  reader.entry = oc_entry_new (kind);
  g_ptr_array_add (draft->manifest->entries, reader.entry);

  reader.entry->id = oc_draft_read_required_text (draft, object, place, "name");
  if (reader.entry->id != NULL)
    oc_draft_check_entry_name (draft, reader.entry->id, name_place, names);
  else
    reader.entry->id = g_strdup ("");
  reader.entry->title = g_strdup (reader.entry->id);

  read_fields (draft, reader.entry, object, place);
  read_permissions (&reader, object, place);
  if (reader.entry->cicd_credentials && oc_draft_count_declaration (draft, cicd_place))
    declare (&reader, "cicdCredentials", cicd_place, kind != OC_ENTRY_HOOK);
  reader.entry->permissions = oc_permission_set_new (granted);
}

void
oc_manifest_read_addons (OcDraft *draft,
                         JsonObject *root)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  OcManifest *manifest = draft->manifest;
  JsonArray *list;

  oc_draft_check_version (draft, root);
  manifest->version = oc_draft_read_text (draft, root, "", "version");
  manifest->main = oc_draft_read_path (draft, root, "", "entry", TRUE);

  list = oc_draft_read_list (draft, root, "", "addons", TRUE);
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      g_autofree char *place = g_strdup_printf ("addons[%u]", i);

      if (i == OC_MANIFEST_MAX_ENTRIES)
        {
          oc_draft_add_problem (draft, place, _("More than 256 entries."),
                                _("Split the bundle."));
          return;
        }
      read_addon (draft, json_array_get_element (list, i), place, names);
    }
}
