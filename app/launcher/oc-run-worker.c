/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "launcher/oc-broker.h"
#include "launcher/oc-memory.h"
#include "launcher/oc-net-broker.h"
#include "launcher/oc-quota.h"
#include "launcher/oc-run-recheck.h"
#include "launcher/oc-run-signals.h"
#include "launcher/oc-sandbox.h"

/* A killed namespace is gone within milliseconds; a disk that hangs may hold a process longer. */
#define END_WAIT_MS 5000
/* How long a worker that closed its conversation may take to end, so that its exit code can be told. */
#define CLOSE_WAIT_MS 500
#define TAIL_BYTES 4096
#define FLUSH_S 1

typedef struct
{
  const OcWorkerRun *run; /* borrowed */
  OcReport *report;       /* borrowed */
  GMainLoop *loop;
  OcNotify *notify;
  OcProcess *process;
  OcBroker *broker;
  OcMemoryWatch *memory;
  OcNetBroker *net; /* (nullable) */
  OcQuota *quota;
  OcRecheck *recheck;
  OcOutput *out;
  OcOutput *err;
  guint end_source;
  guint timeout_source;
  guint flush_source;
  guint stop_source;
  gboolean settled;
  gboolean process_ended;
  OcExit revoked_exit;
} Worker;

/* The first reason to end is the one that counts. */
static void
settle (Worker *self,
        OcOutcome outcome,
        const char *message)
{
  if (self->settled)
    return;
  self->settled = TRUE;
  oc_report_end (self->report, outcome, message);
  g_main_loop_quit (self->loop);
}

static gboolean
on_stop (int fd,
         GIOCondition condition,
         gpointer data)
{
  Worker *self = data;

  self->stop_source = 0;
  settle (self, OC_OUTCOME_STOPPED, _("It was stopped."));
  return G_SOURCE_REMOVE;
}

static gboolean
on_timed_out (gpointer data)
{
  Worker *self = data;
  g_autofree char *message = NULL;

  self->timeout_source = 0;
  message = g_strdup_printf (_("It did not answer within %g s."), self->run->timeout_ms / 1000.0);
  settle (self, OC_OUTCOME_TIMED_OUT, message);
  return G_SOURCE_REMOVE;
}

static void
on_memory_exceeded (gpointer data)
{
  Worker *self = data;
  g_autofree char *size = oc_text_format_size (oc_memory_limit_here (oc_limits_get_default (OC_ROLE_WORKER)->memory));
  g_autofree char *deleted = g_format_size_full (oc_limits_get_default (OC_ROLE_WORKER)->data_size, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *message = NULL;

  if (oc_memory_watch_had_too_many (self->memory))
    message = g_strdup_printf (_("It started more than %" G_GUINT64_FORMAT " processes, and was ended."),
                               oc_limits_get_default (OC_ROLE_WORKER)->processes);
  else if (oc_memory_watch_had_too_much_deleted (self->memory))
    message = g_strdup_printf (_("It stored more than %s in files that it had removed and kept open, and was ended."), deleted);
  else
    message = g_strdup_printf (_("It used more than %s of memory, and was ended."), size);
  settle (self, OC_OUTCOME_CRASH, message);
}

static void
on_quota_exceeded (OcQuotaBreach breach,
                   gpointer data)
{
  Worker *self = data;
  g_autofree char *message = oc_quota_dup_message (breach, oc_limits_get_default (OC_ROLE_WORKER));

  oc_process_kill (self->process);
  if (!self->settled)
    {
      g_free (self->report->remedy);
      self->report->remedy = oc_quota_dup_remedy (breach, self->run->host->data_folder);
    }
  settle (self, OC_OUTCOME_CRASH, message);
}

static void
add_use (const char *permission,
         const char *method,
         const char *detail,
         const char *program,
         gboolean allowed,
         guint count,
         gpointer data)
{
  OcReport *report = data;

  oc_uses_add_many (report->uses, permission, method, detail, program, allowed, count);
}

static gboolean
on_flush (gpointer data)
{
  Worker *self = data;

  oc_notify_drain (self->notify, add_use, self->report);
  /* What could not be written now is tried again, and once more at the end, where it is said. */
  oc_uses_flush (self->report->uses, self->run->activity, self->run->run, NULL);
  return G_SOURCE_CONTINUE;
}

static void
end_revoked (Worker *self,
             OcExit code,
             const char *message)
{
  oc_process_kill (self->process);
  self->revoked_exit = code;
  settle (self, OC_OUTCOME_REVOKED, message);
}

static void
on_consent_looked_up (const OcGrant *now,
                      gpointer data)
{
  Worker *self = data;

  if (now == NULL)
    end_revoked (self, OC_EXIT_CONSENT_UNUSABLE, _("Whether it may go on could not be looked up in time, so it was ended."));
  else if (now->granted == NULL)
    end_revoked (self, now->exit, now->message);
  else if (!oc_permission_set_equal (now->granted, self->run->grant->granted) ||
           g_strcmp0 (oc_plugin_get_real_folder (now->plugin), oc_plugin_get_real_folder (self->run->host->plugin)) != 0)
    end_revoked (self, OC_EXIT_NEEDS_REVIEW, _("What it may do was changed while it ran."));
  else if (!oc_recheck_is_asking (self->recheck))
    oc_broker_resume (self->broker);
}

static void
on_consent_changed (gpointer data)
{
  Worker *self = data;

  oc_recheck_ask (self->recheck);
}

/* No call is carried out on a consent that may be gone: while that is looked up, calls wait. */
static gboolean
may_call (gpointer data)
{
  Worker *self = data;

  if (oc_consent_watch_take_change (self->run->watch))
    oc_recheck_ask (self->recheck);
  return !oc_recheck_is_asking (self->recheck);
}

static char *
describe_end (OcProcess *process)
{
  int exit_code = -1;
  int signal = 0;

  if (!oc_process_wait (process, &exit_code, &signal))
    return g_strdup (_("It was killed before it answered."));
  if (exit_code == 127)
    return g_strdup (_("It ended with exit code 127 before it answered: a program that its first line (#!) or the plugin itself "
                       "names was not found."));
  if (exit_code >= 0)
    return g_strdup_printf (_("It ended with exit code %d before it answered."), exit_code);
  return g_strdup_printf (_("It was ended by signal %d (%s) before it answered."), signal, g_strsignal (signal));
}

static gboolean
on_process_ended (int fd,
                  GIOCondition condition,
                  gpointer data)
{
  Worker *self = data;
  g_autofree char *message = NULL;

  self->end_source = 0;
  self->process_ended = TRUE;
  /* It may have answered with its last breath. */
  oc_broker_finish (self->broker);
  if (!self->settled)
    {
      message = describe_end (self->process);
      settle (self, OC_OUTCOME_CRASH, message);
    }
  return G_SOURCE_REMOVE;
}

static gboolean
wait_for_end (Worker *self,
              int ms)
{
  struct pollfd fd = { .fd = oc_process_get_pidfd (self->process), .events = POLLIN };
  int n;

  do
    n = poll (&fd, 1, ms);
  while (n < 0 && errno == EINTR);
  return n > 0;
}

static void
on_conversation_ended (OcBroker *broker,
                       OcOutcome outcome,
                       const char *message,
                       gpointer data)
{
  Worker *self = data;
  g_autofree char *description = NULL;

  /* Closing the pipe is most often the first thing seen of an exit: then the exit is what there is to tell. */
  if (outcome == OC_OUTCOME_CRASH && wait_for_end (self, CLOSE_WAIT_MS))
    {
      description = describe_end (self->process);
      message = description;
    }
  else if (outcome == OC_OUTCOME_CRASH)
    outcome = OC_OUTCOME_PROTOCOL;
  settle (self, outcome, message);
}

/* Pipes: 1 and 2 are its output, 3 what it reads from us, 4 what we read from it. */
typedef struct
{
  int ours[5];
  int its[5];
} Pipes;

static void
close_all (int fds[5])
{
  for (int i = 0; i < 5; i++)
    {
      if (fds[i] >= 0)
        close (fds[i]);
      fds[i] = -1;
    }
}

static gboolean
make_pipes (Pipes *pipes,
            GError **error)
{
  for (int i = 0; i < 5; i++)
    pipes->ours[i] = pipes->its[i] = -1;
  for (int i = 1; i < 5; i++)
    {
      int ends[2];

      if (pipe2 (ends, O_CLOEXEC) != 0)
        {
          g_set_error (error, OC_ERROR, OC_ERROR_IO, _("No pipe could be made: %s."), g_strerror (errno));
          return FALSE;
        }
      pipes->its[i] = ends[i == 3 ? 0 : 1];
      pipes->ours[i] = ends[i == 3 ? 1 : 0];
    }
  return TRUE;
}

/* @net: (out) (nullable): what it has instead of a network. */
static OcProcess *
start_process (const OcHost *host,
               const int fds[5],
               OcNetBroker **net,
               GError **error)
{
  const char *folder = oc_plugin_get_real_folder (host->plugin);
  g_autofree char *program = g_build_filename (folder, oc_manifest_get_main (oc_plugin_get_manifest (host->plugin)), NULL);
  const char *argv[] = { program, NULL };
  OcPlanInput input = {
    .paths = host->paths,
    .id = oc_plugin_get_id (host->plugin),
    .folder = folder,
    .data_folder = host->data_folder,
    .temp_folder = host->temp_folder,
    .network = host->network,
    .hosts = (const char *const *) host->hosts,
    .role = OC_ROLE_WORKER,
  };
  OcProcess *process;
  g_autoptr (OcPlan) plan = oc_plan_new (&input, error);
  g_auto (GStrv) env = plan ? oc_plan_dup_environment (plan) : NULL;
  OcCommand command = { .program = program, .argv = argv, .env = (const char *const *) env, .notify = host->notify };

  if (plan == NULL || !oc_memory_check (error))
    return NULL;
  memcpy (command.fds, fds, sizeof command.fds);
  process = oc_sandbox_start (plan, &command, error);
  if (process != NULL)
    *net = oc_net_broker_new (plan, process, host->report->uses, NULL);
  return process;
}

static void
watch_worker (Worker *self,
              Pipes *pipes,
              gint64 started)
{
  g_autoptr (GError) error = NULL;
  gint64 spent_ms = (g_get_monotonic_time () - started) / 1000;

  self->out = oc_output_new (pipes->ours[1], OC_OUTPUT_MAX_BYTES);
  self->err = oc_output_new (pipes->ours[2], OC_OUTPUT_MAX_BYTES);
  self->broker = oc_broker_new (self->run->host, self->run->grant->granted, pipes->ours[3], pipes->ours[4], on_conversation_ended, self);
  self->end_source = g_unix_fd_add (oc_process_get_pidfd (self->process), G_IO_IN, on_process_ended, self);
  self->timeout_source = g_timeout_add ((guint) MAX (1, (gint64) self->run->timeout_ms - spent_ms), on_timed_out, self);
  self->flush_source = g_timeout_add_seconds (FLUSH_S, on_flush, self);
  self->stop_source = g_unix_fd_add (oc_run_signals_get_fd (), G_IO_IN, on_stop, self);
  self->memory = oc_memory_watch_new (self->process, oc_memory_limit_here (oc_limits_get_default (OC_ROLE_WORKER)->memory),
                                      on_memory_exceeded, self, &error);
  /* Others than uid 0 are never let start so many: the kernel counts pid 1 with them. */
  if (self->memory != NULL)
    {
      oc_memory_watch_set_max_tasks (self->memory, oc_limits_get_default (OC_ROLE_WORKER)->processes + 1);
      oc_memory_watch_set_max_deleted (self->memory, oc_limits_get_default (OC_ROLE_WORKER)->data_size);
    }
  if (self->memory != NULL)
    self->quota = oc_quota_new (self->run->host->data_folder, self->run->host->temp_folder, oc_limits_get_default (OC_ROLE_WORKER),
                                on_quota_exceeded, self, &error);
  /* It has been started, so this is not "nothing ran"; nor is it an error of the plugin's. */
  if (self->quota == NULL)
    settle (self, OC_OUTCOME_STOPPED, error->message);
}

/* It was held by the watch all the same. */
static void
warn_of_group (Worker *self)
{
  const char *failure = self->memory != NULL ? oc_memory_watch_get_failure (self->memory) : NULL;
  g_autofree char *message = NULL;

  if (failure == NULL)
    return;
  message = g_strdup_printf (_("Its memory was watched by the launcher and not held by the kernel: %s."), failure);
  oc_report_add_log (self->report, "warning", message);
}

static void
end_worker (Worker *self)
{
  /* An answered worker is ended as well: what it does not do before its answer it does not do. */
  oc_process_kill (self->process);
  g_clear_pointer (&self->net, oc_net_broker_free);
  if (!wait_for_end (self, END_WAIT_MS))
    oc_report_add_log (self->report, "warning", _("The worker was killed but has not ended yet."));
  warn_of_group (self);
  oc_output_drain (self->out);
  oc_output_drain (self->err);
  oc_report_take_output (self->report, self->out, self->err);
  self->report->result_text = oc_broker_steal_result (self->broker);
  if (self->report->outcome == OC_OUTCOME_REVOKED)
    self->report->exit = self->revoked_exit;
}

static char *
dup_tail (Worker *self)
{
  g_autofree char *tail = oc_output_dup_tail (self->err, TAIL_BYTES);

  if (*tail != '\0')
    return g_steal_pointer (&tail);
  return oc_output_dup_tail (self->out, TAIL_BYTES);
}

static void
clear_worker (Worker *self)
{
  g_clear_handle_id (&self->end_source, g_source_remove);
  g_clear_handle_id (&self->timeout_source, g_source_remove);
  g_clear_handle_id (&self->flush_source, g_source_remove);
  g_clear_handle_id (&self->stop_source, g_source_remove);
  g_clear_pointer (&self->memory, oc_memory_watch_free);
  g_clear_pointer (&self->net, oc_net_broker_free);
  g_clear_pointer (&self->quota, oc_quota_free);
  g_clear_pointer (&self->recheck, oc_recheck_free);
  g_clear_pointer (&self->broker, oc_broker_free);
  g_clear_pointer (&self->out, oc_output_free);
  g_clear_pointer (&self->err, oc_output_free);
  g_clear_pointer (&self->process, oc_process_free);
  /* Its last calls, and those of its tools, which the broker's end has ended. */
  oc_notify_drain (self->notify, add_use, self->report);
  g_clear_pointer (&self->notify, oc_notify_free);
  self->run->host->notify = NULL;
  g_clear_pointer (&self->loop, g_main_loop_unref);
}

gboolean
oc_worker_run (const OcWorkerRun *run,
               char **tail,
               GError **error)
{
  gint64 started = g_get_monotonic_time ();
  Worker self = { .run = run, .report = run->host->report };
  Pipes pipes;

  self.loop = g_main_loop_new (NULL, FALSE);
  self.notify = run->host->notify = oc_notify_new ();
  if (!make_pipes (&pipes, error))
    {
      close_all (pipes.ours);
      close_all (pipes.its);
      clear_worker (&self);
      return FALSE;
    }
  self.process = start_process (run->host, pipes.its, &self.net, error);
  close_all (pipes.its);
  if (self.process == NULL)
    {
      close_all (pipes.ours);
      clear_worker (&self);
      return FALSE;
    }
  watch_worker (&self, &pipes, started);
  self.recheck = oc_recheck_new (run->host->paths, oc_plugin_get_id (run->host->plugin), on_consent_looked_up, &self);
  oc_consent_watch_start (run->watch, on_consent_changed, &self);
  oc_broker_set_gate (self.broker, may_call, &self);
  oc_broker_start (self.broker);
  if (!self.settled)
    g_main_loop_run (self.loop);
  end_worker (&self);
  *tail = dup_tail (&self);
  self.report->duration_us = g_get_monotonic_time () - started;
  clear_worker (&self);
  return TRUE;
}
