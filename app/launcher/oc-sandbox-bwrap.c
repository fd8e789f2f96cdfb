/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-error.h"
#include "launcher/oc-executor.h"
#include "launcher/oc-process-private.h"

OcProcess *
oc_sandbox_start_bubblewrap (OcFlat *flat G_GNUC_UNUSED, GError **error)
{
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "user-namespace: bubblewrap is not used yet");
  return NULL;
}

gboolean
oc_executor_check_bubblewrap (GError **error)
{
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "user-namespace: bubblewrap is not used yet");
  return FALSE;
}
