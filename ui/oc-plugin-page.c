/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-plugin-page.h"

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-text.h"
#include "oc-command-row.h"
#include "oc-detail-row.h"
#include "oc-format.h"
#include "oc-health-box.h"
#include "oc-list-row.h"
#include "oc-page-sections.h"
#include "oc-permission-row.h"
#include "oc-run-dialog.h"

struct _OcPluginPage
{
  AdwBin parent_instance;

  OcSession *session;
  OcStatus *status;
  OcHistory *history;        /* of the plugin shown; NULL: not read yet */
  GCancellable *cancellable; /* of reading it */
  gboolean setting_switch;   /* it is we who move it */
  gboolean disabling;

  GtkScrolledWindow *scroller;
  GtkWidget *content;
  OcHealthBox *health;
  GtkImage *icon;
  GtkLabel *name;
  GtkLabel *description;
  GtkLabel *claims;
  GtkLabel *state;
  GtkSwitch *enabled;
  GtkBox *notices;
  GtkWidget *changes_section;
  GtkBox *changes;
  GtkWidget *problems_section;
  GtkListBox *problems;
  GtkWidget *failures_section;
  GtkListBox *failures;
  GtkWidget *permissions_section;
  GtkLabel *consent_label;
  GtkListBox *permissions;
  GtkWidget *together_section;
  GtkBox *together;
  GtkWidget *baseline_section;
  GtkListBox *baseline;
  GtkWidget *commands_section;
  GtkLabel *commands_label;
  GtkListBox *commands;
  GtkWidget *runs_section;
  GtkLabel *runs_label;
  GtkListBox *runs;
  GtkWidget *facts_section;
  GtkListBox *facts;
};

G_DEFINE_FINAL_TYPE (OcPluginPage, oc_plugin_page, ADW_TYPE_BIN)

enum
{
  SIGNAL_REVIEW,
  SIGNAL_TOAST,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

static void load_history (OcPluginPage *self);

static void
send_toast (OcPluginPage *self,
            AdwToast *toast)
{
  /* An AdwToast's title is markup in 1.2. */
  g_object_ref_sink (toast);
  g_signal_emit (self, signals[SIGNAL_TOAST], 0, toast);
  g_object_unref (toast);
}

static void
say (OcPluginPage *self,
     const char *text)
{
  g_autofree char *escaped = oc_escape_message (text);
  g_autofree char *markup = g_markup_escape_text (escaped, -1);

  send_toast (self, adw_toast_new (markup));
}

static gboolean
is_enabled (OcPluginPage *self)
{
  return self->status != NULL && oc_verdict_get_state (oc_status_get_verdict (self->status)) == OC_STATE_ENABLED;
}

/* What is stored, and whether it can be changed. */
static void
update_switch (OcPluginPage *self)
{
  g_autofree char *obstacle = NULL;
  gboolean on = is_enabled (self);

  if (self->status == NULL)
    return;
  self->setting_switch = TRUE;
  gtk_switch_set_active (self->enabled, on);
  gtk_switch_set_state (self->enabled, on);
  self->setting_switch = FALSE;
  if (!on)
    obstacle = oc_session_explain_obstacle (self->session, self->status);
  gtk_widget_set_sensitive (GTK_WIDGET (self->enabled), obstacle == NULL && !self->disabling);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->enabled), obstacle);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->enabled), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Enabled"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  obstacle != NULL ? obstacle
                                  : on             ? _("Turning it off takes effect at once.")
                                                   : _("Turning it on first shows what it would be able to do."),
                                  -1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "page.review", !on && obstacle == NULL);
}

static void
undo_cb (GObject *source,
         GAsyncResult *result,
         gpointer data)
{
  g_autoptr (OcPluginPage) self = data;
  g_autoptr (GError) error = NULL;

  if (!oc_session_change_finish (OC_SESSION (source), result, &error) && self->session != NULL)
    say (self, g_error_matches (error, OC_ERROR, OC_ERROR_STALE)
                   ? _("It changed in the meantime, so it stays off. Review it to enable it.")
                   : error->message);
}

static void
undo_clicked_cb (OcPluginPage *self,
                 AdwToast *toast)
{
  OcConsentRecord *record = g_object_get_data (G_OBJECT (toast), "record");

  if (self->session != NULL)
    oc_session_undo_async (self->session, record, undo_cb, g_object_ref (self));
}

static void
disable_cb (GObject *source,
            GAsyncResult *result,
            gpointer data)
{
  g_autoptr (OcPluginPage) self = data;
  g_autoptr (OcConsentRecord) record = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *title = NULL;
  AdwToast *toast;

  self->disabling = FALSE;
  if (!oc_session_disable_finish (OC_SESSION (source), result, &record, &error))
    {
      if (self->session != NULL)
        say (self, error->message);
      update_switch (self);
      return;
    }
  if (record == NULL || self->session == NULL)
    return;
  {
    OcStatus *status = oc_registry_find (oc_session_get_registry (self->session), oc_consent_record_get_id (record));
    const char *raw = status != NULL ? oc_manifest_get_name (oc_plugin_get_manifest (oc_status_get_plugin (status)))
                                     : oc_consent_record_get_id (record);
    g_autofree char *name = oc_text_escape (raw, 60, NULL);
    g_autofree char *markup = g_markup_escape_text (name, -1);

    /* Translators: %s is the name of a plugin */
    title = g_strdup_printf (_("“%s” is off"), markup);
  }
  toast = adw_toast_new (title);
  adw_toast_set_button_label (toast, _("Undo"));
  adw_toast_set_timeout (toast, 10);
  g_object_set_data_full (G_OBJECT (toast), "record", g_steal_pointer (&record), (GDestroyNotify) oc_consent_record_unref);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (undo_clicked_cb), self, G_CONNECT_SWAPPED);
  send_toast (self, toast);
}

static gboolean
state_set_cb (OcPluginPage *self,
              gboolean wished)
{
  if (self->setting_switch)
    return FALSE;
  if (self->status == NULL || wished == is_enabled (self))
    {
      update_switch (self);
      return TRUE;
    }
  if (wished)
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "page.review", NULL);
    }
  else
    {
      self->disabling = TRUE;
      oc_session_disable_async (self->session, oc_status_get_id (self->status), disable_cb, g_object_ref (self));
    }
  update_switch (self);
  return TRUE;
}

static void
review_action (GtkWidget *widget,
               const char *name,
               GVariant *parameter)
{
  OcPluginPage *self = OC_PLUGIN_PAGE (widget);

  if (self->status != NULL)
    g_signal_emit (self, signals[SIGNAL_REVIEW], 0);
}

static void
copy_report_action (GtkWidget *widget,
                    const char *name,
                    GVariant *parameter)
{
  OcPluginPage *self = OC_PLUGIN_PAGE (widget);
  g_autofree char *report = NULL;

  if (self->status == NULL)
    return;
  report = oc_page_write_report (self->status);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), report);
  say (self, _("The report was copied"));
}

static void
run_action (GtkWidget *widget,
            const char *name,
            GVariant *parameter)
{
  OcPluginPage *self = OC_PLUGIN_PAGE (widget);

  if (self->status != NULL && is_enabled (self))
    oc_run_dialog_present (GTK_WINDOW (gtk_widget_get_root (widget)), self->session, self->status,
                           g_variant_get_string (parameter, NULL), g_str_equal (name, "page.run-on-files"));
}

static void
row_activated_cb (GtkListBox *list,
                  GtkListBoxRow *row)
{
  if (OC_IS_DETAIL_ROW (row))
    oc_detail_row_set_expanded (OC_DETAIL_ROW (row), !oc_detail_row_get_expanded (OC_DETAIL_ROW (row)));
}

static void
oc_plugin_page_dispose (GObject *object)
{
  OcPluginPage *self = OC_PLUGIN_PAGE (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_clear_object (&self->status);
  g_clear_pointer (&self->history, oc_history_unref);
  /* libadwaita 1.2's AdwBin would let go of it a second time. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_PLUGIN_PAGE);
  G_OBJECT_CLASS (oc_plugin_page_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, scroller);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, content);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, health);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, icon);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, name);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, description);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, claims);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, state);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, enabled);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, notices);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, changes_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, changes);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, problems_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, problems);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, failures_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, failures);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, permissions_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, consent_label);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, permissions);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, together_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, together);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, baseline_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, baseline);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, commands_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, commands_label);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, commands);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, runs_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, runs_label);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, runs);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, facts_section);
  gtk_widget_class_bind_template_child (widget_class, OcPluginPage, facts);
}

static void
oc_plugin_page_class_init (OcPluginPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_plugin_page_dispose;
  signals[SIGNAL_REVIEW] = g_signal_new ("review", OC_TYPE_PLUGIN_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 0);
  signals[SIGNAL_TOAST] = g_signal_new ("toast", OC_TYPE_PLUGIN_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, ADW_TYPE_TOAST);
  g_type_ensure (OC_TYPE_HEALTH_BOX);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-plugin-page.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, state_set_cb);
  gtk_widget_class_install_action (widget_class, "page.review", NULL, review_action);
  gtk_widget_class_install_action (widget_class, "page.copy-report", NULL, copy_report_action);
  gtk_widget_class_install_action (widget_class, "page.run", "s", run_action);
  gtk_widget_class_install_action (widget_class, "page.run-on-files", "s", run_action);
}

static void
oc_plugin_page_init (OcPluginPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
oc_plugin_page_set_session (OcPluginPage *self,
                            OcSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  oc_health_box_set_session (self->health, session);
  g_signal_connect_swapped (session, "changed", G_CALLBACK (update_switch), self);
  g_signal_connect_swapped (session, "activity-changed", G_CALLBACK (load_history), self);
}

static void
fill_head (OcPluginPage *self)
{
  OcPlugin *plugin = oc_status_get_plugin (self->status);
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  g_autofree char *name = oc_escape (oc_manifest_get_name (manifest));
  g_autofree char *description = NULL;
  g_autofree char *version = oc_escape (oc_manifest_get_version (manifest));
  g_autofree char *author = oc_escape (oc_manifest_get_author (manifest));
  g_autofree char *id = oc_escape (oc_plugin_get_id (plugin));
  g_autofree char *by = NULL;
  g_autofree char *claims = NULL;
  g_autofree char *state = oc_page_describe_state (self->status);

  if (oc_manifest_get_description (manifest) != NULL)
    description = oc_text_escape_lines (oc_manifest_get_description (manifest), -1, 0, NULL);
  if (author != NULL && author[0] != '\0')
    /* Translators: %s is whom the plugin names as its author; nobody has checked it */
    by = g_strdup_printf (_("says it is by %s"), author);
  claims = g_strjoin (" · ", version != NULL && version[0] != '\0' ? version : id,
                      version != NULL && version[0] != '\0' ? (by != NULL ? by : id) : by,
                      version != NULL && version[0] != '\0' && by != NULL ? id : NULL, NULL);
  gtk_image_set_from_icon_name (self->icon, oc_plugin_icon_name (plugin));
  gtk_label_set_text (self->name, name);
  gtk_label_set_text (self->description, description != NULL ? description : "");
  gtk_widget_set_visible (GTK_WIDGET (self->description), description != NULL && description[0] != '\0');
  gtk_label_set_text (self->claims, claims);
  gtk_label_set_text (self->state, state != NULL ? state : "");
  gtk_widget_set_visible (GTK_WIDGET (self->state), state != NULL);
}

/* Why an entry cannot be run now. (nullable) */
static const char *
explain_not_runnable (OcPluginPage *self)
{
  OcSandboxReport *report = oc_session_get_report (self->session);

  if (!is_enabled (self))
    return _("Only an enabled plugin can run.");
  if (report != NULL && !oc_sandbox_report_holds (report))
    return _("The sandbox does not hold on this computer, so nothing is run.");
  return NULL;
}

static void
fill_commands (OcPluginPage *self)
{
  OcManifest *manifest = oc_plugin_get_manifest (oc_status_get_plugin (self->status));
  GPtrArray *entries = oc_manifest_get_entries (manifest);
  gboolean runs = oc_manifest_get_kind (manifest) == OC_PLUGIN_KIND_PROCESS;

  gtk_label_set_text (self->commands_label,
                      runs ? "" : _("This version can show and review such plugins, but not run them yet. Running script "
                                    "plugins and bundles comes with a later version."));
  gtk_widget_set_visible (GTK_WIDGET (self->commands_label), !runs && entries->len > 0);
  for (guint i = 0; i < entries->len; i++)
    gtk_list_box_append (self->commands, GTK_WIDGET (oc_command_row_new (g_ptr_array_index (entries, i), runs,
                                                                         explain_not_runnable (self))));
  gtk_widget_set_visible (self->commands_section, entries->len > 0);
}

static void
fill_history (OcPluginPage *self)
{
  g_autoptr (GHashTable) open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *focused = NULL;
  g_autofree char *summary = NULL;
  guint n;

  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->permissions)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (OC_IS_DETAIL_ROW (row) && oc_permission_row_is_granted (OC_DETAIL_ROW (row)))
      oc_permission_row_set_history (OC_DETAIL_ROW (row), self->history);
  oc_detail_list_save (self->runs, open, &focused);
  oc_list_box_clear (self->runs);
  if (self->history == NULL)
    {
      gtk_widget_set_visible (self->runs_section, FALSE);
      return;
    }
  n = oc_history_get_n_runs (self->history);
  oc_page_fill_runs (self->runs, self->status, self->history);
  oc_detail_list_restore (self->runs, open, focused);
  gtk_widget_set_visible (GTK_WIDGET (self->runs), n > 0);
  if (n > oc_history_get_runs (self->history)->len)
    summary = g_strdup_printf (_("The last %u of %u runs."), oc_history_get_runs (self->history)->len, n);
  else if (n == 0)
    summary = g_strdup (_("It has not run yet. What it uses, and what it is refused, will be listed here."));
  gtk_label_set_text (self->runs_label, summary != NULL ? summary : "");
  gtk_widget_set_visible (GTK_WIDGET (self->runs_label), summary != NULL);
  gtk_widget_set_visible (self->runs_section, n > 0 || is_enabled (self));
}

static void
clear (OcPluginPage *self)
{
  oc_box_clear (self->notices);
  oc_box_clear (self->together);
  oc_box_clear (self->changes);
  oc_list_box_clear (self->problems);
  oc_list_box_clear (self->failures);
  oc_list_box_clear (self->permissions);
  oc_list_box_clear (self->baseline);
  oc_list_box_clear (self->commands);
  oc_list_box_clear (self->facts);
}

static void
fill (OcPluginPage *self)
{
  OcPlugin *plugin = oc_status_get_plugin (self->status);
  g_autofree char *consent = oc_page_describe_consent (self->status);
  gboolean any;

  clear (self);
  fill_head (self);
  oc_page_fill_notices (self->notices, self->session, self->status);
  gtk_widget_set_visible (GTK_WIDGET (self->notices), gtk_widget_get_first_child (GTK_WIDGET (self->notices)) != NULL);
  gtk_widget_set_visible (self->changes_section, oc_page_fill_changes (self->changes, self->session, self->status));
  gtk_widget_set_visible (self->problems_section, oc_page_fill_problems (self->problems, self->status));
  gtk_widget_set_visible (self->failures_section, oc_page_fill_failures (self->failures, self->status));
  oc_page_fill_permissions (self->permissions, self->session, self->status);
  any = gtk_widget_get_first_child (GTK_WIDGET (self->permissions)) != NULL;
  gtk_widget_set_visible (GTK_WIDGET (self->permissions), any);
  gtk_label_set_text (self->consent_label, any ? consent : _("It asks for no permission."));
  gtk_widget_set_visible (self->permissions_section, any || oc_plugin_get_problems (plugin)->len == 0);
  gtk_widget_set_visible (self->together_section, oc_page_fill_together (self->together, self->session, self->status));
  oc_page_fill_baseline (self->baseline, self->status);
  gtk_widget_set_visible (self->baseline_section, gtk_widget_get_first_child (GTK_WIDGET (self->baseline)) != NULL
                                                      && oc_plugin_get_problems (plugin)->len == 0);
  fill_commands (self);
  oc_page_fill_facts (self->facts, self->status);
  fill_history (self);
  update_switch (self);
}

static void
history_cb (GObject *source,
            GAsyncResult *result,
            gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcHistory) history = oc_history_load_finish (result, &error);
  OcPluginPage *self = data; /* valid unless cancelled */

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (history == NULL)
    {
      g_autofree char *escaped = oc_escape_message (error->message);
      g_autofree char *said = g_strdup_printf (_("What it did cannot be read: %s"), escaped);

      gtk_label_set_text (self->runs_label, said);
      gtk_widget_set_visible (GTK_WIDGET (self->runs_label), TRUE);
      gtk_widget_set_visible (GTK_WIDGET (self->runs), FALSE);
      gtk_widget_set_visible (self->runs_section, TRUE);
      return;
    }
  g_clear_pointer (&self->history, oc_history_unref);
  self->history = g_steal_pointer (&history);
  if (self->status != NULL)
    fill_history (self);
}

static void
load_history (OcPluginPage *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->status == NULL)
    return;
  self->cancellable = g_cancellable_new ();
  oc_history_load_async (oc_session_get_paths (self->session), oc_status_get_id (self->status), self->cancellable,
                         history_cb, self);
}

static void
refill_in_place (OcPluginPage *self)
{
  GtkListBox *lists[] = { self->permissions, self->baseline, self->failures };
  g_autoptr (GHashTable) open = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *focused = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    oc_detail_list_save (lists[i], open, &focused);
  fill (self);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    oc_detail_list_restore (lists[i], open, focused);
}

void
oc_plugin_page_set_status (OcPluginPage *self,
                           OcStatus *status)
{
  gboolean same;

  if (self->status == status)
    return;
  same = self->status != NULL && status != NULL
         && g_str_equal (oc_plugin_get_folder (oc_status_get_plugin (self->status)),
                         oc_plugin_get_folder (oc_status_get_plugin (status)));
  g_set_object (&self->status, status);
  if (!same)
    {
      g_clear_pointer (&self->history, oc_history_unref);
      gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
    }
  gtk_widget_set_visible (self->content, status != NULL);
  if (status == NULL)
    {
      g_cancellable_cancel (self->cancellable);
      return;
    }
  if (same)
    refill_in_place (self);
  else
    fill (self);
  load_history (self);
}

OcStatus *
oc_plugin_page_get_status (OcPluginPage *self)
{
  return self->status;
}
