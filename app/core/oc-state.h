/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-consent.h"
#include "core/oc-plugin.h"
#include "core/oc-policy.h"

G_BEGIN_DECLS

/* system.md section 7. Only ENABLED runs; zero does not. */
typedef enum
{
  OC_STATE_DISABLED = 0,
  OC_STATE_ENABLED,
  OC_STATE_NEEDS_REVIEW,
  OC_STATE_DISABLED_AFTER_ERRORS,
  OC_STATE_INVALID,
  OC_STATE_BLOCKED,
  OC_STATE_SHADOWED,
} OcState;
/* "disabled", "enabled", "needs-review", "disabled-after-errors", "invalid", "blocked", "shadowed" */
const char *oc_state_to_id (OcState state);
/* Translated: "Needs review" */
const char *oc_state_to_label (OcState state);

/* How a plugin has been doing, from the activity. Not part of consent. */
typedef struct
{
  guint errors_in_a_row;
  gint64 last_run; /* µs, 0: never */
} OcHealth;

#define OC_HEALTH_MAX_ERRORS 3

/**
 * OcVerdict: state and reasons of one plugin. Immutable, atomically refcounted.
 */
typedef struct _OcVerdict OcVerdict;

/* The one pure function: no I/O, no clock. @health: (nullable): none known. */
OcVerdict *oc_state_evaluate (OcPlugin *plugin,
                              OcConsent *consent,
                              OcPolicy *policy,
                              const OcHealth *health,
                              gboolean review_every_update);
OcVerdict *oc_verdict_ref (OcVerdict *self);
void oc_verdict_unref (OcVerdict *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcVerdict, oc_verdict_unref)

/* Whether both say the same of the same record. */
gboolean oc_verdict_equal (OcVerdict *a,
                           OcVerdict *b);

OcState oc_verdict_get_state (OcVerdict *self);
/* Whether a surface may offer to enable it (valid, not shadowed, not blocked, consent usable, not enabled). */
gboolean oc_verdict_can_enable (OcVerdict *self);
/* Whole translated sentences, most important first, maybe empty. NULL-terminated */
const char *const *oc_verdict_get_reasons (OcVerdict *self);
/* For the list's second line. Translated, never NULL: "2 permissions", "Asks for 1 more permission". */
const char *oc_verdict_get_summary (OcVerdict *self);
/* Against the last consent, for NEEDS_REVIEW; empty otherwise. */
OcPermissionSet *oc_verdict_get_added (OcVerdict *self);
OcPermissionSet *oc_verdict_get_removed (OcVerdict *self);
/* Was another kind of plugin when it was enabled: needs review, since what it can do without asking changed. */
gboolean oc_verdict_is_other_kind (OcVerdict *self);
/* Enabled, same set, other bytes or version. */
gboolean oc_verdict_is_updated (OcVerdict *self);
/* The record, also where it grants nothing. (nullable) */
OcConsentRecord *oc_verdict_get_record (OcVerdict *self);
/* The consent file's outcome it was computed with. */
OcConsentOutcome oc_verdict_get_consent_outcome (OcVerdict *self);
guint oc_verdict_get_errors_in_a_row (OcVerdict *self);

G_END_DECLS
