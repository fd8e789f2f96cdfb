/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* openURL, to a desktop of made-up applications: what reaches them, and what does not. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "desktop-home.h"

static const char *const all[] = { "openURL", "app.open:org.x.Files", "process.spawn:sleep", NULL };
static const char *const sleep_a_while = "{\"method\":\"process.spawn\",\"params\":{\"tool\":\"sleep\",\"args\":[\"2.1\"]}}";

static Fixture *
new_desktop (void)
{
  Fixture *fixture = fixture_new (all);

  desktop_prepare (fixture);
  desktop_add (fixture, "browser", "PROGRAM %u", NULL);
  desktop_add (fixture, "mailer", "PROGRAM --mail %U", NULL);
  desktop_set_default (fixture, "http", "browser");
  desktop_set_default (fixture, "https", "browser");
  desktop_set_default (fixture, "mailto", "mailer");
  return fixture;
}

static void
test_opens (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  GString *calls = g_string_new (NULL);
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  desktop_add_url (calls, "https://example.org/a;b?q='$(id)&r=%20#f");
  desktop_add_url (calls, "mailto:me@example.org?subject=a%20b&body=one%0Atwo");
  desktop_add_url (calls, "HTTP://Example.org/é");
  outcomes = desktop_call (fixture, calls, NULL, &ran);
  for (guint i = 0; i < 3; i++)
    desktop_assert_opened (outcomes, i);
  desktop_assert_started (fixture, "<https://example.org/a;b?q='$(id)&r=%20#f>\n",
                  "<--mail>\n<mailto:me@example.org?subject=a%20b&body=one%0Atwo>\n", "<http://example.org/%C3%A9>\n", NULL);
  g_assert_cmpint (ran_count (ran, "used", "openURL"), ==, 3);
  g_assert_nonnull (strstr (ran->out, "\"detail\":\"https://example.org/a;b"));
  g_string_free (calls, TRUE);
}

static void
assert_null_device (JsonObject *fds,
                    const char *fd)
{
  g_assert_cmpstr (json_object_get_string_member (fds, fd), ==, "/dev/null");
}

/* Whatever the launcher has is not the browser's, and it outlives the launcher, whose answer does not wait for it. */
static void
test_gives_nothing (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  g_autoptr (JsonObject) started = NULL;
  g_autoptr (JsonArray) outcomes = NULL;
  g_autofree char *argument = NULL;
  GString *calls = g_string_new (NULL);
  JsonObject *environ_seen;
  JsonObject *status;
  JsonObject *fds;
  pid_t pid;

  if (!fixture_can_run (fixture))
    return;
  desktop_add (fixture, "browser", "PROGRAM linger %u", NULL);
  fixture->env = g_environ_setenv (fixture->env, "OF_THE_SESSION", "yes", TRUE);
  fixture->env = g_environ_setenv (fixture->env, "DESKTOP_STARTUP_ID", "of the host", TRUE);
  fixture->env = g_environ_setenv (fixture->env, "XDG_ACTIVATION_TOKEN", "of the host", TRUE);
  desktop_add_url (calls, "https://example.org/");
  /* Returns, though the browser runs on: it holds no pipe that is read to its end here. */
  outcomes = desktop_call (fixture, calls, NULL, NULL);
  desktop_assert_opened (outcomes, 0);
  started = desktop_take (fixture);
  argument = desktop_get_argument (started, 1);
  g_assert_cmpstr (argument, ==, "https://example.org/");

  pid = (pid_t) json_object_get_int_member (started, "pid");
  g_assert_cmpint (kill (pid, 0), ==, 0);
  fds = json_object_get_object_member (started, "fds");
  assert_null_device (fds, "0");
  assert_null_device (fds, "1");
  assert_null_device (fds, "2");
  g_assert_cmpuint (json_object_get_size (fds), ==, 3);
  /* Its session is not the one of this test, which the launcher is in. */
  g_assert_cmpint (json_object_get_int_member (started, "sid"), !=, getsid (0));
  g_assert_cmpint (json_object_get_int_member (started, "pgid"), !=, getpgid (0));
  g_assert_cmpstr (json_object_get_string_member (started, "cwd"), ==, fixture->root);

  status = json_object_get_object_member (started, "status");
  g_assert_cmpstr (json_object_get_string_member (status, "NoNewPrivs"), ==, "0");
  g_assert_cmpstr (json_object_get_string_member (status, "Seccomp"), ==, "0");
  g_assert_cmpstr (json_object_get_string_member (status, "SigBlk"), ==, "0000000000000000");
  g_assert_cmpstr (json_object_get_string_member (status, "Umask"), ==, "0022");

  environ_seen = json_object_get_object_member (started, "environ");
  for (guint i = 0; fixture->env[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (fixture->env[i], strcspn (fixture->env[i], "="));
      gboolean is_token = g_str_equal (name, "DESKTOP_STARTUP_ID") || g_str_equal (name, "XDG_ACTIVATION_TOKEN");
      const char *value = json_object_get_string_member_with_default (environ_seen, name, NULL);

      g_assert_cmpstr (value, ==, is_token ? NULL : g_environ_getenv (fixture->env, name));
      json_object_remove_member (environ_seen, name);
    }
  /* GLib's own, and Python's. */
  json_object_remove_member (environ_seen, "GIO_LAUNCHED_DESKTOP_FILE");
  json_object_remove_member (environ_seen, "GIO_LAUNCHED_DESKTOP_FILE_PID");
  json_object_remove_member (environ_seen, "LC_CTYPE");
  g_assert_cmpuint (json_object_get_size (environ_seen), ==, 0);

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_string_free (calls, TRUE);
}

/* A sample of what tests/unit/test-url.c has in full: refused, recorded, and nothing is started. */
static void
test_refuses_addresses (void)
{
  static const struct
  {
    const char *url;
    const char *reason;
  } cases[] = {
    { "file:///etc/passwd", "url-scheme" },
    { "javascript:alert(1)", "url-scheme" },
    { "https://me@example.org/", "url-credentials" },
    { "https://bank.example\\\\@evil.example/", "url-character" },
    { "https://example.org/\\n", "url-hidden" },
    { "https://", "url-host" },
    { "mailto:?attach=/etc/passwd", "mail-attachment" },
    { "mailto:?subject=a%0d%0aBcc:x@example.org", "url-hidden" },
    { "--help", "url-malformed" },
  };
  g_autoptr (Fixture) fixture = new_desktop ();
  g_autofree char *filler = g_strnfill (2049 - strlen ("https://example.org/"), 'x');
  g_autofree char *longest = g_strconcat ("https://example.org/", filler + 1, NULL);
  g_autofree char *longer = g_strconcat ("https://example.org/", filler, NULL);
  g_autofree char *line = NULL;
  GString *calls = g_string_new (NULL);
  guint n = G_N_ELEMENTS (cases);
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *call = g_strdup_printf ("{\"method\":\"openURL\",\"params\":{\"url\":\"%s\"}}", cases[i].url);

      desktop_add_call (calls, call);
    }
  desktop_add_url (calls, longer);
  desktop_add_call (calls, "{\"method\":\"openURL\",\"params\":{\"url\":5}}");
  desktop_add_url (calls, longest);
  outcomes = desktop_call (fixture, calls, NULL, &ran);
  for (guint i = 0; i < n; i++)
    desktop_assert_refused (outcomes, i, DESKTOP_REFUSED, cases[i].reason);
  desktop_assert_refused (outcomes, n, DESKTOP_REFUSED, "url-too-long");
  desktop_assert_refused (outcomes, n + 1, DESKTOP_INVALID_PARAMS, NULL);
  desktop_assert_opened (outcomes, n + 2);
  line = g_strdup_printf ("<%s>\n", longest);
  desktop_assert_started (fixture, line, NULL);
  g_assert_cmpint (ran_count (ran, "refused", "openURL"), ==, n + 1);
  g_assert_cmpint (ran_count (ran, "used", "openURL"), ==, 1);
  g_string_free (calls, TRUE);
}

static JsonArray *
open_one (Fixture *fixture,
          Ran **ran)
{
  GString *calls = g_string_new (NULL);
  JsonArray *outcomes;

  desktop_add_url (calls, "https://example.org/");
  outcomes = desktop_call (fixture, calls, NULL, ran);
  g_string_free (calls, TRUE);
  return outcomes;
}

/* Why nothing could be opened: told apart, and to the plugin without the names of the user's files. */
static void
test_tells_faults (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  g_autoptr (Ran) ran = NULL;
  struct
  {
    const char *exec;
    const char *display;
    gint64 code;
    const char *reason;
  } cases[] = {
    { "PROGRAM %u", ":4711", 0, NULL },
    { "PROGRAM %u", "", DESKTOP_FAILED, "no-display" },
    { "/nonexistent/browser %u", ":4711", DESKTOP_NOT_FOUND, "handler-missing" },
    { NULL, ":4711", DESKTOP_NOT_FOUND, "no-handler" },
    { "PROGRAM", ":4711", DESKTOP_NOT_FOUND, "no-handler" }, /* no place for an address */
    { "PROGRAM %u", ":4711", 0, NULL },
  };

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *file = g_build_filename (fixture->root, "share/applications/browser.desktop", NULL);
      g_autoptr (JsonArray) outcomes = NULL;

      g_unlink (file);
      if (cases[i].exec != NULL)
        desktop_add (fixture, "browser", cases[i].exec, NULL);
      fixture->env = g_environ_setenv (fixture->env, "DISPLAY", cases[i].display, TRUE);
      g_clear_pointer (&ran, ran_free);
      outcomes = open_one (fixture, &ran);
      g_assert_cmpint (ran_count (ran, "used", "openURL"), ==, cases[i].reason == NULL);
      if (cases[i].reason == NULL)
        {
          desktop_assert_opened (outcomes, 0);
          desktop_assert_started (fixture, "<https://example.org/>\n", NULL);
          continue;
        }
      desktop_assert_refused (outcomes, 0, cases[i].code, cases[i].reason);
      g_assert_null (strstr (outcome_get (outcomes, 0, "message"), "/"));
      if (g_strcmp0 (cases[i].reason, "handler-missing") == 0)
        g_assert_nonnull (strstr (ran->out, "/nonexistent/browser"));
    }
  g_assert_cmpuint (desktop_count (fixture), ==, 0);
}

/* Three at once, ten in all; both methods count together. */
static void
test_limits (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  const char *selection[] = { fixture->root, NULL };
  GString *calls = g_string_new (NULL);
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;
  guint opened = 0;

  if (!fixture_can_run (fixture))
    return;
  desktop_add (fixture, "org.x.Files", "PROGRAM %f", NULL);
  for (guint round = 0; round < 4; round++)
    {
      desktop_add_url (calls, "https://example.org/");
      desktop_add_url (calls, "https://example.org/");
      desktop_add_folder (calls, "org.x.Files", fixture->root);
      desktop_add_url (calls, "https://example.org/");
      desktop_add_call (calls, sleep_a_while);
    }
  outcomes = desktop_call (fixture, calls, selection, &ran);
  for (guint i = 0; i < 15; i++)
    if (i % 5 < 3)
      desktop_assert_opened (outcomes, i);
    else if (i % 5 == 3)
      desktop_assert_refused (outcomes, i, DESKTOP_REFUSED, "too-fast");
  desktop_assert_opened (outcomes, 15);
  for (guint i = 16; i < 19; i++)
    desktop_assert_refused (outcomes, i, DESKTOP_REFUSED, "too-many");
  fixture_until (desktop_count (fixture) >= 10);
  while (desktop_count (fixture) > 0)
    {
      g_autoptr (JsonObject) started = desktop_take (fixture);

      opened++;
    }
  g_assert_cmpuint (opened, ==, 10);
  g_assert_cmpint (ran_count (ran, "used", "openURL"), ==, 7);
  g_assert_cmpint (ran_count (ran, "refused", "openURL"), ==, 5);
  g_string_free (calls, TRUE);
}

/* With spaces for NUL. */
static char *
read_proc (const char *pid,
           const char *name)
{
  g_autofree char *path = g_build_filename ("/proc", pid, name, NULL);
  char *text = NULL;
  gsize len = 0;

  if (!g_file_get_contents (path, &text, &len, NULL))
    return g_strdup ("");
  for (gsize i = 0; i < len; i++)
    if (text[i] == '\0')
      text[i] = ' ';
  return text;
}

/* This home's ocelot-desktop, as it waits for a file to be opened. */
static gboolean
is_waiting (Fixture *fixture)
{
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  g_autofree char *call = g_strdup_printf ("%d ", SYS_openat);
  const char *pid;

  while ((pid = g_dir_read_name (proc)) != NULL)
    {
      g_autofree char *name = g_ascii_isdigit (*pid) ? read_proc (pid, "comm") : NULL;
      g_autofree char *environment = g_strcmp0 (name, "ocelot-desktop\n") == 0 ? read_proc (pid, "environ") : NULL;
      g_autofree char *syscall = environment && strstr (environment, fixture->root) ? read_proc (pid, "syscall") : NULL;

      if (syscall != NULL && g_str_has_prefix (syscall, call))
        return TRUE;
    }
  return FALSE;
}

/* A run that waits for the desktop to find its browser, which it does not come to: a list of defaults that nobody writes is
 * waited for when it is opened. */
static GSubprocess *
start_and_wait (Fixture *fixture,
                const char *list)
{
  g_autoptr (JsonArray) outcomes = open_one (fixture, NULL);
  GSubprocess *process;

  /* As a control, and for what it leaves for the next run to call. */
  desktop_assert_opened (outcomes, 0);
  desktop_assert_started (fixture, "<https://example.org/>\n", NULL);
  g_assert_cmpint (g_unlink (list), ==, 0);
  g_assert_cmpint (mkfifo (list, 0600), ==, 0);
  process = fixture_start (fixture, "api", NULL);
  fixture_until (is_waiting (fixture));
  return process;
}

static void
assert_nobody_waits (Fixture *fixture,
                     const char *list)
{
  fixture_until (fixture_count_processes (fixture) == 0);
  g_assert_cmpint (open (list, O_WRONLY | O_NONBLOCK | O_CLOEXEC), ==, -1);
  g_assert_cmpint (errno, ==, ENXIO);
  g_assert_cmpuint (desktop_count (fixture), ==, 0);
}

/* Revoked in between: it is not opened any more, and nothing is left. */
static void
test_revoked (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  g_autofree char *list = g_build_filename (fixture->root, "config/mimeapps.list", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  process = start_and_wait (fixture, list);
  fixture_disable (fixture);
  ran = fixture_wait (process);
  ran_assert (ran, 3, "revoked");
  assert_nobody_waits (fixture, list);
}

/* So it is where the launcher is stopped, and where it is killed and can end nothing itself. */
static void
test_stopped (void)
{
  static const int signals[] = { SIGTERM, SIGKILL };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (Fixture) fixture = new_desktop ();
      g_autofree char *list = g_build_filename (fixture->root, "config/mimeapps.list", NULL);
      g_autoptr (GSubprocess) process = NULL;

      if (!fixture_can_run (fixture))
        return;
      process = start_and_wait (fixture, list);
      g_subprocess_send_signal (process, signals[i]);
      g_subprocess_wait (process, NULL, NULL);
      assert_nobody_waits (fixture, list);
    }
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/open/addresses", test_opens);
  g_test_add_func ("/open/gives-nothing-of-the-launcher", test_gives_nothing);
  g_test_add_func ("/open/refuses-addresses", test_refuses_addresses);
  g_test_add_func ("/open/tells-faults-apart", test_tells_faults);
  g_test_add_func ("/open/limits", test_limits);
  g_test_add_func ("/open/revoked-in-between", test_revoked);
  g_test_add_func ("/open/stopped-in-between", test_stopped);
  return g_test_run ();
}
