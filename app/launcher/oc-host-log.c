/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <glib/gi18n-lib.h>

static const char *const levels[] = { "debug", "info", "warning", "error", NULL };

/* Kept up to a number of lines; what comes after is counted. Never an error for the plugin: a log that fails helps nobody. */
void
oc_host_log (OcCall *call)
{
  JsonObject *params = oc_call_get_params (call);
  JsonNode *message = json_object_get_member (params, "message");
  const char *level;

  if (!oc_call_read_string (call, "level", 16, &level))
    return;
  if (!g_strv_contains (levels, level))
    {
      oc_call_fail_param (call, "level", _("debug, info, warning or error"));
      return;
    }
  if (message == NULL || json_node_get_value_type (message) != G_TYPE_STRING)
    {
      oc_call_fail_param (call, "message", _("a string"));
      return;
    }
  oc_report_add_log (oc_call_get_host (call)->report, level, json_node_get_string (message));
  oc_call_return (call, NULL);
}
