/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's side of a sandbox that is being built, that runs, and that ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "launcher/oc-process-private.h"

/* Building takes some milliseconds; a dead network mount can hold it up for ever. */
#define START_TIMEOUT_US (15 * G_USEC_PER_SEC)
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

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
    case OC_LAYER_NETWORK:
      return "network";
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

void
oc_sandbox_set_layer_error (GError **error, OcLayerKind layer, const char *what, int saved_errno)
{
  g_autofree char *shown = oc_text_escape (what, 0, NULL);

  /* Stage 2 under bubblewrap found something else than a call that failed. */
  if (saved_errno == 0)
    g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "%s: %s", layer_to_id (layer), shown);
  else
    g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "%s: %s: %s", layer_to_id (layer), shown, g_strerror (saved_errno));
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

void
oc_sandbox_set_report_error (GError **error, const OcReport *report)
{
  g_autofree char *shown = NULL;

  if (report->kind != OC_REPORT_NOT_EXECUTED)
    {
      oc_sandbox_set_layer_error (error, (OcLayerKind)report->layer, report->what, report->error);
      return;
    }
  shown = oc_text_escape (report->what, 0, NULL);
  g_set_error (error, OC_ERROR, OC_ERROR_NOT_FOUND, "%s cannot be executed: %s", shown,
               describe_not_executed (report->error));
}

gboolean
oc_sandbox_is_namespaces_refused (const OcReport *report)
{
  if (report->kind != OC_REPORT_FAILED || (report->error != EPERM && report->error != EACCES))
    return FALSE;
  /* "/": the first mount of all. */
  return report->layer == OC_LAYER_USER_NAMESPACE
         || (report->layer == OC_LAYER_MOUNTS && strcmp (report->what, "/") == 0);
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
  if (report->kind == OC_REPORT_NOTIFIER && !self->answered && fds[0] >= 0)
    {
      self->answered = oc_notify_add (self->notify, fds[0], self->filter);
      fds[0] = -1;
    }
  else if (report->kind == OC_REPORT_LISTENERS && self->listeners[0] < 0)
    {
      memcpy (self->listeners, fds, sizeof self->listeners);
      return;
    }
  close_all (fds);
}

/* The descriptors that come with a report, and who sent it. @fds has OC_REPORT_MAX_FDS places. */
static ssize_t
receive (int fd, OcReport *report, int *fds, pid_t *sender)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (OC_REPORT_MAX_FDS * sizeof (int)) + CMSG_SPACE (sizeof (struct ucred))];
  } control;
  struct iovec part = { .iov_base = report, .iov_len = sizeof *report };
  struct msghdr packet = { .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control };
  ssize_t length = recvmsg (fd, &packet, MSG_CMSG_CLOEXEC);

  for (struct cmsghdr *header = CMSG_FIRSTHDR (&packet); length >= 0 && header != NULL;
       header = CMSG_NXTHDR (&packet, header))
    {
      if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy (fds, CMSG_DATA (header), header->cmsg_len - CMSG_LEN (0));
      if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS)
        {
          struct ucred from;

          memcpy (&from, CMSG_DATA (header), sizeof from);
          *sender = from.pid;
        }
    }
  return length;
}

/* 1, 0 past the deadline, -1 and errno. */
static int
wait_readable (int fd, gint64 deadline)
{
  for (;;)
    {
      struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
      gint64 left = deadline - g_get_monotonic_time ();
      int n = left > 0 ? poll (&poll_fd, 1, (int)(left / 1000) + 1) : 0;

      if (n >= 0 || errno != EINTR)
        return n;
    }
}

/* 1, 0 at the end of the file, -1 with errno. @fds: (nullable): @fd is a pipe. */
static int
read_report (int fd, OcReport *report, int *fds, pid_t *sender, gint64 deadline)
{
  for (;;)
    {
      int n = wait_readable (fd, deadline);
      ssize_t length;

      if (n == 0)
        errno = ETIME;
      if (n <= 0)
        return -1;
      length = fds != NULL ? receive (fd, report, fds, sender) : read (fd, report, sizeof *report);
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

int
oc_start_read_report (OcStart *self, OcReport *report, int *fds, pid_t *sender)
{
  pid_t ignored = 0;

  memset (fds, -1, OC_REPORT_MAX_FDS * sizeof *fds);
  return read_report (self->ready_read, report, fds, sender != NULL ? sender : &ignored, self->deadline);
}

gboolean
oc_process_wait_until_executed (OcProcess *self, OcStart *start, gboolean *namespaces_refused, GError **error)
{
  gboolean sealed = FALSE;
  OcReport report;
  int fds[OC_REPORT_MAX_FDS];
  int n;

  while ((n = oc_start_read_report (start, &report, fds, NULL)) > 0)
    {
      keep_fds (self, &report, fds);
      if (report.kind == OC_REPORT_SEALED)
        sealed = TRUE;
      else if (report.kind != OC_REPORT_NOTIFIER && report.kind != OC_REPORT_LISTENERS)
        {
          if (namespaces_refused != NULL)
            *namespaces_refused = oc_sandbox_is_namespaces_refused (&report);
          oc_sandbox_set_report_error (error, &report);
          return FALSE;
        }
    }
  if (n < 0)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_NONE, "set-up", errno);
      return FALSE;
    }
  if (!sealed)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   "launcher: the sandbox was ended while it was being built");
      return FALSE;
    }
  if (!self->answered)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_SECCOMP, "notification", EPROTO);
      return FALSE;
    }
  return TRUE;
}

static gboolean
make_pipe (int fds[2], GError **error)
{
  if (pipe2 (fds, O_CLOEXEC) == 0)
    return TRUE;
  oc_sandbox_set_layer_error (error, OC_LAYER_DESCRIPTORS, "pipe", errno);
  return FALSE;
}

void
oc_start_clear (OcStart *self)
{
  oc_fd_close (&self->ready_read);
  oc_start_close_inner (self);
}

void
oc_start_close_inner (OcStart *self)
{
  oc_fd_close (&self->ready_write);
  oc_fd_close (&self->status_write);
  oc_fd_close (&self->life_read);
}

OcProcess *
oc_process_new (OcStart *start, OcStage *stage, GError **error)
{
  g_autoptr (OcProcess) self = g_new0 (OcProcess, 1);
  int ready[2], status[2], life[2];

  self->pidfd = self->helper = self->status_fd = self->life_fd = -1;
  if (stage->notify == NULL)
    self->own_notify = stage->notify = oc_notify_new ();
  self->notify = stage->notify;
  self->filter = oc_stage_get_filter (stage);
  memset (self->listeners, -1, sizeof self->listeners);
  *start = (OcStart){ -1, -1, -1, -1, g_get_monotonic_time () + START_TIMEOUT_US };
  /* Keeps the packets whole and can bring descriptors. */
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ready) != 0)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_DESCRIPTORS, "socketpair", errno);
      return NULL;
    }
  start->ready_read = ready[0];
  start->ready_write = ready[1];
  if (!make_pipe (status, error))
    return NULL;
  self->status_fd = status[0];
  start->status_write = status[1];
  if (!make_pipe (life, error))
    return NULL;
  self->life_fd = life[1];
  start->life_read = life[0];
  stage->ready_fd = start->ready_write;
  stage->status_fd = start->status_write;
  stage->life_fd = start->life_read;
  return g_steal_pointer (&self);
}

int
oc_process_get_pidfd (OcProcess *self)
{
  g_return_val_if_fail (self != NULL, -1);
  return self->pidfd;
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
wait_for_child (int pidfd)
{
  siginfo_t info = { 0 };

  while (waitid ((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) != 0 && errno == EINTR)
    ;
}

/* Pid 1 is the helper's child, which has nothing more to do once that has ended: it is not waited for. */
static void
wait_for_end (OcProcess *self)
{
  struct pollfd poll_fd = { .fd = self->pidfd, .events = POLLIN };

  while (self->pidfd >= 0 && poll (&poll_fd, 1, -1) < 0 && errno == EINTR)
    ;
  (void)syscall (SYS_pidfd_send_signal, self->helper, SIGKILL, NULL, 0);
  wait_for_child (self->helper);
}

static void
reap (OcProcess *self)
{
  OcReport report;

  if (self->waited)
    return;
  if (self->helper < 0)
    wait_for_child (self->pidfd);
  else
    wait_for_end (self);
  self->waited = TRUE;
  /* Everything inside has ended, so the pipe has its whole content and no other writer. */
  if (read_report (self->status_fd, &report, NULL, NULL, g_get_monotonic_time () + G_USEC_PER_SEC) == 1
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
  if (self->pidfd >= 0 || self->helper >= 0)
    {
      oc_process_kill (self);
      reap (self);
    }
  oc_fd_close (&self->pidfd);
  oc_fd_close (&self->helper);
  oc_fd_close (&self->status_fd);
  oc_fd_close (&self->life_fd);
  oc_notify_free (self->own_notify);
  close_all (self->listeners);
  g_free (self);
}
