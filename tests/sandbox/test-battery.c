/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every attempt of the tables, inside the sandbox of each executor and, as its control, outside.
 * After each the host is looked over: nothing may have changed. Prints one table; so does
 * `test-sandbox-battery --table`, which is for reading and tests nothing. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attempts.h"
#include "launcher/oc-executor.h"
#include "sandbox-host.h"

static const OcExecutor executors[] = { OC_EXECUTOR_DIRECT, OC_EXECUTOR_BUBBLEWRAP };
#define N_EXECUTORS G_N_ELEMENTS (executors)
#define N_ROLES 2

static const struct
{
  const char *name;
  const Attempt *attempts;
} groups[] = {
  { "allowed", attempts_allowed },     { "writing", attempts_writing },
  { "reading", attempts_reading },     { "network", attempts_network },
  { "processes", attempts_processes }, { "devices", attempts_devices },
  { "programs", attempts_programs },   { "kernel", attempts_kernel },
};

/* What came of one attempt. */
typedef struct
{
  const Attempt *attempt;
  char *inside[N_EXECUTORS][N_ROLES]; /* NULL: not tried */
  char *outside;
  char *change; /* (nullable): what differed on the host after one */
} Row;

static gboolean with_executor[N_EXECUTORS];

static void
row_clear (Row *self)
{
  for (gsize i = 0; i < N_EXECUTORS; i++)
    for (gsize j = 0; j < N_ROLES; j++)
      g_free (self->inside[i][j]);
  g_free (self->outside);
  g_free (self->change);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Row, row_clear)

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

/* Both roles in one word where they are the same, as they nearly always are. */
static char *
describe_roles (char *const *got)
{
  if (got[0] == NULL)
    return g_strdup ("-");
  if (strcmp (got[OC_ROLE_WORKER], got[OC_ROLE_TOOL]) == 0)
    return g_strdup (got[0]);
  return g_strdup_printf ("%s/%s", got[OC_ROLE_WORKER], got[OC_ROLE_TOOL]);
}

/* Columns: attempt, source, expected, got (direct), got (bubblewrap), outside. */
#define ROW_FORMAT "%-48s | %-16s | %-28s | %-10s | %-10s | %s"

static char *
row_to_text (const Row *row)
{
  g_autofree char *direct = describe_roles (row->inside[0]);
  g_autofree char *bubblewrap = describe_roles (row->inside[1]);

  return g_strdup_printf (ROW_FORMAT, row->attempt->name,
                          row->attempt->source[0] != '\0' ? row->attempt->source : "own",
                          row->attempt->expected, direct, bubblewrap, row->outside);
}

static char *
make_heading (void)
{
  return g_strdup_printf (ROW_FORMAT, "attempt", "source", "expected", "direct", "bubblewrap",
                          "outside (control)");
}

static void
try_inside (Host *host, gsize executor, OcRole role, Row *row)
{
  const Attempt *attempt = row->attempt;
  OcNetwork network = (attempt->flags & ATTEMPT_NETWORK) != 0 ? OC_NETWORK_CLIENT : OC_NETWORK_NONE;
  g_auto (HostResult) inside = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *change = NULL;

  oc_sandbox_set_executor (executors[executor]);
  host_run (host, role, network, attempt->words, &inside, &error);
  g_assert_no_error (error);
  row->inside[executor][role] = describe (&inside);
  /* With the network the ports of this computer are reached, as the consent says. */
  change = host_find_change (host);
  if (change != NULL && row->change == NULL
      && (network == OC_NETWORK_NONE || strstr (change, "a port of") == NULL))
    row->change = g_steal_pointer (&change);
  host_reset (host);
}

static void
try_attempt (Host *host, Row *row)
{
  g_auto (HostResult) outside = { 0 };

  for (gsize i = 0; i < N_EXECUTORS; i++)
    if (with_executor[i])
      {
        try_inside (host, i, OC_ROLE_WORKER, row);
        try_inside (host, i, OC_ROLE_TOOL, row);
      }
  host_run_outside (host, row->attempt->words, &outside);
  row->outside = describe (&outside);
  host_reset (host);
}

/* FALSE: it cannot be tried by this user. */
static gboolean
can_try (const Attempt *attempt)
{
  /* uid 0 is not bound by the limit on processes: known, and said in the launcher's refusal to run
   * as uid 0. */
  if (geteuid () == 0)
    return strcmp (attempt->words[0], "fork-many") != 0;
  return (attempt->flags & ATTEMPT_ROOT) == 0;
}

/* Each is said: g_test_fail_printf() keeps the first alone. */
static void
fail_row (const Row *row, const char *what, const char *expected, const char *got)
{
  g_test_message ("FAILS: %s: %s: expected %s, got %s", row->attempt->name, what, expected, got);
  g_test_fail ();
}

static void
check_row (const Row *row)
{
  const Attempt *attempt = row->attempt;

  if (row->change != NULL)
    fail_row (row, "the host", "unchanged", row->change);
  for (gsize i = 0; i < N_EXECUTORS; i++)
    for (gsize j = 0; j < N_ROLES; j++)
      if (row->inside[i][j] != NULL && !is_one_of (row->inside[i][j], attempt->expected))
        fail_row (row, oc_executor_to_id (executors[i]), attempt->expected, row->inside[i][j]);
  if (!is_one_of (row->outside, attempt->control))
    fail_row (row, "the control outside", attempt->control, row->outside);
}

static void
test_attempts (gconstpointer data)
{
  g_autoptr (Host) host = host_new ();
  g_autofree char *heading = make_heading ();
  guint n = 0, n_left_out = 0;

  if (!with_executor[1])
    host_skip ("bubblewrap does not work here, so only the direct executor is tried");
  g_test_message ("%s", heading);
  for (const Attempt *attempt = data; attempt->name != NULL; attempt++)
    {
      g_auto (Row) row = { .attempt = attempt };
      g_autofree char *text = NULL;

      if (!can_try (attempt))
        {
          g_test_message ("%-48s | not as this user: tried by the other pass of the tests",
                          attempt->name);
          n_left_out++;
          continue;
        }
      try_attempt (host, &row);
      text = row_to_text (&row);
      g_test_message ("%s", text);
      check_row (&row);
      n++;
    }
  g_test_message ("%u attempts, each in both roles with each executor; %u left out", n, n_left_out);
}

static int
print_table (void)
{
  g_autoptr (Host) host = host_new ();
  g_autofree char *heading = make_heading ();
  guint n = 0;

  printf ("%s\n", heading);
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    for (const Attempt *attempt = groups[i].attempts; attempt->name != NULL; attempt++)
      if (can_try (attempt))
        {
          g_auto (Row) row = { .attempt = attempt };
          g_autofree char *text = NULL;

          try_attempt (host, &row);
          text = row_to_text (&row);
          printf ("%s%s%s\n", text, row.change != NULL ? " | CHANGED: " : "",
                  row.change != NULL ? row.change : "");
          n++;
        }
  printf ("%u attempts as uid %u; \"a/b\": as a worker and as a tool\n", n, geteuid ());
  return 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  gboolean table = argc == 2 && strcmp (argv[1], "--table") == 0;

  if (!table)
    g_test_init (&argc, &argv, NULL);
  with_executor[0] = TRUE;
  with_executor[1] = oc_executor_check_bubblewrap (&error);
  if (table)
    return print_table ();
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_autofree char *path = g_strconcat ("/battery/", groups[i].name, NULL);

      g_test_add_data_func (path, groups[i].attempts, test_attempts);
    }
  return g_test_run ();
}
