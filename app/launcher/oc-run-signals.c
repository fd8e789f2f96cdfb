/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"

/* Without GLib's helper thread, and with handlers rather than a mask or SIG_IGN, which what is started would inherit. */
static int stop_pipe[2] = { -1, -1 };

static void
on_stop_signal (int number)
{
  int saved = errno;
  ssize_t n = write (stop_pipe[1], "", 1);

  (void) n;
  errno = saved;
}

static void
on_ignored_signal (int number)
{
}

/* A host that closed its standard streams would have our pipes opened in their place. */
static gboolean
fill_standard_streams (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= 2);
  return fd >= 0 && close (fd) == 0;
}

static gboolean
fail (GError **error)
{
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _("The run could not be prepared: %s."), g_strerror (errno));
  return FALSE;
}

gboolean
oc_run_signals_catch (GError **error)
{
  static const int stops[] = { SIGTERM, SIGINT, SIGHUP };
  struct sigaction action = { .sa_handler = on_stop_signal, .sa_flags = SA_RESTART };
  struct sigaction plain = { .sa_handler = SIG_DFL };
  sigset_t none;

  if (!fill_standard_streams () || pipe2 (stop_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail (error);
  for (guint i = 0; i < G_N_ELEMENTS (stops); i++)
    {
      struct sigaction before;

      /* nohup means it. */
      if (stops[i] != SIGHUP || (sigaction (SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
        sigaction (stops[i], &action, NULL);
    }
  action.sa_handler = on_ignored_signal;
  sigaction (SIGPIPE, &action, NULL);
  /* A parent that ignores SIGCHLD would keep us from ever learning an exit code. */
  sigaction (SIGCHLD, &plain, NULL);
  sigemptyset (&none);
  return sigprocmask (SIG_SETMASK, &none, NULL) == 0 || fail (error);
}

int
oc_run_signals_get_fd (void)
{
  return stop_pipe[0];
}
