/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/oc-manifest.h"
#include "core/oc-permission-check.h"

G_BEGIN_DECLS

/* What the readers of the two formats share. Only oc_manifest_new() makes one; once that has
 * returned nothing changes it. */
struct _OcManifest
{
  OcPluginKind kind;
  char *file_name;
  char *id;
  char *name;
  char *version;
  char *description;
  char *author;
  char *homepage;
  char *icon;
  char *main;
  char *digest;
  GPtrArray *entries;      /* (element-type OcEntry) */
  GPtrArray *declarations; /* (element-type OcDeclaration) */
  GPtrArray *problems;     /* (element-type OcProblem) */
  GPtrArray *ignored;      /* (element-type utf8) */
  OcPermissionSet *permissions;
};

typedef struct
{
  OcManifest *manifest;   /* borrowed */
  GHashTable *by_text;    /* (element-type utf8 OcDeclaration): valid ones, for merging */
  guint n_declared;       /* as written, before merging */
} OcDraft;

/* The readers. @root is an object. They note problems and go on, so that all of them are seen at
 * once. */
void oc_manifest_read_plugin (OcDraft *draft,
                              JsonObject *root);
void oc_manifest_read_addons (OcDraft *draft,
                              JsonObject *root);

/* "place.key", or "key" at the root. (transfer full) */
char *oc_draft_join (const char *place,
                     const char *key);
/* @place: within the file. All are copied and must already be fit for display. */
void oc_draft_add_problem (OcDraft *draft,
                           const char *place,
                           const char *message,
                           const char *remedy);

/* Member readers. A member of another type is a problem and reads as if it were missing. */
char *oc_draft_read_text (OcDraft *draft,
                          JsonObject *object,
                          const char *place,
                          const char *key);
/* The same; missing and empty are problems too. */
char *oc_draft_read_required_text (OcDraft *draft,
                                   JsonObject *object,
                                   const char *place,
                                   const char *key);
guint oc_draft_read_number (OcDraft *draft,
                            JsonObject *object,
                            const char *place,
                            const char *key,
                            guint min,
                            guint max,
                            guint fallback);
gboolean oc_draft_read_flag (OcDraft *draft,
                             JsonObject *object,
                             const char *place,
                             const char *key);
/* (nullable) where missing or of another type. */
char **oc_draft_read_texts (OcDraft *draft,
                            JsonObject *object,
                            const char *place,
                            const char *key);
/* A path inside the plugin's folder, without a leading "./". (nullable) */
char *oc_draft_read_path (OcDraft *draft,
                          JsonObject *object,
                          const char *place,
                          const char *key,
                          gboolean required);
/* (nullable): where missing (no problem unless @required) or of another type. */
JsonArray *oc_draft_read_list (OcDraft *draft,
                               JsonObject *object,
                               const char *place,
                               const char *key,
                               gboolean required);
void oc_draft_check_version (OcDraft *draft,
                             JsonObject *root);
/* Whether @name may name an entry: what a person types after the plugin's id. */
void oc_draft_check_entry_name (OcDraft *draft,
                                const char *name,
                                const char *place,
                                GHashTable *names);

/* One permission as @text has it. @seen: (element-type utf8 utf8): canonical texts of the same
 * list with their places, for finding duplicates. @entry_title: (nullable) for the plugin's own
 * list. Returns: (transfer none) (nullable). */
OcPermission *oc_draft_declare (OcDraft *draft,
                                GHashTable *seen,
                                const char *text,
                                const char *place,
                                const char *entry_title,
                                gboolean never_granted);
/* Something in a list of permissions that is no permission at all. */
void oc_draft_declare_wrong (OcDraft *draft,
                             JsonNode *node,
                             const char *place,
                             const char *entry_title,
                             const char *message,
                             const char *remedy);
/* FALSE, with a problem at the first one too many. */
gboolean oc_draft_count_declaration (OcDraft *draft,
                                     const char *place);

OcDeclaration *oc_declaration_new (const char *text,
                                   const char *place);
OcEntry *oc_entry_new (OcEntryKind kind);

G_END_DECLS
