/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define OC_NET_LOOKUP_MS 10000
/* Addresses of one name; what comes after is not used. */
#define OC_NET_LOOKUP_MAX 16
/* How long an answer is used again: a program that opens many connections would otherwise ask for
 * each. */
#define OC_NET_LOOKUP_KEEP_MS 2000

/**
 * OcNetLookup: what the listed names are on the host, at most one question for a name at a time, so
 * that no number of connections can make many. In the default main context.
 */
typedef struct _OcNetLookup OcNetLookup;
typedef struct _OcNetWaiter OcNetWaiter;

/* @resolver: (nullable): the system's. */
OcNetLookup *oc_net_lookup_new (GResolver *resolver);
void oc_net_lookup_free (OcNetLookup *self);

/* Once, unless cancelled; never from within oc_net_lookup_start(). @addresses: (element-type struct
 * in6_addr), IPv4 mapped; empty where the name is not known, or not in time. */
typedef void (*OcNetLookupFunc) (GArray *addresses, gpointer data);
OcNetWaiter *
oc_net_lookup_start (OcNetLookup *self, const char *name, OcNetLookupFunc func, gpointer data);
/* Not after the function was called. */
void oc_net_lookup_cancel (OcNetWaiter *waiter);

G_END_DECLS
