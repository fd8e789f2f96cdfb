/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A manifest is read by a person before it is enabled; what needs more is not reviewable. */
#define OC_JSON_MAX_BYTES (1024 * 1024)
/* json-glib 1.6 overflows its stack at some 80,000; no format of ours nests past 8. */
#define OC_JSON_MAX_DEPTH 32
/* In one object. Our largest, the consent file's records, is made for 10,000; json-glib's own
 * table is not made for a hostile million. */
#define OC_JSON_MAX_KEYS 16384
/* How many keys of one object may have the same g_str_hash(), which json-glib keeps its members
 * by. By chance two have; a file made for it brings json-glib to a halt (25,000 such keys fit in 1
 * MiB and took 6.5 s), and the launcher with it. */
#define OC_JSON_MAX_ALIKE_KEYS 64

/* Strict check of RFC 8259 before json-glib may see the bytes (system.md section 4). Refuses: more
 * than @max_bytes, depth over OC_JSON_MAX_DEPTH, invalid UTF-8, NUL raw or escaped, duplicate keys
 * (after unescaping), anything but white space around the one root, a BOM, comments, quotes other
 * than '"', lone surrogates, numbers that RFC 8259 does not allow, integers outside ±(2^53-1), more
 * than OC_JSON_MAX_KEYS keys in one object, keys made to collide in a hash table.
 * @max_bytes: 0 means OC_JSON_MAX_BYTES.
 * Errors: OC_ERROR_INVALID, the message starting "line L, column C: ". Linear in @len; uses no
 * recursion; memory bounded by @len. */
gboolean oc_json_check (const char *data,
                        gsize len,
                        gsize max_bytes,
                        GError **error);
/* As strict as oc_json_check(). The root may be any value. (transfer full), never NULL unless
 * @error is set. */
JsonNode *oc_json_parse (const char *data,
                         gsize len,
                         gsize max_bytes,
                         GError **error);

/* What was passed over in JSON that is well-formed. */
typedef struct
{
  char *member;  /* owned (nullable): the member it is in */
  char *message; /* owned: as the error would say it */
} OcJsonFault;
void oc_json_fault_free (OcJsonFault *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcJsonFault, oc_json_fault_free)

/* As oc_json_parse(), for a peer that is told which part of its message cannot be taken. In the member @within of the root
 * object these are no errors: NUL and lone surrogates (U+FFFD stands for them), numbers that cannot be kept, depth and number of
 * keys past the limits, keys made to collide (what is past them is left out). Bytes that are no JSON are an error there too.
 * @fault: (out) (nullable) (transfer full): the first of them; then that part of the tree is not what the peer meant. */
JsonNode *oc_json_parse_within (const char *data,
                                gsize len,
                                gsize max_bytes,
                                const char *within,
                                OcJsonFault **fault,
                                GError **error);

/* One member of the root object, as it lies in the checked bytes. Used to keep what a version does
 * not know byte for byte. */
typedef struct
{
  char *key;   /* owned, unescaped */
  gsize start; /* offset of the value's first byte */
  gsize end;   /* offset after its last byte */
} OcJsonSpan;

/* @data must be an object. Returns: (transfer full) (element-type OcJsonSpan), in file order,
 * with a free func set. Runs oc_json_check() first. */
GArray *oc_json_members (const char *data,
                         gsize len,
                         gsize max_bytes,
                         GError **error);

/* Strict member readers for an already parsed object. Each fails with OC_ERROR_INVALID and a
 * message "<place>.<key> must be …" where the member has another type; where it is missing they
 * return the fallback (NULL / @fallback) with no error unless @required. */
const char *oc_json_get_string (JsonObject *object,
                                const char *place,
                                const char *key,
                                gboolean required,
                                GError **error);
gboolean oc_json_get_int (JsonObject *object,
                          const char *place,
                          const char *key,
                          gint64 min,
                          gint64 max,
                          gint64 fallback,
                          gint64 *value,
                          GError **error);
gboolean oc_json_get_boolean (JsonObject *object,
                              const char *place,
                              const char *key,
                              gboolean fallback,
                              gboolean *value,
                              GError **error);
/* (transfer full) NULL-terminated; *value is NULL when the member is missing. */
gboolean oc_json_get_strv (JsonObject *object,
                           const char *place,
                           const char *key,
                           char ***value,
                           GError **error);
/* Compact, or indented by two spaces with a line feed at the end. (transfer full) */
char *oc_json_to_string (JsonNode *node,
                         gboolean pretty);

G_END_DECLS
