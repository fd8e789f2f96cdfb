/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static, executed inside a sandbox from which only named hosts are reached. Each word on the
 * command line is one attempt, answered by one line. It looks names up by itself, as programs
 * without the C library's resolver do. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEADLINE_MS 10000
/* A question may be lost, and is asked again. */
#define TRY_MS 1000
#define TRIES 10

static const char *
name_error (void)
{
  const char *name = errno != 0 ? strerrorname_np (errno) : NULL;

  return name != NULL ? name : "FAILED";
}

static socklen_t
make_address (const char *host, int port, struct sockaddr_storage *address)
{
  struct sockaddr_in *ipv4 = (struct sockaddr_in *)(void *)address;
  struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)(void *)address;

  memset (address, 0, sizeof *address);
  if (inet_pton (AF_INET, host, &ipv4->sin_addr) == 1)
    {
      ipv4->sin_family = AF_INET;
      ipv4->sin_port = htons ((uint16_t)port);
      return sizeof *ipv4;
    }
  if (inet_pton (AF_INET6, host, &ipv6->sin6_addr) != 1)
    return 0;
  ipv6->sin6_family = AF_INET6;
  ipv6->sin6_port = htons ((uint16_t)port);
  return sizeof *ipv6;
}

/* Through the name server at @server. The address, "NXDOMAIN", "EMPTY" or an error. */
static const char *
resolve (const char *server, const char *name, int type)
{
  static char text[64];
  unsigned char message[512] = { 0x12, 0x34, 1, 0, 0, 1 };
  size_t at = 12;
  struct sockaddr_storage address;
  socklen_t length = make_address (server, 53, &address);
  struct pollfd poll_fd = { .events = POLLIN };
  ssize_t n = 0;

  for (const char *label = name; *label != '\0';)
    {
      size_t bytes = strcspn (label, ".");

      message[at++] = (unsigned char)bytes;
      memcpy (message + at, label, bytes);
      at += bytes;
      label += bytes + (label[bytes] == '.');
    }
  message[at++] = 0;
  message[at++] = 0;
  message[at++] = (unsigned char)type;
  message[at++] = 0;
  message[at++] = 1;
  poll_fd.fd = socket (address.ss_family, SOCK_DGRAM, 0);
  if (poll_fd.fd < 0 || connect (poll_fd.fd, (struct sockaddr *)&address, length) != 0)
    return name_error ();
  for (int i = 0; i < TRIES && n == 0; i++)
    {
      if (send (poll_fd.fd, message, at, 0) != (ssize_t)at)
        return name_error ();
      if (poll (&poll_fd, 1, TRY_MS) == 1)
        n = recv (poll_fd.fd, message, sizeof message, 0);
    }
  close (poll_fd.fd);
  if (n < 12)
    return n == 0 ? "SILENT" : name_error ();
  if ((message[3] & 0xf) != 0)
    snprintf (text, sizeof text, (message[3] & 0xf) == 3 ? "NXDOMAIN" : "RCODE%d",
              message[3] & 0xf);
  else if (message[7] == 0 || n < 4)
    return "EMPTY";
  else
    inet_ntop (AF_INET, message + n - 4, text, sizeof text);
  return text;
}

static int
is_address (const char *host)
{
  struct sockaddr_storage address;

  return make_address (host, 1, &address) > 0;
}

static int
connect_to (const char *host, int port)
{
  struct sockaddr_storage address;
  const char *literal = is_address (host) ? host : resolve ("127.0.0.1", host, 1);
  socklen_t length = make_address (literal, port, &address);
  int fd;

  if (length == 0)
    return -1;
  fd = socket (address.ss_family, SOCK_STREAM, 0);
  if (fd >= 0 && connect (fd, (struct sockaddr *)&address, length) == 0)
    return fd;
  return -1;
}

/* Sends a line and prints what comes back, to the end. */
static void
exchange (const char *host, int port, const char *line)
{
  char answer[256];
  size_t used = 0;
  ssize_t n;
  int fd;

  errno = 0;
  fd = connect_to (host, port);
  if (fd < 0)
    {
      printf ("%s\n", name_error ());
      return;
    }
  if (send (fd, line, strlen (line), MSG_NOSIGNAL) < 0 || shutdown (fd, SHUT_WR) != 0)
    {
      printf ("%s\n", name_error ());
      close (fd);
      return;
    }
  while ((n = recv (fd, answer + used, sizeof answer - 1 - used, 0)) > 0)
    used += (size_t)n;
  answer[used] = '\0';
  if (n < 0)
    printf ("%s\n", name_error ());
  else
    printf ("%s\n", answer);
  close (fd);
}

/* The same question over TCP, @n times in one conversation; then @hold conversations that say
 * nothing. */
static void
resolve_by_stream (const char *name, int n, int hold)
{
  unsigned char message[300] = { 0, 0, 0x12, 0x34, 1, 0, 0, 1 };
  size_t at = 14;
  int fd;

  for (const char *label = name; *label != '\0';)
    {
      size_t bytes = strcspn (label, ".");

      message[at++] = (unsigned char)bytes;
      memcpy (message + at, label, bytes);
      at += bytes;
      label += bytes + (label[bytes] == '.');
    }
  memcpy (message + at, "\0\0\1\0\1", 5);
  at += 5;
  message[1] = (unsigned char)(at - 2);
  for (int i = 0; i < hold; i++)
    (void)!connect_to ("127.0.0.1", 53);
  fd = connect_to ("127.0.0.1", 53);
  for (int i = 0; i < n; i++)
    {
      unsigned char answer[300];
      size_t used = 0;
      ssize_t got = 1;

      /* Cut in the middle, as a stream may be. */
      if (send (fd, message, 5, MSG_NOSIGNAL) != 5
          || send (fd, message + 5, at - 5, MSG_NOSIGNAL) != (ssize_t)at - 5)
        break;
      while (got > 0 && (used < 2 || used < 2U + answer[1]))
        if ((got = recv (fd, answer + used, sizeof answer - used, 0)) > 0)
          used += (size_t)got;
      if (got <= 0)
        break;
      printf ("%d ", answer[5] & 0xf);
      if (answer[9] == 1)
        printf ("%d.%d.%d.%d ", answer[used - 4], answer[used - 3], answer[used - 2],
                answer[used - 1]);
    }
  printf ("\n");
  close (fd);
}

/* To somebody who reads nothing, until nothing more is taken for a second. How many MiB that were.
 */
static void
stuff (const char *host, int port)
{
  static char block[65536];
  struct pollfd poll_fd = { .events = POLLOUT, .fd = connect_to (host, port) };
  long total = 0;
  ssize_t n;

  while (poll (&poll_fd, 1, TRY_MS) == 1
         && (n = send (poll_fd.fd, block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
    total += n;
  printf ("%ld\n", total / 1024 / 1024);
}

/* @n MiB there, and the same back. */
static void
exchange_big (const char *host, int port, int n)
{
  static char block[1024 * 1024], back[sizeof block];
  int fd = connect_to (host, port);
  long wrong = 0;

  for (size_t i = 0; i < sizeof block; i++)
    block[i] = (char)('a' + i * 7 % 23);
  for (int i = 0; fd >= 0 && i < n; i++)
    for (size_t sent = 0; sent < sizeof block;)
      {
        ssize_t got = send (fd, block + sent, sizeof block - sent, MSG_NOSIGNAL);

        if (got <= 0)
          {
            printf ("%s\n", name_error ());
            return;
          }
        sent += (size_t)got;
      }
  shutdown (fd, SHUT_WR);
  if (recv (fd, back, 6, MSG_WAITALL) != 6)
    wrong++;
  for (int i = 0; i < n; i++)
    if (recv (fd, back, sizeof back, MSG_WAITALL) != (ssize_t)sizeof back
        || memcmp (back, block, sizeof back) != 0)
      wrong++;
  printf ("%ld wrong, %zd after it\n", wrong, recv (fd, back, 1, 0));
}

/* As fast as it can. */
static void
flood (const char *host, int port, int n)
{
  int open = 0;

  for (int i = 0; i < n; i++)
    {
      struct sockaddr_storage address;
      socklen_t length = make_address (host, port, &address);
      int fd = socket (address.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

      if (fd < 0)
        break;
      (void)!connect (fd, (struct sockaddr *)&address, length);
      open++;
      if (open % 200 == 0)
        for (int old = 3; old < 1024; old++)
          close (old);
    }
  printf ("%s\n", open == n ? "DONE" : name_error ());
}

static void
flood_names (int n)
{
  struct sockaddr_storage address;
  socklen_t length = make_address ("127.0.0.1", 53, &address);
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

  for (int i = 0; i < n; i++)
    {
      unsigned char message[] = "\x12\x34\1\0\0\1\0\0\0\0\0\0\10........\3com\0\0\1\0";
      char name[9];

      message[sizeof message - 1] = 1;
      snprintf (name, sizeof name, "%08x", (unsigned)i);
      memcpy (message + 13, name, 8);
      (void)!sendto (fd, message, sizeof message, 0, (struct sockaddr *)&address, length);
    }
  printf ("DONE\n");
}

/* Opens @n connections, and keeps them; how many were taken is not told by connect(). */
static void
hold (const char *host, int port, int n)
{
  int made = 0;

  while (made < n && connect_to (host, port) >= 0)
    made++;
  printf ("%d\n", made);
  for (;;)
    pause ();
}

static void
send_datagram (const char *host, int port)
{
  struct sockaddr_storage address;
  socklen_t length = make_address (host, port, &address);
  struct pollfd poll_fd = { .events = POLLIN, .fd = socket (address.ss_family, SOCK_DGRAM, 0) };
  char answer[8];

  errno = 0;
  if (poll_fd.fd < 0 || connect (poll_fd.fd, (struct sockaddr *)&address, length) != 0
      || send (poll_fd.fd, "x", 1, 0) != 1 || poll (&poll_fd, 1, DEADLINE_MS) != 1
      || recv (poll_fd.fd, answer, sizeof answer, 0) < 0)
    printf ("%s\n", name_error ());
  else
    printf ("ANSWERED\n");
}

static void
try_listen (int type)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  int fd = socket (AF_INET, type, 0);

  errno = 0;
  if (bind (fd, (struct sockaddr *)&address, sizeof address) == 0)
    printf ("BOUND\n");
  else
    {
      int first = errno;

      errno = 0;
      printf ("%s", strerrorname_np (first));
      if (type == SOCK_STREAM)
        printf (" %s", listen (fd, 1) == 0 ? "LISTENS" : name_error ());
      printf ("\n");
    }
}

/* VERB ARGUMENT…, one after the other. */
int
main (int argc, char **argv)
{
  setvbuf (stdout, NULL, _IONBF, 0);
  for (int i = 1; i + 3 < argc; i += 4)
    {
      const char *verb = argv[i], *a = argv[i + 1], *b = argv[i + 2], *c = argv[i + 3];

      errno = 0;
      if (strcmp (verb, "resolve") == 0)
        printf ("%s\n", resolve (c, a, atoi (b)));
      else if (strcmp (verb, "get") == 0)
        exchange (a, atoi (b), c);
      else if (strcmp (verb, "flood") == 0)
        flood (a, atoi (b), atoi (c));
      else if (strcmp (verb, "flood-names") == 0)
        flood_names (atoi (c));
      else if (strcmp (verb, "resolve-stream") == 0)
        resolve_by_stream (a, atoi (b), atoi (c));
      else if (strcmp (verb, "stuff") == 0)
        stuff (a, atoi (b));
      else if (strcmp (verb, "big") == 0)
        exchange_big (a, atoi (b), atoi (c));
      else if (strcmp (verb, "hold") == 0)
        hold (a, atoi (b), atoi (c));
      else if (strcmp (verb, "send") == 0)
        send_datagram (a, atoi (b));
      else if (strcmp (verb, "listen") == 0)
        try_listen (atoi (b));
      else
        return 2;
    }
  return 0;
}
