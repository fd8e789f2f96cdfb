/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * OcPaths:
 *
 * Where everything is (system.md section 3). Immutable, atomically refcounted. Made once at start-up
 * and passed down, so that a test can give each case a private home.
 */
typedef struct _OcPaths OcPaths;

/* From GLib's XDG functions and the built-in policy folder. */
OcPaths *oc_paths_new_for_user (void);
/* @data_home: what $XDG_DATA_HOME would be; @data_dirs: (nullable) what $XDG_DATA_DIRS would list;
 * @policy_dir: what /etc/ocelot would be. All absolute. */
OcPaths *oc_paths_new (const char *data_home,
                       const char *const *data_dirs,
                       const char *policy_dir);
OcPaths *oc_paths_ref (OcPaths *self);
void oc_paths_unref (OcPaths *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcPaths, oc_paths_unref)

/* <data_home>/ocelot */
const char *oc_paths_get_base (OcPaths *self);
/* <base>/Plugins */
const char *oc_paths_get_plugins (OcPaths *self);
/* <dir>/ocelot/Plugins for each data dir, first wins; NULL-terminated, maybe empty. The user's own
 * folder is not in it. Duplicates of it and of each other are left out. */
const char *const *oc_paths_get_system_plugins (OcPaths *self);
/* <base>/consent.json */
const char *oc_paths_get_consent (OcPaths *self);
/* <base>/consent.key: used only where there is no Secret Service at all. */
const char *oc_paths_get_key_file (OcPaths *self);
/* <base>/activity.db */
const char *oc_paths_get_activity (OcPaths *self);
const char *oc_paths_get_policy_dir (OcPaths *self);
/* <base>/Data/<id>, <base>/Storage/<id>.json. @id must have passed oc_plugin_id_check(). (transfer full) */
char *oc_paths_dup_data (OcPaths *self,
                         const char *id);
char *oc_paths_dup_storage (OcPaths *self,
                            const char *id);
/* Makes <base> (0700) and the folders in it that do not exist. Never through a symlink at or below
 * <base>. Errors: OC_ERROR_IO. */
gboolean oc_paths_ensure (OcPaths *self,
                          GError **error);

G_END_DECLS
