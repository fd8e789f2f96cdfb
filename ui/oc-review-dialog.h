/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#include "oc-session.h"

G_BEGIN_DECLS

/* How long what is shown must have been shown before it can be agreed to. */
#define OC_REVIEW_DELAY_MS 500

/**
 * OcReviewDialog: everything that enabling a plugin would grant, and the only place that enables one. Closing it in any way
 * but with its Enable button writes nothing. If the plugin changes while it is open, it closes itself.
 *
 * Signals: "closed-itself" (string: why).
 */
#define OC_TYPE_REVIEW_DIALOG (oc_review_dialog_get_type ())
G_DECLARE_FINAL_TYPE (OcReviewDialog, oc_review_dialog, OC, REVIEW_DIALOG, AdwWindow)

OcReviewDialog *oc_review_dialog_new (GtkWindow *parent,
                                      OcSession *session,
                                      OcStatus *status);
/* The plugin as it is shown. (transfer none) */
OcPlugin *oc_review_dialog_get_plugin (OcReviewDialog *self);

G_END_DECLS
