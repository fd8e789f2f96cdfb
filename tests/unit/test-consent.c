/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-consent-private.h"
#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-state.h"
#include "home.h"

#define A "org.example.a"
#define B "org.example.b"

static char *program; /* this test's own file, for cases with several processes */

static void
assert_outcome (Home *home,
                OcConsentOutcome expected)
{
  g_autoptr (OcConsent) consent = oc_consent_load (home->paths, NULL);

  g_assert_cmpstr (oc_consent_outcome_to_id (oc_consent_get_outcome (consent)), ==, oc_consent_outcome_to_id (expected));
  if (expected == OC_CONSENT_VALID || expected == OC_CONSENT_ABSENT)
    return;
  /* Whatever is wrong grants nothing and says why. */
  g_assert_nonnull (oc_consent_get_message (consent));
  g_assert_null (oc_consent_look_up (consent, A));
}

#define assert_state(home, id, expected)                                                                      \
  G_STMT_START                                                                                                \
  {                                                                                                           \
    g_autofree char *state_ = home_state (home, id);                                                          \
    g_assert_cmpstr (state_, ==, expected);                                                                   \
  }                                                                                                           \
  G_STMT_END

static guint
count_set_aside (Home *home)
{
  g_auto (GStrv) files = oc_consent_file_list_set_aside (home->paths);

  return g_strv_length (files);
}

static void
test_round_trip (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (OcConsent) again = NULL;
  OcConsentRecord *record;
  struct stat status;

  home_add_plugin (home, A, "1", "process.spawn:git,selection.read");
  assert_outcome (home, OC_CONSENT_ABSENT);
  assert_state (home, A, "disabled");
  home_enable (home, A);
  assert_state (home, A, "enabled");
  consent = oc_consent_load (home->paths, NULL);
  g_assert_cmpint (oc_consent_get_protection (consent), ==, OC_PROTECTION_KEY_FILE);
  record = oc_consent_look_up (consent, A);
  g_assert_nonnull (record);
  g_assert_cmpint (oc_consent_record_get_state (record), ==, OC_RECORD_ENABLED);
  g_assert_cmpuint (oc_permission_set_get_n (oc_consent_record_get_permissions (record)), ==, 2);
  g_assert_cmpstr (oc_consent_record_get_surface (record), ==, "terminal");
  g_assert_cmpstr (oc_consent_record_get_version (record), ==, "1");
  g_assert_cmpint (oc_consent_record_get_time (record), >, 0);
  g_assert_cmpint (stat (oc_paths_get_consent (home->paths), &status), ==, 0);
  g_assert_cmpint (status.st_mode & 07777, ==, 0600);
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", NULL, NULL, NULL));
  assert_state (home, A, "disabled");
  again = oc_consent_load (home->paths, NULL);
  g_assert_false (oc_consent_equal (consent, again));
  g_assert_true (oc_consent_forget (home->paths, A, NULL, NULL));
  g_assert_null (home_record (home, A));
  /* Nothing to disable or forget is no error, and writes nothing. */
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", NULL, NULL, NULL));
  g_assert_true (oc_consent_forget (home->paths, A, NULL, NULL));
}

/* Flatseal #449 */
static void
test_keeps_others (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  const char *others[] = { "org.example.c", B, "org.example.d", B, "org.example.c" };

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_add_plugin (home, B, "1", "file.readText");
  home_add_plugin (home, "org.example.c", "1", "");
  home_add_plugin (home, "org.example.d", "1", "");
  home_enable (home, A);
  before = home_record (home, A);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      home_enable (home, others[i]);
      g_assert_true (oc_consent_disable (home->paths, others[i], "window", NULL, NULL, NULL));
      if (i % 2 == 0)
        g_assert_true (oc_consent_forget (home->paths, others[i], NULL, NULL));
      g_free (g_steal_pointer (&after));
      after = home_record (home, A);
      g_assert_cmpstr (after, ==, before);
      assert_state (home, A, "enabled");
    }
}

/* Puts @text in the place of the sealed part, with a good seal. */
static void
write_sealed (Home *home,
              const char *text)
{
  g_autoptr (OcSealKey) key = oc_seal_make_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, NULL);
  g_autofree char *seal = NULL;
  g_autofree char *whole = NULL;

  g_assert_nonnull (key);
  seal = oc_seal_key_sign (key, text, strlen (text));
  whole = g_strdup_printf ("%s,\n\"seal\":\"%s\"}\n", text, seal);
  home_write_consent (home, whole, strlen (whole));
}

static void
test_keeps_unknown (void)
{
  static const char future[] = "{\"state\":\"enabled-until\",\"until\": 17,  \"x\" : [ 1 ,2]}";
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *record = NULL;
  g_autofree char *whole = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "");
  home_add_plugin (home, B, "1", "");
  text = g_strdup_printf ("{\"format\":\"ocelot-consent\", \"version\":1,\n \"later\": {\"a\" : 1e3},\"protection\":\"key-file\","
                          "\"records\":{ \"org.example.b\" : %s \n}, \"last\":[ ]",
                          future);
  write_sealed (home, text);
  assert_outcome (home, OC_CONSENT_VALID);
  /* A record of a later version grants nothing and is not overwritten. */
  assert_state (home, B, "disabled");
  consent = oc_consent_load (home->paths, NULL);
  g_assert_cmpint (oc_consent_record_get_state (oc_consent_look_up (consent, B)), ==, OC_RECORD_UNKNOWN);
  plugin = home_find (home, B);
  g_assert_false (oc_consent_enable (home->paths, plugin, "terminal", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_UNSUPPORTED);
  home_enable (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", NULL, NULL, NULL));
  record = home_record (home, B);
  g_assert_cmpstr (record, ==, future);
  whole = home_read_consent (home, &len);
  g_assert_nonnull (strstr (whole, "\n \"later\": {\"a\" : 1e3},"));
  g_assert_nonnull (strstr (whole, ", \"last\":[ ]"));
}

static void
test_keeps_unknown_fields (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *first = NULL;
  g_autofree char *text = NULL;
  g_autofree char *record = NULL;

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  first = home_record (home, A);
  first[strlen (first) - 1] = '\0';
  text = g_strdup_printf ("{\"format\":\"ocelot-consent\",\"version\":1,\"protection\":\"key-file\",\"records\":{\"" A
                          "\":%s, \"note\" : { \"k\":[1, 2] }}}",
                          first);
  write_sealed (home, text);
  assert_state (home, A, "enabled");
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", NULL, NULL, NULL));
  record = home_record (home, A);
  g_assert_nonnull (strstr (record, "\"note\":{ \"k\":[1, 2] }"));
  g_assert_nonnull (strstr (record, "\"state\":\"disabled\""));
  home_enable (home, A);
  g_free (record);
  record = home_record (home, A);
  g_assert_nonnull (strstr (record, "\"note\":{ \"k\":[1, 2] }"));
}

/* The quick walk finds what the strict scan finds, or gives up. */
static void
assert_index (const char *records)
{
  g_autofree char *data = g_strconcat ("xyz", records, ",\n\"seal\"", NULL);
  g_autoptr (GArray) strict = oc_json_members (records, strlen (records), 0, NULL);
  g_autoptr (GArray) quick = NULL;
  gsize end = 0;

  g_assert_nonnull (strict);
  quick = oc_consent_index_records (data, 3, strlen (data), &end);
  if (quick == NULL)
    {
      g_assert_nonnull (strchr (records, '\\'));
      return;
    }
  g_assert_cmpuint (end, ==, 3 + strlen (records));
  g_assert_cmpuint (quick->len, ==, strict->len);
  for (guint i = 0; i < quick->len; i++)
    {
      OcJsonSpan *a = &g_array_index (quick, OcJsonSpan, i);
      OcJsonSpan *b = &g_array_index (strict, OcJsonSpan, i);

      g_assert_cmpstr (a->key, ==, b->key);
      g_assert_cmpuint (a->start, ==, b->start + 3);
      g_assert_cmpuint (a->end, ==, b->end + 3);
    }
}

static void
test_index (void)
{
  static const char *const good[] = {
    "{}",
    "{ \n}",
    "{\"a.b\":{}}",
    "{\n\"a.b\":{\"x\":\"}\\\"{\",\"y\":[[{}],\"]\"]} ,\n\"c.d\" : {\"\\\\\":1.5e3}\n}",
    "{\"\xc3\xa4.b\":{\"a\":null},\"c\\u0041\":{}}",
  };
  static const char *const cut[] = { "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":{", "{\"a\":{\"", "{\"a\":{}", "{\"a\":{},",
                                     "{\"a\":{\"\\", "{\"a\":1}", "{\"a\" {}}", "{a}", "{,}", "{\"a\":{]" };
  gsize end;

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    assert_index (good[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (cut); i++)
    {
      g_autoptr (GArray) spans = oc_consent_index_records (cut[i], 0, strlen (cut[i]), &end);

      g_assert_null (spans);
    }
}

/* Flatseal 1.7.2: the file cut at every byte */
static void
test_cut_everywhere (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *good = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  good = home_read_consent (home, &len);
  for (gsize cut = 0; cut < len; cut++)
    {
      g_autoptr (OcConsent) consent = NULL;
      g_autofree char *kept = NULL;
      gsize kept_len = 0;

      home_write_consent (home, good, cut);
      consent = oc_consent_load (home->paths, NULL);
      g_assert_cmpint (oc_consent_get_outcome (consent), ==, OC_CONSENT_DAMAGED);
      g_assert_null (oc_consent_look_up (consent, A));
      g_assert_nonnull (oc_consent_get_set_aside (consent));
      g_assert_true (g_file_get_contents (oc_consent_get_set_aside (consent), &kept, &kept_len, NULL));
      g_assert_cmpmem (kept, kept_len, good, cut);
      g_assert_false (g_file_test (oc_paths_get_consent (home->paths), G_FILE_TEST_EXISTS));
      g_assert_cmpuint (count_set_aside (home), ==, 1);
      g_remove (oc_consent_get_set_aside (consent));
    }
  /* The control: the whole file still counts. */
  home_write_consent (home, good, len);
  assert_state (home, A, "enabled");
}

/* Every byte changed: damaged or forged, never a grant. */
static void
test_flip_everywhere (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *good = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  good = home_read_consent (home, &len);
  for (gsize i = 0; i < len; i++)
    {
      g_autofree char *bad = g_memdup2 (good, len);
      g_autoptr (OcConsent) consent = NULL;

      bad[i] ^= 1;
      home_write_consent (home, bad, len);
      consent = oc_consent_load (home->paths, NULL);
      /* A version turned into a later one is left alone; all else is set aside. */
      g_assert_cmpint (oc_consent_get_outcome (consent), !=, OC_CONSENT_VALID);
      g_assert_cmpint (oc_consent_get_outcome (consent), !=, OC_CONSENT_ABSENT);
      g_assert_null (oc_consent_look_up (consent, A));
      if (oc_consent_get_set_aside (consent) != NULL)
        g_remove (oc_consent_get_set_aside (consent));
    }
  home_write_consent (home, good, len);
  assert_state (home, A, "enabled");
}

static void
test_never_overwrites_aside (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsent) last = NULL;

  for (guint i = 1; i <= 5; i++)
    {
      g_clear_pointer (&last, oc_consent_unref);
      home_write_consent (home, "{", 1);
      last = oc_consent_load (home->paths, NULL);
      g_assert_cmpint (oc_consent_get_outcome (last), ==, OC_CONSENT_DAMAGED);
      g_assert_cmpuint (count_set_aside (home), ==, i);
    }
  assert_outcome (home, OC_CONSENT_ABSENT);
  g_clear_pointer (&last, oc_consent_unref);
  last = oc_consent_load (home->paths, NULL);
  g_assert_cmpuint (g_strv_length ((char **) oc_consent_get_set_aside_files (last)), ==, 5);
}

static void
test_refuses_forged_file (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *good = NULL;
  g_autoptr (GString) bad = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlugin) plugin = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_add_plugin (home, B, "1", "");
  home_enable (home, A);
  good = home_read_consent (home, &len);
  bad = g_string_new (good);
  g_string_replace (bad, "process.spawn:git", "process.spawn:ssh", 0);
  home_write_consent (home, bad->str, bad->len);
  /* A change refuses and leaves the file as it is; only loading sets it aside. */
  plugin = home_find (home, B);
  g_assert_false (oc_consent_enable (home->paths, plugin, "terminal", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_FORGED);
  g_assert_cmpuint (count_set_aside (home), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpuint (count_set_aside (home), ==, 1);
  assert_state (home, A, "disabled");
  /* The good one put back by hand counts again: it was sealed by the user's own acts. */
  home_write_consent (home, good, len);
  assert_state (home, A, "enabled");
}

static void
test_refuses_without_seal (void)
{
  static const char *const files[] = {
    "{\"format\":\"ocelot-consent\",\"version\":1,\"protection\":\"key-file\",\"records\":{}}\n",
    "{\"seal\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"format\":\"ocelot-consent\","
    "\"version\":1,\"protection\":\"key-file\",\"records\":{}}\n",
  };
  g_autoptr (Home) home = home_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      home_write_consent (home, files[i], strlen (files[i]));
      assert_outcome (home, OC_CONSENT_FORGED);
    }
  g_assert_cmpuint (count_set_aside (home), ==, 2);
}

/* A file of a later version: nothing is granted, rewritten or moved. */
static void
test_later_version (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "");
  write_sealed (home, "{\"format\":\"ocelot-consent\",\"version\":2,\"protection\":\"tpm\",\"grants\":[]");
  before = home_read_consent (home, &len);
  assert_outcome (home, OC_CONSENT_LOCKED);
  plugin = home_find (home, A);
  g_assert_false (oc_consent_enable (home->paths, plugin, "terminal", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_UNSUPPORTED);
  after = home_read_consent (home, &len);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpuint (count_set_aside (home), ==, 0);
}

static void
test_key_gone (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  before = home_read_consent (home, &len);
  g_assert_cmpint (g_remove (oc_paths_get_key_file (home->paths)), ==, 0);
  assert_outcome (home, OC_CONSENT_LOCKED);
  assert_state (home, A, "disabled");
  g_assert_false (oc_consent_disable (home->paths, A, "terminal", NULL, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_LOCKED);
  after = home_read_consent (home, &len);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpuint (count_set_aside (home), ==, 0);
  g_assert_false (g_file_test (oc_paths_get_key_file (home->paths), G_FILE_TEST_EXISTS));
}

/* Wrong places: nothing granted, nothing moved, mended by the user it counts again. */
static void
test_misplaced (void)
{
  g_autoptr (Home) home = home_new ();
  const char *path = oc_paths_get_consent (home->paths);
  g_autofree char *moved = g_strconcat (path, ".real", NULL);

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  g_assert_cmpint (g_chmod (path, 0620), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_chmod (path, 0602), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_chmod (path, 0600), ==, 0);
  assert_state (home, A, "enabled");
  g_assert_cmpint (g_rename (path, moved), ==, 0);
  g_assert_cmpint (symlink (moved, path), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_cmpuint (count_set_aside (home), ==, 0);
  g_assert_cmpint (g_rename (moved, path), ==, 0);
  if (geteuid () == 0)
    {
      g_assert_cmpint (chown (path, 12345, 12345), ==, 0);
      assert_outcome (home, OC_CONSENT_FORGED);
      g_assert_cmpint (chown (path, 0, 0), ==, 0);
    }
  assert_state (home, A, "enabled");
}

static void
test_key_file_misplaced (void)
{
  g_autoptr (Home) home = home_new ();
  const char *path = oc_paths_get_key_file (home->paths);
  g_autofree char *moved = g_strconcat (path, ".real", NULL);

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  g_assert_cmpint (g_chmod (path, 0640), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_chmod (path, 0600), ==, 0);
  g_assert_cmpint (link (path, moved), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (symlink (moved, path), ==, 0);
  assert_outcome (home, OC_CONSENT_FORGED);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_true (g_file_set_contents_full (path, "short\n", -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL));
  assert_outcome (home, OC_CONSENT_LOCKED);
  g_assert_cmpint (g_rename (moved, path), ==, 0);
  g_assert_cmpuint (count_set_aside (home), ==, 0);
  assert_state (home, A, "enabled");
}

static void
test_too_large (void)
{
  g_autoptr (Home) home = home_new ();

  home_write_consent (home, "{}", 2);
  g_assert_cmpint (truncate (oc_paths_get_consent (home->paths), OC_CONSENT_MAX_BYTES + 1), ==, 0);
  assert_outcome (home, OC_CONSENT_DAMAGED);
  g_assert_cmpuint (count_set_aside (home), ==, 1);
}

/* deno GHSA-mc52-jpm2-cqh6 */
static void
test_swapped_while_shown (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) shown = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "file.readText");
  shown = home_find (home, A);
  home_add_plugin (home, A, "1", "process.spawn:sh");
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  g_assert_false (g_file_test (oc_paths_get_consent (home->paths), G_FILE_TEST_EXISTS));
  /* The same set with other words around it was not shown either. */
  g_clear_error (&error);
  home_add_plugin (home, A, "2", "file.readText");
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  /* The same bytes again: what was shown is what is there. */
  g_clear_error (&error);
  home_add_plugin (home, A, "1", "file.readText");
  g_assert_true (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_no_error (error);
}

static void
test_gone_while_shown (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) shown = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *elsewhere = g_build_filename (home->root, "elsewhere", NULL);

  home_add_plugin (home, A, "1", "");
  shown = home_find (home, A);
  g_assert_cmpint (g_rename (oc_plugin_get_folder (shown), elsewhere), ==, 0);
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  /* The same manifest, but through a link that was not there: another folder. */
  g_clear_error (&error);
  g_assert_cmpint (symlink (elsewhere, oc_plugin_get_folder (shown)), ==, 0);
  g_assert_false (oc_consent_enable (home->paths, shown, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

static void
test_invalid_shadowed_blocked (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) invalid = NULL;
  g_autoptr (OcPlugin) shadowed = NULL;
  g_autoptr (OcPlugin) blocked = NULL;
  g_autoptr (OcPlugin) plain = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "no.such.permission");
  invalid = home_find (home, A);
  g_assert_false (oc_consent_enable (home->paths, invalid, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_clear_error (&error);
  home_add_plugin (home, B, "1", "process.spawn:git");
  plain = home_find (home, B);
  shadowed = oc_plugin_with_shadow (plain, "/elsewhere");
  g_assert_false (oc_consent_enable (home->paths, shadowed, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
  g_clear_error (&error);
  home_write (home, "policy/policy.json", "{\"version\":1,\"blockPermissions\":[\"process.spawn\"]}");
  blocked = home_find (home, B);
  g_assert_false (oc_consent_enable (home->paths, blocked, "window", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_DENIED);
  g_assert_false (g_file_test (oc_paths_get_consent (home->paths), G_FILE_TEST_EXISTS));
}

/* pnpm #12294, vscode #126746 */
static void
test_other_folder (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *plugins = g_build_filename (home->system, "ocelot", "Plugins", NULL);
  g_autofree char *user_folder = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);
  g_autofree char *moved = g_build_filename (home->root, A, NULL);

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  assert_state (home, A, "enabled");
  /* The very same bytes in the system's folder, the user's gone: another plugin. */
  g_assert_cmpint (g_rename (user_folder, moved), ==, 0);
  home_add_plugin_at (plugins, A, "1", "");
  assert_state (home, A, "disabled");
  /* The user's folder back, but as a link to where it went. */
  g_assert_cmpint (symlink (moved, user_folder), ==, 0);
  assert_state (home, A, "disabled");
  /* A link that leads to the same place as the consent says is still not the folder consented to. */
  g_assert_cmpint (g_remove (user_folder), ==, 0);
  g_assert_cmpint (g_rename (moved, user_folder), ==, 0);
  assert_state (home, A, "enabled");
}

static void
test_link_is_not_its_target (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *plugins = g_build_filename (home->system, "ocelot", "Plugins", NULL);
  g_autofree char *target = g_build_filename (plugins, A, NULL);
  g_autofree char *link_path = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);

  home_add_plugin_at (plugins, A, "1", "");
  g_assert_cmpint (symlink (target, link_path), ==, 0);
  home_enable (home, A);
  assert_state (home, A, "enabled");
  /* The same real folder, now found by itself. */
  g_assert_cmpint (g_remove (link_path), ==, 0);
  assert_state (home, A, "disabled");
}

static void
test_changed_set (void)
{
  g_autoptr (Home) home = home_new ();

  home_add_plugin (home, A, "1", "file.readText,process.spawn:git");
  home_enable (home, A);
  home_add_plugin (home, A, "2", "file.readText,process.spawn:git");
  assert_state (home, A, "enabled");
  home_add_plugin (home, A, "2", "file.readText,process.spawn:sh");
  assert_state (home, A, "needs-review");
  home_add_plugin (home, A, "2", "file.readText");
  assert_state (home, A, "needs-review");
  home_add_plugin (home, A, "3", "process.spawn:git,file.readText");
  assert_state (home, A, "enabled");
}

/* flatpak #4718 */
static void
test_forget_asks_again (void)
{
  g_autoptr (Home) home = home_new ();

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  g_assert_true (oc_consent_forget (home->paths, A, NULL, NULL));
  assert_state (home, A, "disabled");
}

static void
test_undo (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsentRecord) previous = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  before = home_record (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "window", &previous, NULL, NULL));
  g_assert_nonnull (previous);
  g_assert_true (oc_consent_undo_disable (home->paths, previous, NULL, &error));
  g_assert_no_error (error);
  after = home_record (home, A);
  g_assert_cmpstr (after, ==, before);
  assert_state (home, A, "enabled");
  /* Twice is too often: it is not disabled now. */
  g_assert_false (oc_consent_undo_disable (home->paths, previous, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

static void
test_undo_is_bound (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsentRecord) first = NULL;
  g_autoptr (OcConsentRecord) second = NULL;
  g_autoptr (GError) error = NULL;

  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "window", &first, NULL, NULL));
  /* Changed meanwhile. */
  home_add_plugin (home, A, "2", "process.spawn:git");
  g_assert_false (oc_consent_undo_disable (home->paths, first, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  g_clear_error (&error);
  /* Somebody enabled and disabled it in between: that decision stands. */
  home_add_plugin (home, A, "1", "process.spawn:git");
  home_enable (home, A);
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", &second, NULL, NULL));
  g_assert_false (oc_consent_undo_disable (home->paths, first, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
  assert_state (home, A, "disabled");
  g_clear_error (&error);
  g_assert_true (oc_consent_forget (home->paths, A, NULL, NULL));
  g_assert_false (oc_consent_undo_disable (home->paths, second, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_STALE);
}

static void
test_after_errors (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_failure_free);
  g_autofree char *long_output = g_strnfill (3 * OC_FAILURE_MAX_OUTPUT, 'x');
  GPtrArray *kept;

  home_add_plugin (home, A, "1", "");
  home_add_plugin (home, B, "1", "");
  g_ptr_array_add (failures, oc_failure_new (1, "go", "crash", "signal 11\x1f\x7f\"\\\n\xff", "last \xe2\x82\xac line"));
  g_ptr_array_add (failures, oc_failure_new (2, "go", "time-out", "", long_output));
  home_enable (home, A);
  g_assert_true (oc_consent_disable_after_errors (home->paths, A, failures, NULL, NULL));
  /* Not enabled: nothing is written. */
  g_assert_true (oc_consent_disable_after_errors (home->paths, B, failures, NULL, NULL));
  g_assert_null (home_record (home, B));
  assert_state (home, A, "disabled-after-errors");
  consent = oc_consent_load (home->paths, NULL);
  kept = oc_consent_record_get_failures (oc_consent_look_up (consent, A));
  g_assert_cmpuint (kept->len, ==, 2);
  g_assert_cmpstr (((OcFailure *) kept->pdata[0])->message, ==, "signal 11\x1f\x7f\"\\\n\xef\xbf\xbd");
  g_assert_cmpstr (((OcFailure *) kept->pdata[0])->output, ==, "last \xe2\x82\xac line");
  g_assert_cmpuint (strlen (((OcFailure *) kept->pdata[1])->output), ==, OC_FAILURE_MAX_OUTPUT);
  home_enable (home, A);
  assert_state (home, A, "enabled");
}

/* A Plugins folder whose path is no UTF-8. */
static void
test_bytes_in_path (void)
{
  g_autofree char *root = g_dir_make_tmp ("ocelot-\xff\xfe-XXXXXX", NULL);
  g_autofree char *data = g_build_filename (root, "d", NULL);
  g_autofree char *policy = g_build_filename (root, "p", NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (data, NULL, policy);
  g_autoptr (Home) home = home_new ();
  g_autoptr (GError) error = NULL;
  OcPaths *own = home->paths;

  g_assert_true (oc_paths_ensure (paths, &error));
  home->paths = paths;
  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  assert_state (home, A, "enabled");
  home->paths = own;
  g_free (home->root);
  home->root = g_steal_pointer (&root);
}

/* The other process of test_many_writers(). */
static int
run_writer (const char *data,
            const char *id,
            int changes)
{
  g_autofree char *policy = g_build_filename (data, "policy", NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (data, NULL, policy);

  for (int i = 0; i < changes; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (OcPlugin) plugin = oc_plugins_find (paths, id, &error);
      gboolean ok = plugin != NULL
                    && (i % 2 == 0 ? oc_consent_enable (paths, plugin, "terminal", NULL, &error)
                                   : oc_consent_disable (paths, id, "terminal", NULL, NULL, &error));
      g_autoptr (OcConsent) consent = NULL;
      OcConsentRecord *record;

      if (!ok)
        {
          g_printerr ("%s: %s\n", id, error->message);
          return 1;
        }
      /* Nobody else changes this one, so what was written is there. */
      consent = oc_consent_load (paths, NULL);
      record = oc_consent_look_up (consent, id);
      if (record == NULL
          || oc_consent_record_get_state (record) != (i % 2 == 0 ? OC_RECORD_ENABLED : OC_RECORD_DISABLED))
        {
          g_printerr ("%s: change %d was lost (%s)\n", id, i, oc_consent_outcome_to_id (oc_consent_get_outcome (consent)));
          return 1;
        }
    }
  return 0;
}

static void
test_many_writers (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func (g_object_unref);
  const int n = 8;

  for (int i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.w%d", i);
      g_autoptr (GError) error = NULL;
      GSubprocess *writer;

      home_add_plugin (home, id, "1", "process.spawn:git");
      writer = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, program, "--writer", home->data, id, "101", NULL);
      g_assert_no_error (error);
      g_ptr_array_add (writers, writer);
    }
  for (int i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;

      g_subprocess_wait_check (writers->pdata[i], NULL, &error);
      g_assert_no_error (error);
    }
  for (int i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.w%d", i);

      assert_state (home, id, "enabled");
    }
  g_assert_cmpuint (count_set_aside (home), ==, 0);
}

static void
test_lock_is_bounded (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (OcFd) held = oc_consent_file_lock (home->paths, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (held, >=, 0);
  g_cancellable_cancel (cancellable);
  g_assert_cmpint (oc_consent_file_lock (home->paths, cancellable, &error), ==, -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  oc_fd_close (&held);
  held = oc_consent_file_lock (home->paths, NULL, NULL);
  g_assert_cmpint (held, >=, 0);
}

static void
test_read_only_folder (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize len;

  if (geteuid () == 0)
    {
      g_test_skip ("uid 0 writes to read-only folders; the same case runs as an ordinary user");
      return;
    }
  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  before = home_read_consent (home, &len);
  g_assert_cmpint (g_chmod (oc_paths_get_base (home->paths), 0500), ==, 0);
  plugin = home_find (home, A);
  g_assert_false (oc_consent_enable (home->paths, plugin, "terminal", NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  after = home_read_consent (home, &len);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpint (g_chmod (oc_paths_get_base (home->paths), 0700), ==, 0);
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  if (argc == 5 && strcmp (argv[1], "--writer") == 0)
    return run_writer (argv[2], argv[3], atoi (argv[4]));
  program = g_file_read_link ("/proc/self/exe", NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/consent/round-trip", test_round_trip);
  g_test_add_func ("/consent/keeps-others-byte-for-byte", test_keeps_others);
  g_test_add_func ("/consent/keeps-what-it-does-not-know", test_keeps_unknown);
  g_test_add_func ("/consent/keeps-unknown-fields", test_keeps_unknown_fields);
  g_test_add_func ("/consent/index", test_index);
  g_test_add_func ("/consent/cut-at-every-byte", test_cut_everywhere);
  g_test_add_func ("/consent/every-byte-changed", test_flip_everywhere);
  g_test_add_func ("/consent/never-overwrites-what-was-set-aside", test_never_overwrites_aside);
  g_test_add_func ("/consent/refuses-forged-file", test_refuses_forged_file);
  g_test_add_func ("/consent/refuses-file-without-seal", test_refuses_without_seal);
  g_test_add_func ("/consent/leaves-later-version", test_later_version);
  g_test_add_func ("/consent/locked-when-key-is-gone", test_key_gone);
  g_test_add_func ("/consent/refuses-misplaced-file", test_misplaced);
  g_test_add_func ("/consent/refuses-misplaced-key-file", test_key_file_misplaced);
  g_test_add_func ("/consent/too-large", test_too_large);
  g_test_add_func ("/consent/swapped-while-shown", test_swapped_while_shown);
  g_test_add_func ("/consent/gone-while-shown", test_gone_while_shown);
  g_test_add_func ("/consent/invalid-shadowed-blocked", test_invalid_shadowed_blocked);
  g_test_add_func ("/consent/belongs-to-one-folder", test_other_folder);
  g_test_add_func ("/consent/a-link-is-not-its-target", test_link_is_not_its_target);
  g_test_add_func ("/consent/compares-whole-sets", test_changed_set);
  g_test_add_func ("/consent/forgotten-asks-again", test_forget_asks_again);
  g_test_add_func ("/consent/undo", test_undo);
  g_test_add_func ("/consent/undo-is-bound-to-its-disable", test_undo_is_bound);
  g_test_add_func ("/consent/after-errors", test_after_errors);
  g_test_add_func ("/consent/any-bytes-in-a-path", test_bytes_in_path);
  g_test_add_func ("/consent/many-writers", test_many_writers);
  g_test_add_func ("/consent/lock-is-bounded", test_lock_is_bounded);
  g_test_add_func ("/consent/read-only-folder", test_read_only_folder);
  return g_test_run ();
}
