/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON of a peer that is told which part of its message cannot be taken. */
#include "core/oc-error.h"
#include "core/oc-json.h"

static JsonNode *
parse (const char *text,
       OcJsonFault **fault,
       GError **error)
{
  return oc_json_parse_within (text, strlen (text), 0, "p", fault, error);
}

static char *
repeat (const char *text,
        guint n)
{
  GString *all = g_string_new (NULL);

  while (n-- > 0)
    g_string_append (all, text);
  return g_string_free (all, FALSE);
}

static void
test_passed_over (void)
{
  static const struct
  {
    const char *text;
    const char *member;
    const char *said;
    const char *tree;
  } cases[] = {
    { "{\"p\":{\"a\":\"x\\u0000y\"},\"i\":7}", "a", "NUL", "{\"p\":{\"a\":\"x\xef\xbf\xbdy\"},\"i\":7}" },
    { "{\"p\":{\"a\":\"\\udcff\"}}", "a", "surrogate", "{\"p\":{\"a\":\"\xef\xbf\xbd\"}}" },
    { "{\"p\":{\"a\":\"\\ud83dx\"}}", "a", "surrogate", "{\"p\":{\"a\":\"\xef\xbf\xbdx\"}}" },
    { "{\"p\":{\"a\":\"\\ud83d\\ud83d\\ude00\"}}", "a", "surrogate", "{\"p\":{\"a\":\"\xef\xbf\xbd\xf0\x9f\x98\x80\"}}" },
    { "{\"p\":{\"b\":1,\"a\":[{\"c\":[1700000000000000000]}],\"d\":\"\\u0000\"}}", "a", "whole numbers", NULL },
    { "{\"p\":{\"a\":1e400}}", "a", "too large", NULL },
    { "{\"p\":{\"x\\u0000\":1}}", "x\xef\xbf\xbd", "NUL", "{\"p\":{\"x\xef\xbf\xbd\":1}}" },
    { "{\"p\":[\"\\u0000\"]}", NULL, "NUL", "{\"p\":[\"\xef\xbf\xbd\"]}" },
    { "{\"p\":\"\\u0000\"}", NULL, "NUL", "{\"p\":\"\xef\xbf\xbd\"}" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (OcJsonFault) fault = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) root = parse (cases[i].text, &fault, &error);
      g_autofree char *tree = NULL;

      g_test_message ("%s", cases[i].text);
      g_assert_no_error (error);
      g_assert_nonnull (fault);
      g_assert_cmpstr (fault->member, ==, cases[i].member);
      g_assert_nonnull (strstr (fault->message, cases[i].said));
      tree = oc_json_to_string (root, FALSE);
      if (cases[i].tree != NULL)
        g_assert_cmpstr (tree, ==, cases[i].tree);
      /* The strict reader still refuses it. */
      g_assert_false (oc_json_check (cases[i].text, strlen (cases[i].text), 0, NULL));
    }
}

/* Without a fault it is what oc_json_parse() gives; elsewhere, and where it is no JSON, it is as strict. */
static void
test_strict_elsewhere (void)
{
  static const char good[] = "{\"i\":\"\\u0001\",\"p\":{\"a\":[1,\"\\ud83d\\ude00\",0.5]},\"z\":null}";
  static const char *const bad[] = {
    "{\"i\":\"\\u0000\",\"p\":{}}",
    "{\"i\":9007199254740992,\"p\":{}}",
    "{\"i\":{\"p\":\"\\u0000\"}}",
    "[{\"p\":\"\\u0000\"}]",
    "\"\\u0000\"",
    "{\"p\":{\"a\":\"\\u0000\"},\"i\":\"\\u0000\"}",
    "{\"p\":{\"a\":\"\\u000\"}}",
    "{\"p\":{\"a\":\"\\u0000}}",
    "{\"p\":{\"a\":\"\\u0000\",\"a\":1}}",
    "{\"p\":{\"a\":\"\\u0000\"}",
    "{\"p\":{\"a\":01}}",
    "{\"p\":{\"a\"}}",
    "{\"p\":{\"a\":1e400}} x",
    "{\"p\":{\"\\u0000\":1,\"\\u0000\":2}}",
  };
  g_autoptr (OcJsonFault) none = NULL;
  g_autoptr (JsonNode) one = parse (good, &none, NULL);
  g_autoptr (JsonNode) two = oc_json_parse (good, strlen (good), 0, NULL);

  g_assert_null (none);
  g_assert_true (json_node_equal (one, two));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (OcJsonFault) fault = NULL;
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", bad[i]);
      g_assert_null (parse (bad[i], &fault, &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
      g_assert_null (fault);
    }
}

static void
check_container (const char *text,
                 const char *said)
{
  g_autofree char *whole = g_strdup_printf ("{\"p\":{\"b\":1,\"a\":%s,\"c\":3},\"i\":7}", text);
  g_autofree char *cut = g_strdup_printf ("{\"p\":{\"b\":1,\"a\":%.*s", (int) strlen (text) - 1, text);
  g_autoptr (OcJsonFault) fault = NULL;
  g_autoptr (OcJsonFault) cut_fault = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = parse (whole, &fault, &error);
  JsonObject *object;

  g_assert_no_error (error);
  g_assert_nonnull (fault);
  g_assert_cmpstr (fault->member, ==, "a");
  g_assert_nonnull (strstr (fault->message, said));
  object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "i"), ==, 7);
  object = json_object_get_object_member (object, "p");
  g_assert_cmpint (json_object_get_int_member (object, "b"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (object, "c"), ==, 3);
  g_assert_null (parse (cut, &cut_fault, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
}

/* What is left out is passed over whole, also where brackets stand in texts. */
static void
test_past_the_limits (void)
{
  g_autofree char *open = repeat ("[", 40);
  g_autofree char *close = repeat ("]", 40);
  g_autofree char *deep = g_strdup_printf ("%s{\"]}\":\"]}\\\"]\",\"x\":[{}]}%s", open, close);
  g_autofree char *very_open = repeat ("[", 200000);
  g_autofree char *very_close = repeat ("]", 200000);
  g_autofree char *very_deep = g_strconcat (very_open, very_close, NULL);
  GString *many = g_string_new ("{");
  GString *more = g_string_new ("{\"in\":");

  for (guint i = 0; i < OC_JSON_MAX_KEYS + 100; i++)
    g_string_append_printf (many, "%s\"k%u\":{\"}\":[\"]\"]}", i > 0 ? "," : "", i);
  g_string_append_c (many, '}');
  g_string_append_printf (more, "%s,\"k\":1}", many->str);
  check_container (deep, "inside each other");
  check_container (very_deep, "inside each other");
  check_container (many->str, "keys in the same object");
  check_container (more->str, "keys in the same object");
  g_string_free (many, TRUE);
  g_string_free (more, TRUE);
}

/* Whatever the bytes: what is strict is the same tree and has no fault, and what is not has one or is an error. */
static void
test_mutations (void)
{
  static const char text[] = "{\"i\":1,\"p\":{\"a\":[\"\\ud83d\\ude00\",{\"b\":-12.5e1}],\"c\":\"\\u0041\",\"d\":[[[]]]},\"m\":\"x\"}";
  static const char bytes[] = "{}[]\",:\\u0d8f19e-.p ";
  guint n_faults = 0, n_good = 0;

  for (guint i = 0; i < 60000; i++)
    {
      g_autofree char *mutated = g_strdup (text);
      g_autoptr (OcJsonFault) fault = NULL;
      g_autoptr (JsonNode) strict = NULL;
      g_autoptr (JsonNode) root = NULL;

      for (int j = g_test_rand_int_range (1, 4); j > 0; j--)
        mutated[g_test_rand_int_range (0, sizeof text - 1)] = bytes[g_test_rand_int_range (0, sizeof bytes - 1)];
      strict = oc_json_parse (mutated, strlen (mutated), 0, NULL);
      root = parse (mutated, &fault, NULL);
      n_good += strict != NULL;
      n_faults += fault != NULL;
      if (strict != NULL)
        g_assert_true (root != NULL && fault == NULL && json_node_equal (strict, root));
      else
        g_assert_true ((root != NULL) == (fault != NULL));
    }
  g_test_message ("%u good, %u with a fault", n_good, n_faults);
  g_assert_cmpuint (n_good, >, 0);
  g_assert_cmpuint (n_faults, >, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-within/passed-over", test_passed_over);
  g_test_add_func ("/json-within/strict-elsewhere", test_strict_elsewhere);
  g_test_add_func ("/json-within/past-the-limits", test_past_the_limits);
  g_test_add_func ("/json-within/mutations", test_mutations);
  return g_test_run ();
}
