/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-activity.h"
#include "core/oc-error.h"
#include "core/oc-registry.h"
#include "home.h"

#define A "org.example.a"
#define B "org.example.b"
#define C "org.example.c"

/* A registry, and a copy of it kept by what its signals say. */
typedef struct
{
  OcRegistry *registry;
  GPtrArray *copy;
  guint n_signals;
  guint last_position, last_removed, last_added;
  guint n_consent;
  const char *id;
  const char *state;
} Watcher;

static void
on_items_changed (GListModel *model,
                  guint position,
                  guint removed,
                  guint added,
                  gpointer user_data)
{
  Watcher *self = user_data;

  g_assert_cmpuint (position + removed, <=, self->copy->len);
  if (removed > 0)
    g_ptr_array_remove_range (self->copy, position, removed);
  for (guint i = 0; i < added; i++)
    g_ptr_array_insert (self->copy, (gint) (position + i), g_list_model_get_item (model, position + i));
  /* After each signal by itself both are the same. */
  g_assert_cmpuint (self->copy->len, ==, g_list_model_get_n_items (model));
  for (guint i = 0; i < self->copy->len; i++)
    {
      g_autoptr (OcStatus) item = g_list_model_get_item (model, i);

      g_assert_true (item == self->copy->pdata[i]);
    }
  self->n_signals++;
  self->last_position = position;
  self->last_removed = removed;
  self->last_added = added;
}

static void
on_consent_changed (OcRegistry *registry,
                    gpointer user_data)
{
  ((Watcher *) user_data)->n_consent++;
}

static Watcher *
watcher_new (Home *home)
{
  Watcher *self = g_new0 (Watcher, 1);

  self->registry = oc_registry_new (home->paths);
  self->copy = g_ptr_array_new_with_free_func (g_object_unref);
  g_signal_connect (self->registry, "items-changed", G_CALLBACK (on_items_changed), self);
  g_signal_connect (self->registry, "consent-changed", G_CALLBACK (on_consent_changed), self);
  return self;
}

static void
watcher_free (Watcher *self)
{
  oc_registry_stop (self->registry);
  g_signal_handlers_disconnect_by_data (self->registry, self);
  g_object_unref (self->registry);
  g_ptr_array_unref (self->copy);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Watcher, watcher_free)

static const char *
state_of (Watcher *self,
          const char *id)
{
  OcStatus *status = oc_registry_find (self->registry, id);

  return status != NULL ? oc_state_to_id (oc_verdict_get_state (oc_status_get_verdict (status))) : "gone";
}

static gboolean
has_state (gpointer user_data)
{
  Watcher *self = user_data;

  return strcmp (state_of (self, self->id), self->state) == 0;
}

static void
wait_for_state (Watcher *self,
                const char *id,
                const char *state)
{
  self->id = id;
  self->state = state;
  home_wait (has_state, self);
}

static gboolean
is_idle (gpointer user_data)
{
  return !oc_registry_is_loading (((Watcher *) user_data)->registry);
}

static void
load (Watcher *self)
{
  g_autoptr (GError) error = NULL;

  oc_registry_load (self->registry, NULL, &error);
  g_assert_no_error (error);
}

static void
test_load (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autofree char *system = g_build_filename (home->system, "ocelot", "Plugins", NULL);
  guint scanned = 0;

  load (watcher);
  g_assert_cmpuint (watcher->copy->len, ==, 0);
  home_add_plugin (home, B, "1", "");
  home_add_plugin (home, A, "1", "process.spawn:python3");
  home_add_plugin_at (system, A, "1", "");
  home_add_plugin_at (system, C, "1", "no.such");
  load (watcher);
  g_assert_cmpuint (watcher->copy->len, ==, 4);
  g_assert_cmpstr (oc_status_get_id (watcher->copy->pdata[0]), ==, A);
  g_assert_cmpstr (oc_status_get_id (watcher->copy->pdata[1]), ==, A);
  g_assert_cmpstr (oc_status_get_id (watcher->copy->pdata[2]), ==, B);
  g_assert_cmpstr (state_of (watcher, A), ==, "disabled");
  g_assert_cmpstr (state_of (watcher, C), ==, "invalid");
  g_assert_true (oc_status_is_broad (oc_registry_find (watcher->registry, A)));
  g_assert_false (oc_status_is_broad (oc_registry_find (watcher->registry, B)));
  g_assert_nonnull (strstr (oc_status_get_search_text (oc_registry_find (watcher->registry, A)), "python3"));
  g_assert_nonnull (strstr (oc_status_get_search_text (oc_registry_find (watcher->registry, C)), "no.such"));
  g_assert_null (oc_registry_find (watcher->registry, "org.example.none"));
  g_object_get (watcher->registry, "scanned", &scanned, NULL);
  g_assert_cmpuint (scanned, ==, 4);
}

/* What did not change is the same object, and is not told of. */
static void
test_minimal_changes (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  gpointer first, last;

  home_add_plugin (home, A, "1", "");
  home_add_plugin (home, B, "1", "");
  home_add_plugin (home, C, "1", "");
  /* The file's coming into being is a change for all; only then comes one for B alone. */
  home_enable (home, C);
  load (watcher);
  first = watcher->copy->pdata[0];
  last = watcher->copy->pdata[2];
  g_assert_cmpuint (watcher->n_signals, ==, 1);
  load (watcher);
  g_assert_cmpuint (watcher->n_signals, ==, 1);
  home_enable (home, B);
  load (watcher);
  g_assert_cmpuint (watcher->n_signals, ==, 2);
  g_assert_cmpuint (watcher->last_position, ==, 1);
  g_assert_cmpuint (watcher->last_removed, ==, 1);
  g_assert_cmpuint (watcher->last_added, ==, 1);
  g_assert_true (watcher->copy->pdata[0] == first);
  g_assert_true (watcher->copy->pdata[2] == last);
  g_assert_cmpstr (state_of (watcher, B), ==, "enabled");
}

static void
random_change (Home *home,
               GRand *rand)
{
  g_autofree char *id = g_strdup_printf ("org.example.p%02d", g_rand_int_range (rand, 0, 30));
  g_autofree char *folder = g_build_filename (oc_paths_get_plugins (home->paths), id, NULL);
  g_autofree char *hidden = g_strconcat (home->root, "/", id, NULL);
  g_autofree char *version = g_strdup_printf ("%d", g_rand_int_range (rand, 1, 4));

  switch (g_rand_int_range (rand, 0, 3))
    {
    case 0:
      if (!g_file_test (hidden, G_FILE_TEST_EXISTS))
        g_rename (folder, hidden);
      break;
    case 1:
      if (!g_file_test (folder, G_FILE_TEST_EXISTS))
        g_rename (hidden, folder);
      break;
    default:
      home_add_plugin (home, id, version, "");
      break;
    }
}

static void
test_random_changes (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());

  for (int round = 0; round < 100; round++)
    {
      int n = g_rand_int_range (rand, 1, 12);

      for (int i = 0; i < n; i++)
        random_change (home, rand);
      load (watcher);
      for (guint i = 1; i < watcher->copy->len; i++)
        g_assert_cmpstr (oc_status_get_id (watcher->copy->pdata[i - 1]), <, oc_status_get_id (watcher->copy->pdata[i]));
    }
}

/* More separate places than are told of one by one. */
static void
test_many_runs (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);

  for (int i = 0; i < 200; i++)
    {
      g_autofree char *id = g_strdup_printf ("org.example.p%03d", i);

      home_add_plugin (home, id, "1", "");
    }
  load (watcher);
  for (int i = 0; i < 200; i += 2)
    {
      g_autofree char *id = g_strdup_printf ("org.example.p%03d", i);

      home_add_plugin (home, id, "2", "");
    }
  home_add_plugin (home, "org.example.p050x", "1", "");
  load (watcher);
  g_assert_cmpuint (watcher->n_signals, ==, 2);
  g_assert_cmpuint (watcher->copy->len, ==, 201);
}

static void
test_live (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autofree char *folder = g_build_filename (oc_paths_get_plugins (home->paths), A, NULL);
  g_autofree char *away = g_build_filename (home->root, "away", NULL);
  guint n_consent;

  home_add_plugin (home, B, "1", "");
  oc_registry_start (watcher->registry);
  g_assert_true (oc_registry_is_loading (watcher->registry));
  wait_for_state (watcher, B, "disabled");
  /* Dropped in by hand: shown, and off. */
  home_add_plugin (home, A, "1", "file.readText");
  wait_for_state (watcher, A, "disabled");
  n_consent = watcher->n_consent;
  home_enable (home, A);
  wait_for_state (watcher, A, "enabled");
  g_assert_cmpuint (watcher->n_consent, >, n_consent);
  home_add_plugin (home, A, "1", "file.readText,openURL");
  wait_for_state (watcher, A, "needs-review");
  home_add_plugin (home, A, "1", "file.readText");
  wait_for_state (watcher, A, "enabled");
  home_write (home, "policy/policy.json", "{\"version\":1,\"blockPermissions\":[\"file.readText\"]}");
  oc_registry_refresh (watcher->registry);
  wait_for_state (watcher, A, "blocked");
  home_write (home, "policy/policy.json", "{\"version\":1}");
  wait_for_state (watcher, A, "enabled");
  g_assert_cmpint (g_rename (folder, away), ==, 0);
  wait_for_state (watcher, A, "gone");
  g_assert_cmpint (g_rename (away, folder), ==, 0);
  wait_for_state (watcher, A, "enabled");
  g_assert_true (oc_consent_disable (home->paths, A, "terminal", NULL, NULL, NULL));
  wait_for_state (watcher, A, "disabled");
}

/* The worker lies in a folder below the plugin's own. */
static void
test_live_program (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autofree char *worker = g_build_filename (oc_paths_get_plugins (home->paths), A, "bin", "worker", NULL);

  home_add_plugin (home, A, "1", "");
  oc_registry_start (watcher->registry);
  wait_for_state (watcher, A, "disabled");
  home_wait (is_idle, watcher);
  g_assert_cmpint (g_remove (worker), ==, 0);
  wait_for_state (watcher, A, "invalid");
  home_add_plugin (home, A, "1", "");
  wait_for_state (watcher, A, "disabled");
}

/* Errors in a row that the launcher could not act upon. */
static void
test_live_health (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autoptr (OcActivity) activity = NULL;

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  oc_registry_start (watcher->registry);
  wait_for_state (watcher, A, "enabled");
  activity = oc_activity_open (home->paths, NULL);
  for (int i = 0; i < OC_HEALTH_MAX_ERRORS; i++)
    {
      gint64 run = oc_activity_begin_run (activity, A, "go", "host", 0, NULL);

      g_assert_true (oc_activity_end_run (activity, run, OC_OUTCOME_CRASH, NULL, NULL, NULL, NULL));
    }
  wait_for_state (watcher, A, "disabled-after-errors");
  home_enable (home, A);
  wait_for_state (watcher, A, "enabled");
}

static void
on_loading (OcRegistry *registry,
            GParamSpec *pspec,
            gpointer user_data)
{
  *(gint64 *) user_data = g_get_monotonic_time ();
}

static gboolean
is_quiet (gpointer user_data)
{
  return g_get_monotonic_time () - *(gint64 *) user_data > 3 * G_USEC_PER_SEC;
}

/* Reading must not itself be a change that leads to reading. */
static void
test_comes_to_rest (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autoptr (OcActivity) activity = oc_activity_open (home->paths, NULL);
  gint64 last = g_get_monotonic_time ();

  home_add_plugin (home, A, "1", "");
  home_enable (home, A);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 0, NULL), >, 0);
  g_clear_pointer (&activity, oc_activity_unref);
  g_signal_connect (watcher->registry, "notify::loading", G_CALLBACK (on_loading), &last);
  oc_registry_start (watcher->registry);
  wait_for_state (watcher, A, "enabled");
  /* If it led to itself there would never be three seconds without. */
  home_wait (is_quiet, &last);
  g_signal_handlers_disconnect_by_data (watcher->registry, &last);
}

static void
test_unreadable_folder (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) shown = NULL;
  const char *plugins = oc_paths_get_plugins (home->paths);
  g_autofree char *real = g_build_filename (home->root, "real", NULL);

  home_add_plugin (home, A, "1", "");
  load (watcher);
  g_assert_cmpuint (watcher->copy->len, ==, 1);
  /* A plain file in its place cannot be read as a folder, by nobody. */
  g_assert_cmpint (g_rename (plugins, real), ==, 0);
  g_assert_true (g_file_set_contents (plugins, "", 0, NULL));
  g_assert_false (oc_registry_load (watcher->registry, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_object_get (watcher->registry, "error", &shown, NULL);
  g_assert_error (shown, OC_ERROR, OC_ERROR_IO);
  g_assert_cmpuint (watcher->copy->len, ==, 1);
  g_clear_error (&shown);
  g_assert_cmpint (g_remove (plugins), ==, 0);
  g_assert_cmpint (g_rename (real, plugins), ==, 0);
  load (watcher);
  g_object_get (watcher->registry, "error", &shown, NULL);
  g_assert_no_error (shown);
}

static void
test_damaged_consent_is_said (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (Watcher) watcher = watcher_new (home);
  OcVerdict *verdict;

  home_add_plugin (home, A, "1", "");
  home_write_consent (home, "{", 1);
  load (watcher);
  g_assert_cmpint (oc_consent_get_outcome (oc_registry_get_consent (watcher->registry)), ==, OC_CONSENT_DAMAGED);
  /* Read again, the file is gone; that it was there is still said. */
  load (watcher);
  verdict = oc_status_get_verdict (oc_registry_find (watcher->registry, A));
  g_assert_cmpint (oc_verdict_get_consent_outcome (verdict), ==, OC_CONSENT_ABSENT);
  g_assert_nonnull (oc_verdict_get_reasons (verdict)[0]);
  g_assert_true (oc_verdict_can_enable (verdict));
}

static void
test_finalized (void)
{
  g_autoptr (Home) home = home_new ();
  OcRegistry *registry = oc_registry_new (home->paths);
  gpointer weak = registry;

  home_add_plugin (home, A, "1", "");
  g_object_add_weak_pointer (G_OBJECT (registry), &weak);
  oc_registry_start (registry);
  oc_registry_stop (registry);
  g_object_unref (registry);
  /* At once: the reading that is still under way does not hold it. */
  g_assert_null (weak);
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/registry/load", test_load);
  g_test_add_func ("/registry/minimal-changes", test_minimal_changes);
  g_test_add_func ("/registry/random-changes", test_random_changes);
  g_test_add_func ("/registry/many-places-at-once", test_many_runs);
  g_test_add_func ("/registry/live", test_live);
  g_test_add_func ("/registry/live-program", test_live_program);
  g_test_add_func ("/registry/live-health", test_live_health);
  g_test_add_func ("/registry/comes-to-rest", test_comes_to_rest);
  g_test_add_func ("/registry/unreadable-folder", test_unreadable_folder);
  g_test_add_func ("/registry/damaged-consent-is-said", test_damaged_consent_is_said);
  g_test_add_func ("/registry/finalized", test_finalized);
  return g_test_run ();
}
