/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What stands for this machine. Each NULL: the real thing. For tests. */
typedef struct
{
  const char *runtime_folder; /* $XDG_RUNTIME_DIR */
  const char *bus_address;    /* $DBUS_SESSION_BUS_ADDRESS, or the socket in the runtime folder */
  const char *proc;           /* /proc */
  const char *groups;         /* /sys/fs/cgroup */
} OcCgroupHost;

typedef enum
{
  OC_CGROUP_WAITING = 0, /* not yet: the watch holds */
  OC_CGROUP_HOLDS,
  OC_CGROUP_ABSENT,      /* nobody to ask: the watch holds */
  OC_CGROUP_FAILED,      /* not made, or made and not holding what it should: the watch holds */
} OcCgroupState;

/**
 * OcCgroup: the kernel's own limits of memory and processes for one sandbox, by a scope of the user's systemd, where there is
 * one. Asked for while the sandbox runs already, so that no start waits for it: until it holds, and where it never does, the
 * OcMemoryWatch does. It holds when every process of the sandbox was seen in the group and the group's limits were read.
 *
 * Nothing is started by asking: neither a bus nor systemd.
 */
typedef struct _OcCgroup OcCgroup;

/* Whether the user's systemd can be asked. @address: (out) (optional) (transfer full).
 * @reason: (out) (optional) (transfer full): why not; translated. */
gboolean oc_cgroup_find (const OcCgroupHost *host,
                         char **address,
                         char **reason);
/* @pid: the sandbox's first process. @memory: bytes. @tasks: threads. */
OcCgroup *oc_cgroup_new (const OcCgroupHost *host,
                         GPid pid,
                         guint64 memory,
                         guint64 tasks);
void oc_cgroup_free (OcCgroup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcCgroup, oc_cgroup_free)
OcCgroupState oc_cgroup_get_state (OcCgroup *self);
/* Why it is absent or failed; NULL otherwise. */
const char *oc_cgroup_get_reason (OcCgroup *self);

/* All processes below @pid, itself first, at most 4096. (transfer full) (element-type int) */
GArray *oc_cgroup_list_processes (const char *proc,
                                  GPid pid);

G_END_DECLS
