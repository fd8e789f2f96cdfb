/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-launch.h"
#include "launcher/oc-options.h"

G_BEGIN_DECLS

/* `ocelot-launcher run`: checks, runs, records, and prints the one JSON object on stdout. The order of the checks: uid,
 * consent (plugin, manifest, policy), kind, entry and selection, activity, folders, sandbox. An unknown plugin or entry and a
 * selection that does not fit the entry are OC_EXIT_USAGE: the caller asked for what is not there. Time-out: the entry's own, or
 * --timeout where that is shorter; a caller can only be stricter than the author. */
OcExit oc_run (const OcOptions *options);

G_END_DECLS
