/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sqlite3.h>

#include "core/oc-activity.h"

G_BEGIN_DECLS

/* A path or URL longer than this is cut: the activity says what was done, it does not keep copies. */
#define OC_USE_MAX_DETAIL 512
/* The errors of one row that are kept for the page of a plugin that was disabled. */
#define OC_ACTIVITY_MAX_FAILURES 16

struct _OcActivity
{
  gatomicrefcount ref_count;
  sqlite3 *db;
  char *path;
  GHashTable *statements; /* SQL (static) → sqlite3_stmt */
};

/* Prepared once, kept, reset and unbound. NULL and OC_ERROR_IO. @sql is static. */
sqlite3_stmt *oc_activity_prepare (OcActivity *self,
                                   const char *sql,
                                   GError **error);
/* Runs a statement that gives no rows. Resets it. */
gboolean oc_activity_step (OcActivity *self,
                           sqlite3_stmt *statement,
                           GError **error);
/* The next row: TRUE; the end: FALSE; an error: FALSE and @error. Resets it at the end. */
gboolean oc_activity_next (OcActivity *self,
                           sqlite3_stmt *statement,
                           GError **error);
gboolean oc_activity_exec (OcActivity *self,
                           const char *sql,
                           GError **error);
/* BEGIN IMMEDIATE: waits for other writers. */
gboolean oc_activity_begin (OcActivity *self,
                            GError **error);
/* COMMIT where @ok, else ROLLBACK. Returns whether it is committed. */
gboolean oc_activity_end (OcActivity *self,
                          gboolean ok,
                          GError **error);
gboolean oc_activity_set_error (OcActivity *self,
                                GError **error);
/* Binds text as it is, any bytes; NULL is NULL. */
void oc_activity_bind (sqlite3_stmt *statement,
                       int index,
                       const char *text);
/* (transfer full) (nullable) */
char *oc_activity_dup_column (sqlite3_stmt *statement,
                              int column);

G_END_DECLS
