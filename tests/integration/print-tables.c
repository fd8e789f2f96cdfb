/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that plugin authors read of, as JSON, for test-sdk.py: what the manual and the SDKs say is held against it. */
#include <stdio.h>

#include "core/oc-catalogue.h"
#include "core/oc-json-write.h"
#include "core/oc-json.h"
#include "core/oc-url.h"
#include "launcher/oc-broker.h"
#include "launcher/oc-host-open.h"
#include "launcher/oc-host-store.h"
#include "launcher/oc-host.h"
#include "launcher/oc-output.h"
#include "launcher/oc-rpc.h"

static const struct
{
  const char *name;
  gint64 value;
} limits[] = {
  { "file", OC_FILE_MAX_BYTES },
  { "message", OC_RPC_MAX_MESSAGE },
  { "depth", OC_JSON_MAX_DEPTH },
  { "keys", OC_JSON_MAX_KEYS },
  { "inFlight", OC_BROKER_MAX_IN_FLIGHT },
  { "held", OC_BROKER_MAX_HELD },
  { "notifications", OC_BROKER_MAX_NOTIFICATIONS },
  { "stallSeconds", OC_BROKER_STALL_S },
  { "spawnTimeout", OC_SPAWN_DEFAULT_TIMEOUT_MS },
  { "spawnMaxTimeout", OC_SPAWN_MAX_TIMEOUT_MS },
  { "spawnAtOnce", OC_SPAWN_MAX_AT_ONCE },
  { "spawnArgs", OC_SPAWN_MAX_ARGS },
  { "spawnArg", OC_SPAWN_MAX_ARG_BYTES },
  { "spawnArgsBytes", OC_SPAWN_MAX_ARGS_BYTES },
  { "output", OC_OUTPUT_MAX_BYTES },
  { "storageKey", OC_STORE_MAX_KEY_BYTES },
  { "storageValue", OC_STORE_MAX_VALUE_BYTES },
  { "storage", OC_STORE_MAX_BYTES },
  { "openMax", OC_OPEN_MAX },
  { "openBurst", OC_OPEN_BURST },
  { "openBurstMs", OC_OPEN_BURST_MS },
  { "openTimeoutMs", OC_OPEN_TIMEOUT_MS },
  { "url", OC_URL_MAX_CHARS },
  { "logLines", OC_REPORT_MAX_LOG_LINES },
  { "logLine", OC_REPORT_MAX_LOG_BYTES },
  { "errorMessage", OC_REPORT_MAX_MESSAGE_BYTES },
  { "commandTimeout", OC_COMMAND_DEFAULT_TIMEOUT_S },
  { "commandMaxTimeout", OC_COMMAND_MAX_TIMEOUT_S },
  { "id", OC_ID_MAX_BYTES },
  { "permissions", OC_MANIFEST_MAX_PERMISSIONS },
  { "commands", OC_MANIFEST_MAX_ENTRIES },
};

static void
append_strings (GString *text,
                const char *key,
                const char *const *strings)
{
  g_string_append_printf (text, ",\"%s\":[", key);
  for (guint i = 0; strings[i] != NULL; i++)
    {
      g_string_append (text, i > 0 ? "," : "");
      oc_json_append_string (text, strings[i]);
    }
  g_string_append_c (text, ']');
}

static void
append_method (GString *text,
               const OcMethod *method)
{
  const OcCatalogueEntry *entry = method->free ? NULL : oc_catalogue_get (method->permission);

  g_string_append (text, "{\"name\":");
  oc_json_append_string (text, method->name);
  g_string_append (text, ",\"permission\":");
  if (entry != NULL)
    oc_json_append_string (text, entry->id);
  else
    g_string_append (text, "null");
  g_string_append (text, ",\"argument\":");
  oc_json_append_string (text, method->argument ? method->argument : "");
  append_strings (text, "params", method->params);
  g_string_append_c (text, '}');
}

int
main (void)
{
  g_autoptr (GString) text = g_string_new ("{\"methods\":[");
  const OcMethod *method;
  const OcReason *reason;

  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    {
      g_string_append (text, i > 0 ? "," : "");
      append_method (text, method);
    }
  g_string_append (text, "],\"reasons\":[");
  for (guint i = 0; (reason = oc_reason_get (i)) != NULL; i++)
    {
      g_string_append_printf (text, "%s{\"code\":%d", i > 0 ? "," : "", reason->code);
      g_string_append (text, ",\"reason\":");
      oc_json_append_string (text, reason->reason);
      append_strings (text, "methods", reason->methods);
      g_string_append_c (text, '}');
    }
  g_string_append (text, "],\"permissions\":[");
  for (OcPermissionKind kind = OC_PERMISSION_UNKNOWN + 1; kind < OC_N_PERMISSIONS; kind++)
    {
      g_string_append_printf (text, "%s{\"id\":", kind > OC_PERMISSION_UNKNOWN + 1 ? "," : "");
      oc_json_append_string (text, oc_catalogue_get (kind)->id);
      g_string_append_printf (text, ",\"argument\":%s}", oc_permission_kind_takes_argument (kind) ? "true" : "false");
    }
  g_string_append (text, "],\"limits\":{");
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    g_string_append_printf (text, "%s\"%s\":%" G_GINT64_FORMAT, i > 0 ? "," : "", limits[i].name, limits[i].value);
  g_string_append (text, "}}\n");
  return fputs (text->str, stdout) == EOF;
}
