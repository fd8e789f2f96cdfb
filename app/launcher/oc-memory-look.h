/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sys/types.h>

#include <glib.h>

G_BEGIN_DECLS

/**
 * OcMemoryLook: what all processes of one sandbox hold, at one moment. The kernel tells nothing of the first thread of a process
 * that has ended, while the others go on: so each process is known by a thread that lives. A thread may have descriptors of its
 * own.
 */
typedef struct
{
  GArray *pids;       /* owned (element-type int): processes, each as the number of a thread of it that lives */
  GHashTable *inodes; /* owned: what descriptors lead to, each counted once */
  dev_t memfd_device; /* where memfds are: what is written to one and not mapped is in no process's RSS */
  guint64 page;
  pid_t pid1; /* our own, which holds nothing and tells nothing */

  guint64 resident; /* of all, shared pages counted with each */
  guint64 memfds;
  guint64 deleted; /* files without a name, on disks */
  guint64 tasks;
  guint64 buffers; /* what sockets and pipes could hold at most */
  gboolean opaque; /* a process does not show its descriptors */
} OcMemoryLook;

void oc_memory_look_take (OcMemoryLook *self,
                          pid_t pid1,
                          dev_t memfd_device);
void oc_memory_look_clear (OcMemoryLook *self);
/* Without counting a page that several share more than once: a program that forks is not ended for what it shares. @shared: what
 * more than one process can have, memfds with it. Returns the rest. */
guint64 oc_memory_look_measure_exactly (const OcMemoryLook *self,
                                        guint64 *shared);
/* The most there can be that no process can be asked for: in memory that is mapped and has no descriptor, in descriptors that
 * are on their way, in the buffers of sockets and pipes. G_MAXUINT64: there is no telling. Slow. */
guint64 oc_memory_look_bound_unseen (const OcMemoryLook *self);

/* What the whole system holds that is no process's own: shared memory, the kernel's, and what is swapped out. 0: unknown. */
guint64 oc_memory_read_system (void);

G_END_DECLS
