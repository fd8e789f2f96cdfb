/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "desktop-home.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/oc-json.h"
#include "core/oc-json-write.h"

/* With "linger" as its first argument it stays, with its standard output open, until it is killed. */
static const char program[]
  = "#!/usr/bin/python3\n"
    "import json, os, sys, time\n"
    "fds = {}\n"
    "for fd in range(0, 1024):\n"
    "    try:\n"
    "        fds[str(fd)] = os.readlink(f'/proc/self/fd/{fd}')\n"
    "    except OSError:\n"
    "        pass\n"
    "arguments = [os.fsencode(each) for each in sys.argv[1:]]\n"
    "status = dict(line.rstrip('\\n').split(':\\t', 1) for line in open('/proc/self/status') if ':\\t' in line)\n"
    "started = {'argv': [each.hex() for each in arguments], 'fds': fds, 'cwd': os.getcwd(), 'environ': dict(os.environ),\n"
    "           'pid': os.getpid(), 'sid': os.getsid(0), 'pgid': os.getpgid(0), 'status': status}\n"
    "folder = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'opened')\n"
    "name = os.path.join(folder, f'{time.monotonic_ns():020d}-{os.getpid()}')\n"
    "with open(name + '.new', 'w', encoding='utf-8', errors='surrogateescape') as file:\n"
    "    json.dump(started, file)\n"
    "os.rename(name + '.new', name)\n"
    "if arguments[:1] == [b'linger']:\n"
    "    time.sleep(600)\n";

static char *
join (Fixture *fixture,
      const char *name)
{
  return g_build_filename (fixture->root, name, NULL);
}

char *
desktop_get_program (Fixture *fixture)
{
  return join (fixture, "desk/program");
}

void
desktop_prepare (Fixture *fixture)
{
  g_autofree char *path = desktop_get_program (fixture);
  g_autofree char *opened = join (fixture, "desk/opened");
  g_autofree char *applications = join (fixture, "share/applications");
  g_autofree char *config = join (fixture, "config");

  g_assert_cmpint (g_mkdir_with_parents (opened, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (applications, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (config, 0700), ==, 0);
  g_assert_true (g_file_set_contents_full (path, program, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  fixture->env = g_environ_setenv (fixture->env, "DISPLAY", ":4711", TRUE);
  fixture->env = g_environ_setenv (fixture->env, "XDG_CONFIG_HOME", config, TRUE);
  fixture->env = g_environ_setenv (fixture->env, "XDG_CONFIG_DIRS", config, TRUE);
}

void
desktop_add (Fixture *fixture,
             const char *id,
             const char *exec,
             const char *more)
{
  g_autofree char *name = g_strdup_printf ("share/applications/%s.desktop", id);
  g_autofree char *path = join (fixture, name);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *real = desktop_get_program (fixture);
  GString *text = g_string_new ("[Desktop Entry]\nType=Application\nName=Made up\n");

  if (exec != NULL)
    g_string_append_printf (text, "Exec=%s\n", exec);
  g_string_replace (text, "PROGRAM", real, 0);
  g_string_append (text, more ? more : "");
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_string_free (text, TRUE);
}

void
desktop_set_default (Fixture *fixture,
                     const char *scheme,
                     const char *id)
{
  g_autofree char *path = join (fixture, "config/mimeapps.list");
  g_autofree char *type = g_strconcat ("x-scheme-handler/", scheme, NULL);
  g_autofree char *file_id = g_strconcat (id, ".desktop", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();

  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
  g_key_file_set_string (file, "Default Applications", type, file_id);
  g_assert_true (g_key_file_save_to_file (file, path, NULL));
}

/* The oldest. (transfer full) (nullable) */
static char *
find_first (Fixture *fixture,
            guint *n)
{
  g_autofree char *folder = join (fixture, "desk/opened");
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *first = NULL;
  const char *name;

  *n = 0;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (!g_str_has_suffix (name, ".new"))
      {
        ++*n;
        if (first == NULL || strcmp (name, first) < 0)
          {
            g_free (first);
            first = g_strdup (name);
          }
      }
  return first ? g_build_filename (folder, first, NULL) : NULL;
}

guint
desktop_count (Fixture *fixture)
{
  guint n;
  g_autofree char *first = find_first (fixture, &n);

  return n;
}

JsonObject *
desktop_take (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;
  gsize len;
  guint n;

  fixture_until (desktop_count (fixture) > 0);
  path = find_first (fixture, &n);
  g_assert_true (g_file_get_contents (path, &text, &len, NULL));
  g_assert_cmpint (g_unlink (path), ==, 0);
  root = oc_json_parse (text, len, 1024 * 1024, &error);
  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

char *
desktop_get_argument (JsonObject *started,
                      guint n)
{
  JsonArray *argv = json_object_get_array_member (started, "argv");
  const char *hex;
  GString *bytes;

  if (n >= json_array_get_length (argv))
    return NULL;
  hex = json_array_get_string_element (argv, n);
  bytes = g_string_new (NULL);
  for (; *hex != '\0'; hex += 2)
    g_string_append_c (bytes, (char) (g_ascii_xdigit_value (hex[0]) * 16 + g_ascii_xdigit_value (hex[1])));
  return g_string_free (bytes, FALSE);
}

/* Calls. */

void
desktop_add_url (GString *calls,
                 const char *url)
{
  g_string_append_printf (calls, "%s{\"method\":\"openURL\",\"params\":{\"url\":", calls->len > 1 ? "," : "[");
  oc_json_append_string (calls, url);
  g_string_append (calls, "}}");
}

void
desktop_add_call (GString *calls,
                  const char *call)
{
  g_string_append_printf (calls, "%s%s", calls->len > 1 ? "," : "[", call);
}

void
desktop_add_folder (GString *calls,
                    const char *app,
                    const char *folder)
{
  g_autofree char *uri = folder && *folder == '/' ? g_filename_to_uri (folder, NULL, NULL) : g_strdup (folder);

  g_string_append_printf (calls, "%s{\"method\":\"app.open\",\"params\":{\"app\":\"%s\"", calls->len > 1 ? "," : "[", app);
  if (uri != NULL)
    g_string_append_printf (calls, ",\"folder\":\"%s\"", uri);
  g_string_append (calls, "}}");
}

JsonArray *
desktop_call (Fixture *fixture,
              GString *calls,
              const char *const *selection,
              Ran **ran)
{
  g_string_append_c (calls, ']');
  return fixture_call (fixture, calls->str, selection, ran);
}

void
desktop_assert_opened (JsonArray *outcomes,
                       guint i)
{
  if (outcome_code (outcomes, i) != 0)
    g_error ("call %u: %s", i, outcome_get (outcomes, i, "message"));
  g_assert_true (json_object_get_null_member (json_array_get_object_element (outcomes, i), "result"));
}

void
desktop_assert_refused (JsonArray *outcomes,
                        guint i,
                        gint64 code,
                        const char *reason)
{
  g_test_message ("%u: %s", i, outcome_get (outcomes, i, "message"));
  g_assert_cmpint (outcome_code (outcomes, i), ==, code);
  g_assert_cmpstr (outcome_get (outcomes, i, "reason"), ==, reason);
}

/* One argument a line, so that it can be compared. */
static char *
describe (JsonObject *started)
{
  GString *text = g_string_new (NULL);
  char *argument;

  for (guint n = 0; (argument = desktop_get_argument (started, n)) != NULL; n++)
    {
      g_string_append_printf (text, "<%s>\n", argument);
      g_free (argument);
    }
  return g_string_free (text, FALSE);
}

static int
compare (gconstpointer a,
         gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Exactly these have been started, in whatever order they came to write it down. Each: its arguments as describe() has them. */
void
desktop_assert_started (Fixture *fixture,
                        ...)
{
  g_autoptr (GPtrArray) expected = g_ptr_array_new ();
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  const char *text;
  va_list list;

  va_start (list, fixture);
  while ((text = va_arg (list, const char *)) != NULL)
    g_ptr_array_add (expected, (char *) text);
  va_end (list);
  while (seen->len < expected->len)
    {
      g_autoptr (JsonObject) started = desktop_take (fixture);

      g_ptr_array_add (seen, describe (started));
    }
  g_ptr_array_sort (expected, compare);
  g_ptr_array_sort (seen, compare);
  for (guint i = 0; i < expected->len; i++)
    g_assert_cmpstr (seen->pdata[i], ==, expected->pdata[i]);
  g_assert_cmpuint (desktop_count (fixture), ==, 0);
}
