/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/oc-paths.h"
#include "core/oc-permission.h"
#include "core/oc-plugin.h"
#include "core/oc-tools.h"
#include "launcher/oc-host-storage.h"
#include "launcher/oc-notify.h"
#include "launcher/oc-plan.h"
#include "launcher/oc-rpc-message.h"
#include "launcher/oc-run-report.h"

G_BEGIN_DECLS

/*
 * The host API: what a worker may ask of the broker. One table (oc-host-table.c), one file a group.
 *
 * Text and bytes. JSON holds text only, and file names, arguments and output may be any bytes. So: a path that is not UTF-8
 * is given, and taken, as a file:// URI with percent escapes (a path always starts with "/"); an argument or a standard input
 * that is not UTF-8 is {"base64": "…"}; output that is not UTF-8 comes as text with U+FFFD for each bad byte, and whole in
 * "stdoutBase64" or "stderrBase64" beside it. NUL in output is text, and comes as \u0000: a worker in C must not cut there.
 *
 * Errors. The code says what kind (OcRpcCode), data.reason which one, in a word that stays the same in every language.
 */

/* How many things of the desktop one run may have opened, and how many within a while. */
#define OC_OPEN_MAX 10
#define OC_OPEN_BURST 3
#define OC_OPEN_BURST_MS 2000

typedef struct
{
  guint n;
  gint64 times[OC_OPEN_BURST]; /* of the last ones, in turn */
} OcOpens;

/* One run, as the methods see it. */
typedef struct
{
  OcPaths *paths;               /* borrowed */
  OcPlugin *plugin;             /* borrowed */
  const OcEntry *entry;         /* borrowed */
  const char *const *selection; /* borrowed: absolute, maybe empty */
  const char *folder;           /* borrowed (nullable): the shown folder */
  const char *data_folder;      /* borrowed */
  const char *temp_folder;      /* borrowed */
  OcNetwork network;
  char **hosts;                 /* owned (nullable): for OC_NETWORK_HOSTS */
  OcReport *report;             /* borrowed */
  OcNotify *notify;             /* borrowed (nullable): answers what the system call filters ask, the tools' too */
  OcTools *tools;               /* owned (nullable): see oc_host_get_tools() */
  struct _OcHostPlace *place;   /* owned (nullable): see oc_host_place_get() */
  OcStorage *storage;           /* owned */
  OcOpens opens;                /* what was opened so far */
} OcHost;
void oc_host_clear (OcHost *self);
/* Made when a tool is first asked for: reading the list of broad tools costs a run that starts none half a millisecond. */
OcTools *oc_host_get_tools (OcHost *self);

/**
 * OcCall: one request of the worker, until it is answered. A call that the broker drops (the run ended) is never answered; its
 * operation is freed then. Refcounted.
 */
typedef struct _OcCall OcCall;
OcCall *oc_call_ref (OcCall *self);
void oc_call_unref (OcCall *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcCall, oc_call_unref)

OcHost *oc_call_get_host (OcCall *self);
JsonObject *oc_call_get_params (OcCall *self);
/* A notification: nothing is answered, and nothing is waited for. */
gboolean oc_call_is_notification (OcCall *self);
/* How many calls of this method are not yet answered, this one included. */
guint oc_call_count_alike (OcCall *self);
/* What runs for this call: freed with @free_func when it is answered or dropped. */
void oc_call_set_operation (OcCall *self,
                            gpointer operation,
                            GDestroyNotify free_func);

/* Answers; each call exactly once. @result: (transfer full) (nullable): null. */
void oc_call_return (OcCall *self,
                     JsonNode *result);
/* @json: (transfer full): the result as text that is valid JSON. */
void oc_call_return_text (OcCall *self,
                          char *json);
/* @reason: (nullable): data.reason. */
void oc_call_fail (OcCall *self,
                   OcRpcCode code,
                   const char *reason,
                   const char *message);
void oc_call_fail_format (OcCall *self,
                          OcRpcCode code,
                          const char *reason,
                          const char *format,
                          ...) G_GNUC_PRINTF (4, 5);
/* The permission is there, this use of it is not: recorded, and answered with OC_RPC_REFUSED. */
void oc_call_refuse (OcCall *self,
                     const char *reason,
                     const char *detail,
                     const char *message);
/* A use of the method's permission, for the activity. */
void oc_call_record_use (OcCall *self,
                         const char *detail);

/* Readers of parameters. FALSE: the call has been answered with OC_RPC_INVALID_PARAMS naming the parameter. Where a parameter
 * may be left out, null is the same. */
gboolean oc_call_read_string (OcCall *self,
                              const char *key,
                              gsize max_bytes,
                              const char **value);
/* @fallback where it is missing. */
gboolean oc_call_read_int (OcCall *self,
                           const char *key,
                           gint64 min,
                           gint64 max,
                           gint64 fallback,
                           gint64 *value);
void oc_call_fail_param (OcCall *self,
                         const char *key,
                         const char *must_be);

#define OC_METHOD_MAX_PARAMS 4
#define OC_REASON_MAX_METHODS 6

typedef struct
{
  const char *name;
  gboolean free;               /* needs no permission; FALSE is zero: forgetting it denies */
  OcPermissionKind permission; /* unless free */
  const char *argument;        /* (nullable) the parameter that is the permission's argument */
  const char *detail;          /* (nullable) the parameter that the activity shows */
  const char *shows;           /* (nullable) the parameter that is a text for people: what is no character in it is replaced */
  gboolean notifies;           /* may come as a notification */
  gboolean held;               /* only a few at once: no more messages are taken until some are answered */
  void (*call) (OcCall *call);
  const char *params[OC_METHOD_MAX_PARAMS + 1];
} OcMethod;

/* (nullable) */
const OcMethod *oc_method_find (const char *name);
/* Where @n is past the end: NULL. For tests and the manual. */
const OcMethod *oc_method_get (guint n);

/* One word of data.reason, the code that it comes with, and the methods that answer with it. */
typedef struct
{
  OcRpcCode code;
  const char *reason;
  const char *methods[OC_REASON_MAX_METHODS + 1];
} OcReason;

/* Where @n is past the end: NULL. For tests and the manual. */
const OcReason *oc_reason_get (guint n);

/* Milliseconds a tool may take, and how many tools run at once. */
#define OC_SPAWN_DEFAULT_TIMEOUT_MS (30 * 1000)
#define OC_SPAWN_MAX_TIMEOUT_MS (10 * 60 * 1000)
#define OC_SPAWN_MAX_AT_ONCE 8
/* The kernel takes no longer argument than 128 KiB with its NUL; the sum is the least it guarantees room for. */
#define OC_SPAWN_MAX_ARGS 4096
#define OC_SPAWN_MAX_ARG_BYTES (128 * 1024 - 1)
#define OC_SPAWN_MAX_ARGS_BYTES (1024 * 1024)
#define OC_FILE_MAX_BYTES 1000000

void oc_host_selection_get (OcCall *call);
void oc_host_context_get (OcCall *call);
void oc_host_file_read_text (OcCall *call);
void oc_host_process_spawn (OcCall *call);
void oc_host_storage_get (OcCall *call);
void oc_host_storage_set (OcCall *call);
void oc_host_storage_remove (OcCall *call);
void oc_host_storage_keys (OcCall *call);
void oc_host_log (OcCall *call);
void oc_host_open_url (OcCall *call);
void oc_host_app_open (OcCall *call);

/* The context that `run` is sent with: {"command","locale","dataFolder","tempFolder","pluginFolder"} and, with selection.read,
 * "paths" and "folder". As JSON. */
void oc_host_append_context (GString *text,
                             const OcHost *host,
                             gboolean with_selection);
/* As text where it is UTF-8, else as a file:// URI. (transfer full) */
char *oc_host_path_to_text (const char *path);
/* The reverse. NULL where @text is neither an absolute path nor a local file:// URI. (transfer full) */
char *oc_host_path_from_text (const char *text);

G_END_DECLS
