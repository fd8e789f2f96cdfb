/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-text.h"

typedef struct
{
  const char *text;
  const char *place; /* "line L, column C: " */
  const char *says;  /* part of the message */
} Refusal;

static void
assert_refused (const char *data,
                gsize len,
                const char *place,
                const char *says)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) parse_error = NULL;
  JsonNode *node;

  g_assert_false (oc_json_check (data, len, 0, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_true (g_str_has_prefix (error->message, "line "));
  if (place != NULL && !g_str_has_prefix (error->message, place))
    g_error ("%s: got %s", place, error->message);
  if (says != NULL && strstr (error->message, says) == NULL)
    g_error ("%s: got %s", says, error->message);

  node = oc_json_parse (data, len, 0, &parse_error);
  g_assert_null (node);
  g_assert_cmpstr (parse_error->message, ==, error->message);
}

static JsonNode *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = oc_json_parse (text, strlen (text), 0, &error);

  g_assert_no_error (error);
  g_assert_nonnull (node);
  return node;
}

static void
test_accepts (void)
{
  static const char *const good[] = {
    "{}",
    "[]",
    " \t\r\n{ } \n",
    "null",
    "true",
    "false",
    "\"text\"",
    "0",
    "-0",
    "12.5e-3",
    "1E+2",
    "0.0",
    "9007199254740991",
    "-9007199254740991",
    "[1,[2,[3]],{\"a\":{\"b\":[]}},null]",
    "{\"a\":1,\"A\":2}",
    "{\"\":1}",
    "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}",
    "[{\"a\":1},{\"a\":1}]",
    "{\"é\":\"ü\\u00fc\\ud83d\\ude00😀\"}",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u007f \\u0001\"",
    "[\"/* no comment */ // none #\"]",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) node = NULL;

      g_test_message ("%s", good[i]);
      g_assert_true (oc_json_check (good[i], strlen (good[i]), 0, &error));
      g_assert_no_error (error);
      node = parse (good[i]);
    }
}

static const Refusal refusals[] = {
  { "", "line 1, column 1: ", "empty" },
  { " \n ", "line 1, column 1: ", "empty" },
  { "{", "line 1, column 2: ", "too early" },
  { "[", "line 1, column 2: ", "too early" },
  { "{\"a\":1", "line 1, column 7: ", "too early" },
  { "{}{}", "line 1, column 3: ", "more after" },
  { "{} null", "line 1, column 4: ", "more after" },
  { "1 2", "line 1, column 3: ", "more after" },
  { "var x = {}", "line 1, column 1: ", "var" },
  { "// c\n{}", "line 1, column 1: ", "comment" },
  { "{/* c */}", "line 1, column 2: ", "comment" },
  { "{} # c", "line 1, column 4: ", "comment" },
  { "{'a':1}", "line 1, column 2: ", "quotes" },
  { "{\"a\":'b'}", "line 1, column 6: ", "quotes" },
  { "{“a”:1}", "line 1, column 2: ", "quotes" },
  { "{a:1}", "line 1, column 2: ", NULL },
  { "{\"a\":yes}", "line 1, column 6: ", "yes" },
  { "[True]", "line 1, column 2: ", "True" },
  { "[nullx]", "line 1, column 2: ", "nullx" },
  { "[NaN]", "line 1, column 2: ", "NaN" },
  { "[Infinity]", "line 1, column 2: ", NULL },
  { "[-Infinity]", "line 1, column 2: ", "digit" },
  { "[1,]", "line 1, column 4: ", "comma" },
  { "{\"a\":1,}", "line 1, column 8: ", "comma" },
  { "[,1]", "line 1, column 2: ", NULL },
  { "[1 2]", "line 1, column 4: ", "comma" },
  { "{\"a\" 1}", "line 1, column 6: ", "colon" },
  { "{\"a\":1 \"b\":2}", "line 1, column 8: ", "comma" },
  { "{1:2}", "line 1, column 2: ", "key" },
  { "[1}", "line 1, column 3: ", NULL },
  { "{\"a\":1]", "line 1, column 7: ", NULL },
  { "]", "line 1, column 1: ", NULL },
  { "[01]", "line 1, column 2: ", "begin with 0" },
  { "[-01]", "line 1, column 2: ", "begin with 0" },
  { "[+1]", "line 1, column 2: ", NULL },
  { "[.5]", "line 1, column 2: ", NULL },
  { "[1.]", "line 1, column 2: ", "digit" },
  { "[1e]", "line 1, column 2: ", "digit" },
  { "[1e+]", "line 1, column 2: ", "digit" },
  { "[-]", "line 1, column 2: ", "digit" },
  { "[0x10]", "line 1, column 3: ", NULL },
  { "[1e999]", "line 1, column 2: ", "too large" },
  { "[9007199254740992]", "line 1, column 2: ", "whole numbers" },
  { "[-9007199254740992]", "line 1, column 2: ", "whole numbers" },
  { "[18446744073709551617]", "line 1, column 2: ", "whole numbers" },
  { "[\"abc]", "line 1, column 2: ", "closing" },
  { "[\"a\nb\"]", "line 1, column 2: ", "closing" },
  { "[\"a\tb\"]", "line 1, column 4: ", "\\u0009" },
  { "[\"\x1b[2K\"]", "line 1, column 3: ", "\\u001b" },
  { "[\"\\x41\"]", "line 1, column 3: ", "escape" },
  { "[\"\\", "line 1, column 3: ", "text" },
  { "[\"\\u12\"]", "line 1, column 3: ", "hexadecimal" },
  { "[\"\\u12G4\"]", "line 1, column 3: ", "hexadecimal" },
  { "[\"\\u0000\"]", "line 1, column 3: ", "NUL" },
  { "[\"a\\u0000b\"]", "line 1, column 4: ", "NUL" },
  { "{\"a\\u0000b\":1}", "line 1, column 4: ", "NUL" },
  { "[\"\\ud800\"]", "line 1, column 3: ", "surrogate" },
  { "[\"\\ud800\\u0041\"]", "line 1, column 3: ", "surrogate" },
  { "[\"\\ud800\\ud800\"]", "line 1, column 3: ", "surrogate" },
  { "[\"\\udc00\"]", "line 1, column 3: ", "surrogate" },
  { "[\"\\udc00\\ud800\"]", "line 1, column 3: ", "surrogate" },
  { "\xef\xbb\xbf{}", "line 1, column 1: ", "byte order mark" },
  { "[\"\xff\"]", "line 1, column 3: ", "UTF-8" },
  { "[\"\xc0\x80\"]", "line 1, column 3: ", "UTF-8" },     /* NUL, overlong */
  { "[\"\xed\xa0\x80\"]", "line 1, column 3: ", "UTF-8" }, /* a surrogate in UTF-8 */
  { "[\"\xf4\x90\x80\x80\"]", "line 1, column 3: ", "UTF-8" },
  { "[\xc2\xa0 1]", "line 1, column 2: ", NULL }, /* white space, but not JSON's */
  { "[\x0c 1]", "line 1, column 2: ", NULL },
  { "{\n  \"permissions\": [],\n  \"permissions\": [\"spawn\"]\n}",
    "line 3, column 3: ", "permissions" },
  { "{\"a\":1,\"\\u0061\":2}", "line 1, column 8: ", "twice" },
  { "{\"/\":1,\"\\/\":2}", "line 1, column 8: ", "twice" },
  { "{\"é\":1,\"\\u00E9\":2}", "line 1, column 8: ", "twice" },
  { "{\"😀\":1,\"\\uD83d\\uDe00\":2}", "line 1, column 8: ", "twice" },
  { "{\"x\":[{\"a\":{},\"b\":1,\"a\":2}]}", "line 1, column 21: ", "“a”" },
  { "{\"a\\u202eb\":1,\"a\\u202eb\":2}", "line 1, column 15: ", "\\u{202E}" },
  { "{\"ü\": \"😀😀\", x}", "line 1, column 13: ", NULL }, /* columns are characters */
  { "[1,\r\n2,\r\n3 4]", "line 3, column 3: ", NULL },
};

static void
test_refuses (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *shown = oc_text_escape (refusals[i].text, 0, NULL);

      g_test_message ("%s", shown);
      assert_refused (refusals[i].text, strlen (refusals[i].text), refusals[i].place,
                      refusals[i].says);
    }
}

static void
test_refuses_raw_nul (void)
{
  assert_refused ("{\"a\":\"b\0c\"}", 11, "line 1, column 8: ", "NUL");
  assert_refused ("{}\0", 3, "line 1, column 3: ", "NUL");
  assert_refused ("\0", 1, "line 1, column 1: ", "NUL");
  /* The control: the same without it. */
  g_assert_true (oc_json_check ("{\"a\":\"bc\"}", 10, 0, NULL));
}

static void
test_size (void)
{
  g_autofree char *text = g_malloc (OC_JSON_MAX_BYTES + 1);
  g_autoptr (GError) error = NULL;

  memset (text, ' ', OC_JSON_MAX_BYTES + 1);
  memcpy (text, "{}", 2);
  g_assert_true (oc_json_check (text, OC_JSON_MAX_BYTES, 0, NULL));
  assert_refused (text, OC_JSON_MAX_BYTES + 1, "line 1, column 1: ", "larger");
  g_assert_true (oc_json_check (text, OC_JSON_MAX_BYTES + 1, OC_JSON_MAX_BYTES + 1, NULL));
  g_assert_false (oc_json_check ("{ }", 3, 2, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
}

static char *
nest (gsize depth,
      const char *open,
      const char *close)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < depth; i++)
    g_string_append (text, open);
  g_string_append (text, "0");
  for (gsize i = 0; i < depth; i++)
    g_string_append (text, close);
  return g_string_free (text, FALSE);
}

static void
test_depth (void)
{
  g_autofree char *deepest = nest (OC_JSON_MAX_DEPTH, "[", "]");
  g_autofree char *too_deep = nest (OC_JSON_MAX_DEPTH + 1, "[", "]");
  g_autofree char *objects = nest (OC_JSON_MAX_DEPTH, "{\"a\":", "}");
  g_autofree char *too_deep_objects = nest (OC_JSON_MAX_DEPTH + 1, "{\"a\":", "}");
  g_autofree char *abyss = nest (400000, "[", "]");
  g_autoptr (JsonNode) node = parse (deepest);
  g_autoptr (JsonNode) object_node = parse (objects);

  assert_refused (too_deep, strlen (too_deep), "line 1, column 33: ", "32");
  assert_refused (too_deep_objects, strlen (too_deep_objects), NULL, "32");
  assert_refused (abyss, strlen (abyss), "line 1, column 33: ", "32");
}

static void
test_keys (void)
{
  g_autoptr (GString) text = g_string_new ("{\"k\":0");
  g_autoptr (GString) alike = g_string_new ("{\"\":0");
  gint64 began;

  for (guint i = 1; i < OC_JSON_MAX_KEYS; i++)
    g_string_append_printf (text, ",\"k%u\":0", i);
  g_string_append_c (text, '}');
  g_assert_true (oc_json_check (text->str, text->len, 0, NULL));
  g_string_truncate (text, text->len - 1);
  g_string_append (text, ",\"one more\":0}");
  assert_refused (text->str, text->len, NULL, "16384");

  /* "Ez" and "FY" have the same g_str_hash(), and so has every row of as many of them. */
  for (guint i = 0; i < 10000; i++)
    {
      g_string_append (alike, ",\"");
      for (guint bit = 0; bit < 14; bit++)
        g_string_append (alike, (i >> bit) & 1 ? "Ez" : "FY");
      g_string_append (alike, "\":0");
    }
  g_string_append_c (alike, '}');
  began = g_get_monotonic_time ();
  assert_refused (alike->str, alike->len, NULL, "busy");
  g_assert_cmpint (g_get_monotonic_time () - began, <, G_USEC_PER_SEC);
}

static void
test_text_is_kept (void)
{
  g_autoptr (JsonNode) node = parse (
      "[\"a\\u00e9\\ud83d\\ude00\\/\\\\\\\"\\b\\f\\n\\r\\t\\u0001\\u007f\\u202e\", 3, -0.5, 1e3,"
      " 9007199254740991, -9007199254740991]");
  JsonArray *array = json_node_get_array (node);
  g_autofree char *again = NULL;
  g_autoptr (JsonNode) reread = NULL;

  g_assert_cmpstr (json_array_get_string_element (array, 0), ==,
                   "aé😀/\\\"\b\f\n\r\t\x01\x7f\xe2\x80\xae");
  g_assert_cmpint (json_array_get_int_element (array, 1), ==, 3);
  g_assert_cmpfloat (json_array_get_double_element (array, 2), ==, -0.5);
  g_assert_cmpfloat (json_array_get_double_element (array, 3), ==, 1000);
  g_assert_cmpint (json_array_get_int_element (array, 4), ==,
                   G_GINT64_CONSTANT (9007199254740991));
  g_assert_cmpint (json_array_get_int_element (array, 5), ==,
                   -G_GINT64_CONSTANT (9007199254740991));

  again = oc_json_to_string (node, FALSE);
  reread = parse (again);
  g_assert_true (json_node_equal (node, reread));
}

static void
test_members (void)
{
  const char *text
      = " { \"b\" : [1, {\"x\":2}] , \"\\u0061\":\"}\" ,\"c\":\n-1.5e3, \"d\":{\"b\":{}}}";
  static const char *const values[] = { "[1, {\"x\":2}]", "\"}\"", "-1.5e3", "{\"b\":{}}" };
  static const char *const keys[] = { "b", "a", "c", "d" };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) members = oc_json_members (text, strlen (text), 0, &error);
  g_autoptr (GArray) none = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (members->len, ==, G_N_ELEMENTS (keys));
  for (guint i = 0; i < members->len; i++)
    {
      const OcJsonSpan *span = &g_array_index (members, OcJsonSpan, i);
      g_autofree char *value = g_strndup (text + span->start, span->end - span->start);

      g_assert_cmpstr (span->key, ==, keys[i]);
      g_assert_cmpstr (value, ==, values[i]);
    }

  none = oc_json_members ("{}", 2, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_null (oc_json_members ("[{\"a\":1}]", 9, 0, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_null (oc_json_members ("{\"a\":1,\"a\":2}", 13, 0, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
}

static void
test_getters (void)
{
  g_autoptr (JsonNode) node = parse (
      "{\"s\":\"x\",\"i\":3,\"f\":3.0,\"b\":true,\"v\":[\"a\",\"b\"],\"w\":[\"a\",1],\"n\":null}");
  JsonObject *object = json_node_get_object (node);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) strv = NULL;
  gboolean flag = FALSE;
  gint64 number = 7;

  g_assert_cmpstr (oc_json_get_string (object, "p", "s", TRUE, &error), ==, "x");
  g_assert_null (oc_json_get_string (object, "p", "missing", FALSE, &error));
  g_assert_no_error (error);
  g_assert_null (oc_json_get_string (object, "p", "missing", TRUE, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_assert_true (g_str_has_prefix (error->message, "p.missing must be"));
  g_clear_error (&error);
  g_assert_null (oc_json_get_string (object, "", "n", FALSE, &error));
  g_assert_true (g_str_has_prefix (error->message, "n must be"));
  g_clear_error (&error);

  g_assert_true (oc_json_get_int (object, "p", "i", 0, 3, 1, &number, &error));
  g_assert_cmpint (number, ==, 3);
  g_assert_true (oc_json_get_int (object, "p", "missing", 0, 3, 1, &number, &error));
  g_assert_cmpint (number, ==, 1);
  g_assert_false (oc_json_get_int (object, "p", "i", 0, 2, 1, &number, &error));
  g_clear_error (&error);
  g_assert_false (oc_json_get_int (object, "p", "f", 0, 9, 1, &number, &error));
  g_clear_error (&error);
  g_assert_cmpint (number, ==, 1); /* untouched on failure */

  g_assert_true (oc_json_get_boolean (object, "p", "b", FALSE, &flag, &error));
  g_assert_true (flag);
  g_assert_false (oc_json_get_boolean (object, "p", "i", FALSE, &flag, &error));
  g_clear_error (&error);

  g_assert_true (oc_json_get_strv (object, "p", "v", &strv, &error));
  g_assert_cmpuint (g_strv_length (strv), ==, 2);
  g_clear_pointer (&strv, g_strfreev);
  g_assert_true (oc_json_get_strv (object, "p", "missing", &strv, &error));
  g_assert_null (strv);
  g_assert_false (oc_json_get_strv (object, "p", "w", &strv, &error));
  g_assert_true (g_str_has_prefix (error->message, "p.w[1] must be"));
}

/* Whatever is done to a good text: no crash, and what is accepted json-glib can read as one root.
 */
static void
test_mutations (void)
{
  static const char seed[] = "{\"id\":\"org.x.Y\",\"n\":[1,-2.5e3,true,null,{\"k\":"
                             "\"v\\u00e9\\n\"}],\"deep\":{\"a\":[[[]]]}}";
  static const char bytes[] = "\"\\{}[]:,019-+.eEu \n\t/*'#tfn\0\xff\xc3\xa9";
  gsize accepted = 0;

  for (guint i = 0; i < 200000; i++)
    {
      char text[sizeof seed];
      gsize len = sizeof seed - 1;
      guint n = (guint) g_test_rand_int_range (1, 4);
      g_autoptr (GError) error = NULL;

      memcpy (text, seed, sizeof seed);
      for (guint j = 0; j < n; j++)
        text[g_test_rand_int_range (0, (int) len)]
            = bytes[g_test_rand_int_range (0, sizeof bytes - 1)];
      if (oc_json_check (text, len, 0, NULL))
        {
          g_autoptr (JsonNode) node = oc_json_parse (text, len, 0, &error);

          g_assert_no_error (error);
          g_assert_nonnull (node);
          accepted++;
        }
    }
  g_test_message ("%" G_GSIZE_FORMAT " accepted", accepted);
  g_assert_cmpuint (accepted, >, 0);
}

static void
test_truncated (void)
{
  static const char text[]
      = "{\"id\":\"org.x.Y\",\"n\":[1,-2.5e3,true,null,{\"k\":\"v\\ud83d\\ude00é\"}]}";

  for (gsize len = 0; len < sizeof text - 1; len++)
    assert_refused (text, len, NULL, NULL);
  g_assert_true (oc_json_check (text, sizeof text - 1, 0, NULL));
}

/* What json-glib's own parser makes of the same bytes. */
static void
test_same_as_parser (void)
{
  static const char *const texts[] = {
    "{}", "[]", "null", "true", "-0", "0.5", "1e3", "-12.25E-2", "9007199254740991", "-9007199254740991", "\"\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
    " [ 1 , [ ] , { } , [ [ \"a\" ] ] , false , null ] ",
    "{\"b\":{\"\":[{\"x\":1.5},{\"x\":null}],\"y\":{\"z\":{}}},\"a\":[true,\"\\u0001\"],\"\\u00e4\":-7}",
    "{\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,\"k7\":7,\"k8\":8,\"k9\":9,\"k10\":10,"
    "\"k11\":11,\"k12\":12,\"k13\":13,\"k14\":14,\"k15\":15,\"k16\":16,\"k17\":17,\"k18\":{\"k0\":[]}}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonParser) parser = json_parser_new ();
      g_autoptr (JsonNode) ours = oc_json_parse (texts[i], strlen (texts[i]), 0, &error);

      g_assert_no_error (error);
      json_parser_load_from_data (parser, texts[i], -1, &error);
      g_assert_no_error (error);
      if (!json_node_equal (ours, json_parser_get_root (parser)))
        g_error ("%s is read differently", texts[i]);
    }
}

/* Among few keys and among many. */
static void
test_same_key_anywhere (void)
{
  for (guint n = 2; n < 40; n++)
    for (guint at = 0; at + 1 < n; at++)
      {
        g_autoptr (GString) text = g_string_new ("{");
        g_autoptr (GError) error = NULL;
        g_autoptr (JsonNode) node = NULL;

        for (guint i = 0; i < n; i++)
          g_string_append_printf (text, "%s\"k%u\":{\"k%u\":%u}", i > 0 ? "," : "", i + 1 < n ? i : at, i, i);
        g_string_append_c (text, '}');
        node = oc_json_parse (text->str, text->len, 0, &error);
        g_assert_null (node);
        g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
        g_assert_nonnull (strstr (error->message, "twice"));
      }
}

/* Bytes are looked at by eights as long as they are ASCII. */
static void
test_utf8_anywhere (void)
{
  for (gsize n = 2; n < 40; n++)
    for (gsize at = 0; at + 2 <= n; at++)
      {
        g_autofree char *letters = g_strnfill (n, 'a');
        g_autofree char *text = g_strdup_printf ("\"%s\"", letters);
        g_autofree char *place = g_strdup_printf ("line 1, column %" G_GSIZE_FORMAT ":", at + 2);
        g_autoptr (GError) error = NULL;
        g_autoptr (JsonNode) node = NULL;

        memcpy (text + 1 + at, "\xc3\xa4", 2);
        node = oc_json_parse (text, strlen (text), 0, &error);
        g_assert_no_error (error);
        memcpy (letters + at, "\xc3\xa4", 2);
        g_assert_cmpstr (json_node_get_string (node), ==, letters);
        text[1 + at + 1] = 'a';
        g_assert_false (oc_json_check (text, strlen (text), 0, &error));
        g_assert_true (g_str_has_prefix (error->message, place));
      }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/accepts-rfc-8259", test_accepts);
  g_test_add_func ("/json/refuses-with-the-place", test_refuses);
  g_test_add_func ("/json/refuses-raw-nul", test_refuses_raw_nul);
  g_test_add_func ("/json/size", test_size);
  g_test_add_func ("/json/depth", test_depth);
  g_test_add_func ("/json/keys-bounded", test_keys);
  g_test_add_func ("/json/text-is-kept", test_text_is_kept);
  g_test_add_func ("/json/members-are-spans", test_members);
  g_test_add_func ("/json/getters-are-strict", test_getters);
  g_test_add_func ("/json/mutations", test_mutations);
  g_test_add_func ("/json/truncated-at-every-byte", test_truncated);
  g_test_add_func ("/json/same-as-parser", test_same_as_parser);
  g_test_add_func ("/json/same-key-anywhere", test_same_key_anywhere);
  g_test_add_func ("/json/utf8-anywhere", test_utf8_anywhere);
  return g_test_run ();
}
