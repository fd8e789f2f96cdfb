/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-review-dialog.h"

#include <glib/gi18n-lib.h>

#include "core/oc-catalogue.h"
#include "core/oc-error.h"
#include "core/oc-text.h"
#include "oc-format.h"
#include "oc-notice.h"
#include "oc-page-sections.h"
#include "oc-permission-row.h"

/* The author's words stand around ours: long ones could push them out of sight, or imitate a whole dialog. */
#define CLAIM_MAX_CHARS 80

struct _OcReviewDialog
{
  AdwWindow parent_instance;

  OcSession *session;
  OcStatus *status;      /* the last that the registry had of it */
  OcPlugin *shown;       /* what is on screen, and what Enable agrees to */
  OcPermissionSet *base; /* what was agreed to, or shown, before; NULL: nothing to compare with */
  gboolean stale;        /* @base is what was shown a moment ago */
  gboolean ready;        /* shown long enough */
  gboolean writing;
  gboolean finished;
  guint tick_callback;
  guint timer;

  GtkScrolledWindow *scroller;
  GtkLabel *heading;
  GtkLabel *claims;
  GtkLabel *body;
  GtkBox *sections;
  GtkLabel *error;
  GtkWidget *tick_scroller;
  GtkCheckButton *tick;
  GtkLabel *sentence;
  GtkButton *cancel;
  GtkButton *enable;
};

G_DEFINE_FINAL_TYPE (OcReviewDialog, oc_review_dialog, ADW_TYPE_WINDOW)

enum
{
  SIGNAL_CLOSED_ITSELF,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

static void
update_sensitive (OcReviewDialog *self)
{
  gboolean agreed = !gtk_widget_get_visible (self->tick_scroller) || gtk_check_button_get_active (self->tick);

  gtk_widget_set_sensitive (GTK_WIDGET (self->enable), self->ready && agreed && !self->writing && !self->finished);
  gtk_widget_set_sensitive (GTK_WIDGET (self->cancel), !self->writing);
  gtk_widget_set_sensitive (GTK_WIDGET (self->tick), !self->writing);
}

static gboolean
timer_cb (gpointer data)
{
  OcReviewDialog *self = data;

  self->timer = 0;
  self->ready = TRUE;
  update_sensitive (self);
  return G_SOURCE_REMOVE;
}

static gboolean
first_frame_cb (GtkWidget *widget,
                GdkFrameClock *clock,
                gpointer data)
{
  OcReviewDialog *self = OC_REVIEW_DIALOG (widget);

  self->tick_callback = 0;
  g_clear_handle_id (&self->timer, g_source_remove);
  self->timer = g_timeout_add (OC_REVIEW_DELAY_MS, timer_cb, self);
  return G_SOURCE_REMOVE;
}

/* Counted from the first frame that shows it: a key or click meant for what was on screen before cannot consent
 * (deno #9750). Begun anew whenever the window becomes the one that gets the keys. */
static void
start_waiting (OcReviewDialog *self)
{
  self->ready = FALSE;
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->tick_callback == 0)
    self->tick_callback = gtk_widget_add_tick_callback (GTK_WIDGET (self), first_frame_cb, NULL, NULL);
  update_sensitive (self);
}

static void
active_changed_cb (OcReviewDialog *self)
{
  if (gtk_window_is_active (GTK_WINDOW (self)) && !self->writing)
    start_waiting (self);
}

/* Keys typed ahead decide nothing, not even to cancel. Escape does leave. */
static gboolean
key_pressed_cb (OcReviewDialog *self,
                guint keyval)
{
  return !self->ready && !self->writing && keyval != GDK_KEY_Escape;
}

static void
close_with_reason (OcReviewDialog *self,
                   const char *reason)
{
  if (self->finished)
    return;
  self->finished = TRUE;
  self->writing = FALSE;
  g_signal_emit (self, signals[SIGNAL_CLOSED_ITSELF], 0, reason);
  gtk_window_close (GTK_WINDOW (self));
}

static GtkWidget *
append_section (OcReviewDialog *self,
                const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *list = oc_detail_list_new ();

  if (title != NULL)
    gtk_box_append (GTK_BOX (box), oc_label_new (title, "heading"));
  gtk_box_append (GTK_BOX (box), list);
  gtk_box_append (self->sections, box);
  return list;
}

/* Those of @set (worst first) that are, or are not, in @base. @base: (nullable): all of them. */
static void
append_permissions (OcReviewDialog *self,
                    const char *title,
                    OcPermissionSet *set,
                    const char *mark,
                    const char *mark_class)
{
  OcManifest *manifest = oc_plugin_get_manifest (self->shown);
  g_autoptr (GPtrArray) explanations = NULL;
  GtkWidget *list;

  if (oc_permission_set_get_n (set) == 0)
    return;
  explanations = oc_catalogue_explain_set (set, oc_registry_get_tools (oc_session_get_registry (self->session)));
  list = append_section (self, title);
  for (guint i = 0; i < explanations->len; i++)
    {
      OcExplanation *explanation = g_ptr_array_index (explanations, i);
      OcPermission *permission = oc_explanation_get_permission (explanation);
      OcDetailRow *row = oc_permission_row_new (explanation, oc_manifest_find_declaration (manifest, permission),
                                                OC_PERMISSION_ROW_OPEN);

      if (mark != NULL)
        oc_detail_row_add_mark (row, mark, mark_class);
      gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (row));
    }
}

static void
append_never_granted (OcReviewDialog *self)
{
  GPtrArray *declarations = oc_manifest_get_declarations (oc_plugin_get_manifest (self->shown));
  OcTools *tools = oc_registry_get_tools (oc_session_get_registry (self->session));
  GtkWidget *list = NULL;

  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      if (!declaration->never_granted)
        continue;
      if (list == NULL)
        list = append_section (self, _("Declared, and never granted"));
      gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (oc_permission_row_new_ungranted (declaration, tools)));
    }
}

static void
append_statements (OcReviewDialog *self,
                   OcPermissionSet *set)
{
  OcPluginKind kind = oc_manifest_get_kind (oc_plugin_get_manifest (self->shown));
  OcTools *tools = oc_registry_get_tools (oc_session_get_registry (self->session));
  g_autoptr (GPtrArray) together = oc_catalogue_combine (set, kind, tools);
  g_autoptr (GPtrArray) always = oc_catalogue_can_always (set, kind);
  g_autoptr (GPtrArray) never = oc_catalogue_can_never (set, kind);
  GtkWidget *list;

  for (guint i = 0; i < together->len; i++)
    gtk_box_append (self->sections, oc_statement_box_new (g_ptr_array_index (together, i)));
  if (always->len + never->len == 0)
    return;
  list = append_section (self, _("Without asking"));
  if (always->len > 0)
    gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (oc_statements_row_new ("emblem-ok-symbolic", _("It can always"),
                                                                                 always, OC_PERMISSION_ROW_OPEN)));
  if (never->len > 0)
    gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (oc_statements_row_new ("action-unavailable-symbolic",
                                                                                 _("It can never"), never,
                                                                                 OC_PERMISSION_ROW_OPEN)));
}

/* (nullable) */
static char *
escape_claim (const char *text)
{
  return text != NULL ? oc_text_escape (text, CLAIM_MAX_CHARS, NULL) : NULL;
}

static void
fill_head (OcReviewDialog *self)
{
  OcManifest *manifest = oc_plugin_get_manifest (self->shown);
  gboolean nothing = oc_permission_set_get_n (oc_manifest_get_permissions (manifest)) == 0;
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (manifest), CLAIM_MAX_CHARS, NULL);
  g_autofree char *version = escape_claim (oc_manifest_get_version (manifest));
  g_autofree char *author = escape_claim (oc_manifest_get_author (manifest));
  g_autofree char *id = oc_escape (oc_plugin_get_id (self->shown));
  g_autofree char *by = NULL;
  g_autofree char *claims = NULL;
  /* Translators: %s is the name of a plugin */
  g_autofree char *heading = g_strdup_printf (_("Enable “%s”?"), name);

  if (author != NULL && author[0] != '\0')
    by = g_strdup_printf (_("says it is by %s"), author);
  claims = g_strjoin (" · ", id, version != NULL ? version : by, version != NULL ? by : NULL, NULL);
  gtk_label_set_text (self->heading, heading);
  gtk_label_set_text (self->claims, claims);
  gtk_label_set_text (self->body, nothing ? _("It asks for no permission. This is what it can do all the same.")
                                          : _("It would be able to do exactly what is listed here, and nothing else."));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, heading,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, gtk_label_get_text (self->body), -1);
}

static void
fill_warnings (OcReviewDialog *self)
{
  OcStatus *lookalike = oc_session_find_lookalike (self->session, self->status);

  if (self->stale)
    gtk_box_append (self->sections,
                    GTK_WIDGET (oc_notice_new (OC_NOTICE_WARNING, _("The plugin changed while you were reading"),
                                               _("Nothing was enabled. This is what it asks for now."))));
  if (oc_verdict_is_other_kind (oc_status_get_verdict (self->status)))
    gtk_box_append (self->sections,
                    GTK_WIDGET (oc_notice_new (OC_NOTICE_WARNING, _("It has become another kind of plugin"),
                                               _("What it can do without asking is not the same as when you enabled it. Read "
                                                 "the list below."))));
  if (lookalike != NULL)
    {
      g_autofree char *id = oc_escape (oc_status_get_id (lookalike));
      g_autofree char *text = g_strdup_printf (_("%s is enabled and has the same name, or one that looks like it. Make "
                                                 "sure that this is the one you mean."), id);

      gtk_box_append (self->sections,
                      GTK_WIDGET (oc_notice_new (OC_NOTICE_WARNING, _("It is named like another plugin"), text)));
    }
  if (oc_text_has_hidden (oc_manifest_get_name (oc_plugin_get_manifest (self->shown))))
    gtk_box_append (self->sections,
                    GTK_WIDGET (oc_notice_new (OC_NOTICE_WARNING, _("Its name contains hidden characters"), NULL)));
}

static void
fill (OcReviewDialog *self)
{
  OcManifest *manifest = oc_plugin_get_manifest (self->shown);
  OcPermissionSet *set = oc_manifest_get_permissions (manifest);
  g_autofree char *sentence = NULL;

  oc_box_clear (self->sections);
  fill_head (self);
  fill_warnings (self);
  if (self->base == NULL)
    {
      append_permissions (self, NULL, set, NULL, NULL);
    }
  else
    {
      g_autoptr (OcPermissionSet) added = oc_permission_set_minus (set, self->base);
      g_autoptr (OcPermissionSet) kept = oc_permission_set_minus (set, added);
      g_autoptr (OcPermissionSet) removed = oc_permission_set_minus (self->base, set);

      append_permissions (self, self->stale ? _("New since you looked") : _("New since you last agreed"), added, _("New"),
                          "review");
      append_permissions (self, _("As before"), kept, NULL, NULL);
      append_permissions (self, _("No longer asked for"), removed, _("Gone"), "off");
    }
  append_never_granted (self);
  append_statements (self, set);
  sentence = oc_catalogue_broad_sentence (set, oc_registry_get_tools (oc_session_get_registry (self->session)));
  gtk_widget_set_visible (self->tick_scroller, sentence != NULL);
  gtk_check_button_set_active (self->tick, FALSE);
  gtk_label_set_text (self->sentence, sentence != NULL ? sentence : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->tick), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  sentence != NULL ? sentence : "", -1);
  gtk_widget_remove_css_class (GTK_WIDGET (self->enable), sentence != NULL ? "suggested-action" : "destructive-action");
  gtk_widget_add_css_class (GTK_WIDGET (self->enable), sentence != NULL ? "destructive-action" : "suggested-action");
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
}

static void
find_thread (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  OcReviewDialog *self = source;
  GError *error = NULL;
  OcPlugin *plugin = oc_plugins_find (oc_session_get_paths (self->session), data, &error);

  if (plugin == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, plugin, (GDestroyNotify) oc_plugin_unref);
}

static void
find_cb (GObject *source,
         GAsyncResult *result,
         gpointer data)
{
  OcReviewDialog *self = OC_REVIEW_DIALOG (source);
  g_autoptr (OcPlugin) plugin = g_task_propagate_pointer (G_TASK (result), NULL);

  if (self->session == NULL || self->finished)
    return;
  self->writing = FALSE;
  if (plugin == NULL || oc_plugin_get_problems (plugin)->len > 0)
    {
      close_with_reason (self, _("The plugin changed and can no longer be enabled. Nothing was enabled."));
      return;
    }
  g_clear_pointer (&self->base, oc_permission_set_unref);
  self->base = oc_permission_set_ref (oc_manifest_get_permissions (oc_plugin_get_manifest (self->shown)));
  self->stale = TRUE;
  g_clear_pointer (&self->shown, oc_plugin_unref);
  self->shown = g_steal_pointer (&plugin);
  fill (self);
  start_waiting (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->cancel));
}

/* What was shown is gone: show what is there, with the difference. */
static void
show_again (OcReviewDialog *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, find_cb, NULL);

  g_task_set_task_data (task, g_strdup (oc_plugin_get_id (self->shown)), g_free);
  g_task_run_in_thread (task, find_thread);
}

static void
enable_cb (GObject *source,
           GAsyncResult *result,
           gpointer data)
{
  g_autoptr (OcReviewDialog) self = data;
  g_autoptr (GError) error = NULL;
  gboolean done = oc_session_change_finish (OC_SESSION (source), result, &error);

  if (self->session == NULL || self->finished)
    return;
  if (done)
    {
      self->writing = FALSE;
      self->finished = TRUE;
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  if (g_error_matches (error, OC_ERROR, OC_ERROR_STALE))
    {
      show_again (self);
      return;
    }
  self->writing = FALSE;
  {
    g_autofree char *escaped = oc_escape_message (error->message);
    g_autofree char *said = g_strdup_printf (_("Nothing was enabled. %s"), escaped);

    gtk_label_set_text (self->error, said);
    gtk_widget_set_visible (GTK_WIDGET (self->error), TRUE);
  }
  update_sensitive (self);
}

static void
enable_clicked_cb (OcReviewDialog *self)
{
  if (!gtk_widget_get_sensitive (GTK_WIDGET (self->enable)) || self->writing)
    return;
  self->writing = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (self->error), FALSE);
  update_sensitive (self);
  oc_session_enable_async (self->session, self->shown, enable_cb, g_object_ref (self));
}

static void
registry_changed_cb (OcReviewDialog *self)
{
  OcStatus *status = oc_registry_find (oc_session_get_registry (self->session), oc_plugin_get_id (self->shown));

  if (self->writing || self->finished || status == self->status)
    return;
  if (status == NULL)
    {
      close_with_reason (self, _("The plugin was removed while you were reading. Nothing was enabled."));
      return;
    }
  g_set_object (&self->status, status);
  if (!oc_plugin_equal (self->shown, oc_status_get_plugin (status)))
    close_with_reason (self, _("The plugin changed while you were reading. Nothing was enabled; review it again."));
  else if (oc_verdict_get_state (oc_status_get_verdict (status)) == OC_STATE_ENABLED)
    close_with_reason (self, _("The plugin was enabled elsewhere."));
  else if (!oc_verdict_can_enable (oc_status_get_verdict (status)))
    close_with_reason (self, _("The plugin can no longer be enabled. Nothing was enabled."));
}

static void
session_changed_cb (OcReviewDialog *self)
{
  g_autofree char *obstacle = NULL;

  if (self->writing || self->finished || oc_session_is_checking (self->session))
    return;
  obstacle = oc_session_explain_obstacle (self->session, self->status);
  if (obstacle != NULL && oc_verdict_can_enable (oc_status_get_verdict (self->status)))
    close_with_reason (self, obstacle);
}

static gboolean
oc_review_dialog_close_request (GtkWindow *window)
{
  OcReviewDialog *self = OC_REVIEW_DIALOG (window);

  /* The decision is being written: its outcome is awaited, it takes a moment. */
  if (self->writing)
    return TRUE;
  self->finished = TRUE;
  return GTK_WINDOW_CLASS (oc_review_dialog_parent_class)->close_request (window);
}

static void
oc_review_dialog_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (oc_review_dialog_parent_class)->map (widget);
  start_waiting (OC_REVIEW_DIALOG (widget));
}

static void
oc_review_dialog_dispose (GObject *object)
{
  OcReviewDialog *self = OC_REVIEW_DIALOG (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->session != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      g_signal_handlers_disconnect_by_data (oc_session_get_registry (self->session), self);
    }
  g_clear_object (&self->session);
  g_clear_object (&self->status);
  g_clear_pointer (&self->shown, oc_plugin_unref);
  g_clear_pointer (&self->base, oc_permission_set_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_REVIEW_DIALOG);
  G_OBJECT_CLASS (oc_review_dialog_parent_class)->dispose (object);
}

static void
oc_review_dialog_class_init (OcReviewDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_review_dialog_dispose;
  widget_class->map = oc_review_dialog_map;
  GTK_WINDOW_CLASS (klass)->close_request = oc_review_dialog_close_request;
  signals[SIGNAL_CLOSED_ITSELF] = g_signal_new ("closed-itself", OC_TYPE_REVIEW_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                                NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-review-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, scroller);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, heading);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, claims);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, body);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, sections);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, error);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, tick_scroller);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, tick);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, sentence);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, cancel);
  gtk_widget_class_bind_template_child (widget_class, OcReviewDialog, enable);
  gtk_widget_class_bind_template_callback (widget_class, update_sensitive);
  gtk_widget_class_bind_template_callback (widget_class, enable_clicked_cb);
  gtk_widget_class_bind_template_callback_full (widget_class, "gtk_window_close", G_CALLBACK (gtk_window_close));
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
oc_review_dialog_init (OcReviewDialog *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (active_changed_cb), NULL);
}

OcReviewDialog *
oc_review_dialog_new (GtkWindow *parent,
                      OcSession *session,
                      OcStatus *status)
{
  OcReviewDialog *self = g_object_new (OC_TYPE_REVIEW_DIALOG, "transient-for", parent, NULL);
  OcVerdict *verdict = oc_status_get_verdict (status);

  self->session = g_object_ref (session);
  self->status = g_object_ref (status);
  self->shown = oc_plugin_ref (oc_status_get_plugin (status));
  if (oc_verdict_get_state (verdict) == OC_STATE_NEEDS_REVIEW && oc_verdict_get_record (verdict) != NULL)
    self->base = oc_permission_set_ref (oc_consent_record_get_permissions (oc_verdict_get_record (verdict)));
  g_signal_connect_swapped (oc_session_get_registry (session), "items-changed", G_CALLBACK (registry_changed_cb), self);
  g_signal_connect_swapped (session, "changed", G_CALLBACK (session_changed_cb), self);
  fill (self);
  gtk_window_set_default_widget (GTK_WINDOW (self), GTK_WIDGET (self->cancel));
  gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (self->cancel));
  return self;
}

OcPlugin *
oc_review_dialog_get_plugin (OcReviewDialog *self)
{
  return self->shown;
}
