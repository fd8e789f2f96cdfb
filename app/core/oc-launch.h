/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "core/oc-activity.h"

G_BEGIN_DECLS

/* What ocelot-launcher exits with (system.md section 8). */
typedef enum
{
  OC_EXIT_DONE = 0,
  OC_EXIT_ERROR = 1,
  OC_EXIT_USAGE = 2,
  OC_EXIT_NO_CONSENT = 3,
  OC_EXIT_NEEDS_REVIEW = 4,
  OC_EXIT_INVALID = 5,
  OC_EXIT_BLOCKED = 6,
  OC_EXIT_CONSENT_UNUSABLE = 7,
  OC_EXIT_TIMED_OUT = 8,
  OC_EXIT_REFUSED = 126,
} OcExit;

/**
 * OcLauncher: the client for ocelot-launcher, the only thing that starts a plugin. Immutable, atomically refcounted.
 */
typedef struct _OcLauncher OcLauncher;

/* @path: (nullable): NULL: the one that ships with this program: OC_LIBEXECDIR, or in an uninstalled build the one
 * beside this program's own file in the build tree; never PATH, never the environment. */
OcLauncher *oc_launcher_new (const char *path);
OcLauncher *oc_launcher_ref (OcLauncher *self);
void oc_launcher_unref (OcLauncher *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcLauncher, oc_launcher_unref)
/* Adds --allow-root to what is run (tests, containers). */
void oc_launcher_set_allow_root (OcLauncher *self,
                                 gboolean allow_root);
/* Errors: OC_ERROR_SANDBOX: missing, not executable, or writable by somebody else. */
const char *oc_launcher_get_path (OcLauncher *self,
                                  GError **error);

/**
 * OcRunResult: what the launcher printed of a run. Immutable, atomically refcounted.
 *
 * The launcher prints one JSON object on stdout:
 * {"plugin","entry","outcome": oc_outcome_to_id() or "not-run","exit":OcExit,"message":string|null,"remedy":string|null,
 *  "result":any,"stdout":string,"stderr":string,"truncated":bool,"durationMs":number,
 *  "used":[{"permission","method","detail","program"?,"count"}],"refused":[{"permission","method","detail","program","count"}],
 *  "log":[{"level","message"}],"disabledAfterErrors":bool,"errorsInARow":number}
 * "disabledAfterErrors": this run took the consent away; of several that fail at once it is true in one.
 */
typedef struct _OcRunResult OcRunResult;
OcRunResult *oc_run_result_ref (OcRunResult *self);
void oc_run_result_unref (OcRunResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcRunResult, oc_run_result_unref)
int oc_run_result_get_exit (OcRunResult *self);
OcOutcome oc_run_result_get_outcome (OcRunResult *self);
/* (nullable) */
const char *oc_run_result_get_message (OcRunResult *self);
const char *oc_run_result_get_remedy (OcRunResult *self);
/* Pretty JSON of the plugin's result; (nullable) */
const char *oc_run_result_get_result_text (OcRunResult *self);
const char *oc_run_result_get_stdout (OcRunResult *self);
const char *oc_run_result_get_stderr (OcRunResult *self);
/* (transfer none) (element-type OcUse) */
GPtrArray *oc_run_result_get_used (OcRunResult *self);
GPtrArray *oc_run_result_get_refused (OcRunResult *self);
gboolean oc_run_result_is_disabled_after_errors (OcRunResult *self);
/* The launcher's object, whole. */
const char *oc_run_result_get_json (OcRunResult *self);

typedef struct
{
  const char *plugin;
  const char *entry;
  const char *const *paths; /* (nullable) absolute; any bytes */
  const char *folder;       /* (nullable) the shown folder */
  const char *surface;      /* "window", "terminal", "host" */
  guint timeout_ms;         /* 0: the entry's own */
} OcLaunchRequest;

/* Cancelling ends the launcher (SIGTERM: it ends the worker and records "stopped"), then waits for its result.
 * Errors: OC_ERROR_SANDBOX (no launcher, or it answered nothing sensible). Whatever the launcher answers, also a refusal, is a result. */
void oc_launcher_run_async (OcLauncher *self,
                            const OcLaunchRequest *request,
                            GCancellable *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer user_data);
OcRunResult *oc_launcher_run_finish (OcLauncher *self,
                                     GAsyncResult *result,
                                     GError **error);
OcRunResult *oc_launcher_run (OcLauncher *self,
                              const OcLaunchRequest *request,
                              GCancellable *cancellable,
                              GError **error);

/* One layer of the self-test. */
typedef struct
{
  char *id;     /* "user-namespace", "landlock", "seccomp", … */
  char *title;  /* translated by the launcher's locale */
  gboolean holds;
  gboolean tried; /* FALSE: another layer failed before it; then it does not hold either */
  char *detail; /* what was tried and what came of it */
  char *remedy; /* (nullable) what to do */
} OcLayer;

/**
 * OcSandboxReport: what `ocelot-launcher check --json` found:
 * {"holds":bool,"executor":"direct"|"bubblewrap","executorReason":string,"summary":string,"layers":[{"id","title","holds","tried","detail","remedy"}]}
 * Made also where the launcher is missing: then one layer, "launcher", does not hold. Immutable, atomically refcounted.
 */
typedef struct _OcSandboxReport OcSandboxReport;
OcSandboxReport *oc_sandbox_report_ref (OcSandboxReport *self);
void oc_sandbox_report_unref (OcSandboxReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcSandboxReport, oc_sandbox_report_unref)
gboolean oc_sandbox_report_holds (OcSandboxReport *self);
const char *oc_sandbox_report_get_summary (OcSandboxReport *self);
/* "direct" or "bubblewrap": who builds the sandbox; NULL where the launcher did not say. */
const char *oc_sandbox_report_get_executor (OcSandboxReport *self);
/* The same with the reason, a whole sentence; NULL where the launcher did not say. */
const char *oc_sandbox_report_get_executor_reason (OcSandboxReport *self);
/* (transfer none) (element-type OcLayer) */
GPtrArray *oc_sandbox_report_get_layers (OcSandboxReport *self);

/* Never fails: what goes wrong is in the report. */
void oc_launcher_check_async (OcLauncher *self,
                              GCancellable *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer user_data);
OcSandboxReport *oc_launcher_check_finish (OcLauncher *self,
                                           GAsyncResult *result);
OcSandboxReport *oc_launcher_check (OcLauncher *self);

G_END_DECLS
