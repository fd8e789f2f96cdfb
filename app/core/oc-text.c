/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-text.h"

#include <string.h>

/* How many combining marks may sit on one character. Written languages need four or so; a pile of
 * them paints over the rows above and below. */
#define OC_TEXT_MAX_MARKS 8

/* Characters that show nothing although their general category is a letter, mark or symbol: the
 * rest of Default_Ignorable_Code_Point (DerivedCoreProperties.txt) and the blank Braille pattern.
 */
static const struct
{
  gunichar first, last;
} blanks[] = {
  { 0x034f, 0x034f },   /* combining grapheme joiner */
  { 0x115f, 0x1160 },   /* Hangul fillers */
  { 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
  { 0x180b, 0x180f },   /* Mongolian variation selectors */
  { 0x2800, 0x2800 },   /* blank Braille pattern */
  { 0x3164, 0x3164 },   /* Hangul filler */
  { 0xfe00, 0xfe0f },   /* variation selectors */
  { 0xffa0, 0xffa0 },   /* half-width Hangul filler */
  { 0x1d159, 0x1d159 }, /* musical null note head */
  { 0xe0100, 0xe01ef }, /* variation selectors supplement */
};

typedef enum
{
  CHAR_PLAIN = 0,
  CHAR_MARK,   /* sits on the one before */
  CHAR_HIDDEN, /* to be escaped wherever it is */
} CharClass;

static CharClass
classify (gunichar c)
{
  if (c < 0x7f)
    return c < 0x20 ? CHAR_HIDDEN : CHAR_PLAIN;

  for (gsize i = 0; i < G_N_ELEMENTS (blanks); i++)
    {
      if (c >= blanks[i].first && c <= blanks[i].last)
        return CHAR_HIDDEN;
    }

  switch ((int) g_unichar_type (c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SPACE_SEPARATOR: /* U+0020 was dealt with above */
      return CHAR_HIDDEN;
    case G_UNICODE_NON_SPACING_MARK:
    case G_UNICODE_ENCLOSING_MARK:
      return CHAR_MARK;
    default:
      return CHAR_PLAIN;
    }
}

/* One step of the walk that escaping and looking for hidden characters share. */
typedef struct
{
  const char *at;
  const char *end;
  const char *first_visible; /* ASCII spaces before it are leading */
  const char *last_visible;  /* ASCII spaces from it on are trailing */
  gboolean lines;            /* line feeds, tabs and spaces at the ends stay */
  gboolean after_space;
  guint marks;               /* on the current base; from NO_BASE on: there is no base */
} Walk;

typedef struct
{
  const char *bytes; /* the character, or the one bad byte */
  gsize len;
  gunichar c;
  gboolean bad;    /* not UTF-8 */
  gboolean hidden; /* to be escaped */
} Step;

#define NO_BASE (G_MAXUINT / 2)

static void
walk_init (Walk *walk,
           const char *text,
           gsize len,
           gboolean lines)
{
  walk->at = text;
  walk->end = text + len;
  walk->lines = lines;
  walk->after_space = FALSE;
  walk->marks = NO_BASE;
  walk->first_visible = text;
  walk->last_visible = walk->end;
  if (lines)
    return;

  while (walk->first_visible < walk->end && *walk->first_visible == ' ')
    walk->first_visible++;
  while (walk->last_visible > walk->first_visible && walk->last_visible[-1] == ' ')
    walk->last_visible--;
}

static gboolean
walk_next (Walk *walk,
           Step *step)
{
  if (walk->at >= walk->end)
    return FALSE;

  step->bytes = walk->at;
  step->bad = FALSE;
  step->hidden = FALSE;
  step->c = (guchar) *walk->at;
  step->len = 1;
  if (step->c >= 0x80)
    {
      step->c = g_utf8_get_char_validated (walk->at, walk->end - walk->at);
      if (step->c == (gunichar) -1 || step->c == (gunichar) -2)
        step->bad = step->hidden = TRUE;
      else
        step->len = (gsize) (g_utf8_next_char (walk->at) - walk->at);
    }
  walk->at += step->len;

  if (!step->bad)
    {
      CharClass class = classify (step->c);

      if (class == CHAR_MARK)
        step->hidden = ++walk->marks > OC_TEXT_MAX_MARKS;
      else if (walk->lines && (step->c == '\n' || step->c == '\t'))
        step->hidden = FALSE;
      else if (step->c == ' ')
        step->hidden = step->bytes < walk->first_visible || step->bytes >= walk->last_visible
                       || (walk->after_space && !walk->lines);
      else
        step->hidden = class == CHAR_HIDDEN;

      if (class != CHAR_MARK)
        walk->marks = step->hidden || step->c == '\n' || step->c == '\t' ? NO_BASE : 0;
    }
  if (step->bad)
    walk->marks = NO_BASE;
  walk->after_space = !step->bad && step->c == ' ';

  return TRUE;
}

static guint
format_step (const Step *step,
             char buffer[16])
{
  if (step->bad)
    return (guint) g_snprintf (buffer, 16, "\\x%02x", (guint) (guchar) *step->bytes);
  if (step->hidden && step->c < 0x80)
    return (guint) g_snprintf (buffer, 16, "\\x%02x", (guint) step->c);
  if (step->hidden)
    return (guint) g_snprintf (buffer, 16, "\\u{%X}", (guint) step->c);

  memcpy (buffer, step->bytes, step->len);
  return (guint) step->len;
}

/* Whether the run of backslashes just walked over is followed by something that makes it look like
 * an escape of ours: a literal x or u, or a character that will itself be escaped. */
static gboolean
is_ambiguous (const Walk *walk)
{
  Walk ahead = *walk;
  Step step;

  if (!walk_next (&ahead, &step))
    return FALSE;
  return step.hidden || step.c == 'x' || step.c == 'u';
}

static char *
escape (const char *text,
        gsize len,
        gboolean lines,
        gsize max_chars,
        gboolean *changed)
{
  g_autoptr (GString) out = g_string_sized_new (len + 16);
  gboolean any = FALSE;
  gsize n_chars = 0;
  gsize n_backslashes = 0;
  Walk walk;
  Step step;

  walk_init (&walk, text, len, lines);
  while (walk_next (&walk, &step))
    {
      char buffer[16];
      guint n_bytes = format_step (&step, buffer);
      gsize n = step.hidden ? n_bytes : 1;
      gsize doubled = 0;

      n_backslashes = step.c == '\\' && !step.bad ? n_backslashes + 1 : 0;
      /* A whole run is doubled, so that what is shown can be read back in one way only. */
      if (n_backslashes > 0 && (walk.at >= walk.end || *walk.at != '\\') && is_ambiguous (&walk))
        doubled = n_backslashes;

      any |= step.hidden;
      if (max_chars > 0 && n_chars + n + doubled > max_chars)
        {
          g_string_append (out, "…");
          /* What is hidden past the cut counts too: the caller says that the text has hidden
           * characters. */
          while (!any && walk_next (&walk, &step))
            any = step.hidden;
          break;
        }

      g_string_append_len (out, buffer, n_bytes);
      for (gsize i = 0; i < doubled; i++)
        g_string_append_c (out, '\\');
      n_chars += n + doubled;
    }

  if (changed != NULL)
    *changed = any;
  return g_string_free (g_steal_pointer (&out), FALSE);
}

char *
oc_text_escape (const char *text,
                gsize max_chars,
                gboolean *changed)
{
  g_return_val_if_fail (text != NULL, NULL);

  return escape (text, strlen (text), FALSE, max_chars, changed);
}

char *
oc_text_escape_lines (const char *text,
                      gssize len,
                      gsize max_chars,
                      gboolean *changed)
{
  g_return_val_if_fail (text != NULL, NULL);

  return escape (text, len < 0 ? strlen (text) : (gsize) len, TRUE, max_chars, changed);
}

char *
oc_text_escape_message (const char *message,
                        gboolean keep_lines,
                        gsize max_chars)
{
  gboolean hidden = FALSE;
  g_autofree char *escaped = NULL;

  g_return_val_if_fail (message != NULL, NULL);

  escaped = escape (message, strlen (message), keep_lines, max_chars, &hidden);
  /* Nothing hidden: valid UTF-8, so its characters can be counted. */
  if (hidden || (max_chars > 0 && g_utf8_strlen (message, -1) > (glong) max_chars))
    return g_steal_pointer (&escaped);
  return g_strdup (message);
}

gboolean
oc_text_has_hidden (const char *text)
{
  Walk walk;
  Step step;

  g_return_val_if_fail (text != NULL, TRUE);

  walk_init (&walk, text, strlen (text), FALSE);
  while (walk_next (&walk, &step))
    {
      if (step.hidden)
        return TRUE;
    }
  return FALSE;
}

char *
oc_text_format_size (guint64 bytes)
{
  g_autofree char *text = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_auto (GStrv) parts = g_strsplit (text, "\u00a0", -1);

  return g_strjoinv (" ", parts);
}

char *
oc_text_fold (const char *text)
{
  g_autofree char *valid = NULL;
  g_autofree char *decomposed = NULL;
  g_autofree char *folded = NULL;
  g_autofree char *again = NULL;
  GString *out;

  if (text == NULL)
    return g_strdup ("");

  valid = g_utf8_make_valid (text, -1);
  decomposed = g_utf8_normalize (valid, -1, G_NORMALIZE_ALL);
  folded = g_utf8_casefold (decomposed, -1);
  /* Folding may give characters that decompose again (U+0130). */
  again = g_utf8_normalize (folded, -1, G_NORMALIZE_ALL);

  out = g_string_sized_new (strlen (again));
  for (const char *p = again; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      /* What cannot be seen cannot tell two names apart either. */
      if (g_unichar_isspace (c))
        c = ' ';
      else if (classify (c) != CHAR_PLAIN || g_unichar_ismark (c))
        continue;
      g_string_append_unichar (out, c);
    }
  return g_string_free (out, FALSE);
}

/* Letters of other scripts that are drawn like a Latin one (Unicode TS 39 has all of them; these are the ones in the usual
 * fonts of a desktop). */
static const struct
{
  gunichar c;
  char like;
} alikes[] = {
  /* Cyrillic */
  { 0x0410, 'a' }, { 0x0430, 'a' }, { 0x0412, 'b' }, { 0x0432, 'b' }, { 0x042c, 'b' }, { 0x044c, 'b' }, { 0x0421, 'c' },
  { 0x0441, 'c' }, { 0x0501, 'd' }, { 0x0415, 'e' }, { 0x0435, 'e' }, { 0x0433, 'r' }, { 0x041d, 'h' }, { 0x043d, 'h' },
  { 0x04bb, 'h' }, { 0x0406, 'l' }, { 0x0456, 'l' }, { 0x04c0, 'l' }, { 0x04cf, 'l' }, { 0x0408, 'j' }, { 0x0458, 'j' },
  { 0x041a, 'k' }, { 0x043a, 'k' }, { 0x041c, 'm' }, { 0x043c, 'm' }, { 0x043f, 'n' }, { 0x041e, 'o' }, { 0x043e, 'o' },
  { 0x0420, 'p' }, { 0x0440, 'p' }, { 0x051b, 'q' }, { 0x0405, 's' }, { 0x0455, 's' }, { 0x0422, 't' }, { 0x0442, 't' },
  { 0x0475, 'v' }, { 0x051d, 'w' }, { 0x0425, 'x' }, { 0x0445, 'x' }, { 0x0423, 'y' }, { 0x0443, 'y' }, { 0x04ae, 'y' },
  { 0x04af, 'y' },
  /* Greek: capitals and small letters are alike to different ones */
  { 0x0391, 'a' }, { 0x03b1, 'a' }, { 0x0392, 'b' }, { 0x0395, 'e' }, { 0x03b5, 'e' }, { 0x0397, 'h' }, { 0x03b7, 'n' },
  { 0x0399, 'l' }, { 0x03b9, 'l' }, { 0x039a, 'k' }, { 0x03ba, 'k' }, { 0x039c, 'm' }, { 0x039d, 'n' }, { 0x03bd, 'v' },
  { 0x039f, 'o' }, { 0x03bf, 'o' }, { 0x03c3, 'o' }, { 0x03a1, 'p' }, { 0x03c1, 'p' }, { 0x03a4, 't' }, { 0x03c4, 't' },
  { 0x03bc, 'u' }, { 0x03c5, 'u' }, { 0x03a7, 'x' }, { 0x03c7, 'x' }, { 0x03a5, 'y' }, { 0x03b3, 'y' }, { 0x0396, 'z' },
  { 0x03c9, 'w' },
  /* Armenian */
  { 0x0578, 'n' }, { 0x057d, 'u' }, { 0x0585, 'o' }, { 0x0570, 'h' }, { 0x0581, 'g' }, { 0x0566, 'q' },
  /* Latin */
  { 0x0131, 'l' }, { 0x0251, 'a' }, { 0x0261, 'g' }, { 0x0269, 'l' },
};

/* Before folding, since the two cases of one letter may be alike to different ones. */
static gunichar
to_alike (gunichar c)
{
  if (c == 'I' || c == 'i' || c == '1' || c == '|')
    return 'l';
  if (c < 0x80)
    return c == '0' ? 'o' : (guchar) g_ascii_tolower ((char) c);
  for (gsize i = 0; i < G_N_ELEMENTS (alikes); i++)
    if (alikes[i].c == c)
      return (guchar) alikes[i].like;
  return g_unichar_tolower (c);
}

/* Two letters that stand so close as to be one. */
static void
join_pairs (GString *text)
{
  g_string_replace (text, "rn", "m", 0);
  g_string_replace (text, "vv", "w", 0);
}

/* Equal where two names look alike. */
static char *
make_skeleton (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *decomposed = g_utf8_normalize (valid, -1, G_NORMALIZE_ALL);
  GString *out = g_string_new (NULL);

  for (const char *p = decomposed; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = to_alike (g_utf8_get_char (p));

      if (classify (c) == CHAR_PLAIN && !g_unichar_ismark (c) && !g_unichar_isspace (c) && !g_unichar_ispunct (c))
        g_string_append_unichar (out, c);
    }
  join_pairs (out);
  return g_string_free (out, FALSE);
}

gboolean
oc_text_looks_like (const char *a,
                    const char *b)
{
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  g_return_val_if_fail (a != NULL && b != NULL, FALSE);
  first = make_skeleton (a);
  second = make_skeleton (b);
  /* Names that are nothing but punctuation have no letters to be alike by. */
  return *first != '\0' ? g_str_equal (first, second) : g_str_equal (a, b);
}
