/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bus.h"

#include <signal.h>

#include "home.h"

#define SERVICE "org.freedesktop.secrets"

static GSubprocess *
spawn (Bus *bus,
       const char *const *argv,
       GSubprocessFlags flags)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  g_subprocess_launcher_setenv (launcher, "HOME", bus->folder, TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_RUNTIME_DIR", bus->folder, TRUE);
  g_subprocess_launcher_unsetenv (launcher, "XDG_DATA_HOME");
  if (bus->address != NULL)
    g_subprocess_launcher_setenv (launcher, "DBUS_SESSION_BUS_ADDRESS", bus->address, TRUE);
  process = g_subprocess_launcher_spawnv (launcher, argv, &error);
  g_assert_no_error (error);
  return process;
}

Bus *
bus_new (void)
{
  Bus *bus = g_new0 (Bus, 1);
  g_autofree char *config = NULL;
  g_autofree char *text = NULL;
  g_autofree char *option = NULL;
  g_autoptr (GDataInputStream) out = NULL;
  g_autoptr (GError) error = NULL;

  bus->folder = g_dir_make_tmp ("ocelot-bus-XXXXXX", NULL);
  config = g_build_filename (bus->folder, "bus.conf", NULL);
  text = g_strdup_printf ("<busconfig><type>session</type><listen>unix:path=%s/bus</listen><auth>EXTERNAL</auth>"
                          "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
                          "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
                          bus->folder);
  g_assert_true (g_file_set_contents (config, text, -1, NULL));
  option = g_strconcat ("--config-file=", config, NULL);
  bus->daemon = spawn (bus, (const char *const[]){ "dbus-daemon", option, "--nofork", "--print-address=1", NULL },
                       G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (bus->daemon));
  bus->address = g_data_input_stream_read_line (out, NULL, NULL, &error);
  g_assert_no_error (error);
  bus->watcher = g_dbus_connection_new_for_address_sync (
      bus->address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL,
      NULL, &error);
  g_assert_no_error (error);
  return bus;
}

static gboolean
has_owner (gpointer user_data)
{
  Bus *bus = user_data;
  gboolean owned = FALSE;
  g_autoptr (GVariant) reply
      = g_dbus_connection_call_sync (bus->watcher, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     "NameHasOwner", g_variant_new ("(s)", SERVICE), NULL, 0, -1, NULL, NULL);

  g_assert_nonnull (reply);
  g_variant_get (reply, "(b)", &owned);
  return owned;
}

static gboolean
has_no_owner (gpointer user_data)
{
  return !has_owner (user_data);
}

void
bus_start_keyring (Bus *bus,
                   gboolean unlocked)
{
  const char *argv[] = { "gnome-keyring-daemon", "--foreground", "--components=secrets", unlocked ? "--unlock" : NULL, NULL };

  bus->keyring = spawn (bus, argv,
                        G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  if (unlocked)
    g_output_stream_write_all (g_subprocess_get_stdin_pipe (bus->keyring), "secret", 6, NULL, NULL, NULL);
  g_output_stream_close (g_subprocess_get_stdin_pipe (bus->keyring), NULL, NULL);
  home_wait (has_owner, bus);
}

void
bus_stop_keyring (Bus *bus)
{
  g_subprocess_send_signal (bus->keyring, SIGTERM);
  g_subprocess_wait (bus->keyring, NULL, NULL);
  g_clear_object (&bus->keyring);
  home_wait (has_no_owner, bus);
}

void
bus_free (Bus *bus)
{
  g_autoptr (GSubprocess) remove = NULL;

  if (bus->keyring != NULL)
    bus_stop_keyring (bus);
  g_dbus_connection_close_sync (bus->watcher, NULL, NULL);
  g_object_unref (bus->watcher);
  g_subprocess_force_exit (bus->daemon);
  g_subprocess_wait (bus->daemon, NULL, NULL);
  g_object_unref (bus->daemon);
  remove = g_subprocess_new (0, NULL, "rm", "-rf", bus->folder, NULL);
  g_subprocess_wait (remove, NULL, NULL);
  g_free (bus->folder);
  g_free (bus->address);
  g_free (bus);
}
