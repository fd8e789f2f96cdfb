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
#include <sys/stat.h>
#include <sys/syscall.h>

#include "launcher/oc-seccomp.h"

#define oc_seccomp_none x86_64_none
#define oc_seccomp_client x86_64_client
#define oc_seccomp_watched x86_64_watched
#define oc_seccomp_answers x86_64_answers
#include "filters-x86_64.h"
#undef oc_seccomp_none
#undef oc_seccomp_client
#undef oc_seccomp_watched
#undef oc_seccomp_answers
#define oc_seccomp_none aarch64_none
#define oc_seccomp_client aarch64_client
#define oc_seccomp_watched aarch64_watched
#define oc_seccomp_answers aarch64_answers
#include "filters-aarch64.h"

#define ALLOW SECCOMP_RET_ALLOW
#define KILL SECCOMP_RET_KILL_PROCESS
#define ASK SECCOMP_RET_USER_NOTIF
#define ERROR(error) (SECCOMP_RET_ERRNO | (error))
#define ANY_NETWORK 2

#define N_FILTERS 3

typedef struct
{
  guint32 arch;
  struct
  {
    const struct sock_filter *filter;
    gsize length;
  } programs[N_FILTERS];
  const OcAnswer *answers;
  gsize n_answers;
} Arch;

#define PROGRAM(name)                                                                              \
  {                                                                                                \
    name, G_N_ELEMENTS (name)                                                                      \
  }

static const Arch arches[] = {
  { AUDIT_ARCH_X86_64,
    { PROGRAM (x86_64_none), PROGRAM (x86_64_client), PROGRAM (x86_64_watched) },
    x86_64_answers,
    G_N_ELEMENTS (x86_64_answers) },
  { AUDIT_ARCH_AARCH64,
    { PROGRAM (aarch64_none), PROGRAM (aarch64_client), PROGRAM (aarch64_watched) },
    aarch64_answers,
    G_N_ELEMENTS (aarch64_answers) },
};
/* The order of the programs above. */
static const OcFilter filters[N_FILTERS] = { OC_FILTER_NONE, OC_FILTER_CLIENT, OC_FILTER_WATCHED };

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

/* What comes of a call in the end, the launcher's answer included. */
static guint32
decide (const Arch *arch, guint n, const struct seccomp_data *data)
{
  guint32 got = evaluate (arch->programs[n].filter, arch->programs[n].length, data);
  OcVerdictOnCall verdict;

  if (got != ASK)
    return got;
  verdict = oc_seccomp_judge_with (arch->answers, arch->n_answers, filters[n], data->nr,
                                   (const uint64_t *)data->args);
  g_assert_nonnull (verdict.name); /* whatever is asked is in the table */
  return verdict.error == 0 ? ALLOW : ERROR ((guint32)verdict.error);
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
    for (guint n = 0; n < N_FILTERS; n++)
      {
        struct seccomp_data data = { .arch = arch->arch, .nr = cases[i].number };
        guint32 got;

        if (cases[i].network != ANY_NETWORK && cases[i].network != (n > 0))
          continue;
        if (cases[i].call != NULL)
          data.nr = seccomp_syscall_resolve_name_arch (arch->arch, cases[i].call);
        g_assert_true (cases[i].call == NULL || data.nr >= 0);
        for (gsize j = 0; j < G_N_ELEMENTS (cases[i].args); j++)
          data.args[j] = cases[i].args[j];
        got = decide (arch, n, &data);
        if (got != cases[i].expected)
          g_error ("row %" G_GSIZE_FORMAT " (%s), filter %u: expected %x, got %x", i,
                   cases[i].call != NULL ? cases[i].call : "number", n, cases[i].expected,
                   got);
      }
}

/* Every other ABI is ended: its numbers mean other calls. */
static void
test_other_abis (void)
{
  static const guint32 others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (arches); i++)
    for (guint n = 0; n < N_FILTERS; n++)
      {
        /* uname() of the one, read() of the other */
        struct seccomp_data data = { .nr = 63 };

        for (gsize j = 0; j < G_N_ELEMENTS (others); j++)
          {
            data.arch = others[j];
            g_assert_cmphex (decide (&arches[i], n, &data), ==, KILL);
          }
        data.arch = arches[i].arch; /* the control */
        g_assert_cmphex (decide (&arches[i], n, &data), ==, ALLOW);
      }
}

/* What the activity calls them. */
static const struct
{
  const char *call;
  guint filters;
  const char *group; /* NULL: goes on */
  guint64 args[6];
} groups[] = {
  { "socket", OC_FILTER_NONE, "socket", { AF_INET, SOCK_STREAM } },
  { "socket", OC_FILTER_NONE, "socket", { AF_INET6, SOCK_DGRAM } },
  { "socket", OC_FILTER_NONE, "socket", { (G_GUINT64_CONSTANT (1) << 32) | AF_INET, SOCK_STREAM } },
  { "socket", 7, "local-socket", { AF_UNIX, SOCK_STREAM } },
  { "socket", 7, "special-socket", { AF_NETLINK, SOCK_RAW } },
  { "socket", 6, "special-socket", { AF_INET, SOCK_RAW, 1 } },
  { "socket", 6, "special-socket", { AF_INET, SOCK_DGRAM, 1 } },
  { "socket", OC_FILTER_WATCHED, NULL, { AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 17 } },
  { "socketpair", 7, "local-socket", { AF_UNIX, SOCK_DGRAM } },
  { "connect", OC_FILTER_NONE, "socket", { 3, 0x1000, 16 } },
  { "connect", OC_FILTER_WATCHED, NULL, { 3, 0x1000, 16 } },
  { "sendto", OC_FILTER_NONE, "socket", { 3, 0, 0, 0, 0x1000, 16 } },
  { "sendto", OC_FILTER_WATCHED, NULL, { 3, 0, 0, 0, 0x1000, 16 } },
  { "sendmsg", OC_FILTER_WATCHED, NULL, { 3, 0x1000, MSG_FASTOPEN | MSG_DONTWAIT } },
  { "sendmmsg", OC_FILTER_WATCHED, NULL, { 3, 0x1000, 1, MSG_FASTOPEN } },
  { "bind", 7, "listen", { 0 } },
  { "listen", 7, "listen", { 0 } },
  { "accept4", 7, "listen", { 0 } },
  { "ptrace", 7, "trace", { 0 } },
  { "unshare", 7, "namespace", { CLONE_NEWUSER } },
  { "clone", 7, "namespace", { CLONE_NEWUSER } },
  { "mount", 7, "mount", { 0 } },
  { "ioctl", 7, "terminal", { 0, TIOCSTI } },
  { "keyctl", 7, "keyring", { 0 } },
  { "bpf", 7, "kernel", { 0 } },
  { "open_by_handle_at", 7, "file-handle", { 0 } },
  { "mknodat", 7, "device", { 0, 0x1000, S_IFCHR | 0600 } },
  { "mknodat", 7, "set-user-id", { 0, 0x1000, S_IFREG | 04755 } },
  { "fchmodat", 7, "set-user-id", { 0, 0x1000, 04755 } },
  { "openat", 7, "set-user-id", { 0, 0x1000, O_CREAT, 04755 } },
  { "fcntl", 7, "lease", { 0, F_SETLEASE } },
};

static void
test_groups (gconstpointer user_data)
{
  const Arch *arch = user_data;

  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    for (guint n = 0; n < N_FILTERS; n++)
      {
        struct seccomp_data data = { .arch = arch->arch };
        OcVerdictOnCall verdict;

        if ((groups[i].filters & filters[n]) == 0)
          continue;
        data.nr = seccomp_syscall_resolve_name_arch (arch->arch, groups[i].call);
        memcpy (data.args, groups[i].args, sizeof data.args);
        g_assert_cmphex (evaluate (arch->programs[n].filter, arch->programs[n].length, &data), ==,
                         ASK);
        verdict = oc_seccomp_judge_with (arch->answers, arch->n_answers, filters[n], data.nr,
                                         groups[i].args);
        g_assert_cmpstr (verdict.name, ==, groups[i].call);
        g_assert_cmpint (verdict.error == 0, ==, groups[i].group == NULL);
        if (groups[i].group != NULL)
          g_assert_cmpstr (oc_group_to_id (verdict.group), ==, groups[i].group);
      }
}

/* What every program does is not asked about, nor is what ordinary programs try that do without it: no time, no record. */
static void
test_unasked (gconstpointer user_data)
{
  static const char *const calls[] = { "read",    "write",      "clone3",         "openat2", "io_uring_setup",
                                       "sendmsg", "get_mempolicy", "prlimit64", "openat",  "recvmsg" };
  const Arch *arch = user_data;

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    for (guint n = 0; n < N_FILTERS; n++)
      {
        struct seccomp_data data = { .arch = arch->arch };

        data.nr = seccomp_syscall_resolve_name_arch (arch->arch, calls[i]);
        g_assert_cmphex (evaluate (arch->programs[n].filter, arch->programs[n].length, &data), !=,
                         ASK);
      }
}

/* Values that the rules look for, and what lies beside them. */
static guint64
pick_argument (void)
{
  static const guint64 values[] = { 0,  1,  2,  3,  5,     6,          9,    10,   11,     16,
                                    17, 18, 38, 40, 0x1000, SOCK_CLOEXEC | 2, 02000, 04755, 0x20000000, G_MAXUINT64 };
  guint64 value = values[g_test_rand_int_range (0, G_N_ELEMENTS (values))];

  if (g_test_rand_int_range (0, 8) == 0)
    value |= G_GUINT64_CONSTANT (1) << g_test_rand_int_range (0, 64);
  return value;
}

/* "Go on" is only ever said to what the filter that watches nobody lets through, and "no" to what it refuses. */
static void
test_watched_like_client (gconstpointer user_data)
{
  const Arch *arch = user_data;
  guint n_gone_on = 0, n_refused = 0;

  for (guint i = 0; i < 200000; i++)
    {
      const OcAnswer *answer = &arch->answers[g_test_rand_int_range (0, (gint32)arch->n_answers)];
      struct seccomp_data data = { .arch = arch->arch, .nr = answer->call };
      guint32 client, watched;

      for (gsize j = 0; j < G_N_ELEMENTS (data.args); j++)
        data.args[j] = pick_argument ();
      client = decide (arch, 1, &data);
      watched = decide (arch, 2, &data);
      g_assert_cmphex (watched, ==, client);
      if (evaluate (arch->programs[2].filter, arch->programs[2].length, &data) == ASK)
        *(watched == ALLOW ? &n_gone_on : &n_refused) += 1;
      /* And never what no filter asks about. */
      g_assert_cmphex (evaluate (arch->programs[1].filter, arch->programs[1].length, &data) == ASK,
                       ==, client != ALLOW && client != ERROR (ENOSYS));
    }
  g_assert_cmpuint (n_gone_on, >, 1000);
  g_assert_cmpuint (n_refused, >, 1000);
}

/* What the table does not know is refused, whatever asked. */
static void
test_unknown_is_refused (void)
{
  const guint64 args[6] = { 0 };

  g_assert_cmpint (oc_seccomp_judge (OC_FILTER_WATCHED, 0, args).error, ==, EPERM);
  g_assert_cmpint (oc_seccomp_judge (OC_FILTER_WATCHED, -1, args).error, ==, EPERM);
  g_assert_cmpint (oc_seccomp_judge (OC_FILTER_NONE, SYS_connect, args).error, ==, EACCES);
  g_assert_cmpint (oc_seccomp_judge (OC_FILTER_WATCHED, SYS_connect, args).error, ==, 0); /* the control */
}

/* A listener of the plugin's own could say "go on" (the last filter's answer counts) once the launcher's is gone. */
static void
test_no_listener_of_its_own (gconstpointer user_data)
{
  const Arch *arch = user_data;

  for (guint n = 0; n < N_FILTERS; n++)
    {
      struct seccomp_data data = { .arch = arch->arch, .args = { SECCOMP_SET_MODE_FILTER } };

      data.nr = seccomp_syscall_resolve_name_arch (arch->arch, "seccomp");
      g_assert_cmphex (evaluate (arch->programs[n].filter, arch->programs[n].length, &data), ==, ALLOW);
      data.args[1] = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_LOG;
      g_assert_cmphex (evaluate (arch->programs[n].filter, arch->programs[n].length, &data), ==,
                       ERROR (EBUSY));
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
  static const struct
  {
    const char *name;
    GTestDataFunc test;
  } tests[] = {
    { "calls", test_calls },
    { "groups", test_groups },
    { "unasked", test_unasked },
    { "watched-like-client", test_watched_like_client },
    { "no-listener-of-its-own", test_no_listener_of_its_own },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (arches); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (tests); j++)
      {
        g_autofree char *path = g_strdup_printf ("/filters/%s/%s", i == 0 ? "x86-64" : "aarch64",
                                                 tests[j].name);

        g_test_add_data_func (path, &arches[i], tests[j].test);
      }
  g_test_add_func ("/filters/other-abis", test_other_abis);
  g_test_add_func ("/filters/x32", test_x32);
  g_test_add_func ("/filters/unknown-is-refused", test_unknown_is_refused);
  return g_test_run ();
}
