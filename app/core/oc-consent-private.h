/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-consent.h"
#include "core/oc-fd.h"
#include "core/oc-json-write.h"

G_BEGIN_DECLS

/* 10,000 plugins with the longest reviewable permission lists stay below; what is larger was not written by us. */
#define OC_CONSENT_MAX_BYTES (16 * 1024 * 1024)
#define OC_CONSENT_VERSION 1
/* A record's last lines of output. */
#define OC_FAILURE_MAX_OUTPUT 4096
#define OC_FAILURE_MAX_MESSAGE 1024
/* A record keeps the errors of one row; more would only repeat them. */
#define OC_RECORD_MAX_FAILURES 16

/* ---- records (oc-consent-record.c) ---- */

/* What a new or changed record says. Borrowed. */
typedef struct
{
  OcRecordState state;
  const char *folder;      /* real folder, any bytes */
  const char *link;        /* (nullable) the symlink it was found through */
  const char *born;        /* (nullable) when the folder was made */
  const char *kind;        /* "process", … */
  OcPermissionSet *permissions;
  const char *digest;
  const char *version;     /* (nullable) */
  gint64 time;
  const char *surface;
  GPtrArray *failures;     /* (nullable) (element-type OcFailure) */
} OcRecordFields;

/* @data: the record's bytes in the file. What this version does not understand becomes OC_RECORD_UNKNOWN. Never NULL. */
OcConsentRecord *oc_consent_record_parse (const char *id,
                                          const char *data,
                                          gsize len);
/* The JSON of @fields, with the members of @old (nullable: the bytes it replaces) that this version does not know
 * copied byte for byte. (transfer full) */
char *oc_consent_record_format (const OcRecordFields *fields,
                                OcConsentRecord *old);
/* Borrows from @self. */
OcRecordFields oc_consent_record_get_fields (OcConsentRecord *self);
/* Its bytes in the file. */
const char *oc_consent_record_get_raw (OcConsentRecord *self);
/* A copy that remembers the bytes of the disabled record that took its place, for Undo. */
OcConsentRecord *oc_consent_record_with_successor (OcConsentRecord *self,
                                                   const char *successor);
/* (nullable) */
const char *oc_consent_record_get_successor (OcConsentRecord *self);

/* ---- the file (oc-consent-file.c) ---- */

/* The consent file as read once. */
typedef struct
{
  OcConsentOutcome outcome;
  gboolean later_version;  /* LOCKED because a later version wrote it */
  gboolean keep;           /* FORGED by its place (owner, mode, link): never moved */
  char *message;           /* (nullable) */
  OcProtection protection;
  OcSealKey *key;          /* (nullable) only when VALID */
  char *data;              /* NUL-terminated */
  gsize len;
  gsize sealed_len;        /* what the seal covers */
  gsize records_start;     /* offset of the records object's "{" */
  gsize records_end;       /* offset after its "}" */
  GArray *records;         /* (element-type OcJsonSpan), offsets into @data */
} OcConsentFile;

/* Where the records of the object at @start lie in @data, which must be well-formed JSON. @records_end: after its "}".
 * (transfer full) (nullable) (element-type OcJsonSpan): NULL where it is not as we write it. */
GArray *oc_consent_index_records (const char *data,
                                  gsize start,
                                  gsize len,
                                  gsize *records_end);

OcConsentFile *oc_consent_file_read (OcPaths *paths,
                                     GCancellable *cancellable);
void oc_consent_file_free (OcConsentFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcConsentFile, oc_consent_file_free)
/* (nullable): NULL where there is none. */
OcConsentRecord *oc_consent_file_get_record (OcConsentFile *self,
                                             const char *id);
/* An error that says what @self's outcome forbids; TRUE for VALID and ABSENT. */
gboolean oc_consent_file_check (OcConsentFile *self,
                                GError **error);
/* Replaces, adds (@record not NULL) or takes out (NULL) one record, seals and writes. The lock must be held.
 * @self: VALID or ABSENT. */
gboolean oc_consent_file_write (OcConsentFile *self,
                                OcPaths *paths,
                                const char *id,
                                const char *record,
                                GCancellable *cancellable,
                                GError **error);
/* Moves a damaged or forged file to a new name, under the lock. (transfer full): the new path. */
char *oc_consent_file_set_aside (OcPaths *paths,
                                 OcConsentOutcome outcome,
                                 GError **error);
/* Set-aside files, newest first. (transfer full) */
char **oc_consent_file_list_set_aside (OcPaths *paths);
/* Waits for the lock, within bounds. Returns a descriptor that holds it until closed, or -1 and an error. */
int oc_consent_file_lock (OcPaths *paths,
                          GCancellable *cancellable,
                          GError **error);

G_END_DECLS
