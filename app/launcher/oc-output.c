/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>

#include "core/oc-json-write.h"
#include "core/oc-utf8.h"

/* One turn of the loop takes at most this, so that a program that floods its output cannot starve the rest. */
#define TURN_BYTES (1024 * 1024)

struct _OcOutput
{
  GByteArray *kept; /* owned */
  gsize max_bytes;
  int fd;           /* owned; -1 after its end */
  guint source;
  gboolean truncated;
};

static void
close_fd (OcOutput *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

/* Whether there may be more later. */
static gboolean
take (OcOutput *self,
      gsize max)
{
  char chunk[65536];
  gsize taken = 0;

  while (self->fd >= 0 && taken < max)
    {
      ssize_t n = read (self->fd, chunk, sizeof chunk);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 && errno == EAGAIN)
        return TRUE;
      if (n <= 0)
        return FALSE;
      taken += (gsize) n;
      if (self->kept->len + (gsize) n > self->max_bytes)
        self->truncated = TRUE;
      g_byte_array_append (self->kept, (guint8 *) chunk, (guint) MIN ((gsize) n, self->max_bytes - self->kept->len));
    }
  return self->fd >= 0;
}

static gboolean
on_readable (int fd,
             GIOCondition condition,
             gpointer data)
{
  OcOutput *self = data;

  if (take (self, TURN_BYTES))
    return G_SOURCE_CONTINUE;
  self->source = 0;
  close_fd (self);
  return G_SOURCE_REMOVE;
}

OcOutput *
oc_output_new (int fd,
               gsize max_bytes)
{
  OcOutput *self = g_new0 (OcOutput, 1);

  self->fd = fd;
  self->max_bytes = max_bytes;
  self->kept = g_byte_array_new ();
  g_unix_set_fd_nonblocking (fd, TRUE, NULL);
  self->source = g_unix_fd_add (fd, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, self);
  return self;
}

void
oc_output_free (OcOutput *self)
{
  close_fd (self);
  g_byte_array_unref (self->kept);
  g_free (self);
}

void
oc_output_drain (OcOutput *self)
{
  /* The writers are dead by now, so what is left is at most a pipe's buffer: bounded. */
  if (!take (self, TURN_BYTES))
    close_fd (self);
}

gboolean
oc_output_is_truncated (OcOutput *self)
{
  return self->truncated;
}

const char *
oc_output_get_data (OcOutput *self,
                    gsize *len)
{
  *len = self->kept->len;
  return (const char *) self->kept->data;
}

/* The longest start of @text that takes at most @max bytes once escaped. */
static gsize
measure_escaped (const char *text,
                 gsize max)
{
  const char *at = text;
  gsize total = 0;

  while (*at != '\0')
    {
      const char *next = g_utf8_next_char (at);

      total += (guchar) *at < 0x20 || *at == 0x7f ? 6 : (*at == '"' || *at == '\\') ? 2 : (gsize) (next - at);
      if (total > max)
        break;
      at = next;
    }
  return (gsize) (at - text);
}

char *
oc_output_dup_text (OcOutput *self,
                    gsize max_escaped,
                    gboolean *cut)
{
  const char *data = self->kept->len > 0 ? (const char *) self->kept->data : "";
  gsize len = self->kept->len;
  const char *end;
  gboolean valid = g_utf8_validate_len (data, len, &end);
  char *text;
  gsize fits;

  /* The cap may have fallen into a character: that is no fault of the text. */
  if (!valid && self->truncated && (gsize) (end - data) + 4 > len)
    {
      valid = TRUE;
      len = (gsize) (end - data);
    }
  text = valid ? g_strndup (data, len) : g_utf8_make_valid (data, (gssize) len);
  fits = max_escaped > 0 ? measure_escaped (text, max_escaped) : strlen (text);
  if (cut != NULL)
    *cut = text[fits] != '\0';
  text[fits] = '\0';
  return text;
}

gboolean
oc_output_append_json (OcOutput *self,
                       GString *json)
{
  const char *at = (const char *) self->kept->data;
  gsize left = self->kept->len;
  gboolean lossy = FALSE;
  gsize valid;

  g_string_append_c (json, '"');
  while (!oc_utf8_check (at, left, &valid))
    {
      oc_json_append_part (json, at, valid);
      at += valid;
      left -= valid;
      valid = 0;
      /* The cap may have fallen into a character: that is no fault of the text. */
      if (self->truncated && g_utf8_get_char_validated (at, (gssize) left) == (gunichar) -2)
        break;
      if (*at == '\0')
        oc_json_append_part (json, at, 1);
      else
        {
          g_string_append (json, "\xef\xbf\xbd");
          lossy = TRUE;
        }
      at++;
      left--;
    }
  oc_json_append_part (json, at, valid);
  g_string_append_c (json, '"');
  return lossy;
}

char *
oc_output_dup_tail (OcOutput *self,
                    gsize max_bytes)
{
  const char *data = self->kept->len > 0 ? (const char *) self->kept->data : "";
  gsize from = self->kept->len > max_bytes ? self->kept->len - max_bytes : 0;
  const char *line = from > 0 ? memchr (data + from, '\n', self->kept->len - from) : NULL;

  /* Whole lines, where there is one that fits. */
  if (line != NULL && (gsize) (line + 1 - data) < self->kept->len)
    from = (gsize) (line + 1 - data);
  return g_utf8_make_valid (data + from, (gssize) (self->kept->len - from));
}
