/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * JSON for ocelot.h, which includes this and says how to use it: a writer, and a strict reader that builds nothing. It is there because
 * the common libraries cut or refuse a text with \u0000 in it, which a tool's output may have, and a plugin then need not bring one.
 */
#ifndef OCELOT_JSON_H
#define OCELOT_JSON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writing JSON. Commas are put by themselves; every begin needs its end. Start from a struct of zeros. */
typedef struct
{
  char *text; /* NULL while empty */
  size_t length;
  size_t size;
} ocelot_json;
void ocelot_json_begin_object (ocelot_json *json);
void ocelot_json_end_object (ocelot_json *json);
void ocelot_json_begin_array (ocelot_json *json);
void ocelot_json_end_array (ocelot_json *json);
void ocelot_json_key (ocelot_json *json, const char *key);
/* What is not UTF-8, and NUL, becomes U+FFFD. */
void ocelot_json_string (ocelot_json *json, const char *text);
void ocelot_json_string_n (ocelot_json *json, const char *text, size_t length);
/* Past ±(2^53 - 1) the host takes no number: use a string. */
void ocelot_json_integer (ocelot_json *json, long long value);
void ocelot_json_number (ocelot_json *json, double value);
void ocelot_json_boolean (ocelot_json *json, int value);
void ocelot_json_null (ocelot_json *json);
/* @value: text that is JSON. */
void ocelot_json_raw (ocelot_json *json, const char *value);
void ocelot_json_clear (ocelot_json *json);

/* Reading JSON. A value is a part of the text, which must stay. All return 1; or 0, and change nothing, where there is no such member or
 * it is of another type. */
typedef struct
{
  const char *at;
  const char *end;
} ocelot_value;
/* Strict (RFC 8259), 64 deep at most. @text[@length] must be readable and no digit: a NUL. */
int ocelot_json_parse (const char *text, size_t length, ocelot_value *value);
/* '{' '[' '"' '0' (any number) 't' (true) 'f' (false) 'n' (null) */
char ocelot_value_type (ocelot_value value);
int ocelot_value_member (ocelot_value object, const char *key, ocelot_value *value);
/* The members of a list. Start with *value = {0}. */
int ocelot_value_next (ocelot_value array, ocelot_value *value);
/* @length: or NULL. The text may hold NUL. */
int ocelot_value_string (ocelot_value value, char **text, size_t *length);
int ocelot_value_integer (ocelot_value value, long long *integer);
int ocelot_value_number (ocelot_value value, double *number);
int ocelot_value_boolean (ocelot_value value, int *boolean);

#ifdef __cplusplus
}
#endif
#endif

#if defined OCELOT_IMPLEMENTATION && !defined OCELOT_JSON_IMPLEMENTED
#define OCELOT_JSON_IMPLEMENTED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OCELOT__MAX_DEPTH 64

static void *
ocelot__resize (void *memory, size_t size)
{
  void *now = realloc (memory, size ? size : 1);

  if (now == NULL)
    {
      fputs ("This plugin has no memory left.\n", stderr);
      _exit (1);
    }
  return now;
}

static char *
ocelot__copy (const char *text, size_t length)
{
  char *copy = (char *) ocelot__resize (NULL, length + 1);

  memcpy (copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* The length of the UTF-8 character at @at; 0 where there is none. */
static size_t
ocelot__character (const char *at, size_t left)
{
  const unsigned char *c = (const unsigned char *) at;
  size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;

  if (n == 0 || n > left)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  /* Too long a form, half of a surrogate pair, past U+10FFFF. */
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
    return 0;
  return n;
}

static int
ocelot__is_text (const char *bytes, size_t length)
{
  for (size_t at = 0, n; at < length; at += n)
    if ((n = ocelot__character (bytes + at, length - at)) == 0 || bytes[at] == '\0')
      return 0;
  return 1;
}

static void
ocelot__append (ocelot_json *json, const char *bytes, size_t length)
{
  if (json->size - json->length <= length)
    {
      json->size = json->size * 2 + length + 64;
      json->text = (char *) ocelot__resize (json->text, json->size);
    }
  memcpy (json->text + json->length, bytes, length);
  json->length += length;
  json->text[json->length] = '\0';
}

static void
ocelot__begin (ocelot_json *json)
{
  if (json->length > 0 && strchr ("{[:", json->text[json->length - 1]) == NULL)
    ocelot__append (json, ",", 1);
}

void
ocelot_json_raw (ocelot_json *json, const char *value)
{
  ocelot__begin (json);
  ocelot__append (json, value, strlen (value));
}

void
ocelot_json_begin_object (ocelot_json *json)
{
  ocelot_json_raw (json, "{");
}

void
ocelot_json_end_object (ocelot_json *json)
{
  ocelot__append (json, "}", 1);
}

void
ocelot_json_begin_array (ocelot_json *json)
{
  ocelot_json_raw (json, "[");
}

void
ocelot_json_end_array (ocelot_json *json)
{
  ocelot__append (json, "]", 1);
}

void
ocelot_json_string_n (ocelot_json *json, const char *text, size_t length)
{
  ocelot__begin (json);
  ocelot__append (json, "\"", 1);
  for (size_t at = 0, n; at < length; at += n)
    {
      char escape[8];

      n = ocelot__character (text + at, length - at);
      if (n == 0 || text[at] == '\0')
        {
          ocelot__append (json, "\xef\xbf\xbd", 3);
          n = 1;
        }
      else if (n == 1 && ((unsigned char) text[at] < 0x20 || text[at] == '"' || text[at] == '\\'))
        ocelot__append (json, escape, (size_t) snprintf (escape, sizeof escape, "\\u%04x", (unsigned) text[at]));
      else
        ocelot__append (json, text + at, n);
    }
  ocelot__append (json, "\"", 1);
}

void
ocelot_json_string (ocelot_json *json, const char *text)
{
  ocelot_json_string_n (json, text, strlen (text));
}

void
ocelot_json_key (ocelot_json *json, const char *key)
{
  ocelot_json_string (json, key);
  ocelot__append (json, ":", 1);
}

void
ocelot_json_integer (ocelot_json *json, long long value)
{
  char text[32];

  snprintf (text, sizeof text, "%lld", value);
  ocelot_json_raw (json, text);
}

void
ocelot_json_number (ocelot_json *json, double value)
{
  char text[40];

  snprintf (text, sizeof text, "%.17g", value);
  /* Some locales have a comma; infinity and what is no number are not in JSON. */
  for (char *c = text; *c != '\0'; c++)
    if (*c == ',')
      *c = '.';
  ocelot_json_raw (json, strpbrk (text, "in") == NULL ? text : "null");
}

void
ocelot_json_boolean (ocelot_json *json, int value)
{
  ocelot_json_raw (json, value ? "true" : "false");
}

void
ocelot_json_null (ocelot_json *json)
{
  ocelot_json_raw (json, "null");
}

void
ocelot_json_clear (ocelot_json *json)
{
  free (json->text);
  memset (json, 0, sizeof *json);
}

/* Reading. What has passed the check is only skipped through afterwards. */

static const char *
ocelot__skip_space (const char *at, const char *end)
{
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
    at++;
  return at;
}

/* Four hexadecimal digits; -1. */
static long
ocelot__hex (const char *at, const char *end)
{
  long value = 0;

  if (end - at < 4)
    return -1;
  for (int i = 0; i < 4; i++)
    {
      char c = at[i];
      int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

      if (digit < 0)
        return -1;
      value = value * 16 + digit;
    }
  return value;
}

/* Decodes the escape at the backslash @at. Returns what follows it, or NULL. @code: its character. */
static const char *
ocelot__unescape (const char *at, const char *end, unsigned long *code)
{
  static const char names[] = "\"\\/bfnrt";
  static const char means[] = "\"\\/\b\f\n\r\t";
  const char *name;
  long high;
  long low;

  if (end - at < 2)
    return NULL;
  if (at[1] != 'u')
    {
      name = at[1] != '\0' ? strchr (names, at[1]) : NULL;
      *code = name != NULL ? (unsigned char) means[name - names] : 0;
      return name != NULL ? at + 2 : NULL;
    }
  high = ocelot__hex (at + 2, end);
  *code = (unsigned long) high;
  if (high < 0 || (high >= 0xdc00 && high < 0xe000))
    return NULL;
  if (high < 0xd800 || high >= 0xe000)
    return at + 6;
  low = end - at >= 12 && at[6] == '\\' && at[7] == 'u' ? ocelot__hex (at + 8, end) : -1;
  if (low < 0xdc00 || low >= 0xe000)
    return NULL;
  *code = 0x10000 + ((unsigned long) (high - 0xd800) << 10) + (unsigned long) (low - 0xdc00);
  return at + 12;
}

static const char *
ocelot__check_string (const char *at, const char *end)
{
  unsigned long code;
  size_t n;

  for (at++; at != NULL && at < end && *at != '"';)
    if (*at == '\\')
      at = ocelot__unescape (at, end, &code);
    else if ((unsigned char) *at < 0x20 || (n = ocelot__character (at, (size_t) (end - at))) == 0)
      return NULL;
    else
      at += n;
  return at != NULL && at < end ? at + 1 : NULL;
}

static const char *
ocelot__check_digits (const char *at, const char *end)
{
  const char *start = at;

  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at > start ? at : NULL;
}

static const char *
ocelot__check_number (const char *at, const char *end)
{
  const char *start = at += *at == '-';

  at = ocelot__check_digits (at, end);
  if (at == NULL || (*start == '0' && at > start + 1))
    return NULL;
  if (at < end && *at == '.')
    at = ocelot__check_digits (at + 1, end);
  if (at == NULL || at >= end || (*at != 'e' && *at != 'E'))
    return at;
  at++;
  if (at < end && (*at == '+' || *at == '-'))
    at++;
  return ocelot__check_digits (at, end);
}

static const char *
ocelot__check_scalar (const char *at, const char *end)
{
  static const char *const words[] = { "true", "false", "null" };

  if (*at == '"')
    return ocelot__check_string (at, end);
  if (*at == '-' || (*at >= '0' && *at <= '9'))
    return ocelot__check_number (at, end);
  for (int i = 0; i < 3; i++)
    if ((size_t) (end - at) >= strlen (words[i]) && memcmp (at, words[i], strlen (words[i])) == 0)
      return at + strlen (words[i]);
  return NULL;
}

/* One bit of @objects for each open bracket, the innermost lowest. */
static int
ocelot__check (const char *at, const char *end, int max_depth)
{
  enum { VALUE, VALUE_OR_END, KEY, KEY_OR_END, AFTER } state = VALUE;
  unsigned long long objects = 0;
  int depth = 0;

  for (at = ocelot__skip_space (at, end); at != NULL && at < end; at = at ? ocelot__skip_space (at, end) : NULL)
    if ((state == VALUE_OR_END && *at == ']') || (state == KEY_OR_END && *at == '}')
        || (state == AFTER && depth > 0 && *at == ((objects & 1) ? '}' : ']')))
      {
        objects >>= 1;
        depth--;
        state = AFTER;
        at++;
      }
    else if (state == AFTER)
      {
        if (depth == 0 || *at != ',')
          return 0;
        state = (objects & 1) ? KEY : VALUE;
        at++;
      }
    else if (state == KEY || state == KEY_OR_END)
      {
        at = *at == '"' ? ocelot__check_string (at, end) : NULL;
        at = at != NULL ? ocelot__skip_space (at, end) : NULL;
        at = at != NULL && at < end && *at == ':' ? at + 1 : NULL;
        state = VALUE;
      }
    else if (*at == '{' || *at == '[')
      {
        if (++depth > max_depth)
          return 0;
        objects = objects << 1 | (*at == '{');
        state = *at == '{' ? KEY_OR_END : VALUE_OR_END;
        at++;
      }
    else
      {
        at = ocelot__check_scalar (at, end);
        state = AFTER;
      }
  return at != NULL && state == AFTER && depth == 0;
}

int
ocelot_json_parse (const char *text, size_t length, ocelot_value *value)
{
  if (!ocelot__check (text, text + length, OCELOT__MAX_DEPTH))
    return 0;
  value->at = ocelot__skip_space (text, text + length);
  value->end = text + length;
  return 1;
}

static const char *
ocelot__skip_string (const char *at)
{
  for (at++; *at != '"'; at++)
    if (*at == '\\')
      at++;
  return at + 1;
}

static const char *
ocelot__skip (const char *at, const char *end)
{
  int depth = 0;

  do
    if (*at == '"')
      at = ocelot__skip_string (at);
    else
      {
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
      }
  while (at < end && (depth > 0 || (at[-1] != '"' && at[-1] != '}' && at[-1] != ']' && strchr (",:]} \t\r\n", *at) == NULL)));
  return at;
}

char
ocelot_value_type (ocelot_value value)
{
  return *value.at == '-' || (*value.at >= '0' && *value.at <= '9') ? '0' : *value.at;
}

static int
ocelot__key_is (const char *at, const char *end, const char *key)
{
  ocelot_value value = { at, end };
  size_t length;
  char *text;
  int same;

  if (!ocelot_value_string (value, &text, &length))
    return 0;
  same = length == strlen (key) && memcmp (text, key, length) == 0;
  free (text);
  return same;
}

int
ocelot_value_member (ocelot_value object, const char *key, ocelot_value *value)
{
  const char *at = object.at;

  if (*at != '{')
    return 0;
  for (at = ocelot__skip_space (at + 1, object.end); *at == '"'; at = ocelot__skip_space (at + 1, object.end))
    {
      int found = ocelot__key_is (at, object.end, key);

      at = ocelot__skip_space (ocelot__skip_string (at), object.end);
      at = ocelot__skip_space (at + 1, object.end);
      if (found)
        {
          value->at = at;
          value->end = ocelot__skip (at, object.end);
          return 1;
        }
      at = ocelot__skip_space (ocelot__skip (at, object.end), object.end);
      if (*at != ',')
        return 0;
    }
  return 0;
}

int
ocelot_value_next (ocelot_value array, ocelot_value *value)
{
  const char *at = value->at == NULL ? array.at : ocelot__skip_space (value->end, array.end);

  /* What stands before a member is the bracket, or a comma. */
  if (value->at == NULL ? *at != '[' : *at != ',')
    return 0;
  at = ocelot__skip_space (at + 1, array.end);
  if (*at == ']')
    return 0;
  value->at = at;
  value->end = ocelot__skip (at, array.end);
  return 1;
}

static char *
ocelot__put (char *out, unsigned long code)
{
  if (code < 0x80)
    *out++ = (char) code;
  else
    {
      int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

      *out++ = (char) ((0xf00 >> (more + 1) & 0xff) | code >> (6 * more));
      while (more-- > 0)
        *out++ = (char) (0x80 | (code >> (6 * more) & 0x3f));
    }
  return out;
}

int
ocelot_value_string (ocelot_value value, char **text, size_t *length)
{
  const char *at = value.at;
  const char *end;
  unsigned long code = 0;
  char *out;

  if (*at != '"')
    return 0;
  end = ocelot__skip_string (at) - 1;
  /* No escape is shorter than what it means. */
  *text = out = (char *) ocelot__resize (NULL, (size_t) (end - at));
  for (at++; at < end;)
    if (*at != '\\')
      *out++ = *at++;
    else
      {
        at = ocelot__unescape (at, end, &code);
        out = ocelot__put (out, code);
      }
  *out = '\0';
  if (length != NULL)
    *length = (size_t) (out - *text);
  return 1;
}

int
ocelot_value_integer (ocelot_value value, long long *integer)
{
  const char *end = ocelot__skip (value.at, value.end);
  char *stop;
  long long number;

  if (ocelot_value_type (value) != '0')
    return 0;
  number = strtoll (value.at, &stop, 10);
  if (stop != end || number > 9007199254740991 || number < -9007199254740991)
    return 0;
  *integer = number;
  return 1;
}

int
ocelot_value_number (ocelot_value value, double *number)
{
  if (ocelot_value_type (value) != '0')
    return 0;
  *number = strtod (value.at, NULL);
  return 1;
}

int
ocelot_value_boolean (ocelot_value value, int *boolean)
{
  if (*value.at != 't' && *value.at != 'f')
    return 0;
  *boolean = *value.at == 't';
  return 1;
}

#endif
