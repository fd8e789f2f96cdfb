/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli-output.h"

#include "core/oc-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MIN_COLUMNS 40
#define MAX_COLUMNS 80
#define LABEL_COLUMNS 13

guint
oc_cli_get_columns (void)
{
  struct winsize size = { 0 };

  if (!isatty (STDOUT_FILENO) || ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return MAX_COLUMNS;
  return CLAMP (size.ws_col, MIN_COLUMNS, MAX_COLUMNS);
}

guint
oc_cli_text_width (const char *text)
{
  guint width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (!g_unichar_iszerowidth (c))
        width += g_unichar_iswide (c) ? 2 : 1;
    }
  return width;
}

static gboolean
has_colour (void)
{
  /* https://no-color.org: set and not empty. */
  const char *no_color = g_getenv ("NO_COLOR");
  const char *term = g_getenv ("TERM");

  if (no_color != NULL && no_color[0] != '\0')
    return FALSE;
  return isatty (STDOUT_FILENO) && term != NULL && strcmp (term, "dumb") != 0;
}

char *
oc_cli_style (OcCliStyle style,
              const char *text)
{
  static const char *const codes[] = {
    [OC_CLI_PLAIN] = "",   [OC_CLI_BOLD] = "1",    [OC_CLI_DIM] = "2",
    [OC_CLI_RED] = "1;31", [OC_CLI_YELLOW] = "33", [OC_CLI_GREEN] = "32",
  };

  if (style == OC_CLI_PLAIN || !has_colour ())
    return g_strdup (text);
  return g_strdup_printf ("\033[%sm%s\033[0m", codes[style], text);
}

OcCliStyle
oc_cli_severity_style (OcSeverity severity)
{
  switch (severity)
    {
    case OC_SEVERITY_BROAD:
      return OC_CLI_RED;
    case OC_SEVERITY_CAUTION:
      return OC_CLI_YELLOW;
    case OC_SEVERITY_OK:
      return OC_CLI_GREEN;
    }
  return OC_CLI_RED;
}

/* Columns of @text without the colour codes that oc_cli_style() put in. */
static guint
visible_width (const char *text)
{
  g_autoptr (GString) plain = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '\033')
        while (*p != 'm' && p[1] != '\0')
          p++;
      else
        g_string_append_c (plain, *p);
    }
  return oc_cli_text_width (plain->str);
}

static void
wrap_line (GString *out,
           guint indent,
           guint columns,
           const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  guint at = indent;

  for (guint i = 0; words[i] != NULL; i++)
    {
      guint width = oc_cli_text_width (words[i]);

      if (width == 0)
        continue;
      if (at > indent && at + 1 + width > columns)
        {
          g_string_append_printf (out, "\n%*s", (int) indent, "");
          at = indent;
        }
      else if (at > indent)
        {
          g_string_append_c (out, ' ');
          at++;
        }
      g_string_append (out, words[i]);
      at += width;
    }
  g_string_append_c (out, '\n');
}

char *
oc_cli_wrap (const char *first,
             const char *text,
             guint columns)
{
  g_autoptr (GString) out = g_string_new (first);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint indent = visible_width (first);
  guint n = g_strv_length (lines);

  if (n == 0)
    g_string_append_c (out, '\n');
  /* A line feed at the end is not an empty line. */
  while (n > 1 && lines[n - 1][0] == '\0')
    n--;
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append_printf (out, "%*s", (int) indent, "");
      wrap_line (out, indent, columns, lines[i]);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

void
oc_cli_print_wrapped (const char *first,
                      const char *text)
{
  g_autofree char *wrapped = oc_cli_wrap (first, text, oc_cli_get_columns ());

  g_print ("%s", wrapped);
}

/* @text with spaces put into words that are longer than @columns, which a terminal would break at its own margin. */
static char *
break_words (const char *text,
             guint columns)
{
  g_autoptr (GString) out = g_string_new (NULL);
  guint at = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      g_autofree char *character = g_strndup (p, (gsize) (g_utf8_next_char (p) - p));
      guint width = oc_cli_text_width (character);

      if (*p != ' ' && at + width > columns)
        {
          g_string_append_c (out, ' ');
          at = 0;
        }
      at = *p == ' ' ? 0 : at + width;
      g_string_append (out, character);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

char *
oc_cli_quote (const char *indent,
              const char *text,
              guint columns)
{
  g_autofree char *prefix = g_strconcat (indent, "| ", NULL);
  guint width = oc_cli_text_width (prefix);
  guint room = columns > width + 10 ? columns - width : 10;
  g_autofree char *broken = break_words (text, room);
  g_autofree char *wrapped = oc_cli_wrap ("", broken, room);
  g_auto (GStrv) lines = g_strsplit (g_strchomp (wrapped), "\n", -1);
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (out, "%s%s\n", prefix, lines[i]);
  if (out->len == 0)
    g_string_append_printf (out, "%s\n", prefix);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

void
oc_cli_print_heading (const char *text)
{
  g_autofree char *styled = oc_cli_style (OC_CLI_BOLD, text);

  g_print ("\n%s\n", styled);
}

void
oc_cli_print_field (const char *label,
                    const char *value)
{
  g_autofree char *first = NULL;
  guint width;

  if (value == NULL)
    return;
  width = oc_cli_text_width (label) + 1;
  first = g_strdup_printf ("%s:%*s", label, width < LABEL_COLUMNS ? (int) (LABEL_COLUMNS - width) : 1, "");
  oc_cli_print_wrapped (first, value);
}

void
oc_cli_print_foreign (const char *text)
{
  g_autofree char *escaped = oc_text_escape_lines (text, -1, 0, NULL);
  g_auto (GStrv) lines = g_strsplit (escaped, "\n", -1);
  guint n = g_strv_length (lines);

  while (n > 0 && lines[n - 1][0] == '\0')
    n--;
  for (guint i = 0; i < n; i++)
    g_print ("  | %s\n", lines[i]);
}

char *
oc_cli_format_time (gint64 us)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) local = utc != NULL ? g_date_time_to_local (utc) : NULL;

  if (local == NULL)
    return g_strdup (_ ("at an unknown time"));
  return g_date_time_format (local, "%Y-%m-%d %H:%M:%S");
}

char *
oc_cli_format_duration (gint64 us)
{
  gint64 seconds = us / G_USEC_PER_SEC;

  if (us < 0)
    return g_strdup ("?");
  if (us < G_USEC_PER_SEC)
    return g_strdup_printf (_ ("%d ms"), (int) (us / 1000));
  if (seconds < 60)
    return g_strdup_printf (_ ("%d.%d s"), (int) seconds, (int) (us % G_USEC_PER_SEC / 100000));
  return g_strdup_printf (_ ("%d min %d s"), (int) (seconds / 60), (int) (seconds % 60));
}

char *
oc_cli_describe_method (const char *method)
{
  /* "run" hands the selection over: the plugin called nothing. */
  if (g_str_equal (method, "run"))
    return g_strdup (_ ("what was selected"));
  return oc_text_escape (method, 80, NULL);
}
