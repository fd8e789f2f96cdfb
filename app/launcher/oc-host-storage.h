/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-host-store.h"

G_BEGIN_DECLS

/**
 * OcStorage: one plugin's store, read and written in a thread of its own, one call after the other in the order in which they
 * came. A full store is 10 MiB that are written and synced at each change: on the main loop that would hold up time-outs and
 * revocation.
 */
typedef struct _OcStorage OcStorage;

/* The thread starts with the first call. @notice: called in the main context. */
OcStorage *oc_storage_new (const char *path,
                           OcStoreNotice notice,
                           gpointer data);
/* No more calls. What was asked before is still done as long as @wait_ms have not passed, then dropped. Says what there is to
 * notice. */
void oc_storage_finish (OcStorage *self,
                        guint wait_ms);
void oc_storage_free (OcStorage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcStorage, oc_storage_free)

G_END_DECLS
