/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-plugin.h"

G_BEGIN_DECLS

/* Tells the user that the plugin was switched off after its errors, by a notification of the desktop, where there is one. Does
 * not wait, and does not fail: the window and the activity say it as well. */
void oc_run_notify_disabled (OcPlugin *plugin);

G_END_DECLS
