/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same attempts by another program: out of memory, through the loader, by a script's first
 * line; and what a program may become. */
#include "probe.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *
get_temp (void)
{
  return getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp";
}

/* ECANCELED: it ran, and said that it could not. */
static long
run (const char *program, char *const *argv)
{
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    {
      char *env[] = { NULL };
      int null = open ("/dev/null", O_WRONLY);

      dup2 (null, 1);
      dup2 (null, 2);
      execve (program, argv, env);
      _exit (127);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    return -1;
  errno = ECANCELED;
  return WIFEXITED (status) && WEXITSTATUS (status) == 0 ? 0 : -1;
}

/* This program, from memory: its path is in no file system. */
static long
run_from_memory (char **a)
{
  char buffer[65536], *argv[] = { (char *)"memory", a[0], a[1], NULL }, *env[] = { NULL };
  int from = open ("/proc/self/exe", O_RDONLY);
  int memory = memfd_create ("x", 0);
  ssize_t n;

  if (from < 0 || memory < 0)
    return -1;
  while ((n = read (from, buffer, sizeof buffer)) > 0)
    if (write (memory, buffer, (size_t)n) != n)
      return -1;
  syscall (SYS_execveat, memory, "", argv, env, AT_EMPTY_PATH);
  return -1;
}

/* The loader that a program names, run as a program itself. */
static long
run_by_loader (char **a)
{
  Elf64_Ehdr header;
  Elf64_Phdr segment;
  char loader[256] = "";
  char *argv[] = { loader, (char *)"/bin/cat", a[0], NULL };
  int fd = open ("/bin/cat", O_RDONLY);

  if (fd < 0 || pread (fd, &header, sizeof header, 0) != sizeof header)
    return -1;
  for (int i = 0; i < header.e_phnum; i++)
    {
      off_t at = (off_t)header.e_phoff + i * (off_t)sizeof segment;

      if (pread (fd, &segment, sizeof segment, at) == sizeof segment && segment.p_type == PT_INTERP
          && segment.p_filesz < sizeof loader)
        (void)!pread (fd, loader, segment.p_filesz, (off_t)segment.p_offset);
    }
  errno = ENOEXEC;
  return loader[0] == '/' ? run (loader, argv) : -1;
}

/* The first line of a script in a folder it can write names the secret. */
static long
run_by_script (char **a)
{
  char path[4096];
  char *argv[] = { path, NULL };
  int fd;

  snprintf (path, sizeof path, "%s/script", get_temp ());
  fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
  if (fd < 0 || dprintf (fd, "#!/bin/cat %s\n", a[0]) < 0 || close (fd) != 0)
    return -1;
  return run (path, argv);
}

/* A program of the system, as any of a shell's lines would start it. */
static long
run_cat (char **a)
{
  char *argv[] = { (char *)"cat", a[0], NULL };

  return run ("/bin/cat", argv);
}

static long
hold_capabilities (char **a)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];

  if (syscall (SYS_capget, &header, data) != 0)
    return -1;
  errno = EPERM;
  return (data[0].effective | data[0].permitted | data[1].effective | data[1].permitted) != 0 ? 0
                                                                                             : -1;
}

static long
raise_capabilities (char **a)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2] = { { 1u << CAP_SYS_ADMIN, 1u << CAP_SYS_ADMIN, 0 } };

  return syscall (SYS_capset, &header, data);
}

static long
change_user (char **a)
{
  return setresuid (12345, 12345, 12345);
}

static long
change_groups (char **a)
{
  return setgroups (0, NULL);
}

static long
take_realtime (char **a)
{
  struct sched_param param = { .sched_priority = 1 };

  return sched_setscheduler (0, SCHED_FIFO, &param);
}

static long
raise_priority (char **a)
{
  return setpriority (PRIO_PROCESS, 0, -5);
}

static long
raise_disk_priority (char **a)
{
  return syscall (SYS_ioprio_set, 1, 0, 1 << 13);
}

static long
drop_no_new_privs (char **a)
{
  return prctl (PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

static long
set_memory_layout (char **a)
{
  return prctl (PR_SET_MM, PR_SET_MM_BRK, 1, 0, 0);
}

/* A filter of its own that lets everything pass does not loosen the one there is. */
static long
add_own_filter (char **a)
{
  struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
  struct sock_fprog program = { 1, &allow };

  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    return -1;
  return syscall (SYS_unshare, CLONE_FILES);
}

static long
trace_child (char **a)
{
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    {
      errno = 0;
      ptrace (PTRACE_TRACEME, 0, NULL, NULL);
      _exit (errno);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    return -1;
  errno = WIFEXITED (status) ? WEXITSTATUS (status) : ECANCELED;
  return errno == 0 ? 0 : -1;
}

static long
hang_up (char **a)
{
  int status;
  pid_t pid = fork ();

  /* In a session of its own: nobody's terminal is hung up where this is the control. */
  if (pid == 0)
    {
      setsid ();
      _exit (syscall (SYS_vhangup) != 0 ? errno : 0);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    return -1;
  errno = WIFEXITED (status) ? WEXITSTATUS (status) : ECANCELED;
  return errno == 0 ? 0 : -1;
}

/* All numbers that this table's writer had not heard of. */
static long
newer_calls (char **a)
{
  for (long number = atol (a[0]); number < 640; number++)
    if (syscall (number, -1L, 1L, -1L, 1L, -1L, 1L) >= 0 || errno != ENOSYS)
      return 0;
  return -1;
}

const Probe probe_programs[] = {
  { "from-memory", 2, run_from_memory },
  { "by-loader", 1, run_by_loader },
  { "by-script", 1, run_by_script },
  { "cat", 1, run_cat },
  { "hold-capabilities", 0, hold_capabilities },
  { "raise-capabilities", 0, raise_capabilities },
  { "change-user", 0, change_user },
  { "change-groups", 0, change_groups },
  { "realtime", 0, take_realtime },
  { "raise-priority", 0, raise_priority },
  { "raise-disk-priority", 0, raise_disk_priority },
  { "drop-no-new-privs", 0, drop_no_new_privs },
  { "memory-layout", 0, set_memory_layout },
  { "own-filter", 0, add_own_filter },
  { "trace-child", 0, trace_child },
  { "hang-up", 0, hang_up },
  { "newer-calls", 1, newer_calls },
  { NULL, 0, NULL },
};
