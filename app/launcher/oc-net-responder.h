/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-net-dns.h"

G_BEGIN_DECLS

/* Questions over TCP at once, and how long one may take. */
#define OC_NET_DNS_STREAMS 8
#define OC_NET_DNS_STREAM_S 5
/* Questions of one datagram socket that are answered before anything else has its turn. */
#define OC_NET_DNS_BATCH 32

/* Answers what waits at a datagram socket, at most OC_NET_DNS_BATCH. Each answer comes from the
 * address that was asked: a program may have a name server of its own, and takes no answer of
 * another. Returns how many there were. */
guint oc_net_responder_answer (int fd, OcDnsLookup lookup, gpointer data);
/* To be told of addresses by the one above. */
void oc_net_responder_prepare (int fd);

/**
 * OcNetStream: one conversation with the responder over TCP, in the default main context.
 */
typedef struct _OcNetStream OcNetStream;

/* Last; may free the stream. */
typedef void (*OcNetStreamEndFunc) (OcNetStream *self, gpointer data);

/* @fd: (transfer full): accepted, non-blocking. @data: for both. */
OcNetStream *oc_net_stream_new (int fd, OcDnsLookup lookup, OcNetStreamEndFunc end, gpointer data);
void oc_net_stream_free (OcNetStream *self);

G_END_DECLS
