/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a launch takes, next to bubblewrap's on the same machine at the same time: interleaved,
 * medians, ratios. Only the ratios mean something. Usage: bench-launch [ROUNDS] */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/oc-sandbox.h"

#define ID "bench.plugin"
#define DEFAULT_ROUNDS 60
#define WARM_UP 5

typedef struct
{
  char *base;
  char *program;
  OcPaths *paths;
  OcPlanInput input;
} Bench;

typedef void (*Run) (Bench *self);

static void
run_bwrap (Bench *self)
{
  char *argv[] = { (char *)"bwrap",
                   (char *)"--unshare-all",
                   (char *)"--ro-bind",
                   (char *)"/",
                   (char *)"/",
                   self->program,
                   NULL };
  char *env[] = { NULL };
  int status;
  pid_t pid;

  if (posix_spawn (&pid, "/usr/bin/bwrap", NULL, NULL, argv, env) != 0
      || waitpid (pid, &status, 0) != pid || status != 0)
    g_error ("bwrap does not work here");
}

static void
start_plan (Bench *self, OcPlan *plan)
{
  const char *argv[] = { "true", NULL };
  g_auto (GStrv) env = oc_plan_dup_environment (plan);
  OcCommand command = { self->program, argv, (const char *const *)env, { -1, -1, -1, -1, -1 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (OcProcess) process = oc_sandbox_start (plan, &command, &error);
  int exit_code = -1;

  if (process == NULL)
    g_error ("%s", error->message);
  if (!oc_process_wait (process, &exit_code, NULL) || exit_code != 0)
    g_error ("the program failed");
}

static OcPlan *
make_plan (Bench *self, OcRole role)
{
  g_autoptr (GError) error = NULL;
  OcPlan *plan;

  self->input.role = role;
  plan = oc_plan_new (&self->input, &error);
  if (plan == NULL)
    g_error ("%s", error->message);
  return plan;
}

static void
run_tool (Bench *self)
{
  g_autoptr (OcPlan) plan = make_plan (self, OC_ROLE_TOOL);

  start_plan (self, plan);
}

static void
run_worker (Bench *self)
{
  g_autoptr (OcPlan) plan = make_plan (self, OC_ROLE_WORKER);

  start_plan (self, plan);
}

static void
run_plan_only (Bench *self)
{
  g_autoptr (OcPlan) plan = make_plan (self, OC_ROLE_WORKER);
}

static const struct
{
  const char *name;
  Run run;
  double target; /* against the first; 0: none */
} rows[] = {
  { "bwrap --unshare-all --ro-bind / /", run_bwrap, 0 },
  { "tool: plan, all layers, to the end", run_tool, 0.75 },
  { "worker: the same with the allow-list", run_worker, 1.0 },
  { "the plan alone", run_plan_only, 0 },
};

static int
compare_times (const void *a, const void *b)
{
  double first = *(const double *)a, second = *(const double *)b;

  return first < second ? -1 : first > second;
}

static char *
make_folder (Bench *self, const char *below)
{
  char *path = g_build_filename (self->base, below, NULL);

  if (g_mkdir_with_parents (path, 0700) != 0)
    g_error ("%s cannot be made", path);
  return path;
}

static void
set_up (Bench *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *data_home = NULL;
  const char *test = g_getenv ("OC_TEST_BUILD_ROOT");

  self->base = g_dir_make_tmp ("octest-XXXXXX", &error);
  if (self->base == NULL || test == NULL)
    g_error ("OC_TEST_BUILD_ROOT must be set, and a temporary folder writable");
  self->program = g_build_filename (test, "tests", "bench", "bench-nothing", NULL);
  data_home = g_build_filename (self->base, "home", ".local", "share", NULL);
  self->paths = oc_paths_new (data_home, NULL, self->base);
  self->input.paths = self->paths;
  self->input.id = ID;
  self->input.folder = make_folder (self, "home/.local/share/ocelot/Plugins/" ID);
  self->input.data_folder = make_folder (self, "home/.local/share/ocelot/Data/" ID);
  self->input.temp_folder = make_folder (self, "ocelot-1-bench");
}

int
main (int argc, char **argv)
{
  static double times[G_N_ELEMENTS (rows)][1000];
  const char *remove[] = { "rm", "-rf", "--", NULL, NULL };
  int rounds = argc > 1 ? atoi (argv[1]) : DEFAULT_ROUNDS;
  Bench self = { 0 };

  rounds = CLAMP (rounds, 1, 1000);
  set_up (&self);
  for (int i = -WARM_UP; i < rounds; i++)
    for (gsize row = 0; row < G_N_ELEMENTS (rows); row++)
      {
        gint64 begin = g_get_monotonic_time ();

        rows[row].run (&self);
        if (i >= 0)
          times[row][i] = (double)(g_get_monotonic_time () - begin) / 1000;
      }
  for (gsize row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      double median;

      qsort (times[row], (size_t)rounds, sizeof times[row][0], compare_times);
      median = times[row][rounds / 2];
      printf ("%-40s median %7.2f ms  x%.2f", rows[row].name, median,
              median / times[0][rounds / 2]);
      if (rows[row].target > 0)
        printf ("  (target x%.2f)", rows[row].target);
      printf ("\n");
    }
  remove[3] = self.base;
  g_spawn_sync (NULL, (char **)remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                NULL);
  return 0;
}
