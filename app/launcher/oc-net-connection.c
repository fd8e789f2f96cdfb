/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-connection.h"

#include <arpa/inet.h>
#include <string.h>

#include "launcher/oc-net-dial.h"
#include "launcher/oc-net-relay.h"

struct _OcNetConnection
{
  const OcNetConnectionFuncs *funcs; /* borrowed */
  const OcNetName *name;             /* borrowed */
  guint16 port;
  int inside;          /* owned, until the relay has it */
  OcNetWaiter *waiter; /* each of the three while it lasts */
  OcNetDial *dial;
  OcNetRelay *relay;
};

static void
end (OcNetConnection *self)
{
  self->funcs->ended (self, self->funcs->data);
}

static void
on_relay_ended (gpointer data)
{
  end (data);
}

static void
on_dialled (int fd, gpointer data)
{
  OcNetConnection *self = data;
  int inside = self->inside;

  g_clear_pointer (&self->dial, oc_net_dial_free);
  if (fd < 0)
    {
      end (self);
      return;
    }
  self->inside = -1;
  self->relay = oc_net_relay_new (inside, fd, on_relay_ended, self);
}

static void
dial (OcNetConnection *self, GArray *addresses)
{
  self->dial = oc_net_dial_new (addresses, self->port, on_dialled, self);
}

/* One address that is not to be dialled spoils the name: what leads to the Internet and into this
 * network at once is made to lead in by the second. What was checked here is what is dialled: no
 * second question can be answered otherwise (DNS rebinding). */
static void
on_addresses (GArray *addresses, gpointer data)
{
  OcNetConnection *self = data;

  self->waiter = NULL;
  for (guint i = 0; i < addresses->len; i++)
    {
      const struct in6_addr *address = &g_array_index (addresses, struct in6_addr, i);
      OcAddressKind kind = self->funcs->check (address);

      if (kind == OC_ADDRESS_PUBLIC)
        continue;
      self->funcs->refused (self, address, kind, self->funcs->data);
      end (self);
      return;
    }
  if (addresses->len > 0)
    dial (self, addresses);
  else
    end (self);
}

/* The user named the address itself, or this computer. */
static GArray *
list_literals (const OcNetName *name)
{
  GArray *addresses = g_array_new (FALSE, FALSE, sizeof (struct in6_addr));
  struct in6_addr address = { 0 };
  guint8 ipv4[4];

  if (oc_net_name_get_ipv4 (name, ipv4))
    {
      address.s6_addr[10] = address.s6_addr[11] = 0xff;
      memcpy (&address.s6_addr[12], ipv4, sizeof ipv4);
      g_array_append_val (addresses, address);
    }
  else if (inet_pton (AF_INET6, oc_net_name_get_text (name), &address) == 1)
    g_array_append_val (addresses, address);
  if (g_strcmp0 (oc_net_name_get_text (name), "localhost") == 0)
    {
      address = in6addr_loopback;
      g_array_append_val (addresses, address);
    }
  return addresses;
}

OcNetConnection *
oc_net_connection_new (const OcNetConnectionFuncs *funcs,
                       const OcNetName *name,
                       guint16 port,
                       int inside)
{
  OcNetConnection *self = g_new0 (OcNetConnection, 1);

  self->funcs = funcs;
  self->name = name;
  self->port = port;
  self->inside = inside;
  if (oc_net_name_is_literal (name))
    {
      g_autoptr (GArray) addresses = list_literals (name);

      dial (self, addresses);
    }
  else
    self->waiter = oc_net_lookup_start (funcs->lookup, oc_net_name_get_text (name), on_addresses,
                                        self);
  return self;
}

void
oc_net_connection_free (OcNetConnection *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->waiter, oc_net_lookup_cancel);
  g_clear_pointer (&self->dial, oc_net_dial_free);
  g_clear_pointer (&self->relay, oc_net_relay_free);
  oc_net_reset (&self->inside);
  g_free (self);
}

const OcNetName *
oc_net_connection_get_name (OcNetConnection *self)
{
  return self->name;
}

guint16
oc_net_connection_get_port (OcNetConnection *self)
{
  return self->port;
}
