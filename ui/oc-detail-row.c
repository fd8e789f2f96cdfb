/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-detail-row.h"

#include "oc-format.h"

#define TIP_WIDTH_CHARS 60

struct _OcDetailRow
{
  GtkListBoxRow parent_instance;

  char *key;
  char *explanation;
  GtkWidget *tip; /* the tooltip's content */
  gboolean expandable;
  gboolean open_for_good;

  GtkWidget *head;
  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *subtitle;
  GtkBox *marks;
  GtkBox *suffixes;
  GtkImage *arrow;
  GtkRevealer *revealer;
  GtkBox *details;
};

G_DEFINE_FINAL_TYPE (OcDetailRow, oc_detail_row, GTK_TYPE_LIST_BOX_ROW)

static void
oc_detail_row_dispose (GObject *object)
{
  g_clear_object (&OC_DETAIL_ROW (object)->tip);
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_DETAIL_ROW);
  G_OBJECT_CLASS (oc_detail_row_parent_class)->dispose (object);
}

static void
oc_detail_row_finalize (GObject *object)
{
  OcDetailRow *self = OC_DETAIL_ROW (object);

  g_free (self->key);
  g_free (self->explanation);
  G_OBJECT_CLASS (oc_detail_row_parent_class)->finalize (object);
}

/* GTK's own tooltip is as wide as its longest line; an explanation is to be read. One label, since a new one at each motion of
 * the mouse flickers. */
static gboolean
query_tooltip_cb (GtkWidget *head,
                  int x,
                  int y,
                  gboolean by_keyboard,
                  GtkTooltip *tooltip,
                  OcDetailRow *self)
{
  const char *text = gtk_widget_get_tooltip_text (head);

  if (text == NULL)
    return FALSE;
  if (self->tip == NULL)
    {
      self->tip = g_object_ref_sink (gtk_label_new (NULL));
      gtk_label_set_wrap (GTK_LABEL (self->tip), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (self->tip), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_max_width_chars (GTK_LABEL (self->tip), TIP_WIDTH_CHARS);
      gtk_label_set_xalign (GTK_LABEL (self->tip), 0);
    }
  gtk_label_set_text (GTK_LABEL (self->tip), text);
  gtk_tooltip_set_custom (tooltip, self->tip);
  return TRUE;
}

static void
oc_detail_row_class_init (OcDetailRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_detail_row_dispose;
  G_OBJECT_CLASS (klass)->finalize = oc_detail_row_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-detail-row.ui");
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, head);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, icon);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, title);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, subtitle);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, marks);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, suffixes);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, arrow);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, revealer);
  gtk_widget_class_bind_template_child (widget_class, OcDetailRow, details);
}

/* A click on the text that was opened must not close it again. */
static void
details_pressed_cb (GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

/* What is closed is not laid out either: 200 rows of wrapped text would take seconds. */
static void
child_revealed_cb (OcDetailRow *self)
{
  if (!gtk_revealer_get_reveal_child (self->revealer) && !gtk_revealer_get_child_revealed (self->revealer))
    gtk_widget_set_visible (GTK_WIDGET (self->revealer), FALSE);
}

static void
oc_detail_row_init (OcDetailRow *self)
{
  GtkGesture *click;

  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->revealer, "notify::child-revealed", G_CALLBACK (child_revealed_cb), self);
  g_signal_connect (self->head, "query-tooltip", G_CALLBACK (query_tooltip_cb), self);
  click = gtk_gesture_click_new ();
  g_signal_connect (click, "pressed", G_CALLBACK (details_pressed_cb), NULL);
  gtk_widget_add_controller (GTK_WIDGET (self->revealer), GTK_EVENT_CONTROLLER (click));
}

/* The row has the focus, so the row says all of it: title and marks as its name, the rest as its description. */
static void
update_accessible (OcDetailRow *self)
{
  g_autoptr (GString) name = g_string_new (gtk_label_get_text (self->title));
  const char *subtitle = gtk_label_get_text (self->subtitle);
  g_autofree char *description = NULL;

  for (GtkWidget *mark = gtk_widget_get_first_child (GTK_WIDGET (self->marks)); mark != NULL;
       mark = gtk_widget_get_next_sibling (mark))
    g_string_append_printf (name, ", %s", gtk_label_get_text (GTK_LABEL (mark)));
  if (self->explanation != NULL && subtitle[0] != '\0')
    description = g_strdup_printf ("%s\n%s", subtitle, self->explanation);
  else
    description = g_strdup (self->explanation != NULL ? self->explanation : subtitle);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, name->str,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

OcDetailRow *
oc_detail_row_new (const char *icon_name,
                   const char *title)
{
  OcDetailRow *self = g_object_new (OC_TYPE_DETAIL_ROW, NULL);

  gtk_image_set_from_icon_name (self->icon, icon_name);
  gtk_widget_set_visible (GTK_WIDGET (self->icon), icon_name != NULL);
  gtk_label_set_text (self->title, title);
  update_accessible (self);
  return self;
}

void
oc_detail_row_set_key (OcDetailRow *self,
                       const char *key)
{
  g_free (self->key);
  self->key = g_strdup (key);
}

const char *
oc_detail_row_get_key (OcDetailRow *self)
{
  return self->key;
}

const char *
oc_detail_row_get_title (OcDetailRow *self)
{
  return gtk_label_get_text (self->title);
}

void
oc_detail_row_set_subtitle (OcDetailRow *self,
                            const char *subtitle)
{
  gtk_label_set_text (self->subtitle, subtitle != NULL ? subtitle : "");
  gtk_widget_set_visible (GTK_WIDGET (self->subtitle), subtitle != NULL && subtitle[0] != '\0');
  update_accessible (self);
}

void
oc_detail_row_add_mark (OcDetailRow *self,
                        const char *text,
                        const char *css_class)
{
  GtkWidget *mark = gtk_label_new (text);

  gtk_widget_add_css_class (mark, "mark");
  gtk_widget_add_css_class (mark, css_class);
  gtk_box_append (self->marks, mark);
  gtk_widget_set_visible (GTK_WIDGET (self->marks), TRUE);
  update_accessible (self);
}

void
oc_detail_row_add_icon_class (OcDetailRow *self,
                              const char *css_class)
{
  gtk_widget_add_css_class (GTK_WIDGET (self->icon), css_class);
}

void
oc_detail_row_add_suffix (OcDetailRow *self,
                          GtkWidget *widget)
{
  gtk_box_append (self->suffixes, widget);
  gtk_widget_set_visible (GTK_WIDGET (self->suffixes), TRUE);
}

void
oc_detail_row_add_detail (OcDetailRow *self,
                          GtkWidget *widget)
{
  gtk_box_append (self->details, widget);
  if (self->expandable || self->open_for_good)
    return;
  self->expandable = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (self->arrow), TRUE);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), TRUE);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_EXPANDED, FALSE, -1);
}

void
oc_detail_row_set_explanation (OcDetailRow *self,
                               const char *text)
{
  g_free (self->explanation);
  self->explanation = g_strdup (text);
  gtk_widget_set_tooltip_text (self->head, self->open_for_good ? NULL : text);
  update_accessible (self);
}

void
oc_detail_row_set_open_for_good (OcDetailRow *self)
{
  self->open_for_good = TRUE;
  self->expandable = FALSE;
  gtk_widget_add_css_class (GTK_WIDGET (self), "open");
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "heading");
  gtk_widget_set_valign (GTK_WIDGET (self->icon), GTK_ALIGN_START);
  gtk_widget_set_visible (GTK_WIDGET (self->arrow), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->revealer), TRUE);
  gtk_revealer_set_transition_type (self->revealer, GTK_REVEALER_TRANSITION_TYPE_NONE);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  gtk_widget_set_tooltip_text (self->head, NULL);
}

gboolean
oc_detail_row_get_expanded (OcDetailRow *self)
{
  return gtk_revealer_get_reveal_child (self->revealer);
}

void
oc_detail_row_set_expanded (OcDetailRow *self,
                            gboolean expanded)
{
  if (!self->expandable)
    return;
  if (expanded)
    gtk_widget_set_visible (GTK_WIDGET (self->revealer), TRUE);
  gtk_revealer_set_reveal_child (self->revealer, expanded);
  if (expanded)
    gtk_widget_add_css_class (GTK_WIDGET (self), "expanded");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "expanded");
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_EXPANDED, expanded, -1);
}

static void
row_activated_cb (GtkListBox *list,
                  GtkListBoxRow *row)
{
  if (OC_IS_DETAIL_ROW (row))
    oc_detail_row_set_expanded (OC_DETAIL_ROW (row), !oc_detail_row_get_expanded (OC_DETAIL_ROW (row)));
}

GtkWidget *
oc_detail_list_new (void)
{
  GtkWidget *list = gtk_list_box_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  g_signal_connect (list, "row-activated", G_CALLBACK (row_activated_cb), NULL);
  return list;
}

void
oc_detail_list_save (GtkListBox *list,
                     GHashTable *open,
                     char **focused)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (list)); row != NULL; row = gtk_widget_get_next_sibling (row))
    {
      if (!OC_IS_DETAIL_ROW (row) || OC_DETAIL_ROW (row)->key == NULL)
        continue;
      if (oc_detail_row_get_expanded (OC_DETAIL_ROW (row)))
        g_hash_table_add (open, g_strdup (OC_DETAIL_ROW (row)->key));
      if (gtk_widget_has_focus (row) && *focused == NULL)
        *focused = g_strdup (OC_DETAIL_ROW (row)->key);
    }
}

void
oc_detail_list_restore (GtkListBox *list,
                        GHashTable *open,
                        const char *focused)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (list)); row != NULL; row = gtk_widget_get_next_sibling (row))
    {
      const char *key = OC_IS_DETAIL_ROW (row) ? OC_DETAIL_ROW (row)->key : NULL;

      if (key == NULL)
        continue;
      if (g_hash_table_contains (open, key))
        oc_detail_row_set_expanded (OC_DETAIL_ROW (row), TRUE);
      if (g_strcmp0 (key, focused) == 0)
        gtk_widget_grab_focus (row);
    }
}
