/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <unistd.h>

G_BEGIN_DECLS

/* A descriptor that closes itself: `g_auto (OcFd) fd = open (…)`. Negative: none. Closing keeps errno. */
typedef int OcFd;
void oc_fd_close (OcFd *fd);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OcFd, oc_fd_close)

/* Until the end of the file or @size bytes. Returns the number read, or -1 with errno. */
gssize oc_fd_read_all (int fd,
                       char *buffer,
                       gsize size);
/* All of it, whatever signals or short writes come between. FALSE with errno. */
gboolean oc_fd_write_all (int fd,
                          const char *data,
                          gsize len);

/* @format has two %s: the file's name, escaped for display, and the system's own words for @saved_errno. OC_ERROR_IO. */
void oc_set_error_errno (GError **error,
                         int saved_errno,
                         const char *format,
                         const char *path);

G_END_DECLS
