/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin with every permission, and then without each in turn: exactly the calls that need it fail, naming it, and all others
 * work. For each kind of plugin that calls the host. */
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "launcher-fixture.h"
#include "launcher/oc-host.h"

#define PORT "%PORT%"
#define FILE_PATH "%FILE%"
#define FOLDER "%FOLDER%"
/* Its own exit code tells whether it came through. */
#define CONNECT "import socket; socket.create_connection(('127.0.0.1', " PORT "), 5)"

static const char *const all[] = { "selection.read",       "file.readText",         "process.spawn:true", "process.spawn:cat",
                                   "process.spawn:python3", "network.client",       "openURL",            "app.open:org.x.Files",
                                   "app.open:org.x.Other", NULL };

/* Calls, and the permission that each stands and falls with. */
static const struct
{
  const char *method;
  const char *params; /* as JSON, without the braces */
  const char *permission; /* NULL: none is needed */
} matrix[] = {
  { "selection.get", "", "selection.read" },
  { "file.readText", "\"path\":\"" FILE_PATH "\"", "file.readText" },
  { "process.spawn", "\"tool\":\"true\"", "process.spawn:true" },
  { "process.spawn", "\"tool\":\"cat\",\"stdin\":\"x\"", "process.spawn:cat" },
  { "process.spawn", "\"tool\":\"python3\",\"args\":[\"-c\",\"" CONNECT "\"]", "process.spawn:python3" },
  { "openURL", "\"url\":\"https://example.org/\"", "openURL" },
  { "app.open", "\"app\":\"org.x.Files\",\"folder\":\"" FOLDER "\"", "app.open:org.x.Files" },
  { "app.open", "\"app\":\"org.x.Other\",\"folder\":\"" FOLDER "\"", "app.open:org.x.Other" },
  { "context.get", "", NULL },
  { "storage.set", "\"key\":\"k\",\"value\":1", NULL },
  { "storage.get", "\"key\":\"k\"", NULL },
  { "storage.keys", "", NULL },
  { "storage.remove", "\"key\":\"k\"", NULL },
  { "log", "\"level\":\"info\",\"message\":\"x\"", NULL },
};
/* The one whose result tells whether network.client holds. */
#define CONNECT_ROW 4

typedef struct
{
  Fixture *fixture;
  GSocketService *service;
  char *file;
  char *folder;
  char *port;
} Matrix;

static char *
fill_in (const Matrix *self,
         const char *text)
{
  GString *filled = g_string_new (text);

  g_string_replace (filled, PORT, self->port, 0);
  g_string_replace (filled, FILE_PATH, self->file, 0);
  g_string_replace (filled, FOLDER, self->folder, 0);
  return g_string_free (filled, FALSE);
}

/* A process plugin: its calls are handed to it in a file. */
static JsonArray *
call_as_process (Matrix *self,
                 Ran **ran)
{
  const char *paths[] = { self->file, self->folder, NULL };
  GString *calls = g_string_new ("[");
  g_autofree char *text = NULL;
  JsonArray *outcomes;

  for (guint i = 0; i < G_N_ELEMENTS (matrix); i++)
    g_string_append_printf (calls, "%s{\"method\":\"%s\",\"params\":{%s}}", i ? "," : "", matrix[i].method, matrix[i].params);
  g_string_append_c (calls, ']');
  text = fill_in (self, calls->str);
  outcomes = fixture_call (self->fixture, text, paths, ran);
  g_string_free (calls, TRUE);
  return outcomes;
}

typedef struct
{
  const char *name;
  void (*grant) (Matrix *self,
                 const char *const *permissions);
  JsonArray *(*call) (Matrix *self,
                      Ran **ran);
} Kind;

static void
grant_process (Matrix *self,
               const char *const *permissions)
{
  fixture_write_manifest (self->fixture, permissions, NULL);
  fixture_enable (self->fixture);
}

static const Kind kinds[] = {
  { "process", grant_process, call_as_process },
};

/* The network is no call: whether it is there shows in what comes of one. */
static void
check_network (JsonArray *outcomes,
               Ran *ran,
               const char *missing)
{
  JsonObject *result;

  if (g_strcmp0 (missing, matrix[CONNECT_ROW].permission) == 0)
    return;
  result = json_object_get_object_member (json_array_get_object_element (outcomes, CONNECT_ROW), "result");
  if (g_strcmp0 (missing, "network.client") == 0)
    {
      g_assert_cmpint (json_object_get_int_member (result, "exitCode"), !=, 0);
      g_assert_cmpint (ran_count (ran, "refused", "network.client"), >=, 1);
    }
  else if (json_object_get_int_member (result, "exitCode") != 0)
    g_error ("Without %s the network is gone too: %s", missing, ran->out);
}

/* @missing: (nullable) */
static void
check (Matrix *self,
       const Kind *kind,
       const char *missing)
{
  g_autoptr (Ran) ran = NULL;
  g_autoptr (JsonArray) outcomes = kind->call (self, &ran);

  g_assert_cmpuint (json_array_get_length (outcomes), ==, G_N_ELEMENTS (matrix));
  for (guint i = 0; i < G_N_ELEMENTS (matrix); i++)
    {
      gboolean denied = missing != NULL && g_strcmp0 (matrix[i].permission, missing) == 0;
      gint64 expected = denied ? OC_RPC_PERMISSION_DENIED : 0;

      if (outcome_code (outcomes, i) != expected)
        g_error ("%s without %s, %s {%s}: expected %d, got %d: %s", kind->name, missing, matrix[i].method, matrix[i].params,
                 (int) expected, (int) outcome_code (outcomes, i), ran->out);
      if (!denied)
        continue;
      g_assert_cmpstr (outcome_get (outcomes, i, "permission"), ==, missing);
      g_assert_cmpint (ran_count (ran, "refused", missing), ==, 1);
    }
  if (missing == NULL)
    g_assert_cmpuint (json_array_get_length (json_object_get_array_member (json_node_get_object (ran->root), "refused")), ==, 0);
  check_network (outcomes, ran, missing);
}

static void
add_application (const char *folder,
                 const char *id)
{
  g_autofree char *name = g_strconcat (id, ".desktop", NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path,
                                      "[Desktop Entry]\nType=Application\nName=Test\nExec=/bin/true %u\n"
                                      "MimeType=inode/directory;x-scheme-handler/https;\n",
                                      -1, NULL));
}

/* Applications of the test's own, and as much of a display as is asked for. */
static void
add_desktop (Fixture *fixture)
{
  g_autofree char *folder = g_build_filename (fixture->root, "share", "applications", NULL);
  g_autofree char *defaults = g_build_filename (folder, "mimeapps.list", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  add_application (folder, "org.x.Files");
  add_application (folder, "org.x.Other");
  g_assert_true (g_file_set_contents (defaults, "[Default Applications]\nx-scheme-handler/https=org.x.Files.desktop\n", -1, NULL));
  fixture->env = g_environ_setenv (fixture->env, "DISPLAY", ":test", TRUE);
}

static void
test_matrix (gconstpointer data)
{
  const Kind *kind = data;
  g_autoptr (Fixture) fixture = fixture_new (all);
  g_autoptr (GSocketService) service = g_threaded_socket_service_new (4);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "hello", -1);
  g_autofree char *port = g_strdup_printf ("%u", g_socket_listener_add_any_inet_port (G_SOCKET_LISTENER (service), NULL, NULL));
  g_autofree char *folder = g_path_get_dirname (file);
  Matrix self = { fixture, service, file, folder, port };

  if (!fixture_can_run (fixture))
    return;
  add_desktop (fixture);
  kind->grant (&self, all);
  check (&self, kind, NULL);
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) permissions = g_ptr_array_new ();

      for (guint j = 0; all[j] != NULL; j++)
        if (j != i)
          g_ptr_array_add (permissions, (char *) all[j]);
      g_ptr_array_add (permissions, NULL);
      kind->grant (&self, (const char *const *) permissions->pdata);
      check (&self, kind, all[i]);
    }
}

/* Every method is in it, and every permission that a method needs is taken away. */
static void
test_table_is_whole (void)
{
  const OcMethod *method;

  for (guint i = 0; (method = oc_method_get (i)) != NULL; i++)
    {
      guint found = 0;

      for (guint j = 0; j < G_N_ELEMENTS (matrix); j++)
        if (g_str_equal (matrix[j].method, method->name))
          {
            g_assert_true ((matrix[j].permission == NULL) == method->free);
            g_assert_true (matrix[j].permission == NULL || g_strv_contains (all, matrix[j].permission));
            found++;
          }
      if (found == 0)
        g_error ("%s is not tried", method->name);
    }
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/matrix/table-is-whole", test_table_is_whole);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strconcat ("/matrix/", kinds[i].name, NULL);

      g_test_add_data_func (path, &kinds[i], test_matrix);
    }
  return g_test_run ();
}
