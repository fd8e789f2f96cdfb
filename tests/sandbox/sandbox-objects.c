/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the made-up host has that is no file: services that listen, a terminal, objects that are
 * known by number or name, a process. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sandbox-host.h"

/* Of the terminal's own end: what has been typed into it. */
static int
count_typed (Host *self)
{
  int fd = open (self->terminal_path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  int n = 0;

  g_assert_cmpint (fd, >=, 0);
  g_assert_no_errno (ioctl (fd, FIONREAD, &n));
  close (fd);
  return n;
}

static gboolean
is_readable (int fd)
{
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

  return poll (&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLIN) != 0;
}

void
host_make_objects (Host *self)
{
  /* Small: the user may have few bytes of them in all. */
  struct mq_attr small = { .mq_maxmsg = 1, .mq_msgsize = 16 };
  mqd_t queue;
  int shared;

  self->terminal = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint (self->terminal, >=, 0);
  g_assert_no_errno (grantpt (self->terminal));
  g_assert_no_errno (unlockpt (self->terminal));
  self->terminal_path = g_strdup (ptsname (self->terminal));
  self->memory = shmget (IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  self->messages = msgget (IPC_PRIVATE, IPC_CREAT | 0600);
  self->semaphores = semget (IPC_PRIVATE, 1, IPC_CREAT | 0600);
  g_assert_cmpint (self->memory, >=, 0);
  g_assert_cmpint (self->messages, >=, 0);
  g_assert_cmpint (self->semaphores, >=, 0);
  self->queue = g_strdup_printf ("/octest-%d", getpid ());
  queue = mq_open (self->queue, O_RDWR | O_CREAT | O_CLOEXEC, 0600, &small);
  g_assert_cmpint (queue, >=, 0);
  mq_close (queue);
  self->shared = g_strdup_printf ("/dev/shm/octest-%d", getpid ());
  shared = open (self->shared, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint (write (shared, "secret", 6), ==, 6);
  close (shared);
}

void
host_free_objects (Host *self)
{
  close (self->terminal);
  shmctl (self->memory, IPC_RMID, NULL);
  msgctl (self->messages, IPC_RMID, NULL);
  semctl (self->semaphores, 0, IPC_RMID);
  mq_unlink (self->queue);
  unlink (self->shared);
  g_free (self->shared);
  g_free (self->terminal_path);
  g_free (self->queue);
}

void
host_drain_objects (Host *self)
{
  const int listening[] = { self->stream, self->abstract, self->tcp };
  const int datagram[] = { self->dgram, self->udp };
  int typed = open (self->terminal_path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  char buffer[256];

  for (gsize i = 0; i < G_N_ELEMENTS (listening); i++)
    while (is_readable (listening[i]))
      close (accept (listening[i], NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (datagram); i++)
    while (is_readable (datagram[i]))
      (void)!recv (datagram[i], buffer, sizeof buffer, MSG_DONTWAIT);
  while (is_readable (self->terminal) && read (self->terminal, buffer, sizeof buffer) > 0)
    ;
  g_assert_no_errno (tcflush (typed, TCIFLUSH));
  close (typed);
}

char *
host_find_touched_object (Host *self)
{
  int status;

  if (is_readable (self->stream) || is_readable (self->dgram) || is_readable (self->abstract))
    return g_strdup ("a Unix socket was reached");
  if (is_readable (self->tcp) || is_readable (self->udp))
    return g_strdup ("a port of this computer was reached");
  if (is_readable (self->terminal) || count_typed (self) != 0)
    return g_strdup ("something came to the terminal");
  if (waitpid (self->victim, &status, WNOHANG | WUNTRACED | WCONTINUED) != 0)
    return g_strdup ("the other process was signalled");
  return NULL;
}
