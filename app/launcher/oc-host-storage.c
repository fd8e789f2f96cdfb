/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"

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

static gboolean
read_key (OcCall *call,
          const char **key)
{
  return oc_call_read_string (call, "key", OC_STORE_MAX_KEY_BYTES, key);
}

/* null where there is none, as the value null is no different to a plugin that asks. */
void
oc_host_storage_get (OcCall *call)
{
  g_autoptr (GError) error = NULL;
  JsonNode *value = NULL;
  const char *key;

  if (!read_key (call, &key))
    return;
  if (oc_store_get (oc_call_get_host (call)->store, key, &value, &error))
    oc_call_return (call, value);
  else
    fail_store (call, error);
}

void
oc_host_storage_set (OcCall *call)
{
  JsonNode *value = json_object_get_member (oc_call_get_params (call), "value");
  g_autoptr (GError) error = NULL;
  const char *key;

  if (!read_key (call, &key))
    return;
  if (value == NULL)
    oc_call_fail_param (call, "value", _("given; to take a key away there is storage.remove"));
  else if (oc_store_set (oc_call_get_host (call)->store, key, value, &error))
    oc_call_return (call, NULL);
  else
    fail_store (call, error);
}

void
oc_host_storage_remove (OcCall *call)
{
  g_autoptr (GError) error = NULL;
  gboolean removed = FALSE;
  const char *key;

  if (!read_key (call, &key))
    return;
  if (oc_store_remove (oc_call_get_host (call)->store, key, &removed, &error))
    oc_call_return (call, json_node_init_boolean (json_node_alloc (), removed));
  else
    fail_store (call, error);
}

void
oc_host_storage_keys (OcCall *call)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) keys = oc_store_list (oc_call_get_host (call)->store, &error);
  JsonNode *node;
  JsonArray *array;

  if (keys == NULL)
    {
      fail_store (call, error);
      return;
    }
  array = json_array_new ();
  for (guint i = 0; keys[i] != NULL; i++)
    json_array_add_string_element (array, keys[i]);
  node = json_node_new (JSON_NODE_ARRAY);
  json_node_take_array (node, array);
  oc_call_return (call, node);
}
