/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-paths.h"

G_BEGIN_DECLS

/**
 * OcConsentWatch: tells when something that a consent rests on may have changed: the consent file, the policy, the plugin's manifest
 * and folder. In the first quarter of a second by looking every 20 ms, then by inotify; where that is not to be had (its limits are
 * small and shared by all of a user's programs), by looking every quarter of a second, since a revocation that goes unseen would be
 * worse than the waking up.
 */
typedef struct _OcConsentWatch OcConsentWatch;

typedef void (*OcConsentWatchFunc) (gpointer data);

/* Made before the consent is looked at, so that nothing slips in between; says nothing until started.
 * @id: must have passed oc_plugin_id_check(). */
OcConsentWatch *oc_consent_watch_new (OcPaths *paths,
                       const char *id);
/* Calls @changed in the thread-default main context, also for what happened since it was made. */
void oc_consent_watch_start (OcConsentWatch *self,
                     OcConsentWatchFunc changed,
                     gpointer data);
/* Whether the consent file is another one than when this was last asked, or when the watch was made. One look at one file, which
 * every call of a worker can afford, so that a call which comes after a revocation is not carried out before it is noticed. */
gboolean oc_consent_watch_take_change (OcConsentWatch *self);
void oc_consent_watch_free (OcConsentWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcConsentWatch, oc_consent_watch_free)
/* For tests, before it is started: look, and never listen; or listen without looking first. */
void oc_consent_watch_poll_only (OcConsentWatch *self);
void oc_consent_watch_listen_at_once (OcConsentWatch *self);

G_END_DECLS
