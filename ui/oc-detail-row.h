/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * OcDetailRow: a row of a boxed list with an icon, a title, a line below it and a marked word, that opens with a click, a
 * tap, Enter or Space to show details. Hovering its head shows the same as text, and a screen reader reads it.
 * (AdwExpanderRow reads markup, shortens, and has rows as details.) All texts must be fit to be shown (oc_text_escape()).
 */
#define OC_TYPE_DETAIL_ROW (oc_detail_row_get_type ())
G_DECLARE_FINAL_TYPE (OcDetailRow, oc_detail_row, OC, DETAIL_ROW, GtkListBoxRow)

OcDetailRow *oc_detail_row_new (const char *icon_name,
                                const char *title);
/* What the row is about, to find it again after a rebuild. (nullable) */
void oc_detail_row_set_key (OcDetailRow *self,
                            const char *key);
const char *oc_detail_row_get_key (OcDetailRow *self);
const char *oc_detail_row_get_title (OcDetailRow *self);
/* (nullable) */
void oc_detail_row_set_subtitle (OcDetailRow *self,
                                 const char *subtitle);
/* A word with a style class ("broad", "new", …). */
void oc_detail_row_add_mark (OcDetailRow *self,
                             const char *text,
                             const char *css_class);
/* The icon's style class: "broad", "caution". */
void oc_detail_row_add_icon_class (OcDetailRow *self,
                                   const char *css_class);
/* At the end of the head: a button. */
void oc_detail_row_add_suffix (OcDetailRow *self,
                               GtkWidget *widget);
/* Makes the row one that opens. */
void oc_detail_row_add_detail (OcDetailRow *self,
                               GtkWidget *widget);
/* Tooltip and accessible description: everything that the row and its details say. (nullable) */
void oc_detail_row_set_explanation (OcDetailRow *self,
                                    const char *text);
/* Details always shown, nothing to open: for the review, where nothing may be hidden. */
void oc_detail_row_set_open_for_good (OcDetailRow *self);
gboolean oc_detail_row_get_expanded (OcDetailRow *self);
void oc_detail_row_set_expanded (OcDetailRow *self,
                                 gboolean expanded);

/* A boxed list whose rows open when activated. Floating. */
GtkWidget *oc_detail_list_new (void);
/* Before its rows are made anew: adds the keys of those that are open to @open (a set of utf8), and sets @focused to the key
 * of the one that has the focus, if one has. */
void oc_detail_list_save (GtkListBox *list,
                          GHashTable *open,
                          char **focused);
/* Afterwards. @focused: (nullable) */
void oc_detail_list_restore (GtkListBox *list,
                             GHashTable *open,
                             const char *focused);

G_END_DECLS
