/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-desktop-private.h"

#include <string.h>
#include <unistd.h>

#include "oc-config.h"

/*
 * Two services can show a notification. That of GNOME keeps it, and a click on it goes to the application by its id, whether or
 * not it runs: the better one. It takes only applications whose desktop file is installed. The freedesktop.org one is everywhere
 * else; there a click is told to the sender only, so this program stays until it is clicked or closed. GNotification would choose
 * between them, but does not say whether anything came of it, and hears no click once the sender has ended.
 */
#define CALL_MS 5000

typedef struct
{
  GMainLoop *loop;
  guint32 id;
  gboolean clicked;
  char *token; /* owned (nullable) */
} Click;

/* Never starts a bus: a notification is not worth one. */
static gboolean
has_bus (void)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  const char *folder = g_getenv ("XDG_RUNTIME_DIR");
  g_autofree char *path = folder ? g_build_filename (folder, "bus", NULL) : NULL;

  return (address != NULL && *address != '\0') || (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS));
}

static GVariant *
call (GDBusConnection *bus,
      const char *name,
      const char *path,
      const char *method,
      GVariant *arguments,
      const char *answer,
      GDBusCallFlags flags)
{
  return g_dbus_connection_call_sync (bus, name, path, name, method, arguments, answer ? G_VARIANT_TYPE (answer) : NULL, flags, CALL_MS,
                                      NULL, NULL);
}

static gboolean
show_by_gtk (GDBusConnection *bus,
             const char *plugin,
             const char *title,
             const char *text)
{
  g_autoptr (GIcon) icon = g_themed_icon_new (OC_APP_ID);
  g_autofree char *id = g_strconcat ("disabled-", plugin, NULL);
  g_autoptr (GVariant) answer = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "title", "s", title);
  g_variant_dict_insert (&dict, "body", "s", text);
  g_variant_dict_insert (&dict, "priority", "s", "normal");
  g_variant_dict_insert_value (&dict, "icon", g_icon_serialize (icon));
  g_variant_dict_insert (&dict, "default-action", "s", "app.show");
  g_variant_dict_insert (&dict, "default-action-target", "v", g_variant_new_string (plugin));
  answer = call (bus, "org.gtk.Notifications", "/org/gtk/Notifications", "AddNotification",
                 g_variant_new ("(ss@a{sv})", OC_APP_ID, id, g_variant_dict_end (&dict)), "()", G_DBUS_CALL_FLAGS_NO_AUTO_START);
  return answer != NULL;
}

/* Of a server that reads markup. One that cannot be asked is taken to: an escape that shows is better than a tag that acts. */
static gboolean
reads_markup (GDBusConnection *bus)
{
  g_autoptr (GVariant) answer = call (bus, "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "GetCapabilities", NULL,
                                      "(as)", G_DBUS_CALL_FLAGS_NONE);
  g_autofree const char **capabilities = NULL;

  if (answer == NULL)
    return TRUE;
  g_variant_get (answer, "(^a&s)", &capabilities);
  return g_strv_contains ((const char *const *) capabilities, "body-markup");
}

static guint32
show_by_freedesktop (GDBusConnection *bus,
                     const char *title,
                     const char *text,
                     const char *button)
{
  g_autofree char *escaped = reads_markup (bus) ? g_markup_escape_text (text, -1) : g_strdup (text);
  const char *actions[] = { "default", button, NULL };
  g_autoptr (GVariant) answer = NULL;
  GVariantDict hints;
  guint32 id = 0;

  g_variant_dict_init (&hints, NULL);
  g_variant_dict_insert (&hints, "desktop-entry", "s", OC_APP_ID);
  g_variant_dict_insert (&hints, "urgency", "y", 1);
  answer = call (bus, "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "Notify",
                 g_variant_new ("(susss^as@a{sv}i)", "Ocelot Plugins", 0, OC_APP_ID, title, escaped, actions, g_variant_dict_end (&hints),
                                -1),
                 "(u)", G_DBUS_CALL_FLAGS_NONE);
  if (answer != NULL)
    g_variant_get (answer, "(u)", &id);
  return id;
}

static void
on_signal (GDBusConnection *bus,
           const char *sender,
           const char *path,
           const char *interface,
           const char *name,
           GVariant *arguments,
           gpointer data)
{
  Click *click = data;
  guint32 id = 0;

  if (g_variant_n_children (arguments) < 1 || !g_variant_is_of_type (arguments, G_VARIANT_TYPE ("(u*)")))
    return;
  g_variant_get_child (arguments, 0, "u", &id);
  if (id != click->id)
    return;
  if (g_str_equal (name, "ActivationToken") && g_variant_is_of_type (arguments, G_VARIANT_TYPE ("(us)")))
    {
      g_free (click->token);
      g_variant_get_child (arguments, 1, "s", &click->token);
    }
  else if (g_str_equal (name, "ActionInvoked"))
    {
      click->clicked = TRUE;
      g_main_loop_quit (click->loop);
    }
  else if (g_str_equal (name, "NotificationClosed"))
    g_main_loop_quit (click->loop);
}

static gboolean
on_too_late (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* The window, at this plugin's page; where it runs already, that one. @token: (transfer full) (nullable) */
static int
show_window (const char *plugin,
             char *token)
{
  static const char program[] = OC_BINDIR "/ocelot-plugins";
  g_autofree char *activation = token;

  if (activation != NULL)
    g_setenv ("XDG_ACTIVATION_TOKEN", activation, TRUE);
  execl (program, program, "--show", plugin, (char *) NULL);
  return 1;
}

int
oc_desktop_notify (const char *plugin,
                   const char *title,
                   const char *text,
                   const char *button)
{
  Click click = { 0 };
  g_autoptr (GDBusConnection) bus = NULL;
  guint subscription;

  if (!has_bus ())
    return 0;
  alarm (OC_DESKTOP_MAX_SECONDS);
  bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  if (bus == NULL || show_by_gtk (bus, plugin, title, text))
    return bus == NULL;

  click.loop = g_main_loop_new (NULL, FALSE);
  /* Before it is shown: a click may be faster. Its number is learned meanwhile. */
  subscription = g_dbus_connection_signal_subscribe (bus, "org.freedesktop.Notifications", "org.freedesktop.Notifications", NULL,
                                                     "/org/freedesktop/Notifications", NULL, G_DBUS_SIGNAL_FLAGS_NONE, on_signal, &click,
                                                     NULL);
  click.id = show_by_freedesktop (bus, title, text, button);
  if (click.id != 0)
    {
      alarm (OC_DESKTOP_CLICK_SECONDS + OC_DESKTOP_MAX_SECONDS);
      g_timeout_add_seconds (OC_DESKTOP_CLICK_SECONDS, on_too_late, click.loop);
      g_main_loop_run (click.loop);
    }
  alarm (0);
  g_dbus_connection_signal_unsubscribe (bus, subscription);
  g_main_loop_unref (click.loop);
  if (click.clicked)
    return show_window (plugin, click.token);
  g_free (click.token);
  return click.id == 0;
}
