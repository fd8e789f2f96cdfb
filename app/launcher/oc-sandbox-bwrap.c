/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second executor: bubblewrap makes the namespaces and mounts, and executes ocelot-stage2 as pid 1 of them,
 * which checks all of it and goes on as the direct executor does (oc-stage-enter.c). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "launcher/oc-bwrap-arguments.h"
#include "launcher/oc-bwrap-spawn.h"
#include "launcher/oc-bwrap.h"
#include "launcher/oc-process-private.h"

#define MAX_SAID 500
/* Of one launch. Places that are replaced without a pause need some. */
#define MAX_TRIES 16
#define PACK_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* Everything that is made for one start. */
typedef struct
{
  OcFd arguments;
  OcFd stage;
  OcFd program;
  OcFd said_read;
  OcFd said_write;
  OcFd contents[OC_BWRAP_MAX_CONTENTS];
  gsize n_contents;
} Parts;

static void
parts_clear (Parts *self)
{
  oc_fd_close (&self->arguments);
  oc_fd_close (&self->stage);
  oc_fd_close (&self->program);
  oc_fd_close (&self->said_read);
  oc_fd_close (&self->said_write);
  for (gsize i = 0; i < self->n_contents; i++)
    oc_fd_close (&self->contents[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

/* @seals: 0: none. -1 and errno. */
static int
make_memory (const char *name, const char *bytes, gsize length, int seals)
{
  g_auto (OcFd) fd = memfd_create (name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int result;

  if (fd < 0 || !oc_fd_write_all (fd, bytes, length) || lseek (fd, 0, SEEK_SET) != 0
      || (seals != 0 && fcntl (fd, F_ADD_SEALS, seals) != 0))
    return -1;
  result = fd;
  fd = -1;
  return result;
}

static gboolean
fail (GError **error, const char *what)
{
  oc_sandbox_set_layer_error (error, OC_LAYER_DESCRIPTORS, what, errno);
  return FALSE;
}

static gboolean
note_namespaces (OcStage *stage, GError **error)
{
  for (gsize i = 0; i < OC_N_NAMESPACES; i++)
    {
      const char *path = oc_stage_get_namespace_path (i);
      struct stat info;

      if (stat (path, &info) != 0)
        {
          oc_sandbox_set_layer_error (error, OC_LAYER_USER_NAMESPACE, path, errno);
          return FALSE;
        }
      stage->outside[i] = info.st_ino;
    }
  return TRUE;
}

/* The stage with the descriptors' numbers in stage 2, which are fixed. */
static gboolean
pack_stage (Parts *parts, const OcStage *stage, GError **error)
{
  OcStage inner = *stage;
  g_autofree char *bytes = NULL;
  gsize size;

  inner.ready_fd = OC_BWRAP_FD_READY;
  inner.status_fd = OC_BWRAP_FD_STATUS;
  inner.life_fd = OC_BWRAP_FD_LIFE;
  for (int i = 0; i < 5; i++)
    inner.fds[i] = stage->fds[i] < 0 ? -1 : OC_BWRAP_FD_COMMAND + i;
  size = oc_stage_pack (&inner, NULL, 0);
  bytes = g_malloc (size);
  if (oc_stage_pack (&inner, bytes, size) != size)
    {
      errno = EOVERFLOW;
      return fail (error, "stage");
    }
  parts->stage = make_memory ("stage", bytes, size, PACK_SEALS);
  return parts->stage >= 0 || fail (error, "memfd_create");
}

static gboolean
make_contents (Parts *parts, const OcStage *stage, GError **error)
{
  for (gsize i = 0; i < stage->n_ops; i++)
    {
      const OcOp *op = &stage->ops[i];
      int fd;

      if (op->kind != OC_OP_CONTENT)
        continue;
      errno = E2BIG;
      fd = parts->n_contents < OC_BWRAP_MAX_CONTENTS
               ? make_memory ("content", op->content, strlen (op->content), 0)
               : -1;
      if (fd < 0)
        return fail (error, op->path);
      parts->contents[parts->n_contents++] = fd;
    }
  return TRUE;
}

static gboolean
make_arguments (Parts *parts, OcStage *stage, GError **error)
{
  g_auto (OcMaskSources) masks = { NULL, NULL };
  g_autoptr (GByteArray) arguments = NULL;
  int numbers[OC_BWRAP_MAX_CONTENTS];

  for (int i = 0; i < OC_BWRAP_MAX_CONTENTS; i++)
    numbers[i] = OC_BWRAP_FD_CONTENT + i;
  if (!oc_mask_sources_ensure (&masks, g_get_user_runtime_dir (), error))
    return FALSE;
  arguments = oc_bwrap_make_arguments (stage, &masks, numbers, error);
  if (arguments == NULL)
    return FALSE;
  parts->arguments = make_memory ("arguments", (const char *)arguments->data, arguments->len, 0);
  return parts->arguments >= 0 || fail (error, "memfd_create");
}

static gboolean
make_parts (Parts *parts, OcStage *stage, GError **error)
{
  int said[2];

  if (!oc_bwrap_check (oc_bwrap_get_path (), error))
    return FALSE;
  parts->program = oc_bwrap_open_stage2 (error);
  if (parts->program < 0 || !note_namespaces (stage, error) || !make_contents (parts, stage, error)
      || !make_arguments (parts, stage, error) || !pack_stage (parts, stage, error))
    return FALSE;
  if (pipe2 (said, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail (error, "pipe");
  parts->said_read = said[0];
  parts->said_write = said[1];
  return TRUE;
}

static pid_t
spawn (const OcStage *stage, Parts *parts, int *pidfd)
{
  OcBwrapSpawn spawn = { .path = oc_bwrap_get_path (),
                         .stage = *stage,
                         .arguments_fd = parts->arguments,
                         .stage_fd = parts->stage,
                         .program_fd = parts->program,
                         .said_fd = parts->said_write };
  sigset_t all, before;
  int saved_errno;
  pid_t pid;

  for (gsize i = 0; i < OC_BWRAP_MAX_CONTENTS; i++)
    spawn.content_fds[i] = i < parts->n_contents ? parts->contents[i] : -1;
  sigfillset (&all);
  if (pthread_sigmask (SIG_SETMASK, &all, &before) != 0)
    return -1;
  /* As in the direct executor. */
  pid = (pid_t)syscall (SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, pidfd, NULL, NULL);
  if (pid == 0)
    oc_bwrap_spawn_main (&spawn);
  saved_errno = errno;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  errno = saved_errno;
  return pid;
}

/* What bubblewrap's words are about; mounts where it is none of these. */
static const struct
{
  const char *word;
  const char *layer;
} words[] = {
  { "namespace", "user-namespace" },     { "uid map", "user-namespace" },
  { "gid map", "user-namespace" },       { "setgroups", "user-namespace" },
  { "hostname", "user-namespace" },      { "loopback", "network" },
  { "NO_NEW_PRIVS", "no-new-privs" },    { "cap", "capabilities" },
  { "stage 2", "launcher" },
};

/* What bubblewrap wrote before it ended. */
static void
set_said (GError **error, int said_fd)
{
  char said[MAX_SAID + 1];
  gssize n = read (said_fd, said, MAX_SAID);
  g_autofree char *shown = NULL;
  const char *layer = "mounts-read-only";

  said[MAX (n, 0)] = '\0';
  g_strchomp (said);
  for (gsize i = G_N_ELEMENTS (words); i > 0; i--)
    if (strstr (said, words[i - 1].word) != NULL)
      layer = words[i - 1].layer;
  shown = oc_text_escape (said[0] != '\0' ? said : "ended and said nothing", 0, NULL);
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "%s: bubblewrap: %s", layer, shown);
}

/* Until stage 2 says something, or bubblewrap has ended without it. */
static void
wait_for_stage2 (OcProcess *self, const OcStart *start)
{
  for (;;)
    {
      struct pollfd fds[2] = { { .fd = start->ready_read, .events = POLLIN },
                               { .fd = self->helper, .events = POLLIN } };
      gint64 left = start->deadline - g_get_monotonic_time ();

      if (left <= 0 || poll (fds, 2, (int)(left / 1000) + 1) >= 0 || errno != EINTR)
        return;
    }
}

static gboolean
has_ended (int pidfd)
{
  struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

  return poll (&poll_fd, 1, 0) == 1;
}

static gboolean
is_silent (int fd)
{
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

  return poll (&poll_fd, 1, 0) == 0;
}

/* Opens the process that is pid 1 inside: the kernel says with its reports which one it is here. That it goes on reporting
 * after it was opened shows that the number had not gone to another one by then. */
static gboolean
meet (OcProcess *self, OcStart *start, int said_fd, GError **error)
{
  int fds[OC_REPORT_MAX_FDS];
  pid_t pid = 0, again = 0;
  OcReport report;
  int n;

  wait_for_stage2 (self, start);
  /* In this order: what was said before the end is there by then. */
  if (has_ended (self->helper) && is_silent (start->ready_read))
    n = 0;
  else
    n = oc_start_read_report (start, &report, fds, &pid);
  if (n == 1 && report.kind != OC_REPORT_STARTED)
    {
      oc_sandbox_set_report_error (error, &report);
      return FALSE;
    }
  if (n == 0)
    {
      set_said (error, said_fd);
      return FALSE;
    }
  if (n == 1 && pid > 0)
    self->pidfd = (int)syscall (SYS_pidfd_open, pid, 0);
  if (n < 1 || self->pidfd < 0 || send (start->ready_read, "", 1, MSG_NOSIGNAL) != 1)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_PROCESSES, "bubblewrap's child", errno);
      return FALSE;
    }
  if (oc_start_read_report (start, &report, fds, &again) == 1 && report.kind == OC_REPORT_STARTED
      && again == pid)
    return TRUE;
  /* Whatever it is, it is not ours to end. */
  oc_fd_close (&self->pidfd);
  oc_sandbox_set_layer_error (error, OC_LAYER_PROCESSES, "bubblewrap's child", ESRCH);
  return FALSE;
}

static OcProcess *
try_start (OcFlat *flat, GError **error)
{
  g_auto (OcStart) start = { -1, -1, -1, -1, 0 };
  g_auto (Parts) parts = { .arguments = -1, .stage = -1, .program = -1, .said_read = -1, .said_write = -1 };
  g_autoptr (OcProcess) self = oc_process_new (&start, &flat->stage, error);
  struct stat ready = { 0 };
  int yes = 1;

  if (self == NULL || !make_parts (&parts, &flat->stage, error))
    return NULL;
  if (fstat (start.ready_write, &ready) != 0
      || setsockopt (start.ready_read, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0
      || spawn (&flat->stage, &parts, &self->helper) < 0)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_PROCESSES, "bubblewrap", errno);
      return NULL;
    }
  oc_start_close_inner (&start);
  oc_fd_close (&parts.said_write);
  if (!meet (self, &start, parts.said_read, error))
    {
      oc_process_kill (self);
      oc_bwrap_end_holders (ready.st_ino);
      return NULL;
    }
  if (!oc_process_wait_until_executed (self, &start, NULL, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* What is at a place; all zero where nothing is. The time tells a folder from one that was made again with its number. */
typedef struct
{
  guint64 device, inode;
  gint64 changed_s, changed_ns;
} Sight;

/* (transfer full) (element-type Sight): of the places that may go. */
static GArray *
look_at_places (const OcStage *stage)
{
  GArray *sights = g_array_new (FALSE, TRUE, sizeof (Sight));

  for (gsize i = 0; i < stage->n_ops; i++)
    {
      g_auto (OcFd) place = stage->ops[i].optional ? oc_stage_open_place (stage->ops[i].path) : -1;
      Sight sight = { 0 };
      struct stat info;

      if (place >= 0 && fstat (place, &info) == 0)
        {
          sight = (Sight){ .device = info.st_dev, .inode = info.st_ino };
          sight.changed_s = info.st_ctim.tv_sec;
          sight.changed_ns = info.st_ctim.tv_nsec;
        }
      g_array_append_val (sights, sight);
    }
  return sights;
}

static gboolean
are_the_same (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (Sight)) == 0;
}

/* bubblewrap mounts by name: where what is to be covered goes, or is replaced, during the launch (other runs' temporary
 * folders do, and what an editor saves), it fails, or stage 2 finds the cover gone. Nothing has run then, and it is tried
 * again; only then, so that what always fails does so at once. */
OcProcess *
oc_sandbox_start_bubblewrap (OcFlat *flat, GError **error)
{
  OcStage fresh = flat->stage;

  for (guint i = 1;; i++)
    {
      g_autoptr (GArray) before = look_at_places (&flat->stage);
      g_autoptr (GArray) after = NULL;
      g_autoptr (GError) failure = NULL;
      OcProcess *process = try_start (flat, &failure);

      if (process != NULL)
        return process;
      after = look_at_places (&flat->stage);
      if (i < MAX_TRIES && g_error_matches (failure, OC_ERROR, OC_ERROR_SANDBOX) && !are_the_same (before, after))
        {
          /* What the try has put into it is gone with the try. */
          flat->stage = fresh;
          continue;
        }
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
}
