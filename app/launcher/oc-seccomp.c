/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain C: see oc-sandbox-private.h. */
#include "launcher/oc-seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "oc-seccomp-filters.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static int
load (const struct sock_filter *filter, size_t size, unsigned long flags)
{
  struct sock_fprog program = {
    .len = (unsigned short)(size / sizeof *filter),
    .filter = (struct sock_filter *)filter,
  };

  return (int)syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

int
oc_seccomp_apply (OcFilter filter)
{
  const struct sock_filter *program = oc_seccomp_none;
  size_t size = sizeof oc_seccomp_none;
  int fd;

  switch (filter)
    {
    case OC_FILTER_NONE:
      break;
    case OC_FILTER_CLIENT:
      program = oc_seccomp_client;
      size = sizeof oc_seccomp_client;
      break;
    case OC_FILTER_WATCHED:
      program = oc_seccomp_watched;
      size = sizeof oc_seccomp_watched;
      break;
    }
  /* Without the second (Linux 5.19) a signal that arrives while the launcher thinks makes the call be asked about anew. */
  fd = load (program, size,
             SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  if (fd < 0 && errno == EINVAL)
    fd = load (program, size, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  return fd;
}
