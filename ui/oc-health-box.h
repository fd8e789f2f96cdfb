/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#include "oc-session.h"

G_BEGIN_DECLS

/**
 * OcHealthBox: what stands in the way of every plugin: a sandbox that does not hold, a consent file that is locked, damaged
 * or forged; each with why and what to do. Empty and hidden where all is well.
 */
#define OC_TYPE_HEALTH_BOX (oc_health_box_get_type ())
G_DECLARE_FINAL_TYPE (OcHealthBox, oc_health_box, OC, HEALTH_BOX, GtkBox)

void oc_health_box_set_session (OcHealthBox *self,
                                OcSession *session);

G_END_DECLS
