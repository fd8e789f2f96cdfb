/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-paths.h"

G_BEGIN_DECLS

/* What is larger is no list of places that somebody wrote. */
#define OC_GUARDED_MAX_BYTES (256 * 1024)

/**
 * OcGuardedList: one list of guarded places: the one that is built in, the administrator's
 * (guarded-places.d in the folder of the policy, every file that ends in ".list") or the user's
 * ($XDG_CONFIG_HOME/ocelot/guarded-places). All are used together; a list can only add.
 */
typedef struct
{
  char *file; /* (nullable): NULL: built in */
  char *text;
  guint n_places; /* lines that name one */
  guint n_unset;  /* of these, those that begin with a variable that is not set, and so guard nothing */
} OcGuardedList;
void oc_guarded_list_free (OcGuardedList *self);

/* Reads and checks all lists there are. Those of the user are looked for in each of @homes, the
 * environment's first. Errors: OC_ERROR_SANDBOX: one cannot be read, or a line of it cannot be
 * used: file, line and remedy are named, and nothing may run. (transfer full) (element-type
 * OcGuardedList), the one that is built in first */
GPtrArray *
oc_guarded_lists_read (OcPaths *paths, const char *const *homes, GError **error);
/* Whether each line of it, but for empty ones and comments, can be used; counts them. */
gboolean oc_guarded_list_check (OcGuardedList *self, GError **error);
/* @home, and the real home where HOME is something else. (transfer full) */
char **oc_guarded_list_homes (const char *home);
/* How many places, and from where; whole sentences, translated. (transfer full) */
char *oc_guarded_lists_describe (GPtrArray *lists);

G_END_DECLS
