/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build time only: makes the two filters from oc-seccomp-table.h and writes them as a header, so
 * that the launcher does not pay for building them at each start (0.9 ms) nor link libseccomp.
 * Usage: oc-seccomp-gen x86_64|aarch64 > oc-seccomp-filters.h */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum
{
  ALWAYS,
  NO_NETWORK,
  NETWORK,
} Filter;

typedef enum
{
  CONDITION_ANY,
  CONDITION_COMPARE,
  CONDITION_BETWEEN,   /* above one number and below another */
  CONDITION_TYPES_BUT, /* low four bits of a socket's type: all but two */
  CONDITION_CORE_LIMIT,
  CONDITION_SET_ID,       /* a mode with a set-user-id or set-group-id bit */
  CONDITION_MAKES_SET_ID, /* the same, where the flags (argument number a) say that it counts */
} ConditionKind;

typedef struct
{
  ConditionKind kind;
  unsigned int argument;
  enum scmp_compare compare;
  uint64_t a, b;
} Condition;

typedef struct
{
  Filter filter;
  const char *call; /* NULL: by number */
  unsigned int number;
  int error;
  Condition condition;
} Rule;

#define ANY                                                                                        \
  {                                                                                                \
    CONDITION_ANY, 0, 0, 0, 0                                                                      \
  }
#define EQUAL(argument, mask, value)                                                               \
  {                                                                                                \
    CONDITION_COMPARE, argument, SCMP_CMP_MASKED_EQ, mask, value                                   \
  }
#define ABOVE(argument, value)                                                                     \
  {                                                                                                \
    CONDITION_COMPARE, argument, SCMP_CMP_GT, value, 0                                             \
  }
#define BELOW(argument, value)                                                                     \
  {                                                                                                \
    CONDITION_COMPARE, argument, SCMP_CMP_LT, value, 0                                             \
  }
#define BETWEEN(argument, low, high)                                                               \
  {                                                                                                \
    CONDITION_BETWEEN, argument, 0, low, high                                                      \
  }
#define SET_ID(argument)                                                                           \
  {                                                                                                \
    CONDITION_SET_ID, argument, 0, 0, 0                                                            \
  }
#define MAKES_SET_ID(flags, argument)                                                              \
  {                                                                                                \
    CONDITION_MAKES_SET_ID, argument, 0, flags, 0                                                  \
  }
#define RAW_TYPES                                                                                  \
  {                                                                                                \
    CONDITION_TYPES_BUT, 1, 0, SOCK_STREAM, SOCK_DGRAM                                             \
  }
#define PAIR_TYPES                                                                                 \
  {                                                                                                \
    CONDITION_TYPES_BUT, 1, 0, SOCK_STREAM, SOCK_SEQPACKET                                         \
  }
#define CORE_LIMIT                                                                                 \
  {                                                                                                \
    CONDITION_CORE_LIMIT, 1, 0, 0, 0                                                               \
  }
#define SOCK_TYPE_BITS 0xf
#define X32_BIT 0x40000000U

/* The reason is for readers only. */
#define RULE(filter, call, error, condition, reason) { filter, call, 0, error, condition },
#define RULE_NUMBER(filter, number, error, reason) { filter, NULL, number, error, ANY },
static const Rule rules[] = {
#include "launcher/oc-seccomp-table.h"
};
#define N_RULES (sizeof rules / sizeof *rules)

static _Noreturn void
fail (const char *what, int error)
{
  fprintf (stderr, "oc-seccomp-gen: %s: %s\n", what, strerror (error < 0 ? -error : error));
  exit (1);
}

/* @flags_argument: (-1: none). Without O_CREAT or O_TMPFILE a mode means nothing, and may be
 * anything. */
static int
add_set_id (
    scmp_filter_ctx context, uint32_t action, int call, unsigned int argument, int flags_argument)
{
  static const uint64_t bits[] = { S_ISUID, S_ISGID };
  static const uint64_t makes[] = { O_CREAT, O_TMPFILE & ~O_DIRECTORY };
  size_t n_makes = flags_argument < 0 ? 1 : 2;
  int result = 0;

  for (size_t i = 0; i < 2 * n_makes && result == 0; i++)
    {
      struct scmp_arg_cmp compare[2] = {
        { .arg = argument,
          .op = SCMP_CMP_MASKED_EQ,
          .datum_a = bits[i % 2],
          .datum_b = bits[i % 2] },
        { .arg = (unsigned int)flags_argument,
          .op = SCMP_CMP_MASKED_EQ,
          .datum_a = makes[i / 2],
          .datum_b = makes[i / 2] },
      };

      result = seccomp_rule_add_array (context, action, call, flags_argument < 0 ? 1 : 2, compare);
    }
  return result;
}

static int
add_compared (scmp_filter_ctx context, uint32_t action, int call, const Condition *condition)
{
  struct scmp_arg_cmp compare = { .arg = condition->argument, .op = condition->compare };
  int result = 0;

  switch (condition->kind)
    {
    case CONDITION_ANY:
      return seccomp_rule_add (context, action, call, 0);
    case CONDITION_COMPARE:
      compare.datum_a = condition->a;
      compare.datum_b = condition->b;
      return seccomp_rule_add_array (context, action, call, 1, &compare);
    case CONDITION_BETWEEN:
      compare.op = SCMP_CMP_EQ;
      for (compare.datum_a = condition->a + 1; compare.datum_a < condition->b && result == 0;
           compare.datum_a++)
        result = seccomp_rule_add_array (context, action, call, 1, &compare);
      return result;
    case CONDITION_TYPES_BUT:
      compare.op = SCMP_CMP_MASKED_EQ;
      compare.datum_a = SOCK_TYPE_BITS;
      for (compare.datum_b = 0; compare.datum_b <= SOCK_TYPE_BITS && result == 0; compare.datum_b++)
        if (compare.datum_b != condition->a && compare.datum_b != condition->b)
          result = seccomp_rule_add_array (context, action, call, 1, &compare);
      return result;
    case CONDITION_CORE_LIMIT:
      return seccomp_rule_add (context, action, call, 2,
                               SCMP_A1 (SCMP_CMP_MASKED_EQ, 0xffffffff, RLIMIT_CORE),
                               SCMP_A2 (SCMP_CMP_NE, 0));
    case CONDITION_SET_ID:
      return add_set_id (context, action, call, condition->argument, -1);
    case CONDITION_MAKES_SET_ID:
      return add_set_id (context, action, call, condition->argument, (int)condition->a);
    }
  return -EINVAL;
}

static bool
is_in (const Rule *rule, bool network)
{
  return rule->filter == ALWAYS || rule->filter == (network ? NETWORK : NO_NETWORK);
}

/* What libseccomp makes of the named calls. Returns the number of instructions. */
static size_t
build (uint32_t arch, bool network, struct sock_filter *out, size_t max)
{
  scmp_filter_ctx context = seccomp_init (SCMP_ACT_ALLOW);
  int fd = memfd_create ("filter", MFD_CLOEXEC);
  ssize_t n;

  if (context == NULL || fd < 0)
    fail ("start", errno);
  if (arch != seccomp_arch_native ()
      && (seccomp_arch_add (context, arch) != 0
          || seccomp_arch_remove (context, SCMP_ARCH_NATIVE) != 0))
    fail ("architecture", EINVAL);
  if (seccomp_attr_set (context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0
      || seccomp_attr_set (context, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0)
    fail ("attributes", EINVAL);
  for (size_t i = 0; i < N_RULES; i++)
    {
      const Rule *rule = &rules[i];
      int call, result;

      if (rule->call == NULL || !is_in (rule, network))
        continue;
      call = seccomp_syscall_resolve_name (rule->call);
      if (call == __NR_SCMP_ERROR)
        fail (rule->call, ENOENT);
      /* Not on this architecture: nothing to refuse. */
      if (seccomp_syscall_resolve_name_arch (arch, rule->call) < 0)
        continue;
      result = add_compared (context, SCMP_ACT_ERRNO (rule->error), call, &rule->condition);
      if (result != 0)
        fail (rule->call, result);
    }
  if (seccomp_export_bpf (context, fd) != 0)
    fail ("export", EIO);
  seccomp_release (context);
  n = pread (fd, out, max * sizeof *out, 0);
  close (fd);
  if (n <= 0 || (size_t)n == max * sizeof *out || n % (ssize_t)sizeof *out != 0)
    fail ("read", EIO);
  return (size_t)n / sizeof *out;
}

/* What libseccomp cannot say, put before its program (whose jumps are relative): other ABIs, newer
 * numbers, calls it does not know by name. */
static size_t
build_prelude (uint32_t arch, bool network, struct sock_filter *out)
{
  const uint32_t kill = SECCOMP_RET_KILL_PROCESS, none = SECCOMP_RET_ERRNO | ENOSYS;
  size_t n = 0;

  out[n++] = (struct sock_filter)BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                                           offsetof (struct seccomp_data, arch));
  out[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0);
  out[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K, kill);
  out[n++] = (struct sock_filter)BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                                           offsetof (struct seccomp_data, nr));
  if (arch == AUDIT_ARCH_X86_64)
    {
      /* x32 says it is x86-64 and has its own numbers. -1, which tracers use, is no call at all. */
      out[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 2, 0);
      out[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
      out[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K, kill);
    }
  out[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JGT | BPF_K, LAST_NUMBER, 0, 1);
  out[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K, none);
  for (size_t i = 0; i < N_RULES; i++)
    if (rules[i].call == NULL && is_in (&rules[i], network))
      {
        out[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, rules[i].number, 0, 1);
        out[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K,
                                                 SECCOMP_RET_ERRNO | (uint32_t)rules[i].error);
      }
  return n;
}

static void
print_filter (uint32_t arch, bool network, const char *name)
{
  static struct sock_filter program[BPF_MAXINSNS];
  size_t n = build_prelude (arch, network, program);

  n += build (arch, network, program + n, BPF_MAXINSNS - n);
  printf ("static const struct sock_filter %s[] = {\n", name);
  for (size_t i = 0; i < n; i++)
    printf ("  { 0x%04x, %u, %u, 0x%08x },\n", program[i].code, program[i].jt, program[i].jf,
            program[i].k);
  printf ("};\n");
}

int
main (int argc, char **argv)
{
  uint32_t arch;

  if (argc == 2 && strcmp (argv[1], "x86_64") == 0)
    arch = SCMP_ARCH_X86_64;
  else if (argc == 2 && strcmp (argv[1], "aarch64") == 0)
    arch = SCMP_ARCH_AARCH64;
  else
    fail ("the sandbox is written for x86-64 and aarch64 only", EINVAL);
  printf ("/* Made by oc-seccomp-gen from oc-seccomp-table.h. */\n");
  print_filter (arch, false, "oc_seccomp_none");
  print_filter (arch, true, "oc_seccomp_client");
  return fflush (stdout) == 0 ? 0 : 1;
}
