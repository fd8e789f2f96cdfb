/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build time only: makes the filters from oc-seccomp-table.h, and the table of what the launcher
 * answers them, and writes both as a header, so that the launcher does not pay for building them at
 * each start (0.9 ms) nor link libseccomp.
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

#include "launcher/oc-seccomp-rule.h"

#define ALWAYS (OC_FILTER_NONE | OC_FILTER_CLIENT | OC_FILTER_WATCHED)
#define NO_NETWORK OC_FILTER_NONE
#define NETWORK (OC_FILTER_CLIENT | OC_FILTER_WATCHED)

typedef struct
{
  unsigned int filters;
  const char *call; /* NULL: by number */
  unsigned int number;
  int error; /* below zero: recorded, and goes on */
  OcGroup group;
  OcCondition condition;
} Rule;
#define GOES_ON (-1)

#define ANY                                                                                        \
  {                                                                                                \
    OC_CONDITION_ANY, 0, 0, 0                                                                      \
  }
#define EQUAL(argument, mask, value)                                                               \
  {                                                                                                \
    OC_CONDITION_EQUAL, argument, mask, value                                                      \
  }
#define ABOVE(argument, value)                                                                     \
  {                                                                                                \
    OC_CONDITION_ABOVE, argument, value, 0                                                         \
  }
#define BELOW(argument, value)                                                                     \
  {                                                                                                \
    OC_CONDITION_BELOW, argument, value, 0                                                         \
  }
#define BETWEEN(argument, low, high)                                                               \
  {                                                                                                \
    OC_CONDITION_BETWEEN, argument, low, high                                                      \
  }
#define SET_ID(argument)                                                                           \
  {                                                                                                \
    OC_CONDITION_SET_ID, argument, 0, 0                                                            \
  }
#define MAKES_SET_ID(flags, argument)                                                              \
  {                                                                                                \
    OC_CONDITION_MAKES_SET_ID, argument, flags, 0                                                  \
  }
#define RAW_TYPES                                                                                  \
  {                                                                                                \
    OC_CONDITION_TYPES_BUT, 1, SOCK_STREAM, SOCK_DGRAM                                             \
  }
#define PAIR_TYPES                                                                                 \
  {                                                                                                \
    OC_CONDITION_TYPES_BUT, 1, SOCK_STREAM, SOCK_SEQPACKET                                         \
  }
#define DATAGRAM                                                                                   \
  {                                                                                                \
    OC_CONDITION_DATAGRAM, 1, SOCK_DGRAM, 0                                                        \
  }
#define CORE_LIMIT                                                                                 \
  {                                                                                                \
    OC_CONDITION_CORE_LIMIT, 1, 0, 0                                                               \
  }
#define SOCK_TYPE_BITS 0xf
#define X32_BIT 0x40000000U
/* libseccomp's name for "knows SCMP_ACT_NOTIFY" (seccomp_api_get(3)). */
#define SECCOMP_API_NOTIFY 5

/* The reason is for readers only. */
#define RULE(filters, call, error, group, condition, reason)                                       \
  { filters, call, 0, error, OC_GROUP_##group, condition },
#define RULE_NUMBER(filters, number, error, reason)                                                \
  { filters, NULL, number, error, OC_GROUP_NONE, ANY },
#define RECORD(call, condition, reason)                                                            \
  { OC_FILTER_WATCHED, call, 0, GOES_ON, OC_GROUP_NONE, condition },
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

/* Two rows: IPv4 and IPv6. Others that have this type are refused by other rules. */
static int
add_datagram (scmp_filter_ctx context, uint32_t action, int call)
{
  static const uint64_t families[] = { AF_INET, AF_INET6 };
  int result = 0;

  for (size_t i = 0; i < 2 && result == 0; i++)
    result = seccomp_rule_add (context, action, call, 2, SCMP_A0 (SCMP_CMP_EQ, families[i]),
                               SCMP_A1 (SCMP_CMP_MASKED_EQ, SOCK_TYPE_BITS, SOCK_DGRAM));
  return result;
}

static int
add_one (scmp_filter_ctx context,
         uint32_t action,
         int call,
         unsigned int argument,
         enum scmp_compare how,
         uint64_t a,
         uint64_t b)
{
  struct scmp_arg_cmp compare = { .arg = argument, .op = how, .datum_a = a, .datum_b = b };

  return seccomp_rule_add_array (context, action, call, 1, &compare);
}

static int
add_compared (scmp_filter_ctx context, uint32_t action, int call, const OcCondition *condition)
{
  unsigned int argument = condition->argument;
  uint64_t a = condition->a, b = condition->b;
  int result = 0;

  switch (condition->kind)
    {
    case OC_CONDITION_ANY:
      return seccomp_rule_add (context, action, call, 0);
    case OC_CONDITION_EQUAL:
      return add_one (context, action, call, argument, SCMP_CMP_MASKED_EQ, a, b);
    case OC_CONDITION_ABOVE:
      return add_one (context, action, call, argument, SCMP_CMP_GT, a, 0);
    case OC_CONDITION_BELOW:
      return add_one (context, action, call, argument, SCMP_CMP_LT, a, 0);
    case OC_CONDITION_BETWEEN:
      for (uint64_t value = a + 1; value < b && result == 0; value++)
        result = add_one (context, action, call, argument, SCMP_CMP_EQ, value, 0);
      return result;
    case OC_CONDITION_TYPES_BUT:
      for (uint64_t type = 0; type <= SOCK_TYPE_BITS && result == 0; type++)
        if (type != a && type != b)
          result = add_one (context, action, call, argument, SCMP_CMP_MASKED_EQ, SOCK_TYPE_BITS, type);
      return result;
    case OC_CONDITION_DATAGRAM:
      return add_datagram (context, action, call);
    case OC_CONDITION_CORE_LIMIT:
      return seccomp_rule_add (context, action, call, 2,
                               SCMP_A1 (SCMP_CMP_MASKED_EQ, 0xffffffff, RLIMIT_CORE),
                               SCMP_A2 (SCMP_CMP_NE, 0));
    case OC_CONDITION_SET_ID:
      return add_set_id (context, action, call, argument, -1);
    case OC_CONDITION_MAKES_SET_ID:
      return add_set_id (context, action, call, argument, (int)a);
    }
  return -EINVAL;
}

static bool
is_in (const Rule *rule, OcFilter filter)
{
  return (rule->filters & filter) != 0;
}

/* Whether the filter asks the launcher. */
static bool
asks (const Rule *rule)
{
  return rule->group != OC_GROUP_NONE || rule->error == GOES_ON;
}

/* What the launcher relies on: the errno follows from the call alone, whatever its arguments are, and the filter and the launcher
 * cannot disagree about who refuses it. */
static void
check_rules (void)
{
  for (size_t i = 0; i < N_RULES; i++)
    {
      if (rules[i].group != OC_GROUP_NONE && rules[i].error <= 0)
        fail (rules[i].call, EINVAL);
      for (size_t j = 0; rules[i].call != NULL && j < i; j++)
        {
          if (rules[j].call == NULL || strcmp (rules[i].call, rules[j].call) != 0
              || (rules[i].filters & rules[j].filters) == 0)
            continue;
          if (asks (&rules[i]) != asks (&rules[j])
              || (rules[i].error != rules[j].error && rules[i].error != GOES_ON
                  && rules[j].error != GOES_ON))
            fail (rules[i].call, EINVAL);
        }
    }
}

/* What libseccomp makes of the named calls. Returns the number of instructions. */
static size_t
build (uint32_t arch, OcFilter filter, struct sock_filter *out, size_t max)
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

      if (rule->call == NULL || !is_in (rule, filter))
        continue;
      call = seccomp_syscall_resolve_name (rule->call);
      if (call == __NR_SCMP_ERROR)
        fail (rule->call, ENOENT);
      /* Not on this architecture: nothing to refuse. */
      if (seccomp_syscall_resolve_name_arch (arch, rule->call) < 0)
        continue;
      result = add_compared (context, asks (rule) ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO (rule->error),
                             call, &rule->condition);
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
build_prelude (uint32_t arch, OcFilter filter, struct sock_filter *out)
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
    if (rules[i].call == NULL && is_in (&rules[i], filter))
      {
        out[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, rules[i].number, 0, 1);
        out[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K,
                                                 SECCOMP_RET_ERRNO | (uint32_t)rules[i].error);
      }
  return n;
}

static void
print_filter (uint32_t arch, OcFilter filter, const char *name)
{
  static struct sock_filter program[BPF_MAXINSNS];
  size_t n = build_prelude (arch, filter, program);

  n += build (arch, filter, program + n, BPF_MAXINSNS - n);
  printf ("static const struct sock_filter %s[] = {\n", name);
  for (size_t i = 0; i < n; i++)
    printf ("  { 0x%04x, %u, %u, 0x%08x },\n", program[i].code, program[i].jt, program[i].jf,
            program[i].k);
  printf ("};\n");
}

/* What the launcher says when a filter asks. */
static void
print_answers (uint32_t arch)
{
  printf ("static const OcAnswer oc_seccomp_answers[] = {\n");
  for (size_t i = 0; i < N_RULES; i++)
    {
      const Rule *rule = &rules[i];
      int call = rule->call != NULL ? seccomp_syscall_resolve_name_arch (arch, rule->call) : -1;

      if (!asks (rule) || call < 0)
        continue;
      printf ("  { %d, \"%s\", %u, %d, (OcGroup)%d,\n    { (OcConditionKind)%d, %u, UINT64_C (0x%llx), UINT64_C (0x%llx) } },\n", call,
              rule->call, rule->filters, rule->error == GOES_ON ? 0 : rule->error, (int)rule->group,
              (int)rule->condition.kind, rule->condition.argument,
              (unsigned long long)rule->condition.a, (unsigned long long)rule->condition.b);
    }
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
  /* What the machine that builds this can do says nothing about the one that runs it. */
  if (seccomp_api_set (SECCOMP_API_NOTIFY) != 0)
    fail ("notification", EOPNOTSUPP);
  check_rules ();
  printf ("/* Made by oc-seccomp-gen from oc-seccomp-table.h. */\n");
  print_filter (arch, OC_FILTER_NONE, "oc_seccomp_none");
  print_filter (arch, OC_FILTER_CLIENT, "oc_seccomp_client");
  print_filter (arch, OC_FILTER_WATCHED, "oc_seccomp_watched");
  print_answers (arch);
  return fflush (stdout) == 0 ? 0 : 1;
}
