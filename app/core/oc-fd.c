/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "core/oc-fd.h"

#include <errno.h>

#include "core/oc-error.h"
#include "core/oc-text.h"

void
oc_fd_close (OcFd *fd)
{
  int saved_errno = errno;

  if (*fd >= 0)
    close (*fd);
  *fd = -1;
  errno = saved_errno;
}

gssize
oc_fd_read_all (int fd,
                char *buffer,
                gsize size)
{
  gsize done = 0;

  while (done < size)
    {
      ssize_t n = read (fd, buffer + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return -1;
      if (n == 0)
        break;
      done += (gsize) n;
    }
  return (gssize) done;
}

gboolean
oc_fd_write_all (int fd,
                 const char *data,
                 gsize len)
{
  while (len > 0)
    {
      ssize_t n = write (fd, data, len);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          if (n == 0)
            errno = EIO;
          return FALSE;
        }
      data += n;
      len -= (gsize) n;
    }
  return TRUE;
}

void
oc_set_error_errno (GError **error,
                    int saved_errno,
                    const char *format,
                    const char *path)
{
  g_autofree char *shown = oc_text_escape (path, 0, NULL);
  g_autofree char *message = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  message = g_strdup_printf (format, shown, g_strerror (saved_errno));
#pragma GCC diagnostic pop
  g_set_error_literal (error, OC_ERROR, OC_ERROR_IO, message);
}
