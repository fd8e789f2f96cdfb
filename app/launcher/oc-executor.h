/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

/* The sandbox with one executor, whether or not that one has passed the self-test: for the self-test. Else as
 * oc_sandbox_start(). @namespaces_refused: (nullable): set where the direct one may make no namespaces here. */
OcProcess *oc_sandbox_start_on (OcExecutor executor,
                                OcPlan *plan,
                                const OcCommand *command,
                                gboolean *namespaces_refused,
                                GError **error);

/* The one that was asked for, OC_EXECUTOR_AUTO where none was. */
OcExecutor oc_executor_get_asked (void);
/* What is said where neither can be used, with the words of both. The first one's layer comes first, and its remedy is the one
 * to give. */
#define OC_NOR_BUBBLEWRAP "%s; nor can bubblewrap be used instead: %s"

/* "direct", "bubblewrap"; (nullable): of OC_EXECUTOR_AUTO. */
const char *oc_executor_to_id (OcExecutor executor);
/* FALSE: there is none of this name. */
gboolean oc_executor_from_id (const char *id,
                              OcExecutor *executor);

/* Whether bubblewrap may be used: it is the system's own, and the self-test passed with it, now or earlier with the same kernel,
 * the same bubblewrap and the same launcher. Errors: OC_ERROR_SANDBOX, with what failed. */
gboolean oc_executor_check_bubblewrap (GError **error);

G_END_DECLS
