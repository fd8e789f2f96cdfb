/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-hash.h"

#include <string.h>
#include <sys/random.h>

typedef struct
{
  guint64 v0, v1, v2, v3;
} SipState;

static inline guint64
rotate (guint64 value,
        guint bits)
{
  return (value << bits) | (value >> (64 - bits));
}

static inline void
sip_round (SipState *s)
{
  s->v0 += s->v1;
  s->v2 += s->v3;
  s->v1 = rotate (s->v1, 13) ^ s->v0;
  s->v3 = rotate (s->v3, 16) ^ s->v2;
  s->v0 = rotate (s->v0, 32);
  s->v2 += s->v1;
  s->v0 += s->v3;
  s->v1 = rotate (s->v1, 17) ^ s->v2;
  s->v3 = rotate (s->v3, 21) ^ s->v0;
  s->v2 = rotate (s->v2, 32);
}

static const guint64 *
get_key (void)
{
  static guint64 key[2];
  static gsize ready = 0;

  if (g_once_init_enter (&ready))
    {
      /* Early in boot or under an odd filter there may be nothing to read; GLib's generator is
       * then the best there is. */
      if (getrandom (key, sizeof key, GRND_NONBLOCK) != (gssize) sizeof key)
        {
          for (gsize i = 0; i < 2; i++)
            key[i] = ((guint64) g_random_int () << 32) | g_random_int ();
        }
      g_once_init_leave (&ready, 1);
    }
  return key;
}

/* Aumasson and Bernstein, "SipHash: a fast short-input PRF", with one compression and three
 * finalisation rounds. */
guint
oc_hash_string (gconstpointer string)
{
  const guint64 *key = get_key ();
  const char *p = string;
  gsize len = strlen (p);
  guint64 last = (guint64) len << 56;
  gsize whole = len / 8;
  SipState s = {
    .v0 = key[0] ^ G_GUINT64_CONSTANT (0x736f6d6570736575),
    .v1 = key[1] ^ G_GUINT64_CONSTANT (0x646f72616e646f6d),
    .v2 = key[0] ^ G_GUINT64_CONSTANT (0x6c7967656e657261),
    .v3 = key[1] ^ G_GUINT64_CONSTANT (0x7465646279746573),
  };
  guint64 sum;

  for (gsize i = 0; i < whole; i++, p += 8)
    {
      guint64 word;

      memcpy (&word, p, sizeof word);
      s.v3 ^= word;
      sip_round (&s);
      s.v0 ^= word;
    }
  for (gsize i = 0; i < len % 8; i++)
    last |= (guint64) (guchar) p[i] << (8 * i);
  s.v3 ^= last;
  sip_round (&s);
  s.v0 ^= last;

  s.v2 ^= 0xff;
  for (guint i = 0; i < 3; i++)
    sip_round (&s);
  sum = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
  return (guint) (sum ^ (sum >> 32));
}
