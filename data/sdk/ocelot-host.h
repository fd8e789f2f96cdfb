/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conversation with the host: what ocelot.h declares of it. Included there. */
#ifndef OCELOT_HOST_H
#define OCELOT_HOST_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The host is trusted; this is against a fault. */
#define OCELOT__MAX_FROM_HOST (512UL * 1024 * 1024)
#define OCELOT__MAX_HEADER 4096
/* The host keeps 200 lines, and ends a plugin that sends 100,000. */
#define OCELOT__MAX_LOG_LINES 1000
#define OCELOT__MAX_LOG_BYTES 2048

struct ocelot
{
  int from_host;
  int to_host;
  char *buffer; /* what was read; a NUL follows */
  size_t length;
  size_t size;
  size_t message; /* bytes at the start of the buffer that are the last message */
  long next_id;
  int lines;
  int gone; /* amid a call or an answer */
  ocelot_error error;
  char *owned[3]; /* of the error */
  char *report;
  ocelot_json result;
};

/* The conversation. */

/* The text of a member; NULL where it is none. */
static char *
ocelot__dup_text (ocelot_value object, const char *key, size_t *length)
{
  ocelot_value member;
  char *text = NULL;

  if (ocelot_value_member (object, key, &member))
    ocelot_value_string (member, &text, length);
  return text;
}

/* Returns @code. Takes @message, @reason and @permission. */
static int
ocelot__fail (ocelot *host, int code, char *message, char *reason, char *permission)
{
  char *const now[3] = { message, reason, permission };

  for (int i = 0; i < 3; i++)
    {
      free (host->owned[i]);
      host->owned[i] = now[i];
    }
  host->error.code = code;
  host->error.message = message != NULL ? message : "";
  host->error.reason = reason;
  host->error.permission = permission;
  return code;
}

static int
ocelot__fail_here (ocelot *host, int code, const char *message)
{
  return ocelot__fail (host, code, ocelot__copy (message, strlen (message)), NULL, NULL);
}

const ocelot_error *
ocelot_get_error (const ocelot *host)
{
  return &host->error;
}

/* Frames @json and sends it. Clears it. */
static int
ocelot__send (ocelot *host, ocelot_json *json)
{
  ocelot_json frame = { NULL, 0, 0 };
  char header[64];
  size_t at = 0;

  if (json->length > OCELOT_MAX_MESSAGE_BYTES)
    {
      ocelot_json_clear (json);
      return ocelot__fail_here (host, OCELOT_INVALID_PARAMS, "The message takes more than 4 MiB.");
    }
  ocelot__append (&frame, header, (size_t) snprintf (header, sizeof header, "Content-Length: %lu\r\n\r\n", (unsigned long) json->length));
  ocelot__append (&frame, json->text, json->length);
  ocelot_json_clear (json);
  while (at < frame.length)
    {
      ssize_t n = write (host->to_host, frame.text + at, frame.length - at);

      if (n < 0 && errno != EINTR)
        break;
      at += n > 0 ? (size_t) n : 0;
    }
  host->gone |= at < frame.length;
  if (host->gone)
    ocelot__fail_here (host, OCELOT_HOST_GONE, "The host does not listen.");
  else
    ocelot__fail_here (host, OCELOT_OK, "");
  ocelot_json_clear (&frame);
  return host->error.code;
}

/* Where the header ends, in *@body, and what it says; 0 where there is no whole header yet, -1 where it is none. */
static int
ocelot__read_header (ocelot *host, size_t *body, size_t *length)
{
  const char *end = host->length > 0 ? strstr (host->buffer, "\r\n\r\n") : NULL;
  const char *line = host->buffer;

  if (end == NULL)
    return host->length > OCELOT__MAX_HEADER ? -1 : 0;
  *body = (size_t) (end + 4 - host->buffer);
  for (; line < end; line = strstr (line, "\r\n") + 2)
    if (strncasecmp (line, "Content-Length:", 15) == 0)
      {
        *length = strtoul (line + 15, NULL, 10);
        return *length > 0 && *length <= OCELOT__MAX_FROM_HOST ? 1 : -1;
      }
  return -1;
}

/* 1; 0 at the end; -1 where it cannot be read. */
static int
ocelot__read_some (ocelot *host)
{
  ssize_t n;

  if (host->size - host->length < 65537)
    {
      host->size = host->size * 2 + 65537;
      host->buffer = (char *) ocelot__resize (host->buffer, host->size);
    }
  do
    n = read (host->from_host, host->buffer + host->length, host->size - host->length - 1);
  while (n < 0 && errno == EINTR);
  host->length += n > 0 ? (size_t) n : 0;
  host->buffer[host->length] = '\0';
  return n > 0 ? 1 : n == 0 ? 0 : -1;
}

/* @message: lies in the buffer until the next one is read. */
static int
ocelot__receive (ocelot *host, ocelot_value *message)
{
  size_t body = 0;
  size_t length = 0;
  int header = 0;

  host->length -= host->message;
  if (host->message > 0)
    memmove (host->buffer, host->buffer + host->message, host->length + 1);
  host->message = 0;
  for (;;)
    {
      if (header == 0)
        header = ocelot__read_header (host, &body, &length);
      if (header < 0)
        return ocelot__fail_here (host, OCELOT_HOST_GONE, "What came from the host is no message.");
      if (header > 0 && host->length >= body + length)
        break;
      if (ocelot__read_some (host) <= 0)
        return ocelot__fail_here (host, OCELOT_HOST_GONE, "The host has closed the conversation.");
    }
  host->message = body + length;
  if (!ocelot_json_parse (host->buffer + body, length, message) || ocelot_value_type (*message) != '{')
    return ocelot__fail_here (host, OCELOT_HOST_GONE, "What came from the host is no message.");
  return OCELOT_OK;
}

/* Messages. */

static void
ocelot__begin_message (ocelot_json *json)
{
  ocelot_json_begin_object (json);
  ocelot_json_key (json, "jsonrpc");
  ocelot_json_string (json, "2.0");
}

/* What comes next are the parameters. */
static void
ocelot__begin_call (ocelot *host, ocelot_json *json, const char *method)
{
  ocelot__begin_message (json);
  ocelot_json_key (json, "id");
  ocelot_json_integer (json, ++host->next_id);
  ocelot_json_key (json, "method");
  ocelot_json_string (json, method);
  ocelot_json_key (json, "params");
  ocelot_json_begin_object (json);
}

/* The host asks for something. @id: text that is JSON. @error: what comes after the id. */
static void
ocelot__refuse (ocelot *host, const char *id, int code, const char *message)
{
  ocelot_json json = { NULL, 0, 0 };

  ocelot__begin_message (&json);
  ocelot_json_key (&json, "id");
  ocelot_json_raw (&json, id);
  ocelot_json_key (&json, "error");
  ocelot_json_begin_object (&json);
  ocelot_json_key (&json, "code");
  ocelot_json_integer (&json, code);
  ocelot_json_key (&json, "message");
  ocelot_json_string (&json, message);
  ocelot_json_end_object (&json);
  ocelot_json_end_object (&json);
  ocelot__send (host, &json);
}

static int
ocelot__take_error (ocelot *host, ocelot_value error)
{
  ocelot_value member;
  long long code = OCELOT_INTERNAL_ERROR;
  char *reason = NULL;
  char *permission = NULL;

  if (ocelot_value_member (error, "code", &member))
    ocelot_value_integer (member, &code);
  if (ocelot_value_member (error, "data", &member))
    {
      reason = ocelot__dup_text (member, "reason", NULL);
      permission = ocelot__dup_text (member, "permission", NULL);
    }
  return ocelot__fail (host, (int) code, ocelot__dup_text (error, "message", NULL), reason, permission);
}

/* @result lies in the buffer until the next call. */
static int
ocelot__end_call (ocelot *host, ocelot_json *json, ocelot_value *result)
{
  ocelot_value message;
  ocelot_value member;
  long long id;

  ocelot_json_end_object (json);
  ocelot_json_end_object (json);
  if (ocelot__send (host, json) != OCELOT_OK)
    return host->error.code;
  for (;;)
    {
      if (ocelot__receive (host, &message) != OCELOT_OK)
        {
          host->gone = 1;
          return host->error.code;
        }
      if (!ocelot_value_member (message, "id", &member))
        continue;
      if (ocelot_value_member (message, "method", result))
        {
          char *other = ocelot__copy (member.at, (size_t) (member.end - member.at));

          ocelot__refuse (host, other, OCELOT_INVALID_REQUEST, "A command runs already.");
          free (other);
        }
      else if (ocelot_value_integer (member, &id) && id == host->next_id)
        break;
    }
  if (ocelot_value_member (message, "error", &member))
    return ocelot__take_error (host, member);
  return ocelot_value_member (message, "result", result) ? OCELOT_OK
                                                         : ocelot__fail_here (host, OCELOT_INTERNAL_ERROR, "The answer is empty.");
}

#include "ocelot-calls.h"

/* Running. */

ocelot_json *
ocelot_result (ocelot *host)
{
  return &host->result;
}

int
ocelot_report (ocelot *host, const char *message)
{
  char *copy = ocelot__copy (message, strlen (message));

  free (host->report);
  host->report = copy;
  return OCELOT_REPORTED;
}

/* How the handler ended, in the words of the wire. */
static void
ocelot__append_error (ocelot *host, ocelot_json *json, int code, const char *message)
{
  int denied = code == OCELOT_PERMISSION_DENIED;
  const char *permission = denied ? host->error.permission : NULL;

  ocelot_json_key (json, "error");
  ocelot_json_begin_object (json);
  ocelot_json_key (json, "code");
  ocelot_json_integer (json, code == OCELOT_REPORTED ? 1 : denied ? code : OCELOT_INTERNAL_ERROR);
  ocelot_json_key (json, "message");
  ocelot_json_string_n (json, message, strlen (message) < 4096 ? strlen (message) : 4096);
  if (code != OCELOT_REPORTED && (!denied || permission != NULL))
    {
      ocelot_json_key (json, "data");
      ocelot_json_begin_object (json);
      ocelot_json_key (json, denied ? "permission" : "uncaught");
      if (denied)
        ocelot_json_string (json, permission);
      else
        ocelot_json_boolean (json, 1);
      ocelot_json_end_object (json);
    }
  ocelot_json_end_object (json);
}

static void
ocelot__answer (ocelot *host, const char *id, int code)
{
  ocelot_json json = { NULL, 0, 0 };
  const char *message = host->error.message != NULL && *host->error.message != '\0' ? host->error.message : "The command failed.";

  ocelot__begin_message (&json);
  ocelot_json_key (&json, "id");
  ocelot_json_raw (&json, id);
  if (code == OCELOT_OK && host->result.length == 0)
    ocelot_json_null (&host->result);
  if (code == OCELOT_REPORTED)
    ocelot__append_error (host, &json, code, host->report ? host->report : "");
  else if (code != OCELOT_OK)
    ocelot__append_error (host, &json, code, message);
  else if (host->result.length > OCELOT_MAX_MESSAGE_BYTES - 200)
    ocelot__append_error (host, &json, OCELOT_INTERNAL_ERROR, "The result takes more than 4 MiB.");
  else if (!ocelot__check (host->result.text, host->result.text + host->result.length, 30))
    ocelot__append_error (host, &json, OCELOT_INTERNAL_ERROR, "The result is not whole, or more than 30 deep.");
  else
    {
      ocelot_json_key (&json, "result");
      ocelot_json_raw (&json, host->result.text);
    }
  ocelot_json_end_object (&json);
  fflush (stdout);
  ocelot__send (host, &json);
}

static int
ocelot__run (ocelot *host, ocelot_value params, const ocelot_command *commands, void *data)
{
  ocelot_context context;
  ocelot_value from;
  char *entry = ocelot__dup_text (params, "entry", NULL);
  int known;
  int code;

  while (entry != NULL && commands->command != NULL && strcmp (commands->command, entry) != 0)
    commands++;
  known = entry != NULL && commands->command != NULL;
  free (entry);
  if (!known || !ocelot_value_member (params, "context", &from))
    return ocelot__fail_here (host, OCELOT_INTERNAL_ERROR, "The plugin has no handler for this command.");
  ocelot__read_context (from, &context);
  ocelot__fail_here (host, OCELOT_OK, "");
  code = commands->handler (host, &context, data);
  ocelot_context_clear (&context);
  return code;
}

static void
ocelot__take_request (ocelot *host, ocelot_value message, const ocelot_command *commands, void *data)
{
  ocelot_value id;
  ocelot_value params;
  char *method;
  char *id_text;

  if (!ocelot_value_member (message, "id", &id))
    return;
  method = ocelot__dup_text (message, "method", NULL);
  id_text = ocelot__copy (id.at, (size_t) (id.end - id.at));
  if (method == NULL || strcmp (method, "run") != 0 || !ocelot_value_member (message, "params", &params))
    ocelot__refuse (host, id_text, OCELOT_METHOD_NOT_FOUND, "There is no such method.");
  else
    {
      int code = ocelot__run (host, params, commands, data);

      if (!host->gone)
        ocelot__answer (host, id_text, code);
    }
  ocelot_json_clear (&host->result);
  free (id_text);
  free (method);
}

int
ocelot_serve (int from_host, int to_host, const ocelot_command *commands, void *data)
{
  ocelot *host = (ocelot *) ocelot__resize (NULL, sizeof *host);
  ocelot_value message;
  int whole;

  memset (host, 0, sizeof *host);
  host->from_host = from_host;
  host->to_host = to_host;
  while (!host->gone && ocelot__receive (host, &message) == OCELOT_OK)
    ocelot__take_request (host, message, commands, data);
  whole = host->length == 0 && !host->gone;
  ocelot__fail (host, OCELOT_OK, NULL, NULL, NULL);
  free (host->report);
  free (host->buffer);
  free (host);
  return whole ? 0 : 1;
}

int
ocelot_main (const ocelot_command *commands, void *data)
{
  if (fcntl (3, F_SETFD, FD_CLOEXEC) != 0 || fcntl (4, F_SETFD, FD_CLOEXEC) != 0)
    {
      fputs ("This is the worker of a plugin, and Ocelot starts it: ocelotctl run ID COMMAND\n", stderr);
      return 2;
    }
  return ocelot_serve (3, 4, commands, data);
}

#endif
