/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-cgroup.h"

G_BEGIN_DECLS

/* Reads only. @proc, @groups: as in OcCgroupHost, never NULL. */

/* Whether process @pid is in the group @unit by @controller. @folder: (out) (optional) (transfer full): of that group.
 * Where the process is gone: TRUE. */
gboolean oc_cgroup_is_member (const char *proc,
                              const char *groups,
                              int pid,
                              const char *controller,
                              const char *unit,
                              char **folder);
/* Whether a group of @unit that @pid is in has these limits, or lower ones. @reason: (out) (transfer full) why not. */
gboolean oc_cgroup_has_limits (const char *proc,
                               const char *groups,
                               int pid,
                               const char *unit,
                               guint64 memory,
                               guint64 tasks,
                               char **reason);
/* Whether memory and processes can be limited by groups at all. */
gboolean oc_cgroup_can_limit (const char *groups);

G_END_DECLS
