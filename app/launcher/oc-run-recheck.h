/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-run-grant.h"

G_BEGIN_DECLS

/* How long it may take to learn whether a plugin may still run. The keyring answers within milliseconds, where it answers. */
#define OC_RECHECK_WAIT_MS 2000

/**
 * OcRecheck: looks consent up again while a plugin runs, in a thread, since a keyring that does not answer would otherwise
 * hold up the very loop that ends runs in time.
 */
typedef struct _OcRecheck OcRecheck;

/* @now: NULL: it could not be learned in time, which is no permission. Called in the thread-default main context;
 * does not free the OcRecheck. */
typedef void (*OcRecheckFunc) (const OcGrant *now,
                               gpointer data);

OcRecheck *oc_recheck_new (OcPaths *paths,
                           const char *id,
                           OcRecheckFunc func,
                           gpointer data);
/* Calls back once for this and for all that is asked before the look-up begins. */
void oc_recheck_ask (OcRecheck *self);
/* Whether an answer is still to come, within @func too: what it was given may be from before the last change. */
gboolean oc_recheck_is_asking (OcRecheck *self);
/* Does not wait for a look-up that goes on, and hears nothing of it any more. */
void oc_recheck_free (OcRecheck *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcRecheck, oc_recheck_free)

G_END_DECLS
