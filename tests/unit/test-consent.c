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

int
main (int argc,
      char **argv)
{
  home_isolate ();
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
  return g_test_run ();
}
