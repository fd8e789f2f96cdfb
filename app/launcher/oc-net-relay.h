/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is read at once, and all that is ever kept of one direction: where the other end takes no
 * more, nothing more is read. */
#define OC_NET_RELAY_BYTES (64 * 1024)
/* Below the worker's own conversation, its time-out and the end of its consent: however much goes
 * through here, those come first. */
#define OC_NET_PRIORITY (G_PRIORITY_DEFAULT + 10)

/**
 * OcNetRelay: carries bytes both ways between two TCP sockets, in the default main context. Where
 * one end finishes sending, the other is told, and its own direction goes on; where one breaks, the
 * other is reset, so that a cut answer never looks whole.
 */
typedef struct _OcNetRelay OcNetRelay;

/* Both ways are done or broken: frees nothing. May free the relay. */
typedef void (*OcNetRelayEndFunc) (gpointer data);

/* @a, @b: (transfer full): connected and non-blocking. */
OcNetRelay *oc_net_relay_new (int a, int b, OcNetRelayEndFunc end, gpointer data);
/* What is not done yet is reset. */
void oc_net_relay_free (OcNetRelay *self);

/* Closes so that the other end sees a reset. Sets @fd to -1. */
void oc_net_reset (int *fd);

G_END_DECLS
