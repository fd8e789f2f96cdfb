/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * OcTemp: the fresh 0700 folder of one run, `ocelot-<pid>-XXXXXX` under the user's temporary folder. Its launcher holds a lock
 * on it for as long as it lives, however it ends; so a folder whose lock can be had is a left-over.
 */
typedef struct _OcTemp OcTemp;

/* @parent: (nullable): g_get_tmp_dir(). Errors: OC_ERROR_IO. */
OcTemp *oc_temp_new (const char *parent,
                     GError **error);
const char *oc_temp_get_path (OcTemp *self);
/* Removes the folder with everything in it, and never anything beside it. */
void oc_temp_free (OcTemp *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcTemp, oc_temp_free)

/* Removes what launchers that were killed left behind: the user's own such folders only, whose lock is free, never through a
 * symlink; a bounded amount a call, the rest next time. Never fails: what cannot be removed stays. */
void oc_temp_clear_left_overs (const char *parent);

G_END_DECLS
