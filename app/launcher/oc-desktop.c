/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-desktop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-launch.h"
#include "launcher/oc-desktop-private.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

struct _OcDesktop
{
  int pidfd;  /* owned */
  int report; /* owned: the reading end */
  guint end_source;
  guint timeout_source;
  OcDesktopFunc func;
  gpointer data;
};

static char *test_program;

void
oc_desktop_set_program (const char *path)
{
  g_free (test_program);
  test_program = g_strdup (path);
}

/* Beside the launcher, never by PATH, and with the same asked of it as of the launcher. (transfer full) */
static char *
find_program (GError **error)
{
  g_autoptr (OcLauncher) launcher = oc_launcher_new (NULL);
  const char *launcher_path = oc_launcher_get_path (launcher, error);
  g_autofree char *folder = launcher_path ? g_path_get_dirname (launcher_path) : NULL;
  g_autofree char *beside = folder ? g_build_filename (folder, OC_DESKTOP_PROGRAM, NULL) : NULL;
  g_autoptr (OcLauncher) program = NULL;

  if (test_program == NULL && beside == NULL)
    return NULL;
  program = oc_launcher_new (test_program ? test_program : beside);
  return g_strdup (oc_launcher_get_path (program, error));
}

/* @report: the writing end, or -1. 0: @error is set. */
static GPid
spawn (const char *const *arguments,
       int report,
       GSpawnFlags flags,
       GError **error)
{
  static const int target[] = { OC_DESKTOP_FD };
  g_autofree char *program = find_program (error);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) failure = NULL;
  GPid pid = 0;

  if (program == NULL)
    return 0;
  g_ptr_array_add (argv, program);
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (char *) arguments[i]);
  g_ptr_array_add (argv, NULL);
  if (g_spawn_async_with_pipes_and_fds (NULL, (const char *const *) argv->pdata, NULL,
                                        flags | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, -1, -1, -1,
                                        &report, target, report >= 0 ? 1 : 0, &pid, NULL, NULL, NULL, &failure))
    return pid;
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _("%s could not be started: %s"), program, failure->message);
  return 0;
}

gboolean
oc_desktop_tell (const char *const *arguments,
                 GError **error)
{
  return spawn (arguments, -1, G_SPAWN_DEFAULT, error) != 0;
}

/* Past this the program is dead, and what it wrote is in the pipe. */
static void
reap (OcDesktop *self)
{
  siginfo_t info = { 0 };

  if (self->pidfd < 0)
    return;
  (void) syscall (SYS_pidfd_send_signal, self->pidfd, SIGKILL, NULL, 0);
  while (waitid ((idtype_t) P_PIDFD, (id_t) self->pidfd, &info, WEXITED) != 0 && errno == EINTR)
    ;
  close (self->pidfd);
  self->pidfd = -1;
}

/* (transfer full): its word and its text. */
static char **
read_report (OcDesktop *self)
{
  char text[OC_DESKTOP_MAX_BYTES + 1];
  ssize_t n;

  do
    n = read (self->report, text, OC_DESKTOP_MAX_BYTES);
  while (n < 0 && errno == EINTR);
  text[MAX (n, 0)] = '\0';
  return g_strsplit (text, "\n", 2);
}

/* May free @self. */
static void
answer (OcDesktop *self,
        const char *fallback)
{
  g_auto (GStrv) parts = NULL;
  OcDesktopFunc func = self->func;

  g_clear_handle_id (&self->end_source, g_source_remove);
  g_clear_handle_id (&self->timeout_source, g_source_remove);
  reap (self);
  parts = read_report (self);
  self->func = NULL;
  if (parts[0] != NULL && *parts[0] != '\0')
    func (parts[0], parts[1] ? parts[1] : "", self->data);
  else
    func (fallback, "", self->data);
}

static gboolean
on_ended (int fd,
          GIOCondition condition,
          gpointer data)
{
  OcDesktop *self = data;

  self->end_source = 0;
  answer (self, OC_DESKTOP_NOT_OPENED);
  return G_SOURCE_REMOVE;
}

static gboolean
on_timed_out (gpointer data)
{
  OcDesktop *self = data;

  self->timeout_source = 0;
  answer (self, OC_DESKTOP_TIMED_OUT);
  return G_SOURCE_REMOVE;
}

OcDesktop *
oc_desktop_ask (const char *const *arguments,
                guint timeout_ms,
                OcDesktopFunc func,
                gpointer data,
                GError **error)
{
  g_autoptr (OcDesktop) self = g_new0 (OcDesktop, 1);
  GPid pid = 0;
  int ends[2];

  self->pidfd = self->report = -1;
  if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK) != 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO, _("No pipe could be made: %s."), g_strerror (errno));
      return NULL;
    }
  self->report = ends[0];
  pid = spawn (arguments, ends[1], G_SPAWN_DO_NOT_REAP_CHILD, error);
  close (ends[1]);
  if (pid == 0)
    return NULL;
  self->pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  if (self->pidfd < 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO, _("%s could not be started: %s"), OC_DESKTOP_PROGRAM, g_strerror (errno));
      kill (pid, SIGKILL);
      while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
        ;
      return NULL;
    }
  self->func = func;
  self->data = data;
  self->end_source = g_unix_fd_add (self->pidfd, G_IO_IN, on_ended, self);
  self->timeout_source = g_timeout_add (timeout_ms, on_timed_out, self);
  return g_steal_pointer (&self);
}

void
oc_desktop_free (OcDesktop *self)
{
  g_clear_handle_id (&self->end_source, g_source_remove);
  g_clear_handle_id (&self->timeout_source, g_source_remove);
  reap (self);
  if (self->report >= 0)
    close (self->report);
  g_free (self);
}
