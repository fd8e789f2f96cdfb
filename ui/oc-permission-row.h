/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-catalogue.h"
#include "oc-detail-row.h"
#include "oc-history.h"

G_BEGIN_DECLS

typedef enum
{
  OC_PERMISSION_ROW_OPENS = 0, /* the page: details open */
  OC_PERMISSION_ROW_OPEN,      /* the review: all of it visible */
} OcPermissionRowStyle;

/* A permission in our words, the author's claim apart. @declaration: (nullable): where the manifest asks for it. Floating. */
OcDetailRow *oc_permission_row_new (OcExplanation *explanation,
                                    const OcDeclaration *declaration,
                                    OcPermissionRowStyle style);
/* One that grants nothing: not valid, or never granted to that kind of entry. Floating. */
OcDetailRow *oc_permission_row_new_ungranted (const OcDeclaration *declaration,
                                              OcTools *tools);
/* FALSE for those of oc_permission_row_new_ungranted(). */
gboolean oc_permission_row_is_granted (OcDetailRow *row);
/* @history: (nullable): not read yet. */
void oc_permission_row_set_history (OcDetailRow *row,
                                    OcHistory *history);

/* The declaration of @permission in @manifest. (nullable) */
const OcDeclaration *oc_manifest_find_declaration (OcManifest *manifest,
                                                   OcPermission *permission);

/* A combination, always visible. Floating. */
GtkWidget *oc_statement_box_new (const OcStatement *statement);
/* "It can always": all @statements (element-type OcStatement) in one row, that opens or is open. Floating. */
OcDetailRow *oc_statements_row_new (const char *icon_name,
                                    const char *title,
                                    GPtrArray *statements,
                                    OcPermissionRowStyle style);

G_END_DECLS
