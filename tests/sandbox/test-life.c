/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a sandbox begins and ends, and what its command is given. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "sandbox-host.h"

/* "nothing survives": within this. */
#define END_MS 5000

static void
run_words (Host *host, const char *const *words, HostResult *result)
{
  g_autoptr (GError) error = NULL;

  host_run (host, OC_ROLE_WORKER, OC_NETWORK_NONE, words, result, &error);
  g_assert_no_error (error);
}

static void
test_exit_codes (void)
{
  g_autoptr (Host) host = host_new ();
  static const char *const codes[] = { "0", "1", "7", "126", "255" };
  static const int signals[] = { SIGKILL, SIGSEGV, SIGTERM };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      const char *words[] = { "exit", codes[i], NULL };
      g_auto (HostResult) result = { 0 };

      run_words (host, words, &result);
      g_assert_cmpint (result.exit_code, ==, atoi (codes[i]));
      g_assert_cmpint (result.signal, ==, 0);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autofree char *number = g_strdup_printf ("%d", signals[i]);
      const char *words[] = { "signal", number, NULL };
      g_auto (HostResult) result = { 0 };

      run_words (host, words, &result);
      g_assert_cmpint (result.exit_code, ==, -1);
      g_assert_cmpint (result.signal, ==, signals[i]);
    }
}

static void
test_descriptors (void)
{
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = host_make_plan (host, OC_ROLE_WORKER, OC_NETWORK_NONE, &error);
  g_autoptr (OcProcess) process = NULL;
  g_autofree char *output = NULL;
  const char *argv[] = { "probe", "descriptors", NULL };
  const char *env[] = { NULL };
  int out[2], rpc[2];
  /* Not close-on-exec, as a careless host application leaves them. */
  g_auto (OcFd) stray = open (host->home, O_RDONLY | O_DIRECTORY);
  g_auto (OcFd) high = fcntl (stray, F_DUPFD, 900);

  g_assert_no_error (error);
  g_assert_cmpint (high, >=, 900);
  g_assert_no_errno (pipe2 (out, O_CLOEXEC));
  g_assert_no_errno (pipe2 (rpc, O_CLOEXEC));
  process = oc_sandbox_start (
      plan, &(OcCommand){ host->probe, argv, env, { -1, out[1], -1, rpc[0], rpc[1] } }, &error);
  g_assert_no_error (error);
  close (out[1]);
  close (rpc[0]);
  close (rpc[1]);
  output = host_read_all (out[0]);
  close (out[0]);
  g_assert_cmpstr (output, ==, "0\n1\n2\n3\n4\nDONE");
}

static void
test_refuses_descriptors (void)
{
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) plan_error = NULL;
  g_autoptr (OcPlan) plan = host_make_plan (host, OC_ROLE_WORKER, OC_NETWORK_NONE, &plan_error);
  g_autofree char *file = g_build_filename (host->home, "file", NULL);
  g_autofree char *fifo = g_build_filename (host->home, "fifo", NULL);
  const char *argv[] = { "probe", "create", NULL, NULL };
  const char *env[] = { NULL };
  g_autofree char *made = g_build_filename (host->data, "ran", NULL);
  int fds[] = { open (file, O_RDONLY | O_CLOEXEC),
                open (host->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                open (fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC),
                socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                open ("/dev/zero", O_RDONLY | O_CLOEXEC) };
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);

  g_assert_no_error (plan_error);
  argv[2] = made;
  for (gsize i = 0; i < G_N_ELEMENTS (fds); i++)
    for (int place = 0; place < 5; place++)
      {
        g_autoptr (GError) error = NULL;
        OcCommand command = { host->probe, argv, env, { -1, -1, -1, -1, -1 } };

        g_assert_cmpint (fds[i], >=, 0);
        command.fds[place] = fds[i];
        g_assert_null (oc_sandbox_start (plan, &command, &error));
        g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
      }
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (OcProcess) process = NULL;

    /* The control: /dev/null is fine. */
    process = oc_sandbox_start (
        plan, &(OcCommand){ host->probe, argv, env, { null, null, null, -1, -1 } }, &error);
    g_assert_no_error (error);
    g_assert_true (oc_process_wait (process, NULL, NULL));
    g_assert_true (g_file_test (made, G_FILE_TEST_EXISTS));
  }
  for (gsize i = 0; i < G_N_ELEMENTS (fds); i++)
    close (fds[i]);
  close (null);
}

static void
test_not_executable (void)
{
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) plan_error = NULL;
  g_autoptr (OcPlan) plan = host_make_plan (host, OC_ROLE_WORKER, OC_NETWORK_NONE, &plan_error);
  g_autofree char *file = g_build_filename (host->home, "file", NULL);
  g_autofree char *secret = g_build_filename (host->home, ".ssh", "id", NULL);
  g_autofree char *missing = g_build_filename (host->home, "missing", NULL);
  const char *argv[] = { "x", NULL };
  g_autofree char *crlf = g_build_filename (host->home, "crlf", NULL);
  g_autofree char *text = g_build_filename (host->home, "text", NULL);
  const char *programs[] = { file, secret, missing, host->home, crlf, text };
  const char *said[] = { "", "", "#!", "", "carriage return", "does not begin with a #! line" };

  g_assert_no_error (plan_error);
  g_assert_true (g_file_set_contents (crlf, "#!/bin/sh\r\ntrue\r\n", -1, NULL));
  g_assert_true (g_file_set_contents (text, "true\n", -1, NULL));
  g_assert_no_errno (g_chmod (crlf, 0755));
  g_assert_no_errno (g_chmod (text, 0755));
  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (oc_sandbox_start (
          plan, &(OcCommand){ programs[i], argv, argv + 1, { -1, -1, -1, -1, -1 } }, &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_NOT_FOUND);
      g_assert_nonnull (strstr (error->message, programs[i]));
      g_assert_nonnull (strstr (error->message, said[i]));
    }
}

static void
test_odd_arguments (void)
{
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "arguments", "--bind",   "/", "a b", "a\nb",
                          "$(id)",     "\xff\xfe", "",  "--",  NULL };
  g_auto (HostResult) result = { 0 };

  run_words (host, words, &result);
  g_assert_cmpstr (result.output, ==, "--bind\n/\na b\na\nb\n$(id)\n\xff\xfe\n\n--\nDONE");
}

static void
test_environment (void)
{
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "environment", NULL };
  static const char *const allowed[] = { "PATH",
                                         "HOME",
                                         "USER",
                                         "LOGNAME",
                                         "TMPDIR",
                                         "OCELOT_PLUGIN_ID",
                                         "OCELOT_PLUGIN_FOLDER",
                                         "OCELOT_PLUGIN_DATA",
                                         "LANG",
                                         "LANGUAGE",
                                         "TZ",
                                         NULL };
  g_auto (HostResult) result = { 0 };
  g_auto (GStrv) lines = NULL;

  g_setenv ("LD_PRELOAD_NOT", "x", TRUE);
  g_setenv ("SECRET_TOKEN", "x", TRUE);
  g_setenv ("TZ", "../../etc", TRUE); /* not a plain name: not passed on */
  run_words (host, words, &result);
  g_assert_null (strstr (result.output, "SECRET_TOKEN"));
  g_assert_null (strstr (result.output, "TZ="));
  lines = g_strsplit (result.output, "\n", -1);
  for (gsize i = 0; lines[i] != NULL && strcmp (lines[i], "DONE") != 0; i++)
    {
      g_auto (GStrv) pair = g_strsplit (lines[i], "=", 2);

      g_assert_true (g_strv_contains (allowed, pair[0]) || g_str_has_prefix (pair[0], "LC_"));
    }
  g_unsetenv ("TZ");
}

/* CVE-2024-21626: the launcher is started from inside a guarded place. */
static void
test_working_folder (void)
{
  g_autoptr (Host) host = host_new ();
  g_autofree char *guarded = g_build_filename (host->home, ".ssh", NULL);
  g_autofree char *before = g_get_current_dir ();
  g_autofree char *expected = g_strconcat (host->data, "\nDONE", NULL);
  const char *where[] = { "working-folder", NULL };
  const char *read_words[] = { "read", "id", NULL };
  g_auto (HostResult) result = { 0 };
  g_auto (HostResult) read_result = { 0 };

  g_assert_no_errno (g_chdir (guarded));
  g_assert_true (g_file_test ("id", G_FILE_TEST_EXISTS));
  run_words (host, where, &result);
  run_words (host, read_words, &read_result);
  g_assert_no_errno (g_chdir (before));
  g_assert_cmpstr (result.output, ==, expected);
  g_assert_cmpstr (read_result.output, ==, "ENOENT");
}

static void
assert_ends (int fd)
{
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

  g_assert_cmpint (poll (&poll_fd, 1, END_MS), ==, 1);
}

/* A process that has left the session, ignores signals and holds stdout ends with the command. */
static void
test_command_ends_all (void)
{
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "daemon", NULL };
  g_auto (OcFd) output = -1;
  g_autoptr (OcProcess) process = host_start (host, OC_ROLE_TOOL, words, NULL, &output);
  g_autofree char *text = host_read_all (output); /* its end of file: no writer is left */
  int exit_code = -1;

  g_assert_cmpstr (text, ==, "DONE");
  assert_ends (oc_process_get_pidfd (process));
  g_assert_true (oc_process_wait (process, &exit_code, NULL));
  g_assert_cmpint (exit_code, ==, 0);
}

static void
test_kill_ends_all (void)
{
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "stay", NULL };
  g_auto (OcFd) output = -1;
  g_autoptr (OcProcess) process = host_start (host, OC_ROLE_TOOL, words, NULL, &output);
  g_autofree char *line = host_read_line (output);
  g_autofree char *rest = NULL;
  struct pollfd poll_fd = { .fd = oc_process_get_pidfd (process), .events = POLLIN };

  g_assert_cmpstr (line, ==, "ready");
  g_assert_cmpint (poll (&poll_fd, 1, 0), ==, 0); /* the control: it does run */
  oc_process_kill (process);
  assert_ends (oc_process_get_pidfd (process));
  rest = host_read_all (output);
  g_assert_cmpstr (rest, ==, "");
  g_assert_false (oc_process_wait (process, NULL, NULL));
}

/* The launcher is killed so that it cannot clean up. */
static void
test_launcher_killed (void)
{
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "stay", NULL };
  g_autofree char *line = NULL;
  g_autofree char *rest = NULL;
  int fds[2];
  pid_t launcher;

  g_assert_no_errno (pipe2 (fds, O_CLOEXEC));
  launcher = fork ();
  g_assert_cmpint (launcher, >=, 0);
  if (launcher == 0)
    {
      g_autoptr (GError) error = NULL;
      OcPlan *plan = host_make_plan (host, OC_ROLE_TOOL, OC_NETWORK_NONE, &error);
      const char *argv[] = { "probe", words[0], NULL };

      close (fds[0]);
      if (plan == NULL
          || oc_sandbox_start (
                 plan, &(OcCommand){ host->probe, argv, argv + 2, { -1, fds[1], -1, -1, -1 } },
                 &error)
                 == NULL)
        _exit (1);
      close (fds[1]);
      for (;;)
        pause ();
    }
  close (fds[1]);
  line = host_read_line (fds[0]);
  g_assert_cmpstr (line, ==, "ready");
  g_assert_no_errno (kill (launcher, SIGKILL));
  g_assert_cmpint (waitpid (launcher, NULL, 0), ==, launcher);
  /* Everything inside holds the pipe; its end says that none is left. */
  assert_ends (fds[0]);
  rest = host_read_all (fds[0]);
  g_assert_cmpstr (rest, ==, "");
  close (fds[0]);
}

/* The thread that started the sandbox ends; the sandbox does not. */
static gpointer
start_in_thread (gpointer data)
{
  gpointer *arguments = data;
  const char *words[] = { "read-when-told", "~/file", NULL };

  return host_start (arguments[0], OC_ROLE_TOOL, words, arguments[1], arguments[2]);
}

static void
test_thread_ends (void)
{
  g_autoptr (Host) host = host_new ();
  g_auto (OcFd) input = -1;
  g_auto (OcFd) output = -1;
  gpointer arguments[] = { host, &input, &output };
  g_autoptr (OcProcess) process = g_thread_join (
      g_thread_new ("starter", start_in_thread, arguments));
  g_autofree char *line = host_read_line (output);
  g_autofree char *rest = NULL;

  g_assert_cmpstr (line, ==, "ready");
  g_assert_cmpint (write (input, "x", 1), ==, 1);
  rest = host_read_all (output);
  g_assert_cmpstr (rest, ==, "DONE");
}

/* A secret that comes, or is replaced, after a worker began. */
static void
read_late (Host *host, OcRole role, const char *path, const char *expected)
{
  const char *words[] = { "read-when-told", path, NULL };
  g_auto (OcFd) input = -1;
  g_auto (OcFd) output = -1;
  g_autoptr (GError) error = NULL;
  g_autoptr (OcProcess) process = NULL;
  g_autofree char *real = host_expand (host, path);
  g_autofree char *temporary = g_build_filename (host->home, "temporary", NULL);
  g_autofree char *folder = g_path_get_dirname (real);
  g_autofree char *line = NULL;
  g_autofree char *rest = NULL;

  host_reset (host);
  process = host_start (host, role, words, &input, &output);
  line = host_read_line (output);
  g_assert_cmpstr (line, ==, "ready");
  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_file_set_contents (temporary, "secret", -1, &error);
  g_assert_no_error (error);
  g_assert_no_errno (g_rename (temporary, real));
  g_assert_cmpint (write (input, "x", 1), ==, 1);
  rest = host_read_all (output);
  g_test_message ("%s, %s: %s", role == OC_ROLE_WORKER ? "worker" : "tool", path, rest);
  g_assert_cmpstr (rest, ==, expected);
}

static void
test_late_secrets (void)
{
  g_autoptr (Host) host = host_new ();

  read_late (host, OC_ROLE_WORKER, "~/.netrc", "EACCES");           /* renamed over */
  read_late (host, OC_ROLE_WORKER, "~/.git-credentials", "EACCES"); /* created */
  read_late (host, OC_ROLE_WORKER, "~/.docker/config.json", "EACCES");
  read_late (host, OC_ROLE_WORKER, "~/.config/op/config", "EACCES");
  read_late (host, OC_ROLE_WORKER, "~/not-there-yet/secring",
             "EACCES"); /* where a dangling link leads */
  /* The control: a tool's reading is held by the masks alone, which a file that comes later has
   * none of. */
  read_late (host, OC_ROLE_TOOL, "~/.git-credentials", "DONE");
  /* And a file that was there before and stays where it is can be read. */
  read_late (host, OC_ROLE_WORKER, "~/folder/file", "DONE");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/life/exit-codes", test_exit_codes);
  g_test_add_func ("/life/descriptors", test_descriptors);
  g_test_add_func ("/life/refuses-descriptors", test_refuses_descriptors);
  g_test_add_func ("/life/not-executable", test_not_executable);
  g_test_add_func ("/life/odd-arguments-are-data", test_odd_arguments);
  g_test_add_func ("/life/environment-from-nothing", test_environment);
  g_test_add_func ("/life/working-folder", test_working_folder);
  g_test_add_func ("/life/command-ends-all", test_command_ends_all);
  g_test_add_func ("/life/kill-ends-all", test_kill_ends_all);
  g_test_add_func ("/life/launcher-killed", test_launcher_killed);
  g_test_add_func ("/life/thread-ends", test_thread_ends);
  g_test_add_func ("/life/late-secrets", test_late_secrets);
  return g_test_run ();
}
