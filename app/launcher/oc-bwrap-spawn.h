/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-sandbox-private.h"

/* The descriptors that bubblewrap, and through it stage 2, is given besides 0, 1 and 2. */
enum
{
  OC_BWRAP_FD_ARGUMENTS = 16,
  OC_BWRAP_FD_STAGE,
  OC_BWRAP_FD_PROGRAM,
  OC_BWRAP_FD_READY,
  OC_BWRAP_FD_STATUS,
  OC_BWRAP_FD_LIFE,
  OC_BWRAP_FD_COMMAND, /* five */
  OC_BWRAP_FD_CONTENT = OC_BWRAP_FD_COMMAND + 5,
};
#define OC_BWRAP_MAX_CONTENTS 8

typedef struct
{
  const char *path;
  OcStage stage; /* its descriptors */
  int arguments_fd;
  int stage_fd;
  int program_fd;
  int said_fd; /* bubblewrap's stderr */
  int content_fds[OC_BWRAP_MAX_CONTENTS];
} OcBwrapSpawn;

/* In a new process: becomes bubblewrap. Plain C: see oc-sandbox-private.h. */
_Noreturn void oc_bwrap_spawn_main (OcBwrapSpawn *spawn);
