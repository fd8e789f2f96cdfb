/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-manifest.h"
#include "core/oc-paths.h"

G_BEGIN_DECLS

/**
 * OcPlugin: a folder with a manifest, as it was when it was looked at. Immutable, atomically refcounted.
 */
typedef struct _OcPlugin OcPlugin;

OcPlugin *oc_plugin_ref (OcPlugin *self);
void oc_plugin_unref (OcPlugin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcPlugin, oc_plugin_unref)

/* Looks at <@plugins_folder>/<@name>. The manifest is opened beneath the folder, without following a
 * symlink, regular files only (a FIFO does not hang it), at most OC_JSON_MAX_BYTES. A plugin folder
 * that is itself a symlink is loaded from its target and marked (vscode #126746).
 * Both manifests present, none, or an id that does not fit: a plugin with problems.
 * Never NULL. */
OcPlugin *oc_plugin_load (const char *plugins_folder,
                          const char *name);
const char *oc_plugin_get_id (OcPlugin *self);
/* <plugins_folder>/<name>, absolute */
const char *oc_plugin_get_folder (OcPlugin *self);
/* The folder after symlinks. Consent belongs to id and this. (nullable) when it cannot be resolved */
const char *oc_plugin_get_real_folder (OcPlugin *self);
gboolean oc_plugin_is_symlink (OcPlugin *self);
/* When the real folder was made, as the file system says: another folder at the same place has another. Only for a folder
 * that is the user's own: the folders of a system may be made anew with each of its versions, and an administrator answers
 * for them. (nullable) where the file system does not keep it */
const char *oc_plugin_get_born (OcPlugin *self);
OcManifest *oc_plugin_get_manifest (OcPlugin *self);
/* The folder that wins over this one; NULL where this one counts. */
const char *oc_plugin_get_shadowed_by (OcPlugin *self);
/* (transfer full) */
OcPlugin *oc_plugin_with_shadow (OcPlugin *self,
                                 const char *winner);
/* Problems of the manifest and of the folder together: (transfer none) (element-type OcProblem) */
GPtrArray *oc_plugin_get_problems (OcPlugin *self);
/* Whether both are the same to everything that asks (same folder, same manifest bytes, same problems). */
gboolean oc_plugin_equal (OcPlugin *a,
                          OcPlugin *b);

/* All plugins of all folders, the user's first; each folder sorted by id; shadowed ones included; ids that differ
 * only in case are both invalid. A Plugins folder that does not exist is empty; one that cannot be read is an
 * error (OC_ERROR_IO). (transfer full) (element-type OcPlugin) */
GPtrArray *oc_plugins_scan (OcPaths *paths,
                            GCancellable *cancellable,
                            GError **error);
/* The one that counts for @id, found without scanning the others (case clashes are still seen).
 * Errors: OC_ERROR_NOT_FOUND, OC_ERROR_INVALID (the id), OC_ERROR_IO. */
OcPlugin *oc_plugins_find (OcPaths *paths,
                           const char *id,
                           GError **error);

G_END_DECLS
