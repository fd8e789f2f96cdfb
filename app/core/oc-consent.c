/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-consent.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/oc-consent-private.h"
#include "core/oc-error.h"
#include "core/oc-json.h"

struct _OcConsent
{
  /* owned */
  OcConsentFile *file;
  char *message;
  char *set_aside;
  char **set_aside_files;
  GHashTable *spans; /* id → OcJsonSpan of @file; both borrowed from it */

  /* Records are parsed when first asked for: a launcher wants one of thousands. */
  GMutex mutex;
  GHashTable *records; /* id → OcConsentRecord */
};

const char *
oc_consent_outcome_to_id (OcConsentOutcome outcome)
{
  switch (outcome)
    {
    case OC_CONSENT_FORGED:
      return "forged";
    case OC_CONSENT_LOCKED:
      return "locked";
    case OC_CONSENT_ABSENT:
      return "absent";
    case OC_CONSENT_VALID:
      return "valid";
    case OC_CONSENT_DAMAGED:
      break;
    }
  return "damaged";
}

static gboolean
is_bad (OcConsentFile *file)
{
  return (file->outcome == OC_CONSENT_DAMAGED || file->outcome == OC_CONSENT_FORGED) && !file->keep;
}

/* Reads again under the lock, since another program may just have mended it, and moves what is still bad. */
static void
set_bad_file_aside (OcConsent *self,
                    OcPaths *paths,
                    GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  g_auto (OcFd) lock = oc_consent_file_lock (paths, cancellable, &error);

  if (lock >= 0)
    {
      oc_consent_file_free (self->file);
      self->file = oc_consent_file_read (paths, cancellable);
      if (!is_bad (self->file))
        return;
      self->set_aside = oc_consent_file_set_aside (paths, self->file->outcome, &error);
    }
  if (self->set_aside != NULL)
    self->message = g_strdup_printf (_ ("%s It was kept as “%s”."), self->file->message, self->set_aside);
  else
    self->message = g_strdup_printf ("%s %s", self->file->message, error->message);
}

OcConsent *
oc_consent_load (OcPaths *paths,
                 GCancellable *cancellable)
{
  OcConsent *self;

  g_return_val_if_fail (paths != NULL, NULL);
  self = g_atomic_rc_box_new0 (OcConsent);
  g_mutex_init (&self->mutex);
  self->records = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                         (GDestroyNotify) oc_consent_record_unref);
  self->spans = g_hash_table_new (g_str_hash, g_str_equal);
  self->file = oc_consent_file_read (paths, cancellable);
  if (is_bad (self->file))
    set_bad_file_aside (self, paths, cancellable);
  if (self->message == NULL)
    self->message = g_strdup (self->file->message);
  self->set_aside_files = oc_consent_file_list_set_aside (paths);
  if (self->file->outcome == OC_CONSENT_VALID)
    for (guint i = 0; i < self->file->records->len; i++)
      {
        OcJsonSpan *span = &g_array_index (self->file->records, OcJsonSpan, i);

        g_hash_table_insert (self->spans, span->key, span);
      }
  /* Reading needs the key no longer. */
  g_clear_pointer (&self->file->key, oc_seal_key_unref);
  return self;
}

static void
consent_clear (gpointer data)
{
  OcConsent *self = data;

  g_hash_table_unref (self->records);
  g_hash_table_unref (self->spans);
  g_free (self->message);
  g_free (self->set_aside);
  g_strfreev (self->set_aside_files);
  oc_consent_file_free (self->file);
  g_mutex_clear (&self->mutex);
}

OcConsent *
oc_consent_ref (OcConsent *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_consent_unref (OcConsent *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, consent_clear);
}

OcConsentOutcome
oc_consent_get_outcome (OcConsent *self)
{
  g_return_val_if_fail (self != NULL, OC_CONSENT_DAMAGED);
  return self->file->outcome;
}

const char *
oc_consent_get_message (OcConsent *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->message;
}

const char *
oc_consent_get_set_aside (OcConsent *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->set_aside;
}

const char *const *
oc_consent_get_set_aside_files (OcConsent *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return (const char *const *) self->set_aside_files;
}

OcProtection
oc_consent_get_protection (OcConsent *self)
{
  g_return_val_if_fail (self != NULL, OC_PROTECTION_NONE);
  return self->file->protection;
}

OcConsentRecord *
oc_consent_look_up (OcConsent *self,
                    const char *id)
{
  g_autoptr (GMutexLocker) locker = NULL;
  OcConsentRecord *record;
  OcJsonSpan *span;

  g_return_val_if_fail (self != NULL && id != NULL, NULL);
  span = g_hash_table_lookup (self->spans, id);
  if (span == NULL)
    return NULL;
  locker = g_mutex_locker_new (&self->mutex);
  record = g_hash_table_lookup (self->records, id);
  if (record == NULL)
    {
      record = oc_consent_record_parse (span->key, self->file->data + span->start, span->end - span->start);
      g_hash_table_insert (self->records, span->key, record);
    }
  return record;
}

static int
compare_records (gconstpointer a,
                 gconstpointer b)
{
  return strcmp (oc_consent_record_get_id (*(OcConsentRecord *const *) a),
                 oc_consent_record_get_id (*(OcConsentRecord *const *) b));
}

GPtrArray *
oc_consent_list (OcConsent *self)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_consent_record_unref);
  GHashTableIter iter;
  gpointer id;

  g_return_val_if_fail (self != NULL, list);
  g_hash_table_iter_init (&iter, self->spans);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_ptr_array_add (list, oc_consent_record_ref (oc_consent_look_up (self, id)));
  g_ptr_array_sort (list, compare_records);
  return list;
}

gboolean
oc_consent_equal (OcConsent *a,
                  OcConsent *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->file->outcome == b->file->outcome && a->file->protection == b->file->protection
         && a->file->len == b->file->len
         && (a->file->len == 0 || memcmp (a->file->data, b->file->data, a->file->len) == 0)
         && g_strcmp0 (a->message, b->message) == 0
         && g_strv_equal ((const char *const *) a->set_aside_files, (const char *const *) b->set_aside_files);
}
