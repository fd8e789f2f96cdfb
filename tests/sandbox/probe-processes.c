/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static long
signal_process (char **a)
{
  return kill (atoi (a[0]), 0);
}

static long
signal_by_pidfd (char **a)
{
  int fd = (int)syscall (SYS_pidfd_open, atoi (a[0]), 0);

  return fd < 0 ? -1 : syscall (SYS_pidfd_send_signal, fd, 0, NULL, 0);
}

static long
queue_signal (char **a)
{
  union sigval value = { 0 };

  return sigqueue (atoi (a[0]), 0, value);
}

static long
signal_thread (char **a)
{
  return syscall (SYS_tgkill, atoi (a[0]), atoi (a[0]), 0);
}

static long
take_descriptor (char **a)
{
  int fd = (int)syscall (SYS_pidfd_open, atoi (a[0]), 0);

  return fd < 0 ? -1 : syscall (SYS_pidfd_getfd, fd, 0, 0);
}

static long
write_memory (char **a)
{
  char byte = 0;
  struct iovec here = { &byte, 1 }, there = { (void *)16, 1 };

  return process_vm_writev (atoi (a[0]), &here, 1, &there, 1, 0);
}

/* Stopped, and let go again. */
static long
attach (char **a)
{
  int status;
  pid_t pid = atoi (a[0]);

  if (ptrace (PTRACE_ATTACH, pid, NULL, NULL) != 0 || waitpid (pid, &status, __WALL) != pid)
    return -1;
  return ptrace (PTRACE_DETACH, pid, NULL, NULL);
}

static long
get_group (char **a)
{
  return getpgid (atoi (a[0]));
}

/* SIGIO to somebody else, by way of a pipe. */
static long
own_signal (char **a)
{
  int fds[2];

  return pipe (fds) != 0 ? -1 : fcntl (fds[0], F_SETOWN, atoi (a[0]));
}

static long
trace (char **a)
{
  return ptrace (PTRACE_SEIZE, atoi (a[0]), NULL, NULL);
}

/* An address that is certainly not there: who may look gets EFAULT. */
static long
read_memory (char **a)
{
  char byte;
  struct iovec here = { &byte, 1 }, there = { (void *)16, 1 };

  return process_vm_readv (atoi (a[0]), &here, 1, &there, 1, 0);
}

static long
set_priority (char **a)
{
  return setpriority (PRIO_PROCESS, (id_t)atoi (a[0]), 19);
}

static long
set_affinity (char **a)
{
  cpu_set_t set;

  return sched_getaffinity (atoi (a[0]), sizeof set, &set) != 0
             ? -1
             : sched_setaffinity (atoi (a[0]), sizeof set, &set);
}

static long
get_limits (char **a)
{
  struct rlimit limit;

  return prlimit (atoi (a[0]), RLIMIT_NOFILE, NULL, &limit);
}

/* Leaves a process behind that ignores what it can and holds stdout; waits for nothing. */
static long
leave_daemon (char **a)
{
  pid_t pid = fork ();
  int status;

  if (pid < 0)
    return -1;
  if (pid > 0)
    return waitpid (pid, &status, 0);
  setsid ();
  signal (SIGTERM, SIG_IGN);
  signal (SIGHUP, SIG_IGN);
  signal (SIGINT, SIG_IGN);
  prctl (PR_SET_PDEATHSIG, 0);
  if (fork () == 0)
    for (;;)
      pause ();
  _exit (0);
}

/* The same, and stays until it is ended. */
static long
stay_with_daemon (char **a)
{
  leave_daemon (a);
  (void)!write (STDOUT_FILENO, "ready\n", 6);
  return pause ();
}

static long
end_by_signal (char **a)
{
  signal (atoi (a[0]), SIG_DFL);
  raise (atoi (a[0]));
  return -1;
}

static long
exit_with (char **a)
{
  _exit (atoi (a[0]));
}

/* Says "ready", waits for a byte on stdin, then reads the file. */
static long
read_when_told (char **a)
{
  char byte;
  int fd;

  (void)!write (STDOUT_FILENO, "ready\n", 6);
  if (read (STDIN_FILENO, &byte, 1) != 1)
    return -1;
  fd = open (a[0], O_RDONLY | O_NONBLOCK);
  return fd < 0 ? -1 : read (fd, &byte, 1);
}

static void
print_line (const char *text)
{
  (void)!write (STDOUT_FILENO, text, strlen (text));
  (void)!write (STDOUT_FILENO, "\n", 1);
}

static long
print_descriptors (char **a)
{
  DIR *dir = opendir ("/proc/self/fd");
  struct dirent *entry;

  while (dir != NULL && (entry = readdir (dir)) != NULL)
    if (entry->d_name[0] != '.' && atoi (entry->d_name) != dirfd (dir))
      print_line (entry->d_name);
  return 0;
}

static long
print_arguments (char **a)
{
  for (; *a != NULL; a++)
    print_line (*a);
  return 0;
}

static long
print_environment (char **a)
{
  for (char **variable = environ; *variable != NULL; variable++)
    print_line (*variable);
  return 0;
}

static long
print_working_folder (char **a)
{
  char path[PATH_MAX];

  print_line (getcwd (path, sizeof path) != NULL ? path : "?");
  return 0;
}

/* They end with it: outside nothing else would end them. */
static long
fork_many (char **a)
{
  int n = atoi (a[0]), made = 0;
  long result = 0;
  pid_t group = fork ();

  if (group == 0)
    {
      setpgid (0, 0);
      for (; made < n && (result = fork ()) > 0; made++)
        ;
      if (made < n && result == 0)
        for (;;)
          pause ();
      _exit (made == n ? 0 : errno);
    }
  if (group < 0 || waitpid (group, &made, 0) != group)
    return -1;
  kill (-group, SIGKILL);
  errno = WEXITSTATUS (made);
  return errno == 0 ? 0 : -1;
}

/* What the kernel counts for each user, not for each process: what is used up here is missing in
 * the user's whole session. */

static long
queue_signals (char **a)
{
  union sigval value = { 0 };
  sigset_t set;
  long n = atol (a[0]);

  sigemptyset (&set);
  sigaddset (&set, SIGRTMIN);
  sigprocmask (SIG_BLOCK, &set, NULL);
  while (n-- > 0)
    if (sigqueue (getpid (), SIGRTMIN, value) != 0)
      return -1;
  return 0;
}

static long
watch_often (char **a)
{
  for (long n = atol (a[0]); n > 0; n--)
    if (inotify_init1 (IN_CLOEXEC) < 0)
      return -1;
  return 0;
}

/* Descriptors on their way in sockets. */
static long
send_descriptors (char **a)
{
  int fds[128] = { 0 };
  char control[CMSG_SPACE (sizeof fds)] = { 0 };
  char byte = 0;
  struct iovec data = { &byte, 1 };
  struct msghdr message = {
    .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
  };
  struct cmsghdr *header = CMSG_FIRSTHDR (&message);
  struct rlimit limit;
  int pair[2];

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return -1;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit (RLIMIT_NOFILE, &limit) != 0 || socketpair (AF_UNIX, SOCK_STREAM, 0, pair) != 0)
    return -1;
  *header = (struct cmsghdr){ CMSG_LEN (sizeof fds), SOL_SOCKET, SCM_RIGHTS };
  memcpy (CMSG_DATA (header), fds, sizeof fds);
  for (long n = atol (a[0]); n > 0; n -= 128)
    if (sendmsg (pair[0], &message, MSG_DONTWAIT) < 0)
      return -1;
  return 0;
}

const Probe probe_processes[] = {
  { "kill", 1, signal_process },
  { "kill-by-pidfd", 1, signal_by_pidfd },
  { "own-signal", 1, own_signal },
  { "queue-signal", 1, queue_signal },
  { "signal-thread", 1, signal_thread },
  { "take-descriptor", 1, take_descriptor },
  { "write-memory", 1, write_memory },
  { "attach", 1, attach },
  { "group", 1, get_group },
  { "trace", 1, trace },
  { "read-memory", 1, read_memory },
  { "priority", 1, set_priority },
  { "affinity", 1, set_affinity },
  { "limits", 1, get_limits },
  { "daemon", 0, leave_daemon },
  { "stay", 0, stay_with_daemon },
  { "signal", 1, end_by_signal },
  { "exit", 1, exit_with },
  { "read-when-told", 1, read_when_told },
  { "descriptors", 0, print_descriptors },
  { "arguments", 0, print_arguments },
  { "environment", 0, print_environment },
  { "working-folder", 0, print_working_folder },
  { "fork-many", 1, fork_many },
  { "queue-signals", 1, queue_signals },
  { "watch-often", 1, watch_often },
  { "send-descriptors", 1, send_descriptors },
  { NULL, 0, NULL },
};
