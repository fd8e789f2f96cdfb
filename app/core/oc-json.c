/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-json.h"

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json-scan.h"
#include "core/oc-json-write.h"

gboolean
oc_json_check (const char *data,
               gsize len,
               gsize max_bytes,
               GError **error)
{
  return oc_json_scan (data, len, max_bytes, NULL, NULL, error);
}

JsonNode *
oc_json_parse (const char *data,
               gsize len,
               gsize max_bytes,
               GError **error)
{
  return oc_json_scan_tree (data, len, max_bytes, error);
}

void
oc_json_fault_free (OcJsonFault *self)
{
  g_free (self->member);
  g_free (self->message);
  g_free (self);
}

JsonNode *
oc_json_parse_within (const char *data,
                      gsize len,
                      gsize max_bytes,
                      const char *within,
                      OcJsonFault **fault,
                      GError **error)
{
  *fault = NULL;
  return oc_json_scan_tree_within (data, len, max_bytes, within, fault, error);
}

static void
span_clear (gpointer span)
{
  g_free (((OcJsonSpan *) span)->key);
}

GArray *
oc_json_members (const char *data,
                 gsize len,
                 gsize max_bytes,
                 GError **error)
{
  g_autoptr (GArray) members = g_array_new (FALSE, TRUE, sizeof (OcJsonSpan));
  char root;

  g_array_set_clear_func (members, span_clear);
  if (!oc_json_scan (data, len, max_bytes, members, &root, error))
    return NULL;
  if (root != '{')
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, "line 1, column 1: %s",
                   _("the file must hold one object, in { and }"));
      return NULL;
    }
  return g_steal_pointer (&members);
}

static void
set_type_error (GError **error,
                const char *place,
                const char *key,
                const char *wanted)
{
  g_autofree char *where = place == NULL || *place == '\0' ? g_strdup (key)
                                                           : g_strdup_printf ("%s.%s", place, key);

  /* Translators: the first %s is a place in a file, such as “commands[1].title”, the second what
   * it must be. */
  g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("%s must be %s"), where, wanted);
}

static gboolean
holds (JsonNode *node,
       GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

const char *
oc_json_get_string (JsonObject *object,
                    const char *place,
                    const char *key,
                    gboolean required,
                    GError **error)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node == NULL && !required)
    return NULL;
  if (node == NULL || !holds (node, G_TYPE_STRING))
    {
      set_type_error (error, place, key, _("a text in \""));
      return NULL;
    }
  return json_node_get_string (node);
}

gboolean
oc_json_get_int (JsonObject *object,
                 const char *place,
                 const char *key,
                 gint64 min,
                 gint64 max,
                 gint64 fallback,
                 gint64 *value,
                 GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  gint64 found = fallback;

  if (node != NULL)
    {
      gboolean is_integer = holds (node, G_TYPE_INT64);

      if (is_integer)
        found = json_node_get_int (node);
      if (!is_integer || found < min || found > max)
        {
          g_autofree char *low = g_strdup_printf ("%" G_GINT64_FORMAT, min);
          g_autofree char *high = g_strdup_printf ("%" G_GINT64_FORMAT, max);
          /* Translators: follows “… must be”; the two %s are numbers. */
          g_autofree char *wanted = g_strdup_printf (_("a whole number from %s to %s"), low,
                                                     high);

          set_type_error (error, place, key, wanted);
          return FALSE;
        }
    }

  *value = found;
  return TRUE;
}

gboolean
oc_json_get_boolean (JsonObject *object,
                     const char *place,
                     const char *key,
                     gboolean fallback,
                     gboolean *value,
                     GError **error)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node != NULL && !holds (node, G_TYPE_BOOLEAN))
    {
      set_type_error (error, place, key, _("true or false"));
      return FALSE;
    }

  *value = node != NULL ? json_node_get_boolean (node) : fallback;
  return TRUE;
}

gboolean
oc_json_get_strv (JsonObject *object,
                  const char *place,
                  const char *key,
                  char ***value,
                  GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  g_autoptr (GStrvBuilder) builder = NULL;
  JsonArray *array;

  if (node == NULL)
    {
      *value = NULL;
      return TRUE;
    }
  if (!JSON_NODE_HOLDS_ARRAY (node))
    {
      set_type_error (error, place, key, _("a list of texts, in [ and ]"));
      return FALSE;
    }

  array = json_node_get_array (node);
  builder = g_strv_builder_new ();
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *item = json_array_get_element (array, i);

      if (!holds (item, G_TYPE_STRING))
        {
          g_autofree char *numbered = g_strdup_printf ("%s[%u]", key, i);

          set_type_error (error, place, numbered, _("a text in \""));
          return FALSE;
        }
      g_strv_builder_add (builder, json_node_get_string (item));
    }

  *value = g_strv_builder_end (builder);
  return TRUE;
}

/* With line breaks, by json-glib's generator, which leaves U+001F as it is: no JSON any more. Only in a text can it be. */
static char *
generate_pretty (JsonNode *node)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autofree char *generated = NULL;
  GString *text;

  json_generator_set_pretty (generator, TRUE);
  json_generator_set_indent (generator, 2);
  json_generator_set_root (generator, node);
  generated = json_generator_to_data (generator, NULL);
  text = g_string_new (generated);
  g_string_replace (text, "\x1f", "\\u001f", 0);
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

char *
oc_json_to_string (JsonNode *node,
                   gboolean pretty)
{
  GString *text;

  g_return_val_if_fail (node != NULL, NULL);

  if (pretty)
    return generate_pretty (node);
  text = g_string_new (NULL);
  oc_json_append_node (text, node);
  return g_string_free (text, FALSE);
}
