/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-paths.h"
#include "core/oc-permission.h"

G_BEGIN_DECLS

/**
 * OcPolicy: what the administrator set in /etc/ocelot/policy.json and policy.d/\*.json. Immutable, atomically refcounted.
 *
 * Version 1 knows: {"version":1, "blockPlugins":[id…], "blockPermissions":["process.spawn:python3" or "process.spawn"…],
 * "reviewEveryUpdate":bool, "reason":"…"}. Of several files the stricter wins. A file that cannot be read or understood
 * means that everything is blocked, with the file and place as the reason.
 */
typedef struct _OcPolicy OcPolicy;

OcPolicy *oc_policy_load (OcPaths *paths);
OcPolicy *oc_policy_ref (OcPolicy *self);
void oc_policy_unref (OcPolicy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcPolicy, oc_policy_unref)
gboolean oc_policy_is_empty (OcPolicy *self);
gboolean oc_policy_reviews_every_update (OcPolicy *self);
/* Why @id with @set may not run: "/etc/ocelot/policy.json blocks process.spawn:python3: …"; NULL: it may.
 * (transfer full) (nullable) */
char *oc_policy_explain_block (OcPolicy *self,
                               const char *id,
                               OcPermissionSet *set);

G_END_DECLS
