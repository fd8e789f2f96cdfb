/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-paths.h"
#include "core/oc-permission.h"
#include "launcher/oc-net-names.h"

G_BEGIN_DECLS

typedef enum
{
  OC_NETWORK_NONE = 0,
  OC_NETWORK_HOSTS,  /* a network of its own, from which only the named hosts are reached, through a broker outside */
  OC_NETWORK_CLIENT, /* the host's, outbound */
} OcNetwork;

/* What runs: a long-lived worker (its reading is also held by the enumerated Landlock allow-list) or a one-shot tool
 * (masks only). WORKER is zero: the stricter one. */
typedef enum
{
  OC_ROLE_WORKER = 0,
  OC_ROLE_TOOL,
} OcRole;

typedef struct
{
  guint64 address_space; /* bytes, 0: none; each process */
  guint64 memory;        /* bytes, 0: none; all of one sandbox together: see OcMemoryWatch */
  guint64 file_size;
  guint64 open_files;
  guint64 processes;  /* does not bind uid 0, whom only a control group does */
  /* Of a whole run, its tools included; 0 for a tool, which is counted with its worker: */
  guint64 data_size;  /* bytes in the data folder: see OcQuota */
  guint64 temp_size;  /* bytes in the temporary folder */
  guint64 data_files; /* names in either folder, so that a disk's inodes are not used up */
  guint runs;         /* of one plugin at a time */
} OcLimits;
/* The one table of defaults. */
const OcLimits *oc_limits_get_default (OcRole role);
/* The numbers, and what holds them on this machine, in one or two sentences. Translated. (transfer full) */
char *oc_limits_dup_description (void);

/**
 * OcPlan: everything the sandbox will do, as data: which trees are writable, what is masked, what the network is, which
 * limits. Computed from consent; the executor contains no policy. Immutable, atomically refcounted.
 */
typedef struct _OcPlan OcPlan;

typedef struct
{
  OcPaths *paths;
  const char *id;          /* checked */
  const char *folder;      /* the plugin's real folder */
  const char *data_folder; /* exists, 0700, no symlink */
  const char *temp_folder; /* exists, 0700, fresh */
  OcNetwork network;
  const char *const *hosts; /* (nullable): for OC_NETWORK_HOSTS: checked names, each with or without ":port" */
  OcRole role;
  const OcLimits *limits;  /* (nullable): the defaults */
  const char *home;        /* (nullable): g_get_home_dir() */
} OcPlanInput;

/* Looks at the host (canonical paths of guarded places, mount aliases) but changes nothing.
 * Errors: OC_ERROR_SANDBOX, naming the path; OC_ERROR_IO. */
OcPlan *oc_plan_new (const OcPlanInput *input,
                     GError **error);
OcPlan *oc_plan_ref (OcPlan *self);
void oc_plan_unref (OcPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcPlan, oc_plan_unref)
/* The hosts that are reached, for OC_NETWORK_HOSTS. Borrowed (nullable) */
OcNetNames *oc_plan_get_names (OcPlan *self);
/* Whether the canonical @path lies in a place that no plugin may read whoever selected it: a guarded one, one of ours, or
 * either under another name. */
gboolean oc_plan_denies (OcPlan *self,
                         const char *path);
/* For tests and `check`: one line a decision. (transfer full) */
char *oc_plan_to_text (OcPlan *self);
/* The environment everything inside starts with, built from nothing: PATH (oc_tools_folders), HOME, USER, LANG, LC_*, TZ,
 * TMPDIR, OCELOT_PLUGIN_DATA, OCELOT_PLUGIN_ID, OCELOT_PLUGIN_FOLDER. (transfer full) */
char **oc_plan_dup_environment (OcPlan *self);

G_END_DECLS
