/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-activity.h"
#include "launcher/oc-host.h"
#include "launcher/oc-run-grant.h"
#include "launcher/oc-run-watch.h"

G_BEGIN_DECLS

/* A worker's run, everything checked and made. All borrowed. */
typedef struct
{
  OcHost *host;
  OcGrant *grant;
  OcConsentWatch *watch; /* made before the grant was looked up */
  OcActivity *activity;
  gint64 run;
  guint timeout_ms;
} OcWorkerRun;

/* Starts the worker in its sandbox, answers its calls until it has answered `run` or until it must end, and ends it. The
 * outcome is in the host's report. FALSE: nothing ran. Errors: OC_ERROR_SANDBOX, OC_ERROR_NOT_FOUND (the program could not be
 * executed), OC_ERROR_IO. @tail: (out) (transfer full): the last lines of its output. */
gboolean oc_worker_run (const OcWorkerRun *run,
                        char **tail,
                        GError **error);

G_END_DECLS
