/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ui-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#include "oc-detail-row.h"

#define ID "org.example.Tool"

static Fixture *
open_review (const char *permissions,
             OcReviewDialog **dialog)
{
  Fixture *self = ui_fixture_new (TRUE);

  home_add_plugin (self->home, ID, "1", permissions);
  ui_fixture_open (self);
  ui_show (self, ID);
  *dialog = ui_review (self);
  return self;
}

static gboolean
is_closed (gpointer data)
{
  return oc_window_get_review (((Fixture *) data)->window) == NULL;
}

static gboolean
consent_exists (Fixture *self)
{
  return g_file_test (oc_paths_get_consent (self->home->paths), G_FILE_TEST_EXISTS);
}

static void
click (gpointer button)
{
  g_signal_emit_by_name (button, "clicked");
}

static void
test_enables_what_is_shown (void)
{
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review ("process.spawn:sha256sum", &dialog);
  g_autoptr (OcPlugin) plugin = home_find (self->home, ID);
  g_autoptr (OcConsent) consent = NULL;
  OcConsentRecord *record;

  g_assert_cmpstr (oc_manifest_get_digest (oc_plugin_get_manifest (oc_review_dialog_get_plugin (dialog))), ==,
                   oc_manifest_get_digest (oc_plugin_get_manifest (plugin)));
  ui_wait_sensitive (ui_child (dialog, "enable"));
  click (ui_child (dialog, "enable"));
  home_wait (is_closed, self);
  ui_wait_state (self, OC_STATE_ENABLED);
  consent = oc_consent_load (self->home->paths, NULL);
  record = oc_consent_look_up (consent, ID);
  g_assert_nonnull (record);
  g_assert_cmpstr (oc_consent_record_get_digest (record), ==, oc_manifest_get_digest (oc_plugin_get_manifest (plugin)));
  g_assert_cmpstr (oc_consent_record_get_surface (record), ==, "window");
  g_assert_true (gtk_switch_get_state (ui_child (ui_get_page (self), "enabled")));
}

/* A click or key that was meant for something else comes at once. */
static void
test_not_at_once (void)
{
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review ("process.spawn:sha256sum", &dialog);
  GtkWidget *enable = ui_child (dialog, "enable");
  gint64 shown = g_get_monotonic_time ();

  g_assert_false (gtk_widget_is_sensitive (enable));
  click (enable);
  ui_run_for (OC_REVIEW_DELAY_MS / 2);
  click (enable);
  g_assert_false (gtk_widget_is_sensitive (enable));
  g_assert_false (consent_exists (self));
  ui_wait_sensitive (enable);
  g_assert_cmpint (g_get_monotonic_time () - shown, >=, OC_REVIEW_DELAY_MS * 1000);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (dialog)) == ui_child (dialog, "cancel"));
  g_assert_true (gtk_window_get_default_widget (GTK_WINDOW (dialog)) == ui_child (dialog, "cancel"));
  /* The control: the same click now counts. */
  click (enable);
  ui_wait_state (self, OC_STATE_ENABLED);
}

static void
test_closing_writes_nothing (void)
{
  const char *const ways[] = { "cancel", "close", "escape" };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      OcReviewDialog *dialog;
      g_autoptr (Fixture) self = open_review ("process.spawn:python3", &dialog);
      gpointer left = dialog;

      ui_wait_sensitive (ui_child (dialog, "cancel"));
      gtk_check_button_set_active (ui_child (dialog, "tick"), TRUE);
      ui_wait_sensitive (ui_child (dialog, "enable"));
      g_object_add_weak_pointer (left, &left);
      if (i == 0)
        click (ui_child (dialog, "cancel"));
      else if (i == 1)
        gtk_window_close (GTK_WINDOW (dialog));
      else
        gtk_widget_activate_action (GTK_WIDGET (dialog), "window.close", NULL);
      home_wait (is_closed, self);
      g_assert_null (left);
      ui_run_for (100);
      g_assert_false (consent_exists (self));
      g_assert_false (gtk_switch_get_state (ui_child (ui_get_page (self), "enabled")));
    }
}

static void
test_broad_needs_tick (void)
{
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review ("process.spawn:python3", &dialog);
  GtkWidget *enable = ui_child (dialog, "enable");

  g_assert_nonnull (strstr (gtk_label_get_text (ui_child (dialog, "sentence")), "python3"));
  ui_run_for (OC_REVIEW_DELAY_MS + 300);
  g_assert_false (gtk_widget_is_sensitive (enable));
  click (enable);
  g_assert_false (consent_exists (self));
  gtk_check_button_set_active (ui_child (dialog, "tick"), TRUE);
  g_assert_true (gtk_widget_is_sensitive (enable));
  gtk_check_button_set_active (ui_child (dialog, "tick"), FALSE);
  g_assert_false (gtk_widget_is_sensitive (enable));
  gtk_check_button_set_active (ui_child (dialog, "tick"), TRUE);
  click (enable);
  ui_wait_state (self, OC_STATE_ENABLED);
}

/* The manifest is swapped after it was shown, before anybody could have noticed (deno GHSA-mc52-jpm2-cqh6). */
static void
test_swapped (void)
{
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review ("process.spawn:sha256sum", &dialog);
  g_autofree char *text = NULL;

  ui_wait_sensitive (ui_child (dialog, "enable"));
  oc_registry_stop (oc_session_get_registry (self->session));
  home_add_plugin (self->home, ID, "1", "process.spawn:sha256sum,network.client");
  click (ui_child (dialog, "enable"));
  ui_wait_text (GTK_WIDGET (dialog), "network.client");
  text = ui_text (GTK_WIDGET (dialog));
  g_assert_nonnull (strstr (text, "The plugin changed while you were reading"));
  g_assert_nonnull (strstr (text, "New since you looked"));
  g_assert_false (consent_exists (self));
  g_assert_false (gtk_widget_is_sensitive (ui_child (dialog, "enable")));
  /* The control: what is shown now can be agreed to. */
  ui_wait_sensitive (ui_child (dialog, "enable"));
  click (ui_child (dialog, "enable"));
  home_wait (is_closed, self);
  {
    g_autofree char *state = home_state (self->home, ID);

    g_assert_cmpstr (state, ==, "enabled");
  }
}

static void
test_closes_itself (void)
{
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review ("process.spawn:sha256sum", &dialog);

  ui_wait_sensitive (ui_child (dialog, "enable"));
  home_add_plugin (self->home, ID, "2", "process.spawn:sha256sum,network.client");
  home_wait (is_closed, self);
  ui_wait_text (GTK_WIDGET (self->window), "The plugin changed while you were reading");
  g_assert_false (consent_exists (self));
}

static void
test_changed_plugin (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);
  OcReviewDialog *dialog;
  g_autofree char *text = NULL;
  const char *added;
  const char *kept;
  const char *removed;

  home_add_plugin (self->home, ID, "1", "process.spawn:sha256sum,openURL");
  home_enable (self->home, ID);
  home_add_plugin (self->home, ID, "2", "process.spawn:python3,openURL");
  ui_fixture_open (self);
  ui_show (self, ID);
  g_assert_false (gtk_switch_get_state (ui_child (ui_get_page (self), "enabled")));
  dialog = ui_review (self);
  text = ui_text (GTK_WIDGET (dialog));
  added = strstr (text, "New since you last agreed");
  kept = strstr (text, "As before");
  removed = strstr (text, "No longer asked for");
  g_assert_true (added != NULL && kept != NULL && removed != NULL);
  g_assert_true (added < strstr (text, "process.spawn:python3") && strstr (text, "process.spawn:python3") < kept);
  g_assert_true (kept < strstr (text, "openURL") && strstr (text, "openURL") < removed);
  g_assert_true (removed < strstr (text, "process.spawn:sha256sum"));
}

static char *
many_permissions (guint n)
{
  GString *text = g_string_new ("process.spawn:python3");

  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, ",process.spawn:tool-with-a-rather-long-name-%03u", i);
  return g_string_free (text, FALSE);
}

static gboolean
is_laid_out (gpointer data)
{
  return gtk_widget_get_height (data) > 0;
}

static void
test_200_permissions (void)
{
  g_autofree char *permissions = many_permissions (200);
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review (permissions, &dialog);
  GtkWidget *scroller = ui_child (dialog, "scroller");
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  const char *buttons[] = { "cancel", "enable" };
  GtkWidget *last = NULL;
  graphene_rect_t area;
  int width;
  int height;

  home_wait (is_laid_out, dialog);
  gtk_widget_measure (GTK_WIDGET (dialog), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (dialog), GTK_ORIENTATION_VERTICAL, 360, &height, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, 360);
  g_assert_cmpint (height, <=, 480);
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      g_assert_true (gtk_widget_compute_bounds (ui_child (dialog, buttons[i]), GTK_WIDGET (dialog), &area));
      g_assert_cmpfloat (area.origin.y + area.size.height, <=, gtk_widget_get_height (GTK_WIDGET (dialog)));
      g_assert_cmpfloat (area.size.height, >, 20);
    }
  for (guint i = 0;; i++)
    {
      GtkWidget *row = ui_find (scroller, OC_TYPE_DETAIL_ROW, i);

      if (row == NULL)
        {
          g_assert_cmpuint (i, >=, 200);
          break;
        }
      last = row;
    }
  /* The keyboard scrolls there. */
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  ui_run_for (50);
  g_assert_true (gtk_widget_compute_bounds (last, scroller, &area));
  g_assert_cmpfloat (area.origin.y + area.size.height, <=, gtk_widget_get_height (scroller));
  g_assert_cmpfloat (area.origin.y + area.size.height, >, 0);
}

/* 200 % text in a window of 360 px: nothing is wider than the window. */
static void
test_large_text (void)
{
  OcReviewDialog *dialog;
  g_autoptr (Fixture) self = open_review ("process.spawn:python3,process.spawn:"
                                          "a-tool-whose-name-takes-up-all-of-the-sixty-four-bytes-allowed-0,"
                                          "network.client,openURL,app.open:org.gnome.Nautilus",
                                          &dialog);
  int dpi;
  int width;

  g_object_get (gtk_settings_get_default (), "gtk-xft-dpi", &dpi, NULL);
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  ui_run_for (200);
  gtk_widget_measure (GTK_WIDGET (dialog), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, 360);
  gtk_window_close (GTK_WINDOW (dialog));
  home_wait (is_closed, self);
  gtk_widget_measure (GTK_WIDGET (ui_get_page (self)), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, 360);
  g_object_set (gtk_settings_get_default (), "gtk-xft-dpi", dpi, NULL);
}

static void
check_labels (GtkWidget *root)
{
  if (GTK_IS_LABEL (root))
    {
      const char *text = gtk_label_get_text (GTK_LABEL (root));

      g_assert_null (strstr (text, "\342\200\256"));
      g_assert_null (strstr (text, "\033"));
      g_assert_cmpint (gtk_label_get_ellipsize (GTK_LABEL (root)), ==, PANGO_ELLIPSIZE_NONE);
      if (strstr (text, "<b>") != NULL)
        g_assert_false (gtk_label_get_use_markup (GTK_LABEL (root)));
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    check_labels (child);
}

/* Markup and characters that hide or reorder, in each place that a plugin's text appears. */
static void
test_hostile_text (void)
{
  g_autoptr (Fixture) self = ui_fixture_new (TRUE);
  const char *evil = "<b>&amp;\\u202egnp\\u001b[2J\\u200b";
  g_autofree char *manifest = NULL;
  g_autofree char *text = NULL;
  g_autofree char *listed = NULL;
  OcReviewDialog *dialog;

  home_add_plugin (self->home, ID, "1", "process.spawn:sha256sum");
  manifest = g_strdup_printf ("{\"manifestVersion\":1,\"id\":\"" ID "\",\"name\":\"%s\",\"version\":\"1%s\",\"author\":\"%s\","
                              "\"description\":\"%s\",\"homepage\":\"%s\",\"kind\":\"process\",\"main\":\"bin/worker\","
                              "\"commands\":[{\"id\":\"go\",\"title\":\"%s\",\"minSelection\":1}],"
                              "\"permissions\":[\"process.spawn:sha256sum\"],"
                              "\"reasons\":{\"process.spawn:sha256sum\":\"%s\"}}",
                              evil, evil, evil, evil, evil, evil, evil);
  home_write (self->home, "data/ocelot/Plugins/" ID "/plugin.json", manifest);
  ui_fixture_open (self);
  ui_show (self, ID);
  check_labels (GTK_WIDGET (ui_get_page (self)));
  listed = ui_text (GTK_WIDGET (self->window));
  g_assert_nonnull (strstr (listed, "<b>&amp;\\u{202E}gnp\\x1b[2J\\u{200B}"));
  g_assert_nonnull (strstr (listed, "Hidden characters in its name"));
  if (oc_verdict_can_enable (oc_status_get_verdict (oc_plugin_page_get_status (ui_get_page (self)))))
    {
      dialog = ui_review (self);
      check_labels (GTK_WIDGET (dialog));
      text = ui_text (GTK_WIDGET (dialog));
      g_assert_nonnull (strstr (text, "<b>&amp;\\u{202E}gnp\\x1b[2J\\u{200B}"));
      g_assert_nonnull (strstr (text, "Its name contains hidden characters"));
    }
}

int
main (int argc,
      char **argv)
{
  ui_init (&argc, &argv);
  g_test_add_func ("/review/enables-what-is-shown", test_enables_what_is_shown);
  g_test_add_func ("/review/not-at-once", test_not_at_once);
  g_test_add_func ("/review/closing-writes-nothing", test_closing_writes_nothing);
  g_test_add_func ("/review/broad-needs-tick", test_broad_needs_tick);
  g_test_add_func ("/review/swapped-manifest-is-refused", test_swapped);
  g_test_add_func ("/review/closes-itself-when-the-plugin-changes", test_closes_itself);
  g_test_add_func ("/review/changed-plugin-shows-new-first", test_changed_plugin);
  g_test_add_func ("/review/200-permissions", test_200_permissions);
  g_test_add_func ("/review/large-text", test_large_text);
  g_test_add_func ("/review/hostile-text", test_hostile_text);
  return g_test_run ();
}
