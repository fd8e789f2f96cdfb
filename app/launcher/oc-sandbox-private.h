/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plan, flattened: what the code after clone() works with. Plain C and nothing else: after
 * clone() in a process that may have threads, malloc() or a GLib call can wait for ever for a lock
 * whose owner does not exist in the child. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "launcher/oc-seccomp-rule.h"

/* The order in which they are applied; names in oc-sandbox.c. Zero is none. */
typedef enum
{
  OC_LAYER_NONE = 0,
  OC_LAYER_DESCRIPTORS,
  OC_LAYER_USER_NAMESPACE,
  OC_LAYER_NETWORK,
  OC_LAYER_MOUNTS,
  OC_LAYER_GUARDED,
  OC_LAYER_PROCESSES,
  OC_LAYER_LIMITS,
  OC_LAYER_CAPABILITIES,
  OC_LAYER_NO_NEW_PRIVS,
  OC_LAYER_LANDLOCK,
  OC_LAYER_SECCOMP,
  OC_LAYER_EXECUTE,
} OcLayerKind;

typedef enum
{
  OC_OP_MASK = 0, /* an unreadable mode-0000 file or folder on top */
  OC_OP_HIDE,     /* an empty folder on top, searchable but not listable, with mount points in it */
  OC_OP_READ_ONLY, /* the tree itself, back at its place inside something hidden */
  OC_OP_WRITABLE,  /* the same, and writable */
  OC_OP_CONTENT,   /* a read-only file of our own on top */
} OcOpKind;

typedef struct
{
  OcOpKind kind;
  const char *path;          /* absolute, canonical */
  const char *const *points; /* HIDE: relative paths of the folders to make, parents first */
  size_t n_points;
  const char *content;       /* CONTENT */
  bool optional; /* not there any more when it is to be done: nothing to do */
  int fd;        /* the direct executor's: the cloned tree */
  /* bubblewrap's, which mounts by path: what the launcher found at the path of an own folder. */
  uint64_t device;
  uint64_t inode;
} OcOp;

/* The places that a worker's Landlock allow-list leaves out, as a tree of names. Children are
 * contiguous and sorted. */
typedef struct
{
  const char *name;
  uint32_t first_child;
  uint32_t n_children;
  bool denied;
} OcNode;

typedef struct
{
  int resource;
  uint64_t value;
} OcStageLimit;

#define OC_STAGE_MAX_LIMITS 8
/* Names in oc-stage-verify.c. */
#define OC_N_NAMESPACES 7
/* Together with the sockets below they fit into one report. */
#define OC_STAGE_MAX_PORTS 28

/* The listeners of OC_REPORT_LISTENERS, in their order. */
enum
{
  OC_LISTENER_DNS_DATAGRAM = 0,
  OC_LISTENER_DNS_STREAM,
  OC_LISTENER_WATCH, /* packets to where nothing listens: only for the record */
  OC_LISTENER_FIRST_PORT,
};

typedef struct
{
  uid_t uid;
  gid_t gid;
  bool private_network; /* a network namespace of its own */
  bool sockets;         /* the filter lets IPv4 and IPv6 sockets be made */
  bool watched;         /* and the launcher is asked where they connect to */
  bool named_hosts;     /* all that is sent in the private network arrives at sockets for the broker outside */
  uint16_t ports[OC_STAGE_MAX_PORTS];
  size_t n_ports;

  OcOp *ops; /* sorted: what lies above comes first */
  size_t n_ops;
  const OcNode *nodes; /* [0] is "/"; none: Landlock lets everything be read, the masks hold */
  size_t n_nodes;
  OcStageLimit limits[OC_STAGE_MAX_LIMITS];
  size_t n_limits;

  const char *working_folder;
  const char *program;
  const char *const *argv;
  const char *const *env;
  int fds[5]; /* -1: /dev/null made inside for 0 to 2, closed for 3 and 4 */

  struct _OcNotify *notify; /* the launcher's own, unused in here: who answers the filter */
  int ready_fd;  /* a SEQPACKET socket: failures and "sealed"; its end without a failure is the exec */
  int status_fd; /* pid 1's last word: how the command ended */
  int life_fd;   /* hangs up when the launcher is gone */

  /* The direct executor's only: Landlock's ruleset, which the launcher fills with what may be read while
   * this process mounts, and the pipe that says that it is done. */
  bool filled_outside;
  int ruleset_fd;
  int rules_fd;

  /* bubblewrap's only. */
  uint64_t outside[OC_N_NAMESPACES]; /* the launcher's own namespaces */
  bool powerless; /* the system lets stage 2 use none of its capabilities, as Ubuntu does */
  int mounts_fd;  /* mountinfo, where the host's later mounts appear here too; below zero: none do */
} OcStage;

typedef enum
{
  OC_REPORT_FAILED = 1, /* a layer */
  OC_REPORT_SEALED,     /* all layers hold, execve() is next */
  OC_REPORT_NOT_EXECUTED,
  OC_REPORT_ENDED,
  OC_REPORT_NOTIFIER,  /* with the descriptor that tells of refused system calls */
  OC_REPORT_STARTED,   /* bubblewrap's: stage 2 has begun; who it is comes with it */
  OC_REPORT_LISTENERS, /* with the sockets that listen inside, for the broker outside */
} OcReportKind;

/* Descriptors that one report can bring. */
#define OC_REPORT_MAX_FDS 32

/* One write() below PIPE_BUF, or one packet, so it is there whole or not at all. */
typedef struct
{
  int32_t kind;
  int32_t layer;
  int32_t error; /* errno */
  int32_t exit_code;
  int32_t signal;
  char what[236];
} OcReport;

/* In the new namespaces, as pid 1. */
_Noreturn void oc_stage_main (OcStage *stage);
/* What is the same for all executors: once everything is mounted, the seal, the command, and then
 * its reaper. */
_Noreturn void oc_stage_finish (OcStage *stage);
/* The launcher's handlers are GLib's: they must not run here. Leaves SIGCHLD blocked. */
void oc_stage_reset_signals (const OcStage *stage);
/* All descriptors that are needed moved up, out of the way of 0 to 4; everything else is closed at
 * once, the launcher's open files, D-Bus and database among them. */
void oc_stage_keep_descriptors (OcStage *stage);
/* The same for a list of them (below zero: none): they become @first, @first + 1, … with @flags of dup3(). */
void oc_stage_move_descriptors (const OcStage *stage, int *const *kept, size_t n, int first, int flags);
/* Says why on the ready pipe and ends: nothing ran. Uses errno. */
_Noreturn void oc_stage_fail (const OcStage *stage, OcLayerKind layer, const char *what);

/* A report that brings descriptors, on the ready socket. Fails as oc_stage_fail() does. */
void oc_stage_send (const OcStage *stage, OcReportKind kind, OcLayerKind layer, const int *fds, size_t n_fds);

/* Does nothing unless named_hosts. Needs the capabilities of the network namespace. */
void oc_stage_network (const OcStage *stage);
void oc_stage_mount (OcStage *stage);
/* What the kernel counts for each user. @proc: a writable /proc of this user namespace's. */
void oc_stage_limit_user (const OcStage *stage, int proc);
/* Limits, capabilities, no_new_privs, Landlock, seccomp: shared by all executors. */
void oc_stage_seal (const OcStage *stage);
OcFilter oc_stage_get_filter (const OcStage *stage);

/* bubblewrap's stage 2: `ocelot-stage2 FD`, executed as pid 1 of the new namespaces. @fd: of the stage's memory,
 * made by oc_stage_pack(). */
_Noreturn void oc_stage_enter (int fd);
/* Checks from inside that everything bubblewrap was told to do is done. Else fails as oc_stage_fail() does. The first is for before
 * anything is changed: what is changed must not be the host's. */
void oc_stage_verify_namespaces (const OcStage *stage);
void oc_stage_verify (const OcStage *stage);
/* What the @i-th of OcStage.outside is read from. */
const char *oc_stage_get_namespace_path (size_t i);
/* Whether all mounts but the own folders are read-only. @what: (out): the place of one that is not. */
bool oc_stage_mounts_hold (const OcStage *stage, int mounts_fd, const char **what);
/* Whether mounts that the host makes later appear here too. */
bool oc_stage_mounts_follow_host (const OcStage *stage, int mounts_fd);

/* The stage as bytes, for bubblewrap's stage 2. @bytes: NULL: only measures. Returns the length, 0 where @size is too small. */
size_t oc_stage_pack (const OcStage *stage, char *bytes, size_t size);
/* The reverse. The strings are borrowed from @bytes; the arrays stay until the process ends. False: these are no such bytes;
 * nothing in @stage is to be used. */
bool oc_stage_unpack (OcStage *stage, char *bytes, size_t size);

/* Opens with O_PATH, following no symlink anywhere. */
int oc_stage_open_place (const char *path);
