/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures one thing each time it is asked, for launch.py and api.py, which take turns and make the tables.
 *
 *   bench-driver HOME NOTHING
 *
 * Reads a line of words with tabs between them, answers with a line "ok" and nanoseconds, or "error" and a sentence:
 *
 *   spawn EXIT PROGRAM ARGUMENT…     a program, started here, until it has ended with EXIT
 *   at-once EXIT COUNT               the same COUNT times at once: as many lines of PROGRAM ARGUMENT… follow.
 *                                    Answers the time of all, then of each
 *   plan ROLE                        the plan alone, made and freed
 *   launch EXECUTOR ROLE             plan, all layers, NOTHING in the sandbox, until it has ended
 *   echo COUNT THERE BACK AT-ONCE    a bare pipe echo with a child, each time: THERE bytes to it and BACK bytes from it, AT-ONCE
 *                                    times before the first of its answers is waited for
 *
 * Only what is asked for lies between the two looks at the clock. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher/oc-executor.h"
#include "launcher/oc-sandbox.h"

#define ID "org.example.Bench"
#define MAX_AT_ONCE 64

typedef struct
{
  OcPaths *paths;
  char *folder;
  char *data_folder;
  char *temp_folder;
  const char *home;
  const char *nothing;
} Driver;

static gint64
look_at_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static void
answer_times (const gint64 *times,
              gsize n)
{
  fputs ("ok", stdout);
  for (gsize i = 0; i < n; i++)
    printf (" %" G_GINT64_FORMAT, times[i]);
  putchar ('\n');
}

/* Nothing of it stands in the way of measuring the rest. */
static void G_GNUC_PRINTF (1, 2)
answer_error (const char *format,
              ...)
{
  va_list arguments;
  g_autofree char *message = NULL;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_strdelimit (message, "\n", ' ');
  printf ("error %s\n", message);
}

/* Its input and output are /dev/null. */
static pid_t
spawn (char **argv)
{
  posix_spawn_file_actions_t actions;
  pid_t pid = -1;

  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 2, "/dev/null", O_WRONLY, 0);
  if (posix_spawn (&pid, argv[0], &actions, NULL, argv, environ) != 0)
    pid = -1;
  posix_spawn_file_actions_destroy (&actions);
  return pid;
}

static gboolean
ended_with (int status,
            int code)
{
  return WIFEXITED (status) && WEXITSTATUS (status) == code;
}

static void
measure_spawn (char **words)
{
  int code = atoi (words[1]);
  int status = 0;
  gint64 begin = look_at_clock ();
  gint64 taken;
  pid_t pid = spawn (words + 2);

  if (pid < 0 || waitpid (pid, &status, 0) != pid)
    {
      answer_error ("%s cannot be started", words[2]);
      return;
    }
  taken = look_at_clock () - begin;
  if (ended_with (status, code))
    answer_times (&taken, 1);
  else
    answer_error ("%s ended with status %#x, not with exit code %d", words[2], (guint) status, code);
}

static char **
read_words (void)
{
  g_autofree char *line = NULL;
  gsize size = 0;
  gssize length = getline (&line, &size, stdin);

  if (length <= 0)
    return NULL;
  line[strcspn (line, "\n")] = '\0';
  return g_strsplit (line, "\t", -1);
}

/* @times: the whole, then each. FALSE: some could not be started, or did not end as they should. */
static gboolean
run_at_once (char ***commands,
             int count,
             int code,
             gint64 *times)
{
  pid_t pids[MAX_AT_ONCE];
  gint64 begins[MAX_AT_ONCE];
  gint64 begin = look_at_clock ();
  gboolean well = TRUE;
  int running = 0;

  for (int i = 0; i < count; i++)
    {
      begins[i] = look_at_clock ();
      pids[i] = spawn (commands[i]);
      well &= pids[i] > 0;
      running += pids[i] > 0;
    }
  while (running > 0)
    {
      int status = 0;
      pid_t pid = waitpid (-1, &status, 0);
      gint64 now = look_at_clock ();

      if (pid < 0)
        return FALSE;
      for (int i = 0; i < count; i++)
        if (pids[i] == pid)
          {
            times[1 + i] = now - begins[i];
            running--;
          }
      well &= ended_with (status, code);
    }
  times[0] = look_at_clock () - begin;
  return well;
}

static void
measure_at_once (char **words)
{
  int code = atoi (words[1]);
  int count = CLAMP (atoi (words[2]), 1, MAX_AT_ONCE);
  char **commands[MAX_AT_ONCE] = { NULL };
  gint64 times[MAX_AT_ONCE + 1] = { 0 };

  for (int i = 0; i < count; i++)
    {
      commands[i] = read_words ();
      if (commands[i] == NULL)
        exit (1);
    }
  if (run_at_once (commands, count, code, times))
    answer_times (times, (gsize) count + 1);
  else
    answer_error ("one of %d at once did not end with exit code %d", count, code);
  for (int i = 0; i < count; i++)
    g_strfreev (commands[i]);
}

static OcPlan *
make_plan (const Driver *self,
           const char *role,
           GError **error)
{
  OcPlanInput input = { 0 };

  input.paths = self->paths;
  input.id = ID;
  input.folder = self->folder;
  input.data_folder = self->data_folder;
  input.temp_folder = self->temp_folder;
  input.home = self->home;
  input.role = g_str_equal (role, "tool") ? OC_ROLE_TOOL : OC_ROLE_WORKER;
  return oc_plan_new (&input, error);
}

static void
measure_plan (const Driver *self,
              char **words)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = look_at_clock ();
  gint64 taken;
  OcPlan *plan = make_plan (self, words[1], &error);

  g_clear_pointer (&plan, oc_plan_unref);
  taken = look_at_clock () - begin;
  if (error == NULL)
    answer_times (&taken, 1);
  else
    answer_error ("%s", error->message);
}

static gboolean
launch (const Driver *self,
        OcExecutor executor,
        const char *role,
        GError **error)
{
  const char *argv[] = { "nothing", NULL };
  g_autoptr (OcPlan) plan = make_plan (self, role, error);
  g_auto (GStrv) env = plan != NULL ? oc_plan_dup_environment (plan) : NULL;
  OcCommand command = { self->nothing, argv, (const char *const *) env, { -1, -1, -1, -1, -1 } };
  g_autoptr (OcProcess) process = NULL;
  int code = -1;

  if (plan == NULL)
    return FALSE;
  process = oc_sandbox_start_on (executor, plan, &command, NULL, error);
  if (process == NULL)
    return FALSE;
  if (oc_process_wait (process, &code, NULL) && code == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "The program ended with %d.", code);
  return FALSE;
}

static void
measure_launch (const Driver *self,
                char **words)
{
  g_autoptr (GError) error = NULL;
  OcExecutor executor = OC_EXECUTOR_DIRECT;
  gint64 begin, taken;

  if (!oc_executor_from_id (words[1], &executor))
    {
      answer_error ("there is no executor “%s”", words[1]);
      return;
    }
  begin = look_at_clock ();
  launch (self, executor, words[2], &error);
  taken = look_at_clock () - begin;
  if (error == NULL)
    answer_times (&taken, 1);
  else
    answer_error ("%s", error->message);
}

static gboolean
move_all (ssize_t (*move) (int, void *, size_t),
          int fd,
          char *bytes,
          gsize size)
{
  for (gsize done = 0; done < size;)
    {
      ssize_t n = move (fd, bytes + done, size - done);

      if (n <= 0)
        return FALSE;
      done += (gsize) n;
    }
  return TRUE;
}

static ssize_t
write_some (int fd,
            void *bytes,
            size_t size)
{
  return write (fd, bytes, size);
}

/* One after the other, a child answers each of @there bytes with @back bytes. */
typedef struct
{
  char *bytes; /* as many as the larger of both */
  gsize there;
  gsize back;
  int to_child;
  int from_child;
  pid_t pid;
} Echo;

static gboolean
echo_begin (Echo *self)
{
  int to[2], from[2];

  if (pipe2 (to, O_CLOEXEC) != 0 || pipe2 (from, O_CLOEXEC) != 0 || (self->pid = fork ()) < 0)
    return FALSE;
  if (self->pid == 0)
    {
      close (to[1]);
      while (move_all (read, to[0], self->bytes, self->there) && move_all (write_some, from[1], self->bytes, self->back))
        ;
      _exit (0);
    }
  close (to[0]);
  close (from[1]);
  self->to_child = to[1];
  self->from_child = from[0];
  return TRUE;
}

static gboolean
echo_once (Echo *self,
           int at_once)
{
  gboolean well = TRUE;

  for (int i = 0; i < at_once; i++)
    well = well && move_all (write_some, self->to_child, self->bytes, self->there);
  for (int i = 0; i < at_once; i++)
    well = well && move_all (read, self->from_child, self->bytes, self->back);
  return well;
}

static void
measure_echo (char **words)
{
  int count = CLAMP (atoi (words[1]), 1, 10000);
  int at_once = CLAMP (atoi (words[4]), 1, 64);
  Echo echo = { .there = (gsize) CLAMP (atoi (words[2]), 1, 1024), .back = (gsize) CLAMP (atoi (words[3]), 1, 4 * 1024 * 1024) };
  g_autofree gint64 *times = g_new0 (gint64, count);
  g_autofree char *bytes = g_malloc0 (MAX (echo.there, echo.back));
  gboolean well = TRUE;

  echo.bytes = bytes;
  if (!echo_begin (&echo))
    {
      answer_error ("no pipe and child: %s", g_strerror (errno));
      return;
    }
  for (int i = 0; i < count && well; i++)
    {
      gint64 begin = look_at_clock ();

      well = echo_once (&echo, at_once);
      times[i] = look_at_clock () - begin;
    }
  close (echo.to_child);
  close (echo.from_child);
  waitpid (echo.pid, NULL, 0);
  if (well)
    answer_times (times, (gsize) count);
  else
    answer_error ("the echo broke off");
}

/* What the tables send: the words each needs are there. */
static void
serve (const Driver *self,
       char **words)
{
  guint n = g_strv_length (words);

  if (n >= 3 && g_str_equal (words[0], "spawn"))
    measure_spawn (words);
  else if (n == 3 && g_str_equal (words[0], "at-once"))
    measure_at_once (words);
  else if (n == 2 && g_str_equal (words[0], "plan"))
    measure_plan (self, words);
  else if (n == 3 && g_str_equal (words[0], "launch"))
    measure_launch (self, words);
  else if (n == 5 && g_str_equal (words[0], "echo"))
    measure_echo (words);
  else
    answer_error ("“%s” cannot be measured", n > 0 ? words[0] : "");
  fflush (stdout);
}

int
main (int argc,
      char **argv)
{
  Driver self = { 0 };
  char **words;

  if (argc != 3)
    {
      fprintf (stderr, "Usage: bench-driver HOME NOTHING\n");
      return 2;
    }
  self.home = argv[1];
  self.nothing = argv[2];
  self.paths = oc_paths_new_for_user ();
  self.folder = g_build_filename (oc_paths_get_base (self.paths), "Plugins", ID, NULL);
  self.data_folder = g_build_filename (oc_paths_get_base (self.paths), "Data", ID, NULL);
  self.temp_folder = g_build_filename (g_get_tmp_dir (), "ocelot-1-bench", NULL);
  while ((words = read_words ()) != NULL)
    {
      serve (&self, words);
      g_strfreev (words);
    }
  g_free (self.temp_folder);
  g_free (self.data_folder);
  g_free (self.folder);
  oc_paths_unref (self.paths);
  return 0;
}
