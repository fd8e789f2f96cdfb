/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bubblewrap was told to do, seen from inside: bubblewrap mounts by path, it may be an old one or not what it says it is,
 * and the host may have changed meanwhile. Plain C: see oc-sandbox-private.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "launcher/oc-sandbox-devices.h"
#include "launcher/oc-sandbox-private.h"

#define HOST_FLAGS (ST_RDONLY | ST_NOSUID | ST_NODEV)

/* In the order of OcStage.outside. */
static const struct
{
  const char *path;
  OcLayerKind layer;
} namespaces[OC_N_NAMESPACES] = {
  { "/proc/self/ns/user", OC_LAYER_USER_NAMESPACE }, { "/proc/self/ns/mnt", OC_LAYER_MOUNTS },
  { "/proc/self/ns/pid", OC_LAYER_PROCESSES },       { "/proc/self/ns/ipc", OC_LAYER_PROCESSES },
  { "/proc/self/ns/uts", OC_LAYER_USER_NAMESPACE },  { "/proc/self/ns/cgroup", OC_LAYER_PROCESSES },
  { "/proc/self/ns/net", OC_LAYER_NETWORK },
};
#define NETWORK_NAMESPACE 6

const char *
oc_stage_get_namespace_path (size_t i)
{
  return namespaces[i].path;
}

/* "PATH WORDS": what is wrong there, no system call having failed. The end of a long path is kept. */
static _Noreturn void
fail_with (const OcStage *stage, OcLayerKind layer, const char *path, const char *words)
{
  char what[sizeof ((OcReport *)NULL)->what];
  size_t n_words = strlen (words), n_path = strlen (path), room = sizeof what - n_words - 2;

  if (n_path > room)
    {
      path += n_path - room;
      n_path = room;
    }
  memcpy (what, path, n_path);
  what[n_path] = ' ';
  memcpy (what + n_path + 1, words, n_words + 1);
  errno = 0;
  oc_stage_fail (stage, layer, what);
}

/* "1000 1000 1", and nothing else. */
static void
verify_map (const OcStage *stage, const char *path, unsigned long id)
{
  char text[128];
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
  char *end = text;

  if (n < 0)
    oc_stage_fail (stage, OC_LAYER_USER_NAMESPACE, path);
  close (fd);
  text[n] = '\0';
  if (strtoul (end, &end, 10) != id || strtoul (end, &end, 10) != id || strtoul (end, &end, 10) != 1
      || strcmp (end, "\n") != 0)
    fail_with (stage, OC_LAYER_USER_NAMESPACE, path, "maps other users");
}

static void
verify_user (const OcStage *stage)
{
  verify_map (stage, "/proc/self/uid_map", stage->uid);
  verify_map (stage, "/proc/self/gid_map", stage->gid);
  if (getuid () != stage->uid || geteuid () != stage->uid || getgid () != stage->gid
      || getegid () != stage->gid)
    fail_with (stage, OC_LAYER_USER_NAMESPACE, "user", "is another one");
}

void
oc_stage_verify_namespaces (const OcStage *stage)
{
  struct statfs system;

  if (getpid () != 1)
    fail_with (stage, OC_LAYER_PROCESSES, "stage 2", "is not process 1");
  /* Everything below is read from it. */
  if (statfs ("/proc", &system) != 0 || system.f_type != PROC_SUPER_MAGIC)
    fail_with (stage, OC_LAYER_PROCESSES, "/proc", "is no /proc");
  if ((system.f_flags & HOST_FLAGS) != HOST_FLAGS)
    fail_with (stage, OC_LAYER_PROCESSES, "/proc", "is not mounted read-only");
  for (size_t i = 0; i < OC_N_NAMESPACES; i++)
    {
      struct stat info;
      bool shared = i == NETWORK_NAMESPACE && !stage->private_network;

      if (stat (namespaces[i].path, &info) != 0)
        oc_stage_fail (stage, namespaces[i].layer, namespaces[i].path);
      if ((info.st_ino == stage->outside[i]) != shared)
        fail_with (stage, namespaces[i].layer, namespaces[i].path, shared ? "is not the one outside" : "is the one outside");
    }
  verify_user (stage);
}

/* One denial: opening must fail with EACCES. */
static void
verify_closed (const OcStage *stage, const OcOp *op, int flags)
{
  int fd = open (op->path, flags | O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);

  if (fd >= 0)
    fail_with (stage, OC_LAYER_GUARDED, op->path, "can be opened");
  if (errno == EACCES || (op->optional && (errno == ENOENT || errno == ENOTDIR)))
    return;
  oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
}

static void
verify_hidden (const OcStage *stage, const OcOp *op)
{
  struct statfs system;

  verify_closed (stage, op, O_DIRECTORY);
  if (statfs (op->path, &system) != 0)
    oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
  if (system.f_type != TMPFS_MAGIC || (system.f_flags & HOST_FLAGS) != HOST_FLAGS)
    fail_with (stage, OC_LAYER_GUARDED, op->path, "is not covered, or not read-only");
}

/* The same folder that the launcher saw, whatever name led bubblewrap to it. */
static void
verify_own (const OcStage *stage, const OcOp *op)
{
  int fd = oc_stage_open_place (op->path);
  struct statfs system;
  struct stat info;
  bool writable;

  if (fd < 0 || fstat (fd, &info) != 0 || fstatfs (fd, &system) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
  if (info.st_dev != op->device || info.st_ino != op->inode)
    fail_with (stage, OC_LAYER_MOUNTS, op->path, "is another folder than before");
  writable = (system.f_flags & ST_RDONLY) == 0;
  if (writable != (op->kind == OC_OP_WRITABLE) || (system.f_flags & ST_NOSUID) == 0
      || (system.f_flags & ST_NODEV) == 0)
    fail_with (stage, OC_LAYER_MOUNTS, op->path, writable ? "is writable" : "is not mounted as it is to be");
  close (fd);
}

static void
verify_content (const OcStage *stage, const OcOp *op)
{
  size_t length = strlen (op->content);
  int fd = open (op->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  char buffer[512];
  size_t at = 0;

  if (fd < 0 && op->optional && errno == ENOENT)
    return;
  if (fd < 0 || fstat (fd, &info) != 0)
    oc_stage_fail (stage, OC_LAYER_NETWORK, op->path);
  while (at < length)
    {
      size_t part = length - at < sizeof buffer ? length - at : sizeof buffer;

      if (read (fd, buffer, part) != (ssize_t)part || memcmp (buffer, op->content + at, part) != 0)
        fail_with (stage, OC_LAYER_NETWORK, op->path, "has another content");
      at += part;
    }
  if ((size_t)info.st_size != length)
    fail_with (stage, OC_LAYER_NETWORK, op->path, "has another content");
  close (fd);
}

static void
verify_op (const OcStage *stage, const OcOp *op)
{
  switch (op->kind)
    {
    case OC_OP_MASK:
      verify_closed (stage, op, 0);
      break;
    case OC_OP_HIDE:
      verify_hidden (stage, op);
      break;
    case OC_OP_READ_ONLY:
    case OC_OP_WRITABLE:
      verify_own (stage, op);
      break;
    case OC_OP_CONTENT:
      verify_content (stage, op);
      break;
    }
}

static bool
is_known_in_dev (const char *name)
{
  for (size_t i = 0; i < OC_N_DEVICES; i++)
    if (strcmp (name, oc_devices[i].path + strlen ("/dev/")) == 0)
      return true;
  for (size_t i = 0; i < OC_N_DEVICE_LINKS; i++)
    if (strcmp (name, oc_device_links[i].path + strlen ("/dev/")) == 0)
      return true;
  return strcmp (name, "shm") == 0 || strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

/* /dev: a folder with nothing unknown in it; /dev/shm: with nothing at all. */
static void
verify_listing (const OcStage *stage, const char *path, bool empty)
{
  DIR *folder = opendir (path);
  const struct dirent *entry;
  struct statfs system;

  if (folder == NULL || fstatfs (dirfd (folder), &system) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, path);
  if (system.f_type != TMPFS_MAGIC || (system.f_flags & HOST_FLAGS) != HOST_FLAGS)
    fail_with (stage, OC_LAYER_MOUNTS, path, "is not covered, or not read-only");
  while ((entry = readdir (folder)) != NULL)
    if (!is_known_in_dev (entry->d_name) || (empty && entry->d_name[0] != '.'))
      fail_with (stage, OC_LAYER_MOUNTS, path, "has more in it than it is to have");
  closedir (folder);
}

static void
verify_devices (const OcStage *stage)
{
  verify_listing (stage, "/dev", false);
  verify_listing (stage, "/dev/shm", true);
  for (size_t i = 0; i < OC_N_DEVICES; i++)
    {
      struct stat info;

      if (lstat (oc_devices[i].path, &info) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_devices[i].path);
      if (!S_ISCHR (info.st_mode)
          || info.st_rdev != makedev (OC_DEVICE_MAJOR, oc_devices[i].device_minor))
        fail_with (stage, OC_LAYER_MOUNTS, oc_devices[i].path, "is another device");
    }
  for (size_t i = 0; i < OC_N_DEVICE_LINKS; i++)
    {
      char target[64];
      ssize_t n = readlink (oc_device_links[i].path, target, sizeof target);

      if (n != (ssize_t)strlen (oc_device_links[i].target)
          || memcmp (target, oc_device_links[i].target, (size_t)n) != 0)
        fail_with (stage, OC_LAYER_MOUNTS, oc_device_links[i].path, "leads elsewhere");
    }
}

void
oc_stage_verify (const OcStage *stage)
{
  const char *what = NULL;

  verify_devices (stage);
  for (size_t i = 0; i < stage->n_ops; i++)
    verify_op (stage, &stage->ops[i]);
  if (!oc_stage_mounts_hold (stage, stage->mounts_fd, &what))
    fail_with (stage, OC_LAYER_MOUNTS, what, "is not mounted read-only");
}
