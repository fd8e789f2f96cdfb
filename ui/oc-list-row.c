/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-list-row.h"

#include <glib/gi18n-lib.h>

#include "core/oc-catalogue.h"
#include "core/oc-text.h"

/* Longer names are whole on the plugin's page; a list of 10,000 must not lay out 10 KB each. */
#define NAME_MAX_CHARS 120

struct _OcListRow
{
  GtkBox parent_instance;

  GObject *item; /* OcSection or OcStatus */

  GtkLabel *heading;
  GtkWidget *plugin;
  GtkImage *icon;
  GtkLabel *name;
  GtkLabel *state;
  GtkLabel *mark;
};

G_DEFINE_FINAL_TYPE (OcListRow, oc_list_row, GTK_TYPE_BOX)

static const char *const mark_classes[] = { "broad", "review", "off", "invalid" };

static void
oc_list_row_dispose (GObject *object)
{
  g_clear_object (&OC_LIST_ROW (object)->item);
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_LIST_ROW);
  G_OBJECT_CLASS (oc_list_row_parent_class)->dispose (object);
}

static void
oc_list_row_class_init (OcListRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_list_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-list-row.ui");
  gtk_widget_class_bind_template_child (widget_class, OcListRow, heading);
  gtk_widget_class_bind_template_child (widget_class, OcListRow, plugin);
  gtk_widget_class_bind_template_child (widget_class, OcListRow, icon);
  gtk_widget_class_bind_template_child (widget_class, OcListRow, name);
  gtk_widget_class_bind_template_child (widget_class, OcListRow, state);
  gtk_widget_class_bind_template_child (widget_class, OcListRow, mark);
}

static void
oc_list_row_init (OcListRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

OcListRow *
oc_list_row_new (void)
{
  return g_object_new (OC_TYPE_LIST_ROW, NULL);
}

const char *
oc_state_mark (OcState state,
               const char **css_class)
{
  switch (state)
    {
    case OC_STATE_NEEDS_REVIEW:
      *css_class = "review";
      /* Translators: a marked word in the list: this plugin must be reviewed */
      return _("Review");
    case OC_STATE_DISABLED_AFTER_ERRORS:
      *css_class = "off";
      /* Translators: a marked word in the list: this plugin was turned off */
      return _("Off");
    case OC_STATE_INVALID:
      *css_class = "invalid";
      return _("Invalid");
    case OC_STATE_BLOCKED:
      *css_class = "invalid";
      return _("Blocked");
    case OC_STATE_DISABLED:
    case OC_STATE_ENABLED:
    case OC_STATE_SHADOWED:
      break;
    }
  *css_class = NULL;
  return NULL;
}

const char *
oc_plugin_icon_name (OcPlugin *plugin)
{
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  OcPermissionSet *set = oc_manifest_get_permissions (manifest);
  const OcCatalogueEntry *worst = NULL;

  if (oc_plugin_get_problems (plugin)->len > 0)
    return "dialog-question-symbolic";
  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    {
      const OcCatalogueEntry *entry = oc_catalogue_get (oc_permission_get_kind (oc_permission_set_get (set, i)));

      if (entry != NULL && (worst == NULL || entry->severity < worst->severity))
        worst = entry;
    }
  return worst != NULL ? worst->icon_name : "application-x-addon-symbolic";
}

/* "Can run any program": what its worst permission really means, where that is broad. (transfer full) (nullable) */
static char *
describe_broad (OcStatus *status,
                OcTools *tools)
{
  OcPermissionSet *set = oc_manifest_get_permissions (oc_plugin_get_manifest (oc_status_get_plugin (status)));

  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    {
      g_autoptr (OcExplanation) explanation = oc_catalogue_explain (oc_permission_set_get (set, i), tools);

      if (oc_explanation_get_short_broad (explanation) != NULL)
        return g_strdup (oc_explanation_get_short_broad (explanation));
    }
  return NULL;
}

static void
set_mark (OcListRow *self,
          const char *text,
          const char *css_class)
{
  for (guint i = 0; i < G_N_ELEMENTS (mark_classes); i++)
    gtk_widget_remove_css_class (GTK_WIDGET (self->mark), mark_classes[i]);
  gtk_widget_set_visible (GTK_WIDGET (self->mark), text != NULL);
  gtk_label_set_text (self->mark, text != NULL ? text : "");
  if (css_class != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self->mark), css_class);
}

static void
set_status (OcListRow *self,
            OcStatus *status,
            OcTools *tools)
{
  OcPlugin *plugin = oc_status_get_plugin (status);
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcState state = oc_verdict_get_state (verdict);
  gboolean escaped = FALSE;
  const char *css_class;
  const char *mark = oc_state_mark (state, &css_class);
  g_autofree char *broad = NULL;
  g_autofree char *line = NULL;
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (oc_plugin_get_manifest (plugin)), NAME_MAX_CHARS, &escaped);

  if (oc_status_is_broad (status) && (state == OC_STATE_ENABLED || state == OC_STATE_DISABLED))
    broad = describe_broad (status, tools);
  line = g_strdup (broad != NULL ? broad : oc_verdict_get_summary (verdict));
  if (escaped)
    {
      /* Translators: %s is a line of state; the name above contains characters that are hidden or reorder text */
      g_autofree char *warned = g_strdup_printf (_("Hidden characters in its name · %s"), line);

      g_free (line);
      line = g_steal_pointer (&warned);
    }
  if (mark == NULL && oc_status_is_broad (status))
    {
      mark = oc_severity_to_label (OC_SEVERITY_BROAD);
      css_class = "broad";
    }
  gtk_label_set_text (self->name, name);
  gtk_label_set_text (self->state, line);
  gtk_image_set_from_icon_name (self->icon, oc_plugin_icon_name (plugin));
  set_mark (self, mark, css_class);
}

/* The list item itself is what has the focus: it says what the row says. */
static void
update_accessible (OcListRow *self,
                   const char *name,
                   const char *description)
{
  GtkWidget *item = gtk_widget_get_parent (GTK_WIDGET (self));

  if (item == NULL)
    return;
  gtk_accessible_update_property (GTK_ACCESSIBLE (item), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void
oc_list_row_set_item (OcListRow *self,
                      gpointer item,
                      OcTools *tools)
{
  gboolean heading = OC_IS_SECTION (item);
  GtkWidget *parent = gtk_widget_get_parent (GTK_WIDGET (self));

  g_set_object (&self->item, item);
  if (parent != NULL && heading)
    gtk_widget_add_css_class (parent, "heading-row");
  else if (parent != NULL)
    gtk_widget_remove_css_class (parent, "heading-row");
  gtk_widget_set_visible (GTK_WIDGET (self->heading), heading);
  gtk_widget_set_visible (self->plugin, OC_IS_STATUS (item));
  if (heading)
    {
      gtk_label_set_text (self->heading, oc_section_get_title (item));
      update_accessible (self, oc_section_get_title (item), "");
    }
  else if (OC_IS_STATUS (item))
    {
      g_autofree char *description = NULL;
      const char *mark;

      set_status (self, item, tools);
      mark = gtk_label_get_text (self->mark);
      description = g_strdup_printf (mark[0] != '\0' ? "%s. %s" : "%s%s", mark, gtk_label_get_text (self->state));
      update_accessible (self, gtk_label_get_text (self->name), description);
    }
}

gpointer
oc_list_row_get_item (OcListRow *self)
{
  return self->item;
}
