/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ui-fixture.h"

#include "oc-section-list.h"

typedef struct
{
  guint n;
  guint position;
  guint removed;
  guint added;
} Change;

static void
items_changed_cb (GListModel *model,
                  guint position,
                  guint removed,
                  guint added,
                  gpointer data)
{
  Change *change = data;

  change->n++;
  change->position = position;
  change->removed = removed;
  change->added = added;
}

/* "Enabled|a|b|Off|c": heads by their title, plugins by the last part of their id. */
static char *
describe (OcSectionList *list)
{
  GString *text = g_string_new (NULL);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (list));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (list), i);

      g_string_append_printf (text, "%s%s", i > 0 ? "|" : "",
                              OC_IS_SECTION (item) ? oc_section_get_title (OC_SECTION (item))
                                                   : oc_status_get_id (OC_STATUS (item)) + 2);
    }
  return g_string_free (text, FALSE);
}

static void
assert_list (OcSectionList *list,
             const char *expected)
{
  g_autofree char *got = describe (list);

  g_assert_cmpstr (got, ==, expected);
}

static void
test_parts (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcRegistry) registry = NULL;
  g_autoptr (OcSectionList) list = NULL;
  g_autofree char *folder = NULL;

  home_add_plugin (home, "o.a", "1", "");
  home_add_plugin (home, "o.b", "1", "openURL");
  home_add_plugin (home, "o.c", "1", "no.such:thing");
  home_add_plugin (home, "o.d", "1", "");
  home_enable (home, "o.b");
  registry = oc_registry_new (home->paths);
  g_assert_true (oc_registry_load (registry, NULL, NULL));
  list = oc_section_list_new (G_LIST_MODEL (registry));
  assert_list (list, "Needs your attention|c|Enabled|b|Off|a|d");
  g_assert_cmpuint (oc_section_list_get_n_plugins (list), ==, 4);
  folder = g_build_filename (oc_paths_get_plugins (home->paths), "o.d", NULL);
  g_assert_cmpuint (oc_section_list_find (list, folder), ==, 6);
  g_assert_cmpuint (oc_section_list_find (list, "/nowhere"), ==, G_MAXUINT);
}

static void
test_search (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcRegistry) registry = NULL;
  g_autoptr (OcSectionList) list = NULL;

  home_add_plugin (home, "o.alpha", "1", "");
  home_add_plugin (home, "o.beta", "1", "openURL");
  registry = oc_registry_new (home->paths);
  g_assert_true (oc_registry_load (registry, NULL, NULL));
  list = oc_section_list_new (G_LIST_MODEL (registry));
  oc_section_list_set_search (list, "ALPHÁ");
  assert_list (list, "Off|alpha");
  oc_section_list_set_search (list, "  openurl ");
  assert_list (list, "Off|beta");
  oc_section_list_set_search (list, "a.*b");
  assert_list (list, "");
  oc_section_list_set_search (list, NULL);
  assert_list (list, "Off|alpha|beta");
}

/* A change of one plugin announces one small run, so that the list stays where it is. */
static void
test_small_changes (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcRegistry) registry = NULL;
  g_autoptr (OcSectionList) list = NULL;
  Change change = { 0 };

  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *id = g_strdup_printf ("o.p%02u", i);

      home_add_plugin (home, id, "1", "");
    }
  registry = oc_registry_new (home->paths);
  g_assert_true (oc_registry_load (registry, NULL, NULL));
  list = oc_section_list_new (G_LIST_MODEL (registry));
  g_signal_connect (list, "items-changed", G_CALLBACK (items_changed_cb), &change);
  home_add_plugin (home, "o.p25x", "1", "");
  g_assert_true (oc_registry_load (registry, NULL, NULL));
  g_assert_cmpuint (change.n, ==, 1);
  g_assert_cmpuint (change.position, ==, 27);
  g_assert_cmpuint (change.removed, ==, 0);
  g_assert_cmpuint (change.added, ==, 1);
  g_assert_true (oc_registry_load (registry, NULL, NULL));
  g_assert_cmpuint (change.n, ==, 1);
}

/* Every item and every row of the window can be let go of. */
static void
test_empty_then_filled (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);

  ui_fixture_open (self);
  ui_wait_text (GTK_WIDGET (self->window), "No Plugins Yet");
  home_add_plugin (self->home, "o.dropped", "1", "openURL");
  ui_wait_text (GTK_WIDGET (self->window), "o.dropped");
  /* Dropped in by hand: it stays off. */
  ui_show (self, "o.dropped");
  ui_wait_state (self, OC_STATE_DISABLED);
}

static void
test_search_in_window (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);
  OcPluginsView *view;
  GtkEditable *search;

  home_add_plugin (self->home, "o.alpha", "1", "");
  home_add_plugin (self->home, "o.beta", "1", "");
  ui_fixture_open (self);
  view = oc_window_get_plugins_view (self->window);
  search = ui_child (view, "search");
  ui_show (self, "o.alpha");
  gtk_editable_set_text (search, "zzz");
  ui_wait_text (GTK_WIDGET (self->window), "Nothing Found");
  /* What is chosen stays, also where the list does not show it. */
  g_assert_cmpstr (oc_status_get_id (oc_plugins_view_get_status (view)), ==, "o.alpha");
  gtk_editable_set_text (search, "beta");
  ui_run_for (50);
  g_assert_cmpstr (oc_status_get_id (oc_plugins_view_get_status (view)), ==, "o.alpha");
  g_signal_emit_by_name (search, "activate");
  g_assert_cmpstr (oc_status_get_id (oc_plugins_view_get_status (view)), ==, "o.beta");
}

int
main (int argc,
      char **argv)
{
  ui_init (&argc, &argv);
  g_test_add_func ("/list/parts", test_parts);
  g_test_add_func ("/list/search", test_search);
  g_test_add_func ("/list/small-changes", test_small_changes);
  g_test_add_func ("/list/empty-then-filled", test_empty_then_filled);
  g_test_add_func ("/list/search-in-window", test_search_in_window);
  return g_test_run ();
}
