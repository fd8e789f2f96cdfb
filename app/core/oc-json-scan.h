/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-json.h"

G_BEGIN_DECLS

/* The strict scanner itself; oc-json.h has what it refuses.
 * @members: (nullable) (element-type OcJsonSpan): filled with the root's members, where the root
 * is an object.
 * @root: (out) (optional): the root's first byte. */
gboolean oc_json_scan (const char *data,
                       gsize len,
                       gsize max_bytes,
                       GArray *members,
                       char *root,
                       GError **error);
/* The same, as json-glib's nodes. Its own parser would read all of it a second time, and takes longer than this. */
JsonNode *oc_json_scan_tree (const char *data,
                             gsize len,
                             gsize max_bytes,
                             GError **error);

JsonNode *oc_json_scan_tree_within (const char *data,
                                    gsize len,
                                    gsize max_bytes,
                                    const char *within,
                                    OcJsonFault **fault,
                                    GError **error);

G_END_DECLS
