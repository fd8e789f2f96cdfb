/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-seal.h"

G_BEGIN_DECLS

/* The key as text, as the keyring and the key file hold it. */
#define OC_SEAL_KEY_HEX (2 * OC_SEAL_KEY_BYTES)

/* What a look for a key came to; NULL key with FALSE @missing never happens without an error. */
typedef struct
{
  OcSealKey *key;
  gboolean missing; /* looked properly, and there is none */
} OcSealLook;

/* Copies @bytes into locked memory; the caller wipes its own copy. */
OcSealKey *oc_seal_key_new (OcProtection protection,
                            const guint8 bytes[OC_SEAL_KEY_BYTES]);
/* OC_SEAL_KEY_HEX lower-case digits. FALSE where @hex is anything else. */
gboolean oc_seal_key_decode (const char *hex,
                             gsize len,
                             guint8 bytes[OC_SEAL_KEY_BYTES]);
/* @hex has room for OC_SEAL_KEY_HEX + 1. */
void oc_seal_key_encode (const guint8 bytes[OC_SEAL_KEY_BYTES],
                         char *hex);
/* From the kernel. */
gboolean oc_seal_key_fill (guint8 bytes[OC_SEAL_KEY_BYTES],
                           GError **error);

/* The key file. Errors: OC_ERROR_FORGED (not a regular file of the user's own with mode 0600), OC_ERROR_IO. */
gboolean oc_seal_file_find (OcPaths *paths,
                            OcSealLook *look,
                            GError **error);
OcSealKey *oc_seal_file_make (OcPaths *paths,
                              GError **error);

typedef enum
{
  OC_KEYRING_PROBE,
  OC_KEYRING_HAS_KEY, /* without its secret: no key negotiation */
  OC_KEYRING_FIND,
  OC_KEYRING_MAKE,
  OC_KEYRING_UNLOCK,
} OcKeyringTask;

typedef struct
{
  gboolean present; /* a Secret Service runs or can be started */
  gboolean has_key;
  OcSealKey *key; /* (nullable) owned */
} OcKeyringAnswer;

/* Does one thing with the keyring; blocks until it is done, for at most five seconds (UNLOCK: until the user answered or
 * @cancellable). @folder names the key. Every error is OC_ERROR_LOCKED. */
gboolean oc_seal_keyring_do (OcKeyringTask task,
                             const char *folder,
                             OcKeyringAnswer *answer,
                             GCancellable *cancellable,
                             GError **error);

G_END_DECLS
