/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <netinet/in.h>

G_BEGIN_DECLS

/* What is looked at before anything else has its turn. */
#define OC_NET_WATCH_BATCH 64

typedef struct
{
  gboolean stream;         /* the first packet of a TCP connection; else a datagram */
  struct in6_addr address; /* where to; IPv4 in its mapped form */
  guint16 port;
} OcNetPacket;

/* Where a packet of IPv4 or IPv6 is going to. Pure. FALSE: neither TCP nor UDP, or malformed. */
gboolean oc_net_packet_parse (const guint8 *bytes, gsize length, OcNetPacket *packet);

typedef void (*OcNetPacketFunc) (const OcNetPacket *packet, gpointer data);
/* What waits at OC_LISTENER_WATCH, at most OC_NET_WATCH_BATCH. Returns how many there were. */
guint oc_net_watch_read (int fd, OcNetPacketFunc func, gpointer data);

G_END_DECLS
