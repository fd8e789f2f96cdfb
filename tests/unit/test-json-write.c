/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is written is read back, strictly and by json-glib, as what it was. */
#include <math.h>
#include <string.h>

#include "core/oc-json-write.h"
#include "core/oc-json.h"

static JsonNode *
read_by_json_glib (const char *text)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = json_from_string (text, &error);

  g_assert_no_error (error);
  return node;
}

/* @expected: what a reader finds. */
static void
assert_string (const char *string,
               const char *expected)
{
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) strict = NULL;
  g_autoptr (JsonNode) usual = NULL;

  oc_json_append_string (text, string);
  g_string_append_c (text, ']');
  strict = oc_json_parse (text->str, text->len, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (json_array_get_string_element (json_node_get_array (strict), 0), ==, expected);
  usual = read_by_json_glib (text->str);
  g_assert_cmpstr (json_array_get_string_element (json_node_get_array (usual), 0), ==, expected);
  for (gsize i = 0; i < text->len; i++)
    g_assert_false (g_ascii_iscntrl (text->str[i]));
}

/* Each byte alone, and between others. */
static void
test_every_byte (void)
{
  for (guint c = 1; c < 256; c++)
    {
      const char alone[] = { (char) c, '\0' };
      const char between[] = { 'a', (char) c, 'b', (char) c, '\0' };
      g_autofree char *alone_valid = g_utf8_make_valid (alone, -1);
      g_autofree char *between_valid = g_utf8_make_valid (between, -1);

      assert_string (alone, alone_valid);
      assert_string (between, between_valid);
    }
}

/* Eight bytes are looked at together: each byte at every place among others, that are like it or not. */
static void
test_every_place (void)
{
  static const char around[] = { 'a', '!', '#', '[', ']', '~', ' ', '"' };

  for (guint c = 1; c < 0x80; c++)
    for (guint place = 0; place < 20; place++)
      for (gsize i = 0; i < G_N_ELEMENTS (around); i++)
        {
          char text[21];

          memset (text, around[i], 20);
          text[20] = '\0';
          text[place] = (char) c;
          assert_string (text, text);
        }
}

/* Longer than what is written at a time, and all of it escaped. */
static void
test_long_strings (void)
{
  static const guint lengths[] = { 4095, 4096, 4097, 8192, 100000 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *escaped = g_strnfill (lengths[i], '\x01');
      g_autofree char *plain = g_strnfill (lengths[i], 'a');

      assert_string (escaped, escaped);
      assert_string (plain, plain);
    }
}

static void
test_parts (void)
{
  g_autoptr (GString) text = g_string_new ("x");

  oc_json_append_part (text, "", 0);
  oc_json_append_part (text, "a\0\"b", 4);
  g_assert_cmpstr (text->str, ==, "xa\\u0000\\\"b");
}

static void
test_strings (void)
{
  assert_string ("", "");
  assert_string ("\"quoted\" \\ /", "\"quoted\" \\ /");
  assert_string ("\x1b[2J\x1f\x7f", "\x1b[2J\x1f\x7f");
  assert_string ("ä€😀\xc2\x85", "ä€😀\xc2\x85");
  assert_string ("cut \xf0\x9f\x98", "cut \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  assert_string ("half \xed\xa0\x80 \"", "half \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \"");
  assert_string ("overlong \xc0\xa2", "overlong \xef\xbf\xbd\xef\xbf\xbd");
}

static void
assert_node (JsonNode *node,
             const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  oc_json_append_node (text, node);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
assert_double (double value,
               const char *expected)
{
  g_autoptr (JsonNode) node = json_node_init_double (json_node_alloc (), value);

  assert_node (node, expected);
}

static void
assert_int (gint64 value,
            const char *expected)
{
  g_autoptr (JsonNode) node = json_node_init_int (json_node_alloc (), value);

  assert_node (node, expected);
}

static void
test_numbers (void)
{
  assert_int (0, "0");
  assert_int (-1, "-1");
  assert_int (G_GINT64_CONSTANT (9007199254740991), "9007199254740991");
  assert_int (G_MAXINT64, "9223372036854775807");
  assert_int (G_MININT64, "-9223372036854775808");
  assert_double (1, "1.0");
  assert_double (-0.5, "-0.5");
  assert_double (1e300, "1.0000000000000001e+300");
  assert_double (INFINITY, "null");
  assert_double (-INFINITY, "null");
  assert_double (NAN, "null");
}

/* json-glib's own text, the order of members included, and its nodes again. */
static void
test_same_as_json_glib (void)
{
  static const char *const texts[] = {
    "null", "true", "false", "12", "-3.25", "\"x\"", "{}", "[]", "[[],{},[{}]]", "{\"\":null,\"z\":[],\"a\":{}}",
    "{\"b\":{\"c\":[1,2.5,true,null,\"two\",{\"d\":[]}]},\"a\":\"\"}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (JsonNode) node = read_by_json_glib (texts[i]);
      g_autofree char *usual = json_to_string (node, FALSE);
      g_autoptr (JsonNode) again = NULL;

      assert_node (node, texts[i]);
      assert_node (node, usual);
      again = read_by_json_glib (usual);
      g_assert_true (json_node_equal (node, again));
    }
  assert_node (NULL, "null");
}

/* A key is a text like another, and what looks like the beginning of an object does not hide a comma. */
static void
test_keys (void)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "\"{\x1f", "{");
  json_object_set_object_member (object, "{", json_object_new ());
  json_object_set_int_member (object, "c", 1);
  json_node_take_object (node, object);
  assert_node (node, "{\"\\\"{\\u001f\":\"{\",\"{\":{},\"c\":1}");
}

/* Also where json-glib writes it: what it leaves as it is would make a store, or a run's answer, one that nobody takes. */
static void
test_to_string (void)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  GString *all = g_string_new (NULL);

  for (char c = 1; c < 0x7f; c++)
    g_string_append_c (all, c);
  json_object_set_string_member (object, all->str, all->str);
  json_object_set_string_member (object, "\x1f", "\x1f\\\x1f\"\x7f ü");
  json_node_take_object (node, object);
  for (guint pretty = 0; pretty < 2; pretty++)
    {
      g_autofree char *text = oc_json_to_string (node, pretty);
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) again = oc_json_parse (text, strlen (text), 0, &error);

      g_assert_no_error (error);
      g_assert_true (json_node_equal (node, again));
      g_assert_cmpint (g_str_has_suffix (text, "\n"), ==, pretty);
    }
  g_string_free (all, TRUE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-write/every-byte", test_every_byte);
  g_test_add_func ("/json-write/every-place", test_every_place);
  g_test_add_func ("/json-write/long-strings", test_long_strings);
  g_test_add_func ("/json-write/parts", test_parts);
  g_test_add_func ("/json-write/strings", test_strings);
  g_test_add_func ("/json-write/numbers", test_numbers);
  g_test_add_func ("/json-write/same-as-json-glib", test_same_as_json_glib);
  g_test_add_func ("/json-write/keys", test_keys);
  g_test_add_func ("/json-write/to-string", test_to_string);
  return g_test_run ();
}
