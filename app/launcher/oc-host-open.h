/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-host.h"

G_BEGIN_DECLS

/* How long the desktop may take. An application that is started by the bus answers when it is there. */
#define OC_OPEN_TIMEOUT_MS (20 * 1000)

/**
 * OcOpening: a call that has something opened on the desktop, from its check to its answer. It is the call's operation: when the
 * run ends first, what has not been opened yet is not opened any more.
 */
typedef struct _OcOpening OcOpening;

/* @permission: its text. @detail: what the activity shows. */
OcOpening *oc_opening_new (OcCall *call,
                           const char *permission,
                           const char *detail);
/* Cancelled when the call is answered or dropped. Borrowed. */
GCancellable *oc_opening_get_cancellable (OcOpening *self);
/* Counts it, asks ocelot-desktop, and answers the call. @arguments: NULL-terminated. May free @self. */
void oc_opening_start (OcOpening *self,
                       const char *const *arguments);

/* Words that an answer can have as its reason besides those of the checks; NULL where @n is past the end. For tests. */
const char *oc_opening_get_reason (guint n,
                                   OcRpcCode *code);

G_END_DECLS
