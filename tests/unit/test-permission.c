/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-error.h"
#include "core/oc-permission.h"
#include "core/oc-text.h"

static void
assert_canonical (const char *text,
                  const char *canonical)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPermission) permission = oc_permission_parse (text, &error);
  g_autoptr (OcPermission) again = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (oc_permission_get_text (permission), ==, canonical);
  again = oc_permission_parse (canonical, &error);
  g_assert_no_error (error);
  g_assert_true (oc_permission_equal (permission, again));
}

static void
assert_refused (const char *text)
{
  g_autoptr (GError) error = NULL;
  OcPermission *permission = oc_permission_parse (text, &error);

  if (permission != NULL)
    g_error ("“%s” was accepted", text);
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  /* Nothing of the plugin's reaches the screen raw. */
  g_assert_false (oc_text_has_hidden (error->message));
}

static const char *const good[][2] = {
  { "selection.read", NULL },
  { "file.readText", NULL },
  { "openURL", NULL },
  { "network.client", NULL },
  { "spawn", NULL },
  { "ai", NULL },
  { "ocr", NULL },
  { "cicdCredentials", NULL },
  { "process.spawn:git", NULL },
  { "process.spawn:g++-12", NULL },
  { "process.spawn:python3.11", NULL },
  { "app.open:org.gnome.Nautilus", NULL },
  { "app.open:org.telegram.desktop", NULL },
  { "app.open:libreoffice-writer", NULL },
  { "app.open:gimp-2.10", NULL },
  { "fs:/srv/data/**", NULL },
  { "fs:/srv/**/*.txt", NULL },
  { "fs:/srv/a?b[1].{x}", NULL },
  { "fs:/**", NULL },
  { "fs:/srv/Größe/日本", NULL },
  { "fs:/srv/...", NULL },
  { "net:api.example.com", NULL },
  { "net:API.Example.COM", "net:api.example.com" },
  { "net:api.example.com.", "net:api.example.com" },
  { "net:API.example.com.:8443", "net:api.example.com:8443" },
  { "net:localhost", NULL },
  { "net:bücher.example", "net:xn--bcher-kva.example" },
  { "net:BÜCHER.example", "net:xn--bcher-kva.example" },
  { "net:XN--BCHER-KVA.example", "net:xn--bcher-kva.example" },
  { "net:1and1.example", NULL },
  { "net:3com", NULL },
  { "net:192.0.2.1", NULL },
  { "net:127.0.0.1:8080", NULL },
  { "net:[2001:db8::1]", NULL },
  { "net:[::1]:443", NULL },
  { "env:API_TOKEN", NULL },
  { "env:_x9", NULL },
  { "env:HOME", NULL },
  { "env:NODE_ENV", NULL },
  { "env:PATHS", NULL },
  { "env:MY_LD_PRELOAD", NULL },
};

static const char *const bad[] = {
  "",
  ":",
  "unknown",
  "Selection.read",
  "selection.read ",
  " selection.read",
  "selection.read:",
  "selection.read:x",
  "spawn:git",
  "process.spawn",
  "process.spawn:",
  "process.spawn:/usr/bin/git",
  "process.spawn:../git",
  "process.spawn:-rf",
  "process.spawn:.hidden",
  "process.spawn:git status",
  "process.spawn:git;sh",
  "process.spawn:*",
  "process.spawn:git\n",
  "process.spawn:g\xe2\x80\xaetig",
  "process.spawn:\xd0\xb3it", /* Cyrillic */
  "process.spawn:git\x1b[2K",
  "process.spawn:git\rselection.read",
  "process.spawn:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", /* 65 */
  "process.spawn\xe2\x80\x8b:git",
  "app.open",
  "app.open:",
  "app.open:../evil",
  "app.open:.x",
  "app.open:x.",
  "app.open:a..b",
  "app.open:-x",
  "app.open:a b",
  "app.open:a/b.desktop",
  "fs",
  "fs:",
  "fs:relative/x",
  "fs:~/x",
  "fs:$HOME/x",
  "fs:/",
  "fs://",
  "fs:/a/",
  "fs:/a//b",
  "fs:/a/./b",
  "fs:/a/../b",
  "fs:/..",
  "fs:/a/**b",
  "fs:/a/b**/c",
  "fs:/a/***",
  "fs:/a\\b",
  "fs:/a\xe2\x80\xae/b",
  "fs:/a\xff",
  "fs:/a ",
  "net",
  "net:",
  "net:*.example.com",
  "net:*",
  "net:https://example.com",
  "net:example.com/path",
  "net:user@example.com",
  "net:example.com:",
  "net:example.com:0",
  "net:example.com:080",
  "net:example.com:65536",
  "net:example.com:http",
  "net:example.com:+80",
  "net:example.com: 80",
  "net:.",
  "net:..",
  "net:.example.com",
  "net:example..com",
  "net:example.com..",
  "net:-a.example.com",
  "net:a-.example.com",
  "net:a_b.example.com",
  "net:exa mple.com",
  "net:127.1",
  "net:127.0.0.1.",
  "net:0x7f000001",
  "net:0x7F.1",
  "net:017700000001",
  "net:2130706433",
  "net:127.0.0.01",
  "net:0127.0.0.1",
  "net:256.0.0.1",
  "net:1.2.3.4.5",
  "net:example.1",
  "net:example.0x1",
  "net:::1",
  "net:::ffff:127.0.0.1",
  "net:[::ffff:127.0.0.1]",
  "net:[::127.0.0.1]",
  "net:[::FFFF:7f00:1]",
  "net:[0:0:0:0:0:0:0:1]",
  "net:[2001:DB8::1]",
  "net:[::1",
  "net:[::1]x",
  "net:[::1]:",
  "net:[fe80::1%eth0]",
  "net:fe80::1%25eth0",
  "net:example.com%00.evil.com",
  "net:[]",
  "net:[example.com]",
  "net:xn--.example",
  "net:xn--a.example",
  "net:exam\xc2\xadple.com",
  "net:example\xe2\x80\xae.com",
  "net:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com", /* 64 */
  "env",
  "env:",
  "env:1A",
  "env:A-B",
  "env:A*",
  "env:A=B",
  "env:LD_PRELOAD",
  "env:LD_LIBRARY_PATH",
  "env:PATH",
  "env:NODE_OPTIONS",
  "env:BASH_ENV",
  "env:PYTHONPATH",
  "env:GLIBC_TUNABLES",
  "env:OCELOT_PLUGIN_DATA",
  "env:TMPDIR",
};

static void
test_accepts (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    assert_canonical (good[i][0], good[i][1] != NULL ? good[i][1] : good[i][0]);
}

static void
test_refuses (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_refused (bad[i]);
}

static void
test_long (void)
{
  g_autoptr (GString) host = g_string_new ("net:");
  g_autofree char *path = g_strnfill (5000, 'a');
  g_autofree char *glob = g_strconcat ("fs:/", path, NULL);
  g_autofree char *key = g_strconcat ("env:", path, NULL);

  for (guint i = 0; i < 126; i++)
    g_string_append (host, "a.");
  {
    g_autofree char *bare = g_strndup (host->str, host->len - 1);

    assert_canonical (host->str, bare);
  }
  g_string_append (host, "aa");
  assert_refused (host->str);
  {
    g_autoptr (GString) idn = g_string_new ("net:");
    gint64 began = g_get_monotonic_time ();

    for (guint j = 0; j < 100000; j++)
      g_string_append_unichar (idn, 0x4e00 + j % 20000);
    assert_refused (idn->str);
    g_assert_cmpint (g_get_monotonic_time () - began, <, G_USEC_PER_SEC);
  }
  assert_refused (glob);
  assert_refused (key);
}

static void
test_message_names_the_fault (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (oc_permission_parse ("process.spawn:g\xe2\x80\xaetig\x1b", &error));
  g_assert_nonnull (strstr (error->message, "\\u{202E}"));
  g_assert_nonnull (strstr (error->message, "\\x1b"));
  g_clear_error (&error);
  g_assert_null (oc_permission_parse ("net:[2001:DB8::1]", &error));
  g_assert_nonnull (strstr (error->message, "2001:db8::1"));
  g_clear_error (&error);
  g_assert_null (oc_permission_new (OC_PERMISSION_FS, "/a\xe2\x80\xae/b", &error));
  g_assert_nonnull (strstr (error->message, "\\u{202E}"));
  g_clear_error (&error);
  g_assert_null (oc_permission_new (OC_PERMISSION_AI, "x", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
}

static void
test_kinds (void)
{
  for (guint i = OC_PERMISSION_UNKNOWN + 1; i < OC_N_PERMISSIONS; i++)
    {
      const char *id = oc_permission_kind_to_id ((OcPermissionKind) i);

      g_assert_nonnull (id);
      g_assert_cmpint (oc_permission_kind_from_id (id), ==, i);
    }
  g_assert_null (oc_permission_kind_to_id (OC_PERMISSION_UNKNOWN));
  g_assert_cmpint (oc_permission_kind_from_id ("nothing"), ==, OC_PERMISSION_UNKNOWN);
  g_assert_cmpint (oc_permission_kind_from_id (NULL), ==, OC_PERMISSION_UNKNOWN);
  g_assert_true (oc_permission_kind_takes_argument (OC_PERMISSION_FS));
  g_assert_false (oc_permission_kind_takes_argument (OC_PERMISSION_AI));
}

static OcPermissionSet *
set_of (const char *first,
        const char *second,
        const char *third)
{
  const char *texts[] = { first, second, third, NULL };
  g_autoptr (GError) error = NULL;
  OcPermissionSet *set = oc_permission_set_parse (texts, &error);

  g_assert_no_error (error);
  return set;
}

static void
test_set (void)
{
  g_autoptr (OcPermissionSet) a = set_of ("process.spawn:git", "net:B.example", "net:b.example.");
  g_autoptr (OcPermissionSet) b = set_of ("net:b.example", "process.spawn:git",
                                          "process.spawn:git");
  g_autoptr (OcPermissionSet) c = set_of ("net:b.example", "ai", NULL);
  g_autoptr (OcPermissionSet) nothing = oc_permission_set_new (NULL);
  g_autoptr (OcPermissionSet) added = oc_permission_set_minus (c, a);
  g_autoptr (OcPermissionSet) removed = oc_permission_set_minus (a, c);
  g_auto (GStrv) texts = oc_permission_set_to_strv (a);

  g_assert_cmpuint (oc_permission_set_get_n (a), ==, 2);
  g_assert_true (oc_permission_set_equal (a, b));
  g_assert_false (oc_permission_set_equal (a, c));
  g_assert_false (oc_permission_set_equal (a, nothing));
  g_assert_cmpstr (texts[0], ==, "net:b.example");
  g_assert_cmpstr (texts[1], ==, "process.spawn:git");
  g_assert_cmpuint (oc_permission_set_get_n (added), ==, 1);
  g_assert_true (oc_permission_set_grants (added, OC_PERMISSION_AI, NULL));
  g_assert_cmpuint (oc_permission_set_get_n (removed), ==, 1);
  g_assert_true (oc_permission_set_contains (removed, oc_permission_set_get (a, 1)));
  g_assert_false (oc_permission_set_contains (removed, oc_permission_set_get (a, 0)));
}

static void
test_grants (void)
{
  g_autoptr (OcPermissionSet) set = set_of ("process.spawn:git", "network.client", "env:TOKEN");
  g_autoptr (OcPermissionSet) nothing = oc_permission_set_new (NULL);

  g_assert_true (oc_permission_set_grants (set, OC_PERMISSION_PROCESS_SPAWN, "git"));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_PROCESS_SPAWN, "gi"));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_PROCESS_SPAWN, "git2"));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_PROCESS_SPAWN, NULL));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_PROCESS_SPAWN, ""));
  g_assert_true (oc_permission_set_grants (set, OC_PERMISSION_NETWORK_CLIENT, NULL));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_NETWORK_CLIENT, "x"));
  g_assert_true (oc_permission_set_grants (set, OC_PERMISSION_ENV, "TOKEN"));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_ENV, "token"));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_SPAWN, NULL));
  g_assert_false (oc_permission_set_grants (set, OC_PERMISSION_UNKNOWN, NULL));
  for (guint i = 0; i < OC_N_PERMISSIONS; i++)
    g_assert_false (oc_permission_set_grants (nothing, (OcPermissionKind) i, NULL));
}

static void
test_set_parse_refuses (void)
{
  static const char *const texts[] = { "ai", "process.spawn:", NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (oc_permission_set_parse (texts, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/permission/accepts-in-canonical-form", test_accepts);
  g_test_add_func ("/permission/refuses", test_refuses);
  g_test_add_func ("/permission/long", test_long);
  g_test_add_func ("/permission/message-names-the-fault", test_message_names_the_fault);
  g_test_add_func ("/permission/kinds", test_kinds);
  g_test_add_func ("/permission/set", test_set);
  g_test_add_func ("/permission/grants-exactly", test_grants);
  g_test_add_func ("/permission/set-parse-refuses", test_set_parse_refuses);
  return g_test_run ();
}
