/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-broker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json-write.h"
#include "launcher/oc-call.h"
#include "launcher/oc-rpc.h"

/* How long messages are dealt with in one turn of the loop (one that takes longer is the last): the time-out, a signal and the
 * user's taking the consent away come in between. */
#define TURN_US (20 * 1000)

/* What a pipe holds, and what one may be made to hold without privileges (pipe-max-size). */
#define PIPE_BYTES (64 * 1024)
#define WIDE_PIPE_BYTES (1024 * 1024)

/* The id of our one request. */
#define RUN_ID "1"

struct _OcBroker
{
  OcHost *host;             /* borrowed */
  OcPermissionSet *granted; /* owned */

  OcRpcReader *reader; /* owned */
  int from_worker;     /* owned; -1 after its end */
  guint read_source;
  guint more_source; /* messages have arrived that are still to be taken */

  int to_worker;     /* owned; -1 after the worker closed its end */
  GQueue queue;      /* owned (element-type GBytes): framed messages not yet written */
  gsize queue_bytes;
  gsize head_offset; /* bytes of the first one already written */
  guint write_source;
  guint stall_source;
  gboolean widened;  /* the pipe, or that was tried */
  gboolean progress; /* something was written since the stall began to be timed */

  GHashTable *calls; /* owned: id → OcCall, not yet answered */
  guint n_notifications;
  gboolean taking; /* in take_messages(): an answer from within must not begin another round */
  gboolean ended;
  gboolean worker_is_dead;
  char *result_text; /* owned */

  OcBrokerEndFunc end;
  gpointer end_data;
  OcBrokerGate gate; /* (nullable) */
  gpointer gate_data;
  OcRpcMessage *waiting; /* owned (nullable): the call that the gate holds back */
};

static gboolean on_readable (int fd,
                             GIOCondition condition,
                             gpointer data);
static void take_messages (OcBroker *self);

static void
end (OcBroker *self,
     OcOutcome outcome,
     const char *message)
{
  if (self->ended)
    return;
  self->ended = TRUE;
  g_clear_handle_id (&self->read_source, g_source_remove);
  g_clear_handle_id (&self->more_source, g_source_remove);
  g_clear_handle_id (&self->stall_source, g_source_remove);
  self->end (self, outcome, message, self->end_data);
}

/* Writing: never waits for the worker. */

static void
forget_queue (OcBroker *self)
{
  g_queue_clear_full (&self->queue, (GDestroyNotify) g_bytes_unref);
  self->queue_bytes = 0;
  self->head_offset = 0;
}

static void
close_to_worker (OcBroker *self)
{
  g_clear_handle_id (&self->write_source, g_source_remove);
  if (self->to_worker >= 0)
    close (self->to_worker);
  self->to_worker = -1;
  forget_queue (self);
}

static gboolean
on_stalled (gpointer data)
{
  OcBroker *self = data;

  if (self->progress)
    {
      self->progress = FALSE;
      return G_SOURCE_CONTINUE;
    }
  self->stall_source = 0;
  end (self, OC_OUTCOME_PROTOCOL, _("It asked for more than 8 MiB of answers and did not read them."));
  return G_SOURCE_REMOVE;
}

static guint
count_held (OcBroker *self)
{
  GHashTableIter iter;
  gpointer call;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->calls);
  while (g_hash_table_iter_next (&iter, NULL, &call))
    {
      const OcMethod *method = oc_call_get_method (call);

      n += method != NULL && method->held;
    }
  return n;
}

/* Messages are taken as long as the worker takes its answers, and no longer. */
static gboolean
may_take (OcBroker *self)
{
  gsize limit = self->read_source ? OC_BROKER_PAUSE_BYTES : OC_BROKER_RESUME_BYTES;

  if (self->ended || self->worker_is_dead)
    return !self->ended;
  if (self->waiting != NULL)
    return FALSE;
  return self->queue_bytes <= limit && (g_hash_table_size (self->calls) < OC_BROKER_MAX_HELD || count_held (self) < OC_BROKER_MAX_HELD);
}

/* GLib takes a source that may not recurse out of its poll set while it is dispatched, and wakes itself for that twice: three
 * system calls for each message. Nothing here runs a loop within the loop. */
static guint
watch_fd (OcBroker *self,
          int fd,
          GIOCondition condition,
          GUnixFDSourceFunc func)
{
  g_autoptr (GSource) source = g_unix_fd_source_new (fd, condition);

  g_source_set_callback (source, G_SOURCE_FUNC (func), self, NULL);
  g_source_set_can_recurse (source, TRUE);
  return g_source_attach (source, NULL);
}

static void
update_reading (OcBroker *self)
{
  gboolean reads = may_take (self) && self->from_worker >= 0 && self->more_source == 0;
  gboolean stalls = !self->ended && self->queue_bytes > OC_BROKER_RESUME_BYTES;

  if (reads && self->read_source == 0)
    self->read_source = watch_fd (self, self->from_worker, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable);
  else if (!reads)
    g_clear_handle_id (&self->read_source, g_source_remove);

  if (!stalls)
    g_clear_handle_id (&self->stall_source, g_source_remove);
  else if (self->stall_source == 0)
    {
      self->progress = FALSE;
      self->stall_source = g_timeout_add_seconds (OC_BROKER_STALL_S, on_stalled, self);
    }
}

/* FALSE: the pipe is full, or there is nothing left to write. */
static gboolean
write_some (OcBroker *self)
{
  GBytes *head = g_queue_peek_head (&self->queue);
  const char *data;
  gsize len;
  ssize_t n;

  if (head == NULL)
    return FALSE;
  data = g_bytes_get_data (head, &len);
  n = write (self->to_worker, data + self->head_offset, len - self->head_offset);
  if (n < 0 && errno == EINTR)
    return TRUE;
  if (n < 0)
    {
      /* It no longer listens. Its answer may still come. */
      if (errno != EAGAIN)
        close_to_worker (self);
      return FALSE;
    }
  self->progress = TRUE;
  self->head_offset += (gsize) n;
  self->queue_bytes -= (gsize) n;
  if (self->head_offset == len)
    {
      g_bytes_unref (g_queue_pop_head (&self->queue));
      self->head_offset = 0;
    }
  return TRUE;
}

static gboolean
on_writable (int fd,
             GIOCondition condition,
             gpointer data)
{
  OcBroker *self = data;

  while (write_some (self))
    ;
  take_messages (self);
  if (self->to_worker >= 0 && !g_queue_is_empty (&self->queue))
    return G_SOURCE_CONTINUE;
  self->write_source = 0;
  return G_SOURCE_REMOVE;
}

/* A large answer through a pipe of the usual 64 KiB is a change of processes for each of these. Where the user has too much in pipes
 * already (pipe-user-pages-soft) it stays as it is. */
static void
widen_pipe (OcBroker *self)
{
  if (!self->widened && self->queue_bytes > PIPE_BYTES)
    {
      self->widened = TRUE;
      (void) fcntl (self->to_worker, F_SETPIPE_SZ, WIDE_PIPE_BYTES);
    }
}

static void
send_frame (OcBroker *self,
            GBytes *frame)
{
  g_autoptr (GBytes) bytes = frame;

  if (self->to_worker < 0)
    return;
  self->queue_bytes += g_bytes_get_size (bytes);
  g_queue_push_tail (&self->queue, g_steal_pointer (&bytes));
  widen_pipe (self);
  if (self->write_source != 0)
    return;
  while (write_some (self))
    ;
  if (self->to_worker >= 0 && !g_queue_is_empty (&self->queue))
    self->write_source = watch_fd (self, self->to_worker, G_IO_OUT | G_IO_ERR, on_writable);
}

/* Reading. */

static void
take_answer (OcBroker *self,
             OcRpcMessage *message)
{
  if (g_strcmp0 (message->id, RUN_ID) != 0)
    {
      end (self, OC_OUTCOME_PROTOCOL, _("It answered a request that was never made."));
      return;
    }
  if (message->fault != NULL)
    {
      g_autofree char *said = g_strdup_printf (_("Its result cannot be taken: %s."), message->fault->message);

      end (self, OC_OUTCOME_EXCEPTION, said);
      return;
    }
  if (message->error == NULL)
    {
      self->result_text = oc_rpc_message_dup_result_text (message);
      end (self, OC_OUTCOME_DONE, NULL);
      return;
    }
  end (self, oc_rpc_message_is_exception (message) ? OC_OUTCOME_EXCEPTION : OC_OUTCOME_REPORTED,
       json_object_get_string_member (message->error, "message"));
}

static void
take_request (OcBroker *self,
              OcRpcMessage *message)
{
  g_autoptr (OcRpcMessage) owned = message;
  g_autoptr (OcCall) call = NULL;
  gboolean notification = message->kind == OC_RPC_NOTIFICATION;

  if (self->worker_is_dead)
    return;
  if (self->gate != NULL && !self->gate (self->gate_data))
    {
      self->waiting = g_steal_pointer (&owned);
      return;
    }
  if (notification && ++self->n_notifications > OC_BROKER_MAX_NOTIFICATIONS)
    {
      end (self, OC_OUTCOME_PROTOCOL, _("It sent more than 100,000 messages that ask for no answer."));
      return;
    }
  if (!notification && g_hash_table_contains (self->calls, message->id))
    {
      end (self, OC_OUTCOME_PROTOCOL, _("It used the id of a call that is not yet answered for another one."));
      return;
    }
  if (g_hash_table_size (self->calls) + g_queue_get_length (&self->queue) >= OC_BROKER_MAX_IN_FLIGHT)
    {
      end (self, OC_OUTCOME_PROTOCOL, _("It made more than 64 calls without waiting for their answers."));
      return;
    }
  call = oc_call_new (self, g_steal_pointer (&owned), oc_method_find (message->method));
  if (!notification)
    g_hash_table_insert (self->calls, g_strdup (oc_call_get_id (call)), oc_call_ref (call));
  oc_call_dispatch (call, self->granted);
}

/* FALSE: nothing more to take now. */
static gboolean
take_message (OcBroker *self)
{
  g_autoptr (GBytes) body = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (OcRpcMessage) message = NULL;

  if (self->ended || !oc_rpc_reader_next (self->reader, &body, &error))
    {
      if (error != NULL)
        end (self, OC_OUTCOME_PROTOCOL, error->message);
      return FALSE;
    }
  if (body == NULL)
    return FALSE;
  message = oc_rpc_message_parse (body, &error);
  if (message == NULL)
    end (self, OC_OUTCOME_PROTOCOL, error->message);
  else if (message->kind == OC_RPC_RESPONSE)
    take_answer (self, message);
  else
    take_request (self, g_steal_pointer (&message));
  return !self->ended;
}

static gboolean
on_more (gpointer data)
{
  OcBroker *self = data;

  self->more_source = 0;
  take_messages (self);
  return G_SOURCE_REMOVE;
}

/* All that have arrived, as far as they may be taken now and in this turn; then listens for more, or does not. */
static void
take_messages (OcBroker *self)
{
  gint64 end_of_turn;
  gboolean more = TRUE;

  if (self->taking)
    return;
  self->taking = TRUE;
  end_of_turn = g_get_monotonic_time () + TURN_US;
  while (more && may_take (self))
    {
      more = take_message (self);
      /* A dead worker's are not carried out, and there is no next turn. */
      if (more && !self->worker_is_dead && g_get_monotonic_time () > end_of_turn)
        break;
    }
  self->taking = FALSE;
  if (more && !self->ended && !self->worker_is_dead && may_take (self) && self->more_source == 0)
    self->more_source = g_idle_add_full (G_PRIORITY_DEFAULT, on_more, self, NULL);
  update_reading (self);
}

void
oc_broker_set_gate (OcBroker *self,
                    OcBrokerGate gate,
                    gpointer data)
{
  self->gate = gate;
  self->gate_data = data;
}

void
oc_broker_resume (OcBroker *self)
{
  OcRpcMessage *message = g_steal_pointer (&self->waiting);

  if (message == NULL)
    return;
  if (self->ended)
    oc_rpc_message_free (message);
  else
    take_request (self, message);
  take_messages (self);
}

static void
close_from_worker (OcBroker *self)
{
  g_clear_handle_id (&self->read_source, g_source_remove);
  if (self->from_worker >= 0)
    close (self->from_worker);
  self->from_worker = -1;
}

/* One read and the messages in it. FALSE: the end, or nothing there now. */
static gboolean
read_some (OcBroker *self,
           gboolean *at_end)
{
  char chunk[65536];
  ssize_t n = read (self->from_worker, chunk, sizeof chunk);

  *at_end = FALSE;
  if (n < 0 && errno == EINTR)
    return TRUE;
  if (n < 0 && errno == EAGAIN)
    return FALSE;
  if (n <= 0)
    {
      *at_end = TRUE;
      return FALSE;
    }
  oc_rpc_reader_feed (self->reader, chunk, (gsize) n);
  take_messages (self);
  return TRUE;
}

static gboolean
on_readable (int fd,
             GIOCondition condition,
             gpointer data)
{
  OcBroker *self = data;
  gboolean at_end;

  read_some (self, &at_end);
  if (at_end && !self->ended)
    {
      close_from_worker (self);
      end (self, OC_OUTCOME_CRASH, _("It closed its side of the conversation without an answer."));
    }
  /* Where reading was paused its source is gone already. */
  return self->read_source != 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void
oc_broker_finish (OcBroker *self)
{
  gboolean at_end = FALSE;

  self->worker_is_dead = TRUE;
  if (self->from_worker < 0)
    return;
  /* What was held back comes first. */
  take_messages (self);
  while (!self->ended && read_some (self, &at_end))
    ;
}

/* Calls. */

void
oc_broker_answer (OcBroker *self,
                  OcCall *call,
                  GBytes *frame)
{
  const char *id = oc_call_get_id (call);

  if (frame != NULL)
    send_frame (self, frame);
  /* An operation may be answering from within its own call back: its memory lives until the reference is dropped. */
  if (id != NULL)
    g_hash_table_remove (self->calls, id);
  take_messages (self);
}

guint
oc_broker_count_calls (OcBroker *self,
                       const OcMethod *method)
{
  GHashTableIter iter;
  gpointer call;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->calls);
  while (g_hash_table_iter_next (&iter, NULL, &call))
    if (oc_call_get_method (call) == method)
      n++;
  return n;
}

OcHost *
oc_broker_get_host (OcBroker *self)
{
  return self->host;
}

void
oc_broker_set_granted (OcBroker *self,
                       OcPermissionSet *granted)
{
  OcPermissionSet *old = self->granted;

  self->granted = oc_permission_set_ref (granted);
  oc_permission_set_unref (old);
}

char *
oc_broker_steal_result (OcBroker *self)
{
  return g_steal_pointer (&self->result_text);
}

/* Life. */

static void
drop_call (gpointer data)
{
  OcCall *call = data;

  oc_call_drop (call);
  oc_call_unref (call);
}

OcBroker *
oc_broker_new (OcHost *host,
               OcPermissionSet *granted,
               int to_worker,
               int from_worker,
               OcBrokerEndFunc end_func,
               gpointer data)
{
  OcBroker *self = g_new0 (OcBroker, 1);

  self->host = host;
  self->granted = oc_permission_set_ref (granted);
  self->reader = oc_rpc_reader_new ();
  self->to_worker = to_worker;
  self->from_worker = from_worker;
  g_unix_set_fd_nonblocking (to_worker, TRUE, NULL);
  g_unix_set_fd_nonblocking (from_worker, TRUE, NULL);
  g_queue_init (&self->queue);
  self->calls = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, drop_call);
  self->end = end_func;
  self->end_data = data;
  return self;
}

void
oc_broker_start (OcBroker *self)
{
  gboolean with_selection = oc_permission_set_grants (self->granted, OC_PERMISSION_SELECTION_READ, NULL);
  g_autoptr (GString) params = g_string_new ("{\"entry\":");

  oc_json_append_string (params, self->host->entry->id);
  g_string_append (params, ",\"context\":");
  oc_host_append_context (params, self->host, with_selection);
  g_string_append_c (params, '}');
  if (with_selection && self->host->selection[0] != NULL)
    oc_uses_add (self->host->report->uses, "selection.read", "run", NULL, NULL, TRUE);
  send_frame (self, oc_rpc_make_request (RUN_ID, "run", params->str));
  update_reading (self);
}

void
oc_broker_free (OcBroker *self)
{
  self->ended = TRUE;
  g_hash_table_unref (self->calls);
  g_clear_handle_id (&self->more_source, g_source_remove);
  g_clear_handle_id (&self->stall_source, g_source_remove);
  close_from_worker (self);
  close_to_worker (self);
  g_clear_pointer (&self->waiting, oc_rpc_message_free);
  oc_rpc_reader_free (self->reader);
  oc_permission_set_unref (self->granted);
  g_free (self->result_text);
  g_free (self);
}
