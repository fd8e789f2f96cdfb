/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-json.h"

#include <string.h>

static void
test_width (void)
{
  g_assert_cmpuint (oc_cli_text_width (""), ==, 0);
  g_assert_cmpuint (oc_cli_text_width ("abc"), ==, 3);
  g_assert_cmpuint (oc_cli_text_width ("日本"), ==, 4);
  /* e and a combining acute */
  g_assert_cmpuint (oc_cli_text_width ("e\314\201"), ==, 1);
}

static void
test_wrap (void)
{
  static const struct
  {
    const char *first, *text, *expected;
  } cases[] = {
    { "", "one two three", "one two\nthree\n" },
    { "- ", "one two three", "- one\n  two\n  three\n" },
    { "- ", "", "- \n" },
    { "", "a\nb", "a\nb\n" },
    { "  ", "a\nb\n", "  a\n  b\n" },
    /* Too long to fit: whole all the same, on a line of its own. */
    { "- ", "a 0123456789 b", "- a\n  0123456789\n  b\n" },
    { "", "日本 日本 日本", "日本\n日本\n日本\n" },
    { "", "a   b", "a b\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = oc_cli_wrap (cases[i].first, cases[i].text, 8);

      g_assert_cmpstr (got, ==, cases[i].expected);
    }
}

/* No line is longer than asked for, and nothing is lost, whatever the width that its longest word leaves. */
static void
test_wrap_any_width (void)
{
  const char *text = "It can run any program, through python3, with everything that you may read.";

  for (guint columns = 14; columns < 100; columns++)
    {
      g_autofree char *got = oc_cli_wrap ("  - ", text, columns);
      g_auto (GStrv) lines = g_strsplit (got, "\n", -1);
      g_autoptr (GString) joined = g_string_new (NULL);

      for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++)
        {
          g_assert_cmpuint (oc_cli_text_width (lines[i]), <=, columns);
          g_string_append_printf (joined, "%s%s", i > 0 ? " " : "", lines[i] + 4);
        }
      g_assert_cmpstr (joined->str, ==, text);
    }
}

/* What could fool a reader is spelled as an escape, and a program still reads the same text. */
static void
test_json_guard (void)
{
  const char *texts[] = { "plain", "ümlaut 日本", "a\342\200\256b", "\342\200\213", "\302\205", "\363\240\200\201",
                          "tab\tfeed\n", "\302\240", "\357\273\277" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), texts[i]);
      g_autofree char *json = oc_json_to_string (node, FALSE);
      g_autofree char *guarded = oc_cli_json_guard (json);
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) back = oc_json_parse (guarded, strlen (guarded), 0, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (json_node_get_string (back), ==, texts[i]);
      for (const char *p = guarded; *p != '\0'; p = g_utf8_next_char (p))
        {
          gunichar c = g_utf8_get_char (p);

          g_assert_true (c == '\n' || c == ' ' || (g_unichar_isprint (c) && !g_unichar_isspace (c) && !g_unichar_iszerowidth (c)));
        }
    }
}

/* A reason that ends its own quotation mark and goes on in our words, on what the terminal makes a line of its own. */
static void
test_quote (void)
{
  static const char *const texts[] = {
    "it needs it.” Not included: reading files, and the network. How it is held to that: “nothing goes out",
    "short",
    "",
    "a_word_with_no_space_in_it_that_is_wider_than_any_line_and_would_be_broken_by_the_terminal_at_its_margin_______________Caution",
    "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint columns = 40; columns <= 80; columns += 5)
      {
        g_autofree char *quoted = oc_cli_quote ("           ", texts[i], columns);
        g_auto (GStrv) lines = g_strsplit (quoted, "\n", -1);
        guint n = g_strv_length (lines);

        g_assert_true (g_str_has_suffix (quoted, "\n"));
        for (guint j = 0; j + 1 < n; j++)
          {
            g_assert_true (g_str_has_prefix (lines[j], "           | "));
            g_assert_cmpuint (oc_cli_text_width (lines[j]), <=, columns);
          }
      }
}

static void
test_duration (void)
{
  static const struct
  {
    gint64 us;
    const char *expected;
  } cases[] = {
    { 0, "0 ms" },       { 41000, "41 ms" },         { G_USEC_PER_SEC, "1.0 s" },
    { 59990000, "59.9 s" }, { 182 * G_USEC_PER_SEC, "3 min 2 s" }, { -1, "?" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = oc_cli_format_duration (cases[i].us);

      g_assert_cmpstr (got, ==, cases[i].expected);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli-output/width", test_width);
  g_test_add_func ("/cli-output/wrap", test_wrap);
  g_test_add_func ("/cli-output/wrap-any-width", test_wrap_any_width);
  g_test_add_func ("/cli-output/json-guard", test_json_guard);
  g_test_add_func ("/cli-output/what-is-not-ours", test_quote);
  g_test_add_func ("/cli-output/duration", test_duration);
  return g_test_run ();
}
