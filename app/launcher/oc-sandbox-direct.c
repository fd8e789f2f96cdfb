/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The direct executor: the namespaces are our own. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/oc-landlock.h"
#include "launcher/oc-process-private.h"

#define NAMESPACES                                                                                 \
  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

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

/* What clone() answers where the system's settings, its security module, a container's filter or its kernel lets this
 * process make no namespaces; another program, such as bubblewrap, may be allowed to. */
static gboolean
is_refusal (int saved_errno)
{
  return saved_errno == EPERM || saved_errno == EACCES || saved_errno == ENOSPC || saved_errno == EUSERS
         || saved_errno == EINVAL;
}

static gboolean
fail_landlock (const char *what, GError **error)
{
  oc_sandbox_set_layer_error (error, OC_LAYER_LANDLOCK, what, errno);
  return FALSE;
}

/* What the allow-list of a worker takes. -1: nothing. */
typedef struct
{
  OcFd ruleset;
  OcFd done_read;
  OcFd done_write;
} Rules;

static void
rules_clear (Rules *self)
{
  oc_fd_close (&self->ruleset);
  oc_fd_close (&self->done_read);
  oc_fd_close (&self->done_write);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rules, rules_clear)

static gboolean
rules_make (Rules *self, OcStage *stage, GError **error)
{
  const char *what = NULL;
  int ends[2];

  if (stage->n_nodes == 0)
    return TRUE;
  self->ruleset = oc_landlock_create (&what);
  if (self->ruleset < 0)
    return fail_landlock (what, error);
  if (pipe2 (ends, O_CLOEXEC) != 0)
    return fail_landlock ("pipe", error);
  self->done_read = ends[0];
  self->done_write = ends[1];
  stage->filled_outside = true;
  stage->ruleset_fd = self->ruleset;
  stage->rules_fd = self->done_read;
  return TRUE;
}

/* The list is long, and filling a ruleset with it takes as long as all the mounts: it is done here meanwhile. */
static gboolean
rules_fill (Rules *self, const OcStage *stage, GError **error)
{
  const char *what = NULL;

  if (!stage->filled_outside)
    return TRUE;
  if (oc_landlock_allow_reading (stage, self->ruleset, &what) != 0)
    {
      fail_landlock (what, error);
      oc_fd_close (&self->done_write);
      return FALSE;
    }
  /* No SIGPIPE where the other side is gone, since our own copy of its end is open; it says why on the ready socket. */
  (void)!write (self->done_write, "", 1);
  oc_fd_close (&self->done_write);
  return TRUE;
}

OcProcess *
oc_sandbox_start_direct (OcFlat *flat, gboolean *namespaces_refused, GError **error)
{
  g_auto (OcStart) start = { -1, -1, -1, -1, 0 };
  g_autoptr (OcProcess) self = oc_process_new (&start, &flat->stage, error);
  g_auto (Rules) rules = { -1, -1, -1 };
  g_autoptr (GError) rules_error = NULL;
  g_autoptr (GError) own_error = NULL;
  gboolean filled;
  pid_t pid;

  if (self == NULL || !rules_make (&rules, &flat->stage, error))
    return NULL;
  pid = clone_child (&flat->stage, &self->pidfd);
  if (pid < 0)
    {
      if (namespaces_refused != NULL)
        *namespaces_refused = is_refusal (errno);
      oc_sandbox_set_layer_error (error, OC_LAYER_USER_NAMESPACE, "new namespaces", errno);
      return NULL;
    }
  oc_start_close_inner (&start);
  filled = rules_fill (&rules, &flat->stage, &rules_error);
  if (oc_process_wait_until_executed (self, &start, namespaces_refused, &own_error) && filled)
    return g_steal_pointer (&self);
  /* Of two layers that fail the first is named: of the list it only knows that it did not come. */
  if (!filled && (own_error == NULL || g_str_has_prefix (own_error->message, "landlock: ")))
    g_propagate_error (error, g_steal_pointer (&rules_error));
  else
    g_propagate_error (error, g_steal_pointer (&own_error));
  return NULL;
}
