/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes share by number or by name: System V and POSIX objects, terminals, families of
 * sockets. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static long
attach_memory (char **a)
{
  return shmat (atoi (a[0]), NULL, SHM_RDONLY) == (void *)-1 ? -1 : 0;
}

static long
stat_memory (char **a)
{
  struct shmid_ds info;

  return shmctl (atoi (a[0]), IPC_STAT, &info);
}

static long
stat_messages (char **a)
{
  struct msqid_ds info;

  return msgctl (atoi (a[0]), IPC_STAT, &info);
}

static long
read_semaphore (char **a)
{
  return semctl (atoi (a[0]), 0, GETVAL);
}

static long
open_queue (char **a)
{
  return mq_open (a[0], O_RDWR);
}

static long
create_queue (char **a)
{
  long queue = mq_open (a[0], O_RDWR | O_CREAT, 0600, NULL);

  if (queue >= 0)
    mq_unlink (a[0]);
  return queue;
}

/* Every family there is, with every type. */
static long
any_family (char **a)
{
  static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET };

  for (int family = atoi (a[0]); family < 64; family++)
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
      {
        int fd = socket (family, types[i], 0);

        if (fd >= 0 && strcmp (a[1], "inet-allowed") == 0
            && (family == AF_INET || family == AF_INET6))
          close (fd);
        else if (fd >= 0)
          return 0;
      }
  errno = EACCES;
  return -1;
}

static long
push_into_terminal (char **a)
{
  int fd = open (a[0], O_RDWR | O_NOCTTY);

  return fd < 0 ? -1 : ioctl (fd, TIOCSTI, "x");
}

/* Made its own first, as a login does. */
static long
take_terminal (char **a)
{
  int fd = setsid () < 0 ? -1 : open (a[0], O_RDWR);

  return fd < 0 ? -1 : ioctl (fd, TIOCSCTTY, 0);
}

static long
write_terminal (char **a)
{
  int fd = open (a[0], O_WRONLY | O_NOCTTY);

  return fd < 0 ? -1 : write (fd, "x", 1);
}

/* A pair that is connected already is connected to somebody else. */
static long
reconnect_pair (char **a)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fds[2];

  strncpy (address.sun_path, a[1], sizeof address.sun_path - 1);
  if (socketpair (AF_UNIX, atoi (a[0]), 0, fds) != 0)
    return -1;
  return connect (fds[0], (struct sockaddr *)&address, sizeof address);
}

static long
name_pair (char **a)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fds[2];

  strncpy (address.sun_path, a[0], sizeof address.sun_path - 1);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0)
    return -1;
  return bind (fds[0], (struct sockaddr *)&address, sizeof address);
}

/* SIGIO to somebody else, by way of a socket. */
static long
own_socket_signal (char **a)
{
  int pid = atoi (a[0]);
  int fds[2];

  return socketpair (AF_UNIX, SOCK_STREAM, 0, fds) != 0 ? -1 : ioctl (fds[0], FIOSETOWN, &pid);
}

const Probe probe_ipc[] = {
  { "attach-memory", 1, attach_memory },
  { "stat-memory", 1, stat_memory },
  { "stat-messages", 1, stat_messages },
  { "read-semaphore", 1, read_semaphore },
  { "open-queue", 1, open_queue },
  { "create-queue", 1, create_queue },
  { "any-family", 2, any_family },
  { "push-into-terminal", 1, push_into_terminal },
  { "take-terminal", 1, take_terminal },
  { "write-terminal", 1, write_terminal },
  { "reconnect-pair", 2, reconnect_pair },
  { "name-pair", 1, name_pair },
  { "own-socket-signal", 1, own_socket_signal },
  { NULL, 0, NULL },
};
