/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is kept of one stream. */
#define OC_OUTPUT_MAX_BYTES (1024 * 1024)

/**
 * OcOutput: what comes out of one pipe, kept up to a cap and drained past it, so that the writer neither blocks nor fills
 * memory. Watches the pipe in the thread-default main context.
 */
typedef struct _OcOutput OcOutput;

/* @fd: (transfer full): the reading end; becomes non-blocking. */
OcOutput *oc_output_new (int fd,
                         gsize max_bytes);
void oc_output_free (OcOutput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcOutput, oc_output_free)
/* Takes what is there now, without waiting. */
void oc_output_drain (OcOutput *self);
gboolean oc_output_is_truncated (OcOutput *self);
/* Borrowed, raw. */
const char *oc_output_get_data (OcOutput *self,
                                gsize *len);
/* As text: bytes that are not UTF-8, and NUL, become U+FFFD. Cut so that it takes at most @max_escaped bytes in JSON (0: no
 * limit), where a control character takes six. @cut: (out) (optional). (transfer full) */
char *oc_output_dup_text (OcOutput *self,
                          gsize max_escaped,
                          gboolean *cut);
/* As a JSON string with its quotes, appended to @json: NUL is kept as \u0000, which tools that part their output by NUL need
 * and which C strings cannot carry. Returns whether bytes that are not UTF-8 were replaced by U+FFFD. */
gboolean oc_output_append_json (OcOutput *self,
                                GString *json);
/* The last lines, at most @max_bytes of them, as text. (transfer full) */
char *oc_output_dup_tail (OcOutput *self,
                          gsize max_bytes);

G_END_DECLS
