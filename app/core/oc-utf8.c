/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-utf8.h"

#include <string.h>

/* RFC 3629, section 4: how long a character is by its first byte, and what its second one may be; the others are 80 to BF. What is
 * not here begins none, or is ASCII. */
typedef struct
{
  guint8 length;
  guint8 second_first;
  guint8 second_last;
} Lead;

static const Lead leads[256] = {
  [0xc2 ... 0xdf] = { 2, 0x80, 0xbf }, [0xe0] = { 3, 0xa0, 0xbf },          [0xe1 ... 0xec] = { 3, 0x80, 0xbf }, [0xed] = { 3, 0x80, 0x9f },
  [0xee ... 0xef] = { 3, 0x80, 0xbf }, [0xf0] = { 4, 0x90, 0xbf },          [0xf1 ... 0xf3] = { 4, 0x80, 0xbf }, [0xf4] = { 4, 0x80, 0x8f },
};

/* 0: no character begins here. */
static inline gsize
get_length (const guchar *at,
            gsize left)
{
  const Lead *lead = &leads[*at];

  if (lead->length == 0 || left < lead->length || at[1] < lead->second_first || at[1] > lead->second_last)
    return 0;
  if (lead->length > 2 && (at[2] & 0xc0) != 0x80)
    return 0;
  if (lead->length > 3 && (at[3] & 0xc0) != 0x80)
    return 0;
  return lead->length;
}

#define ALL_BYTES(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))

/* How many of eight bytes come before the first that is NUL or not ASCII. */
static inline gsize
count_ascii (const guchar *at)
{
  guint64 word;
  guint64 found;

  memcpy (&word, at, sizeof word);
  word = GUINT64_FROM_LE (word);
  /* The lowest bit that is set is right; one above it may not be, for the subtraction borrows. */
  found = (word | (word - ALL_BYTES (0x01))) & ALL_BYTES (0x80);
  return found == 0 ? 8 : (gsize) __builtin_ctzll (found) / 8;
}

gboolean
oc_utf8_check (const char *data,
               gsize len,
               gsize *valid)
{
  const guchar *bytes = (const guchar *) data;
  gsize at = 0;

  while (at < len)
    {
      gsize length = 1;

      if (len - at >= 8 && (length = count_ascii (bytes + at)) > 0)
        {
          at += length;
          continue;
        }
      length = 1;
      if (bytes[at] == '\0' || (bytes[at] >= 0x80 && (length = get_length (bytes + at, len - at)) == 0))
        break;
      at += length;
    }
  if (valid != NULL)
    *valid = at;
  return at == len;
}
