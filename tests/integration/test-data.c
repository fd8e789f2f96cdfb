/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of any bytes are data (CVE-2024-32462: a program's name read as an option). */
#include <string.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

static const char *const some[] = { "selection.read", "file.readText", "process.spawn:cat", NULL };

static const char *const names[] = {
  "--bind",        "-rf",      "with space",     "line\nfeed",      "$(touch gone)", "`id`",     "quote\"'\\",
  "not utf8 \xff", "bad\xc3",  "\xe2\x80\xae" "exe.txt", "tab\there",    "%s%n%d",        "semi;colon", "ümläut",
};

static void
test_selected_names (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = fixture_make_file (fixture, names[i], "content", -1);
      g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
      g_autofree char *base64 = g_base64_encode ((const guchar *) path, strlen (path));
      g_autofree char *calls = NULL;
      const char *paths[] = { path, NULL };
      g_autoptr (JsonArray) outcomes = NULL;
      JsonObject *selection;
      JsonObject *item;
      const char *text;
      g_autofree char *back = NULL;

      calls = g_strdup_printf ("[{\"method\":\"selection.get\"},"
                               "{\"method\":\"file.readText\",\"params\":{\"path\":\"%s\"}},"
                               "{\"method\":\"process.spawn\",\"params\":{\"tool\":\"cat\",\"args\":[\"--\",{\"base64\":\"%s\"}]}}]",
                               uri, base64);
      outcomes = fixture_call (fixture, calls, paths, NULL);
      selection = json_object_get_object_member (json_array_get_object_element (outcomes, 0), "result");
      item = json_array_get_object_element (json_object_get_array_member (selection, "items"), 0);
      text = json_object_get_string_member (item, "path");
      back = *text == '/' ? g_strdup (text) : g_filename_from_uri (text, NULL, NULL);
      g_assert_cmpstr (back, ==, path);
      g_assert_cmpstr (json_object_get_string_member (item, "uri"), ==, uri);
      g_assert_cmpstr (outcome_get (outcomes, 1, "result"), ==, "content");
      g_assert_cmpstr (json_object_get_string_member (
                         json_object_get_object_member (json_array_get_object_element (outcomes, 2), "result"), "stdout"),
                       ==, "content");
    }
}

/* Where everything lies in folders of odd names. */
static void
test_odd_home (void)
{
  static const char *const homes[] = { "a b\n$(id)", "--bind", "not\xff" "utf8" };

  for (guint i = 0; i < G_N_ELEMENTS (homes); i++)
    {
      g_autoptr (Fixture) fixture = fixture_new (some);
      g_autofree char *odd = g_build_filename (fixture->root, homes[i], NULL);
      g_autofree char *share = g_build_filename (fixture->root, "share", NULL);
      g_autofree char *tmp = g_build_filename (odd, "tmp", NULL);
      g_autofree char *moved = g_build_filename (odd, "share", NULL);
      g_autoptr (Ran) ran = NULL;

      if (!fixture_can_run (fixture))
        return;
      g_assert_cmpint (g_mkdir (odd, 0700), ==, 0);
      g_assert_cmpint (g_mkdir (tmp, 0700), ==, 0);
      g_assert_cmpint (g_rename (share, moved), ==, 0);
      fixture->env = g_environ_setenv (fixture->env, "XDG_DATA_HOME", moved, TRUE);
      fixture->env = g_environ_setenv (fixture->env, "TMPDIR", tmp, TRUE);
      g_clear_pointer (&fixture->paths, oc_paths_unref);
      fixture->paths = oc_paths_new (moved, NULL, "/nonexistent/policy");
      g_free (fixture->plugin_folder);
      fixture->plugin_folder = g_build_filename (moved, "ocelot/Plugins/" FIXTURE_ID, NULL);
      /* Consent belongs to the folder: it is not carried over. */
      ran = fixture_run (fixture, "write-places", NULL);
      ran_assert (ran, 3, "not-run");
      g_clear_pointer (&ran, ran_free);
      fixture_enable (fixture);
      ran = fixture_run (fixture, "write-places", NULL);
      ran_assert (ran, 0, "done");
    }
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/data/selected-names", test_selected_names);
  g_test_add_func ("/data/odd-home", test_odd_home);
  return g_test_run ();
}
