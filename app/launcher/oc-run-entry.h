/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-manifest.h"
#include "launcher/oc-options.h"

G_BEGIN_DECLS

/* Whether @entry takes this selection: how many, which extensions (a folder counts as having none), and all of them there.
 * Errors: OC_ERROR_INVALID; OC_ERROR_NOT_FOUND naming the path. */
gboolean oc_run_check_selection (const OcEntry *entry,
                                 const OcOptions *options,
                                 GError **error);
/* Milliseconds. */
guint oc_run_get_timeout (const OcEntry *entry,
                          const OcOptions *options);

G_END_DECLS
