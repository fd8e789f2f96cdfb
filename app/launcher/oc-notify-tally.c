/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-notify-private.h"

typedef struct
{
  char *permission;
  char *method;
  char *detail;
  char *program; /* (nullable) */
  gboolean allowed;
  guint count;
  guint drained;
} Row;

struct _OcTally
{
  GPtrArray *rows;   /* owned (element-type Row), in order of first use */
  GHashTable *index; /* owned: the key's text → Row, borrowed */
  guint n_allowed, n_refused;
};

static void
row_free (gpointer data)
{
  Row *row = data;

  g_free (row->permission);
  g_free (row->method);
  g_free (row->detail);
  g_free (row->program);
  g_free (row);
}

OcTally *
oc_tally_new (void)
{
  OcTally *self = g_new0 (OcTally, 1);

  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
oc_tally_free (OcTally *self)
{
  g_hash_table_unref (self->index);
  g_ptr_array_unref (self->rows);
  g_free (self);
}

static gboolean
is_full (const OcTally *self, gboolean allowed)
{
  return allowed ? self->n_allowed >= OC_NOTIFY_MAX_ALLOWED_ROWS
                 : self->n_refused >= OC_NOTIFY_MAX_REFUSED_ROWS;
}

static char *
make_key (const char *method, const char *detail, const char *program, gboolean allowed)
{
  /* A program may have U+001F in its name, and so be counted with another: no more than it gains by that name. */
  return g_strdup_printf ("%d\x1f%s\x1f%s\x1f%s", allowed, method, detail, program != NULL ? program : "");
}

void
oc_tally_add (OcTally *self,
              const char *permission,
              const char *method,
              const char *detail,
              const char *program,
              gboolean allowed)
{
  g_autofree char *key = make_key (method, detail, program, allowed);
  Row *row = g_hash_table_lookup (self->index, key);

  if (row == NULL && is_full (self, allowed))
    {
      detail = "";
      program = NULL;
      g_free (key);
      key = make_key (method, detail, program, allowed);
      row = g_hash_table_lookup (self->index, key);
    }
  if (row == NULL)
    {
      row = g_new0 (Row, 1);
      row->permission = g_strdup (permission);
      row->method = g_strdup (method);
      row->detail = g_strdup (detail);
      row->program = g_strdup (program);
      row->allowed = allowed;
      g_ptr_array_add (self->rows, row);
      g_hash_table_insert (self->index, g_steal_pointer (&key), row);
      *(allowed ? &self->n_allowed : &self->n_refused) += 1;
    }
  if (row->count < G_MAXUINT)
    row->count++;
}

void
oc_tally_drain (OcTally *self, OcNotifyFunc func, gpointer data)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      Row *row = self->rows->pdata[i];
      guint count = row->count - row->drained;

      if (count == 0)
        continue;
      row->drained = row->count;
      func (row->permission, row->method, row->detail, row->program, row->allowed, count, data);
    }
}
