/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In characters, not bytes, as the catalogue promises. */
#define OC_URL_MAX_CHARS 2048

/**
 * OcUrl: an address that may be handed to the desktop for a plugin: http, https or mailto, and nothing in it that two programs
 * could read in two ways. Parsed once; oc_url_get_text() is what was checked, and what is handed over. Immutable, atomically
 * refcounted.
 *
 * The program that gets it runs outside of any sandbox, and may be a script around a browser. So this is stricter than what
 * browsers take: RFC 3986 (and, for mails, RFC 6068) to the letter, except that characters beyond ASCII may be written as they
 * are outside of the host.
 */
typedef struct _OcUrl OcUrl;

/* @reason: (out) (optional): where NULL is returned, one of the words of oc_url_get_reason(). Errors: OC_ERROR_INVALID, for the
 * plugin's author; it never quotes the address. (transfer full) */
OcUrl *oc_url_parse (const char *text,
                     const char **reason,
                     GError **error);
OcUrl *oc_url_ref (OcUrl *self);
void oc_url_unref (OcUrl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcUrl, oc_url_unref)

/* ASCII: scheme and host in lower case, what is beyond ASCII as percent escapes, all else as it was. */
const char *oc_url_get_text (OcUrl *self);
/* "http", "https" or "mailto". */
const char *oc_url_get_scheme (OcUrl *self);
/* In lower case, an IPv6 address without its brackets. NULL for mailto. (nullable) */
const char *oc_url_get_host (OcUrl *self);

/* Every word that a refusal can have, in a fixed order; NULL where @n is past the end. @meaning: (out) (optional): an untranslated
 * sentence for the author. For tests and the manual. */
const char *oc_url_get_reason (guint n,
                               const char **meaning);

G_END_DECLS
