/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-json-write.h"

#include <math.h>
#include <string.h>

#include "core/oc-utf8.h"

/* The longest escape: \u00XX. */
#define ESCAPE_BYTES 6
/* So many at a time: room is made for all of them, should each be escaped. */
#define PART_BYTES 4096

/* The letter after the backslash; 'u': by its number. 0: a byte that stands as it is. */
static const char escapes[256] = {
  [0x00 ... 0x07] = 'u', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',  [0x0b] = 'u',   ['\f'] = 'f',
  ['\r'] = 'r',          [0x0e ... 0x1f] = 'u',      ['"'] = '"', ['\\'] = '\\', [0x7f] = 'u',
};

static char *
write_escape (char *to,
              guchar c)
{
  static const char hex[] = "0123456789abcdef";

  *to++ = '\\';
  *to++ = escapes[c];
  if (escapes[c] != 'u')
    return to;
  *to++ = '0';
  *to++ = '0';
  *to++ = hex[c >> 4];
  *to++ = hex[c & 0xf];
  return to;
}

#define ALL_BYTES(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))
#define ANY_BELOW(word, byte) (((word) - ALL_BYTES (byte)) & ~(word) & ALL_BYTES (0x80))

/* How many of eight bytes come before the first that is escaped. */
static inline gsize
count_plain (const char *at)
{
  guint64 word;
  guint64 found;

  memcpy (&word, at, sizeof word);
  word = GUINT64_FROM_LE (word);
  /* The lowest bit that is set is right; one above it may not be, for the subtraction borrows. */
  found = ANY_BELOW (word, 0x20) | ANY_BELOW (word ^ ALL_BYTES ('"'), 1) | ANY_BELOW (word ^ ALL_BYTES ('\\'), 1) |
          ANY_BELOW (word ^ ALL_BYTES (0x7f), 1);
  return found == 0 ? 8 : (gsize) __builtin_ctzll (found) / 8;
}

static char *
write_part (char *to,
            const char *at,
            const char *end)
{
  while (at < end)
    {
      gsize plain = escapes[(guchar) *at] == 0;

      if (end - at >= 8)
        {
          /* All eight, for there is room for them: what comes after the plain ones is written over. */
          plain = count_plain (at);
          memcpy (to, at, 8);
        }
      else
        *to = *at;
      to += plain;
      at += plain;
      if (at < end && escapes[(guchar) *at] != 0)
        to = write_escape (to, (guchar) *at++);
    }
  return to;
}

void
oc_json_append_part (GString *text,
                     const char *part,
                     gsize len)
{
  while (len > 0)
    {
      gsize now = MIN (len, PART_BYTES);
      gsize before = text->len;
      char *to;

      g_string_set_size (text, before + now * ESCAPE_BYTES);
      to = write_part (text->str + before, part, part + now);
      g_string_truncate (text, (gsize) (to - text->str));
      part += now;
      len -= now;
    }
}

void
oc_json_append_string (GString *text,
                       const char *string)
{
  gsize len = strlen (string);
  g_autofree char *valid = NULL;

  if (!oc_utf8_check (string, len, NULL))
    {
      valid = g_utf8_make_valid (string, (gssize) len);
      string = valid;
      len = strlen (valid);
    }
  g_string_append_c (text, '"');
  oc_json_append_part (text, string, len);
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
