/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RFC 1035 and RFC 6891 (EDNS), as much as a responder needs that knows every answer by itself. */
#include "launcher/oc-net-dns.h"

#include <string.h>

#define HEADER_BYTES 12
#define MAX_NAME_BYTES 255
#define MAX_LABEL_BYTES 63
#define MAX_ADDITIONAL 4
/* No longer than a run, in which nothing changes, and short enough for whoever caches it elsewhere.
 */
#define TTL_S 60

#define CLASS_IN 1
#define CLASS_ANY 255
#define TYPE_ANY 255
#define TYPE_OPT 41

enum
{
  RCODE_NO_ERROR = 0,
  RCODE_FORMAT_ERROR = 1,
  RCODE_NAME_ERROR = 3,
  RCODE_NOT_IMPLEMENTED = 4,
  RCODE_REFUSED = 5,
  RCODE_BAD_VERSION = 16, /* takes the upper bits of EDNS */
};

typedef struct
{
  const guint8 *data;
  gsize length;
  gsize at;
} Reader;

typedef struct
{
  char name[MAX_NAME_BYTES + 1];
  gboolean odd_name; /* has bytes that no host name has */
  gsize question_end;
  guint16 type;
  guint16 class;
  gboolean edns;
  guint8 edns_version;
} Query;

static gboolean
read_uint16 (Reader *self, guint16 *value)
{
  if (self->length - self->at < 2)
    return FALSE;
  *value = (guint16)(self->data[self->at] << 8 | self->data[self->at + 1]);
  self->at += 2;
  return TRUE;
}

static gboolean
skip (Reader *self, gsize n)
{
  if (self->length - self->at < n)
    return FALSE;
  self->at += n;
  return TRUE;
}

static gboolean
is_host_byte (guint8 byte)
{
  return g_ascii_isalnum (byte) || byte == '-' || byte == '_';
}

/* A question is the first name there is: nothing in it can be a reference to an earlier one, so a
 * compressed name (a loop, or one that grows without end) is malformed. A dot within a label would
 * make another name of it as text. */
static gboolean
read_name (Reader *self, Query *query)
{
  gsize used = 0;

  for (;;)
    {
      guint8 length;

      if (self->at >= self->length)
        return FALSE;
      length = self->data[self->at++];
      if (length == 0)
        break;
      if (length > MAX_LABEL_BYTES || self->length - self->at < length)
        return FALSE;
      /* On the wire: each label's length and the root's. */
      if (used + length + 2 > MAX_NAME_BYTES)
        return FALSE;
      if (used > 0)
        query->name[used - 1] = '.';
      for (guint8 i = 0; i < length; i++)
        {
          guint8 byte = self->data[self->at + i];

          query->odd_name |= !is_host_byte (byte);
          query->name[used + i] = (char)g_ascii_tolower ((char)byte);
        }
      used += length + 1U;
      self->at += length;
    }
  query->name[used > 0 ? used - 1 : 0] = '\0';
  return TRUE;
}

/* The records after the question: EDNS at most once, with the root as its name; others, a signature
 * say, mean nothing here. */
static gboolean
read_additional (Reader *self, Query *query)
{
  Query ignored = { 0 };
  guint16 type, class, length;
  const guint8 *ttl;

  if (!read_name (self, &ignored) || !read_uint16 (self, &type) || !read_uint16 (self, &class))
    return FALSE;
  ttl = self->data + self->at;
  if (!skip (self, 4) || !read_uint16 (self, &length) || !skip (self, length))
    return FALSE;
  if (type != TYPE_OPT)
    return TRUE;
  if (query->edns || ignored.name[0] != '\0')
    return FALSE;
  query->edns = TRUE;
  query->edns_version = ttl[1];
  return TRUE;
}

/* @counts: questions, answers, authorities, additional records. */
static gboolean
read_sections (Reader *self, const guint16 counts[4], Query *query)
{
  if (counts[0] != 1 || counts[1] != 0 || counts[2] != 0 || counts[3] > MAX_ADDITIONAL)
    return FALSE;
  if (!read_name (self, query) || !read_uint16 (self, &query->type)
      || !read_uint16 (self, &query->class))
    return FALSE;
  query->question_end = self->at;
  for (guint i = 0; i < counts[3]; i++)
    if (!read_additional (self, query))
      return FALSE;
  return self->at == self->length;
}

static void
put_uint16 (guint8 *out, gsize *at, guint value)
{
  out[(*at)++] = (guint8)(value >> 8);
  out[(*at)++] = (guint8)value;
}

/* The header, with the question where it was understood. */
static gsize
write_answer (
    const guint8 *message, const Query *query, guint rcode, const guint8 *address, guint8 *out)
{
  gsize at = 0;

  memcpy (out, message, 2);
  at = 2;
  /* An answer, recursion as it was wished for, and recursion available. */
  out[at++] = 0x80 | (message[2] & 0x79);
  out[at++] = (guint8)(0x80 | (rcode & 0xf));
  put_uint16 (out, &at, query != NULL);
  put_uint16 (out, &at, address != NULL);
  put_uint16 (out, &at, 0);
  put_uint16 (out, &at, query != NULL && query->edns);
  if (query == NULL)
    return at;
  memcpy (out + at, message + HEADER_BYTES, query->question_end - HEADER_BYTES);
  at = query->question_end;
  if (address != NULL)
    {
      put_uint16 (out, &at, 0xc000 | HEADER_BYTES); /* the name of the question */
      put_uint16 (out, &at, OC_DNS_TYPE_A);
      put_uint16 (out, &at, CLASS_IN);
      put_uint16 (out, &at, 0);
      put_uint16 (out, &at, TTL_S);
      put_uint16 (out, &at, 4);
      memcpy (out + at, address, 4);
      at += 4;
    }
  if (query->edns)
    {
      out[at++] = 0;
      put_uint16 (out, &at, TYPE_OPT);
      put_uint16 (out, &at, OC_DNS_MAX_MESSAGE);
      put_uint16 (out, &at, (rcode >> 4) << 8);
      put_uint16 (out, &at, 0);
      put_uint16 (out, &at, 0);
    }
  return at;
}

gsize
oc_dns_answer (const guint8 *message,
               gsize length,
               OcDnsLookup lookup,
               gpointer data,
               guint8 answer[OC_DNS_MAX_MESSAGE])
{
  Reader reader = { .data = message, .length = length, .at = HEADER_BYTES };
  Query query = { 0 };
  guint16 counts[4];
  guint8 address[4];
  OcDnsFound found;
  gboolean asks_address;

  /* What is itself an answer is never answered: two responders could go on for ever. */
  if (length < HEADER_BYTES || (message[2] & 0x80) != 0)
    return 0;
  if ((message[2] & 0x78) != 0)
    return write_answer (message, NULL, RCODE_NOT_IMPLEMENTED, NULL, answer);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    counts[i] = (guint16)(message[4 + 2 * i] << 8 | message[5 + 2 * i]);
  if (!read_sections (&reader, counts, &query))
    return write_answer (message, NULL, RCODE_FORMAT_ERROR, NULL, answer);
  if (query.edns && query.edns_version != 0)
    return write_answer (message, &query, RCODE_BAD_VERSION, NULL, answer);
  if (query.class != CLASS_IN && query.class != CLASS_ANY)
    return write_answer (message, &query, RCODE_REFUSED, NULL, answer);
  found = lookup (query.odd_name ? NULL : query.name, query.type, address, data);
  if (found != OC_DNS_ADDRESS)
    return write_answer (message, &query, RCODE_NAME_ERROR, NULL, answer);
  asks_address = query.type == OC_DNS_TYPE_A || query.type == TYPE_ANY;
  return write_answer (message, &query, RCODE_NO_ERROR, asks_address ? address : NULL, answer);
}
