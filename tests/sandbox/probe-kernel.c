/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number and up to six arguments. Bad pointers and descriptors on purpose: what is not filtered
 * answers with another error. */
static long
call_raw (char **a)
{
  long values[7] = { 0 };

  for (int i = 0; i < 7 && a[i] != NULL; i++)
    values[i] = (long)strtoull (a[i], NULL, 0);
  return syscall (values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
}

static long
clone_with (char **a)
{
  long pid = syscall (SYS_clone, (unsigned long)strtoull (a[0], NULL, 0) | SIGCHLD, 0, 0, 0, 0);

  if (pid == 0)
    _exit (0);
  return pid;
}

static long
clone3_user (char **a)
{
  uint64_t arguments[8] = { CLONE_NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0 };
  long pid = syscall (SYS_clone3, arguments, sizeof arguments);

  if (pid == 0)
    _exit (0);
  return pid;
}

static long
open_perf (char **a)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .exclude_kernel = 1 };

  return syscall (SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static long
set_core_limit (char **a)
{
  struct rlimit limit = { 0, 0 };

  /* Said to be done, and not done. */
  if (setrlimit (RLIMIT_CORE, &limit) != 0 || getrlimit (RLIMIT_CORE, &limit) != 0)
    return -1;
  errno = EPERM;
  return limit.rlim_cur == 0 ? 0 : -1;
}

static long
raise_limit (char **a)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_FSIZE, &limit) != 0)
    return -1;
  limit.rlim_cur = limit.rlim_max = limit.rlim_max + 1;
  return setrlimit (RLIMIT_FSIZE, &limit);
}

#ifdef __x86_64__
static long
call_x32 (char **a)
{
  return syscall (0x40000000L | SYS_getpid);
}

static long
call_i386 (char **a)
{
  long result;

  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  errno = result < 0 ? (int)-result : 0;
  return result < 0 ? -1 : 0;
}

/* Number 359 there: socket (AF_UNIX, SOCK_STREAM, 0). */
static long
call_i386_socket (char **a)
{
  long result;

  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(359L), "b"(1L), "c"(1L), "d"(0L)
                   : "memory", "r8", "r9", "r10", "r11");
  errno = result < 0 ? (int)-result : 0;
  return result < 0 ? -1 : 0;
}
#endif

static long
remount_writable (char **a)
{
  return mount (NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
}

static long
mount_over (char **a)
{
  /* In a mount namespace of its own, where this is the control. */
  if (unshare (CLONE_NEWNS) != 0 || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return -1;
  return mount ("none", a[0], "tmpfs", 0, NULL);
}

static long
open_whole_tree (char **a)
{
  return syscall (SYS_open_tree, AT_FDCWD, "/", 0x8001 /* OPEN_TREE_CLONE, AT_RECURSIVE */);
}

static long
join_namespace (char **a)
{
  int fd = open (a[0], O_RDONLY);

  return fd < 0 ? -1 : setns (fd, 0);
}

const Probe probe_kernel[] = {
  { "call", 1, call_raw },
  { "clone", 1, clone_with },
  { "clone3-user", 0, clone3_user },
  { "perf", 0, open_perf },
  { "core-limit", 0, set_core_limit },
  { "raise-limit", 0, raise_limit },
#ifdef __x86_64__
  { "x32", 0, call_x32 },
  { "i386", 0, call_i386 },
  { "i386-socket", 0, call_i386_socket },
#endif
  { "mount-over", 1, mount_over },
  { "open-whole-tree", 0, open_whole_tree },
  { "remount", 0, remount_writable },
  { "join-namespace", 1, join_namespace },
  { NULL, 0, NULL },
};
