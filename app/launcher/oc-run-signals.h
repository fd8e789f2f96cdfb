/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes this process independent of what its parent left it: descriptors 0 to 2 are open, no signal is blocked or ignored.
 * SIGTERM, SIGINT and SIGHUP from now on ask a run to stop. Errors: OC_ERROR_IO. */
gboolean oc_run_signals_catch (GError **error);
/* Becomes readable once one has arrived. Borrowed. */
int oc_run_signals_get_fd (void);

G_END_DECLS
