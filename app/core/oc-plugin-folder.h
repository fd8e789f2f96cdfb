/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-plugin.h"

G_BEGIN_DECLS

/* A Plugins folder held open, so that everything beneath it is reached from the same place. */
typedef struct
{
  int fd;
  char *path; /* as configured */
  char *real; /* after symlinks; (nullable) when it cannot be told */
} OcPluginsFolder;

/* FALSE without @error: it is not there. Errors: OC_ERROR_IO. */
gboolean oc_plugins_folder_open (OcPluginsFolder *self,
                                 const char *path,
                                 GError **error);
void oc_plugins_folder_close (OcPluginsFolder *self);
/* The names of the plugin folders in it: folders and links, not hidden ones, not files; in no
 * order. (transfer full) (element-type filename) */
GPtrArray *oc_plugins_folder_list (OcPluginsFolder *self,
                                   GError **error);

/* What was found in one plugin's folder. */
typedef struct
{
  OcManifest *manifest; /* owned, never NULL */
  char *real_folder;    /* (nullable) */
  char *born;           /* (nullable) */
  gboolean is_symlink;
  GPtrArray *problems; /* (element-type OcProblem): of the folder, not of the manifest */
} OcPluginContents;

void oc_plugins_folder_read (OcPluginsFolder *self,
                             const char *name,
                             OcPluginContents *contents);

OcPlugin *oc_plugin_load_at (OcPluginsFolder *folder,
                             const char *name);
/* With the problem that its id and that of the plugin in @other differ only in capitals.
 * (transfer full) */
OcPlugin *oc_plugin_with_clash (OcPlugin *self,
                                const char *other);

OcProblem *oc_problem_new (const char *place,
                           const char *message,
                           const char *remedy);
void oc_problem_free (OcProblem *self);

G_END_DECLS
