/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Held to GLib's own, which is slower and right. */
#include <string.h>

#include "core/oc-utf8.h"

/* Alone, and behind and before so much ASCII that it stands at every place of a word of eight bytes. */
static void
assert_as_glib (const char *bytes,
                gsize len)
{
  for (gsize shift = 0; shift < 18; shift++)
    {
      g_autofree char *text = g_malloc (len + 36);
      const char *end;
      gboolean right;
      gsize valid = 12345;

      memset (text, 'a', len + 36);
      memcpy (text + shift, bytes, len);
      for (gsize after = 0; after < 18; after += 17)
        {
          right = g_utf8_validate_len (text, shift + len + after, &end);
          g_assert_cmpint (oc_utf8_check (text, shift + len + after, &valid), ==, right);
          g_assert_cmpuint (valid, ==, (gsize) (end - text));
          g_assert_cmpint (oc_utf8_check (text, shift + len + after, NULL), ==, right);
        }
    }
}

static void
test_two_bytes (void)
{
  for (guint c = 0; c < 0x10000; c++)
    {
      const char bytes[] = { (char) (c >> 8), (char) c };
      const char *end;
      gsize valid;

      g_assert_cmpint (oc_utf8_check (bytes, 2, &valid), ==, g_utf8_validate_len (bytes, 2, &end));
      g_assert_cmpuint (valid, ==, (gsize) (end - bytes));
    }
}

/* Each lead byte with each second, and third and fourth from both ends of what they may be. */
static void
test_leads (void)
{
  static const guchar others[] = { 0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff };

  for (guint first = 0x80; first < 0x100; first++)
    for (guint second = 0x00; second < 0x100; second++)
      for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
        for (gsize j = 0; j < G_N_ELEMENTS (others); j++)
          {
            const char bytes[] = { (char) first, (char) second, (char) others[i], (char) others[j] };
            const char *end;
            gsize valid;

            g_assert_cmpint (oc_utf8_check (bytes, 4, &valid), ==, g_utf8_validate_len (bytes, 4, &end));
            g_assert_cmpuint (valid, ==, (gsize) (end - bytes));
          }
}

/* Every character there is, and what looks like one: surrogates, and beyond the last. */
static void
test_characters (void)
{
  for (guint32 c = 1; c < 0x110400; c++)
    {
      char bytes[6];
      gsize len = (gsize) g_unichar_to_utf8 (c, bytes);
      const char *end;
      gsize valid;

      g_assert_cmpint (oc_utf8_check (bytes, len, &valid), ==, g_utf8_validate_len (bytes, len, &end));
      g_assert_cmpuint (valid, ==, (gsize) (end - bytes));
    }
}

static void
test_places (void)
{
  static const char *const texts[] = {
    "", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x90\x88", "\xc3", "\xe2\x82", "\xf0\x9f\x90", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
    "\xc3\xa4\xc3\xa4\xff", "\xe2\x82\xac\xe2\x82",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    assert_as_glib (texts[i], strlen (texts[i]));
  assert_as_glib ("\0", 1);
  assert_as_glib ("a\0b", 3);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/utf8/two-bytes", test_two_bytes);
  g_test_add_func ("/utf8/lead-bytes", test_leads);
  g_test_add_func ("/utf8/every-character", test_characters);
  g_test_add_func ("/utf8/every-place", test_places);
  return g_test_run ();
}
