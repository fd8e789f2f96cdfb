/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-manifest.h"

/* Members that this version does not know are mistyped, or of a later version: shown, and no reason to refuse. */

#define HEAD                                                                                       \
  "\"manifestVersion\":1,\"id\":\"org.example.a\",\"kind\":\"process\",\"main\":\"bin/worker\""

static OcManifest *
load (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return oc_manifest_new ("plugin.json", "org.example.a", bytes);
}

static void
test_places (void)
{
  g_autoptr (OcManifest) manifest = load (
      "{\"$schema\":\"x\"," HEAD ",\"permisions\":[\"file.readText\"],\"\\u202eodd\":1,"
      "\"commands\":[{\"id\":\"go\",\"title\":\"Go\",\"minSelecton\":1}]}");
  GPtrArray *ignored = oc_manifest_get_ignored (manifest);

  g_assert_true (oc_manifest_is_valid (manifest));
  g_assert_cmpuint (ignored->len, ==, 3);
  g_assert_cmpstr (ignored->pdata[0], ==, "permisions");
  g_assert_cmpstr (ignored->pdata[1], ==, "\\u{202E}odd");
  g_assert_cmpstr (ignored->pdata[2], ==, "commands[0].minSelecton");
  g_assert_cmpuint (oc_permission_set_get_n (oc_manifest_get_permissions (manifest)), ==, 0);
}

/* Everything that is known, and "reasons", whose members are permissions. */
static void
test_none (void)
{
  g_autoptr (OcManifest) manifest = load (
      "{" HEAD ",\"name\":\"A\",\"version\":\"1\",\"description\":\"D\",\"author\":\"X\","
      "\"homepage\":\"https://example.com\",\"icon\":\"a.svg\",\"commands\":[{\"id\":\"go\","
      "\"title\":\"Go\",\"description\":\"D\",\"minSelection\":1,\"maxSelection\":2,"
      "\"extensions\":[\"txt\"],\"timeoutSeconds\":5}],\"permissions\":[\"file.readText\"],"
      "\"reasons\":{\"file.readText\":\"why\",\"x\":\"y\"}}");

  g_assert_true (oc_manifest_is_valid (manifest));
  g_assert_cmpuint (oc_manifest_get_ignored (manifest)->len, ==, 0);
}

static void
test_many (void)
{
  g_autoptr (GString) text = g_string_new ("{" HEAD);
  g_autoptr (OcManifest) manifest = NULL;

  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text, ",\"x%u\":1", i);
  g_string_append_c (text, '}');
  manifest = load (text->str);
  g_assert_true (oc_manifest_is_valid (manifest));
  g_assert_cmpuint (oc_manifest_get_ignored (manifest)->len, ==, 32);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/manifest/ignored/places", test_places);
  g_test_add_func ("/manifest/ignored/none", test_none);
  g_test_add_func ("/manifest/ignored/many", test_many);
  return g_test_run ();
}
