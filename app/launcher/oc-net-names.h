/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <netinet/in.h>

G_BEGIN_DECLS

/* What a host without a port stands for. */
#define OC_NET_HTTP_PORT 80
#define OC_NET_HTTPS_PORT 443
#define OC_NET_DNS_PORT 53
/* One listening socket each, and they are handed out in one message: OC_REPORT_MAX_FDS. */
#define OC_NET_MAX_PORTS 28
/* Enough for any manifest; the addresses below would do for 130,000. */
#define OC_NET_MAX_HOSTS 1000

/**
 * OcNetNames: the hosts a plugin may reach, each with an address made up for it inside the sandbox.
 * Immutable, atomically refcounted.
 *
 * The addresses are from 198.18.0.0/15. Why these: 127.0.0.0/8 would need no route, but programs
 * take it for this computer and refuse it, or go without encryption; 10.0.0.0/8 and the like are
 * refused by programs that guard against being led into the local network, and may be what a plugin
 * was told as a literal address; 240.0.0.0/4 is refused by some systems' own libraries; an address
 * of the Internet would be somebody's. 198.18.0.0/15 is nobody's for good (RFC 2544, benchmarks),
 * and what tunnels that map names to addresses use, so programs are used to it.
 *
 * Two kinds are there as themselves: a literal address, and “localhost”, which every program looks
 * up in its own way.
 */
typedef struct _OcNetNames OcNetNames;

/* @hosts: as their permissions have them, "api.example.com", "api.example.com:8443", "192.0.2.1",
 * "[2001:db8::1]:443". Errors: OC_ERROR_SANDBOX, with "network: …": no such host, too many of them
 * or of their ports. */
OcNetNames *oc_net_names_new (const char *const *hosts, GError **error);
OcNetNames *oc_net_names_ref (OcNetNames *self);
void oc_net_names_unref (OcNetNames *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcNetNames, oc_net_names_unref)

/* Ascending, no duplicates. Without OC_NET_DNS_PORT, where a listener is in any case: see
 * oc_net_name_get_grant(). */
const guint16 *oc_net_names_get_ports (const OcNetNames *self, gsize *n);

/* One host, with all of its ports. Borrowed from the names. */
typedef struct _OcNetName OcNetName;

/* @name: lower case, without the trailing dot. (nullable): literal addresses are no names. */
const OcNetName *oc_net_names_find (const OcNetNames *self, const char *name);
/* By the address inside; IPv4 in its mapped form. (nullable) */
const OcNetName *oc_net_names_find_address (const OcNetNames *self, const struct in6_addr *address);

/* "api.example.com", "192.0.2.1", "2001:db8::1" */
const char *oc_net_name_get_text (const OcNetName *self);
/* The user consented to the address itself, or to “localhost”: it may be one of this computer's or
 * of its network's. */
gboolean oc_net_name_is_literal (const OcNetName *self);
/* FALSE: it has none of this family, which is no error. @address: network order. */
gboolean oc_net_name_get_ipv4 (const OcNetName *self, guint8 address[4]);
/* The host as it was consented to ("api.example.com:8443") that lets @port be reached. NULL: none
 * does. */
const char *oc_net_name_get_grant (const OcNetName *self, guint16 port);

G_END_DECLS
