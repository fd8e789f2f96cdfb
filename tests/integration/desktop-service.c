/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "desktop-service.h"

#include <string.h>

const char desktop_application_xml[]
  = "<node><interface name='org.freedesktop.Application'>"
    "<method name='Open'><arg type='as' direction='in'/><arg type='a{sv}' direction='in'/></method>"
    "</interface></node>";
const char desktop_portal_xml[]
  = "<node><interface name='org.freedesktop.portal.OpenURI'>"
    "<method name='OpenURI'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='a{sv}' direction='in'/>"
    "<arg type='o' direction='out'/></method><property name='version' type='u' access='read'/>"
    "</interface></node>";
const char desktop_gtk_notifications_xml[]
  = "<node><interface name='org.gtk.Notifications'>"
    "<method name='AddNotification'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/></method>"
    "</interface></node>";
const char desktop_notifications_xml[]
  = "<node><interface name='org.freedesktop.Notifications'>"
    "<method name='GetCapabilities'><arg type='as' direction='out'/></method>"
    "<method name='Notify'><arg type='s' direction='in'/><arg type='u' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='as' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='i' direction='in'/><arg type='u' direction='out'/></method>"
    "</interface></node>";

struct _DesktopService
{
  GDBusConnection *connection;
  GDBusNodeInfo *node;
  char *path;
  char *capabilities;
  DesktopServiceManner manner;
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  GMutex mutex;
  GPtrArray *calls; /* under the mutex */
};

/* As xdg-desktop-portal does: what came of it is told by a signal of the request's own object. */
static void
respond (GDBusConnection *connection,
         const char *sender,
         GVariant *arguments,
         GDBusMethodInvocation *invocation)
{
  g_autoptr (GVariant) options = g_variant_get_child_value (arguments, 2);
  g_autofree char *name = g_strdelimit (g_strdup (sender + 1), ".", '_');
  g_autofree char *handle = NULL;
  const char *token = "t";

  g_variant_lookup (options, "handle_token", "&s", &token);
  handle = g_strdup_printf ("/org/freedesktop/portal/desktop/request/%s/%s", name, token);
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(o)", handle));
  g_dbus_connection_emit_signal (connection, sender, handle, "org.freedesktop.portal.Request", "Response",
                                 g_variant_new ("(u@a{sv})", 0, g_variant_new ("a{sv}", NULL)), NULL);
}

static void
on_call (GDBusConnection *connection,
         const char *sender,
         const char *path,
         const char *interface,
         const char *method,
         GVariant *arguments,
         GDBusMethodInvocation *invocation,
         gpointer data)
{
  DesktopService *self = data;
  g_autofree char *printed = g_variant_print (arguments, FALSE);

  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->calls, g_strconcat (method, printed, NULL));
  g_mutex_unlock (&self->mutex);
  if (self->manner == DESKTOP_SERVICE_HANGS)
    {
      /* Never answered; what it holds is freed with the process. */
      return;
    }
  if (self->manner == DESKTOP_SERVICE_FAILS)
    g_dbus_method_invocation_return_dbus_error (invocation, "org.example.Failed", "a secret of the desktop");
  else if (g_str_equal (method, "GetCapabilities"))
    {
      g_auto (GStrv) list = g_strsplit (self->capabilities ? self->capabilities : "", ",", -1);

      g_dbus_method_invocation_return_value (invocation, g_variant_new ("(^as)", list));
    }
  else if (g_str_equal (method, "Notify"))
    g_dbus_method_invocation_return_value (invocation, g_variant_new ("(u)", 7));
  else if (g_str_equal (method, "OpenURI"))
    respond (connection, sender, arguments, invocation);
  else
    g_dbus_method_invocation_return_value (invocation, NULL);
}

static GVariant *
on_property (GDBusConnection *connection,
             const char *sender,
             const char *path,
             const char *interface,
             const char *property,
             GError **error,
             gpointer data)
{
  return g_variant_new_uint32 (3);
}

static gpointer
run (gpointer data)
{
  static const GDBusInterfaceVTable vtable = { .method_call = on_call, .get_property = on_property };
  DesktopService *self = data;
  g_autoptr (GError) error = NULL;

  g_main_context_push_thread_default (self->context);
  g_dbus_connection_register_object (self->connection, self->path, self->node->interfaces[0], &vtable, self, NULL, &error);
  g_assert_no_error (error);
  g_main_loop_run (self->loop);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

static void
own (DesktopService *self,
     const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply
    = g_dbus_connection_call_sync (self->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                   "RequestName", g_variant_new ("(su)", name, 4), G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                                   &error);

  g_assert_no_error (error);
}

DesktopService *
desktop_service_new (const char *address,
                     const char *name,
                     const char *path,
                     const char *interface,
                     const char *capabilities,
                     DesktopServiceManner manner)
{
  DesktopService *self = g_new0 (DesktopService, 1);
  g_autoptr (GError) error = NULL;

  self->connection = g_dbus_connection_new_for_address_sync (
    address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  g_assert_no_error (error);
  self->node = g_dbus_node_info_new_for_xml (interface, &error);
  g_assert_no_error (error);
  self->path = g_strdup (path);
  self->capabilities = g_strdup (capabilities);
  self->manner = manner;
  self->calls = g_ptr_array_new_with_free_func (g_free);
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  g_mutex_init (&self->mutex);
  self->thread = g_thread_new ("desktop-service", run, self);
  while (!g_main_loop_is_running (self->loop))
    g_thread_yield ();
  own (self, name);
  return self;
}

void
desktop_service_free (DesktopService *self)
{
  g_main_loop_quit (self->loop);
  g_thread_join (self->thread);
  g_dbus_connection_close_sync (self->connection, NULL, NULL);
  g_object_unref (self->connection);
  g_dbus_node_info_unref (self->node);
  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_ptr_array_unref (self->calls);
  g_mutex_clear (&self->mutex);
  g_free (self->path);
  g_free (self->capabilities);
  g_free (self);
}

guint
desktop_service_count (DesktopService *self)
{
  guint n;

  g_mutex_lock (&self->mutex);
  n = self->calls->len;
  g_mutex_unlock (&self->mutex);
  return n;
}

char *
desktop_service_get_call (DesktopService *self,
                          guint n)
{
  char *call;

  g_mutex_lock (&self->mutex);
  call = n < self->calls->len ? g_strdup (self->calls->pdata[n]) : NULL;
  g_mutex_unlock (&self->mutex);
  return call;
}

void
desktop_service_emit (DesktopService *self,
                      const char *signal,
                      GVariant *arguments)
{
  g_autoptr (GError) error = NULL;

  g_dbus_connection_emit_signal (self->connection, NULL, self->path, self->node->interfaces[0]->name, signal, arguments, &error);
  g_assert_no_error (error);
  g_dbus_connection_flush_sync (self->connection, NULL, &error);
  g_assert_no_error (error);
}
