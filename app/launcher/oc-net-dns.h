/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* RFC 6891's advice; nothing that is answered here is longer than 600 bytes. */
#define OC_DNS_MAX_MESSAGE 1232
#define OC_DNS_MAX_NAME 253

typedef enum
{
  OC_DNS_NONE = 0, /* no such name */
  OC_DNS_ADDRESS,  /* the name has this IPv4 address */
} OcDnsFound;

/* @name: lower case, without the trailing dot; NULL: there are bytes in it that no host name has.
 * @type: the record type that is asked for. */
typedef OcDnsFound (*OcDnsLookup) (const char *name,
                                   guint16 type,
                                   guint8 address[4],
                                   gpointer data);

#define OC_DNS_TYPE_A 1
#define OC_DNS_TYPE_AAAA 28

/* Answers one message, whatever it is made of. A name that is found has its IPv4 address and no
 * other record; all others do not exist. What is malformed or means something else gets an error,
 * or no answer at all where it is no query. Pure: it keeps nothing, and passes nothing on. Returns
 * the length of the answer in @answer, or 0 for none. */
gsize oc_dns_answer (const guint8 *query,
                     gsize length,
                     OcDnsLookup lookup,
                     gpointer data,
                     guint8 answer[OC_DNS_MAX_MESSAGE]);

G_END_DECLS
