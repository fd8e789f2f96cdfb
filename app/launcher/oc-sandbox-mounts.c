/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stage 1, the mounts. Plain C: see oc-sandbox-private.h. Every place is opened first, without
 * following a symlink anywhere, and mounted on by descriptor: a name that is swapped in between
 * hits nothing (CVE-2024-42472, CVE-2026-87766). */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "launcher/oc-sandbox-devices.h"
#include "launcher/oc-sandbox-private.h"

#define MASK_FILE "/dev/.mask-file"
#define MASK_FOLDER "/dev/.mask-folder"
#define CONTENT_FILE "/dev/.content-"
#define CONTENT_DIGITS 9
/* Nobody replaces a file so often in so short a time by accident. */
#define MASK_TRIES 16
#define HOST_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

static int
set_attrs (int fd,
           const char *path,
           unsigned int flags,
           uint64_t set,
           uint64_t clear,
           uint64_t propagation)
{
  struct mount_attr attr = { .attr_set = set, .attr_clr = clear, .propagation = propagation };

  return mount_setattr (fd, path, flags, &attr, sizeof attr);
}

static int
clone_tree (int place, unsigned int flags)
{
  return open_tree (place, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | flags);
}

static int
attach (int tree, int place)
{
  return move_mount (tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int
oc_stage_open_place (const char *path)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                          .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

  return (int)syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* The trees that are to be at their place again later, cloned while their place is not covered yet.
 */
static void
clone_own_trees (OcStage *stage)
{
  for (size_t i = 0; i < stage->n_ops; i++)
    {
      OcOp *op = &stage->ops[i];
      bool writable = op->kind == OC_OP_WRITABLE;
      int place;

      op->fd = -1;
      if (op->kind != OC_OP_READ_ONLY && !writable)
        continue;
      place = oc_stage_open_place (op->path);
      if (place < 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
      /* A writable tree is cloned without the mounts in it: what hangs there is somebody else's. */
      op->fd = clone_tree (place, writable ? 0 : AT_RECURSIVE);
      if (op->fd < 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
      if (writable && set_attrs (op->fd, "", AT_EMPTY_PATH, 0, MOUNT_ATTR_RDONLY, 0) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
      close (place);
    }
}

static void
clone_devices (const OcStage *stage, int trees[OC_N_DEVICES])
{
  for (size_t i = 0; i < OC_N_DEVICES; i++)
    {
      struct stat info;
      int place = oc_stage_open_place (oc_devices[i].path);

      if (place < 0 || fstat (place, &info) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_devices[i].path);
      /* A container may have put something else there. */
      if (!S_ISCHR (info.st_mode) || info.st_rdev != makedev (OC_DEVICE_MAJOR, oc_devices[i].device_minor))
        {
          errno = ENODEV;
          oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_devices[i].path);
        }
      trees[i] = clone_tree (place, 0);
      /* Read-only does not keep from writing to a device; it keeps uid 0, who owns it, from
       * chmod(). */
      if (trees[i] < 0
          || set_attrs (trees[i], "", AT_EMPTY_PATH, MOUNT_ATTR_NOEXEC, MOUNT_ATTR_NODEV, 0) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_devices[i].path);
      close (place);
    }
}

static void
make_mask_sources (const OcStage *stage)
{
  int fd = open (MASK_FILE, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0);

  if (fd < 0 || close (fd) != 0 || mkdir (MASK_FOLDER, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/dev");
}

/* The name of the @i-th operation's file: snprintf() is not async-signal-safe. */
static void
get_content_file (size_t i, char path[static sizeof CONTENT_FILE + CONTENT_DIGITS])
{
  memcpy (path, CONTENT_FILE, sizeof CONTENT_FILE);
  path += sizeof CONTENT_FILE - 1;
  for (size_t at = CONTENT_DIGITS; at > 0; at--, i /= 10)
    path[at - 1] = (char)('0' + i % 10);
  path[CONTENT_DIGITS] = '\0';
}

static void
make_contents (OcStage *stage)
{
  for (size_t i = 0; i < stage->n_ops; i++)
    {
      OcOp *op = &stage->ops[i];
      char file[sizeof CONTENT_FILE + CONTENT_DIGITS];
      size_t length;
      int fd, place;

      if (op->kind != OC_OP_CONTENT)
        continue;
      get_content_file (i, file);
      length = strlen (op->content);
      fd = open (file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0444);
      if (fd < 0 || fchmod (fd, 0444) != 0 || write (fd, op->content, length) != (ssize_t)length)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
      close (fd);
      place = oc_stage_open_place (file);
      op->fd = clone_tree (place, 0);
      if (op->fd < 0 || set_attrs (op->fd, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY, 0, 0) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
      close (place);
    }
}

/* Not before they are mounted: what has no name cannot be. */
static void
remove_contents (const OcStage *stage)
{
  for (size_t i = 0; i < stage->n_ops; i++)
    {
      char file[sizeof CONTENT_FILE + CONTENT_DIGITS];

      if (stage->ops[i].kind != OC_OP_CONTENT)
        continue;
      get_content_file (i, file);
      if (unlink (file) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, file);
    }
}

static void
mount_devices (OcStage *stage)
{
  int trees[OC_N_DEVICES];

  clone_devices (stage, trees);
  if (mount ("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
             "mode=0755,size=64k,nr_inodes=64")
      != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/dev");
  for (size_t i = 0; i < OC_N_DEVICES; i++)
    {
      int place = open (oc_devices[i].path, O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC | O_NOFOLLOW,
                        0444);

      if (place < 0 || attach (trees[i], place) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_devices[i].path);
      close (place);
      close (trees[i]);
    }
  for (size_t i = 0; i < OC_N_DEVICE_LINKS; i++)
    if (symlink (oc_device_links[i].target, oc_device_links[i].path) != 0)
      oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_device_links[i].path);
  if (mkdir ("/dev/shm", 0555) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/dev/shm");
  make_mask_sources (stage);
  make_contents (stage);
  /* From here on; the masks cloned from it inherit it. */
  if (set_attrs (AT_FDCWD, "/dev", 0, MOUNT_ATTR_RDONLY, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/dev");
}

/* What the kernel counts for each user and not for each process: what is used up here would be
 * missing in the user's whole session. No resource limit knows of these. They hold in this user
 * namespace; the host's own stay. */
static const struct
{
  const char *path;
  const char *value;
} user_limits[] = {
  { "sys/user/max_inotify_instances", "32" },
  { "sys/user/max_inotify_watches", "8192" },
};

void
oc_stage_limit_user (const OcStage *stage, int proc)
{
  for (size_t i = 0; i < sizeof user_limits / sizeof *user_limits; i++)
    {
      const char *value = user_limits[i].value;
      int fd = openat (proc, user_limits[i].path, O_WRONLY | O_CLOEXEC);

      if (fd < 0 && errno == ENOENT) /* a kernel without them */
        continue;
      if (fd < 0 || write (fd, value, strlen (value)) != (ssize_t)strlen (value))
        oc_stage_fail (stage, OC_LAYER_LIMITS, user_limits[i].path);
      close (fd);
    }
}

static void
mount_proc (const OcStage *stage)
{
  const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  int proc;

  /* Read-only, since uid 0 may write sysctls without any capability. hidepid=4 (ptraceable) because
   * /proc/1/cmdline is the launcher's: it names the selection, which is a permission of its own.
   * The weaker hidepid=2 does not bind group 0. */
  if (mount ("proc", "/proc", "proc", flags, "hidepid=4") != 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "/proc");
  proc = open ("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "/proc");
  oc_stage_limit_user (stage, proc);
  close (proc);
  if (mount ("proc", "/proc", "proc", MS_REMOUNT | MS_RDONLY | flags, "hidepid=4") != 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "/proc");
}

/* FALSE: what was there has lost its name since it was opened, and something else may have that name now. */
static bool
do_mask (const OcStage *stage, const OcOp *op, int place, int mask_file, int mask_folder)
{
  struct stat info;
  int tree;
  bool done;

  if (fstat (place, &info) != 0)
    oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
  tree = clone_tree (S_ISDIR (info.st_mode) ? mask_folder : mask_file, 0);
  if (tree < 0)
    oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
  done = attach (tree, place) == 0;
  if (!done && errno != ENOENT)
    oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
  close (tree);
  return done;
}

static int
make_hiding_tree (const OcOp *op)
{
  int context = fsopen ("tmpfs", FSOPEN_CLOEXEC);
  int tree;

  /* Searchable, so that the mount points in it are reached; not readable, so that nothing is
   * listed. */
  if (context < 0 || fsconfig (context, FSCONFIG_SET_STRING, "mode", "0111", 0) != 0
      || fsconfig (context, FSCONFIG_SET_STRING, "size", "64k", 0) != 0
      || fsconfig (context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
    return -1;
  tree = fsmount (context, FSMOUNT_CLOEXEC,
                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  close (context);
  if (tree < 0)
    return -1;
  for (size_t i = 0; i < op->n_points; i++)
    if (mkdirat (tree, op->points[i], 0111) != 0)
      return -1;
  if (set_attrs (tree, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY, 0, 0) != 0)
    return -1;
  return tree;
}

/* Opens the place of @op again each time, until its mask is there or nothing is: another run's temporary folder goes when that
 * run ends, and a file is replaced by renaming another one over it. */
static void
mask_place (const OcStage *stage, const OcOp *op, int place, int mask_file, int mask_folder)
{
  for (int tries = 0; place >= 0 && tries < MASK_TRIES; tries++)
    {
      bool done = do_mask (stage, op, place, mask_file, mask_folder);

      close (place);
      if (done)
        return;
      place = oc_stage_open_place (op->path);
    }
  if (place < 0 && op->optional && (errno == ENOENT || errno == ENOTDIR))
    return;
  if (place >= 0)
    errno = EAGAIN;
  oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
}

static void
do_op (const OcStage *stage, const OcOp *op, int mask_file, int mask_folder)
{
  int place = oc_stage_open_place (op->path);
  int tree = op->fd;

  if (place < 0)
    {
      /* Gone since the plan was made, or not to be reached by this user at all, and so not by the
       * plugin either. A place that has become a symlink (ELOOP) is not among these: nothing runs.
       */
      if (op->optional && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        {
          if (tree >= 0)
            close (tree);
          return;
        }
      oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
    }
  switch (op->kind)
    {
    case OC_OP_MASK:
      mask_place (stage, op, place, mask_file, mask_folder);
      return;
    case OC_OP_HIDE:
      tree = make_hiding_tree (op);
      if (tree < 0 || attach (tree, place) != 0)
        oc_stage_fail (stage, OC_LAYER_GUARDED, op->path);
      break;
    case OC_OP_READ_ONLY:
    case OC_OP_WRITABLE:
    case OC_OP_CONTENT:
      if (attach (tree, place) != 0)
        oc_stage_fail (stage, OC_LAYER_MOUNTS, op->path);
      break;
    }
  if (tree >= 0)
    close (tree);
  close (place);
}

static void
remove_mask_sources (const OcStage *stage)
{
  if (set_attrs (AT_FDCWD, "/dev", 0, 0, MOUNT_ATTR_RDONLY, 0) != 0 || unlink (MASK_FILE) != 0
      || rmdir (MASK_FOLDER) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/dev");
  remove_contents (stage);
  if (set_attrs (AT_FDCWD, "/dev", 0, MOUNT_ATTR_RDONLY, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/dev");
}

void
oc_stage_mount (OcStage *stage)
{
  int mask_file, mask_folder;

  /* One call for everything. Private, not slave: what the host mounts later must not appear here,
   * writable. */
  if (set_attrs (AT_FDCWD, "/", AT_RECURSIVE, HOST_ATTRS, 0, MS_PRIVATE) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/");
  clone_own_trees (stage);
  mount_devices (stage);
  mount_proc (stage);
  mask_file = oc_stage_open_place (MASK_FILE);
  mask_folder = oc_stage_open_place (MASK_FOLDER);
  if (mask_file < 0 || mask_folder < 0)
    oc_stage_fail (stage, OC_LAYER_GUARDED, "/dev");
  for (size_t i = 0; i < stage->n_ops; i++)
    do_op (stage, &stage->ops[i], mask_file, mask_folder);
  remove_mask_sources (stage);
  close (mask_file);
  close (mask_folder);
}
