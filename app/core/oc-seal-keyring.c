/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <glib/gi18n-lib.h>
#include <libsecret/secret.h>
#include <string.h>
#include <sys/stat.h>

#include "core/oc-error.h"
#include "core/oc-seal-private.h"

/* A bus or a service may hang. Each look at the keyring gets this long, then it counts as locked. */
#define KEYRING_WAIT_US (5 * G_USEC_PER_SEC)

#define SECRET_SERVICE_NAME "org.freedesktop.secrets"

static const SecretSchema key_schema = {
  "org.ocelot.Plugins.ConsentKey",
  SECRET_SCHEMA_NONE,
  { { "folder", SECRET_SCHEMA_ATTRIBUTE_STRING }, { NULL, 0 } },
};

/* A SecretService that never shows a prompt: whatever would need one fails instead. libsecret unlocks and creates through
 * these two methods only. */
#define OC_TYPE_QUIET_SERVICE (oc_quiet_service_get_type ())
G_DECLARE_FINAL_TYPE (OcQuietService, oc_quiet_service, OC, QUIET_SERVICE, SecretService)

struct _OcQuietService
{
  SecretService parent_instance;
};

G_DEFINE_TYPE (OcQuietService, oc_quiet_service, SECRET_TYPE_SERVICE)

static GVariant *
oc_quiet_service_prompt_sync (SecretService *service,
                              SecretPrompt *prompt,
                              GCancellable *cancellable,
                              const GVariantType *return_type,
                              GError **error)
{
  g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("The keyring would have to ask you first."));
  return NULL;
}

static void
oc_quiet_service_prompt_async (SecretService *service,
                               SecretPrompt *prompt,
                               const GVariantType *return_type,
                               GCancellable *cancellable,
                               GAsyncReadyCallback callback,
                               gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (service, cancellable, callback, user_data);

  g_task_set_source_tag (task, oc_quiet_service_prompt_async);
  g_task_return_new_error (task, OC_ERROR, OC_ERROR_LOCKED, "%s",
                           _ ("The keyring would have to ask you first."));
}

static GVariant *
oc_quiet_service_prompt_finish (SecretService *service,
                                GAsyncResult *result,
                                GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
oc_quiet_service_class_init (OcQuietServiceClass *klass)
{
  SecretServiceClass *service_class = SECRET_SERVICE_CLASS (klass);

  service_class->prompt_sync = oc_quiet_service_prompt_sync;
  service_class->prompt_async = oc_quiet_service_prompt_async;
  service_class->prompt_finish = oc_quiet_service_prompt_finish;
}

static void
oc_quiet_service_init (OcQuietService *self)
{
}

/* One task for the keyring's thread. Shared by the thread and whoever waits for it, since the waiter may give up. */
typedef struct
{
  /* owned, set before the thread starts */
  OcKeyringTask task;
  char *folder;
  GCancellable *cancellable;
  /* guarded by @mutex */
  GMutex mutex;
  GCond finished_cond;
  gboolean finished;
  gboolean ok;
  OcKeyringAnswer answer;
  GError *error;
} Work;

static void
work_clear (gpointer data)
{
  Work *work = data;

  g_free (work->folder);
  g_object_unref (work->cancellable);
  g_clear_pointer (&work->answer.key, oc_seal_key_unref);
  g_clear_error (&work->error);
  g_mutex_clear (&work->mutex);
  g_cond_clear (&work->finished_cond);
}

static void
work_unref (Work *work)
{
  g_atomic_rc_box_release_full (work, work_clear);
}

/* GIO would start a bus of its own through dbus-launch where there is none: nobody asked for that. */
static gboolean
session_bus_exists (void)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  g_autofree char *socket_path = NULL;
  struct stat status;

  if (address != NULL && *address != '\0')
    {
      if (g_str_has_prefix (address, "disabled:"))
        return FALSE;
      /* A login sets the address of a per-user bus also where none was ever started. */
      if (!g_str_has_prefix (address, "unix:path=") || strpbrk (address, ",;%") != NULL)
        return TRUE;
      return stat (address + strlen ("unix:path="), &status) == 0;
    }
  socket_path = g_build_filename (g_get_user_runtime_dir (), "bus", NULL);
  return stat (socket_path, &status) == 0 && S_ISSOCK (status.st_mode);
}

static gboolean
name_is_listed (GDBusConnection *bus,
                const char *method,
                gboolean *listed,
                GCancellable *cancellable,
                GError **error)
{
  g_autoptr (GVariant) reply = NULL;
  g_autofree const char **names = NULL;

  reply = g_dbus_connection_call_sync (bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                       "org.freedesktop.DBus", method, NULL, G_VARIANT_TYPE ("(as)"),
                                       G_DBUS_CALL_FLAGS_NONE, -1, cancellable, error);
  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(^a&s)", &names);
  if (g_strv_contains (names, SECRET_SERVICE_NAME))
    *listed = TRUE;
  return TRUE;
}

/* @present: whether a Secret Service runs or can be started. FALSE and an error: it cannot be told. */
static gboolean
find_service (gboolean *present,
              GCancellable *cancellable,
              GError **error)
{
  g_autoptr (GDBusConnection) bus = NULL;

  *present = FALSE;
  if (!session_bus_exists ())
    return TRUE;
  bus = g_bus_get_sync (G_BUS_TYPE_SESSION, cancellable, error);
  if (bus == NULL)
    return FALSE;
  /* A bus that goes away must not take the program with it: the outcome is "locked". */
  g_dbus_connection_set_exit_on_close (bus, FALSE);
  return name_is_listed (bus, "ListNames", present, cancellable, error)
         && (*present || name_is_listed (bus, "ListActivatableNames", present, cancellable, error));
}

static GHashTable *
key_attributes (const char *folder)
{
  return secret_attributes_build (&key_schema, "folder", folder, NULL);
}

/* Of several the oldest, by creation and then by path, so that every process picks the same. */
static SecretItem *
pick_item (GList *items)
{
  SecretItem *best = NULL;

  for (GList *l = items; l != NULL; l = l->next)
    {
      guint64 created = secret_item_get_created (l->data);
      guint64 best_created = best != NULL ? secret_item_get_created (best) : 0;

      if (best == NULL || created < best_created
          || (created == best_created
              && strcmp (g_dbus_proxy_get_object_path (l->data),
                         g_dbus_proxy_get_object_path (G_DBUS_PROXY (best)))
                     < 0))
        best = l->data;
    }
  return best;
}

static void
free_items (GList *items)
{
  g_list_free_full (items, g_object_unref);
}

static gboolean
search_key (SecretService *service,
            const char *folder,
            GList **items,
            GCancellable *cancellable,
            GError **error)
{
  g_autoptr (GHashTable) attributes = key_attributes (folder);
  g_autoptr (GError) local_error = NULL;

  /* Without SECRET_SEARCH_UNLOCK a locked item is found and stays locked. */
  *items = secret_service_search_sync (service, &key_schema, attributes, SECRET_SEARCH_ALL,
                                       cancellable, &local_error);
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static OcSealKey *
read_key (SecretItem *item,
          GCancellable *cancellable,
          GError **error)
{
  guint8 bytes[OC_SEAL_KEY_BYTES];
  OcSealKey *key = NULL;
  SecretValue *value;
  const char *text;
  gsize len;

  if (secret_item_get_locked (item))
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("The keyring is locked."));
      return NULL;
    }
  if (!secret_item_load_secret_sync (item, cancellable, error))
    return NULL;
  value = secret_item_get_secret (item);
  text = value != NULL ? secret_value_get (value, &len) : NULL;
  if (text != NULL && oc_seal_key_decode (text, len, bytes))
    key = oc_seal_key_new (OC_PROTECTION_KEYRING, bytes);
  else
    g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED,
                         _ ("What the keyring holds in place of the key is no key. Remove its entry “Ocelot Plugins: seals what you "
                            "allowed plugins to do” there, move “consent.json” away, and review each plugin again."));
  explicit_bzero (bytes, sizeof bytes);
  if (value != NULL)
    secret_value_unref (value);
  return key;
}

/* The collection new items go to; locked or never made is an error, since either would need a prompt. */
static SecretCollection *
get_open_collection (SecretService *service,
                     GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (SecretCollection) collection = NULL;
  g_autoptr (GError) local_error = NULL;

  collection = secret_collection_for_alias_sync (service, SECRET_COLLECTION_DEFAULT,
                                                 SECRET_COLLECTION_NONE, cancellable, &local_error);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  if (collection == NULL)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("The keyring has not been set up yet."));
      return NULL;
    }
  if (secret_collection_get_locked (collection))
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("The keyring is locked."));
      return NULL;
    }
  return g_steal_pointer (&collection);
}

static OcSealKey *
store_new_key (SecretService *service,
               const char *folder,
               GCancellable *cancellable,
               GError **error)
{
  g_autoptr (SecretCollection) collection = get_open_collection (service, cancellable, error);
  g_autoptr (GHashTable) attributes = key_attributes (folder);
  g_autoptr (SecretItem) item = NULL;
  guint8 bytes[OC_SEAL_KEY_BYTES];
  char text[OC_SEAL_KEY_HEX + 1];
  SecretValue *value;
  OcSealKey *key = NULL;

  if (collection == NULL || !oc_seal_key_fill (bytes, error))
    return NULL;
  oc_seal_key_encode (bytes, text);
  value = secret_value_new (text, OC_SEAL_KEY_HEX, "text/plain");
  /* Never SECRET_ITEM_CREATE_REPLACE: a key that something is sealed with must not be overwritten. */
  item = secret_item_create_sync (collection, &key_schema, attributes,
                                  _ ("Ocelot Plugins: seals what you allowed plugins to do"), value,
                                  SECRET_ITEM_CREATE_NONE, cancellable, error);
  if (item != NULL)
    key = oc_seal_key_new (OC_PROTECTION_KEYRING, bytes);
  secret_value_unref (value);
  explicit_bzero (text, sizeof text);
  explicit_bzero (bytes, sizeof bytes);
  return key;
}

static gboolean
find_or_make (Work *work,
              SecretService *service,
              GError **error)
{
  GList *items = NULL;
  SecretItem *item;
  gboolean ok = TRUE;

  if (!search_key (service, work->folder, &items, work->cancellable, error))
    return FALSE;
  item = pick_item (items);
  work->answer.has_key = item != NULL;
  if (work->task != OC_KEYRING_HAS_KEY)
    {
      if (item != NULL)
        work->answer.key = read_key (item, work->cancellable, error);
      else if (work->task == OC_KEYRING_MAKE)
        work->answer.key = store_new_key (service, work->folder, work->cancellable, error);
      ok = work->answer.key != NULL || (item == NULL && work->task == OC_KEYRING_FIND);
    }
  free_items (items);
  return ok;
}

/* The one place that may show the keyring's own prompt. */
static gboolean
unlock (SecretService *service,
        GCancellable *cancellable,
        GError **error)
{
  g_autoptr (SecretCollection) collection = NULL;
  g_autoptr (GError) local_error = NULL;
  GList *objects;
  int n;

  collection = secret_collection_for_alias_sync (service, SECRET_COLLECTION_DEFAULT,
                                                 SECRET_COLLECTION_NONE, cancellable, &local_error);
  if (collection == NULL && local_error == NULL)
    collection = secret_collection_create_sync (service, _ ("Default keyring"), SECRET_COLLECTION_DEFAULT,
                                                SECRET_COLLECTION_CREATE_NONE, cancellable, &local_error);
  if (collection == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (!secret_collection_get_locked (collection))
    return TRUE;
  objects = g_list_prepend (NULL, collection);
  n = secret_service_unlock_sync (service, objects, cancellable, NULL, error);
  g_list_free (objects);
  if (n == 0)
    g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, _ ("The keyring is still locked."));
  return n > 0;
}

static gboolean
work_run (Work *work,
          GError **error)
{
  g_autoptr (SecretService) service = NULL;
  GType type = work->task == OC_KEYRING_UNLOCK ? SECRET_TYPE_SERVICE : OC_TYPE_QUIET_SERVICE;

  if (!find_service (&work->answer.present, work->cancellable, error))
    return FALSE;
  if (!work->answer.present || work->task == OC_KEYRING_PROBE)
    return TRUE;
  service = secret_service_open_sync (type, NULL, SECRET_SERVICE_NONE, work->cancellable, error);
  if (service == NULL)
    return FALSE;
  if (work->task == OC_KEYRING_UNLOCK)
    return unlock (service, work->cancellable, error);
  return find_or_make (work, service, error);
}

static gpointer
work_thread (gpointer data)
{
  Work *work = data;
  GError *error = NULL;
  gboolean ok = work_run (work, &error);

  g_mutex_lock (&work->mutex);
  work->ok = ok;
  work->error = error;
  work->finished = TRUE;
  g_cond_signal (&work->finished_cond);
  g_mutex_unlock (&work->mutex);
  work_unref (work);
  return NULL;
}

static Work *
work_start (OcKeyringTask task,
            const char *folder)
{
  Work *work = g_atomic_rc_box_new0 (Work);

  work->task = task;
  work->folder = g_strdup (folder);
  work->cancellable = g_cancellable_new ();
  g_mutex_init (&work->mutex);
  g_cond_init (&work->finished_cond);
  g_thread_unref (g_thread_new ("oc-keyring", work_thread, g_atomic_rc_box_acquire (work)));
  return work;
}

static void
on_cancelled (GCancellable *cancellable,
              gpointer user_data)
{
  Work *work = user_data;

  g_cancellable_cancel (work->cancellable);
  g_mutex_lock (&work->mutex);
  g_cond_signal (&work->finished_cond);
  g_mutex_unlock (&work->mutex);
}

/* All of it is the same to the caller: nothing can be sealed or verified now. */
static void
set_locked (GError **error,
            const GError *cause)
{
  if (cause != NULL && cause->domain == OC_ERROR)
    g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED, cause->message);
  else if (cause != NULL)
    {
      g_autoptr (GError) plain = g_error_copy (cause);

      (void) g_dbus_error_strip_remote_error (plain);
      g_set_error (error, OC_ERROR, OC_ERROR_LOCKED, _ ("The keyring could not be asked: %s."), plain->message);
    }
  else
    g_set_error_literal (error, OC_ERROR, OC_ERROR_LOCKED,
                         _ ("The keyring did not answer in time. Try again, or restart the keyring service."));
}

gboolean
oc_seal_keyring_do (OcKeyringTask task,
                    const char *folder,
                    OcKeyringAnswer *answer,
                    GCancellable *cancellable,
                    GError **error)
{
  gint64 deadline = task == OC_KEYRING_UNLOCK ? G_MAXINT64 : g_get_monotonic_time () + KEYRING_WAIT_US;
  Work *work;
  gulong handler = 0;
  gboolean ok = FALSE;
  gboolean waiting = TRUE;

  /* What needs no bus needs no thread that could hang on it. */
  if (!session_bus_exists () && !g_cancellable_is_cancelled (cancellable))
    {
      *answer = (OcKeyringAnswer) { 0 };
      return TRUE;
    }
  work = work_start (task, folder);
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), work, NULL);
  g_mutex_lock (&work->mutex);
  while (!work->finished && waiting && !g_cancellable_is_cancelled (work->cancellable))
    waiting = g_cond_wait_until (&work->finished_cond, &work->mutex, deadline);
  if (work->finished && work->ok)
    {
      *answer = work->answer;
      work->answer.key = NULL;
      ok = TRUE;
    }
  else
    set_locked (error, work->finished ? work->error : NULL);
  g_mutex_unlock (&work->mutex);
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
  /* A thread that still hangs is left alone: what it finds later is dropped with its last reference. */
  g_cancellable_cancel (work->cancellable);
  work_unref (work);
  return ok;
}
