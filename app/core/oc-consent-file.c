/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-consent-private.h"
#include "core/oc-error.h"
#include "core/oc-json.h"

/* {"format":…,"version":…,"protection":…,"records":{…},
 * "seal":"<64 hex digits>"}
 *
 * The seal is the last thing in the file, in a form that never varies, and covers every byte before its comma. So a file is
 * split without being understood, and nothing can be moved, added or taken out unnoticed. */
#define FORMAT "ocelot-consent"
#define SEAL_HEAD ",\n\"seal\":\""
#define SEAL_TAIL "\"}\n"
#define SEAL_HEX 64
#define SEAL_BYTES (sizeof SEAL_HEAD - 1 + SEAL_HEX + sizeof SEAL_TAIL - 1)

void
oc_consent_file_free (OcConsentFile *self)
{
  g_free (self->message);
  g_clear_pointer (&self->key, oc_seal_key_unref);
  g_free (self->data);
  g_clear_pointer (&self->records, g_array_unref);
  g_free (self);
}

static void
set_outcome (OcConsentFile *self,
             OcConsentOutcome outcome,
             char *message)
{
  self->outcome = outcome;
  g_free (self->message);
  self->message = message;
}

/* In the wrong hands, or not even a file: nothing in it is believed, and it is not ours to move. */
static void
set_misplaced (OcConsentFile *self,
               const char *path,
               const char *fault)
{
  self->keep = TRUE;
  set_outcome (self, OC_CONSENT_FORGED,
               g_strdup_printf (_ ("The consent file “%s” is not used: %s. Nothing is granted. Make it a regular file of "
                                   "your own with mode 0600, or move it away and review each plugin again."),
                                path, fault));
}

static void
set_unreadable (OcConsentFile *self,
                const char *path,
                int saved_errno)
{
  set_outcome (self, OC_CONSENT_LOCKED,
               g_strdup_printf (_ ("The consent file “%s” cannot be read: %s. Nothing is granted and nothing is changed "
                                   "until it can."),
                                path, g_strerror (saved_errno)));
}

static void
set_damaged (OcConsentFile *self,
             const char *path,
             const char *fault)
{
  set_outcome (self, OC_CONSENT_DAMAGED,
               g_strdup_printf (_ ("The consent file “%s” is damaged: %s. Nothing in it is granted; review each plugin "
                                   "again."),
                                path, fault));
}

static gboolean
check_place (OcConsentFile *self,
             const char *path,
             const struct stat *status)
{
  const char *fault = NULL;

  if (!S_ISREG (status->st_mode))
    fault = _ ("it is not a regular file");
  else if (status->st_uid != geteuid ())
    fault = _ ("it belongs to another user");
  else if ((status->st_mode & 022) != 0)
    fault = _ ("other users may write it");
  if (fault != NULL)
    set_misplaced (self, path, fault);
  return fault == NULL;
}

/* Fills @data. FALSE: the outcome says why. */
static gboolean
read_bytes (OcConsentFile *self,
            const char *path)
{
  /* NONBLOCK: a FIFO must not hang the reader. */
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  gssize n;

  if (fd < 0 && errno == ENOENT)
    set_outcome (self, OC_CONSENT_ABSENT, NULL);
  else if (fd < 0 && errno == ELOOP)
    set_misplaced (self, path, _ ("it is a symbolic link"));
  else if (fd < 0 && errno == ENXIO)
    set_misplaced (self, path, _ ("it is not a regular file"));
  else if (fd < 0 || fstat (fd, &status) < 0)
    set_unreadable (self, path, errno);
  else if (!check_place (self, path, &status))
    return FALSE;
  else if (status.st_size > OC_CONSENT_MAX_BYTES)
    set_damaged (self, path, _ ("it is larger than 16 MiB, which no list of consents is"));
  else
    {
      self->data = g_malloc ((gsize) status.st_size + 2);
      n = oc_fd_read_all (fd, self->data, (gsize) status.st_size + 1);
      if (n < 0)
        set_unreadable (self, path, errno);
      else
        {
          self->len = (gsize) n;
          self->data[n] = '\0';
          return TRUE;
        }
    }
  return FALSE;
}

static OcJsonSpan *
find_member (GArray *members,
             const char *key)
{
  for (guint i = 0; i < members->len; i++)
    if (strcmp (g_array_index (members, OcJsonSpan, i).key, key) == 0)
      return &g_array_index (members, OcJsonSpan, i);
  return NULL;
}

static gboolean
member_is (OcConsentFile *self,
           OcJsonSpan *span,
           const char *text)
{
  return span != NULL && span->end - span->start == strlen (text)
         && memcmp (self->data + span->start, text, strlen (text)) == 0;
}

/* A later version's file is neither read nor touched: we could not tell what it grants. */
static gboolean
check_version (OcConsentFile *self,
               const char *path,
               OcJsonSpan *version)
{
  g_autofree char *text = NULL;
  guint64 number;

  if (version == NULL)
    {
      set_damaged (self, path, _ ("it does not say its version"));
      return FALSE;
    }
  text = g_strndup (self->data + version->start, version->end - version->start);
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT32, &number, NULL))
    {
      set_damaged (self, path, _ ("its version is no number"));
      return FALSE;
    }
  if (number <= OC_CONSENT_VERSION)
    return TRUE;
  self->later_version = TRUE;
  set_outcome (self, OC_CONSENT_LOCKED,
               g_strdup_printf (_ ("The consent file “%s” was written by a later version of Ocelot Plugins (format %s). "
                                   "Nothing is granted and the file is left as it is. Use that version, or move the file "
                                   "away and review each plugin again."),
                                path, text));
  return FALSE;
}

/* Finds the parts. FALSE: the outcome says why. */
static gboolean
parse_structure (OcConsentFile *self,
                 const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) members = oc_json_members (self->data, self->len, OC_CONSENT_MAX_BYTES, &error);
  OcJsonSpan *records;

  if (members == NULL)
    {
      set_damaged (self, path, error->message);
      return FALSE;
    }
  if (!member_is (self, find_member (members, "format"), "\"" FORMAT "\""))
    {
      set_damaged (self, path, _ ("it is not a consent file of Ocelot Plugins"));
      return FALSE;
    }
  if (!check_version (self, path, find_member (members, "version")))
    return FALSE;
  if (member_is (self, find_member (members, "protection"), "\"keyring\""))
    self->protection = OC_PROTECTION_KEYRING;
  else if (member_is (self, find_member (members, "protection"), "\"key-file\""))
    self->protection = OC_PROTECTION_KEY_FILE;
  records = find_member (members, "records");
  if (self->protection == OC_PROTECTION_NONE || records == NULL || self->data[records->start] != '{')
    {
      set_damaged (self, path, _ ("its “protection” or its “records” is missing or is not what it should be"));
      return FALSE;
    }
  self->records_start = records->start;
  self->records_end = records->end;
  return TRUE;
}

/* Takes the seal off the end. FALSE where it is not there in the one form it has. */
static gboolean
take_seal (OcConsentFile *self,
           char hex[SEAL_HEX + 1])
{
  gsize start = self->len > SEAL_BYTES ? self->len - SEAL_BYTES : 0;
  const char *digits = self->data + start + sizeof SEAL_HEAD - 1;

  if (start == 0 || !g_str_has_prefix (self->data + start, SEAL_HEAD) || strcmp (digits + SEAL_HEX, SEAL_TAIL) != 0
      || strspn (digits, "0123456789abcdef") != SEAL_HEX)
    return FALSE;
  memcpy (hex, digits, SEAL_HEX);
  hex[SEAL_HEX] = '\0';
  self->sealed_len = start;
  return TRUE;
}

/* Whether the seal is where it belongs. */
static gboolean
check_seal_place (OcConsentFile *self,
                  const char *path,
                  char hex[SEAL_HEX + 1])
{
  if (self->data[self->len - 1] != '\n')
    {
      set_damaged (self, path, _ ("its end is missing"));
      return FALSE;
    }
  if (!take_seal (self, hex) || self->records_end > self->sealed_len)
    {
      set_outcome (self, OC_CONSENT_FORGED,
                   g_strdup_printf (_ ("The consent file “%s” has no seal at its end: something other than Ocelot "
                                       "Plugins wrote it. Nothing in it is granted; review each plugin again."),
                                    path));
      return FALSE;
    }
  return TRUE;
}

static void
set_from_key_error (OcConsentFile *self,
                    const GError *error)
{
  if (g_error_matches (error, OC_ERROR, OC_ERROR_FORGED))
    {
      /* The key file is out of place, the consent file perhaps not: both stay for the user to look at. */
      self->keep = TRUE;
      set_outcome (self, OC_CONSENT_FORGED, g_strdup (error->message));
    }
  else
    set_outcome (self, OC_CONSENT_LOCKED,
                 g_strdup_printf (_ ("The consent file is locked, so nothing is granted: %s"), error->message));
}

/* A key file that appears where the keyring already holds the key: somebody swapped the seal. */
static gboolean
check_downgrade (OcConsentFile *self,
                 OcPaths *paths,
                 GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  gboolean has_key = FALSE;

  if (self->protection != OC_PROTECTION_KEY_FILE)
    return TRUE;
  if (!oc_seal_keyring_has_key (paths, &has_key, cancellable, &error))
    {
      set_from_key_error (self, error);
      return FALSE;
    }
  if (!has_key)
    return TRUE;
  set_outcome (self, OC_CONSENT_FORGED,
               g_strdup_printf (_ ("The consent file “%s” is sealed by a key file, although the keyring holds the key for "
                                   "it. Nothing in it is granted; review each plugin again."),
                                oc_paths_get_consent (paths)));
  return FALSE;
}

static gboolean
verify_seal (OcConsentFile *self,
             OcPaths *paths,
             const char *hex,
             GCancellable *cancellable)
{
  g_autoptr (OcSealKey) key = NULL;
  g_autoptr (GError) error = NULL;

  if (!check_downgrade (self, paths, cancellable))
    return FALSE;
  key = oc_seal_find_key (paths, self->protection, cancellable, &error);
  if (key == NULL)
    {
      set_from_key_error (self, error);
      return FALSE;
    }
  if (!oc_seal_key_verify (key, self->data, self->sealed_len, hex))
    {
      set_outcome (self, OC_CONSENT_FORGED,
                   g_strdup_printf (_ ("The seal of the consent file “%s” does not fit: it was changed by something other "
                                       "than Ocelot Plugins. Nothing in it is granted; review each plugin again."),
                                    oc_paths_get_consent (paths)));
      return FALSE;
    }
  self->key = g_steal_pointer (&key);
  return TRUE;
}

static gboolean
parse_records (OcConsentFile *self,
               const char *path)
{
  g_autoptr (GError) error = NULL;

  self->records = oc_json_members (self->data + self->records_start, self->records_end - self->records_start,
                                   OC_CONSENT_MAX_BYTES, &error);
  if (self->records == NULL)
    {
      set_damaged (self, path, error->message);
      return FALSE;
    }
  for (guint i = 0; i < self->records->len; i++)
    {
      g_array_index (self->records, OcJsonSpan, i).start += self->records_start;
      g_array_index (self->records, OcJsonSpan, i).end += self->records_start;
    }
  return TRUE;
}

/* The way that nearly every reading goes: a file that begins as we write it and whose seal fits holds what we wrote. FALSE
 * says nothing but that the file must be looked at strictly, from its beginning; or that the outcome is LOCKED. */
static gboolean
read_sealed (OcConsentFile *self,
             OcPaths *paths,
             GCancellable *cancellable)
{
  static const struct
  {
    OcProtection protection;
    const char *beginning;
  } forms[] = {
    { OC_PROTECTION_KEYRING, "{\"format\":\"" FORMAT "\",\"version\":1,\"protection\":\"keyring\",\"records\":{" },
    { OC_PROTECTION_KEY_FILE, "{\"format\":\"" FORMAT "\",\"version\":1,\"protection\":\"key-file\",\"records\":{" },
  };
  char hex[SEAL_HEX + 1];

  self->protection = OC_PROTECTION_NONE;
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_has_prefix (self->data, forms[i].beginning))
      {
        self->protection = forms[i].protection;
        self->records_start = strlen (forms[i].beginning) - 1;
      }
  if (self->protection == OC_PROTECTION_NONE || !take_seal (self, hex) || !verify_seal (self, paths, hex, cancellable))
    return FALSE;
  self->records = oc_consent_index_records (self->data, self->records_start, self->sealed_len, &self->records_end);
  return self->records != NULL;
}

static gboolean
read_strictly (OcConsentFile *self,
               OcPaths *paths,
               const char *path,
               GCancellable *cancellable)
{
  char hex[SEAL_HEX + 1];

  g_clear_pointer (&self->key, oc_seal_key_unref);
  self->protection = OC_PROTECTION_NONE;
  self->keep = FALSE;
  return parse_structure (self, path) && check_seal_place (self, path, hex) && verify_seal (self, paths, hex, cancellable)
         && parse_records (self, path);
}

OcConsentFile *
oc_consent_file_read (OcPaths *paths,
                      GCancellable *cancellable)
{
  OcConsentFile *self = g_new0 (OcConsentFile, 1);
  const char *path = oc_paths_get_consent (paths);

  if (!read_bytes (self, path))
    return self;
  /* Locked stays locked: what is in the file does not matter then, and the keyring need not be asked twice. */
  if (read_sealed (self, paths, cancellable)
      || (self->outcome != OC_CONSENT_LOCKED && read_strictly (self, paths, path, cancellable)))
    set_outcome (self, OC_CONSENT_VALID, NULL);
  return self;
}

OcConsentRecord *
oc_consent_file_get_record (OcConsentFile *self,
                            const char *id)
{
  OcJsonSpan *span;

  if (self->outcome != OC_CONSENT_VALID)
    return NULL;
  span = find_member (self->records, id);
  if (span == NULL)
    return NULL;
  return oc_consent_record_parse (id, self->data + span->start, span->end - span->start);
}

gboolean
oc_consent_file_check (OcConsentFile *self,
                       GError **error)
{
  OcError code = OC_ERROR_DAMAGED;

  switch (self->outcome)
    {
    case OC_CONSENT_VALID:
    case OC_CONSENT_ABSENT:
      return TRUE;
    case OC_CONSENT_LOCKED:
      code = self->later_version ? OC_ERROR_UNSUPPORTED : OC_ERROR_LOCKED;
      break;
    case OC_CONSENT_FORGED:
      code = OC_ERROR_FORGED;
      break;
    case OC_CONSENT_DAMAGED:
      break;
    }
  g_set_error_literal (error, OC_ERROR, code, self->message);
  return FALSE;
}

/* A file with no records, for the first write. */
static gboolean
begin_file (OcConsentFile *self,
            OcPaths *paths,
            GCancellable *cancellable,
            GError **error)
{
  self->protection = oc_seal_probe (cancellable, error);
  if (self->protection == OC_PROTECTION_NONE)
    return FALSE;
  self->key = oc_seal_make_key (paths, self->protection, cancellable, error);
  if (self->key == NULL)
    return FALSE;
  g_free (self->data);
  self->data = g_strdup_printf ("{\"format\":\"" FORMAT "\",\"version\":%d,\"protection\":\"%s\",\"records\":{}",
                                OC_CONSENT_VERSION, oc_protection_to_id (self->protection));
  self->len = self->sealed_len = strlen (self->data);
  self->records_end = self->len;
  self->records_start = self->len - 2;
  g_clear_pointer (&self->records, g_array_unref);
  self->records = g_array_new (FALSE, FALSE, sizeof (OcJsonSpan));
  return TRUE;
}

/* The sealed part with one record changed. All other bytes are copied as they are. */
static GString *
splice_record (OcConsentFile *self,
               const char *id,
               const char *record)
{
  OcJsonSpan *span = find_member (self->records, id);
  GString *out = g_string_sized_new (self->sealed_len + 1024);
  gsize from, to; /* what is replaced */

  if (span != NULL && record != NULL)
    {
      from = span->start;
      to = span->end;
    }
  else if (span != NULL)
    {
      guint i = (guint) (span - &g_array_index (self->records, OcJsonSpan, 0));

      from = i > 0 ? g_array_index (self->records, OcJsonSpan, i - 1).end : self->records_start + 1;
      to = span->end;
      /* The first of several takes the comma after it along, any other the one before it. */
      if (i == 0 && self->records->len > 1)
        to = (gsize) (strchr (self->data + span->end, ',') + 1 - self->data);
    }
  else
    {
      guint n = self->records->len;

      from = to = n > 0 ? g_array_index (self->records, OcJsonSpan, n - 1).end : self->records_start + 1;
    }
  g_string_append_len (out, self->data, (gssize) from);
  if (span == NULL && record != NULL)
    {
      g_string_append (out, self->records->len > 0 ? ",\n" : "\n");
      oc_json_append_string (out, id);
      g_string_append_c (out, ':');
    }
  if (record != NULL)
    g_string_append (out, record);
  g_string_append_len (out, self->data + to, (gssize) (self->sealed_len - to));
  return out;
}

static gboolean
replace_file (OcPaths *paths,
              const GString *content,
              GError **error)
{
  const char *path = oc_paths_get_consent (paths);
  const char *temporary = ".consent.json.new"; /* one name, since only the lock's holder writes it */
  g_auto (OcFd) folder = open (oc_paths_get_base (paths), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  g_auto (OcFd) fd = -1;
  gboolean ok;

  if (folder < 0 || (unlinkat (folder, temporary, 0) < 0 && errno != ENOENT))
    {
      oc_set_error_errno (error, errno, _ ("The consent file “%s” cannot be written: %s. It is as it was."), path);
      return FALSE;
    }
  fd = openat (folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  ok = fd >= 0 && fchmod (fd, 0600) == 0 && oc_fd_write_all (fd, content->str, content->len)
       && fsync (fd) == 0 && renameat (folder, temporary, folder, "consent.json") == 0;
  if (!ok)
    {
      oc_set_error_errno (error, errno, _ ("The consent file “%s” cannot be written: %s. It is as it was."), path);
      (void) unlinkat (folder, temporary, 0);
      return FALSE;
    }
  if (fsync (folder) < 0)
    {
      oc_set_error_errno (error, errno,
                          _ ("The consent file “%s” was written, but may not last through a power loss: %s."), path);
      return FALSE;
    }
  return TRUE;
}

gboolean
oc_consent_file_write (OcConsentFile *self,
                       OcPaths *paths,
                       const char *id,
                       const char *record,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autofree char *seal = NULL;
  GString *content;
  gboolean ok;

  g_return_val_if_fail (self->outcome == OC_CONSENT_VALID || self->outcome == OC_CONSENT_ABSENT, FALSE);
  if (self->outcome == OC_CONSENT_ABSENT && !begin_file (self, paths, cancellable, error))
    return FALSE;
  content = splice_record (self, id, record);
  seal = oc_seal_key_sign (self->key, content->str, content->len);
  g_string_append_printf (content, SEAL_HEAD "%s" SEAL_TAIL, seal);
  /* What we could not read again must not take the place of what can be read. */
  ok = oc_json_check (content->str, content->len, OC_CONSENT_MAX_BYTES, error)
       && !g_cancellable_set_error_if_cancelled (cancellable, error) && replace_file (paths, content, error);
  g_string_free (content, TRUE);
  return ok;
}
