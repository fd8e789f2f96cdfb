/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_in
loopback (const char *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons ((uint16_t)atoi (port)) };

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  return address;
}

/* "@…": abstract. */
static socklen_t
unix_address (struct sockaddr_un *address, const char *path)
{
  size_t length = strlen (path);

  memset (address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy (address->sun_path, path,
          length < sizeof address->sun_path ? length : sizeof address->sun_path - 1);
  if (path[0] == '@')
    {
      address->sun_path[0] = '\0';
      return (socklen_t)(offsetof (struct sockaddr_un, sun_path) + length);
    }
  return sizeof *address;
}

static long
make_socket (char **a)
{
  return socket (atoi (a[0]), atoi (a[1]), atoi (a[2]));
}

/* The kernel looks at the low 32 bits. */
static long
make_socket_high_bits (char **a)
{
  return syscall (SYS_socket, (1UL << 32) | (unsigned long)atoi (a[0]), (1UL << 32) | SOCK_STREAM,
                  0);
}

static long
connect_unix (char **a)
{
  struct sockaddr_un address;
  int fd = socket (AF_UNIX, strcmp (a[1], "dgram") == 0 ? SOCK_DGRAM : SOCK_STREAM, 0);

  return fd < 0 ? -1 : connect (fd, (struct sockaddr *)&address, unix_address (&address, a[0]));
}

static long
make_pair (char **a)
{
  int fds[2];

  return socketpair (AF_UNIX, atoi (a[0]), 0, fds);
}

static long
make_pair_flags (char **a)
{
  int fds[2];

  return socketpair (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds);
}

static long
send_from_pair (char **a)
{
  struct sockaddr_un address;
  int fds[2];

  if (socketpair (AF_UNIX, SOCK_DGRAM, 0, fds) != 0)
    return -1;
  return sendto (fds[0], "x", 1, 0, (struct sockaddr *)&address, unix_address (&address, a[0]));
}

static long
connect_tcp (char **a)
{
  struct sockaddr_in address = loopback (a[0]);
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  return fd < 0 ? -1 : connect (fd, (struct sockaddr *)&address, sizeof address);
}

static long
connect_mptcp (char **a)
{
  struct sockaddr_in address = loopback (a[0]);
  int fd = socket (AF_INET, SOCK_STREAM, IPPROTO_MPTCP);

  return fd < 0 ? -1 : connect (fd, (struct sockaddr *)&address, sizeof address);
}

static long
fast_open (char **a)
{
  struct sockaddr_in address = loopback (a[0]);
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  return fd < 0 ? -1
                : sendto (fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address);
}

static long
send_udp (char **a)
{
  struct sockaddr_in address = loopback (a[0]);
  int fd = socket (AF_INET, SOCK_DGRAM, 0);

  return fd < 0 ? -1 : sendto (fd, "x", 1, 0, (struct sockaddr *)&address, sizeof address);
}

static long
bind_socket (char **a)
{
  struct sockaddr_in address = loopback ("0");
  int fd = socket (AF_INET, atoi (a[0]), 0);

  return fd < 0 ? -1 : bind (fd, (struct sockaddr *)&address, sizeof address);
}

static long
listen_unbound (char **a)
{
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  return fd < 0 ? -1 : listen (fd, 1);
}

static long
listen_unbound_6 (char **a)
{
  int fd = socket (AF_INET6, SOCK_STREAM, 0);

  return fd < 0 ? -1 : listen (fd, 1);
}

static long
bind_mptcp (char **a)
{
  struct sockaddr_in address = loopback ("0");
  int fd = socket (AF_INET, SOCK_STREAM, IPPROTO_MPTCP);

  return fd < 0 ? -1 : bind (fd, (struct sockaddr *)&address, sizeof address);
}

/* A socket made by io_uring is made in the kernel, past the filter. IORING_OP_SOCKET is 45. */
static long
socket_by_ring (char **a)
{
  struct io_uring_params params = { 0 };
  int fd = (int)syscall (SYS_io_uring_setup, 4, &params);
  struct io_uring_sqe *entries;
  struct io_uring_cqe *answer;
  char *submit, *complete;

  if (fd < 0)
    return -1;
  submit = mmap (NULL, params.sq_off.array + params.sq_entries * sizeof (unsigned),
                 PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
  entries = mmap (NULL, params.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                  IORING_OFF_SQES);
  complete = mmap (NULL, params.cq_off.cqes + params.cq_entries * sizeof *answer,
                   PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_CQ_RING);
  if (submit == MAP_FAILED || (void *)entries == MAP_FAILED || complete == MAP_FAILED)
    return -1;
  memset (entries, 0, sizeof *entries);
  entries->opcode = 45;
  entries->fd = AF_UNIX;
  entries->off = SOCK_STREAM;
  ((unsigned *)(void *)(submit + params.sq_off.array))[0] = 0;
  __atomic_store_n ((unsigned *)(void *)(submit + params.sq_off.tail), 1, __ATOMIC_RELEASE);
  if (syscall (SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
    return -1;
  answer = (struct io_uring_cqe *)(void *)(complete + params.cq_off.cqes);
  if (answer->res < 0)
    errno = -answer->res;
  return answer->res < 0 ? -1 : 0;
}

const Probe probe_network[] = {
  { "socket", 3, make_socket },         { "socket-high-bits", 1, make_socket_high_bits },
  { "connect-unix", 2, connect_unix },  { "pair", 1, make_pair },
  { "pair-flags", 0, make_pair_flags }, { "pair-send", 1, send_from_pair },
  { "connect-tcp", 1, connect_tcp },    { "connect-mptcp", 1, connect_mptcp },
  { "fast-open", 1, fast_open },        { "send-udp", 1, send_udp },
  { "bind", 1, bind_socket },           { "listen-unbound", 0, listen_unbound },
  { "bind-mptcp", 0, bind_mptcp },      { "listen-unbound-6", 0, listen_unbound_6 },
  { "ring-socket", 0, socket_by_ring }, { NULL, 0, NULL },
};
