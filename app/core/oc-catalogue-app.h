/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-tools.h"

G_BEGIN_DECLS

/* What an application may do with a folder that it is given, as far as its desktop entry tells. The worst is zero. */
typedef enum
{
  OC_APP_RUNS_FOLDER = 0, /* a shell, an interpreter or the like that gets the folder as what it is to run */
  OC_APP_TERMINAL,        /* opens a shell in it */
  OC_APP_PLAIN,
} OcAppReach;

/* @id: a checked desktop id. Of one that is not installed the name alone is judged. @name: (out) (transfer full) (nullable): the
 * name of the application that is installed here; raw. */
OcAppReach oc_app_get_reach (const char *id,
                             OcTools *tools,
                             char **name);
/* The same for a desktop entry's command line, for tests. */
OcAppReach oc_app_get_reach_of_command (const char *command,
                                        OcTools *tools);

G_END_DECLS
