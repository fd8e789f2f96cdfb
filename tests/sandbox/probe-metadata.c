/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways to change a file that are not write(): attributes, exchanges, holes, mappings, copies. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static long
set_attribute (char **a)
{
  return setxattr (a[0], "user.octest", "x", 1, 0);
}

/* Through a descriptor that was opened for reading only. */
static long
set_attribute_by_fd (char **a)
{
  int fd = open (a[0], O_RDONLY);

  return fd < 0 ? -1 : fsetxattr (fd, "user.octest", "x", 1, 0);
}

/* Everybody may read it. */
static long
set_access_list (char **a)
{
  static const uint8_t list[] = { 2, 0, 0, 0, 1,    0,    6,    0,    255,  255,  255,  255,
                                  4, 0, 0, 0, 255,  255,  255,  255,  32,   0,    4,    0,
                                  255, 255, 255, 255 };

  return setxattr (a[0], "system.posix_acl_access", list, sizeof list, 0);
}

static long
set_flags (char **a)
{
  int fd = open (a[0], O_RDONLY);
  int flags = 0;

  if (fd < 0 || ioctl (fd, FS_IOC_GETFLAGS, &flags) != 0)
    return -1;
  flags |= FS_NODUMP_FL;
  return ioctl (fd, FS_IOC_SETFLAGS, &flags);
}

static long
exchange_files (char **a)
{
  return renameat2 (AT_FDCWD, a[0], AT_FDCWD, a[1], RENAME_EXCHANGE);
}

static long
punch_hole (char **a)
{
  int fd = open (a[0], O_RDWR);

  return fd < 0 ? -1 : fallocate (fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4);
}

static long
map_and_write (char **a)
{
  int fd = open (a[0], O_RDWR);
  char *memory = fd < 0 ? MAP_FAILED
                        : mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  if (memory == MAP_FAILED)
    return -1;
  memory[0] = 'X';
  return msync (memory, 4096, MS_SYNC);
}

/* Mapped for reading, then asked for more. */
static long
map_then_protect (char **a)
{
  int fd = open (a[0], O_RDONLY);
  char *memory = fd < 0 ? MAP_FAILED : mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

  return memory == MAP_FAILED ? -1 : mprotect (memory, 4096, PROT_READ | PROT_WRITE);
}

/* A descriptor that gives no access to the file, then the file through it. */
static long
reopen_path (char **a)
{
  char path[64];
  int fd = open (a[0], O_PATH | O_NOFOLLOW);

  if (fd < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  fd = open (path, O_WRONLY);
  return fd < 0 ? -1 : write (fd, "changed", 7);
}

static long
read_below_path_fd (char **a)
{
  int folder = open (a[0], O_PATH | O_DIRECTORY);
  char byte;
  int fd = folder < 0 ? -1 : openat (folder, a[1], O_RDONLY);

  return fd < 0 ? -1 : read (fd, &byte, 1);
}

static long
copy_range (char **a)
{
  int from = open (a[0], O_RDONLY), to = open (a[1], O_WRONLY);

  return from < 0 || to < 0 ? -1 : copy_file_range (from, NULL, to, NULL, 4, 0);
}

static long
send_file (char **a)
{
  int from = open (a[0], O_RDONLY), to = open (a[1], O_WRONLY);

  return from < 0 || to < 0 ? -1 : sendfile (to, from, NULL, 4);
}

static long
clone_file (char **a)
{
  int from = open (a[0], O_RDONLY), to = open (a[1], O_WRONLY);

  return from < 0 || to < 0 ? -1 : ioctl (to, FICLONE, from);
}

static long
splice_into (char **a)
{
  int fds[2];
  int to = open (a[0], O_WRONLY);

  if (to < 0 || pipe (fds) != 0 || write (fds[1], "changed", 7) != 7)
    return -1;
  return splice (fds[0], NULL, to, NULL, 7, 0);
}

static long
watch_place (char **a)
{
  int fd = inotify_init1 (IN_CLOEXEC);

  return fd < 0 ? -1 : inotify_add_watch (fd, a[0], IN_ALL_EVENTS);
}

static long
lock_file (char **a)
{
  int fd = open (a[0], O_RDONLY);

  return fd < 0 ? -1 : flock (fd, LOCK_EX | LOCK_NB);
}

/* Much larger than any limit; sparse. */
static long
grow_file (char **a)
{
  int fd = open (a[0], O_RDWR | O_CREAT, 0600);

  signal (SIGXFSZ, SIG_IGN);
  return fd < 0 ? -1 : ftruncate (fd, (off_t)1 << 40);
}

static long
can_access (char **a)
{
  return access (a[0], R_OK);
}

static long
open_to_write (char **a)
{
  return open (a[0], O_WRONLY | O_NONBLOCK | O_NOCTTY);
}

static long
open_to_read (char **a)
{
  return open (a[0], O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static long
read_link (char **a)
{
  char target[4096];

  return readlink (a[0], target, sizeof target);
}

const Probe probe_metadata[] = {
  { "set-attribute", 1, set_attribute },
  { "set-attribute-by-fd", 1, set_attribute_by_fd },
  { "set-access-list", 1, set_access_list },
  { "set-flags", 1, set_flags },
  { "exchange", 2, exchange_files },
  { "punch-hole", 1, punch_hole },
  { "map-and-write", 1, map_and_write },
  { "map-then-protect", 1, map_then_protect },
  { "reopen-path", 1, reopen_path },
  { "read-below-path-fd", 2, read_below_path_fd },
  { "copy-range", 2, copy_range },
  { "send-file", 2, send_file },
  { "clone-file", 2, clone_file },
  { "splice-into", 1, splice_into },
  { "watch", 1, watch_place },
  { "lock", 1, lock_file },
  { "grow", 1, grow_file },
  { "access", 1, can_access },
  { "open-to-write", 1, open_to_write },
  { "open-to-read", 1, open_to_read },
  { "read-link", 1, read_link },
  { NULL, 0, NULL },
};
