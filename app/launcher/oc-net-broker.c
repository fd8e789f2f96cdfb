/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-broker.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <glib-unix.h>

#include "core/oc-fd.h"
#include "launcher/oc-net-record.h"
#include "launcher/oc-net-relay.h"
#include "launcher/oc-net-responder.h"
#include "launcher/oc-net-watch.h"
#include "launcher/oc-sandbox-private.h"

/* Of each port, that wait when it ends. */
#define LAST_CONNECTIONS 16

typedef struct
{
  OcNetBroker *broker; /* borrowed */
  int fd;
  guint source; /* 0: not looked at now */
} Listener;

struct _OcNetBroker
{
  OcNetNames *names;
  OcNetRecord *record;
  OcNetLookup *lookup;
  OcNetConnectionFuncs funcs;
  Listener listeners[OC_REPORT_MAX_FDS];
  GHashTable *connections; /* a set of OcNetConnection */
  GHashTable *streams;     /* a set of OcNetStream */
  gint64 window;           /* when it began, monotonic */
  guint events;            /* in it */
  guint pause;             /* a source: nothing is looked at until then */
};

/* Of all brokers. */
static guint n_in_all;

static void update_listeners (OcNetBroker *self);

static gboolean
on_pause_ended (gpointer data)
{
  OcNetBroker *self = data;

  self->pause = 0;
  update_listeners (self);
  return G_SOURCE_REMOVE;
}

/* May stop the listeners for a while. */
static void
count_events (OcNetBroker *self, guint n)
{
  gint64 now = g_get_monotonic_time ();

  if (now - self->window >= OC_NET_WINDOW_MS * 1000)
    {
      self->window = now;
      self->events = 0;
    }
  self->events += n;
  if (self->events >= OC_NET_EVENTS && self->pause == 0)
    {
      self->pause = g_timeout_add_full (OC_NET_PRIORITY, OC_NET_WINDOW_MS, on_pause_ended, self,
                                        NULL);
      update_listeners (self);
    }
}

/* Names. */

static OcDnsFound
look_up (const char *text, guint16 type, guint8 address[4], gpointer data)
{
  OcNetBroker *self = data;
  const OcNetName *name = text != NULL ? oc_net_names_find (self->names, text) : NULL;

  if (name != NULL && oc_net_name_get_ipv4 (name, address))
    return OC_DNS_ADDRESS;
  oc_net_record_unknown_name (self->record, text, type);
  return OC_DNS_NONE;
}

static gboolean
on_question (int fd, GIOCondition condition G_GNUC_UNUSED, gpointer data)
{
  Listener *listener = data;

  count_events (listener->broker, oc_net_responder_answer (fd, look_up, listener->broker));
  return listener->source != 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
on_stream_ended (OcNetStream *stream, gpointer data)
{
  OcNetBroker *self = data;

  g_hash_table_remove (self->streams, stream);
}

/* Connections. */

static void
on_refused (OcNetConnection *connection,
            const struct in6_addr *address,
            OcAddressKind kind,
            gpointer data)
{
  OcNetBroker *self = data;

  oc_net_record_led_astray (self->record, oc_net_connection_get_name (connection),
                            oc_net_connection_get_port (connection), address, kind);
}

static void
on_ended (OcNetConnection *connection, gpointer data)
{
  OcNetBroker *self = data;

  if (g_hash_table_remove (self->connections, connection))
    n_in_all--;
  update_listeners (self);
}

static gboolean
is_full (OcNetBroker *self)
{
  return g_hash_table_size (self->connections) >= OC_NET_MAX_CONNECTIONS;
}

/* The address that the program inside connected to is the accepted socket's own. */
static gboolean
get_target (int fd, struct in6_addr *address, guint16 *port)
{
  struct sockaddr_storage own = { 0 };
  socklen_t length = sizeof own;

  return getsockname (fd, (struct sockaddr *)&own, &length) == 0
         && oc_address_from_sockaddr (&own, address, port);
}

static void
take_connection (OcNetBroker *self, int *fd, gboolean is_dns)
{
  const OcNetName *name;
  const char *grant;
  struct in6_addr address;
  guint16 port;

  if (!get_target (*fd, &address, &port))
    return;
  name = oc_net_names_find_address (self->names, &address);
  grant = name != NULL ? oc_net_name_get_grant (name, port) : NULL;
  if (grant != NULL)
    {
      oc_net_record_connection (self->record, grant, name, port);
      g_hash_table_add (self->connections, oc_net_connection_new (&self->funcs, name, port, *fd));
      n_in_all++;
      *fd = -1;
    }
  else if (is_dns && g_hash_table_size (self->streams) < OC_NET_DNS_STREAMS)
    {
      g_hash_table_add (self->streams, oc_net_stream_new (*fd, look_up, on_stream_ended, self));
      *fd = -1;
    }
  else if (!is_dns)
    oc_net_record_refused (self->record, "connect", name, &address, port);
}

/* Descriptors, memory or the connections of all sandboxes are used up: looked at again after a
 * while, since the connection is still there and would be told of without end. */
static void
rest (OcNetBroker *self)
{
  count_events (self, OC_NET_EVENTS);
}

static gboolean
on_connection (int fd, GIOCondition condition G_GNUC_UNUSED, gpointer data)
{
  Listener *listener = data;
  OcNetBroker *self = listener->broker;
  gboolean may = n_in_all < OC_NET_MAX_CONNECTIONS_IN_ALL;
  int accepted = may ? accept4 (fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

  if (!may)
    rest (self);
  else if (accepted >= 0)
    {
      take_connection (self, &accepted, listener == &self->listeners[OC_LISTENER_DNS_STREAM]);
      oc_net_reset (&accepted);
      count_events (self, 1);
      update_listeners (self);
    }
  else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
    rest (self);
  return listener->source != 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* What was sent to where nothing listens. The rest is seen there. */

static gboolean
is_listened_at (OcNetBroker *self, guint16 port)
{
  gsize n;
  const guint16 *ports = oc_net_names_get_ports (self->names, &n);

  for (gsize i = 0; i < n; i++)
    if (ports[i] == port)
      return TRUE;
  return port == OC_NET_DNS_PORT;
}

static void
on_packet (const OcNetPacket *packet, gpointer data)
{
  OcNetBroker *self = data;

  if (packet->stream && is_listened_at (self, packet->port))
    return;
  oc_net_record_refused (self->record, packet->stream ? "connect" : "send",
                         oc_net_names_find_address (self->names, &packet->address),
                         &packet->address, packet->port);
}

static gboolean
on_packets (int fd, GIOCondition condition G_GNUC_UNUSED, gpointer data)
{
  Listener *listener = data;

  count_events (listener->broker, oc_net_watch_read (fd, on_packet, listener->broker));
  return listener->source != 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static GUnixFDSourceFunc
get_func (guint i)
{
  if (i == OC_LISTENER_DNS_DATAGRAM)
    return on_question;
  return i == OC_LISTENER_WATCH ? on_packets : on_connection;
}

static void
update_listeners (OcNetBroker *self)
{
  for (guint i = 0; i < OC_REPORT_MAX_FDS; i++)
    {
      Listener *listener = &self->listeners[i];
      gboolean is_stream = get_func (i) == on_connection;
      gboolean wanted = listener->fd >= 0 && self->pause == 0 && !(is_stream && is_full (self));

      if (wanted && listener->source == 0)
        listener->source = g_unix_fd_add_full (OC_NET_PRIORITY, listener->fd, G_IO_IN, get_func (i),
                                               listener, NULL);
      else if (!wanted)
        g_clear_handle_id (&listener->source, g_source_remove);
    }
}

/* What happened last, for the record: a refused attempt is often followed by the end. */
static void
look_once_more (OcNetBroker *self)
{
  for (guint i = OC_LISTENER_FIRST_PORT; i < OC_REPORT_MAX_FDS && self->listeners[i].fd >= 0; i++)
    for (guint n = 0; n < LAST_CONNECTIONS; n++)
      {
        g_auto (OcFd) fd = accept4 (self->listeners[i].fd, NULL, NULL,
                                    SOCK_CLOEXEC | SOCK_NONBLOCK);
        const char *grant = NULL;
        const OcNetName *name;
        struct in6_addr address;
        guint16 port;

        if (fd < 0)
          break;
        if (get_target (fd, &address, &port))
          {
            name = oc_net_names_find_address (self->names, &address);
            grant = name != NULL ? oc_net_name_get_grant (name, port) : NULL;
            if (grant == NULL)
              oc_net_record_refused (self->record, "connect", name, &address, port);
          }
      }
  if (self->listeners[OC_LISTENER_WATCH].fd >= 0)
    oc_net_watch_read (self->listeners[OC_LISTENER_WATCH].fd, on_packet, self);
  if (self->listeners[OC_LISTENER_DNS_DATAGRAM].fd >= 0)
    oc_net_responder_answer (self->listeners[OC_LISTENER_DNS_DATAGRAM].fd, look_up, self);
}

OcNetBroker *
oc_net_broker_new (OcPlan *plan, OcProcess *process, OcUses *uses, const OcNetPolicy *policy)
{
  OcNetNames *names;
  OcNetBroker *self;

  g_return_val_if_fail (plan != NULL && process != NULL && uses != NULL, NULL);
  names = oc_plan_get_names (plan);
  if (names == NULL)
    return NULL;
  self = g_new0 (OcNetBroker, 1);
  self->names = oc_net_names_ref (names);
  self->record = oc_net_record_new (uses);
  self->lookup = oc_net_lookup_new (policy != NULL ? policy->resolver : NULL);
  self->funcs = (OcNetConnectionFuncs){
    .lookup = self->lookup,
    .check = policy != NULL && policy->check != NULL ? policy->check : oc_address_classify_here,
    .refused = on_refused,
    .ended = on_ended,
    .data = self,
  };
  self->connections = g_hash_table_new_full (NULL, NULL, (GDestroyNotify)oc_net_connection_free,
                                             NULL);
  self->streams = g_hash_table_new_full (NULL, NULL, (GDestroyNotify)oc_net_stream_free, NULL);
  for (guint i = 0; i < OC_REPORT_MAX_FDS; i++)
    {
      self->listeners[i].broker = self;
      self->listeners[i].fd = oc_process_steal_listener (process, i);
    }
  if (self->listeners[OC_LISTENER_DNS_DATAGRAM].fd >= 0)
    oc_net_responder_prepare (self->listeners[OC_LISTENER_DNS_DATAGRAM].fd);
  update_listeners (self);
  return self;
}

void
oc_net_broker_free (OcNetBroker *self)
{
  if (self == NULL)
    return;
  look_once_more (self);
  g_clear_handle_id (&self->pause, g_source_remove);
  for (guint i = 0; i < OC_REPORT_MAX_FDS; i++)
    {
      g_clear_handle_id (&self->listeners[i].source, g_source_remove);
      oc_fd_close (&self->listeners[i].fd);
    }
  n_in_all -= g_hash_table_size (self->connections);
  g_hash_table_unref (self->connections);
  g_hash_table_unref (self->streams);
  oc_net_lookup_free (self->lookup);
  oc_net_record_free (self->record);
  oc_net_names_unref (self->names);
  g_free (self);
}

guint
oc_net_broker_count_connections (OcNetBroker *self)
{
  return g_hash_table_size (self->connections);
}
