/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The private network from which named hosts are reached. A socket belongs for ever to the network
 * namespace it was made in: so what listens is made here, inside, and handed to the broker outside.
 * Whatever address a program inside sends to leads back to this namespace, so the broker sees each
 * attempt, and there is no way around it. Shared by all executors. Plain C: see
 * oc-sandbox-private.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launcher/oc-sandbox-private.h"

/* The loopback device is a network namespace's first. */
#define LOOPBACK_INDEX 1
#define DNS_PORT 53
#define BACKLOG 128
/* Of a packet: addresses and ports. */
#define WATCH_BYTES 128

static void
raise_loopback (const OcStage *stage)
{
  struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  if (fd < 0 || ioctl (fd, SIOCSIFFLAGS, &request) != 0)
    oc_stage_fail (stage, OC_LAYER_NETWORK, "loopback");
  close (fd);
}

/* ip route add local default dev lo */
static int
add_route (unsigned char family)
{
  struct
  {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr attribute;
    int device;
  } request = {
    .header = { .nlmsg_len = sizeof request,
                .nlmsg_type = RTM_NEWROUTE,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL },
    .route = { .rtm_family = family,
               .rtm_table = RT_TABLE_LOCAL,
               .rtm_protocol = RTPROT_BOOT,
               .rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
               .rtm_type = RTN_LOCAL },
    .attribute = { .rta_len = RTA_LENGTH (sizeof (int)), .rta_type = RTA_OIF },
    .device = LOOPBACK_INDEX,
  };
  struct
  {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char rest[256];
  } answer = { 0 };
  int fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  ssize_t n = -1;

  if (fd < 0)
    return -1;
  if (send (fd, &request, sizeof request, 0) == (ssize_t)sizeof request)
    n = recv (fd, &answer, sizeof answer, 0);
  close (fd);
  if (n < (ssize_t)(sizeof answer.header + sizeof answer.error)
      || answer.header.nlmsg_type != NLMSG_ERROR)
    {
      errno = EPROTO;
      return -1;
    }
  errno = -answer.error.error;
  return errno == 0 ? 0 : -1;
}

/* For both families where the system has both: an IPv6 socket takes IPv4 too. */
static int
open_socket (const OcStage *stage, int type, uint16_t port)
{
  struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_port = htons (port) };
  struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_port = htons (port) };
  int fd = socket (AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int off = 0, result;

  if (fd >= 0)
    result = setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0
                 ? -1
                 : bind (fd, (struct sockaddr *)&address, sizeof address);
  else if (errno == EAFNOSUPPORT)
    {
      fd = socket (AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      result = bind (fd, (struct sockaddr *)&ipv4, sizeof ipv4);
    }
  else
    result = -1;
  if (result != 0 || (type == SOCK_STREAM && listen (fd, BACKLOG) != 0))
    oc_stage_fail (stage, OC_LAYER_NETWORK, "listening socket");
  return fd;
}

/* Takes a copy of the first packet of each TCP connection and of each UDP packet but DNS, so that
 * the record also has what was sent to where nothing listens. */
static int
open_watch (const OcStage *stage)
{
  /* The jumps count from the next line on. */
  static struct sock_filter filter[] = {
    /* On the loopback device each packet is seen twice. */
    BPF_STMT (BPF_LD | BPF_B | BPF_ABS, (unsigned)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 26, 0),
    BPF_STMT (BPF_LD | BPF_H | BPF_ABS, (unsigned)(SKF_AD_OFF + SKF_AD_PROTOCOL)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 1, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 12, 23),
    /* IPv4, and no later fragment */
    BPF_STMT (BPF_LD | BPF_H | BPF_ABS, 6),
    BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, 0x1fff, 21, 0),
    BPF_STMT (BPF_LDX | BPF_B | BPF_MSH, 0),
    BPF_STMT (BPF_LD | BPF_B | BPF_ABS, 9),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 2),
    BPF_STMT (BPF_LD | BPF_B | BPF_IND, 13),
    BPF_JUMP (BPF_JMP | BPF_JA, 9, 0, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 15),
    BPF_STMT (BPF_LD | BPF_H | BPF_IND, 0), /* the answers of the broker */
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, DNS_PORT, 13, 0),
    BPF_STMT (BPF_LD | BPF_H | BPF_IND, 2),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, DNS_PORT, 11, 10),
    /* IPv6 */
    BPF_STMT (BPF_LD | BPF_B | BPF_ABS, 6),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 4, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 8),
    BPF_STMT (BPF_LD | BPF_B | BPF_ABS, 40 + 13),
    /* SYN without ACK */
    BPF_STMT (BPF_ALU | BPF_AND | BPF_K, 0x12),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0x02, 4, 5),
    BPF_STMT (BPF_LD | BPF_H | BPF_ABS, 40),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, DNS_PORT, 3, 0),
    BPF_STMT (BPF_LD | BPF_H | BPF_ABS, 40 + 2),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, DNS_PORT, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, WATCH_BYTES),
    BPF_STMT (BPF_RET | BPF_K, 0),
  };
  struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
  struct sockaddr_ll address = { .sll_family = AF_PACKET,
                                 .sll_protocol = htons (ETH_P_ALL),
                                 .sll_ifindex = LOOPBACK_INDEX };
  int fd = socket (AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd < 0 || setsockopt (fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0
      || bind (fd, (struct sockaddr *)&address, sizeof address) != 0)
    oc_stage_fail (stage, OC_LAYER_NETWORK, "watching socket");
  return fd;
}

void
oc_stage_network (const OcStage *stage)
{
  int fds[OC_REPORT_MAX_FDS];
  size_t n = 0;

  if (!stage->named_hosts)
    return;
  raise_loopback (stage);
  if (add_route (AF_INET) != 0)
    oc_stage_fail (stage, OC_LAYER_NETWORK, "route");
  /* Without it no IPv6 address is reached at all: names have IPv4 addresses here. */
  (void)add_route (AF_INET6);
  fds[OC_LISTENER_DNS_DATAGRAM] = open_socket (stage, SOCK_DGRAM, DNS_PORT);
  fds[OC_LISTENER_DNS_STREAM] = open_socket (stage, SOCK_STREAM, DNS_PORT);
  fds[OC_LISTENER_WATCH] = open_watch (stage);
  for (n = OC_LISTENER_FIRST_PORT; n < OC_LISTENER_FIRST_PORT + stage->n_ports; n++)
    fds[n] = open_socket (stage, SOCK_STREAM, stage->ports[n - OC_LISTENER_FIRST_PORT]);
  oc_stage_send (stage, OC_REPORT_LISTENERS, OC_LAYER_NETWORK, fds, n);
  while (n > 0)
    close (fds[--n]);
}
