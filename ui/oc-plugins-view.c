/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-plugins-view.h"

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "oc-format.h"
#include "oc-health-box.h"
#include "oc-list-row.h"
#include "oc-plugin-page.h"
#include "oc-section-list.h"

struct _OcPluginsView
{
  AdwBin parent_instance;

  OcSession *session;
  OcSectionList *sections;
  GtkSingleSelection *selection;
  char *folder;       /* of the plugin chosen; NULL: none */
  gboolean restoring; /* the selection changes, the choice does not */
  gboolean chosen;    /* by the user, or for them once at the start */

  GtkStack *stack;
  AdwLeaflet *leaflet;
  GtkWidget *sidebar;
  GtkWidget *content;
  GtkSearchEntry *search;
  OcHealthBox *health;
  GtkStack *list_stack;
  GtkListView *list;
  AdwWindowTitle *content_title;
  GtkStack *content_stack;
  OcPluginPage *page;
  AdwStatusPage *status_page;
  OcHealthBox *status_health;
  GtkSpinner *spinner;
  GtkWidget *status_open;
  GtkWidget *status_again;
};

G_DEFINE_FINAL_TYPE (OcPluginsView, oc_plugins_view, ADW_TYPE_BIN)

enum
{
  SIGNAL_REVIEW,
  SIGNAL_TOAST,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

static OcStatus *
find_by_folder (OcPluginsView *self,
                const char *folder)
{
  GListModel *all = G_LIST_MODEL (oc_session_get_registry (self->session));
  guint n = g_list_model_get_n_items (all);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (OcStatus) status = g_list_model_get_item (all, i);

      if (g_str_equal (oc_plugin_get_folder (oc_status_get_plugin (status)), folder))
        return status; /* the registry keeps it */
    }
  return NULL;
}

static void
update_title (OcPluginsView *self)
{
  OcStatus *status = oc_plugin_page_get_status (self->page);
  g_autofree char *name = NULL;

  if (status != NULL)
    name = oc_text_escape (oc_manifest_get_name (oc_plugin_get_manifest (oc_status_get_plugin (status))), 60, NULL);
  /* Side by side, the page says its name itself. */
  adw_window_title_set_title (self->content_title, name != NULL && adw_leaflet_get_folded (self->leaflet) ? name : "");
}

static void
show_status (OcPluginsView *self,
             OcStatus *status)
{
  char *folder = status != NULL ? g_strdup (oc_plugin_get_folder (oc_status_get_plugin (status))) : NULL;

  g_free (self->folder);
  self->folder = folder;
  oc_plugin_page_set_status (self->page, status);
  gtk_stack_set_visible_child_name (self->content_stack, status != NULL ? "page" : "choose");
  update_title (self);
}

static void
selected_cb (OcPluginsView *self)
{
  gpointer item = gtk_single_selection_get_selected_item (self->selection);

  if (self->restoring || !OC_IS_STATUS (item))
    return;
  self->chosen = TRUE;
  show_status (self, item);
}

static void
select_position (OcPluginsView *self,
                 guint position)
{
  self->restoring = TRUE;
  gtk_single_selection_set_selected (self->selection, position);
  self->restoring = FALSE;
}

/* The first plugin, so that the page is not empty beside a full list. */
static void
choose_first (OcPluginsView *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sections));

  if (self->chosen || adw_leaflet_get_folded (self->leaflet) || oc_registry_is_loading (oc_session_get_registry (self->session)))
    return;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->sections), i);

      if (!OC_IS_STATUS (item))
        continue;
      select_position (self, i);
      show_status (self, OC_STATUS (item));
      self->chosen = TRUE;
      return;
    }
}

static void
update_list_stack (OcPluginsView *self)
{
  gboolean any = oc_section_list_get_n_plugins (self->sections) > 0;

  gtk_stack_set_visible_child_name (self->list_stack, any ? "list" : "nothing");
}

/* After the list has changed for whatever reason: the same plugin stays chosen, also where it moved or is filtered out. */
static void
sections_changed_cb (OcPluginsView *self)
{
  OcStatus *status;

  update_list_stack (self);
  if (self->folder == NULL)
    {
      choose_first (self);
      return;
    }
  status = find_by_folder (self, self->folder);
  select_position (self, status != NULL ? oc_section_list_find (self->sections, self->folder) : GTK_INVALID_LIST_POSITION);
  if (status != oc_plugin_page_get_status (self->page))
    show_status (self, status);
  if (status == NULL)
    adw_leaflet_set_visible_child (self->leaflet, self->sidebar);
}

static void
set_status_page (OcPluginsView *self,
                 const char *icon_name,
                 const char *title,
                 const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  adw_status_page_set_icon_name (self->status_page, icon_name);
  adw_status_page_set_title (self->status_page, title);
  adw_status_page_set_description (self->status_page, markup);
}

static void
update_stack (OcPluginsView *self)
{
  OcRegistry *registry = oc_session_get_registry (self->session);
  gboolean loading = oc_registry_is_loading (registry);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  guint scanned;

  if (g_list_model_get_n_items (G_LIST_MODEL (registry)) > 0)
    {
      gtk_stack_set_visible_child_name (self->stack, "plugins");
      gtk_spinner_stop (self->spinner);
      choose_first (self);
      return;
    }
  g_object_get (registry, "error", &error, "scanned", &scanned, NULL);
  if (loading)
    {
      text = g_strdup_printf (ngettext ("%u found so far", "%u found so far", scanned), scanned);
      set_status_page (self, NULL, _("Looking for Plugins"), text);
    }
  else if (error != NULL)
    {
      text = oc_escape_message (error->message);
      set_status_page (self, "dialog-error-symbolic", _("The Plugins Folder Cannot Be Read"), text);
    }
  else
    {
      g_autofree char *folder = oc_escape (oc_paths_get_plugins (oc_session_get_paths (self->session)));

      /* Translators: %s is the path of a folder */
      text = g_strdup_printf (_("Put a plugin’s folder into %s. It appears here at once, and stays off until you have seen "
                                "what it would be able to do, and enable it."), folder);
      set_status_page (self, "application-x-addon-symbolic", _("No Plugins Yet"), text);
    }
  gtk_spinner_set_spinning (self->spinner, loading);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), loading);
  gtk_widget_set_visible (self->status_open, !loading && error == NULL);
  gtk_widget_set_visible (self->status_again, !loading && error != NULL);
  gtk_stack_set_visible_child_name (self->stack, "status");
}

static void
search_changed_cb (OcPluginsView *self)
{
  oc_section_list_set_search (self->sections, gtk_editable_get_text (GTK_EDITABLE (self->search)));
  update_list_stack (self);
}

static void
search_stopped_cb (OcPluginsView *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  gtk_widget_grab_focus (GTK_WIDGET (self->list));
}

/* Enter in the search: the first that was found. */
static void
search_activated_cb (OcPluginsView *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sections));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->sections), i);

      if (!OC_IS_STATUS (item))
        continue;
      gtk_single_selection_set_selected (self->selection, i);
      adw_leaflet_set_visible_child (self->leaflet, self->content);
      return;
    }
}

static void
list_activated_cb (OcPluginsView *self,
                   guint position)
{
  g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->sections), position);

  if (!OC_IS_STATUS (item))
    return;
  gtk_single_selection_set_selected (self->selection, position);
  adw_leaflet_set_visible_child (self->leaflet, self->content);
}

static void
back_clicked_cb (OcPluginsView *self)
{
  adw_leaflet_navigate (self->leaflet, ADW_NAVIGATION_DIRECTION_BACK);
}

static void
folded_changed_cb (OcPluginsView *self)
{
  gboolean folded = adw_leaflet_get_folded (self->leaflet);

  if (self->session == NULL)
    return;
  /* Where only one side is seen, a click leads on. */
  gtk_list_view_set_single_click_activate (self->list, folded);
  update_title (self);
  choose_first (self);
}

static void
page_review_cb (OcPluginsView *self)
{
  g_signal_emit (self, signals[SIGNAL_REVIEW], 0, oc_plugin_page_get_status (self->page));
}

static void
page_toast_cb (OcPluginsView *self,
               AdwToast *toast)
{
  g_signal_emit (self, signals[SIGNAL_TOAST], 0, toast);
}

static void
setup_cb (GtkSignalListItemFactory *factory,
          GtkListItem *item)
{
  gtk_list_item_set_child (item, GTK_WIDGET (oc_list_row_new ()));
}

static void
bind_cb (OcPluginsView *self,
         GtkListItem *item)
{
  gpointer object = gtk_list_item_get_item (item);

  gtk_list_item_set_selectable (item, OC_IS_STATUS (object));
  gtk_list_item_set_activatable (item, OC_IS_STATUS (object));
  oc_list_row_set_item (OC_LIST_ROW (gtk_list_item_get_child (item)), object,
                        oc_registry_get_tools (oc_session_get_registry (self->session)));
}

static void
unbind_cb (OcPluginsView *self,
           GtkListItem *item)
{
  oc_list_row_set_item (OC_LIST_ROW (gtk_list_item_get_child (item)), NULL, NULL);
}

static void
focus_item (OcPluginsView *self,
            gpointer item)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *child = gtk_widget_get_first_child (row);

      if (OC_IS_LIST_ROW (child) && oc_list_row_get_item (OC_LIST_ROW (child)) == item)
        {
          gtk_widget_grab_focus (row);
          return;
        }
    }
}

/* Up and Down pass over the heads of the parts, which cannot be chosen. */
static gboolean
list_key_cb (OcPluginsView *self,
             guint keyval,
             guint keycode,
             GdkModifierType state)
{
  GListModel *model = G_LIST_MODEL (self->sections);
  guint position = gtk_single_selection_get_selected (self->selection);
  int step = keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down ? 1 : keyval == GDK_KEY_Up || keyval == GDK_KEY_KP_Up ? -1 : 0;
  guint n = g_list_model_get_n_items (model);
  g_autoptr (GObject) next = NULL;
  g_autoptr (GObject) after = NULL;

  if (step == 0 || position == GTK_INVALID_LIST_POSITION
      || (state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  next = position + step < n ? g_list_model_get_item (model, position + step) : NULL;
  if (next == NULL || !OC_IS_SECTION (next))
    return FALSE;
  after = position + 2 * step < n ? g_list_model_get_item (model, position + 2 * step) : NULL;
  if (after == NULL)
    {
      /* Above the first one is only its head: show that, and stay. */
      gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position + step);
      return TRUE;
    }
  gtk_single_selection_set_selected (self->selection, position + 2 * step);
  gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position + 2 * step);
  focus_item (self, after);
  return TRUE;
}

static void
oc_plugins_view_dispose (GObject *object)
{
  OcPluginsView *self = OC_PLUGINS_VIEW (object);

  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (oc_session_get_registry (self->session), self);
  if (self->sections != NULL)
    g_signal_handlers_disconnect_by_data (self->sections, self);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  /* libadwaita 1.2's AdwBin would let go of it a second time. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), OC_TYPE_PLUGINS_VIEW);
  g_clear_object (&self->selection);
  g_clear_object (&self->sections);
  g_clear_object (&self->session);
  g_clear_pointer (&self->folder, g_free);
  G_OBJECT_CLASS (oc_plugins_view_parent_class)->dispose (object);
}

static void
bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, "/org/ocelot/Plugins/oc-plugins-view.ui");
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, stack);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, leaflet);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, sidebar);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, content);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, search);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, health);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, list_stack);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, list);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, content_title);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, content_stack);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, page);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, status_page);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, status_health);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, spinner);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, status_open);
  gtk_widget_class_bind_template_child (widget_class, OcPluginsView, status_again);
  gtk_widget_class_bind_template_callback (widget_class, folded_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_stopped_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, list_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, back_clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, page_review_cb);
  gtk_widget_class_bind_template_callback (widget_class, page_toast_cb);
}

static void
oc_plugins_view_class_init (OcPluginsViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = oc_plugins_view_dispose;
  signals[SIGNAL_REVIEW] = g_signal_new ("review", OC_TYPE_PLUGINS_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, OC_TYPE_STATUS);
  signals[SIGNAL_TOAST] = g_signal_new ("toast", OC_TYPE_PLUGINS_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, ADW_TYPE_TOAST);
  g_type_ensure (OC_TYPE_HEALTH_BOX);
  g_type_ensure (OC_TYPE_PLUGIN_PAGE);
  bind_template (GTK_WIDGET_CLASS (klass));
}

static void
oc_plugins_view_init (OcPluginsView *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (list_key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->list), keys);
  gtk_search_entry_set_key_capture_widget (self->search, GTK_WIDGET (self->sidebar));
}

void
oc_plugins_view_set_session (OcPluginsView *self,
                             OcSession *session)
{
  OcRegistry *registry = oc_session_get_registry (session);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  oc_plugin_page_set_session (self->page, session);
  oc_health_box_set_session (self->health, session);
  oc_health_box_set_session (self->status_health, session);
  self->sections = oc_section_list_new (G_LIST_MODEL (registry));
  self->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->sections));
  g_signal_connect_swapped (self->selection, "notify::selected-item", G_CALLBACK (selected_cb), self);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cb), self, G_CONNECT_SWAPPED);
  gtk_list_view_set_factory (self->list, factory);
  g_object_unref (factory);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  /* After the selection, which is connected already. */
  g_signal_connect_swapped (self->sections, "items-changed", G_CALLBACK (sections_changed_cb), self);
  g_signal_connect_swapped (registry, "items-changed", G_CALLBACK (update_stack), self);
  g_signal_connect_swapped (registry, "notify::loading", G_CALLBACK (update_stack), self);
  g_signal_connect_swapped (registry, "notify::scanned", G_CALLBACK (update_stack), self);
  g_signal_connect_swapped (registry, "notify::error", G_CALLBACK (update_stack), self);
  folded_changed_cb (self);
  update_list_stack (self);
  update_stack (self);
}

void
oc_plugins_view_show (OcPluginsView *self,
                      OcStatus *status)
{
  guint position = oc_section_list_find (self->sections, oc_plugin_get_folder (oc_status_get_plugin (status)));

  self->chosen = TRUE;
  select_position (self, position);
  show_status (self, status);
  if (position != GTK_INVALID_LIST_POSITION)
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position);
  adw_leaflet_set_visible_child (self->leaflet, self->content);
}

void
oc_plugins_view_search (OcPluginsView *self)
{
  adw_leaflet_set_visible_child (self->leaflet, self->sidebar);
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

OcStatus *
oc_plugins_view_get_status (OcPluginsView *self)
{
  return oc_plugin_page_get_status (self->page);
}
