/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plugin and its tools are refused inside the sandbox, and where they connect to, is in the run's result and in the log. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/oc-fd.h"
#include "launcher-fixture.h"

static const char *const none[] = { NULL };
static const char *const tools[] = { "process.spawn:python3", "process.spawn:true", NULL };
static const char *const network[] = { "network.client", "process.spawn:python3", NULL };

/* The one in the run's @list with this @method, @detail and beginning of the program; its count, 0 where there is none. */
static gint64
count_told (Ran *ran,
            const char *list,
            const char *method,
            const char *detail,
            const char *program)
{
  JsonArray *array = json_object_get_array_member (json_node_get_object (ran->root), list);

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *item = json_array_get_object_element (array, i);

      if (strcmp (json_object_get_string_member (item, "method"), method) == 0 &&
          strcmp (json_object_get_string_member (item, "detail"), detail) == 0 && !json_object_get_null_member (item, "program") &&
          g_str_has_prefix (json_object_get_string_member (item, "program"), program))
        return json_object_get_int_member (item, "count");
    }
  return 0;
}

/* What `ocelotctl log` prints, on one line. */
static char *
dup_log (Fixture *self)
{
  g_autofree char *folder = g_path_get_dirname (g_getenv ("OC_TEST_LAUNCHER"));
  g_autofree char *program = g_build_filename (folder, "..", "cli", "ocelotctl", NULL);
  const char *argv[] = { program, "log", FIXTURE_ID, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) blank = g_regex_new ("\\s+", 0, 0, NULL);
  g_autofree char *out = NULL;
  int status = 0;

  g_spawn_sync (NULL, (char **) argv, self->env, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  return g_regex_replace_literal (blank, out, -1, 0, " ", 0, NULL);
}

#define assert_has(text, part)                                                                                           \
  G_STMT_START                                                                                                           \
  {                                                                                                                      \
    if (strstr ((text), (part)) == NULL)                                                                                 \
      g_error ("%s: “%s” is not in: %s", G_STRLOC, (part), (text));                                                      \
  }                                                                                                                      \
  G_STMT_END

static void
test_refused (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  g_autofree char *result = NULL;
  g_autofree char *log = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "refused-sockets", NULL);
  ran_assert (ran, 0, "done");
  result = ran_dup_result (ran);
  g_assert_cmpstr (result, ==, "[13,13,13,13]");
  g_assert_cmpint (count_told (ran, "refused", "socket", "AF_INET", "python3"), ==, 3);
  g_assert_cmpint (count_told (ran, "refused", "local-socket", "AF_UNIX", "python3"), ==, 1);
  g_assert_cmpint (ran_count (ran, "refused", "network.client"), ==, 3);
  log = dup_log (fixture);
  assert_has (log, "tried to open a network socket (3 times)");
  assert_has (log, "tried to open a local socket, to reach another program");
  assert_has (log, "refused: python3");
}

static void
test_tool (void)
{
  g_autoptr (Fixture) fixture = fixture_new (tools);
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) control = NULL;
  g_autoptr (JsonArray) quiet = NULL;
  g_autofree char *log = NULL;

  if (!fixture_can_run (fixture))
    return;
  quiet = fixture_call (fixture, "[{\"method\":\"process.spawn\",\"params\":{\"tool\":\"true\"}}]", NULL, &control);
  g_assert_cmpint (count_told (control, "refused", "socket", "AF_INET6", "python3"), ==, 0);
  outcomes = fixture_call (fixture,
                           "[{\"method\":\"process.spawn\",\"params\":{\"tool\":\"python3\",\"args\":[\"-c\","
                           "\"import socket; socket.socket (socket.AF_INET6)\"]}}]",
                           NULL, &ran);
  g_assert_cmpint (outcome_code (outcomes, 0), ==, 0);
  g_assert_cmpint (count_told (ran, "refused", "socket", "AF_INET6", "python3"), ==, 1);
  log = dup_log (fixture);
  assert_has (log, "tried to open a network socket");
}

static int
listen_somewhere (Fixture *self)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  socklen_t length = sizeof address;
  g_autofree char *path = g_build_filename (self->data_folder, "port", NULL);
  g_autofree char *text = NULL;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  g_assert_no_errno (bind (fd, (struct sockaddr *) &address, sizeof address));
  g_assert_no_errno (listen (fd, 8));
  g_assert_no_errno (getsockname (fd, (struct sockaddr *) &address, &length));
  text = g_strdup_printf ("%d", ntohs (address.sin_port));
  g_assert_cmpint (g_mkdir_with_parents (self->data_folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return fd;
}

static void
test_connection (void)
{
  g_autoptr (Fixture) fixture = fixture_new (network);
  g_auto (OcFd) server = listen_somewhere (fixture);
  g_autofree char *path = g_build_filename (fixture->data_folder, "port", NULL);
  g_autofree char *port = NULL;
  g_autofree char *where = NULL;
  g_autofree char *result = NULL;
  g_autofree char *sentence = NULL;
  g_autofree char *log = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  g_assert_true (g_file_get_contents (path, &port, NULL, NULL));
  where = g_strconcat ("127.0.0.1:", port, NULL);
  ran = fixture_run (fixture, "connect", NULL);
  ran_assert (ran, 0, "done");
  result = ran_dup_result (ran);
  g_assert_cmpstr (result, ==, "0");
  /* The worker calls itself by its file's name; the tool is python3. */
  g_assert_cmpint (count_told (ran, "used", "connect", where, "python3"), >=, 1);
  g_assert_cmpint (ran_count (ran, "used", "network.client"), >=, 2);
  g_assert_cmpint (ran_count (ran, "refused", "network.client"), ==, 0);
  log = dup_log (fixture);
  sentence = g_strconcat ("asked for a connection to ", where, NULL);
  assert_has (log, sentence);
  assert_has (log, "used: python3");
}

/* Nothing but refused calls, from eight threads: the run's time-out holds, and the record stays small. */
static void
test_flood (void)
{
  g_autoptr (Fixture) fixture = fixture_new (none);
  g_autoptr (Ran) ran = NULL;
  gint64 begin = g_get_monotonic_time ();

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "flood-refused", "--timeout", "1500", NULL);
  ran_assert (ran, 8, "time-out");
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 10 * G_USEC_PER_SEC);
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 2500);
  g_assert_cmpint (ran_count (ran, "refused", "network.client"), >, 1000);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (json_node_get_object (ran->root), "refused")), <, 5);
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/told/refused", test_refused);
  g_test_add_func ("/told/tool", test_tool);
  g_test_add_func ("/told/connection", test_connection);
  g_test_add_func ("/told/flood", test_flood);
  return g_test_run ();
}
