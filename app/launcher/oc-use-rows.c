/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-use-rows.h"

static void
row_free (gpointer data)
{
  OcUseRow *row = data;

  g_free (row->permission);
  g_free (row->method);
  g_free (row->detail);
  g_free (row->program);
  g_free (row);
}

void
oc_use_rows_init (OcUseRows *self)
{
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
oc_use_rows_clear (OcUseRows *self)
{
  g_hash_table_unref (self->index);
  g_ptr_array_unref (self->rows);
}

OcUseRow *
oc_use_rows_find (OcUseRows *self,
                  const char *key)
{
  return g_hash_table_lookup (self->index, key);
}

OcUseRow *
oc_use_rows_add (OcUseRows *self,
                 char *key,
                 const char *permission,
                 const char *method,
                 const char *detail,
                 const char *program,
                 gboolean allowed)
{
  OcUseRow *row = g_new0 (OcUseRow, 1);

  row->permission = g_strdup (permission);
  row->method = g_strdup (method);
  row->detail = g_strdup (detail);
  row->program = g_strdup (program);
  row->allowed = allowed;
  g_ptr_array_add (self->rows, row);
  g_hash_table_insert (self->index, key, row);
  return row;
}

void
oc_use_row_count (OcUseRow *self,
                  guint n)
{
  self->count += MIN (n, G_MAXUINT - self->count);
}
