/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-launch-private.h"
#include "core/oc-text.h"

struct _OcRunResult
{
  /* owned */
  char *json;
  char *message;
  char *remedy;
  char *result_text;
  char *out;
  char *err;
  GPtrArray *used;
  GPtrArray *refused;

  int exit;
  OcOutcome outcome;
  gboolean disabled_after_errors;
};

struct _OcSandboxReport
{
  /* owned */
  char *summary;
  char *executor;        /* (nullable) */
  char *executor_reason; /* (nullable) */
  GPtrArray *layers;

  gboolean holds;
};

/* The root object of what was printed. */
static JsonNode *
parse_answer (OcLaunchAnswer *answer,
              GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *said = oc_text_escape_lines (answer->err->str, -1, 1000, NULL);
  g_autofree char *ending = NULL;

  if (!answer->too_long && answer->out->len > 0)
    root = oc_json_parse (answer->out->str, answer->out->len, OC_LAUNCH_MAX_ANSWER, &local_error);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return g_steal_pointer (&root);
  g_strstrip (said);
  if (answer->too_long)
    ending = g_strdup (_ ("its answer was longer than 16 MiB"));
  else if (answer->out->len > 0)
    ending = g_strdup_printf (_ ("its answer cannot be read (%s)"), local_error != NULL ? local_error->message : "[]");
  else if (answer->exited)
    ending = g_strdup_printf (_ ("it ended with code %d and no answer"), answer->status);
  else
    ending = g_strdup_printf (_ ("it was ended by signal %d (%s) and gave no answer"), answer->status,
                              g_strsignal (answer->status));
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               _ ("The launcher did not answer properly, so nothing is known to have run: %s.%s%s"), ending,
               *said != '\0' ? " " : "", said);
  return NULL;
}

static const char *
get_text (JsonObject *object,
          const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static char *
dup_text (JsonObject *object,
          const char *key)
{
  const char *text = get_text (object, key);

  return g_strdup (text != NULL ? text : "");
}

static GPtrArray *
parse_uses (JsonObject *object,
            const char *key,
            const char *plugin,
            gboolean allowed)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_use_free);
  JsonNode *node = json_object_get_member (object, key);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      JsonObject *item;
      gint64 count = 1;
      OcUse *use;

      if (!JSON_NODE_HOLDS_OBJECT (element))
        continue;
      item = json_node_get_object (element);
      (void) oc_json_get_int (item, key, "count", 1, G_MAXUINT, 1, &count, NULL);
      use = g_new0 (OcUse, 1);
      use->plugin = g_strdup (plugin);
      use->permission = dup_text (item, "permission");
      use->method = dup_text (item, "method");
      use->detail = dup_text (item, "detail");
      use->program = g_strdup (get_text (item, "program"));
      use->allowed = allowed;
      use->count = (guint) count;
      g_ptr_array_add (list, use);
    }
  return list;
}

static gboolean
exit_is_known (gint64 code)
{
  return (code >= OC_EXIT_DONE && code <= OC_EXIT_TIMED_OUT) || code == OC_EXIT_REFUSED;
}

/* What decides: outcome and exit, which must agree with how the process ended. */
static gboolean
parse_ending (OcRunResult *self,
              JsonObject *object,
              OcLaunchAnswer *answer,
              GError **error)
{
  const char *outcome = oc_json_get_string (object, "answer", "outcome", TRUE, error);
  gint64 code = -1;

  if (outcome == NULL || !oc_json_get_int (object, "answer", "exit", 0, 255, -1, &code, error))
    {
      g_prefix_error (error, "%s", _ ("The launcher did not answer properly, so nothing is known to have run: "));
      if (error != NULL && *error != NULL)
        (*error)->code = OC_ERROR_SANDBOX;
      return FALSE;
    }
  /* "not-run" and whatever a later launcher may say: not a success. */
  self->outcome = oc_outcome_from_id (outcome);
  if (self->outcome == OC_OUTCOME_RUNNING)
    self->outcome = OC_OUTCOME_REFUSED;
  if (!answer->exited)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   _ ("The launcher’s answer (exit %d) does not fit how it ended (by signal %d), so it is not believed."),
                   (int) code, answer->status);
      return FALSE;
    }
  if (!exit_is_known (code) || answer->status != code)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   _ ("The launcher’s answer (exit %d) does not fit how it ended (with code %d), so it is not believed."),
                   (int) code, answer->status);
      return FALSE;
    }
  self->exit = (int) code;
  return TRUE;
}

OcRunResult *
oc_run_result_parse (OcLaunchAnswer *answer,
                     GError **error)
{
  g_autoptr (JsonNode) root = parse_answer (answer, error);
  g_autoptr (OcRunResult) self = NULL;
  JsonObject *object;
  JsonNode *result;

  if (root == NULL)
    return NULL;
  object = json_node_get_object (root);
  self = g_atomic_rc_box_new0 (OcRunResult);
  self->used = parse_uses (object, "used", get_text (object, "plugin"), TRUE);
  self->refused = parse_uses (object, "refused", get_text (object, "plugin"), FALSE);
  if (!parse_ending (self, object, answer, error))
    return NULL;
  self->json = g_strndup (answer->out->str, answer->out->len);
  self->message = g_strdup (get_text (object, "message"));
  self->remedy = g_strdup (get_text (object, "remedy"));
  self->out = dup_text (object, "stdout");
  self->err = dup_text (object, "stderr");
  result = json_object_get_member (object, "result");
  if (result != NULL && !JSON_NODE_HOLDS_NULL (result))
    self->result_text = oc_json_to_string (result, TRUE);
  (void) oc_json_get_boolean (object, "answer", "disabledAfterErrors", FALSE, &self->disabled_after_errors, NULL);
  return g_steal_pointer (&self);
}

static void
result_clear (gpointer data)
{
  OcRunResult *self = data;

  g_free (self->json);
  g_free (self->message);
  g_free (self->remedy);
  g_free (self->result_text);
  g_free (self->out);
  g_free (self->err);
  g_ptr_array_unref (self->used);
  g_ptr_array_unref (self->refused);
}

OcRunResult *
oc_run_result_ref (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_run_result_unref (OcRunResult *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, result_clear);
}

int
oc_run_result_get_exit (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, OC_EXIT_REFUSED);
  return self->exit;
}

OcOutcome
oc_run_result_get_outcome (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, OC_OUTCOME_REFUSED);
  return self->outcome;
}

const char *
oc_run_result_get_message (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->message;
}

const char *
oc_run_result_get_remedy (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->remedy;
}

const char *
oc_run_result_get_result_text (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->result_text;
}

const char *
oc_run_result_get_stdout (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->out;
}

const char *
oc_run_result_get_stderr (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->err;
}

GPtrArray *
oc_run_result_get_used (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->used;
}

GPtrArray *
oc_run_result_get_refused (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->refused;
}

gboolean
oc_run_result_is_disabled_after_errors (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->disabled_after_errors;
}

const char *
oc_run_result_get_json (OcRunResult *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->json;
}

static void
layer_free (gpointer data)
{
  OcLayer *layer = data;

  g_free (layer->id);
  g_free (layer->title);
  g_free (layer->detail);
  g_free (layer->remedy);
  g_free (layer);
}

static OcSandboxReport *
report_new (void)
{
  OcSandboxReport *self = g_atomic_rc_box_new0 (OcSandboxReport);

  self->layers = g_ptr_array_new_with_free_func (layer_free);
  return self;
}

OcSandboxReport *
oc_sandbox_report_new_missing (const char *reason,
                               const char *remedy)
{
  OcSandboxReport *self = report_new ();
  OcLayer *layer = g_new0 (OcLayer, 1);

  layer->id = g_strdup ("launcher");
  layer->title = g_strdup (_ ("The launcher"));
  layer->tried = TRUE;
  layer->detail = g_strdup (reason);
  layer->remedy = g_strdup (remedy);
  g_ptr_array_add (self->layers, layer);
  self->summary = g_strdup (_ ("The launcher cannot be used, so no plugin can run."));
  return self;
}

/* FALSE where a layer says nothing that can be relied upon. */
static gboolean
parse_layer (OcSandboxReport *self,
             JsonNode *node)
{
  JsonObject *object;
  OcLayer *layer;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  object = json_node_get_object (node);
  layer = g_new0 (OcLayer, 1);
  layer->id = dup_text (object, "id");
  layer->title = dup_text (object, "title");
  layer->detail = dup_text (object, "detail");
  layer->remedy = g_strdup (get_text (object, "remedy"));
  g_ptr_array_add (self->layers, layer);
  return oc_json_get_boolean (object, "layer", "holds", FALSE, &layer->holds, NULL)
         && oc_json_get_boolean (object, "layer", "tried", TRUE, &layer->tried, NULL);
}

OcSandboxReport *
oc_sandbox_report_parse (OcLaunchAnswer *answer,
                         GError **error)
{
  g_autoptr (JsonNode) root = parse_answer (answer, error);
  g_autoptr (OcSandboxReport) self = NULL;
  JsonObject *object;
  JsonNode *layers;

  if (root == NULL)
    return NULL;
  object = json_node_get_object (root);
  self = report_new ();
  self->summary = dup_text (object, "summary");
  self->executor = g_strdup (get_text (object, "executor"));
  self->executor_reason = g_strdup (get_text (object, "executorReason"));
  layers = json_object_get_member (object, "layers");
  if (!oc_json_get_boolean (object, "answer", "holds", FALSE, &self->holds, error))
    return NULL;
  /* It holds only where every sign of it says so. */
  self->holds = self->holds && answer->exited && answer->status == 0 && layers != NULL && JSON_NODE_HOLDS_ARRAY (layers)
                && json_array_get_length (json_node_get_array (layers)) > 0;
  for (guint i = 0; layers != NULL && JSON_NODE_HOLDS_ARRAY (layers)
                    && i < json_array_get_length (json_node_get_array (layers));
       i++)
    if (!parse_layer (self, json_array_get_element (json_node_get_array (layers), i))
        || !((OcLayer *) self->layers->pdata[self->layers->len - 1])->holds)
      self->holds = FALSE;
  return g_steal_pointer (&self);
}

static void
report_clear (gpointer data)
{
  OcSandboxReport *self = data;

  g_free (self->summary);
  g_free (self->executor);
  g_free (self->executor_reason);
  g_ptr_array_unref (self->layers);
}

OcSandboxReport *
oc_sandbox_report_ref (OcSandboxReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_sandbox_report_unref (OcSandboxReport *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, report_clear);
}

gboolean
oc_sandbox_report_holds (OcSandboxReport *self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return self->holds;
}

const char *
oc_sandbox_report_get_summary (OcSandboxReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->summary;
}

const char *
oc_sandbox_report_get_executor (OcSandboxReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->executor;
}

const char *
oc_sandbox_report_get_executor_reason (OcSandboxReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->executor_reason;
}

GPtrArray *
oc_sandbox_report_get_layers (OcSandboxReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->layers;
}
