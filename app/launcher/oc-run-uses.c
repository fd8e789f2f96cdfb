/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-uses.h"

#include <string.h>

#include "launcher/oc-use-rows.h"

struct _OcUses
{
  OcUseRows rows;
};

OcUses *
oc_uses_new (void)
{
  OcUses *self = g_new0 (OcUses, 1);

  oc_use_rows_init (&self->rows);
  return self;
}

void
oc_uses_free (OcUses *self)
{
  oc_use_rows_clear (&self->rows);
  g_free (self);
}

static char *
cut_detail (const char *detail)
{
  gsize len = detail ? strlen (detail) : 0;

  if (len <= OC_USES_MAX_DETAIL_BYTES)
    return g_strndup (detail ? detail : "", len);
  len = OC_USES_MAX_DETAIL_BYTES;
  /* Not into the middle of a character. */
  while (len > OC_USES_MAX_DETAIL_BYTES - 4 && ((guchar) detail[len] & 0xc0) == 0x80)
    len--;
  return g_strndup (detail, len);
}

void
oc_uses_add (OcUses *self,
             const char *permission,
             const char *method,
             const char *detail,
             const char *program,
             gboolean allowed)
{
  oc_uses_add_many (self, permission, method, detail, program, allowed, 1);
}

void
oc_uses_add_many (OcUses *self,
                  const char *permission,
                  const char *method,
                  const char *detail,
                  const char *program,
                  gboolean allowed,
                  guint count)
{
  gboolean full = self->rows.rows->len >= OC_USES_MAX_ROWS;
  g_autofree char *cut = cut_detail (detail);
  g_autofree char *kind = NULL;
  g_autofree char *key = NULL;
  OcUseRow *row;

  /* U+001F cannot be in a method's or a permission's name. */
  key = g_strdup_printf ("%d\x1f%s\x1f%s\x1f%s\x1f%s", allowed, permission, method, program ? program : "", cut);
  row = oc_use_rows_find (&self->rows, key);
  if (row == NULL && full)
    {
      /* The argument goes too: a worker may name as many tools as it likes. */
      kind = g_strndup (permission, strcspn (permission, ":"));
      permission = kind;
      g_free (key);
      key = g_strdup_printf ("%d\x1f%s\x1f%s", allowed, permission, method);
      row = oc_use_rows_find (&self->rows, key);
    }
  if (row == NULL)
    row = oc_use_rows_add (&self->rows, g_steal_pointer (&key), permission, method, full ? "" : cut, full ? NULL : program, allowed);
  oc_use_row_count (row, count);
}

gboolean
oc_uses_flush (OcUses *self,
               OcActivity *activity,
               gint64 run,
               GError **error)
{
  for (guint i = 0; i < self->rows.rows->len; i++)
    {
      OcUseRow *row = self->rows.rows->pdata[i];

      if (row->told == row->count)
        continue;
      if (!oc_activity_record_use (activity, run, row->permission, row->method, row->detail, row->program, row->allowed,
                                   row->count - row->told, error))
        return FALSE;
      row->told = row->count;
    }
  return TRUE;
}

JsonArray *
oc_uses_to_json (OcUses *self,
                 gboolean allowed)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->rows.rows->len; i++)
    {
      OcUseRow *row = self->rows.rows->pdata[i];
      JsonObject *object;
      g_autofree char *detail = NULL;

      if (row->allowed != allowed)
        continue;
      object = json_object_new ();
      detail = g_utf8_make_valid (row->detail, -1);
      json_object_set_string_member (object, "permission", row->permission);
      json_object_set_string_member (object, "method", row->method);
      json_object_set_string_member (object, "detail", detail);
      if (row->program != NULL)
        {
          g_autofree char *program = g_utf8_make_valid (row->program, -1);

          json_object_set_string_member (object, "program", program);
        }
      else if (!allowed)
        json_object_set_null_member (object, "program");
      json_object_set_int_member (object, "count", row->count);
      json_array_add_object_element (array, object);
    }
  return array;
}
