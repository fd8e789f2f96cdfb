/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The only place bubblewrap is taken from: never PATH, never the environment. */
#define OC_BWRAP_PATH "/usr/bin/bwrap"

/* Whether the program at @path is the system's own: root's, in folders of root's, writable by nobody else, and nowhere but in
 * /usr. Errors: OC_ERROR_SANDBOX. */
gboolean oc_bwrap_check (const char *path,
                         GError **error);
/* For tests: another program, which is not checked. */
void oc_bwrap_set_path (const char *path);
/* (transfer none) */
const char *oc_bwrap_get_path (void);

/* Ends what holds @socket (an inode number): bubblewrap's child waits for bubblewrap for ever where that ended too early, and
 * nobody else knows of it. */
void oc_bwrap_end_holders (guint64 socket);

/* The descriptor (O_PATH) of the program beside the launcher that bubblewrap executes as stage 2, or -1. Errors: OC_ERROR_SANDBOX. */
int oc_bwrap_open_stage2 (GError **error);

G_END_DECLS
