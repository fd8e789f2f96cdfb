/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-plan.h"
#include "launcher/oc-sandbox-private.h"

G_BEGIN_DECLS

/* One decision about one place. */
typedef struct
{
  OcOpKind kind;
  char *path;        /* canonical */
  char *reason;      /* for people */
  GPtrArray *points; /* HIDE: relative paths, parents first */
} OcPlace;

struct _OcPlan
{
  char *id;
  char *folder;
  char *data_folder;
  char *temp_folder;
  char *home;
  OcNetwork network;
  char **hosts; /* never NULL */
  OcRole role;
  OcLimits limits;
  GPtrArray *places; /* (element-type OcPlace), sorted: what lies above comes first */
  GPtrArray *denied; /* (element-type utf8): left out of a worker's allow-list; sorted */
  GPtrArray *notes;  /* (element-type utf8): what is worth telling, such as hard links */
  char **environment;
};

/* @path lies below @ancestor. */
gboolean oc_plan_is_below (const char *path, const char *ancestor);
OcPlace *oc_place_new (OcOpKind kind, const char *path, const char *reason);
void oc_place_free (OcPlace *self);

/* Fills places, denied and notes. */
gboolean oc_plan_cover (OcPlan *self, OcPaths *paths, GError **error);
char **oc_plan_make_environment (OcPlan *self);

G_END_DECLS
