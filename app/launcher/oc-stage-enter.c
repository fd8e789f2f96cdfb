/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stage 2 under bubblewrap: executed as pid 1 of namespaces that bubblewrap made, with everything mounted. It trusts none of
 * it: it looks for itself, and then goes on as the direct executor does. Plain C: see oc-sandbox-private.h. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/oc-sandbox-devices.h"
#include "launcher/oc-sandbox-private.h"

#define EXIT_REFUSED 126
/* Some hundred guarded places and the selection. */
#define MAX_STAGE_BYTES (64 * 1024 * 1024)

static const char unreadable[] = "stage 2: what it is to do cannot be read\n";

static bool
read_stage (int fd, OcStage *stage)
{
  struct stat info;
  char *bytes;

  if (fcntl (fd, F_GET_SEALS) != (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
      || fstat (fd, &info) != 0 || info.st_size <= 0 || info.st_size > MAX_STAGE_BYTES)
    return false;
  bytes = mmap (NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  return bytes != MAP_FAILED && oc_stage_unpack (stage, bytes, (size_t)info.st_size);
}

static void
say_started (const OcStage *stage)
{
  OcReport report = { .kind = OC_REPORT_STARTED };

  if (send (stage->ready_fd, &report, sizeof report, MSG_NOSIGNAL) != (ssize_t)sizeof report)
    _exit (EXIT_REFUSED);
}

/* The kernel tells the launcher the number of the process that sends. It opens the process by it and answers; the second
 * report shows that this is still the same one. */
static void
introduce (const OcStage *stage)
{
  char answer;
  ssize_t n;

  say_started (stage);
  do
    n = recv (stage->ready_fd, &answer, 1, 0);
  while (n < 0 && errno == EINTR);
  if (n != 1) /* the launcher is gone */
    _exit (EXIT_REFUSED);
  say_started (stage);
}

/* Through a second mount of the same /proc, which nothing but this descriptor leads to: the one at its place is read-only. */
static void
limit_user (const OcStage *stage)
{
  int context = fsopen ("proc", FSOPEN_CLOEXEC);
  int proc;

  if (context < 0 || fsconfig (context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0
      || (proc = fsmount (context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)) < 0)
    oc_stage_fail (stage, OC_LAYER_LIMITS, "/proc/sys/user");
  oc_stage_limit_user (stage, proc);
  close (proc);
  close (context);
}

/* What bubblewrap cannot do, where the system lets stage 2 use the capabilities that bubblewrap left it: then both
 * executors leave the same behind. */
static void
harden (OcStage *stage)
{
  struct mount_attr private = { .propagation = MS_PRIVATE };
  struct mount_attr read_only = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC };
  const unsigned long proc_flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;

  if (mount_setattr (AT_FDCWD, "/", AT_RECURSIVE, &private, sizeof private) != 0)
    stage->powerless = errno == EPERM || errno == EACCES;
  if (!stage->powerless)
    limit_user (stage);
  (void)mount ("proc", "/proc", "proc", MS_REMOUNT | proc_flags, "hidepid=4");
  for (size_t i = 0; i < OC_N_DEVICES; i++)
    /* Uid 0 owns the devices and could chmod() them. */
    if (mount_setattr (AT_FDCWD, oc_devices[i].path, 0, &read_only, sizeof read_only) != 0
        && stage->uid == 0)
      oc_stage_fail (stage, OC_LAYER_MOUNTS, oc_devices[i].path);
  stage->mounts_fd = open ("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (stage->mounts_fd < 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, "/proc/self/mountinfo");
}

/* Where the host's later mounts would appear here, the reaper watches for them. */
static void
settle_mounts (OcStage *stage)
{
  if (oc_stage_mounts_follow_host (stage, stage->mounts_fd))
    return;
  close (stage->mounts_fd);
  stage->mounts_fd = -1;
}

_Noreturn void
oc_stage_enter (int fd)
{
  OcStage stage;

  /* What this process holds stays out of reach of what it starts. */
  if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || !read_stage (fd, &stage))
    {
      /* There is no ready socket to say it on: what bubblewrap says. */
      (void)!write (STDERR_FILENO, unreadable, strlen (unreadable));
      _exit (EXIT_REFUSED);
    }
  oc_stage_keep_descriptors (&stage);
  oc_stage_reset_signals (&stage);
  introduce (&stage);
  oc_stage_verify_namespaces (&stage);
  harden (&stage);
  oc_stage_verify (&stage);
  settle_mounts (&stage);
  oc_stage_network (&stage);
  oc_stage_finish (&stage);
}
