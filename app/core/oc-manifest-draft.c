/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-manifest-draft.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-json.h"
#include "core/oc-text.h"

/* How much of a plugin's text a message repeats. */
#define MAX_SHOWN_CHARS 120
/* PATH_MAX with room for the folder before it. */
#define PATH_MAX_BYTES 1024
/* A name is typed, printed in a column, and part of the activity. */
#define ENTRY_NAME_MAX_BYTES 128

char *
oc_draft_join (const char *place,
               const char *key)
{
  return *place == '\0' ? g_strdup (key) : g_strdup_printf ("%s.%s", place, key);
}

void
oc_draft_add_problem (OcDraft *draft,
                      const char *place,
                      const char *message,
                      const char *remedy)
{
  OcProblem *problem = g_new0 (OcProblem, 1);
  /* A place may have a key of the author's in it. */
  g_autofree char *shown = oc_text_escape (place, MAX_SHOWN_CHARS, NULL);

  problem->place = g_strdup_printf ("%s: %s", draft->manifest->file_name, shown);
  problem->message = g_strdup (message);
  problem->remedy = g_strdup (remedy);
  g_ptr_array_add (draft->manifest->problems, problem);
}

static void
add_problem_at (OcDraft *draft,
                const char *place,
                const char *key,
                const char *message,
                const char *remedy)
{
  g_autofree char *where = oc_draft_join (place, key);

  oc_draft_add_problem (draft, where, message, remedy);
}

static gboolean
holds (JsonNode *node,
       GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

char *
oc_draft_read_text (OcDraft *draft,
                    JsonObject *object,
                    const char *place,
                    const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node == NULL)
    return NULL;
  if (!holds (node, G_TYPE_STRING))
    {
      add_problem_at (draft, place, key, _("This must be a text."), _("Write it in \"."));
      return NULL;
    }
  return g_strdup (json_node_get_string (node));
}

char *
oc_draft_read_required_text (OcDraft *draft,
                             JsonObject *object,
                             const char *place,
                             const char *key)
{
  g_autofree char *text = NULL;

  if (!json_object_has_member (object, key))
    {
      add_problem_at (draft, place, key, _("This is missing."), _("Add it, with a text in \"."));
      return NULL;
    }

  text = oc_draft_read_text (draft, object, place, key);
  if (text != NULL && *text == '\0')
    {
      add_problem_at (draft, place, key, _("This is empty."),
                      _("Write a text between the two \"."));
      return NULL;
    }
  return g_steal_pointer (&text);
}

guint
oc_draft_read_number (OcDraft *draft,
                      JsonObject *object,
                      const char *place,
                      const char *key,
                      guint min,
                      guint max,
                      guint fallback)
{
  JsonNode *node = json_object_get_member (object, key);
  gint64 number;

  if (node == NULL)
    return fallback;

  number = holds (node, G_TYPE_INT64) ? json_node_get_int (node) : -1;
  if (number < min || number > max)
    {
      /* Translators: %u are two numbers. */
      g_autofree char *message = g_strdup_printf (_("This must be a whole number from %u to %u."),
                                                  min, max);

      add_problem_at (draft, place, key, message, _("Write such a number, without \"."));
      return fallback;
    }
  return (guint) number;
}

gboolean
oc_draft_read_flag (OcDraft *draft,
                    JsonObject *object,
                    const char *place,
                    const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node == NULL)
    return FALSE;
  if (!holds (node, G_TYPE_BOOLEAN))
    {
      add_problem_at (draft, place, key, _("This must be true or false."),
                      _("Write one of the two, without \"."));
      return FALSE;
    }
  return json_node_get_boolean (node);
}

JsonArray *
oc_draft_read_list (OcDraft *draft,
                    JsonObject *object,
                    const char *place,
                    const char *key,
                    gboolean required)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node == NULL)
    {
      if (required)
        add_problem_at (draft, place, key, _("This is missing."),
                        _("Add it, with a list in [ and ]."));
      return NULL;
    }
  if (!JSON_NODE_HOLDS_ARRAY (node))
    {
      add_problem_at (draft, place, key, _("This must be a list."), _("Write it in [ and ]."));
      return NULL;
    }
  return json_node_get_array (node);
}

char **
oc_draft_read_texts (OcDraft *draft,
                     JsonObject *object,
                     const char *place,
                     const char *key)
{
  JsonArray *list = oc_draft_read_list (draft, object, place, key, FALSE);
  g_autoptr (GStrvBuilder) builder = NULL;

  if (list == NULL)
    return NULL;

  builder = g_strv_builder_new ();
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonNode *node = json_array_get_element (list, i);

      if (holds (node, G_TYPE_STRING))
        g_strv_builder_add (builder, json_node_get_string (node));
      else
        {
          g_autofree char *numbered = g_strdup_printf ("%s[%u]", key, i);

          add_problem_at (draft, place, numbered, _("This must be a text."),
                          _("Write it in \"."));
        }
    }
  return g_strv_builder_end (builder);
}

/* What is wrong with a path that must lie in the plugin's folder; NULL: nothing. */
static const char *
find_path_fault (const char *path)
{
  g_auto (GStrv) parts = NULL;

  if (*path == '\0')
    return _("This path names no file.");
  if (*path == '/')
    return _("This path is absolute.");
  if (strlen (path) > PATH_MAX_BYTES)
    return _("This path is too long.");
  if (oc_text_has_hidden (path))
    return _("This path has hidden characters.");

  parts = g_strsplit (path, "/", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    {
      if (g_str_equal (parts[i], ".."))
        return _("This path leaves the plugin's folder.");
      if (*parts[i] == '\0' || g_str_equal (parts[i], "."))
        return _("This path has an empty part.");
    }
  return NULL;
}

char *
oc_draft_read_path (OcDraft *draft,
                    JsonObject *object,
                    const char *place,
                    const char *key,
                    gboolean required)
{
  g_autofree char *text = NULL;
  const char *path;
  const char *fault;

  text = required ? oc_draft_read_required_text (draft, object, place, key)
                  : oc_draft_read_text (draft, object, place, key);
  if (text == NULL || *text == '\0')
    return NULL;

  /* Bundlers write "./dist/main.mjs". */
  path = g_str_has_prefix (text, "./") ? text + 2 : text;
  fault = find_path_fault (path);
  if (fault != NULL)
    {
      add_problem_at (draft, place, key, fault,
                      _("Write a path inside the plugin's folder, as in “bin/worker”."));
      return NULL;
    }
  return g_strdup (path);
}

void
oc_draft_check_version (OcDraft *draft,
                        JsonObject *root)
{
  JsonNode *node = json_object_get_member (root, "manifestVersion");

  if (node == NULL)
    oc_draft_add_problem (draft, "manifestVersion", _("This is missing."),
                          _("Add it: \"manifestVersion\": 1."));
  else if (!holds (node, G_TYPE_INT64) || json_node_get_int (node) != 1)
    oc_draft_add_problem (draft, "manifestVersion",
                          _("This version of the manifest is not known here."),
                          _("Write 1, or use a version of Ocelot Plugins that knows it."));
}

void
oc_draft_check_entry_name (OcDraft *draft,
                           const char *name,
                           const char *place,
                           GHashTable *names)
{
  const char *first = g_hash_table_lookup (names, name);

  if (first != NULL)
    {
      g_autofree char *shown = oc_text_escape (name, MAX_SHOWN_CHARS, NULL);
      g_autofree char *message = NULL;

      /* Translators: the first %s is a name, the second a place in the file, such as
       * “commands[0].id”. */
      message = g_strdup_printf (_("“%s” is already the name at %s."), shown, first);
      oc_draft_add_problem (draft, place, message, _("Give each one a name of its own."));
      return;
    }
  g_hash_table_insert (names, g_strdup (name), g_strdup (place));

  if (strlen (name) > ENTRY_NAME_MAX_BYTES)
    oc_draft_add_problem (draft, place, _("This name is too long."),
                          _("Use at most 128 bytes."));
  if (oc_text_has_hidden (name))
    oc_draft_add_problem (draft, place, _("This name has hidden characters."),
                          _("Write it anew with characters that can be seen."));
  /* It is given to the launcher and the terminal as an argument, where it must not be taken for an
   * option (CVE-2024-32462). */
  if (*name == '-')
    oc_draft_add_problem (draft, place, _("This name begins with “-”."),
                          _("Begin it with a letter."));
}

OcDeclaration *
oc_declaration_new (const char *text,
                    const char *place)
{
  OcDeclaration *self = g_new0 (OcDeclaration, 1);

  self->text = g_strdup (text);
  self->place = g_strdup (place);
  self->entries = g_ptr_array_new_with_free_func (g_free);
  return self;
}

gboolean
oc_draft_count_declaration (OcDraft *draft,
                            const char *place)
{
  draft->n_declared++;
  if (draft->n_declared <= OC_MANIFEST_MAX_PERMISSIONS)
    return TRUE;

  if (draft->n_declared == OC_MANIFEST_MAX_PERMISSIONS + 1)
    {
      /* Translators: %d is a number of permissions. */
      g_autofree char *message = g_strdup_printf (
          _("More than %d permissions; nobody can review so many."), OC_MANIFEST_MAX_PERMISSIONS);

      oc_draft_add_problem (draft, place, message, _("Ask for less, or split the plugin."));
    }
  return FALSE;
}

static void
add_faulty (OcDraft *draft,
            const char *text,
            const char *place,
            const char *entry_title,
            const char *message,
            const char *remedy)
{
  OcDeclaration *declaration = oc_declaration_new (text, place);

  declaration->problem = g_strdup_printf ("%s %s", message, remedy);
  if (entry_title != NULL)
    g_ptr_array_add (declaration->entries, g_strdup (entry_title));
  g_ptr_array_add (draft->manifest->declarations, declaration);
  oc_draft_add_problem (draft, place, message, remedy);
}

void
oc_draft_declare_wrong (OcDraft *draft,
                        JsonNode *node,
                        const char *place,
                        const char *entry_title,
                        const char *message,
                        const char *remedy)
{
  g_autofree char *text = oc_json_to_string (node, FALSE);

  add_faulty (draft, text, place, entry_title, message, remedy);
}

/* Which permissions a format can hold. One that its kind of plugin cannot use would be consented
 * to and mean nothing, or, worse, mean something one day. */
static gboolean
is_for_kind (OcPermissionKind permission,
             OcPluginKind kind)
{
  switch (permission)
    {
    case OC_PERMISSION_SELECTION_READ:
    case OC_PERMISSION_PROCESS_SPAWN:
    case OC_PERMISSION_FILE_READ_TEXT:
    case OC_PERMISSION_OPEN_URL:
    case OC_PERMISSION_APP_OPEN:
    case OC_PERMISSION_NETWORK_CLIENT:
      return kind != OC_PLUGIN_KIND_ADDON;
    case OC_PERMISSION_FS:
    case OC_PERMISSION_NET:
    case OC_PERMISSION_ENV:
    case OC_PERMISSION_SPAWN:
    case OC_PERMISSION_AI:
    case OC_PERMISSION_OCR:
    case OC_PERMISSION_CICD_CREDENTIALS:
      return kind == OC_PLUGIN_KIND_ADDON;
    case OC_PERMISSION_UNKNOWN:
    case OC_N_PERMISSIONS:
      return FALSE;
    }
  return FALSE;
}

OcPermission *
oc_draft_declare (OcDraft *draft,
                  GHashTable *seen,
                  const char *text,
                  const char *place,
                  const char *entry_title,
                  gboolean never_granted)
{
  g_auto (OcComplaint) complaint = { NULL };
  g_autoptr (OcPermission) permission = oc_permission_parse_full (text, &complaint);
  g_autofree char *key = NULL;
  OcDeclaration *declaration;
  const char *first;

  if (permission != NULL
      && !is_for_kind (oc_permission_get_kind (permission), draft->manifest->kind))
    {
      g_clear_pointer (&permission, oc_permission_unref);
      oc_complaint_set (&complaint, _("This permission is not for this kind of plugin."),
                        _("Remove it; the manual lists what each kind of plugin can ask for."));
    }
  if (permission == NULL)
    {
      add_faulty (draft, text, place, entry_title, complaint.problem, complaint.remedy);
      return NULL;
    }

  first = g_hash_table_lookup (seen, oc_permission_get_text (permission));
  if (first != NULL)
    {
      /* Translators: %s is a place in the file, such as “permissions[0]”. */
      g_autofree char *message = g_strdup_printf (_("The same permission is already at %s."),
                                                  first);

      add_faulty (draft, text, place, entry_title, message, _("Remove one of the two."));
      return NULL;
    }
  g_hash_table_insert (seen, g_strdup (oc_permission_get_text (permission)), g_strdup (place));

  key = g_strconcat (never_granted ? "never " : "", oc_permission_get_text (permission), NULL);
  declaration = g_hash_table_lookup (draft->by_text, key);
  if (declaration == NULL)
    {
      declaration = oc_declaration_new (text, place);
      declaration->permission = oc_permission_ref (permission);
      declaration->never_granted = never_granted;
      g_ptr_array_add (draft->manifest->declarations, declaration);
      g_hash_table_insert (draft->by_text, g_steal_pointer (&key), declaration);
    }
  if (entry_title != NULL)
    g_ptr_array_add (declaration->entries, g_strdup (entry_title));
  return declaration->permission;
}
