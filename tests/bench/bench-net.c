/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the broker for named hosts costs: the same client and the same server, directly and from
 * inside a sandbox, by turns. Only the ratios mean something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sandbox/net-host.h"

#define ROUNDS 15
#define EXCHANGES "60"
#define MEBIBYTES "128"
#define STRV(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* 'e': a hundred bytes back; 's': all is taken, and one byte comes back. */
static _Noreturn void
serve (int listener)
{
  static char block[65536];

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  for (;;)
    {
      int fd = accept (listener, NULL, NULL);
      ssize_t n = recv (fd, block, sizeof block, 0);

      if (n > 0 && block[0] == 'e')
        (void)!send (fd, block, (size_t)n, MSG_NOSIGNAL);
      else if (n > 0)
        {
          while (recv (fd, block, sizeof block, 0) > 0)
            ;
          (void)!send (fd, block, 1, MSG_NOSIGNAL);
        }
      close (fd);
    }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static double
median (GArray *values)
{
  g_array_sort (values, compare);
  return values->len > 0 ? g_array_index (values, double, values->len / 2) : 0;
}

typedef struct
{
  GArray *exchanges;
  GArray *rates;
} Side;

static void
take (Side *side, const char *output)
{
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);
  guint n = g_strv_length (lines);

  if (n < 3)
    g_error ("The client failed: %s", output);
  for (guint i = 0; i + 1 < n; i++)
    {
      double value = g_ascii_strtod (lines[i], NULL);

      if (i + 2 < n)
        g_array_append_val (side->exchanges, value);
      else
        g_array_append_val (side->rates, value);
    }
}

static void
run_outside (Side *side, const char *client, const char *port)
{
  const char *argv[] = { client, "127.0.0.1", port, EXCHANGES, MEBIBYTES, NULL };
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL,
                     &error))
    g_error ("%s", error->message);
  take (side, output);
}

static void
run_inside (Side *side, Net *net, const char *client, const char *port)
{
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *host = g_strdup_printf ("api.example.com:%s", port);
  g_autofree char *output = NULL;

  if (!net_start (net, STRV (host), STRV (client, "198.18.0.1", port, EXCHANGES, MEBIBYTES), &run,
                  &error))
    g_error ("%s", error->message);
  output = net_finish (&run, NULL);
  take (side, output);
}

int
main (void)
{
  g_autoptr (Net) net = net_new ();
  g_autofree char *client = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "bench",
                                              "bench-net-client", NULL);
  g_autofree char *port = g_strdup_printf ("%d", net->host->tcp_port);
  Side sides[2];
  pid_t server = fork ();

  if (server == 0)
    serve (net->host->tcp);
  test_resolver_add (net->resolver, "api.example.com", STRV ("127.0.0.1"));
  for (int i = 0; i < 2; i++)
    {
      sides[i].exchanges = g_array_new (FALSE, FALSE, sizeof (double));
      sides[i].rates = g_array_new (FALSE, FALSE, sizeof (double));
    }
  for (int i = 0; i < ROUNDS; i++)
    {
      run_outside (&sides[0], client, port);
      run_inside (&sides[1], net, client, port);
    }
  printf ("%-44s %10s %10s %8s\n", "medians", "direct", "broker", "ratio");
  printf ("%-44s %7.0f us %7.0f us %8.2f\n", "connect, 100 bytes there and back, close",
          median (sides[0].exchanges), median (sides[1].exchanges),
          median (sides[1].exchanges) / median (sides[0].exchanges));
  printf ("%-44s %5.0f MiB/s %4.0f MiB/s %6.2f\n", "one connection, " MEBIBYTES " MiB",
          median (sides[0].rates), median (sides[1].rates),
          median (sides[1].rates) / median (sides[0].rates));
  kill (server, SIGKILL);
  waitpid (server, NULL, 0);
  for (int i = 0; i < 2; i++)
    {
      g_array_unref (sides[i].exchanges);
      g_array_unref (sides[i].rates);
    }
  return 0;
}
