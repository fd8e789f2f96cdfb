/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-call.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-catalogue.h"
#include "core/oc-text.h"

struct _OcCall
{
  gatomicrefcount refs;
  OcRpcMessage *message;  /* owned */
  JsonObject *params;     /* owned: a sealed empty one where there are none */
  char *permission;       /* owned (nullable): the permission's text, once checked */
  gpointer operation;     /* owned */
  GDestroyNotify free_operation;
  OcBroker *broker;       /* borrowed; NULL once answered or dropped */
  const OcMethod *method; /* borrowed (nullable) */
};

/* The parameters of all calls that have none: nobody may put anything into them. */
static JsonObject *
ref_no_params (void)
{
  static JsonObject *none;

  if (none == NULL)
    {
      none = json_object_new ();
      json_object_seal (none);
    }
  return json_object_ref (none);
}

OcCall *
oc_call_new (OcBroker *broker,
             OcRpcMessage *message,
             const OcMethod *method)
{
  OcCall *self = g_new0 (OcCall, 1);

  g_atomic_ref_count_init (&self->refs);
  self->broker = broker;
  self->message = message;
  self->method = method;
  if (message->params != NULL && JSON_NODE_HOLDS_OBJECT (message->params))
    self->params = json_object_ref (json_node_get_object (message->params));
  else
    self->params = ref_no_params ();
  return self;
}

OcCall *
oc_call_ref (OcCall *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

static void
clear_operation (OcCall *self)
{
  gpointer operation = g_steal_pointer (&self->operation);

  if (operation != NULL)
    self->free_operation (operation);
}

void
oc_call_unref (OcCall *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  clear_operation (self);
  json_object_unref (self->params);
  oc_rpc_message_free (self->message);
  g_free (self->permission);
  g_free (self);
}

const char *
oc_call_get_id (OcCall *self)
{
  return self->message->id;
}

const OcMethod *
oc_call_get_method (OcCall *self)
{
  return self->method;
}

OcHost *
oc_call_get_host (OcCall *self)
{
  return oc_broker_get_host (self->broker);
}

JsonObject *
oc_call_get_params (OcCall *self)
{
  return self->params;
}

gboolean
oc_call_is_notification (OcCall *self)
{
  return self->message->kind == OC_RPC_NOTIFICATION;
}

guint
oc_call_count_alike (OcCall *self)
{
  return oc_broker_count_calls (self->broker, self->method);
}

void
oc_call_set_operation (OcCall *self,
                       gpointer operation,
                       GDestroyNotify free_func)
{
  g_return_if_fail (self->operation == NULL);

  self->operation = operation;
  self->free_operation = free_func;
}

void
oc_call_drop (OcCall *self)
{
  self->broker = NULL;
  clear_operation (self);
}

/* @frame: (transfer full) (nullable) */
static void
answer (OcCall *self,
        GBytes *frame)
{
  OcBroker *broker = g_steal_pointer (&self->broker);

  if (broker == NULL)
    {
      g_clear_pointer (&frame, g_bytes_unref);
      return;
    }
  /* The broker lets go of the call; the method may still hold on to it for a moment. */
  oc_broker_answer (broker, self, frame);
}

void
oc_call_return (OcCall *self,
                JsonNode *result)
{
  g_autoptr (JsonNode) node = result;

  answer (self, oc_call_is_notification (self) ? NULL : oc_rpc_make_result (self->message->id, node));
}

void
oc_call_return_text (OcCall *self,
                     char *json)
{
  g_autofree char *text = json;

  answer (self, oc_call_is_notification (self) ? NULL : oc_rpc_make_result_text (self->message->id, text));
}

static void
fail_with (OcCall *self,
           OcRpcCode code,
           const char *key,
           const char *value,
           const char *message)
{
  g_autoptr (JsonNode) data = NULL;
  JsonObject *object;

  if (oc_call_is_notification (self))
    {
      answer (self, NULL);
      return;
    }
  if (value != NULL)
    {
      data = json_node_new (JSON_NODE_OBJECT);
      object = json_object_new ();
      json_object_set_string_member (object, key, value);
      json_node_take_object (data, object);
    }
  answer (self, oc_rpc_make_error (self->message->id, code, message, data));
}

void
oc_call_fail (OcCall *self,
              OcRpcCode code,
              const char *reason,
              const char *message)
{
  fail_with (self, code, "reason", reason, message);
}

void
oc_call_fail_format (OcCall *self,
                     OcRpcCode code,
                     const char *reason,
                     const char *format,
                     ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  oc_call_fail (self, code, reason, message);
}

static void
record (OcCall *self,
        const char *detail,
        gboolean allowed)
{
  if (self->broker != NULL)
    oc_uses_add (oc_call_get_host (self)->report->uses, self->permission ? self->permission : "", self->method->name, detail, NULL,
                 allowed);
}

void
oc_call_record_use (OcCall *self,
                    const char *detail)
{
  record (self, detail, TRUE);
}

void
oc_call_refuse (OcCall *self,
                const char *reason,
                const char *detail,
                const char *message)
{
  record (self, detail, FALSE);
  oc_call_fail (self, OC_RPC_REFUSED, reason, message);
}

void
oc_call_fail_param (OcCall *self,
                    const char *key,
                    const char *must_be)
{
  g_autofree char *shown = oc_text_escape (key, 60, NULL);

  oc_call_fail_format (self, OC_RPC_INVALID_PARAMS, NULL, _("%s: “%s” must be %s."), self->method->name, shown, must_be);
}

static const char *
peek_string (OcCall *self,
             const char *key)
{
  JsonNode *node = json_object_get_member (self->params, key);

  return node && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

gboolean
oc_call_read_string (OcCall *self,
                     const char *key,
                     gsize max_bytes,
                     const char **value)
{
  const char *text = peek_string (self, key);
  g_autofree char *must_be = NULL;

  if (text != NULL && *text != '\0' && strlen (text) <= max_bytes)
    {
      *value = text;
      return TRUE;
    }
  must_be = g_strdup_printf (_("a string of 1 to %" G_GSIZE_FORMAT " bytes"), max_bytes);
  oc_call_fail_param (self, key, must_be);
  return FALSE;
}

gboolean
oc_call_read_int (OcCall *self,
                  const char *key,
                  gint64 min,
                  gint64 max,
                  gint64 fallback,
                  gint64 *value)
{
  JsonNode *node = json_object_get_member (self->params, key);
  g_autofree char *must_be = NULL;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    {
      *value = fallback;
      return TRUE;
    }
  if (json_node_get_value_type (node) == G_TYPE_INT64 && json_node_get_int (node) >= min && json_node_get_int (node) <= max)
    {
      *value = json_node_get_int (node);
      return TRUE;
    }
  must_be = g_strdup_printf (_("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT), min, max);
  oc_call_fail_param (self, key, must_be);
  return FALSE;
}

static gboolean
has_any (OcPermissionSet *granted,
         OcPermissionKind kind)
{
  for (guint i = 0; i < oc_permission_set_get_n (granted); i++)
    if (oc_permission_get_kind (oc_permission_set_get (granted, i)) == kind)
      return TRUE;
  return FALSE;
}

/* The check that comes before every other. */
static gboolean
check_permission (OcCall *self,
                  OcPermissionSet *granted)
{
  const OcMethod *method = self->method;
  const OcCatalogueEntry *entry = oc_catalogue_get (method->permission);
  const char *argument = method->argument ? peek_string (self, method->argument) : NULL;
  const char *detail = method->detail ? peek_string (self, method->detail) : NULL;
  g_autofree char *message = NULL;
  g_autofree char *shown = NULL;

  if (method->free)
    return TRUE;
  /* Without the argument none can be told from the other, but there may be none at all. */
  if (method->argument != NULL && argument == NULL && has_any (granted, method->permission))
    {
      oc_call_fail_param (self, method->argument, _("a string"));
      return FALSE;
    }
  /* What a hostile worker names as a tool goes into the activity and the answer: shown safely, and not at any length. */
  shown = argument ? oc_text_escape (argument, 100, NULL) : NULL;
  self->permission = shown ? g_strdup_printf ("%s:%s", entry->id, shown) : g_strdup (entry->id);
  if ((method->argument == NULL || argument != NULL) && oc_permission_set_grants (granted, method->permission, argument))
    return TRUE;

  record (self, detail, FALSE);
  message = g_strdup_printf (_("PermissionDenied: the plugin was not given %s."), self->permission);
  fail_with (self, OC_RPC_PERMISSION_DENIED, "permission", self->permission, message);
  return FALSE;
}

/* A parameter that is not known may be one that the author relies on (a folder to run in, say): better to hear of it. */
static gboolean
check_params (OcCall *self)
{
  JsonNode *params = self->message->params;
  g_autoptr (GList) members = NULL;

  if (params != NULL && !JSON_NODE_HOLDS_OBJECT (params))
    {
      oc_call_fail_format (self, OC_RPC_INVALID_PARAMS, NULL, _("%s: “params” must be an object."), self->method->name);
      return FALSE;
    }
  members = json_object_get_members (self->params);
  for (GList *l = members; l != NULL; l = l->next)
    if (!g_strv_contains (self->method->params, l->data))
      {
        g_autofree char *shown = oc_text_escape (l->data, 60, NULL);

        oc_call_fail_format (self, OC_RPC_INVALID_PARAMS, NULL, _("%s: there is no parameter “%s”."), self->method->name, shown);
        return FALSE;
      }
  return TRUE;
}

/* JSON that is none of ours: NUL in a text, half a surrogate pair (a file name as some languages keep it), a number that few
 * readers keep. The author hears which parameter it was; in a text for people something else stands in its place. */
static gboolean
check_fault (OcCall *self)
{
  const OcJsonFault *fault = self->message->fault;
  g_autofree char *shown = NULL;

  if (fault == NULL || (self->method->shows && g_strcmp0 (fault->member, self->method->shows) == 0))
    return TRUE;
  shown = oc_text_escape (fault->member ? fault->member : "params", 60, NULL);
  oc_call_fail_format (self, OC_RPC_INVALID_PARAMS, NULL, _("%s: “%s” cannot be taken: %s."), self->method->name, shown, fault->message);
  return FALSE;
}

void
oc_call_dispatch (OcCall *self,
                  OcPermissionSet *granted)
{
  if (self->method == NULL)
    {
      g_autofree char *shown = oc_text_escape (self->message->method, 60, NULL);

      oc_call_fail_format (self, OC_RPC_METHOD_NOT_FOUND, NULL, _("There is no method “%s”."), shown);
      return;
    }
  if (oc_call_is_notification (self) && !self->method->notifies)
    {
      answer (self, NULL);
      return;
    }
  if (check_permission (self, granted) && check_params (self) && check_fault (self))
    self->method->call (self);
}
