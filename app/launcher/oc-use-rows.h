/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Alike uses, added up. */
typedef struct
{
  char *permission;
  char *method;
  char *detail;
  char *program; /* (nullable) */
  gboolean allowed;
  guint count; /* stays at its greatest value */
  guint told;  /* of these, passed on already */
} OcUseRow;

/**
 * OcUseRows: rows in the order of their first use, each found by a text that says what makes uses alike. How many there may
 * be is for its owner to say. Not thread-safe.
 */
typedef struct
{
  GPtrArray *rows; /* (element-type OcUseRow) */
  GHashTable *index;
} OcUseRows;

void oc_use_rows_init (OcUseRows *self);
void oc_use_rows_clear (OcUseRows *self);
/* (transfer none) (nullable) */
OcUseRow *oc_use_rows_find (OcUseRows *self,
                            const char *key);
/* A row with a count of nothing. @key: (transfer full); the others are copied. @program: (nullable). (transfer none) */
OcUseRow *oc_use_rows_add (OcUseRows *self,
                           char *key,
                           const char *permission,
                           const char *method,
                           const char *detail,
                           const char *program,
                           gboolean allowed);
void oc_use_row_count (OcUseRow *self,
                       guint n);

G_END_DECLS
