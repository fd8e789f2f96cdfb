/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-notify.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/oc-fd.h"
#include "launcher/oc-notify-private.h"

/* One sandbox has some hundreds of threads at most, each waiting for one answer; uid 0's are not bound by that. */
#define MAX_WAITING 4096
#define PERMISSION "network.client"
#define IOCTL_SET_FLAGS SECCOMP_IOW (4, __u64) /* Linux 6.6 */
#define FLAG_SYNC_WAKE_UP (1UL << 0)

typedef struct
{
  int fd;
  OcFilter filter;
} Listener;

/* An answer that is held back. */
typedef struct
{
  int fd; /* the listener's */
  guint64 id;
  int error; /* 0: it goes on */
} Answer;

/* Answers that share a rate: those of refused calls, and of those that go on. */
typedef struct
{
  double burst, per_s;
  double left; /* answers that may be given now */
  gint64 since; /* monotonic: when @left was right */
  GArray *waiting; /* owned (element-type Answer), first come, first served */
} Lane;

struct _OcNotify
{
  GThread *thread; /* (nullable): started with the first listener */
  int wake;        /* eventfd */

  GMutex mutex; /* guards what follows */
  GArray *added; /* owned (element-type Listener) */
  OcTally *tally; /* owned */
  gboolean quit;

  /* The thread's own. */
  GArray *listeners; /* owned (element-type Listener) */
  Lane lanes[2];     /* refused, allowed */
  struct seccomp_notif *request;
  struct seccomp_notif_resp *response;
  struct seccomp_notif_sizes sizes;
};

static void
init_lane (Lane *lane, double burst, double per_s)
{
  lane->burst = lane->left = burst;
  lane->per_s = per_s;
  lane->since = g_get_monotonic_time ();
  lane->waiting = g_array_new (FALSE, FALSE, sizeof (Answer));
}

OcNotify *
oc_notify_new (void)
{
  OcNotify *self = g_new0 (OcNotify, 1);

  self->wake = -1;
  g_mutex_init (&self->mutex);
  self->added = g_array_new (FALSE, FALSE, sizeof (Listener));
  self->listeners = g_array_new (FALSE, FALSE, sizeof (Listener));
  self->tally = oc_tally_new ();
  init_lane (&self->lanes[0], OC_NOTIFY_REFUSED_BURST, OC_NOTIFY_REFUSED_PER_S);
  init_lane (&self->lanes[1], OC_NOTIFY_ALLOWED_BURST, OC_NOTIFY_ALLOWED_PER_S);
  return self;
}

static void
close_listeners (GArray *listeners)
{
  for (guint i = 0; i < listeners->len; i++)
    close (g_array_index (listeners, Listener, i).fd);
  g_array_unref (listeners);
}

static void
wake (OcNotify *self)
{
  guint64 one = 1;

  (void)!write (self->wake, &one, sizeof one);
}

void
oc_notify_free (OcNotify *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  self->quit = TRUE;
  g_mutex_unlock (&self->mutex);
  if (self->thread != NULL)
    {
      wake (self);
      g_thread_join (self->thread);
    }
  oc_fd_close (&self->wake);
  close_listeners (self->added);
  close_listeners (self->listeners);
  for (guint i = 0; i < G_N_ELEMENTS (self->lanes); i++)
    g_array_unref (self->lanes[i].waiting);
  oc_tally_free (self->tally);
  g_mutex_clear (&self->mutex);
  g_free (self->request);
  g_free (self->response);
  g_free (self);
}

/* The rate. */

static void
refill (Lane *lane)
{
  gint64 now = g_get_monotonic_time ();

  lane->left = MIN (lane->burst,
                    lane->left + (double)(now - lane->since) * lane->per_s / G_USEC_PER_SEC);
  lane->since = now;
}

/* Milliseconds until an answer may be given; -1: none waits. */
static int
get_wait (const Lane *lane)
{
  if (lane->waiting->len == 0)
    return -1;
  return lane->left >= 1 ? 0 : (int)((1 - lane->left) * 1000 / lane->per_s) + 1;
}

/* FALSE: whoever asked was killed. */
static gboolean
send_answer (OcNotify *self, const Answer *answer)
{
  memset (self->response, 0, self->sizes.seccomp_notif_resp);
  self->response->id = answer->id;
  if (answer->error == 0)
    self->response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else
    self->response->error = -answer->error;
  return ioctl (answer->fd, SECCOMP_IOCTL_NOTIF_SEND, self->response) == 0;
}

static void
send_waiting (OcNotify *self, Lane *lane)
{
  guint n = 0;

  if (lane->waiting->len == 0)
    return;
  refill (lane);
  for (; n < lane->waiting->len && lane->left >= 1; n++)
    if (send_answer (self, &g_array_index (lane->waiting, Answer, n)))
      lane->left--;
  if (n > 0)
    g_array_remove_range (lane->waiting, 0, n);
}

static void
answer (OcNotify *self, const Answer *what)
{
  Lane *lane = &self->lanes[what->error == 0 ? 1 : 0];

  if (lane->waiting->len == 0)
    {
      if (lane->left < 1)
        refill (lane);
      if (lane->left >= 1)
        {
          if (send_answer (self, what))
            lane->left--;
          return;
        }
    }
  g_array_append_val (lane->waiting, *what);
}

/* What is asked. */

static void
add_use (OcNotify *self,
         const char *permission,
         const char *method,
         const char *detail,
         const char *program,
         gboolean allowed)
{
  g_mutex_lock (&self->mutex);
  oc_tally_add (self->tally, permission, method, detail, program, allowed);
  g_mutex_unlock (&self->mutex);
}

/* Whether the caller still waits: if not, what was read may be another's, whose number is the same. */
static gboolean
is_valid (int fd, guint64 id)
{
  return ioctl (fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static void
record_allowed (OcNotify *self, int fd, const OcVerdictOnCall *verdict)
{
  const struct seccomp_notif *request = self->request;
  OcDestination destination = { .is_one = TRUE };
  g_autofree char *program = NULL;
  const char *method = "send";

  if (strcmp (verdict->name, "socket") == 0)
    method = "udp";
  else
    destination = oc_notify_read_destination ((pid_t)request->pid, verdict->name,
                                              (const guint64 *)request->data.args);
  if (strcmp (verdict->name, "connect") == 0)
    method = "connect";
  if (!destination.is_one)
    return;
  program = oc_notify_dup_program ((pid_t)request->pid);
  if (is_valid (fd, request->id))
    add_use (self, PERMISSION, method, destination.text, program, TRUE);
}

/* What is special about a socket: of the Internet's families it is not the family. @buffer: 32 bytes. */
static const char *
describe_special (const struct seccomp_notif *request, char *buffer)
{
  guint32 family = (guint32)request->data.args[0];

  if (family != AF_INET && family != AF_INET6)
    return oc_notify_describe_family (family, buffer);
  if ((request->data.args[1] & 0xf) == SOCK_RAW)
    return "SOCK_RAW";
  g_snprintf (buffer, 32, "protocol %u", (guint32)request->data.args[2]);
  return buffer;
}

static void
record_refused (OcNotify *self, int fd, const OcVerdictOnCall *verdict)
{
  const struct seccomp_notif *request = self->request;
  g_autofree char *program = oc_notify_dup_program ((pid_t)request->pid);
  const char *detail = verdict->name != NULL ? verdict->name : "";
  char family[32];

  if (!is_valid (fd, request->id))
    return;
  if (strcmp (detail, "socket") == 0 || strcmp (detail, "socketpair") == 0)
    detail = verdict->group == OC_GROUP_SPECIAL_SOCKET ? describe_special (request, family)
                                                       : oc_notify_describe_family (request->data.args[0], family);
  add_use (self, verdict->group == OC_GROUP_SOCKET ? PERMISSION : "", oc_group_to_id (verdict->group),
           detail, program, FALSE);
}

/* One question. FALSE: the listener is of no use any more. */
static gboolean
handle (OcNotify *self, const Listener *listener)
{
  OcVerdictOnCall verdict;

  memset (self->request, 0, self->sizes.seccomp_notif);
  /* Does not wait: poll() has said that there is one, and only we take them. One whose caller was killed in between is ENOENT. */
  if (ioctl (listener->fd, SECCOMP_IOCTL_NOTIF_RECV, self->request) != 0)
    return errno == ENOENT || errno == EINTR;
  verdict = oc_seccomp_judge (listener->filter, self->request->data.nr,
                              (const uint64_t *)self->request->data.args);
  if (verdict.error == 0)
    record_allowed (self, listener->fd, &verdict);
  else
    record_refused (self, listener->fd, &verdict);
  answer (self, &(Answer){ listener->fd, self->request->id, verdict.error });
  return TRUE;
}

static void
forget_listener (OcNotify *self, guint n)
{
  int fd = g_array_index (self->listeners, Listener, n).fd;

  for (guint i = 0; i < G_N_ELEMENTS (self->lanes); i++)
    for (guint j = self->lanes[i].waiting->len; j > 0; j--)
      if (g_array_index (self->lanes[i].waiting, Answer, j - 1).fd == fd)
        g_array_remove_index (self->lanes[i].waiting, j - 1);
  g_array_remove_index (self->listeners, n);
  close (fd);
}

/* FALSE: to end. */
static gboolean
take_added (OcNotify *self)
{
  gboolean quit;

  g_mutex_lock (&self->mutex);
  g_array_append_vals (self->listeners, self->added->data, self->added->len);
  g_array_set_size (self->added, 0);
  quit = self->quit;
  g_mutex_unlock (&self->mutex);
  return !quit;
}

static int
get_timeout (OcNotify *self)
{
  int refused = get_wait (&self->lanes[0]), allowed = get_wait (&self->lanes[1]);

  if (refused < 0 || allowed < 0)
    return MAX (refused, allowed);
  return MIN (refused, allowed);
}

static void
handle_all (OcNotify *self, const struct pollfd *fds)
{
  /* From the last, since one may be taken out. */
  for (guint i = self->listeners->len; i > 0; i--)
    {
      short events = fds[i].revents;

      if ((events & POLLIN) != 0 ? !handle (self, &g_array_index (self->listeners, Listener, i - 1))
                                 : (events & (POLLHUP | POLLERR | POLLNVAL)) != 0)
        forget_listener (self, i - 1);
    }
}

static gpointer
answer_all (gpointer data)
{
  OcNotify *self = data;
  g_autoptr (GArray) fds = g_array_new (FALSE, TRUE, sizeof (struct pollfd));

  while (take_added (self))
    {
      gboolean full = self->lanes[0].waiting->len + self->lanes[1].waiting->len >= MAX_WAITING;
      struct pollfd *at;
      guint64 count;

      g_array_set_size (fds, self->listeners->len + 1);
      at = (struct pollfd *)(gpointer)fds->data;
      at[0] = (struct pollfd){ .fd = self->wake, .events = POLLIN };
      for (guint i = 0; i < self->listeners->len; i++)
        at[i + 1] = (struct pollfd){ .fd = g_array_index (self->listeners, Listener, i).fd,
                                     .events = full ? 0 : POLLIN };
      if (poll (at, fds->len, get_timeout (self)) < 0)
        continue;
      if (at[0].revents != 0)
        (void)!read (self->wake, &count, sizeof count);
      handle_all (self, at);
      for (guint i = 0; i < G_N_ELEMENTS (self->lanes); i++)
        send_waiting (self, &self->lanes[i]);
    }
  return NULL;
}

/* The launcher's signals are for its other threads. */
static gboolean
start_thread (OcNotify *self)
{
  sigset_t all, before;

  if (self->thread != NULL)
    return TRUE;
  if (syscall (SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &self->sizes) != 0)
    return FALSE;
  if (self->wake < 0)
    self->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->wake < 0)
    return FALSE;
  /* What the kernel writes may be longer than what this was compiled with. */
  self->sizes.seccomp_notif = (guint16)MAX (self->sizes.seccomp_notif, sizeof *self->request);
  self->sizes.seccomp_notif_resp = (guint16)MAX (self->sizes.seccomp_notif_resp, sizeof *self->response);
  self->request = g_malloc0 (self->sizes.seccomp_notif);
  self->response = g_malloc0 (self->sizes.seccomp_notif_resp);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  self->thread = g_thread_try_new ("notify", answer_all, self, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  errno = self->thread != NULL ? 0 : EAGAIN;
  return self->thread != NULL;
}

gboolean
oc_notify_add (OcNotify *self, int fd, OcFilter filter)
{
  Listener listener = { fd, filter };
  guint64 flags = FLAG_SYNC_WAKE_UP;

  g_return_val_if_fail (self != NULL && fd >= 0, FALSE);
  if (!start_thread (self))
    {
      oc_fd_close (&fd);
      return FALSE;
    }
  /* The two of them take turns: faster on one processor. Older kernels do not know it. */
  (void)ioctl (fd, IOCTL_SET_FLAGS, flags);
  g_mutex_lock (&self->mutex);
  g_array_append_val (self->added, listener);
  g_mutex_unlock (&self->mutex);
  wake (self);
  return TRUE;
}

void
oc_notify_drain (OcNotify *self, OcNotifyFunc func, gpointer data)
{
  g_return_if_fail (self != NULL);
  g_mutex_lock (&self->mutex);
  oc_tally_drain (self->tally, func, data);
  g_mutex_unlock (&self->mutex);
}
