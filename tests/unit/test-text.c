/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/oc-text.h"

static const struct
{
  const char *text;
  const char *shown;
  gboolean hidden;
} cases[] = {
  { "", "", FALSE },
  { "plain text, 3 €, 日本語, العربية, 😀", "plain text, 3 €, 日本語, العربية, 😀", FALSE },
  { "<b>&amp;</b>", "<b>&amp;</b>", FALSE },
  { "\x1b[2K\x1b[1A", "\\x1b[2K\\x1b[1A", TRUE },
  { "a\rb\nc\td", "a\\x0db\\x0ac\\x09d", TRUE },
  { "a\x7f", "a\\x7f", TRUE },
  { "a\xc2\x85z", "a\\u{85}z", TRUE },                    /* C1 next line */
  { "a\xe2\x80\xae" "z", "a\\u{202E}z", TRUE },           /* right-to-left override */
  { "a\xe2\x81\xa6z\xe2\x81\xa9", "a\\u{2066}z\\u{2069}", TRUE },
  { "a\xe2\x80\x8b" "b", "a\\u{200B}b", TRUE },            /* zero width space */
  { "a\xc2\xad" "b", "a\\u{AD}b", TRUE },                  /* soft hyphen */
  { "a\xef\xbb\xbf" "b", "a\\u{FEFF}b", TRUE },
  { "a\xe2\x80\xa8" "b", "a\\u{2028}b", TRUE },            /* line separator */
  { "a\xc2\xa0" "b", "a\\u{A0}b", TRUE },                  /* no-break space */
  { "a\xe3\x80\x80" "b", "a\\u{3000}b", TRUE },            /* ideographic space */
  { "a\xe3\x85\xa4" "b", "a\\u{3164}b", TRUE },            /* Hangul filler: a letter that shows nothing */
  { "a\xe2\xa0\x80" "b", "a\\u{2800}b", TRUE },            /* blank Braille */
  { "a\xef\xb8\x8f", "a\\u{FE0F}", TRUE },                 /* variation selector */
  { "a\xf3\xa0\x81\x81", "a\\u{E0041}", TRUE },            /* tag character */
  { "a\xee\x80\x80", "a\\u{E000}", TRUE },                 /* private use */
  { "a\xf4\x8f\xbf\xbf", "a\\u{10FFFF}", TRUE },           /* never assigned */
  { "a\xff" "b\xc0\x80", "a\\xffb\\xc0\\x80", TRUE },
  { "\xed\xa0\x80", "\\xed\\xa0\\x80", TRUE },             /* a surrogate */
  { " a b ", "\\x20a b\\x20", TRUE },
  { "a  b   c", "a \\x20b \\x20\\x20c", TRUE },           /* a wrapped line swallows them */
  { "   ", "\\x20\\x20\\x20", TRUE },
  { "e\xcc\x81", "e\xcc\x81", FALSE },                     /* one accent is writing */
  { "\xcc\x81" "a", "\\u{301}a", TRUE },                   /* one on nothing sits on our text */
  { "C:\\Users", "C:\\Users", FALSE },
  { "C:\\users\\x41", "C:\\\\users\\\\x41", FALSE },
  { "\\\\x1b", "\\\\\\\\x1b", FALSE },
  { "\\\x1b", "\\\\\\x1b", TRUE },
  { "a\\", "a\\", FALSE },
};

static void
test_escape (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean changed = !cases[i].hidden;
      g_autofree char *shown = oc_text_escape (cases[i].text, 0, &changed);

      g_test_message ("%s", cases[i].shown);
      g_assert_cmpstr (shown, ==, cases[i].shown);
      g_assert_cmpint (changed, ==, cases[i].hidden);
      g_assert_cmpint (oc_text_has_hidden (cases[i].text), ==, cases[i].hidden);
    }
}

static void
test_piled_marks (void)
{
  g_autoptr (GString) zalgo = g_string_new ("a");
  g_autofree char *shown = NULL;

  for (guint i = 0; i < 50; i++)
    g_string_append (zalgo, "\xcc\x81");
  shown = oc_text_escape (zalgo->str, 0, NULL);
  g_assert_true (oc_text_has_hidden (zalgo->str));
  g_assert_nonnull (strstr (shown, "\\u{301}"));

  g_string_truncate (zalgo, 1 + 2 * 4);
  g_assert_false (oc_text_has_hidden (zalgo->str));
}

static void
test_alike (void)
{
  static const char *const alike[][2] = {
    { "Word Count", "word count" },
    { "Word Count", "WordCount" },
    { "Word Count", "Word-Count!" },
    { "Word Count", "W\xd0\xberd C\xd0\xbeunt" },   /* Cyrillic o */
    { "Git Helper", "G\xd1\x96t Helper" },           /* Cyrillic i */
    { "NOTES", "\xce\x9d\xce\x9f\xce\xa4\xce\x95S" }, /* Greek capitals */
    { "Photos", "Ph0tos" },
    { "Illustrator", "lllustrator" },
    { "Modern", "Modem" },
    { "Caf\xc3\xa9", "Cafe" },
    { "Notes", "\xef\xbc\xae\xef\xbd\x8f\xef\xbd\x94\xef\xbd\x85\xef\xbd\x93" }, /* full width */
    { "Not\xe2\x80\x8b" "es", "Notes" },
  };
  static const char *const apart[][2] = {
    { "Word Count", "Word Counter" },
    { "Notes", "Votes" },
    { "\xe6\x97\xa5\xe6\x9c\xac", "\xe4\xb8\xad\xe5\x9b\xbd" },
    { "---", "***" },
    { "Notes", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (alike); i++)
    if (!oc_text_looks_like (alike[i][0], alike[i][1]))
      g_error ("%s and %s", alike[i][0], alike[i][1]);
  for (gsize i = 0; i < G_N_ELEMENTS (apart); i++)
    if (oc_text_looks_like (apart[i][0], apart[i][1]))
      g_error ("%s and %s", apart[i][0], apart[i][1]);
}

static void
test_cut (void)
{
  g_autofree char *whole = oc_text_escape ("äöü", 3, NULL);
  g_autofree char *cut = oc_text_escape ("äöüß", 3, NULL);
  g_autofree char *escape = oc_text_escape ("ab\x1b", 4, NULL);
  gboolean changed = FALSE;
  g_autofree char *past = oc_text_escape ("abcd\x1b", 2, &changed);

  g_assert_cmpstr (whole, ==, "äöü");
  g_assert_cmpstr (cut, ==, "äöü…");
  /* An escape is whole or not there. */
  g_assert_cmpstr (escape, ==, "ab…");
  g_assert_cmpstr (past, ==, "ab…");
  g_assert_true (changed);
}

static void
test_lines (void)
{
  gboolean changed = TRUE;
  g_autofree char *plain = oc_text_escape_lines ("  one\n\ttwo \n", -1, 0, &changed);
  g_autofree char *bytes = NULL;

  g_assert_cmpstr (plain, ==, "  one\n\ttwo \n");
  g_assert_false (changed);
  bytes = oc_text_escape_lines ("a\0b\r\nrest", 5, 0, &changed);
  g_assert_cmpstr (bytes, ==, "a\\x00b\\x0d\n");
  g_assert_true (changed);
}

static gboolean
is_escape (const char *p)
{
  return p[0] == '\\' && (p[1] == 'x' || p[1] == 'u');
}

/* Reads what oc_text_escape() wrote back; there is one way only. */
static char *
unescape (const char *shown)
{
  GString *out = g_string_new (NULL);
  const char *p = shown;

  while (*p != '\0')
    {
      gsize run = strspn (p, "\\");
      gboolean means = run > 0 && (p[run] == 'x' || p[run] == 'u');

      if (!means)
        {
          g_string_append_len (out, p, (gssize) MAX (run, 1));
          p += MAX (run, 1);
          continue;
        }
      for (gsize i = 0; i < run / 2; i++)
        g_string_append_c (out, '\\');
      p += run - run % 2;
      if (run % 2 == 0)
        continue;
      g_assert_true (is_escape (p));
      if (p[1] == 'x')
        {
          g_string_append_c (out, (char) (g_ascii_xdigit_value (p[2]) * 16 + g_ascii_xdigit_value (p[3])));
          p += 4;
        }
      else
        {
          char *end;

          g_string_append_unichar (out, (gunichar) g_ascii_strtoull (p + 3, &end, 16));
          p = end + 1;
        }
    }
  return g_string_free (out, FALSE);
}

static void
test_can_be_read_back (void)
{
  static const char *const pieces[] = { "\\", "\\", "x", "u", "{", "}", "1", "b", " ", "\x1b", "\xff", "\xe2\x80\xae",
                                        "é",  "x41", "u{41}" };

  for (guint i = 0; i < 100000; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      guint n = (guint) g_test_rand_int_range (0, 10);
      g_autofree char *shown = NULL;
      g_autofree char *again = NULL;

      for (guint j = 0; j < n; j++)
        g_string_append (text, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      shown = oc_text_escape (text->str, 0, NULL);
      again = unescape (shown);
      g_assert_cmpstr (again, ==, text->str);
      g_assert_true (g_utf8_validate (shown, -1, NULL));
    }
}

static void
test_random_bytes (void)
{
  for (guint i = 0; i < 100000; i++)
    {
      char text[17];
      gsize n = (gsize) g_test_rand_int_range (0, 16);
      g_autofree char *shown = NULL;
      g_autofree char *lines = NULL;
      g_autofree char *folded = NULL;

      for (gsize j = 0; j < n; j++)
        text[j] = (char) g_test_rand_int_range (1, 256);
      text[n] = '\0';
      shown = oc_text_escape (text, 0, NULL);
      lines = oc_text_escape_lines (text, (gssize) n, 0, NULL);
      folded = oc_text_fold (text);
      g_assert_true (g_utf8_validate (shown, -1, NULL));
      g_assert_true (g_utf8_validate (lines, -1, NULL));
      g_assert_true (g_utf8_validate (folded, -1, NULL));
      g_assert_false (oc_text_has_hidden (shown));
    }
}

static void
test_fold (void)
{
  static const char *const pairs[][2] = {
    { "Größe", "grosse" },
    { "ÉCOLE", "ecole" },
    { "Ｆｕｌｌ", "full" },
    { "ﬁle", "file" },
    { "e\xcc\x81", "\xc3\xa9" },
    { "Word\xe2\x80\x8b" "Count", "wordcount" },
    { "a\xc2\xa0" "b", "a b" },
    { "İ", "i" },
  };
  g_autofree char *nothing = oc_text_fold (NULL);

  g_assert_cmpstr (nothing, ==, "");
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *a = oc_text_fold (pairs[i][0]);
      g_autofree char *b = oc_text_fold (pairs[i][1]);

      g_assert_cmpstr (a, ==, b);
    }
}

static void
test_message (void)
{
  static const struct
  {
    const char *message;
    gboolean keep_lines;
    gsize max_chars;
    const char *shown;
  } messages[] = {
    { "plain", FALSE, 0, "plain" },
    { "the key \xe2\x80\x9c\\u{202E}x\xe2\x80\x9d", FALSE, 0, "the key \xe2\x80\x9c\\u{202E}x\xe2\x80\x9d" },
    { "\\x0d and \x1b[31m", FALSE, 0, "\\\\x0d and \\x1b[31m" },
    { "a\nb", TRUE, 0, "a\nb" },
    { "abcdef", FALSE, 3, "abc\xe2\x80\xa6" },
    { "abc", FALSE, 3, "abc" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (messages); i++)
    {
      g_autofree char *shown = oc_text_escape_message (messages[i].message, messages[i].keep_lines, messages[i].max_chars);
      g_autofree char *again = oc_text_escape_message (shown, messages[i].keep_lines, 0);

      g_assert_cmpstr (shown, ==, messages[i].shown);
      g_assert_cmpstr (again, ==, shown);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/escapes-never-strips", test_escape);
  g_test_add_func ("/text/piled-marks", test_piled_marks);
  g_test_add_func ("/text/cut", test_cut);
  g_test_add_func ("/text/looks-alike", test_alike);
  g_test_add_func ("/text/lines", test_lines);
  g_test_add_func ("/text/can-be-read-back", test_can_be_read_back);
  g_test_add_func ("/text/random-bytes", test_random_bytes);
  g_test_add_func ("/text/fold", test_fold);
  g_test_add_func ("/text/message", test_message);
  return g_test_run ();
}
