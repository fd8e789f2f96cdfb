/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-json-write.h"

#include <math.h>
#include <string.h>

static void
append_escape (GString *text,
               guchar c)
{
  static const char from[] = "\"\\\b\f\n\r\t";
  static const char to[] = "\"\\bfnrt";
  static const char hex[] = "0123456789abcdef";
  const char *found = strchr (from, c);

  if (found != NULL)
    {
      g_string_append_c (text, '\\');
      g_string_append_c (text, to[found - from]);
      return;
    }
  g_string_append (text, "\\u00");
  g_string_append_c (text, hex[c >> 4]);
  g_string_append_c (text, hex[c & 0xf]);
}

#define ESCAPED 1
#define NOT_ASCII 2

static const guint8 kinds[256] = {
  [0x00 ... 0x1f] = ESCAPED,
  ['"'] = ESCAPED,
  ['\\'] = ESCAPED,
  [0x7f] = ESCAPED,
  [0x80 ... 0xff] = NOT_ASCII,
};

void
oc_json_append_string (GString *text,
                       const char *string)
{
  g_autofree char *valid = NULL;
  guint8 stops = ESCAPED | NOT_ASCII;
  const char *at = string;

  g_string_append_c (text, '"');
  for (;;)
    {
      const char *end = at;

      while ((kinds[(guchar) *end] & stops) == 0)
        end++;
      g_string_append_len (text, at, end - at);
      if (*end == '\0')
        break;
      at = end;
      if (kinds[(guchar) *at] == ESCAPED)
        append_escape (text, (guchar) *at++);
      else
        {
          /* All before it is ASCII, and all from it on is UTF-8 from now on. */
          stops = ESCAPED;
          if (!g_utf8_validate (at, -1, NULL))
            at = valid = g_utf8_make_valid (at, -1);
        }
    }
  g_string_append_c (text, '"');
}

static void
append_int (GString *text,
            gint64 value)
{
  char digits[24];
  char *at = digits + sizeof digits;
  guint64 left = value < 0 ? -(guint64) value : (guint64) value;

  do
    *--at = (char) ('0' + left % 10);
  while ((left /= 10) > 0);
  if (value < 0)
    *--at = '-';
  g_string_append_len (text, at, digits + sizeof digits - at);
}

static void
append_double (GString *text,
               double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    {
      g_string_append (text, "null");
      return;
    }
  g_string_append (text, g_ascii_dtostr (number, sizeof number, value));
  /* It is read again as what it is. */
  if (strpbrk (number, ".e") == NULL)
    g_string_append (text, ".0");
}

static void
append_value (GString *text,
              JsonNode *node)
{
  GType type = json_node_get_value_type (node);

  if (type == G_TYPE_STRING)
    oc_json_append_string (text, json_node_get_string (node));
  else if (type == G_TYPE_INT64)
    append_int (text, json_node_get_int (node));
  else if (type == G_TYPE_DOUBLE)
    append_double (text, json_node_get_double (node));
  else if (type == G_TYPE_BOOLEAN)
    g_string_append (text, json_node_get_boolean (node) ? "true" : "false");
  else
    g_string_append (text, "null");
}

static void
append_member (JsonObject *object,
               const char *key,
               JsonNode *node,
               gpointer data)
{
  GString *text = data;

  if (text->str[text->len - 1] != '{')
    g_string_append_c (text, ',');
  oc_json_append_string (text, key);
  g_string_append_c (text, ':');
  oc_json_append_node (text, node);
}

void
oc_json_append_node (GString *text,
                     JsonNode *node)
{
  JsonArray *array;

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    {
      g_string_append_c (text, '{');
      json_object_foreach_member (json_node_get_object (node), append_member, text);
      g_string_append_c (text, '}');
    }
  else if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    {
      array = json_node_get_array (node);
      g_string_append_c (text, '[');
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          if (i > 0)
            g_string_append_c (text, ',');
          oc_json_append_node (text, json_array_get_element (array, i));
        }
      g_string_append_c (text, ']');
    }
  else if (node != NULL && JSON_NODE_HOLDS_VALUE (node))
    append_value (text, node);
  else
    g_string_append (text, "null");
}
