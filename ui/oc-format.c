/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-format.h"

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"

#define LABEL_MIN_CHARS 8

static gint64
days_between (GDateTime *from,
              GDateTime *to)
{
  g_autoptr (GDateTime) a = NULL;
  g_autoptr (GDateTime) b = NULL;

  a = g_date_time_new_utc (g_date_time_get_year (from), g_date_time_get_month (from), g_date_time_get_day_of_month (from),
                           0, 0, 0);
  b = g_date_time_new_utc (g_date_time_get_year (to), g_date_time_get_month (to), g_date_time_get_day_of_month (to), 0, 0, 0);
  return g_date_time_difference (b, a) / G_TIME_SPAN_DAY;
}

static GDateTime *
to_local (gint64 time)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (time / G_USEC_PER_SEC);

  return utc != NULL ? g_date_time_to_local (utc) : NULL;
}

char *
oc_format_when (gint64 time,
                gint64 now)
{
  g_autoptr (GDateTime) then = to_local (time);
  g_autoptr (GDateTime) today = to_local (now);
  gint64 days;

  if (then == NULL || today == NULL)
    return g_strdup (_("at an unknown time"));
  if (now >= time && now - time < G_TIME_SPAN_MINUTE)
    return g_strdup (_("just now"));
  days = days_between (then, today);
  if (days == 0)
    /* Translators: a time format for g_date_time_format(); follows a verb: "last used today at 14:02" */
    return g_date_time_format (then, _("today at %H:%M"));
  if (days == 1)
    return g_date_time_format (then, _("yesterday at %H:%M"));
  /* Translators: a date format for g_date_time_format(); follows a verb: "last used on 28 November 2026" */
  return g_date_time_format (then, _("on %-d %B %Y"));
}

char *
oc_format_exactly (gint64 time)
{
  g_autoptr (GDateTime) then = to_local (time);

  if (then == NULL)
    return g_strdup (_("at an unknown time"));
  return g_date_time_format (then, _("%-d %B %Y, %H:%M:%S"));
}

char *
oc_format_duration (gint64 duration)
{
  gint64 seconds = duration / G_USEC_PER_SEC;

  if (duration < 0)
    duration = 0;
  if (seconds < 1)
    /* Translators: a length of time in milliseconds */
    return g_strdup_printf (_("%d ms"), (int) (duration / 1000));
  if (seconds < 10)
    /* Translators: a length of time in seconds */
    return g_strdup_printf (_("%.1f s"), (double) duration / G_USEC_PER_SEC);
  if (seconds < 120)
    return g_strdup_printf (_("%d s"), (int) seconds);
  return g_strdup_printf (_("%d min"), (int) (seconds / 60));
}

char *
oc_format_usage (guint n_allowed,
                 guint n_refused,
                 gint64 last,
                 guint n_runs,
                 gint64 now)
{
  g_autofree char *used = NULL;
  g_autofree char *refused = NULL;
  g_autofree char *when = NULL;

  if (n_runs == 0 && n_allowed == 0 && n_refused == 0)
    return NULL;
  if (n_allowed == 0)
    {
      used = g_strdup_printf (ngettext ("Never used in %u run", "Never used in %u runs", n_runs), n_runs);
    }
  else
    {
      when = oc_format_when (last, now);
      /* Translators: %s is "today at 14:02", "on 28 November 2026" */
      used = g_strdup_printf (ngettext ("Used %u time, last %s", "Used %u times, last %s", n_allowed), n_allowed, when);
    }
  if (n_refused == 0)
    return g_steal_pointer (&used);
  refused = g_strdup_printf (ngettext ("refused %u time", "refused %u times", n_refused), n_refused);
  return g_strdup_printf ("%s · %s", used, refused);
}

GtkWidget *
oc_label_new (const char *text,
              const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  /* Without it GTK lays the text out one character a line to learn how narrow it can be: most of the time that a long
   * review took to show. */
  gtk_label_set_width_chars (GTK_LABEL (label), LABEL_MIN_CHARS);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

char *
oc_escape (const char *text)
{
  return text != NULL ? oc_text_escape (text, 0, NULL) : NULL;
}

char *
oc_escape_message (const char *text)
{
  return text != NULL ? oc_text_escape_message (text, FALSE, 0) : NULL;
}

void
oc_box_clear (GtkBox *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

void
oc_list_box_clear (GtkListBox *list)
{
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (list, 0)) != NULL)
    gtk_list_box_remove (list, GTK_WIDGET (row));
}
