/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-report.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-json.h"

/* Whatever the output is made of, a stream takes at most this in the object: clients read at most 16 MiB of it. */
#define MAX_STREAM_BYTES (3 * 1024 * 1024)

typedef struct
{
  char *level;
  char *message;
} OcLogLine;

static void
log_line_free (gpointer data)
{
  OcLogLine *line = data;

  g_free (line->level);
  g_free (line->message);
  g_free (line);
}

OcReport *
oc_report_new (const char *plugin,
               const char *entry)
{
  OcReport *self = g_new0 (OcReport, 1);

  self->plugin = g_utf8_make_valid (plugin, -1);
  self->entry = g_utf8_make_valid (entry, -1);
  self->exit = OC_EXIT_REFUSED;
  self->uses = oc_uses_new ();
  self->log = g_ptr_array_new_with_free_func (log_line_free);
  return self;
}

void
oc_report_free (OcReport *self)
{
  g_free (self->plugin);
  g_free (self->entry);
  g_free (self->message);
  g_free (self->remedy);
  g_free (self->result_text);
  g_free (self->stdout_text);
  g_free (self->stderr_text);
  oc_uses_free (self->uses);
  g_ptr_array_unref (self->log);
  g_free (self);
}

void
oc_report_refuse (OcReport *self,
                  OcExit code,
                  const char *message,
                  const char *remedy)
{
  self->ran = FALSE;
  self->exit = code;
  g_free (self->message);
  g_free (self->remedy);
  self->message = g_strdup (message);
  self->remedy = g_strdup (remedy);
}

static OcExit
exit_of (OcOutcome outcome)
{
  switch (outcome)
    {
    case OC_OUTCOME_DONE:
      return OC_EXIT_DONE;
    case OC_OUTCOME_TIMED_OUT:
      return OC_EXIT_TIMED_OUT;
    case OC_OUTCOME_REVOKED:
      return OC_EXIT_NO_CONSENT;
    case OC_OUTCOME_REFUSED:
      return OC_EXIT_REFUSED;
    case OC_OUTCOME_RUNNING:
    case OC_OUTCOME_REPORTED:
    case OC_OUTCOME_CRASH:
    case OC_OUTCOME_PROTOCOL:
    case OC_OUTCOME_EXCEPTION:
    case OC_OUTCOME_STOPPED:
      return OC_EXIT_ERROR;
    }
  return OC_EXIT_ERROR;
}

/* At most @max bytes of @text, not cut into a character. */
static char *
dup_capped (const char *text,
            gsize max)
{
  gsize len = strlen (text);

  if (len <= max)
    return g_strdup (text);
  len = max;
  while (len > 0 && ((guchar) text[len] & 0xc0) == 0x80)
    len--;
  return g_strdup_printf ("%.*s…", (int) len, text);
}

void
oc_report_end (OcReport *self,
               OcOutcome outcome,
               const char *message)
{
  self->ran = TRUE;
  self->outcome = outcome;
  self->exit = exit_of (outcome);
  g_free (self->message);
  self->message = message ? dup_capped (message, OC_REPORT_MAX_MESSAGE_BYTES) : NULL;
}

gboolean
oc_report_add_log (OcReport *self,
                   const char *level,
                   const char *message)
{
  OcLogLine *line;

  if (self->log->len >= OC_REPORT_MAX_LOG_LINES)
    {
      if (self->log_dropped < G_MAXUINT)
        self->log_dropped++;
      return FALSE;
    }
  line = g_new0 (OcLogLine, 1);
  line->level = g_strdup (level);
  line->message = dup_capped (message, OC_REPORT_MAX_LOG_BYTES);
  g_ptr_array_add (self->log, line);
  return TRUE;
}

void
oc_report_take_output (OcReport *self,
                       OcOutput *out,
                       OcOutput *err)
{
  gboolean out_cut = FALSE;
  gboolean err_cut = FALSE;

  g_free (self->stdout_text);
  g_free (self->stderr_text);
  self->stdout_text = oc_output_dup_text (out, MAX_STREAM_BYTES, &out_cut);
  self->stderr_text = oc_output_dup_text (err, MAX_STREAM_BYTES, &err_cut);
  /* Its author's most common mistake. */
  if (self->remedy == NULL && (self->outcome == OC_OUTCOME_TIMED_OUT || self->outcome == OC_OUTCOME_CRASH
                                || self->outcome == OC_OUTCOME_PROTOCOL)
      && g_str_has_prefix (self->stdout_text, "Content-Length:"))
    self->remedy = g_strdup (_("What it wrote to its standard output begins like a message: the plugin's author has to send "
                               "messages on descriptor 4."));
  self->truncated = out_cut || err_cut || oc_output_is_truncated (out) || oc_output_is_truncated (err);
}

static void
set_string (JsonObject *object,
            const char *key,
            const char *value)
{
  g_autofree char *valid = value ? g_utf8_make_valid (value, -1) : NULL;

  if (valid != NULL)
    json_object_set_string_member (object, key, valid);
  else
    json_object_set_null_member (object, key);
}

static JsonArray *
log_to_json (OcReport *self)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->log->len; i++)
    {
      OcLogLine *line = self->log->pdata[i];
      JsonObject *object = json_object_new ();

      set_string (object, "level", line->level);
      set_string (object, "message", line->message);
      json_array_add_object_element (array, object);
    }
  if (self->log_dropped > 0)
    {
      JsonObject *object = json_object_new ();
      g_autofree char *message = NULL;

      message = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u more line was not kept.", "%u more lines were not kept.",
                                              self->log_dropped),
                                 self->log_dropped);
      set_string (object, "level", "warning");
      set_string (object, "message", message);
      json_array_add_object_element (array, object);
    }
  return array;
}

char *
oc_report_to_json (OcReport *self)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  g_autofree char *text = NULL;
  gsize len;

  json_node_take_object (root, object);
  set_string (object, "plugin", self->plugin);
  set_string (object, "entry", self->entry);
  set_string (object, "outcome", self->ran ? oc_outcome_to_id (self->outcome) : "not-run");
  json_object_set_int_member (object, "exit", self->exit);
  set_string (object, "message", self->message);
  set_string (object, "remedy", self->remedy);
  set_string (object, "stdout", self->stdout_text ? self->stdout_text : "");
  set_string (object, "stderr", self->stderr_text ? self->stderr_text : "");
  json_object_set_boolean_member (object, "truncated", self->truncated);
  json_object_set_int_member (object, "durationMs", self->duration_us / 1000);
  json_object_set_array_member (object, "used", oc_uses_to_json (self->uses, TRUE));
  json_object_set_array_member (object, "refused", oc_uses_to_json (self->uses, FALSE));
  json_object_set_array_member (object, "log", log_to_json (self));
  json_object_set_boolean_member (object, "disabledAfterErrors", self->disabled_after_errors);
  json_object_set_int_member (object, "errorsInARow", self->errors_in_a_row);

  /* The plugin's result is passed on as it wrote it: json-glib would turn 0.1 into 0.10000000000000001. */
  text = oc_json_to_string (root, FALSE);
  len = strlen (text);
  g_assert (len > 2 && text[len - 1] == '}');
  return g_strdup_printf ("%.*s,\"result\":%s}", (int) (len - 1), text, self->result_text ? self->result_text : "null");
}
