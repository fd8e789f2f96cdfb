/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-seal-private.h"

/* The digits and a line feed. */
#define KEY_FILE_BYTES (OC_SEAL_KEY_HEX + 1)

/* Whoever could write it could seal; whoever could read it could too. */
static gboolean
check_key_file (const char *path,
                const struct stat *status,
                GError **error)
{
  const char *fault = NULL;

  if (!S_ISREG (status->st_mode))
    fault = _ ("it is not a regular file");
  else if (status->st_uid != geteuid ())
    fault = _ ("it belongs to another user");
  else if ((status->st_mode & 077) != 0)
    fault = _ ("other users may read or write it");
  else if (status->st_nlink != 1)
    fault = _ ("it has a second name (a hard link)");
  if (fault == NULL)
    return TRUE;
  g_set_error (error, OC_ERROR, OC_ERROR_FORGED,
               _ ("The key file “%s” is not used: %s. If you are sure that nobody changed it, make it a regular file of "
                  "your own with mode 0600; otherwise move it and “consent.json” away and review each plugin again."),
               path, fault);
  return FALSE;
}

gboolean
oc_seal_file_find (OcPaths *paths,
                   OcSealLook *look,
                   GError **error)
{
  const char *path = oc_paths_get_key_file (paths);
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  char text[KEY_FILE_BYTES + 1];
  guint8 bytes[OC_SEAL_KEY_BYTES];
  struct stat status;
  gssize n;

  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
    {
      look->missing = TRUE;
      return TRUE;
    }
  if (fd < 0 && errno == ELOOP)
    {
      status = (struct stat){ .st_mode = S_IFLNK };
      return check_key_file (path, &status, error);
    }
  if (fd < 0 || fstat (fd, &status) < 0)
    {
      oc_set_error_errno (error, errno, _ ("The key file “%s” cannot be read: %s."), path);
      return FALSE;
    }
  if (!check_key_file (path, &status, error))
    return FALSE;
  n = oc_fd_read_all (fd, text, sizeof text);
  if (n < 0)
    {
      oc_set_error_errno (error, errno, _ ("The key file “%s” cannot be read: %s."), path);
      return FALSE;
    }
  if (n == KEY_FILE_BYTES && text[OC_SEAL_KEY_HEX] == '\n'
      && oc_seal_key_decode (text, OC_SEAL_KEY_HEX, bytes))
    look->key = oc_seal_key_new (OC_PROTECTION_KEY_FILE, bytes);
  else
    g_set_error (error, OC_ERROR, OC_ERROR_LOCKED,
                 _ ("The key file “%s” does not hold a key. If it cannot be brought back, move it and “consent.json” away "
                    "and review each plugin again."),
                 path);
  explicit_bzero (text, sizeof text);
  explicit_bzero (bytes, sizeof bytes);
  return look->key != NULL;
}

/* Written whole under another name, then linked to its own: a half-written key is never seen, and an existing one never
 * replaced. */
static gboolean
store_key (OcPaths *paths,
           const char *text,
           GError **error)
{
  const char *path = oc_paths_get_key_file (paths);
  g_autofree char *temporary = g_strconcat (path, ".new", NULL);
  g_auto (OcFd) folder = open (oc_paths_get_base (paths), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_auto (OcFd) fd = -1;
  gboolean ok;

  (void) g_unlink (temporary);
  fd = open (temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  ok = folder >= 0 && fd >= 0 && fchmod (fd, 0600) == 0 && oc_fd_write_all (fd, text, KEY_FILE_BYTES)
       && fsync (fd) == 0 && link (temporary, path) == 0;
  if (!ok)
    oc_set_error_errno (error, errno, _ ("The key file “%s” cannot be written: %s."), path);
  if (fd >= 0)
    (void) g_unlink (temporary);
  if (ok && fsync (folder) < 0)
    {
      oc_set_error_errno (error, errno, _ ("The key file “%s” cannot be written: %s."), path);
      return FALSE;
    }
  return ok;
}

OcSealKey *
oc_seal_file_make (OcPaths *paths,
                   GError **error)
{
  OcSealLook look = { 0 };
  guint8 bytes[OC_SEAL_KEY_BYTES];
  char text[KEY_FILE_BYTES + 1];
  OcSealKey *key = NULL;

  if (!oc_seal_file_find (paths, &look, error))
    return NULL;
  if (!look.missing)
    return look.key;
  if (!oc_paths_ensure (paths, error) || !oc_seal_key_fill (bytes, error))
    return NULL;
  oc_seal_key_encode (bytes, text);
  text[OC_SEAL_KEY_HEX] = '\n';
  if (store_key (paths, text, error))
    key = oc_seal_key_new (OC_PROTECTION_KEY_FILE, bytes);
  explicit_bzero (text, sizeof text);
  explicit_bzero (bytes, sizeof bytes);
  return key;
}
