/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Named hosts under a hostile load, and what ends while connections are held: bounded, and nothing is left. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net-host.h"

#define NAME "api.example.com"

typedef struct
{
  NetRun *run;
  guint n;
} Counting;

static gboolean
has_connections (gpointer data)
{
  Counting *counting = data;

  return oc_net_broker_count_connections (counting->run->broker) == counting->n;
}

static guint
count_fds (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* More than may be at once are made; only so many are taken, and when it ends all are gone. */
static void
test_many_held (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  Counting counting = { .run = &run, .n = OC_NET_MAX_CONNECTIONS };
  guint before = count_fds ();

  net_start (net, STRV ("localhost:%p"), STRV (net->probe, "hold", "127.0.0.1", "%p", "200"), &run,
             &error);
  g_assert_no_error (error);
  net_wait_for_line (&run, "200");
  net_wait (has_connections, &counting);
  /* And no more, though more wait. */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_true (has_connections (&counting));
  g_assert_cmpuint (count_fds (), <, before + 3 * OC_NET_MAX_CONNECTIONS + 40);
  oc_process_kill (run.process);
  net_run_clear (&run);
  run = (NetRun){ 0 };
  g_assert_cmpuint (count_fds (), <=, before + 2 * OC_NET_MAX_CONNECTIONS);
}

static gboolean
has_served (gpointer data)
{
  return g_atomic_int_get ((int *)&((Net *)data)->n_served) == 1;
}

static gboolean
has_broken (gpointer data)
{
  return g_atomic_int_get ((int *)&((Net *)data)->n_broken) == 1;
}

/* Revoked while it runs: the server sees the end at once, and a reset, not an end that looks whole.
 */
static void
test_revoked (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  Counting counting = { .run = &run, .n = 1 };

  net_start (net, STRV ("localhost:%p"), STRV (net->probe, "hold", "127.0.0.1", "%p", "1"), &run,
             &error);
  g_assert_no_error (error);
  net_wait (has_connections, &counting);
  net_wait (has_served, net);
  g_clear_pointer (&run.broker, oc_net_broker_free);
  net_wait (has_broken, net);
}

static gint64
get_cpu_us (void)
{
  struct rusage usage;

  g_assert_no_errno (getrusage (RUSAGE_SELF, &usage));
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC + usage.ru_utime.tv_usec
         + usage.ru_stime.tv_usec;
}

static guint64
get_memory_kib (void)
{
  g_autofree char *text = NULL;
  const char *line;

  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  line = strstr (text, "VmRSS:");
  g_assert_nonnull (line);
  return g_ascii_strtoull (line + 6 + strspn (line + 6, " \t"), NULL, 10);
}

/* A server that reads nothing: what is written waits in the sockets, and the broker keeps one
 * buffer of it. */
static void
test_stuffed (void)
{
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;
  g_autofree char *port = g_strdup_printf ("%d", net->host->tcp_port);
  g_autofree char *host = g_strdup_printf ("localhost:%s", port);
  guint64 memory = get_memory_kib ();
  gint64 cpu = get_cpu_us ();

  lines = net_probe (net, STRV (host, "localhost:%p"),
                     STRV ("stuff", "localhost", port, "", "get", "localhost", "%p", "control"));
  g_test_message ("%s MiB", lines[0]);
  g_assert_cmpuint (g_ascii_strtoull (lines[0], NULL, 10), <, 64);
  g_assert_cmpstr (lines[1], ==, "echo: control");
  g_assert_cmpuint (get_memory_kib (), <, memory + 4 * 1024);
  /* It sleeps meanwhile. */
  g_assert_cmpint (get_cpu_us () - cpu, <, G_USEC_PER_SEC / 2);
}

/* What is refused costs neither memory, nor descriptors, nor a processor, nor the record. */
static void
test_flood (gconstpointer data)
{
  const char *const *words = data;
  g_autoptr (Net) net = net_new ();
  g_auto (GStrv) lines = NULL;
  guint fds = count_fds ();
  guint64 memory = get_memory_kib ();
  gint64 cpu = get_cpu_us (), start = g_get_monotonic_time ();

  lines = net_probe (net, STRV (NAME, "localhost:%p"), words);
  g_test_message ("%s: %s, %.2f s, %.2f s of processor, %" G_GINT64_FORMAT " KiB more, %u records",
                  words[0], lines[0], (g_get_monotonic_time () - start) / 1e6,
                  (get_cpu_us () - cpu) / 1e6, (gint64)(get_memory_kib () - memory),
                  net_count_records (net, FALSE));
  g_assert_cmpstr (lines[0], ==, "DONE");
  g_assert_cmpstr (lines[1], ==, "echo: after");
  g_assert_cmpuint (count_fds (), <=, fds + 4);
  g_assert_cmpuint (get_memory_kib (), <, memory + 16 * 1024);
  g_assert_cmpuint (net_count_records (net, FALSE), <=, 101);
  g_assert_cmpint (get_cpu_us () - cpu, <, 4 * G_USEC_PER_SEC);
}

static const char *const flood_refused[] = { "flood",     "1.1.1.1", "443",   "10000", "get",
                                             "localhost", "%p",      "after", NULL };
static const char *const flood_closed[] = { "flood",     "1.1.1.1", "1",     "10000", "get",
                                            "localhost", "%p",      "after", NULL };
static const char *const flood_allowed[] = { "flood",     "127.0.0.1", "%p",    "2000", "get",
                                             "localhost", "%p",        "after", NULL };
static const char *const flood_names[] = { "flood-names", "",   "",      "100000", "get",
                                           "localhost",   "%p", "after", NULL };

static const NetTest tests[] = {
  { "many-held", test_many_held, NULL, NULL },
  { "revoked", test_revoked, NULL, NULL },
  { "flood/refused", NULL, test_flood, flood_refused },
  { "flood/closed", NULL, test_flood, flood_closed },
  { "flood/allowed", NULL, test_flood, flood_allowed },
  { "flood/names", NULL, test_flood, flood_names },
  { "stuffed", test_stuffed, NULL, NULL },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    net_add_test (&tests[i]);
  return g_test_run ();
}
