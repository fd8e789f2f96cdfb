/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-launch.h"
#include "core/oc-paths.h"
#include "core/oc-plugin.h"
#include "core/oc-state.h"

G_BEGIN_DECLS

/**
 * OcGrant: what a plugin may do right now, from manifest, consent and policy as they are on disk. Where @granted is NULL it may
 * do nothing, and @exit, @message and @remedy say why.
 */
typedef struct
{
  OcPlugin *plugin;         /* owned (nullable) */
  OcPermissionSet *granted; /* owned (nullable) */
  gint64 enabled_at;        /* µs; when @granted was consented to */
  OcExit exit;
  char *message;
  char *remedy;
} OcGrant;

/* Never NULL. Blocks: files, maybe the keyring. @health: (nullable). */
OcGrant *oc_grant_look_up (OcPaths *paths,
                           const char *id,
                           const OcHealth *health);
void oc_grant_free (OcGrant *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcGrant, oc_grant_free)

G_END_DECLS
