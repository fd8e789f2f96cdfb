/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the launcher is told of refused calls and of connections, and that being asked costs it little. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/oc-catalogue-use.h"
#include "core/oc-fd.h"
#include "launcher/oc-notify-private.h"
#include "sandbox-host.h"

#define PROBE "notify-probe"
#define FLOOD_S 3

typedef struct
{
  Host *host;
  OcNotify *notify;
  OcProcess *process;
  int input;
  int output;
  GString *told; /* one line a row, in order: permission|method|detail|program|allowed|count */
} Run;

static void
run_clear (Run *self)
{
  g_clear_pointer (&self->process, oc_process_free);
  g_clear_pointer (&self->notify, oc_notify_free);
  g_clear_pointer (&self->host, host_free);
  oc_fd_close (&self->input);
  oc_fd_close (&self->output);
  g_string_free (self->told, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static void
make_pipe (int *read_end, int *write_end)
{
  int fds[2];

  g_assert_no_errno (pipe2 (fds, O_CLOEXEC));
  *read_end = fds[0];
  *write_end = fds[1];
}

static void
run_start (Run *self, OcNetwork network, const char *const *words)
{
  g_autofree char *folder = NULL;
  g_autofree char *program = NULL;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;
  g_auto (GStrv) env = NULL;
  OcCommand command = { .fds = { -1, -1, -1, -1, -1 } };

  self->host = host_new ();
  folder = g_path_get_dirname (self->host->probe);
  command.program = program = g_build_filename (folder, PROBE, NULL);
  self->notify = oc_notify_new ();
  self->told = g_string_new (NULL);
  plan = host_make_plan (self->host, OC_ROLE_TOOL, network, &error);
  g_assert_no_error (error);
  env = oc_plan_dup_environment (plan);
  g_ptr_array_add (argv, g_strdup (PROBE));
  for (; *words != NULL; words++)
    g_ptr_array_add (argv, host_expand (self->host, *words));
  g_ptr_array_add (argv, NULL);
  make_pipe (&command.fds[0], &self->input);
  make_pipe (&self->output, &command.fds[1]);
  command.argv = (const char *const *)argv->pdata;
  command.env = (const char *const *)env;
  command.notify = self->notify;
  self->process = oc_sandbox_start (plan, &command, &error);
  g_assert_no_error (error);
  close (command.fds[0]);
  close (command.fds[1]);
}

static void
run_expect (Run *self, const char *line)
{
  g_autofree char *got = host_read_line (self->output);

  g_assert_cmpstr (got, ==, line);
}

static void
run_end (Run *self)
{
  int exit_code = -1, signal = 0;

  g_assert_null (host_read_line (self->output));
  g_assert_true (oc_process_wait (self->process, &exit_code, &signal));
  g_assert_cmpint (exit_code, ==, 0);
}

static void
add_line (const char *permission,
          const char *method,
          const char *detail,
          const char *program,
          gboolean allowed,
          guint count,
          gpointer data)
{
  g_string_append_printf (data, "%s|%s|%s|%s|%d|%u\n", permission, method, detail,
                          program != NULL ? program : "-", allowed, count);
}

static void
run_drain (Run *self)
{
  g_string_truncate (self->told, 0);
  oc_notify_drain (self->notify, add_line, self->told);
}

static void
test_told (void)
{
  static const char *const words[] = { "refused", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };

  run_start (&self, OC_NETWORK_NONE, words);
  run_expect (&self, "EACCES");
  run_expect (&self, "EACCES");
  run_expect (&self, "EACCES");
  run_expect (&self, "EACCES");
  run_expect (&self, "EPERM");
  run_expect (&self, "EPERM");
  run_end (&self);
  run_drain (&self);
  g_assert_cmpstr (self.told->str, ==,
                   "network.client|socket|AF_INET|notify-probe|0|1\n"
                   "|local-socket|AF_UNIX|notify-probe|0|1\n"
                   "|special-socket|AF_NETLINK|notify-probe|0|1\n"
                   "|listen|listen|notify-probe|0|1\n"
                   "|trace|ptrace|notify-probe|0|1\n"
                   "|keyring|add_key|notify-probe|0|1\n");
  /* Each once. */
  run_drain (&self);
  g_assert_cmpstr (self.told->str, ==, "");
}

/* Its own name is the program's to choose; the file's is told with it. */
static void
test_names (void)
{
  static const char *const words[] = { "named", "firefox", NULL };
  static const char *const many[] = { "names", "1000", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };
  g_auto (Run) other = { .input = -1, .output = -1 };
  guint n = 0;

  run_start (&self, OC_NETWORK_NONE, words);
  run_expect (&self, "EACCES");
  run_end (&self);
  run_drain (&self);
  g_assert_cmpstr (self.told->str, ==, "network.client|socket|AF_INET|notify-probe (firefox)|0|1\n");

  run_start (&other, OC_NETWORK_NONE, many);
  run_expect (&other, "done");
  run_end (&other);
  run_drain (&other);
  for (const char *at = other.told->str; *at != '\0'; at = strchr (at, '\n') + 1)
    n++;
  g_assert_cmpuint (n, ==, OC_NOTIFY_MAX_REFUSED_ROWS + 1);
  g_assert_true (g_str_has_suffix (other.told->str, "network.client|socket||-|0|750\n"));
}

/* Nobody answers any more: refused, and no listener of its own can be had. */
static void
test_listener_gone (void)
{
  static const char *const words[] = { "after-line", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };

  run_start (&self, OC_NETWORK_NONE, words);
  run_expect (&self, "EACCES");
  g_clear_pointer (&self.notify, oc_notify_free);
  g_assert_cmpint (write (self.input, "\n", 1), ==, 1);
  run_expect (&self, "ENOSYS");
  run_expect (&self, "EBUSY");
  run_end (&self);
}

static void
test_filters_of_its_own (void)
{
  static const char *const listener[] = { "own-listener", NULL };
  static const char *const filter[] = { "own-filter", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };
  g_auto (Run) other = { .input = -1, .output = -1 };

  run_start (&self, OC_NETWORK_NONE, listener);
  run_expect (&self, "EBUSY");
  run_expect (&self, "done"); /* the control: without a listener */
  run_end (&self);

  run_start (&other, OC_NETWORK_NONE, filter);
  run_expect (&other, "done");
  run_expect (&other, "EDOM");
  run_expect (&other, "EACCES");
  run_end (&other);
  run_drain (&other);
  g_assert_cmpstr (other.told->str, ==, "network.client|socket|AF_INET|notify-probe|0|1\n");
}

static void
test_signals (void)
{
  static const char *const words[] = { "with-signals", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };

  run_start (&self, OC_NETWORK_NONE, words);
  run_expect (&self, "done");
  run_end (&self);
  run_drain (&self);
  g_assert_true (g_str_has_prefix (self.told->str, "network.client|socket|AF_INET|notify-probe|0|3"));
}

static double
get_cpu_seconds (void)
{
  struct rusage usage;

  g_assert_no_errno (getrusage (RUSAGE_SELF, &usage));
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / G_USEC_PER_SEC;
}

/* Eight threads that do nothing but be refused. Whoever asks too often waits; nobody else does. */
static void
test_flood (void)
{
  static const char *const words[] = { "flood", "8", "-1", NULL };
  static const char *const one[] = { "refused", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };
  g_auto (Run) other = { .input = -1, .output = -1 };
  double cpu, wall;
  gint64 begin;
  guint count;

  run_start (&self, OC_NETWORK_NONE, words);
  run_expect (&self, "done");
  cpu = get_cpu_seconds ();
  begin = g_get_monotonic_time ();
  g_usleep (FLOOD_S * G_USEC_PER_SEC);
  cpu = get_cpu_seconds () - cpu;
  wall = (double)(g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  run_drain (&self);
  g_assert_cmpint (sscanf (self.told->str, "network.client|socket|AF_INET|notify-probe|0|%u\n", &count), ==, 1);
  g_assert_cmpuint (strcspn (self.told->str, "\n") + 1, ==, self.told->len); /* one row */
  g_test_message ("%u refused calls in %.1f s: %.3f s of the launcher's processor time, of which the first %d are a burst", count, wall,
                  cpu, OC_NOTIFY_REFUSED_BURST);
  g_assert_cmpuint (count, >=, OC_NOTIFY_REFUSED_BURST);
  g_assert_cmpuint (count, <=, OC_NOTIFY_REFUSED_BURST + (guint)((wall + 1) * OC_NOTIFY_REFUSED_PER_S) + 16);
  g_assert_cmpfloat (cpu, <, 0.15 * wall);

  /* Another sandbox of another run is answered as ever. */
  run_start (&other, OC_NETWORK_NONE, one);
  run_expect (&other, "EACCES");
  g_assert_nonnull (strstr ((run_drain (&other), other.told->str), "AF_INET"));

  /* And they die where they wait. */
  begin = g_get_monotonic_time ();
  oc_process_kill (self.process);
  oc_process_wait (self.process, NULL, NULL);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, G_USEC_PER_SEC);
}

/* The first ones are answered at once. */
static void
test_burst (void)
{
  static const char *const words[] = { "flood", "8", "400", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };

  run_start (&self, OC_NETWORK_NONE, words);
  run_expect (&self, "done");
  run_expect (&self, "done");
  run_end (&self);
  run_drain (&self);
  g_assert_cmpstr (self.told->str, ==, "network.client|socket|AF_INET|notify-probe|0|3200\n");
}

static void
test_connections (void)
{
  static const char *const words[] = { "reach", "%t", "%u", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };
  g_autofree char *expected = NULL;

  run_start (&self, OC_NETWORK_CLIENT, words);
  run_expect (&self, "done");
  run_expect (&self, "done");
  run_expect (&self, "done");
  run_expect (&self, "done");
  run_expect (&self, "done");
  run_expect (&self, "EFAULT");
  run_end (&self);
  run_drain (&self);
  expected = g_strdup_printf ("network.client|udp||notify-probe|1|1\n"
                              "network.client|connect|127.0.0.1:%d|notify-probe|1|1\n"
                              "network.client|send|127.0.0.1:%d|notify-probe|1|1\n"
                              "network.client|send|127.0.0.1:%d|notify-probe|1|1\n"
                              "network.client|connect|unknown|notify-probe|1|1\n",
                              self.host->tcp_port, self.host->udp_port, self.host->tcp_port);
  g_assert_cmpstr (self.told->str, ==, expected);
}

/* With the network, what is refused is told all the same. */
static void
test_refused_with_network (void)
{
  static const char *const words[] = { "refused", NULL };
  g_auto (Run) self = { .input = -1, .output = -1 };

  run_start (&self, OC_NETWORK_CLIENT, words);
  run_expect (&self, "done");
  run_expect (&self, "EACCES");
  run_expect (&self, "EACCES");
  run_expect (&self, "EACCES");
  run_expect (&self, "EPERM");
  run_expect (&self, "EPERM");
  run_end (&self);
  run_drain (&self);
  g_assert_true (g_str_has_prefix (self.told->str, "|local-socket|AF_UNIX|notify-probe|0|1\n"));
}

static void
test_addresses (void)
{
  struct sockaddr_storage storage = { 0 };
  struct sockaddr_in *four = (struct sockaddr_in *)&storage;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&storage;
  OcDestination got;

  four->sin_family = AF_INET;
  four->sin_port = htons (443);
  four->sin_addr.s_addr = htonl (0xc0000201);
  g_assert_cmpstr (oc_notify_parse_address (&storage, sizeof *four, TRUE).text, ==, "192.0.2.1:443");
  g_assert_cmpstr (oc_notify_parse_address (&storage, sizeof *four - 1, TRUE).text, ==, "unknown");
  memset (&storage, 0, sizeof storage);
  six->sin6_family = AF_INET6;
  six->sin6_port = htons (53);
  six->sin6_addr = in6addr_loopback;
  g_assert_cmpstr (oc_notify_parse_address (&storage, sizeof *six, TRUE).text, ==, "[::1]:53");
  g_assert_cmpstr (oc_notify_parse_address (&storage, 23, TRUE).text, ==, "unknown");
  memset (&six->sin6_addr, 0xff, sizeof six->sin6_addr);
  six->sin6_flowinfo = G_MAXUINT32;
  g_assert_cmpstr (oc_notify_parse_address (&storage, sizeof storage, TRUE).text, ==,
                   "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:53");
  storage.ss_family = AF_UNSPEC;
  got = oc_notify_parse_address (&storage, 16, TRUE);
  g_assert_false (got.is_one);
  /* A datagram goes there all the same. */
  g_assert_cmpstr (oc_notify_parse_address (&storage, 16, FALSE).text, ==, "255.255.255.255:53");
  storage.ss_family = AF_UNIX;
  got = oc_notify_parse_address (&storage, 16, FALSE);
  g_assert_false (got.is_one);
  g_assert_cmpstr (oc_notify_parse_address (&storage, 0, TRUE).text, ==, "unknown");
  g_assert_cmpstr (oc_notify_parse_address (&storage, 1, TRUE).text, ==, "unknown");
}

/* The surfaces have a sentence for each. */
static void
test_words (void)
{
  for (int group = OC_GROUP_NONE; group <= OC_GROUP_LEASE; group++)
    {
      OcUse use = { .method = (char *)oc_group_to_id ((OcGroup)group), .detail = (char *)"x" };
      g_autofree char *sentence = oc_catalogue_describe_use (&use);

      g_assert_nonnull (sentence);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/notify/told", test_told);
  g_test_add_func ("/notify/names", test_names);
  g_test_add_func ("/notify/listener-gone", test_listener_gone);
  g_test_add_func ("/notify/filters-of-its-own", test_filters_of_its_own);
  g_test_add_func ("/notify/signals", test_signals);
  g_test_add_func ("/notify/burst", test_burst);
  g_test_add_func ("/notify/flood", test_flood);
  g_test_add_func ("/notify/connections", test_connections);
  g_test_add_func ("/notify/refused-with-network", test_refused_with_network);
  g_test_add_func ("/notify/addresses", test_addresses);
  g_test_add_func ("/notify/words", test_words);
  return g_test_run ();
}
