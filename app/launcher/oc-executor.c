/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which executor is used. */
#include "launcher/oc-executor.h"

#include <string.h>

#include "core/oc-error.h"

/* Atomic. What was asked for, and, where that was to be found out, what was found. */
static gint asked = OC_EXECUTOR_AUTO;
static gint found = OC_EXECUTOR_AUTO;

static const struct
{
  OcExecutor executor;
  const char *id;
} ids[] = {
  { OC_EXECUTOR_DIRECT, "direct" },
  { OC_EXECUTOR_BUBBLEWRAP, "bubblewrap" },
};

const char *
oc_executor_to_id (OcExecutor executor)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    if (ids[i].executor == executor)
      return ids[i].id;
  return NULL;
}

gboolean
oc_executor_from_id (const char *id, OcExecutor *executor)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    if (strcmp (ids[i].id, id) == 0)
      {
        *executor = ids[i].executor;
        return TRUE;
      }
  return FALSE;
}

void
oc_sandbox_set_executor (OcExecutor executor)
{
  g_atomic_int_set (&asked, (gint)executor);
  g_atomic_int_set (&found, (gint)executor);
}

OcExecutor
oc_executor_get_asked (void)
{
  return (OcExecutor)g_atomic_int_get (&asked);
}

OcExecutor
oc_sandbox_get_executor (void)
{
  return (OcExecutor)g_atomic_int_get (&found);
}

static OcProcess *
start_bubblewrap (OcPlan *plan, const OcCommand *command, GError **error)
{
  if (!oc_executor_check_bubblewrap (error))
    return NULL;
  return oc_sandbox_start_on (OC_EXECUTOR_BUBBLEWRAP, plan, command, NULL, error);
}

OcProcess *
oc_sandbox_start (OcPlan *plan, const OcCommand *command, GError **error)
{
  g_autoptr (GError) refused = NULL;
  g_autoptr (GError) other = NULL;
  gboolean namespaces_refused = FALSE;
  OcProcess *process;

  if (oc_sandbox_get_executor () == OC_EXECUTOR_BUBBLEWRAP)
    return start_bubblewrap (plan, command, error);
  process = oc_sandbox_start_on (OC_EXECUTOR_DIRECT, plan, command, &namespaces_refused, &refused);
  if (process == NULL && namespaces_refused && g_atomic_int_get (&asked) == OC_EXECUTOR_AUTO)
    {
      if (!oc_executor_check_bubblewrap (&other))
        {
          g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, OC_NOR_BUBBLEWRAP, refused->message, other->message);
          return NULL;
        }
      g_atomic_int_set (&found, OC_EXECUTOR_BUBBLEWRAP);
      return oc_sandbox_start_on (OC_EXECUTOR_BUBBLEWRAP, plan, command, NULL, error);
    }
  if (process == NULL)
    g_propagate_error (error, g_steal_pointer (&refused));
  else
    g_atomic_int_set (&found, OC_EXECUTOR_DIRECT);
  return process;
}
