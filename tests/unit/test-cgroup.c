/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user's systemd is made up: it is on a private bus, and moves made-up processes into made-up groups. No group of this
 * machine is touched. */
#include <glib/gstdio.h>
#include <gio/gunixsocketaddress.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus.h"
#include "launcher/oc-cgroup-look.h"
#include "launcher/oc-cgroup.h"

#define FIRST 100
#define CHILD 101
#define LATE 102
#define MEMORY (G_GUINT64_CONSTANT (512) << 20)
#define TASKS 64
#define DEADLINE_S 30

/* What the made-up systemd does. */
typedef enum
{
  GOOD = 0,
  REFUSES,      /* an error for an answer */
  SILENT,       /* no answer */
  LIMITS_NOT,   /* a group without limits */
  LIMITS_MORE,  /* a group with higher ones */
  MOVES_NOTHING,
  LATE_CHILD,   /* the first process starts another one just before it is moved */
} Behaviour;

typedef struct
{
  char *root, *proc, *groups, *runtime;
  gboolean old; /* a hierarchy for each controller */
  Behaviour behaviour;
  Bus *bus;
  GDBusConnection *service;
  int socket;
  GVariant *properties; /* of the last unit asked for */
  char *unit;
  guint n_attached;
} World;

static const char introspection[] =
  "<node><interface name='org.freedesktop.systemd1.Manager'>"
  "<method name='StartTransientUnit'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='a(sv)' direction='in'/>"
  "<arg type='a(sa(sv))' direction='in'/><arg type='o' direction='out'/></method>"
  "<method name='AttachProcessesToUnit'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='au' direction='in'/></method>"
  "</interface></node>";

static void
write_file (const char *root,
            const char *name,
            const char *text)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Of a process: its group, and its children. */
static void
set_process (World *world,
             int pid,
             const char *group,
             const char *children)
{
  g_autofree char *cgroup = g_strdup_printf ("%d/cgroup", pid);
  g_autofree char *list = g_strdup_printf ("%d/task/%d/children", pid, pid);
  g_autofree char *text = world->old ? g_strdup_printf ("9:name=systemd:%s\n4:memory:%s\n5:cpu,pids:%s\n0::/\n", group, group, group)
                                     : g_strdup_printf ("0::%s\n", group);

  write_file (world->proc, cgroup, text);
  if (children != NULL)
    write_file (world->proc, list, children);
}

static void
set_limits (World *world,
            guint64 memory,
            guint64 tasks)
{
  g_autofree char *first = g_strdup_printf ("%s/app.slice/%s/%s", world->old ? "memory" : ".", world->unit,
                                            world->old ? "memory.limit_in_bytes" : "memory.max");
  g_autofree char *second = g_strdup_printf ("%s/app.slice/%s/pids.max", world->old ? "pids" : ".", world->unit);
  g_autofree char *memory_text = memory ? g_strdup_printf ("%" G_GUINT64_FORMAT "\n", memory) : g_strdup ("max\n");
  g_autofree char *tasks_text = tasks ? g_strdup_printf ("%" G_GUINT64_FORMAT "\n", tasks) : g_strdup ("max\n");

  write_file (world->groups, first, memory_text);
  write_file (world->groups, second, tasks_text);
}

static void
move (World *world,
      GVariant *pids)
{
  g_autofree char *group = g_strconcat ("/app.slice/", world->unit, NULL);
  GVariantIter iter;
  guint32 pid;

  g_variant_iter_init (&iter, pids);
  while (g_variant_iter_next (&iter, "u", &pid))
    set_process (world, (int) pid, group, NULL);
}

static void
start_unit (World *world,
            GVariant *parameters,
            GDBusMethodInvocation *invocation)
{
  g_autoptr (GVariant) pids = NULL;
  guint64 memory = 0;
  guint64 tasks = 0;

  g_clear_pointer (&world->properties, g_variant_unref);
  g_free (world->unit);
  g_variant_get (parameters, "(s&s@a(sv)@a(sa(sv)))", &world->unit, NULL, &world->properties, NULL);
  for (gsize i = 0; i < g_variant_n_children (world->properties); i++)
    {
      const char *name;
      g_autoptr (GVariant) value = NULL;

      g_variant_get_child (world->properties, i, "(&sv)", &name, &value);
      if (strcmp (name, "PIDs") == 0)
        pids = g_variant_ref (value);
      else if (strcmp (name, "MemoryMax") == 0)
        memory = g_variant_get_uint64 (value);
      else if (strcmp (name, "TasksMax") == 0)
        tasks = g_variant_get_uint64 (value);
    }
  if (world->behaviour == REFUSES)
    {
      g_dbus_method_invocation_return_dbus_error (invocation, "org.freedesktop.DBus.Error.AccessDenied", "no");
      return;
    }
  if (world->behaviour == SILENT)
    {
      g_object_unref (invocation);
      return;
    }
  if (world->behaviour == LATE_CHILD)
    {
      set_process (world, FIRST, "/session", "101 102 ");
      set_process (world, LATE, "/session", "");
    }
  set_limits (world, world->behaviour == LIMITS_NOT ? 0 : world->behaviour == LIMITS_MORE ? memory * 2 : memory, tasks);
  if (world->behaviour != MOVES_NOTHING)
    move (world, pids);
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(o)", "/org/freedesktop/systemd1/job/1"));
}

static void
on_call (GDBusConnection *connection,
         const char *sender,
         const char *path,
         const char *interface,
         const char *method,
         GVariant *parameters,
         GDBusMethodInvocation *invocation,
         gpointer data)
{
  World *world = data;
  g_autoptr (GVariant) pids = NULL;

  if (strcmp (method, "StartTransientUnit") == 0)
    {
      start_unit (world, parameters, invocation);
      return;
    }
  world->n_attached++;
  pids = g_variant_get_child_value (parameters, 2);
  if (world->behaviour != MOVES_NOTHING)
    move (world, pids);
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static const GDBusInterfaceVTable vtable = { .method_call = on_call };

static void
start_service (World *world)
{
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (introspection, NULL);
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;

  world->service = g_dbus_connection_new_for_address_sync (
    world->bus->address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, &error);
  g_assert_no_error (error);
  g_dbus_connection_register_object (world->service, "/org/freedesktop/systemd1", node->interfaces[0], &vtable, world, NULL, &error);
  g_assert_no_error (error);
  answer = g_dbus_connection_call_sync (world->service, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
                                        g_variant_new ("(su)", "org.freedesktop.systemd1", 0), NULL, 0, -1, NULL, &error);
  g_assert_no_error (error);
}

/* The socket by which the user's systemd is known to be there. */
static int
make_socket (const char *path)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  char native[sizeof (struct sockaddr_storage)];
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_assert_true (g_socket_address_to_native (address, native, sizeof native, NULL));
  g_assert_cmpint (bind (fd, (struct sockaddr *) native, (socklen_t) g_socket_address_get_native_size (address)), ==, 0);
  return fd;
}

static World *
world_new (gboolean old,
           Behaviour behaviour)
{
  World *world = g_new0 (World, 1);
  g_autofree char *socket_path = NULL;

  world->root = g_dir_make_tmp ("ocelot-group-XXXXXX", NULL);
  world->proc = g_build_filename (world->root, "proc", NULL);
  world->groups = g_build_filename (world->root, "groups", NULL);
  world->runtime = g_build_filename (world->root, "run", NULL);
  world->old = old;
  world->behaviour = behaviour;
  if (old)
    {
      write_file (world->groups, "memory/x", "");
      write_file (world->groups, "pids/x", "");
    }
  else
    write_file (world->groups, "cgroup.controllers", "cpu io memory pids\n");
  write_file (world->runtime, "systemd/x", "");
  socket_path = g_build_filename (world->runtime, "systemd", "private", NULL);
  world->socket = make_socket (socket_path);
  set_process (world, FIRST, "/session", "101 ");
  set_process (world, CHILD, "/session", "");
  world->bus = bus_new ();
  return world;
}

static void
world_free (World *world)
{
  const char *argv[] = { "rm", "-rf", "--", world->root, NULL };

  g_clear_object (&world->service);
  bus_free (world->bus);
  close (world->socket);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_clear_pointer (&world->properties, g_variant_unref);
  g_free (world->unit);
  g_free (world->root);
  g_free (world->proc);
  g_free (world->groups);
  g_free (world->runtime);
  g_free (world);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (World, world_free)

static OcCgroupHost
host_of (World *world)
{
  return (OcCgroupHost){ world->runtime, world->bus->address, world->proc, world->groups };
}

static OcCgroupState
wait_for_end (OcCgroup *group)
{
  gint64 deadline = g_get_monotonic_time () + DEADLINE_S * G_USEC_PER_SEC;

  while (oc_cgroup_get_state (group) == OC_CGROUP_WAITING && g_get_monotonic_time () < deadline)
    {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (1000);
    }
  return oc_cgroup_get_state (group);
}

static GVariant *
get_property (World *world,
              const char *wanted)
{
  for (gsize i = 0; i < g_variant_n_children (world->properties); i++)
    {
      const char *name;
      g_autoptr (GVariant) value = NULL;

      g_variant_get_child (world->properties, i, "(&sv)", &name, &value);
      if (strcmp (name, wanted) == 0)
        return g_steal_pointer (&value);
    }
  g_error ("%s was not asked for", wanted);
}

static void
test_holds (gconstpointer data)
{
  g_autoptr (World) world = world_new (GPOINTER_TO_INT (data), LATE_CHILD);
  OcCgroupHost host = host_of (world);
  g_autoptr (OcCgroup) group = NULL;
  g_autoptr (GVariant) memory = NULL;
  g_autoptr (GVariant) swap = NULL;
  g_autoptr (GVariant) tasks = NULL;
  g_autoptr (GVariant) pids = NULL;

  start_service (world);
  group = oc_cgroup_new (&host, FIRST, MEMORY, TASKS);
  if (wait_for_end (group) != OC_CGROUP_HOLDS)
    g_error ("it does not hold: %s", oc_cgroup_get_reason (group));
  memory = get_property (world, "MemoryMax");
  swap = get_property (world, "MemorySwapMax");
  tasks = get_property (world, "TasksMax");
  pids = get_property (world, "PIDs");
  g_assert_cmpuint (g_variant_get_uint64 (memory), ==, MEMORY);
  g_assert_cmpuint (g_variant_get_uint64 (swap), ==, 0);
  g_assert_cmpuint (g_variant_get_uint64 (tasks), ==, TASKS);
  g_assert_cmpuint (g_variant_n_children (pids), ==, 2);
  /* The one that was started in between was brought in afterwards. */
  g_assert_cmpuint (world->n_attached, >=, 1);
  g_assert_true (oc_cgroup_is_member (world->proc, world->groups, LATE, "memory", world->unit, NULL));
  g_assert_false (oc_cgroup_is_member (world->proc, world->groups, LATE, "memory", "other.scope", NULL));
}

/* Whatever goes wrong: it is said, and it is not taken for holding. */
static void
test_fails (gconstpointer data)
{
  static const char *const words[] = { [REFUSES] = "did not make", [SILENT] = "did not make", [LIMITS_NOT] = "does not limit",
                                       [LIMITS_MORE] = "does not limit", [MOVES_NOTHING] = "not all processes" };
  Behaviour behaviour = (Behaviour) GPOINTER_TO_INT (data);
  g_autoptr (World) world = world_new (FALSE, behaviour);
  OcCgroupHost host = host_of (world);
  g_autoptr (OcCgroup) group = NULL;

  start_service (world);
  group = oc_cgroup_new (&host, FIRST, MEMORY, TASKS);
  g_assert_cmpint (wait_for_end (group), ==, OC_CGROUP_FAILED);
  g_assert_nonnull (strstr (oc_cgroup_get_reason (group), words[behaviour]));
}

/* Nobody to ask: a bus without systemd does not start one, and no bus is made. */
static void
test_absent (void)
{
  g_autoptr (World) world = world_new (FALSE, GOOD);
  OcCgroupHost host = host_of (world);
  g_autoptr (OcCgroup) group = oc_cgroup_new (&host, FIRST, MEMORY, TASKS);
  g_autofree char *reason = NULL;
  g_autofree char *address = NULL;
  g_autofree char *controllers = g_build_filename (world->groups, "cgroup.controllers", NULL);
  g_autofree char *socket_path = g_build_filename (world->runtime, "systemd", "private", NULL);

  g_assert_cmpint (wait_for_end (group), ==, OC_CGROUP_FAILED);
  /* A control: all is there. */
  g_assert_true (oc_cgroup_find (&host, &address, NULL));
  g_assert_cmpstr (address, ==, world->bus->address);
  host.bus_address = "";
  g_assert_false (oc_cgroup_find (&host, NULL, &reason));
  g_clear_pointer (&reason, g_free);
  host = host_of (world);
  g_assert_true (g_file_set_contents (controllers, "cpu io pids\n", -1, NULL));
  g_assert_false (oc_cgroup_find (&host, NULL, &reason));
  g_clear_pointer (&reason, g_free);
  g_assert_true (g_file_set_contents (controllers, "memory pids\n", -1, NULL));
  g_assert_true (oc_cgroup_find (&host, NULL, NULL));
  g_assert_cmpint (g_unlink (socket_path), ==, 0);
  g_assert_false (oc_cgroup_find (&host, NULL, &reason));
  g_assert_nonnull (reason);
}

/* Given up at any moment: nothing comes back to it. */
static void
test_given_up (void)
{
  g_autoptr (World) world = world_new (FALSE, GOOD);
  OcCgroupHost host = host_of (world);

  start_service (world);
  for (guint turns = 0; turns < 40; turns++)
    {
      OcCgroup *group = oc_cgroup_new (&host, FIRST, MEMORY, TASKS);

      for (guint i = 0; i < turns; i++)
        {
          g_main_context_iteration (NULL, FALSE);
          g_usleep (200);
        }
      oc_cgroup_free (group);
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
}

int
main (int argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    Behaviour behaviour;
  } failures[] = { { "refuses", REFUSES }, { "silent", SILENT }, { "limits-not", LIMITS_NOT }, { "limits-more", LIMITS_MORE },
                   { "moves-nothing", MOVES_NOTHING } };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/cgroup/holds", GINT_TO_POINTER (FALSE), test_holds);
  g_test_add_data_func ("/cgroup/holds-old-hierarchies", GINT_TO_POINTER (TRUE), test_holds);
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_autofree char *path = g_strconcat ("/cgroup/fails/", failures[i].name, NULL);

      g_test_add_data_func (path, GINT_TO_POINTER (failures[i].behaviour), test_fails);
    }
  g_test_add_func ("/cgroup/absent", test_absent);
  g_test_add_func ("/cgroup/given-up", test_given_up);
  return g_test_run ();
}
