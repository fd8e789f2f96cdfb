/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-memory-look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/oc-fd.h"

/* A sandbox has at most a few hundred processes; uid 0 is not bound by that limit, this is. */
#define MAX_PROCESSES 4096
#define KIB G_GUINT64_CONSTANT (1024)
/* The largest there are for whoever has no privileges: net.core.wmem_max as it is everywhere, with what the kernel adds to it
 * for each packet; fs.pipe-max-size. */
#define MAX_SOCKET_BYTES (512 * KIB)
#define MAX_PIPE_BYTES (1024 * KIB)

/* A file, wherever it is. */
typedef struct
{
  guint64 inode;
  guint64 device;
} Identity;

static guint
identity_hash (gconstpointer key)
{
  const Identity *identity = key;

  return (guint) (identity->inode ^ (identity->inode >> 32)) ^ (guint) identity->device;
}

static gboolean
identity_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Identity)) == 0;
}

static gboolean
read_proc (pid_t pid, const char *name, char *buffer, gsize size)
{
  g_autofree char *path = pid > 0 ? g_strdup_printf ("/proc/%d/%s", (int) pid, name) : g_build_filename ("/proc", name, NULL);
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC);
  gssize n = fd < 0 ? -1 : oc_fd_read_all (fd, buffer, size - 1);

  if (n < 0)
    return FALSE;
  buffer[n] = '\0';
  return TRUE;
}

static guint64
read_kib (const char *text, const char *key)
{
  const char *line = strstr (text, key);

  return line != NULL ? g_ascii_strtoull (line + strlen (key), NULL, 10) * KIB : 0;
}

/* The processes. */

static void
add_children (GArray *found, pid_t pid, const char *task)
{
  g_autofree char *name = g_strdup_printf ("task/%s/children", task);
  char buffer[16384];
  char *at = buffer, *end;

  if (!read_proc (pid, name, buffer, sizeof buffer))
    return;
  for (long child = strtol (at, &end, 10); end != at && found->len < MAX_PROCESSES; child = strtol (at, &end, 10))
    {
      int value = (int) child;

      g_array_append_val (found, value);
      at = end;
    }
}

/* FALSE: it has ended. */
static gboolean
read_resident (pid_t tid, guint64 *pages)
{
  unsigned long long size, resident;
  char buffer[256];

  if (!read_proc (tid, "statm", buffer, sizeof buffer) || sscanf (buffer, "%llu %llu", &size, &resident) != 2 || size == 0)
    return FALSE;
  *pages = resident;
  return TRUE;
}

static void
add_descriptor (OcMemoryLook *self, const struct statx *info)
{
  Identity identity = { info->stx_ino, makedev (info->stx_dev_major, info->stx_dev_minor) };
  gboolean memfd = identity.device == self->memfd_device;

  if (!memfd && !S_ISSOCK (info->stx_mode) && !S_ISFIFO (info->stx_mode) && !(S_ISREG (info->stx_mode) && info->stx_nlink == 0))
    return;
  if (!g_hash_table_add (self->inodes, g_memdup2 (&identity, sizeof identity)))
    return;
  if (memfd)
    self->memfds += info->stx_blocks * 512;
  else if (S_ISREG (info->stx_mode))
    self->deleted += MAX (info->stx_blocks * 512, info->stx_size);
  else
    self->buffers += S_ISSOCK (info->stx_mode) ? MAX_SOCKET_BYTES : MAX_PIPE_BYTES;
}

static void
add_descriptors (OcMemoryLook *self, pid_t tid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd", (int) tid);
  DIR *dir = opendir (path);
  const struct dirent *entry;

  self->opaque = self->opaque || (dir == NULL && errno == EACCES);
  while (dir != NULL && (entry = readdir (dir)) != NULL)
    {
      struct statx info;

      /* A descriptor of a file on a network that is gone must not hold this up. */
      if (statx (dirfd (dir), entry->d_name, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_NLINK | STATX_INO | STATX_SIZE | STATX_BLOCKS, &info) == 0)
        add_descriptor (self, &info);
    }
  if (dir != NULL)
    closedir (dir);
}

/* The same ones as @known's: most threads of a process share them. */
static gboolean
has_same_descriptors (pid_t tid, pid_t known)
{
  return known > 0 && syscall (SYS_kcmp, known, tid, KCMP_FILES, 0, 0) == 0;
}

/* A process may have been started by any thread of its parent. */
static void
look_at (OcMemoryLook *self, GArray *found, int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/task", pid);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  int living = 0;
  const char *task;

  while (dir != NULL && (task = g_dir_read_name (dir)) != NULL)
    {
      int tid = atoi (task);
      guint64 pages;

      self->tasks++;
      add_children (found, pid, task);
      if (pid == self->pid1 || !read_resident (tid, &pages))
        continue;
      if (!has_same_descriptors (tid, living))
        add_descriptors (self, tid);
      if (living != 0)
        continue;
      living = tid;
      self->resident += pages * self->page;
      g_array_append_val (self->pids, living);
    }
}

void
oc_memory_look_take (OcMemoryLook *self, pid_t pid1, dev_t memfd_device)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (int));
  long page = sysconf (_SC_PAGESIZE);
  int first = (int) pid1;

  *self = (OcMemoryLook){ .pids = g_array_new (FALSE, FALSE, sizeof (int)), .memfd_device = memfd_device, .pid1 = pid1 };
  self->inodes = g_hash_table_new_full (identity_hash, identity_equal, g_free, NULL);
  self->page = page > 0 ? (guint64) page : 4096;
  g_array_append_val (found, first);
  for (guint i = 0; i < found->len; i++)
    look_at (self, found, g_array_index (found, int, i));
}

void
oc_memory_look_clear (OcMemoryLook *self)
{
  g_array_unref (self->pids);
  g_hash_table_unref (self->inodes);
}

guint64
oc_memory_look_measure_exactly (const OcMemoryLook *self, guint64 *shared)
{
  guint64 private = 0;

  *shared = 0;
  for (guint i = 0; i < self->pids->len; i++)
    {
      char text[4096];

      if (!read_proc (g_array_index (self->pids, int, i), "smaps_rollup", text, sizeof text))
        continue;
      private += read_kib (text, "\nPss_Anon:") + read_kib (text, "\nSwapPss:");
      *shared += read_kib (text, "\nPss_Shmem:");
    }
  /* A memfd may be mapped as well: not counted twice. */
  *shared = MAX (*shared, self->memfds);
  return private;
}

/* What cannot be asked for. */

/* "7f00-7f01 rw-s 00000000 00:01 1234    /dev/zero (deleted)": of memory that has no descriptor any more, or never had. */
static gboolean
maps_unseen (const OcMemoryLook *self, pid_t tid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) tid);
  FILE *maps = fopen (path, "re");
  gboolean found = FALSE;
  char line[8192];

  while (maps != NULL && !found && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned int major, minor;
      Identity identity;

      if (sscanf (line, "%*x-%*x %*4s %*x %x:%x %" G_GUINT64_FORMAT, &major, &minor, &identity.inode) != 3)
        continue;
      identity.device = makedev (major, minor);
      found = identity.device == self->memfd_device && !g_hash_table_contains (self->inodes, &identity);
    }
  if (maps != NULL)
    fclose (maps);
  return found;
}

/* Descriptors that were sent over a socket and not taken there. */
static gboolean
has_some_on_their_way (pid_t tid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fdinfo", (int) tid);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename ("fdinfo", name, NULL);
      char text[4096];
      const char *line;

      if (read_proc (tid, file, text, sizeof text) && (line = strstr (text, "\nscm_fds:")) != NULL
          && strtoul (line + strlen ("\nscm_fds:"), NULL, 10) > 0)
        return TRUE;
    }
  return FALSE;
}

guint64
oc_memory_look_bound_unseen (const OcMemoryLook *self)
{
  if (self->opaque)
    return G_MAXUINT64;
  for (guint i = 0; i < self->pids->len; i++)
    {
      pid_t tid = g_array_index (self->pids, int, i);

      if (maps_unseen (self, tid) || has_some_on_their_way (tid))
        return G_MAXUINT64;
    }
  return self->buffers;
}

guint64
oc_memory_read_system (void)
{
  /* What processes have as their own, and what only copies the disk. Cached has the shared memory in it. */
  static const char *const others[] = { "\nMemFree:", "\nBuffers:", "\nCached:", "\nSReclaimable:", "\nAnonPages:", "\nSwapFree:" };
  char text[8192];
  guint64 held, not_held = 0;

  if (!read_proc (0, "meminfo", text + 1, sizeof text - 1))
    return 0;
  text[0] = '\n';
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    not_held += read_kib (text, others[i]);
  held = read_kib (text, "\nMemTotal:") + read_kib (text, "\nSwapTotal:") + read_kib (text, "\nShmem:");
  return held > not_held ? held - not_held : 0;
}
