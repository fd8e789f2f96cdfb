/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ui-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#include "core/oc-activity.h"
#include "core/oc-catalogue.h"
#include "oc-detail-row.h"

#define ID "org.example.Tool"

static Fixture *
open_page (const char *permissions,
           gboolean enabled,
           gboolean holds)
{
  Fixture *self = ui_fixture_new (holds);

  home_add_plugin (self->home, ID, "1", permissions);
  if (enabled)
    home_enable (self->home, ID);
  ui_fixture_open (self);
  ui_show (self, ID);
  return self;
}

static void
test_switch_on_opens_review (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", FALSE, TRUE);
  GtkSwitch *enabled = ui_child (ui_get_page (self), "enabled");

  gtk_switch_set_active (enabled, TRUE);
  g_assert_nonnull (oc_window_get_review (self->window));
  /* Nothing is stored, so nothing is shown as on. */
  g_assert_false (gtk_switch_get_active (enabled));
  g_assert_false (gtk_switch_get_state (enabled));
}

typedef struct
{
  Home *home;
  const char *state;
} StateWait;

static gboolean
is_stored (gpointer data)
{
  StateWait *wait = data;
  g_autofree char *state = home_state (wait->home, ID);

  return g_str_equal (state, wait->state);
}

static void
test_off_and_undo (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", TRUE, TRUE);
  GtkSwitch *enabled = ui_child (ui_get_page (self), "enabled");
  g_autofree char *before = home_record (self->home, ID);
  g_autofree char *after = NULL;
  StateWait off = { self->home, "disabled" };
  StateWait on = { self->home, "enabled" };
  GtkWidget *undo = NULL;

  g_assert_true (gtk_switch_get_state (enabled));
  gtk_switch_set_active (enabled, FALSE);
  home_wait (is_stored, &off);
  ui_wait_state (self, OC_STATE_DISABLED);
  g_assert_false (gtk_switch_get_state (enabled));
  ui_wait_text (GTK_WIDGET (self->window), "Undo");
  for (guint i = 0; (undo = ui_find (GTK_WIDGET (self->window), GTK_TYPE_BUTTON, i)) != NULL; i++)
    if (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (undo)), "Undo") == 0)
      break;
  g_assert_nonnull (undo);
  g_signal_emit_by_name (undo, "clicked");
  home_wait (is_stored, &on);
  ui_wait_state (self, OC_STATE_ENABLED);
  g_assert_true (gtk_switch_get_state (enabled));
  after = home_record (self->home, ID);
  g_assert_cmpstr (after, ==, before);
}

static void
test_sandbox_does_not_hold (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", FALSE, FALSE);
  GtkWidget *enabled = ui_child (ui_get_page (self), "enabled");

  ui_wait_text (GTK_WIDGET (ui_get_page (self)), "The sandbox does not hold on this computer");
  ui_wait_text (GTK_WIDGET (ui_get_page (self)), "Use a newer kernel.");
  g_assert_false (gtk_widget_is_sensitive (enabled));
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (enabled), "sandbox does not hold"));
  gtk_widget_activate_action (GTK_WIDGET (ui_get_page (self)), "page.review", NULL);
  g_assert_null (oc_window_get_review (self->window));
}

static void
test_launcher_missing (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);
  g_autofree char *path = g_build_filename (self->home->root, "launcher", NULL);

  home_add_plugin (self->home, ID, "1", "openURL");
  g_assert_cmpint (g_remove (path), ==, 0);
  ui_fixture_open (self);
  ui_show (self, ID);
  ui_wait_text (GTK_WIDGET (ui_get_page (self)), "The sandbox does not hold on this computer");
  g_assert_false (gtk_widget_is_sensitive (ui_child (ui_get_page (self), "enabled")));
  gtk_widget_activate_action (GTK_WIDGET (ui_get_page (self)), "page.review", NULL);
  g_assert_null (oc_window_get_review (self->window));
}

/* An enabled plugin can be turned off without a sandbox: taking away never needs one. */
static void
test_off_without_sandbox (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", TRUE, FALSE);
  GtkSwitch *enabled = ui_child (ui_get_page (self), "enabled");

  g_assert_true (gtk_widget_is_sensitive (GTK_WIDGET (enabled)));
  gtk_switch_set_active (enabled, FALSE);
  ui_wait_state (self, OC_STATE_DISABLED);
  g_assert_false (gtk_widget_is_sensitive (GTK_WIDGET (enabled)));
}

static void
test_changes_from_elsewhere (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", FALSE, TRUE);
  g_autofree char *folder = NULL;
  gint64 before;

  home_enable (self->home, ID);
  before = g_get_monotonic_time ();
  ui_wait_state (self, OC_STATE_ENABLED);
  g_assert_cmpint (g_get_monotonic_time () - before, <, 3 * G_USEC_PER_SEC);
  g_assert_true (gtk_switch_get_state (ui_child (ui_get_page (self), "enabled")));
  g_assert_true (oc_consent_disable (self->home->paths, ID, "terminal", NULL, NULL, NULL));
  ui_wait_state (self, OC_STATE_DISABLED);
  g_assert_false (gtk_switch_get_state (ui_child (ui_get_page (self), "enabled")));
  /* Another one is dropped in: this one stays chosen. */
  home_add_plugin (self->home, "a.first", "1", "");
  ui_wait_text (GTK_WIDGET (self->window), "a.first");
  g_assert_cmpstr (oc_status_get_id (oc_plugin_page_get_status (ui_get_page (self))), ==, ID);
  /* This one goes: nothing is chosen, nothing breaks. */
  folder = g_build_filename (oc_paths_get_plugins (self->home->paths), ID, NULL);
  g_assert_cmpint (g_rename (folder, self->home->system), ==, 0);
  ui_wait_text (GTK_WIDGET (self->window), "No Plugin Chosen");
  g_assert_null (oc_plugin_page_get_status (ui_get_page (self)));
}

static void
disable_after_errors (Home *home)
{
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_failure_free);
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i <= 3; i++)
    {
      g_autofree char *message = g_strdup_printf ("It went wrong, number %u.", i);

      g_ptr_array_add (failures, oc_failure_new (g_get_real_time () - (4 - i) * G_USEC_PER_SEC, "go", i == 2 ? "time-out" : "crash",
                                                 message, "first line\nlast \033[31mline"));
    }
  oc_consent_disable_after_errors (home->paths, ID, failures, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
test_disabled_after_errors (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", TRUE, TRUE);
  GtkWidget *page = GTK_WIDGET (ui_get_page (self));
  g_autofree char *text = NULL;
  const char *const parts[] = {
    "Turned off after 3 errors in a row",
    "It went wrong, number 1.",
    "It went wrong, number 2.",
    "It went wrong, number 3.",
    "last \\x1b[31mline",
    "Review and Enable Again…",
    "Copy Report",
  };

  disable_after_errors (self->home);
  ui_wait_state (self, OC_STATE_DISABLED_AFTER_ERRORS);
  text = ui_text (page);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_assert_nonnull (strstr (text, parts[i]));
  g_assert_false (gtk_switch_get_state (ui_child (page, "enabled")));
  gtk_widget_activate_action (page, "page.copy-report", NULL);
  ui_wait_text (GTK_WIDGET (self->window), "The report was copied");
  /* Only the user's enabling brings it back. */
  gtk_widget_activate_action (page, "page.review", NULL);
  g_assert_nonnull (oc_window_get_review (self->window));
  ui_wait_sensitive (ui_child (oc_window_get_review (self->window), "enable"));
  g_signal_emit_by_name (ui_child (oc_window_get_review (self->window), "enable"), "clicked");
  ui_wait_state (self, OC_STATE_ENABLED);
}

static void
test_explanation (void)
{
  g_autoptr (Fixture) self = open_page ("process.spawn:python3,openURL", FALSE, TRUE);
  GtkListBox *list = ui_child (ui_get_page (self), "permissions");
  OcDetailRow *row = OC_DETAIL_ROW (gtk_list_box_get_row_at_index (list, 0));
  g_autoptr (OcPermission) permission = oc_permission_parse ("process.spawn:python3", NULL);
  g_autoptr (OcExplanation) explanation = NULL;
  g_autofree char *whole = NULL;
  g_autofree char *described = NULL;
  GtkWidget *head = ui_child (row, "head");

  explanation = oc_catalogue_explain (permission, oc_registry_get_tools (oc_session_get_registry (self->session)));
  whole = oc_explanation_to_text (explanation);
  /* The worst comes first; hovering and a screen reader get the catalogue's text, opening shows its parts. */
  g_assert_cmpstr (oc_detail_row_get_title (row), ==, oc_explanation_get_title (explanation));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (head), ==, whole);
  described = g_strdup_printf ("process.spawn:python3\n%s", whole);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, described);
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED, FALSE);
  g_signal_emit_by_name (row, "activate");
  g_assert_true (oc_detail_row_get_expanded (row));
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED, TRUE);
  ui_wait_text (GTK_WIDGET (row), oc_explanation_get_grants (explanation));
  g_signal_emit_by_name (row, "activate");
  g_assert_false (oc_detail_row_get_expanded (row));
}

/* The n-th command's two buttons, as they are seen. */
static void
assert_buttons (Fixture *self, int n, gboolean runs, gboolean runs_on_files)
{
  GtkListBox *list = ui_child (ui_get_page (self), "commands");
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, n);

  g_assert_cmpint (gtk_widget_get_visible (ui_child (row, "run")), ==, runs);
  g_assert_cmpint (gtk_widget_get_visible (ui_child (row, "run_on_files")), ==, runs_on_files);
}

static void
write_commands (Home *home, const char *more)
{
  g_autofree char *text = g_strdup_printf (
      "{\"manifestVersion\":1,\"id\":\"" ID "\",\"name\":\"x\",\"version\":\"1\",\"kind\":\"process\",\"main\":\"bin/worker\","
      "\"commands\":[{\"id\":\"any\",\"title\":\"Any\"},{\"id\":\"none\",\"title\":\"None\",\"maxSelection\":0}%s],"
      "\"permissions\":[]}\n", more);

  home_add_plugin (home, ID, "1", "");
  home_write (home, "data/ocelot/Plugins/" ID "/plugin.json", text);
}

/* A file chooser must not stand in the way of a command that needs no files. */
static void
test_run_buttons (void)
{
  g_autoptr (Fixture) plain = ui_fixture_new (TRUE);
  g_autoptr (Fixture) selecting = ui_fixture_new (TRUE);

  write_commands (plain->home, "");
  ui_fixture_open (plain);
  ui_show (plain, ID);
  /* It cannot see a selection, so files are of no use to it. */
  assert_buttons (plain, 0, TRUE, FALSE);
  assert_buttons (plain, 1, TRUE, FALSE);
  ui_wait_text (ui_child (ui_get_page (plain), "commands"), "Needs no files");

  write_commands (selecting->home, ",{\"id\":\"some\",\"title\":\"Some\",\"minSelection\":1,\"maxSelection\":3}");
  ui_fixture_open (selecting);
  ui_show (selecting, ID);
  assert_buttons (selecting, 0, TRUE, TRUE);
  assert_buttons (selecting, 1, TRUE, FALSE);
  assert_buttons (selecting, 2, FALSE, TRUE);
}

static void
record_run (Home *home)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcActivity) activity = oc_activity_open (home->paths, &error);
  gint64 run;

  g_assert_no_error (error);
  run = oc_activity_begin_run (activity, ID, "go", "terminal", 0, &error);
  g_assert_no_error (error);
  g_assert_true (oc_activity_record_use (activity, run, "openURL", "openURL", "https://example.org/", NULL, TRUE, 2, &error));
  g_assert_true (oc_activity_record_use (activity, run, "", "socket", "AF_INET", "worker", FALSE, 3, &error));
  g_assert_true (oc_activity_end_run (activity, run, OC_OUTCOME_DONE, NULL, NULL, NULL, &error));
}

/* What it did shows by itself; what was opened stays open. */
static void
test_activity (void)
{
  g_autoptr (Fixture) self = open_page ("openURL", TRUE, TRUE);
  GtkWidget *page = GTK_WIDGET (ui_get_page (self));
  OcDetailRow *row = OC_DETAIL_ROW (gtk_list_box_get_row_at_index (ui_child (page, "permissions"), 0));

  ui_wait_text (page, "It has not run yet.");
  oc_detail_row_set_expanded (row, TRUE);
  record_run (self->home);
  ui_wait_text (page, "Used 2 times, last just now");
  ui_wait_text (page, "3 refused");
  row = OC_DETAIL_ROW (gtk_list_box_get_row_at_index (ui_child (page, "runs"), 0));
  oc_detail_row_set_expanded (row, TRUE);
  ui_wait_text (page, "Refused: worker tried to open a network socket · 3 times");
  row = OC_DETAIL_ROW (gtk_list_box_get_row_at_index (ui_child (page, "permissions"), 0));
  g_assert_true (oc_detail_row_get_expanded (row));
  record_run (self->home);
  ui_wait_text (page, "Used 4 times");
  row = OC_DETAIL_ROW (gtk_list_box_get_row_at_index (ui_child (page, "runs"), 1));
  g_assert_true (oc_detail_row_get_expanded (row));
}

static void
test_invalid (void)
{
  g_autoptr (Fixture) self = open_page ("openURL,no.such:thing", FALSE, TRUE);
  GtkWidget *page = GTK_WIDGET (ui_get_page (self));

  ui_wait_state (self, OC_STATE_INVALID);
  ui_wait_text (page, "plugin.json: permissions[1]");
  ui_wait_text (page, "no.such:thing");
  g_assert_false (gtk_widget_is_sensitive (ui_child (page, "enabled")));
}

static void
test_lookalike (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);

  home_add_plugin (self->home, ID, "1", "openURL");
  home_enable (self->home, ID);
  home_add_plugin (self->home, "com.evil.Tool", "1", "");
  home_write (self->home, "data/ocelot/Plugins/com.evil.Tool/plugin.json",
              "{\"manifestVersion\":1,\"id\":\"com.evil.Tool\",\"name\":\"ORG.example.Tóol\",\"version\":\"1\","
              "\"kind\":\"process\",\"main\":\"bin/worker\",\"commands\":[],\"permissions\":[\"openURL\"]}");
  ui_fixture_open (self);
  ui_show (self, "com.evil.Tool");
  ui_wait_text (GTK_WIDGET (ui_get_page (self)), "It is named like another plugin");
}

/* A file that something else has changed: said, nothing granted, and consent can be begun anew. */
static void
test_forged_consent (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);
  g_autofree char *data = NULL;
  gsize len;
  char *version;

  home_add_plugin (self->home, ID, "1", "openURL");
  home_enable (self->home, ID);
  data = home_read_consent (self->home, &len);
  version = strstr (data, "openURL");
  g_assert_nonnull (version);
  version[0] = 'x';
  home_write_consent (self->home, data, len);
  ui_fixture_open (self);
  ui_show (self, ID);
  ui_wait_text (GTK_WIDGET (ui_get_page (self)), "set aside");
  ui_wait_state (self, OC_STATE_DISABLED);
  g_assert_false (gtk_switch_get_state (ui_child (ui_get_page (self), "enabled")));
  ui_wait_sensitive (ui_child (ui_get_page (self), "enabled"));
  ui_wait_sensitive (ui_child (ui_review (self), "enable"));
  g_signal_emit_by_name (ui_child (oc_window_get_review (self->window), "enable"), "clicked");
  ui_wait_state (self, OC_STATE_ENABLED);
}

int
main (int argc,
      char **argv)
{
  ui_init (&argc, &argv);
  g_test_add_func ("/page/switch-on-opens-review", test_switch_on_opens_review);
  g_test_add_func ("/page/off-and-undo", test_off_and_undo);
  g_test_add_func ("/page/sandbox-does-not-hold", test_sandbox_does_not_hold);
  g_test_add_func ("/page/launcher-missing", test_launcher_missing);
  g_test_add_func ("/page/off-without-sandbox", test_off_without_sandbox);
  g_test_add_func ("/page/changes-from-elsewhere", test_changes_from_elsewhere);
  g_test_add_func ("/page/disabled-after-errors", test_disabled_after_errors);
  g_test_add_func ("/page/explanation", test_explanation);
  g_test_add_func ("/page/run-buttons", test_run_buttons);
  g_test_add_func ("/page/activity", test_activity);
  g_test_add_func ("/page/invalid", test_invalid);
  g_test_add_func ("/page/lookalike", test_lookalike);
  g_test_add_func ("/page/forged-consent", test_forged_consent);
  return g_test_run ();
}
