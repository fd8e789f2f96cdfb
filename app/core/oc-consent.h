/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-paths.h"
#include "core/oc-permission.h"
#include "core/oc-plugin.h"
#include "core/oc-seal.h"

G_BEGIN_DECLS

/* The five outcomes of loading (system.md section 6), never mixed. Only VALID can grant. */
typedef enum
{
  OC_CONSENT_DAMAGED = 0, /* kept aside under a new name */
  OC_CONSENT_FORGED,      /* the seal does not fit: kept aside. Also a file (or key file) that is a link, no regular file,
                           * another user's, or writable by others: that one is left where it is, for the user to mend */
  OC_CONSENT_LOCKED,      /* keyring locked or its key gone, file unreadable, or made by a later version: nothing is
                           * rewritten and nothing set aside */
  OC_CONSENT_ABSENT,
  OC_CONSENT_VALID,
} OcConsentOutcome;
/* "damaged", "forged", "locked", "absent", "valid" */
const char *oc_consent_outcome_to_id (OcConsentOutcome outcome);

typedef enum
{
  OC_RECORD_DISABLED = 0,
  OC_RECORD_ENABLED,
  OC_RECORD_DISABLED_AFTER_ERRORS,
  OC_RECORD_UNKNOWN, /* of a later version: grants nothing, kept byte for byte */
} OcRecordState;

/* One error of a run, as kept with a record that was disabled after errors. */
typedef struct
{
  gint64 time;   /* µs since 1970, UTC */
  char *entry;   /* entry id */
  char *kind;    /* "crash", "time-out", "protocol", "exception" */
  char *message; /* the launcher's words, with the plugin's in them: show with oc_text_escape_message() */
  char *output;  /* last lines of its output, raw, at most 4 KiB */
} OcFailure;
OcFailure *oc_failure_new (gint64 time,
                           const char *entry,
                           const char *kind,
                           const char *message,
                           const char *output);
void oc_failure_free (OcFailure *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcFailure, oc_failure_free)

/**
 * OcConsentRecord: what the user decided for one plugin. Immutable, atomically refcounted.
 */
typedef struct _OcConsentRecord OcConsentRecord;
OcConsentRecord *oc_consent_record_ref (OcConsentRecord *self);
void oc_consent_record_unref (OcConsentRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcConsentRecord, oc_consent_record_unref)
const char *oc_consent_record_get_id (OcConsentRecord *self);
const char *oc_consent_record_get_folder (OcConsentRecord *self);
OcRecordState oc_consent_record_get_state (OcConsentRecord *self);
/* What was consented to; kept (as history, granting nothing) when disabled, for "what changed". */
OcPermissionSet *oc_consent_record_get_permissions (OcConsentRecord *self);
const char *oc_consent_record_get_digest (OcConsentRecord *self);
/* (nullable) */
const char *oc_consent_record_get_version (OcConsentRecord *self);
gint64 oc_consent_record_get_time (OcConsentRecord *self);
/* "window", "terminal" */
const char *oc_consent_record_get_surface (OcConsentRecord *self);
/* (transfer none) (element-type OcFailure); empty unless disabled after errors */
GPtrArray *oc_consent_record_get_failures (OcConsentRecord *self);
/* The kind of plugin that was consented to: what it can do without asking depends on it. (nullable) in old records */
const char *oc_consent_record_get_kind (OcConsentRecord *self);
/* Whether it is of exactly this id in exactly this folder: same real folder, made at the same time, and found through the
 * same symlink or none (consent never carries over by copying, shadowing, linking, or removing and installing again). */
gboolean oc_consent_record_belongs_to (OcConsentRecord *self,
                                       OcPlugin *plugin);
/* Same id and same bytes. Both nullable. */
gboolean oc_consent_record_equal (OcConsentRecord *a,
                                  OcConsentRecord *b);

/**
 * OcConsent: the consent file as it was when loaded. Immutable, atomically refcounted.
 */
typedef struct _OcConsent OcConsent;

/* Never NULL and never an error: whatever is wrong is an outcome that grants nothing, with a message that names
 * the file, what is wrong, and what to do. Blocks (file, lock, maybe D-Bus). Setting a damaged or forged file
 * aside is done here, under the lock. */
OcConsent *oc_consent_load (OcPaths *paths,
                            GCancellable *cancellable);
OcConsent *oc_consent_ref (OcConsent *self);
void oc_consent_unref (OcConsent *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcConsent, oc_consent_unref)

OcConsentOutcome oc_consent_get_outcome (OcConsent *self);
/* Translated; NULL for VALID and ABSENT. */
const char *oc_consent_get_message (OcConsent *self);
/* Where a damaged or forged file was moved to. (nullable) */
const char *oc_consent_get_set_aside (OcConsent *self);
/* Set-aside files that still lie beside the consent file, newest first. NULL-terminated, maybe empty */
const char *const *oc_consent_get_set_aside_files (OcConsent *self);
OcProtection oc_consent_get_protection (OcConsent *self);
/* (nullable) (transfer none) */
OcConsentRecord *oc_consent_look_up (OcConsent *self,
                                     const char *id);
/* (transfer full) (element-type OcConsentRecord), sorted by id */
GPtrArray *oc_consent_list (OcConsent *self);

/* Whether both say the same of everything. Both nullable. */
gboolean oc_consent_equal (OcConsent *a,
                           OcConsent *b);

/* Every change below takes the lock, reads the file again, verifies its seal, changes one record and leaves all
 * others byte for byte, writes, fsyncs, renames, fsyncs the folder. All may block. Errors: OC_ERROR_LOCKED,
 * _DAMAGED, _FORGED, _IO. On an error the file is as it was. */

/* Consent to exactly what was shown. @shown is loaded again from its folder: where the manifest's bytes differ from
 * those shown, OC_ERROR_STALE and nothing is written. Invalid or shadowed plugins: OC_ERROR_INVALID.
 * Blocked by policy is the caller's to check with oc_state_evaluate() *and* checked again here: OC_ERROR_DENIED. */
gboolean oc_consent_enable (OcPaths *paths,
                            OcPlugin *shown,
                            const char *surface,
                            GCancellable *cancellable,
                            GError **error);
/* No record, or already disabled: TRUE and nothing is written.
 * @previous: (out) (optional) (nullable) (transfer full): the record as it was when it was enabled, for Undo. */
gboolean oc_consent_disable (OcPaths *paths,
                             const char *id,
                             const char *surface,
                             OcConsentRecord **previous,
                             GCancellable *cancellable,
                             GError **error);
/* Undo of a disable by the same surface: gives back @previous exactly, if the record is still the disabled one, and
 * the plugin's folder and manifest bytes are still those of @previous. Else OC_ERROR_STALE. */
gboolean oc_consent_undo_disable (OcPaths *paths,
                                  OcConsentRecord *previous,
                                  GCancellable *cancellable,
                                  GError **error);
/* Only where the record is still enabled; else TRUE, nothing written. Enabling starts the count anew, so that an error
 * of before cannot count against a later consent. @failures: (element-type OcFailure)
 * @disabled: (out) (optional): whether this call did it; of several at once exactly one. */
gboolean oc_consent_disable_after_errors (OcPaths *paths,
                                          const char *id,
                                          GPtrArray *failures,
                                          gboolean *disabled,
                                          GCancellable *cancellable,
                                          GError **error);
/* Uninstalled: the record goes. */
gboolean oc_consent_forget (OcPaths *paths,
                            const char *id,
                            GCancellable *cancellable,
                            GError **error);

G_END_DECLS
