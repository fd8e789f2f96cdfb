/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-policy.h"
#include "home.h"

#define A "org.example.a"

/* Why A with these permissions may not run. */
static char *
explain (Home *home,
         const char *first,
         const char *second)
{
  const char *texts[] = { first, second, NULL };
  g_autoptr (OcPolicy) policy = oc_policy_load (home->paths);
  g_autoptr (OcPermissionSet) set = oc_permission_set_parse (texts, NULL);

  g_assert_nonnull (set);
  return oc_policy_explain_block (policy, A, set);
}

static void
assert_allowed (Home *home,
                const char *first,
                const char *second)
{
  g_autofree char *block = explain (home, first, second);

  g_assert_null (block);
}

static void
assert_blocked (Home *home,
                const char *first,
                const char *second,
                const char *words)
{
  g_autofree char *block = explain (home, first, second);

  g_assert_nonnull (block);
  if (strstr (block, words) == NULL)
    g_error ("“%s” does not say “%s”", block, words);
}

static void
test_none (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPolicy) policy = oc_policy_load (home->paths);

  g_assert_true (oc_policy_is_empty (policy));
  g_assert_false (oc_policy_reviews_every_update (policy));
  assert_allowed (home, "process.spawn:python3", NULL);
}

static void
test_rules (void)
{
  g_autoptr (Home) home = home_new ();

  home_write (home, "policy/policy.json",
              "{\"version\":1,\"blockPermissions\":[\"process.spawn:python3\",\"openURL\"],\"reason\":\"ask \\u202e IT\"}");
  assert_blocked (home, "process.spawn:python3", NULL, "process.spawn:python3: ask ");
  assert_blocked (home, "file.readText", "openURL", "policy.json");
  assert_allowed (home, "process.spawn:python3.11", "file.readText");
  assert_allowed (home, NULL, NULL);
  /* All of a kind. */
  home_write (home, "policy/policy.json", "{\"version\":1,\"blockPermissions\":[\"process.spawn\"]}");
  assert_blocked (home, "process.spawn:git", NULL, "process.spawn.");
  assert_allowed (home, "openURL", NULL);
  /* A plugin, however it is spelled. */
  home_write (home, "policy/policy.json", "{\"version\":1,\"blockPlugins\":[\"org.Example.A\"]}");
  assert_blocked (home, NULL, NULL, "org.Example.A");
}

static void
test_stricter_wins (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPolicy) policy = NULL;

  home_write (home, "policy/policy.json", "{\"version\":1,\"reviewEveryUpdate\":true,\"blockPermissions\":[\"openURL\"]}");
  home_write (home, "policy/policy.d/a.json", "{\"version\":1,\"reviewEveryUpdate\":false,\"blockPermissions\":[]}");
  home_write (home, "policy/policy.d/b.json", "{\"version\":1,\"blockPermissions\":[\"file.readText\"]}");
  home_write (home, "policy/policy.d/.hidden.json", "nonsense");
  home_write (home, "policy/policy.d/notes.txt", "nonsense");
  policy = oc_policy_load (home->paths);
  g_assert_true (oc_policy_reviews_every_update (policy));
  assert_blocked (home, "openURL", NULL, "policy.json");
  assert_blocked (home, "file.readText", NULL, "b.json");
  assert_allowed (home, "process.spawn:git", NULL);
}

/* What cannot be understood blocks everything, and names file and place. */
static void
test_not_understood (void)
{
  static const struct
  {
    const char *text;
    const char *words;
  } cases[] = {
    { "", "line 1" },
    { "[]", "object" },
    { "{\"version\":2}", "version" },
    { "{}", "version" },
    { "{\"version\":1,\"version\":1}", "line 1" },
    { "{\"version\":1,\"allowPlugins\":[\"" A "\"]}", "allowPlugins" },
    { "{\"version\":1,\"blockPlugins\":\"" A "\"}", "blockPlugins" },
    { "{\"version\":1,\"blockPlugins\":[\"no-dot\"]}", "blockPlugins" },
    { "{\"version\":1,\"blockPermissions\":[\"process.spawm\"]}", "blockPermissions" },
    { "{\"version\":1,\"blockPermissions\":[\"process.spawn:/bin/sh\"]}", "blockPermissions" },
    { "{\"version\":1,\"reviewEveryUpdate\":\"yes\"}", "reviewEveryUpdate" },
    { "{\"version\":1,\"reason\":5}", "reason" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Home) home = home_new ();

      home_write (home, "policy/policy.d/site.json", cases[i].text);
      assert_blocked (home, NULL, NULL, cases[i].words);
      assert_blocked (home, NULL, NULL, "site.json");
    }
}

static void
test_cannot_be_read (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *file = g_build_filename (home->root, "policy", "policy.json", NULL);

  home_write (home, "policy/policy.d/ok.json", "{\"version\":1}");
  assert_allowed (home, NULL, NULL);
  g_assert_cmpint (symlink ("/nonexistent", file), ==, 0);
  assert_blocked (home, NULL, NULL, "policy.json");
  g_assert_cmpint (g_remove (file), ==, 0);
  g_assert_cmpint (mkfifo (file, 0644), ==, 0);
  assert_blocked (home, NULL, NULL, "policy.json");
  g_assert_cmpint (g_remove (file), ==, 0);
  g_assert_cmpint (g_mkdir (file, 0755), ==, 0);
  assert_blocked (home, NULL, NULL, "policy.json");
  g_assert_cmpint (g_rmdir (file), ==, 0);
  if (geteuid () != 0)
    {
      home_write (home, "policy/policy.json", "{\"version\":1}");
      g_assert_cmpint (g_chmod (file, 0), ==, 0);
      assert_blocked (home, NULL, NULL, "policy.json");
      g_assert_cmpint (g_remove (file), ==, 0);
    }
  assert_allowed (home, NULL, NULL);
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/policy/none", test_none);
  g_test_add_func ("/policy/rules", test_rules);
  g_test_add_func ("/policy/stricter-wins", test_stricter_wins);
  g_test_add_func ("/policy/not-understood-blocks-all", test_not_understood);
  g_test_add_func ("/policy/unreadable-blocks-all", test_cannot_be_read);
  return g_test_run ();
}
