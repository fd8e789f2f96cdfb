/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every attempt of the table, inside the sandbox and, as its control, outside. After each the host
 * is looked over: nothing may have changed. Prints one table. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"
#include "sandbox-host.h"

static char *
describe (const HostResult *result)
{
  if (result->signal != 0)
    return g_strconcat ("SIG", sigabbrev_np (result->signal), NULL);
  return g_strdup (result->output[0] != '\0' ? result->output : "nothing");
}

static gboolean
is_one_of (const char *got, const char *alternatives)
{
  g_auto (GStrv) list = g_strsplit (alternatives, "|", -1);

  return g_strv_contains ((const char *const *)list, got);
}

static void
print_row (OcRole role, const Attempt *attempt, const char *got, const char *control)
{
  g_test_message ("%-6s | %-42s | %-16s | %-22s | %-10s | outside: %s",
                  role == OC_ROLE_WORKER ? "worker" : "tool", attempt->name, attempt->source,
                  attempt->expected, got, control);
}

static void
try_attempt (Host *host, OcRole role, const Attempt *attempt)
{
  g_autoptr (GError) error = NULL;
  g_auto (HostResult) inside = { 0 };
  g_auto (HostResult) outside = { 0 };
  OcNetwork network = (attempt->flags & ATTEMPT_NETWORK) != 0 ? OC_NETWORK_CLIENT : OC_NETWORK_NONE;
  g_autofree char *got = NULL;
  g_autofree char *control = NULL;
  g_autofree char *change = NULL;

  host_run (host, role, network, attempt->words, &inside, &error);
  g_assert_no_error (error);
  got = describe (&inside);
  if (strcmp (attempt->expected, "DONE") != 0)
    change = host_find_change (host);
  host_reset (host);
  host_run_outside (host, attempt->words, &outside);
  control = describe (&outside);
  host_reset (host);
  print_row (role, attempt, got, control);
  if (change != NULL)
    g_test_fail_printf ("%s: the host was changed: %s", attempt->name, change);
  if (!is_one_of (got, attempt->expected))
    g_test_fail_printf ("%s: expected %s, got %s", attempt->name, attempt->expected, got);
  if (!is_one_of (control, attempt->control))
    g_test_fail_printf ("%s: the control outside: expected %s, got %s", attempt->name,
                        attempt->control, control);
}

static void
test_attempts (gconstpointer data)
{
  g_autoptr (Host) host = host_new ();
  guint n = 0, n_left_out = 0;

  for (const Attempt *attempt = data; attempt->name != NULL; attempt++)
    {
      if ((attempt->flags & ATTEMPT_ROOT) != 0 && geteuid () != 0)
        {
          g_test_message ("%s: not tried, since its control needs uid 0; it is tried where the "
                          "tests run as root",
                          attempt->name);
          n_left_out++;
          continue;
        }
      try_attempt (host, OC_ROLE_WORKER, attempt);
      try_attempt (host, OC_ROLE_TOOL, attempt);
      n++;
    }
  g_test_message ("%u attempts in both roles, %u left out", n, n_left_out);
}

/* uid 0 is not bound by the limit on processes: known, and said in the launcher's refusal to run as
 * uid 0. */
static const Attempt *
without_limits_of_root (const Attempt *attempts, Attempt *copy, gsize max)
{
  gsize n = 0;

  for (; attempts->name != NULL; attempts++)
    if (geteuid () != 0 || strcmp (attempts->words[0], "fork-many") != 0)
      {
        g_assert_cmpuint (n + 1, <, max);
        copy[n++] = *attempts;
      }
  copy[n] = (Attempt){ NULL };
  return copy;
}

int
main (int argc, char **argv)
{
  static Attempt processes[64];

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/battery/allowed", attempts_allowed, test_attempts);
  g_test_add_data_func ("/battery/writing", attempts_writing, test_attempts);
  g_test_add_data_func ("/battery/reading", attempts_reading, test_attempts);
  g_test_add_data_func ("/battery/network", attempts_network, test_attempts);
  g_test_add_data_func (
      "/battery/processes",
      without_limits_of_root (attempts_processes, processes, G_N_ELEMENTS (processes)),
      test_attempts);
  g_test_add_data_func ("/battery/kernel", attempts_kernel, test_attempts);
  return g_test_run ();
}
