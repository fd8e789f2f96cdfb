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
#include "launcher/oc-memory-look.h"

#define INTERVAL_MS 100
/* Where a look takes long, as of all the descriptors that a sandbox may have, the next one comes this many times as long after
 * it, so that it is not what keeps the loop from ending the run in time. */
#define LOOKS_APART 3
#define MAX_INTERVAL_MS 1500
/* The kernel's limit is a little higher, so that it is this watch which ends what grows slowly, and can tell why. */
#define GROUP_LIMIT(limit) ((limit) + (limit) / 16)
#define GROUP_DEFAULT_TASKS 512

struct _OcMemoryWatch
{
  OcProcess *process; /* borrowed */
  pid_t pid;          /* of the sandbox's pid 1, as seen from here; not reused while @process is not waited for */
  guint64 limit;
  dev_t memfd_device;
  guint64 system; /* the least that it held since the start */
  OcMemoryExceeded exceeded;
  gpointer user_data;
  guint source;
  guint64 max_tasks; /* 0: any number */
  gboolean too_many;
  guint64 max_deleted; /* 0: any size */
  gboolean too_much_deleted;
  OcCgroup *group; /* owned (nullable): from the first look on */
};

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

/* How much more the whole system holds than it ever did since the start: no sandbox holds more of what no process in it can be
 * asked for. */
static guint64
measure_growth (OcMemoryWatch *self)
{
  guint64 now = oc_memory_read_system ();

  self->system = MIN (self->system, now);
  return now - self->system;
}

static gboolean
is_too_much (OcMemoryWatch *self, const OcMemoryLook *look)
{
  guint64 growth = measure_growth (self);
  guint64 private, shared, unseen;

  /* Quick, where there is nothing to look for. */
  if (look->resident + MAX (look->memfds, growth) <= self->limit)
    return FALSE;
  private = oc_memory_look_measure_exactly (look, &shared);
  if (private + shared > self->limit)
    return TRUE;
  unseen = growth > shared ? growth - shared : 0;
  return private + shared + unseen > self->limit
         && private + shared + MIN (unseen, oc_memory_look_bound_unseen (look)) > self->limit;
}

static gboolean
is_exceeded (OcMemoryWatch *self)
{
  OcMemoryLook look;
  gboolean exceeded;

  oc_memory_look_take (&look, self->pid, self->memfd_device);
  self->too_many = self->max_tasks > 0 && look.tasks > self->max_tasks;
  self->too_much_deleted = self->max_deleted > 0 && look.deleted > self->max_deleted;
  exceeded = self->too_many || self->too_much_deleted || is_too_much (self, &look);
  oc_memory_look_clear (&look);
  return exceeded;
}

static gboolean
on_interval (gpointer data)
{
  OcMemoryWatch *self = data;
  gint64 began = g_get_monotonic_time ();

  if (!is_exceeded (self))
    {
      gint64 took_ms = (g_get_monotonic_time () - began) / G_TIME_SPAN_MILLISECOND;

      /* Not earlier: what ends before has not made anybody wait for it. */
      if (self->group == NULL)
        self->group = oc_cgroup_new (&(OcCgroupHost){ 0 }, self->pid, GROUP_LIMIT (self->limit),
                                     self->max_tasks > 0 ? self->max_tasks + 1 : GROUP_DEFAULT_TASKS);
      self->source = g_timeout_add ((guint) CLAMP (took_ms * LOOKS_APART, INTERVAL_MS, MAX_INTERVAL_MS), on_interval, self);
      return G_SOURCE_REMOVE;
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

  self->process = process;
  self->limit = limit;
  self->exceeded = exceeded;
  self->user_data = user_data;
  if (limit == 0)
    return self;
  if (!find_pid (self) || !find_memfd_device (self))
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, _("limits: the memory of a sandbox cannot be watched: %s"),
                   g_strerror (errno));
      oc_memory_watch_free (self);
      return NULL;
    }
  self->system = oc_memory_read_system ();
  self->source = g_timeout_add (INTERVAL_MS, on_interval, self);
  return self;
}

void
oc_memory_watch_set_max_tasks (OcMemoryWatch *self, guint64 n)
{
  self->max_tasks = n;
}

void
oc_memory_watch_set_max_deleted (OcMemoryWatch *self, guint64 bytes)
{
  self->max_deleted = bytes;
}

gboolean
oc_memory_watch_had_too_much_deleted (OcMemoryWatch *self)
{
  return self->too_much_deleted;
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
