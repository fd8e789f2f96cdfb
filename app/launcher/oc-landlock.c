/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain C: see oc-sandbox-private.h. */
#include "launcher/oc-landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's ABI, spelt out here: its header in Debian 12 ends with ABI 2. */
#define RIGHT_EXECUTE (1ULL << 0)
#define RIGHT_WRITE_FILE (1ULL << 1)
#define RIGHT_READ_FILE (1ULL << 2)
#define RIGHT_READ_DIR (1ULL << 3)
#define RIGHT_MAKE_CHAR (1ULL << 6)
#define RIGHT_MAKE_SOCK (1ULL << 9)
#define RIGHT_MAKE_BLOCK (1ULL << 11)
#define RIGHT_MAKE_SYM (1ULL << 12)
#define RIGHT_REFER (1ULL << 13)
#define RIGHT_TRUNCATE (1ULL << 14)
#define RIGHT_IOCTL_DEV (1ULL << 15)
#define RIGHT_RESOLVE_UNIX (1ULL << 16)
#define RIGHTS_ABI_1 ((RIGHT_MAKE_SYM << 1) - 1)
#define NET_BIND_TCP (1ULL << 0)
#define SCOPE_ABSTRACT_UNIX (1ULL << 0)
#define SCOPE_SIGNAL (1ULL << 1)
#define RULE_PATH_BENEATH 1
#define CREATE_VERSION (1U << 0)

#define READ_RIGHTS (RIGHT_EXECUTE | RIGHT_READ_FILE | RIGHT_READ_DIR)
#define FILE_READ_RIGHTS (RIGHT_EXECUTE | RIGHT_READ_FILE)
/* Not even in its own folders: device nodes (no mknod without capabilities anyway) and sockets. */
#define NEVER_RIGHTS                                                                               \
  (RIGHT_MAKE_CHAR | RIGHT_MAKE_BLOCK | RIGHT_MAKE_SOCK | RIGHT_IOCTL_DEV | RIGHT_RESOLVE_UNIX)

struct ruleset_attr
{
  uint64_t handled_fs;
  uint64_t handled_net;
  uint64_t scoped;
};

struct path_attr
{
  uint64_t allowed;
  int32_t parent_fd;
} __attribute__ ((packed));

struct entry
{
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

int
oc_landlock_get_abi (void)
{
  long abi = syscall (SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

  return abi < 0 ? 0 : (int)abi;
}

static int
allow_fd (int ruleset, int fd, uint64_t rights)
{
  struct path_attr attr = { .allowed = rights, .parent_fd = fd };

  return (int)syscall (SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &attr, 0);
}

static int
allow_path (int ruleset, const char *path, uint64_t rights)
{
  int fd = oc_stage_open_place (path);
  int result, error;

  if (fd < 0)
    return -1;
  result = allow_fd (ruleset, fd, rights);
  error = errno;
  close (fd);
  errno = error;
  return result;
}

static const OcNode *
find_child (const OcStage *stage, const OcNode *node, const char *name)
{
  size_t low = node->first_child, high = low + node->n_children;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      int order = strcmp (name, stage->nodes[middle].name);

      if (order == 0)
        return &stage->nodes[middle];
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return NULL;
}

static int enumerate (const OcStage *stage, int ruleset, const OcNode *node, int folder);

static int
allow_entry (
    const OcStage *stage, int ruleset, const OcNode *node, int folder, const struct entry *entry)
{
  const OcNode *child = find_child (stage, node, entry->name);
  unsigned char type = entry->type;
  int fd, result;

  /* Landlock looks at what a symlink leads to, and no socket can be opened. */
  if ((child != NULL && child->denied) || type == DT_LNK || type == DT_SOCK)
    return 0;
  fd = openat (folder, entry->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  /* Gone again, or a dead network mount: not in the list, so not readable. */
  if (fd < 0)
    return 0;
  if (type == DT_UNKNOWN || child != NULL)
    {
      struct stat info;

      if (fstat (fd, &info) != 0 || S_ISLNK (info.st_mode))
        {
          close (fd);
          return 0;
        }
      type = S_ISDIR (info.st_mode) ? DT_DIR : DT_REG;
    }
  if (child != NULL && type == DT_DIR)
    result = enumerate (stage, ruleset, child, fd);
  else
    result = allow_fd (ruleset, fd, type == DT_DIR ? READ_RIGHTS : FILE_READ_RIGHTS);
  /* Objects no rule can be made for (pipes, /proc links) are none a plugin needs. */
  if (result != 0 && (errno == EBADFD || errno == EINVAL))
    result = 0;
  close (fd);
  return result;
}

/* A folder that can be passed through and not listed, as /home often is: what is in it is not known, but the ways to the
 * guarded places are, and they lead to what is the user's own. */
static int
enumerate_known (const OcStage *stage, int ruleset, const OcNode *node, int folder)
{
  for (size_t i = 0; i < node->n_children; i++)
    {
      const OcNode *child = &stage->nodes[node->first_child + i];
      struct stat info;
      int fd, result = 0;

      if (child->denied)
        continue;
      fd = openat (folder, child->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
      if (fd < 0)
        continue;
      if (fstat (fd, &info) == 0 && S_ISDIR (info.st_mode))
        result = enumerate (stage, ruleset, child, fd);
      close (fd);
      if (result != 0)
        return result;
    }
  return 0;
}

/* Allows every entry of an ancestor of a guarded place but those on the way to one. What is created
 * or renamed there later, and so slips from under a mask, has no rule and is not readable. Listing
 * is allowed: Landlock cannot allow it for one folder alone, so the names in a guarded folder that
 * is created later can be seen, its files not. */
static int
enumerate (const OcStage *stage, int ruleset, const OcNode *node, int folder)
{
  _Alignas(struct entry) char buffer[8192];
  int fd, result = 0;
  long n;

  if (allow_fd (ruleset, folder, RIGHT_READ_DIR) != 0)
    return -1;
  fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return errno == EACCES ? enumerate_known (stage, ruleset, node, folder) : errno == ENOENT ? 0 : -1;
  while (result == 0 && (n = syscall (SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
    for (long at = 0; result == 0 && at < n;)
      {
        const struct entry *entry = (const struct entry *)(buffer + at);

        at += entry->length;
        if (strcmp (entry->name, ".") != 0 && strcmp (entry->name, "..") != 0)
          result = allow_entry (stage, ruleset, node, folder, entry);
      }
  if (result == 0 && n < 0)
    result = -1;
  close (fd);
  return result;
}

int
oc_landlock_allow_reading (const OcStage *stage, int ruleset, const char **what)
{
  int root, result;

  *what = "/";
  if (stage->n_nodes == 0)
    return allow_path (ruleset, "/", READ_RIGHTS);
  root = oc_stage_open_place ("/");
  if (root < 0)
    return -1;
  result = enumerate (stage, ruleset, &stage->nodes[0], root);
  close (root);
  return result;
}

/* What is mounted in the sandbox only, and so was not there where a ruleset was filled outside. */
static int
allow_new (const OcStage *stage, int ruleset, const char **what)
{
  static const char *const folders[] = { "/dev", "/proc" };

  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    {
      *what = folders[i];
      if (allow_path (ruleset, folders[i], READ_RIGHTS) != 0)
        return -1;
    }
  for (size_t i = 0; i < stage->n_ops; i++)
    {
      *what = stage->ops[i].path;
      if (stage->ops[i].kind == OC_OP_CONTENT
          && allow_path (ruleset, stage->ops[i].path, FILE_READ_RIGHTS) != 0)
        return -1;
    }
  return 0;
}

static int
allow_own (const OcStage *stage, int ruleset, uint64_t handled, const char **what)
{
  for (size_t i = 0; i < stage->n_ops; i++)
    {
      const OcOp *op = &stage->ops[i];
      uint64_t rights = op->kind == OC_OP_WRITABLE ? handled & ~NEVER_RIGHTS : READ_RIGHTS;

      *what = op->path;
      if ((op->kind == OC_OP_READ_ONLY || op->kind == OC_OP_WRITABLE)
          && allow_path (ruleset, op->path, rights) != 0)
        return -1;
    }
  *what = "/dev/null";
  return allow_path (ruleset, "/dev/null",
                     handled & (RIGHT_READ_FILE | RIGHT_WRITE_FILE | RIGHT_TRUNCATE));
}

/* @attr, and how much of it the kernel knows. */
static size_t
describe_ruleset (int abi, struct ruleset_attr *attr)
{
  size_t size = sizeof attr->handled_fs;

  attr->handled_fs = RIGHTS_ABI_1 | RIGHT_REFER;
  if (abi >= 3)
    attr->handled_fs |= RIGHT_TRUNCATE;
  if (abi >= 4)
    {
      attr->handled_net = NET_BIND_TCP;
      size = offsetof (struct ruleset_attr, scoped);
    }
  if (abi >= 5)
    attr->handled_fs |= RIGHT_IOCTL_DEV;
  if (abi >= 6)
    {
      attr->scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
      size = sizeof *attr;
    }
  if (abi >= 9)
    attr->handled_fs |= RIGHT_RESOLVE_UNIX;
  return size;
}

int
oc_landlock_create (const char **what)
{
  struct ruleset_attr attr = { 0 };
  int abi = oc_landlock_get_abi ();
  size_t size;

  *what = "version";
  if (abi < OC_LANDLOCK_MIN_ABI)
    {
      errno = EOPNOTSUPP;
      return -1;
    }
  size = describe_ruleset (abi, &attr);
  *what = "ruleset";
  return (int)syscall (SYS_landlock_create_ruleset, &attr, size, 0);
}

int
oc_landlock_apply (const OcStage *stage, const char **what)
{
  struct ruleset_attr attr = { 0 };
  int ruleset = stage->filled_outside ? stage->ruleset_fd : oc_landlock_create (what);

  if (ruleset < 0)
    return -1;
  (void)describe_ruleset (oc_landlock_get_abi (), &attr);
  if ((stage->filled_outside ? allow_new (stage, ruleset, what)
                             : oc_landlock_allow_reading (stage, ruleset, what))
          != 0
      || allow_own (stage, ruleset, attr.handled_fs, what) != 0)
    return -1;
  *what = "restrict";
  return (int)syscall (SYS_landlock_restrict_self, ruleset, 0) | close (ruleset);
}
