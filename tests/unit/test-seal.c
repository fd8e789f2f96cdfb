/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <libsecret/secret.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-consent.h"
#include "core/oc-error.h"
#include "core/oc-seal-private.h"
#include "bus.h"
#include "home.h"

#define A "org.example.a"

static char *program; /* this test's own file: what touches the shared bus connection runs in a process of its own */

/* ---- the other process ---- */

static int
print_key (OcSealKey *key,
           GError *error)
{
  g_autofree char *sign = NULL;

  if (key == NULL)
    {
      g_print ("%s", g_error_matches (error, OC_ERROR, OC_ERROR_LOCKED) ? "locked" : error->message);
      return 0;
    }
  sign = oc_seal_key_sign (key, "text", 4);
  g_print ("%s %s", oc_protection_to_id (oc_seal_key_get_protection (key)), sign);
  oc_seal_key_unref (key);
  return 0;
}

static int
delete_key (void)
{
  static const SecretSchema schema = { "org.ocelot.Plugins.ConsentKey", SECRET_SCHEMA_NONE,
                                       { { "folder", SECRET_SCHEMA_ATTRIBUTE_STRING }, { NULL, 0 } } };

  g_print ("%s", secret_password_clear_sync (&schema, NULL, NULL, NULL) ? "deleted" : "none");
  return 0;
}

static int
run_child (const char *task,
           const char *data)
{
  g_autofree char *policy = g_build_filename (data, "..", "policy", NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (data, NULL, policy);
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (OcPlugin) plugin = NULL;
  GError *error = NULL;
  OcProtection protection;

  if (strcmp (task, "probe") == 0)
    {
      protection = oc_seal_probe (NULL, &error);
      g_print ("%s", error != NULL ? "locked" : oc_protection_to_id (protection));
    }
  else if (strcmp (task, "find") == 0)
    {
      OcSealKey *key = oc_seal_find_key (paths, OC_PROTECTION_KEYRING, NULL, &error);

      return print_key (key, error);
    }
  else if (strcmp (task, "make") == 0)
    {
      OcSealKey *key = oc_seal_make_key (paths, OC_PROTECTION_KEYRING, NULL, &error);

      return print_key (key, error);
    }
  else if (strcmp (task, "unlock") == 0)
    g_print ("%s", oc_seal_unlock (NULL, &error) ? "unlocked" : "locked");
  else if (strcmp (task, "delete") == 0)
    return delete_key ();
  else if (strcmp (task, "enable") == 0)
    {
      plugin = oc_plugins_find (paths, A, NULL);
      g_print ("%s", oc_consent_enable (paths, plugin, "terminal", NULL, &error) ? "enabled" : error->message);
    }
  else if (strcmp (task, "load") == 0)
    {
      consent = oc_consent_load (paths, NULL);
      g_print ("%s %s %s", oc_consent_outcome_to_id (oc_consent_get_outcome (consent)),
               oc_protection_to_id (oc_consent_get_protection (consent)),
               oc_consent_look_up (consent, A) != NULL ? "granted" : "nothing");
    }
  return 0;
}

/* What the task prints, done in another process on @bus (nullable: none). */
static char *
ask_at (const char *address,
        const char *task,
        const char *data)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *errors = NULL;
  char *answer = NULL;

  if (address != NULL)
    g_subprocess_launcher_setenv (launcher, "DBUS_SESSION_BUS_ADDRESS", address, TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, program, "--child", task, data, NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &answer, &errors, &error);
  g_assert_no_error (error);
  if (!g_subprocess_get_successful (process))
    g_error ("%s: %s", task, errors);
  return answer;
}

#define assert_answer(address, task, data, expected)                                                          \
  G_STMT_START                                                                                                \
  {                                                                                                           \
    g_autofree char *answer_ = ask_at (address, task, data);                                                  \
    g_assert_cmpstr (answer_, ==, expected);                                                                  \
  }                                                                                                           \
  G_STMT_END

/* ---- cases ---- */

static void
test_sign (void)
{
  /* Computed with openssl for 32 bytes 00 to 1f over "text". */
  guint8 bytes[OC_SEAL_KEY_BYTES];
  g_autoptr (OcSealKey) key = NULL;
  g_autofree char *seal = NULL;

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) i;
  key = oc_seal_key_new (OC_PROTECTION_KEY_FILE, bytes);
  seal = oc_seal_key_sign (key, "text", 4);
  g_assert_cmpstr (seal, ==, "27a0eabaf34a3623827e82713f146e82e8c1a889564c6df9e5045f5fc6f61709");
  g_assert_true (oc_seal_key_verify (key, "text", 4, seal));
  g_assert_false (oc_seal_key_verify (key, "texT", 4, seal));
  g_assert_false (oc_seal_key_verify (key, "text", 3, seal));
  g_assert_false (oc_seal_key_verify (key, "text", 4, ""));
  seal[63] ^= 1;
  g_assert_false (oc_seal_key_verify (key, "text", 4, seal));
}

static void
test_encoding (void)
{
  guint8 bytes[OC_SEAL_KEY_BYTES], back[OC_SEAL_KEY_BYTES];
  char hex[OC_SEAL_KEY_HEX + 1];

  g_assert_true (oc_seal_key_fill (bytes, NULL));
  oc_seal_key_encode (bytes, hex);
  g_assert_cmpuint (strlen (hex), ==, OC_SEAL_KEY_HEX);
  g_assert_true (oc_seal_key_decode (hex, OC_SEAL_KEY_HEX, back));
  g_assert_cmpmem (bytes, sizeof bytes, back, sizeof back);
  hex[5] = 'g';
  g_assert_false (oc_seal_key_decode (hex, OC_SEAL_KEY_HEX, back));
  g_assert_false (oc_seal_key_decode (hex, OC_SEAL_KEY_HEX - 1, back));
}

static void
test_key_file (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcSealKey) made = NULL;
  g_autoptr (OcSealKey) found = NULL;
  g_autoptr (OcSealKey) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autofree char *c = NULL;
  struct stat status;

  g_assert_null (oc_seal_find_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_LOCKED);
  g_clear_error (&error);
  made = oc_seal_make_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, &error);
  g_assert_no_error (error);
  found = oc_seal_find_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, &error);
  g_assert_no_error (error);
  again = oc_seal_make_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, &error);
  g_assert_no_error (error);
  a = oc_seal_key_sign (made, "x", 1);
  b = oc_seal_key_sign (found, "x", 1);
  c = oc_seal_key_sign (again, "x", 1);
  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, ==, c);
  g_assert_cmpint (lstat (oc_paths_get_key_file (home->paths), &status), ==, 0);
  g_assert_cmpint (status.st_mode & 07777, ==, 0600);
  g_assert_cmpint (status.st_nlink, ==, 1);
}

static void
test_no_bus (void)
{
  g_autoptr (Home) home = home_new ();

  assert_answer (NULL, "probe", home->data, "key-file");
  assert_answer ("disabled:", "probe", home->data, "key-file");
  /* The address that a login sets where no bus was started. */
  assert_answer ("unix:path=/nonexistent/bus", "probe", home->data, "key-file");
  assert_answer (NULL, "find", home->data, "locked");
  assert_answer (NULL, "make", home->data, "locked");
  assert_answer (NULL, "unlock", home->data, "locked");
}

static void
test_no_service (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Bus) bus = bus_new ();

  home_add_plugin (home, A, "1", "");
  assert_answer (bus->address, "probe", home->data, "key-file");
  assert_answer (bus->address, "make", home->data, "locked");
  assert_answer (bus->address, "enable", home->data, "enabled");
  assert_answer (bus->address, "load", home->data, "valid key-file granted");
}

static void
test_keyring (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Home) other = home_new ();
  g_autoptr (Bus) bus = bus_new ();
  g_autofree char *made = NULL;
  g_autofree char *other_made = NULL;

  bus_start_keyring (bus, TRUE);
  assert_answer (bus->address, "probe", home->data, "keyring");
  assert_answer (bus->address, "find", home->data, "locked");
  made = ask_at (bus->address, "make", home->data);
  g_assert_true (g_str_has_prefix (made, "keyring "));
  assert_answer (bus->address, "find", home->data, made);
  assert_answer (bus->address, "make", home->data, made);
  /* Another data folder has another key. */
  other_made = ask_at (bus->address, "make", other->data);
  g_assert_true (g_str_has_prefix (other_made, "keyring "));
  g_assert_cmpstr (other_made, !=, made);
  assert_answer (bus->address, "find", home->data, made);
  g_assert_false (g_file_test (oc_paths_get_key_file (home->paths), G_FILE_TEST_EXISTS));
  /* Restarted and unlocked with the same password: the same key. */
  bus_stop_keyring (bus);
  assert_answer (bus->address, "find", home->data, "locked");
  bus_start_keyring (bus, TRUE);
  assert_answer (bus->address, "find", home->data, made);
}

static void
test_locked_keyring (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Bus) bus = bus_new ();
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "");
  bus_start_keyring (bus, TRUE);
  assert_answer (bus->address, "enable", home->data, "enabled");
  assert_answer (bus->address, "load", home->data, "valid keyring granted");
  before = home_read_consent (home, &len);
  bus_stop_keyring (bus);
  bus_start_keyring (bus, FALSE);
  assert_answer (bus->address, "find", home->data, "locked");
  assert_answer (bus->address, "make", home->data, "locked");
  assert_answer (bus->address, "load", home->data, "locked keyring nothing");
  {
    g_autofree char *refusal = ask_at (bus->address, "enable", home->data);

    g_assert_nonnull (strstr (refusal, "locked"));
  }
  /* No bus at all does not turn it into a key file either. */
  assert_answer (NULL, "load", home->data, "locked keyring nothing");
  after = home_read_consent (home, &len);
  g_assert_cmpstr (before, ==, after);
  bus_stop_keyring (bus);
  bus_start_keyring (bus, TRUE);
  assert_answer (bus->address, "unlock", home->data, "unlocked");
  assert_answer (bus->address, "load", home->data, "valid keyring granted");
}

/* A service that was never set up: no collection to put a key into, and none is made without asking. */
static void
test_never_set_up (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Bus) bus = bus_new ();

  home_add_plugin (home, A, "1", "");
  bus_start_keyring (bus, FALSE);
  assert_answer (bus->address, "probe", home->data, "keyring");
  assert_answer (bus->address, "make", home->data, "locked");
  {
    g_autofree char *refusal = ask_at (bus->address, "enable", home->data);

    g_assert_cmpstr (refusal, !=, "enabled");
  }
  g_assert_false (g_file_test (oc_paths_get_consent (home->paths), G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (oc_paths_get_key_file (home->paths), G_FILE_TEST_EXISTS));
}

static void
test_key_deleted (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Bus) bus = bus_new ();
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "");
  bus_start_keyring (bus, TRUE);
  assert_answer (bus->address, "enable", home->data, "enabled");
  before = home_read_consent (home, &len);
  assert_answer (bus->address, "delete", home->data, "deleted");
  assert_answer (bus->address, "load", home->data, "locked keyring nothing");
  {
    /* A new key would make the file look forged; nothing is made. */
    g_autofree char *refusal = ask_at (bus->address, "enable", home->data);

    g_assert_cmpstr (refusal, !=, "enabled");
  }
  after = home_read_consent (home, &len);
  g_assert_cmpstr (before, ==, after);
}

/* The strong seal swapped for one that a program of the user's could make itself. */
static void
test_downgrade (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Bus) bus = bus_new ();
  g_autofree char *real = NULL;
  g_autofree char *fake = NULL;
  gsize len;

  home_add_plugin (home, A, "1", "");
  /* The control: made without a keyring, valid without one, and also where one appears later that has no key. */
  assert_answer (bus->address, "enable", home->data, "enabled");
  fake = home_read_consent (home, &len);
  bus_start_keyring (bus, TRUE);
  assert_answer (bus->address, "load", home->data, "valid key-file granted");
  g_assert_cmpint (g_remove (oc_paths_get_consent (home->paths)), ==, 0);
  assert_answer (bus->address, "enable", home->data, "enabled");
  real = home_read_consent (home, &len);
  assert_answer (bus->address, "load", home->data, "valid keyring granted");
  home_write_consent (home, fake, strlen (fake));
  assert_answer (bus->address, "load", home->data, "forged key-file nothing");
  home_write_consent (home, real, strlen (real));
  assert_answer (bus->address, "load", home->data, "valid keyring granted");
}

/* Owns the name and never answers. */
static GDBusMessage *
swallow (GDBusConnection *connection,
         GDBusMessage *message,
         gboolean incoming,
         gpointer user_data)
{
  const char *interface = g_dbus_message_get_interface (message);

  if (incoming && g_dbus_message_get_message_type (message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL
      && g_strcmp0 (interface, "org.freedesktop.DBus.Peer") != 0)
    g_clear_object (&message);
  return message;
}

static void
test_hung_service (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Bus) bus = bus_new ();
  g_autoptr (GVariant) reply = NULL;
  gint64 start = g_get_monotonic_time ();

  g_dbus_connection_add_filter (bus->watcher, swallow, NULL, NULL);
  reply = g_dbus_connection_call_sync (bus->watcher, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                       "RequestName", g_variant_new ("(su)", "org.freedesktop.secrets", 0), NULL, 0, -1, NULL, NULL);
  g_assert_nonnull (reply);
  assert_answer (bus->address, "probe", home->data, "keyring");
  assert_answer (bus->address, "find", home->data, "locked");
  /* Not libsecret's own 25 s and more. */
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

static void
test_hung_bus (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *path = g_build_filename (home->root, "bus", NULL);
  g_autofree char *address = g_strconcat ("unix:path=", path, NULL);
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, 0, NULL);
  g_autoptr (GSocketAddress) bound = g_unix_socket_address_new (path);
  gint64 start = g_get_monotonic_time ();

  g_assert_true (g_socket_bind (socket, bound, FALSE, NULL));
  g_assert_true (g_socket_listen (socket, NULL));
  /* It cannot be told whether there is a keyring: no key file is made up. */
  assert_answer (address, "probe", home->data, "locked");
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

/* A forked child, a sandbox in the making, does not hold the key. */
static void
test_not_in_children (void)
{
  guint8 bytes[OC_SEAL_KEY_BYTES];
  g_autoptr (OcSealKey) key = NULL;
  g_autofree char *seal = NULL;
  int pipes[2];
  char other[OC_SEAL_KEY_HEX + 1] = "";
  pid_t child;

  g_assert_true (oc_seal_key_fill (bytes, NULL));
  key = oc_seal_key_new (OC_PROTECTION_KEY_FILE, bytes);
  seal = oc_seal_key_sign (key, "text", 4);
  g_assert_cmpint (pipe2 (pipes, O_CLOEXEC), ==, 0);
  child = fork ();
  if (child == 0)
    {
      g_autofree char *sign = oc_seal_key_sign (key, "text", 4);

      _exit (write (pipes[1], sign, OC_SEAL_KEY_HEX) == OC_SEAL_KEY_HEX ? 0 : 1);
    }
  close (pipes[1]);
  g_assert_cmpint (read (pipes[0], other, OC_SEAL_KEY_HEX), ==, OC_SEAL_KEY_HEX);
  close (pipes[0]);
  g_assert_cmpstr (other, !=, seal);
}

/* @func needs dbus-daemon and gnome-keyring-daemon. */
static void
add_with_daemons (const char *path,
                  GTestFunc func)
{
  g_autofree char *bus = g_find_program_in_path ("dbus-daemon");
  g_autofree char *keyring = g_find_program_in_path ("gnome-keyring-daemon");

  if (bus == NULL || keyring == NULL)
    {
      g_printerr ("%s needs dbus-daemon and gnome-keyring-daemon\n", path);
      exit (99);
    }
  g_test_add_func (path, func);
}

int
main (int argc,
      char **argv)
{
  if (argc == 4 && strcmp (argv[1], "--child") == 0)
    return run_child (argv[2], argv[3]);
  home_isolate ();
  program = g_file_read_link ("/proc/self/exe", NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/seal/sign-and-verify", test_sign);
  g_test_add_func ("/seal/encoding", test_encoding);
  g_test_add_func ("/seal/key-file", test_key_file);
  g_test_add_func ("/seal/not-in-children", test_not_in_children);
  g_test_add_func ("/seal/no-bus", test_no_bus);
  add_with_daemons ("/seal/no-service", test_no_service);
  add_with_daemons ("/seal/keyring", test_keyring);
  add_with_daemons ("/seal/locked-keyring", test_locked_keyring);
  add_with_daemons ("/seal/never-set-up", test_never_set_up);
  add_with_daemons ("/seal/key-deleted", test_key_deleted);
  add_with_daemons ("/seal/refuses-downgrade-to-key-file", test_downgrade);
  add_with_daemons ("/seal/hung-service", test_hung_service);
  g_test_add_func ("/seal/hung-bus", test_hung_bus);
  return g_test_run ();
}
