/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#include "oc-session.h"

G_BEGIN_DECLS

/**
 * OcPluginsView: the plugins page of the window: the list with its search on one side, the chosen plugin on the other, or
 * what to do where there is none.
 *
 * Signals: "review" (OcStatus), "toast" (AdwToast).
 */
#define OC_TYPE_PLUGINS_VIEW (oc_plugins_view_get_type ())
G_DECLARE_FINAL_TYPE (OcPluginsView, oc_plugins_view, OC, PLUGINS_VIEW, AdwBin)

void oc_plugins_view_set_session (OcPluginsView *self,
                                  OcSession *session);
void oc_plugins_view_show (OcPluginsView *self,
                           OcStatus *status);
void oc_plugins_view_search (OcPluginsView *self);
/* (nullable) (transfer none) */
OcStatus *oc_plugins_view_get_status (OcPluginsView *self);

G_END_DECLS
