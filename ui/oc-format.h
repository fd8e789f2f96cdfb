/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* "just now", "today at 14:02", "yesterday at 09:10", "on 28 November 2026": to follow a verb. @time, @now: µs since 1970.
 * (transfer full) */
char *oc_format_when (gint64 time,
                      gint64 now);
/* "28 November 2026, 14:02:09". (transfer full) */
char *oc_format_exactly (gint64 time);
/* "40 ms", "1.4 s", "12 s", "3 min". @duration: µs. (transfer full) */
char *oc_format_duration (gint64 duration);
/* "Used 14 times, last today at 14:02"; "Never used in 40 runs"; NULL where nothing ran yet. (transfer full) (nullable) */
char *oc_format_usage (guint n_allowed,
                       guint n_refused,
                       gint64 last,
                       guint n_runs,
                       gint64 now);

/* A label for plain text of any length: wrapped anywhere, never markup, never ellipsised. @css_class: (nullable).
 * Floating. @text must be fit to be shown already (oc_text_escape()). */
GtkWidget *oc_label_new (const char *text,
                         const char *css_class);
/* oc_text_escape() without a limit. NULL stays NULL. (transfer full) (nullable) */
char *oc_escape (const char *text);
/* For a message that core or the launcher wrote, with parts from a plugin escaped in it already: only what still is hidden
 * is escaped. NULL stays NULL. (transfer full) (nullable) */
char *oc_escape_message (const char *text);
void oc_box_clear (GtkBox *box);
void oc_list_box_clear (GtkListBox *list);

G_END_DECLS
