/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static, runs inside the sandbox and outside of it: ADDRESS PORT EXCHANGES MEBIBYTES. Prints, one
 * a line, the microseconds of each exchange (connect, a hundred bytes there and back, close), then
 * the mebibytes a second of one connection. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EXCHANGE_BYTES 100

static double
now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int
connect_to (const struct sockaddr_in *address)
{
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  if (fd < 0 || connect (fd, (const struct sockaddr *)address, sizeof *address) != 0)
    {
      perror ("connect");
      exit (1);
    }
  return fd;
}

static void
read_all (int fd, char *buffer, size_t length)
{
  for (size_t used = 0; used < length;)
    {
      ssize_t n = recv (fd, buffer + used, length - used, 0);

      if (n <= 0)
        {
          perror ("recv");
          exit (1);
        }
      used += (size_t)n;
    }
}

int
main (int argc, char **argv)
{
  static char block[65536];
  struct sockaddr_in address = { .sin_family = AF_INET };
  double start;
  long total;
  int fd;

  if (argc != 5 || inet_pton (AF_INET, argv[1], &address.sin_addr) != 1)
    return 2;
  address.sin_port = htons ((unsigned short)atoi (argv[2]));
  for (int i = atoi (argv[3]); i > 0; i--)
    {
      start = now_us ();
      fd = connect_to (&address);
      block[0] = 'e';
      if (send (fd, block, EXCHANGE_BYTES, 0) != EXCHANGE_BYTES)
        return 1;
      read_all (fd, block, EXCHANGE_BYTES);
      close (fd);
      printf ("%.1f\n", now_us () - start);
    }
  total = atol (argv[4]) * 1024 * 1024;
  start = now_us ();
  fd = connect_to (&address);
  block[0] = 's';
  for (long sent = 0; sent < total;)
    {
      ssize_t n = send (fd, block, sizeof block, 0);

      if (n <= 0)
        return 1;
      sent += n;
    }
  shutdown (fd, SHUT_WR);
  read_all (fd, block, 1);
  printf ("%.1f\n", (double)total / 1024 / 1024 / ((now_us () - start) / 1e6));
  return 0;
}
