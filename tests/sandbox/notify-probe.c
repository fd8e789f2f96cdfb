/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes system calls that the launcher is asked about, and says on stdout what came of each: a line of "done" or the error's name.
 * Static: it runs inside the sandbox. Usage: notify-probe NAME [ARGUMENT…] */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static void
say (long result)
{
  const char *answer = "done\n";
  char line[64];

  if (result < 0)
    {
      snprintf (line, sizeof line, "%s\n", strerrorname_np (errno));
      answer = line;
    }
  (void)!write (STDOUT_FILENO, answer, strlen (answer));
}

static struct sockaddr_in
loopback (const char *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons ((uint16_t)atoi (port)) };

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  return address;
}

/* One of each kind. */
static void
refused (char **a)
{
  say (socket (AF_INET, SOCK_STREAM, 0));
  say (socket (AF_UNIX, SOCK_STREAM, 0));
  say (socket (AF_NETLINK, SOCK_RAW, 0));
  say (listen (0, 1));
  say (ptrace (PTRACE_TRACEME, 0, NULL, NULL));
  say (syscall (SYS_add_key, NULL, NULL, NULL, 0, 0));
}

/* Takes another name, then is refused. */
static void
named (char **a)
{
  prctl (PR_SET_NAME, a[0]);
  say (socket (AF_INET, SOCK_STREAM, 0));
}

static void
names (char **a)
{
  int n = atoi (a[0]);

  for (int i = 0; i < n; i++)
    {
      char name[32];

      snprintf (name, sizeof name, "name-%d", i);
      prctl (PR_SET_NAME, name);
      (void)!socket (AF_INET, SOCK_STREAM, 0);
    }
  say (0);
}

/* Waits for a line before each of two attempts. */
static void
after_line (char **a)
{
  struct sock_filter instruction = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  struct sock_fprog program = { 1, &instruction };
  char c;

  say (socket (AF_INET, SOCK_STREAM, 0));
  (void)!read (STDIN_FILENO, &c, 1);
  say (socket (AF_INET, SOCK_STREAM, 0));
  say (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

static void
own_listener (char **a)
{
  struct sock_filter instruction = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { 1, &instruction };

  say (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
  say (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

/* A filter on top, as browsers and Node have one: it lets sockets be made, and refuses getppid(). */
static void
own_filter (char **a)
{
  struct sock_filter instructions[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EDOM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { 4, instructions };

  say (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
  say (syscall (SYS_getppid));
  say (socket (AF_INET, SOCK_STREAM, 0));
}

static void *
flood_thread (void *data)
{
  for (long n = *(long *)data; n != 0; n--)
    (void)!socket (AF_INET, SOCK_STREAM, 0);
  return NULL;
}

/* THREADS, and how often each (-1: for ever). */
static void
flood (char **a)
{
  int n = atoi (a[0]);
  long count = atol (a[1]);
  pthread_t threads[64];

  say (0);
  for (int i = 0; i < n && i < 64; i++)
    pthread_create (&threads[i], NULL, flood_thread, &count);
  for (int i = 0; i < n && i < 64; i++)
    pthread_join (threads[i], NULL);
  say (0);
}

static volatile sig_atomic_t ticks;

static void
on_tick (int number)
{
  ticks++;
}

/* Refused calls while a timer's signals arrive all the time. */
static void
with_signals (char **a)
{
  struct itimerval interval = { { 0, 200 }, { 0, 200 } };
  struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };

  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &interval, NULL);
  for (int i = 0; i < 3000; i++)
    if (socket (AF_INET, SOCK_STREAM, 0) >= 0 || errno != EACCES)
      {
        say (-1);
        return;
      }
  errno = EAGAIN;
  say (ticks > 0 ? 0 : -1);
}

/* To a TCP and a UDP port. */
static void
reach (char **a)
{
  struct sockaddr_in tcp = loopback (a[0]), udp = loopback (a[1]);
  struct iovec part = { (char *)"x", 1 };
  struct msghdr message = { &udp, sizeof udp, &part, 1, NULL, 0, 0 };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  int datagram = socket (AF_INET, SOCK_DGRAM, 0);
  struct sockaddr none = { .sa_family = AF_UNSPEC };

  say (connect (fd, (struct sockaddr *)&tcp, sizeof tcp));
  say (sendto (datagram, "x", 1, 0, (struct sockaddr *)&udp, sizeof udp));
  say (sendmsg (datagram, &message, 0));
  message.msg_name = &tcp;
  say (sendmsg (socket (AF_INET, SOCK_STREAM, 0), &message, MSG_FASTOPEN));
  say (connect (datagram, &none, sizeof none));
  say (connect (fd, (struct sockaddr *)(uintptr_t)8, 16)); /* nothing is there */
}

static const struct
{
  const char *name;
  int n_arguments;
  void (*run) (char **arguments);
} probes[] = {
  { "refused", 0, refused },       { "named", 1, named },           { "names", 1, names },
  { "after-line", 0, after_line }, { "own-listener", 0, own_listener }, { "own-filter", 0, own_filter },
  { "flood", 2, flood },           { "with-signals", 0, with_signals }, { "reach", 2, reach },
};

int
main (int argc, char **argv)
{
  for (size_t i = 0; argc > 1 && i < sizeof probes / sizeof *probes; i++)
    if (strcmp (probes[i].name, argv[1]) == 0 && argc - 2 >= probes[i].n_arguments)
      {
        probes[i].run (argv + 2);
        return 0;
      }
  return 2;
}
