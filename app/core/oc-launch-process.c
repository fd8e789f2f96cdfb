/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <errno.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-launch-private.h"

/* From SIGTERM the launcher needs well under a second to end its worker and write down why. */
#define GRACE_US (10 * G_USEC_PER_SEC)
#define MAX_ERR 4096

void
oc_launch_answer_free (OcLaunchAnswer *self)
{
  g_string_free (self->out, TRUE);
  g_string_free (self->err, TRUE);
  g_free (self);
}

/* One running launcher, while it is waited for. */
typedef struct
{
  GSubprocess *process;
  OcLaunchAnswer *answer;
  GCancellable *cancellable; /* (nullable) */
  int out;                   /* -1 at its end */
  int err;
  int pidfd;                 /* -1: ended (or a kernel without) */
  gint64 deadline;           /* 0: none; then SIGTERM */
  gint64 kill_at;            /* 0: not yet asked to end */
} Wait;

/* Appends what is there, up to @max, drops the rest. FALSE at the end. */
static gboolean
drain (int fd,
       GString *into,
       gsize max,
       gboolean *too_long)
{
  char buffer[65536];
  ssize_t n;

  do
    n = read (fd, buffer, sizeof buffer);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return errno == EAGAIN;
  if (n == 0)
    return FALSE;
  if (into->len + (gsize) n > max)
    {
      if (too_long != NULL)
        *too_long = TRUE;
      n = (ssize_t) (max - into->len);
    }
  g_string_append_len (into, buffer, n);
  return TRUE;
}

static void
ask_to_end (Wait *wait)
{
  gint64 now = g_get_monotonic_time ();

  if (wait->kill_at == 0)
    {
      g_subprocess_send_signal (wait->process, SIGTERM);
      wait->kill_at = now + GRACE_US;
    }
  else if (now >= wait->kill_at)
    {
      g_subprocess_force_exit (wait->process);
      wait->answer->killed = TRUE;
      wait->kill_at = now + GRACE_US;
    }
}

static int
next_timeout (Wait *wait)
{
  gint64 at = wait->kill_at != 0 ? wait->kill_at : wait->deadline;
  gint64 left = at - g_get_monotonic_time ();

  if (at == 0)
    return -1;
  return left <= 0 ? 0 : (int) MIN (left / 1000 + 1, G_MAXINT);
}

/* Until the launcher has ended and its output is read, or nothing more can come. */
static void
wait_for_end (Wait *wait)
{
  gboolean asked = FALSE;

  while (wait->out >= 0 || wait->pidfd >= 0)
    {
      int cancel_fd = wait->cancellable != NULL && !asked ? g_cancellable_get_fd (wait->cancellable) : -1;
      struct pollfd fds[] = {
        { .fd = wait->out, .events = POLLIN },
        { .fd = wait->err, .events = POLLIN },
        { .fd = wait->pidfd, .events = POLLIN },
        { .fd = cancel_fd, .events = POLLIN },
      };
      int n = poll (fds, G_N_ELEMENTS (fds), next_timeout (wait));

      if (cancel_fd >= 0)
        g_cancellable_release_fd (wait->cancellable);
      if (n == 0 || (cancel_fd >= 0 && fds[3].revents != 0))
        {
          asked |= fds[3].revents != 0;
          ask_to_end (wait);
        }
      if (fds[0].revents != 0
          && !drain (wait->out, wait->answer->out, OC_LAUNCH_MAX_ANSWER, &wait->answer->too_long))
        wait->out = -1;
      if (fds[1].revents != 0 && !drain (wait->err, wait->answer->err, MAX_ERR, NULL))
        wait->err = -1;
      if (fds[2].revents != 0)
        {
          /* It ended. What it wrote lies in the pipe; who else holds the pipe is not waited for. */
          wait->pidfd = -1;
          while (wait->out >= 0 && poll (&(struct pollfd){ .fd = wait->out, .events = POLLIN }, 1, 0) > 0
                 && drain (wait->out, wait->answer->out, OC_LAUNCH_MAX_ANSWER, &wait->answer->too_long))
            ;
          break;
        }
    }
}

static int
open_pidfd (GSubprocess *process)
{
  const char *pid = g_subprocess_get_identifier (process);

#ifdef SYS_pidfd_open
  if (pid != NULL)
    return (int) syscall (SYS_pidfd_open, atoi (pid), 0);
#endif
  return -1;
}

OcLaunchAnswer *
oc_launch_process (const char *const *argv,
                   gint64 timeout_us,
                   GCancellable *cancellable,
                   GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (OcLaunchAnswer) answer = NULL;
  g_auto (OcFd) pidfd = -1;
  Wait wait = { .cancellable = cancellable };

  /* No shell, no PATH: argv as it is. Standard input is /dev/null, the environment is ours as it is (the launcher makes a
   * new one for the plugin). */
  process = g_subprocess_newv (argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &local_error);
  if (process == NULL)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, _ ("The launcher could not be started, so nothing ran: %s."),
                   local_error->message);
      return NULL;
    }
  answer = g_new0 (OcLaunchAnswer, 1);
  answer->out = g_string_new (NULL);
  answer->err = g_string_new (NULL);
  pidfd = open_pidfd (process);
  wait.process = process;
  wait.answer = answer;
  wait.pidfd = pidfd;
  wait.out = g_unix_input_stream_get_fd (G_UNIX_INPUT_STREAM (g_subprocess_get_stdout_pipe (process)));
  wait.err = g_unix_input_stream_get_fd (G_UNIX_INPUT_STREAM (g_subprocess_get_stderr_pipe (process)));
  g_unix_set_fd_nonblocking (wait.out, TRUE, NULL);
  g_unix_set_fd_nonblocking (wait.err, TRUE, NULL);
  wait.deadline = timeout_us > 0 ? g_get_monotonic_time () + timeout_us : 0;
  wait_for_end (&wait);
  g_subprocess_wait (process, NULL, NULL);
  answer->exited = g_subprocess_get_if_exited (process);
  answer->status = answer->exited ? g_subprocess_get_exit_status (process) : g_subprocess_get_term_sig (process);
  return g_steal_pointer (&answer);
}
