/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-json-write.h"

char *
oc_host_path_to_text (const char *path)
{
  if (g_utf8_validate (path, -1, NULL))
    return g_strdup (path);
  return g_filename_to_uri (path, NULL, NULL);
}

char *
oc_host_path_from_text (const char *text)
{
  g_autofree char *host = NULL;
  g_autofree char *path = NULL;

  if (*text == '/')
    return g_strdup (text);
  if (!g_str_has_prefix (text, "file:///"))
    return NULL;
  path = g_filename_from_uri (text, &host, NULL);
  return path && host == NULL && *path == '/' ? g_steal_pointer (&path) : NULL;
}

static JsonArray *
paths_to_json (const char *const *paths)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *text = oc_host_path_to_text (paths[i]);

      json_array_add_string_element (array, text);
    }
  return array;
}

static void
set_path (JsonObject *object,
          const char *key,
          const char *path)
{
  g_autofree char *text = path ? oc_host_path_to_text (path) : NULL;

  if (text != NULL)
    json_object_set_string_member (object, key, text);
  else
    json_object_set_null_member (object, key);
}

static JsonNode *
take_object (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

/* "de_DE.UTF-8@euro" → "de-DE": a BCP 47 tag, as far as a locale's name has one. "C" is none, and what takes tags refuses it. */
static char *
dup_locale (void)
{
  const char *name = g_get_language_names ()[0];
  g_autofree char *tag = g_strndup (name, strcspn (name, ".@"));

  if (g_str_equal (tag, "C") || g_str_equal (tag, "POSIX") || *tag == '\0')
    return g_strdup ("en");
  return g_strdelimit (g_steal_pointer (&tag), "_", '-');
}

static void
append_text (GString *text,
             const char *key,
             const char *value)
{
  g_string_append (text, key);
  oc_json_append_string (text, value);
}

static void
append_path (GString *text,
             const char *key,
             const char *path)
{
  g_autofree char *shown = path ? oc_host_path_to_text (path) : NULL;

  if (shown != NULL)
    append_text (text, key, shown);
  else
    {
      g_string_append (text, key);
      g_string_append (text, "null");
    }
}

void
oc_host_append_context (GString *text,
                        const OcHost *host,
                        gboolean with_selection)
{
  g_autofree char *locale = dup_locale ();

  append_text (text, "{\"command\":", host->entry->id);
  append_text (text, ",\"locale\":", locale);
  append_path (text, ",\"dataFolder\":", host->data_folder);
  append_path (text, ",\"tempFolder\":", host->temp_folder);
  append_path (text, ",\"pluginFolder\":", oc_plugin_get_real_folder (host->plugin));
  /* The shown folder names the selection's place: it goes with it. */
  if (with_selection)
    {
      const char *start = "";

      g_string_append (text, ",\"paths\":[");
      for (guint i = 0; host->selection[i] != NULL; i++, start = ",")
        append_path (text, start, host->selection[i]);
      append_path (text, "],\"folder\":", host->folder);
    }
  g_string_append_c (text, '}');
}

void
oc_host_selection_get (OcCall *call)
{
  const OcHost *host = oc_call_get_host (call);
  JsonObject *object = json_object_new ();
  JsonArray *items = json_array_new ();

  for (guint i = 0; host->selection[i] != NULL; i++)
    {
      JsonObject *item = json_object_new ();
      g_autofree char *name = g_path_get_basename (host->selection[i]);
      g_autofree char *shown = g_utf8_make_valid (name, -1);
      g_autofree char *uri = g_filename_to_uri (host->selection[i], NULL, NULL);

      set_path (item, "path", host->selection[i]);
      json_object_set_string_member (item, "name", shown);
      json_object_set_string_member (item, "uri", uri);
      json_array_add_object_element (items, item);
    }
  json_object_set_array_member (object, "paths", paths_to_json (host->selection));
  json_object_set_array_member (object, "items", items);
  set_path (object, "folder", host->folder);
  oc_call_record_use (call, NULL);
  oc_call_return (call, take_object (object));
}

void
oc_host_context_get (OcCall *call)
{
  GString *text = g_string_sized_new (400);

  oc_host_append_context (text, oc_call_get_host (call), FALSE);
  oc_call_return_text (call, g_string_free (text, FALSE));
}
