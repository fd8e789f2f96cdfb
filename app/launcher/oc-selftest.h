/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

/* `ocelot-launcher check`: runs this same binary as canary inside a sandbox made for a made-up plugin in a temporary folder,
 * and checks each layer from inside, each denial beside a control outside that succeeds. Returns the object described at
 * OcSandboxReport. (transfer full), never NULL. */
JsonNode *oc_selftest_run (gboolean allow_root);
/* The same with one executor, for whoever is about to use it. */
JsonNode *oc_selftest_run_on (OcExecutor executor);
/* The canary's side: `ocelot-launcher --canary` executed inside the sandbox. Ends the process, or returns an exit code. Plain C. */
int oc_selftest_canary (int argc,
                        char **argv);
/* How many system call filters this process is under; -1 where it cannot be told. Plain C. */
int oc_selftest_count_filters (void);

G_END_DECLS
