/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "launcher/oc-notify.h"
#include "launcher/oc-plan.h"

G_BEGIN_DECLS

/* What to execute inside. All borrowed during the call. */
typedef struct
{
  const char *program;      /* absolute */
  const char *const *argv;  /* argv[0] included, NULL-terminated, any bytes */
  const char *const *env;   /* NULL-terminated, whole */
  /* Anonymous pipes, or -1: /dev/null for 0, 1 and 2, closed for 3 and 4. Anything else is refused. */
  int fds[5];
  /* (nullable) who answers what the system call filter asks, and remembers it; must live as long as the process. NULL: answered
   * all the same, and forgotten. */
  OcNotify *notify;
} OcCommand;

/**
 * OcProcess: a running sandbox: pid 1 of its own namespaces, with everything below it.
 */
typedef struct _OcProcess OcProcess;

/* Who makes the namespaces and mounts; everything else is the same. */
typedef enum
{
  OC_EXECUTOR_AUTO = 0, /* direct, or bubblewrap where the system lets only that create namespaces */
  OC_EXECUTOR_DIRECT,
  OC_EXECUTOR_BUBBLEWRAP,
} OcExecutor;

/* For all sandboxes of this process; OC_EXECUTOR_AUTO until told. None is used unless its self-test passes. */
void oc_sandbox_set_executor (OcExecutor executor);
/* The one in use: after a sandbox was started, never OC_EXECUTOR_AUTO. */
OcExecutor oc_sandbox_get_executor (void);

/* Builds the sandbox and executes the command in it. Returns once the command has been executed or refused; @command's
 * descriptors stay the caller's. Errors: OC_ERROR_SANDBOX (a layer failed: nothing ran; the message names layer and reason),
 * OC_ERROR_NOT_FOUND (all layers hold, but the program could not be executed: the message says why). */
OcProcess *oc_sandbox_start (OcPlan *plan,
                             const OcCommand *command,
                             GError **error);
/* Ends everything inside if still running, and waits for it. */
void oc_process_free (OcProcess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcProcess, oc_process_free)
/* Becomes readable when everything inside has ended. Borrowed. */
int oc_process_get_pidfd (OcProcess *self);
/* The @n-th of the sockets that listen inside the sandbox, for the broker, or -1. (transfer full): once. */
int oc_process_steal_listener (OcProcess *self,
                               guint n);
/* SIGKILL to pid 1, which takes all of the namespace with it. Does not wait. */
void oc_process_kill (OcProcess *self);
/* Waits (at once, after the pidfd is readable). @exit_code: 0 to 255, or -1 when ended by @signal; @signal: 0 or the signal
 * that ended the command. FALSE where pid 1 itself was killed before it could tell. */
gboolean oc_process_wait (OcProcess *self,
                          int *exit_code,
                          int *signal);

/* What to do about an error of oc_sandbox_start(), after a look at this machine's settings. One or more whole sentences,
 * translated; NULL where nothing is known. (transfer full) */
char *oc_sandbox_dup_remedy (const GError *error);
/* The same for one layer by its id. @detail: the rest of the error's message. @root: (nullable): put before the paths of the
 * settings, for made-up hosts in tests. */
char *oc_sandbox_dup_remedy_for (const char *layer,
                                 const char *detail,
                                 const char *root);
/* In the message of oc_sandbox_check_uid(). */
#define OC_NOT_AS_ROOT "the system's administrator (uid 0)"

/* Whether uid 0 may go on: FALSE and OC_ERROR_SANDBOX unless allowed. */
gboolean oc_sandbox_check_uid (gboolean allow_root,
                               GError **error);

G_END_DECLS
