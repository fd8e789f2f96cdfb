/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-quota.h"

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-folder-size.h"
#include "core/oc-text.h"

/* Between two looks, and how many times longer than a look takes: a tenth of one processor, or a look every few seconds. */
#define MIN_INTERVAL_US (200 * G_TIME_SPAN_MILLISECOND)
#define MAX_INTERVAL_US (4 * G_TIME_SPAN_SECOND)
#define INTERVALS_A_LOOK 9
/* The first look counts all there is, within reason. */
#define FIRST_MAX_NAMES 1000000
/* Looks one after the other that could not see everything. A plugin that only tidies up is not met by chance so often. */
#define MAX_UNSEEN 10

typedef struct
{
  char *path; /* owned */
  guint64 max_bytes;
  guint64 max_names;
  OcQuotaBreach too_large;
  OcQuotaBreach too_many;
  guint unseen;
} Place;

struct _OcQuota
{
  Place places[2];
  OcQuotaExceeded exceeded;
  gpointer user_data;
  GMainContext *context; /* owned */

  GThread *thread; /* owned (nullable) */
  gint stop;       /* atomic */
  GMutex mutex;
  GCond cond;
  GSource *source; /* owned (nullable): under the mutex */
  OcQuotaBreach breach;
};

static gboolean
on_breach (gpointer data)
{
  OcQuota *self = data;

  self->exceeded (self->breach, self->user_data); /* may free @self */
  return G_SOURCE_REMOVE;
}

static void
tell (OcQuota *self,
      OcQuotaBreach breach)
{
  g_mutex_lock (&self->mutex);
  self->breach = breach;
  self->source = g_idle_source_new ();
  g_source_set_priority (self->source, G_PRIORITY_DEFAULT);
  g_source_set_callback (self->source, on_breach, self, NULL);
  g_source_attach (self->source, self->context);
  g_mutex_unlock (&self->mutex);
}

/* Whether it holds more than it may; @breach: what then. */
static gboolean
look_at (OcQuota *self,
         Place *place,
         gboolean first,
         OcQuotaBreach *breach)
{
  guint64 most = !first && place->max_names > 0 ? place->max_names + 1 : FIRST_MAX_NAMES;
  OcFolderSize size;
  gboolean seen;

  seen = oc_folder_size_measure (place->path, most, &self->stop, &size, NULL);
  if (g_atomic_int_get (&self->stop))
    return FALSE;
  place->unseen = seen && (size.complete || size.names >= most) ? 0 : place->unseen + 1;
  if (seen && first)
    {
      place->max_bytes = place->max_bytes > 0 ? MAX (place->max_bytes, size.bytes) : 0;
      place->max_names = place->max_names > 0 ? MAX (place->max_names, size.names) : 0;
    }
  if (seen && place->max_bytes > 0 && size.bytes > place->max_bytes)
    *breach = place->too_large;
  else if (seen && place->max_names > 0 && size.names > place->max_names)
    *breach = place->too_many;
  else if (place->unseen >= MAX_UNSEEN)
    *breach = OC_QUOTA_UNMEASURED;
  else
    return FALSE;
  return TRUE;
}

/* FALSE: it is to stop. */
static gboolean
wait (OcQuota *self,
      gint64 took_us)
{
  gint64 until = g_get_monotonic_time () + CLAMP (took_us * INTERVALS_A_LOOK, MIN_INTERVAL_US, MAX_INTERVAL_US);

  g_mutex_lock (&self->mutex);
  while (!g_atomic_int_get (&self->stop) && g_cond_wait_until (&self->cond, &self->mutex, until))
    ;
  g_mutex_unlock (&self->mutex);
  return !g_atomic_int_get (&self->stop);
}

static gpointer
watch (gpointer data)
{
  OcQuota *self = data;
  gboolean first = TRUE;
  gint64 began;

  do
    {
      began = g_get_monotonic_time ();
      for (guint i = 0; i < G_N_ELEMENTS (self->places); i++)
        {
          OcQuotaBreach breach;

          if (look_at (self, &self->places[i], first, &breach))
            {
              tell (self, breach);
              return NULL;
            }
        }
      first = FALSE;
    }
  while (wait (self, g_get_monotonic_time () - began));
  return NULL;
}

OcQuota *
oc_quota_new (const char *data_folder,
              const char *temp_folder,
              const OcLimits *limits,
              OcQuotaExceeded exceeded,
              gpointer user_data,
              GError **error)
{
  OcQuota *self = g_new0 (OcQuota, 1);
  g_autoptr (GError) local_error = NULL;

  self->places[0] = (Place){ g_strdup (data_folder), limits->data_size,  limits->data_files,
                             OC_QUOTA_DATA_SIZE,     OC_QUOTA_DATA_NAMES, 0 };
  self->places[1] = (Place){ g_strdup (temp_folder), limits->temp_size,  limits->data_files,
                             OC_QUOTA_TEMP_SIZE,     OC_QUOTA_TEMP_NAMES, 0 };
  self->exceeded = exceeded;
  self->user_data = user_data;
  self->context = g_main_context_ref_thread_default ();
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  self->thread = g_thread_try_new ("quota", watch, self, &local_error);
  if (self->thread != NULL)
    return self;
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _("limits: the plugin’s folders cannot be watched: %s"), local_error->message);
  oc_quota_free (self);
  return NULL;
}

void
oc_quota_free (OcQuota *self)
{
  g_atomic_int_set (&self->stop, TRUE);
  g_mutex_lock (&self->mutex);
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  /* It looks whether it is to stop at each name. */
  if (self->thread != NULL)
    g_thread_join (self->thread);
  if (self->source != NULL)
    g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);
  for (guint i = 0; i < G_N_ELEMENTS (self->places); i++)
    g_free (self->places[i].path);
  g_main_context_unref (self->context);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  g_free (self);
}

char *
oc_quota_dup_message (OcQuotaBreach breach,
                      const OcLimits *limits)
{
  g_autofree char *data = oc_text_format_size (limits->data_size);
  g_autofree char *temp = oc_text_format_size (limits->temp_size);

  switch (breach)
    {
    case OC_QUOTA_DATA_SIZE:
      return g_strdup_printf (_("It stored more than %s in its data folder, and was ended."), data);
    case OC_QUOTA_DATA_NAMES:
      return g_strdup_printf (_("It stored more than %" G_GUINT64_FORMAT " files in its data folder, and was ended."),
                              limits->data_files);
    case OC_QUOTA_TEMP_SIZE:
      return g_strdup_printf (_("It stored more than %s in its temporary folder, and was ended."), temp);
    case OC_QUOTA_TEMP_NAMES:
      return g_strdup_printf (_("It stored more than %" G_GUINT64_FORMAT " files in its temporary folder, and was ended."),
                              limits->data_files);
    case OC_QUOTA_UNMEASURED:
      break;
    }
  return g_strdup (_("How much it stored could not be measured, and it was ended."));
}

char *
oc_quota_dup_remedy (OcQuotaBreach breach,
                     const char *data_folder)
{
  g_autofree char *shown = oc_text_escape (data_folder, 0, NULL);

  switch (breach)
    {
    case OC_QUOTA_DATA_SIZE:
    case OC_QUOTA_DATA_NAMES:
      /* Translators: “It” is the plugin. */
      return g_strdup_printf (_("Nothing was removed. It can be run and can tidy up, as long as it does not add to what it has; "
                                "or remove yourself what you do not need from %s."),
                              shown);
    case OC_QUOTA_TEMP_SIZE:
    case OC_QUOTA_TEMP_NAMES:
    case OC_QUOTA_UNMEASURED:
      break;
    }
  return NULL;
}
