/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-seal.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-seal-private.h"

struct _OcSealKey
{
  gatomicrefcount ref_count;
  OcProtection protection;
  gsize size;    /* of the page the key lies in */
  guint8 *bytes; /* a page of its own */
};

const char *
oc_protection_to_id (OcProtection protection)
{
  switch (protection)
    {
    case OC_PROTECTION_KEYRING:
      return "keyring";
    case OC_PROTECTION_KEY_FILE:
      return "key-file";
    case OC_PROTECTION_NONE:
      break;
    }
  return "none";
}

OcSealKey *
oc_seal_key_new (OcProtection protection,
                 const guint8 bytes[OC_SEAL_KEY_BYTES])
{
  OcSealKey *self = g_new0 (OcSealKey, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->protection = protection;
  self->size = (gsize) sysconf (_SC_PAGESIZE);
  self->bytes = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self->bytes == MAP_FAILED)
    g_error ("out of memory for a page");
  /* Each may fail (RLIMIT_MEMLOCK, old kernel); the key is then no worse off than any other memory. WIPEONFORK matters
   * most: a process cloned to become a sandbox starts without the key. */
  (void) mlock (self->bytes, self->size);
  (void) madvise (self->bytes, self->size, MADV_DONTDUMP);
  (void) madvise (self->bytes, self->size, MADV_WIPEONFORK);
  memcpy (self->bytes, bytes, OC_SEAL_KEY_BYTES);
  return self;
}

OcSealKey *
oc_seal_key_ref (OcSealKey *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
oc_seal_key_unref (OcSealKey *self)
{
  g_return_if_fail (self != NULL);
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  explicit_bzero (self->bytes, self->size);
  munmap (self->bytes, self->size);
  g_free (self);
}

OcProtection
oc_seal_key_get_protection (OcSealKey *self)
{
  g_return_val_if_fail (self != NULL, OC_PROTECTION_NONE);
  return self->protection;
}

char *
oc_seal_key_sign (OcSealKey *self,
                  const char *data,
                  gsize len)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_compute_hmac_for_data (G_CHECKSUM_SHA256, self->bytes, OC_SEAL_KEY_BYTES,
                                  (const guchar *) data, len);
}

gboolean
oc_seal_key_verify (OcSealKey *self,
                    const char *data,
                    gsize len,
                    const char *seal_hex)
{
  g_autofree char *expected = NULL;
  guint8 difference = 0;

  g_return_val_if_fail (self != NULL && seal_hex != NULL, FALSE);
  if (strlen (seal_hex) != OC_SEAL_KEY_HEX)
    return FALSE;
  expected = oc_seal_key_sign (self, data, len);
  for (gsize i = 0; i < OC_SEAL_KEY_HEX; i++)
    difference |= (guint8) expected[i] ^ (guint8) seal_hex[i];
  return difference == 0;
}

gboolean
oc_seal_key_decode (const char *hex,
                    gsize len,
                    guint8 bytes[OC_SEAL_KEY_BYTES])
{
  if (len != OC_SEAL_KEY_HEX)
    return FALSE;
  for (gsize i = 0; i < OC_SEAL_KEY_BYTES; i++)
    {
      int high = g_ascii_xdigit_value (hex[2 * i]);
      int low = g_ascii_xdigit_value (hex[2 * i + 1]);

      if (high < 0 || low < 0)
        return FALSE;
      bytes[i] = (guint8) (high * 16 + low);
    }
  return TRUE;
}

void
oc_seal_key_encode (const guint8 bytes[OC_SEAL_KEY_BYTES],
                    char *hex)
{
  static const char digits[] = "0123456789abcdef";

  for (gsize i = 0; i < OC_SEAL_KEY_BYTES; i++)
    {
      hex[2 * i] = digits[bytes[i] >> 4];
      hex[2 * i + 1] = digits[bytes[i] & 15];
    }
  hex[OC_SEAL_KEY_HEX] = '\0';
}

gboolean
oc_seal_key_fill (guint8 bytes[OC_SEAL_KEY_BYTES],
                  GError **error)
{
  ssize_t n;

  do
    n = getrandom (bytes, OC_SEAL_KEY_BYTES, 0);
  while (n < 0 && errno == EINTR);
  if (n == OC_SEAL_KEY_BYTES)
    return TRUE;
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _ ("The kernel gave no random bytes for a new key: %s."),
               g_strerror (n < 0 ? errno : EIO));
  return FALSE;
}

/* The key belongs to one data folder: another home of the same user has another key, and a consent file carried from
 * one to the other does not fit. A URI, since attributes of the keyring are UTF-8 and paths need not be. */
static char *
dup_folder_name (OcPaths *paths)
{
  const char *base = oc_paths_get_base (paths);
  g_autofree char *real = realpath (base, NULL);

  return g_filename_to_uri (real != NULL ? real : base, NULL, NULL);
}

static OcSealKey *
keyring_key (OcKeyringTask task,
             OcPaths *paths,
             GCancellable *cancellable,
             GError **error)
{
  g_autofree char *folder = dup_folder_name (paths);
  OcKeyringAnswer answer = { 0 };

  if (!oc_seal_keyring_do (task, folder, &answer, cancellable, error))
    return NULL;
  if (answer.key == NULL)
    g_set_error (error, OC_ERROR, OC_ERROR_LOCKED,
                 answer.present
                     ? _ ("The key that seals “%s” is no longer in the keyring. If it cannot be brought back, move "
                          "that file away and review each plugin again.")
                     : _ ("The key that seals “%s” is in the keyring, and no keyring service can be reached from "
                          "here. Try again from the desktop session."),
                 oc_paths_get_consent (paths));
  return answer.key;
}

OcProtection
oc_seal_probe (GCancellable *cancellable,
               GError **error)
{
  OcKeyringAnswer answer = { 0 };

  if (!oc_seal_keyring_do (OC_KEYRING_PROBE, NULL, &answer, cancellable, error))
    return OC_PROTECTION_NONE;
  return answer.present ? OC_PROTECTION_KEYRING : OC_PROTECTION_KEY_FILE;
}

gboolean
oc_seal_keyring_has_key (OcPaths *paths,
                         gboolean *has_key,
                         GCancellable *cancellable,
                         GError **error)
{
  g_autofree char *folder = dup_folder_name (paths);
  OcKeyringAnswer answer = { 0 };

  if (!oc_seal_keyring_do (OC_KEYRING_HAS_KEY, folder, &answer, cancellable, error))
    return FALSE;
  *has_key = answer.has_key;
  return TRUE;
}

OcSealKey *
oc_seal_find_key (OcPaths *paths,
                  OcProtection protection,
                  GCancellable *cancellable,
                  GError **error)
{
  OcSealLook look = { 0 };

  switch (protection)
    {
    case OC_PROTECTION_KEYRING:
      return keyring_key (OC_KEYRING_FIND, paths, cancellable, error);
    case OC_PROTECTION_KEY_FILE:
      if (!oc_seal_file_find (paths, &look, error))
        return NULL;
      if (look.missing)
        g_set_error (error, OC_ERROR, OC_ERROR_LOCKED,
                     _ ("The key file “%s” that seals “%s” is gone. If it cannot be brought back, move the latter away "
                        "and review each plugin again."),
                     oc_paths_get_key_file (paths), oc_paths_get_consent (paths));
      return look.key;
    case OC_PROTECTION_NONE:
      break;
    }
  g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("Nothing seals the consent file."));
  return NULL;
}

OcSealKey *
oc_seal_make_key (OcPaths *paths,
                  OcProtection protection,
                  GCancellable *cancellable,
                  GError **error)
{
  switch (protection)
    {
    case OC_PROTECTION_KEYRING:
      return keyring_key (OC_KEYRING_MAKE, paths, cancellable, error);
    case OC_PROTECTION_KEY_FILE:
      return oc_seal_file_make (paths, error);
    case OC_PROTECTION_NONE:
      break;
    }
  g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("Nothing seals the consent file."));
  return NULL;
}

gboolean
oc_seal_unlock (GCancellable *cancellable,
                GError **error)
{
  OcKeyringAnswer answer = { 0 };

  if (!oc_seal_keyring_do (OC_KEYRING_UNLOCK, NULL, &answer, cancellable, error))
    return FALSE;
  if (answer.present)
    return TRUE;
  g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED,
                       _ ("No keyring service can be reached from here, so there is nothing to unlock."));
  return FALSE;
}
