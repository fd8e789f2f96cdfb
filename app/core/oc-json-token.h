/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A place in JSON bytes that are known to be UTF-8 without NUL. */
typedef struct
{
  const char *data;
  gsize len;
  gsize at;
  GString *string; /* the text read last, unescaped */
  gboolean tolerates; /* see oc_json_pass_over() */
  GError *fault;      /* owned (nullable): the first that was passed over */
} OcJsonCursor;

/* Always FALSE; the error begins "line L, column C: ". */
gboolean oc_json_set_error_at (const OcJsonCursor *self,
                               gsize at,
                               GError **error,
                               const char *format,
                               ...) G_GNUC_PRINTF (4, 5);
/* For what is well-formed and still not taken. Where faults are tolerated: TRUE, noted, and the caller puts something else in
 * its place; else FALSE and @error. */
gboolean oc_json_pass_over (OcJsonCursor *self,
                            gsize at,
                            GError **error,
                            const char *format,
                            ...) G_GNUC_PRINTF (4, 5);
/* Always FALSE. @expected: what should be here, such as "a value". */
gboolean oc_json_set_unexpected (const OcJsonCursor *self,
                                 const char *expected,
                                 GError **error);
void oc_json_skip_space (OcJsonCursor *self);

/* Each begins at the token's first byte and ends after its last. */
gboolean oc_json_scan_string (OcJsonCursor *self,
                              GError **error);
gboolean oc_json_scan_number (OcJsonCursor *self,
                              GError **error);
gboolean oc_json_scan_word (OcJsonCursor *self,
                            GError **error);
/* FALSE: the number has more than a sign and digits, or more digits than any that is taken. */
gboolean oc_json_read_integer (const char *text,
                               gsize len,
                               gint64 *value);

G_END_DECLS
