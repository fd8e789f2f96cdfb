/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-net-address.h"
#include "launcher/oc-net-names.h"
#include "launcher/oc-run-uses.h"

G_BEGIN_DECLS

/* Different refused names and addresses of one sandbox: a program that makes up names must not fill
 * the record of its run, nor the memory. What comes after is counted without its name. */
#define OC_NET_RECORD_MAX_REFUSED 100

/**
 * OcNetRecord: what one sandbox reached and what it was refused, into the run's uses. The
 * permission is the one that let it, or would have let it: "net:api.example.com", or "net" where
 * there can be none. The method: "connect", "resolve" for a name that was only asked for, "send"
 * for a datagram.
 */
typedef struct _OcNetRecord OcNetRecord;

/* @uses: borrowed. */
OcNetRecord *oc_net_record_new (OcUses *uses);
void oc_net_record_free (OcNetRecord *self);

/* @grant: the host as it was consented to. */
void oc_net_record_connection (OcNetRecord *self,
                               const char *grant,
                               const OcNetName *name,
                               guint16 port);
/* A name that is not listed. @name: (nullable): none that a host can have. */
void oc_net_record_unknown_name (OcNetRecord *self, const char *name, guint16 type);
/* An address that stands for no name, or a port that was not consented to. @name: (nullable). */
void oc_net_record_refused (OcNetRecord *self,
                            const char *method,
                            const OcNetName *name,
                            const struct in6_addr *address,
                            guint16 port);
/* A listed name that leads where it must not. */
void oc_net_record_led_astray (OcNetRecord *self,
                               const OcNetName *name,
                               guint16 port,
                               const struct in6_addr *address,
                               OcAddressKind kind);

G_END_DECLS
