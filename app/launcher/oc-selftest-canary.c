/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The canary: executed inside the sandbox, it tries what must be refused. Plain C. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/oc-selftest-private.h"
#include "launcher/oc-selftest.h"

#define N_ARGUMENTS 7

typedef struct
{
  char text[1024];
  size_t length;
  bool holds;
} Check;

static void
add (Check *check, const char *format, ...)
{
  va_list arguments;
  int n;

  if (check->length >= sizeof check->text)
    return;
  va_start (arguments, format);
  n = vsnprintf (check->text + check->length, sizeof check->text - check->length, format,
                 arguments);
  va_end (arguments);
  if (n > 0)
    check->length += (size_t)n;
}

/* One attempt that must fail, with one of two errors. @result: of the system call. */
static void
expect_error (Check *check, const char *what, long result, int error, int other_error)
{
  int got = result < 0 ? errno : 0;

  if (got == 0 || (got != error && got != other_error))
    check->holds = false;
  add (check, "%s%s: %s", check->length > 0 ? ", " : "", what,
       got == 0 ? "done" : strerrorname_np (got));
}

static void
expect_done (Check *check, const char *what, long result)
{
  int got = result < 0 ? errno : 0;

  if (got != 0)
    check->holds = false;
  add (check, "%s%s: %s", check->length > 0 ? ", " : "", what,
       got == 0 ? "done" : strerrorname_np (got));
}

static void
expect_true (Check *check, const char *what, bool value)
{
  if (!value)
    check->holds = false;
  add (check, "%s%s: %s", check->length > 0 ? ", " : "", what, value ? "yes" : "no");
}

static void
finish (const char *layer, const Check *check)
{
  printf ("%s\t%c\t%s\n", layer, check->holds ? '1' : '0', check->text);
}

static const char *
in_base (const char *base, const char *below)
{
  static char path[4096];

  snprintf (path, sizeof path, "%s/%s", base, below);
  return path;
}

static bool
is_other_namespace (const char *name, const char *outside)
{
  char path[64], inside[64];
  ssize_t n;

  snprintf (path, sizeof path, "/proc/self/ns/%s", name);
  n = readlink (path, inside, sizeof inside - 1);
  if (n < 0)
    return false;
  inside[n] = '\0';
  return strcmp (inside, outside) != 0;
}

static void
check_namespaces (const char *user_namespace, const char *pid_namespace)
{
  Check user = { .holds = true }, pid = { .holds = true };

  expect_true (&user, "other than outside", is_other_namespace ("user", user_namespace));
  finish ("user-namespace", &user);
  expect_true (&pid, "other than outside", is_other_namespace ("pid", pid_namespace));
  /* All processes but itself and pid 1 of the namespace: there must be none. */
  expect_error (&pid, "signal to everything", kill (-1, 0), ESRCH, ESRCH);
  finish ("pid-namespace", &pid);
}

static void
check_files (const char *base)
{
  Check mounts = { .holds = true }, guarded = { .holds = true };

  /* Landlock says nothing about chmod(): only the mount refuses it. */
  expect_error (&mounts, "chmod", chmod (in_base (base, OC_CANARY_FILE), 0600), EROFS, EROFS);
  expect_error (&mounts, "open for writing",
                open (in_base (base, OC_CANARY_FILE), O_WRONLY | O_CLOEXEC), EROFS, EACCES);
  expect_error (&mounts, "create in the temporary folder",
                open (in_base (base, "new"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EROFS, EACCES);
  expect_error (&mounts, "create in /dev/shm",
                open ("/dev/shm/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EROFS, EACCES);
  finish ("mounts-read-only", &mounts);

  expect_done (&guarded, "open an ordinary file",
               open (in_base (base, OC_CANARY_FILE), O_RDONLY | O_CLOEXEC));
  expect_error (&guarded, "open ~/.ssh/id",
                open (in_base (base, OC_CANARY_KEY), O_RDONLY | O_CLOEXEC), EACCES, EACCES);
  expect_error (&guarded, "list ~/.ssh",
                open (in_base (base, OC_CANARY_KEY_FOLDER), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                EACCES, EACCES);
  expect_error (
      &guarded, "list the Plugins folder",
      open (in_base (base, OC_CANARY_OCELOT "/Plugins"), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
      EACCES, EACCES);
  expect_error (
      &guarded, "open another plugin's manifest",
      open (in_base (base, OC_CANARY_OCELOT "/Plugins/" OC_CANARY_OTHER_ID "/plugin.json"),
            O_RDONLY | O_CLOEXEC),
      ENOENT, EACCES);
  expect_error (&guarded, "open the consent file",
                open (in_base (base, OC_CANARY_OCELOT "/consent.json"), O_RDONLY | O_CLOEXEC),
                ENOENT, EACCES);
  finish ("guarded-places", &guarded);
}

static void
check_own_folders (void)
{
  static const char *const variables[] = { "OCELOT_PLUGIN_DATA", "TMPDIR" };
  Check check = { .holds = true };

  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    {
      const char *folder = getenv (variables[i]);
      char path[4096], moved[4096];
      int fd;

      snprintf (path, sizeof path, "%s/canary", folder != NULL ? folder : "");
      snprintf (moved, sizeof moved, "%s/canary-moved", folder != NULL ? folder : "");
      fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      expect_done (&check, "create", fd);
      expect_done (&check, "write", write (fd, "x", 1));
      expect_done (&check, "rename", rename (path, moved));
      expect_done (&check, "remove", unlink (moved));
    }
  finish ("own-folders-writable", &check);
}

static void
check_sockets (const char *network_namespace)
{
  Check network = { .holds = true }, local = { .holds = true };
  int pair[2];

  expect_true (&network, "a network other than outside", is_other_namespace ("net", network_namespace));
  expect_error (&network, "IPv4 socket", socket (AF_INET, SOCK_STREAM, 0), EACCES, EACCES);
  expect_error (&network, "IPv6 socket", socket (AF_INET6, SOCK_DGRAM, 0), EACCES, EACCES);
  finish ("network", &network);
  expect_done (&local, "connected pair", socketpair (AF_UNIX, SOCK_STREAM, 0, pair));
  expect_error (&local, "Unix socket", socket (AF_UNIX, SOCK_STREAM, 0), EACCES, EACCES);
  expect_error (&local, "datagram pair", socketpair (AF_UNIX, SOCK_DGRAM, 0, pair), EACCES, EACCES);
  finish ("unix-sockets", &local);
}

/* With the permission: out, but nothing can come in. The connection is the control of the rest. */
static void
check_network (unsigned long port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons ((uint16_t)port) };
  Check check = { .holds = true };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  expect_done (&check, "IPv4 socket", fd);
  if (port != 0)
    expect_done (&check, "connect", connect (fd, (struct sockaddr *)&address, sizeof address));
  fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address.sin_port = 0;
  expect_error (&check, "bind", bind (fd, (struct sockaddr *)&address, sizeof address), EACCES, EACCES);
  expect_error (&check, "listen", listen (fd, 1), EACCES, EACCES);
  expect_error (&check, "raw socket", socket (AF_INET, SOCK_RAW, IPPROTO_ICMP), EACCES, EPERM);
  expect_error (&check, "Unix socket", socket (AF_UNIX, SOCK_STREAM, 0), EACCES, EACCES);
  expect_error (&check, "netlink socket", socket (AF_NETLINK, SOCK_RAW, 0), EACCES, EACCES);
  finish ("network-client", &check);
}

static void
check_kernel (const char *base, int filters_outside)
{
  Check landlock = { .holds = true }, seccomp = { .holds = true };

  /* A read-only mount lets a FIFO be written; only Landlock refuses it. Without it: ENXIO, or done.
   */
  expect_error (&landlock, "open a FIFO for writing",
                open (in_base (base, OC_CANARY_FIFO), O_RDWR | O_NONBLOCK | O_CLOEXEC), EACCES,
                EACCES);
  finish ("landlock", &landlock);
  expect_true (&seccomp, "filter", prctl (PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER);
  expect_true (&seccomp, "one more than outside", oc_selftest_count_filters () == filters_outside + 1);
  /* Bad pointers, so that what is not filtered says so by another error. */
  expect_error (&seccomp, "clone3", syscall (SYS_clone3, NULL, 0), ENOSYS, ENOSYS);
  expect_error (&seccomp, "io_uring_setup", syscall (SYS_io_uring_setup, 1, NULL), ENOSYS, ENOSYS);
  expect_error (&seccomp, "ptrace", ptrace (PTRACE_TRACEME, 0, NULL, NULL), EPERM, EPERM);
  expect_error (&seccomp, "add_key", syscall (SYS_add_key, NULL, NULL, NULL, 0, 0), EPERM, EPERM);
  finish ("seccomp", &seccomp);
}

static void
check_privileges (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  Check privs = { .holds = true }, caps = { .holds = true };
  bool none, bounded = true;

  expect_true (&privs, "set", prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  finish ("no-new-privs", &privs);
  memset (data, 0xff, sizeof data);
  none = syscall (SYS_capget, &header, data) == 0;
  for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
    none = none && data[i].effective == 0 && data[i].permitted == 0 && data[i].inheritable == 0;
  for (unsigned long i = 0; i <= CAP_LAST_CAP; i++)
    bounded = bounded && prctl (PR_CAPBSET_READ, i, 0, 0, 0) <= 0;
  expect_true (&caps, "none held", none);
  /* Where bubblewrap's child may not empty the bounding set (Ubuntu), no_new_privs is what keeps it from giving any. */
  expect_true (&caps, bounded ? "none to be had" : "none to be had without new privileges",
               bounded || prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  finish ("capabilities", &caps);
}

/* The control is a byte further in front. */
static void
check_limits (void)
{
  static const int bounded[] = { RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC };
  Check check = { .holds = true };
  struct rlimit limit;
  char path[4096];
  const char *folder = getenv ("OCELOT_PLUGIN_DATA");
  bool all = true;
  int fd;

  for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
    all = all && getrlimit (bounded[i], &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
  expect_true (&check, "files, descriptors, processes", all);
  signal (SIGXFSZ, SIG_IGN);
  snprintf (path, sizeof path, "%s/canary-limit", folder != NULL ? folder : "");
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (getrlimit (RLIMIT_FSIZE, &limit) == 0)
    {
      expect_done (&check, "write up to the limit", pwrite (fd, "x", 1, (off_t)limit.rlim_cur - 1));
      expect_error (&check, "write past it", pwrite (fd, "x", 1, (off_t)limit.rlim_cur), EFBIG, EFBIG);
    }
  (void)unlink (path);
  finish ("limits", &check);
}

int
oc_selftest_count_filters (void)
{
  static const char name[] = "\nSeccomp_filters:";
  char text[8192];
  int fd = open ("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
  const char *found;

  if (fd >= 0)
    close (fd);
  text[n > 0 ? n : 0] = '\0';
  found = strstr (text, name);
  return found != NULL ? atoi (found + strlen (name)) : -1;
}

static void
check_all (char **argv)
{
  check_namespaces (argv[3], argv[4]);
  check_files (argv[2]);
  check_own_folders ();
  check_sockets (argv[5]);
  check_kernel (argv[2], atoi (argv[6]));
  check_limits ();
  check_privileges ();
}

int
oc_selftest_canary (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--canary-network") == 0)
    check_network (strtoul (argv[2], NULL, 10));
  else if (argc == N_ARGUMENTS)
    check_all (argv);
  else
    return 2;
  fflush (stdout);
  /* Not through exit(): a leak checker's handler traces the process, which is refused here. */
  _exit (ferror (stdout) ? 1 : 0);
}
