/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who asks, and where to. All of it is what a hostile program lets be seen. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/oc-fd.h"
#include "launcher/oc-notify-private.h"

/* The kernel's longest name of a file; one of a task has 15 bytes. */
#define MAX_NAME 255
#define MAX_COMM 16
#define UNKNOWN "unknown"

static const struct
{
  int family;
  const char *name;
} families[] = {
  { AF_UNIX, "AF_UNIX" },           { AF_INET, "AF_INET" },   { AF_INET6, "AF_INET6" },
  { AF_NETLINK, "AF_NETLINK" },     { AF_PACKET, "AF_PACKET" }, { AF_VSOCK, "AF_VSOCK" },
  { AF_ALG, "AF_ALG" },             { AF_BLUETOOTH, "AF_BLUETOOTH" }, { AF_CAN, "AF_CAN" },
  { AF_TIPC, "AF_TIPC" },           { AF_XDP, "AF_XDP" },     { AF_KEY, "AF_KEY" },
};

const char *
oc_notify_describe_family (guint64 family, char *buffer)
{
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    if ((guint32)family == (guint32)families[i].family)
      return families[i].name;
  g_snprintf (buffer, 32, "%u", (guint32)family);
  return buffer;
}

/* "/proc/TID/comm" without its newline; "" where it is gone. */
static void
read_comm (pid_t tid, char *buffer)
{
  char path[48];
  gssize n = -1;

  g_snprintf (path, sizeof path, "/proc/%d/comm", (int)tid);
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    n = oc_fd_read_all (fd, buffer, MAX_COMM);
  buffer[n > 0 ? n - 1 : 0] = '\0';
}

static const char *
read_file_name (pid_t tid, char *buffer, gsize size)
{
  char path[48];
  const char *slash;
  ssize_t n;

  g_snprintf (path, sizeof path, "/proc/%d/exe", (int)tid);
  n = readlink (path, buffer, size - 1);
  if (n <= 0)
    return NULL;
  buffer[n] = '\0';
  slash = strrchr (buffer, '/');
  return slash != NULL ? slash + 1 : buffer;
}

char *
oc_notify_dup_program (pid_t tid)
{
  char target[4096], comm[MAX_COMM + 1];
  const char *file = read_file_name (tid, target, sizeof target);

  read_comm (tid, comm);
  if (file == NULL)
    return comm[0] != '\0' ? g_strdup (comm) : NULL;
  /* The task's name is the file's cut short, "python3" for python3.11 when it was started by that link, or another. */
  if (comm[0] == '\0' || strncmp (file, comm, strlen (comm)) == 0)
    return g_strndup (file, MAX_NAME);
  return g_strdup_printf ("%.*s (%s)", MAX_NAME, file, comm);
}

static gboolean
read_memory (pid_t tid, guint64 address, void *buffer, gsize size)
{
  struct iovec local = { buffer, size };
  struct iovec remote = { GSIZE_TO_POINTER (address), size };

  return process_vm_readv (tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

OcDestination
oc_notify_parse_address (const struct sockaddr_storage *address, gsize length, gboolean connects)
{
  OcDestination destination = { .is_one = TRUE, .text = UNKNOWN };
  const struct sockaddr_in *four = (const struct sockaddr_in *)address;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
  char text[INET6_ADDRSTRLEN];
  int family = address->ss_family;

  if (length < sizeof address->ss_family)
    return destination;
  /* connect() with it unconnects; a datagram of IPv4's is sent as if it were AF_INET. */
  if (family == AF_UNSPEC && !connects)
    family = AF_INET;
  /* Of others, which no socket here takes, there is nothing to tell. */
  if (family != AF_INET && family != AF_INET6)
    destination.is_one = FALSE;
  else if (family == AF_INET && length >= sizeof *four
           && inet_ntop (AF_INET, &four->sin_addr, text, sizeof text) != NULL)
    g_snprintf (destination.text, sizeof destination.text, "%s:%u", text, ntohs (four->sin_port));
  /* Without its last member, as the kernel takes it. */
  else if (family == AF_INET6 && length >= offsetof (struct sockaddr_in6, sin6_scope_id)
           && inet_ntop (AF_INET6, &six->sin6_addr, text, sizeof text) != NULL)
    g_snprintf (destination.text, sizeof destination.text, "[%s]:%u", text, ntohs (six->sin6_port));
  return destination;
}

static OcDestination
read_address (pid_t tid, guint64 at, guint64 length, gboolean connects)
{
  struct sockaddr_storage address = { 0 };
  gsize size = MIN ((gsize)(guint32)length, sizeof address);

  if (at == 0 || size == 0)
    return (OcDestination){ .is_one = FALSE };
  if (!read_memory (tid, at, &address, size))
    return (OcDestination){ .is_one = TRUE, .text = UNKNOWN };
  return oc_notify_parse_address (&address, size, connects);
}

OcDestination
oc_notify_read_destination (pid_t tid, const char *name, const guint64 *args)
{
  struct msghdr message;

  if (strcmp (name, "connect") == 0)
    return read_address (tid, args[1], args[2], TRUE);
  if (strcmp (name, "sendto") == 0)
    return read_address (tid, args[4], args[5], FALSE);
  /* sendmmsg() has an array of them, each a struct msghdr first: the others of a call go over the connection that the first
   * one opens. */
  if (!read_memory (tid, args[1], &message, sizeof message))
    return (OcDestination){ .is_one = TRUE, .text = UNKNOWN };
  return read_address (tid, (guint64)GPOINTER_TO_SIZE (message.msg_name), message.msg_namelen, FALSE);
}
