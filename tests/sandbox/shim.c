/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel that lacks something, simulated: makes one kind of system call fail, then executes the
 * rest of its arguments. Usage: sandbox-shim LAYER PROGRAM [ARGUMENT…] */
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct
{
  const char *layer;
  int call;
  int error;
  int argument; /* below zero: whatever the arguments are */
  scmp_datum_t mask, value;
} Missing;

#define ALL(layer, call, error)                                                                    \
  {                                                                                                \
    layer, SCMP_SYS (call), error, -1, 0, 0                                                        \
  }

static const Missing missing[] = {
  ALL ("landlock-off", landlock_create_ruleset, EOPNOTSUPP),
  ALL ("landlock-unknown", landlock_create_ruleset, ENOSYS),
  ALL ("landlock-rules", landlock_add_rule, ENOMEM),
  ALL ("landlock-restrict", landlock_restrict_self, EPERM),
  ALL ("seccomp", seccomp, EINVAL),
  /* As in a container whose manager answers filters itself: the kernel has one listener for a process. */
  { "seccomp-listener", SCMP_SYS (seccomp), EBUSY, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER },
  { "user-namespace", SCMP_SYS (clone), EPERM, 0, CLONE_NEWUSER, CLONE_NEWUSER },
  /* As where only bubblewrap may: it makes its namespaces without a process descriptor. */
  { "user-namespace-direct", SCMP_SYS (clone), EPERM, 0, CLONE_NEWUSER | CLONE_PIDFD, CLONE_NEWUSER | CLONE_PIDFD },
  /* As where bubblewrap's child may use no capability, but bubblewrap. */
  ALL ("powerless", mount_setattr, EPERM),
  { "powerless", SCMP_SYS (prctl), EPERM, 0, 0xffffffff, PR_CAPBSET_DROP },
  { "powerless", SCMP_SYS (prctl), EPERM, 0, 0xffffffff, PR_SET_SECUREBITS },
  { "user-namespace-limit", SCMP_SYS (clone), ENOSPC, 0, CLONE_NEWUSER, CLONE_NEWUSER },
  ALL ("mount-setattr", mount_setattr, ENOSYS),
  ALL ("open-tree", open_tree, ENOSYS),
  ALL ("move-mount", move_mount, EPERM),
  ALL ("fsopen", fsopen, EPERM),
  ALL ("mount", mount, EPERM),
  ALL ("openat2", openat2, ENOSYS),
  ALL ("close-range", close_range, ENOSYS),
  ALL ("capset", capset, EPERM),
  { "bounding-set", SCMP_SYS (prctl), EPERM, 0, 0xffffffff, PR_CAPBSET_DROP },
  { "securebits", SCMP_SYS (prctl), EPERM, 0, 0xffffffff, PR_SET_SECUREBITS },
  { "no-new-privs", SCMP_SYS (prctl), EINVAL, 0, 0xffffffff, PR_SET_NO_NEW_PRIVS },
  { "limits", SCMP_SYS (prlimit64), EPERM, 1, 0xffffffff, RLIMIT_FSIZE },
  ALL ("hostname", sethostname, EPERM),
  { "network-loopback", SCMP_SYS (ioctl), EPERM, 1, 0xffffffff, SIOCSIFFLAGS },
  { "network-route", SCMP_SYS (socket), EAFNOSUPPORT, 0, 0xffffffff, AF_NETLINK },
  { "network-watch", SCMP_SYS (socket), EPERM, 0, 0xffffffff, AF_PACKET },
};

int
main (int argc, char **argv)
{
  scmp_filter_ctx context = seccomp_init (SCMP_ACT_ALLOW);
  int found = 0;

  for (size_t i = 0; argc > 2 && i < sizeof missing / sizeof *missing; i++)
    {
      const Missing *row = &missing[i];
      struct scmp_arg_cmp compare = { .arg = (unsigned)row->argument,
                                      .op = SCMP_CMP_MASKED_EQ,
                                      .datum_a = row->mask,
                                      .datum_b = row->value };

      if (strcmp (row->layer, argv[1]) != 0)
        continue;
      found = 1;
      if (seccomp_rule_add_array (context, SCMP_ACT_ERRNO ((unsigned)row->error), row->call,
                                  row->argument < 0 ? 0 : 1, &compare)
          != 0)
        return 2;
    }
  if (!found && strcmp (argc > 2 ? argv[1] : "", "nothing") != 0)
    return 2;
  if (seccomp_load (context) != 0)
    {
      perror ("sandbox-shim");
      return 2;
    }
  execv (argv[2], argv + 2);
  return 2;
}
