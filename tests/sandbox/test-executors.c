/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which executor is used, and that a bubblewrap that does not do what it is told is found out. The choices are made by this
 * program executed again, under the shim where something is to be missing. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "launcher/oc-bwrap.h"
#include "launcher/oc-executor.h"
#include "sandbox-host.h"

#define EXIT_RAN 0
#define EXIT_REFUSED 10
#define EXIT_OTHER 11
/* "ended": within this. */
#define END_MS 5000
#define VERDICT "ocelot/bubblewrap-holds"

static const char *self_path;

static char *
build_path (const char *name)
{
  return g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox", name, NULL);
}

/* ---- bubblewraps that lie ---- */

static const struct
{
  const char *lie;
  const char *layer; /* that finds it out; NULL: it runs */
} lies[] = {
  { "honest", NULL },
  { "ends-at-once", "mounts-read-only" },
  { "makes-nothing", "pid-namespace" },
  { "shares-pid", "mounts-read-only" }, /* the real one refuses: stage 2 cannot be pid 1 then */
  { "shares-ipc", "pid-namespace" },
  { "shares-cgroup", "pid-namespace" },
  { "shares-uts", "user-namespace" },
  { "shares-net", "network" },
  { "masks-no-file", "guarded-places" },
  { "masks-no-folder", "guarded-places" },
  { "lists-what-is-hidden", "guarded-places" },
  { "writable-hidden", "guarded-places" },
  { "writable-dev", "mounts-read-only" },
  { "writable-proc", "pid-namespace" },
  { "writable-root", "mounts-read-only" },
  { "writable-code", "mounts-read-only" },
  { "one-more-writable", "mounts-read-only" },
  { "one-more-device", "mounts-read-only" },
  { "another-device", "mounts-read-only" },
  { "another-data-folder", "mounts-read-only" },
  { "data-read-only", "mounts-read-only" },
  { "mounts-in-data", "mounts-read-only" },
};

static void
test_lie (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = host_make_plan (host, OC_ROLE_WORKER, OC_NETWORK_NONE, &error);
  g_autofree char *script = g_build_filename (g_getenv ("OC_TEST_SOURCE_ROOT"), "tests", "sandbox", "other-bwrap.py", NULL);
  g_autofree char *path = g_build_filename (host->base, lies[i].lie, NULL);
  g_autofree char *made = g_build_filename (host->data, "ran", NULL);
  g_autofree char *prefix = g_strconcat (lies[i].layer != NULL ? lies[i].layer : "", ": ", NULL);
  const char *argv[] = { "probe", "create", made, NULL };
  const char *env[] = { NULL };
  g_autoptr (OcProcess) process = NULL;

  g_assert_no_error (error);
  g_assert_no_errno (symlink (script, path));
  oc_bwrap_set_path (path);
  process = oc_sandbox_start_on (OC_EXECUTOR_BUBBLEWRAP, plan,
                                 &(OcCommand){ .program = host->probe, .argv = argv, .env = env, .fds = { -1, -1, -1, -1, -1 } },
                                 NULL, &error);
  oc_bwrap_set_path (NULL);
  if (process != NULL)
    g_assert_true (oc_process_wait (process, NULL, NULL));
  g_test_message ("%s: %s", lies[i].lie, error != NULL ? error->message : "runs");
  if (lies[i].layer == NULL)
    {
      g_assert_no_error (error);
      g_assert_true (g_file_test (made, G_FILE_TEST_EXISTS));
      return;
    }
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_true (g_str_has_prefix (error->message, prefix));
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
}

/* ---- the choice ---- */

/* What is executed again: starts a sandbox, and says which executor was used, or why none was. @path: of bubblewrap, or "". */
static int
choose (const char *executor, const char *path)
{
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) error = NULL;
  const char *words[] = { "create", "%D/ran", NULL };
  g_autofree char *made = g_build_filename (host->data, "ran", NULL);
  g_auto (HostResult) result = { 0 };
  OcExecutor asked = OC_EXECUTOR_AUTO;
  gboolean started, ran;

  if (strcmp (executor, "auto") != 0)
    g_assert_true (oc_executor_from_id (executor, &asked));
  oc_sandbox_set_executor (asked);
  if (*path != '\0')
    oc_bwrap_set_path (path);
  started = host_run (host, OC_ROLE_TOOL, OC_NETWORK_NONE, words, &result, &error);
  ran = g_file_test (made, G_FILE_TEST_EXISTS);
  printf ("%s", started ? oc_executor_to_id (oc_sandbox_get_executor ()) : error->message);
  if (started != ran)
    return EXIT_OTHER;
  return started ? EXIT_RAN : EXIT_REFUSED;
}

/* A runtime folder of its own, so that what is remembered is the test's. */
typedef struct
{
  char *runtime;
  char *verdict;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  self->runtime = g_dir_make_tmp ("octest-run-XXXXXX", &error);
  g_assert_no_error (error);
  self->verdict = g_build_filename (self->runtime, VERDICT, NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  static const char *const below[] = { VERDICT, "ocelot/mask-file", "ocelot/mask-folder", "ocelot", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (below); i++)
    {
      g_autofree char *path = g_build_filename (self->runtime, below[i], NULL);

      (void) remove (path);
    }
  g_assert_false (g_file_test (self->runtime, G_FILE_TEST_EXISTS));
  g_free (self->runtime);
  g_free (self->verdict);
}

static char *
run_choice (Fixture *self, const char *missing, const char *executor, const char *path, int expected)
{
  g_autofree char *shim = build_path ("sandbox-shim");
  const char *argv[] = { shim, missing, self_path, "--choose", executor, path, NULL };
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "XDG_RUNTIME_DIR", self->runtime, TRUE);
  g_autoptr (GError) error = NULL;
  char *output = NULL;
  int status = 0;

  g_spawn_sync (NULL, (char **) argv, env, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status, &error);
  g_assert_no_error (error);
  g_test_message ("%s missing, %s, %s: %s", missing, executor, path, output);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, expected);
  return output;
}

static void
test_direct_where_it_works (Fixture *self, gconstpointer data)
{
  g_autofree char *used = run_choice (self, "nothing", "auto", "", EXIT_RAN);

  g_assert_cmpstr (used, ==, "direct");
  g_assert_false (g_file_test (self->verdict, G_FILE_TEST_EXISTS));
}

static void
test_bubblewrap_where_only_it_may (Fixture *self, gconstpointer data)
{
  g_autofree char *used = run_choice (self, "user-namespace-direct", "auto", "", EXIT_RAN);
  struct stat info;

  g_assert_cmpstr (used, ==, "bubblewrap");
  g_assert_no_errno (lstat (self->verdict, &info));
  g_assert_cmpuint (info.st_mode, ==, S_IFREG | 0600);
}

static void
test_asked_for (Fixture *self, gconstpointer data)
{
  g_autofree char *bubblewrap = run_choice (self, "nothing", "bubblewrap", "", EXIT_RAN);
  g_autofree char *direct = run_choice (self, "user-namespace-direct", "direct", "", EXIT_REFUSED);

  g_assert_cmpstr (bubblewrap, ==, "bubblewrap");
  g_assert_true (g_str_has_prefix (direct, "user-namespace: "));
  g_assert_null (strstr (direct, "bubblewrap"));
}

static void
test_neither (Fixture *self, gconstpointer data)
{
  g_autofree char *missing = run_choice (self, "user-namespace-direct", "auto", "/nonexistent/bwrap", EXIT_REFUSED);
  g_autofree char *refused = run_choice (self, "user-namespace", "auto", "", EXIT_REFUSED);
  g_autoptr (GError) error = g_error_new_literal (OC_ERROR, OC_ERROR_SANDBOX, refused);
  g_autofree char *remedy = oc_sandbox_dup_remedy (error);

  g_assert_true (g_str_has_prefix (missing, "user-namespace: "));
  g_assert_nonnull (strstr (missing, "/nonexistent/bwrap"));
  g_assert_true (g_str_has_prefix (refused, "user-namespace: "));
  g_assert_nonnull (strstr (refused, "nor can bubblewrap be used"));
  g_assert_nonnull (remedy);
  g_assert_false (g_file_test (self->verdict, G_FILE_TEST_EXISTS));
}

/* One that passes nothing on its own is not used, and not remembered. */
static void
test_fails_the_self_test (Fixture *self, gconstpointer data)
{
  g_autofree char *script = g_build_filename (g_getenv ("OC_TEST_SOURCE_ROOT"), "tests", "sandbox", "other-bwrap.py", NULL);
  g_autofree char *path = g_build_filename (self->runtime, "shares-net", NULL);
  g_autofree char *refused = NULL;

  g_assert_no_errno (symlink (script, path));
  refused = run_choice (self, "user-namespace-direct", "auto", path, EXIT_REFUSED);
  g_assert_no_errno (unlink (path));
  g_assert_nonnull (strstr (refused, "network: "));
  g_assert_false (g_file_test (self->verdict, G_FILE_TEST_EXISTS));
}

static void
read_verdict (Fixture *self, char **text, struct stat *info)
{
  g_autoptr (GError) error = NULL;

  g_file_get_contents (self->verdict, text, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_errno (lstat (self->verdict, info));
}

/* What is remembered counts only as it was written. */
static void
test_remembered (Fixture *self, gconstpointer data)
{
  g_autofree char *used = run_choice (self, "nothing", "bubblewrap", "", EXIT_RAN);
  g_autofree char *again = run_choice (self, "nothing", "bubblewrap", "", EXIT_RAN);
  g_autofree char *elsewhere = g_strconcat (self->verdict, "-elsewhere", NULL);
  g_autofree char *text = NULL;
  struct stat first, info;

  read_verdict (self, &text, &first);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *changed = g_strconcat (text, " ", NULL);
      g_autofree char *output = NULL;
      g_autofree char *restored = NULL;
      ino_t before;

      if (i == 0) /* the control: nothing is changed */
        ;
      else if (i == 1)
        g_assert_true (g_file_set_contents_full (self->verdict, changed, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL));
      else if (i == 2)
        g_assert_no_errno (g_chmod (self->verdict, 0644));
      else
        {
          g_assert_no_errno (g_rename (self->verdict, elsewhere));
          g_assert_no_errno (symlink (elsewhere, self->verdict));
        }
      g_assert_no_errno (lstat (self->verdict, &info));
      before = info.st_ino;
      output = run_choice (self, "nothing", "bubblewrap", "", EXIT_RAN);
      read_verdict (self, &restored, &info);
      g_assert_cmpstr (restored, ==, text);
      g_assert_cmpuint (info.st_mode, ==, S_IFREG | 0600);
      /* Tested again, it was written again. */
      g_assert_true ((info.st_ino == before) == (i == 0));
    }
  (void) unlink (elsewhere);
}

/* ---- the host mounts something meanwhile ---- */

/* Whoever mounts keeps the rights to; bubblewrap does not start with any. Returns a descriptor to tell it, and in @done one to
 * hear from it. */
static int
start_mounter (const char *place, int *done)
{
  int orders[2], answers[2];
  pid_t pid;

  g_assert_no_errno (pipe2 (orders, O_CLOEXEC));
  g_assert_no_errno (pipe2 (answers, O_CLOEXEC));
  pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    {
      char order;

      close (orders[1]);
      while (read (orders[0], &order, 1) == 1)
        {
          unsigned long flags = order == 'r' ? MS_RDONLY | MS_NOSUID | MS_NODEV : MS_NOSUID | MS_NODEV;
          int result = order == 'u' ? umount2 (place, MNT_DETACH) : mount ("tmpfs", place, "tmpfs", flags, NULL);
          char answer = result == 0 ? '1' : '0';

          (void) !write (answers[1], &answer, 1);
        }
      _exit (0);
    }
  close (orders[0]);
  close (answers[1]);
  *done = answers[0];
  return orders[1];
}

/* @how: 'r' for one that nobody can write, 'w', or 'u' to take the last one away. */
static void
order_mount (int orders, int done, char how)
{
  char answer = '0';

  g_assert_cmpint (write (orders, &how, 1), ==, 1);
  g_assert_cmpint (read (done, &answer, 1), ==, 1);
  g_assert_cmpint (answer, ==, '1');
}

static void
drop_rights (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

  g_assert_no_errno (prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
  g_assert_no_errno ((int) syscall (SYS_capset, &header, none));
}

/* What is executed again, in namespaces where it may mount: "kept" after a mount that nobody can write, then "ended". */
static int
mount_meanwhile (void)
{
  g_autoptr (Host) host = NULL;
  g_autoptr (OcProcess) reader = NULL;
  g_autoptr (OcProcess) stayer = NULL;
  const char *read_words[] = { "read-when-told", "~/file", NULL };
  const char *stay_words[] = { "stay", NULL };
  g_auto (OcFd) input = -1;
  g_auto (OcFd) read_output = -1;
  g_auto (OcFd) stay_output = -1;
  g_autofree char *place = NULL;
  g_autofree char *ready = NULL;
  g_autofree char *staying = NULL;
  g_autofree char *rest = NULL;
  struct pollfd poll_fd = { .events = POLLIN };
  int orders, done;

  /* As systemd sets it up. */
  g_assert_no_errno (mount (NULL, "/", NULL, MS_REC | MS_SHARED, NULL));
  host = host_new ();
  place = g_build_filename (host->home, "empty", NULL);
  orders = start_mounter (place, &done);
  drop_rights ();
  reader = host_start (host, OC_ROLE_TOOL, read_words, &input, &read_output);
  stayer = host_start (host, OC_ROLE_TOOL, stay_words, NULL, &stay_output);
  ready = host_read_line (read_output);
  staying = host_read_line (stay_output);
  order_mount (orders, done, 'r');
  g_assert_cmpint (write (input, "x", 1), ==, 1);
  rest = host_read_all (read_output);
  printf ("%s ", strcmp (rest, "DONE") == 0 ? "kept" : rest);
  order_mount (orders, done, 'w');
  poll_fd.fd = oc_process_get_pidfd (stayer);
  printf ("%s", poll (&poll_fd, 1, END_MS) == 1 ? "ended" : "still there");
  order_mount (orders, done, 'u');
  order_mount (orders, done, 'u');
  return 0;
}

/* Where stage 2 may not make its mounts private, a disk that is mounted on the host appears inside, and may be writable. */
static void
test_mount_meanwhile (void)
{
  g_autofree char *shim = build_path ("sandbox-shim");
  const char *probe[] = { "unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "true", NULL };
  const char *argv[] = { shim, "powerless", "/usr/bin/unshare", "--user", "--map-current-user", "--keep-caps", "--mount",
                         "--propagation", "unchanged", self_path, "--mount-meanwhile", NULL };
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "OC_EXECUTOR", "bubblewrap", TRUE);
  g_autofree char *base = NULL;
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_spawn_sync (NULL, (char **) probe, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  if (status != 0)
    {
      host_skip ("unshare --user does not work here");
      return;
    }
  base = g_dir_make_tmp ("octest-mounts-XXXXXX", &error);
  g_assert_no_error (error);
  env = g_environ_setenv (env, "TMPDIR", base, TRUE);
  g_spawn_sync (NULL, (char **) argv, env, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status, &error);
  g_assert_no_error (error);
  host_remove_tree (base);
  g_test_message ("%s (status %d)", output, status);
  g_assert_cmpstr (output, ==, "kept ended");
}

/* ---- what counts as the system's bubblewrap ---- */

static void
test_check (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("octest-bwrap-XXXXXX", &error);
  g_autofree char *own = g_build_filename (folder, "bwrap", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  const char *refused[] = { own, "/nonexistent/bwrap", "/usr/bin", "/etc/passwd", self_path };

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (own, "#!/bin/sh\n", -1, NULL));
  g_assert_no_errno (g_chmod (own, 0755));
  g_assert_no_errno (symlink (OC_BWRAP_PATH, link));
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) why = NULL;

      g_assert_false (oc_bwrap_check (refused[i], &why));
      g_assert_error (why, OC_ERROR, OC_ERROR_SANDBOX);
      g_assert_true (g_str_has_prefix (why->message, "user-namespace: "));
    }
  /* The controls: the system's own, and a link that leads there. */
  g_assert_true (oc_bwrap_check (OC_BWRAP_PATH, &error));
  g_assert_true (oc_bwrap_check (link, &error));
  g_assert_no_errno (unlink (own));
  g_assert_no_errno (unlink (link));
  g_assert_no_errno (rmdir (folder));
}

/* Once it has ended, no process of bubblewrap's is left, not even a dead one. */
static void
test_no_child_left (void)
{
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "stay", NULL };
  g_auto (OcFd) output = -1;
  OcProcess *process;
  g_autofree char *line = NULL;
  siginfo_t info;

  oc_sandbox_set_executor (OC_EXECUTOR_BUBBLEWRAP);
  process = host_start (host, OC_ROLE_TOOL, words, NULL, &output);
  line = host_read_line (output);
  g_assert_cmpstr (line, ==, "ready");
  oc_process_kill (process);
  oc_process_free (process);
  kill (host->victim, SIGKILL);
  waitpid (host->victim, NULL, 0);
  g_assert_cmpint (waitid (P_ALL, 0, &info, WEXITED | WNOHANG), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
}

int
main (int argc, char **argv)
{
  g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);

  self_path = path;
  if (argc == 4 && strcmp (argv[1], "--choose") == 0)
    return choose (argv[2], argv[3]);
  if (argc == 2 && strcmp (argv[1], "--mount-meanwhile") == 0)
    return mount_meanwhile ();
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      g_autofree char *name = g_strconcat ("/executors/found-out/", lies[i].lie, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_lie);
    }
#define ADD(name, func) g_test_add (name, Fixture, NULL, set_up, func, tear_down)
  ADD ("/executors/direct-where-it-works", test_direct_where_it_works);
  ADD ("/executors/bubblewrap-where-only-it-may", test_bubblewrap_where_only_it_may);
  ADD ("/executors/asked-for", test_asked_for);
  ADD ("/executors/neither", test_neither);
  ADD ("/executors/fails-the-self-test", test_fails_the_self_test);
  ADD ("/executors/remembered", test_remembered);
  g_test_add_func ("/executors/only-the-system's-bubblewrap", test_check);
  /* Uid 0 owns the devices: without the right to make them read-only nothing runs at all. */
  if (geteuid () != 0)
    g_test_add_func ("/executors/mount-meanwhile", test_mount_meanwhile);
  g_test_add_func ("/executors/no-child-left", test_no_child_left);
  return g_test_run ();
}
