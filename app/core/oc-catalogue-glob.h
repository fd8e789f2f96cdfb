/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether some path fits both patterns: "**" crosses "/" (and "**" + "/" may be nothing at all), "*" and "?" do not. Where
 * the two readings of a pattern differ it says TRUE: it is asked whether to warn. */
gboolean oc_glob_may_meet (const char *a,
                           const char *b);

/* What an fs pattern comes to. Private to the catalogue. */
typedef enum
{
  OC_GLOB_STARTS_PROGRAMS = 0, /* takes in files that the session or a shell runs, or reads as commands */
  OC_GLOB_WIDE,                /* a whole home or top-level folder; such a one often takes those in as well */
  OC_GLOB_NARROW,
} OcGlobReach;
OcGlobReach oc_glob_get_reach (const char *glob);
/* The same question for a wide one too. */
gboolean oc_glob_starts_programs (const char *glob);

G_END_DECLS
