/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/oc-manifest.h"

G_BEGIN_DECLS

/**
 * OcCommandRow: one entry of a plugin, with *Run* where it can be run with no files ("page.run" with the entry's id) and
 * *Run on Files…* where files are of use to it ("page.run-on-files").
 */
#define OC_TYPE_COMMAND_ROW (oc_command_row_get_type ())
G_DECLARE_FINAL_TYPE (OcCommandRow, oc_command_row, OC, COMMAND_ROW, GtkListBoxRow)

/* @why_not: (nullable): why it cannot be run now, shown at the button. @runnable: FALSE: no button at all. Floating. */
OcCommandRow *oc_command_row_new (const OcEntry *entry,
                                  gboolean runnable,
                                  const char *why_not);
/* "Needs 1 to 3 files: .txt, .md": (transfer full) (nullable) */
char *oc_entry_describe_selection (const OcEntry *entry);

G_END_DECLS
