/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-launch.h"
#include "core/oc-text.h"
#include "launcher/oc-executor.h"
#include "launcher/oc-guarded-lists.h"
#include "launcher/oc-guarded.h"
#include "launcher/oc-memory.h"
#include "launcher/oc-sandbox.h"
#include "launcher/oc-selftest-private.h"

/* The canary takes some milliseconds. */
#define CANARY_TIMEOUT_US (10 * G_USEC_PER_SEC)
#define CANARY_MAX_OUTPUT 16384
#define LAYER_LAUNCHER "launcher"
#define LAYER_LIMITS "limits"
#define LAYER_GUARDED "guarded-places"
#define LAYER_NETWORK_CLIENT "network-client"

/* In the order in which they are shown. */
static const struct
{
  const char *id;
  const char *title;
  const char *holds; /* said before what was tried */
} layers[] = {
  { LAYER_LAUNCHER, N_ ("Launcher"), N_ ("The launcher can start a sandbox.") },
  { "user-namespace", N_ ("User namespace"), N_ ("The plugin has no rights of its user outside.") },
  { "mounts-read-only", N_ ("Read-only files"),
    N_ ("Files outside the plugin's own folders cannot be changed; before, they could.") },
  { LAYER_GUARDED, N_ ("Guarded places"),
    N_ ("Keys, other plugins and the record of consent cannot be read; before, they could.") },
  { "own-folders-writable", N_ ("The plugin's own folders"),
    N_ ("The plugin can write its own data and temporary files.") },
  { "pid-namespace", N_ ("Other programs"),
    N_ ("No other program can be seen or signalled; before, they could.") },
  { "network", N_ ("Network"),
    N_ ("Without the permission, no network connection can be opened; before, it could.") },
  { LAYER_NETWORK_CLIENT, N_ ("Network permission"),
    N_ ("With the permission, connections can be opened, but nothing can be listened for.") },
  { "unix-sockets", N_ ("Services of this computer"),
    N_ ("No Unix socket can be opened; before, it could.") },
  { "landlock", N_ ("Landlock"), N_ ("Pipes on disk cannot be written; before, they could.") },
  { "seccomp", N_ ("System call filter"), N_ ("Dangerous system calls are refused.") },
  { LAYER_LIMITS, N_ ("Limits"), N_ ("What a plugin can use up is limited.") },
  { "no-new-privs", N_ ("No new privileges"), N_ ("Programs that would gain rights do not.") },
  { "capabilities", N_ ("Capabilities"),
    N_ ("The plugin has none of the administrator's rights.") },
};

typedef struct
{
  gboolean tried;
  gboolean holds;
  char *detail;
} Outcome;

typedef struct
{
  OcExecutor executor; /* OC_EXECUTOR_AUTO until one has started something */
  gboolean refused;    /* the direct one may make no namespaces here */
  char *base;
  char *folder;
  char *data;
  char *temp;
  OcPaths *paths;
  Outcome outcomes[G_N_ELEMENTS (layers)];
} SelfTest;

static void
set_outcome (SelfTest *self, const char *id, gboolean holds, const char *detail)
{
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    if (strcmp (layers[i].id, id) == 0)
      {
        self->outcomes[i].tried = TRUE;
        self->outcomes[i].holds = holds;
        g_free (self->outcomes[i].detail);
        self->outcomes[i].detail = holds && detail != NULL
                                       ? g_strdup_printf ("%s (%s)", _ (layers[i].holds), detail)
                                       : g_strdup (detail != NULL ? detail : _ (layers[i].holds));
      }
}

static gboolean
make_folder (SelfTest *self, const char *below, char **out)
{
  char *path = g_build_filename (self->base, below, NULL);
  gboolean made = g_mkdir_with_parents (path, 0700) == 0;

  if (out != NULL)
    *out = path;
  else
    g_free (path);
  return made;
}

static gboolean
make_file (SelfTest *self, const char *below)
{
  g_autofree char *path = g_build_filename (self->base, below, NULL);

  return g_file_set_contents_full (path, "{}\n", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL);
}

/* A made-up home with a key, two plugins and a consent file, in a temporary folder. */
static gboolean
make_home (SelfTest *self, GError **error)
{
  g_autofree char *data_home = NULL;
  g_autofree char *fifo = NULL;

  self->base = g_dir_make_tmp ("ocelot-check-XXXXXX", error);
  if (self->base == NULL)
    return FALSE;
  data_home = g_build_filename (self->base, OC_CANARY_HOME, ".local", "share", NULL);
  fifo = g_build_filename (self->base, OC_CANARY_FIFO, NULL);
  self->paths = oc_paths_new (data_home, NULL, self->base);
  if (!make_folder (self, OC_CANARY_OCELOT "/Plugins/" OC_CANARY_ID, &self->folder)
      || !make_folder (self, OC_CANARY_OCELOT "/Plugins/" OC_CANARY_OTHER_ID, NULL)
      || !make_folder (self, OC_CANARY_OCELOT "/Data/" OC_CANARY_ID, &self->data)
      || !make_folder (self, OC_CANARY_TEMP, &self->temp)
      || !make_folder (self, OC_CANARY_KEY_FOLDER, NULL) || !make_file (self, OC_CANARY_KEY)
      || !make_file (self, OC_CANARY_FILE) || !make_file (self, OC_CANARY_OCELOT "/consent.json")
      || !make_file (self, OC_CANARY_OCELOT "/Plugins/" OC_CANARY_OTHER_ID "/plugin.json")
      || mkfifo (fifo, 0600) != 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO, "%s: %s", self->base, g_strerror (errno));
      return FALSE;
    }
  return TRUE;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      struct stat info;

      if (lstat (child, &info) == 0 && S_ISDIR (info.st_mode))
        remove_tree (child);
      else
        (void)unlink (child);
    }
  (void)rmdir (path);
}

static gboolean
can_open (SelfTest *self, const char *below, int flags)
{
  g_autofree char *path = g_build_filename (self->base, below, NULL);
  g_auto (OcFd) fd = open (path, flags | O_CLOEXEC | O_NONBLOCK);

  return fd >= 0;
}

/* The same attempts outside: a refusal inside means nothing where it would have been refused
 * anyway. Returns the id of the first layer whose control fails, or NULL. */
static const char *
try_controls (SelfTest *self)
{
  g_autofree char *file = g_build_filename (self->base, OC_CANARY_FILE, NULL);
  g_auto (OcFd) local = -1;
  int pair[2];

  if (g_chmod (file, 0600) != 0 || !can_open (self, OC_CANARY_FILE, O_WRONLY))
    return "mounts-read-only";
  if (!can_open (self, OC_CANARY_KEY, O_RDONLY)
      || !can_open (self, OC_CANARY_KEY_FOLDER, O_RDONLY | O_DIRECTORY)
      || !can_open (self, OC_CANARY_OCELOT "/consent.json", O_RDONLY))
    return LAYER_GUARDED;
  if (!can_open (self, OC_CANARY_FIFO, O_RDWR))
    return "landlock";
  if (kill (getpid (), 0) != 0)
    return "pid-namespace";
  local = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (local < 0 || socketpair (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
    return "unix-sockets";
  close (pair[0]);
  close (pair[1]);
  /* A machine without IPv4 has no control for the network; the Unix socket shows that sockets can
   * be made. */
  return NULL;
}

static void
read_lines (SelfTest *self, const char *output)
{
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", 3);

      if (g_strv_length (fields) == 3)
        set_outcome (self, fields[0], strcmp (fields[1], "1") == 0, fields[2]);
    }
}

/* Until the end of the file. FALSE past the deadline. */
static gboolean
read_output (int fd, GString *output)
{
  gint64 deadline = g_get_monotonic_time () + CANARY_TIMEOUT_US;

  for (;;)
    {
      struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
      gint64 left = deadline - g_get_monotonic_time ();
      char buffer[4096];
      ssize_t n;

      if (left <= 0 || (poll (&poll_fd, 1, (int)(left / 1000) + 1) <= 0 && errno != EINTR))
        return FALSE;
      n = read (fd, buffer, sizeof buffer);
      if (n == 0)
        return TRUE;
      if (n < 0 && errno != EINTR)
        return FALSE;
      if (n > 0 && output->len + (gsize)n <= CANARY_MAX_OUTPUT)
        g_string_append_len (output, buffer, n);
    }
}

static OcPlan *
make_plan (SelfTest *self, OcNetwork network, GError **error)
{
  g_autofree char *home = g_build_filename (self->base, OC_CANARY_HOME, NULL);
  OcPlanInput input = {
    .paths = self->paths,
    .id = OC_CANARY_ID,
    .folder = self->folder,
    .data_folder = self->data,
    .temp_folder = self->temp,
    .network = network,
    .role = OC_ROLE_WORKER,
    .home = home,
  };

  return oc_plan_new (&input, error);
}

/* As oc_sandbox_start() chooses, but whether or not bubblewrap has passed before. */
static OcProcess *
start_canary (SelfTest *self, OcPlan *plan, const OcCommand *command, GError **error)
{
  g_autoptr (GError) refused = NULL;
  g_autoptr (GError) other = NULL;
  OcProcess *process;

  if (self->executor != OC_EXECUTOR_AUTO)
    return oc_sandbox_start_on (self->executor, plan, command, NULL, error);
  process = oc_sandbox_start_on (OC_EXECUTOR_DIRECT, plan, command, &self->refused, &refused);
  if (process == NULL && self->refused)
    {
      process = oc_sandbox_start_on (OC_EXECUTOR_BUBBLEWRAP, plan, command, NULL, &other);
      if (process != NULL)
        self->executor = OC_EXECUTOR_BUBBLEWRAP;
    }
  else if (process != NULL)
    self->executor = OC_EXECUTOR_DIRECT;
  if (process == NULL && other != NULL)
    g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, OC_NOR_BUBBLEWRAP, refused->message, other->message);
  else if (process == NULL)
    g_propagate_error (error, g_steal_pointer (&refused));
  return process;
}

/* What is said of a layer that holds, with @more behind it. */
static void
add_detail (SelfTest *self, const char *id, const char *more)
{
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    if (strcmp (layers[i].id, id) == 0 && self->outcomes[i].holds)
      {
        g_autofree char *before = g_steal_pointer (&self->outcomes[i].detail);

        self->outcomes[i].detail = g_strdup_printf ("%s %s", before, more);
      }
}

static void
add_limits (SelfTest *self)
{
  g_autofree char *described = oc_limits_dup_description ();
  g_autoptr (GError) error = NULL;

  if (!oc_memory_check (&error))
    set_outcome (self, LAYER_LIMITS, FALSE, error->message);
  add_detail (self, LAYER_LIMITS, described);
}

/* Runs the canary with @argv to its end. FALSE: the sandbox did not start. */
static gboolean
run_inside (SelfTest *self, OcNetwork network, const char *const *argv, GError **error)
{
  g_autoptr (OcLauncher) launcher = oc_launcher_new (NULL);
  const char *program = oc_launcher_get_path (launcher, error);
  g_autoptr (OcPlan) plan = program != NULL ? make_plan (self, network, error) : NULL;
  g_auto (GStrv) env = plan != NULL ? oc_plan_dup_environment (plan) : NULL;
  g_autoptr (OcProcess) process = NULL;
  g_autoptr (GString) output = g_string_new (NULL);
  OcCommand command = { program, argv, (const char *const *)env, { -1, -1, -1, -1, -1 } };
  int fds[2], exit_code = -1, signal = 0;

  if (plan == NULL)
    return FALSE;
  if (pipe2 (fds, O_CLOEXEC) != 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "descriptors: pipe: %s", g_strerror (errno));
      return FALSE;
    }
  g_auto (OcFd) read_end = fds[0];
  g_auto (OcFd) write_end = fds[1];
  command.fds[1] = write_end;
  process = start_canary (self, plan, &command, error);
  oc_fd_close (&write_end);
  if (process == NULL)
    return FALSE;
  /* The first; what is said of its end is not to be undone by the second. */
  if (network == OC_NETWORK_NONE)
    set_outcome (self, LAYER_LAUNCHER, TRUE, NULL);
  if (!read_output (read_end, output))
    oc_process_kill (process);
  if (!oc_process_wait (process, &exit_code, &signal) || exit_code != 0)
    set_outcome (self, LAYER_LAUNCHER, FALSE,
                 _ ("The check inside the sandbox did not come to its end."));
  read_lines (self, output->str);
  return TRUE;
}

static gboolean
run_canary (SelfTest *self, GError **error)
{
  g_autofree char *user = g_file_read_link ("/proc/self/ns/user", error);
  g_autofree char *pid = user != NULL ? g_file_read_link ("/proc/self/ns/pid", error) : NULL;
  g_autofree char *network = pid != NULL ? g_file_read_link ("/proc/self/ns/net", error) : NULL;
  g_autofree char *filters = g_strdup_printf ("%d", oc_selftest_count_filters ());
  const char *argv[] = { "ocelot-launcher", "--canary", self->base, user, pid, network, filters, NULL };

  if (network == NULL)
    return FALSE;
  if (!run_inside (self, OC_NETWORK_NONE, argv, error))
    return FALSE;
  add_limits (self);
  return TRUE;
}

/* Somebody who listens on this computer, and can be connected to. -1: not here. */
static int
make_listener (guint16 *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  socklen_t length = sizeof address;
  g_auto (OcFd) listener = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_auto (OcFd) client = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int result;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  if (listener < 0 || client < 0 || bind (listener, (struct sockaddr *)&address, sizeof address) != 0
      || listen (listener, 8) != 0 || getsockname (listener, (struct sockaddr *)&address, &length) != 0
      || connect (client, (struct sockaddr *)&address, sizeof address) != 0)
    return -1;
  *port = ntohs (address.sin_port);
  result = listener;
  listener = -1;
  return result;
}

static gboolean
run_network_canary (SelfTest *self, GError **error)
{
  guint16 port = 0;
  g_auto (OcFd) listener = make_listener (&port);
  g_autofree char *number = g_strdup_printf ("%u", port);
  const char *argv[] = { "ocelot-launcher", "--canary-network", number, NULL };

  if (!run_inside (self, OC_NETWORK_CLIENT, argv, error))
    return FALSE;
  if (listener < 0)
    add_detail (self, LAYER_NETWORK_CLIENT, _ ("No connection was tried: none can be made outside either."));
  return TRUE;
}

/* A file with another name on its disk stays readable by that one, which cannot be found: the user
 * is told. */
static void
add_hard_links (SelfTest *self, GPtrArray *places)
{
  for (guint i = 0; i < places->len; i++)
    {
      const OcGuardedPlace *place = places->pdata[i];
      g_autofree char *shown = NULL;
      g_autofree char *line = NULL;

      if (place->n_links < 2)
        continue;
      shown = oc_text_escape (place->path, 0, NULL);
      line = g_strdup_printf (_ ("%s has another name on its disk (a hard link), and can be read by that one."), shown);
      add_detail (self, LAYER_GUARDED, line);
    }
}

/* The canary's home is made up; the lists of guarded places are the user's and the administrator's
 * own. */
static gboolean
check_lists (SelfTest *self, GError **error)
{
  g_autoptr (OcPaths) paths = oc_paths_new_for_user ();
  g_auto (GStrv) homes = oc_guarded_list_homes (g_get_home_dir ());
  g_autoptr (GPtrArray) lists = oc_guarded_lists_read (paths, (const char *const *)homes, error);
  g_autofree char *described = lists != NULL ? oc_guarded_lists_describe (lists) : NULL;

  g_autoptr (GPtrArray) places = lists != NULL ? oc_guarded_list (paths, (const char *const *)homes, error) : NULL;

  if (places == NULL)
    return FALSE;
  add_detail (self, LAYER_GUARDED, described);
  add_hard_links (self, places);
  return TRUE;
}

/* The layer an error is about is its message's first word; the launcher's own where it is not in
 * the table. */
static void
set_failed (SelfTest *self, const GError *error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    {
      g_autofree char *prefix = g_strconcat (layers[i].id, ": ", NULL);

      if (g_str_has_prefix (error->message, prefix))
        {
          set_outcome (self, layers[i].id, FALSE, error->message + strlen (prefix));
          return;
        }
    }
  set_outcome (self, LAYER_LAUNCHER, FALSE, error->message);
}

/* A whole sentence. */
static const char *
describe_executor (const SelfTest *self)
{
  if (self->executor == OC_EXECUTOR_BUBBLEWRAP)
    return self->refused ? _ ("The sandbox is built by bubblewrap: the system lets only that create namespaces.")
                         : _ ("bubblewrap is to build the sandbox, as asked for.");
  if (self->executor == OC_EXECUTOR_AUTO && self->refused)
    return _ ("Neither the launcher nor bubblewrap can build the sandbox here.");
  if (self->executor == OC_EXECUTOR_AUTO)
    return _ ("Who builds the sandbox was not found out, as none was started.");
  return _ ("The launcher builds the sandbox itself.");
}

static JsonNode *
make_report (SelfTest *self)
{
  g_autoptr (JsonObject) report = json_object_new ();
  JsonArray *array = json_array_new ();
  gboolean holds = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    {
      const Outcome *outcome = &self->outcomes[i];
      JsonObject *layer = json_object_new ();
      g_autofree char *remedy = outcome->tried && !outcome->holds
                                    ? oc_sandbox_dup_remedy_for (layers[i].id, outcome->detail, NULL)
                                    : NULL;

      holds = holds && outcome->tried && outcome->holds;
      json_object_set_string_member (layer, "id", layers[i].id);
      json_object_set_string_member (layer, "title", _ (layers[i].title));
      json_object_set_boolean_member (layer, "holds", outcome->tried && outcome->holds);
      json_object_set_boolean_member (layer, "tried", outcome->tried);
      json_object_set_string_member (
          layer, "detail",
          outcome->tried ? outcome->detail
                         : _ ("Not tried, because another layer failed before it."));
      if (remedy != NULL)
        json_object_set_string_member (layer, "remedy", remedy);
      else
        json_object_set_null_member (layer, "remedy");
      json_array_add_object_element (array, layer);
    }
  json_object_set_boolean_member (report, "holds", holds);
  json_object_set_string_member (report, "executor", oc_executor_to_id (self->executor == OC_EXECUTOR_AUTO ? OC_EXECUTOR_DIRECT : self->executor));
  json_object_set_string_member (report, "executorReason", describe_executor (self));
  json_object_set_string_member (
      report, "summary",
      holds ? _ ("The sandbox works on this computer: every layer holds.")
            : _ ("The sandbox does not work on this computer, so no plugin runs."));
  json_object_set_array_member (report, "layers", array);
  return json_node_init_object (json_node_alloc (), report);
}

static void
self_test_clear (SelfTest *self)
{
  if (self->base != NULL)
    remove_tree (self->base);
  g_free (self->base);
  g_free (self->folder);
  g_free (self->data);
  g_free (self->temp);
  g_clear_pointer (&self->paths, oc_paths_unref);
  for (gsize i = 0; i < G_N_ELEMENTS (layers); i++)
    g_free (self->outcomes[i].detail);
}

static JsonNode *
run (OcExecutor executor, gboolean allow_root)
{
  SelfTest self = { .executor = executor };
  g_autoptr (GError) error = NULL;
  const char *uncontrolled = NULL;
  JsonNode *report;

  if (!oc_sandbox_check_uid (allow_root, &error) || !make_home (&self, &error))
    set_failed (&self, error);
  else
    {
      uncontrolled = try_controls (&self);
      if (!run_canary (&self, &error) || !run_network_canary (&self, &error) || !check_lists (&self, &error))
        set_failed (&self, error);
      if (uncontrolled != NULL)
        set_outcome (&self, uncontrolled, FALSE,
                     _ ("The same attempt outside the sandbox fails too, so its refusal inside "
                        "shows nothing."));
    }
  report = make_report (&self);
  self_test_clear (&self);
  return report;
}

JsonNode *
oc_selftest_run (gboolean allow_root)
{
  return run (oc_executor_get_asked (), allow_root);
}

JsonNode *
oc_selftest_run_on (OcExecutor executor)
{
  /* Whether uid 0 may has been decided by now. */
  return run (executor, TRUE);
}
