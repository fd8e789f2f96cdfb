/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-window.h"

#include <glib/gi18n-lib.h>

#include "oc-format.h"
#include "oc-review-dialog.h"

struct _OcWindow
{
  AdwApplicationWindow parent_instance;

  OcSession *session;
  GCancellable *unlocking;
  OcReviewDialog *review; /* weak */
  char *wanted;           /* id of a plugin to show once it is known */
  gboolean wants_review;

  AdwToastOverlay *toasts;
  OcPluginsView *plugins;
};

G_DEFINE_FINAL_TYPE (OcWindow, oc_window, ADW_TYPE_APPLICATION_WINDOW)

static void
say (OcWindow *self,
     const char *text)
{
  g_autofree char *escaped = oc_escape_message (text);
  g_autofree char *markup = g_markup_escape_text (escaped, -1);

  adw_toast_overlay_add_toast (self->toasts, adw_toast_new (markup));
}

static void
toast_cb (OcWindow *self,
          AdwToast *toast)
{
  adw_toast_overlay_add_toast (self->toasts, g_object_ref (toast));
}

static void
closed_itself_cb (OcWindow *self,
                  const char *reason)
{
  say (self, reason);
}

static void
review_cb (OcWindow *self,
           OcStatus *status)
{
  g_autofree char *obstacle = oc_session_explain_obstacle (self->session, status);

  if (obstacle != NULL)
    {
      say (self, obstacle);
      return;
    }
  if (self->review != NULL)
    {
      gtk_window_present (GTK_WINDOW (self->review));
      return;
    }
  self->review = oc_review_dialog_new (GTK_WINDOW (self), self->session, status);
  g_object_add_weak_pointer (G_OBJECT (self->review), (gpointer *) &self->review);
  g_signal_connect_object (self->review, "closed-itself", G_CALLBACK (closed_itself_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (self->review));
}

/* What was asked for at the start waits for the first scan, and a review for the sandbox check too. */
static void
show_wanted (OcWindow *self)
{
  OcRegistry *registry;
  OcStatus *status;
  g_autofree char *id = NULL;

  if (self->wanted == NULL)
    return;
  registry = oc_session_get_registry (self->session);
  if (oc_registry_is_loading (registry) || oc_registry_get_consent (registry) == NULL
      || (self->wants_review && oc_session_get_report (self->session) == NULL))
    return;
  id = g_steal_pointer (&self->wanted);
  status = oc_registry_find (registry, id);
  if (status == NULL)
    {
      g_autofree char *escaped = oc_escape (id);
      g_autofree char *text = g_strdup_printf (_("There is no plugin “%s”"), escaped);

      say (self, text);
      return;
    }
  oc_plugins_view_show (self->plugins, status);
  if (self->wants_review)
    review_cb (self, status);
}

static void
search_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  oc_plugins_view_search (OC_WINDOW (widget)->plugins);
}

static void
check_action (GtkWidget *widget,
              const char *name,
              GVariant *parameter)
{
  oc_session_check (OC_WINDOW (widget)->session);
}

static void
refresh_action (GtkWidget *widget,
                const char *name,
                GVariant *parameter)
{
  oc_registry_refresh (oc_session_get_registry (OC_WINDOW (widget)->session));
}

static void
shown_cb (GObject *source,
          GAsyncResult *result,
          gpointer data)
{
  g_autoptr (OcWindow) self = data;
  g_autoptr (GError) error = NULL;

  if (!gtk_show_uri_full_finish (GTK_WINDOW (source), result, &error)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    say (self, error->message);
}

static void
show_folder (OcWindow *self,
             const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *uri = g_file_get_uri (file);
  g_autoptr (GError) error = NULL;

  if (!oc_paths_ensure (oc_session_get_paths (self->session), &error))
    {
      say (self, error->message);
      return;
    }
  gtk_show_uri_full (GTK_WINDOW (self), uri, GDK_CURRENT_TIME, NULL, shown_cb, g_object_ref (self));
}

static void
open_folder_action (GtkWidget *widget,
                    const char *name,
                    GVariant *parameter)
{
  OcWindow *self = OC_WINDOW (widget);

  show_folder (self, oc_paths_get_plugins (oc_session_get_paths (self->session)));
}

static void
show_consent_action (GtkWidget *widget,
                     const char *name,
                     GVariant *parameter)
{
  OcWindow *self = OC_WINDOW (widget);

  show_folder (self, oc_paths_get_base (oc_session_get_paths (self->session)));
}

static void
unlock_cb (GObject *source,
           GAsyncResult *result,
           gpointer data)
{
  g_autoptr (OcWindow) self = data;
  g_autoptr (GError) error = NULL;

  if (!oc_session_change_finish (OC_SESSION (source), result, &error)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    say (self, error->message);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "health.unlock", TRUE);
}

static void
unlock_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  OcWindow *self = OC_WINDOW (widget);

  gtk_widget_action_set_enabled (widget, "health.unlock", FALSE);
  oc_session_unlock_async (self->session, self->unlocking, unlock_cb, g_object_ref (self));
}

static void
oc_window_dispose (GObject *object)
{
  OcWindow *self = OC_WINDOW (object);

  g_cancellable_cancel (self->unlocking);
  if (self->review != NULL)
    g_object_remove_weak_pointer (G_OBJECT (self->review), (gpointer *) &self->review);
  self->review = NULL;
  if (self->session != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      g_signal_handlers_disconnect_by_data (oc_session_get_registry (self->session), self);
    }
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_WINDOW);
  g_clear_object (&self->session);
  g_clear_object (&self->unlocking);
  g_clear_pointer (&self->wanted, g_free);
  G_OBJECT_CLASS (oc_window_parent_class)->dispose (object);
}

static void
oc_window_class_init (OcWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_window_dispose;
  g_type_ensure (OC_TYPE_PLUGINS_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-window.ui");
  gtk_widget_class_bind_template_child (widget_class, OcWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, OcWindow, plugins);
  gtk_widget_class_bind_template_callback (widget_class, review_cb);
  gtk_widget_class_bind_template_callback (widget_class, toast_cb);
  gtk_widget_class_install_action (widget_class, "win.search", NULL, search_action);
  gtk_widget_class_install_action (widget_class, "health.check-sandbox", NULL, check_action);
  gtk_widget_class_install_action (widget_class, "health.refresh", NULL, refresh_action);
  gtk_widget_class_install_action (widget_class, "health.open-folder", NULL, open_folder_action);
  gtk_widget_class_install_action (widget_class, "health.show-consent", NULL, show_consent_action);
  gtk_widget_class_install_action (widget_class, "health.unlock", NULL, unlock_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "win.search", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F5, 0, "health.refresh", NULL);
}

static void
oc_window_init (OcWindow *self)
{
  self->unlocking = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

OcWindow *
oc_window_new (GtkApplication *application,
               OcSession *session)
{
  OcWindow *self = g_object_new (OC_TYPE_WINDOW, "application", application, NULL);

  self->session = g_object_ref (session);
  g_signal_connect_swapped (session, "changed", G_CALLBACK (show_wanted), self);
  g_signal_connect_swapped (oc_session_get_registry (session), "notify::loading", G_CALLBACK (show_wanted), self);
  oc_plugins_view_set_session (self->plugins, session);
  return self;
}

void
oc_window_show_plugin (OcWindow *self,
                       const char *id,
                       gboolean review)
{
  g_free (self->wanted);
  self->wanted = g_strdup (id);
  self->wants_review = review;
  show_wanted (self);
}

OcPluginsView *
oc_window_get_plugins_view (OcWindow *self)
{
  return self->plugins;
}

GtkWindow *
oc_window_get_review (OcWindow *self)
{
  return self->review != NULL ? GTK_WINDOW (self->review) : NULL;
}
