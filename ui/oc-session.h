/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-launch.h"
#include "core/oc-registry.h"

G_BEGIN_DECLS

/**
 * OcSession: what every window of this program shares: the plugins with their states, the launcher and whether its sandbox
 * holds, and the changes a user can make. Everything that may block happens in another thread.
 *
 * Signals: "changed" (the sandbox report, or the consent file's outcome), "activity-changed" (something ran, at most
 * every 250 ms).
 */
#define OC_TYPE_SESSION (oc_session_get_type ())
G_DECLARE_FINAL_TYPE (OcSession, oc_session, OC, SESSION, GObject)

OcSession *oc_session_new (OcPaths *paths,
                           OcLauncher *launcher);
/* Begins to read and to watch, and checks the sandbox. */
void oc_session_start (OcSession *self);
OcPaths *oc_session_get_paths (OcSession *self);
OcRegistry *oc_session_get_registry (OcSession *self);
OcLauncher *oc_session_get_launcher (OcSession *self);

/* What the last check found; NULL before the first has ended. (nullable) (transfer none) */
OcSandboxReport *oc_session_get_report (OcSession *self);
gboolean oc_session_is_checking (OcSession *self);
void oc_session_check (OcSession *self);

/* Why @status cannot be enabled now, in one sentence; NULL: the review may be opened. (transfer full) (nullable) */
char *oc_session_explain_obstacle (OcSession *self,
                                   OcStatus *status);

/* Consent to exactly @shown (core/oc-consent.h), and the count of errors starts anew. */
void oc_session_enable_async (OcSession *self,
                              OcPlugin *shown,
                              GAsyncReadyCallback callback,
                              gpointer user_data);
void oc_session_disable_async (OcSession *self,
                               const char *id,
                               GAsyncReadyCallback callback,
                               gpointer user_data);
/* @previous: (out) (nullable) (transfer full): for oc_session_undo_async() */
gboolean oc_session_disable_finish (OcSession *self,
                                    GAsyncResult *result,
                                    OcConsentRecord **previous,
                                    GError **error);
void oc_session_undo_async (OcSession *self,
                            OcConsentRecord *previous,
                            GAsyncReadyCallback callback,
                            gpointer user_data);
/* Asks the keyring to unlock, which may show its prompt. */
void oc_session_unlock_async (OcSession *self,
                              GCancellable *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer user_data);
/* For enable, undo and unlock. */
gboolean oc_session_change_finish (OcSession *self,
                                   GAsyncResult *result,
                                   GError **error);

G_END_DECLS
