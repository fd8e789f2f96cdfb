/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * OcDesktop: one thing asked of the desktop, by way of ocelot-desktop (see oc-desktop-private.h). Never blocks.
 */
typedef struct _OcDesktop OcDesktop;

/* Called once, in the thread-default main context, unless the OcDesktop is freed before. @word: of oc-desktop-private.h.
 * @detail: raw text for the user, never for a plugin; maybe empty. May free the OcDesktop. */
typedef void (*OcDesktopFunc) (const char *word,
                               const char *detail,
                               gpointer data);

/* @arguments: NULL-terminated, without the program; from the main thread, on whose life the program's depends. Errors:
 * OC_ERROR_SANDBOX (the program is missing or not to be trusted), OC_ERROR_IO. */
OcDesktop *oc_desktop_ask (const char *const *arguments,
                           guint timeout_ms,
                           OcDesktopFunc func,
                           gpointer data,
                           GError **error);
/* What has not been opened yet is not opened any more. */
void oc_desktop_free (OcDesktop *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcDesktop, oc_desktop_free)

/* Starts it, and leaves it to itself. Errors: as above. */
gboolean oc_desktop_tell (const char *const *arguments,
                          GError **error);

/* For tests: the program to use in place of the one beside the launcher. (nullable) */
void oc_desktop_set_program (const char *path);

G_END_DECLS
