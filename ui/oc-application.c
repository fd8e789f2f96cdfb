/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-application.h"

#include <glib/gi18n-lib.h>

#include "oc-config.h"
#include "oc-window.h"

struct _OcApplication
{
  AdwApplication parent_instance;

  OcSession *session;
};

G_DEFINE_FINAL_TYPE (OcApplication, oc_application, ADW_TYPE_APPLICATION)

static const GOptionEntry options[] = {
  { "show", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_STRING, NULL, N_("Show this plugin"), N_("ID") },
  { "review", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_STRING, NULL, N_("Show what enabling this plugin would grant"), N_("ID") },
  { "allow-root", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL, N_("Let the launcher run as the user root"), NULL },
  G_OPTION_ENTRY_NULL,
};

static OcWindow *
open_window (OcApplication *self)
{
  OcWindow *window = oc_window_new (GTK_APPLICATION (self), self->session);

  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static OcWindow *
ensure_window (OcApplication *self)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  /* A dialog may be the active one. */
  while (window != NULL && !OC_IS_WINDOW (window))
    window = gtk_window_get_transient_for (window);
  if (window == NULL)
    return open_window (self);
  gtk_window_present (window);
  return OC_WINDOW (window);
}

static void
ensure_session (OcApplication *self,
                gboolean allow_root)
{
  g_autoptr (OcPaths) paths = NULL;
  g_autoptr (OcLauncher) launcher = NULL;

  if (self->session != NULL)
    return;
  paths = oc_paths_new_for_user ();
  launcher = oc_launcher_new (NULL);
  oc_launcher_set_allow_root (launcher, allow_root);
  self->session = oc_session_new (paths, launcher);
  oc_session_start (self->session);
}

static void
oc_application_activate (GApplication *application)
{
  OcApplication *self = OC_APPLICATION (application);

  ensure_session (self, FALSE);
  ensure_window (self);
}

static int
oc_application_command_line (GApplication *application,
                             GApplicationCommandLine *command_line)
{
  OcApplication *self = OC_APPLICATION (application);
  GVariantDict *given = g_application_command_line_get_options_dict (command_line);
  const char *id = NULL;
  OcWindow *window;
  gboolean review;

  ensure_session (self, g_variant_dict_contains (given, "allow-root"));
  window = ensure_window (self);
  review = g_variant_dict_lookup (given, "review", "&s", &id);
  if (review || g_variant_dict_lookup (given, "show", "&s", &id))
    oc_window_show_plugin (window, id, review);
  return 0;
}

static void
quit_action (GSimpleAction *action,
             GVariant *parameter,
             gpointer data)
{
  g_application_quit (G_APPLICATION (data));
}

static void
new_window_action (GSimpleAction *action,
                   GVariant *parameter,
                   gpointer data)
{
  open_window (OC_APPLICATION (data));
}

/* What a notification of the launcher leads to. */
static void
show_action (GSimpleAction *action,
             GVariant *parameter,
             gpointer data)
{
  OcApplication *self = OC_APPLICATION (data);

  ensure_session (self, FALSE);
  oc_window_show_plugin (ensure_window (self), g_variant_get_string (parameter, NULL), FALSE);
}

static void
about_action (GSimpleAction *action,
              GVariant *parameter,
              gpointer data)
{
  OcApplication *self = OC_APPLICATION (data);

  adw_show_about_window (GTK_WINDOW (ensure_window (self)),
                         "application-name", _("Ocelot Plugins"),
                         "application-icon", OC_APP_ID,
                         "version", OC_VERSION,
                         "comments", _("See what a plugin will be able to do before you enable it, and what it did."),
                         "license-type", GTK_LICENSE_LGPL_2_1,
                         /* Translators: your names, one a line */
                         "translator-credits", _("translator-credits"),
                         NULL);
}

static const GActionEntry actions[] = {
  { "quit", quit_action },
  { "new-window", new_window_action },
  { "show", show_action, "s" },
  { "about", about_action },
};

static void
oc_application_startup (GApplication *application)
{
  const char *quit[] = { "<Control>q", NULL };
  const char *close[] = { "<Control>w", NULL };
  const char *new_window[] = { "<Control>n", NULL };

  G_APPLICATION_CLASS (oc_application_parent_class)->startup (application);
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions), application);
  gtk_application_set_accels_for_action (GTK_APPLICATION (application), "app.quit", quit);
  gtk_application_set_accels_for_action (GTK_APPLICATION (application), "window.close", close);
  gtk_application_set_accels_for_action (GTK_APPLICATION (application), "app.new-window", new_window);
  gtk_window_set_default_icon_name (OC_APP_ID);
}

static void
oc_application_shutdown (GApplication *application)
{
  G_APPLICATION_CLASS (oc_application_parent_class)->shutdown (application);
  g_clear_object (&OC_APPLICATION (application)->session);
}

static void
oc_application_class_init (OcApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->activate = oc_application_activate;
  application_class->command_line = oc_application_command_line;
  application_class->startup = oc_application_startup;
  application_class->shutdown = oc_application_shutdown;
}

static void
oc_application_init (OcApplication *self)
{
  g_application_add_main_option_entries (G_APPLICATION (self), options);
}

OcApplication *
oc_application_new (void)
{
  return g_object_new (OC_TYPE_APPLICATION, "application-id", OC_APP_ID, "flags", G_APPLICATION_HANDLES_COMMAND_LINE,
                       "resource-base-path", "/org/ocelot/Plugins", NULL);
}
