/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-consent.h"
#include "core/oc-paths.h"
#include "core/oc-plugin.h"
#include "core/oc-policy.h"
#include "core/oc-state.h"
#include "core/oc-tools.h"

G_BEGIN_DECLS

/**
 * OcStatus: one plugin with its verdict, as an item of a list model. Immutable: a change is a new object.
 */
#define OC_TYPE_STATUS (oc_status_get_type ())
G_DECLARE_FINAL_TYPE (OcStatus, oc_status, OC, STATUS, GObject)
OcPlugin *oc_status_get_plugin (OcStatus *self);
OcVerdict *oc_status_get_verdict (OcStatus *self);
const char *oc_status_get_id (OcStatus *self);
/* The list's mark: whether its effective set holds a broad permission. */
gboolean oc_status_is_broad (OcStatus *self);
/* Folded name, id, author, permissions: for search (oc_text_fold()). */
const char *oc_status_get_search_text (OcStatus *self);

/**
 * OcRegistry: all plugins with their states, kept up to date. A GListModel of OcStatus, sorted by folded name then id,
 * shadowed ones included. What the window and the terminal show comes from here.
 *
 * Properties: "loading" (boolean), "scanned" (uint: how many so far), "error" (boxed GError, nullable: a Plugins folder that
 * cannot be read). Signals: "consent-changed".
 */
#define OC_TYPE_REGISTRY (oc_registry_get_type ())
G_DECLARE_FINAL_TYPE (OcRegistry, oc_registry, OC, REGISTRY, GObject)

OcRegistry *oc_registry_new (OcPaths *paths);
/* Reads everything now, in this thread. For the terminal and tests. Errors: OC_ERROR_IO. */
gboolean oc_registry_load (OcRegistry *self,
                           GCancellable *cancellable,
                           GError **error);
/* Reads in another thread, then watches the Plugins folders, each plugin's folder, the consent file, the activity and the
 * policy, and keeps the model current (bursts are joined, at most 200 ms late). The list changes item by item. */
void oc_registry_start (OcRegistry *self);
void oc_registry_stop (OcRegistry *self);
/* The preference of the same name; off at first. */
void oc_registry_set_review_every_update (OcRegistry *self,
                                          gboolean review_every_update);
/* Reads again now, in the background. */
void oc_registry_refresh (OcRegistry *self);
gboolean oc_registry_is_loading (OcRegistry *self);
OcPaths *oc_registry_get_paths (OcRegistry *self);
OcTools *oc_registry_get_tools (OcRegistry *self);
/* (nullable) before the first load */
OcConsent *oc_registry_get_consent (OcRegistry *self);
OcPolicy *oc_registry_get_policy (OcRegistry *self);
/* The one that counts for @id, else a shadowed one. (nullable) (transfer none) */
OcStatus *oc_registry_find (OcRegistry *self,
                            const char *id);

G_END_DECLS
