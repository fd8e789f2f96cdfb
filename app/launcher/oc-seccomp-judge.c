/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the launcher answers when a filter asks: pure, from the table that was made with the filters. Plain C: see
 * oc-sandbox-private.h. */
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "launcher/oc-seccomp.h"

#include "oc-seccomp-filters.h"

#define SOCK_TYPE_BITS 0xf

const char *
oc_group_to_id (OcGroup group)
{
  switch (group)
    {
    case OC_GROUP_NONE:
      return "call";
    case OC_GROUP_SOCKET:
      return "socket";
    case OC_GROUP_LOCAL_SOCKET:
      return "local-socket";
    case OC_GROUP_SPECIAL_SOCKET:
      return "special-socket";
    case OC_GROUP_LISTEN:
      return "listen";
    case OC_GROUP_TRACE:
      return "trace";
    case OC_GROUP_NAMESPACE:
      return "namespace";
    case OC_GROUP_MOUNT:
      return "mount";
    case OC_GROUP_TERMINAL:
      return "terminal";
    case OC_GROUP_KEYRING:
      return "keyring";
    case OC_GROUP_KERNEL:
      return "kernel";
    case OC_GROUP_FILE_HANDLE:
      return "file-handle";
    case OC_GROUP_DEVICE:
      return "device";
    case OC_GROUP_SET_USER_ID:
      return "set-user-id";
    case OC_GROUP_LEASE:
      return "lease";
    }
  return "call";
}

/* Exactly what the filter that asks nobody lets through; a test compares them. */
static bool
is_datagram (const uint64_t *args)
{
  return (args[0] == AF_INET || args[0] == AF_INET6) && (args[1] & SOCK_TYPE_BITS) == SOCK_DGRAM
         && (args[2] == 0 || args[2] == IPPROTO_TCP || args[2] == IPPROTO_UDP);
}

static bool
fits (const OcCondition *condition, const uint64_t *args)
{
  uint64_t value = args[condition->argument], type = value & SOCK_TYPE_BITS;

  switch (condition->kind)
    {
    case OC_CONDITION_ANY:
      return true;
    case OC_CONDITION_EQUAL:
      return (value & condition->a) == condition->b;
    case OC_CONDITION_ABOVE:
      return value > condition->a;
    case OC_CONDITION_BELOW:
      return value < condition->a;
    case OC_CONDITION_BETWEEN:
      return value > condition->a && value < condition->b;
    case OC_CONDITION_TYPES_BUT:
      return type != condition->a && type != condition->b;
    case OC_CONDITION_DATAGRAM:
      return is_datagram (args);
    case OC_CONDITION_CORE_LIMIT:
      return false; /* never asked about */
    case OC_CONDITION_SET_ID:
    case OC_CONDITION_MAKES_SET_ID: /* the filter has looked at the flags */
      return (value & (S_ISUID | S_ISGID)) != 0;
    }
  return false;
}

OcVerdictOnCall
oc_seccomp_judge_with (
    const OcAnswer *answers, size_t n_answers, OcFilter filter, int call, const uint64_t *args)
{
  OcVerdictOnCall verdict = { .error = EPERM };
  const OcAnswer *goes_on = NULL;

  for (size_t i = 0; i < n_answers; i++)
    {
      const OcAnswer *answer = &answers[i];

      if (answer->call != call || (answer->filters & filter) == 0)
        continue;
      if (answer->error == 0)
        {
          if (fits (&answer->condition, args))
            goes_on = answer;
          continue;
        }
      /* The first that fits; where none does, the errno is right all the same: it is one for a call. */
      if (verdict.name != NULL && !fits (&answer->condition, args))
        continue;
      verdict = (OcVerdictOnCall){ answer->name, answer->error, answer->group };
      if (fits (&answer->condition, args))
        return verdict;
    }
  if (goes_on != NULL)
    return (OcVerdictOnCall){ goes_on->name, 0, OC_GROUP_NONE };
  return verdict;
}

OcVerdictOnCall
oc_seccomp_judge (OcFilter filter, int call, const uint64_t *args)
{
  return oc_seccomp_judge_with (oc_seccomp_answers,
                                sizeof oc_seccomp_answers / sizeof *oc_seccomp_answers, filter,
                                call, args);
}
