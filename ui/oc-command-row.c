/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-command-row.h"

#include <glib/gi18n-lib.h>

#include "oc-format.h"
#include "oc-run-dialog.h"

struct _OcCommandRow
{
  GtkListBoxRow parent_instance;

  GtkLabel *title;
  GtkLabel *subtitle;
  GtkButton *run_on_files;
  GtkButton *run;
};

G_DEFINE_FINAL_TYPE (OcCommandRow, oc_command_row, GTK_TYPE_LIST_BOX_ROW)

static void
oc_command_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_COMMAND_ROW);
  G_OBJECT_CLASS (oc_command_row_parent_class)->dispose (object);
}

static void
oc_command_row_class_init (OcCommandRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_command_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-command-row.ui");
  gtk_widget_class_bind_template_child (widget_class, OcCommandRow, title);
  gtk_widget_class_bind_template_child (widget_class, OcCommandRow, subtitle);
  gtk_widget_class_bind_template_child (widget_class, OcCommandRow, run_on_files);
  gtk_widget_class_bind_template_child (widget_class, OcCommandRow, run);
}

static void
oc_command_row_init (OcCommandRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static char *
describe_count (const OcEntry *entry)
{
  if (!oc_entry_takes_files (entry))
    return g_strdup (_("Needs no files"));
  if (entry->max_selection == G_MAXUINT && entry->min_selection == 0)
    return g_strdup (_("Takes files, or none"));
  if (entry->min_selection == 0)
    return g_strdup_printf (ngettext ("Takes %u file, or none", "Takes up to %u files, or none", entry->max_selection),
                            entry->max_selection);
  if (entry->max_selection == G_MAXUINT)
    return g_strdup_printf (ngettext ("Needs %u file or more", "Needs %u files or more", entry->min_selection),
                            entry->min_selection);
  if (entry->min_selection == entry->max_selection)
    return g_strdup_printf (ngettext ("Needs %u file", "Needs %u files", entry->min_selection), entry->min_selection);
  return g_strdup_printf (_("Needs %u to %u files"), entry->min_selection, entry->max_selection);
}

char *
oc_entry_describe_selection (const OcEntry *entry)
{
  g_autofree char *count = NULL;
  g_autofree char *joined = NULL;
  g_autofree char *extensions = NULL;

  if (entry->kind != OC_ENTRY_COMMAND)
    return NULL;
  count = describe_count (entry);
  if (!oc_entry_takes_files (entry) || entry->extensions == NULL || entry->extensions[0] == NULL)
    return g_steal_pointer (&count);
  joined = g_strjoinv (", .", entry->extensions);
  extensions = oc_escape (joined);
  /* Translators: first "Needs 1 file or more", then a list of file name extensions */
  return g_strdup_printf (_("%s: .%s"), count, extensions);
}

static const char *
kind_to_label (OcEntryKind kind)
{
  switch (kind)
    {
    case OC_ENTRY_COMMAND:
      return _("Command");
    case OC_ENTRY_ADDON:
      return _("Action");
    case OC_ENTRY_TEST_DATA_FUNCTION:
      return _("Test data function");
    case OC_ENTRY_HOOK:
      return _("Hook");
    }
  return "";
}

static void
set_button (GtkButton *button,
            const char *action,
            const OcEntry *entry,
            const char *label,
            const char *why_not)
{
  gtk_widget_set_visible (GTK_WIDGET (button), TRUE);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", entry->id);
  if (why_not == NULL)
    gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  else
    gtk_widget_set_sensitive (GTK_WIDGET (button), FALSE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (button), why_not);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, why_not != NULL ? why_not : "", -1);
}

OcCommandRow *
oc_command_row_new (const OcEntry *entry,
                    gboolean runnable,
                    const char *why_not)
{
  OcCommandRow *self = g_object_new (OC_TYPE_COMMAND_ROW, NULL);
  g_autofree char *title = oc_escape (entry->title != NULL ? entry->title : entry->id);
  g_autofree char *description = oc_escape (entry->description);
  g_autofree char *selection = oc_entry_describe_selection (entry);
  g_autofree char *subtitle = NULL;
  g_autofree char *label = g_strdup_printf (_("Run “%s”"), title);
  g_autofree char *label_on_files = g_strdup_printf (_("Run “%s” on files that you choose"), title);

  subtitle = g_strjoin (" · ", selection != NULL ? selection : kind_to_label (entry->kind),
                        description != NULL && description[0] != '\0' ? description : NULL, NULL);
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->subtitle, subtitle);
  if (runnable && oc_entry_takes_files (entry))
    set_button (self->run_on_files, "page.run-on-files", entry, label_on_files, why_not);
  if (runnable && entry->min_selection == 0)
    set_button (self->run, "page.run", entry, label, why_not);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, subtitle, -1);
  return self;
}
