/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's side of the direct executor. */
#include "launcher/oc-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-text.h"
#include "launcher/oc-landlock.h"
#include "launcher/oc-sandbox-flat.h"

/* Building takes some milliseconds; a dead network mount can hold it up for ever. */
#define START_TIMEOUT_US (15 * G_USEC_PER_SEC)
#define NAMESPACES                                                                                 \
  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

struct _OcProcess
{
  OcFd pidfd;
  OcFd status_fd;
  OcFd life_fd; /* held open as long as this lives, so that pid 1 sees when it does not */
  OcFd notifier;
  int listeners[OC_REPORT_MAX_FDS]; /* -1: none */
  gboolean waited;
  gboolean told; /* pid 1 said how the command ended */
  int exit_code;
  int signal;
};

/* The first word of every message; the ids of the self-test's layers where there is one. */
static const char *
layer_to_id (OcLayerKind layer)
{
  switch (layer)
    {
    case OC_LAYER_NONE:
      return "launcher";
    case OC_LAYER_DESCRIPTORS:
      return "descriptors";
    case OC_LAYER_USER_NAMESPACE:
      return "user-namespace";
    case OC_LAYER_MOUNTS:
      return "mounts-read-only";
    case OC_LAYER_GUARDED:
      return "guarded-places";
    case OC_LAYER_PROCESSES:
      return "pid-namespace";
    case OC_LAYER_LIMITS:
      return "limits";
    case OC_LAYER_CAPABILITIES:
      return "capabilities";
    case OC_LAYER_NO_NEW_PRIVS:
      return "no-new-privs";
    case OC_LAYER_LANDLOCK:
      return "landlock";
    case OC_LAYER_SECCOMP:
      return "seccomp";
    case OC_LAYER_EXECUTE:
      return "execute";
    }
  return "launcher";
}

static void
set_layer_error (GError **error, OcLayerKind layer, const char *what, int saved_errno)
{
  g_autofree char *shown = oc_text_escape (what, 0, NULL);

  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "%s: %s: %s", layer_to_id (layer), shown,
               g_strerror (saved_errno));
}

gboolean
oc_sandbox_check_uid (gboolean allow_root, GError **error)
{
  if (geteuid () != 0 || allow_root)
    return TRUE;
  /* What to do is the remedy of the layer. */
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               "launcher: plugins are not run as the system's administrator (uid 0), whom some "
               "limits do not bind");
  return FALSE;
}

/* A descriptor that names a host file, folder, terminal or socket would let the plugin act through
 * the host's own mount: reopen it for writing, fchmod() it, openat (fd, ".."). Replaces /dev/null
 * by -1: made anew inside. */
static gboolean
check_descriptor (int *fd, int place, GError **error)
{
  struct stat info;
  struct statfs system;

  if (*fd < 0)
    return TRUE;
  if (fstat (*fd, &info) != 0 || fstatfs (*fd, &system) != 0)
    {
      set_layer_error (error, OC_LAYER_DESCRIPTORS, "stat", errno);
      return FALSE;
    }
  if (S_ISFIFO (info.st_mode) && system.f_type == PIPEFS_MAGIC)
    return TRUE;
  if (S_ISCHR (info.st_mode) && info.st_rdev == makedev (1, 3) && place <= STDERR_FILENO)
    {
      *fd = -1;
      return TRUE;
    }
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               "descriptors: descriptor %d is neither an anonymous pipe nor /dev/null", place);
  return FALSE;
}

/* Between clone() and the child's resetting its signals, a handler of GLib's must not run in it. */
static pid_t
clone_child (OcStage *stage, int *pidfd)
{
  unsigned long flags = NAMESPACES | CLONE_PIDFD | SIGCHLD
                        | (stage->private_network ? CLONE_NEWNET : 0);
  sigset_t all, before;
  pid_t pid;
  int saved_errno;

  sigfillset (&all);
  if (pthread_sigmask (SIG_SETMASK, &all, &before) != 0)
    return -1;
  /* Like fork(), without the C library's fork handlers. The order of the last two arguments differs
   * between architectures; they are not used. */
  pid = (pid_t)syscall (SYS_clone, flags, NULL, pidfd, NULL, NULL);
  if (pid == 0)
    oc_stage_main (stage);
  saved_errno = errno;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  errno = saved_errno;
  return pid;
}

/* The descriptors that come with a report: @fds has OC_REPORT_MAX_FDS places, -1 for none. */
static ssize_t
receive (int fd, OcReport *report, int *fds)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (OC_REPORT_MAX_FDS * sizeof (int))];
  } control;
  struct iovec part = { .iov_base = report, .iov_len = sizeof *report };
  struct msghdr packet = { .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control };
  ssize_t length;

  if (fds == NULL)
    return read (fd, report, sizeof *report);
  length = recvmsg (fd, &packet, MSG_CMSG_CLOEXEC);
  for (struct cmsghdr *header = CMSG_FIRSTHDR (&packet); length >= 0 && header != NULL;
       header = CMSG_NXTHDR (&packet, header))
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
      memcpy (fds, CMSG_DATA (header), header->cmsg_len - CMSG_LEN (0));
  return length;
}

/* Reads one report. 1, 0 at the end of the file, -1 with errno (ETIME past the deadline). @fds:
 * (nullable) for a socket, see receive(). */
static int
read_report (int fd, OcReport *report, int *fds, gint64 deadline)
{
  for (;;)
    {
      struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
      gint64 left = deadline - g_get_monotonic_time ();
      int n = left > 0 ? poll (&poll_fd, 1, (int)(left / 1000) + 1) : 0;
      ssize_t length;

      if (n == 0)
        {
          errno = ETIME;
          return -1;
        }
      if (n < 0 && errno != EINTR)
        return -1;
      if (n < 0)
        continue;
      length = receive (fd, report, fds);
      if (length == (ssize_t)sizeof *report)
        {
          report->what[sizeof report->what - 1] = '\0';
          return 1;
        }
      if (length == 0)
        return 0;
      if (length > 0 || (errno != EINTR && errno != EAGAIN))
        {
          errno = length > 0 ? EPROTO : errno;
          return -1;
        }
    }
}

static void
close_all (int *fds)
{
  for (int i = 0; i < OC_REPORT_MAX_FDS; i++)
    oc_fd_close (&fds[i]);
}

/* Keeps what a report brought, and closes what nobody asked for. */
static void
keep_fds (OcProcess *self, const OcReport *report, int *fds)
{
  if (report->kind == OC_REPORT_NOTIFIER && self->notifier < 0)
    {
      self->notifier = fds[0];
      fds[0] = -1;
    }
  else if (report->kind == OC_REPORT_LISTENERS && self->listeners[0] < 0)
    {
      memcpy (self->listeners, fds, sizeof self->listeners);
      return;
    }
  close_all (fds);
}

/* The system's words for the two most common mistakes are about something else. */
static const char *
describe_not_executed (int saved_errno)
{
  if (saved_errno == ENOENT)
    return "it, or the program that its first line (#!) names, is not there; a carriage return at the end of that line is part "
           "of the name";
  if (saved_errno == ENOEXEC)
    return "it is no program for this computer, and does not begin with a #! line that names one";
  return g_strerror (saved_errno);
}

static gboolean
set_report_error (GError **error, const OcReport *report)
{
  g_autofree char *shown = NULL;

  if (report->kind != OC_REPORT_NOT_EXECUTED)
    {
      set_layer_error (error, (OcLayerKind)report->layer, report->what, report->error);
      return FALSE;
    }
  shown = oc_text_escape (report->what, 0, NULL);
  g_set_error (error, OC_ERROR, OC_ERROR_NOT_FOUND, "%s cannot be executed: %s", shown,
               describe_not_executed (report->error));
  return FALSE;
}

/* Until the exec has happened: the ready socket ends without a failure, after all layers were
 * reported to hold. */
static gboolean
wait_until_executed (OcProcess *self, int ready_fd, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + START_TIMEOUT_US;
  gboolean sealed = FALSE;
  OcReport report;
  int fds[OC_REPORT_MAX_FDS];
  int n;

  for (;;)
    {
      memset (fds, -1, sizeof fds);
      n = read_report (ready_fd, &report, fds, deadline);
      if (n <= 0)
        break;
      keep_fds (self, &report, fds);
      if (report.kind == OC_REPORT_SEALED)
        sealed = TRUE;
      else if (report.kind != OC_REPORT_NOTIFIER && report.kind != OC_REPORT_LISTENERS)
        return set_report_error (error, &report);
    }
  if (n < 0)
    {
      set_layer_error (error, OC_LAYER_NONE, "set-up", errno);
      return FALSE;
    }
  if (!sealed)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   "launcher: the sandbox was ended while it was being built");
      return FALSE;
    }
  return TRUE;
}

static gboolean
make_pipe (int fds[2], GError **error)
{
  if (pipe2 (fds, O_CLOEXEC) == 0)
    return TRUE;
  set_layer_error (error, OC_LAYER_DESCRIPTORS, "pipe", errno);
  return FALSE;
}

/* Keeps the packets whole and can bring descriptors. */
static gboolean
make_ready (int fds[2], GError **error)
{
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0)
    return TRUE;
  set_layer_error (error, OC_LAYER_DESCRIPTORS, "socketpair", errno);
  return FALSE;
}

static OcProcess *
process_new (void)
{
  OcProcess *self = g_new0 (OcProcess, 1);

  self->pidfd = self->status_fd = self->life_fd = self->notifier = -1;
  memset (self->listeners, -1, sizeof self->listeners);
  return self;
}

OcProcess *
oc_sandbox_start (OcPlan *plan, const OcCommand *command, GError **error)
{
  g_autoptr (OcFlat) flat = NULL;
  g_autoptr (OcProcess) self = NULL;
  int ready[2], status[2], life[2];
  gboolean executed;
  pid_t pid;

  g_return_val_if_fail (plan != NULL && command != NULL && g_path_is_absolute (command->program),
                        NULL);
  flat = oc_flat_new (plan);
  for (int i = 0; i < 5; i++)
    {
      flat->stage.fds[i] = command->fds[i];
      if (!check_descriptor (&flat->stage.fds[i], i, error))
        return NULL;
    }
  /* Said here too, since it is the one layer an ordinary machine may lack altogether. Stage 2
   * checks again. */
  if (oc_landlock_get_abi () < OC_LANDLOCK_MIN_ABI)
    {
      set_layer_error (error, OC_LAYER_LANDLOCK, "version", EOPNOTSUPP);
      return NULL;
    }
  if (!make_ready (ready, error))
    return NULL;
  self = process_new ();
  g_auto (OcFd) ready_read = ready[0];
  g_auto (OcFd) ready_write = ready[1];
  if (!make_pipe (status, error))
    return NULL;
  self->status_fd = status[0];
  g_auto (OcFd) status_write = status[1];
  if (!make_pipe (life, error))
    return NULL;
  self->life_fd = life[1];
  g_auto (OcFd) life_read = life[0];
  flat->stage.program = command->program;
  flat->stage.argv = command->argv;
  flat->stage.env = command->env;
  flat->stage.ready_fd = ready_write;
  flat->stage.status_fd = status_write;
  flat->stage.life_fd = life_read;
  pid = clone_child (&flat->stage, &self->pidfd);
  if (pid < 0)
    {
      set_layer_error (error, OC_LAYER_USER_NAMESPACE, "new namespaces", errno);
      return NULL;
    }
  oc_fd_close (&ready_write);
  oc_fd_close (&status_write);
  oc_fd_close (&life_read);
  executed = wait_until_executed (self, ready_read, error);
  return executed ? g_steal_pointer (&self) : NULL;
}

int
oc_process_get_pidfd (OcProcess *self)
{
  g_return_val_if_fail (self != NULL, -1);
  return self->pidfd;
}

int
oc_process_steal_notifier (OcProcess *self)
{
  int fd;

  g_return_val_if_fail (self != NULL, -1);
  fd = self->notifier;
  self->notifier = -1;
  return fd;
}

int
oc_process_steal_listener (OcProcess *self, guint n)
{
  int fd;

  g_return_val_if_fail (self != NULL, -1);
  if (n >= OC_REPORT_MAX_FDS)
    return -1;
  fd = self->listeners[n];
  self->listeners[n] = -1;
  return fd;
}

void
oc_process_kill (OcProcess *self)
{
  g_return_if_fail (self != NULL);
  if (self->pidfd >= 0 && !self->waited)
    (void)syscall (SYS_pidfd_send_signal, self->pidfd, SIGKILL, NULL, 0);
}

static void
reap (OcProcess *self)
{
  siginfo_t info = { 0 };
  OcReport report;

  if (self->waited)
    return;
  while (waitid ((idtype_t)P_PIDFD, (id_t)self->pidfd, &info, WEXITED) != 0 && errno == EINTR)
    ;
  self->waited = TRUE;
  /* Everything inside has ended, so the pipe has its whole content and no other writer. */
  if (read_report (self->status_fd, &report, NULL, g_get_monotonic_time () + G_USEC_PER_SEC) == 1
      && report.kind == OC_REPORT_ENDED)
    {
      self->told = TRUE;
      self->exit_code = report.exit_code;
      self->signal = report.signal;
    }
}

gboolean
oc_process_wait (OcProcess *self, int *exit_code, int *signal)
{
  g_return_val_if_fail (self != NULL, FALSE);
  reap (self);
  if (!self->told)
    return FALSE;
  if (exit_code != NULL)
    *exit_code = self->exit_code;
  if (signal != NULL)
    *signal = self->signal;
  return TRUE;
}

void
oc_process_free (OcProcess *self)
{
  if (self == NULL)
    return;
  if (self->pidfd >= 0)
    {
      oc_process_kill (self);
      reap (self);
    }
  oc_fd_close (&self->pidfd);
  oc_fd_close (&self->status_fd);
  oc_fd_close (&self->life_fd);
  oc_fd_close (&self->notifier);
  close_all (self->listeners);
  g_free (self);
}
