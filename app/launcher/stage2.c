/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ocelot-stage2 FD: what bubblewrap executes as pid 1 of the namespaces it made. A program of its own, beside the launcher: it
 * needs nothing but the C library, and so begins several times as fast. */
#include "launcher/oc-sandbox-private.h"

#include <stdlib.h>

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 2;
  oc_stage_enter (atoi (argv[1]));
}
