/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-activity.h"

G_BEGIN_DECLS

/* How many runs, and uses of each, the page of a plugin shows. */
#define OC_HISTORY_MAX_RUNS 6
#define OC_HISTORY_MAX_USES 100

/**
 * OcHistory: what one plugin did lately, read from the activity in another thread. Immutable, atomically refcounted.
 */
typedef struct _OcHistory OcHistory;

void oc_history_load_async (OcPaths *paths,
                            const char *plugin,
                            GCancellable *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer user_data);
/* Errors: those of oc_activity_open(). */
OcHistory *oc_history_load_finish (GAsyncResult *result,
                                   GError **error);
OcHistory *oc_history_ref (OcHistory *self);
void oc_history_unref (OcHistory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcHistory, oc_history_unref)

/* How many runs are kept in all. */
guint oc_history_get_n_runs (OcHistory *self);
/* (transfer none) (element-type OcRun): newest first, at most OC_HISTORY_MAX_RUNS */
GPtrArray *oc_history_get_runs (OcHistory *self);
/* (transfer none) (element-type OcUse): of the @i-th of those runs */
GPtrArray *oc_history_get_uses (OcHistory *self,
                                guint i);
/* @permission: canonical text. (nullable) */
const OcUsage *oc_history_find_usage (OcHistory *self,
                                      const char *permission);

G_END_DECLS
