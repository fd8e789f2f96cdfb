/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-activity.h"
#include "core/oc-registry.h"

G_BEGIN_DECLS

OcStatus *oc_status_new (OcPlugin *plugin,
                         OcVerdict *verdict,
                         OcTools *tools);
/* The same plugin, judged anew. */
OcStatus *oc_status_with_verdict (OcStatus *self,
                                  OcVerdict *verdict);
/* Folded name, then id, then folder. */
const char *oc_status_get_sort_key (OcStatus *self);
int oc_status_compare (OcStatus *a,
                       OcStatus *b);

/* ---- reading (oc-registry-scan.c): no GObject signals, any thread ---- */

/* What needs to be read again. */
typedef enum
{
  OC_DIRTY_NOTHING = 0,
  OC_DIRTY_HEALTH = 1 << 0,
  OC_DIRTY_POLICY = 1 << 1,
  OC_DIRTY_CONSENT = 1 << 2,
  OC_DIRTY_PLUGINS = 1 << 3,
  OC_DIRTY_ALL = (1 << 4) - 1,
} OcDirty;

/* Everything a list was computed from. Immutable once made; the next scan takes from it what is not dirty. */
typedef struct
{
  GPtrArray *plugins; /* (element-type OcPlugin) */
  OcConsent *consent;
  OcPolicy *policy;
  GHashTable *health;  /* (nullable) */
  GPtrArray *statuses; /* (element-type OcStatus), sorted */
} OcSnapshot;

OcSnapshot *oc_snapshot_ref (OcSnapshot *self);
void oc_snapshot_unref (OcSnapshot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcSnapshot, oc_snapshot_unref)

/* What a registry reads with. */
typedef struct
{
  GMutex mutex; /* held by whoever reads */
  OcPaths *paths;
  OcTools *tools;
  OcActivity *activity; /* (nullable) kept open: opening and closing would itself change files that are watched */
  guint64 activity_inode;
  gint64 activity_version;
  gint scanned; /* atomic: how many plugins are judged so far */
  gint review_every_update; /* atomic */
} OcReader;

OcReader *oc_reader_new (OcPaths *paths);
OcReader *oc_reader_ref (OcReader *self);
void oc_reader_unref (OcReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcReader, oc_reader_unref)
/* @previous: (nullable). Statuses that say the same stay the same objects. NULL and an error: a Plugins folder could not be
 * read, or cancelled. */
OcSnapshot *oc_reader_scan (OcReader *self,
                            OcSnapshot *previous,
                            OcDirty dirty,
                            GCancellable *cancellable,
                            GError **error);

/* ---- watching (oc-registry-watch.c) ---- */

/* Tells of changes in whatever a snapshot was read from. Main thread only. */
typedef struct _OcWatch OcWatch;
typedef void (*OcWatchFunc) (OcDirty dirty,
                             gpointer user_data);
OcWatch *oc_watch_new (OcPaths *paths,
                       OcWatchFunc func,
                       gpointer user_data);
/* Follows these plugins from now on. To be called only when they are others than before: it makes them be read once more. */
void oc_watch_set_plugins (OcWatch *self,
                           GPtrArray *plugins);
void oc_watch_free (OcWatch *self);

G_END_DECLS
