/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  OC_TOOL_MISSING = 0,
  OC_TOOL_FOUND,
  OC_TOOL_IS_FOLDER,       /* the name is there, but it is a folder or no regular file */
  OC_TOOL_NOT_EXECUTABLE,
  OC_TOOL_UNREADABLE,      /* could not be looked at: an error, not "missing" */
} OcToolStatus;

/* What a broad tool lets its caller do. RUN, the worse, is zero. */
typedef enum
{
  OC_TOOL_EFFECT_RUN = 0, /* any program */
  OC_TOOL_EFFECT_WRITE,   /* any file that the sandbox lets it write */
} OcToolEffect;

/**
 * OcTool: what a tool's name means on this machine. Immutable, atomically refcounted.
 */
typedef struct _OcTool OcTool;
OcTool *oc_tool_ref (OcTool *self);
void oc_tool_unref (OcTool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcTool, oc_tool_unref)

const char *oc_tool_get_name (OcTool *self);
OcToolStatus oc_tool_get_status (OcTool *self);
/* Where it was found, before links are followed: what is executed. (nullable) */
const char *oc_tool_get_path (OcTool *self);
/* After links. (nullable) */
const char *oc_tool_get_target (OcTool *self);
/* For a script: its interpreter's path. (nullable) */
const char *oc_tool_get_interpreter (OcTool *self);
/* What was found, in whole sentences for a person: "/usr/bin/python3, which is a link to /usr/bin/python3.11.", "Not
 * installed here." Translated. */
const char *oc_tool_get_here (OcTool *self);
/* Broad by name, by target's name, by interpreter, by being writable, set-uid or multi-call. */
gboolean oc_tool_is_broad (OcTool *self);
/* Means something only where it is broad. */
OcToolEffect oc_tool_get_effect (OcTool *self);
/* Why, in one or more whole sentences, translated; NULL exactly where it is not broad. */
const char *oc_tool_get_reason (OcTool *self);
/* The user (or anybody) may write the file or a folder above it. */
gboolean oc_tool_is_writable (OcTool *self);
gboolean oc_tool_is_setuid (OcTool *self);

/**
 * OcTools: the shipped list of broad tools (built in from data/broad-tools.list) and the folders tools are looked for in.
 * Looks each name up once and keeps the answer. Thread-safe; atomically refcounted.
 */
typedef struct _OcTools OcTools;

/* The folders, in order (system.md section 5); never PATH. NULL-terminated. */
extern const char *const oc_tools_folders[];

/* @root: (nullable): put before each folder, for made-up hosts in tests. */
OcTools *oc_tools_new (const char *root);
/* The same with another list, for tests. @list: (nullable): where it is NULL or has one bad line, every tool is broad. */
OcTools *oc_tools_new_with_list (const char *root,
                                 const char *list);
OcTools *oc_tools_ref (OcTools *self);
void oc_tools_unref (OcTools *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcTools, oc_tools_unref)

/* [A-Za-z0-9_.+-], no leading '-' or '.', 1 to 64 bytes. Errors: OC_ERROR_INVALID. */
gboolean oc_tools_check_name (const char *name,
                              GError **error);
/* (transfer full), never NULL; @name must be valid. */
OcTool *oc_tools_look_up (OcTools *self,
                          const char *name);
/* The broad reason by name alone (list and families), translated. (nullable) */
const char *oc_tools_broad_reason (OcTools *self,
                                   const char *name);
/* The key of that reason: the list's second column, with its third behind a tab where it has one. (nullable) */
#define OC_TOOLS_NO_LIST "no list"
const char *oc_tools_get_broad_key (OcTools *self,
                                    const char *name);
/* How many names and family patterns the list has. */
guint oc_tools_get_n_listed (OcTools *self);

G_END_DECLS
