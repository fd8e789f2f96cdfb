/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters of both architectures, evaluated by a small interpreter: so that aarch64's are tried
 * on x86-64 too. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define oc_seccomp_none x86_64_none
#define oc_seccomp_client x86_64_client
#include "filters-x86_64.h"
#undef oc_seccomp_none
#undef oc_seccomp_client
#define oc_seccomp_none aarch64_none
#define oc_seccomp_client aarch64_client
#include "filters-aarch64.h"

#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_PROCESS
#define ERROR(error) (SECCOMP_RET_ERRNO | (error))
#define ANY_NETWORK 2

typedef struct
{
  guint32 arch;
  const struct sock_filter *filters[2]; /* none, client */
  gsize lengths[2];
} Arch;

static const Arch arches[] = {
  { AUDIT_ARCH_X86_64,
    { x86_64_none, x86_64_client },
    { G_N_ELEMENTS (x86_64_none), G_N_ELEMENTS (x86_64_client) } },
  { AUDIT_ARCH_AARCH64,
    { aarch64_none, aarch64_client },
    { G_N_ELEMENTS (aarch64_none), G_N_ELEMENTS (aarch64_client) } },
};

static guint32
load (const struct seccomp_data *data, guint32 offset)
{
  guint32 value;

  g_assert_cmpuint (offset, <=, sizeof *data - sizeof value);
  memcpy (&value, (const char *)data + offset, sizeof value);
  return value;
}

static gboolean
jumps (const struct sock_filter *at, guint32 a)
{
  switch (BPF_OP (at->code))
    {
    case BPF_JEQ:
      return a == at->k;
    case BPF_JGT:
      return a > at->k;
    case BPF_JGE:
      return a >= at->k;
    case BPF_JSET:
      return (a & at->k) != 0;
    default:
      g_assert_not_reached ();
    }
}

/* What libseccomp and the generator emit, and nothing else. */
static guint32
evaluate (const struct sock_filter *program, gsize length, const struct seccomp_data *data)
{
  guint32 a = 0;

  for (gsize i = 0; i < length; i++)
    {
      const struct sock_filter *at = &program[i];

      switch (BPF_CLASS (at->code))
        {
        case BPF_LD:
          a = load (data, at->k);
          break;
        case BPF_ALU:
          g_assert_cmpint (BPF_OP (at->code), ==, BPF_AND);
          a &= at->k;
          break;
        case BPF_JMP:
          i += BPF_OP (at->code) == BPF_JA ? at->k : jumps (at, a) ? at->jt : at->jf;
          break;
        case BPF_RET:
          return at->k;
        default:
          g_assert_not_reached ();
        }
    }
  g_assert_not_reached ();
}

static const struct
{
  const char *call; /* NULL: by number */
  int number;
  int network; /* 0, 1, or ANY_NETWORK */
  guint32 expected;
  guint64 args[6];
} cases[] = {
  { "read", 0, ANY_NETWORK, ALLOW, { 0 } },
  { "execve", 0, ANY_NETWORK, ALLOW, { 0 } },
  { "clone", 0, ANY_NETWORK, ALLOW, { CLONE_VM | CLONE_THREAD | CLONE_SIGHAND } },
  { "clone", 0, ANY_NETWORK, ERROR (EPERM), { CLONE_NEWUSER | CLONE_VM } },
  { "clone3", 0, ANY_NETWORK, ERROR (ENOSYS), { 0 } },
  { "mount", 0, ANY_NETWORK, ERROR (EPERM), { 0 } },
  { "ptrace", 0, ANY_NETWORK, ERROR (EPERM), { 0 } },
  { "personality", 0, ANY_NETWORK, ALLOW, { 0 } },
  { "personality", 0, ANY_NETWORK, ERROR (EPERM), { 0x400000 } },
  { "ioctl", 0, ANY_NETWORK, ALLOW, { 0, TCGETS } },
  { "ioctl", 0, ANY_NETWORK, ERROR (EPERM), { 0, TIOCSTI } },
  { "ioctl", 0, ANY_NETWORK, ERROR (EPERM), { 0, G_GUINT64_CONSTANT (0xabc00000000) | TIOCSTI } },
  { "ioctl", 0, ANY_NETWORK, ERROR (EPERM), { 0, TIOCLINUX } },
  { "socket", 0, 0, ERROR (EACCES), { AF_INET, SOCK_STREAM, 0 } },
  { "socket", 0, 1, ALLOW, { AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0 } },
  { "socket", 0, 1, ALLOW, { AF_INET6, SOCK_DGRAM, 17 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_INET, SOCK_RAW, 1 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_INET, SOCK_STREAM, 262 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_INET, SOCK_SEQPACKET, 0 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_UNIX, SOCK_STREAM, 0 } },
  { "socket",
    0,
    1,
    ERROR (EACCES),
    { G_GUINT64_CONSTANT (0x100000000) | AF_UNIX, SOCK_STREAM, 0 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_NETLINK, SOCK_RAW, 0 } },
  { "socket", 0, 1, ERROR (EACCES), { 5, SOCK_DGRAM, 0 } },
  { "socket", 0, 1, ALLOW, { AF_INET, SOCK_STREAM, 6 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_INET, SOCK_DGRAM, 1 } },
  { "socket", 0, 1, ERROR (EACCES), { AF_INET, SOCK_DGRAM, 16 } },
  { "fchmod", 0, ANY_NETWORK, ALLOW, { 0, 01777 } },
  { "fchmod", 0, ANY_NETWORK, ERROR (EPERM), { 0, 04755 } },
  { "fchmod", 0, ANY_NETWORK, ERROR (EPERM), { 0, 02000 } },
  { "fchmodat", 0, ANY_NETWORK, ERROR (EPERM), { 0, 0x1000, 06755 } },
  { "openat", 0, ANY_NETWORK, ALLOW, { 0, 0x1000, O_CREAT | O_WRONLY, 0666 } },
  /* A mode that does not count may be anything. */
  { "openat", 0, ANY_NETWORK, ALLOW, { 0, 0x1000, O_RDONLY | O_DIRECTORY, 06755 } },
  { "openat", 0, ANY_NETWORK, ERROR (EPERM), { 0, 0x1000, O_CREAT | O_WRONLY, 04755 } },
  { "openat", 0, ANY_NETWORK, ERROR (EPERM), { 0, 0x1000, O_TMPFILE | O_WRONLY, 02755 } },
  { "openat2", 0, ANY_NETWORK, ERROR (ENOSYS), { 0 } },
  { "mknodat", 0, ANY_NETWORK, ERROR (EPERM), { 0, 0x1000, 0104755 } },
  { "fcntl", 0, ANY_NETWORK, ALLOW, { 0, F_SETLK } },
  { "fcntl", 0, ANY_NETWORK, ERROR (EACCES), { 0, F_SETLEASE } },
  { "fcntl", 0, ANY_NETWORK, ERROR (EACCES), { 0, (G_GUINT64_CONSTANT (1) << 32) | F_SETLEASE } },
  { "bind", 0, ANY_NETWORK, ERROR (EACCES), { 0 } },
  { "listen", 0, ANY_NETWORK, ERROR (EACCES), { 0 } },
  { "accept4", 0, ANY_NETWORK, ERROR (EACCES), { 0 } },
  { "connect", 0, 0, ERROR (EACCES), { 0 } },
  { "connect", 0, 1, ALLOW, { 0 } },
  { "sendto", 0, 0, ALLOW, { 0, 0, 0, 0, 0, 0 } },
  { "sendto", 0, 0, ERROR (EACCES), { 0, 0, 0, 0, 0x1000, 16 } },
  { "socketpair", 0, ANY_NETWORK, ALLOW, { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC } },
  { "socketpair", 0, ANY_NETWORK, ALLOW, { AF_UNIX, SOCK_SEQPACKET } },
  { "socketpair", 0, ANY_NETWORK, ERROR (EACCES), { AF_UNIX, SOCK_DGRAM } },
  { "socketpair", 0, ANY_NETWORK, ERROR (EACCES), { AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK } },
  { "prlimit64", 0, ANY_NETWORK, ERROR (0), { 0, RLIMIT_CORE, 0x1000 } },
  { "prlimit64", 0, ANY_NETWORK, ALLOW, { 0, RLIMIT_CORE, 0, 0x1000 } },
  { "prlimit64", 0, ANY_NETWORK, ALLOW, { 0, RLIMIT_NOFILE, 0x1000 } },
  { NULL, 451, ANY_NETWORK, ALLOW, { 0 } },          /* cachestat */
  { NULL, 452, ANY_NETWORK, ERROR (ENOSYS), { 0 } }, /* fchmodat2 */
  { NULL, 457, ANY_NETWORK, ERROR (ENOSYS), { 0 } },
  { NULL, 460, ANY_NETWORK, ERROR (EPERM), { 0 } },
  { NULL, 466, ANY_NETWORK, ALLOW, { 0 } },
  { NULL, 467, ANY_NETWORK, ERROR (ENOSYS), { 0 } },
  { NULL, 100000, ANY_NETWORK, ERROR (ENOSYS), { 0 } },
  { NULL, -1, ANY_NETWORK, ERROR (ENOSYS), { 0 } },
};

static void
test_calls (gconstpointer user_data)
{
  const Arch *arch = user_data;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int network = 0; network < 2; network++)
      {
        struct seccomp_data data = { .arch = arch->arch, .nr = cases[i].number };
        guint32 got;

        if (cases[i].network != ANY_NETWORK && cases[i].network != network)
          continue;
        if (cases[i].call != NULL)
          data.nr = seccomp_syscall_resolve_name_arch (arch->arch, cases[i].call);
        g_assert_true (cases[i].call == NULL || data.nr >= 0);
        for (gsize j = 0; j < G_N_ELEMENTS (cases[i].args); j++)
          data.args[j] = cases[i].args[j];
        got = evaluate (arch->filters[network], arch->lengths[network], &data);
        if (got != cases[i].expected)
          g_error ("row %" G_GSIZE_FORMAT " (%s), network %d: expected %x, got %x", i,
                   cases[i].call != NULL ? cases[i].call : "number", network, cases[i].expected,
                   got);
      }
}

/* Every other ABI is ended: its numbers mean other calls. */
static void
test_other_abis (void)
{
  static const guint32 others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (arches); i++)
    for (int network = 0; network < 2; network++)
      {
        struct seccomp_data data = { .nr = 0 };

        for (gsize j = 0; j < G_N_ELEMENTS (others); j++)
          {
            data.arch = others[j];
            g_assert_cmphex (
                evaluate (arches[i].filters[network], arches[i].lengths[network], &data), ==, KILL);
          }
        data.arch = arches[i].arch; /* the control */
        g_assert_cmphex (evaluate (arches[i].filters[network], arches[i].lengths[network], &data),
                         ==, ALLOW);
      }
}

static void
test_x32 (void)
{
  struct seccomp_data data = { .arch = AUDIT_ARCH_X86_64, .nr = 0x40000000 };

  g_assert_cmphex (evaluate (x86_64_none, G_N_ELEMENTS (x86_64_none), &data), ==, KILL);
  data.nr = 0x40000000 | 41;
  g_assert_cmphex (evaluate (x86_64_client, G_N_ELEMENTS (x86_64_client), &data), ==, KILL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/filters/x86-64", &arches[0], test_calls);
  g_test_add_data_func ("/filters/aarch64", &arches[1], test_calls);
  g_test_add_func ("/filters/other-abis", test_other_abis);
  g_test_add_func ("/filters/x32", test_x32);
  return g_test_run ();
}
