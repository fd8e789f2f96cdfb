/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandbox-host.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-fd.h"
#include "launcher/oc-executor.h"

#define DEADLINE_US (20 * G_USEC_PER_SEC)
/* Above any pid in the sandbox, so that the victim's means nothing there. */
#define MIN_VICTIM_PID 64

/* Relative to the folder around all. */
static const struct
{
  const char *path;
  const char *content; /* NULL: a folder; "|": a FIFO; ">…": a symlink */
  guint mode;
} files[] = {
  { "home", NULL, 0700 },
  { "home/file", "content", 0600 },
  { "home/folder", NULL, 0700 },
  { "home/folder/file", "content", 0600 },
  { "home/empty", NULL, 0700 },
  { "home/fifo", "|", 0600 },
  { "home/.ssh", NULL, 0700 },
  { "home/.ssh/id", "secret", 0600 },
  { "home/.netrc", "secret", 0600 },
  { "home/real-aws", NULL, 0700 },
  { "home/real-aws/credentials", "secret", 0600 },
  { "home/.aws", ">real-aws", 0 },
  { "home/.kube", ">chain-1", 0 },
  { "home/chain-1", ">folder/../chain-2", 0 },
  { "home/chain-2", NULL, 0700 },
  { "home/chain-2/config", "secret", 0600 },
  { "home/.gnupg", ">not-there-yet", 0 },
  { "home/.config", NULL, 0700 },
  { "home/.config/gh", NULL, 0700 },
  { "home/.config/gh/hosts.yml", "secret", 0600 },
  { "home/.mozilla", NULL, 0700 },
  { "home/.mozilla/cookies", "secret", 0600 },
  { "home/.bash_history", "secret", 0600 },
  { "home/.local", NULL, 0700 },
  { "home/.local/share", NULL, 0700 },
  { "home/.local/share/keyrings", NULL, 0700 },
  { "home/.local/share/keyrings/login", "secret", 0600 },
  { "home/.local/share/ocelot", NULL, 0700 },
  { "home/.local/share/ocelot/consent.json", "secret", 0600 },
  { "home/.local/share/ocelot/consent.key", "secret", 0600 },
  { "home/.local/share/ocelot/activity.db", "secret", 0600 },
  { "home/.local/share/ocelot/Storage", NULL, 0700 },
  { "home/.local/share/ocelot/Storage/" HOST_PLUGIN ".json", "secret", 0600 },
  { "home/.local/share/ocelot/Plugins", NULL, 0700 },
  { "home/.local/share/ocelot/Plugins/" HOST_PLUGIN, NULL, 0700 },
  { "home/.local/share/ocelot/Plugins/" HOST_PLUGIN "/plugin.json", "{}", 0600 },
  { "home/.local/share/ocelot/Plugins/" HOST_OTHER, NULL, 0700 },
  { "home/.local/share/ocelot/Plugins/" HOST_OTHER "/plugin.json", "{}", 0600 },
  { "home/.local/share/ocelot/Data", NULL, 0700 },
  { "home/.local/share/ocelot/Data/" HOST_PLUGIN, NULL, 0700 },
  { "home/.local/share/ocelot/Data/" HOST_PLUGIN "/mine", "mine", 0600 },
  { "home/.local/share/ocelot/Data/" HOST_OTHER, NULL, 0700 },
  { "home/.local/share/ocelot/Data/" HOST_OTHER "/theirs", "secret", 0600 },
  { "tmp", NULL, 0700 },
  { "tmp/file", "content", 0600 },
  { "tmp/ocelot-1-own", NULL, 0700 },
  { "tmp/ocelot-2-other", NULL, 0700 },
  { "tmp/ocelot-2-other/file", "secret", 0600 },
  { "system", NULL, 0755 },
  { "system/ocelot", NULL, 0755 },
  { "system/ocelot/Plugins", NULL, 0755 },
  { "system/ocelot/Plugins/" HOST_OTHER, NULL, 0755 },
  { "system/ocelot/Plugins/" HOST_OTHER "/plugin.json", "{}", 0644 },
};

static void
remove_tree (const char *path, gboolean keep)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  /* An attempt's control may have taken its owner's rights. */
  g_assert_no_errno (chmod (path, 0700));
  dir = g_dir_open (path, 0, NULL);

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      struct stat info;

      if (lstat (child, &info) == 0 && S_ISDIR (info.st_mode))
        remove_tree (child, FALSE);
      else if (!S_ISSOCK (info.st_mode) || !keep)
        g_assert_no_errno (unlink (child));
    }
  if (!keep)
    g_assert_no_errno (rmdir (path));
}

void
host_remove_tree (const char *path)
{
  remove_tree (path, FALSE);
}

void
host_reset (Host *self)
{
  g_autoptr (GError) error = NULL;
  mode_t mask = umask (0);

  host_drain_objects (self);
  remove_tree (self->base, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (self->base, files[i].path, NULL);
      const char *content = files[i].content;

      if (content == NULL)
        g_assert_no_errno (mkdir (path, files[i].mode));
      else if (content[0] == '|')
        g_assert_no_errno (mkfifo (path, files[i].mode));
      else if (content[0] == '>')
        g_assert_no_errno (symlink (content + 1, path));
      else
        g_file_set_contents_full (path, content, -1, G_FILE_SET_CONTENTS_NONE, (int)files[i].mode,
                                  &error);
      g_assert_no_error (error);
    }
  umask (mask);
}

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Below the folders that are not the plugin's own. */
static guint
count_expected (const char *folder)
{
  gsize length = strlen (folder);
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    if (g_str_has_prefix (files[i].path, folder) && files[i].path[length] == '/'
        && strchr (files[i].path + length + 1, '/') == NULL)
      n++;
  return n;
}

char *
host_find_change (Host *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (self->base, files[i].path, NULL);
      g_autofree char *content = NULL;
      struct stat info;

      /* What is in its own data is the plugin's to change. */
      if (g_str_has_prefix (path, self->data) && path[strlen (self->data)] == '/')
        continue;
      if (lstat (path, &info) != 0)
        return g_strdup_printf ("%s is gone", files[i].path);
      if (strcmp (path, self->data) == 0 || strcmp (path, self->temp) == 0)
        continue;
      if (files[i].content == NULL && count_entries (path) != count_expected (files[i].path))
        return g_strdup_printf ("%s has other entries", files[i].path);
      if (files[i].mode != 0 && (info.st_mode & 07777) != files[i].mode)
        return g_strdup_printf ("%s has mode %o", files[i].path, info.st_mode & 07777);
      if (S_ISREG (info.st_mode)
          && (info.st_mtime < 1000 || !g_file_get_contents (path, &content, NULL, NULL)
              || strcmp (content, files[i].content) != 0))
        return g_strdup_printf ("%s is changed", files[i].path);
    }
  return host_find_touched_object (self);
}

static int
make_unix_socket (int type, const char *path, gboolean abstract)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, type | SOCK_CLOEXEC, 0);
  socklen_t length = sizeof address;

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpuint (strlen (path), <, sizeof address.sun_path - 1);
  strcpy (address.sun_path + (abstract ? 1 : 0), path);
  if (abstract)
    length = (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1 + strlen (path));
  g_assert_no_errno (bind (fd, (struct sockaddr *)&address, length));
  if (type == SOCK_STREAM)
    g_assert_no_errno (listen (fd, 128));
  return fd;
}

static int
make_inet_socket (int type, int *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET };
  socklen_t length = sizeof address;
  int fd = socket (AF_INET, type | SOCK_CLOEXEC, 0);

  g_assert_cmpint (fd, >=, 0);
  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  g_assert_no_errno (bind (fd, (struct sockaddr *)&address, sizeof address));
  if (type == SOCK_STREAM)
    g_assert_no_errno (listen (fd, 128));
  g_assert_no_errno (getsockname (fd, (struct sockaddr *)&address, &length));
  *port = ntohs (address.sin_port);
  return fd;
}

static GPid
start_victim (void)
{
  for (;;)
    {
      GPid pid = fork ();

      g_assert_cmpint (pid, >=, 0);
      if (pid == 0)
        {
          /* Not in the way of whoever waits for the end of the test's output, should that die. */
          prctl (PR_SET_PDEATHSIG, SIGKILL);
          setpgid (0, 0);
          for (int fd = 0; fd < 3; fd++)
            close (fd);
          for (;;)
            pause ();
        }
      /* Both sides, so that it is done when either goes on. */
      setpgid (pid, pid);
      if (pid >= MIN_VICTIM_PID)
        return pid;
      kill (pid, SIGKILL);
      waitpid (pid, NULL, 0);
    }
}

void
host_use_executor (void)
{
  const char *id = g_getenv ("OC_EXECUTOR");
  OcExecutor executor = OC_EXECUTOR_DIRECT;

  if (id != NULL && !oc_executor_from_id (id, &executor))
    g_error ("OC_EXECUTOR is direct or bubblewrap, not %s", id);
  oc_sandbox_set_executor (executor);
}

/* Beside the test, where meson does not say where. */
static char *
find_probe (void)
{
  const char *root = g_getenv ("OC_TEST_BUILD_ROOT");
  g_autofree char *self = NULL;
  g_autofree char *folder = NULL;

  if (root != NULL)
    return g_build_filename (root, "tests", "sandbox", "sandbox-probe", NULL);
  self = g_file_read_link ("/proc/self/exe", NULL);
  folder = g_path_get_dirname (self);
  return g_build_filename (folder, "sandbox-probe", NULL);
}

Host *
host_new (void)
{
  Host *self = g_new0 (Host, 1);
  g_autoptr (GError) error = NULL;
  g_autofree char *data_home = NULL;
  g_autofree char *system = NULL;
  g_autofree char *stream = NULL;
  g_autofree char *dgram = NULL;
  const char *data_dirs[] = { NULL, NULL };

  host_use_executor ();
  self->base = g_dir_make_tmp ("octest-XXXXXX", &error);
  g_assert_no_error (error);
  self->home = g_build_filename (self->base, "home", NULL);
  data_home = g_build_filename (self->home, ".local", "share", NULL);
  data_dirs[0] = system = g_build_filename (self->base, "system", NULL);
  self->paths = oc_paths_new (data_home, data_dirs, self->base);
  self->folder = g_build_filename (oc_paths_get_plugins (self->paths), HOST_PLUGIN, NULL);
  self->data = oc_paths_dup_data (self->paths, HOST_PLUGIN);
  self->temp = g_build_filename (self->base, "tmp", "ocelot-1-own", NULL);
  self->probe = find_probe ();
  stream = g_build_filename (self->base, "stream", NULL);
  dgram = g_build_filename (self->base, "dgram", NULL);
  self->stream = make_unix_socket (SOCK_STREAM, stream, FALSE);
  self->dgram = make_unix_socket (SOCK_DGRAM, dgram, FALSE);
  self->abstract = make_unix_socket (SOCK_STREAM, self->base, TRUE);
  self->tcp = make_inet_socket (SOCK_STREAM, &self->tcp_port);
  self->udp = make_inet_socket (SOCK_DGRAM, &self->udp_port);
  self->victim = start_victim ();
  host_make_objects (self);
  host_reset (self);
  return self;
}

void
host_free (Host *self)
{
  if (self == NULL)
    return;
  kill (self->victim, SIGKILL);
  waitpid (self->victim, NULL, 0);
  host_free_objects (self);
  remove_tree (self->base, FALSE);
  close (self->tcp);
  close (self->udp);
  close (self->stream);
  close (self->dgram);
  close (self->abstract);
  g_free (self->base);
  g_free (self->home);
  g_free (self->folder);
  g_free (self->data);
  g_free (self->temp);
  g_free (self->probe);
  oc_paths_unref (self->paths);
  g_free (self);
}

char *
host_expand (Host *self, const char *word)
{
  GString *text = g_string_new (NULL);

  if (word[0] == '~')
    g_string_append (text, self->home);
  for (const char *at = word + (word[0] == '~' ? 1 : 0); *at != '\0'; at++)
    {
      if (*at != '%')
        {
          g_string_append_c (text, *at);
          continue;
        }
      switch (*++at)
        {
        case 'B':
          g_string_append (text, oc_paths_get_base (self->paths));
          break;
        case 'P':
          g_string_append (text, self->folder);
          break;
        case 'D':
          g_string_append (text, self->data);
          break;
        case 'T':
          g_string_append (text, self->temp);
          break;
        case 'b':
          g_string_append (text, self->base);
          break;
        case 'A':
          g_string_append_printf (text, "@%s", self->base);
          break;
        case 'V':
          g_string_append_printf (text, "%d", self->victim);
          break;
        case 't':
          g_string_append_printf (text, "%d", self->tcp_port);
          break;
        case 'u':
          g_string_append_printf (text, "%d", self->udp_port);
          break;
        case 'U':
          g_string_append_printf (text, "%u", getuid ());
          break;
        case 'Y':
          g_string_append (text, self->terminal_path);
          break;
        case 'S':
          g_string_append_printf (text, "%d", self->memory);
          break;
        case 'M':
          g_string_append_printf (text, "%d", self->messages);
          break;
        case 'E':
          g_string_append_printf (text, "%d", self->semaphores);
          break;
        case 'Q':
          g_string_append (text, self->queue);
          break;
        case 'H':
          g_string_append (text, self->shared);
          break;
        default:
          g_assert_not_reached ();
        }
    }
  return g_string_free (text, FALSE);
}

void
host_result_clear (HostResult *self)
{
  g_clear_pointer (&self->output, g_free);
}

OcPlan *
host_make_plan (Host *self, OcRole role, OcNetwork network, GError **error)
{
  OcPlanInput input = {
    .paths = self->paths,
    .id = HOST_PLUGIN,
    .folder = self->folder,
    .data_folder = self->data,
    .temp_folder = self->temp,
    .network = network,
    .role = role,
    .home = self->home,
  };

  return oc_plan_new (&input, error);
}

/* "probe", the words expanded, NULL. */
static GPtrArray *
make_argv (Host *self, const char *const *words)
{
  GPtrArray *argv = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (argv, g_strdup ("probe"));
  for (; *words != NULL; words++)
    g_ptr_array_add (argv, host_expand (self, *words));
  g_ptr_array_add (argv, NULL);
  return argv;
}

static OcProcess *
start (Host *self,
       OcRole role,
       OcNetwork network,
       const char *const *words,
       int *input_fd,
       int *output_fd,
       GError **error)
{
  g_autoptr (OcPlan) plan = host_make_plan (self, role, network, error);
  g_auto (GStrv) env = plan != NULL ? oc_plan_dup_environment (plan) : NULL;
  g_autoptr (GPtrArray) argv = make_argv (self, words);
  OcCommand command = {
    self->probe, (const char *const *)argv->pdata, (const char *const *)env, { -1, -1, -1, -1, -1 }
  };
  g_auto (OcFd) in_read = -1;
  g_auto (OcFd) in_write = -1;
  g_auto (OcFd) out_read = -1;
  g_auto (OcFd) out_write = -1;
  OcProcess *process;
  int fds[2];

  if (plan == NULL)
    return NULL;
  g_assert_no_errno (pipe2 (fds, O_CLOEXEC));
  in_read = fds[0];
  in_write = fds[1];
  g_assert_no_errno (pipe2 (fds, O_CLOEXEC));
  out_read = fds[0];
  out_write = fds[1];
  command.fds[0] = in_read;
  command.fds[1] = out_write;
  process = oc_sandbox_start (plan, &command, error);
  if (process == NULL)
    return NULL;
  *output_fd = out_read;
  out_read = -1;
  if (input_fd != NULL)
    {
      *input_fd = in_write;
      in_write = -1;
    }
  return process;
}

OcProcess *
host_start (Host *self, OcRole role, const char *const *words, int *input_fd, int *output_fd)
{
  g_autoptr (GError) error = NULL;
  OcProcess *process = start (self, role, OC_NETWORK_NONE, words, input_fd, output_fd, &error);

  g_assert_no_error (error);
  return process;
}

static gboolean
read_some (int fd, GString *text, gsize max)
{
  struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
  char buffer[4096];
  ssize_t n;

  g_assert_cmpint (poll (&poll_fd, 1, DEADLINE_US / 1000), >, 0);
  n = read (fd, buffer, MIN (max, sizeof buffer));
  g_assert_cmpint (n, >=, 0);
  g_string_append_len (text, buffer, n);
  return n > 0;
}

char *
host_read_line (int fd)
{
  g_autoptr (GString) text = g_string_new (NULL);

  while (read_some (fd, text, 1))
    if (text->str[text->len - 1] == '\n')
      return g_strndup (text->str, text->len - 1);
  return NULL;
}

char *
host_read_all (int fd)
{
  GString *text = g_string_new (NULL);

  while (read_some (fd, text, G_MAXSIZE))
    ;
  return g_string_free (text, FALSE);
}

gboolean
host_run (Host *self,
          OcRole role,
          OcNetwork network,
          const char *const *words,
          HostResult *result,
          GError **error)
{
  g_auto (OcFd) output = -1;
  g_autoptr (OcProcess) process = start (self, role, network, words, NULL, &output, error);

  *result = (HostResult){ 0 };
  if (process == NULL)
    return FALSE;
  result->output = host_read_all (output);
  g_assert_true (oc_process_wait (process, &result->exit_code, &result->signal));
  return TRUE;
}

void
host_run_outside (Host *self, const char *const *words, HostResult *result)
{
  g_autoptr (GPtrArray) argv = make_argv (self, words);
  g_autoptr (GError) error = NULL;
  g_autofree char *temp = g_strconcat ("TMPDIR=", self->temp, NULL);
  char *env[] = { temp, NULL };
  int status = 0;

  *result = (HostResult){ 0 };
  g_free (argv->pdata[0]);
  argv->pdata[0] = g_strdup (self->probe);
  g_spawn_sync (self->data, (char **)argv->pdata, env, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                &result->output, NULL, &status, &error);
  g_assert_no_error (error);
  result->exit_code = WIFEXITED (status) ? WEXITSTATUS (status) : -1;
  result->signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
}

void
host_skip (const char *reason)
{
  if (g_strcmp0 (g_getenv ("OC_SANDBOX_MUST_WORK"), "1") == 0)
    g_error ("Skipping is not allowed here: %s", reason);
  g_test_skip (reason);
}
