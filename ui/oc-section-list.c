/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-section-list.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"

struct _OcSection
{
  GObject parent_instance;

  OcSectionKind kind;
};

G_DEFINE_FINAL_TYPE (OcSection, oc_section, G_TYPE_OBJECT)

static void
oc_section_class_init (OcSectionClass *klass)
{
}

static void
oc_section_init (OcSection *self)
{
}

OcSectionKind
oc_section_get_kind (OcSection *self)
{
  return self->kind;
}

const char *
oc_section_get_title (OcSection *self)
{
  switch (self->kind)
    {
    case OC_SECTION_ATTENTION:
      return _("Needs your attention");
    case OC_SECTION_ENABLED:
      return _("Enabled");
    case OC_SECTION_OFF:
      return _("Off");
    case OC_N_SECTIONS:
      break;
    }
  g_assert_not_reached ();
}

OcSectionKind
oc_section_for_state (OcState state)
{
  switch (state)
    {
    case OC_STATE_ENABLED:
      return OC_SECTION_ENABLED;
    case OC_STATE_DISABLED:
    case OC_STATE_SHADOWED:
      return OC_SECTION_OFF;
    case OC_STATE_NEEDS_REVIEW:
    case OC_STATE_DISABLED_AFTER_ERRORS:
    case OC_STATE_INVALID:
    case OC_STATE_BLOCKED:
      break;
    }
  return OC_SECTION_ATTENTION;
}

struct _OcSectionList
{
  GObject parent_instance;

  GListModel *source;
  GPtrArray *items; /* OcSection and OcStatus */
  OcSection *sections[OC_N_SECTIONS];
  char *search; /* folded, never NULL */
  guint n_plugins;
};

static GType
oc_section_list_get_item_type (GListModel *model)
{
  return G_TYPE_OBJECT;
}

static guint
oc_section_list_get_n_items (GListModel *model)
{
  return OC_SECTION_LIST (model)->items->len;
}

static gpointer
oc_section_list_get_item (GListModel *model,
                          guint position)
{
  OcSectionList *self = OC_SECTION_LIST (model);

  return position < self->items->len ? g_object_ref (g_ptr_array_index (self->items, position)) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = oc_section_list_get_item_type;
  iface->get_n_items = oc_section_list_get_n_items;
  iface->get_item = oc_section_list_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (OcSectionList, oc_section_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
oc_section_list_dispose (GObject *object)
{
  OcSectionList *self = OC_SECTION_LIST (object);

  if (self->source != NULL)
    g_signal_handlers_disconnect_by_data (self->source, self);
  g_clear_object (&self->source);
  G_OBJECT_CLASS (oc_section_list_parent_class)->dispose (object);
}

static void
oc_section_list_finalize (GObject *object)
{
  OcSectionList *self = OC_SECTION_LIST (object);

  g_clear_pointer (&self->items, g_ptr_array_unref);
  for (guint i = 0; i < OC_N_SECTIONS; i++)
    g_clear_object (&self->sections[i]);
  g_free (self->search);
  G_OBJECT_CLASS (oc_section_list_parent_class)->finalize (object);
}

static void
oc_section_list_class_init (OcSectionListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = oc_section_list_dispose;
  object_class->finalize = oc_section_list_finalize;
}

static void
oc_section_list_init (OcSectionList *self)
{
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->search = g_strdup ("");
  for (guint i = 0; i < OC_N_SECTIONS; i++)
    {
      self->sections[i] = g_object_new (OC_TYPE_SECTION, NULL);
      self->sections[i]->kind = i;
    }
}

static GPtrArray *
collect (OcSectionList *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *parts[OC_N_SECTIONS]; /* each handed on, or freed, below */
  guint n = g_list_model_get_n_items (self->source);

  for (guint i = 0; i < OC_N_SECTIONS; i++)
    parts[i] = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (OcStatus) status = g_list_model_get_item (self->source, i);
      OcState state = oc_verdict_get_state (oc_status_get_verdict (status));

      if (self->search[0] == '\0' || strstr (oc_status_get_search_text (status), self->search) != NULL)
        g_ptr_array_add (parts[oc_section_for_state (state)], g_steal_pointer (&status));
    }
  self->n_plugins = 0;
  for (guint i = 0; i < OC_N_SECTIONS; i++)
    {
      self->n_plugins += parts[i]->len;
      if (parts[i]->len > 0)
        g_ptr_array_add (items, g_object_ref (self->sections[i]));
      g_ptr_array_extend_and_steal (items, g_steal_pointer (&parts[i]));
    }
  return g_steal_pointer (&items);
}

static void
refill (OcSectionList *self)
{
  g_autoptr (GPtrArray) old = g_steal_pointer (&self->items);
  guint head = 0;
  guint tail = 0;
  guint shorter;

  self->items = collect (self);
  shorter = MIN (old->len, self->items->len);
  while (head < shorter && old->pdata[head] == self->items->pdata[head])
    head++;
  while (tail < shorter - head
         && old->pdata[old->len - 1 - tail] == self->items->pdata[self->items->len - 1 - tail])
    tail++;
  if (head + tail < old->len || head + tail < self->items->len)
    g_list_model_items_changed (G_LIST_MODEL (self), head, old->len - head - tail, self->items->len - head - tail);
}

OcSectionList *
oc_section_list_new (GListModel *source)
{
  OcSectionList *self = g_object_new (OC_TYPE_SECTION_LIST, NULL);

  self->source = g_object_ref (source);
  g_signal_connect_swapped (source, "items-changed", G_CALLBACK (refill), self);
  refill (self);
  return self;
}

void
oc_section_list_set_search (OcSectionList *self,
                            const char *search)
{
  g_autofree char *folded = oc_text_fold (search != NULL ? search : "");

  g_strstrip (folded);
  if (g_str_equal (folded, self->search))
    return;
  g_free (self->search);
  self->search = g_steal_pointer (&folded);
  refill (self);
}

guint
oc_section_list_find (OcSectionList *self,
                      const char *folder)
{
  for (guint i = 0; i < self->items->len; i++)
    {
      OcStatus *status = g_ptr_array_index (self->items, i);

      if (OC_IS_STATUS (status) && g_str_equal (oc_plugin_get_folder (oc_status_get_plugin (status)), folder))
        return i;
    }
  return G_MAXUINT;
}

guint
oc_section_list_get_n_plugins (OcSectionList *self)
{
  return self->n_plugins;
}
