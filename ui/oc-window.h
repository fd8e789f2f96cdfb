/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#include "oc-plugins-view.h"
#include "oc-session.h"

G_BEGIN_DECLS

/**
 * OcWindow: the window: its pages in an AdwViewStack, toasts, and the review dialog.
 */
#define OC_TYPE_WINDOW (oc_window_get_type ())
G_DECLARE_FINAL_TYPE (OcWindow, oc_window, OC, WINDOW, AdwApplicationWindow)

/* @application: (nullable): in tests. */
OcWindow *oc_window_new (GtkApplication *application,
                         OcSession *session);
/* Once the plugins and the sandbox are known: the page of @id, and its review where @review. What stands in the way is said. */
void oc_window_show_plugin (OcWindow *self,
                            const char *id,
                            gboolean review);
OcPluginsView *oc_window_get_plugins_view (OcWindow *self);
/* The review that is open. (nullable) (transfer none) */
GtkWindow *oc_window_get_review (OcWindow *self);

G_END_DECLS
