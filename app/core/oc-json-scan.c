/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-json-scan.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-hash.h"
#include "core/oc-text.h"

/* 2^53 - 1: past it a double, which most other readers use, no longer tells neighbours apart. */
#define MAX_INTEGER G_GINT64_CONSTANT (9007199254740991)
#define MAX_INTEGER_TEXT "9007199254740991"
/* Digits of MAX_INTEGER; an integer with more is too large whatever they are. */
#define MAX_INTEGER_DIGITS 16
/* How many keys of one object may have the same g_str_hash(), which json-glib keeps its members by. By chance two have; a file
 * made for it brings json-glib to a halt (25,000 such keys fit in 1 MiB and took 6.5 s), and the launcher with it. */
#define MAX_ALIKE_KEYS 64
/* How much of a plugin's text an error message repeats. */
#define MAX_SHOWN_CHARS 60

typedef enum
{
  EXPECT_VALUE = 0,
  EXPECT_FIRST_VALUE, /* after '[': a value or ']' */
  EXPECT_FIRST_KEY,   /* after '{': a key or '}' */
  EXPECT_KEY,
  EXPECT_COLON,
  EXPECT_COMMA, /* or the end of the container */
  EXPECT_END,   /* the root is done: only white space */
} Expect;

typedef struct
{
  gboolean is_object;
  /* (nullable): made with the first key, kept for the next object as deep. */
  GHashTable *keys;   /* (element-type utf8) */
  GHashTable *hashes; /* how many keys have this g_str_hash() */
} Level;

typedef struct
{
  const char *data;
  gsize len;
  gsize at;
  Expect expect;
  guint depth;
  Level levels[OC_JSON_MAX_DEPTH];
  GString *string; /* the string read last, unescaped */
  GArray *members; /* (nullable) */
  char root;
} Scanner;

/* Lines and columns are counted only when something is wrong: from 1, columns in characters. */
static gboolean G_GNUC_PRINTF (4, 5)
set_error_at (const Scanner *self,
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
  /* Translators: the place in a file, then what is wrong there. Keep the form: programs cut it at the colon. */
  g_set_error (error, OC_ERROR, OC_ERROR_INVALID, "line %" G_GSIZE_FORMAT ", column %" G_GSIZE_FORMAT ": %s", line,
               column, message);
  return FALSE;
}

/* What stands at the current place, for a message. */
static char *
dup_shown (const Scanner *self)
{
  const char *p = self->data + self->at;
  g_autofree char *one = NULL;

  if (self->at >= self->len)
    return g_strdup (_("the end of the file"));

  one = g_strndup (p, (gsize) (g_utf8_next_char (p) - p));
  if (*one == ' ')
    return g_strdup ("“ ”");
  {
    g_autofree char *escaped = oc_text_escape (one, 0, NULL);

    return g_strdup_printf ("“%s”", escaped);
  }
}

static gboolean
set_unexpected (const Scanner *self,
                const char *expected,
                GError **error)
{
  g_autofree char *shown = dup_shown (self);
  char c = self->at < self->len ? self->data[self->at] : '\0';

  if (self->at >= self->len)
    /* Translators: %s is what should come, such as “a value”. */
    return set_error_at (self, self->at, error, _("the file ends too early; %s is missing"), expected);
  if (c == '/' || c == '#')
    return set_error_at (self, self->at, error, _("comments are not part of JSON; remove this one"));
  if (c == '\'' || g_str_has_prefix (self->data + self->at, "“") || c == '`')
    return set_error_at (self, self->at, error, _("JSON has no quotes but \"; write \" here"));
  /* Translators: the first %s is a character, the second what should come, such as “a value”. */
  return set_error_at (self, self->at, error, _("%s stands where %s must be"), shown, expected);
}

static void
skip_space (Scanner *self)
{
  while (self->at < self->len)
    {
      char c = self->data[self->at];

      if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
        break;
      self->at++;
    }
}

/* Four hex digits at @at. -1: not that. */
static int
read_hex4 (const Scanner *self,
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

/* self->at is on the 'u' of a \u escape; on success it is after the escape, or after the second of a pair. */
static gboolean
scan_unicode_escape (Scanner *self,
                     GError **error)
{
  gsize start = self->at - 1;
  int first = read_hex4 (self, self->at + 1);
  gunichar c;

  if (first < 0)
    return set_error_at (self, start, error, _("\\u needs four hexadecimal digits after it"));
  self->at += 5;
  c = (gunichar) first;

  if (first >= 0xd800 && first <= 0xdbff)
    {
      int second = -1;

      if (self->len - self->at >= 6 && self->data[self->at] == '\\' && self->data[self->at + 1] == 'u')
        second = read_hex4 (self, self->at + 2);
      if (second < 0xdc00 || second > 0xdfff)
        return set_error_at (self, start, error,
                             _("\\u%04X is half of a surrogate pair and its other half does not follow"),
                             (guint) first);
      c = 0x10000 + (((gunichar) first & 0x3ff) << 10) + ((gunichar) second & 0x3ff);
      self->at += 6;
    }
  else if (first >= 0xdc00 && first <= 0xdfff)
    return set_error_at (self, start, error, _("\\u%04X is the second half of a surrogate pair without its first"),
                         (guint) first);
  else if (first == 0)
    /* json-glib would cut the string here, and what follows would be granted unseen (Flatpak CVE-2021-43860). */
    return set_error_at (self, start, error, _("NUL characters are not allowed in a text"));

  g_string_append_unichar (self->string, c);
  return TRUE;
}

static gboolean
scan_escape (Scanner *self,
             GError **error)
{
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  gsize start = self->at;
  const char *found;

  self->at++;
  if (self->at >= self->len)
    return set_error_at (self, start, error, _("the file ends in the middle of a text"));
  if (self->data[self->at] == 'u')
    return scan_unicode_escape (self, error);

  found = strchr (from, self->data[self->at]);
  if (found == NULL)
    return set_error_at (self, start, error,
                         _("this is no escape JSON knows; a backslash itself is written \\\\"));
  g_string_append_c (self->string, to[found - from]);
  self->at++;
  return TRUE;
}

/* self->at is on the opening quote; on success it is after the closing one. */
static gboolean
scan_string (Scanner *self,
             GError **error)
{
  gsize start = self->at;

  g_string_truncate (self->string, 0);
  self->at++;
  while (self->at < self->len)
    {
      gsize run = self->at;
      guchar c;

      while (self->at < self->len && (c = (guchar) self->data[self->at]) >= 0x20 && c != '"' && c != '\\')
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
        return set_error_at (self, start, error, _("the text that begins here has no closing \" on its line"));
      else
        return set_error_at (self, self->at, error,
                             _("a control character (\\x%02x) stands in a text; write it as \\u%04x"), c, c);
    }

  return set_error_at (self, start, error, _("the text that begins here has no closing \""));
}

static gsize
skip_digits (Scanner *self)
{
  gsize start = self->at;

  while (self->at < self->len && g_ascii_isdigit (self->data[self->at]))
    self->at++;
  return self->at - start;
}

static gboolean
check_number_range (const Scanner *self,
                    gsize start,
                    gboolean is_integer,
                    GError **error)
{
  g_autofree char *text = g_strndup (self->data + start, self->at - start);
  const char *digits = text + (*text == '-');

  if (!is_integer)
    {
      if (!isfinite (g_ascii_strtod (text, NULL)))
        return set_error_at (self, start, error, _("this number is too large to be kept"));
      return TRUE;
    }

  if (strlen (digits) > MAX_INTEGER_DIGITS || g_ascii_strtoll (digits, NULL, 10) > MAX_INTEGER)
    return set_error_at (self, start, error, _("whole numbers may not go past ±%s"), MAX_INTEGER_TEXT);
  return TRUE;
}

static gboolean
scan_number (Scanner *self,
             GError **error)
{
  gsize start = self->at;
  gboolean is_integer = TRUE;
  gsize digits;

  if (self->data[self->at] == '-')
    self->at++;
  digits = skip_digits (self);
  if (digits == 0)
    return set_error_at (self, start, error, _("a digit must follow the minus sign"));
  if (digits > 1 && self->data[self->at - digits] == '0')
    return set_error_at (self, start, error, _("a number may not begin with 0"));

  if (self->at < self->len && self->data[self->at] == '.')
    {
      is_integer = FALSE;
      self->at++;
      if (skip_digits (self) == 0)
        return set_error_at (self, start, error, _("a digit must follow the decimal point"));
    }
  if (self->at < self->len && (self->data[self->at] == 'e' || self->data[self->at] == 'E'))
    {
      is_integer = FALSE;
      self->at++;
      if (self->at < self->len && (self->data[self->at] == '+' || self->data[self->at] == '-'))
        self->at++;
      if (skip_digits (self) == 0)
        return set_error_at (self, start, error, _("a digit must follow the exponent's e"));
    }

  return check_number_range (self, start, is_integer, error);
}

static gboolean
scan_word (Scanner *self,
           GError **error)
{
  static const char *const words[] = { "true", "false", "null" };
  gsize end = self->at;
  g_autofree char *word = NULL;
  g_autofree char *shown = NULL;

  while (end < self->len && (g_ascii_isalnum (self->data[end]) || self->data[end] == '_' || self->data[end] == '$'))
    end++;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      if (end - self->at == strlen (words[i]) && memcmp (self->data + self->at, words[i], end - self->at) == 0)
        {
          self->at = end;
          return TRUE;
        }
    }

  word = g_strndup (self->data + self->at, end - self->at);
  shown = oc_text_escape (word, MAX_SHOWN_CHARS, NULL);
  return set_error_at (self, self->at, error,
                       /* Translators: %s is a word that stands in a JSON file without quotes. */
                       _("“%s” is no JSON value; texts are written in \""), shown);
}

static void
end_value (Scanner *self)
{
  if (self->depth == 1 && self->members != NULL && self->levels[0].is_object)
    g_array_index (self->members, OcJsonSpan, self->members->len - 1).end = self->at;
  self->expect = self->depth == 0 ? EXPECT_END : EXPECT_COMMA;
}

static gboolean
open_container (Scanner *self,
                gboolean is_object,
                GError **error)
{
  if (self->depth == OC_JSON_MAX_DEPTH)
    return set_error_at (self, self->at, error, _("more than %d lists and objects inside each other"),
                         OC_JSON_MAX_DEPTH);

  self->levels[self->depth].is_object = is_object;
  self->depth++;
  self->at++;
  self->expect = is_object ? EXPECT_FIRST_KEY : EXPECT_FIRST_VALUE;
  return TRUE;
}

static void
close_container (Scanner *self)
{
  Level *level = &self->levels[self->depth - 1];

  if (level->is_object && level->keys != NULL && g_hash_table_size (level->keys) > 0)
    {
      g_hash_table_remove_all (level->keys);
      g_hash_table_remove_all (level->hashes);
    }
  self->depth--;
  self->at++;
  end_value (self);
}

static gboolean
scan_value (Scanner *self,
            GError **error)
{
  char c = self->at < self->len ? self->data[self->at] : '\0';

  if (self->depth == 0)
    self->root = c;
  if (self->depth == 1 && self->members != NULL && self->levels[0].is_object)
    g_array_index (self->members, OcJsonSpan, self->members->len - 1).start = self->at;

  if (c == '{' || c == '[')
    return open_container (self, c == '{', error);

  if (c == '"')
    {
      if (!scan_string (self, error))
        return FALSE;
    }
  else if (c == '-' || g_ascii_isdigit (c))
    {
      if (!scan_number (self, error))
        return FALSE;
    }
  else if (g_ascii_isalpha (c))
    {
      if (!scan_word (self, error))
        return FALSE;
    }
  else
    return set_unexpected (self, _("a value"), error);

  end_value (self);
  return TRUE;
}

/* Takes @key. @start: where it begins. */
static gboolean
add_key (Scanner *self,
         char *key,
         gsize start,
         GError **error)
{
  Level *level = &self->levels[self->depth - 1];
  gpointer hash = GUINT_TO_POINTER (g_str_hash (key));
  guint n_alike;

  if (level->keys == NULL)
    {
      level->keys = g_hash_table_new_full (oc_hash_string, g_str_equal, g_free, NULL);
      level->hashes = g_hash_table_new (NULL, NULL);
    }

  if (!g_hash_table_add (level->keys, key)) /* @key is freed in either case */
    {
      g_autofree char *shown = oc_text_escape (self->string->str, MAX_SHOWN_CHARS, NULL);

      return set_error_at (self, start, error,
                           /* Translators: %s is the name of a member in a JSON file. */
                           _("the key “%s” is there twice in the same object; keep one of the two"), shown);
    }
  if (g_hash_table_size (level->keys) > OC_JSON_MAX_KEYS)
    return set_error_at (self, start, error, _("more than %d keys in the same object"), OC_JSON_MAX_KEYS);

  n_alike = GPOINTER_TO_UINT (g_hash_table_lookup (level->hashes, hash)) + 1;
  if (n_alike > MAX_ALIKE_KEYS)
    return set_error_at (self, start, error, _("the keys of this object are made to keep a reader busy"));
  g_hash_table_insert (level->hashes, hash, GUINT_TO_POINTER (n_alike));
  return TRUE;
}

static gboolean
scan_key (Scanner *self,
          GError **error)
{
  gsize start = self->at;

  if (self->at >= self->len || self->data[self->at] != '"')
    return set_unexpected (self, _("a key in \""), error);
  if (!scan_string (self, error) ||
      !add_key (self, g_strndup (self->string->str, self->string->len), start, error))
    return FALSE;

  if (self->depth == 1 && self->members != NULL)
    {
      OcJsonSpan span = { .key = g_strdup (self->string->str) };

      g_array_append_val (self->members, span);
    }
  self->expect = EXPECT_COLON;
  return TRUE;
}

static gboolean
scan_comma (Scanner *self,
            GError **error)
{
  gboolean is_object = self->levels[self->depth - 1].is_object;
  char c = self->at < self->len ? self->data[self->at] : '\0';

  if (c == (is_object ? '}' : ']'))
    {
      close_container (self);
      return TRUE;
    }
  if (c != ',')
    return set_unexpected (self, is_object ? _("a comma or }") : _("a comma or ]"), error);

  self->at++;
  skip_space (self);
  if (self->at < self->len && (self->data[self->at] == '}' || self->data[self->at] == ']'))
    return set_error_at (self, self->at, error, _("a comma stands before this bracket; remove the comma"));
  self->expect = is_object ? EXPECT_KEY : EXPECT_VALUE;
  return TRUE;
}

/* One token. self->expect says what may come; nothing recurses, so depth costs no stack. */
static gboolean
scan_token (Scanner *self,
            GError **error)
{
  char c = self->at < self->len ? self->data[self->at] : '\0';

  switch (self->expect)
    {
    case EXPECT_FIRST_VALUE:
      if (c == ']')
        {
          close_container (self);
          return TRUE;
        }
      return scan_value (self, error);
    case EXPECT_VALUE:
      return scan_value (self, error);
    case EXPECT_FIRST_KEY:
      if (c == '}')
        {
          close_container (self);
          return TRUE;
        }
      return scan_key (self, error);
    case EXPECT_KEY:
      return scan_key (self, error);
    case EXPECT_COLON:
      if (c != ':')
        return set_unexpected (self, _("a colon"), error);
      self->at++;
      self->expect = EXPECT_VALUE;
      return TRUE;
    case EXPECT_COMMA:
      return scan_comma (self, error);
    case EXPECT_END:
      if (c == '/' || c == '#')
        return set_unexpected (self, _("the end of the file"), error);
      return set_error_at (self, self->at, error, _("there is more after the end of the JSON value; remove it"));
    }

  g_assert_not_reached ();
}

/* What can be said of the bytes before any of them means something. */
static gboolean
check_bytes (const Scanner *self,
             gsize max_bytes,
             GError **error)
{
  const char *end;
  const char *nul;

  if (self->len > max_bytes)
    {
      g_autofree char *limit = g_format_size (max_bytes);

      /* Translators: %s is a size, such as “1.0 MB”. */
      return set_error_at (self, 0, error, _("the file is larger than the %s that are read"), limit);
    }

  nul = self->len > 0 ? memchr (self->data, '\0', self->len) : NULL;
  if (nul != NULL)
    return set_error_at (self, (gsize) (nul - self->data), error, _("a NUL byte; this is no text file"));
  if (!g_utf8_validate_len (self->data, self->len, &end))
    return set_error_at (self, (gsize) (end - self->data), error, _("this is not UTF-8; save the file as UTF-8"));
  if (self->len >= 3 && memcmp (self->data, "\xef\xbb\xbf", 3) == 0)
    return set_error_at (self, 0, error,
                         _("the file begins with a byte order mark; save it as UTF-8 without one"));
  return TRUE;
}

gboolean
oc_json_scan (const char *data,
              gsize len,
              gsize max_bytes,
              GArray *members,
              char *root,
              GError **error)
{
  Scanner self = { .data = data, .len = len, .members = members };
  gboolean good;

  g_return_val_if_fail (data != NULL || len == 0, FALSE);

  good = check_bytes (&self, max_bytes > 0 ? max_bytes : OC_JSON_MAX_BYTES, error);
  if (good)
    {
      self.string = g_string_new (NULL);
      skip_space (&self);
      if (self.at == self.len)
        good = set_error_at (&self, 0, error, _("the file is empty"));
      while (good && (self.expect != EXPECT_END || self.at < self.len))
        {
          good = scan_token (&self, error);
          skip_space (&self);
        }
      g_string_free (self.string, TRUE);
    }

  for (gsize i = 0; i < OC_JSON_MAX_DEPTH; i++)
    {
      g_clear_pointer (&self.levels[i].keys, g_hash_table_unref);
      g_clear_pointer (&self.levels[i].hashes, g_hash_table_unref);
    }
  if (good && root != NULL)
    *root = self.root;
  return good;
}
