/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-json.h"

G_BEGIN_DECLS

/* JSON-RPC 2.0's own error codes, and ours. */
typedef enum
{
  OC_RPC_INVALID_REQUEST = -32600,
  OC_RPC_METHOD_NOT_FOUND = -32601,
  OC_RPC_INVALID_PARAMS = -32602,
  OC_RPC_INTERNAL_ERROR = -32603,
  OC_RPC_FAILED = -32000,            /* the computer could not do it; the message says why */
  OC_RPC_PERMISSION_DENIED = -32001, /* data: {"permission"} */
  OC_RPC_REFUSED = -32002,           /* the permission is there, this use is outside of it */
  OC_RPC_NOT_FOUND = -32003,
  OC_RPC_TOO_LARGE = -32004,
  OC_RPC_NOT_TEXT = -32005,
  OC_RPC_BUSY = -32006,              /* too many at once: try again when one has ended */
} OcRpcCode;

typedef enum
{
  OC_RPC_REQUEST,
  OC_RPC_NOTIFICATION,
  OC_RPC_RESPONSE,
} OcRpcKind;

/* A worker that needs a longer one is making it up. */
#define OC_RPC_MAX_ID_BYTES 128
#define OC_RPC_MAX_METHOD_BYTES 128

/**
 * OcRpcMessage: one JSON-RPC 2.0 message of a worker, checked. Immutable.
 */
typedef struct
{
  GBytes *body;       /* owned */
  JsonNode *root;     /* owned */
  OcRpcKind kind;
  char *id;           /* owned: the id as compact JSON, `12` or `"a"`; NULL for a notification */
  const char *method; /* borrowed; NULL for a response */
  JsonNode *params;   /* borrowed (nullable) */
  OcJsonFault *fault; /* owned (nullable): what of the params, or of the result, cannot be taken; the rest of the message can */
  JsonNode *result;   /* borrowed: a response has this or @error */
  JsonObject *error;  /* borrowed; has an integer "code" and a string "message" */
} OcRpcMessage;

/* The bytes pass core's strict check before json-glib sees them. Batches are refused. Where parameters or a result are JSON, but
 * go past what is taken, that is no breach of the protocol: @fault says what it is.
 * Errors: OC_ERROR_INVALID, saying what breaks the protocol. */
OcRpcMessage *oc_rpc_message_parse (GBytes *body,
                                    GError **error);
void oc_rpc_message_free (OcRpcMessage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcRpcMessage, oc_rpc_message_free)
/* Whether the error of an answer is one that the plugin did not catch, rather than one that it reports. */
gboolean oc_rpc_message_is_exception (OcRpcMessage *self);
/* The result exactly as the worker wrote it. (transfer full) (nullable) */
char *oc_rpc_message_dup_result_text (OcRpcMessage *self);

/* Framed messages of ours. @id: compact JSON. @params: text that is valid JSON. @result: borrowed, nullable for null.
 * @data: (nullable), borrowed. (transfer full) */
GBytes *oc_rpc_make_request (const char *id,
                             const char *method,
                             const char *params);
GBytes *oc_rpc_make_result (const char *id,
                            JsonNode *result);
/* @result: text that is valid JSON. */
GBytes *oc_rpc_make_result_text (const char *id,
                                 const char *result);
GBytes *oc_rpc_make_error (const char *id,
                           int code,
                           const char *message,
                           JsonNode *data);

G_END_DECLS
