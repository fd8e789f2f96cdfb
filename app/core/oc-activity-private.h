/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sqlite3.h>

#include "core/oc-activity.h"

G_BEGIN_DECLS

/* A writer holds the database for a few milliseconds; one that is stopped must not hold everybody up for ever. */
#define OC_ACTIVITY_BUSY_TIMEOUT_MS 5000

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
  int life_fd;            /* holds the locks of the runs that were begun here; -1: none */
  int reserve_fd;         /* room on the disk for the end of a run; -1: none */
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

/* ---- what goes on (oc-activity-life.c) ---- */

/* Tells of each run whether its launcher is still there. */
typedef struct
{
  int fd; /* -1: nothing ever ran */
} OcLife;
OcLife *oc_life_open (OcActivity *self,
                      GError **error);
void oc_life_free (OcLife *life);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcLife, oc_life_free)
gboolean oc_life_goes_on (OcLife *life,
                          gint64 run);
/* What is said of a run whose launcher is gone. Translated. */
const char *oc_life_get_message (void);
/* Marks @run as going on until this activity is freed or the process ends. @held: (out): FALSE: somebody else's has that
 * number (of a file that was set aside since). */
gboolean oc_activity_hold (OcActivity *self,
                           gint64 run,
                           gboolean *held,
                           GError **error);
void oc_activity_let_go (OcActivity *self);
/* In a transaction: runs whose launcher is gone are ended in the record. @plugin: (nullable).
 * @n_of_plugin: (out) (optional): how many runs of it go on. */
gboolean oc_activity_settle (OcActivity *self,
                             const char *plugin,
                             guint *n_of_plugin,
                             GError **error);
/* Takes room for the end of a run. OC_ERROR_IO: there is none. */
gboolean oc_activity_reserve (OcActivity *self,
                              GError **error);
/* Gives it back to be written to. FALSE: there was none. */
gboolean oc_activity_use_reserve (OcActivity *self);

G_END_DECLS
