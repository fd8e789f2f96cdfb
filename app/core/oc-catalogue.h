/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-permission.h"
#include "core/oc-manifest.h"
#include "core/oc-tools.h"

G_BEGIN_DECLS

typedef enum
{
  OC_SEVERITY_BROAD = 0, /* grants far more than it says; zero, so that forgetting to set it warns */
  OC_SEVERITY_CAUTION,
  OC_SEVERITY_OK,
} OcSeverity;

/**
 * OcCatalogueEntry:
 *
 * One row of the one permission table (system.md section 5). Texts are msgids (N_()); use
 * oc_catalogue_explain() for translated, filled-in ones.
 */
typedef struct
{
  OcPermissionKind kind;
  const char *id;            /* "process.spawn" */
  const char *argument_name; /* (nullable) "tool", "desktop id", "glob", "host", "key" */
  OcSeverity severity;       /* before the argument is looked at */
  const char *icon_name;     /* symbolic */
  const char *title;         /* "Run %s"; with a %s exactly where there is an argument */
  const char *broad_title;   /* (nullable) "Run any program, through %s" */
  const char *short_broad;   /* (nullable) "Can run any program" */
  const char *grants;        /* what it really grants, one or two sentences */
  const char *held;          /* how it is enforced */
  const char *excludes;      /* (nullable) what it does not grant */
} OcCatalogueEntry; /* the check of the argument is oc-permission.c's */

/* (nullable): NULL for UNKNOWN. */
const OcCatalogueEntry *oc_catalogue_get (OcPermissionKind kind);
/* @id: e.g. "process.spawn"; UNKNOWN where there is none. */
OcPermissionKind oc_catalogue_find (const char *id);

/**
 * OcExplanation:
 *
 * Everything a surface says of one permission. The window's rows, tooltips, screen-reader texts, the
 * terminal and the manual all come from it. Immutable, refcounted.
 */
typedef struct _OcExplanation OcExplanation;

/* @tools: (nullable): looked up anew where NULL. */
OcExplanation *oc_catalogue_explain (OcPermission *permission,
                                     OcTools *tools);
OcExplanation *oc_explanation_ref (OcExplanation *self);
void oc_explanation_unref (OcExplanation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcExplanation, oc_explanation_unref)

OcPermission *oc_explanation_get_permission (OcExplanation *self);
OcSeverity oc_explanation_get_severity (OcExplanation *self);
const char *oc_explanation_get_icon_name (OcExplanation *self);
/* "Run any program, through python3". Escaped for display, plain text. */
const char *oc_explanation_get_title (OcExplanation *self);
/* The same without its argument's uncommon parts, for the list: "Can run any program". (nullable) unless broad */
const char *oc_explanation_get_short_broad (OcExplanation *self);
const char *oc_explanation_get_grants (OcExplanation *self);
const char *oc_explanation_get_held (OcExplanation *self);
/* (nullable) */
const char *oc_explanation_get_excludes (OcExplanation *self);
/* What was found on this machine: "/usr/bin/python3 → /usr/bin/python3.11", "not installed here",
 * "a script: /bin/sh runs it", "you can change this file". (nullable) */
const char *oc_explanation_get_here (OcExplanation *self);
/* All of it as one plain text of several lines: tooltip, accessible description, terminal. (transfer full) */
char *oc_explanation_to_text (OcExplanation *self);
/* "Broad", "Caution", "OK": translated. */
const char *oc_severity_to_label (OcSeverity severity);
const char *oc_severity_to_id (OcSeverity severity);

/* @set's explanations, worst first, then by title. (transfer full) (element-type OcExplanation) */
GPtrArray *oc_catalogue_explain_set (OcPermissionSet *set,
                                     OcTools *tools);

/* A title and a sentence: combinations and baseline lines. */
typedef struct
{
  char *title;
  char *text;
  OcSeverity severity;
} OcStatement;

/* What the permissions of @set mean together (system.md "Combinations"), worst first. Maybe empty.
 * (transfer full) (element-type OcStatement) */
GPtrArray *oc_catalogue_combine (OcPermissionSet *set,
                                 OcPluginKind kind,
                                 OcTools *tools);
/* What every enabled plugin of @kind can do without asking, and what it never can whatever it asks
 * (where @set changes that, the text says so). (transfer full) (element-type OcStatement) */
GPtrArray *oc_catalogue_can_always (OcPermissionSet *set,
                                    OcPluginKind kind);
GPtrArray *oc_catalogue_can_never (OcPermissionSet *set,
                                   OcPluginKind kind);

/* The one sentence that a user ticks before enabling a set with broad permissions, naming each; NULL where
 * none is broad: "I understand that it can run any program (python3, sh)". (transfer full) (nullable) */
char *oc_catalogue_broad_sentence (OcPermissionSet *set,
                                   OcTools *tools);

G_END_DECLS
