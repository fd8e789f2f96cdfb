/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sys/socket.h>

#include "launcher/oc-notify.h"
#include "launcher/oc-seccomp.h"

G_BEGIN_DECLS

/**
 * OcTally: uses added up, in bounded memory. Not thread-safe.
 */
typedef struct _OcTally OcTally;
OcTally *oc_tally_new (void);
void oc_tally_free (OcTally *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcTally, oc_tally_free)
/* All texts are copied. @program: (nullable) */
void oc_tally_add (OcTally *self,
                   const char *permission,
                   const char *method,
                   const char *detail,
                   const char *program,
                   gboolean allowed);
void oc_tally_drain (OcTally *self,
                     OcNotifyFunc func,
                     gpointer data);

/* The caller of a call, looked at while it waits for its answer. */

/* The program that thread @tid runs: its file's name, and in parentheses what it calls itself where that is another: "busybox
 * (wget)". Both are the plugin's to choose. (transfer full) (nullable): raw */
char *oc_notify_dup_program (pid_t tid);

/* Where a call sends to. */
typedef struct
{
  gboolean is_one; /* FALSE: none, as when a socket is unconnected */
  char text[64];   /* "127.0.0.1:80", "[::1]:80", "unknown" */
} OcDestination;
/* What the call named @name with @args is told to reach, read from the memory of @tid: what it asked for, which it could change
 * at any moment. */
OcDestination oc_notify_read_destination (pid_t tid,
                                          const char *name,
                                          const guint64 *args);
/* @length: of what could be read; @connects: for connect(). Pure. */
OcDestination oc_notify_parse_address (const struct sockaddr_storage *address,
                                       gsize length,
                                       gboolean connects);
/* "AF_INET", or the number. @buffer: 32 bytes. */
const char *oc_notify_describe_family (guint64 family,
                                       char *buffer);

G_END_DECLS
