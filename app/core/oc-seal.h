/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-paths.h"

G_BEGIN_DECLS

/* What keeps the key that seals the consent file. NONE is zero: nothing seals, nothing is granted. */
typedef enum
{
  OC_PROTECTION_NONE = 0,
  OC_PROTECTION_KEYRING,
  OC_PROTECTION_KEY_FILE,
} OcProtection;
/* "keyring", "key-file", "none" */
const char *oc_protection_to_id (OcProtection protection);

#define OC_SEAL_KEY_BYTES 32

/**
 * OcSealKey: an HMAC-SHA-256 key, in locked memory, wiped when freed. Atomically refcounted.
 */
typedef struct _OcSealKey OcSealKey;
OcSealKey *oc_seal_key_ref (OcSealKey *self);
void oc_seal_key_unref (OcSealKey *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcSealKey, oc_seal_key_unref)
OcProtection oc_seal_key_get_protection (OcSealKey *self);
/* 64 hex digits. (transfer full) */
char *oc_seal_key_sign (OcSealKey *self,
                        const char *data,
                        gsize len);
/* Constant time. */
gboolean oc_seal_key_verify (OcSealKey *self,
                             const char *data,
                             gsize len,
                             const char *seal_hex);

/* Which protection a *new* consent file would get here: KEYRING where a Secret Service answers or can be
 * activated, KEY_FILE where there is none at all. May block on D-Bus. Errors: OC_ERROR_LOCKED where it cannot be told. */
OcProtection oc_seal_probe (GCancellable *cancellable,
                            GError **error);
/* The existing key for @protection; blocks on D-Bus, never prompts. Errors: OC_ERROR_LOCKED (locked, gone, service
 * unreachable), OC_ERROR_FORGED (key file not a regular 0600 file of the user's own). */
OcSealKey *oc_seal_find_key (OcPaths *paths,
                             OcProtection protection,
                             GCancellable *cancellable,
                             GError **error);
/* Whether the keyring holds the key of a consent file in this data folder. Where it does, a file sealed by the key file is a
 * forgery: somebody would have swapped the strong seal for one that they can make. Reads no secret, never prompts. FALSE
 * where no Secret Service is there. Errors: OC_ERROR_LOCKED where it cannot be told. */
gboolean oc_seal_keyring_has_key (OcPaths *paths,
                                  gboolean *has_key,
                                  GCancellable *cancellable,
                                  GError **error);
/* The existing one, else a new random one, stored. Only for a consent file that does not exist yet. */
OcSealKey *oc_seal_make_key (OcPaths *paths,
                             OcProtection protection,
                             GCancellable *cancellable,
                             GError **error);
/* Asks the keyring to unlock itself, which may show its prompt. For the window's Unlock button. */
gboolean oc_seal_unlock (GCancellable *cancellable,
                         GError **error);

G_END_DECLS
