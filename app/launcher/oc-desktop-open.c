/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-desktop-private.h"

#include <string.h>
#include <unistd.h>

#include <gio/gdesktopappinfo.h>

static int
say (const char *word,
     const char *detail)
{
  g_autofree char *text = g_strdup_printf ("%s\n%s", word, detail ? detail : "");
  gsize len = MIN (strlen (text), OC_DESKTOP_MAX_BYTES);

  /* One write: less than a pipe holds. */
  return write (OC_DESKTOP_FD, text, len) == (ssize_t) len ? 0 : 1;
}

static gboolean
has_variable (const char *name)
{
  const char *value = g_getenv (name);

  return value != NULL && *value != '\0';
}

/* Inside Flatpak or Snap: where there is no handler, GLib asks the portal. It has no function to tell. */
static gboolean
has_portal (void)
{
  return g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS) || has_variable ("SNAP") || g_strcmp0 (g_getenv ("GTK_USE_PORTAL"), "1") == 0;
}

/* What GVfs would do for an address without a handler is ask its server for the content's type: no network is used here. */
static void
leave_gvfs_out (GAppLaunchContext *context)
{
  const char *before = g_getenv ("GIO_USE_VFS");

  if (before != NULL)
    g_app_launch_context_setenv (context, "GIO_USE_VFS", before);
  else
    g_app_launch_context_unsetenv (context, "GIO_USE_VFS");
  g_setenv ("GIO_USE_VFS", "local", TRUE);
}

typedef struct
{
  GMainLoop *loop;
  gboolean by_portal;
  int status;
} Opening;

static void
on_opened (GObject *source,
           GAsyncResult *result,
           gpointer data)
{
  Opening *opening = data;
  g_autoptr (GError) error = NULL;
  gboolean opened = opening->by_portal ? g_app_info_launch_default_for_uri_finish (result, &error)
                                       : g_app_info_launch_uris_finish (G_APP_INFO (source), result, &error);

  opening->status = say (opened ? OC_DESKTOP_OPENED : OC_DESKTOP_NOT_OPENED, error ? error->message : NULL);
  g_main_loop_quit (opening->loop);
}

/* @app: NULL: the portal's. */
static int
launch (GAppInfo *app,
        const char *uri,
        GAppLaunchContext *context)
{
  Opening opening = { .loop = g_main_loop_new (NULL, FALSE), .by_portal = app == NULL, .status = 1 };
  GList uris = { .data = (char *) uri };

  if (app != NULL)
    g_app_info_launch_uris_async (app, &uris, context, NULL, on_opened, &opening);
  else
    g_app_info_launch_default_for_uri_async (uri, context, NULL, on_opened, &opening);
  g_main_loop_run (opening.loop);
  g_main_loop_unref (opening.loop);
  return opening.status;
}

static gboolean
is_bus_activatable (GAppInfo *app)
{
  return G_IS_DESKTOP_APP_INFO (app) && g_desktop_app_info_get_boolean (G_DESKTOP_APP_INFO (app), "DBusActivatable");
}

/* One that the bus starts has the bus's environment, where there may be a display though there is none here. */
static gboolean
lacks_display (GAppInfo *app)
{
  return !has_variable ("DISPLAY") && !has_variable ("WAYLAND_DISPLAY") &&
         !(is_bus_activatable (app) && has_variable ("DBUS_SESSION_BUS_ADDRESS"));
}

int
oc_desktop_open_url (const char *url)
{
  g_autoptr (GAppLaunchContext) context = g_app_launch_context_new ();
  g_autofree char *scheme = g_uri_parse_scheme (url);
  g_autofree char *type = g_strconcat ("x-scheme-handler/", scheme, NULL);
  g_autofree char *detail = NULL;
  g_autoptr (GAppInfo) app = NULL;

  leave_gvfs_out (context);
  app = scheme ? g_app_info_get_default_for_uri_scheme (scheme) : NULL;
  if (app == NULL && has_portal ())
    return launch (NULL, url, context);
  if (app == NULL && oc_desktop_is_default_broken (type, &detail))
    return say (OC_DESKTOP_HANDLER_MISSING, detail);
  if (app == NULL)
    return say (OC_DESKTOP_NO_HANDLER, NULL);
  if (!g_app_info_supports_uris (app) && !is_bus_activatable (app))
    return say (OC_DESKTOP_NO_HANDLER, g_app_info_get_id (app));
  if (lacks_display (app))
    return say (OC_DESKTOP_NO_DISPLAY, g_app_info_get_id (app));
  return launch (app, url, context);
}

static const char *
fault_to_word (OcEntryFault fault)
{
  switch (fault)
    {
    case OC_ENTRY_MISSING:
    case OC_ENTRY_UNUSABLE:
      return OC_DESKTOP_APP_MISSING;
    case OC_ENTRY_HIDDEN:
      return OC_DESKTOP_APP_HIDDEN;
    case OC_ENTRY_PROGRAM_MISSING:
      return OC_DESKTOP_APP_PROGRAM_MISSING;
    }
  return OC_DESKTOP_APP_MISSING;
}

int
oc_desktop_open_folder (const char *app,
                        const char *uri)
{
  g_autoptr (GAppLaunchContext) context = g_app_launch_context_new ();
  g_autofree char *file_id = g_strconcat (app, ".desktop", NULL);
  g_autoptr (GDesktopAppInfo) info = NULL;
  g_autofree char *detail = NULL;

  leave_gvfs_out (context);
  info = g_desktop_app_info_new (file_id);
  if (info == NULL)
    {
      OcEntryFault fault = oc_desktop_find_fault (file_id, &detail);

      return say (fault_to_word (fault), detail);
    }
  /* Without a place for it in its command line, the folder would not reach it: it would only be started. */
  if (!g_app_info_supports_uris (G_APP_INFO (info)) && !g_app_info_supports_files (G_APP_INFO (info)) &&
      !is_bus_activatable (G_APP_INFO (info)))
    return say (OC_DESKTOP_APP_NO_FOLDERS, g_desktop_app_info_get_filename (info));
  if (lacks_display (G_APP_INFO (info)))
    return say (OC_DESKTOP_NO_DISPLAY, NULL);
  return launch (G_APP_INFO (info), uri, context);
}
