/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-launch.h"

G_BEGIN_DECLS

/* The launcher caps what it passes on below this; more is not its answer. */
#define OC_LAUNCH_MAX_ANSWER (16 * 1024 * 1024)

/* How a process ended and what it said. */
typedef struct
{
  GString *out;
  GString *err;     /* the first 4 KiB */
  gboolean too_long;
  gboolean exited;  /* else @status is the signal */
  gboolean killed;  /* by us, since it did not end */
  int status;
} OcLaunchAnswer;

void oc_launch_answer_free (OcLaunchAnswer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcLaunchAnswer, oc_launch_answer_free)

/* Runs @argv until it ends. Cancelling sends SIGTERM, ten seconds later SIGKILL; so does @timeout_us (0: none).
 * NULL and OC_ERROR_SANDBOX where it cannot be started. */
OcLaunchAnswer *oc_launch_process (const char *const *argv,
                                   gint64 timeout_us,
                                   GCancellable *cancellable,
                                   GError **error);

/* OC_ERROR_SANDBOX where @answer is not what a launcher prints. */
OcRunResult *oc_run_result_parse (OcLaunchAnswer *answer,
                                  GError **error);
OcSandboxReport *oc_sandbox_report_parse (OcLaunchAnswer *answer,
                                          GError **error);
/* One layer, "launcher", that does not hold. */
OcSandboxReport *oc_sandbox_report_new_missing (const char *reason,
                                                const char *remedy);

G_END_DECLS
