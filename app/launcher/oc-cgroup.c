/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-cgroup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "launcher/oc-cgroup-look.h"

#define BUS_NAME "org.freedesktop.systemd1"
#define BUS_PATH "/org/freedesktop/systemd1"
#define BUS_INTERFACE "org.freedesktop.systemd1.Manager"
/* What systemd may take; it takes some milliseconds. */
#define CALL_TIMEOUT_MS 2000
/* Between two looks whether all is where it should be, and how many. */
#define LOOK_MS 20
#define MAX_LOOKS 100
/* A process that is missed in one look, being given to another parent in between, is seen in the next. */
#define LOOKS_IN_A_ROW 2

struct _OcCgroup
{
  char *proc;
  char *groups;
  GPid pid;
  guint64 memory;
  guint64 tasks;

  char *unit;
  GDBusConnection *bus;      /* owned (nullable) */
  GCancellable *cancellable; /* owned: cancelled with this */
  guint look_source;
  guint looks;
  guint in_a_row;
  OcCgroupState state;
  char *reason; /* (nullable) */
};

static gboolean
is_socket (const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 && S_ISSOCK (info.st_mode);
}

static gboolean
not_found (char **reason,
           const char *text)
{
  if (reason != NULL)
    *reason = g_strdup (text);
  return FALSE;
}

/* As Flatpak does: the user's systemd is there where its private socket is. */
gboolean
oc_cgroup_find (const OcCgroupHost *host,
                char **address,
                char **reason)
{
  const char *runtime = host->runtime_folder != NULL ? host->runtime_folder : g_getenv ("XDG_RUNTIME_DIR");
  const char *given = host->bus_address != NULL ? host->bus_address : g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  const char *groups = host->groups != NULL ? host->groups : "/sys/fs/cgroup";
  g_autofree char *private = NULL;
  g_autofree char *bus = NULL;

  if (runtime == NULL || !g_path_is_absolute (runtime))
    return not_found (reason, _("no systemd runs for this user ($XDG_RUNTIME_DIR is not set)"));
  private = g_build_filename (runtime, "systemd", "private", NULL);
  bus = g_build_filename (runtime, "bus", NULL);
  if (!is_socket (private))
    return not_found (reason, _("no systemd runs for this user"));
  if ((given == NULL || *given == '\0') && !is_socket (bus))
    return not_found (reason, _("this user’s systemd is on no bus that can be reached"));
  if (!oc_cgroup_can_limit (groups))
    return not_found (reason, _("this computer’s control groups do not limit memory and processes"));
  if (address != NULL)
    {
      g_autofree char *escaped = g_dbus_address_escape_value (bus);

      *address = given != NULL && *given != '\0' ? g_strdup (given) : g_strconcat ("unix:path=", escaped, NULL);
    }
  return TRUE;
}

/* @reason: (transfer full) */
static void
fail (OcCgroup *self,
      char *reason)
{
  g_clear_handle_id (&self->look_source, g_source_remove);
  self->state = OC_CGROUP_FAILED;
  g_free (self->reason);
  self->reason = reason;
  g_debug ("limits: %s", reason);
}

static GVariant *
list_strays (OcCgroup *self,
             guint *n)
{
  g_autoptr (GArray) pids = oc_cgroup_list_processes (self->proc, self->pid);
  GVariantBuilder builder;

  *n = 0;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("au"));
  for (guint i = 0; i < pids->len; i++)
    {
      int pid = g_array_index (pids, int, i);

      if (oc_cgroup_is_member (self->proc, self->groups, pid, "memory", self->unit, NULL)
          && oc_cgroup_is_member (self->proc, self->groups, pid, "pids", self->unit, NULL))
        continue;
      g_variant_builder_add (&builder, "u", (guint32) pid);
      (*n)++;
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static void
call (OcCgroup *self,
      const char *method,
      GVariant *parameters,
      GAsyncReadyCallback callback)
{
  g_dbus_connection_call (self->bus, BUS_NAME, BUS_PATH, BUS_INTERFACE, method, parameters, NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START,
                          CALL_TIMEOUT_MS, self->cancellable, callback, self);
}

/* NULL: @self is gone, or has failed. */
static OcCgroup *
finish_call (GObject *source,
             GAsyncResult *result,
             gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  OcCgroup *self = data;

  if (answer != NULL)
    return self;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return NULL;
  fail (self, g_strdup_printf (_("this user’s systemd did not make a control group: %s"), error->message));
  return NULL;
}

static gboolean on_look (gpointer data);

static void
look_again (OcCgroup *self)
{
  if (self->state == OC_CGROUP_WAITING && self->look_source == 0)
    self->look_source = g_timeout_add (LOOK_MS, on_look, self);
}

static void
on_attached (GObject *source,
             GAsyncResult *result,
             gpointer data)
{
  OcCgroup *self = finish_call (source, result, data);

  if (self != NULL)
    look_again (self);
}

/* What the first process started before it was moved is outside: brought in, until there is nothing more. What it starts
 * from now on is inside from birth. */
static gboolean
on_look (gpointer data)
{
  OcCgroup *self = data;
  g_autoptr (GVariant) strays = NULL;
  g_autofree char *reason = NULL;
  guint n = 0;

  self->look_source = 0;
  strays = list_strays (self, &n);
  self->in_a_row = n == 0 ? self->in_a_row + 1 : 0;
  if (n == 0 && self->in_a_row < LOOKS_IN_A_ROW)
    look_again (self);
  else if (n == 0 && oc_cgroup_has_limits (self->proc, self->groups, (int) self->pid, self->unit, self->memory, self->tasks, &reason))
    self->state = OC_CGROUP_HOLDS;
  else if (n == 0)
    fail (self, g_steal_pointer (&reason));
  else if (++self->looks >= MAX_LOOKS)
    fail (self, g_strdup_printf (_("not all processes could be brought into the control group %s"), self->unit));
  else if (self->looks == 1)
    /* systemd answers before it has moved what it was given. */
    look_again (self);
  else
    call (self, "AttachProcessesToUnit", g_variant_new ("(ss@au)", self->unit, "", strays), on_attached);
  return G_SOURCE_REMOVE;
}

static void
on_started (GObject *source,
            GAsyncResult *result,
            gpointer data)
{
  OcCgroup *self = finish_call (source, result, data);

  if (self != NULL)
    look_again (self);
}

static GVariant *
make_properties (OcCgroup *self)
{
  guint n;
  g_autoptr (GVariant) pids = list_strays (self, &n);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sv)"));
  g_variant_builder_add (&builder, "(sv)", "Description", g_variant_new_string ("A plugin of Ocelot Plugins"));
  g_variant_builder_add (&builder, "(sv)", "PIDs", pids);
  g_variant_builder_add (&builder, "(sv)", "MemoryMax", g_variant_new_uint64 (self->memory));
  g_variant_builder_add (&builder, "(sv)", "MemorySwapMax", g_variant_new_uint64 (0));
  g_variant_builder_add (&builder, "(sv)", "TasksMax", g_variant_new_uint64 (self->tasks));
  /* Only into such a group can processes be brought later. */
  g_variant_builder_add (&builder, "(sv)", "Delegate", g_variant_new_boolean (TRUE));
  /* Nothing is left of it, however it ends. */
  g_variant_builder_add (&builder, "(sv)", "CollectMode", g_variant_new_string ("inactive-or-failed"));
  return g_variant_builder_end (&builder);
}

static void
on_connected (GObject *source,
              GAsyncResult *result,
              gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) bus = g_dbus_connection_new_for_address_finish (result, &error);
  OcCgroup *self = data;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (bus == NULL)
    {
      fail (self, g_strdup_printf (_("this user’s systemd could not be asked: %s"), error->message));
      return;
    }
  self->bus = g_steal_pointer (&bus);
  call (self, "StartTransientUnit",
        g_variant_new ("(ss@a(sv)a(sa(sv)))", self->unit, "fail", make_properties (self), NULL), on_started);
}

OcCgroup *
oc_cgroup_new (const OcCgroupHost *host,
               GPid pid,
               guint64 memory,
               guint64 tasks)
{
  OcCgroup *self = g_new0 (OcCgroup, 1);
  g_autofree char *address = NULL;

  self->proc = g_strdup (host->proc != NULL ? host->proc : "/proc");
  self->groups = g_strdup (host->groups != NULL ? host->groups : "/sys/fs/cgroup");
  self->pid = pid;
  self->memory = memory;
  self->tasks = tasks;
  self->unit = g_strdup_printf ("ocelot-plugin-%d-%d.scope", (int) getpid (), (int) pid);
  self->cancellable = g_cancellable_new ();
  if (!oc_cgroup_find (host, &address, &self->reason))
    self->state = OC_CGROUP_ABSENT;
  else
    g_dbus_connection_new_for_address (address,
                                       G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                         | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                       NULL, self->cancellable, on_connected, self);
  return self;
}

void
oc_cgroup_free (OcCgroup *self)
{
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  g_clear_handle_id (&self->look_source, g_source_remove);
  g_clear_object (&self->bus);
  g_free (self->proc);
  g_free (self->groups);
  g_free (self->unit);
  g_free (self->reason);
  g_free (self);
}

OcCgroupState
oc_cgroup_get_state (OcCgroup *self)
{
  return self->state;
}

const char *
oc_cgroup_get_reason (OcCgroup *self)
{
  return self->reason;
}
