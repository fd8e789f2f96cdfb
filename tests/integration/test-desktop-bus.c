/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes to the desktop by a bus: applications that the bus starts, the portal, and the notification that a plugin was
 * switched off. */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "../unit/bus.h"
#include "desktop-home.h"
#include "desktop-service.h"

#define URL "https://example.org/a?b=c"

static const char *const all[] = { "openURL", "app.open:org.x.Files", NULL };

typedef struct
{
  Fixture *fixture;
  Bus *bus;
} Session;

static void
session_free (Session *self)
{
  fixture_free (self->fixture);
  bus_free (self->bus);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Session, session_free)

/* With a bus and no display. */
static Session *
session_new (void)
{
  Session *self = g_new0 (Session, 1);

  self->fixture = fixture_new (all);
  self->bus = bus_new ();
  desktop_prepare (self->fixture);
  self->fixture->env = g_environ_setenv (self->fixture->env, "DBUS_SESSION_BUS_ADDRESS", self->bus->address, TRUE);
  self->fixture->env = g_environ_unsetenv (self->fixture->env, "DISPLAY");
  return self;
}

static DesktopService *
start (Session *self,
       const char *name,
       const char *path,
       const char *interface,
       DesktopServiceManner manner)
{
  return desktop_service_new (self->bus->address, name, path, interface, NULL, manner);
}

static JsonArray *
open_url (Session *self,
          Ran **ran)
{
  GString *calls = g_string_new (NULL);
  JsonArray *outcomes;

  desktop_add_url (calls, URL);
  outcomes = desktop_call (self->fixture, calls, NULL, ran);
  g_string_free (calls, TRUE);
  return outcomes;
}

/* Applications. */

static void
test_activated (void)
{
  g_autoptr (Session) self = session_new ();
  const char *selection[] = { self->fixture->root, NULL };
  GString *calls = g_string_new (NULL);
  g_autofree char *expected = g_strdup_printf ("Open(['file://%s'], ", self->fixture->root);
  g_autofree char *asked = NULL;
  g_autofree char *asked_files = NULL;
  g_autoptr (DesktopService) browser = NULL;
  g_autoptr (DesktopService) files = NULL;
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (JsonArray) folder_outcomes = NULL;

  if (!fixture_can_run (self->fixture))
    return;
  browser = start (self, "org.x.Browser", "/org/x/Browser", desktop_application_xml, DESKTOP_SERVICE_ANSWERS);
  files = start (self, "org.x.Files", "/org/x/Files", desktop_application_xml, DESKTOP_SERVICE_ANSWERS);
  desktop_add (self->fixture, "org.x.Browser", "PROGRAM %u", "DBusActivatable=true\n");
  desktop_add (self->fixture, "org.x.Files", "PROGRAM", "DBusActivatable=true\n");
  desktop_set_default (self->fixture, "https", "org.x.Browser");
  outcomes = open_url (self, NULL);
  desktop_assert_opened (outcomes, 0);
  asked = desktop_service_get_call (browser, 0);
  g_assert_nonnull (asked);
  g_assert_true (g_str_has_prefix (asked, "Open(['" URL "'], "));

  desktop_add_folder (calls, "org.x.Files", self->fixture->root);
  folder_outcomes = desktop_call (self->fixture, calls, selection, NULL);
  desktop_assert_opened (folder_outcomes, 0);
  asked_files = desktop_service_get_call (files, 0);
  g_assert_nonnull (asked_files);
  g_assert_true (g_str_has_prefix (asked_files, expected));
  g_assert_cmpuint (desktop_service_count (browser), ==, 1);
  g_assert_cmpuint (desktop_service_count (files), ==, 1);
  g_assert_cmpuint (desktop_count (self->fixture), ==, 0);
  g_string_free (calls, TRUE);
}

/* The desktop's words are the user's, not the plugin's. */
static void
test_activation_fails (void)
{
  g_autoptr (Session) self = session_new ();
  g_autoptr (DesktopService) browser = NULL;
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (self->fixture))
    return;
  browser = start (self, "org.x.Browser", "/org/x/Browser", desktop_application_xml, DESKTOP_SERVICE_FAILS);
  desktop_add (self->fixture, "org.x.Browser", "PROGRAM %u", "DBusActivatable=true\n");
  desktop_set_default (self->fixture, "https", "org.x.Browser");
  outcomes = open_url (self, &ran);
  desktop_assert_refused (outcomes, 0, DESKTOP_FAILED, "not-opened");
  g_assert_null (strstr (outcome_get (outcomes, 0, "message"), "secret"));
  g_assert_nonnull (strstr (ran->out, "a secret of the desktop"));
  g_assert_cmpint (ran_count (ran, "used", "openURL"), ==, 0);
}

/* An application that does not answer holds up neither the time-out nor the end. */
static void
test_activation_hangs (void)
{
  g_autoptr (Session) self = session_new ();
  g_autoptr (DesktopService) browser = NULL;
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (self->fixture))
    return;
  desktop_add (self->fixture, "org.x.Browser", "PROGRAM %u", NULL);
  desktop_set_default (self->fixture, "https", "org.x.Browser");
  self->fixture->env = g_environ_setenv (self->fixture->env, "DISPLAY", ":4711", TRUE);
  outcomes = open_url (self, NULL);
  desktop_assert_opened (outcomes, 0);
  desktop_assert_started (self->fixture, "<" URL ">\n", NULL);

  browser = start (self, "org.x.Browser", "/org/x/Browser", desktop_application_xml, DESKTOP_SERVICE_HANGS);
  desktop_add (self->fixture, "org.x.Browser", "PROGRAM %u", "DBusActivatable=true\n");
  ran = fixture_run (self->fixture, "api", "--timeout", "1500", NULL);
  ran_assert (ran, 8, "time-out");
  /* GLib itself would wait for 25 s, and ocelot-desktop is given 20. */
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 15000);
  g_assert_cmpuint (desktop_service_count (browser), ==, 1);
  /* It was handed over, though nobody said so. */
  g_assert_cmpint (ran_count (ran, "used", "openURL"), ==, 1);
  fixture_until (fixture_count_processes (self->fixture) == 0);
}

/* Where GLib takes the system for a Flatpak, the portal is asked: it finds the host's browser. */
static void
test_portal (void)
{
  g_autoptr (Session) self = session_new ();
  g_autoptr (DesktopService) portal = NULL;
  g_autoptr (JsonArray) without = NULL;
  g_autoptr (JsonArray) outcomes = NULL;
  g_autofree char *asked = NULL;

  if (!fixture_can_run (self->fixture))
    return;
  portal = start (self, "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", desktop_portal_xml, DESKTOP_SERVICE_ANSWERS);
  without = open_url (self, NULL);
  desktop_assert_refused (without, 0, DESKTOP_NOT_FOUND, "no-handler");
  g_assert_cmpuint (desktop_service_count (portal), ==, 0);

  self->fixture->env = g_environ_setenv (self->fixture->env, "GTK_USE_PORTAL", "1", TRUE);
  outcomes = open_url (self, NULL);
  desktop_assert_opened (outcomes, 0);
  asked = desktop_service_get_call (portal, 0);
  g_assert_true (g_str_has_prefix (asked, "OpenURI('', '" URL "', "));
}

/* The notification. */

/* How long the last one took, in microseconds. */
static gint64
fail_three_times (Session *self)
{
  gint64 before = 0;

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Ran) ran = NULL;

      before = g_get_monotonic_time ();
      ran = fixture_run (self->fixture, "crash", NULL);
      ran_assert (ran, 1, "crash");
      g_assert_cmpint (json_object_get_boolean_member (json_node_get_object (ran->root), "disabledAfterErrors"), ==, i == 2);
    }
  return g_get_monotonic_time () - before;
}

/* A name of the author's that tries to be more than one. */
static void
rename_plugin (Session *self)
{
  g_autofree char *path = g_build_filename (self->fixture->plugin_folder, "plugin.json", NULL);
  g_autofree char *text = NULL;
  GString *changed;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  changed = g_string_new (text);
  g_assert_cmpuint (g_string_replace (changed, "\"name\":\"Test\"", "\"name\":\"<b>x</b>&amp; \\u202ey\"", 0), ==, 1);
  g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
  g_string_free (changed, TRUE);
  fixture_enable (self->fixture);
}

static void
test_notifies_by_gtk (void)
{
  g_autoptr (Session) self = session_new ();
  g_autoptr (DesktopService) shell = NULL;
  g_autofree char *asked = NULL;

  if (!fixture_can_run (self->fixture))
    return;
  rename_plugin (self);
  shell = start (self, "org.gtk.Notifications", "/org/gtk/Notifications", desktop_gtk_notifications_xml, DESKTOP_SERVICE_ANSWERS);
  fail_three_times (self);
  fixture_until (desktop_service_count (shell) > 0);
  asked = desktop_service_get_call (shell, 0);
  g_test_message ("%s", asked);
  g_assert_true (g_str_has_prefix (asked, "AddNotification('org.ocelot.Plugins', 'disabled-" FIXTURE_ID "', "));
  g_assert_nonnull (strstr (asked, "'title': <'“<b>x</b>&amp; \\\\u{202E}y” was switched off'>"));
  g_assert_nonnull (strstr (asked, "'body': <'The plugin " FIXTURE_ID " was switched off after 3 errors in a row. It runs again only "
                                   "when you enable it.'>"));
  g_assert_nonnull (strstr (asked, "'default-action': <'app.show'>"));
  g_assert_nonnull (strstr (asked, "'default-action-target': <<'" FIXTURE_ID "'>>"));
  fixture_until (fixture_count_processes (self->fixture) == 0);
  /* Once: the next run is refused, and says nothing new. */
  {
    g_autoptr (Ran) ran = fixture_run (self->fixture, "crash", NULL);

    ran_assert (ran, 3, "not-run");
  }
  fixture_until (fixture_count_processes (self->fixture) == 0);
  g_assert_cmpuint (desktop_service_count (shell), ==, 1);
}

static void
emit_end (DesktopService *server,
          const char *signal,
          guint id)
{
  gboolean clicked = g_str_equal (signal, "ActionInvoked");

  desktop_service_emit (server, signal, clicked ? g_variant_new ("(us)", id, "default") : g_variant_new ("(uu)", id, 2));
}

static void
check_freedesktop (const char *capabilities,
                   const char *signal)
{
  g_autoptr (Session) self = session_new ();
  g_autoptr (DesktopService) server = NULL;
  g_autofree char *first = NULL;
  g_autofree char *asked = NULL;

  if (!fixture_can_run (self->fixture))
    return;
  rename_plugin (self);
  server = desktop_service_new (self->bus->address, "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                                desktop_notifications_xml, capabilities, DESKTOP_SERVICE_ANSWERS);
  fail_three_times (self);
  fixture_until (desktop_service_count (server) >= 2);
  first = desktop_service_get_call (server, 0);
  g_assert_cmpstr (first, ==, "GetCapabilities()");
  asked = desktop_service_get_call (server, 1);
  g_test_message ("%s", asked);
  g_assert_true (g_str_has_prefix (asked, "Notify('Ocelot Plugins', 0, 'org.ocelot.Plugins', "));
  /* Nothing of the author's but the id in what a server may read as markup. */
  g_assert_nonnull (strstr (asked, "'The plugin " FIXTURE_ID " was switched off after 3 errors in a row. It runs again only when you "
                                   "enable it.', ['default', 'Show'], "));
  g_assert_nonnull (strstr (asked, "'desktop-entry': <'org.ocelot.Plugins'>"));
  /* It stays for the click, and no longer. */
  g_assert_cmpuint (fixture_count_processes (self->fixture), ==, 1);
  /* Another's, one that is none, and then its own. */
  emit_end (server, signal, 8);
  desktop_service_emit (server, signal, g_variant_new ("(s)", "x"));
  desktop_service_emit (server, "ActivationToken", g_variant_new ("(us)", 7, "token"));
  g_assert_cmpuint (fixture_count_processes (self->fixture), ==, 1);
  emit_end (server, signal, 7);
  fixture_until (fixture_count_processes (self->fixture) == 0);
}

static void
test_notifies_by_freedesktop (void)
{
  check_freedesktop ("actions,body,body-markup", "NotificationClosed");
}

static void
test_notification_clicked (void)
{
  check_freedesktop ("actions,body", "ActionInvoked");
}

/* A service that takes the notification and says nothing: the run is over all the same. */
static void
test_notification_hangs (void)
{
  g_autoptr (Session) self = session_new ();
  g_autoptr (DesktopService) shell = NULL;
  gint64 took;

  if (!fixture_can_run (self->fixture))
    return;
  shell = start (self, "org.gtk.Notifications", "/org/gtk/Notifications", desktop_gtk_notifications_xml, DESKTOP_SERVICE_HANGS);
  took = fail_three_times (self);
  /* The service is given 5 s. */
  g_assert_cmpint (took, <, 5 * G_USEC_PER_SEC);
  fixture_until (desktop_service_count (shell) == 1);
}

/* No bus, or nobody on it who shows notifications: nothing is left behind, and nothing is different. */
static void
test_no_notification (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (Session) self = session_new ();
      g_autoptr (Ran) ran = NULL;

      if (!fixture_can_run (self->fixture))
        return;
      if (i == 0)
        self->fixture->env = g_environ_unsetenv (self->fixture->env, "DBUS_SESSION_BUS_ADDRESS");
      fail_three_times (self);
      fixture_until (fixture_count_processes (self->fixture) == 0);
      ran = fixture_run (self->fixture, "crash", NULL);
      ran_assert (ran, 3, "not-run");
    }
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/desktop-bus/application", test_activated);
  g_test_add_func ("/desktop-bus/application-fails", test_activation_fails);
  g_test_add_func ("/desktop-bus/application-hangs", test_activation_hangs);
  g_test_add_func ("/desktop-bus/portal", test_portal);
  g_test_add_func ("/desktop-bus/notifies-by-gtk", test_notifies_by_gtk);
  g_test_add_func ("/desktop-bus/notifies-by-freedesktop", test_notifies_by_freedesktop);
  g_test_add_func ("/desktop-bus/notification-clicked", test_notification_clicked);
  g_test_add_func ("/desktop-bus/notification-hangs", test_notification_hangs);
  g_test_add_func ("/desktop-bus/no-notification", test_no_notification);
  return g_test_run ();
}
