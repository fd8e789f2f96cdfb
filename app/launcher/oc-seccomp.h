/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-seccomp-rule.h"

/* Loads the filter made at build time from oc-seccomp-table.h. Plain C, for stage 2; no_new_privs must be set. Returns the
 * descriptor on which the filter asks, for the launcher (OcNotify), or -1 and errno. Whoever holds it decides: it must not stay in
 * the sandbox. */
int oc_seccomp_apply (OcFilter filter);

/* What the launcher answers when @filter asks about a call. */
typedef struct
{
  const char *name; /* of the call; NULL: not in the table, and refused */
  int error;        /* 0: it goes on */
  OcGroup group;
} OcVerdictOnCall;
OcVerdictOnCall oc_seccomp_judge (OcFilter filter, int call, const uint64_t *args);
/* The same with a table that is not this machine's, for tests. */
OcVerdictOnCall oc_seccomp_judge_with (const OcAnswer *answers,
                                       size_t n_answers,
                                       OcFilter filter,
                                       int call,
                                       const uint64_t *args);
/* "socket", "local-socket", …: the method of such a use in the activity, which core has words for. */
const char *oc_group_to_id (OcGroup group);
