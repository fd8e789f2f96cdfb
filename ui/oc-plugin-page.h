/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#include "oc-session.h"

G_BEGIN_DECLS

/**
 * OcPluginPage: all about one plugin: what it is, whether it is enabled, what it can do, what it did. The switch shows what
 * is stored, never what is wished for.
 *
 * Signals: "review" (the user asks to review the plugin shown), "toast" (AdwToast: something to tell).
 */
#define OC_TYPE_PLUGIN_PAGE (oc_plugin_page_get_type ())
G_DECLARE_FINAL_TYPE (OcPluginPage, oc_plugin_page, OC, PLUGIN_PAGE, AdwBin)

void oc_plugin_page_set_session (OcPluginPage *self,
                                 OcSession *session);
/* The same plugin anew keeps the place, what was opened, and the focus. NULL: nothing shown. */
void oc_plugin_page_set_status (OcPluginPage *self,
                                OcStatus *status);
OcStatus *oc_plugin_page_get_status (OcPluginPage *self);

G_END_DECLS
