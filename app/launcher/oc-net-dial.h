/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <netinet/in.h>

G_BEGIN_DECLS

/* For one address where there are more, and for the last. */
#define OC_NET_DIAL_MS 4000
#define OC_NET_DIAL_LAST_MS 15000

/**
 * OcNetDial: connects to the first of some addresses that answers, in the default main context.
 */
typedef struct _OcNetDial OcNetDial;

/* Once, unless freed before. @fd: (transfer full): connected, non-blocking; -1: none answered. May
 * free the dial. */
typedef void (*OcNetDialFunc) (int fd, gpointer data);

/* @addresses: (element-type struct in6_addr): IPv4 in its mapped form; not empty. */
OcNetDial *oc_net_dial_new (GArray *addresses, guint16 port, OcNetDialFunc func, gpointer data);
void oc_net_dial_free (OcNetDial *self);

G_END_DECLS
