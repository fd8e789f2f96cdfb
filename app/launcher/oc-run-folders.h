/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-paths.h"

G_BEGIN_DECLS

/* The plugin's Data folder, made 0700 where it is not there. A symlink, something else, or somebody else's: refused
 * (CVE-2024-42472: a symlinked persistent folder made a host folder writable). Errors: OC_ERROR_SANDBOX, OC_ERROR_IO.
 * (transfer full) */
char *oc_run_ensure_data (OcPaths *paths,
                          const char *id,
                          GError **error);

G_END_DECLS
