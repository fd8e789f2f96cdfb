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

/* Name of the shim's layer, and the layer that the launcher must name. */
static const struct
{
  const char *shim;
  const char *layer;
} cases[] = {
  { "landlock-off", "landlock" },
  { "landlock-unknown", "landlock" },
  { "landlock-rules", "landlock" },
  { "landlock-restrict", "landlock" },
  { "seccomp", "seccomp" },
  { "user-namespace", "user-namespace" },
  { "user-namespace-limit", "user-namespace" },
  { "mount-setattr", "mounts-read-only" },
  { "open-tree", "mounts-read-only" },
  { "move-mount", "mounts-read-only" },
  { "fsopen", "guarded-places" },
  { "mount", "mounts-read-only" },
  { "openat2", "mounts-read-only" },
  { "close-range", "descriptors" },
  { "capset", "capabilities" },
  { "bounding-set", "capabilities" },
  { "securebits", "capabilities" },
  { "no-new-privs", "no-new-privs" },
  { "limits", "limits" },
  { "hostname", "user-namespace" },
};

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

static void
test_missing (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autofree char *shim = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox",
                                            "sandbox-shim", NULL);
  const char *argv[] = { shim, cases[i].shim, self_path, "--start", NULL };
  g_autofree char *output = NULL;
  g_autofree char *prefix = g_strconcat (cases[i].layer, ": ", NULL);
  g_autofree char *remedy = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (run_under (argv, &output), ==, EXIT_REFUSED);
  g_test_message ("%s: %s", cases[i].shim, output);
  g_assert_true (g_str_has_prefix (output, prefix));
  error = g_error_new_literal (OC_ERROR, OC_ERROR_SANDBOX, output);
  remedy = oc_sandbox_dup_remedy (error);
  g_assert_true (remedy != NULL || strcmp (cases[i].layer, "limits") == 0
                 || strcmp (cases[i].layer, "descriptors") == 0);
}

/* The control: under the shim with nothing missing it does run. */
static void
test_control (void)
{
  g_autofree char *shim = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox",
                                            "sandbox-shim", NULL);
  const char *argv[] = { shim, "nothing", self_path, "--start", NULL };
  g_autofree char *output = NULL;

  g_assert_cmpint (run_under (argv, &output), ==, EXIT_RAN);
}

/* Inside somebody else's user namespace: works, or refuses and names the layer. */
static void
test_nested (void)
{
  const char *argv[] = { "unshare", "-Ur", self_path, "--start", NULL };
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
  if (argc == 2 && strcmp (argv[1], "--start") == 0)
    return start_only ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/missing/control", test_control);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/missing/", cases[i].shim, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_missing);
    }
  g_test_add_func ("/missing/nested-user-namespace", test_nested);
  return g_test_run ();
}
