/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/oc-consent-private.h"
#include "core/oc-state.h"
#include "home.h"

#define A "org.example.a"

/* Every combination of what the function looks at, against the rules written down once more, independently. */

typedef enum
{
  MANIFEST_VALID,
  MANIFEST_INVALID,
  N_MANIFESTS
} ManifestCase;

typedef enum
{
  RECORD_NONE,
  RECORD_DISABLED,
  RECORD_FITS,
  RECORD_OTHER_BYTES,
  RECORD_OTHER_SET,
  RECORD_ELSEWHERE,
  RECORD_MADE_ANEW,
  RECORD_OTHER_KIND,
  RECORD_AFTER_ERRORS,
  RECORD_LATER,
  N_RECORDS
} RecordCase;

typedef struct
{
  ManifestCase manifest;
  gboolean shadowed;
  gboolean blocked;
  OcConsentOutcome outcome;
  RecordCase record;
  guint errors;
  gboolean review;
} Combination;

static OcState
expect (const Combination *c)
{
  if (c->shadowed)
    return OC_STATE_SHADOWED;
  if (c->manifest == MANIFEST_INVALID)
    return OC_STATE_INVALID;
  if (c->blocked)
    return OC_STATE_BLOCKED;
  if (c->outcome != OC_CONSENT_VALID)
    return OC_STATE_DISABLED;
  if (c->record == RECORD_AFTER_ERRORS)
    return OC_STATE_DISABLED_AFTER_ERRORS;
  if (c->record != RECORD_OTHER_KIND && c->record != RECORD_FITS && c->record != RECORD_OTHER_BYTES && c->record != RECORD_OTHER_SET)
    return OC_STATE_DISABLED;
  if (c->errors >= OC_HEALTH_MAX_ERRORS)
    return OC_STATE_DISABLED_AFTER_ERRORS;
  if (c->record == RECORD_OTHER_SET || c->record == RECORD_OTHER_KIND)
    return OC_STATE_NEEDS_REVIEW;
  if (c->record == RECORD_OTHER_BYTES && c->review)
    return OC_STATE_NEEDS_REVIEW;
  return OC_STATE_ENABLED;
}

static void
write_sealed (Home *home,
              const char *record)
{
  g_autoptr (OcSealKey) key = oc_seal_make_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, NULL);
  g_autofree char *text = NULL;
  g_autofree char *seal = NULL;
  g_autofree char *whole = NULL;

  text = g_strdup_printf ("{\"format\":\"ocelot-consent\",\"version\":1,\"protection\":\"key-file\",\"records\":{%s%s}",
                          record != NULL ? "\"" A "\":" : "", record != NULL ? record : "");
  seal = oc_seal_key_sign (key, text, strlen (text));
  whole = g_strdup_printf ("%s,\n\"seal\":\"%s\"}\n", text, seal);
  home_write_consent (home, whole, strlen (whole));
}

static char *
make_record (RecordCase which,
             OcPlugin *plugin)
{
  static const char *const wider[] = { "file.readText", "process.spawn:git", NULL };
  g_autoptr (OcPermissionSet) other = oc_permission_set_parse (wider, NULL);
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  OcRecordFields fields = {
    .state = OC_RECORD_ENABLED,
    .folder = oc_plugin_get_real_folder (plugin),
    .born = oc_plugin_get_born (plugin),
    .kind = oc_plugin_kind_to_id (oc_manifest_get_kind (manifest)),
    .permissions = oc_manifest_get_permissions (manifest),
    .digest = oc_manifest_get_digest (manifest),
    .time = 1,
    .surface = "terminal",
  };

  switch (which)
    {
    case RECORD_NONE:
      return NULL;
    case RECORD_LATER:
      return g_strdup ("{\"state\":\"enabled-for-a-day\"}");
    case RECORD_DISABLED:
      fields.state = OC_RECORD_DISABLED;
      break;
    case RECORD_OTHER_BYTES:
      fields.digest = "0000000000000000000000000000000000000000000000000000000000000000";
      break;
    case RECORD_OTHER_SET:
      fields.permissions = other;
      break;
    case RECORD_ELSEWHERE:
      fields.folder = "/somewhere/else/" A;
      break;
    case RECORD_MADE_ANEW:
      fields.born = "1.000000001";
      break;
    case RECORD_OTHER_KIND:
      fields.kind = "script";
      break;
    case RECORD_AFTER_ERRORS:
      fields.state = OC_RECORD_DISABLED_AFTER_ERRORS;
      break;
    case RECORD_FITS:
    case N_RECORDS:
      break;
    }
  return oc_consent_record_format (&fields, NULL);
}

static OcConsent *
make_consent (Home *home,
              OcConsentOutcome outcome,
              RecordCase which,
              OcPlugin *plugin)
{
  g_autofree char *record = make_record (which, plugin);
  g_autofree char *data = NULL;
  OcConsent *consent;
  gsize len;

  g_remove (oc_paths_get_consent (home->paths));
  write_sealed (home, record);
  data = home_read_consent (home, &len);
  switch (outcome)
    {
    case OC_CONSENT_DAMAGED:
      home_write_consent (home, data, len / 2);
      break;
    case OC_CONSENT_FORGED:
      data[len - 5] ^= 1;
      home_write_consent (home, data, len);
      break;
    case OC_CONSENT_LOCKED:
      g_remove (oc_paths_get_key_file (home->paths));
      break;
    case OC_CONSENT_ABSENT:
      g_remove (oc_paths_get_consent (home->paths));
      break;
    case OC_CONSENT_VALID:
      break;
    }
  consent = oc_consent_load (home->paths, NULL);
  g_assert_cmpint (oc_consent_get_outcome (consent), ==, outcome);
  return consent;
}

static void
check_verdict (OcVerdict *verdict,
               const Combination *c)
{
  OcState state = oc_verdict_get_state (verdict);
  gboolean usable = c->outcome == OC_CONSENT_VALID || c->outcome == OC_CONSENT_ABSENT;
  gboolean expect_offer = usable
                          && (state == OC_STATE_DISABLED || state == OC_STATE_NEEDS_REVIEW
                              || state == OC_STATE_DISABLED_AFTER_ERRORS)
                          && !(c->outcome == OC_CONSENT_VALID && c->record == RECORD_LATER);

  g_assert_cmpstr (oc_state_to_id (state), ==, oc_state_to_id (expect (c)));
  g_assert_cmpint (oc_verdict_can_enable (verdict), ==, expect_offer);
  g_assert_cmpint (oc_verdict_is_updated (verdict), ==, state == OC_STATE_ENABLED && c->record == RECORD_OTHER_BYTES);
  g_assert_nonnull (oc_verdict_get_summary (verdict));
  g_assert_cmpint (oc_verdict_get_consent_outcome (verdict), ==, c->outcome);
  /* Whatever is neither on nor simply off says why. */
  if (state != OC_STATE_ENABLED && state != OC_STATE_DISABLED)
    g_assert_nonnull (oc_verdict_get_reasons (verdict)[0]);
  if (state == OC_STATE_DISABLED && !usable)
    g_assert_nonnull (oc_verdict_get_reasons (verdict)[0]);
  if (state == OC_STATE_NEEDS_REVIEW && c->record == RECORD_OTHER_SET)
    {
      g_assert_cmpuint (oc_permission_set_get_n (oc_verdict_get_added (verdict)), ==, 1);
      g_assert_cmpuint (oc_permission_set_get_n (oc_verdict_get_removed (verdict)), ==, 1);
    }
  else
    {
      g_assert_cmpuint (oc_permission_set_get_n (oc_verdict_get_added (verdict)), ==, 0);
      g_assert_cmpuint (oc_permission_set_get_n (oc_verdict_get_removed (verdict)), ==, 0);
    }
}

static void
check_all_with (OcPlugin *plugin,
                OcConsent *consent,
                OcPolicy *free_policy,
                OcPolicy *block_policy,
                Combination *c,
                guint *n)
{
  static const guint error_counts[] = { 0, OC_HEALTH_MAX_ERRORS - 1, OC_HEALTH_MAX_ERRORS };
  g_autoptr (OcPlugin) shadowed = oc_plugin_with_shadow (plugin, "/winner");

  for (guint bits = 0; bits < 8; bits++)
    for (gsize i = 0; i < G_N_ELEMENTS (error_counts); i++)
      {
        guint errors = error_counts[i];
        OcHealth health = { .errors_in_a_row = errors };
        g_autoptr (OcVerdict) verdict = NULL;
        g_autoptr (OcVerdict) same = NULL;

        c->shadowed = (bits & 1) != 0;
        c->blocked = (bits & 2) != 0;
        c->review = (bits & 4) != 0;
        c->errors = errors;
        verdict = oc_state_evaluate (c->shadowed ? shadowed : plugin, consent, c->blocked ? block_policy : free_policy,
                                     &health, c->review);
        same = oc_state_evaluate (c->shadowed ? shadowed : plugin, consent, c->blocked ? block_policy : free_policy,
                                  &health, c->review);
        check_verdict (verdict, c);
        g_assert_true (oc_verdict_equal (verdict, same));
        (*n)++;
      }
}

static void
test_every_combination (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPolicy) free_policy = oc_policy_load (home->paths);
  g_autoptr (OcPolicy) block_policy = NULL;
  guint n = 0;

  home_write (home, "policy/policy.json", "{\"version\":1,\"blockPlugins\":[\"" A "\"]}");
  block_policy = oc_policy_load (home->paths);
  for (int manifest = 0; manifest < N_MANIFESTS; manifest++)
    {
      g_autoptr (OcPlugin) plugin = NULL;

      home_add_plugin (home, A, "1",
                       manifest == MANIFEST_VALID ? "file.readText,process.spawn:sha256sum" : "file.readText,no.such");
      plugin = home_find (home, A);
      for (int outcome = OC_CONSENT_DAMAGED; outcome <= OC_CONSENT_VALID; outcome++)
        for (int record = 0; record < N_RECORDS; record++)
          {
            g_autoptr (OcConsent) consent = make_consent (home, outcome, record, plugin);
            Combination c = { .manifest = manifest, .outcome = outcome, .record = record };

            check_all_with (plugin, consent, free_policy, block_policy, &c, &n);
          }
    }
  g_test_message ("%u combinations", n);
  g_assert_cmpuint (n, ==, 2 * 5 * 10 * 8 * 3);
}

static void
test_policy_reviews_updates (void)
{
  g_autoptr (Home) home = home_new ();

  home_add_plugin (home, A, "1", "file.readText");
  home_enable (home, A);
  home_add_plugin (home, A, "2", "file.readText");
  {
    g_autofree char *state = home_state (home, A);

    g_assert_cmpstr (state, ==, "enabled");
  }
  home_write (home, "policy/policy.d/10-review.json", "{\"version\":1,\"reviewEveryUpdate\":true}");
  {
    g_autofree char *state = home_state (home, A);

    g_assert_cmpstr (state, ==, "needs-review");
  }
}

static void
test_hidden_characters_are_shown (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (OcPlugin) shadowed = NULL;
  g_autoptr (OcConsent) consent = oc_consent_load (home->paths, NULL);
  g_autoptr (OcPolicy) policy = oc_policy_load (home->paths);
  g_autoptr (OcVerdict) verdict = NULL;

  home_add_plugin (home, A, "1", "");
  plugin = home_find (home, A);
  shadowed = oc_plugin_with_shadow (plugin, "/a\xe2\x80\xae" "b");
  verdict = oc_state_evaluate (shadowed, consent, policy, NULL, FALSE);
  g_assert_null (strstr (oc_verdict_get_reasons (verdict)[0], "\xe2\x80\xae"));
  g_assert_nonnull (strstr (oc_verdict_get_reasons (verdict)[0], "202E"));
}

static void
test_ids (void)
{
  for (int state = OC_STATE_DISABLED; state <= OC_STATE_SHADOWED; state++)
    {
      g_assert_cmpstr (oc_state_to_id (state), !=, "");
      g_assert_cmpstr (oc_state_to_label (state), !=, "");
    }
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/state/ids", test_ids);
  g_test_add_func ("/state/every-combination", test_every_combination);
  g_test_add_func ("/state/policy-reviews-updates", test_policy_reviews_updates);
  g_test_add_func ("/state/hidden-characters-are-shown", test_hidden_characters_are_shown);
  return g_test_run ();
}
