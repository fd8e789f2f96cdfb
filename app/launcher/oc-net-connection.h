/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-net-address.h"
#include "launcher/oc-net-lookup.h"
#include "launcher/oc-net-names.h"

G_BEGIN_DECLS

/**
 * OcNetConnection: one connection that a program inside made to a listed host: the host is looked
 * up on this side, each address is checked, one of those that were checked is dialled, and the
 * bytes are carried. In the default main context.
 */
typedef struct _OcNetConnection OcNetConnection;

typedef OcAddressKind (*OcAddressCheck) (const struct in6_addr *address);

typedef struct
{
  OcNetLookup *lookup;  /* borrowed */
  OcAddressCheck check; /* for all but literals */
  /* The name leads to an address that is not dialled. */
  void (*refused) (OcNetConnection *connection,
                   const struct in6_addr *address,
                   OcAddressKind kind,
                   gpointer data);
  /* Last; frees nothing. May free the connection. */
  void (*ended) (OcNetConnection *connection, gpointer data);
  gpointer data;
} OcNetConnectionFuncs;

/* @inside: (transfer full): accepted, non-blocking. @funcs, @name: borrowed for the connection's
 * life. Calls nothing back before it returns. */
OcNetConnection *oc_net_connection_new (const OcNetConnectionFuncs *funcs,
                                        const OcNetName *name,
                                        guint16 port,
                                        int inside);
void oc_net_connection_free (OcNetConnection *self);
const OcNetName *oc_net_connection_get_name (OcNetConnection *self);
guint16 oc_net_connection_get_port (OcNetConnection *self);

G_END_DECLS
