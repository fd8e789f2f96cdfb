/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-activity.h"
#include "core/oc-error.h"
#include "core/oc-text.h"
#include "launcher/oc-run-entry.h"
#include "launcher/oc-run-folders.h"
#include "launcher/oc-run-grant.h"
#include "launcher/oc-run-notify.h"
#include "launcher/oc-run-report.h"
#include "launcher/oc-run-signals.h"
#include "launcher/oc-run-worker.h"
#include "launcher/oc-sandbox.h"
#include "launcher/oc-temp.h"

/* What a worker left to be stored when it answered is written within this, or not at all. */
#define STORAGE_WAIT_MS 2000

/* One run, from its checks to its record. */
typedef struct
{
  const OcOptions *options; /* borrowed */
  OcPaths *paths;
  OcReport *report;
  OcConsentWatch *watch;
  OcGrant *grant;
  OcActivity *activity;
  gint64 run; /* 0: not begun */
  OcTemp *temp;
  char *data_folder;
  char *tail;
  gboolean disabled; /* it was this run that disabled the plugin after its errors */
  OcHost host;
} Run;

static void
run_clear (Run *self)
{
  oc_host_clear (&self->host);
  g_clear_pointer (&self->temp, oc_temp_free);
  g_clear_pointer (&self->watch, oc_consent_watch_free);
  g_clear_pointer (&self->grant, oc_grant_free);
  g_clear_pointer (&self->activity, oc_activity_unref);
  g_clear_pointer (&self->report, oc_report_free);
  g_clear_pointer (&self->paths, oc_paths_unref);
  g_clear_pointer (&self->data_folder, g_free);
  g_clear_pointer (&self->tail, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static gboolean
refuse (Run *self,
        OcExit code,
        const char *message,
        const char *remedy)
{
  oc_report_refuse (self->report, code, message, remedy);
  return FALSE;
}

static gboolean
check_grant (Run *self)
{
  const char *id = self->options->id;
  g_autoptr (GError) error = NULL;

  if (!oc_run_signals_catch (&error) || !oc_sandbox_check_uid (self->options->allow_root, &error))
    {
      g_autofree char *remedy = oc_sandbox_dup_remedy (error);

      return refuse (self, OC_EXIT_REFUSED, error->message, remedy);
    }
  if (!oc_plugin_id_check (id, &error))
    return refuse (self, OC_EXIT_USAGE, error->message, _("“ocelotctl list” names the installed plugins."));
  self->watch = oc_consent_watch_new (self->paths, id);
  self->grant = oc_grant_look_up (self->paths, id, NULL);
  if (self->grant->granted == NULL)
    return refuse (self, self->grant->exit, self->grant->message, self->grant->remedy);
  return TRUE;
}

static gboolean
check_kind (Run *self)
{
  OcPluginKind kind = oc_manifest_get_kind (oc_plugin_get_manifest (self->grant->plugin));

  switch (kind)
    {
    case OC_PLUGIN_KIND_PROCESS:
      return TRUE;
    case OC_PLUGIN_KIND_SCRIPT:
      return refuse (self, OC_EXIT_REFUSED, _("Not run: script plugins arrive in a later version."), NULL);
    case OC_PLUGIN_KIND_ADDON:
      return refuse (self, OC_EXIT_REFUSED, _("Not run: addon bundles arrive in a later version."), NULL);
    case OC_PLUGIN_KIND_UNKNOWN:
      break;
    }
  return refuse (self, OC_EXIT_INVALID, _("Not run: this is no kind of plugin that is known."), NULL);
}

static gboolean
check_entry (Run *self)
{
  OcManifest *manifest = oc_plugin_get_manifest (self->grant->plugin);
  g_autoptr (GError) error = NULL;

  self->host.entry = oc_manifest_find_entry (manifest, self->options->entry);
  if (self->host.entry == NULL)
    {
      g_autofree char *shown = oc_text_escape (self->options->entry, 100, NULL);
      g_autofree char *message = g_strdup_printf (_("The plugin has no entry “%s”."), shown);
      g_autofree char *remedy = g_strdup_printf (_("“ocelotctl show %s” names its entries."), self->options->id);

      return refuse (self, OC_EXIT_USAGE, message, remedy);
    }
  if (!oc_run_check_selection (self->host.entry, self->options, &error))
    return refuse (self, OC_EXIT_USAGE, error->message, NULL);
  return TRUE;
}

/* The errors of the current row that came after the enabling, whoever enabled it and whether or not the count was reset
 * then. (transfer full) (nullable) */
static GPtrArray *
list_failures (Run *self,
               GError **error)
{
  GPtrArray *failures = oc_activity_get_failures (self->activity, self->options->id, error);

  while (failures != NULL && failures->len > 0 && ((OcFailure *) failures->pdata[0])->time <= self->grant->enabled_at)
    g_ptr_array_remove_index (failures, 0);
  return failures;
}

/* An earlier run could not take the consent away (the keyring was locked, say): the errors since the enabling still count. */
static gboolean
check_health (Run *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) failures = list_failures (self, &error);

  if (failures == NULL)
    return refuse (self, OC_EXIT_REFUSED, error->message, NULL);
  if (failures->len < OC_HEALTH_MAX_ERRORS)
    return TRUE;
  oc_consent_disable_after_errors (self->paths, self->options->id, failures, &self->disabled, NULL, NULL);
  return refuse (self, OC_EXIT_NO_CONSENT, _("The plugin is disabled after 3 errors in a row."),
                 _("Look at what happened in Ocelot Plugins, or with “ocelotctl log”, and enable it again if you want to."));
}

static gboolean
begin (Run *self)
{
  const OcOptions *options = self->options;
  g_autoptr (GError) error = NULL;

  if (!oc_paths_ensure (self->paths, &error))
    return refuse (self, OC_EXIT_REFUSED, error->message, NULL);
  self->activity = oc_activity_open (self->paths, &error);
  if (self->activity == NULL)
    return refuse (self, OC_EXIT_REFUSED, error->message, _("A run that cannot be recorded is not made."));
  if (!check_health (self))
    return FALSE;
  self->run = oc_activity_begin_run (self->activity, options->id, self->host.entry->id, options->surface,
                                     oc_limits_get_default (OC_ROLE_WORKER)->runs, &error);
  if (self->run == 0 && g_error_matches (error, OC_ERROR, OC_ERROR_BUSY))
    return refuse (self, OC_EXIT_REFUSED, error->message, _("Wait until one of them has ended, or stop one."));
  if (self->run == 0)
    return refuse (self, OC_EXIT_REFUSED, error->message, _("A run that cannot be recorded is not made."));
  return TRUE;
}

static gboolean
make_folders (Run *self)
{
  g_autoptr (GError) error = NULL;

  oc_temp_clear_left_overs (NULL);
  self->data_folder = oc_run_ensure_data (self->paths, self->options->id, &error);
  if (self->data_folder != NULL)
    self->temp = oc_temp_new (NULL, &error);
  if (self->temp == NULL)
    return refuse (self, OC_EXIT_REFUSED, error->message, NULL);
  return TRUE;
}

static void
on_store_notice (const char *message,
                 gpointer data)
{
  Run *self = data;

  oc_report_add_log (self->report, "warning", message);
}

/* (transfer full) (nullable): none */
static char **
list_hosts (OcPermissionSet *granted)
{
  g_autoptr (GStrvBuilder) hosts = g_strv_builder_new ();
  gboolean any = FALSE;

  for (guint i = 0; i < oc_permission_set_get_n (granted); i++)
    {
      OcPermission *permission = oc_permission_set_get (granted, i);

      if (oc_permission_get_kind (permission) != OC_PERMISSION_NET)
        continue;
      g_strv_builder_add (hosts, oc_permission_get_argument (permission));
      any = TRUE;
    }
  return any ? g_strv_builder_end (hosts) : NULL;
}

static void
fill_host (Run *self)
{
  g_autofree char *storage = oc_paths_dup_storage (self->paths, self->options->id);
  gboolean client = oc_permission_set_grants (self->grant->granted, OC_PERMISSION_NETWORK_CLIENT, NULL);

  self->host.paths = self->paths;
  self->host.plugin = self->grant->plugin;
  self->host.selection = (const char *const *) self->options->paths;
  self->host.folder = self->options->folder;
  self->host.data_folder = self->data_folder;
  self->host.temp_folder = oc_temp_get_path (self->temp);
  /* Where the plugin may go anywhere, single hosts add nothing. */
  self->host.hosts = client ? NULL : list_hosts (self->grant->granted);
  if (client)
    self->host.network = OC_NETWORK_CLIENT;
  else
    self->host.network = self->host.hosts != NULL ? OC_NETWORK_HOSTS : OC_NETWORK_NONE;
  self->host.report = self->report;
  self->host.storage = oc_storage_new (storage, on_store_notice, self);
}

/* What a worker asked for before its answer is done; what one that was ended asked for need not be. */
static void
finish_storage (Run *self)
{
  switch (self->report->outcome)
    {
    case OC_OUTCOME_DONE:
    case OC_OUTCOME_REPORTED:
    case OC_OUTCOME_EXCEPTION:
      oc_storage_finish (self->host.storage, STORAGE_WAIT_MS);
      return;
    case OC_OUTCOME_RUNNING:
    case OC_OUTCOME_CRASH:
    case OC_OUTCOME_TIMED_OUT:
    case OC_OUTCOME_PROTOCOL:
    case OC_OUTCOME_STOPPED:
    case OC_OUTCOME_REVOKED:
    case OC_OUTCOME_REFUSED:
      oc_storage_finish (self->host.storage, 0);
      return;
    }
}

static gboolean
work (Run *self)
{
  OcWorkerRun worker = {
    .host = &self->host,
    .grant = self->grant,
    .watch = self->watch,
    .activity = self->activity,
    .run = self->run,
    .timeout_ms = oc_run_get_timeout (self->host.entry, self->options),
  };
  g_autofree char *remedy = NULL;
  g_autoptr (GError) error = NULL;

  fill_host (self);
  if (oc_worker_run (&worker, &self->tail, &error))
    {
      finish_storage (self);
      return TRUE;
    }
  if (g_error_matches (error, OC_ERROR, OC_ERROR_NOT_FOUND))
    return refuse (self, OC_EXIT_REFUSED, error->message, _("The plugin’s program cannot be executed: its author must repair it."));
  remedy = oc_sandbox_dup_remedy (error);
  return refuse (self, OC_EXIT_REFUSED, error->message,
                 remedy != NULL
                   ? remedy
                   : _("“ocelotctl doctor” tells which layer of the sandbox does not work here, and what to do."));
}

/* What could not be written does not change what happened, but it is said. */
static void
warn (Run *self,
      GError *error)
{
  oc_report_add_log (self->report, "warning", error->message);
}

/* With what to do, which the user may only come to see when the plugin is off. (transfer full) (nullable) */
static char *
dup_recorded_message (OcReport *report)
{
  if (!report->ran || report->message == NULL || report->remedy == NULL)
    return g_strdup (report->message);
  return g_strdup_printf ("%s %s", report->message, report->remedy);
}

/* Before the temporary folder is removed, which may take long; and once more after it, since a plugin that fills the disk
 * with it could otherwise keep its errors from being counted. What counts is written before what merely tells. */
static gboolean
write_record (Run *self,
              OcOutcome outcome)
{
  OcReport *report = self->report;
  g_autofree char *message = dup_recorded_message (report);
  g_autoptr (GError) flush_error = NULL;
  g_autoptr (GError) error = NULL;
  gboolean flushed = oc_uses_flush (report->uses, self->activity, self->run, NULL);
  gboolean ended = oc_activity_end_run (self->activity, self->run, outcome, message, self->tail,
                                        &report->errors_in_a_row, NULL);

  if (flushed && ended)
    return TRUE;
  g_clear_pointer (&self->temp, oc_temp_free);
  ended = ended || oc_activity_end_run (self->activity, self->run, outcome, message, self->tail,
                                        &report->errors_in_a_row, &error);
  if (!oc_uses_flush (report->uses, self->activity, self->run, &flush_error))
    warn (self, flush_error);
  if (!ended)
    warn (self, error);
  return ended;
}

static void
record (Run *self)
{
  OcReport *report = self->report;
  OcOutcome outcome = report->ran ? report->outcome : OC_OUTCOME_REFUSED;
  g_autoptr (GPtrArray) failures = NULL;
  g_autoptr (GError) error = NULL;

  if (self->run == 0 || !write_record (self, outcome))
    return;
  if (!oc_outcome_is_error (outcome) || report->errors_in_a_row < OC_HEALTH_MAX_ERRORS)
    return;
  failures = list_failures (self, &error);
  if (failures != NULL && failures->len < OC_HEALTH_MAX_ERRORS)
    return;
  if (failures == NULL
      || !oc_consent_disable_after_errors (self->paths, self->options->id, failures, &report->disabled_after_errors, NULL, &error))
    warn (self, error);
  self->disabled = report->disabled_after_errors;
  if (report->disabled_after_errors)
    oc_activity_add_to_message (self->activity, self->run,
                                _("It was the third error in a row: the plugin was disabled, and only you can enable it again."), NULL);
}

static void
print (Run *self)
{
  g_autofree char *text = oc_report_to_json (self->report);

  if (self->report->exit != OC_EXIT_DONE && self->report->message != NULL)
    {
      g_autofree char *line = oc_text_escape_message (self->report->message, FALSE, 1000);

      fprintf (stderr, "ocelot-launcher: %s\n", line);
    }
  if (fprintf (stdout, "%s\n", text) < 0 || fflush (stdout) != 0)
    fprintf (stderr, "ocelot-launcher: %s\n", _("What came of it could not be written to the standard output."));
}

OcExit
oc_run (const OcOptions *options)
{
  g_auto (Run) self = { .options = options };

  self.paths = oc_paths_new_for_user ();
  self.report = oc_report_new (options->id, options->entry);
  if (check_grant (&self) && check_kind (&self) && check_entry (&self) && begin (&self) && make_folders (&self))
    work (&self);
  record (&self);
  g_clear_pointer (&self.temp, oc_temp_free);
  print (&self);
  /* Last of all: it is recorded, and whoever waits for the answer has it. */
  if (self.disabled)
    oc_run_notify_disabled (self.grant->plugin);
  return self.report->exit;
}
