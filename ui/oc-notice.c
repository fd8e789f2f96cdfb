/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-notice.h"

#include "oc-format.h"

struct _OcNotice
{
  GtkBox parent_instance;

  GtkImage *icon;
  GtkLabel *title;
  GtkBox *texts;
  GtkBox *buttons;
};

G_DEFINE_FINAL_TYPE (OcNotice, oc_notice, GTK_TYPE_BOX)

static void
oc_notice_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_NOTICE);
  G_OBJECT_CLASS (oc_notice_parent_class)->dispose (object);
}

static void
oc_notice_class_init (OcNoticeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = oc_notice_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-notice.ui");
  gtk_widget_class_bind_template_child (widget_class, OcNotice, icon);
  gtk_widget_class_bind_template_child (widget_class, OcNotice, title);
  gtk_widget_class_bind_template_child (widget_class, OcNotice, texts);
  gtk_widget_class_bind_template_child (widget_class, OcNotice, buttons);
}

static void
oc_notice_init (OcNotice *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static const struct
{
  const char *icon_name;
  const char *css_class;
} kinds[] = {
  [OC_NOTICE_ERROR] = { "dialog-error-symbolic", "notice-error" },
  [OC_NOTICE_WARNING] = { "dialog-warning-symbolic", "notice-warning" },
  [OC_NOTICE_INFO] = { "dialog-information-symbolic", "notice-info" },
};

OcNotice *
oc_notice_new (OcNoticeKind kind,
               const char *title,
               const char *text)
{
  OcNotice *self = g_object_new (OC_TYPE_NOTICE, NULL);

  gtk_image_set_from_icon_name (self->icon, kinds[kind].icon_name);
  gtk_widget_add_css_class (GTK_WIDGET (self), kinds[kind].css_class);
  gtk_label_set_text (self->title, title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text != NULL ? text : "", -1);
  if (text != NULL)
    oc_notice_add_text (self, text);
  return self;
}

void
oc_notice_add_text (OcNotice *self,
                    const char *text)
{
  gtk_box_append (self->texts, oc_label_new (text, NULL));
}

void
oc_notice_add_button (OcNotice *self,
                      const char *label,
                      const char *action_name,
                      GVariant *target)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *text = oc_label_new (label, NULL); /* wraps, where the window is narrow */

  gtk_label_set_justify (GTK_LABEL (text), GTK_JUSTIFY_CENTER);
  gtk_button_set_child (GTK_BUTTON (button), text);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), target);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action_name);
  gtk_box_append (self->buttons, button);
  gtk_widget_set_visible (GTK_WIDGET (self->buttons), TRUE);
}
