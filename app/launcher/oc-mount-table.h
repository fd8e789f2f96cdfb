/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * OcMountTable: the mounts this process sees, to find other names of the same place: a folder bound
 * to a second place, a disk mounted twice, a subvolume, a layer of an overlay.
 */
typedef struct _OcMountTable OcMountTable;

/* From /proc/self/mountinfo. Errors: OC_ERROR_SANDBOX. */
OcMountTable *oc_mount_table_new (GError **error);
/* @text: in the format of mountinfo. */
OcMountTable *oc_mount_table_new_from_text (const char *text, GError **error);
void oc_mount_table_free (OcMountTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcMountTable, oc_mount_table_free)
/* Adds to @aliases (element-type utf8) the other paths under which @path (canonical), or a part of
 * what is in it, can be reached. */
void oc_mount_table_find_aliases (OcMountTable *self, const char *path, GPtrArray *aliases);

G_END_DECLS
