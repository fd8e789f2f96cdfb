/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ui-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

void
ui_init (int *argc,
         char ***argv)
{
  g_autofree char *display = g_strdup (g_getenv ("DISPLAY"));

  home_isolate ();
  if (display != NULL)
    g_setenv ("DISPLAY", display, TRUE);
  /* The accessibility tree without a bus, so that it can be asserted. */
  g_setenv ("GTK_A11Y", "test", TRUE);
  g_setenv ("GDK_BACKEND", "x11", TRUE);
  g_setenv ("GSK_RENDERER", "cairo", TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_setenv ("ADW_DISABLE_PORTAL", "1", TRUE);
  gtk_test_init (argc, argv, NULL);
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
}

static char *
write_launcher (Home *home,
                gboolean holds)
{
  g_autofree char *text = NULL;
  char *path = g_build_filename (home->root, "launcher", NULL);

  text = g_strdup_printf ("#!/bin/sh\n"
                          "echo '{\"holds\":%s,\"executor\":\"direct\",\"summary\":\"\",\"layers\":[{\"id\":\"landlock\","
                          "\"title\":\"Landlock\",\"holds\":%s,\"detail\":\"The kernel does not offer it.\","
                          "\"remedy\":\"Use a newer kernel.\"}]}'\n",
                          holds ? "true" : "false", holds ? "true" : "false");
  home_write (home, "launcher", text);
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  return path;
}

Fixture *
ui_fixture_new (gboolean holds)
{
  Fixture *self = g_new0 (Fixture, 1);
  g_autofree char *path = NULL;
  g_autoptr (OcLauncher) launcher = NULL;

  self->home = home_new ();
  path = write_launcher (self->home, holds);
  launcher = oc_launcher_new (path);
  self->session = oc_session_new (self->home->paths, launcher);
  return self;
}

static gboolean
is_known (gpointer data)
{
  OcSession *session = data;
  OcRegistry *registry = oc_session_get_registry (session);

  return !oc_registry_is_loading (registry) && oc_registry_get_consent (registry) != NULL
         && oc_session_get_report (session) != NULL;
}

void
ui_fixture_open (Fixture *self)
{
  oc_session_start (self->session);
  self->window = oc_window_new (NULL, self->session);
  gtk_window_present (GTK_WINDOW (self->window));
  home_wait (is_known, self->session);
}

static gboolean
is_null (gpointer data)
{
  return *(gpointer *) data == NULL;
}

void
ui_fixture_free (Fixture *self)
{
  gpointer window = self->window;
  gpointer page = self->window != NULL ? ui_get_page (self) : NULL;
  gpointer session = self->session;

  if (self->window != NULL)
    {
      g_object_add_weak_pointer (window, &window);
      g_object_add_weak_pointer (page, &page);
      gtk_window_destroy (GTK_WINDOW (self->window));
      home_wait (is_null, &window);
      home_wait (is_null, &page);
    }
  g_object_add_weak_pointer (session, &session);
  g_object_unref (self->session);
  home_wait (is_null, &session);
  home_free (self->home);
  g_free (self);
}

gpointer
ui_child (gpointer widget,
          const char *name)
{
  GObject *child = gtk_widget_get_template_child (widget, G_OBJECT_TYPE (widget), name);

  g_assert_nonnull (child);
  return child;
}

OcPluginPage *
ui_get_page (Fixture *self)
{
  return ui_child (oc_window_get_plugins_view (self->window), "page");
}

void
ui_show (Fixture *self,
         const char *id)
{
  OcStatus *status = oc_registry_find (oc_session_get_registry (self->session), id);

  g_assert_nonnull (status);
  oc_plugins_view_show (oc_window_get_plugins_view (self->window), status);
}

OcReviewDialog *
ui_review (Fixture *self)
{
  gtk_widget_activate_action (GTK_WIDGET (ui_get_page (self)), "page.review", NULL);
  g_assert_nonnull (oc_window_get_review (self->window));
  return OC_REVIEW_DIALOG (oc_window_get_review (self->window));
}

static GtkWidget *
find (GtkWidget *root,
      GType type,
      guint *n)
{
  if (!gtk_widget_get_visible (root))
    return NULL;
  if (g_type_is_a (G_OBJECT_TYPE (root), type) && (*n)-- == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, type, n);

      if (found != NULL)
        return found;
    }
  return NULL;
}

GtkWidget *
ui_find (GtkWidget *root,
         GType type,
         guint n)
{
  return find (root, type, &n);
}

static void
collect_text (GtkWidget *root,
              GString *text)
{
  if (!gtk_widget_get_child_visible (root) || !gtk_widget_get_visible (root))
    return;
  if (GTK_IS_LABEL (root))
    g_string_append_printf (text, "%s\n", gtk_label_get_text (GTK_LABEL (root)));
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    collect_text (child, text);
}

char *
ui_text (GtkWidget *root)
{
  GString *text = g_string_new (NULL);

  collect_text (root, text);
  return g_string_free (text, FALSE);
}

typedef struct
{
  GtkWidget *root;
  const char *part;
  gint64 deadline;
} TextWait;

/* Gives up a little before home_wait() does, to say what was there instead. */
static gboolean
has_text (gpointer data)
{
  TextWait *wait = data;
  g_autofree char *text = ui_text (wait->root);
  gboolean found = strstr (text, wait->part) != NULL;

  if (!found && g_get_monotonic_time () > wait->deadline)
    g_error ("no “%s” in:\n%s", wait->part, text);
  return found;
}

void
ui_wait_text (GtkWidget *root,
              const char *part)
{
  TextWait wait = { root, part, g_get_monotonic_time () + 20 * G_USEC_PER_SEC };

  home_wait (has_text, &wait);
}

typedef struct
{
  OcPluginPage *page;
  OcState state;
} StateWait;

static gboolean
has_state (gpointer data)
{
  StateWait *wait = data;
  OcStatus *status = oc_plugin_page_get_status (wait->page);

  return status != NULL && oc_verdict_get_state (oc_status_get_verdict (status)) == wait->state;
}

void
ui_wait_state (Fixture *self,
               OcState state)
{
  StateWait wait = { ui_get_page (self), state };

  home_wait (has_state, &wait);
}

static gboolean
elapsed_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

void
ui_run_for (guint ms)
{
  gboolean elapsed = FALSE;

  g_timeout_add (ms, elapsed_cb, &elapsed);
  while (!elapsed)
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
is_sensitive (gpointer data)
{
  return gtk_widget_is_sensitive (data);
}

void
ui_wait_sensitive (GtkWidget *widget)
{
  home_wait (is_sensitive, widget);
}
