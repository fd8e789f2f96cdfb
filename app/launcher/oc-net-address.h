/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <netinet/in.h>

G_BEGIN_DECLS

/* Why the broker does not dial an address that a host name led to. */
typedef enum
{
  OC_ADDRESS_PUBLIC
  = 1, /* of the Internet; the only kind that is dialled. Not zero: what was forgotten is none */
  OC_ADDRESS_LOOPBACK,
  OC_ADDRESS_LINK_LOCAL, /* the cloud's metadata service among them */
  OC_ADDRESS_PRIVATE,
  OC_ADDRESS_RESERVED, /* multicast, documentation, benchmarks, what is not given out, what hides
                          another */
  OC_ADDRESS_OWN,      /* one of this computer's */
} OcAddressKind;

/* "loopback": a word for the record. */
const char *oc_address_kind_to_id (OcAddressKind kind);

/* From the registries of special-purpose addresses (RFC 6890 and what followed). An address that
 * carries an IPv4 address, such as ::ffff:127.0.0.1, 64:ff9b::7f00:1 or 2002:7f00:1::, is what that
 * one is. Pure. @address: IPv4 in its mapped form, or IPv6; never OC_ADDRESS_OWN. */
OcAddressKind oc_address_classify (const struct in6_addr *address);

/* IPv4 in its mapped form. FALSE: neither IPv4 nor IPv6. */
gboolean oc_address_from_inet (GInetAddress *inet, struct in6_addr *address);
gboolean oc_address_from_sockaddr (const struct sockaddr_storage *socket_address,
                                   struct in6_addr *address,
                                   guint16 *port);
/* "192.0.2.1", "[2001:db8::1]". (transfer full) */
char *oc_address_to_text (const struct in6_addr *address);

/* The same as oc_address_classify(), but tells this computer's own addresses too, as they are now.
 * What cannot be told is not public. */
OcAddressKind oc_address_classify_here (const struct in6_addr *address);

G_END_DECLS
