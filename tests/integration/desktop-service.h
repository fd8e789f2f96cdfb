/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * DesktopService: a name on a bus with one object, in a thread of its own: a portal, an application or a notification server
 * that writes down what it is asked.
 */
typedef struct _DesktopService DesktopService;

/* How it answers. */
typedef enum
{
  DESKTOP_SERVICE_ANSWERS,
  DESKTOP_SERVICE_FAILS,
  DESKTOP_SERVICE_HANGS,
} DesktopServiceManner;

/* @interface: its introspection, as XML. @capabilities: (nullable): what GetCapabilities answers, comma-separated. Returns when it
 * owns its name. */
DesktopService *desktop_service_new (const char *address,
                                     const char *name,
                                     const char *path,
                                     const char *interface,
                                     const char *capabilities,
                                     DesktopServiceManner manner);
void desktop_service_free (DesktopService *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DesktopService, desktop_service_free)
/* What was asked so far. */
guint desktop_service_count (DesktopService *self);
/* "Method(arguments)", as GVariant prints them. (transfer full) (nullable) */
char *desktop_service_get_call (DesktopService *self,
                                guint n);
/* Sends a signal of its interface. @arguments: floating. */
void desktop_service_emit (DesktopService *self,
                           const char *signal,
                           GVariant *arguments);

extern const char desktop_application_xml[];
extern const char desktop_portal_xml[];
extern const char desktop_gtk_notifications_xml[];
extern const char desktop_notifications_xml[];

G_END_DECLS
