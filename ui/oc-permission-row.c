/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-permission-row.h"

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "oc-format.h"

/* How much of the author's words stands among ours: more could push ours out of sight. */
#define REASON_MAX_CHARS 1000
#define TITLE_MAX_CHARS 80

/* The text of the permission in its own type face; it is what the manifest says, never a translation. */
static GtkWidget *
code_label_new (const char *text)
{
  GtkWidget *label = oc_label_new (text, "code");

  gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static char *
describe_origin (const OcDeclaration *declaration)
{
  g_autoptr (GString) titles = g_string_new (NULL);

  if (declaration == NULL || declaration->entries == NULL || declaration->entries->len == 0)
    return NULL;
  for (guint i = 0; i < declaration->entries->len; i++)
    {
      g_autofree char *title = oc_text_escape (g_ptr_array_index (declaration->entries, i), TITLE_MAX_CHARS, NULL);

      if (i > 0)
        g_string_append (titles, _(", "));
      /* Translators: a title in quotation marks, one of a list */
      g_string_append_printf (titles, _("“%s”"), title);
    }
  if (declaration->implied)
    /* Translators: %s is one or more quoted titles of commands */
    return g_strdup_printf (ngettext ("Comes with the command %s", "Comes with the commands %s", declaration->entries->len),
                            titles->str);
  /* Translators: %s is one or more quoted titles of entries */
  return g_strdup_printf (_("Asked for by %s"), titles->str);
}

static GtkWidget *
claim_new (const char *reason)
{
  g_autofree char *escaped = oc_text_escape (reason, REASON_MAX_CHARS, NULL);
  g_autofree char *text = NULL;

  /* Translators: what the plugin's author claims, apart from what we say */
  text = g_strdup_printf (_("The author says: “%s”"), escaped);
  return oc_label_new (text, "claim");
}

static char *
explain_whole (OcExplanation *explanation,
               const OcDeclaration *declaration)
{
  g_autofree char *text = oc_explanation_to_text (explanation);
  g_autofree char *escaped = NULL;

  if (declaration == NULL || declaration->reason == NULL)
    return g_steal_pointer (&text);
  escaped = oc_text_escape (declaration->reason, REASON_MAX_CHARS, NULL);
  return g_strdup_printf (_("%s\nThe author says: “%s”"), text, escaped);
}

static void
add_details (OcDetailRow *row,
             OcExplanation *explanation,
             const OcDeclaration *declaration,
             OcPermissionRowStyle style)
{
  const char *text = oc_permission_get_text (oc_explanation_get_permission (explanation));
  const char *excludes = oc_explanation_get_excludes (explanation);
  const char *here = oc_explanation_get_here (explanation);
  g_autofree char *escaped = oc_escape (text);
  g_autofree char *origin = describe_origin (declaration);

  oc_detail_row_add_detail (row, oc_label_new (oc_explanation_get_grants (explanation), NULL));
  if (excludes != NULL)
    {
      g_autofree char *said = g_strdup_printf (_("Does not grant: %s"), excludes);

      oc_detail_row_add_detail (row, oc_label_new (said, "dim-label"));
    }
  if (style == OC_PERMISSION_ROW_OPENS)
    {
      g_autofree char *said = g_strdup_printf (_("How it is held to this: %s"), oc_explanation_get_held (explanation));

      oc_detail_row_add_detail (row, oc_label_new (said, "dim-label"));
    }
  if (here != NULL)
    oc_detail_row_add_detail (row, oc_label_new (here, "dim-label"));
  if (declaration != NULL && declaration->reason != NULL)
    oc_detail_row_add_detail (row, claim_new (declaration->reason));
  if (origin != NULL && style == OC_PERMISSION_ROW_OPEN)
    oc_detail_row_add_detail (row, oc_label_new (origin, "dim-label"));
  if (style == OC_PERMISSION_ROW_OPEN)
    oc_detail_row_add_detail (row, code_label_new (escaped));
}

OcDetailRow *
oc_permission_row_new (OcExplanation *explanation,
                       const OcDeclaration *declaration,
                       OcPermissionRowStyle style)
{
  OcSeverity severity = oc_explanation_get_severity (explanation);
  const char *text = oc_permission_get_text (oc_explanation_get_permission (explanation));
  const char *icon = oc_explanation_get_icon_name (explanation);
  g_autofree char *whole = explain_whole (explanation, declaration);
  OcDetailRow *row;

  row = oc_detail_row_new (severity == OC_SEVERITY_BROAD ? "dialog-warning-symbolic" : icon,
                           oc_explanation_get_title (explanation));
  oc_detail_row_set_key (row, text);
  oc_detail_row_add_icon_class (row, oc_severity_to_id (severity));
  if (severity != OC_SEVERITY_OK)
    oc_detail_row_add_mark (row, oc_severity_to_label (severity), oc_severity_to_id (severity));
  if (style == OC_PERMISSION_ROW_OPEN)
    oc_detail_row_set_open_for_good (row);
  add_details (row, explanation, declaration, style);
  if (style == OC_PERMISSION_ROW_OPENS)
    {
      g_autofree char *origin = describe_origin (declaration);
      g_autofree char *escaped = oc_escape (text);

      g_object_set_data (G_OBJECT (row), "granted", row);
      g_object_set_data_full (G_OBJECT (row), "origin", g_steal_pointer (&origin), g_free);
      oc_detail_row_set_subtitle (row, escaped);
    }
  oc_detail_row_set_explanation (row, whole);
  return row;
}

gboolean
oc_permission_row_is_granted (OcDetailRow *row)
{
  return g_object_get_data (G_OBJECT (row), "granted") != NULL;
}

void
oc_permission_row_set_history (OcDetailRow *row,
                               OcHistory *history)
{
  const char *key = oc_detail_row_get_key (row);
  const char *origin = g_object_get_data (G_OBJECT (row), "origin");
  const OcUsage *usage = history != NULL ? oc_history_find_usage (history, key) : NULL;
  g_autofree char *escaped = oc_escape (key);
  g_autofree char *used = NULL;
  g_autofree char *subtitle = NULL;

  if (history != NULL)
    used = oc_format_usage (usage != NULL ? usage->n_allowed : 0, usage != NULL ? usage->n_refused : 0,
                            usage != NULL ? usage->last : 0, oc_history_get_n_runs (history), g_get_real_time ());
  subtitle = g_strjoin (" · ", escaped, used != NULL ? used : origin, used != NULL ? origin : NULL, NULL);
  oc_detail_row_set_subtitle (row, subtitle);
}

OcDetailRow *
oc_permission_row_new_ungranted (const OcDeclaration *declaration,
                                 OcTools *tools)
{
  g_autofree char *written = oc_escape (declaration->text);
  g_autofree char *origin = describe_origin (declaration);
  g_autoptr (OcExplanation) explanation = NULL;
  g_autofree char *place = oc_escape (declaration->place);
  OcDetailRow *row;

  if (declaration->permission != NULL)
    explanation = oc_catalogue_explain (declaration->permission, tools);
  row = oc_detail_row_new (explanation != NULL && !declaration->never_granted ? oc_explanation_get_icon_name (explanation)
                                                                              : "action-unavailable-symbolic",
                           explanation != NULL ? oc_explanation_get_title (explanation) : written);
  oc_detail_row_set_key (row, declaration->text);
  if (declaration->problem != NULL)
    {
      oc_detail_row_add_mark (row, _("Invalid"), "invalid");
      oc_detail_row_set_subtitle (row, declaration->problem);
    }
  else
    {
      oc_detail_row_set_subtitle (row, origin != NULL ? origin : written);
    }
  if (declaration->never_granted)
    {
      oc_detail_row_add_mark (row, _("Never granted"), "off");
      oc_detail_row_add_detail (row, oc_label_new (_("Only actions may have this. It is declared, and is never granted."),
                                                   NULL));
    }
  if (explanation != NULL)
    {
      g_autofree char *whole = explain_whole (explanation, declaration);

      oc_detail_row_add_detail (row, oc_label_new (oc_explanation_get_grants (explanation), NULL));
      oc_detail_row_set_explanation (row, whole);
    }
  if (declaration->reason != NULL)
    oc_detail_row_add_detail (row, claim_new (declaration->reason));
  oc_detail_row_add_detail (row, code_label_new (written));
  if (place != NULL)
    oc_detail_row_add_detail (row, code_label_new (place));
  return row;
}

const OcDeclaration *
oc_manifest_find_declaration (OcManifest *manifest,
                              OcPermission *permission)
{
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);

  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = g_ptr_array_index (declarations, i);

      if (declaration->permission != NULL && !declaration->never_granted
          && oc_permission_equal (declaration->permission, permission))
        return declaration;
    }
  return NULL;
}

GtkWidget *
oc_statement_box_new (const OcStatement *statement)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *icon;

  icon = gtk_image_new_from_icon_name (statement->severity == OC_SEVERITY_OK ? "dialog-information-symbolic"
                                                                            : "dialog-warning-symbolic");
  gtk_widget_set_valign (icon, GTK_ALIGN_START);
  gtk_widget_add_css_class (box, "notice");
  gtk_widget_add_css_class (box, statement->severity == OC_SEVERITY_OK ? "notice-info" : "notice-warning");
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (texts), oc_label_new (statement->title, "heading"));
  gtk_box_append (GTK_BOX (texts), oc_label_new (statement->text, NULL));
  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), texts);
  return box;
}

OcDetailRow *
oc_statements_row_new (const char *icon_name,
                       const char *title,
                       GPtrArray *statements,
                       OcPermissionRowStyle style)
{
  OcDetailRow *row = oc_detail_row_new (icon_name, title);
  g_autoptr (GString) titles = g_string_new (NULL);
  g_autoptr (GString) whole = g_string_new (NULL);

  oc_detail_row_set_key (row, title);
  if (style == OC_PERMISSION_ROW_OPEN)
    oc_detail_row_set_open_for_good (row);
  for (guint i = 0; i < statements->len; i++)
    {
      const OcStatement *statement = g_ptr_array_index (statements, i);
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);

      g_string_append_printf (titles, "%s%s", i > 0 ? " · " : "", statement->title);
      g_string_append_printf (whole, "%s%s: %s", i > 0 ? "\n" : "", statement->title, statement->text);
      gtk_box_append (GTK_BOX (box), oc_label_new (statement->title, style == OC_PERMISSION_ROW_OPENS ? "heading" : NULL));
      gtk_box_append (GTK_BOX (box), oc_label_new (statement->text, "dim-label"));
      oc_detail_row_add_detail (row, box);
    }
  if (style == OC_PERMISSION_ROW_OPENS)
    oc_detail_row_set_subtitle (row, titles->str);
  oc_detail_row_set_explanation (row, whole->str);
  return row;
}
