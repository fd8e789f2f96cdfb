/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/oc-activity.h"
#include "core/oc-consent-private.h"
#include "core/oc-error.h"
#include "core/oc-policy.h"
#include "core/oc-text.h"

/* Every change: lock, read, verify, change one record, seal, write. */

/* What a change works on. */
typedef struct
{
  OcFd lock;
  OcConsentFile *file;
  OcConsentRecord *record; /* (nullable) the one of the plugin in question */
} Change;

static void
change_end (Change *change)
{
  g_clear_pointer (&change->record, oc_consent_record_unref);
  g_clear_pointer (&change->file, oc_consent_file_free);
  oc_fd_close (&change->lock);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Change, change_end)

#define CHANGE_INIT                                                                                          \
  {                                                                                                          \
    .lock = -1                                                                                               \
  }

static gboolean
change_begin (Change *change,
              OcPaths *paths,
              const char *id,
              GCancellable *cancellable,
              GError **error)
{
  change->lock = oc_consent_file_lock (paths, cancellable, error);
  if (change->lock < 0)
    return FALSE;
  change->file = oc_consent_file_read (paths, cancellable);
  if (!oc_consent_file_check (change->file, error))
    return FALSE;
  change->record = oc_consent_file_get_record (change->file, id);
  return TRUE;
}

/* A record of a later version says something that we do not understand; overwriting it could lose a refusal. */
static gboolean
check_known (Change *change,
             const char *id,
             GError **error)
{
  if (change->record == NULL || oc_consent_record_get_state (change->record) != OC_RECORD_UNKNOWN)
    return TRUE;
  g_set_error (error, OC_ERROR, OC_ERROR_UNSUPPORTED,
               _ ("The consent record of “%s” was written by a later version of Ocelot Plugins. It grants nothing here and is "
                  "left as it is; use that version to change it."),
               id);
  return FALSE;
}

static gboolean
set_stale (GError **error,
           const char *id)
{
  g_set_error (error, OC_ERROR, OC_ERROR_STALE,
               _ ("“%s” changed while it was being reviewed. Nothing was enabled; review it again as it is now."), id);
  return FALSE;
}

static gboolean
check_enableable (OcPlugin *plugin,
                  GError **error)
{
  GPtrArray *problems = oc_plugin_get_problems (plugin);

  if (oc_plugin_get_shadowed_by (plugin) != NULL)
    {
      g_autofree char *folder = oc_text_escape (oc_plugin_get_shadowed_by (plugin), 0, NULL);

      g_set_error (error, OC_ERROR, OC_ERROR_INVALID,
                   _ ("“%s” cannot be enabled, because “%s” takes its place. Remove one of the two."),
                   oc_plugin_get_id (plugin), folder);
      return FALSE;
    }
  if (problems->len > 0)
    {
      const OcProblem *problem = problems->pdata[0];

      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, "%s: %s %s", problem->place, problem->message,
                   problem->remedy != NULL ? problem->remedy : "");
      return FALSE;
    }
  if (oc_plugin_get_real_folder (plugin) == NULL)
    return set_stale (error, oc_plugin_get_id (plugin));
  return TRUE;
}

/* Looks at the plugin again, as it is on the disk now. NULL: the error says why it cannot be enabled. */
static OcPlugin *
reload_shown (OcPaths *paths,
              OcPlugin *shown,
              GError **error)
{
  const char *id = oc_plugin_get_id (shown);
  g_autoptr (GError) local_error = NULL;
  g_autoptr (OcPlugin) now = oc_plugins_find (paths, id, &local_error);
  g_autoptr (OcPolicy) policy = NULL;
  g_autofree char *block = NULL;

  if (now == NULL && g_error_matches (local_error, OC_ERROR, OC_ERROR_NOT_FOUND))
    {
      set_stale (error, id);
      return NULL;
    }
  if (now == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  if (strcmp (oc_plugin_get_folder (now), oc_plugin_get_folder (shown)) != 0
      || g_strcmp0 (oc_plugin_get_born (now), oc_plugin_get_born (shown)) != 0
      /* The bytes do not say which of the two formats they are read as; the file's name does. */
      || strcmp (oc_manifest_get_file_name (oc_plugin_get_manifest (now)),
                 oc_manifest_get_file_name (oc_plugin_get_manifest (shown)))
             != 0
      || g_strcmp0 (oc_plugin_get_real_folder (now), oc_plugin_get_real_folder (shown)) != 0
      || strcmp (oc_manifest_get_digest (oc_plugin_get_manifest (now)),
                 oc_manifest_get_digest (oc_plugin_get_manifest (shown)))
             != 0
      || !oc_permission_set_equal (oc_manifest_get_permissions (oc_plugin_get_manifest (now)),
                                   oc_manifest_get_permissions (oc_plugin_get_manifest (shown))))
    {
      set_stale (error, id);
      return NULL;
    }
  if (!check_enableable (now, error))
    return NULL;
  policy = oc_policy_load (paths);
  block = oc_policy_explain_block (policy, id, oc_manifest_get_permissions (oc_plugin_get_manifest (now)));
  if (block != NULL)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_DENIED, block);
      return NULL;
    }
  return g_steal_pointer (&now);
}

/* Best effort: where it fails the old count stays, which only makes the plugin stop sooner. */
static void
reset_health (OcPaths *paths,
              const char *id)
{
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_test (oc_paths_get_activity (paths), G_FILE_TEST_EXISTS))
    return;
  activity = oc_activity_open (paths, &error);
  if (activity == NULL || !oc_activity_reset_health (activity, id, &error))
    g_debug ("The error count of “%s” could not be reset: %s", id, error->message);
}

gboolean
oc_consent_enable (OcPaths *paths,
                   OcPlugin *shown,
                   const char *surface,
                   GCancellable *cancellable,
                   GError **error)
{
  g_auto (Change) change = CHANGE_INIT;
  g_autoptr (OcPlugin) now = NULL;
  g_autofree char *record = NULL;
  OcManifest *manifest;
  OcRecordFields fields;
  const char *id;

  g_return_val_if_fail (paths != NULL && shown != NULL && surface != NULL, FALSE);
  id = oc_plugin_get_id (shown);
  if (!check_enableable (shown, error) || !change_begin (&change, paths, id, cancellable, error)
      || !check_known (&change, id, error))
    return FALSE;
  now = reload_shown (paths, shown, error);
  if (now == NULL)
    return FALSE;
  manifest = oc_plugin_get_manifest (now);
  fields = (OcRecordFields){
    .state = OC_RECORD_ENABLED,
    .folder = oc_plugin_get_real_folder (now),
    .link = oc_plugin_is_symlink (now) ? oc_plugin_get_folder (now) : NULL,
    .born = oc_plugin_get_born (now),
    .kind = oc_plugin_kind_to_id (oc_manifest_get_kind (manifest)),
    .permissions = oc_manifest_get_permissions (manifest),
    .digest = oc_manifest_get_digest (manifest),
    .version = oc_manifest_get_version (manifest),
    .time = g_get_real_time (),
    .surface = surface,
  };
  record = oc_consent_record_format (&fields, change.record);
  if (!oc_consent_file_write (change.file, paths, id, record, cancellable, error))
    return FALSE;
  reset_health (paths, id);
  return TRUE;
}

gboolean
oc_consent_disable (OcPaths *paths,
                    const char *id,
                    const char *surface,
                    OcConsentRecord **previous,
                    GCancellable *cancellable,
                    GError **error)
{
  g_auto (Change) change = CHANGE_INIT;
  g_autofree char *record = NULL;
  OcRecordFields fields;

  g_return_val_if_fail (paths != NULL && id != NULL && surface != NULL, FALSE);
  if (!change_begin (&change, paths, id, cancellable, error))
    return FALSE;
  if (change.record != NULL && oc_consent_record_get_state (change.record) == OC_RECORD_ENABLED)
    {
      fields = oc_consent_record_get_fields (change.record);
      fields.state = OC_RECORD_DISABLED;
      fields.time = g_get_real_time ();
      fields.surface = surface;
      record = oc_consent_record_format (&fields, change.record);
      if (!oc_consent_file_write (change.file, paths, id, record, cancellable, error))
        return FALSE;
    }
  if (previous != NULL)
    *previous = record != NULL ? oc_consent_record_with_successor (change.record, record) : NULL;
  return TRUE;
}

gboolean
oc_consent_undo_disable (OcPaths *paths,
                         OcConsentRecord *previous,
                         GCancellable *cancellable,
                         GError **error)
{
  g_auto (Change) change = CHANGE_INIT;
  g_autoptr (OcPlugin) found = NULL;
  g_autoptr (OcPlugin) now = NULL;
  const char *id;

  g_return_val_if_fail (paths != NULL && previous != NULL, FALSE);
  id = oc_consent_record_get_id (previous);
  if (!change_begin (&change, paths, id, cancellable, error))
    return FALSE;
  /* Only over the very record that the disabling wrote: anything done since by anybody else stands. */
  if (change.record == NULL || oc_consent_record_get_successor (previous) == NULL
      || oc_consent_record_get_state (previous) != OC_RECORD_ENABLED
      || strcmp (oc_consent_record_get_raw (change.record), oc_consent_record_get_successor (previous)) != 0)
    return set_stale (error, id);
  found = oc_plugins_find (paths, id, NULL);
  if (found == NULL || !oc_consent_record_belongs_to (previous, found)
      || g_strcmp0 (oc_consent_record_get_kind (previous),
                    oc_plugin_kind_to_id (oc_manifest_get_kind (oc_plugin_get_manifest (found))))
             != 0
      || strcmp (oc_manifest_get_digest (oc_plugin_get_manifest (found)), oc_consent_record_get_digest (previous)) != 0)
    return set_stale (error, id);
  now = reload_shown (paths, found, error);
  if (now == NULL)
    return FALSE;
  return oc_consent_file_write (change.file, paths, id, oc_consent_record_get_raw (previous), cancellable, error);
}

gboolean
oc_consent_disable_after_errors (OcPaths *paths,
                                 const char *id,
                                 GPtrArray *failures,
                                 gboolean *disabled,
                                 GCancellable *cancellable,
                                 GError **error)
{
  g_auto (Change) change = CHANGE_INIT;
  g_autofree char *record = NULL;
  OcRecordFields fields;

  g_return_val_if_fail (paths != NULL && id != NULL && failures != NULL, FALSE);
  if (!change_begin (&change, paths, id, cancellable, error))
    return FALSE;
  if (change.record != NULL && oc_consent_record_get_state (change.record) == OC_RECORD_ENABLED)
    {
      fields = oc_consent_record_get_fields (change.record);
      fields.state = OC_RECORD_DISABLED_AFTER_ERRORS;
      fields.time = g_get_real_time ();
      fields.failures = failures;
      record = oc_consent_record_format (&fields, change.record);
      if (!oc_consent_file_write (change.file, paths, id, record, cancellable, error))
        return FALSE;
    }
  if (disabled != NULL)
    *disabled = record != NULL;
  return TRUE;
}

gboolean
oc_consent_forget (OcPaths *paths,
                   const char *id,
                   GCancellable *cancellable,
                   GError **error)
{
  g_auto (Change) change = CHANGE_INIT;

  g_return_val_if_fail (paths != NULL && id != NULL, FALSE);
  if (!change_begin (&change, paths, id, cancellable, error))
    return FALSE;
  if (change.record == NULL)
    return TRUE;
  return oc_consent_file_write (change.file, paths, id, NULL, cancellable, error);
}
