/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The kinds of permission (system.md section 5). UNKNOWN is zero: unknown means deny. */
typedef enum
{
  OC_PERMISSION_UNKNOWN = 0,
  OC_PERMISSION_SELECTION_READ,
  OC_PERMISSION_PROCESS_SPAWN,  /* argument: tool name */
  OC_PERMISSION_FILE_READ_TEXT,
  OC_PERMISSION_OPEN_URL,
  OC_PERMISSION_APP_OPEN,       /* argument: desktop id */
  OC_PERMISSION_NETWORK_CLIENT,
  OC_PERMISSION_FS,             /* argument: one glob */
  OC_PERMISSION_NET,            /* argument: one host name, or host:port */
  OC_PERMISSION_ENV,            /* argument: one key */
  OC_PERMISSION_SPAWN,
  OC_PERMISSION_AI,
  OC_PERMISSION_OCR,
  OC_PERMISSION_CICD_CREDENTIALS, /* a hook's ctx.cicdCredentials */
  OC_N_PERMISSIONS
} OcPermissionKind;

/* "process.spawn"; NULL for UNKNOWN. */
const char *oc_permission_kind_to_id (OcPermissionKind kind);
/* UNKNOWN where there is none. Exact. */
OcPermissionKind oc_permission_kind_from_id (const char *id);
gboolean oc_permission_kind_takes_argument (OcPermissionKind kind);

/**
 * OcPermission:
 *
 * One capability with its argument, e.g. `process.spawn:git` or `net:api.example.com`. Valid by construction.
 * Immutable, atomically refcounted.
 */
typedef struct _OcPermission OcPermission;

/* @text: "kind" or "kind:argument". Arguments are brought into their one canonical form: host
 * names in lower case, without the trailing dot and by their A-labels ("[::1]:443" for IPv6
 * addresses); desktop ids without anything added or cut off (the file is always <id>.desktop);
 * all else as written. Errors: OC_ERROR_INVALID naming what is wrong and the remedy. The text in
 * the message is already escaped for display. */
OcPermission *oc_permission_parse (const char *text,
                                   GError **error);
/* @argument: (nullable) exactly where the kind takes none. */
OcPermission *oc_permission_new (OcPermissionKind kind,
                                 const char *argument,
                                 GError **error);
OcPermission *oc_permission_ref (OcPermission *self);
void oc_permission_unref (OcPermission *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcPermission, oc_permission_unref)

OcPermissionKind oc_permission_get_kind (const OcPermission *self);
/* (nullable) */
const char *oc_permission_get_argument (const OcPermission *self);
/* Canonical text, e.g. "process.spawn:git". */
const char *oc_permission_get_text (const OcPermission *self);
gboolean oc_permission_equal (const OcPermission *a,
                              const OcPermission *b);
/* By text, bytewise. */
int oc_permission_compare (const OcPermission *a,
                           const OcPermission *b);

/**
 * OcPermissionSet:
 *
 * Sorted by text, no duplicates, immutable, atomically refcounted. What consent is given to.
 */
typedef struct _OcPermissionSet OcPermissionSet;

/* @permissions: (element-type OcPermission) (nullable): borrowed; duplicates collapse. */
OcPermissionSet *oc_permission_set_new (GPtrArray *permissions);
OcPermissionSet *oc_permission_set_ref (OcPermissionSet *self);
void oc_permission_set_unref (OcPermissionSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcPermissionSet, oc_permission_set_unref)

guint oc_permission_set_get_n (const OcPermissionSet *self);
OcPermission *oc_permission_set_get (const OcPermissionSet *self,
                                     guint i);
gboolean oc_permission_set_contains (const OcPermissionSet *self,
                                     const OcPermission *permission);
/* @argument: (nullable). The check that every host API call makes; allocates nothing. */
gboolean oc_permission_set_grants (const OcPermissionSet *self,
                                   OcPermissionKind kind,
                                   const char *argument);
gboolean oc_permission_set_equal (const OcPermissionSet *a,
                                  const OcPermissionSet *b);
/* Those of @self that are not in @other. */
OcPermissionSet *oc_permission_set_minus (const OcPermissionSet *self,
                                          const OcPermissionSet *other);
/* (transfer full) */
char **oc_permission_set_to_strv (const OcPermissionSet *self);
/* @texts: (nullable). Errors: OC_ERROR_INVALID. */
OcPermissionSet *oc_permission_set_parse (const char *const *texts,
                                          GError **error);

G_END_DECLS
