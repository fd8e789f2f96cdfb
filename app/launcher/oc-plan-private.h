/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-net-names.h"
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
  const char *content; /* CONTENT: static */
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
  OcNetNames *names; /* (nullable): for OC_NETWORK_HOSTS */
  OcRole role;
  OcLimits limits;
  GPtrArray *places; /* (element-type OcPlace), sorted: what lies above comes first */
  GPtrArray *denied; /* (element-type utf8): left out of a worker's allow-list; in the order of oc_plan_compare_paths() */
  GPtrArray *notes;  /* (element-type utf8): what is worth telling, such as hard links */
  char **environment;
};

/* @path lies below @ancestor. */
gboolean oc_plan_is_below (const char *path, const char *ancestor);
/* What lies below a path follows it at once: "/a", "/a/b", "/a-b". */
int oc_plan_compare_paths (const char *a, const char *b);
OcPlace *oc_place_new (OcOpKind kind, const char *path, const char *reason);
void oc_place_free (OcPlace *self);

/* Fills places, denied and notes. */
gboolean oc_plan_cover (OcPlan *self, OcPaths *paths, GError **error);
/* The names, and the files that programs look names up with; before the above. */
gboolean oc_plan_add_network (OcPlan *self, GError **error);
char **oc_plan_make_environment (OcPlan *self);

G_END_DECLS
