/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "launcher/oc-executor.h"
#include "launcher/oc-landlock.h"
#include "launcher/oc-process-private.h"

gboolean
oc_sandbox_check_uid (gboolean allow_root, GError **error)
{
  if (geteuid () != 0 || allow_root)
    return TRUE;
  /* What to do is the remedy of the layer. */
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               "launcher: plugins are not run as " OC_NOT_AS_ROOT ", whom some limits do not bind");
  return FALSE;
}

/* A descriptor that names a host file, folder, terminal or socket would let the plugin act through
 * the host's own mount: reopen it for writing, fchmod() it, openat (fd, ".."). Replaces /dev/null
 * by -1: made anew inside. */
static gboolean
check_descriptor (int *fd, int place, GError **error)
{
  struct stat info;
  struct statfs system;

  if (*fd < 0)
    return TRUE;
  if (fstat (*fd, &info) != 0 || fstatfs (*fd, &system) != 0)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_DESCRIPTORS, "stat", errno);
      return FALSE;
    }
  if (S_ISFIFO (info.st_mode) && system.f_type == PIPEFS_MAGIC)
    return TRUE;
  if (S_ISCHR (info.st_mode) && info.st_rdev == makedev (1, 3) && place <= STDERR_FILENO)
    {
      *fd = -1;
      return TRUE;
    }
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
               "descriptors: descriptor %d is neither an anonymous pipe nor /dev/null", place);
  return FALSE;
}

/* The plan and the command, ready for an executor. */
static OcFlat *
make_flat (OcPlan *plan, const OcCommand *command, GError **error)
{
  g_autoptr (OcFlat) flat = oc_flat_new (plan);

  for (int i = 0; i < 5; i++)
    {
      flat->stage.fds[i] = command->fds[i];
      if (!check_descriptor (&flat->stage.fds[i], i, error))
        return NULL;
    }
  /* Said here too, since it is the one layer an ordinary machine may lack altogether. Stage 2
   * checks again. */
  if (oc_landlock_get_abi () < OC_LANDLOCK_MIN_ABI)
    {
      oc_sandbox_set_layer_error (error, OC_LAYER_LANDLOCK, "version", EOPNOTSUPP);
      return NULL;
    }
  flat->stage.program = command->program;
  flat->stage.argv = command->argv;
  flat->stage.env = command->env;
  flat->stage.notify = command->notify;
  return g_steal_pointer (&flat);
}

OcProcess *
oc_sandbox_start_on (OcExecutor executor,
                     OcPlan *plan,
                     const OcCommand *command,
                     gboolean *namespaces_refused,
                     GError **error)
{
  g_autoptr (OcFlat) flat = NULL;

  g_return_val_if_fail (plan != NULL && command != NULL && g_path_is_absolute (command->program),
                        NULL);
  flat = make_flat (plan, command, error);
  if (flat == NULL)
    return NULL;
  if (executor == OC_EXECUTOR_BUBBLEWRAP)
    return oc_sandbox_start_bubblewrap (flat, error);
  return oc_sandbox_start_direct (flat, namespaces_refused, error);
}
