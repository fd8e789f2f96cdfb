/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "core/oc-fd.h"

typedef struct
{
  guint32 prefix;
  guint bits;
  OcAddressKind kind;
} Ipv4Range;

/* In order of the address; what is not here is public. */
static const Ipv4Range ipv4_ranges[] = {
  { 0x00000000, 8, OC_ADDRESS_LOOPBACK }, /* 0/8: "this network"; Linux takes 0.0.0.0 for itself */
  { 0x0a000000, 8, OC_ADDRESS_PRIVATE },  /* 10/8 */
  { 0x64400000, 10, OC_ADDRESS_PRIVATE }, /* 100.64/10: behind a provider's translator */
  { 0x7f000000, 8, OC_ADDRESS_LOOPBACK }, /* 127/8 */
  { 0xa9fe0000, 16, OC_ADDRESS_LINK_LOCAL }, /* 169.254/16 */
  { 0xac100000, 12, OC_ADDRESS_PRIVATE },    /* 172.16/12 */
  { 0xc0000000, 24, OC_ADDRESS_RESERVED },   /* 192.0.0/24: protocol assignments */
  { 0xc0000200, 24, OC_ADDRESS_RESERVED },   /* 192.0.2/24: documentation */
  { 0xc0586300, 24, OC_ADDRESS_RESERVED }, /* 192.88.99/24: the next 6to4 relay, whosever that is */
  { 0xc0a80000, 16, OC_ADDRESS_PRIVATE },  /* 192.168/16 */
  { 0xc6120000, 15, OC_ADDRESS_RESERVED }, /* 198.18/15: benchmarks; what names have inside */
  { 0xc6336400, 24, OC_ADDRESS_RESERVED }, /* 198.51.100/24: documentation */
  { 0xcb007100, 24, OC_ADDRESS_RESERVED }, /* 203.0.113/24: documentation */
  { 0xe0000000, 3, OC_ADDRESS_RESERVED },  /* 224/4 multicast, 240/4 future use, broadcast */
};

typedef struct
{
  guint8 prefix[16];
  guint bits;
  OcAddressKind kind;
  int ipv4_at; /* where an IPv4 address is in it, which it then is like; 0: nowhere */
} Ipv6Range;

/* The first that fits. What is not here is not given out (RFC 3513 gives out 2000::/3 alone). */
static const Ipv6Range ipv6_ranges[] = {
  { { [10] = 0xff, 0xff }, 96, OC_ADDRESS_RESERVED, 12 },   /* ::ffff:0:0/96: IPv4 itself */
  { { [15] = 1 }, 128, OC_ADDRESS_LOOPBACK, 0 },            /* ::1 */
  { { 0 }, 128, OC_ADDRESS_LOOPBACK, 0 },                   /* ::, which Linux takes for itself */
  { { 0, 0x64, 0xff, 0x9b }, 96, OC_ADDRESS_RESERVED, 12 }, /* 64:ff9b::/96: NAT64 */
  { { 0xfc }, 7, OC_ADDRESS_PRIVATE, 0 },                   /* fc00::/7: unique local */
  { { 0xfe, 0x80 }, 10, OC_ADDRESS_LINK_LOCAL, 0 },         /* fe80::/10 */
  { { 0xfe, 0xc0 }, 10, OC_ADDRESS_PRIVATE, 0 },            /* fec0::/10: site local */
  { { 0x20, 0x01 }, 23, OC_ADDRESS_RESERVED, 0 }, /* 2001::/23: Teredo and other protocols */
  { { 0x20, 0x01, 0x0d, 0xb8 }, 32, OC_ADDRESS_RESERVED, 0 }, /* documentation */
  { { 0x20, 0x02 }, 16, OC_ADDRESS_RESERVED, 2 },             /* 2002::/16: 6to4 */
  { { 0x3f, 0xff }, 20, OC_ADDRESS_RESERVED, 0 },             /* 3fff::/20: documentation */
  { { 0x20 }, 3, OC_ADDRESS_PUBLIC, 0 },                      /* 2000::/3 */
};

const char *
oc_address_kind_to_id (OcAddressKind kind)
{
  switch (kind)
    {
    case OC_ADDRESS_PUBLIC:
      return "public";
    case OC_ADDRESS_LOOPBACK:
      return "loopback";
    case OC_ADDRESS_LINK_LOCAL:
      return "link-local";
    case OC_ADDRESS_PRIVATE:
      return "private";
    case OC_ADDRESS_RESERVED:
      return "reserved";
    case OC_ADDRESS_OWN:
      return "own";
    }
  return "reserved";
}

static OcAddressKind
classify_ipv4 (const guint8 bytes[4])
{
  guint32 address = (guint32)bytes[0] << 24 | (guint32)bytes[1] << 16 | (guint32)bytes[2] << 8
                    | bytes[3];

  for (gsize i = 0; i < G_N_ELEMENTS (ipv4_ranges); i++)
    if ((address ^ ipv4_ranges[i].prefix) >> (32 - ipv4_ranges[i].bits) == 0)
      return ipv4_ranges[i].kind;
  return OC_ADDRESS_PUBLIC;
}

static gboolean
is_in (const struct in6_addr *address, const Ipv6Range *range)
{
  guint whole = range->bits / 8, rest = range->bits % 8;

  if (memcmp (address->s6_addr, range->prefix, whole) != 0)
    return FALSE;
  return rest == 0 || (address->s6_addr[whole] ^ range->prefix[whole]) >> (8 - rest) == 0;
}

/* ISATAP (RFC 5214): any prefix, then ::0:5efe: and the IPv4 address it goes to. */
static gboolean
is_isatap (const struct in6_addr *address)
{
  const guint8 *bytes = address->s6_addr;

  return (bytes[8] & 0xfd) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

/* (nullable): not given out. */
static const Ipv6Range *
find_range (const struct in6_addr *address)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ipv6_ranges); i++)
    if (is_in (address, &ipv6_ranges[i]))
      return &ipv6_ranges[i];
  return NULL;
}

/* Where an IPv4 address is in it, which it then is like; 0: nowhere. */
static int
find_inner (const struct in6_addr *address)
{
  const Ipv6Range *range = find_range (address);

  if (range == NULL || range->ipv4_at != 0)
    return range != NULL ? range->ipv4_at : 0;
  return range->kind == OC_ADDRESS_PUBLIC && is_isatap (address) ? 12 : 0;
}

OcAddressKind
oc_address_classify (const struct in6_addr *address)
{
  const Ipv6Range *range = find_range (address);
  int at = find_inner (address);

  if (at != 0)
    return classify_ipv4 (&address->s6_addr[at]);
  return range != NULL ? range->kind : OC_ADDRESS_RESERVED;
}

gboolean
oc_address_from_inet (GInetAddress *inet, struct in6_addr *address)
{
  const guint8 *bytes = g_inet_address_to_bytes (inet);

  *address = (struct in6_addr){ 0 };
  if (g_inet_address_get_family (inet) == G_SOCKET_FAMILY_IPV6)
    memcpy (address->s6_addr, bytes, 16);
  else if (g_inet_address_get_family (inet) == G_SOCKET_FAMILY_IPV4)
    {
      address->s6_addr[10] = address->s6_addr[11] = 0xff;
      memcpy (&address->s6_addr[12], bytes, 4);
    }
  else
    return FALSE;
  return TRUE;
}

gboolean
oc_address_from_sockaddr (const struct sockaddr_storage *socket_address,
                          struct in6_addr *address,
                          guint16 *port)
{
  const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)(gconstpointer)socket_address;
  const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)(gconstpointer)socket_address;

  *address = (struct in6_addr){ 0 };
  if (socket_address->ss_family == AF_INET6)
    {
      *address = ipv6->sin6_addr;
      *port = ntohs (ipv6->sin6_port);
    }
  else if (socket_address->ss_family == AF_INET)
    {
      address->s6_addr[10] = address->s6_addr[11] = 0xff;
      memcpy (&address->s6_addr[12], &ipv4->sin_addr, 4);
      *port = ntohs (ipv4->sin_port);
    }
  else
    return FALSE;
  return TRUE;
}

char *
oc_address_to_text (const struct in6_addr *address)
{
  char text[INET6_ADDRSTRLEN] = "";

  if (IN6_IS_ADDR_V4MAPPED (address))
    {
      inet_ntop (AF_INET, &address->s6_addr[12], text, sizeof text);
      return g_strdup (text);
    }
  inet_ntop (AF_INET6, address, text, sizeof text);
  return g_strdup_printf ("[%s]", text);
}

static gboolean
is_assigned (const struct in6_addr *address)
{
  struct ifaddrs *list = NULL;
  gboolean found = FALSE;

  if (getifaddrs (&list) != 0)
    return TRUE;
  for (const struct ifaddrs *entry = list; entry != NULL; entry = entry->ifa_next)
    {
      struct sockaddr_storage socket_address = { 0 };
      struct in6_addr own;
      guint16 port;

      if (entry->ifa_addr == NULL)
        continue;
      if (entry->ifa_addr->sa_family == AF_INET6)
        memcpy (&socket_address, entry->ifa_addr, sizeof (struct sockaddr_in6));
      else if (entry->ifa_addr->sa_family == AF_INET)
        memcpy (&socket_address, entry->ifa_addr, sizeof (struct sockaddr_in));
      if (oc_address_from_sockaddr (&socket_address, &own, &port)
          && memcmp (&own, address, sizeof own) == 0)
        found = TRUE;
    }
  freeifaddrs (list);
  return found;
}

/* A route may keep here what no device has as its address: all of a network (AnyIP), or a broadcast. What no route leads to is
 * not reached either. */
static gboolean
is_kept_here (const struct in6_addr *address)
{
  gboolean ipv4 = IN6_IS_ADDR_V4MAPPED (address);
  gsize length = ipv4 ? 4 : 16;
  struct
  {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr attribute;
    guint8 address[16];
  } request = {
    .header = { .nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST },
    .route = { .rtm_family = ipv4 ? AF_INET : AF_INET6, .rtm_dst_len = (unsigned char)(length * 8) },
    .attribute = { .rta_type = RTA_DST, .rta_len = (unsigned short)RTA_LENGTH (length) },
  };
  union
  {
    struct nlmsghdr header;
    char bytes[4096];
  } answer = { 0 };
  g_auto (OcFd) fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  const struct rtmsg *route = NLMSG_DATA (&answer.header);
  ssize_t n;

  memcpy (request.address, address->s6_addr + 16 - length, length);
  request.header.nlmsg_len = (guint32)(offsetof (__typeof__ (request), address) + length);
  if (fd < 0 || send (fd, &request, request.header.nlmsg_len, 0) < 0)
    return TRUE;
  /* The kernel has answered by then. */
  n = recv (fd, &answer, sizeof answer, MSG_DONTWAIT);
  if (n < (ssize_t)NLMSG_LENGTH (sizeof *route))
    return TRUE;
  return answer.header.nlmsg_type == RTM_NEWROUTE && route->rtm_type != RTN_UNICAST;
}

OcAddressKind
oc_address_classify_here (const struct in6_addr *address)
{
  OcAddressKind kind = oc_address_classify (address);
  struct in6_addr inner = { .s6_addr = { [10] = 0xff, 0xff } };
  int at = find_inner (address);

  if (kind != OC_ADDRESS_PUBLIC)
    return kind;
  if (is_assigned (address) || is_kept_here (address))
    return OC_ADDRESS_OWN;
  if (at == 0 || IN6_IS_ADDR_V4MAPPED (address))
    return kind;
  /* A translator would send it back to here. */
  memcpy (&inner.s6_addr[12], &address->s6_addr[at], 4);
  return is_assigned (&inner) || is_kept_here (&inner) ? OC_ADDRESS_OWN : kind;
}
