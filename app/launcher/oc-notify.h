/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "launcher/oc-seccomp-rule.h"

G_BEGIN_DECLS

/* Refused calls answered at once in one run, and how many a second after them: whoever makes more waits for the answer, so that
 * a million of them cost the launcher a few hundredths of one processor. A sandbox's calls that go on have more. */
#define OC_NOTIFY_REFUSED_BURST 4000
#define OC_NOTIFY_REFUSED_PER_S 1000
#define OC_NOTIFY_ALLOWED_BURST 20000
#define OC_NOTIFY_ALLOWED_PER_S 10000
/* Different ones kept apart; what comes after is added up without program and detail. */
#define OC_NOTIFY_MAX_REFUSED_ROWS 250
#define OC_NOTIFY_MAX_ALLOWED_ROWS 500

/**
 * OcNotify: answers what the system call filters of one run's sandboxes ask, and remembers who asked. Refused calls are answered
 * with their error, always; connections that the plugin may make go on. A thread of its own, since a sandboxed program waits for
 * the answer, whatever the main loop is doing.
 */
typedef struct _OcNotify OcNotify;

OcNotify *oc_notify_new (void);
/* Closes what it listens on: whatever still runs then and asks is refused by the kernel. */
void oc_notify_free (OcNotify *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcNotify, oc_notify_free)

/* @fd: (transfer full): what oc_seccomp_apply() returned inside. Forgotten when nothing with that filter runs any more.
 * FALSE with errno: it is closed, and nothing answers. */
gboolean oc_notify_add (OcNotify *self,
                        int fd,
                        OcFilter filter);

/* @permission: "" where none would help; @method: of oc_group_to_id(), or "connect", "send", "udp"; @detail: the call, the kind of
 * socket, or where to: "127.0.0.1:80"; @program: (nullable) raw. */
typedef void (*OcNotifyFunc) (const char *permission,
                              const char *method,
                              const char *detail,
                              const char *program,
                              gboolean allowed,
                              guint count,
                              gpointer data);
/* What was added since the last time. @func is called in this thread. */
void oc_notify_drain (OcNotify *self,
                      OcNotifyFunc func,
                      gpointer data);

G_END_DECLS
