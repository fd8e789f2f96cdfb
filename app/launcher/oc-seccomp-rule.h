/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the table of system calls (oc-seccomp-table.h) is made of, for the generator, which makes the filters of it, and for the
 * launcher, which answers what the filters ask. Plain C. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the activity says of a refused call; ids in oc-seccomp-answer.c, words in core's catalogue. Zero: nothing, the filter
 * itself refuses. */
typedef enum
{
  OC_GROUP_NONE = 0,
  OC_GROUP_SOCKET,         /* IPv4 and IPv6 */
  OC_GROUP_LOCAL_SOCKET,   /* AF_UNIX */
  OC_GROUP_SPECIAL_SOCKET, /* every other kind */
  OC_GROUP_LISTEN,
  OC_GROUP_TRACE,
  OC_GROUP_NAMESPACE,
  OC_GROUP_MOUNT,
  OC_GROUP_TERMINAL,
  OC_GROUP_KEYRING,
  OC_GROUP_KERNEL,
  OC_GROUP_FILE_HANDLE,
  OC_GROUP_DEVICE,
  OC_GROUP_SET_USER_ID,
  OC_GROUP_LEASE,
} OcGroup;

typedef enum
{
  OC_CONDITION_ANY = 0,
  OC_CONDITION_EQUAL,       /* (argument & a) == b */
  OC_CONDITION_ABOVE,       /* argument > a, all 64 bits */
  OC_CONDITION_BELOW,       /* argument < a */
  OC_CONDITION_BETWEEN,     /* a < argument < b */
  OC_CONDITION_TYPES_BUT,   /* low four bits of a socket's type: neither a nor b */
  OC_CONDITION_DATAGRAM,    /* socket() of IPv4 or IPv6, for UDP */
  OC_CONDITION_CORE_LIMIT,  /* a new limit for core dumps */
  OC_CONDITION_SET_ID,      /* a mode with a set-user-id or set-group-id bit */
  OC_CONDITION_MAKES_SET_ID, /* the same, where the flags (argument number a) say that it counts */
} OcConditionKind;

typedef struct
{
  OcConditionKind kind;
  unsigned int argument;
  uint64_t a, b;
} OcCondition;

/* The filters there are, as bits. */
typedef enum
{
  OC_FILTER_NONE = 1,    /* no socket at all */
  OC_FILTER_CLIENT = 2,  /* outbound TCP and UDP */
  OC_FILTER_WATCHED = 4, /* the same, and the launcher is told where to */
} OcFilter;

/* One line of the second table: what the launcher answers when a filter asks. */
typedef struct
{
  int call;
  const char *name;
  unsigned int filters;
  int error;     /* 0: it goes on, and is recorded only */
  OcGroup group; /* of a refused one */
  OcCondition condition;
} OcAnswer;
