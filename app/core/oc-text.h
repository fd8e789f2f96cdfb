/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Text that came from a plugin, made safe to look at: control, bidirectional, invisible and
 * unassigned characters, and bytes that are not UTF-8, are shown as \u{202E}, \x1b and the like
 * (escaped, never stripped: deno #22468); a backslash that could be taken for one of our escapes
 * is doubled, so that what is shown can be read back in one way only. Spaces other than U+0020,
 * leading or trailing spaces, a space behind a space (wrapping would swallow it), marks on nothing
 * and more than eight marks on one character count as invisible.
 * @max_chars: cut after that many characters with "…"; 0 for no limit.
 * @changed: (out) (optional): whether anything hidden is in the whole text; a doubled backslash
 * is not.
 * Returns: (transfer full): valid UTF-8, one line. Never markup: callers use plain-text
 * properties. */
char *oc_text_escape (const char *text,
                      gsize max_chars,
                      gboolean *changed);
/* The same, but line feeds and tabs stay: for descriptions and for a program's output. */
char *oc_text_escape_lines (const char *text,
                            gssize len,
                            gsize max_chars,
                            gboolean *changed);
/* A message that is put together already, what is foreign in it escaped: escaped as a whole only where
 * something hidden is left in it, so that no escape is escaped twice. Safe for any text; but a text
 * that spells an escape out is not told from one that holds what it stands for.
 * @keep_lines: line feeds and tabs stay. @max_chars: as in oc_text_escape(). (transfer full) */
char *oc_text_escape_message (const char *message,
                              gboolean keep_lines,
                              gsize max_chars);
/* Whether oc_text_escape() would have to escape something. */
gboolean oc_text_has_hidden (const char *text);
/* "1.0 GiB", with a plain space: a no-break one would be escaped where the text is shown. (transfer full) */
char *oc_text_format_size (guint64 bytes);
/* For search and for look-alike names: compatibility-decomposed, accents and case folded.
 * (transfer full) */
char *oc_text_fold (const char *text);
/* Whether two names can be taken for each other at a glance: the same but for capitals, accents,
 * spaces and punctuation, or written with letters of another script that look alike (Cyrillic,
 * Greek, Armenian), or with 0 for O, 1 or l for I, rn for m. */
gboolean oc_text_looks_like (const char *a,
                             const char *b);

G_END_DECLS
