/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/*
 * ocelot-desktop: the launcher's hand on the desktop, a program of its own that lives for one thing and ends:
 *
 *   ocelot-desktop url ADDRESS
 *   ocelot-desktop folder APP FILE-URI
 *   ocelot-desktop notify PLUGIN TITLE TEXT BUTTON
 *
 * What it starts is the user's own browser, outside of any sandbox. Started from the launcher itself, that browser would have
 * the launcher's standard output (and a host that reads it to its end would hang as long as the browser runs), its process group
 * and its working folder. Here there is nothing to inherit: a session of its own, /dev/null three times, the home folder.
 * GLib's and the desktop's code, which reads desktop entries, asks buses and may wait for them, also stays out of the process
 * that answers plugins; and one signal ends it all when the run ends, or when it takes too long.
 *
 * "url" and "folder" say on OC_DESKTOP_FD what came of it: one of the words below and, after a line feed, a text for the user.
 * Everything was checked before; nothing here decides what may be opened.
 */
#define OC_DESKTOP_PROGRAM "ocelot-desktop"
#define OC_DESKTOP_FD 3
#define OC_DESKTOP_MAX_BYTES 4096

#define OC_DESKTOP_OPENED "opened"
#define OC_DESKTOP_NO_HANDLER "no-handler"
#define OC_DESKTOP_HANDLER_MISSING "handler-missing"
#define OC_DESKTOP_APP_MISSING "app-missing"
#define OC_DESKTOP_APP_HIDDEN "app-hidden"
#define OC_DESKTOP_APP_PROGRAM_MISSING "app-program-missing"
#define OC_DESKTOP_APP_NO_FOLDERS "app-no-folders"
#define OC_DESKTOP_NO_DISPLAY "no-display"
#define OC_DESKTOP_NOT_OPENED "not-opened"
/* Said by the launcher. */
#define OC_DESKTOP_TIMED_OUT "timed-out"

/* The program ends after so many seconds by itself, should nobody end it. */
#define OC_DESKTOP_MAX_SECONDS 60
/* For as long a notification can be clicked where only its sender hears of it. */
#define OC_DESKTOP_CLICK_SECONDS 600

typedef enum
{
  OC_ENTRY_MISSING = 0,
  OC_ENTRY_HIDDEN,
  OC_ENTRY_PROGRAM_MISSING,
  OC_ENTRY_UNUSABLE, /* no application, or not readable */
} OcEntryFault;

/* Why GDesktopAppInfo does not load <@id>. @detail: (out) (transfer full): for the user. */
OcEntryFault oc_desktop_find_fault (const char *file_id,
                                    char **detail);
/* A desktop entry that is set as default for @type and whose program is not there. @detail: (out) (transfer full) */
gboolean oc_desktop_is_default_broken (const char *type,
                                       char **detail);

/* The verbs; each returns the program's exit status. */
int oc_desktop_open_url (const char *url);
int oc_desktop_open_folder (const char *app,
                            const char *uri);
int oc_desktop_notify (const char *plugin,
                       const char *title,
                       const char *text,
                       const char *button);

G_END_DECLS
