/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/oc-launch.h"
#include "launcher/oc-output.h"
#include "launcher/oc-run-uses.h"

G_BEGIN_DECLS

/* Log lines kept of one run, and how long one may be: a log is for reading. */
#define OC_REPORT_MAX_LOG_LINES 200
#define OC_REPORT_MAX_LOG_BYTES 2048
/* Of an error that a plugin reports: it is kept in the activity, run after run. */
#define OC_REPORT_MAX_MESSAGE_BYTES 4096

/**
 * OcReport: what a run came to, on its way to the one JSON object on stdout (documented at OcRunResult).
 */
typedef struct
{
  char *plugin;
  char *entry;
  gboolean ran;       /* FALSE: outcome "not-run" */
  OcOutcome outcome;
  OcExit exit;
  char *message;      /* (nullable) raw */
  char *remedy;       /* (nullable) */
  char *result_text;  /* (nullable) the plugin's result as it wrote it: checked JSON */
  char *stdout_text;  /* (nullable) */
  char *stderr_text;  /* (nullable) */
  gboolean truncated;
  gint64 duration_us;
  OcUses *uses;
  GPtrArray *log;     /* (element-type OcLogLine) */
  guint log_dropped;
  gboolean disabled_after_errors;
  guint errors_in_a_row;
} OcReport;

OcReport *oc_report_new (const char *plugin,
                         const char *entry);
void oc_report_free (OcReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcReport, oc_report_free)

/* Nothing ran. @message, @remedy: (nullable), copied. */
void oc_report_refuse (OcReport *self,
                       OcExit code,
                       const char *message,
                       const char *remedy);
/* It ran and ended. @message: (nullable), copied. Sets the exit that goes with @outcome; REVOKED's is set by the caller. */
void oc_report_end (OcReport *self,
                    OcOutcome outcome,
                    const char *message);
/* FALSE: not kept, there are too many. */
gboolean oc_report_add_log (OcReport *self,
                            const char *level,
                            const char *message);
void oc_report_take_output (OcReport *self,
                            OcOutput *out,
                            OcOutput *err);
/* One line. (transfer full) */
char *oc_report_to_json (OcReport *self);

G_END_DECLS
