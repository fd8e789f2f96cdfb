/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls of the host: what ocelot.h declares of them. Included by ocelot-host.h. */
#ifndef OCELOT_CALLS_H
#define OCELOT_CALLS_H

static const char ocelot__base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes: a string, or {"base64"} where they are no text. */
static void
ocelot__append_bytes (ocelot_json *json, const char *bytes, size_t length)
{
  if (ocelot__is_text (bytes, length))
    {
      ocelot_json_string_n (json, bytes, length);
      return;
    }
  ocelot_json_raw (json, "{\"base64\":\"");
  for (size_t at = 0; at < length; at += 3)
    {
      size_t n = length - at < 3 ? length - at : 3;
      unsigned long group = 0;
      char four[4] = { '=', '=', '=', '=' };

      for (size_t i = 0; i < 3; i++)
        group = group << 8 | (i < n ? (unsigned char) bytes[at + i] : 0u);
      for (size_t i = 0; i <= n; i++)
        four[i] = ocelot__base64[group >> (18 - 6 * i) & 63];
      ocelot__append (json, four, 4);
    }
  ocelot__append (json, "\"}", 2);
}

void
ocelot_json_path (ocelot_json *json, const char *path)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

  if (ocelot__is_text (path, strlen (path)))
    {
      ocelot_json_string (json, path);
      return;
    }
  ocelot__begin (json);
  ocelot__append (json, "\"file://", 8);
  for (; *path != '\0'; path++)
    {
      char escape[4];

      if (strchr (plain, *path) != NULL)
        ocelot__append (json, path, 1);
      else
        ocelot__append (json, escape, (size_t) snprintf (escape, sizeof escape, "%%%02X", (unsigned) (unsigned char) *path));
    }
  ocelot__append (json, "\"", 1);
}

/* Paths and bytes from the host. */

/* Bytes from Base64, in place of the text. */
static size_t
ocelot__decode_base64 (char *text)
{
  unsigned long group = 0;
  size_t length = 0;
  int n = 0;

  for (const char *at = text; *at != '\0' && strchr (ocelot__base64, *at) != NULL; at++)
    {
      group = group << 6 | (unsigned long) (strchr (ocelot__base64, *at) - ocelot__base64);
      n += 6;
      if (n >= 8)
        text[length++] = (char) (group >> (n -= 8) & 0xff);
    }
  text[length] = '\0';
  return length;
}

static char *
ocelot__to_path (char *text)
{
  char *out = text;

  if (text == NULL || strncmp (text, "file://", 7) != 0)
    return text;
  for (const char *at = text + 7; *at != '\0';)
    {
      if (*at == '%' && at[1] != '\0' && at[2] != '\0')
        {
          const char digits[3] = { at[1], at[2], '\0' };

          *out++ = (char) strtol (digits, NULL, 16);
          at += 3;
        }
      else
        *out++ = *at++;
    }
  *out = '\0';
  return text;
}

static char *
ocelot__dup_path (ocelot_value object, const char *key)
{
  return ocelot__to_path (ocelot__dup_text (object, key, NULL));
}

/* A list of texts. @n: or NULL */
static char **
ocelot__dup_texts (ocelot_value array, size_t *n, int are_paths)
{
  ocelot_value item = { NULL, NULL };
  char **texts = (char **) ocelot__resize (NULL, sizeof *texts);
  size_t count = 0;
  char *text;

  while (ocelot_value_next (array, &item))
    if (ocelot_value_string (item, &text, NULL))
      {
        texts = (char **) ocelot__resize (texts, (count + 2) * sizeof *texts);
        texts[count++] = are_paths ? ocelot__to_path (text) : text;
      }
  texts[count] = NULL;
  if (n != NULL)
    *n = count;
  return texts;
}

void
ocelot_strings_free (char **strings)
{
  for (size_t i = 0; strings != NULL && strings[i] != NULL; i++)
    free (strings[i]);
  free (strings);
}

/* The calls. */

static void
ocelot__read_context (ocelot_value from, ocelot_context *context)
{
  ocelot_value paths;

  memset (context, 0, sizeof *context);
  context->command = ocelot__dup_text (from, "command", NULL);
  context->locale = ocelot__dup_text (from, "locale", NULL);
  context->data_folder = ocelot__dup_path (from, "dataFolder");
  context->temp_folder = ocelot__dup_path (from, "tempFolder");
  context->plugin_folder = ocelot__dup_path (from, "pluginFolder");
  context->folder = ocelot__dup_path (from, "folder");
  context->has_selection = ocelot_value_member (from, "paths", &paths);
  if (!context->has_selection)
    ocelot_json_parse ("[]", 2, &paths);
  context->paths = ocelot__dup_texts (paths, &context->n_paths, 1);
}

void
ocelot_context_clear (ocelot_context *context)
{
  free (context->command);
  free (context->locale);
  free (context->data_folder);
  free (context->temp_folder);
  free (context->plugin_folder);
  free (context->folder);
  ocelot_strings_free (context->paths);
  memset (context, 0, sizeof *context);
}

int
ocelot_get_context (ocelot *host, ocelot_context *context)
{
  ocelot_json json = { NULL, 0, 0 };
  ocelot_value result;

  ocelot__begin_call (host, &json, "context.get");
  if (ocelot__end_call (host, &json, &result) == OCELOT_OK)
    ocelot__read_context (result, context);
  return host->error.code;
}

int
ocelot_get_selection (ocelot *host, ocelot_selection *selection)
{
  ocelot_json json = { NULL, 0, 0 };
  ocelot_value item = { NULL, NULL };
  ocelot_value items;
  ocelot_value result;
  size_t n = 0;

  ocelot__begin_call (host, &json, "selection.get");
  if (ocelot__end_call (host, &json, &result) != OCELOT_OK)
    return host->error.code;
  memset (selection, 0, sizeof *selection);
  selection->folder = ocelot__dup_path (result, "folder");
  if (!ocelot_value_member (result, "items", &items))
    ocelot_json_parse ("[]", 2, &items);
  while (ocelot_value_next (items, &item))
    n++;
  selection->paths = (char **) ocelot__resize (NULL, (n + 1) * sizeof (char *));
  selection->names = (char **) ocelot__resize (NULL, (n + 1) * sizeof (char *));
  selection->uris = (char **) ocelot__resize (NULL, (n + 1) * sizeof (char *));
  selection->n_items = n;
  for (item.at = NULL, n = 0; ocelot_value_next (items, &item); n++)
    {
      selection->paths[n] = ocelot__dup_path (item, "path");
      selection->names[n] = ocelot__dup_text (item, "name", NULL);
      selection->uris[n] = ocelot__dup_text (item, "uri", NULL);
    }
  selection->paths[n] = selection->names[n] = selection->uris[n] = NULL;
  return OCELOT_OK;
}

void
ocelot_selection_clear (ocelot_selection *selection)
{
  ocelot_strings_free (selection->paths);
  ocelot_strings_free (selection->names);
  ocelot_strings_free (selection->uris);
  free (selection->folder);
  memset (selection, 0, sizeof *selection);
}

int
ocelot_read_text (ocelot *host, const char *path, char **text)
{
  ocelot_json json = { NULL, 0, 0 };
  ocelot_value result;

  ocelot__begin_call (host, &json, "file.readText");
  ocelot_json_key (&json, "path");
  ocelot_json_path (&json, path);
  if (ocelot__end_call (host, &json, &result) == OCELOT_OK && !ocelot_value_string (result, text, NULL))
    ocelot__fail_here (host, OCELOT_INTERNAL_ERROR, "The answer is no text.");
  return host->error.code;
}

static int
ocelot__is_true (ocelot_value object, const char *key)
{
  ocelot_value member;
  int is = 0;

  if (ocelot_value_member (object, key, &member))
    ocelot_value_boolean (member, &is);
  return is;
}

static int
ocelot__number (ocelot_value object, const char *key, int fallback)
{
  ocelot_value member;
  long long number = fallback;

  if (ocelot_value_member (object, key, &member))
    ocelot_value_integer (member, &number);
  return (int) number;
}

/* Exact where it is no text, else as it is. */
static char *
ocelot__dup_output (ocelot_value result, const char *exact, const char *key, size_t *length)
{
  char *output = ocelot__dup_text (result, exact, length);

  if (output != NULL)
    *length = ocelot__decode_base64 (output);
  else
    output = ocelot__dup_text (result, key, length);
  return output;
}

int
ocelot_spawn (ocelot *host, const char *tool, const char *const *args, const ocelot_spawn_options *options,
              ocelot_spawn_result *result)
{
  ocelot_json json = { NULL, 0, 0 };
  ocelot_value answer;

  ocelot__begin_call (host, &json, "process.spawn");
  ocelot_json_key (&json, "tool");
  ocelot_json_string (&json, tool);
  ocelot_json_key (&json, "args");
  ocelot_json_begin_array (&json);
  for (size_t i = 0; args != NULL && args[i] != NULL; i++)
    ocelot__append_bytes (&json, args[i], strlen (args[i]));
  ocelot_json_end_array (&json);
  if (options != NULL && options->input != NULL)
    {
      ocelot_json_key (&json, "stdin");
      ocelot__append_bytes (&json, (const char *) options->input, options->input_length);
    }
  if (options != NULL && options->timeout_ms != 0)
    {
      ocelot_json_key (&json, "timeoutMs");
      ocelot_json_integer (&json, options->timeout_ms);
    }
  if (ocelot__end_call (host, &json, &answer) != OCELOT_OK)
    return host->error.code;
  memset (result, 0, sizeof *result);
  result->out = ocelot__dup_output (answer, "stdoutBase64", "stdout", &result->out_length);
  result->err = ocelot__dup_output (answer, "stderrBase64", "stderr", &result->err_length);
  result->exit_code = ocelot__number (answer, "exitCode", -1);
  result->signal = ocelot__number (answer, "signal", 0);
  result->truncated = ocelot__is_true (answer, "truncated");
  result->timed_out = ocelot__is_true (answer, "timedOut");
  result->memory_exceeded = ocelot__is_true (answer, "memoryExceeded");
  return OCELOT_OK;
}

void
ocelot_spawn_result_clear (ocelot_spawn_result *result)
{
  free (result->out);
  free (result->err);
  memset (result, 0, sizeof *result);
}

int
ocelot_open_url (ocelot *host, const char *url)
{
  ocelot_json json = { NULL, 0, 0 };
  ocelot_value result;

  ocelot__begin_call (host, &json, "openURL");
  ocelot_json_key (&json, "url");
  ocelot_json_string (&json, url);
  return ocelot__end_call (host, &json, &result);
}

int
ocelot_open_in_app (ocelot *host, const char *app, const char *folder)
{
  ocelot_json json = { NULL, 0, 0 };
  ocelot_value result;

  ocelot__begin_call (host, &json, "app.open");
  ocelot_json_key (&json, "app");
  ocelot_json_string (&json, app);
  if (folder != NULL)
    {
      ocelot_json_key (&json, "folder");
      ocelot_json_path (&json, folder);
    }
  return ocelot__end_call (host, &json, &result);
}

static int
ocelot__call_storage (ocelot *host, const char *method, const char *key, const char *value, ocelot_value *result)
{
  ocelot_json json = { NULL, 0, 0 };

  if (value != NULL && !ocelot__check (value, value + strlen (value), 30))
    return ocelot__fail_here (host, OCELOT_INVALID_PARAMS, "storage.set: “value” must be JSON, 30 deep at most.");
  ocelot__begin_call (host, &json, method);
  if (key != NULL)
    {
      ocelot_json_key (&json, "key");
      ocelot_json_string (&json, key);
    }
  if (value != NULL)
    {
      ocelot_json_key (&json, "value");
      ocelot_json_raw (&json, value);
    }
  return ocelot__end_call (host, &json, result);
}

int
ocelot_storage_get (ocelot *host, const char *key, char **json)
{
  ocelot_value result;

  if (ocelot__call_storage (host, "storage.get", key, NULL, &result) == OCELOT_OK)
    *json = ocelot__copy (result.at, (size_t) (result.end - result.at));
  return host->error.code;
}

int
ocelot_storage_set (ocelot *host, const char *key, const char *json)
{
  ocelot_value result;

  return ocelot__call_storage (host, "storage.set", key, json, &result);
}

int
ocelot_storage_remove (ocelot *host, const char *key, int *removed)
{
  ocelot_value result;
  int was_there = 0;

  if (ocelot__call_storage (host, "storage.remove", key, NULL, &result) == OCELOT_OK)
    ocelot_value_boolean (result, &was_there);
  if (removed != NULL)
    *removed = was_there;
  return host->error.code;
}

int
ocelot_storage_keys (ocelot *host, char ***keys)
{
  ocelot_value result;

  if (ocelot__call_storage (host, "storage.keys", NULL, NULL, &result) == OCELOT_OK)
    *keys = ocelot__dup_texts (result, NULL, 0);
  return host->error.code;
}

void
ocelot_log (ocelot *host, const char *level, const char *format, ...)
{
  ocelot_json json = { NULL, 0, 0 };
  char line[OCELOT__MAX_LOG_BYTES];
  va_list args;

  if (host->lines++ >= OCELOT__MAX_LOG_LINES)
    return;
  va_start (args, format);
  vsnprintf (line, sizeof line, format, args);
  va_end (args);
  ocelot__begin_message (&json);
  ocelot_json_key (&json, "method");
  ocelot_json_string (&json, "log");
  ocelot_json_key (&json, "params");
  ocelot_json_begin_object (&json);
  ocelot_json_key (&json, "level");
  ocelot_json_string (&json, level);
  ocelot_json_key (&json, "message");
  ocelot_json_string (&json, line);
  ocelot_json_end_object (&json);
  ocelot_json_end_object (&json);
  ocelot__send (host, &json);
}

#endif
