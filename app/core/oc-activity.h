/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-consent.h"
#include "core/oc-paths.h"
#include "core/oc-state.h"

G_BEGIN_DECLS

typedef enum
{
  OC_OUTCOME_RUNNING = 0, /* begun */
  OC_OUTCOME_DONE,
  OC_OUTCOME_REPORTED,    /* the plugin itself answered with an error; not counted */
  OC_OUTCOME_CRASH,       /* counted, as the next three */
  OC_OUTCOME_TIMED_OUT,
  OC_OUTCOME_PROTOCOL,
  OC_OUTCOME_EXCEPTION,
  OC_OUTCOME_STOPPED,     /* by the user; or the launcher was ended, which no plugin can bring about */
  OC_OUTCOME_REVOKED,     /* consent went away while it ran */
  OC_OUTCOME_REFUSED,     /* the sandbox could not be built: nothing ran */
} OcOutcome;
/* "running", "done", "reported", "crash", "time-out", "protocol", "exception", "stopped", "revoked", "refused" */
const char *oc_outcome_to_id (OcOutcome outcome);
OcOutcome oc_outcome_from_id (const char *id);
const char *oc_outcome_to_label (OcOutcome outcome);
/* Whether it counts towards OC_HEALTH_MAX_ERRORS. */
gboolean oc_outcome_is_error (OcOutcome outcome);

typedef struct
{
  gint64 id;
  char *plugin;
  char *entry;
  char *surface; /* "terminal", "window", "host" */
  gint64 started, ended; /* µs; ended 0 while running */
  OcOutcome outcome;
  char *message; /* (nullable) show with oc_text_escape_message() */
  char *output;  /* (nullable) last lines, raw */
  guint n_allowed, n_refused;
} OcRun;
void oc_run_free (OcRun *self);

/* Uses of one permission within one run, alike ones added up. */
typedef struct
{
  gint64 run;
  char *plugin;
  char *permission; /* canonical text, "" where none is needed */
  char *method;     /* "file.readText", "socket" */
  char *detail;     /* path, tool, URL: raw, at most 512 bytes. Never contents */
  char *program;    /* (nullable) which program did it, for refusals inside the sandbox */
  gboolean allowed;
  guint count;
  gint64 last; /* µs */
} OcUse;
void oc_use_free (OcUse *self);

/* One permission of one plugin over all kept runs. */
typedef struct
{
  char *permission;
  guint n_allowed, n_refused;
  gint64 last; /* of an allowed use; 0: never */
} OcUsage;
void oc_usage_free (OcUsage *self);

/**
 * OcActivity: activity.db, SQLite in WAL mode. Not thread-safe: one a thread. Refcounted.
 */
typedef struct _OcActivity OcActivity;

/* Makes it (0600) where it is not there. A file that is no database is moved aside with a time-stamped name and a new
 * one begun. Errors: OC_ERROR_IO, _DAMAGED, _UNSUPPORTED (made by a later version). */
OcActivity *oc_activity_open (OcPaths *paths,
                              GError **error);
OcActivity *oc_activity_ref (OcActivity *self);
void oc_activity_unref (OcActivity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcActivity, oc_activity_unref)

/* Returns the run's number, or 0 and @error. Written before anything runs. It goes on until it is ended, or until @self is
 * freed or the process ends: then whoever looks next sees it as stopped. Room is kept on the disk for its end.
 * @max_at_once: 0: any number; else OC_ERROR_BUSY where so many runs of @plugin go on, and nothing is written. */
gint64 oc_activity_begin_run (OcActivity *self,
                              const char *plugin,
                              const char *entry,
                              const char *surface,
                              guint max_at_once,
                              GError **error);
/* @count: how many alike uses are added, at least 1 (a run adds up in memory, so that a million refused calls are one
 * row and a handful of writes). @permission and @detail: "" for none; @program: (nullable). */
gboolean oc_activity_record_use (OcActivity *self,
                                 gint64 run,
                                 const char *permission,
                                 const char *method,
                                 const char *detail,
                                 const char *program,
                                 gboolean allowed,
                                 guint count,
                                 GError **error);
/* Ends the run and, in the same transaction, counts: a counted error adds one, DONE resets, others leave it.
 * @errors_in_a_row: (out) (optional). */
gboolean oc_activity_end_run (OcActivity *self,
                              gint64 run,
                              OcOutcome outcome,
                              const char *message,
                              const char *output,
                              guint *errors_in_a_row,
                              GError **error);
/* Adds a sentence to the message of a run that has ended: what came of it. */
gboolean oc_activity_add_to_message (OcActivity *self,
                                     gint64 run,
                                     const char *sentence,
                                     GError **error);
/* The errors of the current row, oldest first: (transfer full) (element-type OcFailure) */
GPtrArray *oc_activity_get_failures (OcActivity *self,
                                     const char *plugin,
                                     GError **error);
/* After the user's enabling: the count starts anew. */
gboolean oc_activity_reset_health (OcActivity *self,
                                   const char *plugin,
                                   GError **error);
/* @plugin: nullable for all. (transfer full): newest first */
GPtrArray *oc_activity_list_runs (OcActivity *self,
                                  const char *plugin,
                                  guint limit,
                                  GError **error);
/* @run: 0 for all of @plugin (nullable for all plugins). */
GPtrArray *oc_activity_list_uses (OcActivity *self,
                                  const char *plugin,
                                  gint64 run,
                                  guint limit,
                                  GError **error);
/* (transfer full) (element-type OcUsage) */
GPtrArray *oc_activity_get_usage (OcActivity *self,
                                  const char *plugin,
                                  guint *n_runs,
                                  GError **error);
/* All plugins at once, for the list: (transfer full) (element-type utf8 OcHealth) */
GHashTable *oc_activity_get_health (OcActivity *self,
                                    GError **error);
/* Leaves the error counts, which are not history, and the runs that go on. */
gboolean oc_activity_clear (OcActivity *self,
                            const char *plugin,
                            GError **error);

G_END_DECLS
