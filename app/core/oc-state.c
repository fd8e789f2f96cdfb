/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-state.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/oc-text.h"

struct _OcVerdict
{
  /* owned */
  GPtrArray *reasons; /* NULL-terminated when finished */
  char *summary;
  OcPermissionSet *added;
  OcPermissionSet *removed;
  OcConsentRecord *record;

  OcState state;
  OcConsentOutcome outcome;
  gboolean can_enable;
  gboolean updated;
  gboolean other_kind;
  guint errors_in_a_row;
};

/* What the function works on. Borrowed. */
typedef struct
{
  OcPlugin *plugin;
  OcManifest *manifest;
  OcConsent *consent;
  OcPolicy *policy;
  OcConsentRecord *record; /* (nullable) */
  guint errors_in_a_row;
  gboolean review_every_update;
} Facts;

static const struct
{
  const char *id;
  const char *label;
} states[] = {
  [OC_STATE_DISABLED] = { "disabled", N_ ("Disabled") },
  [OC_STATE_ENABLED] = { "enabled", N_ ("Enabled") },
  [OC_STATE_NEEDS_REVIEW] = { "needs-review", N_ ("Needs review") },
  [OC_STATE_DISABLED_AFTER_ERRORS] = { "disabled-after-errors", N_ ("Disabled after errors") },
  [OC_STATE_INVALID] = { "invalid", N_ ("Invalid") },
  [OC_STATE_BLOCKED] = { "blocked", N_ ("Blocked by policy") },
  [OC_STATE_SHADOWED] = { "shadowed", N_ ("Shadowed") },
};

const char *
oc_state_to_id (OcState state)
{
  g_return_val_if_fail (state < G_N_ELEMENTS (states), "disabled");
  return states[state].id;
}

const char *
oc_state_to_label (OcState state)
{
  g_return_val_if_fail (state < G_N_ELEMENTS (states), "");
  return _ (states[state].label);
}

static void
take_reason (OcVerdict *self,
             char *reason)
{
  g_ptr_array_add (self->reasons, reason);
}

static void
add_reason (OcVerdict *self,
            const char *reason)
{
  take_reason (self, g_strdup (reason));
}

static char *
count_permissions (guint n)
{
  if (n == 0)
    return g_strdup (_ ("No permissions"));
  /* Translators: the second line of a plugin in the list */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u permission", "%u permissions", n), n);
}

static void
judge_shadowed (OcVerdict *self,
                const Facts *facts)
{
  g_autofree char *winner = oc_text_escape (oc_plugin_get_shadowed_by (facts->plugin), 0, NULL);

  self->state = OC_STATE_SHADOWED;
  take_reason (self, g_strdup_printf (_ ("The plugin of the same id in “%s” takes its place. Remove one of the two."), winner));
  self->summary = g_strdup (_ ("Another one takes its place"));
}

static void
judge_invalid (OcVerdict *self,
               const Facts *facts)
{
  GPtrArray *problems = oc_plugin_get_problems (facts->plugin);

  self->state = OC_STATE_INVALID;
  for (guint i = 0; i < problems->len; i++)
    {
      const OcProblem *problem = problems->pdata[i];

      if (problem->remedy != NULL && *problem->remedy != '\0')
        take_reason (self, g_strdup_printf ("%s: %s %s", problem->place, problem->message, problem->remedy));
      else
        take_reason (self, g_strdup_printf ("%s: %s", problem->place, problem->message));
    }
  if (problems->len == 0)
    add_reason (self, _ ("The plugin’s folder cannot be found any more."));
  self->summary = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "Invalid: %u problem", "Invalid: %u problems",
                                                self->reasons->len),
                                   self->reasons->len);
}

static void
judge_blocked (OcVerdict *self,
               char *block)
{
  self->state = OC_STATE_BLOCKED;
  take_reason (self, block);
  self->summary = g_strdup (_ ("Blocked by the administrator"));
}

/* Nothing in the file counts, so nothing is enabled. */
static void
judge_unusable_consent (OcVerdict *self,
                        const Facts *facts)
{
  const char *message = oc_consent_get_message (facts->consent);

  self->state = OC_STATE_DISABLED;
  if (message != NULL)
    add_reason (self, message);
  switch (self->outcome)
    {
    case OC_CONSENT_LOCKED:
      self->summary = g_strdup (_ ("Consent is locked"));
      break;
    case OC_CONSENT_FORGED:
      self->summary = g_strdup (_ ("Consent was forged"));
      break;
    case OC_CONSENT_DAMAGED:
    case OC_CONSENT_ABSENT:
    case OC_CONSENT_VALID:
      self->summary = g_strdup (_ ("Consent is damaged"));
      break;
    }
}

static void
judge_disabled (OcVerdict *self,
                const Facts *facts,
                const char *reason)
{
  const char *const *aside = oc_consent_get_set_aside_files (facts->consent);

  self->state = OC_STATE_DISABLED;
  self->can_enable = TRUE;
  if (reason != NULL)
    add_reason (self, reason);
  if (self->outcome == OC_CONSENT_ABSENT && aside[0] != NULL)
    take_reason (self, g_strdup_printf (_ ("The consent file was damaged or forged and was kept as “%s”, so nothing is enabled. "
                                           "Review the plugin again."),
                                        aside[0]));
  self->summary = count_permissions (oc_permission_set_get_n (oc_manifest_get_permissions (facts->manifest)));
}

static void
judge_after_errors (OcVerdict *self,
                    const Facts *facts)
{
  guint n = oc_consent_record_get_failures (facts->record)->len;

  n = MAX (MAX (n, facts->errors_in_a_row), 1);
  self->state = OC_STATE_DISABLED_AFTER_ERRORS;
  self->can_enable = TRUE;
  take_reason (self, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                                   "It was disabled after %u error. Only you can enable it again.",
                                                   "It was disabled after %u errors in a row. Only you can enable it again.", n),
                                      n));
  self->summary = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "Disabled after %u error", "Disabled after %u errors", n),
                                   n);
}

static char *
join_set (OcPermissionSet *set)
{
  g_auto (GStrv) texts = oc_permission_set_to_strv (set);
  g_autofree char *joined = g_strjoinv (", ", texts);

  return oc_text_escape (joined, 0, NULL);
}

static void
judge_changed_set (OcVerdict *self)
{
  guint n_added = oc_permission_set_get_n (self->added);
  guint n_removed = oc_permission_set_get_n (self->removed);

  self->state = OC_STATE_NEEDS_REVIEW;
  self->can_enable = TRUE;
  if (n_added > 0)
    {
      g_autofree char *list = join_set (self->added);

      take_reason (self, g_strdup_printf (_ ("Since you enabled it, it asks for more: %s."), list));
    }
  if (n_removed > 0)
    {
      g_autofree char *list = join_set (self->removed);

      take_reason (self, g_strdup_printf (_ ("Since you enabled it, it no longer asks for: %s."), list));
    }
  if (n_added > 0)
    self->summary = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "Asks for %u more permission",
                                                  "Asks for %u more permissions", n_added),
                                     n_added);
  else
    self->summary = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "Asks for %u permission less",
                                                  "Asks for %u permissions less", n_removed),
                                     n_removed);
}

/* The set is what it asks for; what it can do without asking depends on its kind, and was agreed to with the set. A record
 * that does not say its kind agrees to none. */
static void
judge_other_kind (OcVerdict *self)
{
  self->state = OC_STATE_NEEDS_REVIEW;
  self->can_enable = TRUE;
  self->other_kind = TRUE;
  add_reason (self, _ ("It has become another kind of plugin since you enabled it, and what it can do without asking is not the "
                       "same as before."));
  if (self->summary == NULL)
    self->summary = g_strdup (_ ("Another kind of plugin: review it"));
}

/* An enabled record of this id and folder: does it still fit? */
static void
judge_enabled (OcVerdict *self,
               const Facts *facts)
{
  OcPermissionSet *now = oc_manifest_get_permissions (facts->manifest);
  OcPermissionSet *consented = oc_consent_record_get_permissions (facts->record);
  gboolean same_kind = g_strcmp0 (oc_plugin_kind_to_id (oc_manifest_get_kind (facts->manifest)),
                                  oc_consent_record_get_kind (facts->record))
                       == 0;
  gboolean same_bytes;

  if (!oc_permission_set_equal (now, consented))
    {
      oc_permission_set_unref (self->added);
      oc_permission_set_unref (self->removed);
      self->added = oc_permission_set_minus (now, consented);
      self->removed = oc_permission_set_minus (consented, now);
      judge_changed_set (self);
    }
  if (!same_kind)
    judge_other_kind (self);
  if (self->state == OC_STATE_NEEDS_REVIEW)
    return;
  same_bytes = strcmp (oc_manifest_get_digest (facts->manifest), oc_consent_record_get_digest (facts->record)) == 0;
  if (!same_bytes && (facts->review_every_update || oc_policy_reviews_every_update (facts->policy)))
    {
      self->state = OC_STATE_NEEDS_REVIEW;
      self->can_enable = TRUE;
      add_reason (self, oc_policy_reviews_every_update (facts->policy)
                            ? _ ("It was updated since you enabled it, and the administrator wants every update reviewed.")
                            : _ ("It was updated since you enabled it, and you want to review every update."));
      self->summary = g_strdup (_ ("Updated: review it"));
      return;
    }
  self->state = OC_STATE_ENABLED;
  self->updated = !same_bytes;
  if (self->updated)
    add_reason (self, _ ("It was updated since you enabled it. It asks for the same permissions as before."));
  self->summary = self->updated ? g_strdup (_ ("Updated since you enabled it")) : count_permissions (oc_permission_set_get_n (now));
}

/* Another folder than the one the record is about, at another place or at the same. */
static void
judge_elsewhere (OcVerdict *self,
                 const Facts *facts)
{
  g_autofree char *folder = oc_text_escape (oc_consent_record_get_folder (facts->record), 0, NULL);
  g_autofree char *reason = NULL;

  if (g_strcmp0 (oc_consent_record_get_folder (facts->record), oc_plugin_get_real_folder (facts->plugin)) == 0)
    reason = g_strdup (_ ("Its folder was made anew since you decided about it: the plugin was removed and installed again, or put "
                          "there in another way. What you decided does not count for this one."));
  else
    reason = g_strdup_printf (_ ("You decided about a plugin of this id in another place, “%s”. That does not count for this one."),
                              folder);
  judge_disabled (self, facts, reason);
}

static void
judge_record (OcVerdict *self,
              const Facts *facts)
{
  if (facts->record == NULL)
    {
      judge_disabled (self, facts, NULL);
      return;
    }
  switch (oc_consent_record_get_state (facts->record))
    {
    case OC_RECORD_UNKNOWN:
      judge_disabled (self, facts,
                      _ ("What is recorded for it was written by a later version of Ocelot Plugins and grants nothing here."));
      self->can_enable = FALSE;
      return;
    case OC_RECORD_DISABLED:
      judge_disabled (self, facts, NULL);
      return;
    case OC_RECORD_ENABLED:
    case OC_RECORD_DISABLED_AFTER_ERRORS:
      break;
    }
  if (!oc_consent_record_belongs_to (facts->record, facts->plugin))
    judge_elsewhere (self, facts);
  else if (oc_consent_record_get_state (facts->record) == OC_RECORD_DISABLED_AFTER_ERRORS)
    judge_after_errors (self, facts);
  else if (facts->errors_in_a_row >= OC_HEALTH_MAX_ERRORS)
    /* The launcher could not take the consent away (a locked keyring, a full disk): the count does. */
    judge_after_errors (self, facts);
  else
    judge_enabled (self, facts);
}

static void
judge (OcVerdict *self,
       const Facts *facts)
{
  char *block;

  if (oc_plugin_get_shadowed_by (facts->plugin) != NULL)
    {
      judge_shadowed (self, facts);
      return;
    }
  if (oc_plugin_get_problems (facts->plugin)->len > 0 || !oc_manifest_is_valid (facts->manifest)
      || oc_plugin_get_real_folder (facts->plugin) == NULL)
    {
      judge_invalid (self, facts);
      return;
    }
  block = oc_policy_explain_block (facts->policy, oc_plugin_get_id (facts->plugin),
                                   oc_manifest_get_permissions (facts->manifest));
  if (block != NULL)
    judge_blocked (self, block);
  else if (self->outcome != OC_CONSENT_VALID && self->outcome != OC_CONSENT_ABSENT)
    judge_unusable_consent (self, facts);
  else
    judge_record (self, facts);
}

OcVerdict *
oc_state_evaluate (OcPlugin *plugin,
                   OcConsent *consent,
                   OcPolicy *policy,
                   const OcHealth *health,
                   gboolean review_every_update)
{
  OcVerdict *self;
  Facts facts;

  g_return_val_if_fail (plugin != NULL && consent != NULL && policy != NULL, NULL);
  facts = (Facts){
    .plugin = plugin,
    .manifest = oc_plugin_get_manifest (plugin),
    .consent = consent,
    .policy = policy,
    .record = oc_consent_look_up (consent, oc_plugin_get_id (plugin)),
    .errors_in_a_row = health != NULL ? health->errors_in_a_row : 0,
    .review_every_update = review_every_update,
  };
  self = g_atomic_rc_box_new0 (OcVerdict);
  self->reasons = g_ptr_array_new_with_free_func (g_free);
  self->added = oc_permission_set_new (NULL);
  self->removed = oc_permission_set_new (NULL);
  self->outcome = oc_consent_get_outcome (consent);
  self->record = facts.record != NULL ? oc_consent_record_ref (facts.record) : NULL;
  self->errors_in_a_row = facts.errors_in_a_row;
  judge (self, &facts);
  g_ptr_array_add (self->reasons, NULL);
  return self;
}

static void
verdict_clear (gpointer data)
{
  OcVerdict *self = data;

  g_ptr_array_unref (self->reasons);
  g_free (self->summary);
  oc_permission_set_unref (self->added);
  oc_permission_set_unref (self->removed);
  g_clear_pointer (&self->record, oc_consent_record_unref);
}

OcVerdict *
oc_verdict_ref (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_verdict_unref (OcVerdict *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, verdict_clear);
}

gboolean
oc_verdict_equal (OcVerdict *a,
                  OcVerdict *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);
  return a->state == b->state && a->outcome == b->outcome && a->can_enable == b->can_enable && a->updated == b->updated
         && a->other_kind == b->other_kind && a->errors_in_a_row == b->errors_in_a_row && strcmp (a->summary, b->summary) == 0
         && g_strv_equal ((const char *const *) a->reasons->pdata, (const char *const *) b->reasons->pdata)
         && oc_permission_set_equal (a->added, b->added) && oc_permission_set_equal (a->removed, b->removed)
         && oc_consent_record_equal (a->record, b->record);
}

OcState
oc_verdict_get_state (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, OC_STATE_DISABLED);
  return self->state;
}

gboolean
oc_verdict_can_enable (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->can_enable;
}

const char *const *
oc_verdict_get_reasons (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return (const char *const *) self->reasons->pdata;
}

const char *
oc_verdict_get_summary (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->summary;
}

OcPermissionSet *
oc_verdict_get_added (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->added;
}

OcPermissionSet *
oc_verdict_get_removed (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->removed;
}

gboolean
oc_verdict_is_updated (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->updated;
}

gboolean
oc_verdict_is_other_kind (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->other_kind;
}

OcConsentRecord *
oc_verdict_get_record (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->record;
}

OcConsentOutcome
oc_verdict_get_consent_outcome (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, OC_CONSENT_DAMAGED);
  return self->outcome;
}

guint
oc_verdict_get_errors_in_a_row (OcVerdict *self)
{
  g_return_val_if_fail (self != NULL, 0);
  return self->errors_in_a_row;
}
