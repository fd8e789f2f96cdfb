/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-tools.h"

G_BEGIN_DECLS

/* The shipped list of broad tools (data/broad-tools.list, whose top documents the format). Private to oc-tools.c and its
 * tests. Immutable, atomically refcounted. */
typedef struct _OcToolsList OcToolsList;

/* Past that it is not our list. */
#define OC_TOOLS_LIST_MAX_BYTES (256 * 1024)

/* Errors: OC_ERROR_DAMAGED, naming the line. One bad line makes the whole list bad: a list with a hole would show a broad
 * tool as a harmless one. */
OcToolsList *oc_tools_list_parse (const char *text,
                                  gsize len,
                                  GError **error);
/* The one built into this program. */
OcToolsList *oc_tools_list_load (GError **error);
OcToolsList *oc_tools_list_ref (OcToolsList *self);
void oc_tools_list_unref (OcToolsList *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcToolsList, oc_tools_list_unref)

guint oc_tools_list_get_n (OcToolsList *self);
/* @i: below oc_tools_list_get_n(). The name or pattern. */
const char *oc_tools_list_get_pattern (OcToolsList *self,
                                       guint i);
/* Whether @name is listed, by itself or as one of a family. Letter case does not count.
 * @effect, @key, @reason: (out) (optional). @key: (transfer none) the reason's key and detail, the same for alike reasons;
 * @reason: (transfer full): one whole sentence, translated. */
gboolean oc_tools_list_match (OcToolsList *self,
                              const char *name,
                              OcToolEffect *effect,
                              const char **key,
                              char **reason);

G_END_DECLS
