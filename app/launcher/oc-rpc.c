/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-rpc.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-text.h"

struct _OcRpcReader
{
  GByteArray *buffer; /* owned */
  gsize start;        /* first byte not yet given out */
  gsize scanned;      /* header bytes already looked at: a header that trickles in stays linear */
  gsize body_len;     /* 0: still in the header */
  gboolean broken;
};

OcRpcReader *
oc_rpc_reader_new (void)
{
  OcRpcReader *self = g_new0 (OcRpcReader, 1);

  self->buffer = g_byte_array_new ();
  return self;
}

void
oc_rpc_reader_free (OcRpcReader *self)
{
  g_byte_array_unref (self->buffer);
  g_free (self);
}

void
oc_rpc_reader_feed (OcRpcReader *self,
                    const void *data,
                    gsize len)
{
  if (self->broken)
    return;
  if (self->start > 0)
    {
      g_byte_array_remove_range (self->buffer, 0, self->start);
      self->start = 0;
    }
  g_byte_array_append (self->buffer, data, len);
}

gboolean
oc_rpc_reader_is_amid (OcRpcReader *self)
{
  return self->buffer->len > self->start;
}

static gboolean
break_framing (OcRpcReader *self,
               GError **error,
               const char *message)
{
  self->broken = TRUE;
  g_byte_array_set_size (self->buffer, 0);
  self->start = 0;
  g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, message);
  return FALSE;
}

/* Digits only: no sign, no space, no second reading of what a length might mean. */
static gboolean
parse_length (const char *text,
              gsize len,
              gsize *value)
{
  gsize n = 0;

  if (len < 1 || len > 10)
    return FALSE;
  for (gsize i = 0; i < len; i++)
    {
      if (!g_ascii_isdigit (text[i]))
        return FALSE;
      n = n * 10 + (gsize) (text[i] - '0');
    }
  *value = n;
  return TRUE;
}

static gboolean
parse_header_line (OcRpcReader *self,
                   const char *line,
                   gsize len,
                   gboolean *has_length,
                   gsize *body_len,
                   GError **error)
{
  const char *colon = memchr (line, ':', len);
  g_autofree char *shown = NULL;
  g_autofree char *message = NULL;
  gsize name_len = colon ? (gsize) (colon - line) : 0;
  gsize value_at = name_len + 1;
  gsize shown_len = 0;

  if (name_len == strlen ("Content-Type") && g_ascii_strncasecmp (line, "Content-Type", name_len) == 0)
    return TRUE;
  if (name_len == strlen ("Content-Length") && g_ascii_strncasecmp (line, "Content-Length", name_len) == 0)
    {
      if (value_at < len && line[value_at] == ' ')
        value_at++;
      if (*has_length)
        return break_framing (self, error, _("A message has two Content-Length headers."));
      if (!parse_length (line + value_at, len - MIN (value_at, len), body_len) || *body_len == 0)
        return break_framing (self, error, _("A Content-Length header has no number of bytes greater than 0."));
      if (*body_len > OC_RPC_MAX_MESSAGE)
        {
          message = g_strdup_printf (_("A message of %" G_GSIZE_FORMAT " bytes was announced; %d are the most."), *body_len,
                                     OC_RPC_MAX_MESSAGE);
          return break_framing (self, error, message);
        }
      *has_length = TRUE;
      return TRUE;
    }

  /* One line of it, without the end of the line. */
  while (shown_len < MIN (len, 40) && line[shown_len] != '\n' && line[shown_len] != '\r')
    shown_len++;
  shown = oc_text_escape_lines (line, (gssize) shown_len, 60, NULL);
  message = g_strdup_printf (_("“%s” is no header of a message: each begins with “Content-Length: ” and the number of bytes."), shown);
  return break_framing (self, error, message);
}

/* @len: without the blank line. */
static gboolean
parse_header (OcRpcReader *self,
              const char *header,
              gsize len,
              GError **error)
{
  gboolean has_length = FALSE;
  gsize body_len = 0;
  gsize at = 0;

  while (at < len)
    {
      const char *end = memmem (header + at, len - at, "\r\n", 2);
      gsize line_len = end ? (gsize) (end - (header + at)) : len - at;

      if (!parse_header_line (self, header + at, line_len, &has_length, &body_len, error))
        return FALSE;
      at += line_len + 2;
    }
  if (!has_length)
    return break_framing (self, error, _("A message has no Content-Length header."));
  self->body_len = body_len;
  return TRUE;
}

/* Garbage is named as soon as it cannot become a header any more, not after 4 KiB of waiting. */
static gboolean
check_first_bytes (OcRpcReader *self,
                   const char *data,
                   gsize len,
                   GError **error)
{
  static const char start[] = "content-";
  gboolean has_length = TRUE;
  gsize unused = 0;

  if (len == 0 || g_ascii_strncasecmp (data, start, MIN (len, strlen (start))) == 0)
    return TRUE;
  return parse_header_line (self, data, MIN (len, 40), &has_length, &unused, error);
}

gboolean
oc_rpc_reader_next (OcRpcReader *self,
                    GBytes **body,
                    GError **error)
{
  const char *data;
  gsize len;

  *body = NULL;
  if (self->broken)
    return break_framing (self, error, _("The worker’s messages can no longer be told apart."));

  data = (const char *) self->buffer->data + self->start;
  len = self->buffer->len - self->start;
  if (self->body_len == 0)
    {
      const char *end;
      gsize from = self->scanned > 3 ? self->scanned - 3 : 0;

      if (!check_first_bytes (self, data, len, error))
        return FALSE;
      end = len > from ? memmem (data + from, len - from, "\r\n\r\n", 4) : NULL;
      if ((end ? (gsize) (end - data) + 4 : len) > OC_RPC_MAX_HEADER)
        return break_framing (self, error, _("A message’s header is longer than 4 KiB."));
      self->scanned = len;
      if (end == NULL)
        return TRUE;
      if (!parse_header (self, data, (gsize) (end - data), error))
        return FALSE;
      self->start += (gsize) (end - data) + 4;
      self->scanned = 0;
      data = end + 4;
      len = self->buffer->len - self->start;
    }
  if (len < self->body_len)
    return TRUE;
  *body = g_bytes_new (data, self->body_len);
  self->start += self->body_len;
  self->body_len = 0;
  return TRUE;
}

GString *
oc_rpc_begin_body (void)
{
  /* Most answers fit. */
  GString *text = g_string_sized_new (500);

  g_string_set_size (text, OC_RPC_HEADER_ROOM);
  return text;
}

GBytes *
oc_rpc_frame (GString *text)
{
  char header[OC_RPC_HEADER_ROOM + 1];
  gsize body_len = text->len - OC_RPC_HEADER_ROOM;
  gsize header_len = (gsize) g_snprintf (header, sizeof header, "Content-Length: %" G_GSIZE_FORMAT "\r\n\r\n", body_len);
  gsize room = OC_RPC_HEADER_ROOM - header_len;
  char *data = g_string_free (text, FALSE);

  memcpy (data + room, header, header_len);
  return g_bytes_new_with_free_func (data + room, header_len + body_len, g_free, data);
}
