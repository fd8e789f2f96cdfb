/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cli/oc-cli.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Members are given raw, as they are: programs read this. Characters that could fool a person who looks at it in a terminal
 * (control, bidirectional, invisible ones) are written as \uXXXX, which is the same JSON. */
void oc_cli_json_print (JsonBuilder *builder);
/* For tests. (transfer full) */
char *oc_cli_json_guard (const char *json);

/* Each adds one member; a NULL @value adds null. */
void oc_cli_json_add_string (JsonBuilder *builder,
                             const char *key,
                             const char *value);
void oc_cli_json_add_int (JsonBuilder *builder,
                          const char *key,
                          gint64 value);
void oc_cli_json_add_boolean (JsonBuilder *builder,
                              const char *key,
                              gboolean value);
void oc_cli_json_add_strv (JsonBuilder *builder,
                           const char *key,
                           const char *const *values);
void oc_cli_json_add_set (JsonBuilder *builder,
                          const char *key,
                          OcPermissionSet *set);
/* "2026-11-30T22:10:05Z"; null for 0. */
void oc_cli_json_add_time (JsonBuilder *builder,
                           const char *key,
                           gint64 us);
/* @statements: (element-type OcStatement): [{"title","text","severity"}] */
void oc_cli_json_add_statements (JsonBuilder *builder,
                                 const char *key,
                                 GPtrArray *statements);
/* @uses: (element-type OcUse) */
void oc_cli_json_add_uses (JsonBuilder *builder,
                           const char *key,
                           GPtrArray *uses);
/* The members that list and show have in common: id, name, version, kind, state, reasons, broad, … */
void oc_cli_json_add_plugin (JsonBuilder *builder,
                             OcPlugin *plugin,
                             OcVerdict *verdict);

G_END_DECLS
