/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#include "oc-session.h"

G_BEGIN_DECLS

/**
 * OcRunDialog: runs one entry through the launcher and shows what came of it: its result, what it wrote, what it used and what
 * it was refused. Closing it while it runs stops the run.
 */
#define OC_TYPE_RUN_DIALOG (oc_run_dialog_get_type ())
G_DECLARE_FINAL_TYPE (OcRunDialog, oc_run_dialog, OC, RUN_DIALOG, AdwWindow)

/* Whether files are of any use to @entry: it needs some, or takes some and may see what is selected. */
gboolean oc_entry_takes_files (const OcEntry *entry);
/* @with_files: asks for files first, where @entry takes any; nothing runs when none are chosen. Else it runs at once. */
void oc_run_dialog_present (GtkWindow *parent,
                            OcSession *session,
                            OcStatus *status,
                            const char *entry,
                            gboolean with_files);
/* Runs at once. @paths: (nullable), NULL-terminated. */
OcRunDialog *oc_run_dialog_new (GtkWindow *parent,
                                OcSession *session,
                                OcStatus *status,
                                const OcEntry *entry,
                                const char *const *paths);
gboolean oc_run_dialog_is_running (OcRunDialog *self);

G_END_DECLS
