/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-session.h"

#include <glib/gi18n-lib.h>

#include "core/oc-activity.h"
#include "core/oc-error.h"
#include "core/oc-seal.h"

#define ACTIVITY_DELAY_MS 250

struct _OcSession
{
  GObject parent_instance;

  OcPaths *paths;
  OcRegistry *registry;
  OcLauncher *launcher;
  OcSandboxReport *report;
  GCancellable *cancellable;
  GFileMonitor *monitor;
  guint activity_source;
  gboolean checking;
};

G_DEFINE_FINAL_TYPE (OcSession, oc_session, G_TYPE_OBJECT)

enum
{
  SIGNAL_CHANGED,
  SIGNAL_ACTIVITY_CHANGED,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

static void
oc_session_dispose (GObject *object)
{
  OcSession *self = OC_SESSION (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->activity_source, g_source_remove);
  if (self->monitor != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      g_file_monitor_cancel (self->monitor);
    }
  g_clear_object (&self->monitor);
  if (self->registry != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->registry, self);
      oc_registry_stop (self->registry);
    }
  g_clear_object (&self->registry);
  G_OBJECT_CLASS (oc_session_parent_class)->dispose (object);
}

static void
oc_session_finalize (GObject *object)
{
  OcSession *self = OC_SESSION (object);

  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->report, oc_sandbox_report_unref);
  g_clear_pointer (&self->launcher, oc_launcher_unref);
  g_clear_pointer (&self->paths, oc_paths_unref);
  G_OBJECT_CLASS (oc_session_parent_class)->finalize (object);
}

static void
oc_session_class_init (OcSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = oc_session_dispose;
  object_class->finalize = oc_session_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", OC_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 0);
  signals[SIGNAL_ACTIVITY_CHANGED] = g_signal_new ("activity-changed", OC_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                                   NULL, G_TYPE_NONE, 0);
}

static void
oc_session_init (OcSession *self)
{
  self->cancellable = g_cancellable_new ();
}

static void
consent_changed_cb (OcSession *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

OcSession *
oc_session_new (OcPaths *paths,
                OcLauncher *launcher)
{
  OcSession *self = g_object_new (OC_TYPE_SESSION, NULL);

  self->paths = oc_paths_ref (paths);
  self->launcher = oc_launcher_ref (launcher);
  self->registry = oc_registry_new (paths);
  g_signal_connect_swapped (self->registry, "consent-changed", G_CALLBACK (consent_changed_cb), self);
  g_signal_connect_swapped (self->registry, "notify::error", G_CALLBACK (consent_changed_cb), self);
  return self;
}

static gboolean
activity_timeout_cb (gpointer data)
{
  OcSession *self = data;

  self->activity_source = 0;
  g_signal_emit (self, signals[SIGNAL_ACTIVITY_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static void
base_changed_cb (OcSession *self,
                 GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);

  /* activity.db and its -wal; -shm changes when it is read, by ourselves too. */
  if (self->activity_source != 0 || name == NULL || !g_str_has_prefix (name, "activity.db") || g_str_has_suffix (name, "-shm"))
    return;
  self->activity_source = g_timeout_add (ACTIVITY_DELAY_MS, activity_timeout_cb, self);
}

void
oc_session_start (OcSession *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) base = g_file_new_for_path (oc_paths_get_base (self->paths));

  if (!oc_paths_ensure (self->paths, &error))
    g_debug ("%s", error->message); /* the registry says it where the user sees it */
  self->monitor = g_file_monitor_directory (base, G_FILE_MONITOR_NONE, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (base_changed_cb), self);
  oc_registry_start (self->registry);
  oc_session_check (self);
}

OcPaths *
oc_session_get_paths (OcSession *self)
{
  return self->paths;
}

OcRegistry *
oc_session_get_registry (OcSession *self)
{
  return self->registry;
}

OcLauncher *
oc_session_get_launcher (OcSession *self)
{
  return self->launcher;
}

OcSandboxReport *
oc_session_get_report (OcSession *self)
{
  return self->report;
}

gboolean
oc_session_is_checking (OcSession *self)
{
  return self->checking;
}

static void
check_cb (GObject *source,
          GAsyncResult *result,
          gpointer data)
{
  g_autoptr (OcSession) self = data;

  g_clear_pointer (&self->report, oc_sandbox_report_unref);
  self->report = oc_launcher_check_finish (self->launcher, result);
  self->checking = FALSE;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

void
oc_session_check (OcSession *self)
{
  if (self->checking)
    return;
  self->checking = TRUE;
  oc_launcher_check_async (self->launcher, self->cancellable, check_cb, g_object_ref (self));
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

char *
oc_session_explain_obstacle (OcSession *self,
                             OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcConsent *consent = oc_registry_get_consent (self->registry);
  const char *const *reasons = oc_verdict_get_reasons (verdict);

  if (consent != NULL && oc_consent_get_outcome (consent) == OC_CONSENT_LOCKED)
    return g_strdup (_("The keyring that protects your decisions is locked. Unlock it first."));
  if (!oc_verdict_can_enable (verdict))
    {
      if (oc_verdict_get_state (verdict) == OC_STATE_ENABLED)
        return g_strdup (_("It is enabled already."));
      return g_strdup (reasons[0] != NULL ? reasons[0] : _("It cannot be enabled."));
    }
  if (self->report == NULL)
    return g_strdup (_("The sandbox is still being checked."));
  if (!oc_sandbox_report_holds (self->report))
    return g_strdup (_("The sandbox does not hold on this computer, so no plugin can be enabled."));
  return NULL;
}

static void
enable_thread (GTask *task,
               gpointer source,
               gpointer data,
               GCancellable *cancellable)
{
  OcSession *self = source;
  OcPlugin *shown = data;
  GError *error = NULL;
  g_autoptr (OcActivity) activity = NULL;

  if (!oc_consent_enable (self->paths, shown, "window", cancellable, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  /* The consent is written; a count that cannot be reset only means that the next error may turn it off again. */
  activity = oc_activity_open (self->paths, &error);
  if (activity == NULL || !oc_activity_reset_health (activity, oc_plugin_get_id (shown), &error))
    g_info ("the errors of %s are still counted: %s", oc_plugin_get_id (shown), error->message);
  g_clear_error (&error);
  g_task_return_boolean (task, TRUE);
}

void
oc_session_enable_async (OcSession *self,
                         OcPlugin *shown,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, callback, user_data);

  g_task_set_source_tag (task, oc_session_enable_async);
  g_task_set_task_data (task, oc_plugin_ref (shown), (GDestroyNotify) oc_plugin_unref);
  g_task_run_in_thread (task, enable_thread);
}

static void
disable_thread (GTask *task,
                gpointer source,
                gpointer data,
                GCancellable *cancellable)
{
  OcSession *self = source;
  OcConsentRecord *previous = NULL;
  GError *error = NULL;

  if (!oc_consent_disable (self->paths, data, "window", &previous, cancellable, &error))
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, previous, (GDestroyNotify) oc_consent_record_unref);
}

void
oc_session_disable_async (OcSession *self,
                          const char *id,
                          GAsyncReadyCallback callback,
                          gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);

  g_task_set_source_tag (task, oc_session_disable_async);
  g_task_set_task_data (task, g_strdup (id), g_free);
  g_task_run_in_thread (task, disable_thread);
}

gboolean
oc_session_disable_finish (OcSession *self,
                           GAsyncResult *result,
                           OcConsentRecord **previous,
                           GError **error)
{
  g_autoptr (OcConsentRecord) record = NULL;
  GError *local = NULL;

  record = g_task_propagate_pointer (G_TASK (result), &local);
  if (self->registry != NULL)
    oc_registry_refresh (self->registry);
  if (local != NULL)
    {
      g_propagate_error (error, local);
      return FALSE;
    }
  *previous = g_steal_pointer (&record);
  return TRUE;
}

static void
undo_thread (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  OcSession *self = source;
  GError *error = NULL;

  if (!oc_consent_undo_disable (self->paths, data, cancellable, &error))
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

void
oc_session_undo_async (OcSession *self,
                       OcConsentRecord *previous,
                       GAsyncReadyCallback callback,
                       gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, callback, user_data);

  g_task_set_source_tag (task, oc_session_undo_async);
  g_task_set_task_data (task, oc_consent_record_ref (previous), (GDestroyNotify) oc_consent_record_unref);
  g_task_run_in_thread (task, undo_thread);
}

static void
unlock_thread (GTask *task,
               gpointer source,
               gpointer data,
               GCancellable *cancellable)
{
  GError *error = NULL;

  if (!oc_seal_unlock (cancellable, &error))
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

void
oc_session_unlock_async (OcSession *self,
                         GCancellable *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, oc_session_unlock_async);
  g_task_run_in_thread (task, unlock_thread);
}

gboolean
oc_session_change_finish (OcSession *self,
                          GAsyncResult *result,
                          GError **error)
{
  gboolean done = g_task_propagate_boolean (G_TASK (result), error);

  if (self->registry != NULL)
    oc_registry_refresh (self->registry);
  return done;
}
