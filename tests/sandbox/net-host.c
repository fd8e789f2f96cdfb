/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net-host.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/oc-fd.h"
#include "launcher/oc-executor.h"

#define DEADLINE_US (30 * G_USEC_PER_SEC)

struct _TestResolver
{
  GResolver parent;
  GHashTable *answers; /* name → GPtrArray of GStrv */
  GHashTable *counts;
};
G_DEFINE_TYPE (TestResolver, test_resolver, G_TYPE_RESOLVER)

static void
look_up (GResolver *resolver,
         const char *name,
         GResolverNameLookupFlags flags G_GNUC_UNUSED,
         GCancellable *cancellable,
         GAsyncReadyCallback callback,
         gpointer data)
{
  TestResolver *self = TEST_RESOLVER (resolver);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, data);
  GPtrArray *answers = g_hash_table_lookup (self->answers, name);
  guint n = test_resolver_count (self, name);
  GList *list = NULL;
  char **texts;

  g_hash_table_insert (self->counts, g_strdup (name), GUINT_TO_POINTER (n + 1));
  if (answers == NULL)
    {
      g_task_return_new_error (task, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND, "no such name");
      return;
    }
  texts = answers->pdata[MIN (n, answers->len - 1)];
  /* An empty answer is none at all: it waits for ever. */
  if (texts[0] == NULL)
    return;
  for (; *texts != NULL; texts++)
    list = g_list_append (list, g_inet_address_new_from_string (*texts));
  g_task_return_pointer (task, list, (GDestroyNotify)g_resolver_free_addresses);
}

static void
look_up_plain (GResolver *resolver,
               const char *name,
               GCancellable *cancellable,
               GAsyncReadyCallback callback,
               gpointer data)
{
  look_up (resolver, name, G_RESOLVER_NAME_LOOKUP_FLAGS_DEFAULT, cancellable, callback, data);
}

static GList *
look_up_finish (GResolver *resolver G_GNUC_UNUSED, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
test_resolver_finalize (GObject *object)
{
  TestResolver *self = TEST_RESOLVER (object);

  g_hash_table_unref (self->answers);
  g_hash_table_unref (self->counts);
  G_OBJECT_CLASS (test_resolver_parent_class)->finalize (object);
}

static void
test_resolver_class_init (TestResolverClass *class)
{
  GResolverClass *resolver_class = G_RESOLVER_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = test_resolver_finalize;
  resolver_class->lookup_by_name_async = look_up_plain;
  resolver_class->lookup_by_name_finish = look_up_finish;
  resolver_class->lookup_by_name_with_flags_async = look_up;
  resolver_class->lookup_by_name_with_flags_finish = look_up_finish;
}

static void
test_resolver_init (TestResolver *self)
{
  self->answers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify)g_ptr_array_unref);
  self->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

TestResolver *
test_resolver_new (void)
{
  return g_object_new (TEST_TYPE_RESOLVER, NULL);
}

void
test_resolver_add (TestResolver *self, const char *name, const char *const *addresses)
{
  GPtrArray *answers = g_hash_table_lookup (self->answers, name);

  if (answers == NULL)
    {
      answers = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
      g_hash_table_insert (self->answers, g_strdup (name), answers);
    }
  g_ptr_array_add (answers, g_strdupv ((char **)addresses));
}

guint
test_resolver_count (TestResolver *self, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->counts, name));
}

/* In a thread of its own. HTTP gets HTTP. */
static gboolean
serve (GThreadedSocketService *service G_GNUC_UNUSED,
       GSocketConnection *connection,
       GObject *source G_GNUC_UNUSED,
       gpointer data)
{
  Net *self = data;
  GInputStream *in = g_io_stream_get_input_stream (G_IO_STREAM (connection));
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[65536];
  gssize n;

  g_atomic_int_inc ((int *)&self->n_served);
  while ((n = g_input_stream_read (in, buffer, sizeof buffer, NULL, NULL)) > 0)
    {
      g_string_append_len (text, buffer, n);
      if (g_str_has_prefix (text->str, "GET ") && strstr (text->str, "\r\n\r\n") != NULL)
        {
          g_output_stream_printf (
              out, NULL, NULL, NULL,
              "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
          return TRUE;
        }
    }
  if (n < 0)
    {
      g_atomic_int_inc ((int *)&self->n_broken);
      return TRUE;
    }
  g_output_stream_printf (out, NULL, NULL, NULL, "echo: ");
  g_output_stream_write_all (out, text->str, text->len, NULL, NULL, NULL);
  return TRUE;
}

/* Everything goes to the server, which is on this computer. */
static OcAddressKind
allow_loopback (const struct in6_addr *address)
{
  OcAddressKind kind = oc_address_classify (address);

  return kind == OC_ADDRESS_LOOPBACK ? OC_ADDRESS_PUBLIC : kind;
}

static OcExecutor executor = OC_EXECUTOR_DIRECT;

void
net_set_executor (OcExecutor wanted)
{
  executor = wanted;
}

OcExecutor
net_get_executor (void)
{
  return executor;
}

Net *
net_new (void)
{
  Net *self = g_new0 (Net, 1);
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) real = NULL;
  g_autoptr (GError) error = NULL;

  self->host = host_new ();
  self->server = g_threaded_socket_service_new (64);
  g_socket_listener_add_address (G_SOCKET_LISTENER (self->server), address, G_SOCKET_TYPE_STREAM,
                                 G_SOCKET_PROTOCOL_TCP, NULL, &real, &error);
  g_assert_no_error (error);
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (real));
  g_signal_connect (self->server, "run", G_CALLBACK (serve), self);
  g_socket_service_start (self->server);
  self->resolver = test_resolver_new ();
  self->policy = (OcNetPolicy){ .resolver = G_RESOLVER (self->resolver), .check = allow_loopback };
  self->uses = oc_uses_new ();
  self->role = OC_ROLE_TOOL;
  self->probe = g_build_filename (g_getenv ("OC_TEST_BUILD_ROOT"), "tests", "sandbox", "net-probe",
                                  NULL);
  return self;
}

void
net_free (Net *self)
{
  if (self == NULL)
    return;
  g_socket_service_stop (self->server);
  g_socket_listener_close (G_SOCKET_LISTENER (self->server));
  g_object_unref (self->server);
  g_object_unref (self->resolver);
  oc_uses_free (self->uses);
  host_free (self->host);
  g_free (self->probe);
  g_free (self);
}

void
net_run_clear (NetRun *self)
{
  g_clear_pointer (&self->broker, oc_net_broker_free);
  g_clear_pointer (&self->process, oc_process_free);
  if (self->output > 0)
    oc_fd_close (&self->output);
}

static char *
expand (Net *self, const char *word)
{
  g_autofree char *port = g_strdup_printf ("%u", self->port);
  g_auto (GStrv) parts = g_strsplit (word, "%p", -1);

  return g_strjoinv (port, parts);
}

static char **
expand_all (Net *self, const char *const *words)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (; *words != NULL; words++)
    {
      g_autofree char *word = expand (self, *words);

      g_strv_builder_add (builder, word);
    }
  return g_strv_builder_end (builder);
}

gboolean
net_start (
    Net *self, const char *const *hosts, const char *const *argv, NetRun *run, GError **error)
{
  g_auto (GStrv) real_hosts = expand_all (self, hosts);
  g_auto (GStrv) real_argv = expand_all (self, argv);
  OcPlanInput input = {
    .paths = self->host->paths,
    .id = HOST_PLUGIN,
    .folder = self->host->folder,
    .data_folder = self->host->data,
    .temp_folder = self->host->temp,
    .network = OC_NETWORK_HOSTS,
    .hosts = (const char *const *)real_hosts,
    .role = self->role,
    .home = self->host->home,
  };
  g_autoptr (OcPlan) plan = oc_plan_new (&input, error);
  g_auto (GStrv) env = plan != NULL ? oc_plan_dup_environment (plan) : NULL;
  OcCommand command = {
    real_argv[0], (const char *const *)real_argv, (const char *const *)env, { -1, -1, -1, -1, -1 }
  };
  g_auto (OcFd) in_write = -1;
  g_auto (OcFd) in_read = -1;
  g_auto (OcFd) out_write = -1;
  int fds[2];

  *run = (NetRun){ 0 };
  if (plan == NULL)
    return FALSE;
  g_assert_no_errno (pipe2 (fds, O_CLOEXEC | O_NONBLOCK));
  run->output = fds[0];
  out_write = fds[1];
  g_assert_no_errno (fcntl (out_write, F_SETFL, 0));
  command.fds[1] = command.fds[2] = out_write;
  run->process = oc_sandbox_start_on (executor, plan, &command, NULL, error);
  if (run->process == NULL)
    return FALSE;
  run->broker = oc_net_broker_new (plan, run->process, self->uses, &self->policy);
  g_assert_nonnull (run->broker);
  return TRUE;
}

static gboolean
on_tick (gpointer data G_GNUC_UNUSED)
{
  return G_SOURCE_CONTINUE;
}

void
net_wait (gboolean (*done) (gpointer data), gpointer data)
{
  gint64 deadline = g_get_monotonic_time () + DEADLINE_US;
  guint tick = g_timeout_add (20, on_tick, NULL);

  while (!done (data))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (tick);
}

typedef struct
{
  NetRun *run;
  GString *text;
  const char *line; /* (nullable) */
} Reading;

static gboolean
has_read (gpointer data)
{
  Reading *reading = data;
  char buffer[4096];
  ssize_t n;

  while ((n = read (reading->run->output, buffer, sizeof buffer)) > 0)
    g_string_append_len (reading->text, buffer, n);
  return n == 0 || (reading->line != NULL && strstr (reading->text->str, reading->line) != NULL);
}

char *
net_finish (NetRun *run, int *exit_code)
{
  Reading reading = { .run = run, .text = g_string_new (NULL) };

  net_wait (has_read, &reading);
  g_assert_true (oc_process_wait (run->process, exit_code, NULL));
  return g_string_free (reading.text, FALSE);
}

void
net_wait_for_line (NetRun *run, const char *line)
{
  Reading reading = { .run = run, .text = g_string_new (NULL), .line = line };

  net_wait (has_read, &reading);
  g_assert_nonnull (strstr (reading.text->str, line));
  g_string_free (reading.text, TRUE);
}

char **
net_probe (Net *self, const char *const *hosts, const char *const *words)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_auto (NetRun) run = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;

  g_ptr_array_add (argv, self->probe);
  for (; *words != NULL; words++)
    g_ptr_array_add (argv, (gpointer)*words);
  g_ptr_array_add (argv, NULL);
  net_start (self, hosts, (const char *const *)argv->pdata, &run, &error);
  g_assert_no_error (error);
  output = net_finish (&run, NULL);
  return g_strsplit (output, "\n", -1);
}

gboolean
net_has_record (
    Net *self, gboolean allowed, const char *permission, const char *method, const char *detail)
{
  g_autoptr (JsonArray) array = oc_uses_to_json (self->uses, allowed);
  g_autofree char *real_permission = expand (self, permission);
  g_autofree char *real_detail = expand (self, detail);

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);

      if (strcmp (json_object_get_string_member (object, "permission"), real_permission) == 0
          && strcmp (json_object_get_string_member (object, "method"), method) == 0
          && strcmp (json_object_get_string_member (object, "detail"), real_detail) == 0)
        return TRUE;
      g_test_message ("%s: %s %s %s", allowed ? "used" : "refused",
                      json_object_get_string_member (object, "permission"),
                      json_object_get_string_member (object, "method"),
                      json_object_get_string_member (object, "detail"));
    }
  return FALSE;
}

guint
net_count_records (Net *self, gboolean allowed)
{
  g_autoptr (JsonArray) array = oc_uses_to_json (self->uses, allowed);

  return json_array_get_length (array);
}

static void
run_directly (gconstpointer data)
{
  const NetTest *test = data;

  net_set_executor (OC_EXECUTOR_DIRECT);
  if (test->func != NULL)
    test->func ();
  else
    test->data_func (test->data);
}

static void
run_with_bubblewrap (gconstpointer data)
{
  const NetTest *test = data;

  net_set_executor (OC_EXECUTOR_BUBBLEWRAP);
  if (test->func != NULL)
    test->func ();
  else
    test->data_func (test->data);
}

void
net_add_test (const NetTest *test)
{
  g_autofree char *direct = g_strdup_printf ("/net/direct/%s", test->name);
  g_autofree char *bubblewrap = g_strdup_printf ("/net/bubblewrap/%s", test->name);

  g_test_add_data_func (direct, test, run_directly);
  g_test_add_data_func (bubblewrap, test, run_with_bubblewrap);
}
