/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole of it with a real keyring: its key seals the consent, and without it nothing runs. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

static const char *const none[] = { NULL };

typedef struct
{
  Fixture *fixture;
  GSubprocess *bus;
  GSubprocess *keyring;
  GDBusConnection *connection;
} Session;

static GSubprocess *
spawn (Fixture *fixture,
       const char *const *argv,
       GSubprocessFlags flags)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  g_subprocess_launcher_set_environ (launcher, fixture->env);
  process = g_subprocess_launcher_spawnv (launcher, argv, &error);
  g_assert_no_error (error);
  return process;
}

static void
start_bus (Session *self)
{
  g_autofree char *config = g_build_filename (self->fixture->root, "bus.conf", NULL);
  g_autofree char *option = g_strconcat ("--config-file=", config, NULL);
  const char *argv[] = { "dbus-daemon", option, "--nofork", "--print-address=1", NULL };
  g_autofree char *text = NULL;
  g_autofree char *address = NULL;
  g_autoptr (GDataInputStream) out = NULL;
  g_autoptr (GError) error = NULL;

  text = g_strdup_printf ("<busconfig><type>session</type><listen>unix:path=%s/bus</listen><auth>EXTERNAL</auth>"
                          "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
                          "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
                          self->fixture->root);
  g_assert_true (g_file_set_contents (config, text, -1, NULL));
  self->bus = spawn (self->fixture, argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->bus));
  address = g_data_input_stream_read_line (out, NULL, NULL, &error);
  g_assert_no_error (error);
  self->fixture->env = g_environ_setenv (self->fixture->env, "DBUS_SESSION_BUS_ADDRESS", address, TRUE);
  self->connection = g_dbus_connection_new_for_address_sync (
    address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  g_assert_no_error (error);
}

static gboolean
has_service (Session *self)
{
  gboolean owned = FALSE;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
    self->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
    g_variant_new ("(s)", "org.freedesktop.secrets"), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);

  g_variant_get (reply, "(b)", &owned);
  return owned;
}

static void
start_keyring (Session *self,
               gboolean unlocked)
{
  const char *argv[] = { "gnome-keyring-daemon", "--foreground", "--components=secrets", unlocked ? "--unlock" : NULL, NULL };
  GOutputStream *in;

  self->keyring = spawn (self->fixture, argv,
                         G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  in = g_subprocess_get_stdin_pipe (self->keyring);
  if (unlocked)
    g_output_stream_write_all (in, "secret", 6, NULL, NULL, NULL);
  g_output_stream_close (in, NULL, NULL);
  fixture_until (has_service (self));
}

static void
stop_keyring (Session *self)
{
  g_subprocess_send_signal (self->keyring, SIGTERM);
  g_subprocess_wait (self->keyring, NULL, NULL);
  g_clear_object (&self->keyring);
  fixture_until (!has_service (self));
}

static void
end_session (Session *self)
{
  g_dbus_connection_close_sync (self->connection, NULL, NULL);
  g_clear_object (&self->connection);
  g_subprocess_force_exit (self->bus);
  g_subprocess_wait (self->bus, NULL, NULL);
  g_clear_object (&self->bus);
}

/* In another process: this one has no session. */
static void
enable (Session *self)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  const char *argv[] = { program, "--enable", NULL };
  g_autoptr (GSubprocess) process = spawn (self->fixture, argv, G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GError) error = NULL;

  g_subprocess_wait_check (process, NULL, &error);
  g_assert_no_error (error);
}

static int
run_enable (void)
{
  g_autoptr (OcPaths) paths = oc_paths_new_for_user ();
  g_autoptr (OcPlugin) plugin = oc_plugin_load (oc_paths_get_plugins (paths), FIXTURE_ID);
  g_autoptr (GError) error = NULL;
  g_autoptr (OcConsent) consent = NULL;

  if (!oc_consent_enable (paths, plugin, "terminal", NULL, &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  consent = oc_consent_load (paths, NULL);
  return oc_consent_get_protection (consent) == OC_PROTECTION_KEYRING ? 0 : 2;
}

static void
test_keyring (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  Session session = { .fixture = fixture };
  g_autoptr (Ran) unlocked = NULL;
  g_autoptr (Ran) locked = NULL;
  g_autoptr (Ran) gone = NULL;
  g_autoptr (Ran) again = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  if (!fixture_can_run (fixture))
    return;
  g_assert_cmpint (g_unlink (oc_paths_get_consent (fixture->paths)), ==, 0);
  start_bus (&session);
  start_keyring (&session, TRUE);
  enable (&session);
  g_assert_true (g_file_get_contents (oc_paths_get_consent (fixture->paths), &before, NULL, NULL));
  unlocked = fixture_run (fixture, "echo", NULL);
  ran_assert (unlocked, 0, "done");

  stop_keyring (&session);
  start_keyring (&session, FALSE);
  locked = fixture_run (fixture, "echo", NULL);
  ran_assert (locked, 7, "not-run");
  g_assert_nonnull (ran_get (locked, "remedy"));
  /* No Secret Service at all is no way round it either. */
  stop_keyring (&session);
  gone = fixture_run (fixture, "echo", NULL);
  ran_assert (gone, 7, "not-run");
  g_assert_true (g_file_get_contents (oc_paths_get_consent (fixture->paths), &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);

  start_keyring (&session, TRUE);
  again = fixture_run (fixture, "echo", NULL);
  ran_assert (again, 0, "done");
  stop_keyring (&session);
  end_session (&session);
}

/* The keyring stops answering while the plugin runs, and its consent may have changed: the loop that ends runs in time is not
 * held up by it, and what cannot be learned in time is no permission. */
static void
test_keyring_hangs (void)
{
  static const struct
  {
    const char *timeout;
    int exit;
    const char *outcome;
    int within_ms;
  } cases[] = { { "800", 8, "time-out", 2500 }, { "15000", 7, "revoked", 5500 } };
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);
  Session session = { .fixture = fixture };

  if (!fixture_can_run (fixture))
    return;
  g_assert_cmpint (g_unlink (oc_paths_get_consent (fixture->paths)), ==, 0);
  start_bus (&session);
  start_keyring (&session, TRUE);
  enable (&session);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint others = fixture_count_processes (fixture); /* the bus and the keyring */
      g_autoptr (GSubprocess) process = fixture_start (fixture, "hang", "--timeout", cases[i].timeout, NULL);
      g_autoptr (Ran) ran = NULL;
      gint64 began;

      fixture_until (fixture_exists (fixture, "hanging"));
      g_unlink (marker);
      g_subprocess_send_signal (session.keyring, SIGSTOP);
      began = g_get_monotonic_time ();
      g_assert_cmpint (utimensat (AT_FDCWD, oc_paths_get_consent (fixture->paths), NULL, 0), ==, 0);
      ran = fixture_wait (process);
      g_subprocess_send_signal (session.keyring, SIGCONT);
      ran_assert (ran, cases[i].exit, cases[i].outcome);
      g_assert_cmpint ((g_get_monotonic_time () - began) / 1000, <, cases[i].within_ms);
      g_assert_cmpuint (fixture_count_processes (fixture), ==, others);
    }
  stop_keyring (&session);
  end_session (&session);
}

int
main (int argc,
      char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--enable") == 0)
    return run_enable ();
  fixture_init (&argc, &argv);
  g_test_add_func ("/keyring/whole-run", test_keyring);
  g_test_add_func ("/keyring/hangs", test_keyring_hangs);
  return g_test_run ();
}
