/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host-storage.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "launcher/oc-host.h"

typedef enum
{
  JOB_END = 0, /* no more after this */
  JOB_GET,
  JOB_SET,
  JOB_REMOVE,
  JOB_KEYS,
} JobKind;

/* One call on its way to the thread and back. Only one of both has it at a time. */
typedef struct
{
  JobKind kind;
  OcCall *call;     /* owned; the thread does not touch it */
  char *key;        /* owned (nullable) */
  JsonNode *value;  /* borrowed from the call (nullable) */
  char *answer;     /* owned (nullable): JSON */
  GError *error;    /* owned (nullable) */
  GPtrArray *notes; /* owned (element-type utf8) */
} Job;

/* What a reading that goes on may still take once it is to stop. */
#define PATIENCE_MS 30

struct _OcStorage
{
  gatomicrefcount ref_count; /* the owner's and the thread's */
  OcStore *store; /* owned; the thread's as long as there is one */
  OcStoreNotice notice;
  gpointer data;

  GThread *thread;   /* owned (nullable) */
  GAsyncQueue *todo; /* owned (element-type Job) */
  GAsyncQueue *done; /* owned (element-type Job) */
  Job *current;      /* the thread's */
  gint discard;      /* atomic: what is still to do is dropped */
  int event_fd;      /* owned: something is done; -1 */
  guint source;
};

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->call, oc_call_unref);
  g_free (job->key);
  g_free (job->answer);
  g_clear_error (&job->error);
  g_ptr_array_unref (job->notes);
  g_free (job);
}

static Job *
job_new (JobKind kind,
         OcCall *call,
         const char *key)
{
  Job *job = g_new0 (Job, 1);

  job->kind = kind;
  job->call = call ? oc_call_ref (call) : NULL;
  job->key = g_strdup (key);
  job->notes = g_ptr_array_new_with_free_func (g_free);
  return job;
}

static void
storage_unref (OcStorage *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->todo, g_async_queue_unref);
  g_clear_pointer (&self->done, g_async_queue_unref);
  if (self->event_fd >= 0)
    close (self->event_fd);
  oc_store_free (self->store);
  g_free (self);
}

/* In the thread. */

static void
on_store_notice (const char *message,
                 gpointer data)
{
  OcStorage *self = data;

  g_ptr_array_add (self->current->notes, g_strdup (message));
}

static char *
list_to_json (char **keys)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();

  for (guint i = 0; keys[i] != NULL; i++)
    json_array_add_string_element (array, keys[i]);
  json_node_take_array (node, array);
  return oc_json_to_string (node, FALSE);
}

static void
carry_out (OcStorage *self,
           Job *job)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) keys = NULL;
  gboolean removed = FALSE;

  switch (job->kind)
    {
    case JOB_END:
      break;
    case JOB_GET:
      oc_store_get (self->store, job->key, &job->answer, &job->error);
      break;
    case JOB_SET:
      text = oc_json_to_string (job->value, FALSE);
      oc_store_set (self->store, job->key, text, &job->error);
      break;
    case JOB_REMOVE:
      if (oc_store_remove (self->store, job->key, &removed, &job->error))
        job->answer = g_strdup (removed ? "true" : "false");
      break;
    case JOB_KEYS:
      keys = oc_store_list (self->store, &job->error);
      job->answer = keys ? list_to_json (keys) : NULL;
      break;
    }
}

static gpointer
work (gpointer data)
{
  OcStorage *self = data;

  for (;;)
    {
      Job *job = g_async_queue_pop (self->todo);
      JobKind kind = job->kind;

      self->current = job;
      if (!g_atomic_int_get (&self->discard))
        carry_out (self, job);
      g_async_queue_push (self->done, job);
      eventfd_write (self->event_fd, 1);
      if (kind == JOB_END)
        break;
    }
  storage_unref (self);
  return NULL;
}

/* In the main context. */

static void
fail_store (OcCall *call,
            GError *error)
{
  if (g_error_matches (error, OC_ERROR, OC_ERROR_INVALID))
    oc_call_fail (call, OC_RPC_TOO_LARGE, "too-large", error->message);
  else if (g_error_matches (error, OC_ERROR, OC_ERROR_TIMED_OUT))
    oc_call_fail (call, OC_RPC_BUSY, "busy", error->message);
  else
    oc_call_fail (call, OC_RPC_FAILED, "storage", error->message);
}

/* null where there is none, as the value null is no different to a plugin that asks. @job: (transfer full).
 * Returns its kind. */
static JobKind
deliver (OcStorage *self,
         Job *job)
{
  JobKind kind = job->kind;

  for (guint i = 0; i < job->notes->len; i++)
    if (self->notice != NULL)
      self->notice (job->notes->pdata[i], self->data);
  if (job->call != NULL && job->error != NULL)
    fail_store (job->call, job->error);
  else if (job->call != NULL)
    oc_call_return_text (job->call, job->answer ? g_steal_pointer (&job->answer) : g_strdup ("null"));
  job_free (job);
  return kind;
}

static gboolean
on_done (int fd,
         GIOCondition condition,
         gpointer data)
{
  OcStorage *self = data;
  eventfd_t n;
  Job *job;

  eventfd_read (fd, &n);
  while ((job = g_async_queue_try_pop (self->done)) != NULL)
    deliver (self, job);
  return G_SOURCE_CONTINUE;
}

OcStorage *
oc_storage_new (const char *path,
                OcStoreNotice notice,
                gpointer data)
{
  OcStorage *self = g_new0 (OcStorage, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->store = oc_store_new (path, on_store_notice, self);
  self->notice = notice;
  self->data = data;
  self->event_fd = -1;
  return self;
}

/* FALSE and errno. */
static gboolean
start (OcStorage *self)
{
  if (self->thread != NULL)
    return TRUE;
  if (self->event_fd < 0)
    self->event_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->event_fd < 0)
    return FALSE;
  self->todo = g_async_queue_new_full (job_free);
  self->done = g_async_queue_new_full (job_free);
  g_atomic_ref_count_inc (&self->ref_count);
  self->thread = g_thread_try_new ("storage", work, self, NULL);
  if (self->thread == NULL)
    {
      (void) g_atomic_ref_count_dec (&self->ref_count);
      g_clear_pointer (&self->todo, g_async_queue_unref);
      g_clear_pointer (&self->done, g_async_queue_unref);
      errno = EAGAIN;
      return FALSE;
    }
  self->source = g_unix_fd_add (self->event_fd, G_IO_IN, on_done, self);
  return TRUE;
}

/* What goes on fails soon, what is still to do comes back undone. NULL: a full store is being read, which is left to itself:
 * nothing is lost by that. */
static Job *
stop (OcStorage *self)
{
  Job *job;

  g_atomic_int_set (&self->discard, TRUE);
  oc_store_cancel (self->store);
  do
    job = g_async_queue_timeout_pop (self->done, PATIENCE_MS * 1000);
  while (job == NULL && oc_store_is_writing (self->store));
  return job;
}

void
oc_storage_finish (OcStorage *self,
                   guint wait_ms)
{
  gint64 deadline = g_get_monotonic_time () + (gint64) wait_ms * 1000;
  gboolean ended = FALSE;

  if (self->thread == NULL)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  g_async_queue_push (self->todo, job_new (JOB_END, NULL, NULL));
  while (!ended)
    {
      gint64 left = MAX (0, deadline - g_get_monotonic_time ());
      Job *job = left > 0 ? g_async_queue_timeout_pop (self->done, (guint64) left) : NULL;

      if (job == NULL)
        job = stop (self);
      if (job == NULL)
        {
          g_thread_unref (g_steal_pointer (&self->thread));
          return;
        }
      ended = deliver (self, job) == JOB_END;
    }
  g_thread_join (g_steal_pointer (&self->thread));
}

void
oc_storage_free (OcStorage *self)
{
  oc_storage_finish (self, 0);
  storage_unref (self);
}

static void
ask (OcCall *call,
     JobKind kind,
     const char *key,
     JsonNode *value)
{
  OcStorage *self = oc_call_get_host (call)->storage;
  Job *job;

  if (!start (self))
    {
      oc_call_fail_format (call, OC_RPC_FAILED, "storage", _("The stored data cannot be reached: %s."), g_strerror (errno));
      return;
    }
  job = job_new (kind, call, key);
  job->value = value;
  g_async_queue_push (self->todo, job);
}

static gboolean
read_key (OcCall *call,
          const char **key)
{
  return oc_call_read_string (call, "key", OC_STORE_MAX_KEY_BYTES, key);
}

void
oc_host_storage_get (OcCall *call)
{
  const char *key;

  if (read_key (call, &key))
    ask (call, JOB_GET, key, NULL);
}

void
oc_host_storage_set (OcCall *call)
{
  JsonNode *value = json_object_get_member (oc_call_get_params (call), "value");
  const char *key;

  if (!read_key (call, &key))
    return;
  if (value == NULL)
    oc_call_fail_param (call, "value", _("given; to take a key away there is storage.remove"));
  else
    ask (call, JOB_SET, key, value);
}

void
oc_host_storage_remove (OcCall *call)
{
  const char *key;

  if (read_key (call, &key))
    ask (call, JOB_REMOVE, key, NULL);
}

void
oc_host_storage_keys (OcCall *call)
{
  ask (call, JOB_KEYS, NULL, NULL);
}
