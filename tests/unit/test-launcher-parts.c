/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's smaller parts: options, output, uses, the method table, paths as text. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/oc-catalogue.h"
#include "core/oc-error.h"
#include "launcher/oc-host.h"
#include "launcher/oc-options.h"
#include "launcher/oc-output.h"
#include "launcher/oc-run-uses.h"

static void
test_options (void)
{
  char *argv[] = { (char *) "x", (char *) "run", (char *) "--timeout=5", (char *) "a.b", (char *) "e", (char *) "--surface",
                   (char *) "window", (char *) "--", (char *) "/a/../b", (char *) "--bind", (char *) "\xff", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (OcOptions) options = oc_options_parse (11, argv, &error);
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *bind = g_build_filename (here, "--bind", NULL);
  g_autofree char *bytes = g_build_filename (here, "\xff", NULL);

  g_assert_no_error (error);
  g_assert_cmpint (options->action, ==, OC_ACTION_RUN);
  g_assert_cmpstr (options->id, ==, "a.b");
  g_assert_cmpstr (options->entry, ==, "e");
  g_assert_cmpstr (options->surface, ==, "window");
  g_assert_cmpuint (options->timeout_ms, ==, 5);
  g_assert_false (options->allow_root);
  g_assert_cmpstr (options->paths[0], ==, "/b");
  g_assert_cmpstr (options->paths[1], ==, bind);
  g_assert_cmpstr (options->paths[2], ==, bytes);
  g_assert_null (options->paths[3]);
}

static OcOutput *
make_output (const char *data,
             gsize len,
             gsize max)
{
  OcOutput *output;
  int ends[2];
  gsize at = 0;

  g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
  output = oc_output_new (ends[0], max);
  while (at < len)
    {
      gsize n = MIN (len - at, 4096);

      g_assert_cmpint (write (ends[1], data + at, n), ==, (gssize) n);
      at += n;
      oc_output_drain (output);
    }
  close (ends[1]);
  oc_output_drain (output);
  return output;
}

static void
test_output (void)
{
  g_autofree char *long_text = g_strnfill (10000, 'a');
  g_autoptr (OcOutput) exact = make_output (long_text, 10000, 10000);
  g_autoptr (OcOutput) over = make_output (long_text, 10000, 9999);
  g_autoptr (OcOutput) bytes = make_output ("a\0b\xff\n\"", 6, 100);
  g_autoptr (OcOutput) cut = make_output ("aü", 3, 2);
  g_autoptr (OcOutput) lines = make_output ("one\ntwo\nthree\n", 14, 100);
  g_autoptr (GString) json = g_string_new (NULL);
  g_autoptr (GString) cut_json = g_string_new (NULL);
  g_autofree char *text = NULL;
  g_autofree char *cut_text = NULL;
  g_autofree char *tail = NULL;
  g_autofree char *short_text = NULL;
  gboolean was_cut;
  gsize len;

  g_assert_false (oc_output_is_truncated (exact));
  oc_output_get_data (exact, &len);
  g_assert_cmpuint (len, ==, 10000);
  g_assert_true (oc_output_is_truncated (over));
  oc_output_get_data (over, &len);
  g_assert_cmpuint (len, ==, 9999);

  text = oc_output_dup_text (bytes, 0, &was_cut);
  g_assert_cmpstr (text, ==, "a\xef\xbf\xbd" "b\xef\xbf\xbd\n\"");
  g_assert_false (was_cut);
  g_assert_true (oc_output_append_json (bytes, json));
  g_assert_cmpstr (json->str, ==, "\"a\\u0000b\xef\xbf\xbd\\n\\\"\"");

  /* The cap fell into a character: its first half is left out, and is no bad byte. */
  cut_text = oc_output_dup_text (cut, 0, NULL);
  g_assert_cmpstr (cut_text, ==, "a");
  g_assert_false (oc_output_append_json (cut, cut_json));
  g_assert_cmpstr (cut_json->str, ==, "\"a\"");

  tail = oc_output_dup_tail (lines, 8);
  g_assert_cmpstr (tail, ==, "three\n");
  short_text = oc_output_dup_text (lines, 8, &was_cut);
  g_assert_true (was_cut);
  g_assert_cmpstr (short_text, ==, "one");
}

static void
test_uses (void)
{
  g_autoptr (OcUses) uses = oc_uses_new ();
  g_autoptr (JsonArray) refused = NULL;
  g_autoptr (JsonArray) used = NULL;
  g_autofree char *long_detail = g_strnfill (2000, 'd');
  gint64 total = 0;

  for (guint i = 0; i < 5000; i++)
    {
      g_autofree char *detail = g_strdup_printf ("/file/%u", i);

      oc_uses_add (uses, "file.readText", "file.readText", detail, NULL, FALSE);
    }
  oc_uses_add (uses, "openURL", "openURL", long_detail, NULL, TRUE);
  refused = oc_uses_to_json (uses, FALSE);
  used = oc_uses_to_json (uses, TRUE);
  /* Kept apart up to a number, then added up: none is lost and the memory is bounded. */
  g_assert_cmpuint (json_array_get_length (refused), ==, OC_USES_MAX_ROWS + 1);
  for (guint i = 0; i < json_array_get_length (refused); i++)
    total += json_object_get_int_member (json_array_get_object_element (refused, i), "count");
  g_assert_cmpint (total, ==, 5000);
  g_assert_cmpuint (json_array_get_length (used), ==, 1);
}

/* Each method is reached by what it needs, and a row that says nothing denies. */
static void
test_method_table (void)
{
  const OcMethod *method;
  guint n = 0;

  for (; (method = oc_method_get (n)) != NULL; n++)
    {
      g_assert_true (oc_method_find (method->name) == method);
      g_assert_nonnull (method->call);
      g_assert_true (method->free || oc_catalogue_get (method->permission) != NULL);
      g_assert_true (method->argument == NULL || g_strv_contains (method->params, method->argument));
      g_assert_true (method->detail == NULL || g_strv_contains (method->params, method->detail));
      if (!method->free)
        g_assert_cmpint (oc_catalogue_get (method->permission)->argument_name != NULL, ==, method->argument != NULL);
    }
  g_assert_cmpuint (n, ==, 11);
  g_assert_null (oc_method_find ("process.Spawn"));
}

static void
test_paths_as_text (void)
{
  static const char *const paths[] = { "/", "/a b", "/\xff", "/ü", "/a\nb", "/%41" };
  static const char *const wrong[] = { "", "a", "./a", "file:/a", "file://host/a", "http:///a", "file:///a%00b" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *text = oc_host_path_to_text (paths[i]);
      g_autofree char *back = oc_host_path_from_text (text);

      g_assert_true (g_utf8_validate (text, -1, NULL));
      g_assert_cmpstr (back, ==, paths[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *path = oc_host_path_from_text (wrong[i]);

      g_assert_null (path);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launcher-parts/options", test_options);
  g_test_add_func ("/launcher-parts/output", test_output);
  g_test_add_func ("/launcher-parts/uses", test_uses);
  g_test_add_func ("/launcher-parts/method-table", test_method_table);
  g_test_add_func ("/launcher-parts/paths-as-text", test_paths_as_text);
  return g_test_run ();
}
