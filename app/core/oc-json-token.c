/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-json-token.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-text.h"

/* 2^53 - 1: past it a double, which most other readers use, no longer tells neighbours apart. */
#define MAX_INTEGER G_GINT64_CONSTANT (9007199254740991)
#define MAX_INTEGER_TEXT "9007199254740991"
/* Digits of MAX_INTEGER; an integer with more is too large whatever they are. */
#define MAX_INTEGER_DIGITS 16
/* Stands for what is no character. */
#define REPLACEMENT 0xfffd
/* How much of a plugin's text an error message repeats. */
#define MAX_SHOWN_CHARS 60

/* Lines and columns are counted only when something is wrong: from 1, columns in characters. */
gboolean
oc_json_set_error_at (const OcJsonCursor *self,
                      gsize at,
                      GError **error,
                      const char *format,
                      ...)
{
  gsize line = 1, column = 1;
  g_autofree char *message = NULL;
  va_list args;

  for (gsize i = 0; i < at && i < self->len; i++)
    {
      if (self->data[i] == '\n')
        {
          line++;
          column = 1;
        }
      else if (((guchar) self->data[i] & 0xc0) != 0x80)
        column++;
    }

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  /* Translators: the place in a file, then what is wrong there. Keep the form: programs cut it at
   * the colon. */
  g_set_error (error, OC_ERROR, OC_ERROR_INVALID,
               "line %" G_GSIZE_FORMAT ", column %" G_GSIZE_FORMAT ": %s", line, column, message);
  return FALSE;
}

gboolean
oc_json_pass_over (OcJsonCursor *self,
                   gsize at,
                   GError **error,
                   const char *format,
                   ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (self->tolerates && self->fault != NULL)
    return TRUE;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  oc_json_set_error_at (self, at, self->tolerates ? &self->fault : error, "%s", message);
  return self->tolerates;
}

/* What stands at the current place, for a message. */
static char *
dup_shown (const OcJsonCursor *self)
{
  const char *p = self->data + self->at;
  g_autofree char *one = g_strndup (p, (gsize) (g_utf8_next_char (p) - p));
  g_autofree char *escaped = oc_text_escape (one, 0, NULL);

  return g_strdup_printf ("“%s”", escaped);
}

gboolean
oc_json_set_unexpected (const OcJsonCursor *self,
                        const char *expected,
                        GError **error)
{
  g_autofree char *shown = NULL;
  char c = self->at < self->len ? self->data[self->at] : '\0';

  if (c == '\0')
    /* Translators: %s is what should come, such as “a value”. */
    return oc_json_set_error_at (self, self->at, error,
                                 _("the file ends too early; %s is missing"), expected);
  if (c == '/' || c == '#')
    return oc_json_set_error_at (self, self->at, error,
                                 _("comments are not part of JSON; remove this one"));
  /* Not g_str_has_prefix(): the bytes do not end with a NUL. */
  if (c == '\'' || c == '`'
      || (self->len - self->at >= strlen ("“") && memcmp (self->data + self->at, "“", strlen ("“")) == 0))
    return oc_json_set_error_at (self, self->at, error,
                                 _("JSON has no quotes but \"; write \" here"));

  shown = dup_shown (self);
  /* Translators: the first %s is a character, the second what should come, such as “a value”. */
  return oc_json_set_error_at (self, self->at, error, _("%s stands where %s must be"), shown,
                               expected);
}

void
oc_json_skip_space (OcJsonCursor *self)
{
  gsize at = self->at;

  /* Nearly all that comes is above the space. */
  while (at < self->len && self->data[at] <= ' '
         && (self->data[at] == ' ' || self->data[at] == '\n' || self->data[at] == '\t'
             || self->data[at] == '\r'))
    at++;
  self->at = at;
}

/* Four hex digits at @at. -1: not that. */
static int
read_hex4 (const OcJsonCursor *self,
           gsize at)
{
  int value = 0;

  if (self->len - at < 4)
    return -1;
  for (gsize i = 0; i < 4; i++)
    {
      int digit = g_ascii_xdigit_value (self->data[at + i]);

      if (digit < 0)
        return -1;
      value = value * 16 + digit;
    }
  return value;
}

/* self->at is on the 'u' of a \u escape; on success it is after the escape, or after the second of
 * a pair. */
static gboolean
scan_unicode_escape (OcJsonCursor *self,
                     GError **error)
{
  gsize start = self->at - 1;
  int first = read_hex4 (self, self->at + 1);
  gunichar c;

  if (first < 0)
    return oc_json_set_error_at (self, start, error,
                                 _("\\u needs four hexadecimal digits after it"));
  self->at += 5;
  c = (gunichar) first;

  if (first >= 0xd800 && first <= 0xdbff)
    {
      int second = -1;

      if (self->len - self->at >= 6 && self->data[self->at] == '\\'
          && self->data[self->at + 1] == 'u')
        second = read_hex4 (self, self->at + 2);
      if (second >= 0xdc00 && second <= 0xdfff)
        {
          c = 0x10000 + (((gunichar) first & 0x3ff) << 10) + ((gunichar) second & 0x3ff);
          self->at += 6;
        }
      else if (oc_json_pass_over (
                   self, start, error,
                   _("\\u%04X is half of a surrogate pair and its other half does not follow"),
                   (guint) first))
        c = REPLACEMENT;
      else
        return FALSE;
    }
  else if (first >= 0xdc00 && first <= 0xdfff)
    {
      if (!oc_json_pass_over (
              self, start, error,
              _("\\u%04X is the second half of a surrogate pair without its first"),
              (guint) first))
        return FALSE;
      c = REPLACEMENT;
    }
  else if (first == 0)
    {
      /* json-glib would cut the string here, and what follows would be granted unseen (Flatpak
       * CVE-2021-43860). */
      if (!oc_json_pass_over (self, start, error,
                              _("NUL characters are not allowed in a text")))
        return FALSE;
      c = REPLACEMENT;
    }

  g_string_append_unichar (self->string, c);
  return TRUE;
}

static gboolean
scan_escape (OcJsonCursor *self,
             GError **error)
{
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  gsize start = self->at;
  const char *found;

  self->at++;
  if (self->at >= self->len)
    return oc_json_set_error_at (self, start, error, _("the file ends in the middle of a text"));
  if (self->data[self->at] == 'u')
    return scan_unicode_escape (self, error);

  found = strchr (from, self->data[self->at]);
  if (found == NULL)
    return oc_json_set_error_at (
        self, start, error,
        _("this is no escape JSON knows; a backslash itself is written \\\\"));
  g_string_append_c (self->string, to[found - from]);
  self->at++;
  return TRUE;
}

/* self->at is on the opening quote; on success it is after the closing one. */
gboolean
oc_json_scan_string (OcJsonCursor *self,
                     GError **error)
{
  gsize start = self->at;

  g_string_truncate (self->string, 0);
  self->at++;
  while (self->at < self->len)
    {
      gsize run = self->at;
      guchar c;

      while (self->at < self->len && (c = (guchar) self->data[self->at]) >= 0x20 && c != '"'
             && c != '\\')
        self->at++;
      g_string_append_len (self->string, self->data + run, (gssize) (self->at - run));
      if (self->at >= self->len)
        break;

      c = (guchar) self->data[self->at];
      if (c == '"')
        {
          self->at++;
          return TRUE;
        }
      if (c == '\\')
        {
          if (!scan_escape (self, error))
            return FALSE;
        }
      else if (c == '\n')
        return oc_json_set_error_at (
            self, start, error, _("the text that begins here has no closing \" on its line"));
      else
        return oc_json_set_error_at (
            self, self->at, error,
            _("a control character (\\x%02x) stands in a text; write it as \\u%04x"), c, c);
    }

  return oc_json_set_error_at (self, start, error,
                               _("the text that begins here has no closing \""));
}

static gsize
skip_digits (OcJsonCursor *self)
{
  gsize start = self->at;

  while (self->at < self->len && g_ascii_isdigit (self->data[self->at]))
    self->at++;
  return self->at - start;
}

gboolean
oc_json_read_integer (const char *text,
                      gsize len,
                      gint64 *value)
{
  gsize start = len > 0 && text[0] == '-';
  gint64 n = 0;

  if (len == start || len - start > MAX_INTEGER_DIGITS)
    return FALSE;
  for (gsize i = start; i < len; i++)
    {
      if (!g_ascii_isdigit (text[i]))
        return FALSE;
      n = n * 10 + (text[i] - '0');
    }
  *value = start > 0 ? -n : n;
  return TRUE;
}

static gboolean
check_number_range (OcJsonCursor *self,
                    gsize start,
                    gboolean is_integer,
                    GError **error)
{
  gint64 value;

  if (!is_integer)
    {
      g_autofree char *text = g_strndup (self->data + start, self->at - start);

      if (!isfinite (g_ascii_strtod (text, NULL)))
        return oc_json_pass_over (self, start, error, _("this number is too large to be kept"));
      return TRUE;
    }

  if (!oc_json_read_integer (self->data + start, self->at - start, &value)
      || value > MAX_INTEGER || value < -MAX_INTEGER)
    return oc_json_pass_over (self, start, error, _("whole numbers may not go past ±%s"),
                              MAX_INTEGER_TEXT);
  return TRUE;
}

gboolean
oc_json_scan_number (OcJsonCursor *self,
                     GError **error)
{
  gsize start = self->at;
  gboolean is_integer = TRUE;
  gsize digits;

  if (self->data[self->at] == '-')
    self->at++;
  digits = skip_digits (self);
  if (digits == 0)
    return oc_json_set_error_at (self, start, error, _("a digit must follow the minus sign"));
  if (digits > 1 && self->data[self->at - digits] == '0')
    return oc_json_set_error_at (self, start, error, _("a number may not begin with 0"));

  if (self->at < self->len && self->data[self->at] == '.')
    {
      is_integer = FALSE;
      self->at++;
      if (skip_digits (self) == 0)
        return oc_json_set_error_at (self, start, error,
                                     _("a digit must follow the decimal point"));
    }
  if (self->at < self->len && (self->data[self->at] == 'e' || self->data[self->at] == 'E'))
    {
      is_integer = FALSE;
      self->at++;
      if (self->at < self->len && (self->data[self->at] == '+' || self->data[self->at] == '-'))
        self->at++;
      if (skip_digits (self) == 0)
        return oc_json_set_error_at (self, start, error,
                                     _("a digit must follow the exponent's e"));
    }

  return check_number_range (self, start, is_integer, error);
}

gboolean
oc_json_scan_word (OcJsonCursor *self,
                   GError **error)
{
  static const char *const words[] = { "true", "false", "null" };
  gsize end = self->at;
  g_autofree char *word = NULL;
  g_autofree char *shown = NULL;

  while (
      end < self->len
      && (g_ascii_isalnum (self->data[end]) || self->data[end] == '_' || self->data[end] == '$'))
    end++;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      if (end - self->at == strlen (words[i])
          && memcmp (self->data + self->at, words[i], end - self->at) == 0)
        {
          self->at = end;
          return TRUE;
        }
    }

  word = g_strndup (self->data + self->at, end - self->at);
  shown = oc_text_escape (word, MAX_SHOWN_CHARS, NULL);
  return oc_json_set_error_at (
      self, self->at, error,
      /* Translators: %s is a word that stands in a JSON file without quotes. */
      _("“%s” is no JSON value; texts are written in \""), shown);
}
