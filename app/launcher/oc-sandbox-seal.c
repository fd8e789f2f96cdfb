/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stage 2: what is shared by all executors. Plain C: see oc-sandbox-private.h. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/oc-landlock.h"
#include "launcher/oc-sandbox-private.h"
#include "launcher/oc-seccomp.h"

#define MAX_CAPABILITY 63
#define SECURE_BITS                                                                                \
  (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED   \
   | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

static void
set_limits (const OcStage *stage)
{
  for (size_t i = 0; i < stage->n_limits; i++)
    {
      const OcStageLimit *limit = &stage->limits[i];
      struct rlimit now;
      rlim_t value = (rlim_t)limit->value;

      if (getrlimit (limit->resource, &now) != 0)
        oc_stage_fail (stage, OC_LAYER_LIMITS, "getrlimit");
      /* The user's own limit may be lower already; it cannot be raised, nor should it be. */
      if (now.rlim_max < value)
        value = now.rlim_max;
      now.rlim_cur = now.rlim_max = value;
      if (setrlimit (limit->resource, &now) != 0)
        oc_stage_fail (stage, OC_LAYER_LIMITS, "setrlimit");
    }
}

/* Where the system lets bubblewrap's child use no capability, as Ubuntu's AppArmor profile does, it cannot take the ways to
 * new ones away for good either. Then no_new_privs, set by bubblewrap before, has to do: with it, executing a file gives
 * nothing that is not held already, and nothing is held. */
static bool
is_denied (const OcStage *stage)
{
  return stage->powerless && errno == EPERM && prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static void
drop_capabilities (const OcStage *stage)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

  /* For uid 0: executing a file brings nothing back. */
  if (prctl (PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0) != 0 && !is_denied (stage))
    oc_stage_fail (stage, OC_LAYER_CAPABILITIES, "securebits");
  for (unsigned long i = 0; i <= MAX_CAPABILITY; i++)
    if (prctl (PR_CAPBSET_DROP, i, 0, 0, 0) != 0)
      {
        if (errno == EINVAL && i > 0) /* above the kernel's last one */
          break;
        if (is_denied (stage))
          break;
        oc_stage_fail (stage, OC_LAYER_CAPABILITIES, "bounding set");
      }
  if (prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_CAPABILITIES, "ambient set");
  if (syscall (SYS_capset, &header, data) != 0)
    oc_stage_fail (stage, OC_LAYER_CAPABILITIES, "capset");
}

OcFilter
oc_stage_get_filter (const OcStage *stage)
{
  if (!stage->sockets)
    return OC_FILTER_NONE;
  return stage->watched ? OC_FILTER_WATCHED : OC_FILTER_CLIENT;
}

/* Without the rules that the launcher makes, less can be read, not more; but then the plugin would not work. */
static void
wait_for_rules (const OcStage *stage)
{
  char done;
  ssize_t n;

  do
    n = read (stage->rules_fd, &done, 1);
  while (n < 0 && errno == EINTR);
  if (n == 1)
    {
      close (stage->rules_fd);
      return;
    }
  errno = n == 0 ? EPIPE : errno;
  oc_stage_fail (stage, OC_LAYER_LANDLOCK, "rules");
}

void
oc_stage_seal (const OcStage *stage)
{
  const char *what = NULL;
  int notifier;

  set_limits (stage);
  drop_capabilities (stage);
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    oc_stage_fail (stage, OC_LAYER_NO_NEW_PRIVS, "prctl");
  if (stage->filled_outside)
    wait_for_rules (stage);
  if (oc_landlock_apply (stage, &what) != 0)
    oc_stage_fail (stage, OC_LAYER_LANDLOCK, what);
  notifier = oc_seccomp_apply (oc_stage_get_filter (stage));
  if (notifier < 0)
    oc_stage_fail (stage, OC_LAYER_SECCOMP, "filter");
  oc_stage_send (stage, OC_REPORT_NOTIFIER, OC_LAYER_SECCOMP, &notifier, 1);
  close (notifier); /* whoever has it can let calls through */
}
