/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/oc-registry.h"
#include "oc-section-list.h"

G_BEGIN_DECLS

/**
 * OcListRow: a line of the plugin list: either the head of a part, or a plugin with its icon, name, one line of state and
 * a marked word.
 */
#define OC_TYPE_LIST_ROW (oc_list_row_get_type ())
G_DECLARE_FINAL_TYPE (OcListRow, oc_list_row, OC, LIST_ROW, GtkBox)

OcListRow *oc_list_row_new (void);
/* @item: OcSection or OcStatus; NULL lets go of what was shown. @tools: for the words of a broad permission. */
void oc_list_row_set_item (OcListRow *self,
                           gpointer item,
                           OcTools *tools);
/* (nullable) (transfer none) */
gpointer oc_list_row_get_item (OcListRow *self);

/* A symbolic icon for what the plugin does most. Never loads a file of the plugin's. */
const char *oc_plugin_icon_name (OcPlugin *plugin);
/* Of a state: the marked word ("Review") and its style class; NULL where none is due. */
const char *oc_state_mark (OcState state,
                           const char **css_class);

G_END_DECLS
