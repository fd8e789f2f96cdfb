/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-watch.h"

#include <string.h>
#include <sys/socket.h>

#define IPV4_HEADER 20
#define IPV6_HEADER 40
/* Both ports are the first thing in TCP and in UDP. */
#define PORTS 4

gboolean
oc_net_packet_parse (const guint8 *bytes, gsize length, OcNetPacket *packet)
{
  OcNetPacket found = { 0 };
  gsize header;
  guint8 protocol;

  if (length < IPV4_HEADER)
    return FALSE;
  if (bytes[0] >> 4 == 4)
    {
      header = 4U * (bytes[0] & 0xf);
      protocol = bytes[9];
      found.address.s6_addr[10] = found.address.s6_addr[11] = 0xff;
      memcpy (&found.address.s6_addr[12], bytes + 16, 4);
      if (header < IPV4_HEADER)
        return FALSE;
    }
  else if (bytes[0] >> 4 == 6 && length >= IPV6_HEADER)
    {
      header = IPV6_HEADER;
      protocol = bytes[6];
      memcpy (found.address.s6_addr, bytes + 24, 16);
    }
  else
    return FALSE;
  if (length < header + PORTS || (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP))
    return FALSE;
  found.stream = protocol == IPPROTO_TCP;
  found.port = (guint16)(bytes[header + 2] << 8 | bytes[header + 3]);
  *packet = found;
  return TRUE;
}

guint
oc_net_watch_read (int fd, OcNetPacketFunc func, gpointer data)
{
  guint n = 0;

  for (; n < OC_NET_WATCH_BATCH; n++)
    {
      guint8 bytes[128];
      OcNetPacket packet;
      ssize_t length = recv (fd, bytes, sizeof bytes, MSG_DONTWAIT);

      if (length < 0)
        break;
      if (oc_net_packet_parse (bytes, (gsize)length, &packet))
        func (&packet, data);
    }
  return n;
}
