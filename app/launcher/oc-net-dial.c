/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib-unix.h>

#include "core/oc-fd.h"
#include "launcher/oc-net-relay.h"

struct _OcNetDial
{
  GArray *addresses; /* (element-type struct in6_addr) */
  guint next;
  guint16 port;
  int fd;
  guint source;
  guint timeout;
  OcNetDialFunc func;
  gpointer data;
};

static void
drop_attempt (OcNetDial *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_handle_id (&self->timeout, g_source_remove);
  oc_net_reset (&self->fd);
}

/* -1 with errno. */
static int
connect_to (const struct in6_addr *address, guint16 port)
{
  struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6,
                               .sin6_port = htons (port),
                               .sin6_addr = *address };
  struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_port = htons (port) };
  gboolean is_ipv4 = IN6_IS_ADDR_V4MAPPED (address);
  const struct sockaddr *socket_address = is_ipv4 ? (struct sockaddr *)&ipv4
                                                  : (struct sockaddr *)&ipv6;
  g_auto (OcFd) fd = socket (socket_address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                             0);
  int result;

  if (is_ipv4)
    memcpy (&ipv4.sin_addr, &address->s6_addr[12], sizeof ipv4.sin_addr);
  if (fd < 0)
    return -1;
  if (connect (fd, socket_address, is_ipv4 ? sizeof ipv4 : sizeof ipv6) != 0
      && errno != EINPROGRESS)
    return -1;
  result = fd;
  fd = -1;
  return result;
}

static void try_next (OcNetDial *self);

static gboolean
on_writable (int fd, GIOCondition condition G_GNUC_UNUSED, gpointer data)
{
  OcNetDial *self = data;
  int error = 0;
  socklen_t length = sizeof error;

  self->source = 0;
  if (getsockopt (fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)
    {
      drop_attempt (self);
      try_next (self);
      return G_SOURCE_REMOVE;
    }
  self->fd = -1;
  drop_attempt (self);
  self->func (fd, self->data);
  return G_SOURCE_REMOVE;
}

static gboolean
on_timed_out (gpointer data)
{
  OcNetDial *self = data;

  self->timeout = 0;
  drop_attempt (self);
  try_next (self);
  return G_SOURCE_REMOVE;
}

static gboolean
on_failed (gpointer data)
{
  OcNetDial *self = data;

  self->source = 0;
  self->func (-1, self->data);
  return G_SOURCE_REMOVE;
}

/* Never calls back itself: whoever started this does not have it yet. */
static void
try_next (OcNetDial *self)
{
  while (self->fd < 0 && self->next < self->addresses->len)
    self->fd = connect_to (&g_array_index (self->addresses, struct in6_addr, self->next++),
                           self->port);
  if (self->fd < 0)
    {
      self->source = g_idle_add_full (OC_NET_PRIORITY, on_failed, self, NULL);
      return;
    }
  self->source = g_unix_fd_add_full (OC_NET_PRIORITY, self->fd, G_IO_OUT | G_IO_ERR | G_IO_HUP,
                                     on_writable, self, NULL);
  self->timeout = g_timeout_add (
      self->next < self->addresses->len ? OC_NET_DIAL_MS : OC_NET_DIAL_LAST_MS, on_timed_out, self);
}

OcNetDial *
oc_net_dial_new (GArray *addresses, guint16 port, OcNetDialFunc func, gpointer data)
{
  OcNetDial *self = g_new0 (OcNetDial, 1);

  self->addresses = g_array_ref (addresses);
  self->port = port;
  self->fd = -1;
  self->func = func;
  self->data = data;
  try_next (self);
  return self;
}

void
oc_net_dial_free (OcNetDial *self)
{
  if (self == NULL)
    return;
  drop_attempt (self);
  g_array_unref (self->addresses);
  g_free (self);
}
