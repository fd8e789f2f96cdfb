/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-activity.h"

G_BEGIN_DECLS

/* A use as a sentence without a full stop, for what happened inside the sandbox: "curl tried to open a network socket", "python3.11
 * connected to 192.0.2.1:443". Translated, and escaped for display; without the count. NULL for a use of the host API, whose
 * method says what it is. (transfer full) (nullable) */
char *oc_catalogue_describe_use (const OcUse *use);
/* The same, with how often in parentheses where that is more than once. */
char *oc_catalogue_describe_use_counted (const OcUse *use);

G_END_DECLS
