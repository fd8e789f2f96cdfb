/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-registry.h"

G_BEGIN_DECLS

typedef enum
{
  OC_SECTION_ATTENTION = 0, /* unknown states land here, where they are seen */
  OC_SECTION_ENABLED,
  OC_SECTION_OFF,
  OC_N_SECTIONS
} OcSectionKind;
OcSectionKind oc_section_for_state (OcState state);

/**
 * OcSection: the head of one part of the list, an item among the plugins (GtkListView has no section headers before 4.12).
 */
#define OC_TYPE_SECTION (oc_section_get_type ())
G_DECLARE_FINAL_TYPE (OcSection, oc_section, OC, SECTION, GObject)
OcSectionKind oc_section_get_kind (OcSection *self);
/* Translated: "Needs your attention" */
const char *oc_section_get_title (OcSection *self);

/**
 * OcSectionList: the registry in three parts, filtered by what is searched for. A GListModel of OcSection and OcStatus;
 * parts with nothing in them are left out. One pass a change, and only the run of items that differs is announced.
 */
#define OC_TYPE_SECTION_LIST (oc_section_list_get_type ())
G_DECLARE_FINAL_TYPE (OcSectionList, oc_section_list, OC, SECTION_LIST, GObject)

/* @source: a model of OcStatus, sorted. */
OcSectionList *oc_section_list_new (GListModel *source);
/* Plain substring, folded (oc_text_fold()); NULL or "": all. */
void oc_section_list_set_search (OcSectionList *self,
                                 const char *search);
/* Where the plugin in @folder (absolute) is; G_MAXUINT (GTK_INVALID_LIST_POSITION) where it is not shown. */
guint oc_section_list_find (OcSectionList *self,
                            const char *folder);
/* How many plugins are shown, without the heads. */
guint oc_section_list_get_n_plugins (OcSectionList *self);

G_END_DECLS
