/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-permission.h"

G_BEGIN_DECLS

typedef enum
{
  OC_PLUGIN_KIND_UNKNOWN = 0,
  OC_PLUGIN_KIND_PROCESS, /* plugin.json, "kind":"process" */
  OC_PLUGIN_KIND_SCRIPT,  /* plugin.json, "kind":"script" */
  OC_PLUGIN_KIND_ADDON,   /* manifest.json */
} OcPluginKind;
/* "process", "script", "addon", "unknown" */
const char *oc_plugin_kind_to_id (OcPluginKind kind);

typedef enum
{
  OC_ENTRY_COMMAND = 0,
  OC_ENTRY_ADDON,
  OC_ENTRY_TEST_DATA_FUNCTION,
  OC_ENTRY_HOOK,
} OcEntryKind;
/* "command", "addon", "testDataFunction", "hook" */
const char *oc_entry_kind_to_id (OcEntryKind kind);

#define OC_ID_MAX_BYTES 128
#define OC_COMMAND_MAX_TIMEOUT_S 3600
#define OC_COMMAND_DEFAULT_TIMEOUT_S 60
/* Past that a permission list cannot be reviewed. */
#define OC_MANIFEST_MAX_PERMISSIONS 256
#define OC_MANIFEST_MAX_ENTRIES 256

/* [A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+, 128 bytes at most. Errors: OC_ERROR_INVALID. */
gboolean oc_plugin_id_check (const char *id,
                             GError **error);

/* Something wrong in a manifest. A plugin with one is shown and cannot be enabled. */
typedef struct
{
  char *place;   /* "plugin.json: permissions[3]" or "plugin.json: line 4, column 7" */
  char *message; /* what is wrong, escaped for display */
  char *remedy;  /* what to do */
} OcProblem;

/* A permission as the manifest has it, valid or not: nothing is ever dropped from view. */
typedef struct
{
  OcPermission *permission; /* (nullable): NULL where @text is not valid */
  char *text;               /* as written, raw; escape before showing */
  char *place;              /* "permissions[3]" */
  char *problem;            /* (nullable), escaped */
  char *reason;             /* (nullable) the author's claim, raw */
  GPtrArray *entries;       /* (element-type utf8) titles of the entries it comes with; empty: the plugin's own list */
  gboolean implied;         /* selection.read implied by a command */
  gboolean never_granted;   /* spawn, ai or ocr on a hook or test data function */
} OcDeclaration;

/* One thing the plugin offers to run. Members that do not fit the kind are NULL, 0 or empty. */
typedef struct
{
  OcEntryKind kind;
  char *id;    /* command id, or the addon's name */
  char *title; /* shown; raw */
  char *description;
  guint min_selection;
  guint max_selection; /* G_MAXUINT: no limit */
  char **extensions;   /* (nullable): NULL: any */
  guint timeout_s;
  /* addon bundles */
  char *action_text;
  char *application_type;
  char *hook_type;
  char **test_data_keys;
  char **element_keys;
  char **env_keys;
  char **output_keys;
  gboolean cicd_credentials;
  OcPermissionSet *permissions; /* what this entry is granted; for commands the plugin's whole set */
} OcEntry;

/**
 * OcManifest: a parsed manifest. Always made, also from bytes that are no manifest at all: then it has problems.
 * Immutable, atomically refcounted.
 */
typedef struct _OcManifest OcManifest;

/* @file_name: "plugin.json" or "manifest.json"; @folder_id: the folder's name. Never NULL. */
OcManifest *oc_manifest_new (const char *file_name,
                             const char *folder_id,
                             GBytes *bytes);
/* One that could not be read: @place and @message become its only problem. */
OcManifest *oc_manifest_new_unreadable (const char *file_name,
                                        const char *folder_id,
                                        const char *message,
                                        const char *remedy);
OcManifest *oc_manifest_ref (OcManifest *self);
void oc_manifest_unref (OcManifest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcManifest, oc_manifest_unref)

OcPluginKind oc_manifest_get_kind (OcManifest *self);
const char *oc_manifest_get_file_name (OcManifest *self);
/* The folder's name, whatever the manifest says. */
const char *oc_manifest_get_id (OcManifest *self);
/* Never NULL: the id where the manifest has no name. Raw. */
const char *oc_manifest_get_name (OcManifest *self);
/* The next five: (nullable), raw. */
const char *oc_manifest_get_version (OcManifest *self);
const char *oc_manifest_get_description (OcManifest *self);
const char *oc_manifest_get_author (OcManifest *self);
const char *oc_manifest_get_homepage (OcManifest *self);
const char *oc_manifest_get_icon (OcManifest *self);
/* Relative path of what is run ("bin/worker", "main.js", a bundle's entry); checked to stay inside. (nullable) when invalid */
const char *oc_manifest_get_main (OcManifest *self);
/* (transfer none) (element-type OcEntry), in manifest order */
GPtrArray *oc_manifest_get_entries (OcManifest *self);
/* (nullable) */
const OcEntry *oc_manifest_find_entry (OcManifest *self,
                                       const char *id);
/* (transfer none) (element-type OcDeclaration), in manifest order, implied ones last */
GPtrArray *oc_manifest_get_declarations (OcManifest *self);
/* The effective set: what enabling would grant, exactly. Empty where the manifest is invalid. */
OcPermissionSet *oc_manifest_get_permissions (OcManifest *self);
/* (transfer none) (element-type OcProblem); empty: valid */
GPtrArray *oc_manifest_get_problems (OcManifest *self);
/* The members of a plugin.json that this version does not know and that have no effect, by their places ("permisions",
 * "commands[0].minSelecton"), fit for display; 32 at most. For its author, who may have mistyped; no reason to refuse it: a later
 * version may know them. (transfer none) (element-type utf8) */
GPtrArray *oc_manifest_get_ignored (OcManifest *self);
gboolean oc_manifest_is_valid (OcManifest *self);
/* SHA-256 of the bytes, 64 hex digits. */
const char *oc_manifest_get_digest (OcManifest *self);

G_END_DECLS
