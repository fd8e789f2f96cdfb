/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Named hosts, from inside a real sandbox to a server on this computer and past it. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "launcher/oc-executor.h"
#include "net-host.h"

#define EXIT_RAN 0
#define EXIT_REFUSED 10
#define NAME "api.example.com"

static void
test_listed (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  test_resolver_add (net->resolver, NAME, STRV ("127.0.0.1"));
  lines = net_probe (net, STRV (NAME ":%p"),
                     STRV ("resolve", NAME, "1", "127.0.0.1", "resolve", "API.example.COM", "1",
                           "9.9.9.9", "resolve", NAME, "28", "127.0.0.1", "get", NAME, "%p",
                           "hello"));
  g_assert_cmpstr (lines[0], ==, "198.18.0.1");
  g_assert_cmpstr (lines[1], ==, "198.18.0.1");
  g_assert_cmpstr (lines[2], ==, "EMPTY");
  g_assert_cmpstr (lines[3], ==, "echo: hello");
  g_assert_true (net_has_record (net, TRUE, "net:" NAME ":%p", "connect", NAME ":%p"));
  g_assert_cmpuint (net_count_records (net, FALSE), ==, 0);
  g_assert_cmpuint (test_resolver_count (net->resolver, NAME), ==, 1);
}

static void
test_unlisted (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  test_resolver_add (net->resolver, "evil.example.com", STRV ("127.0.0.1"));
  lines = net_probe (net, STRV (NAME, "localhost:%p"),
                     STRV ("resolve", "evil.example.com", "1", "127.0.0.1", "resolve",
                           "example.com", "1", "127.0.0.1", "resolve", "x." NAME, "16", "127.0.0.1",
                           "resolve", "127.0.0.1", "1", "127.0.0.1", "resolve", "0x7f000001", "1",
                           "127.0.0.1", "resolve", "127.1", "1", "127.0.0.1", "get", "localhost",
                           "%p", "control"));
  for (int i = 0; i < 6; i++)
    g_assert_cmpstr (lines[i], ==, "NXDOMAIN");
  g_assert_cmpstr (lines[6], ==, "echo: control");
  g_assert_true (
      net_has_record (net, FALSE, "net:evil.example.com", "resolve", "evil.example.com"));
  g_assert_true (net_has_record (net, FALSE, "net:x." NAME, "resolve", "x." NAME));
  /* These are no names, so no permission could let them be reached. */
  g_assert_true (net_has_record (net, FALSE, "net", "resolve", "127.1"));
  g_assert_true (net_has_record (net, FALSE, "net", "resolve", "0x7f000001"));
  g_assert_true (net_has_record (net, TRUE, "net:localhost:%p", "connect", "localhost:%p"));
  /* No question has left for another name. */
  g_assert_cmpuint (test_resolver_count (net->resolver, "evil.example.com"), ==, 0);
}

static void
test_literal (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;
  g_auto (GStrv) allowed = NULL;

  test_resolver_add (net->resolver, NAME, STRV ("127.0.0.1"));
  lines = net_probe (net, STRV (NAME, NAME ":%p"),
                     STRV ("get", "1.1.1.1", "443", "x", "get", "127.0.0.1", "%p", "x", "get",
                           "0.0.0.0", "%p", "x", "get", "1.1.1.1", "8443", "x", "get",
                           "2001:4860:4860::8888", "443", "x", "get", "::1", "%p", "x", "get",
                           "::ffff:127.0.0.1", "%p", "x", "get", NAME, "%p", "control"));
  /* Taken inside, and reset by the broker, which is seen as this error or that one; refused at once where nothing listens. */
  for (int i = 0; i < 3; i++)
    g_assert_false (g_str_has_prefix (lines[i], "echo"));
  g_assert_cmpstr (lines[3], ==, "ECONNREFUSED");
  for (int i = 4; i < 7; i++)
    g_assert_false (g_str_has_prefix (lines[i], "echo"));
  g_assert_cmpstr (lines[7], ==, "echo: control");
  g_assert_cmpuint ((guint)g_atomic_int_get ((int *)&net->n_served), ==, 1);
  g_assert_true (net_has_record (net, FALSE, "net:1.1.1.1", "connect", "1.1.1.1:443"));
  g_assert_true (net_has_record (net, FALSE, "net:127.0.0.1:%p", "connect", "127.0.0.1:%p"));
  g_assert_true (net_has_record (net, FALSE, "net:1.1.1.1:8443", "connect", "1.1.1.1:8443"));
  g_assert_true (net_has_record (net, FALSE, "net:[2001:4860:4860::8888]", "connect",
                                 "[2001:4860:4860::8888]:443"));
  /* The same, consented to as such. */
  allowed = net_probe (net, STRV ("127.0.0.1:%p"), STRV ("get", "127.0.0.1", "%p", "literal"));
  g_assert_cmpstr (allowed[0], ==, "echo: literal");
  g_assert_true (net_has_record (net, TRUE, "net:127.0.0.1:%p", "connect", "127.0.0.1:%p"));
}

static void
test_port (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  test_resolver_add (net->resolver, NAME, STRV ("127.0.0.1"));
  test_resolver_add (net->resolver, "b.example.com", STRV ("127.0.0.1"));
  /* The port is another host's, so something listens there. */
  lines = net_probe (net, STRV (NAME, "b.example.com:%p"),
                     STRV ("get", NAME, "%p", "x", "get", NAME, "22", "x", "get", "b.example.com",
                           "443", "x", "get", "b.example.com", "%p", "control"));
  g_assert_true (strcmp (lines[0], "ECONNRESET") == 0 || strcmp (lines[0], "EPIPE") == 0);
  g_assert_cmpstr (lines[1], ==, "ECONNREFUSED");
  g_assert_true (strcmp (lines[2], "ECONNRESET") == 0 || strcmp (lines[2], "EPIPE") == 0);
  g_assert_cmpstr (lines[3], ==, "echo: control");
  g_assert_true (net_has_record (net, FALSE, "net:" NAME ":%p", "connect", NAME ":%p"));
  g_assert_true (net_has_record (net, FALSE, "net:" NAME ":22", "connect", NAME ":22"));
  g_assert_true (net_has_record (net, FALSE, "net:b.example.com", "connect", "b.example.com:443"));
}

/* The rules of the product, not those of the other tests: what a name leads to must be of the
 * Internet. */
static void
test_led_astray (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  net->policy.check = NULL;
  test_resolver_add (net->resolver, "loop.example.com", STRV ("127.0.0.1"));
  test_resolver_add (net->resolver, "mixed.example.com", STRV ("198.41.0.4", "127.0.0.1"));
  test_resolver_add (net->resolver, "mapped.example.com", STRV ("::ffff:127.0.0.1"));
  test_resolver_add (net->resolver, "meta.example.com", STRV ("169.254.169.254"));
  test_resolver_add (net->resolver, "lan.example.com", STRV ("192.168.1.1"));
  test_resolver_add (net->resolver, "never.example.com", STRV (NULL));
  lines = net_probe (net,
                     STRV ("loop.example.com:%p", "mixed.example.com:%p", "mapped.example.com:%p",
                           "meta.example.com:%p", "lan.example.com:%p", "unknown.example.com:%p",
                           "localhost:%p"),
                     STRV ("get", "loop.example.com", "%p", "x", "get", "mixed.example.com", "%p",
                           "x", "get", "mapped.example.com", "%p", "x", "get", "meta.example.com",
                           "%p", "x", "get", "lan.example.com", "%p", "x", "get",
                           "unknown.example.com", "%p", "x", "get", "localhost", "%p", "control"));
  for (int i = 0; i < 6; i++)
    g_assert_true (strcmp (lines[i], "ECONNRESET") == 0 || strcmp (lines[i], "EPIPE") == 0);
  g_assert_cmpstr (lines[6], ==, "echo: control");
  g_assert_cmpuint ((guint)g_atomic_int_get ((int *)&net->n_served), ==, 1);
  g_assert_true (net_has_record (net, FALSE, "net:loop.example.com:%p", "connect",
                                 "loop.example.com:%p → 127.0.0.1 (loopback)"));
  g_assert_true (net_has_record (net, FALSE, "net:mixed.example.com:%p", "connect",
                                 "mixed.example.com:%p → 127.0.0.1 (loopback)"));
  g_assert_true (net_has_record (net, FALSE, "net:meta.example.com:%p", "connect",
                                 "meta.example.com:%p → 169.254.169.254 (link-local)"));
  g_assert_true (net_has_record (net, FALSE, "net:lan.example.com:%p", "connect",
                                 "lan.example.com:%p → 192.168.1.1 (private)"));
}

/* A name that is good when it is checked and another when it is dialled: there is no second
 * question. */
static void
test_rebinding (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  test_resolver_add (net->resolver, NAME, STRV ("127.0.0.1"));
  test_resolver_add (net->resolver, NAME, STRV ("10.0.0.1"));
  lines = net_probe (net, STRV (NAME ":%p"),
                     STRV ("get", NAME, "%p", "first", "get", NAME, "%p", "second"));
  g_assert_cmpstr (lines[0], ==, "echo: first");
  g_assert_cmpstr (lines[1], ==, "echo: second");
  g_assert_cmpuint (test_resolver_count (net->resolver, NAME), ==, 1);
}

static void
test_other_sockets (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;
  g_autofree char *udp = g_strdup_printf ("%d", net->host->udp_port);
  g_autofree char *detail = g_strdup_printf ("localhost:%s", udp);
  char byte;

  lines = net_probe (net, STRV ("localhost:%p"),
                     STRV ("send", "127.0.0.1", udp, "", "send", "192.0.2.1", "123", "", "listen",
                           "", "1", "", "listen", "", "2", "", "get", "localhost", "%p",
                           "control"));
  g_assert_cmpstr (lines[0], ==, "ECONNREFUSED");
  g_assert_cmpstr (lines[1], ==, "ECONNREFUSED");
  g_assert_cmpstr (lines[2], ==, "EACCES EACCES");
  g_assert_cmpstr (lines[3], ==, "EACCES");
  g_assert_cmpstr (lines[4], ==, "echo: control");
  g_assert_cmpint (recv (net->host->udp, &byte, 1, MSG_DONTWAIT), <, 0);
  g_assert_true (net_has_record (net, FALSE, "net", "send", detail));
  g_assert_true (net_has_record (net, FALSE, "net", "send", "192.0.2.1:123"));
}

/* Questions over TCP: answered alike; so many of a conversation, and so many conversations, and no
 * more. */
static void
test_stream_questions (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  lines = net_probe (net, STRV (NAME, "localhost:%p"),
                     STRV ("resolve-stream", NAME, "2", "0", "resolve-stream", "evil.example.com",
                           "1", "0", "resolve-stream", NAME, "1", "8", "get", "localhost", "%p",
                           "control"));
  g_assert_cmpstr (lines[0], ==, "0 198.18.0.1 0 198.18.0.1 ");
  g_assert_cmpstr (lines[1], ==, "3 ");
  g_assert_cmpstr (lines[2], ==, "");
  g_assert_cmpstr (lines[3], ==, "echo: control");
  g_assert_true (
      net_has_record (net, FALSE, "net:evil.example.com", "resolve", "evil.example.com"));
}

/* More than any buffer holds, whole, and its end as an end. */
static void
test_big (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;

  lines = net_probe (net, STRV ("localhost:%p"), STRV ("big", "localhost", "%p", "24"));
  g_assert_cmpstr (lines[0], ==, "0 wrong, 0 after it");
}

/* The C library, curl and Python, each looking names up in its own way. */
static void
test_programs (gconstpointer data)
{
  const char *const *argv = data;
  g_autoptr (Net) net = net_new ();
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  int exit_code = -1;

  if (!g_file_test (argv[0], G_FILE_TEST_IS_EXECUTABLE))
    {
      host_skip (argv[0]);
      return;
    }
  test_resolver_add (net->resolver, NAME, STRV ("127.0.0.1"));
  net_start (net, STRV (NAME ":%p", "localhost:%p"), argv + 1, &run, &error);
  g_assert_no_error (error);
  output = net_finish (&run, &exit_code);
  g_test_message ("%s", output);
  g_assert_nonnull (strstr (output, "hello"));
  g_assert_cmpint (exit_code, ==, 0);
}

static const char *const curl[] = { "/usr/bin/curl", "/usr/bin/curl", "-sS", "http://" NAME ":%p/",
                                    NULL };
static const char *const curl_localhost[] = { "/usr/bin/curl", "/usr/bin/curl", "-sS",
                                              "http://localhost:%p/", NULL };
static const char *const python[] = {
  "/usr/bin/python3",
  "/usr/bin/python3",
  "-c",
  "import urllib.request, socket\n"
  "print(urllib.request.urlopen('http://" NAME ":%p/').read().decode())\n"
  "try: socket.getaddrinfo('evil.example.com', 80); raise SystemExit(1)\n"
  "except socket.gaierror as e: print(e)\n"
  "assert open('/etc/resolv.conf').read().startswith('nameserver 127.0.0.1')\n",
  NULL,
};
static const char *const node[] = {
  "/usr/bin/node",
  "/usr/bin/node",
  "-e",
  "require('dns').resolve4('" NAME "', (e, a) => { if (e) throw e;\n"
  "  require('http').get('http://" NAME ":%p/', r => r.on('data', d => console.log(String(d)))) })",
  NULL,
};
static const char *const getent[] = {
  "/bin/sh",
  "/bin/sh",
  "-c",
  "set -e; test \"$(getent ahostsv4 " NAME " | head -n1 | cut -d' ' -f1)\" = 198.18.0.1; "
  "! getent ahosts evil.example.com; test \"$(cat /etc/hosts | wc -l)\" = 2; "
  "! (echo x > /etc/hosts) 2>/dev/null; ls -A /dev | grep -q content && exit 1; echo hello",
  NULL,
};

static void
test_too_many_ports (void)
{
  g_autoptr (Net) net = net_new ();
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) hosts = NULL;
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  for (int i = 0; i <= OC_NET_MAX_PORTS; i++)
    {
      g_autofree char *host = g_strdup_printf (NAME ":%d", 1000 + i);

      g_strv_builder_add (builder, host);
    }
  hosts = g_strv_builder_end (builder);
  g_assert_false (net_start (net, (const char *const *)hosts, STRV (net->probe), &run, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_true (g_str_has_prefix (error->message, "network: "));
  g_clear_error (&error);
  g_clear_pointer (&hosts[OC_NET_MAX_PORTS], g_free);
  g_assert_true (net_start (net, (const char *const *)hosts, STRV (net->probe), &run, &error));
  g_assert_no_error (error);
}

/* As a worker: what may be read is listed one by one there. */
static void
test_worker (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  int exit_code = -1;

  net->role = OC_ROLE_WORKER;
  net_start (net, STRV (NAME), getent + 1, &run, &error);
  g_assert_no_error (error);
  output = net_finish (&run, &exit_code);
  g_assert_nonnull (strstr (output, "hello"));
  g_assert_cmpint (exit_code, ==, 0);
}

/* Under the shim: whether anything runs where a part of the network cannot be made. */
static int
start_only (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;

  if (net_start (net, STRV (NAME), STRV (net->probe), &run, &error))
    return EXIT_RAN;
  printf ("%s", error->message);
  return g_error_matches (error, OC_ERROR, OC_ERROR_SANDBOX) ? EXIT_REFUSED : 1;
}

static char *self_path;

static void
test_missing (gconstpointer data)
{
  g_autofree char *shim = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox",
                                            "sandbox-shim", NULL);
  gboolean direct = net_get_executor () == OC_EXECUTOR_DIRECT;
  const char *executor = direct ? "--start-direct" : "--start-bubblewrap";
  const char *argv[] = { shim, data, self_path, executor, NULL };
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_test_message ("%s: %s", (const char *)data, output);
  g_assert_true (WIFEXITED (status));
  if (strcmp (data, "nothing") == 0)
    {
      g_assert_cmpint (WEXITSTATUS (status), ==, EXIT_RAN);
      return;
    }
  g_assert_cmpint (WEXITSTATUS (status), ==, EXIT_REFUSED);
  g_assert_true (g_str_has_prefix (output, "network: "));
}

static const NetTest tests[] = {
  { "listed-name", test_listed, NULL, NULL },
  { "unlisted-name", test_unlisted, NULL, NULL },
  { "literal-address", test_literal, NULL, NULL },
  { "wrong-port", test_port, NULL, NULL },
  { "led-astray", test_led_astray, NULL, NULL },
  { "rebinding", test_rebinding, NULL, NULL },
  { "other-sockets", test_other_sockets, NULL, NULL },
  { "programs/getent", NULL, test_programs, getent },
  { "programs/curl", NULL, test_programs, curl },
  { "programs/curl-localhost", NULL, test_programs, curl_localhost },
  { "programs/python", NULL, test_programs, python },
  { "programs/node", NULL, test_programs, node },
  { "too-many-ports", test_too_many_ports, NULL, NULL },
  { "worker", test_worker, NULL, NULL },
  { "stream-questions", test_stream_questions, NULL, NULL },
  { "big", test_big, NULL, NULL },
  { "missing/nothing", NULL, test_missing, "nothing" },
  { "missing/loopback", NULL, test_missing, "network-loopback" },
  { "missing/route", NULL, test_missing, "network-route" },
  { "missing/watch", NULL, test_missing, "network-watch" },
};

int
main (int argc, char **argv)
{
  g_autofree char *path_of_this = g_file_read_link ("/proc/self/exe", NULL);
  OcExecutor executor;

  self_path = path_of_this;
  if (argc == 2 && g_str_has_prefix (argv[1], "--start-")
      && oc_executor_from_id (argv[1] + strlen ("--start-"), &executor))
    {
      net_set_executor (executor);
      return start_only ();
    }
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    /* Only one more kind of resolver, and a large package: nobody has to have it. */
    if (tests[i].data != node || g_file_test (node[0], G_FILE_TEST_IS_EXECUTABLE))
      net_add_test (&tests[i]);
  return g_test_run ();
}
