/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-notify-private.h"
#include "launcher/oc-use-rows.h"

struct _OcTally
{
  OcUseRows rows;
  guint n_allowed, n_refused;
};

OcTally *
oc_tally_new (void)
{
  OcTally *self = g_new0 (OcTally, 1);

  oc_use_rows_init (&self->rows);
  return self;
}

void
oc_tally_free (OcTally *self)
{
  oc_use_rows_clear (&self->rows);
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
  OcUseRow *row = oc_use_rows_find (&self->rows, key);

  if (row == NULL && is_full (self, allowed))
    {
      detail = "";
      program = NULL;
      g_free (key);
      key = make_key (method, detail, program, allowed);
      row = oc_use_rows_find (&self->rows, key);
    }
  if (row == NULL)
    {
      row = oc_use_rows_add (&self->rows, g_steal_pointer (&key), permission, method, detail, program, allowed);
      *(allowed ? &self->n_allowed : &self->n_refused) += 1;
    }
  oc_use_row_count (row, 1);
}

void
oc_tally_drain (OcTally *self, OcNotifyFunc func, gpointer data)
{
  for (guint i = 0; i < self->rows.rows->len; i++)
    {
      OcUseRow *row = self->rows.rows->pdata[i];
      guint count = row->count - row->told;

      if (count == 0)
        continue;
      row->told = row->count;
      func (row->permission, row->method, row->detail, row->program, row->allowed, count, data);
    }
}
