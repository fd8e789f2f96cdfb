/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-net-connection.h"
#include "launcher/oc-run-uses.h"
#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

/* Of one sandbox, and of all that one launcher runs: each takes two descriptors. More wait until
 * one has ended. */
#define OC_NET_MAX_CONNECTIONS 128
#define OC_NET_MAX_CONNECTIONS_IN_ALL 320
/* Connections, questions and packets in a tenth of a second: past it the broker sleeps to its end,
 * so that no number of them takes more than a small part of a processor. */
#define OC_NET_EVENTS 200
#define OC_NET_WINDOW_MS 100

/**
 * OcNetBroker: what a sandbox with OC_NETWORK_HOSTS has instead of a network (launcher.md, section
 * 4). It answers questions for names, connects to the hosts that are listed, and records both that
 * and what it refused. The other side is hostile. In the default main context; when it is freed
 * everything ends at once.
 */
typedef struct _OcNetBroker OcNetBroker;

/* For tests. */
typedef struct
{
  GResolver *resolver;  /* borrowed (nullable): the system's */
  OcAddressCheck check; /* (nullable): oc_address_classify_here() */
} OcNetPolicy;

/* Takes the sockets of @process. NULL where @plan has another network; nothing is to be done then.
 * @uses: borrowed for the broker's life. @policy: (nullable), borrowed during the call. */
OcNetBroker *
oc_net_broker_new (OcPlan *plan, OcProcess *process, OcUses *uses, const OcNetPolicy *policy);
void oc_net_broker_free (OcNetBroker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcNetBroker, oc_net_broker_free)
guint oc_net_broker_count_connections (OcNetBroker *self);

G_END_DECLS
