/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

/**
 * OcMemoryWatch: looks from outside, ten times a second, at how much memory all processes of one
 * sandbox use together, and ends the sandbox when it is more than it may. For where no limit of the
 * kernel's fits: RLIMIT_AS counts addresses, of which script engines reserve 100 GB and more
 * (launcher.md section 3).
 *
 * What no process has as its own is found by what the whole system holds more than before: see oc-memory-look.h.
 *
 * It is no guarantee: between two looks much can be taken. So where there is a systemd of the user's it is also asked, for
 * what lives long enough, to have the kernel hold the limit: see OcCgroup. All that runs in a sandbox also has the highest
 * oom_score_adj, so that where memory runs out the kernel ends it and nothing of the user's.
 */
typedef struct _OcMemoryWatch OcMemoryWatch;

/* Called once, after the sandbox was killed. */
typedef void (*OcMemoryExceeded) (gpointer user_data);

/* Whether this kernel tells what belongs to a sandbox; asked before one is started. Errors: OC_ERROR_SANDBOX. */
gboolean oc_memory_check (GError **error);

/* @process must live longer. @limit: bytes; 0: watches nothing. Errors: OC_ERROR_SANDBOX: then @process
 * must not go on. */
OcMemoryWatch *oc_memory_watch_new (OcProcess *process,
                                    guint64 limit,
                                    OcMemoryExceeded exceeded,
                                    gpointer user_data,
                                    GError **error);
/* Ends the sandbox also when more than @n threads are in it: for uid 0, whom RLIMIT_NPROC does not bind. 0: any number. */
void oc_memory_watch_set_max_tasks (OcMemoryWatch *self,
                                    guint64 n);
/* Whether that was why it was ended. */
gboolean oc_memory_watch_had_too_many (OcMemoryWatch *self);
/* Ends the sandbox also when files that it has open and that have no name any more, which no look at its folders finds, take
 * more than @bytes. 0: any number. */
void oc_memory_watch_set_max_deleted (OcMemoryWatch *self,
                                      guint64 bytes);
gboolean oc_memory_watch_had_too_much_deleted (OcMemoryWatch *self);
/* Why the kernel does not hold the limit although there is a systemd to ask. (nullable) */
const char *oc_memory_watch_get_failure (OcMemoryWatch *self);
void oc_memory_watch_free (OcMemoryWatch *self);

/* What OcLimits.memory means on this machine: never more than half of what it has. */
guint64 oc_memory_limit_here (guint64 limit);

G_END_DECLS
