/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-responder.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib-unix.h>

#include "core/oc-fd.h"
#include "launcher/oc-net-relay.h"

/* More than that no question has: it is cut, and so malformed. */
#define MAX_QUESTION 1024
/* Of one conversation. */
#define MAX_STREAM_QUESTIONS 16

void
oc_net_responder_prepare (int fd)
{
  int on = 1;

  (void)setsockopt (fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  (void)setsockopt (fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
}

/* Only where the answer is to come from; the device is the only one there is. */
static void
keep_own_address (struct msghdr *message)
{
  struct cmsghdr *header = CMSG_FIRSTHDR (message);

  if (header != NULL && header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO)
    {
      message->msg_controllen = CMSG_SPACE (sizeof (struct in6_pktinfo));
      return;
    }
  if (header != NULL && header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO)
    {
      struct in_pktinfo info;

      memcpy (&info, CMSG_DATA (header), sizeof info);
      info.ipi_spec_dst = info.ipi_addr;
      memcpy (CMSG_DATA (header), &info, sizeof info);
      message->msg_controllen = CMSG_SPACE (sizeof info);
      return;
    }
  message->msg_control = NULL;
  message->msg_controllen = 0;
}

guint
oc_net_responder_answer (int fd, OcDnsLookup lookup, gpointer data)
{
  guint n = 0;

  for (; n < OC_NET_DNS_BATCH; n++)
    {
      guint8 question[MAX_QUESTION], answer[OC_DNS_MAX_MESSAGE];
      struct sockaddr_storage sender;
      union
      {
        struct cmsghdr header;
        char bytes[256];
      } control;
      struct iovec part = { .iov_base = question, .iov_len = sizeof question };
      struct msghdr message = { .msg_name = &sender,
                                .msg_namelen = sizeof sender,
                                .msg_iov = &part,
                                .msg_iovlen = 1,
                                .msg_control = &control,
                                .msg_controllen = sizeof control };
      ssize_t length = recvmsg (fd, &message, 0);

      if (length < 0)
        break;
      part.iov_base = answer;
      part.iov_len = oc_dns_answer (question, (gsize)length, lookup, data, answer);
      message.msg_flags = 0;
      keep_own_address (&message);
      if (part.iov_len > 0)
        (void)!sendmsg (fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  return n;
}

struct _OcNetStream
{
  int fd;
  guint source;
  guint timeout;
  guint n_questions;
  OcDnsLookup lookup;
  OcNetStreamEndFunc end;
  gpointer data;
  gsize used;
  guint8 buffer[2 + MAX_QUESTION]; /* the length in front */
};

static gboolean
on_timed_out (gpointer data)
{
  OcNetStream *self = data;

  self->timeout = 0;
  self->end (self, self->data);
  return G_SOURCE_REMOVE;
}

/* FALSE: that was the last. */
static gboolean
answer_whole (OcNetStream *self)
{
  while (self->used >= 2)
    {
      guint8 answer[2 + OC_DNS_MAX_MESSAGE];
      gsize length = (gsize)self->buffer[0] << 8 | self->buffer[1];
      gsize n;

      if (length > MAX_QUESTION || self->n_questions >= MAX_STREAM_QUESTIONS)
        return FALSE;
      if (self->used < 2 + length)
        return TRUE;
      self->n_questions++;
      n = oc_dns_answer (self->buffer + 2, length, self->lookup, self->data, answer + 2);
      if (n == 0)
        return FALSE;
      answer[0] = (guint8)(n >> 8);
      answer[1] = (guint8)n;
      /* Its few answers always fit into the socket. */
      if (send (self->fd, answer, n + 2, MSG_NOSIGNAL) != (ssize_t)(n + 2))
        return FALSE;
      self->used -= 2 + length;
      memmove (self->buffer, self->buffer + 2 + length, self->used);
    }
  return TRUE;
}

static gboolean
on_readable (int fd, GIOCondition condition G_GNUC_UNUSED, gpointer data)
{
  OcNetStream *self = data;
  ssize_t n = recv (fd, self->buffer + self->used, sizeof self->buffer - self->used, 0);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  if (n > 0)
    {
      self->used += (gsize)n;
      if (answer_whole (self))
        return G_SOURCE_CONTINUE;
    }
  self->source = 0;
  self->end (self, self->data);
  return G_SOURCE_REMOVE;
}

OcNetStream *
oc_net_stream_new (int fd, OcDnsLookup lookup, OcNetStreamEndFunc end, gpointer data)
{
  OcNetStream *self = g_new0 (OcNetStream, 1);

  self->fd = fd;
  self->lookup = lookup;
  self->end = end;
  self->data = data;
  self->source = g_unix_fd_add_full (OC_NET_PRIORITY, fd, G_IO_IN | G_IO_ERR | G_IO_HUP,
                                     on_readable, self, NULL);
  self->timeout = g_timeout_add_seconds (OC_NET_DNS_STREAM_S, on_timed_out, self);
  return self;
}

void
oc_net_stream_free (OcNetStream *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_handle_id (&self->timeout, g_source_remove);
  oc_fd_close (&self->fd);
  g_free (self);
}
