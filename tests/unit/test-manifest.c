/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-manifest.h"
#include "core/oc-text.h"

static GBytes *
read_fixture (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "fixtures", "manifests", name,
                                                 NULL);
  g_autoptr (GError) error = NULL;
  char *data;
  gsize len;

  g_file_get_contents (path, &data, &len, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (data, len);
}

static OcManifest *
load (const char *fixture,
      const char *id)
{
  g_autoptr (GBytes) bytes = read_fixture (fixture);

  return oc_manifest_new (g_str_has_prefix (fixture, "addon") ? "manifest.json" : "plugin.json",
                          id, bytes);
}

static OcManifest *
load_text (const char *file_name,
           const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return oc_manifest_new (file_name, "org.example.Plugin", bytes);
}

static const OcProblem *
find_problem (OcManifest *manifest,
              const char *place)
{
  GPtrArray *problems = oc_manifest_get_problems (manifest);

  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      if (g_str_equal (problem->place, place))
        return problem;
    }
  return NULL;
}

/* What every manifest keeps to, whatever its bytes were. */
static void
assert_sound (OcManifest *manifest)
{
  GPtrArray *problems = oc_manifest_get_problems (manifest);
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);

  g_assert_cmpint (oc_manifest_is_valid (manifest), ==, problems->len == 0);
  g_assert_cmpuint (strlen (oc_manifest_get_digest (manifest)), ==, 64);
  g_assert_nonnull (oc_manifest_get_name (manifest));
  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      g_assert_false (oc_text_has_hidden (problem->place));
      g_assert_false (oc_text_has_hidden (problem->message));
      g_assert_false (oc_text_has_hidden (problem->remedy));
    }
  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      g_assert_true ((declaration->permission == NULL) == (declaration->problem != NULL));
      g_assert_true (declaration->problem == NULL || problems->len > 0);
    }
  if (problems->len > 0)
    g_assert_cmpuint (oc_permission_set_get_n (oc_manifest_get_permissions (manifest)), ==, 0);
}

static void
assert_set (OcPermissionSet *set,
            const char *expected)
{
  g_auto (GStrv) texts = oc_permission_set_to_strv (set);
  g_autofree char *joined = g_strjoinv (" ", texts);

  g_assert_cmpstr (joined, ==, expected);
}

static void
assert_problems (OcManifest *manifest,
                 const char *const *places)
{
  GPtrArray *problems = oc_manifest_get_problems (manifest);

  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      g_test_message ("%s: %s %s", problem->place, problem->message, problem->remedy);
    }
  for (gsize i = 0; places[i] != NULL; i++)
    {
      if (find_problem (manifest, places[i]) == NULL)
        g_error ("no problem at %s", places[i]);
    }
  g_assert_cmpuint (problems->len, ==, g_strv_length ((char **) places));
}

static const OcDeclaration *
get_declaration (OcManifest *manifest,
                 guint i)
{
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);

  g_assert_cmpuint (i, <, declarations->len);
  return g_ptr_array_index (declarations, i);
}

static void
test_plugin_full (void)
{
  g_autoptr (OcManifest) manifest = load ("plugin-full.json", "org.example.Full");
  const OcEntry *count = oc_manifest_find_entry (manifest, "count");
  const OcEntry *about = oc_manifest_find_entry (manifest, "about");
  const OcDeclaration *implied;

  assert_sound (manifest);
  assert_problems (manifest, (const char *const[]){ NULL });
  g_assert_cmpint (oc_manifest_get_kind (manifest), ==, OC_PLUGIN_KIND_PROCESS);
  g_assert_cmpstr (oc_manifest_get_name (manifest), ==, "Full <b>&amp;</b>");
  g_assert_cmpstr (oc_manifest_get_version (manifest), ==, "1.2.0");
  g_assert_cmpstr (oc_manifest_get_author (manifest), ==, "Ada Example");
  g_assert_cmpstr (oc_manifest_get_homepage (manifest), ==, "https://example.com/full");
  g_assert_cmpstr (oc_manifest_get_icon (manifest), ==, "icons/full.svg");
  g_assert_cmpstr (oc_manifest_get_main (manifest), ==, "bin/worker");

  g_assert_cmpuint (count->min_selection, ==, 1);
  g_assert_cmpuint (count->max_selection, ==, 20);
  g_assert_cmpuint (count->timeout_s, ==, 30);
  g_assert_cmpstr (count->extensions[0], ==, "txt");
  g_assert_cmpstr (count->extensions[1], ==, "md");
  g_assert_cmpstr (about->title, ==, "about");
  g_assert_cmpuint (about->max_selection, ==, G_MAXUINT);
  g_assert_cmpuint (about->timeout_s, ==, OC_COMMAND_DEFAULT_TIMEOUT_S);
  g_assert_null (oc_manifest_find_entry (manifest, "nothing"));

  assert_set (oc_manifest_get_permissions (manifest),
              "app.open:org.gnome.Nautilus file.readText network.client openURL process.spawn:git "
              "selection.read");
  assert_set (about->permissions, "app.open:org.gnome.Nautilus file.readText network.client "
                                  "openURL process.spawn:git selection.read");
  g_assert_cmpstr (get_declaration (manifest, 1)->place, ==, "permissions[1]");
  g_assert_cmpstr (get_declaration (manifest, 1)->reason, ==,
                   "It asks git for the state of the repository.");
  g_assert_null (get_declaration (manifest, 0)->reason);

  g_assert_cmpuint (oc_manifest_get_declarations (manifest)->len, ==, 6);
  implied = get_declaration (manifest, 5);
  g_assert_true (implied->implied);
  g_assert_cmpstr (implied->text, ==, "selection.read");
  g_assert_cmpuint (implied->entries->len, ==, 2);
  g_assert_cmpstr (g_ptr_array_index (implied->entries, 0), ==, "Count words");
  g_assert_cmpstr (g_ptr_array_index (implied->entries, 1), ==, "Repository status");
}

static void
test_plugin_minimal (void)
{
  g_autoptr (OcManifest) manifest = load ("plugin-minimal.json", "org.example.Minimal");

  assert_sound (manifest);
  g_assert_true (oc_manifest_is_valid (manifest));
  g_assert_cmpint (oc_manifest_get_kind (manifest), ==, OC_PLUGIN_KIND_SCRIPT);
  g_assert_cmpstr (oc_manifest_get_name (manifest), ==, "org.example.Minimal");
  g_assert_null (oc_manifest_get_version (manifest));
  assert_set (oc_manifest_get_permissions (manifest), "");
}

static void
test_selection_declared (void)
{
  g_autoptr (OcManifest) manifest = load ("plugin-selection.json", "org.example.Selection");

  g_assert_true (oc_manifest_is_valid (manifest));
  g_assert_cmpuint (oc_manifest_get_declarations (manifest)->len, ==, 1);
  g_assert_false (get_declaration (manifest, 0)->implied);
  g_assert_cmpstr (get_declaration (manifest, 0)->reason, ==, "To see what is selected.");
  assert_set (oc_manifest_get_permissions (manifest), "selection.read");
}

static void
test_all_problems (void)
{
  static const char *const places[] = {
    "plugin.json: manifestVersion",
    "plugin.json: id",
    "plugin.json: homepage",
    "plugin.json: icon",
    "plugin.json: kind",
    "plugin.json: main",
    "plugin.json: commands[0].maxSelection",
    "plugin.json: commands[1].id",
    "plugin.json: commands[1].timeoutSeconds",
    "plugin.json: commands[1].extensions",
    "plugin.json: commands[2].id",
    "plugin.json: commands[2].title",
    "plugin.json: commands[3]",
    "plugin.json: commands[4].id",
    "plugin.json: commands[4].minSelection",
    "plugin.json: permissions[1]",
    "plugin.json: permissions[2]",
    "plugin.json: permissions[3]",
    "plugin.json: permissions[4]",
    "plugin.json: permissions[5]",
    "plugin.json: permissions[6]",
    "plugin.json: permissions[7]",
    "plugin.json: reasons",
    NULL,
  };
  g_autoptr (OcManifest) manifest = load ("plugin-many-faults.json", "org.example.Faults");
  const OcProblem *problem;

  assert_sound (manifest);
  assert_problems (manifest, places);
  /* Valid or not, all of it is there to be seen: eight as written and one implied. */
  g_assert_cmpuint (oc_manifest_get_declarations (manifest)->len, ==, 9);
  g_assert_cmpstr (get_declaration (manifest, 1)->text, ==, "telepathy");
  g_assert_cmpstr (get_declaration (manifest, 4)->text, ==, "42");
  g_assert_cmpuint (oc_manifest_get_entries (manifest)->len, ==, 4);
  g_assert_null (oc_manifest_get_main (manifest));

  problem = find_problem (manifest, "plugin.json: permissions[3]");
  g_assert_nonnull (strstr (problem->message, "permissions[0]"));
  problem = find_problem (manifest, "plugin.json: permissions[5]");
  g_assert_nonnull (strstr (problem->message, "g\\u{202E}tig"));
}

static void
test_hidden_text (void)
{
  g_autoptr (OcManifest) manifest = load ("plugin-hidden.json", "org.example.Hidden");

  assert_sound (manifest);
  assert_problems (manifest, (const char *const[]){ "plugin.json: permissions[1]", NULL });
  g_assert_cmpstr (get_declaration (manifest, 1)->text, ==,
                   "process.spawn:ls\r\x1b[2Kselection.read");
  g_assert_nonnull (strstr (get_declaration (manifest, 1)->problem, "\\x0d\\x1b[2K"));
  /* A name is free text: kept raw, escaped where it is shown. */
  g_assert_cmpstr (oc_manifest_get_name (manifest), ==,
                   "Nice\xe2\x80\xae"
                   "ecin");
}

static void
test_addon_full (void)
{
  g_autoptr (OcManifest) manifest = load ("addon-full.json", "org.example.Bundle");
  const OcEntry *compare = oc_manifest_find_entry (manifest, "Compare files");
  const OcEntry *function = oc_manifest_find_entry (manifest, "Random name");
  const OcEntry *hook = oc_manifest_find_entry (manifest, "Report");
  const OcEntry *quiet = oc_manifest_find_entry (manifest, "Quiet");
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);
  guint n_never = 0;

  assert_sound (manifest);
  assert_problems (manifest, (const char *const[]){ NULL });
  g_assert_cmpint (oc_manifest_get_kind (manifest), ==, OC_PLUGIN_KIND_ADDON);
  g_assert_cmpstr (oc_manifest_get_main (manifest), ==, "dist/bundle.mjs");
  g_assert_cmpint (compare->kind, ==, OC_ENTRY_ADDON);
  g_assert_cmpstr (compare->action_text, ==, "Compare {{left}} with {{right}}");
  g_assert_cmpstr (compare->application_type, ==, "WEB");
  g_assert_cmpstr (compare->test_data_keys[1], ==, "right");
  g_assert_null (compare->element_keys[0]);
  g_assert_cmpstr (hook->hook_type, ==, "AFTER");
  g_assert_true (hook->cicd_credentials);

  assert_set (compare->permissions, "ai env:API_TOKEN fs:/srv/data/** net:api.example.com spawn");
  assert_set (function->permissions, "net:api.example.com");
  assert_set (hook->permissions, "cicdCredentials net:hooks.example.com:8443");
  assert_set (quiet->permissions, "");
  assert_set (oc_manifest_get_permissions (manifest),
              "ai cicdCredentials env:API_TOKEN fs:/srv/data/** net:api.example.com "
              "net:hooks.example.com:8443 spawn");

  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      n_never += declaration->never_granted;
      if (g_str_equal (oc_permission_get_text (declaration->permission), "net:api.example.com"))
        {
          g_assert_cmpstr (declaration->text, ==, "net:API.example.com.");
          g_assert_cmpstr (declaration->place, ==, "addons[0].permissions.net[0]");
          g_assert_cmpuint (declaration->entries->len, ==, 2);
          g_assert_cmpstr (g_ptr_array_index (declaration->entries, 1), ==, "Random name");
        }
      if (declaration->never_granted)
        g_assert_cmpstr (g_ptr_array_index (declaration->entries, 0), ==, "Random name");
    }
  g_assert_cmpuint (n_never, ==, 2); /* spawn and ocr on the function */
}

static void
test_addon_problems (void)
{
  static const char *const places[] = {
    "manifest.json: entry",
    "manifest.json: addons[0].permissions.fs[0]",
    "manifest.json: addons[0].permissions.fs[2]",
    "manifest.json: addons[0].permissions.fs[3]",
    "manifest.json: addons[0].permissions.net",
    "manifest.json: addons[0].permissions.spawn",
    "manifest.json: addons[0].permissions.camera",
    "manifest.json: addons[1].name",
    "manifest.json: addons[1].permissions",
    "manifest.json: addons[2].kind",
    "manifest.json: addons[2].name",
    "manifest.json: addons[3].name",
    "manifest.json: addons[4]",
    NULL,
  };
  g_autoptr (OcManifest) manifest = load ("addon-many-faults.json", "org.example.Bundle");

  assert_sound (manifest);
  assert_problems (manifest, places);
  g_assert_cmpuint (oc_manifest_get_entries (manifest)->len, ==, 4);
}

static void
test_credentials_are_for_hooks (void)
{
  static const char *const kinds[] = { "hook", "addon", "testDataFunction" };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{\"manifestVersion\":1,\"entry\":\"a\",\"addons\":[{\"kind\":\"%s\",\"name\":\"n\","
          "\"cicdCredentials\":true}]}",
          kinds[i]);
      g_autoptr (OcManifest) manifest = load_text ("manifest.json", text);

      g_assert_true (oc_manifest_is_valid (manifest));
      g_assert_cmpint (get_declaration (manifest, 0)->never_granted, ==, i != 0);
      assert_set (oc_manifest_get_permissions (manifest), i == 0 ? "cicdCredentials" : "");
    }
}

static void
test_ids (void)
{
  static const char *const good[] = { "org.example.Plugin", "a.b", "a-1._.Z_9" };
  static const char *const bad[] = { "",      "plugin", ".a.b", "a.b.",
                                     "a..b",  ".",      "..",   "a/b.c",
                                     "a b.c", "a.b\n",  "ä.b",  "a.b\xe2\x80\xae",
                                     "a.\xff" };
  g_autofree char *longest = g_strnfill (OC_ID_MAX_BYTES, 'a');
  g_autofree char *too_long = g_strnfill (OC_ID_MAX_BYTES + 1, 'a');
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (oc_plugin_id_check (good[i], NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_false (oc_plugin_id_check (bad[i], &error));
      g_assert_false (oc_text_has_hidden (error->message));
      g_clear_error (&error);
    }
  longest[3] = too_long[3] = '.';
  g_assert_true (oc_plugin_id_check (longest, NULL));
  g_assert_false (oc_plugin_id_check (too_long, NULL));
}

static void
test_folder_and_id (void)
{
  g_autoptr (OcManifest) other = load ("plugin-minimal.json", "org.example.minimal");
  g_autoptr (OcManifest) nameless = load ("addon-full.json", "Bundle");

  assert_problems (other, (const char *const[]){ "plugin.json: id", NULL });
  assert_problems (nameless, (const char *const[]){ "the folder's name", NULL });
  g_assert_cmpstr (oc_manifest_get_id (other), ==, "org.example.minimal");
}

static const struct
{
  const char *path;
  gboolean good;
} paths[] = {
  { "main.js", TRUE }, { "bin/worker", TRUE }, { "./a/b", TRUE },    { "a..b/...c", TRUE },
  { "", FALSE },       { ".", FALSE },         { "..", FALSE },      { "../x", FALSE },
  { "a/../b", FALSE }, { "a/..", FALSE },      { "/bin/sh", FALSE }, { "a//b", FALSE },
  { "a/", FALSE },     { "./", FALSE },        { "././a", FALSE },   { ".//a", FALSE },
  { "a/./b", FALSE },  { "a\\u202eb", FALSE }, { "a\\nb", FALSE },   { "a ", FALSE },
};

static void
test_paths (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{\"manifestVersion\":1,\"id\":\"org.example.Plugin\",\"kind\":\"process\","
          "\"main\":\"%s\"}",
          paths[i].path);
      g_autofree char *bundle = g_strdup_printf (
          "{\"manifestVersion\":1,\"entry\":\"%s\",\"addons\":[]}", paths[i].path);
      g_autoptr (OcManifest) plugin = load_text ("plugin.json", text);
      g_autoptr (OcManifest) addon = load_text ("manifest.json", bundle);

      g_test_message ("%s", paths[i].path);
      g_assert_cmpint (oc_manifest_is_valid (plugin), ==, paths[i].good);
      g_assert_cmpint (oc_manifest_is_valid (addon), ==, paths[i].good);
      g_assert_true ((oc_manifest_get_main (plugin) != NULL) == paths[i].good);
    }
}

static void
test_json_problem (void)
{
  g_autoptr (OcManifest) twice = load_text (
      "plugin.json", "{\n \"permissions\": [],\n \"permissions\": [\"openURL\"]\n}");
  g_autoptr (OcManifest) list = load_text ("plugin.json", "[]");
  g_autoptr (OcManifest) empty = load_text ("manifest.json", "");
  g_autoptr (OcManifest) none = load_text ("manifest.json", "{}");
  const OcProblem *problem = find_problem (twice, "plugin.json: line 3, column 2");

  assert_sound (twice);
  g_assert_nonnull (problem);
  g_assert_nonnull (strstr (problem->message, "permissions"));
  g_assert_false (g_str_has_prefix (problem->message, "line"));
  g_assert_false (oc_manifest_is_valid (list));
  g_assert_false (oc_manifest_is_valid (empty));
  assert_problems (none,
                   (const char *const[]){ "manifest.json: manifestVersion", "manifest.json: entry",
                                          "manifest.json: addons", NULL });
}

static void
test_empty_and_missing_mean_none (void)
{
  static const char *const bundles[] = {
    "{\"manifestVersion\":1,\"entry\":\"a\",\"addons\":[{\"kind\":\"addon\",\"name\":\"n\"}]}",
    "{\"manifestVersion\":1,\"entry\":\"a\",\"addons\":[{\"kind\":\"addon\",\"name\":\"n\","
    "\"permissions\":{}}]}",
    "{\"manifestVersion\":1,\"entry\":\"a\",\"addons\":[{\"kind\":\"addon\",\"name\":\"n\","
    "\"permissions\":"
    "{\"fs\":[],\"net\":[],\"env\":[],\"spawn\":false,\"ai\":false,\"ocr\":false}}]}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bundles); i++)
    {
      g_autoptr (OcManifest) manifest = load_text ("manifest.json", bundles[i]);

      g_assert_true (oc_manifest_is_valid (manifest));
      assert_set (oc_manifest_get_permissions (manifest), "");
      g_assert_cmpuint (oc_manifest_get_declarations (manifest)->len, ==, 0);
    }
}

static void
test_limits (void)
{
  for (guint n = OC_MANIFEST_MAX_PERMISSIONS; n <= 5000; n = n < 300 ? n + 1 : n * 3)
    {
      g_autoptr (GString) text = g_string_new (
          "{\"manifestVersion\":1,\"id\":\"org.example.Plugin\",\"kind\":\"process\","
          "\"main\":\"w\",\"permissions\":[");
      g_autoptr (OcManifest) manifest = NULL;

      for (guint i = 0; i < n; i++)
        g_string_append_printf (text, "%s\"process.spawn:t%u\"", i > 0 ? "," : "", i);
      g_string_append (text, "]}");
      manifest = load_text ("plugin.json", text->str);
      assert_sound (manifest);
      g_assert_cmpint (oc_manifest_is_valid (manifest), ==, n <= OC_MANIFEST_MAX_PERMISSIONS);
      g_assert_cmpuint (oc_manifest_get_declarations (manifest)->len, ==,
                        OC_MANIFEST_MAX_PERMISSIONS);
      if (n == 300)
        break;
    }
}

static void
test_unreadable (void)
{
  g_autoptr (OcManifest) manifest = oc_manifest_new_unreadable (
      "plugin.json", "org.example.Plugin", "What.", "Do.");

  assert_sound (manifest);
  g_assert_false (oc_manifest_is_valid (manifest));
  g_assert_nonnull (find_problem (manifest, "plugin.json"));
}

static const char *const fixtures[] = { "plugin-full.json",        "plugin-minimal.json",
                                        "plugin-selection.json",   "plugin-hidden.json",
                                        "plugin-many-faults.json", "addon-full.json",
                                        "addon-many-faults.json" };

static void
test_truncated (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fixtures); i++)
    {
      g_autoptr (GBytes) whole = read_fixture (fixtures[i]);
      const char *data = g_bytes_get_data (whole, NULL);
      const char *end = strrchr (data, '}');
      const char *file_name = g_str_has_prefix (fixtures[i], "addon") ? "manifest.json"
                                                                      : "plugin.json";

      for (gsize len = 0; len <= (gsize) (end - data); len++)
        {
          g_autoptr (GBytes) cut = g_bytes_new (data, len);
          g_autoptr (OcManifest) manifest = oc_manifest_new (file_name, "org.example.Full", cut);

          assert_sound (manifest);
          g_assert_false (oc_manifest_is_valid (manifest));
        }
    }
}

/* Each member's value replaced by values of every other type, each byte by others: no crash, and
 * all that holds still does. */
static void
test_mutated (void)
{
  static const char *const values[] = { "null",  "1",  "-1", "1.5", "true", "\"\"",
                                        "\"x\"", "[]", "{}", "[1]", "[[]]", "\"\\u202e\"" };

  for (gsize i = 0; i < G_N_ELEMENTS (fixtures); i++)
    {
      g_autoptr (GBytes) whole = read_fixture (fixtures[i]);
      gsize len;
      const char *data = g_bytes_get_data (whole, &len);
      const char *file_name = g_str_has_prefix (fixtures[i], "addon") ? "manifest.json"
                                                                      : "plugin.json";

      for (guint j = 0; j < 3000; j++)
        {
          gsize at = (gsize) g_test_rand_int_range (0, (int) len);
          gsize skip = (gsize) g_test_rand_int_range (0, 12);
          const char *value = values[g_test_rand_int_range (0, G_N_ELEMENTS (values))];
          const char *colon = memchr (data + at, ':', len - at);
          const char *end;
          g_autoptr (GString) text = g_string_new_len (data, (gssize) len);
          g_autoptr (GBytes) bytes = NULL;
          g_autoptr (OcManifest) manifest = NULL;

          if (j % 2 == 0 && colon != NULL && (end = strpbrk (colon, ",}\n")) != NULL)
            {
              g_string_erase (text, colon + 1 - data, end - colon - 1);
              g_string_insert (text, colon + 1 - data, value);
            }
          else
            {
              g_string_erase (text, (gssize) at, (gssize) MIN (skip, len - at));
              g_string_insert (text, (gssize) at, value);
            }
          bytes = g_bytes_new (text->str, text->len);
          manifest = oc_manifest_new (file_name, "org.example.Full", bytes);
          assert_sound (manifest);
        }
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/manifest/plugin-full", test_plugin_full);
  g_test_add_func ("/manifest/plugin-minimal", test_plugin_minimal);
  g_test_add_func ("/manifest/selection-declared", test_selection_declared);
  g_test_add_func ("/manifest/all-problems-with-places", test_all_problems);
  g_test_add_func ("/manifest/hidden-text", test_hidden_text);
  g_test_add_func ("/manifest/addon-full", test_addon_full);
  g_test_add_func ("/manifest/addon-problems", test_addon_problems);
  g_test_add_func ("/manifest/credentials-are-for-hooks", test_credentials_are_for_hooks);
  g_test_add_func ("/manifest/ids", test_ids);
  g_test_add_func ("/manifest/folder-and-id", test_folder_and_id);
  g_test_add_func ("/manifest/paths-stay-inside", test_paths);
  g_test_add_func ("/manifest/json-problem", test_json_problem);
  g_test_add_func ("/manifest/empty-and-missing-mean-none", test_empty_and_missing_mean_none);
  g_test_add_func ("/manifest/limits", test_limits);
  g_test_add_func ("/manifest/unreadable", test_unreadable);
  g_test_add_func ("/manifest/truncated-at-every-byte", test_truncated);
  g_test_add_func ("/manifest/mutated", test_mutated);
  return g_test_run ();
}
