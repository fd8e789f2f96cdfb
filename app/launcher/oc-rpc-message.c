/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-rpc-message.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json-write.h"
#include "launcher/oc-rpc.h"

void
oc_rpc_message_free (OcRpcMessage *self)
{
  g_clear_pointer (&self->body, g_bytes_unref);
  g_clear_pointer (&self->root, json_node_unref);
  g_clear_pointer (&self->fault, oc_json_fault_free);
  g_free (self->id);
  g_free (self);
}

static gboolean
fail (GError **error,
      const char *message)
{
  g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, message);
  return FALSE;
}

static const char *
get_string (JsonObject *object,
            const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

/* Integers and strings. JSON-RPC also allows null and fractions, and advises against both. */
static gboolean
read_id (OcRpcMessage *self,
         JsonNode *node,
         GError **error)
{
  gboolean is_int = json_node_get_value_type (node) == G_TYPE_INT64;

  if (is_int || (json_node_get_value_type (node) == G_TYPE_STRING && strlen (json_node_get_string (node)) <= OC_RPC_MAX_ID_BYTES))
    {
      GString *text = g_string_new (NULL);

      oc_json_append_node (text, node);
      self->id = g_string_free (text, FALSE);
      return TRUE;
    }
  return fail (error, _("A message’s id is neither an integer nor a string of at most 128 bytes."));
}

static gboolean
read_response (OcRpcMessage *self,
               JsonObject *object,
               GError **error)
{
  JsonNode *error_node = json_object_get_member (object, "error");
  JsonNode *code;

  self->kind = OC_RPC_RESPONSE;
  self->result = json_object_get_member (object, "result");
  if ((self->result != NULL) == (error_node != NULL))
    return fail (error, _("A response has either a result or an error."));
  if (self->id == NULL)
    return fail (error, _("A response has no id."));
  if (error_node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (error_node))
    return fail (error, _("A response’s error is no object."));
  self->error = json_node_get_object (error_node);
  code = json_object_get_member (self->error, "code");
  if (code == NULL || json_node_get_value_type (code) != G_TYPE_INT64 || get_string (self->error, "message") == NULL)
    return fail (error, _("A response’s error needs an integer “code” and a string “message”."));
  return TRUE;
}

static gboolean
read_message (OcRpcMessage *self,
              GError **error)
{
  JsonObject *object;
  JsonNode *id;
  JsonNode *method;

  if (JSON_NODE_HOLDS_ARRAY (self->root))
    return fail (error, _("Several messages at once (a batch) are not taken."));
  if (!JSON_NODE_HOLDS_OBJECT (self->root))
    return fail (error, _("A message is no JSON object."));
  object = json_node_get_object (self->root);
  if (g_strcmp0 (get_string (object, "jsonrpc"), "2.0") != 0)
    return fail (error, _("A message has no “jsonrpc”: “2.0”."));

  id = json_object_get_member (object, "id");
  if (id != NULL && !read_id (self, id, error))
    return FALSE;
  method = json_object_get_member (object, "method");
  if (method == NULL)
    return read_response (self, object, error);

  if (json_object_has_member (object, "result") || json_object_has_member (object, "error"))
    return fail (error, _("A message is both a request and a response."));
  self->method = get_string (object, "method");
  if (self->method == NULL || strlen (self->method) > OC_RPC_MAX_METHOD_BYTES)
    return fail (error, _("A message’s method is no string of at most 128 bytes."));
  self->params = json_object_get_member (object, "params");
  self->kind = self->id ? OC_RPC_REQUEST : OC_RPC_NOTIFICATION;
  return TRUE;
}

OcRpcMessage *
oc_rpc_message_parse (GBytes *body,
                      GError **error)
{
  g_autoptr (OcRpcMessage) self = g_new0 (OcRpcMessage, 1);
  g_autoptr (GError) local = NULL;
  const char *within = NULL;
  gsize len;
  const char *data = g_bytes_get_data (body, &len);

  self->root = oc_json_parse (data, len, OC_RPC_MAX_MESSAGE, &local);
  if (self->root == NULL)
    self->root = oc_json_parse_within (data, len, OC_RPC_MAX_MESSAGE, within = "params", &self->fault, NULL);
  if (self->root == NULL)
    self->root = oc_json_parse_within (data, len, OC_RPC_MAX_MESSAGE, within = "result", &self->fault, NULL);
  if (self->root == NULL)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("A message is not valid JSON: %s"), local->message);
      return NULL;
    }
  if (!read_message (self, error))
    return NULL;
  /* Only a call has params, and only an answer a result; elsewhere a member of that name means nothing, and is no excuse. */
  if (self->fault != NULL && (self->kind == OC_RPC_RESPONSE) != g_str_equal (within, "result"))
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("A message is not valid JSON: %s"), self->fault->message);
      return NULL;
    }
  self->body = g_bytes_ref (body);
  return g_steal_pointer (&self);
}

gboolean
oc_rpc_message_is_exception (OcRpcMessage *self)
{
  gint64 code = json_object_get_int_member (self->error, "code");
  JsonNode *data = json_object_get_member (self->error, "data");
  JsonNode *uncaught;

  /* A refused permission is no error of the plugin, however it passes it on. */
  if (code == OC_RPC_PERMISSION_DENIED || code == OC_RPC_INTERNAL_ERROR)
    return code == OC_RPC_INTERNAL_ERROR;
  if (data == NULL || !JSON_NODE_HOLDS_OBJECT (data))
    return FALSE;
  uncaught = json_object_get_member (json_node_get_object (data), "uncaught");
  return uncaught != NULL && json_node_get_value_type (uncaught) == G_TYPE_BOOLEAN && json_node_get_boolean (uncaught);
}

char *
oc_rpc_message_dup_result_text (OcRpcMessage *self)
{
  gsize len;
  const char *data = g_bytes_get_data (self->body, &len);
  g_autoptr (GArray) members = oc_json_members (data, len, OC_RPC_MAX_MESSAGE, NULL);

  for (guint i = 0; members != NULL && i < members->len; i++)
    {
      const OcJsonSpan *span = &g_array_index (members, OcJsonSpan, i);

      if (g_str_equal (span->key, "result"))
        return g_strndup (data + span->start, span->end - span->start);
    }
  return NULL;
}

/* @text: (transfer full) */
static GBytes *
frame (GString *text)
{
  g_string_append_c (text, '}');
  return oc_rpc_frame (text);
}

static GString *
begin_message (const char *id)
{
  GString *text = oc_rpc_begin_body ();

  g_string_append (text, "{\"jsonrpc\":\"2.0\",\"id\":");
  g_string_append (text, id);
  return text;
}

GBytes *
oc_rpc_make_request (const char *id,
                     const char *method,
                     const char *params)
{
  GString *text = begin_message (id);

  g_string_append (text, ",\"method\":");
  oc_json_append_string (text, method);
  g_string_append (text, ",\"params\":");
  g_string_append (text, params);
  return frame (text);
}

GBytes *
oc_rpc_make_result (const char *id,
                    JsonNode *result)
{
  GString *text = begin_message (id);

  g_string_append (text, ",\"result\":");
  oc_json_append_node (text, result);
  return frame (text);
}

GBytes *
oc_rpc_make_result_text (const char *id,
                         const char *result)
{
  GString *text = begin_message (id);

  g_string_append (text, ",\"result\":");
  g_string_append (text, result);
  return frame (text);
}

GBytes *
oc_rpc_make_error (const char *id,
                   int code,
                   const char *message,
                   JsonNode *data)
{
  GString *text = begin_message (id);

  g_string_append_printf (text, ",\"error\":{\"code\":%d,\"message\":", code);
  oc_json_append_string (text, message);
  if (data != NULL)
    {
      g_string_append (text, ",\"data\":");
      oc_json_append_node (text, data);
    }
  g_string_append_c (text, '}');
  return frame (text);
}
