/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

/* Loads the filter made at build time from oc-seccomp-table.h. Plain C, for stage 2; no_new_privs
 * must be set.
 * @network: outbound TCP and UDP; else no socket at all. 0, or -1 and errno. */
int oc_seccomp_apply (bool network);
