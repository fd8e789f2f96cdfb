/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window with 10 and 500 plugins, beside a bare libadwaita window, in turns: until its first frame is painted, until all
 * plugins are in the list and painted, a key in the search until the list is painted, and the longest time that the main loop was
 * held up meanwhile. Medians in ms. */
#include "ui-fixture.h"

#define ROUNDS 9
#define TICK_MS 1

typedef struct
{
  gint64 first; /* µs, of the frame clock's first painted frame; 0: none yet */
  guint painted;
  gint64 last_tick;
  gint64 longest; /* between two ticks */
  guint source;
} Watch;

typedef struct
{
  double first, settled, search, block;
} Figures;

static void
painted_cb (GdkFrameClock *clock, Watch *watch)
{
  watch->painted++;
  if (watch->first == 0)
    watch->first = g_get_monotonic_time ();
}

static gboolean
tick_cb (gpointer data)
{
  Watch *watch = data;
  gint64 now = g_get_monotonic_time ();

  watch->longest = MAX (watch->longest, now - watch->last_tick);
  watch->last_tick = now;
  return G_SOURCE_CONTINUE;
}

static void
watch_start (Watch *watch, GtkWidget *window)
{
  g_signal_connect (gdk_surface_get_frame_clock (gtk_native_get_surface (GTK_NATIVE (window))), "after-paint",
                    G_CALLBACK (painted_cb), watch);
  watch->last_tick = g_get_monotonic_time ();
  watch->source = g_timeout_add_full (G_PRIORITY_HIGH, TICK_MS, tick_cb, watch, NULL);
}

static gboolean
is_painted (gpointer data)
{
  return ((Watch *) data)->painted > 0;
}

static void
wait_for_frame (Watch *watch, GtkWidget *window)
{
  watch->painted = 0;
  gtk_widget_queue_draw (window);
  home_wait (is_painted, watch);
}

static double
ms_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1000;
}

static void
measure_bare (Figures *figures)
{
  gint64 start = g_get_monotonic_time ();
  GtkWidget *window = adw_application_window_new (NULL);
  Watch watch = { 0 };

  gtk_window_set_default_size (GTK_WINDOW (window), 1000, 760);
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (window), adw_header_bar_new ());
  gtk_window_present (GTK_WINDOW (window));
  watch_start (&watch, window);
  home_wait (is_painted, &watch);
  figures->first = (double) (watch.first - start) / 1000;
  g_source_remove (watch.source);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_all (gpointer data)
{
  OcRegistry *registry = data;

  return !oc_registry_is_loading (registry) && oc_registry_get_consent (registry) != NULL;
}

static void
measure (Home *home, Figures *figures)
{
  g_autoptr (OcLauncher) launcher = oc_launcher_new ("/bin/true");
  OcSession *session;
  OcWindow *window;
  GtkEditable *entry;
  Watch watch = { 0 };
  gint64 start = g_get_monotonic_time ();

  session = oc_session_new (home->paths, launcher);
  oc_session_start (session);
  window = oc_window_new (NULL, session);
  gtk_window_present (GTK_WINDOW (window));
  watch_start (&watch, GTK_WIDGET (window));
  home_wait (has_all, oc_session_get_registry (session));
  home_wait (is_painted, &watch);
  figures->first = (double) (watch.first - start) / 1000;
  wait_for_frame (&watch, GTK_WIDGET (window));
  figures->settled = ms_since (start);
  entry = ui_child (oc_window_get_plugins_view (window), "search");
  start = g_get_monotonic_time ();
  gtk_editable_set_text (entry, "tool 7");
  wait_for_frame (&watch, GTK_WIDGET (window));
  figures->search = ms_since (start);
  figures->block = (double) watch.longest / 1000;
  g_source_remove (watch.source);
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (session);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (const Figures *figures, gsize offset)
{
  double values[ROUNDS];

  for (guint i = 0; i < ROUNDS; i++)
    values[i] = G_STRUCT_MEMBER (double, &figures[i], offset);
  qsort (values, ROUNDS, sizeof *values, compare);
  return values[ROUNDS / 2];
}

static Home *
make_home (guint n)
{
  Home *home = home_new ();

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.Tool%u", i);

      home_add_plugin (home, id, "1", i % 5 == 0 ? "process.spawn:python3" : "openURL,file.readText");
    }
  return home;
}

int
main (int argc, char **argv)
{
  static const guint sizes[] = { 10, 500 };
  Figures bare[ROUNDS] = { 0 }, ours[G_N_ELEMENTS (sizes)][ROUNDS] = { 0 };
  Home *homes[G_N_ELEMENTS (sizes)];
  double floor_ms;

  ui_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    homes[i] = make_home (sizes[i]);
  for (guint round = 0; round < ROUNDS; round++)
    {
      measure_bare (&bare[round]);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        measure (homes[i], &ours[i][round]);
    }
  floor_ms = median (bare, G_STRUCT_OFFSET (Figures, first));
  g_print ("a bare libadwaita window: first frame %.1f ms\n", floor_ms);
  g_print ("plugins  first frame  ratio   settled  ratio   search  longest block\n");
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      double first = median (ours[i], G_STRUCT_OFFSET (Figures, first));
      double settled = median (ours[i], G_STRUCT_OFFSET (Figures, settled));

      g_print ("%7u  %11.1f  %5.2f  %8.1f  %5.2f  %7.1f  %13.1f\n", sizes[i], first, first / floor_ms, settled,
               settled / floor_ms, median (ours[i], G_STRUCT_OFFSET (Figures, search)),
               median (ours[i], G_STRUCT_OFFSET (Figures, block)));
      home_free (homes[i]);
    }
  return 0;
}
