/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-fd.h"
#include "launcher/oc-notify.h"
#include "launcher/oc-sandbox-flat.h"
#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

struct _OcProcess
{
  OcFd pidfd; /* of pid 1 inside */
  OcFd helper; /* the process whose child pid 1 is: bubblewrap, itself a child of this process; -1: pid 1 is our child */
  OcFd status_fd;
  OcFd life_fd; /* held open as long as this lives, so that pid 1 sees when it does not */
  OcNotify *notify; /* borrowed: the caller's, or the next */
  OcNotify *own_notify; /* owned (nullable) */
  OcFilter filter;
  gboolean answered; /* what the filter asks is answered */
  int listeners[OC_REPORT_MAX_FDS]; /* -1: none */
  gboolean waited;
  gboolean told; /* pid 1 said how the command ended */
  int exit_code;
  int signal;
};

/**
 * OcStart: the ends of the pipes while a sandbox is started.
 */
typedef struct
{
  OcFd ready_read;
  OcFd ready_write;
  OcFd status_write;
  OcFd life_read;
  gint64 deadline; /* monotonic, microseconds */
} OcStart;
void oc_start_clear (OcStart *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OcStart, oc_start_clear)

/* Makes the pipes, and puts the inner ends into @stage. */
OcProcess *oc_process_new (OcStart *start, OcStage *stage, GError **error);
/* Once the child has its own: else their end would never be seen. */
void oc_start_close_inner (OcStart *self);
/* Reads one report from the ready socket. 1, 0 at its end, -1 with errno (ETIME past the deadline). @fds: OC_REPORT_MAX_FDS
 * places, filled with what came, or -1. @sender: (nullable): its pid here, 0 where it is not told. */
int oc_start_read_report (OcStart *self, OcReport *report, int *fds, pid_t *sender);
/* Until the exec has happened: the ready socket ends without a failure, after all layers were
 * reported to hold. @namespaces_refused: (nullable): set where what failed is the making of the namespaces, or the first use
 * of the rights in them. */
gboolean oc_process_wait_until_executed (OcProcess *self,
                                         OcStart *start,
                                         gboolean *namespaces_refused,
                                         GError **error);

/* "layer: what: errno's words" */
void oc_sandbox_set_layer_error (GError **error, OcLayerKind layer, const char *what, int saved_errno);
/* Of a report that is not about descriptors. */
void oc_sandbox_set_report_error (GError **error, const OcReport *report);
/* Whether a refusal of the system's to make namespaces is what failed. */
gboolean oc_sandbox_is_namespaces_refused (const OcReport *report);

/* The two executors. @flat: with the command in it. */
OcProcess *oc_sandbox_start_direct (OcFlat *flat, gboolean *namespaces_refused, GError **error);
OcProcess *oc_sandbox_start_bubblewrap (OcFlat *flat, GError **error);

G_END_DECLS
