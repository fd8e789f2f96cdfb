/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* So that one busy connection does not keep the others waiting. */
#define READS_AT_ONCE 4

typedef struct
{
  int fd;
  gpointer tag; /* NULL: not polled. A descriptor of which nothing is wanted must not be: a hang-up
                 * would be told of without end */
  GIOCondition wanted;
  guint8 *pending; /* owned (nullable): what it has to be sent yet */
  gsize pending_at;
  gsize pending_end;
  gboolean finished; /* it sends no more */
  gboolean shut;     /* it was told that the other sends no more */
} Side;

struct _OcNetRelay
{
  GSource source; /* first */
  Side sides[2];
  gboolean broken;
  OcNetRelayEndFunc end;
  gpointer data;
};

void
oc_net_reset (int *fd)
{
  struct linger linger = { .l_onoff = 1, .l_linger = 0 };

  if (*fd < 0)
    return;
  (void)setsockopt (*fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close (*fd);
  *fd = -1;
}

/* FALSE: broken. */
static gboolean
send_pending (Side *to)
{
  while (to->pending_at < to->pending_end)
    {
      ssize_t n = send (to->fd, to->pending + to->pending_at, to->pending_end - to->pending_at,
                        MSG_NOSIGNAL);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return errno == EAGAIN;
      to->pending_at += (gsize)n;
    }
  g_clear_pointer (&to->pending, g_free);
  to->pending_at = to->pending_end = 0;
  return TRUE;
}

static gboolean
send_or_keep (Side *to, const guint8 *bytes, gsize length)
{
  ssize_t n;

  do
    n = send (to->fd, bytes, length, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno != EAGAIN)
    return FALSE;
  n = MAX (n, 0);
  if ((gsize)n < length)
    {
      to->pending = g_memdup2 (bytes + n, length - (gsize)n);
      to->pending_end = length - (gsize)n;
    }
  return TRUE;
}

/* FALSE: broken. */
static gboolean
pump (Side *from, Side *to)
{
  guint8 buffer[OC_NET_RELAY_BYTES];

  if (!send_pending (to))
    return FALSE;
  for (guint i = 0; i < READS_AT_ONCE && !from->finished && to->pending == NULL; i++)
    {
      ssize_t n = recv (from->fd, buffer, sizeof buffer, 0);

      if (n < 0 && (errno == EAGAIN || errno == EINTR))
        break;
      if (n < 0)
        return FALSE;
      from->finished = n == 0;
      if (n > 0 && !send_or_keep (to, buffer, (gsize)n))
        return FALSE;
      if (n < (ssize_t)sizeof buffer && n > 0)
        break;
    }
  if (from->finished && to->pending == NULL && !to->shut)
    {
      to->shut = TRUE;
      (void)shutdown (to->fd, SHUT_WR);
    }
  return TRUE;
}

static void
watch_side (OcNetRelay *self, Side *side, const Side *other)
{
  GIOCondition wanted = 0;

  if (!side->finished && other->pending == NULL)
    wanted |= G_IO_IN;
  if (side->pending != NULL)
    wanted |= G_IO_OUT;
  if (wanted == side->wanted)
    return;
  if (side->tag != NULL && wanted == 0)
    {
      g_source_remove_unix_fd (&self->source, side->tag);
      side->tag = NULL;
    }
  else if (side->tag != NULL)
    g_source_modify_unix_fd (&self->source, side->tag, wanted);
  else
    side->tag = g_source_add_unix_fd (&self->source, side->fd, wanted);
  side->wanted = wanted;
}

static gboolean
relay_dispatch (GSource *source,
                GSourceFunc callback G_GNUC_UNUSED,
                gpointer user_data G_GNUC_UNUSED)
{
  OcNetRelay *self = (OcNetRelay *)source;
  Side *a = &self->sides[0], *b = &self->sides[1];

  if (!pump (a, b) || !pump (b, a))
    self->broken = TRUE;
  if (self->broken || (a->shut && b->shut))
    {
      self->end (self->data);
      return G_SOURCE_REMOVE;
    }
  watch_side (self, a, b);
  watch_side (self, b, a);
  return G_SOURCE_CONTINUE;
}

OcNetRelay *
oc_net_relay_new (int a, int b, OcNetRelayEndFunc end, gpointer data)
{
  static GSourceFuncs functions = { .dispatch = relay_dispatch };
  OcNetRelay *self = (OcNetRelay *)g_source_new (&functions, sizeof *self);
  const int fds[2] = { a, b };
  int on = 1;

  self->end = end;
  self->data = data;
  g_source_set_priority (&self->source, OC_NET_PRIORITY);
  for (gsize i = 0; i < G_N_ELEMENTS (fds); i++)
    {
      self->sides[i].fd = fds[i];
      (void)setsockopt (fds[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      (void)setsockopt (fds[i], SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    }
  watch_side (self, &self->sides[0], &self->sides[1]);
  watch_side (self, &self->sides[1], &self->sides[0]);
  g_source_attach (&self->source, NULL);
  return self;
}

void
oc_net_relay_free (OcNetRelay *self)
{
  gboolean whole;

  if (self == NULL)
    return;
  whole = !self->broken && self->sides[0].shut && self->sides[1].shut;
  g_source_destroy (&self->source);
  for (gsize i = 0; i < G_N_ELEMENTS (self->sides); i++)
    {
      Side *side = &self->sides[i];

      if (!whole)
        oc_net_reset (&side->fd);
      else
        close (side->fd);
      g_free (side->pending);
    }
  g_source_unref (&self->source);
}
