/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-manifest-draft.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"

/* What a file manager can select at once; a larger minimum could never be met. */
#define MAX_SELECTION 10000
#define EXTENSION_MAX_BYTES 32
#define COMMAND_ID_MAX_BYTES 64
#define MAX_IGNORED 32
#define IGNORED_MAX_CHARS 80

static const char *const known_members[] = {
  "manifestVersion", "id",   "name", "version",  "description", "author",  "homepage",
  "icon",            "kind", "main", "commands", "permissions", "reasons", NULL,
};
static const char *const known_command_members[] = {
  "id", "title", "description", "minSelection", "maxSelection", "extensions", "timeoutSeconds", NULL,
};

/* Kept and ignored: what is not known here is no mistake for sure, but the author should see it. */
static void
note_ignored (OcDraft *draft,
              JsonObject *object,
              const char *place,
              const char *const *known)
{
  g_autoptr (GList) names = json_object_get_members (object);

  for (const GList *link = names; link != NULL && draft->manifest->ignored->len < MAX_IGNORED;
       link = link->next)
    {
      const char *name = link->data;

      /* "$schema" and the like are for editors. */
      if (*name != '$' && !g_strv_contains (known, name))
        {
          g_autofree char *shown = oc_text_escape (name, IGNORED_MAX_CHARS, NULL);

          g_ptr_array_add (draft->manifest->ignored, oc_draft_join (place, shown));
        }
    }
}

static void
read_id (OcDraft *draft,
         JsonObject *root)
{
  g_autofree char *id = oc_draft_read_required_text (draft, root, "", "id");
  g_autofree char *shown = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *message = NULL;

  /* Consent belongs to an id, and the folder's name is where it is looked up: a second name would
   * be another's. */
  if (id == NULL || g_str_equal (id, draft->manifest->id))
    return;

  shown = oc_text_escape (id, OC_ID_MAX_BYTES, NULL);
  folder = oc_text_escape (draft->manifest->id, OC_ID_MAX_BYTES, NULL);
  /* Translators: the first %s is an id, the second the name of a folder. */
  message = g_strdup_printf (_("The id “%s” is not the name of the folder, “%s”."), shown,
                             folder);
  oc_draft_add_problem (draft, "id", message, _("Make the two the same."));
}

static OcPluginKind
read_kind (OcDraft *draft,
           JsonObject *root)
{
  g_autofree char *kind = oc_draft_read_required_text (draft, root, "", "kind");

  if (kind == NULL)
    return OC_PLUGIN_KIND_UNKNOWN;
  if (g_str_equal (kind, "process"))
    return OC_PLUGIN_KIND_PROCESS;
  if (g_str_equal (kind, "script"))
    return OC_PLUGIN_KIND_SCRIPT;

  oc_draft_add_problem (draft, "kind", _("This kind of plugin is not known here."),
                        _("Write \"process\" or \"script\"."));
  return OC_PLUGIN_KIND_UNKNOWN;
}

static char *
read_homepage (OcDraft *draft,
               JsonObject *root)
{
  g_autofree char *homepage = oc_draft_read_text (draft, root, "", "homepage");
  g_autoptr (GUri) uri = NULL;
  const char *scheme;

  if (homepage == NULL || *homepage == '\0')
    return NULL;

  /* It is shown as a link: javascript:, file: and the like have no place there. */
  uri = oc_text_has_hidden (homepage) ? NULL : g_uri_parse (homepage, G_URI_FLAGS_NONE, NULL);
  scheme = uri != NULL ? g_uri_get_scheme (uri) : "";
  if ((g_str_equal (scheme, "https") || g_str_equal (scheme, "http"))
      && g_uri_get_host (uri) != NULL && *g_uri_get_host (uri) != '\0'
      && g_uri_get_userinfo (uri) == NULL)
    return g_steal_pointer (&homepage);

  oc_draft_add_problem (
      draft, "homepage", _("This is no web address."),
      _("Write it whole, as in “https://example.com/plugin”, or leave it out."));
  return NULL;
}

static void
check_command_id (OcDraft *draft,
                  const char *id,
                  const char *place,
                  GHashTable *names)
{
  oc_draft_check_entry_name (draft, id, place, names);
  if (strlen (id) > COMMAND_ID_MAX_BYTES
      || strspn (id, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-") != strlen (id))
    oc_draft_add_problem (
        draft, place, _("A command's id has only letters, digits, “_”, “.” and “-”, 64 at most."),
        _("Choose another id; the title can be any text."));
}

/* Without their dot, in lower case. (nullable) */
static char **
read_extensions (OcDraft *draft,
                 JsonObject *object,
                 const char *place)
{
  g_auto (GStrv) written = oc_draft_read_texts (draft, object, place, "extensions");
  g_autoptr (GStrvBuilder) builder = NULL;

  if (written == NULL)
    return NULL;
  if (written[0] == NULL)
    {
      /* Empty would read as "none" to one and as "all" to another. */
      g_autofree char *where = oc_draft_join (place, "extensions");

      oc_draft_add_problem (draft, where, _("This list is empty."),
                            _("Leave it out where any file will do."));
      return NULL;
    }

  builder = g_strv_builder_new ();
  for (guint i = 0; written[i] != NULL; i++)
    {
      const char *bare = written[i] + (*written[i] == '.');
      g_autofree char *lower = g_ascii_strdown (bare, -1);

      if (*bare == '\0' || strlen (bare) > EXTENSION_MAX_BYTES || strchr (bare, '/') != NULL
          || strchr (bare, '*') != NULL || oc_text_has_hidden (bare))
        {
          g_autofree char *where = g_strdup_printf ("%s.extensions[%u]", place, i);

          oc_draft_add_problem (draft, where, _("This is no file name extension."),
                                _("Write it as in \"txt\"."));
          continue;
        }
      g_strv_builder_add (builder, lower);
    }
  return g_strv_builder_end (builder);
}

static void
read_command (OcDraft *draft,
              JsonNode *node,
              const char *place,
              GHashTable *names)
{
  OcEntry *entry;
  JsonObject *object;
  g_autofree char *id_place = oc_draft_join (place, "id");

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      oc_draft_add_problem (draft, place, _("This must be an object."),
                            _("Write the command in { and }."));
      return;
    }

  object = json_node_get_object (node);
  note_ignored (draft, object, place, known_command_members);
  entry = oc_entry_new (OC_ENTRY_COMMAND);
  g_ptr_array_add (draft->manifest->entries, entry);

  entry->id = oc_draft_read_required_text (draft, object, place, "id");
  if (entry->id != NULL)
    check_command_id (draft, entry->id, id_place, names);
  else
    entry->id = g_strdup ("");
  entry->title = oc_draft_read_text (draft, object, place, "title");
  if (entry->title == NULL || *entry->title == '\0')
    {
      g_free (entry->title);
      entry->title = g_strdup (entry->id);
    }
  entry->description = oc_draft_read_text (draft, object, place, "description");
  entry->min_selection = oc_draft_read_number (draft, object, place, "minSelection", 0,
                                               MAX_SELECTION, 0);
  entry->max_selection = oc_draft_read_number (draft, object, place, "maxSelection", 0,
                                               MAX_SELECTION, G_MAXUINT);
  if (entry->max_selection < entry->min_selection)
    {
      g_autofree char *where = oc_draft_join (place, "maxSelection");

      oc_draft_add_problem (draft, where,
                            _("This is less than minSelection: no selection would do."),
                            _("Make it larger, or leave it out for no limit."));
    }
  entry->extensions = read_extensions (draft, object, place);
  entry->timeout_s = oc_draft_read_number (draft, object, place, "timeoutSeconds", 1,
                                           OC_COMMAND_MAX_TIMEOUT_S, OC_COMMAND_DEFAULT_TIMEOUT_S);
}

static void
read_commands (OcDraft *draft,
               JsonObject *root)
{
  JsonArray *list = oc_draft_read_list (draft, root, "", "commands", FALSE);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      g_autofree char *place = g_strdup_printf ("commands[%u]", i);

      if (i == OC_MANIFEST_MAX_ENTRIES)
        {
          oc_draft_add_problem (draft, place, _("More than 256 commands."),
                                _("Split the plugin."));
          return;
        }
      read_command (draft, json_array_get_element (list, i), place, names);
    }
}

static void
read_permissions (OcDraft *draft,
                  JsonObject *root)
{
  JsonArray *list = oc_draft_read_list (draft, root, "", "permissions", FALSE);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      JsonNode *node = json_array_get_element (list, i);
      g_autofree char *place = g_strdup_printf ("permissions[%u]", i);

      if (!oc_draft_count_declaration (draft, place))
        return;
      if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
        oc_draft_declare (draft, seen, json_node_get_string (node), place, NULL, FALSE);
      else
        oc_draft_declare_wrong (draft, node, place, NULL, _("A permission must be a text."),
                                _("Write it in \"."));
    }
}

/* The author's claims. One for a permission that is not asked for is only talk: it grants nothing
 * and is not shown, so it is no reason to refuse the plugin. */
static void
read_reasons (OcDraft *draft,
              JsonObject *root)
{
  JsonNode *node = json_object_get_member (root, "reasons");
  JsonObject *reasons;

  if (node == NULL)
    return;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      oc_draft_add_problem (draft, "reasons", _("This must be an object."),
                            _("Write it as { \"permission\": \"why it is needed\" }."));
      return;
    }

  reasons = json_node_get_object (node);
  for (guint i = 0; i < draft->manifest->declarations->len; i++)
    {
      OcDeclaration *declaration = g_ptr_array_index (draft->manifest->declarations, i);

      if (json_object_has_member (reasons, declaration->text))
        declaration->reason = oc_draft_read_text (draft, reasons, "reasons", declaration->text);
      else if (declaration->permission != NULL)
        declaration->reason = oc_draft_read_text (
            draft, reasons, "reasons", oc_permission_get_text (declaration->permission));
    }
}

/* A command that must be given a selection is given its paths: that is a grant, and is shown as
 * one. */
static void
imply_selection (OcDraft *draft)
{
  OcDeclaration *implied = NULL;

  if (g_hash_table_contains (draft->by_text, "selection.read"))
    return;

  for (guint i = 0; i < draft->manifest->entries->len; i++)
    {
      const OcEntry *entry = g_ptr_array_index (draft->manifest->entries, i);

      if (entry->min_selection == 0)
        continue;
      if (implied == NULL)
        {
          g_autofree char *place = g_strdup_printf ("commands[%u].minSelection", i);

          implied = oc_declaration_new ("selection.read", place);
          implied->implied = TRUE;
          implied->permission = oc_permission_new (OC_PERMISSION_SELECTION_READ, NULL, NULL);
          g_ptr_array_add (draft->manifest->declarations, implied);
        }
      g_ptr_array_add (implied->entries, g_strdup (entry->title));
    }
}

void
oc_manifest_read_plugin (OcDraft *draft,
                         JsonObject *root)
{
  OcManifest *manifest = draft->manifest;

  oc_draft_check_version (draft, root);
  note_ignored (draft, root, "", known_members);
  read_id (draft, root);
  manifest->name = oc_draft_read_text (draft, root, "", "name");
  manifest->version = oc_draft_read_text (draft, root, "", "version");
  manifest->description = oc_draft_read_text (draft, root, "", "description");
  manifest->author = oc_draft_read_text (draft, root, "", "author");
  manifest->homepage = read_homepage (draft, root);
  /* A name from the icon theme or a file in the folder; either way it may not lead out. */
  manifest->icon = oc_draft_read_path (draft, root, "", "icon", FALSE);
  manifest->kind = read_kind (draft, root);
  manifest->main = oc_draft_read_path (draft, root, "", "main", TRUE);

  read_commands (draft, root);
  read_permissions (draft, root);
  imply_selection (draft);
  read_reasons (draft, root);
}
