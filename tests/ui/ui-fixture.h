/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#include "home.h"
#include "oc-plugin-page.h"
#include "oc-review-dialog.h"
#include "oc-session.h"
#include "oc-window.h"

/* A private home with a window on it. The launcher is a small script that says that the sandbox holds, or not: what is
 * tested is what the window makes of it. */
typedef struct
{
  Home *home;
  OcSession *session;
  OcWindow *window;
} Fixture;

/* Before anything of GTK: takes the session bus away, keeps the display, and starts GTK. */
void ui_init (int *argc,
              char ***argv);
/* @holds: what the launcher's check says. Plugins are added before or after, with home_add_plugin(). */
Fixture *ui_fixture_new (gboolean holds);
/* Reads the home and shows the window; returns once all is known. */
void ui_fixture_open (Fixture *self);
/* Also checks that nothing of the window is left. */
void ui_fixture_free (Fixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fixture, ui_fixture_free)

OcPluginPage *ui_get_page (Fixture *self);
/* Shows the page of @id. */
void ui_show (Fixture *self,
              const char *id);
/* Opens the review of the plugin shown; must succeed. */
OcReviewDialog *ui_review (Fixture *self);
/* A template child by its name in the .ui file. (transfer none) */
gpointer ui_child (gpointer widget,
                   const char *name);
/* Below @root, depth first: the @n-th widget of @type that is seen. (nullable) */
GtkWidget *ui_find (GtkWidget *root,
                    GType type,
                    guint n);
/* All text of labels below @root that are seen, one a line. (transfer full) */
char *ui_text (GtkWidget *root);
/* Waits until all of that text contains @part. */
void ui_wait_text (GtkWidget *root,
                   const char *part);
/* Waits until the page's plugin has that state. */
void ui_wait_state (Fixture *self,
                    OcState state);
/* Lets the main loop run for a while: only to show that something does *not* happen. */
void ui_run_for (guint ms);
/* Waits until @widget is sensitive. */
void ui_wait_sensitive (GtkWidget *widget);
