/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-paths.h"

G_BEGIN_DECLS

/**
 * OcGuardedPlace: one path that holds secrets, as it is on this machine. The same line of the list
 * may give several: each link of a chain of symlinks, and what it leads to. Several lines may give
 * one: for all that lies in a folder that is not there stands that folder.
 */
typedef struct
{
  char *path;         /* canonical: no component but the last can be a symlink; may not exist */
  GRefString *reason; /* from the list */
  gboolean is_link; /* a symlink: nothing to mask, but whatever replaces it is to be unreadable */
  gboolean exists;
  guint64 n_links; /* of a regular file: more than one means that it has other names, which cannot
                      be found */
} OcGuardedPlace;
void oc_guarded_place_free (OcGuardedPlace *self);

/* All lists (see OcGuardedList), for each of @homes. A line: a path, a tab, the reason; "#" begins a
 * comment. The path begins with
 * "/", "~/" (each home) or "$NAME" (an environment variable holding an absolute path; nothing where
 * it is not set). Where $XDG_CONFIG_HOME and the like are set to odd places, "~/.config/x" and
 * "$XDG_CONFIG_HOME/x" both mean both. Looks at the host. Errors: OC_ERROR_SANDBOX: a list cannot
 * be used. (transfer full) (element-type OcGuardedPlace), sorted by path, each path once */
GPtrArray *oc_guarded_list (OcPaths *paths, const char *const *homes, GError **error);
/* The same for one list, for tests. */
GPtrArray *oc_guarded_list_from_text (const char *text, const char *const *homes, GError **error);
/* Adds @path as it is on this machine, with every symlink on the way. */
void oc_guarded_resolve (const char *path, const char *reason, GPtrArray *places);

G_END_DECLS
