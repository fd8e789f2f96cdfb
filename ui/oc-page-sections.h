/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#include "oc-history.h"
#include "oc-session.h"

G_BEGIN_DECLS

/* What the page of a plugin is made of, each from the status alone: functions, so that the page itself only lays out. */

/* What the user should know or do, as notices appended to @box. Its buttons use the page's actions. */
void oc_page_fill_notices (GtkBox *box,
                           OcSession *session,
                           OcStatus *status);
/* "Enabled today at 14:02"; NULL unless it is enabled. (transfer full) (nullable) */
char *oc_page_describe_state (OcStatus *status);
/* Above the permissions: "You agreed to exactly this on …". (transfer full) */
char *oc_page_describe_consent (OcStatus *status);
/* Rows of OcDetailRow, worst first, what grants nothing after what does. */
void oc_page_fill_permissions (GtkListBox *list,
                               OcSession *session,
                               OcStatus *status);
/* Combinations. FALSE: none. */
gboolean oc_page_fill_together (GtkBox *box,
                                OcSession *session,
                                OcStatus *status);
void oc_page_fill_baseline (GtkListBox *list,
                            OcStatus *status);
/* Each problem of an invalid plugin, with place and remedy. FALSE: none. */
gboolean oc_page_fill_problems (GtkListBox *list,
                                OcStatus *status);
/* Each error that led to its being turned off. FALSE: none. */
gboolean oc_page_fill_failures (GtkListBox *list,
                                OcStatus *status);
/* What was added and removed since the last consent. FALSE: nothing. */
gboolean oc_page_fill_changes (GtkBox *box,
                               OcSession *session,
                               OcStatus *status);
void oc_page_fill_runs (GtkListBox *list,
                        OcStatus *status,
                        OcHistory *history);
/* Id, folder, manifest. */
void oc_page_fill_facts (GtkListBox *list,
                         OcStatus *status);
/* The errors as text to paste into a report. (transfer full) */
char *oc_page_write_report (OcStatus *status);
/* Another plugin, enabled, whose name looks like this one's. (nullable) (transfer none) */
OcStatus *oc_session_find_lookalike (OcSession *session,
                                     OcStatus *status);

G_END_DECLS
