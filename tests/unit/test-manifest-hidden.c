/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-manifest.h"
#include "core/oc-text.h"

/* Whatever text of a manifest holds characters that move a terminal's cursor or turn the writing round: what is said of the
 * manifest holds none (Flatpak CVE-2023-28101). Tried at each text, key or value, of manifests that are right and of ones
 * that are wrong in many ways. */

#define EVIL "\\u001b[2J\\u202e"

static const struct
{
  const char *file;
  const char *text;
} manifests[] = {
  { "plugin.json",
    "{\"manifestVersion\":1,\"id\":\"org.example.a\",\"name\":\"A\",\"version\":\"1\",\"description\":\"D\",\"author\":\"X\","
    "\"homepage\":\"https://example.com\",\"icon\":\"a.svg\",\"kind\":\"process\",\"main\":\"bin/worker\","
    "\"commands\":[{\"id\":\"go\",\"title\":\"Go\",\"minSelection\":1,\"extensions\":[\"txt\"]},{\"id\":\"stay\"}],"
    "\"permissions\":[\"selection.read\",\"process.spawn:git\"],\"reasons\":{\"process.spawn:git\":\"why\"}}" },
  { "plugin.json",
    "{\"manifestVersion\":\"1\",\"id\":[\"x\"],\"name\":{\"a\":1},\"version\":2,\"homepage\":\"x\",\"icon\":\"/x\",\"kind\":\"x\","
    "\"main\":\"../x\",\"commands\":[\"x\",{\"id\":\"go\",\"title\":3},{\"id\":\"go\",\"minSelection\":\"x\",\"extensions\":[1,\"*\"]}],"
    "\"permissions\":[\"x\",[\"x\"],{\"x\":\"y\"},\"net:a b\",\"fs:/a/../b\",\"process.spawn:/x\",\"openURL:x\",\"selection.read\","
    "\"selection.read\"],\"reasons\":{\"x\":1,\"net:a b\":[\"x\"],\"selection.read\":{\"x\":2}}}" },
  { "manifest.json",
    "{\"manifestVersion\":1,\"entry\":\"main.mjs\",\"version\":\"1\",\"addons\":[{\"kind\":\"addon\",\"name\":\"N\","
    "\"description\":\"D\",\"actionText\":\"A\",\"testDataKeys\":[\"k\"],\"permissions\":{\"fs\":[\"/srv/**\"],"
    "\"net\":[\"example.com\"],\"env\":[\"KEY\"],\"spawn\":true}},{\"kind\":\"hook\",\"name\":\"H\",\"cicdCredentials\":true}]}" },
  { "manifest.json",
    "{\"manifestVersion\":1,\"entry\":[\"x\"],\"addons\":[\"x\",{\"kind\":\"x\",\"name\":\"N\",\"permissions\":[\"x\"]},"
    "{\"kind\":\"addon\",\"name\":\"N\",\"description\":1,\"envKeys\":[1],\"permissions\":{\"x\":true,\"fs\":\"x\",\"net\":[\"x y\",1],"
    "\"env\":[\"PATH\",\"x y\"],\"spawn\":\"x\",\"ai\":[\"x\"]}}]}" },
};

static void
check_text (const char *text,
            const char *manifest)
{
  if (text != NULL && oc_text_has_hidden (text))
    g_error ("“%s” is said of %s", text, manifest);
}

/* Returns how many problems there were. */
static guint
check_said (const char *file,
            const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (OcManifest) manifest = oc_manifest_new (file, "org.example.a", bytes);
  GPtrArray *problems = oc_manifest_get_problems (manifest);
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);
  GPtrArray *ignored = oc_manifest_get_ignored (manifest);

  for (guint i = 0; i < ignored->len; i++)
    check_text (g_ptr_array_index (ignored, i), text);
  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = g_ptr_array_index (problems, i);

      check_text (problem->place, text);
      check_text (problem->message, text);
      check_text (problem->remedy, text);
    }
  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      check_text (declaration->problem, text);
      /* What can be granted has none in it either. */
      if (declaration->permission != NULL)
        check_text (oc_permission_get_text (declaration->permission), text);
    }
  return problems->len;
}

static void
test_every_text (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (manifests); i++)
    {
      const char *text = manifests[i].text;
      gboolean inside = FALSE;
      guint n = 0;

      for (const char *p = text; *p != '\0'; p++)
        {
          g_autofree char *before = NULL;
          g_autofree char *changed = NULL;

          if (*p != '"')
            continue;
          inside = !inside;
          before = g_strndup (text, (gsize) (p - text) + (inside ? 1 : 0));
          /* At the beginning of each text, and at its end. */
          changed = g_strconcat (before, EVIL, p + (inside ? 1 : 0), NULL);
          check_said (manifests[i].file, changed);
          n++;
        }
      g_assert_cmpuint (n, >, 30);
    }
}

/* A key that a permission and its reason share is in the place of what is wrong with the reason. */
static void
test_key_in_a_place (void)
{
  const char *text = "{\"manifestVersion\":1,\"id\":\"org.example.a\",\"kind\":\"process\",\"main\":\"w\",\"permissions\":"
                     "[\"process.spawn:g" EVIL "t\"],\"reasons\":{\"process.spawn:g" EVIL "t\":5}}";
  const char *good = "{\"manifestVersion\":1,\"id\":\"org.example.a\",\"kind\":\"process\",\"main\":\"w\",\"permissions\":"
                     "[\"process.spawn:git\"],\"reasons\":{\"process.spawn:git\":\"x\"}}";

  g_assert_cmpuint (check_said ("plugin.json", text), ==, 2);
  g_assert_cmpuint (check_said ("plugin.json", good), ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/manifest/hidden/every-text", test_every_text);
  g_test_add_func ("/manifest/hidden/key-in-a-place", test_key_in_a_place);
  return g_test_run ();
}
