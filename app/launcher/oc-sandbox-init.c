/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stage 1: pid 1 of the new namespaces. It sets everything up, forks the command and stays as its
 * reaper. When it ends, for whatever reason, the kernel ends everything in the namespace. Plain C:
 * see oc-sandbox-private.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/oc-sandbox-private.h"

#define EXIT_REFUSED 126
/* Above every descriptor that has a fixed place. */
#define FIRST_FREE_FD 16
#define COMMAND_FDS 5

static void
report (int fd, OcReportKind kind, OcLayerKind layer, int error, const char *what)
{
  OcReport message = { .kind = kind, .layer = layer, .error = error };
  size_t length = what != NULL ? strlen (what) : 0;

  /* The end of a path tells more than its beginning. */
  if (length >= sizeof message.what)
    {
      what += length - (sizeof message.what - 1);
      length = sizeof message.what - 1;
    }
  if (length > 0)
    memcpy (message.what, what, length);
  (void)!write (fd, &message, sizeof message);
}

_Noreturn void
oc_stage_fail (const OcStage *stage, OcLayerKind layer, const char *what)
{
  report (stage->ready_fd, OC_REPORT_FAILED, layer, errno, what);
  _exit (EXIT_REFUSED);
}

void
oc_stage_send (
    const OcStage *stage, OcReportKind kind, OcLayerKind layer, const int *fds, size_t n_fds)
{
  OcReport message = { .kind = kind, .layer = layer };
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (OC_REPORT_MAX_FDS * sizeof (int))];
  } control = { 0 };
  struct iovec part = { .iov_base = &message, .iov_len = sizeof message };
  struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control };

  if (n_fds == 0 || n_fds > OC_REPORT_MAX_FDS)
    {
      errno = EINVAL;
      oc_stage_fail (stage, layer, "descriptors");
    }
  packet.msg_controllen = CMSG_SPACE (n_fds * sizeof (int));
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN (n_fds * sizeof (int));
  memcpy (CMSG_DATA (&control.header), fds, n_fds * sizeof (int));
  if (sendmsg (stage->ready_fd, &packet, MSG_NOSIGNAL) != (ssize_t)sizeof message)
    oc_stage_fail (stage, layer, "descriptors");
}

/* The launcher's handlers are GLib's: they must not run here. Ignored signals would stay ignored
 * across exec. */
void
oc_stage_reset_signals (const OcStage *stage)
{
  struct sigaction action = { .sa_handler = SIG_DFL };
  sigset_t mask;

  for (int i = 1; i < NSIG; i++)
    (void)sigaction (i, &action, NULL); /* fails for SIGKILL, SIGSTOP and the C library's own */
  sigemptyset (&mask);
  sigaddset (&mask, SIGCHLD); /* read from a signalfd */
  if (sigprocmask (SIG_SETMASK, &mask, NULL) != 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "signals");
}

/* Whether the launcher is still there. */
static bool
is_alive (int life_fd)
{
  struct pollfd poll_fd = { .fd = life_fd, .events = POLLIN };

  return poll (&poll_fd, 1, 0) == 0;
}

static void
write_file (const OcStage *stage, const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  size_t length = strlen (text);

  if (fd < 0 || write (fd, text, length) != (ssize_t)length)
    oc_stage_fail (stage, OC_LAYER_USER_NAMESPACE, path);
  close (fd);
}

/* "1000 1000 1": snprintf() is not async-signal-safe. */
static void
write_map (const OcStage *stage, const char *path, unsigned int id)
{
  char digits[16], line[48];
  size_t at = sizeof digits, n = 0;

  do
    digits[--at] = (char)('0' + id % 10);
  while ((id /= 10) > 0);
  for (int i = 0; i < 2; i++)
    {
      memcpy (line + n, digits + at, sizeof digits - at);
      n += sizeof digits - at;
      line[n++] = ' ';
    }
  line[n++] = '1';
  line[n] = '\0';
  write_file (stage, path, line);
}

static void
enter_user_namespace (const OcStage *stage)
{
  /* What the launcher's memory holds stays out of reach, but its own /proc files must be writable
   * for a moment. */
  if (prctl (PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_USER_NAMESPACE, "prctl");
  /* Where memory runs out, what runs here is ended and nothing of the user's. It cannot be lowered again: /proc is read-only
   * inside. */
  write_file (stage, "/proc/self/oom_score_adj", "1000");
  write_file (stage, "/proc/self/setgroups", "deny");
  write_map (stage, "/proc/self/uid_map", stage->uid);
  write_map (stage, "/proc/self/gid_map", stage->gid);
  if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_USER_NAMESPACE, "prctl");
}

void
oc_stage_move_descriptors (const OcStage *stage, int *const *kept, size_t n, int first, int flags)
{
  int highest = first + (int)n;

  /* Two rounds: the first takes them out of the way of the places the second gives them. */
  for (size_t i = 0; i < n; i++)
    if (*kept[i] > highest)
      highest = *kept[i];
  for (size_t i = 0; i < n; i++)
    {
      int fd = *kept[i] < 0 ? -1 : fcntl (*kept[i], F_DUPFD_CLOEXEC, highest + 1);

      if (*kept[i] >= 0 && fd < 0)
        oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "duplicate");
      *kept[i] = fd;
    }
  if (close_range (0, (unsigned int)highest, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "close_range");
  for (size_t i = 0; i < n; i++)
    {
      if (*kept[i] < 0)
        continue;
      if (dup3 (*kept[i], first + (int)i, flags) < 0)
        oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "duplicate");
      *kept[i] = first + (int)i;
    }
  if (close_range ((unsigned int)first + (unsigned int)n, ~0U, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "close_range");
}

void
oc_stage_keep_descriptors (OcStage *stage)
{
  int *kept[] = { &stage->ready_fd, &stage->status_fd, &stage->life_fd, &stage->fds[0],
                  &stage->fds[1],   &stage->fds[2],    &stage->fds[3],  &stage->fds[4],
                  &stage->ruleset_fd, &stage->rules_fd };

  if (!stage->filled_outside)
    stage->ruleset_fd = stage->rules_fd = -1;
  oc_stage_move_descriptors (stage, kept, sizeof kept / sizeof *kept, FIRST_FREE_FD, O_CLOEXEC);
}

/* A caller's /dev/null is replaced too: it names the host's node, whose owner (uid 0) could change
 * its mode. */
static void
open_null (OcStage *stage)
{
  for (int i = 0; i < 3; i++)
    if (stage->fds[i] < 0)
      {
        int fd = open ("/dev/null", O_RDWR | O_CLOEXEC | O_NOFOLLOW);

        /* Not left at 0: dup2() of a descriptor to itself would keep it close-on-exec. */
        stage->fds[i] = fcntl (fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        if (stage->fds[i] < 0)
          oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "/dev/null");
        close (fd);
      }
}

static _Noreturn void
run_command (const OcStage *stage)
{
  sigset_t none;
  int error;

  sigemptyset (&none);
  if (sigprocmask (SIG_SETMASK, &none, NULL) != 0 || setsid () < 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "session");
  for (int i = 0; i < COMMAND_FDS; i++)
    if (stage->fds[i] >= 0 && dup2 (stage->fds[i], i) < 0)
      oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "duplicate");
  /* Whatever is left closes with the exec, so that the ready pipe tells when that was. */
  if (close_range (COMMAND_FDS, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    oc_stage_fail (stage, OC_LAYER_DESCRIPTORS, "close_range");
  report (stage->ready_fd, OC_REPORT_SEALED, OC_LAYER_NONE, 0, NULL);
  execve (stage->program, (char *const *)stage->argv, (char *const *)stage->env);
  error = errno;
  report (stage->ready_fd, OC_REPORT_NOT_EXECUTED, OC_LAYER_EXECUTE, error, stage->program);
  _exit (EXIT_REFUSED);
}

static _Noreturn void
tell_end (const OcStage *stage, int status)
{
  OcReport message = { .kind = OC_REPORT_ENDED };

  message.exit_code = WIFEXITED (status) ? WEXITSTATUS (status) : -1;
  message.signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  (void)!write (stage->status_fd, &message, sizeof message);
  _exit (0);
}

static _Noreturn void
reap (const OcStage *stage, pid_t command, int signal_fd)
{
  for (;;)
    {
      struct pollfd fds[3] = { { .fd = signal_fd, .events = POLLIN },
                               { .fd = stage->life_fd, .events = POLLIN },
                               { .fd = stage->mounts_fd, .events = POLLPRI } };
      const char *what;
      struct signalfd_siginfo info;
      int status;
      pid_t pid;

      if (poll (fds, 3, -1) < 0 && errno != EINTR)
        _exit (EXIT_REFUSED);
      /* Something mounted on the host has appeared here. Landlock does not know its modes and owners. */
      if (fds[2].revents != 0 && !oc_stage_mounts_hold (stage, stage->mounts_fd, &what))
        _exit (EXIT_REFUSED);
      if (fds[1].revents != 0) /* the launcher is gone */
        _exit (EXIT_REFUSED);
      if (fds[0].revents != 0)
        (void)!read (signal_fd, &info, sizeof info);
      while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
        if (pid == command)
          tell_end (stage, status);
    }
}

/* The reaper keeps the pipes it needs and nothing the command could reach. */
static _Noreturn void
be_reaper (OcStage *stage, pid_t command, int signal_fd)
{
  for (int i = 0; i < COMMAND_FDS; i++)
    if (stage->fds[i] >= 0)
      close (stage->fds[i]);
  close (stage->ready_fd);
  /* The death signal follows the thread that called clone(), which may end before the launcher
   * does. From here on the life-line tells. */
  (void)prctl (PR_SET_PDEATHSIG, 0, 0, 0, 0);
  reap (stage, command, signal_fd);
}

/* The end of the launcher may have come before the death signal was asked for: then nobody is
 * told. */
static void
follow_launcher (const OcStage *stage)
{
  if (prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "prctl");
  if (!is_alive (stage->life_fd))
    _exit (EXIT_REFUSED);
}

_Noreturn void
oc_stage_main (OcStage *stage)
{
  oc_stage_keep_descriptors (stage);
  follow_launcher (stage);
  oc_stage_reset_signals (stage);
  enter_user_namespace (stage);
  if (sethostname ("plugin", strlen ("plugin")) != 0)
    oc_stage_fail (stage, OC_LAYER_USER_NAMESPACE, "hostname");
  oc_stage_network (stage);
  oc_stage_mount (stage);
  oc_stage_finish (stage);
}

_Noreturn void
oc_stage_finish (OcStage *stage)
{
  sigset_t child;
  pid_t command;
  int signal_fd;

  open_null (stage);
  if (setsid () < 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "session");
  /* Also leaves the launcher's working folder, which may lie in a guarded place (CVE-2024-21626).
   */
  if (chdir (stage->working_folder) != 0)
    oc_stage_fail (stage, OC_LAYER_MOUNTS, stage->working_folder);
  umask (077);
  oc_stage_seal (stage);
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  signal_fd = signalfd (-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd < 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "signalfd");
  /* Not fork(): its handlers belong to libraries that are not to run here. */
  command = (pid_t)syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (command < 0)
    oc_stage_fail (stage, OC_LAYER_PROCESSES, "clone");
  if (command == 0)
    run_command (stage);
  be_reaper (stage, command, signal_fd);
}
