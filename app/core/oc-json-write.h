/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Compact JSON, appended without the objects and copies of json-glib's generator, for what is
 * written often or must be strict (json-glib 1.6 leaves U+001F as it is). Always valid JSON: bytes
 * that are not UTF-8 become U+FFFD, numbers that JSON does not have become null. Nodes may nest as deep as the stack allows: those of ours, and those that
 * were read by oc_json_parse(). */
void oc_json_append_string (GString *text,
                            const char *string);
/* A part of a string, without the quotes around it; of what is known to be UTF-8, but for NUL, which it may hold. */
void oc_json_append_part (GString *text,
                          const char *part,
                          gsize len);
/* @node: (nullable): null. */
void oc_json_append_node (GString *text,
                          JsonNode *node);

G_END_DECLS
