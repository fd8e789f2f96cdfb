/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-tools.h"

G_BEGIN_DECLS

/* What the file system says of a tool, without any judgement by name. Private to oc-tools.c. All paths are as inside the
 * host that was looked at: without its root. */
typedef struct
{
  OcToolStatus status;
  char *path;        /* (nullable) the first that can be executed, else the first that is there */
  char *target;      /* (nullable) after links */
  char *interpreter; /* (nullable) for a script */
  char *twin;        /* (nullable) another name in the same folder for the same file (a hard link) */
  GPtrArray *runs;   /* (element-type utf8) base names of the other programs that run: target, interpreters */
  gboolean writable; /* the file, a folder above it, a link on the way, or an interpreter */
  gboolean setuid;   /* set-uid, set-gid or file capabilities */
  gboolean odd;      /* neither an ELF program nor a script whose interpreter is there: what runs is not known */
} OcToolsFinding;

/* @root: "" or an absolute path without a slash at its end, put before every path; links are followed inside it.
 * @is_listed: whether a base name is worth naming as a hard-link twin. Never NULL. */
OcToolsFinding *oc_tools_find (const char *root,
                               const char *name,
                               gboolean (*is_listed) (const char *name,
                                                      gpointer user_data),
                               gpointer user_data);
void oc_tools_finding_free (OcToolsFinding *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcToolsFinding, oc_tools_finding_free)

G_END_DECLS
