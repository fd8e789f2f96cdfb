/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the launcher and bubblewrap. Plain C: see oc-sandbox-private.h. */
#include "launcher/oc-bwrap-spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* The numbers are OC_BWRAP_FD_ARGUMENTS, OC_BWRAP_FD_PROGRAM and OC_BWRAP_FD_STAGE. Nothing of the user's is in here: it
 * can be read by everybody, inside and outside. */
static const char *const arguments[] = { "bwrap", "--args", "16", "--", "/proc/self/fd/18", "17", NULL };
static const char *const environment[] = { NULL };

static void
settle_standard (const OcBwrapSpawn *spawn, int said_fd)
{
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);

  if (null < 0 || dup2 (null, STDIN_FILENO) < 0 || dup2 (null, STDOUT_FILENO) < 0
      || dup2 (said_fd, STDERR_FILENO) < 0)
    oc_stage_fail (&spawn->stage, OC_LAYER_DESCRIPTORS, "/dev/null");
  if (null > STDERR_FILENO)
    close (null);
  close (said_fd);
}

/* Best effort, as the direct executor's: where memory runs out, what runs here is ended and nothing of the user's. */
static void
offer_to_oom_killer (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

  if (fd >= 0)
    {
      (void)!write (fd, "1000", 4);
      close (fd);
    }
}

_Noreturn void
oc_bwrap_spawn_main (OcBwrapSpawn *spawn)
{
  OcStage *stage = &spawn->stage;
  int *kept[] = { &spawn->arguments_fd,
                  &spawn->stage_fd,
                  &spawn->program_fd,
                  &stage->ready_fd,
                  &stage->status_fd,
                  &stage->life_fd,
                  &stage->fds[0],
                  &stage->fds[1],
                  &stage->fds[2],
                  &stage->fds[3],
                  &stage->fds[4],
                  &spawn->content_fds[0],
                  &spawn->content_fds[1],
                  &spawn->content_fds[2],
                  &spawn->content_fds[3],
                  &spawn->content_fds[4],
                  &spawn->content_fds[5],
                  &spawn->content_fds[6],
                  &spawn->content_fds[7],
                  &spawn->said_fd };

  oc_stage_move_descriptors (stage, kept, sizeof kept / sizeof *kept, OC_BWRAP_FD_ARGUMENTS, 0);
  settle_standard (spawn, spawn->said_fd);
  oc_stage_reset_signals (stage);
  offer_to_oom_killer ();
  /* A working folder in a guarded place (CVE-2024-21626), or one that is not there inside. */
  if (chdir ("/") != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/");
  execve (spawn->path, (char *const *)arguments, (char *const *)environment);
  oc_stage_fail (stage, OC_LAYER_USER_NAMESPACE, spawn->path);
}
