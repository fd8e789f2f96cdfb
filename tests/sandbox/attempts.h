/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ATTEMPT_EVERYWHERE = 0,
  ATTEMPT_NETWORK = 1 << 0, /* with network.client, else without any */
  ATTEMPT_ROOT = 1 << 1,    /* the control needs uid 0 */
  ATTEMPT_X86 = 1 << 2,
} AttemptFlags;

#define ATTEMPT_MAX_WORDS 9

/* One row of the battery. What comes of it is "DONE", the name of an error, or the name of the
 * signal that ended it; alternatives are separated by "|". */
typedef struct
{
  const char *name;
  const char *source; /* where the case is from; "" for our own */
  const char *expected;
  const char *control; /* the same attempt outside */
  AttemptFlags flags;
  const char *words[ATTEMPT_MAX_WORDS]; /* for host_expand() */
} Attempt;

/* Each ends with an empty row. */
extern const Attempt attempts_allowed[];
extern const Attempt attempts_writing[];
extern const Attempt attempts_reading[];
extern const Attempt attempts_devices[];
extern const Attempt attempts_programs[];
extern const Attempt attempts_network[];
extern const Attempt attempts_processes[];
extern const Attempt attempts_kernel[];

G_END_DECLS
