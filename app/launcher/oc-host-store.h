/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define OC_STORE_MAX_KEY_BYTES 256
#define OC_STORE_MAX_VALUE_BYTES (1024 * 1024)
#define OC_STORE_MAX_BYTES (10 * 1024 * 1024)

/**
 * OcStore: `ocelot.storage` of one plugin: one JSON file beside the consent file, which only brokers see. Each change reads the
 * file again under a lock and replaces it whole, so that concurrent runs lose nothing and a reader never sees half of one.
 */
typedef struct _OcStore OcStore;

/* Called with a sentence for the log when a damaged file was set aside. */
typedef void (*OcStoreNotice) (const char *message,
                               gpointer data);

/* Nothing is read yet. */
OcStore *oc_store_new (const char *path,
                       OcStoreNotice notice,
                       gpointer data);
void oc_store_free (OcStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcStore, oc_store_free)
/* From any thread: what goes on fails soon, with nothing changed. */
void oc_store_cancel (OcStore *self);
/* From any thread: whether a file is being written, which takes a moment; else it is being read, which may take longer and
 * need not come to an end. */
gboolean oc_store_is_writing (OcStore *self);

/* Values are JSON, as text on one line. Any one thread at a time.
 *
 * TRUE and NULL: there is no such key. @json: (out) (transfer full) (nullable).
 * Errors of all: OC_ERROR_IO; OC_ERROR_TIMED_OUT (another run holds the lock); OC_ERROR_INVALID (a limit, the message names it). */
gboolean oc_store_get (OcStore *self,
                       const char *key,
                       char **json,
                       GError **error);
gboolean oc_store_set (OcStore *self,
                       const char *key,
                       const char *json,
                       GError **error);
/* @removed: (out): whether there was one. */
gboolean oc_store_remove (OcStore *self,
                          const char *key,
                          gboolean *removed,
                          GError **error);
/* Sorted. (transfer full) NULL-terminated */
char **oc_store_list (OcStore *self,
                      GError **error);

G_END_DECLS
