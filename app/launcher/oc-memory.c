/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "launcher/oc-cgroup.h"

#define INTERVAL_MS 100
/* A sandbox has at most a few hundred processes; uid 0 is not bound by that limit, this is. */
#define MAX_PROCESSES 4096
#define KIB G_GUINT64_CONSTANT (1024)
/* The kernel's limit is a little higher, so that it is this watch which ends what grows slowly, and can tell why. */
#define GROUP_LIMIT(limit) ((limit) + (limit) / 16)
#define GROUP_DEFAULT_TASKS 512

struct _OcMemoryWatch
{
  OcProcess *process; /* borrowed */
  pid_t pid;          /* of the sandbox's pid 1, as seen from here; not reused while @process is not waited for */
  guint64 limit;
  guint64 page;
  dev_t memfd_device; /* where memfds are: what is written to one and not mapped is in no process's RSS */
  OcMemoryExceeded exceeded;
  gpointer user_data;
  guint source;
  guint64 max_tasks; /* 0: any number */
  gboolean too_many;
  OcCgroup *group; /* owned (nullable): from the first look on */
};

/* One look. */
typedef struct
{
  GArray *pids;        /* (element-type int) */
  GHashTable *inodes;  /* memfds seen already */
  guint64 resident;    /* of all, shared pages counted with each */
  guint64 memfds;
  guint64 tasks;
} Look;

static gboolean
read_proc (pid_t pid, const char *name, char *buffer, gsize size)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/%s", (int) pid, name);
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC);
  gssize n = fd < 0 ? -1 : oc_fd_read_all (fd, buffer, size - 1);

  if (n < 0)
    return FALSE;
  buffer[n] = '\0';
  return TRUE;
}

static void
add_children (Look *look, pid_t pid, const char *task)
{
  g_autofree char *name = g_strdup_printf ("task/%s/children", task);
  char buffer[16384];
  char *at = buffer, *end;

  if (!read_proc (pid, name, buffer, sizeof buffer))
    return;
  for (long child = strtol (at, &end, 10); end != at && look->pids->len < MAX_PROCESSES; child = strtol (at, &end, 10))
    {
      int value = (int) child;

      g_array_append_val (look->pids, value);
      at = end;
    }
}

/* A process may have been started by any thread of its parent. */
static void
add_children_of_tasks (Look *look, pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/task", (int) pid);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *task;

  while (dir != NULL && (task = g_dir_read_name (dir)) != NULL)
    {
      look->tasks++;
      add_children (look, pid, task);
    }
}

static void
add_memfds (const OcMemoryWatch *self, Look *look, pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/fd", (int) pid);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      struct statx info;
      guint64 inode;

      /* A descriptor of a file on a network that is gone must not hold this up. */
      if (statx (AT_FDCWD, file, AT_STATX_DONT_SYNC, STATX_INO | STATX_BLOCKS, &info) != 0 ||
          makedev (info.stx_dev_major, info.stx_dev_minor) != self->memfd_device)
        continue;
      inode = info.stx_ino;
      if (g_hash_table_add (look->inodes, g_memdup2 (&inode, sizeof inode)))
        look->memfds += info.stx_blocks * 512;
    }
}

static void
look_at (const OcMemoryWatch *self, Look *look, pid_t pid)
{
  char buffer[256];
  unsigned long long size, resident;

  add_children_of_tasks (look, pid);
  if (read_proc (pid, "statm", buffer, sizeof buffer) && sscanf (buffer, "%llu %llu", &size, &resident) == 2)
    look->resident += resident * self->page;
  add_memfds (self, look, pid);
}

static guint64
read_kib (const char *text, const char *key)
{
  const char *line = strstr (text, key);

  return line != NULL ? g_ascii_strtoull (line + strlen (key), NULL, 10) * KIB : 0;
}

/* Without counting a page that several share more than once: a program that forks is not ended for what it shares. */
static guint64
measure_exactly (const Look *look)
{
  guint64 private = 0, shared = 0;

  for (guint i = 0; i < look->pids->len; i++)
    {
      char text[4096];

      if (!read_proc (g_array_index (look->pids, int, i), "smaps_rollup", text, sizeof text))
        continue;
      private += read_kib (text, "\nPss_Anon:") + read_kib (text, "\nSwapPss:");
      shared += read_kib (text, "\nPss_Shmem:");
    }
  /* A memfd may be mapped as well: not counted twice. */
  return private + MAX (shared, look->memfds);
}

static gboolean
is_exceeded (OcMemoryWatch *self)
{
  Look look = { .pids = g_array_new (FALSE, FALSE, sizeof (int)) };
  int first = (int) self->pid;
  gboolean exceeded;

  look.inodes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_array_append_val (look.pids, first);
  for (guint i = 0; i < look.pids->len; i++)
    look_at (self, &look, g_array_index (look.pids, int, i));
  self->too_many = self->max_tasks > 0 && look.tasks > self->max_tasks;
  exceeded = self->too_many
             || (look.resident + look.memfds > self->limit && measure_exactly (&look) > self->limit);
  g_array_unref (look.pids);
  g_hash_table_unref (look.inodes);
  return exceeded;
}

static gboolean
on_interval (gpointer data)
{
  OcMemoryWatch *self = data;

  if (!is_exceeded (self))
    {
      /* Not earlier: what ends before has not made anybody wait for it. */
      if (self->group == NULL)
        self->group = oc_cgroup_new (&(OcCgroupHost){ 0 }, self->pid, GROUP_LIMIT (self->limit),
                                     self->max_tasks > 0 ? self->max_tasks + 1 : GROUP_DEFAULT_TASKS);
      return G_SOURCE_CONTINUE;
    }
  self->source = 0;
  oc_process_kill (self->process);
  self->exceeded (self->user_data); /* may free @self */
  return G_SOURCE_REMOVE;
}

static gboolean
find_pid (OcMemoryWatch *self)
{
  g_autofree char *name = g_strdup_printf ("fdinfo/%d", oc_process_get_pidfd (self->process));
  char text[1024];
  const char *line;

  if (!read_proc (getpid (), name, text, sizeof text) || (line = strstr (text, "\nPid:")) == NULL)
    return FALSE;
  self->pid = (pid_t) strtol (line + strlen ("\nPid:"), NULL, 10);
  return self->pid != 0;
}

static gboolean
find_memfd_device (OcMemoryWatch *self)
{
  g_auto (OcFd) fd = memfd_create ("ocelot", MFD_CLOEXEC);
  struct stat info;

  if (fd < 0 || fstat (fd, &info) != 0)
    return FALSE;
  self->memfd_device = info.st_dev;
  return TRUE;
}

gboolean
oc_memory_check (GError **error)
{
  g_autofree char *children = g_strdup_printf ("/proc/self/task/%d/children", (int) getpid ());

  if (access (children, R_OK) == 0)
    return TRUE;
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               _("limits: %s: this kernel does not tell how much memory a sandbox uses (CONFIG_PROC_CHILDREN)"), children);
  return FALSE;
}

OcMemoryWatch *
oc_memory_watch_new (OcProcess *process,
                     guint64 limit,
                     OcMemoryExceeded exceeded,
                     gpointer user_data,
                     GError **error)
{
  OcMemoryWatch *self = g_new0 (OcMemoryWatch, 1);
  long page = sysconf (_SC_PAGESIZE);

  self->process = process;
  self->limit = limit;
  self->exceeded = exceeded;
  self->user_data = user_data;
  self->page = page > 0 ? (guint64) page : 4096;
  if (limit == 0)
    return self;
  if (!find_pid (self) || !find_memfd_device (self))
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, _("limits: the memory of a sandbox cannot be watched: %s"),
                   g_strerror (errno));
      oc_memory_watch_free (self);
      return NULL;
    }
  self->source = g_timeout_add (INTERVAL_MS, on_interval, self);
  return self;
}

void
oc_memory_watch_set_max_tasks (OcMemoryWatch *self, guint64 n)
{
  self->max_tasks = n;
}

gboolean
oc_memory_watch_had_too_many (OcMemoryWatch *self)
{
  return self->too_many;
}

const char *
oc_memory_watch_get_failure (OcMemoryWatch *self)
{
  return self->group != NULL && oc_cgroup_get_state (self->group) == OC_CGROUP_FAILED ? oc_cgroup_get_reason (self->group) : NULL;
}

void
oc_memory_watch_free (OcMemoryWatch *self)
{
  g_clear_pointer (&self->group, oc_cgroup_free);
  g_clear_handle_id (&self->source, g_source_remove);
  g_free (self);
}

guint64
oc_memory_limit_here (guint64 limit)
{
  long pages = sysconf (_SC_PHYS_PAGES);
  long page = sysconf (_SC_PAGESIZE);

  if (pages <= 0 || page <= 0)
    return limit;
  return MIN (limit, (guint64) pages * (guint64) page / 2);
}
