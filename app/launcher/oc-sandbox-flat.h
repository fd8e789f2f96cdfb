/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-plan-private.h"

G_BEGIN_DECLS

/**
 * OcFlat: a plan and a command as plain arrays, with the memory they need.
 */
typedef struct
{
  OcStage stage;
  GArray *ops;      /* (element-type OcOp) */
  GArray *nodes;    /* (element-type OcNode) */
  GPtrArray *names; /* of the nodes */
} OcFlat;

/* Strings are borrowed from @plan. */
OcFlat *oc_flat_new (OcPlan *plan);
void oc_flat_free (OcFlat *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcFlat, oc_flat_free)

G_END_DECLS
