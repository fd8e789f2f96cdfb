/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The direct executor: the namespaces are our own. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

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

OcProcess *
oc_sandbox_start_direct (OcFlat *flat, gboolean *namespaces_refused, GError **error)
{
  g_auto (OcStart) start = { -1, -1, -1, -1, 0 };
  g_autoptr (OcProcess) self = oc_process_new (&start, &flat->stage, error);
  pid_t pid;

  if (self == NULL)
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
  if (!oc_process_wait_until_executed (self, &start, namespaces_refused, error))
    return NULL;
  return g_steal_pointer (&self);
}
