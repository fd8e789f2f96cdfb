/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static long
read_file (char **a)
{
  char byte;
  int fd = open (a[0], O_RDONLY | O_NONBLOCK);

  return fd < 0 ? -1 : read (fd, &byte, 1);
}

static long
list_folder (char **a)
{
  DIR *dir = opendir (a[0]);

  if (dir == NULL)
    return -1;
  errno = 0;
  return readdir (dir) == NULL && errno != 0 ? -1 : 0;
}

static long
stat_file (char **a)
{
  struct stat info;

  return stat (a[0], &info);
}

static long
write_file (char **a)
{
  int fd = open (a[0], O_WRONLY | O_NONBLOCK);

  return fd < 0 ? -1 : write (fd, "changed", 7);
}

static long
append_file (char **a)
{
  int fd = open (a[0], O_WRONLY | O_APPEND);

  return fd < 0 ? -1 : write (fd, "changed", 7);
}

static long
create_file (char **a)
{
  return open (a[0], O_WRONLY | O_CREAT | O_EXCL, 0600);
}

/* A file without a name, then given one. */
static long
create_unnamed (char **a)
{
  char path[64];
  int fd = open (a[0], O_WRONLY | O_TMPFILE, 0600);

  if (fd < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return linkat (AT_FDCWD, path, AT_FDCWD, a[1], AT_SYMLINK_FOLLOW);
}

/* One that goes away by itself. */
static long
open_unnamed (char **a)
{
  return open (a[0], O_WRONLY | O_TMPFILE, 0600);
}

static long
truncate_file (char **a)
{
  return truncate (a[0], 1);
}

static long
change_mode (char **a)
{
  return chmod (a[0], 0604);
}

/* Through a descriptor that was opened for reading only. */
static long
change_mode_by_fd (char **a)
{
  int fd = open (a[0], O_RDONLY);

  return fd < 0 ? -1 : fchmod (fd, 0604);
}

static long
change_owner (char **a)
{
  return chown (a[0], getuid (), getgid ());
}

static long
change_times (char **a)
{
  static const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

  return utimensat (AT_FDCWD, a[0], times, 0);
}

static long
make_folder (char **a)
{
  return mkdir (a[0], 0700);
}

static long
make_fifo (char **a)
{
  return mkfifo (a[0], 0600);
}

static long
make_device (char **a)
{
  return mknod (a[0], S_IFCHR | 0600, 0x103);
}

static long
remove_file (char **a)
{
  return unlink (a[0]);
}

static long
remove_folder (char **a)
{
  return rmdir (a[0]);
}

static long
rename_file (char **a)
{
  return rename (a[0], a[1]);
}

static long
link_file (char **a)
{
  return link (a[0], a[1]);
}

static long
make_symlink (char **a)
{
  return symlink (a[0], a[1]);
}

/* Opened for reading, then the same file once more through /proc for writing. */
static long
reopen_for_writing (char **a)
{
  char path[64];
  int fd = open (a[0], O_RDONLY);

  if (fd < 0)
    return -1;
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  fd = open (path, O_WRONLY);
  return fd < 0 ? -1 : write (fd, "changed", 7);
}

/* A link in a folder it can write, to a place it cannot read. */
static long
read_through_own_link (char **a)
{
  char path[4096];

  snprintf (path, sizeof path, "%s/link", getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
  if (symlink (a[0], path) != 0)
    return -1;
  a[0] = path;
  return read_file (a);
}

/* ".." from a folder it can read. */
static long
read_relative (char **a)
{
  int folder = open (a[0], O_RDONLY | O_DIRECTORY);
  char byte;
  int fd;

  if (folder < 0)
    return -1;
  fd = openat (folder, a[1], O_RDONLY);
  return fd < 0 ? -1 : read (fd, &byte, 1);
}

static long
read_by_handle (char **a)
{
  _Alignas(struct file_handle) char memory[sizeof (struct file_handle) + MAX_HANDLE_SZ];
  struct file_handle *handle = (struct file_handle *)memory;
  int mount_id;

  handle->handle_bytes = MAX_HANDLE_SZ;
  return name_to_handle_at (AT_FDCWD, a[0], handle, &mount_id, 0);
}

static long
execute (char **a)
{
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    {
      char *argv[] = { a[0], NULL }, *env[] = { NULL };
      int null = open ("/dev/null", O_WRONLY);

      dup2 (null, 1);
      dup2 (null, 2);
      execve (a[0], argv, env);
      _exit (errno);
    }
  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    return -1;
  errno = WIFEXITED (status) ? WEXITSTATUS (status) : ECANCELED;
  return errno == 0 ? 0 : -1;
}

/* A copy of itself in a folder it can write: what it may do belongs to the sandbox, not to the
 * program's path. */
static long
copy_and_probe (char **a)
{
  char path[4096], buffer[65536], *argv[] = { path, a[0], a[1], NULL }, *env[] = { NULL };
  int from = open ("/proc/self/exe", O_RDONLY), to;
  ssize_t n;

  snprintf (path, sizeof path, "%s/copy", getenv ("TMPDIR") != NULL ? getenv ("TMPDIR") : "/tmp");
  to = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
  if (from < 0 || to < 0)
    return -1;
  while ((n = read (from, buffer, sizeof buffer)) > 0)
    if (write (to, buffer, (size_t)n) != n)
      return -1;
  close (to);
  execve (path, argv, env);
  return -1;
}

static mode_t
as_mode (const char *text)
{
  return (mode_t)strtoul (text, NULL, 8);
}

/* Which of the calls that give a file its mode, the file, the mode. */
static long
give_mode (char **a)
{
  mode_t mode = as_mode (a[2]);

  if (strcmp (a[0], "chmod") == 0)
    return chmod (a[1], mode);
  if (strcmp (a[0], "fchmod") == 0)
    return fchmod (open (a[1], O_RDONLY), mode);
  if (strcmp (a[0], "fchmodat") == 0)
    return syscall (SYS_fchmodat, AT_FDCWD, a[1], mode);
  if (strcmp (a[0], "open") == 0)
    return open (a[1], O_WRONLY | O_CREAT | O_EXCL, mode);
  if (strcmp (a[0], "unnamed") == 0)
    return open (a[1], O_WRONLY | O_TMPFILE, mode);
  return mknod (a[1], S_IFREG | mode, 0);
}

/* Without write access to it. */
static long
take_lease (char **a)
{
  int fd = open (a[0], O_RDONLY);

  return fd < 0 ? -1 : fcntl (fd, F_SETLEASE, F_WRLCK);
}

const Probe probe_files[] = {
  { "read", 1, read_file },
  { "list", 1, list_folder },
  { "stat", 1, stat_file },
  { "write", 1, write_file },
  { "append", 1, append_file },
  { "create", 1, create_file },
  { "create-unnamed", 2, create_unnamed },
  { "open-unnamed", 1, open_unnamed },
  { "truncate", 1, truncate_file },
  { "chmod", 1, change_mode },
  { "fchmod", 1, change_mode_by_fd },
  { "give-mode", 3, give_mode },
  { "lease", 1, take_lease },
  { "chown", 1, change_owner },
  { "utimes", 1, change_times },
  { "mkdir", 1, make_folder },
  { "mkfifo", 1, make_fifo },
  { "mknod", 1, make_device },
  { "unlink", 1, remove_file },
  { "rmdir", 1, remove_folder },
  { "rename", 2, rename_file },
  { "link", 2, link_file },
  { "symlink", 2, make_symlink },
  { "reopen", 1, reopen_for_writing },
  { "read-through-own-link", 1, read_through_own_link },
  { "read-relative", 2, read_relative },
  { "name-to-handle", 1, read_by_handle },
  { "execute", 1, execute },
  { "copy-and-probe", 2, copy_and_probe },
  { NULL, 0, NULL },
};
