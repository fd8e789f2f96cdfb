/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-permission.h"

struct _OcPermissionSet
{
  OcPermission **items; /* owned, sorted by text, no duplicates */
  guint n;
};

static int
compare_items (gconstpointer a,
               gconstpointer b)
{
  return oc_permission_compare (*(OcPermission *const *) a, *(OcPermission *const *) b);
}

OcPermissionSet *
oc_permission_set_new (GPtrArray *permissions)
{
  OcPermissionSet *self = g_atomic_rc_box_new0 (OcPermissionSet);
  guint n = permissions != NULL ? permissions->len : 0;
  g_autofree OcPermission **sorted = NULL;

  if (n == 0)
    return self;

  sorted = g_memdup2 (permissions->pdata, n * sizeof (OcPermission *));
  qsort (sorted, n, sizeof (OcPermission *), compare_items);
  self->items = g_new (OcPermission *, n);
  for (guint i = 0; i < n; i++)
    {
      if (self->n > 0 && oc_permission_equal (self->items[self->n - 1], sorted[i]))
        continue;
      self->items[self->n++] = oc_permission_ref (sorted[i]);
    }
  return self;
}

OcPermissionSet *
oc_permission_set_ref (OcPermissionSet *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
permission_set_clear (OcPermissionSet *self)
{
  for (guint i = 0; i < self->n; i++)
    oc_permission_unref (self->items[i]);
  g_free (self->items);
}

void
oc_permission_set_unref (OcPermissionSet *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify) permission_set_clear);
}

guint
oc_permission_set_get_n (const OcPermissionSet *self)
{
  return self->n;
}

OcPermission *
oc_permission_set_get (const OcPermissionSet *self,
                       guint i)
{
  g_return_val_if_fail (i < self->n, NULL);

  return self->items[i];
}

gboolean
oc_permission_set_contains (const OcPermissionSet *self,
                            const OcPermission *permission)
{
  guint low = 0, high = self->n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      int order = oc_permission_compare (permission, self->items[middle]);

      if (order == 0)
        return TRUE;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return FALSE;
}

gboolean
oc_permission_set_grants (const OcPermissionSet *self,
                          OcPermissionKind kind,
                          const char *argument)
{
  /* At most OC_MANIFEST_MAX_PERMISSIONS, and most differ in the kind: walking them is quicker than
   * making a text to look for. */
  for (guint i = 0; i < self->n; i++)
    {
      if (oc_permission_get_kind (self->items[i]) == kind && kind != OC_PERMISSION_UNKNOWN
          && g_strcmp0 (oc_permission_get_argument (self->items[i]), argument) == 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
oc_permission_set_equal (const OcPermissionSet *a,
                         const OcPermissionSet *b)
{
  if (a == b)
    return TRUE;
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    {
      if (!oc_permission_equal (a->items[i], b->items[i]))
        return FALSE;
    }
  return TRUE;
}

OcPermissionSet *
oc_permission_set_minus (const OcPermissionSet *self,
                         const OcPermissionSet *other)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new ();

  for (guint i = 0; i < self->n; i++)
    {
      if (!oc_permission_set_contains (other, self->items[i]))
        g_ptr_array_add (left, self->items[i]);
    }
  return oc_permission_set_new (left);
}

char **
oc_permission_set_to_strv (const OcPermissionSet *self)
{
  char **texts = g_new0 (char *, self->n + 1);

  for (guint i = 0; i < self->n; i++)
    texts[i] = g_strdup (oc_permission_get_text (self->items[i]));
  return texts;
}

OcPermissionSet *
oc_permission_set_parse (const char *const *texts,
                         GError **error)
{
  g_autoptr (GPtrArray) permissions = g_ptr_array_new_with_free_func (
      (GDestroyNotify) oc_permission_unref);

  for (gsize i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      OcPermission *permission = oc_permission_parse (texts[i], error);

      if (permission == NULL)
        return NULL;
      g_ptr_array_add (permissions, permission);
    }
  return oc_permission_set_new (permissions);
}
