/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-run-dialog.h"

#include <glib/gi18n-lib.h>

#include "core/oc-catalogue-use.h"
#include "core/oc-error.h"
#include "core/oc-text.h"
#include "oc-detail-row.h"
#include "oc-format.h"
#include "oc-notice.h"

/* What a label lays out in a frame; all of it is in the launcher's answer, and in the terminal. */
#define OUTPUT_MAX_CHARS 20000

struct _OcRunDialog
{
  AdwWindow parent_instance;

  OcSession *session;
  GCancellable *cancellable;
  gboolean running;
  gint64 started; /* monotonic */
  guint timer;

  AdwWindowTitle *title;
  GtkStack *stack;
  GtkSpinner *spinner;
  GtkLabel *progress;
  GtkButton *stop;
  GtkBox *result;
};

G_DEFINE_FINAL_TYPE (OcRunDialog, oc_run_dialog, ADW_TYPE_WINDOW)

static void
oc_run_dialog_dispose (GObject *object)
{
  OcRunDialog *self = OC_RUN_DIALOG (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_RUN_DIALOG);
  G_OBJECT_CLASS (oc_run_dialog_parent_class)->dispose (object);
}

static void
stop_clicked_cb (OcRunDialog *self)
{
  g_cancellable_cancel (self->cancellable);
  gtk_widget_set_sensitive (GTK_WIDGET (self->stop), FALSE);
  gtk_label_set_text (self->progress, _("Stopping…"));
  g_clear_handle_id (&self->timer, g_source_remove);
}

static gboolean
oc_run_dialog_close_request (GtkWindow *window)
{
  g_cancellable_cancel (OC_RUN_DIALOG (window)->cancellable);
  return GTK_WINDOW_CLASS (oc_run_dialog_parent_class)->close_request (window);
}

static void
oc_run_dialog_class_init (OcRunDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_run_dialog_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = oc_run_dialog_close_request;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-run-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, OcRunDialog, title);
  gtk_widget_class_bind_template_child (widget_class, OcRunDialog, stack);
  gtk_widget_class_bind_template_child (widget_class, OcRunDialog, spinner);
  gtk_widget_class_bind_template_child (widget_class, OcRunDialog, progress);
  gtk_widget_class_bind_template_child (widget_class, OcRunDialog, stop);
  gtk_widget_class_bind_template_child (widget_class, OcRunDialog, result);
  gtk_widget_class_bind_template_callback (widget_class, stop_clicked_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
oc_run_dialog_init (OcRunDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cancellable = g_cancellable_new ();
}

static void
append_text (OcRunDialog *self,
             const char *title,
             const char *raw)
{
  GtkWidget *box;
  GtkWidget *label;
  g_autofree char *text = NULL;

  if (raw == NULL || raw[0] == '\0' || g_str_equal (raw, "null") || g_str_equal (raw, "null\n"))
    return;
  text = oc_text_escape_lines (raw, -1, OUTPUT_MAX_CHARS, NULL);
  g_strchomp (text);
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  label = oc_label_new (text, "output");
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_box_append (GTK_BOX (box), oc_label_new (title, "heading"));
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (self->result, box);
}

static void
append_uses (OcRunDialog *self,
             const char *title,
             GPtrArray *uses,
             gboolean refused)
{
  GtkWidget *box;
  GtkWidget *list;

  if (uses->len == 0)
    return;
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  list = oc_detail_list_new ();
  for (guint i = 0; i < uses->len; i++)
    {
      const OcUse *use = g_ptr_array_index (uses, i);
      g_autofree char *sentence = oc_catalogue_describe_use (use);
      g_autofree char *method = oc_escape (use->method);
      g_autofree char *detail = oc_escape (use->detail != NULL && use->detail[0] != '\0' ? use->detail : NULL);
      g_autofree char *program = oc_escape (use->program);
      g_autofree char *permission = oc_escape (use->permission != NULL && use->permission[0] != '\0' ? use->permission : NULL);
      g_autofree char *subtitle = NULL;
      OcDetailRow *row = oc_detail_row_new (refused ? "action-unavailable-symbolic" : "emblem-ok-symbolic", sentence != NULL ? sentence : method);
      const char *parts[4] = { NULL };
      guint n = 0;

      /* A sentence has both. */
      if (detail != NULL && sentence == NULL)
        parts[n++] = detail;
      if (program != NULL && sentence == NULL)
        parts[n++] = program;
      if (permission != NULL && g_strcmp0 (permission, method) != 0)
        parts[n++] = permission;
      subtitle = g_strjoinv (" · ", (char **) parts);
      oc_detail_row_set_subtitle (row, subtitle);
      if (use->count > 1)
        {
          /* Translators: how often */
          g_autofree char *times = g_strdup_printf (_("%u×"), use->count);

          oc_detail_row_add_mark (row, times, "count");
        }
      if (refused)
        oc_detail_row_add_icon_class (row, "invalid");
      gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (row));
    }
  gtk_box_append (GTK_BOX (box), oc_label_new (title, "heading"));
  gtk_box_append (GTK_BOX (box), list);
  gtk_box_append (self->result, box);
}

static OcNotice *
outcome_notice_new (OcRunResult *result)
{
  g_autofree char *message = oc_escape_message (oc_run_result_get_message (result));
  g_autofree char *remedy = oc_escape_message (oc_run_result_get_remedy (result));
  int exit_code = oc_run_result_get_exit (result);
  OcNotice *notice;

  if (exit_code == OC_EXIT_DONE)
    return NULL;
  if (exit_code == OC_EXIT_ERROR || exit_code == OC_EXIT_TIMED_OUT)
    notice = oc_notice_new (oc_outcome_is_error (oc_run_result_get_outcome (result)) ? OC_NOTICE_ERROR : OC_NOTICE_WARNING,
                            oc_outcome_to_label (oc_run_result_get_outcome (result)), message);
  else
    notice = oc_notice_new (OC_NOTICE_ERROR, _("It was not run"), message);
  if (remedy != NULL)
    {
      g_autofree char *what = g_strdup_printf (_("What to do: %s"), remedy);

      oc_notice_add_text (notice, what);
    }
  if (oc_run_result_is_disabled_after_errors (result))
    oc_notice_add_text (notice, _("That was one error too many in a row: the plugin was turned off."));
  return notice;
}

static void
show_result (OcRunDialog *self,
             OcRunResult *result)
{
  OcNotice *notice = outcome_notice_new (result);
  g_autofree char *took = oc_format_duration (g_get_monotonic_time () - self->started);
  g_autofree char *subtitle = NULL;

  /* Translators: first what came of it, "Done", then how long it took */
  subtitle = g_strdup_printf (_("%s · %s"), oc_outcome_to_label (oc_run_result_get_outcome (result)), took);
  adw_window_title_set_subtitle (self->title, subtitle);
  if (notice != NULL)
    gtk_box_append (self->result, GTK_WIDGET (notice));
  append_uses (self, _("What it was refused"), oc_run_result_get_refused (result), TRUE);
  append_text (self, _("Result"), oc_run_result_get_result_text (result));
  append_text (self, _("What it wrote"), oc_run_result_get_stdout (result));
  append_text (self, _("Its messages and errors"), oc_run_result_get_stderr (result));
  append_uses (self, _("What it used"), oc_run_result_get_used (result), FALSE);
  if (gtk_widget_get_first_child (GTK_WIDGET (self->result)) == NULL)
    gtk_box_append (self->result, oc_label_new (_("It ended well and had nothing to say."), NULL));
}

static void
run_cb (GObject *source,
        GAsyncResult *async,
        gpointer data)
{
  g_autoptr (OcRunDialog) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (OcRunResult) result = NULL;

  self->running = FALSE;
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->session == NULL)
    return; /* closed meanwhile: the launcher has recorded it */
  result = oc_launcher_run_finish (oc_session_get_launcher (self->session), async, &error);
  gtk_spinner_stop (self->spinner);
  if (result != NULL)
    {
      show_result (self, result);
    }
  else
    {
      g_autofree char *escaped = oc_escape_message (error->message);

      gtk_box_append (self->result, GTK_WIDGET (oc_notice_new (OC_NOTICE_ERROR, _("It was not run"), escaped)));
    }
  gtk_stack_set_visible_child_name (self->stack, "done");
}

static gboolean
progress_cb (gpointer data)
{
  OcRunDialog *self = data;
  guint seconds = (g_get_monotonic_time () - self->started) / G_USEC_PER_SEC;
  g_autofree char *text = g_strdup_printf (ngettext ("Running in the sandbox for %u second…",
                                                     "Running in the sandbox for %u seconds…", seconds),
                                           seconds);

  if (seconds > 0)
    gtk_label_set_text (self->progress, text);
  return G_SOURCE_CONTINUE;
}

OcRunDialog *
oc_run_dialog_new (GtkWindow *parent,
                   OcSession *session,
                   OcStatus *status,
                   const OcEntry *entry,
                   const char *const *paths)
{
  OcRunDialog *self = g_object_new (OC_TYPE_RUN_DIALOG, "transient-for", parent, NULL);
  g_autofree char *title = oc_text_escape (entry->title != NULL ? entry->title : entry->id, 60, NULL);
  OcLaunchRequest request = {
    .plugin = oc_status_get_id (status),
    .entry = entry->id,
    .paths = paths,
    .surface = "window",
  };
  g_autofree char *folder = paths != NULL && paths[0] != NULL ? g_path_get_dirname (paths[0]) : NULL;

  request.folder = folder;
  self->session = g_object_ref (session);
  self->running = TRUE;
  self->started = g_get_monotonic_time ();
  self->timer = g_timeout_add (500, progress_cb, self);
  adw_window_title_set_title (self->title, title);
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_label_set_text (self->progress, _("Running in the sandbox…"));
  gtk_spinner_start (self->spinner);
  oc_launcher_run_async (oc_session_get_launcher (session), &request, self->cancellable, run_cb, g_object_ref (self));
  return self;
}

gboolean
oc_run_dialog_is_running (OcRunDialog *self)
{
  return self->running;
}

typedef struct
{
  GtkWindow *parent;
  OcSession *session;
  OcStatus *status;
  const OcEntry *entry; /* of @status */
} Choice;

static void
choice_free (Choice *choice)
{
  g_object_unref (choice->parent);
  g_object_unref (choice->session);
  g_object_unref (choice->status);
  g_free (choice);
}

static char **
dup_paths (GListModel *files)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  guint n = g_list_model_get_n_items (files);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (files, i);

      if (g_file_peek_path (file) != NULL)
        g_ptr_array_add (paths, g_strdup (g_file_peek_path (file)));
    }
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}

static void
chosen_cb (GtkNativeDialog *native,
           int response,
           Choice *choice)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (native));
      g_auto (GStrv) paths = dup_paths (files);

      gtk_window_present (GTK_WINDOW (oc_run_dialog_new (choice->parent, choice->session, choice->status, choice->entry,
                                                         (const char *const *) paths)));
    }
  gtk_native_dialog_destroy (native);
  g_object_unref (native);
  choice_free (choice);
}

static void
add_filter (GtkFileChooser *chooser,
            char **extensions)
{
  g_autoptr (GtkFileFilter) filter = NULL;

  if (extensions == NULL || extensions[0] == NULL)
    return;
  filter = gtk_file_filter_new ();
  for (guint i = 0; extensions[i] != NULL; i++)
    gtk_file_filter_add_suffix (filter, extensions[i][0] == '.' ? extensions[i] + 1 : extensions[i]);
  gtk_file_filter_set_name (filter, _("What this command takes"));
  gtk_file_chooser_add_filter (chooser, filter);
}

gboolean
oc_entry_takes_files (const OcEntry *entry)
{
  if (entry->kind != OC_ENTRY_COMMAND || entry->max_selection == 0)
    return FALSE;
  return entry->min_selection > 0 || (entry->permissions != NULL &&
                                      oc_permission_set_grants (entry->permissions, OC_PERMISSION_SELECTION_READ, NULL));
}

void
oc_run_dialog_present (GtkWindow *parent,
                       OcSession *session,
                       OcStatus *status,
                       const char *entry_id,
                       gboolean with_files)
{
  const OcEntry *entry = oc_manifest_find_entry (oc_plugin_get_manifest (oc_status_get_plugin (status)), entry_id);
  GtkFileChooserNative *native;
  Choice *choice;

  if (entry == NULL)
    return;
  if (!oc_entry_takes_files (entry) || (!with_files && entry->min_selection == 0))
    {
      gtk_window_present (GTK_WINDOW (oc_run_dialog_new (parent, session, status, entry, NULL)));
      return;
    }
  choice = g_new0 (Choice, 1);
  choice->parent = g_object_ref (parent);
  choice->session = g_object_ref (session);
  choice->status = g_object_ref (status);
  choice->entry = entry;
  native = gtk_file_chooser_native_new (_("Choose what the command works on"), parent, GTK_FILE_CHOOSER_ACTION_OPEN,
                                        /* Translators: runs a command on the chosen files */
                                        _("_Run"), _("_Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (native), entry->max_selection > 1);
  add_filter (GTK_FILE_CHOOSER (native), entry->extensions);
  g_signal_connect (native, "response", G_CALLBACK (chosen_cb), choice);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}
