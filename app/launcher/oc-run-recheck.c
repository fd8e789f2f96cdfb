/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-recheck.h"

struct _OcRecheck
{
  OcPaths *paths; /* owned */
  char *id;       /* owned */
  OcRecheckFunc func;
  gpointer data;

  GCancellable *cancellable; /* owned: cancelled with this */
  guint deadline_source;
  gboolean busy;
  gboolean again;
};

/* What the thread has of it: nothing that goes away. */
typedef struct
{
  OcPaths *paths;
  char *id;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;

  oc_paths_unref (question->paths);
  g_free (question->id);
  g_free (question);
}

static void
look_up (GTask *task,
         gpointer source,
         gpointer data,
         GCancellable *cancellable)
{
  Question *question = data;

  g_task_return_pointer (task, oc_grant_look_up (question->paths, question->id, NULL), (GDestroyNotify) oc_grant_free);
}

static gboolean
on_deadline (gpointer data)
{
  OcRecheck *self = data;

  self->deadline_source = 0;
  self->func (NULL, self->data);
  return G_SOURCE_REMOVE;
}

static void
on_looked_up (GObject *source,
              GAsyncResult *result,
              gpointer data)
{
  g_autoptr (OcGrant) now = g_task_propagate_pointer (G_TASK (result), NULL);
  OcRecheck *self = data;

  /* Cancelled: @self is gone. @func does not free it. */
  if (now == NULL)
    return;
  self->busy = FALSE;
  g_clear_handle_id (&self->deadline_source, g_source_remove);
  self->func (now, self->data);
  /* What was read may be from before the last change. */
  if (self->again)
    {
      self->again = FALSE;
      oc_recheck_ask (self);
    }
}

OcRecheck *
oc_recheck_new (OcPaths *paths,
                const char *id,
                OcRecheckFunc func,
                gpointer data)
{
  OcRecheck *self = g_new0 (OcRecheck, 1);

  self->paths = oc_paths_ref (paths);
  self->id = g_strdup (id);
  self->func = func;
  self->data = data;
  self->cancellable = g_cancellable_new ();
  return self;
}

void
oc_recheck_ask (OcRecheck *self)
{
  g_autoptr (GTask) task = NULL;
  Question *question;

  if (self->deadline_source == 0)
    self->deadline_source = g_timeout_add (OC_RECHECK_WAIT_MS, on_deadline, self);
  if (self->busy)
    {
      self->again = TRUE;
      return;
    }
  self->busy = TRUE;
  question = g_new0 (Question, 1);
  question->paths = oc_paths_ref (self->paths);
  question->id = g_strdup (self->id);
  task = g_task_new (NULL, self->cancellable, on_looked_up, self);
  g_task_set_source_tag (task, oc_recheck_ask);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, look_up);
}

gboolean
oc_recheck_is_asking (OcRecheck *self)
{
  return self->busy || self->again;
}

void
oc_recheck_free (OcRecheck *self)
{
  g_clear_handle_id (&self->deadline_source, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  oc_paths_unref (self->paths);
  g_free (self->id);
  g_free (self);
}
