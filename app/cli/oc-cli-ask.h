/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether there is a person to ask: stdin and stdout are both a terminal. */
gboolean oc_cli_can_ask (void);
/* Shows @question and reads one line from the terminal. What was typed before the question is thrown away (deno #9750:
 * keys typed ahead granted), and an answer that comes faster than a person can read is asked for again.
 * TRUE only where the line is exactly @word; end of input, or anything else, is FALSE. */
gboolean oc_cli_ask (const char *question,
                     const char *word);

G_END_DECLS
