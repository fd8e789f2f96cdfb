/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/oc-activity.h"

G_BEGIN_DECLS

/* Different uses kept apart in one run; what comes after is added up by permission and method alone. */
#define OC_USES_MAX_ROWS 1000
#define OC_USES_MAX_DETAIL_BYTES 512

/**
 * OcUses: what one run used and what it was refused, alike ones added up in memory and written to the activity now and then,
 * so that a million refused calls cost neither disk nor time.
 */
typedef struct _OcUses OcUses;

OcUses *oc_uses_new (void);
void oc_uses_free (OcUses *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcUses, oc_uses_free)

/* @detail, @program: (nullable), raw; @detail is cut to 512 bytes. */
void oc_uses_add (OcUses *self,
                  const char *permission,
                  const char *method,
                  const char *detail,
                  const char *program,
                  gboolean allowed);
/* The same, @count times. */
void oc_uses_add_many (OcUses *self,
                       const char *permission,
                       const char *method,
                       const char *detail,
                       const char *program,
                       gboolean allowed,
                       guint count);
/* Writes what is not yet written. Errors: those of the activity. */
gboolean oc_uses_flush (OcUses *self,
                        OcActivity *activity,
                        gint64 run,
                        GError **error);
/* [{"permission","method","detail","program","count"}]; allowed ones have a "program" only where it is known. (transfer full) */
JsonArray *oc_uses_to_json (OcUses *self,
                            gboolean allowed);

G_END_DECLS
