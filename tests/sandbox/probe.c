/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const Probe *const groups[] = { probe_files,    probe_ipc,     probe_kernel,   probe_metadata,
                                       probe_network, probe_processes, probe_programs };

/* Usage: probe NAME [ARGUMENT…]. Exit: 0 done, 1 denied, 2 no such probe. */
int
main (int argc, char **argv)
{
  for (size_t i = 0; argc > 1 && i < sizeof groups / sizeof *groups; i++)
    for (const Probe *probe = groups[i]; probe->name != NULL; probe++)
      if (strcmp (probe->name, argv[1]) == 0 && argc - 2 >= probe->n_arguments)
        {
          long result;
          const char *answer = "DONE";

          errno = 0;
          result = probe->attempt (argv + 2);
          if (result < 0)
            answer = errno != 0 && strerrorname_np (errno) != NULL ? strerrorname_np (errno)
                                                                   : "DENIED";
          (void)!write (STDOUT_FILENO, answer, strlen (answer));
          _exit (result < 0 ? 1 : 0);
        }
  return 2;
}
