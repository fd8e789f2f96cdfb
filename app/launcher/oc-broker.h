/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-activity.h"
#include "launcher/oc-host.h"

G_BEGIN_DECLS

/* Requests of the worker that are not yet answered in full. */
#define OC_BROKER_MAX_IN_FLIGHT 64
/* Answers the worker has not read yet: past the first the broker takes no more messages until they are below the second. */
#define OC_BROKER_PAUSE_BYTES (8 * 1024 * 1024)
#define OC_BROKER_RESUME_BYTES (4 * 1024 * 1024)
/* How long it may take nothing of so many. */
#define OC_BROKER_STALL_S 30
/* Calls at once of those methods that are marked as held: each can become an answer of 6 MB (a control character takes six
 * bytes), and the first limit above only sees answers that are there; and what is done one after the other cannot pile up. */
#define OC_BROKER_MAX_HELD 8
/* Messages that ask for no answer, in one run: nothing else would slow a worker that sends only these. */
#define OC_BROKER_MAX_NOTIFICATIONS 100000

/**
 * OcBroker: answers one worker's calls, over two pipes, in the thread-default main context. The worker is hostile: whatever
 * breaks the protocol ends the conversation, and nothing it sends can make the broker hold more than its limits.
 */
typedef struct _OcBroker OcBroker;

/* Called once: with DONE, REPORTED or EXCEPTION when the worker answered `run`, with PROTOCOL when it broke the protocol, with
 * CRASH when it closed its end without an answer. @message: (nullable) */
typedef void (*OcBrokerEndFunc) (OcBroker *self,
                                 OcOutcome outcome,
                                 const char *message,
                                 gpointer data);

/* @host: borrowed for the broker's life. @to_worker, @from_worker: (transfer full). */
OcBroker *oc_broker_new (OcHost *host,
                         OcPermissionSet *granted,
                         int to_worker,
                         int from_worker,
                         OcBrokerEndFunc end,
                         gpointer data);
/* Asked before each call is looked at. FALSE: it waits, and with it whatever comes after it, until oc_broker_resume(). */
typedef gboolean (*OcBrokerGate) (gpointer data);
void oc_broker_set_gate (OcBroker *self,
                         OcBrokerGate gate,
                         gpointer data);
/* Asks the gate again. */
void oc_broker_resume (OcBroker *self);
/* Sends `run`. */
void oc_broker_start (OcBroker *self);
/* The worker is dead: takes its answer, if it wrote one before it died. Calls are no longer carried out. */
void oc_broker_finish (OcBroker *self);
/* Drops all calls and what runs for them. */
void oc_broker_free (OcBroker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcBroker, oc_broker_free)
/* What calls are checked against from now on. */
void oc_broker_set_granted (OcBroker *self,
                            OcPermissionSet *granted);
/* The worker's result as it wrote it. (transfer full) (nullable) */
char *oc_broker_steal_result (OcBroker *self);

/* For OcCall. @frame: (transfer full) (nullable): a notification has none. */
void oc_broker_answer (OcBroker *self,
                       OcCall *call,
                       GBytes *frame);
guint oc_broker_count_calls (OcBroker *self,
                             const OcMethod *method);
OcHost *oc_broker_get_host (OcBroker *self);

G_END_DECLS
