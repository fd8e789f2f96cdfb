/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain C: see oc-sandbox-private.h. */
#include "launcher/oc-seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "oc-seccomp-filters.h"

int
oc_seccomp_apply (bool network)
{
  struct sock_fprog program = {
    .len = network ? sizeof oc_seccomp_client / sizeof *oc_seccomp_client
                   : sizeof oc_seccomp_none / sizeof *oc_seccomp_none,
    .filter = (struct sock_filter *)(network ? oc_seccomp_client : oc_seccomp_none),
  };

  return (int)syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
