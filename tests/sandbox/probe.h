/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The probe makes one attempt and says on stdout what came of it: "DONE", or the name of the error.
 * It runs inside the sandbox, and outside as the control. Static, and nothing but the C library. */

typedef struct
{
  const char *name;
  int n_arguments;
  /* Below zero: denied, errno says why. Whatever it opens or starts ends with the probe. */
  long (*attempt) (char **arguments);
} Probe;

/* Each ends with an empty entry. */
extern const Probe probe_files[];
extern const Probe probe_ipc[];
extern const Probe probe_metadata[];
extern const Probe probe_programs[];
extern const Probe probe_network[];
extern const Probe probe_kernel[];
extern const Probe probe_processes[];
