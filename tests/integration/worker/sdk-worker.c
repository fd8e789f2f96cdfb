/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does with ocelot.h what sdk-worker.py does with ocelot.py, in the same words: test-sdk.py talks to both. */
#define OCELOT_IMPLEMENTATION
#include "ocelot.h"

static void
put (ocelot_json *json, const char *key, const char *text)
{
  ocelot_json_key (json, key);
  if (text != NULL)
    ocelot_json_string (json, text);
  else
    ocelot_json_null (json);
}

static void
put_hex (ocelot_json *json, const char *bytes, size_t length)
{
  char *text = calloc (length + 1, 2);

  for (size_t i = 0; i < length; i++)
    snprintf (text + 2 * i, 3, "%02x", (unsigned) (unsigned char) bytes[i]);
  ocelot_json_string (json, text);
  free (text);
}

static void
put_path (ocelot_json *json, const char *key, const char *path)
{
  if (key != NULL)
    ocelot_json_key (json, key);
  if (path != NULL)
    put_hex (json, path, strlen (path));
  else
    ocelot_json_null (json);
}

static int
tell_context (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);

  ocelot_json_begin_object (result);
  put (result, "command", context->command);
  put (result, "locale", context->locale);
  put_path (result, "data", context->data_folder);
  put_path (result, "temp", context->temp_folder);
  put_path (result, "plugin", context->plugin_folder);
  ocelot_json_key (result, "paths");
  ocelot_json_begin_array (result);
  for (size_t i = 0; i < context->n_paths; i++)
    put_path (result, NULL, context->paths[i]);
  ocelot_json_end_array (result);
  put_path (result, "folder", context->folder);
  ocelot_json_end_object (result);
  return OCELOT_OK;
}

static int
ask_context (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);
  ocelot_context again;
  int code = ocelot_get_context (host, &again);

  if (code != OCELOT_OK)
    return code;
  ocelot_json_begin_object (result);
  put (result, "command", again.command);
  put_path (result, "data", again.data_folder);
  ocelot_json_end_object (result);
  ocelot_context_clear (&again);
  return OCELOT_OK;
}

static int
select_things (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);
  ocelot_selection selection;
  int code = ocelot_get_selection (host, &selection);

  if (code != OCELOT_OK)
    return code;
  ocelot_json_begin_object (result);
  ocelot_json_key (result, "items");
  ocelot_json_begin_array (result);
  for (size_t i = 0; i < selection.n_items; i++)
    {
      ocelot_json_begin_array (result);
      put_path (result, NULL, selection.paths[i]);
      ocelot_json_string (result, selection.names[i]);
      ocelot_json_string (result, selection.uris[i]);
      ocelot_json_end_array (result);
    }
  ocelot_json_end_array (result);
  put_path (result, "folder", selection.folder);
  ocelot_json_end_object (result);
  ocelot_selection_clear (&selection);
  return OCELOT_OK;
}

static int
read_file (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);
  long long sum = 0;
  char *text;
  int code = ocelot_read_text (host, context->paths[0], &text);

  if (code != OCELOT_OK)
    return code;
  for (const char *c = text; *c != '\0'; c++)
    sum += (unsigned char) *c;
  ocelot_json_begin_object (result);
  ocelot_json_key (result, "bytes");
  ocelot_json_integer (result, (long long) strlen (text));
  ocelot_json_key (result, "sum");
  ocelot_json_integer (result, sum);
  ocelot_json_end_object (result);
  free (text);
  return OCELOT_OK;
}

static int
spawn (ocelot *host, const ocelot_context *context, void *data)
{
  static const char *const args[] = { "plain", "\xff\xfe", "", "-x", NULL };
  const ocelot_spawn_options options = { "\xff\0in", 4, 1500 };
  ocelot_json *result = ocelot_result (host);
  ocelot_spawn_result ended;
  int code = ocelot_spawn (host, "tool", args, &options, &ended);

  if (code != OCELOT_OK)
    return code;
  ocelot_json_begin_object (result);
  ocelot_json_key (result, "out");
  put_hex (result, ended.out, ended.out_length);
  ocelot_json_key (result, "err");
  put_hex (result, ended.err, ended.err_length);
  ocelot_json_key (result, "exit");
  ocelot_json_integer (result, ended.exit_code);
  ocelot_json_key (result, "signal");
  ocelot_json_integer (result, ended.signal);
  ocelot_json_key (result, "truncated");
  ocelot_json_boolean (result, ended.truncated);
  ocelot_json_key (result, "timedOut");
  ocelot_json_boolean (result, ended.timed_out);
  ocelot_json_key (result, "memoryExceeded");
  ocelot_json_boolean (result, ended.memory_exceeded);
  ocelot_json_end_object (result);
  ocelot_spawn_result_clear (&ended);
  return OCELOT_OK;
}

static int
store (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);
  ocelot_json value = { NULL, 0, 0 };
  char *text = NULL;
  char **keys = NULL;
  int removed = 0;

  ocelot_json_raw (&value, "{\"list\":[1,\"\\u00e9\\\"\\\\\"],\"none\":null}");
  if (ocelot_storage_set (host, "key", value.text) == OCELOT_OK && ocelot_storage_get (host, "key", &text) == OCELOT_OK
      && ocelot_storage_remove (host, "key", &removed) == OCELOT_OK && ocelot_storage_keys (host, &keys) == OCELOT_OK)
    {
      ocelot_json_begin_object (result);
      ocelot_json_key (result, "value");
      ocelot_json_raw (result, text);
      ocelot_json_key (result, "removed");
      ocelot_json_boolean (result, removed);
      ocelot_json_key (result, "keys");
      ocelot_json_begin_array (result);
      for (char **key = keys; *key != NULL; key++)
        ocelot_json_string (result, *key);
      ocelot_json_end_array (result);
      ocelot_json_end_object (result);
    }
  ocelot_strings_free (keys);
  free (text);
  ocelot_json_clear (&value);
  return ocelot_get_error (host)->code;
}

static int
open_things (ocelot *host, const ocelot_context *context, void *data)
{
  int code = ocelot_open_url (host, "https://example.org/");

  if (code == OCELOT_OK)
    code = ocelot_open_in_app (host, "org.example.App", NULL);
  return code == OCELOT_OK ? ocelot_open_in_app (host, "org.example.App", context->paths[0]) : code;
}

static int
write_log (ocelot *host, const ocelot_context *context, void *data)
{
  char line[6001] = "";

  for (int i = 0; i < 3000; i++)
    memcpy (line + 2 * i, "\xc3\xa9", 3);
  ocelot_log (host, "debug", "%s", "one");
  ocelot_log (host, "info", "%s", line);
  ocelot_log (host, "warning", "a\xff%c", 'b');
  ocelot_log (host, "error", "last");
  return OCELOT_OK;
}

static int
many_lines (ocelot *host, const ocelot_context *context, void *data)
{
  for (int i = 0; i < 5000; i++)
    ocelot_log (host, "info", "line");
  return OCELOT_OK;
}

static int
catch_error (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);
  char *text = NULL;
  const ocelot_error *error = ocelot_get_error (host);

  ocelot_read_text (host, "/x", &text);
  free (text);
  ocelot_json_begin_object (result);
  ocelot_json_key (result, "code");
  ocelot_json_integer (result, error->code);
  put (result, "reason", error->reason);
  put (result, "permission", error->permission);
  put (result, "message", error->message);
  ocelot_json_end_object (result);
  return OCELOT_OK;
}

static int
report (ocelot *host, const ocelot_context *context, void *data)
{
  return ocelot_report (host, "This is no notebook.");
}

static int
fail (ocelot *host, const ocelot_context *context, void *data)
{
  char *text = NULL;
  int code = ocelot_read_text (host, "/x", &text);

  free (text);
  return code;
}

static int
long_text (ocelot *host, int length, int in_object)
{
  ocelot_json *result = ocelot_result (host);
  char *text = malloc ((size_t) length + 1);

  memset (text, 'x', (size_t) length);
  text[length] = '\0';
  if (in_object)
    {
      ocelot_json_begin_object (result);
      ocelot_json_key (result, "long");
    }
  ocelot_json_string (result, text);
  if (in_object)
    ocelot_json_end_object (result);
  free (text);
  return OCELOT_OK;
}

static int
too_long (ocelot *host, const ocelot_context *context, void *data)
{
  return long_text (host, 4194304, 1);
}

static int
longest (ocelot *host, const ocelot_context *context, void *data)
{
  return long_text (host, 4000000, 0);
}

static int
odd_result (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json *result = ocelot_result (host);

  ocelot_json_begin_object (result);
  put (result, "quote", "\"\\\n\t\x01\xc3\xa9\xf0\x9f\x98\x80");
  ocelot_json_key (result, "integer");
  ocelot_json_integer (result, -9007199254740991);
  ocelot_json_key (result, "half");
  ocelot_json_number (result, 0.5);
  ocelot_json_key (result, "list");
  ocelot_json_begin_array (result);
  ocelot_json_end_array (result);
  ocelot_json_key (result, "object");
  ocelot_json_begin_object (result);
  ocelot_json_end_object (result);
  ocelot_json_end_object (result);
  return OCELOT_OK;
}

static int
unfinished (ocelot *host, const ocelot_context *context, void *data)
{
  ocelot_json_begin_object (ocelot_result (host));
  return OCELOT_OK;
}

/* Texts on standard input, each after its length and a line feed: a line "yes" or "no" for each, whether the reader takes it. */
static int
judge (void)
{
  size_t length;

  while (scanf ("%zu", &length) == 1 && getchar () == '\n')
    {
      char *text = calloc (length + 1, 1);
      ocelot_value value;

      if (fread (text, 1, length, stdin) == length)
        puts (ocelot_json_parse (text, length, &value) ? "yes" : "no");
      free (text);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  static const ocelot_command commands[] = {
    { "tell-context", tell_context }, { "ask-context", ask_context }, { "select", select_things },
    { "read", read_file },            { "spawn", spawn },             { "store", store },
    { "open", open_things },          { "log", write_log },           { "many-lines", many_lines },
    { "catch", catch_error },         { "report", report },           { "fail", fail },
    { "too-long", too_long },         { "longest", longest },         { "odd-result", odd_result },
    { "unfinished", unfinished },     { NULL, NULL },
  };

  return argc > 1 ? judge () : ocelot_main (commands, NULL);
}
