/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-sandbox-private.h"

/* The oldest Landlock the launcher runs with, and what holds a right that this one does not know
 * yet:
 *
 * ABI 2 (Linux 5.19; Debian 12's kernel has it): files, folders, and moving files between folders.
 * With ABI 1 any such move, also within the plugin's own folder, is refused, which breaks plugins;
 * so 2 is the minimum. ABI 3 truncate: everything but the own folders is mounted read-only. ABI 4
 * TCP bind: seccomp refuses bind() and listen() always. TCP connect is never restricted by port.
 * ABI 5 ioctl on devices: /dev has null, zero, full, random and urandom only, which have no ioctls
 * that do anything. ABI 6 abstract Unix sockets and signals: seccomp refuses Unix sockets; the PID
 * namespace hides every other process. ABI 9 connecting to Unix sockets by path: seccomp, as above.
 */
#define OC_LANDLOCK_MIN_ABI 2

/* 0 where the kernel has none or it is switched off. */
int oc_landlock_get_abi (void);
/* Plain C, for stage 2, as is all below. A ruleset without rules, which lets nothing be read or written. -1 and errno; @what:
 * where it failed. */
int oc_landlock_create (const char **what);
/* Fills it with what may be read by the stage's allow-list. It may be done in another process and outside the sandbox: a rule is
 * about a file, wherever that is mounted. 0, or -1 and errno. */
int oc_landlock_allow_reading (const OcStage *stage, int ruleset, const char **what);
/* 0, or -1 and errno; @what: where it failed. no_new_privs must be set. */
int oc_landlock_apply (const OcStage *stage, const char **what);
