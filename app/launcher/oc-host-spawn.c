/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "launcher/oc-memory.h"
#include "launcher/oc-net-broker.h"
#include "launcher/oc-sandbox.h"

/*
 * process.spawn: one tool, in a sandbox of its own with the plugin's policy. Nothing of it goes through a shell, and no name is
 * looked for outside the fixed folders.
 */

/* A running tool; the call's operation. */
typedef struct
{
  OcCall *call; /* borrowed: it owns this */
  OcProcess *process;
  OcMemoryWatch *memory;
  OcNetBroker *net; /* (nullable) */
  OcOutput *out;
  OcOutput *err;
  GBytes *input; /* (nullable) */
  gsize input_at;
  int input_fd; /* owned; -1: none, or all written */
  guint input_source;
  guint end_source;
  guint timeout_source;
  gboolean timed_out;
  gboolean memory_exceeded;
} Spawn;

static void
close_input (Spawn *self)
{
  g_clear_handle_id (&self->input_source, g_source_remove);
  if (self->input_fd >= 0)
    close (self->input_fd);
  self->input_fd = -1;
}

static void
spawn_free (gpointer data)
{
  Spawn *self = data;

  g_clear_handle_id (&self->end_source, g_source_remove);
  g_clear_handle_id (&self->timeout_source, g_source_remove);
  close_input (self);
  g_clear_pointer (&self->memory, oc_memory_watch_free);
  g_clear_pointer (&self->net, oc_net_broker_free);
  g_clear_pointer (&self->process, oc_process_free);
  g_clear_pointer (&self->out, oc_output_free);
  g_clear_pointer (&self->err, oc_output_free);
  g_clear_pointer (&self->input, g_bytes_unref);
  g_free (self);
}

/* The result. */

static void
append_stream (GString *json,
               const char *key,
               OcOutput *output)
{
  gboolean lossy;

  g_string_append_printf (json, "\"%s\":", key);
  lossy = oc_output_append_json (output, json);
  if (lossy)
    {
      gsize len;
      const char *data = oc_output_get_data (output, &len);
      g_autofree char *base64 = g_base64_encode ((const guchar *) data, len);

      g_string_append_printf (json, ",\"%sBase64\":\"%s\"", key, base64);
    }
  g_string_append_c (json, ',');
}

static char *
make_result (Spawn *self)
{
  GString *json = g_string_new ("{");
  gboolean truncated = oc_output_is_truncated (self->out) || oc_output_is_truncated (self->err);
  int exit_code = -1;
  int signal = 0;

  if (!oc_process_wait (self->process, &exit_code, &signal))
    {
      exit_code = -1;
      signal = SIGKILL;
    }
  append_stream (json, "stdout", self->out);
  append_stream (json, "stderr", self->err);
  if (exit_code >= 0)
    g_string_append_printf (json, "\"exitCode\":%d,\"signal\":null", exit_code);
  else
    g_string_append_printf (json, "\"exitCode\":null,\"signal\":%d", signal);
  g_string_append_printf (json, ",\"truncated\":%s,\"timedOut\":%s,\"memoryExceeded\":%s}", truncated ? "true" : "false",
                          self->timed_out ? "true" : "false", self->memory_exceeded ? "true" : "false");
  return g_string_free (json, FALSE);
}

/* All of its namespace is dead, so nobody holds the pipes: what they hold is all there is. */
static gboolean
on_ended (int fd,
          GIOCondition condition,
          gpointer data)
{
  Spawn *self = data;

  self->end_source = 0;
  oc_output_drain (self->out);
  oc_output_drain (self->err);
  /* Frees @self. */
  oc_call_return_text (self->call, make_result (self));
  return G_SOURCE_REMOVE;
}

static gboolean
on_timed_out (gpointer data)
{
  Spawn *self = data;

  self->timeout_source = 0;
  self->timed_out = TRUE;
  oc_process_kill (self->process);
  return G_SOURCE_REMOVE;
}

static void
on_memory_exceeded (gpointer data)
{
  Spawn *self = data;

  self->memory_exceeded = TRUE;
}

static gboolean
on_input_writable (int fd,
                   GIOCondition condition,
                   gpointer data)
{
  Spawn *self = data;
  gsize len;
  const char *bytes = g_bytes_get_data (self->input, &len);
  ssize_t n = write (fd, bytes + self->input_at, len - self->input_at);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  if (n > 0)
    self->input_at += (gsize) n;
  if (n > 0 && self->input_at < len)
    return G_SOURCE_CONTINUE;
  /* All written, or the tool reads no more: it is told by an end of file. */
  self->input_source = 0;
  close_input (self);
  return G_SOURCE_REMOVE;
}

/* Parameters. */

/* GLib skips what is no Base64; here it is an error. */
static gboolean
is_base64 (const char *text)
{
  gsize len = strlen (text);
  gsize n = strspn (text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

  return len % 4 == 0 && len - n <= 2 && strspn (text + n, "=") == len - n;
}

/* A string, or {"base64"}: NULL where it is neither. */
static GBytes *
read_bytes (JsonNode *node)
{
  JsonNode *member;
  const char *text;
  guchar *data;
  gsize len = 0;

  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      text = json_node_get_string (node);
      return g_bytes_new (text, strlen (text));
    }
  if (!JSON_NODE_HOLDS_OBJECT (node) || json_object_get_size (json_node_get_object (node)) != 1)
    return NULL;
  member = json_object_get_member (json_node_get_object (node), "base64");
  if (member == NULL || json_node_get_value_type (member) != G_TYPE_STRING)
    return NULL;
  text = json_node_get_string (member);
  if (!is_base64 (text))
    return NULL;
  data = g_base64_decode (text, &len);
  return g_bytes_new_take (data, len);
}

/* An argument's bytes as a C string; NULL where it cannot be one. */
static char *
read_argument (JsonNode *node)
{
  g_autoptr (GBytes) bytes = read_bytes (node);
  const char *data;
  gsize len;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &len);
  if (len > OC_SPAWN_MAX_ARG_BYTES || (len > 0 && memchr (data, '\0', len) != NULL))
    return NULL;
  return g_strndup (data ? data : "", len);
}

/* FALSE: answered. @argv: (out) (transfer full) */
static gboolean
read_argv (OcCall *call,
           const char *tool,
           char ***argv)
{
  JsonNode *node = json_object_get_member (oc_call_get_params (call), "args");
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  JsonArray *array = NULL;
  gsize total = 0;

  g_ptr_array_add (args, g_strdup (tool));
  if (node != NULL && JSON_NODE_HOLDS_NULL (node))
    node = NULL;
  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    array = json_node_get_array (node);
  if ((node != NULL && array == NULL) || (array != NULL && json_array_get_length (array) > OC_SPAWN_MAX_ARGS))
    {
      oc_call_fail_param (call, "args", _("a list of at most 4096 arguments"));
      return FALSE;
    }
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      char *argument = read_argument (json_array_get_element (array, i));

      if (argument == NULL)
        {
          g_autofree char *key = g_strdup_printf ("args[%u]", i);

          oc_call_fail_param (call, key, _("a string, or {“base64”}, of at most 131071 bytes without NUL"));
          return FALSE;
        }
      total += strlen (argument) + 1;
      g_ptr_array_add (args, argument);
    }
  if (total > OC_SPAWN_MAX_ARGS_BYTES)
    {
      oc_call_fail_param (call, "args", _("at most 1 MiB in all"));
      return FALSE;
    }
  g_ptr_array_add (args, NULL);
  *argv = (char **) g_ptr_array_steal (args, NULL);
  return TRUE;
}

static gboolean
read_input (OcCall *call,
            GBytes **input)
{
  JsonNode *node = json_object_get_member (oc_call_get_params (call), "stdin");

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  *input = read_bytes (node);
  if (*input != NULL)
    return TRUE;
  oc_call_fail_param (call, "stdin", _("a string, or {“base64”}"));
  return FALSE;
}

/* Answers where the tool cannot be run, telling the reasons apart. */
static gboolean
check_tool (OcCall *call,
            OcTool *tool)
{
  const char *name = oc_tool_get_name (tool);

  switch (oc_tool_get_status (tool))
    {
    case OC_TOOL_FOUND:
      return TRUE;
    case OC_TOOL_MISSING:
      oc_call_fail_format (call, OC_RPC_NOT_FOUND, "tool-missing", _("%s is not installed here."), name);
      return FALSE;
    case OC_TOOL_IS_FOLDER:
      oc_call_fail_format (call, OC_RPC_NOT_FOUND, "tool-is-folder", _("%s is a folder or no regular file."), oc_tool_get_path (tool));
      return FALSE;
    case OC_TOOL_NOT_EXECUTABLE:
      oc_call_fail_format (call, OC_RPC_NOT_FOUND, "tool-not-executable", _("%s is not executable."), oc_tool_get_path (tool));
      return FALSE;
    case OC_TOOL_UNREADABLE:
      break;
    }
  oc_call_fail_format (call, OC_RPC_FAILED, "tool-unreadable", _("It could not be told whether %s is installed here."), name);
  return FALSE;
}

/* Starting. */

static OcPlan *
make_plan (const OcHost *host,
           GError **error)
{
  OcPlanInput input = {
    .paths = host->paths,
    .id = oc_plugin_get_id (host->plugin),
    .folder = oc_plugin_get_real_folder (host->plugin),
    .data_folder = host->data_folder,
    .temp_folder = host->temp_folder,
    .network = host->network,
    .hosts = (const char *const *) host->hosts,
    .role = OC_ROLE_TOOL,
  };

  return oc_plan_new (&input, error);
}

static gboolean
make_pipes (int pipes[3][2],
            gboolean with_input)
{
  for (int i = 0; i < 3; i++)
    pipes[i][0] = pipes[i][1] = -1;
  for (int i = with_input ? 0 : 1; i < 3; i++)
    if (pipe2 (pipes[i], O_CLOEXEC) != 0)
      return FALSE;
  return TRUE;
}

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
}

/* NULL: answered. Takes our ends of the pipes. @net: (out) (nullable): what it has instead of a network. */
static OcProcess *
start_process (OcCall *call,
               const char *program,
               char **argv,
               int pipes[3][2],
               OcNetBroker **net)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = make_plan (oc_call_get_host (call), &error);
  g_auto (GStrv) env = plan ? oc_plan_dup_environment (plan) : NULL;
  OcProcess *process = NULL;
  OcCommand command = {
    .program = program,
    .argv = (const char *const *) argv,
    .env = (const char *const *) env,
    .fds = { pipes[0][0], pipes[1][1], pipes[2][1], -1, -1 },
    .notify = oc_call_get_host (call)->notify,
  };

  if (plan != NULL)
    process = oc_sandbox_start (plan, &command, &error);
  close_fd (&pipes[0][0]);
  close_fd (&pipes[1][1]);
  close_fd (&pipes[2][1]);
  if (process != NULL)
    {
      *net = oc_net_broker_new (plan, process, oc_call_get_host (call)->report->uses, NULL);
      return process;
    }
  if (g_error_matches (error, OC_ERROR, OC_ERROR_NOT_FOUND))
    oc_call_fail (call, OC_RPC_NOT_FOUND, "tool-not-started", error->message);
  else
    oc_call_fail (call, OC_RPC_FAILED, "sandbox", error->message);
  return NULL;
}

static void
watch (OcCall *call,
       OcProcess *process,
       OcNetBroker *net,
       int pipes[3][2],
       GBytes *input,
       guint timeout_ms)
{
  Spawn *self = g_new0 (Spawn, 1);
  g_autoptr (GError) error = NULL;

  self->call = call;
  self->process = process;
  self->net = net;
  self->out = oc_output_new (pipes[1][0], OC_OUTPUT_MAX_BYTES);
  self->err = oc_output_new (pipes[2][0], OC_OUTPUT_MAX_BYTES);
  self->input_fd = pipes[0][1];
  if (input != NULL)
    {
      self->input = g_bytes_ref (input);
      g_unix_set_fd_nonblocking (self->input_fd, TRUE, NULL);
      self->input_source = g_unix_fd_add (self->input_fd, G_IO_OUT | G_IO_ERR, on_input_writable, self);
    }
  self->end_source = g_unix_fd_add (oc_process_get_pidfd (process), G_IO_IN, on_ended, self);
  self->timeout_source = g_timeout_add (timeout_ms, on_timed_out, self);
  self->memory = oc_memory_watch_new (process, oc_memory_limit_here (oc_limits_get_default (OC_ROLE_TOOL)->memory),
                                      on_memory_exceeded, self, &error);
  if (self->memory != NULL)
    {
      oc_memory_watch_set_max_tasks (self->memory, oc_limits_get_default (OC_ROLE_TOOL)->processes + 1);
      /* The folders are the worker's. */
      oc_memory_watch_set_max_deleted (self->memory, oc_limits_get_default (OC_ROLE_WORKER)->data_size);
    }
  if (self->memory == NULL)
    {
      oc_call_fail (call, OC_RPC_FAILED, "sandbox", error->message);
      spawn_free (self);
      return;
    }
  oc_call_set_operation (call, self, spawn_free);
}

static void
start (OcCall *call,
       OcTool *tool,
       char **argv,
       GBytes *input,
       guint timeout_ms)
{
  int pipes[3][2];
  OcNetBroker *net = NULL;
  OcProcess *process;

  if (!make_pipes (pipes, input != NULL))
    oc_call_fail_format (call, OC_RPC_FAILED, "io", _("No pipe could be made: %s."), g_strerror (errno));
  else if ((process = start_process (call, oc_tool_get_path (tool), argv, pipes, &net)) != NULL)
    {
      oc_call_record_use (call, oc_tool_get_name (tool));
      watch (call, process, net, pipes, input, timeout_ms);
      return;
    }
  for (int i = 0; i < 3; i++)
    {
      close_fd (&pipes[i][0]);
      close_fd (&pipes[i][1]);
    }
}

void
oc_host_process_spawn (OcCall *call)
{
  OcHost *host = oc_call_get_host (call);
  g_autoptr (GBytes) input = NULL;
  g_autoptr (OcTool) tool = NULL;
  g_auto (GStrv) argv = NULL;
  gint64 timeout_ms;
  const char *name;

  if (!oc_call_read_string (call, "tool", 64, &name) || !read_argv (call, name, &argv) || !read_input (call, &input) ||
      !oc_call_read_int (call, "timeoutMs", 1, OC_SPAWN_MAX_TIMEOUT_MS, OC_SPAWN_DEFAULT_TIMEOUT_MS, &timeout_ms))
    return;
  if (oc_call_count_alike (call) > OC_SPAWN_MAX_AT_ONCE)
    {
      oc_call_fail_format (call, OC_RPC_BUSY, "busy", _("%d tools run already. Wait until one has ended."), OC_SPAWN_MAX_AT_ONCE);
      return;
    }
  tool = oc_tools_look_up (oc_host_get_tools (host), name);
  if (check_tool (call, tool))
    start (call, tool, argv, input, (guint) timeout_ms);
}
