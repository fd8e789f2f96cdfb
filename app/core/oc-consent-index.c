/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <string.h>

#include "core/oc-consent-private.h"
#include "core/oc-json.h"

/* Where each record lies in a file whose seal fits. What we sealed passed oc_json_check() before, so it is well-formed and
 * need not be scanned strictly again at every run of every plugin: quotes and brackets are enough. Whatever looks different
 * from that ends the walk, and the caller scans strictly. */

static const char *
skip_space (const char *p,
            const char *end)
{
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
    p++;
  return p;
}

/* @p: at the opening quote. Returns: after the closing one, NULL where there is none. */
static const char *
skip_string (const char *p,
             const char *end)
{
  for (p++; p < end; p++)
    {
      if (*p == '\\')
        p++;
      else if (*p == '"')
        return p + 1;
    }
  return NULL;
}

/* A whole object. @p: at its brace. */
static const char *
skip_object (const char *p,
             const char *end)
{
  guint depth = 0;

  while (p != NULL && p < end)
    switch (*p)
      {
      case '"':
        p = skip_string (p, end);
        break;
      case '{':
      case '[':
        depth++;
        p++;
        break;
      case '}':
      case ']':
        p++;
        if (--depth == 0)
          return p;
        break;
      default:
        p++;
        break;
      }
  return NULL;
}

static void
span_clear (gpointer data)
{
  g_free (((OcJsonSpan *) data)->key);
}

/* One `"key": {…}`. */
static const char *
read_record (const char *data,
             const char *p,
             const char *end,
             GArray *spans)
{
  const char *key = p + 1;
  OcJsonSpan span;

  if (p >= end || *p != '"' || (p = skip_string (p, end)) == NULL)
    return NULL;
  /* An escaped key is none of ours. */
  if (memchr (key, '\\', (gsize) (p - 1 - key)) != NULL)
    return NULL;
  span.key = g_strndup (key, (gsize) (p - 1 - key));
  p = skip_space (p, end);
  if (p < end && *p == ':')
    {
      p = skip_space (p + 1, end);
      span.start = (gsize) (p - data);
      p = p < end && *p == '{' ? skip_object (p, end) : NULL;
    }
  else
    p = NULL;
  if (p == NULL)
    {
      g_free (span.key);
      return NULL;
    }
  span.end = (gsize) (p - data);
  g_array_append_val (spans, span);
  return p;
}

GArray *
oc_consent_index_records (const char *data,
                          gsize start,
                          gsize len,
                          gsize *records_end)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (OcJsonSpan));
  const char *end = data + len;
  const char *p = skip_space (data + start + 1, end);

  g_array_set_clear_func (spans, span_clear);
  if (p < end && *p == '}')
    {
      *records_end = (gsize) (p + 1 - data);
      return g_steal_pointer (&spans);
    }
  while (p < end && (p = read_record (data, p, end, spans)) != NULL)
    {
      p = skip_space (p, end);
      if (p < end && *p == '}')
        {
          *records_end = (gsize) (p + 1 - data);
          return g_steal_pointer (&spans);
        }
      if (p >= end || *p != ',')
        break;
      p = skip_space (p + 1, end);
    }
  return NULL;
}
