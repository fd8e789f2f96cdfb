/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-status-private.h"

#include <string.h>

#include "core/oc-catalogue.h"
#include "core/oc-text.h"

struct _OcStatus
{
  GObject parent_instance;

  /* owned */
  OcPlugin *plugin;
  OcVerdict *verdict;
  char *search_text;
  char *sort_key;
  gboolean broad;
};

G_DEFINE_FINAL_TYPE (OcStatus, oc_status, G_TYPE_OBJECT)

static void
oc_status_finalize (GObject *object)
{
  OcStatus *self = OC_STATUS (object);

  g_clear_pointer (&self->plugin, oc_plugin_unref);
  g_clear_pointer (&self->verdict, oc_verdict_unref);
  g_free (self->search_text);
  g_free (self->sort_key);
  G_OBJECT_CLASS (oc_status_parent_class)->finalize (object);
}

static void
oc_status_class_init (OcStatusClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = oc_status_finalize;
}

static void
oc_status_init (OcStatus *self)
{
}

static gboolean
set_is_broad (OcPermissionSet *set,
              OcTools *tools)
{
  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    {
      OcPermission *permission = oc_permission_set_get (set, i);
      const OcCatalogueEntry *row = oc_catalogue_get (oc_permission_get_kind (permission));

      if (row == NULL || row->severity == OC_SEVERITY_BROAD)
        return TRUE;
      /* Only a tool's name can make a narrower row broad. */
      if (oc_permission_get_kind (permission) == OC_PERMISSION_PROCESS_SPAWN)
        {
          g_autoptr (OcExplanation) explanation = oc_catalogue_explain (permission, tools);

          if (oc_explanation_get_severity (explanation) == OC_SEVERITY_BROAD)
            return TRUE;
        }
    }
  return FALSE;
}

static char *
make_search_text (OcPlugin *plugin)
{
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  GPtrArray *declarations = oc_manifest_get_declarations (manifest);
  g_autoptr (GString) text = g_string_new (oc_manifest_get_name (manifest));

  g_string_append_printf (text, "\n%s", oc_plugin_get_id (plugin));
  if (oc_manifest_get_author (manifest) != NULL)
    g_string_append_printf (text, "\n%s", oc_manifest_get_author (manifest));
  /* As declared, so that an invalid plugin is found by what it wanted. */
  for (guint i = 0; i < declarations->len; i++)
    {
      const OcDeclaration *declaration = declarations->pdata[i];

      g_string_append_printf (text, "\n%s", declaration->text);
    }
  return oc_text_fold (text->str);
}

OcStatus *
oc_status_new (OcPlugin *plugin,
               OcVerdict *verdict,
               OcTools *tools)
{
  OcStatus *self = g_object_new (OC_TYPE_STATUS, NULL);
  g_autofree char *name = oc_text_fold (oc_manifest_get_name (oc_plugin_get_manifest (plugin)));

  self->plugin = oc_plugin_ref (plugin);
  self->verdict = oc_verdict_ref (verdict);
  self->search_text = make_search_text (plugin);
  self->broad = set_is_broad (oc_manifest_get_permissions (oc_plugin_get_manifest (plugin)), tools);
  /* U+0001 sorts before whatever a folded name may hold. */
  self->sort_key = g_strconcat (name, "\001", oc_plugin_get_id (plugin), "\001", oc_plugin_get_folder (plugin), NULL);
  return self;
}

OcStatus *
oc_status_with_verdict (OcStatus *self,
                        OcVerdict *verdict)
{
  OcStatus *copy = g_object_new (OC_TYPE_STATUS, NULL);

  copy->plugin = oc_plugin_ref (self->plugin);
  copy->verdict = oc_verdict_ref (verdict);
  copy->search_text = g_strdup (self->search_text);
  copy->sort_key = g_strdup (self->sort_key);
  copy->broad = self->broad;
  return copy;
}

const char *
oc_status_get_sort_key (OcStatus *self)
{
  return self->sort_key;
}

int
oc_status_compare (OcStatus *a,
                   OcStatus *b)
{
  return strcmp (a->sort_key, b->sort_key);
}

OcPlugin *
oc_status_get_plugin (OcStatus *self)
{
  g_return_val_if_fail (OC_IS_STATUS (self), NULL);
  return self->plugin;
}

OcVerdict *
oc_status_get_verdict (OcStatus *self)
{
  g_return_val_if_fail (OC_IS_STATUS (self), NULL);
  return self->verdict;
}

const char *
oc_status_get_id (OcStatus *self)
{
  g_return_val_if_fail (OC_IS_STATUS (self), NULL);
  return oc_plugin_get_id (self->plugin);
}

gboolean
oc_status_is_broad (OcStatus *self)
{
  g_return_val_if_fail (OC_IS_STATUS (self), TRUE);
  return self->broad;
}

const char *
oc_status_get_search_text (OcStatus *self)
{
  g_return_val_if_fail (OC_IS_STATUS (self), NULL);
  return self->search_text;
}
