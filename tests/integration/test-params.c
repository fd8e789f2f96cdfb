/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each parameter of each method, given wrongly in each way: told by name, and the worker lives on. */
#include <string.h>

#include "launcher-fixture.h"
#include "launcher/oc-host.h"

static const char *const all[] = { "selection.read",     "file.readText", "process.spawn:true", "openURL",
                                   "app.open:org.x.Files", NULL };

/* What a parameter takes. */
typedef enum
{
  NAME,     /* a text, not empty, of a length */
  TEXT,     /* any text at all: what is no character in it is replaced */
  WORD,     /* one of a few */
  ARGUMENT, /* the permission's: another one is refused, not wrong */
  NUMBER,   /* whole, in a range */
  LIST,     /* of texts or bytes */
  BYTES,    /* a text, or {"base64"} */
  VALUE,    /* any JSON */
} Kind;

static const struct
{
  const char *method;
  const char *param;
  Kind kind;
  gboolean optional;
  gsize max;          /* bytes of a NAME, the most of a NUMBER; 0: not here */
  const char *others; /* parameters beside it, good ones */
  int code;           /* of a NAME that is well-formed, and means nothing here */
  int absent;         /* where it is optional and left out */
} params[] = {
  { "file.readText", "path", NAME, FALSE, 16384, "", OC_RPC_INVALID_PARAMS },
  { "process.spawn", "tool", ARGUMENT, FALSE, 0, "", 0 },
  { "process.spawn", "args", LIST, TRUE, 0, ",\"tool\":\"true\"", 0 },
  { "process.spawn", "stdin", BYTES, TRUE, 0, ",\"tool\":\"true\"", 0 },
  { "process.spawn", "timeoutMs", NUMBER, TRUE, OC_SPAWN_MAX_TIMEOUT_MS, ",\"tool\":\"true\"", 0 },
  { "openURL", "url", NAME, FALSE, 0, "", OC_RPC_REFUSED },
  { "app.open", "app", ARGUMENT, FALSE, 0, "", 0 },
  { "app.open", "folder", NAME, TRUE, 16384, ",\"app\":\"org.x.Files\"", OC_RPC_INVALID_PARAMS, OC_RPC_REFUSED },
  { "storage.get", "key", NAME, FALSE, 256, "", 0 },
  { "storage.set", "key", NAME, FALSE, 256, ",\"value\":1", 0 },
  { "storage.set", "value", VALUE, FALSE, 0, ",\"key\":\"k\"", 0 },
  { "storage.remove", "key", NAME, FALSE, 256, "", 0 },
  { "log", "level", WORD, FALSE, 0, ",\"message\":\"x\"", 0 },
  { "log", "message", TEXT, FALSE, 0, ",\"level\":\"info\"", 0 },
};

/* What is given. */
static const struct
{
  const char *json;    /* NULL: nothing */
  gboolean is_text;
  gboolean is_number;
  gboolean is_no_json; /* of ours */
} given[] = {
  { NULL, FALSE, FALSE, FALSE },
  { "null", FALSE, FALSE, FALSE },
  { "true", FALSE, FALSE, FALSE },
  { "0", FALSE, FALSE, FALSE },
  { "-1", FALSE, FALSE, FALSE },
  { "7", FALSE, TRUE, FALSE },
  { "7.0", FALSE, FALSE, FALSE },
  { "7.5", FALSE, FALSE, FALSE },
  { "1e300", FALSE, FALSE, FALSE },
  { "600001", FALSE, FALSE, FALSE },
  { "9007199254740991", FALSE, FALSE, FALSE },
  { "9007199254740992", FALSE, FALSE, TRUE },
  { "-9223372036854775809", FALSE, FALSE, TRUE },
  { "123456789012345678901234567890", FALSE, FALSE, TRUE },
  { "[]", FALSE, FALSE, FALSE },
  { "{}", FALSE, FALSE, FALSE },
  { "[7]", FALSE, FALSE, FALSE },
  { "[[\"x\"]]", FALSE, FALSE, FALSE },
  { "[null]", FALSE, FALSE, FALSE },
  { "{\"x\":\"y\"}", FALSE, FALSE, FALSE },
  { "[\"\\u0000\"]", FALSE, FALSE, TRUE },
  { "\"\"", TRUE, FALSE, FALSE },
  { "\"relative\"", TRUE, FALSE, FALSE },
  { "\"a\\u0000b\"", TRUE, FALSE, TRUE },
  { "\"\\udcff\"", TRUE, FALSE, TRUE },
  { "\"\\ud83d\"", TRUE, FALSE, TRUE },
};

/* Of the parameter @p given the @g-th: the code that must come of it; 0: none. */
static int
expect (guint p,
        guint g)
{
  const char *json = given[g].json;
  gboolean empty = json != NULL && g_str_equal (json, "\"\"");

  if (json == NULL || g_str_equal (json, "null"))
    return params[p].optional || (json != NULL && params[p].kind == VALUE) ? params[p].absent : OC_RPC_INVALID_PARAMS;
  switch (params[p].kind)
    {
    case NAME:
      return !given[g].is_text || given[g].is_no_json || empty ? OC_RPC_INVALID_PARAMS : params[p].code;
    case TEXT:
      return given[g].is_text ? 0 : OC_RPC_INVALID_PARAMS;
    case WORD:
      return OC_RPC_INVALID_PARAMS;
    case ARGUMENT:
      return given[g].is_text ? OC_RPC_PERMISSION_DENIED : OC_RPC_INVALID_PARAMS;
    case NUMBER:
      return given[g].is_number ? 0 : OC_RPC_INVALID_PARAMS;
    case LIST:
      return g_str_equal (json, "[]") ? 0 : OC_RPC_INVALID_PARAMS;
    case BYTES:
      return given[g].is_text && !given[g].is_no_json ? 0 : OC_RPC_INVALID_PARAMS;
    case VALUE:
      return given[g].is_no_json ? OC_RPC_INVALID_PARAMS : 0;
    }
  g_assert_not_reached ();
}

static void
add_call (GString *calls,
          const char *method,
          const char *members)
{
  g_string_append_printf (calls, "%s{\"method\":\"%s\",\"params\":{%s}}", calls->len > 1 ? "," : "", method,
                          *members == ',' ? members + 1 : members);
}

/* Its name, or of a list that of the member. */
static void
assert_named (JsonArray *outcomes,
              guint n,
              const char *method,
              const char *param)
{
  g_autofree char *quoted = g_strdup_printf ("“%s", param);
  const char *message = outcome_get (outcomes, n, "message");

  if (!g_str_has_prefix (message, method) || strstr (message, quoted) == NULL)
    g_error ("%s does not name %s: %s", method, param, message);
}

static void
test_each (void)
{
  g_autoptr (Fixture) fixture = fixture_new (all);
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  guint n = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint p = 0; p < G_N_ELEMENTS (params); p++)
    for (guint g = 0; g < G_N_ELEMENTS (given); g++)
      {
        g_autofree char *members = given[g].json == NULL ? g_strdup (params[p].others)
                                     : g_strdup_printf (",\"%s\":%s%s", params[p].param, given[g].json, params[p].others);

        add_call (calls, params[p].method, members);
      }
  add_call (calls, "storage.keys", "");
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, NULL, NULL);
  for (guint p = 0; p < G_N_ELEMENTS (params); p++)
    for (guint g = 0; g < G_N_ELEMENTS (given); g++, n++)
      {
        int code = expect (p, g);
        if (outcome_code (outcomes, n) != code)
          g_error ("%s with “%s” %s: expected %d, got %d: %s", params[p].method, params[p].param,
                   given[g].json ? given[g].json : "missing", code, (int) outcome_code (outcomes, n), outcome_get (outcomes, n, "message"));
        if (code == OC_RPC_INVALID_PARAMS)
          assert_named (outcomes, n, params[p].method, params[p].param);
      }
  g_assert_cmpint (outcome_code (outcomes, n), ==, 0);
}

/* The longest that is taken, and one byte more. */
static void
test_lengths (void)
{
  g_autoptr (Fixture) fixture = fixture_new (all);
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  guint n = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint p = 0; p < G_N_ELEMENTS (params); p++)
    for (gsize more = 0; params[p].kind == NAME && params[p].max > 0 && more < 2; more++)
      {
        g_autofree char *text = g_strnfill (params[p].max + more, 'x');
        g_autofree char *members = NULL;

        if (g_str_equal (params[p].param, "path") || g_str_equal (params[p].param, "folder"))
          *text = '/';
        members = g_strdup_printf (",\"%s\":\"%s\"%s", params[p].param, text, params[p].others);
        add_call (calls, params[p].method, members);
      }
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, NULL, NULL);
  for (guint p = 0; p < G_N_ELEMENTS (params); p++)
    for (gsize more = 0; params[p].kind == NAME && params[p].max > 0 && more < 2; more++, n++)
      {
        g_test_message ("%s.%s %u: %s", params[p].method, params[p].param, (guint) more, outcome_get (outcomes, n, "message"));        if (more == 0)
          g_assert_cmpint (outcome_code (outcomes, n), !=, OC_RPC_INVALID_PARAMS);
        else
          g_assert_cmpint (outcome_code (outcomes, n), ==, OC_RPC_INVALID_PARAMS);
        if (more == 1)
          assert_named (outcomes, n, params[p].method, params[p].param);
      }
}

/* @n times @text, with @between. */
static char *
repeat (const char *text,
        guint n,
        const char *between)
{
  GString *joined = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (joined, "%s%s", i > 0 ? between : "", text);
  return g_string_free (joined, FALSE);
}

/* Of the arguments of a tool: each by its number. */
static void
test_arguments (void)
{
  g_autofree char *x = g_strnfill (OC_SPAWN_MAX_ARG_BYTES, 'x');
  g_autofree char *longest = g_strdup_printf ("\"%s\"", x);
  g_autofree char *longer = g_strdup_printf ("\"%sx\"", x);
  g_autofree char *most = repeat ("\"x\"", OC_SPAWN_MAX_ARGS, ",");
  g_autofree char *more = repeat ("\"x\"", OC_SPAWN_MAX_ARGS + 1, ",");
  g_autofree char *most_bytes = repeat (longest, 8, ",");
  g_autofree char *more_bytes = repeat (longest, 9, ",");
  const struct
  {
    const char *args;
    const char *named; /* NULL: it is taken */
  } cases[] = {
    { "\"\",\"-x\",\"\\n\",{\"base64\":\"/w==\"},{\"base64\":\"\"}", NULL },
    { longest, NULL },
    { longer, "args[0]" },
    { most, NULL },
    { more, "args" },
    { most_bytes, NULL },
    { more_bytes, "args" },
    { "\"a\",{\"base64\":\"AA==\"}", "args[1]" },
    { "\"a\",{\"base64\":\"/w=\"}", "args[1]" },
    { "\"a\",{\"base64\":\"/w==\\n\"}", "args[1]" },
    { "\"a\",{\"base64\":\"-_==\"}", "args[1]" },
    { "\"a\",{\"base64\":\"=/w=\"}", "args[1]" },
    { "\"a\",{\"base64\":\"/===\"}", "args[1]" },
    { "\"a\",{\"base64\":7}", "args[1]" },
    { "\"a\",{\"base64\":\"\",\"x\":1}", "args[1]" },
    { "\"a\",\"b\",7", "args[2]" },
    { "\"a\",\"b\\u0000\"", "args" },
  };
  g_autoptr (Fixture) fixture = fixture_new (all);
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *members = g_strdup_printf ("\"tool\":\"true\",\"args\":[%s]", cases[i].args);

      add_call (calls, "process.spawn", members);
    }
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("case %u: %s", i, outcome_get (outcomes, i, "message"));
      g_assert_cmpint (outcome_code (outcomes, i), ==, cases[i].named ? OC_RPC_INVALID_PARAMS : 0);
      if (cases[i].named != NULL)
        assert_named (outcomes, i, "process.spawn", cases[i].named);
    }
}

/* Other names for a tool that was granted are other tools. */
static void
test_other_names (void)
{
  static const char *const names[] = { "/bin/true", "../bin/true", "./true", "TRUE", "true ", "true\\n", "true\\u0000", "" };
  g_autoptr (Fixture) fixture = fixture_new (all);
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *members = g_strdup_printf ("\"tool\":\"%s\"", names[i]);

      add_call (calls, "process.spawn", members);
    }
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_cmpint (outcome_code (outcomes, i), ==, OC_RPC_PERMISSION_DENIED);
      g_assert_true (g_str_has_prefix (outcome_get (outcomes, i, "permission"), "process.spawn:"));
    }
}

/* Methods that there are not, parameters that there are not, and parameters that are no object. */
static void
test_unknown (void)
{
  static const char *const names[] = { "fs.readFile", "", "Log", "log ", "process.spawn\\u0007", "storage", "run", "\\\"" };
  static const char *const lists[] = { "[]", "[\"x\"]", "7", "\"x\"", "null", "true", "\"\\u0000\"" };
  g_autoptr (Fixture) fixture = fixture_new (all);
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  const OcMethod *method;
  guint n = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    add_call (calls, names[i], "");
  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    {
      const char *argument = method->argument == NULL ? "" : g_str_equal (method->argument, "tool") ? ",\"tool\":\"true\"" : ",\"app\":\"org.x.Files\"";
      g_autofree char *members = g_strdup_printf ("%s,\"cwd\\u202e\":1", argument);

      add_call (calls, method->name, members);
      for (guint j = 0; j < G_N_ELEMENTS (lists); j++)
        g_string_append_printf (calls, ",{\"method\":\"%s\",\"params\":%s}", method->name, lists[j]);
    }
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++, n++)
    {
      g_test_message ("%s → %s", names[i], outcome_get (outcomes, n, "message"));
      g_assert_cmpint (outcome_code (outcomes, n), ==, OC_RPC_METHOD_NOT_FOUND);
    }
  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    {
      /* Escaped: a name is shown, and must not turn the line round. */
      g_assert_cmpint (outcome_code (outcomes, n), ==, OC_RPC_INVALID_PARAMS);
      assert_named (outcomes, n++, method->name, "cwd\\u{202E}");
      for (guint j = 0; j < G_N_ELEMENTS (lists); j++, n++)
        {
          g_test_message ("%s with %s → %s", method->name, lists[j], outcome_get (outcomes, n, "message"));
          g_assert_cmpint (outcome_code (outcomes, n), ==, OC_RPC_INVALID_PARAMS);
          assert_named (outcomes, n, method->name, method->argument != NULL ? method->argument : "params");
        }
    }
}

/* The permission comes first, whatever else is wrong. */
static void
test_permission_first (void)
{
  static const char *const none[] = { NULL };
  static const char *const params_of[] = { "", "\"x\":1", "\"tool\":7", "\"tool\":\"a\\u0000\",\"app\":\"a\\udcff\"", "\"url\":7,\"path\":[]" };
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  const OcMethod *method;
  guint n = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    for (guint j = 0; !method->free && j < G_N_ELEMENTS (params_of); j++)
      add_call (calls, method->name, params_of[j]);
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, NULL, NULL);
  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    for (guint j = 0; !method->free && j < G_N_ELEMENTS (params_of); j++, n++)
      {
        g_test_message ("%s {%s} → %s", method->name, params_of[j], outcome_get (outcomes, n, "message"));
        g_assert_cmpint (outcome_code (outcomes, n), ==, OC_RPC_PERMISSION_DENIED);
        g_assert_nonnull (outcome_get (outcomes, n, "permission"));
      }
  g_assert_cmpuint (n, >, 20);
}

/* No parameter is left out above. */
static void
test_table_is_whole (void)
{
  const OcMethod *method;

  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    for (guint j = 0; method->params[j] != NULL; j++)
      {
        guint found = 0;

        for (guint p = 0; p < G_N_ELEMENTS (params); p++)
          found += g_str_equal (params[p].method, method->name) && g_str_equal (params[p].param, method->params[j]);
        if (found != 1)
          g_error ("%s.%s is tried %u times", method->name, method->params[j], found);
      }
}

static void
test_context (void)
{
  static const char *const some[] = { "selection.read", NULL };
  static const char *const none[] = { NULL };
  const char *calls = "[{\"method\":\"context.get\"},{\"method\":\"selection.get\"}]";

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (Fixture) fixture = fixture_new (i == 0 ? some : none);
      g_autofree char *file = fixture_make_file (fixture, "a.txt", "hello", -1);
      const char *paths[] = { file, NULL };
      g_autoptr (JsonArray) outcomes = NULL;
      g_autoptr (GList) members = NULL;
      JsonObject *context;
      JsonObject *selection;

      if (!fixture_can_run (fixture))
        return;
      if (i == 0)
        fixture->env = g_environ_setenv (fixture->env, "LANGUAGE", "de_AT.UTF-8@euro", TRUE);
      fixture->env = g_environ_setenv (fixture->env, "LC_ALL", "C.UTF-8", TRUE);
      outcomes = fixture_call (fixture, calls, paths, NULL);
      context = json_object_get_object_member (json_array_get_object_element (outcomes, 0), "result");
      members = json_object_get_members (context);
      /* The selection is another call's: with the permission or without. */
      g_assert_cmpuint (g_list_length (members), ==, 5);
      g_assert_cmpstr (json_object_get_string_member (context, "command"), ==, "api");
      g_assert_cmpstr (json_object_get_string_member (context, "dataFolder"), ==, fixture->data_folder);
      g_assert_cmpstr (json_object_get_string_member (context, "pluginFolder"), ==, fixture->plugin_folder);
      g_assert_true (g_str_has_prefix (json_object_get_string_member (context, "tempFolder"), fixture->tmp));
      /* A tag that Intl takes: "C" is none. */
      g_assert_cmpstr (json_object_get_string_member (context, "locale"), ==, i == 0 ? "de-AT" : "en");
      g_assert_cmpint (outcome_code (outcomes, 1), ==, i == 0 ? 0 : OC_RPC_PERMISSION_DENIED);
      if (i == 1)
        continue;
      selection = json_object_get_object_member (json_array_get_object_element (outcomes, 1), "result");
      g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (selection, "paths"), 0), ==, file);
      g_assert_true (json_object_get_null_member (selection, "folder"));
    }
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/params/table-is-whole", test_table_is_whole);
  g_test_add_func ("/params/each", test_each);
  g_test_add_func ("/params/lengths", test_lengths);
  g_test_add_func ("/params/arguments", test_arguments);
  g_test_add_func ("/params/other-names", test_other_names);
  g_test_add_func ("/params/unknown", test_unknown);
  g_test_add_func ("/params/permission-first", test_permission_first);
  g_test_add_func ("/params/context", test_context);
  return g_test_run ();
}
