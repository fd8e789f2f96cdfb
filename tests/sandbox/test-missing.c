/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* With any one layer missing nothing runs. The test executes itself under a shim that makes one
 * kind of system call fail, as on a kernel without that layer. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "sandbox-host.h"

#define EXIT_RAN 0
#define EXIT_REFUSED 10
#define EXIT_OTHER 11

/* Name of the shim's layer, and the layer that the launcher must name with each executor. NULL: that executor does not use
 * the call, and runs; for uid 0 it does where the last one says so. */
static const struct
{
  const char *shim;
  const char *direct;
  const char *bubblewrap;
  const char *bubblewrap_root;
} cases[] = {
  { "landlock-off", "landlock", "landlock", NULL },
  { "landlock-unknown", "landlock", "landlock", NULL },
  { "landlock-rules", "landlock", "landlock", NULL },
  { "landlock-restrict", "landlock", "landlock", NULL },
  { "seccomp", "seccomp", "seccomp", NULL },
  { "seccomp-listener", "seccomp", "seccomp", NULL },
  { "user-namespace", "user-namespace", "user-namespace", NULL },
  { "user-namespace-limit", "user-namespace", "user-namespace", NULL },
  /* bubblewrap's stage 2 makes the mounts private with it; where it cannot, the reaper watches the mount table. */
  { "mount-setattr", "mounts-read-only", NULL, "mounts-read-only" },
  { "powerless", "mounts-read-only", NULL, "mounts-read-only" },
  { "open-tree", "mounts-read-only", NULL, NULL },
  { "move-mount", "mounts-read-only", NULL, NULL },
  { "fsopen", "guarded-places", "limits", NULL },
  { "mount", "mounts-read-only", "mounts-read-only", NULL },
  { "openat2", "mounts-read-only", "guarded-places", NULL },
  { "close-range", "descriptors", "descriptors", NULL },
  { "capset", "capabilities", "capabilities", NULL },
  { "bounding-set", "capabilities", "capabilities", NULL },
  { "securebits", "capabilities", "capabilities", NULL },
  { "no-new-privs", "no-new-privs", "no-new-privs", NULL },
  { "limits", "limits", "limits", NULL },
  { "hostname", "user-namespace", "user-namespace", NULL },
};

static const char *const executors[] = { "direct", "bubblewrap" };

static const char *self_path;

/* The part under the shim: tries to have a file made in the data folder. */
static int
start_only (void)
{
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *made = g_build_filename (host->data, "ran", NULL);
  const char *words[] = { "create", "%D/ran", NULL };
  g_auto (HostResult) result = { 0 };
  gboolean started = host_run (host, OC_ROLE_WORKER, OC_NETWORK_NONE, words, &result, &error);
  gboolean ran = g_file_test (made, G_FILE_TEST_EXISTS);

  if (started && ran)
    return EXIT_RAN;
  if (started || ran || !g_error_matches (error, OC_ERROR, OC_ERROR_SANDBOX))
    return EXIT_OTHER;
  printf ("%s", error->message);
  return EXIT_REFUSED;
}

static int
run_under (const char *const *argv, char **output)
{
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, output, NULL, &status,
                &error);
  g_assert_no_error (error);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static const char *
get_expected (gsize i, gsize executor)
{
  if (executor == 0)
    return cases[i].direct;
  return geteuid () == 0 && cases[i].bubblewrap_root != NULL ? cases[i].bubblewrap_root : cases[i].bubblewrap;
}

static void
test_missing (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data) / G_N_ELEMENTS (executors);
  gsize executor = GPOINTER_TO_SIZE (data) % G_N_ELEMENTS (executors);
  const char *layer = get_expected (i, executor);
  g_autofree char *shim = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox",
                                            "sandbox-shim", NULL);
  const char *argv[] = { shim, cases[i].shim, self_path, "--start", executors[executor], NULL };
  g_autofree char *output = NULL;
  g_autofree char *prefix = g_strconcat (layer != NULL ? layer : "", ": ", NULL);
  g_autofree char *remedy = NULL;
  g_autoptr (GError) error = NULL;
  int code = run_under (argv, &output);

  g_test_message ("%s, %s: %s", cases[i].shim, executors[executor], code == EXIT_RAN ? "runs" : output);
  if (layer == NULL)
    {
      g_assert_cmpint (code, ==, EXIT_RAN);
      return;
    }
  g_assert_cmpint (code, ==, EXIT_REFUSED);
  g_assert_true (g_str_has_prefix (output, prefix));
  error = g_error_new_literal (OC_ERROR, OC_ERROR_SANDBOX, output);
  remedy = oc_sandbox_dup_remedy (error);
  g_assert_true (remedy != NULL || strcmp (layer, "limits") == 0 || strcmp (layer, "descriptors") == 0);
}

/* The control: under the shim with nothing missing it does run. */
static void
test_control (void)
{
  g_autofree char *shim = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox",
                                            "sandbox-shim", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (executors); i++)
    {
      const char *argv[] = { shim, "nothing", self_path, "--start", executors[i], NULL };
      g_autofree char *output = NULL;

      g_assert_cmpint (run_under (argv, &output), ==, EXIT_RAN);
    }
}

/* Inside somebody else's user namespace: works, or refuses and names the layer. */
static void
test_nested (void)
{
  const char *argv[] = { "unshare", "-Ur", self_path, "--start", "direct", NULL };
  const char *probe[] = { "unshare", "-Ur", "true", NULL };
  g_autofree char *output = NULL;
  g_autofree char *probe_output = NULL;
  int code;

  if (run_under (probe, &probe_output) != 0)
    {
      host_skip ("unshare -Ur does not work here");
      return;
    }
  code = run_under (argv, &output);
  g_test_message ("in a user namespace: %s", code == EXIT_RAN ? "works" : output);
  g_assert_true (code == EXIT_RAN || (code == EXIT_REFUSED && strchr (output, ':') != NULL));
}

int
main (int argc, char **argv)
{
  g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);

  self_path = path;
  if (argc == 3 && strcmp (argv[1], "--start") == 0)
    {
      g_setenv ("OC_EXECUTOR", argv[2], TRUE);
      return start_only ();
    }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/missing/control", test_control);
  for (gsize i = 0; i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (executors); i++)
    {
      g_autofree char *name = g_strconcat ("/missing/", executors[i % G_N_ELEMENTS (executors)], "/",
                                           cases[i / G_N_ELEMENTS (executors)].shim, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_missing);
    }
  g_test_add_func ("/missing/nested-user-namespace", test_nested);
  return g_test_run ();
}
