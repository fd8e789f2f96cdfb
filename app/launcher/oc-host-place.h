/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-host.h"

G_BEGIN_DECLS

/**
 * OcHostPlace: what it takes to tell whether a path lies where no plugin may look, for a method that does so in a thread: nothing in
 * it goes away with the run. Atomically refcounted, for any number of threads.
 */
typedef struct _OcHostPlace OcHostPlace;

/* The run's one, made when it is first asked for. (transfer full) */
OcHostPlace *oc_host_place_get (OcHost *host);
void oc_host_place_unref (OcHostPlace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcHostPlace, oc_host_place_unref)

/* By the same plan as the sandbox is made by, so that what is hidden inside is not touched for the plugin from outside; made anew
 * where it is older than a second, which is much less than it takes to select a file: what came to be a minute ago is guarded too. @fd: of any kind, O_PATH too; the kernel says where it really lies.
 * @real: (out) (optional) (transfer full): that path, also where it is guarded. Where it cannot be told: TRUE. */
gboolean oc_host_place_is_guarded (OcHostPlace *self,
                                   int fd,
                                   char **real);
/* In the plugin's own folders: its data, its temporary folder, its program files. Where it cannot be told: TRUE. */
gboolean oc_host_place_is_own (OcHostPlace *self,
                               const char *real);

/* Absolute, and no component is empty, "." or "..". */
gboolean oc_host_place_is_plain (const char *path);
gboolean oc_host_place_is_beneath (const char *path,
                                   const char *folder);

G_END_DECLS
