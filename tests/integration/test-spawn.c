/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process.spawn through a real worker: which program, with what, how it ended and what it said. The tools are the test's own, in
 * a folder that is mounted over the last one that is looked in. */
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

#define TOOLS "/usr/local/bin"
#define MIB (1024 * 1024)

enum
{
  FAILED = -32000,
  NOT_FOUND = -32003,
};

static const char *const all[] = {
  "process.spawn:t-args",     "process.spawn:t-sh",       "process.spawn:t-folder",    "process.spawn:t-plain",
  "process.spawn:t-dangling", "process.spawn:t-circle",   "process.spawn:t-closed",    "process.spawn:t-no-interpreter",
  "process.spawn:t-link",     "process.spawn:t-missing",  "process.spawn:t-no-format", "process.spawn:true",
  "process.spawn:cat",        "process.spawn:head",       "process.spawn:env",         NULL,
};

static void
make_tool (const char *folder,
           const char *name,
           const char *text,
           int mode)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (chmod (path, (mode_t) mode), ==, 0);
}

static void
link_to (const char *folder,
         const char *name,
         const char *target)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

/* (nullable): they cannot be put there. */
static Fixture *
new_fixture_with_tools (void)
{
  Fixture *fixture;
  g_autofree char *folder = NULL;
  g_autofree char *sub = NULL;

  if (!fixture_can_mount ())
    return NULL;
  fixture = fixture_new (all);
  folder = g_build_filename (fixture->root, "bin", NULL);
  sub = g_build_filename (folder, "t-folder", NULL);
  g_assert_cmpint (g_mkdir_with_parents (sub, 0755), ==, 0);
  make_tool (folder, "t-args", "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\n", 0755);
  make_tool (folder, "t-sh", "#!/bin/sh\neval \"$1\"\n", 0755);
  make_tool (folder, "t-plain", "#!/bin/sh\n", 0644);
  make_tool (folder, "t-closed", "#!/bin/sh\necho opened\n", 0311);
  make_tool (folder, "t-no-interpreter", "#!/nonexistent/interpreter\n", 0755);
  make_tool (folder, "t-no-format", "neither a script nor a program\n", 0755);
  make_tool (folder, "true", "#!/bin/sh\necho not this one\n", 0755);
  link_to (folder, "t-link", "t-args");
  link_to (folder, "t-dangling", "/nowhere/at/all");
  link_to (folder, "t-circle", "t-circle");
  g_assert_cmpint (mount (folder, TOOLS, NULL, MS_BIND, NULL), ==, 0);
  if (fixture_can_run (fixture))
    return fixture;
  umount2 (TOOLS, MNT_DETACH);
  fixture_free (fixture);
  return NULL;
}

static void
end_fixture (Fixture *fixture)
{
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_cmpint (umount2 (TOOLS, MNT_DETACH), ==, 0);
  fixture_free (fixture);
}

static void
add_spawn (GString *calls,
           const char *tool,
           const char *members)
{
  g_string_append_printf (calls, "%s{\"method\":\"process.spawn\",\"params\":{\"tool\":\"%s\"%s}}", calls->len > 1 ? "," : "", tool,
                          members);
}

/* What t-sh evaluates. */
static void
add_script (GString *calls,
            const char *script,
            const char *members)
{
  g_autofree char *escaped = g_strescape (script, NULL);
  g_autofree char *all_members = g_strdup_printf (",\"args\":[\"%s\"]%s", escaped, members);

  add_spawn (calls, "t-sh", all_members);
}

static JsonArray *
call (Fixture *fixture,
      GString *calls)
{
  g_string_append_c (calls, ']');
  return fixture_call (fixture, calls->str, NULL, NULL);
}

static JsonObject *
spawned (JsonArray *outcomes,
         guint i)
{
  JsonObject *outcome = json_array_get_object_element (outcomes, i);

  if (!json_object_has_member (outcome, "result"))
    g_error ("call %u: %s", i, json_object_get_string_member (outcome, "message"));
  return json_object_get_object_member (outcome, "result");
}

static const char *
get_stdout (JsonArray *outcomes,
            guint i)
{
  return json_object_get_string_member (spawned (outcomes, i), "stdout");
}

/* @signal: 0: it ended with @exit_code. */
static void
assert_ended (JsonArray *outcomes,
              guint i,
              int exit_code,
              int signal,
              gboolean timed_out)
{
  JsonObject *result = spawned (outcomes, i);

  if (signal == 0)
    {
      g_assert_cmpint (json_object_get_int_member (result, "exitCode"), ==, exit_code);
      g_assert_true (json_object_get_null_member (result, "signal"));
    }
  else
    {
      g_assert_true (json_object_get_null_member (result, "exitCode"));
      g_assert_cmpint (json_object_get_int_member (result, "signal"), ==, signal);
    }
  g_assert_cmpint (json_object_get_boolean_member (result, "timedOut"), ==, timed_out);
  g_assert_false (json_object_get_boolean_member (result, "memoryExceeded"));
}

/* Which program: told apart, each by its own word. */
static void
test_which (void)
{
  static const struct
  {
    const char *tool;
    gint64 code;
    const char *reason;
    const char *out;
  } cases[] = {
    { "t-args", 0, NULL, "" },
    { "t-link", 0, NULL, "" },
    { "t-missing", NOT_FOUND, "tool-missing", NULL },
    { "t-dangling", NOT_FOUND, "tool-missing", NULL },
    { "t-folder", NOT_FOUND, "tool-is-folder", NULL },
    { "t-plain", NOT_FOUND, "tool-not-executable", NULL },
    { "t-circle", FAILED, "tool-unreadable", NULL },
    { "t-no-interpreter", NOT_FOUND, "tool-not-started", NULL },
    { "t-no-format", NOT_FOUND, "tool-not-started", NULL },
    /* The folders' order, not the last one's. */
    { "true", 0, NULL, "" },
  };
  Fixture *fixture = new_fixture_with_tools ();
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  const guint n = G_N_ELEMENTS (cases);

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i++)
    add_spawn (calls, cases[i].tool, "");
  add_spawn (calls, "t-closed", "");
  outcomes = call (fixture, calls);
  for (guint i = 0; i < n; i++)
    {
      g_test_message ("%s → %s", cases[i].tool, outcome_get (outcomes, i, "message"));
      g_assert_cmpint (outcome_code (outcomes, i), ==, cases[i].code);
      g_assert_cmpstr (outcome_get (outcomes, i, "reason"), ==, cases[i].reason);
      if (cases[i].code == 0)
        g_assert_cmpstr (get_stdout (outcomes, i), ==, cases[i].out);
      else
        g_assert_nonnull (strstr (outcome_get (outcomes, i, "message"), cases[i].tool));
    }
  /* uid 0 can read it, but not inside, where it has no power over files: then its interpreter is what says so. */
  if (geteuid () == 0)
    g_assert_cmpint (json_object_get_int_member (spawned (outcomes, n), "exitCode"), !=, 0);
  else
    g_assert_cmpstr (outcome_get (outcomes, n, "reason"), ==, "tool-unreadable");
  end_fixture (fixture);
}

/* Every argument as it is: none is an option of ours, none goes through a shell, none is text in any encoding. */
static void
test_arguments (void)
{
  static const struct
  {
    const char *args;
    const char *out;
    const char *out_base64;
  } cases[] = {
    { "", "", NULL },
    { "\"\"", "<>", NULL },
    { "\"\",\"\",\"x\"", "<><><x>", NULL },
    { "\"--\",\"-x\",\"--bind\",\"--help\",\"-\"", "<--><-x><--bind><--help><->", NULL },
    { "\"a\\nb\",\"\\t\",\" \",\"\\r\"", "<a\nb><\t>< ><\r>", NULL },
    { "\"$(id)\",\"`id`\",\"$HOME\",\"*\",\"~\",\"a;b|c&d\"", "<$(id)><`id`><$HOME><*><~><a;b|c&d>", NULL },
    { "\"'\",\"\\\"\",\"\\\\\",\"%s%n\"", "<'><\"><\\><%s%n>", NULL },
    { "\"grüße\",\"\xf0\x9f\x98\x80\",\"\\u202e\"", "<grüße><\xf0\x9f\x98\x80><\xe2\x80\xae>", NULL },
    { "{\"base64\":\"/w==\"},{\"base64\":\"\"},{\"base64\":\"YQ==\"}", "<\xef\xbf\xbd><><a>", "PP8+PD48YT4=" },
    { "\"\\u0001\\u001b[31m\x7f\"", "<\x01\x1b[31m\x7f>", NULL },
  };
  Fixture *fixture = new_fixture_with_tools ();
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  const guint n = G_N_ELEMENTS (cases);

  if (fixture == NULL)
    return;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *members = g_strdup_printf (",\"args\":[%s]", cases[i].args);

      add_spawn (calls, "t-args", members);
    }
  outcomes = call (fixture, calls);
  for (guint i = 0; i < n; i++)
    {
      JsonObject *result = spawned (outcomes, i);

      g_assert_cmpstr (get_stdout (outcomes, i), ==, cases[i].out);
      g_assert_cmpstr (json_object_get_string_member_with_default (result, "stdoutBase64", NULL), ==, cases[i].out_base64);
      assert_ended (outcomes, i, 0, 0, FALSE);
    }
  end_fixture (fixture);
}

static void
test_endings (void)
{
  static const int codes[] = { 0, 1, 2, 77, 125, 126, 127, 128, 137, 254, 255 };
  static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGKILL, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, 64 };
  Fixture *fixture = new_fixture_with_tools ();
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  guint n = 0;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *script = g_strdup_printf ("exit %d", codes[i]);

      add_script (calls, script, "");
    }
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autofree char *script = g_strdup_printf ("kill -%d $$; sleep 5", signals[i]);

      add_script (calls, script, "");
    }
  /* A child's signal is the shell's exit code, and not one of the tool. */
  add_script (calls, "sh -c 'kill -9 $$'", "");
  /* All that it can see, which is its own. */
  add_script (calls, "kill -9 -1; exit 3", "");
  add_script (calls, "echo before; echo more >&2; sleep 60", ",\"timeoutMs\":300");
  /* One that does not want to, with a child that wants it even less. */
  add_script (calls, "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM; sleep 60' & echo before; sleep 60; sleep 60",
              ",\"timeoutMs\":300");
  add_script (calls, "kill -STOP $$", ",\"timeoutMs\":300");
  add_script (calls, "echo in time", ",\"timeoutMs\":600000");
  add_script (calls, "sleep 60 & echo held", "");
  outcomes = call (fixture, calls);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    assert_ended (outcomes, n++, codes[i], 0, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    assert_ended (outcomes, n++, 0, signals[i], FALSE);
  assert_ended (outcomes, n++, 137, 0, FALSE);
  assert_ended (outcomes, n++, 3, 0, FALSE);
  assert_ended (outcomes, n, 0, SIGKILL, TRUE);
  g_assert_cmpstr (json_object_get_string_member (spawned (outcomes, n), "stderr"), ==, "more\n");
  g_assert_cmpstr (get_stdout (outcomes, n++), ==, "before\n");
  assert_ended (outcomes, n, 0, SIGKILL, TRUE);
  g_assert_cmpstr (get_stdout (outcomes, n++), ==, "before\n");
  assert_ended (outcomes, n++, 0, SIGKILL, TRUE);
  assert_ended (outcomes, n, 0, 0, FALSE);
  g_assert_cmpstr (get_stdout (outcomes, n++), ==, "in time\n");
  assert_ended (outcomes, n, 0, 0, FALSE);
  g_assert_cmpstr (get_stdout (outcomes, n++), ==, "held\n");
  end_fixture (fixture);
}

/* The most of a stream that is kept, and one byte more; each by itself. */
static void
test_output (void)
{
  static const struct
  {
    const char *script;
    gsize out;
    gsize err;
    gboolean truncated;
  } cases[] = {
    { "head -c 1048576 /dev/zero | tr '\\0' x", MIB, 0, FALSE },
    { "head -c 1048577 /dev/zero | tr '\\0' x", MIB, 0, TRUE },
    { "head -c 1048576 /dev/zero | tr '\\0' x >&2", 0, MIB, FALSE },
    { "head -c 1048577 /dev/zero | tr '\\0' x >&2; echo ok", 3, MIB, TRUE },
    { "head -c 40000000 /dev/zero | tr '\\0' x; echo end >&2", MIB, 4, TRUE },
    { "head -c 1048575 /dev/zero | tr '\\0' x; printf '\\303\\251'", MIB - 1, 0, TRUE },
    { "head -c 1048574 /dev/zero | tr '\\0' x; printf '\\303\\251'", MIB, 0, FALSE },
    { "", 0, 0, FALSE },
  };
  Fixture *fixture = new_fixture_with_tools ();

  if (fixture == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) calls = g_string_new ("[");
      g_autoptr (JsonArray) outcomes = NULL;
      JsonObject *result;

      add_script (calls, cases[i].script, "");
      outcomes = call (fixture, calls);
      result = spawned (outcomes, 0);
      g_test_message ("%s", cases[i].script);
      g_assert_cmpuint (strlen (json_object_get_string_member (result, "stdout")), ==, cases[i].out);
      g_assert_cmpuint (strlen (json_object_get_string_member (result, "stderr")), ==, cases[i].err);
      g_assert_cmpint (json_object_get_boolean_member (result, "truncated"), ==, cases[i].truncated);
      assert_ended (outcomes, 0, 0, 0, FALSE);
      g_assert_false (json_object_has_member (result, "stdoutBase64"));
    }
  end_fixture (fixture);
}

static void
test_input (void)
{
  g_autofree char *text = g_strnfill (MIB, 'x');
  g_autofree char *long_input = g_strdup_printf (",\"stdin\":\"%s\"", text);
  const struct
  {
    const char *tool;
    const char *members;
    gsize len;
    const char *out; /* (nullable) */
  } cases[] = {
    { "cat", "", 0, "" },
    { "cat", ",\"stdin\":null", 0, "" },
    { "cat", ",\"stdin\":\"\"", 0, "" },
    { "cat", ",\"stdin\":\"grüße\\n\"", strlen ("grüße\n"), "grüße\n" },
    { "cat", ",\"stdin\":{\"base64\":\"\"}", 0, "" },
    { "cat", long_input, MIB, text },
    /* Some that do not take all of it, or nothing. */
    { "head", long_input, strlen ("x"), "x" },
    { "true", long_input, 0, "" },
    { "t-sh", long_input, strlen ("still here\n"), "still here\n" },
  };
  Fixture *fixture = new_fixture_with_tools ();
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;

  if (fixture == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *args = "";
      g_autofree char *members = NULL;

      if (g_str_equal (cases[i].tool, "head"))
        args = ",\"args\":[\"-c\",\"1\"]";
      else if (g_str_equal (cases[i].tool, "t-sh"))
        args = ",\"args\":[\"exec 0<&-; sleep 0.2; echo still here\"]";
      members = g_strconcat (cases[i].members, args, NULL);
      add_spawn (calls, cases[i].tool, members);
    }
  add_spawn (calls, "cat", ",\"stdin\":{\"base64\":\"/wE=\"}");
  outcomes = call (fixture, calls);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_cmpuint (strlen (get_stdout (outcomes, i)), ==, cases[i].len);
      g_assert_cmpstr (get_stdout (outcomes, i), ==, cases[i].out);
      assert_ended (outcomes, i, 0, 0, FALSE);
    }
  g_assert_cmpstr (json_object_get_string_member (spawned (outcomes, G_N_ELEMENTS (cases)), "stdoutBase64"), ==, "/wE=");
  end_fixture (fixture);
}

/* A sandbox of its own, with the plugin's policy: it sees neither the worker nor another tool, and writes where the plugin may. */
static void
test_own_sandbox (void)
{
  Fixture *fixture = new_fixture_with_tools ();
  g_autoptr (GString) calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  g_autofree char *written = NULL;
  g_autofree char *ssh = NULL;
  g_autofree char *key = NULL;
  g_autofree char *open_file = NULL;
  g_autofree char *other = NULL;
  guint n_processes;

  if (fixture == NULL)
    return;
  ssh = g_build_filename (fixture->root, ".ssh", NULL);
  key = g_build_filename (ssh, "id_rsa", NULL);
  open_file = g_build_filename (fixture->root, "open.txt", NULL);
  other = g_build_filename (oc_paths_get_plugins (fixture->paths), "org.example.Other", NULL);
  add_script (calls, "n=0; for p in /proc/[0-9]*; do n=$((n + 1)); done; echo $n; cat /proc/[0-9]*/cmdline | tr '\\0' ' '", "");
  add_script (calls, "echo from the tool > \"$OCELOT_PLUGIN_DATA/written\" && pwd", "");
  add_script (calls, "echo x > /tmp/x || echo x > \"$HOME/x\" || echo refused", "");
  add_script (calls, "ls /proc/self/fd | wc -l", "");
  add_script (calls, "cat /dev/tcp 2>/dev/null; kill -9 1; echo alive", "");
  add_spawn (calls, "env", "");
  add_script (calls, "cat \"$HOME/open.txt\" \"$HOME/.ssh/id_rsa\" 2>/dev/null || echo closed", "");
  add_script (calls, "d=$(dirname \"$OCELOT_PLUGIN_DATA\")/..; ls \"$d\"; cat \"$d\"/consent.* || echo closed; ls \"$d/Plugins\"; "
                     "head -c 1 \"$d/Plugins/" FIXTURE_ID "/plugin.json\"; ls \"$d/Plugins/org.example.Other\" || echo none; "
                     "echo x > \"$d/Plugins/" FIXTURE_ID "/x\" || echo read-only", "");
  g_assert_cmpint (g_mkdir (ssh, 0700), ==, 0);
  g_assert_true (g_file_set_contents (key, "secret", -1, NULL));
  g_assert_true (g_file_set_contents (open_file, "open\n", -1, NULL));
  g_assert_cmpint (g_mkdir (other, 0700), ==, 0);
  fixture->env = g_environ_setenv (fixture->env, "LD_PRELOAD_CANARY", "1", TRUE);
  fixture->env = g_environ_setenv (fixture->env, "AWS_SECRET_ACCESS_KEY", "hush", TRUE);
  fixture->env = g_environ_setenv (fixture->env, "PATH", "/tmp/evil:/usr/bin:/bin", TRUE);
  outcomes = call (fixture, calls);
  n_processes = (guint) g_ascii_strtoull (get_stdout (outcomes, 0), NULL, 10);
  g_test_message ("%s", get_stdout (outcomes, 0));
  /* The first of its namespace and itself; the shell may have a child at that moment. */
  g_assert_cmpuint (n_processes, >=, 1);
  g_assert_cmpuint (n_processes, <=, 3);
  g_assert_null (strstr (get_stdout (outcomes, 0), "worker"));
  g_assert_nonnull (strstr (get_stdout (outcomes, 0), "t-sh"));
  g_assert_cmpstr (g_strchomp ((char *) get_stdout (outcomes, 1)), ==, fixture->data_folder);
  written = g_build_filename (fixture->data_folder, "written", NULL);
  g_assert_true (g_file_test (written, G_FILE_TEST_EXISTS));
  g_assert_cmpstr (get_stdout (outcomes, 2), ==, "refused\n");
  g_assert_cmpstr (get_stdout (outcomes, 3), ==, "4\n");
  g_assert_cmpstr (get_stdout (outcomes, 4), ==, "alive\n");
  g_assert_nonnull (strstr (get_stdout (outcomes, 5), "OCELOT_PLUGIN_ID=" FIXTURE_ID "\n"));
  g_assert_null (strstr (get_stdout (outcomes, 5), "hush"));
  g_assert_null (strstr (get_stdout (outcomes, 5), "CANARY"));
  g_assert_null (strstr (get_stdout (outcomes, 5), "evil"));
  g_assert_cmpstr (get_stdout (outcomes, 6), ==, "open\nclosed\n");
  g_assert_nonnull (strstr (get_stdout (outcomes, 7), "closed\n{none\nread-only\n"));
  end_fixture (fixture);
}

/* What a tool says holds NUL: it comes whole, and is handed on as bytes. As a text it cannot be, and the worker hears so. */
static void
test_nul (void)
{
  static const char *const some[] = { "process.spawn:printf", "process.spawn:cat", NULL };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;
  g_autofree char *result = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "pass-nul-on", NULL);
  ran_assert (ran, 0, "done");
  result = ran_dup_result (ran);
  g_assert_cmpstr (result, ==, "{\"came\":true,\"as-bytes\":true,\"as-text\":-32602,\"stored\":-32602,\"logged\":0}");
  g_assert_nonnull (strstr (ran->out, "a\xef\xbf\xbd" "b"));
}

static void
test_parallel (void)
{
  static const char *const some[] = { "process.spawn:sh", "process.spawn:sleep", NULL };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) ran = NULL;
  g_autofree char *result = NULL;

  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "parallel", NULL);
  ran_assert (ran, 0, "done");
  result = ran_dup_result (ran);
  g_assert_nonnull (strstr (result, "\"code\":-32006"));
  g_assert_nonnull (strstr (result, "\"reason\":\"busy\""));
  g_assert_nonnull (strstr (result, "\"codes\":[0,0,0,0,0,0,0,0]"));
  g_assert_nonnull (strstr (result, "\"after\":0"));
}

int
main (int argc,
      char **argv)
{
  fixture_enter_mount_namespace ();
  fixture_init (&argc, &argv);
  g_test_add_func ("/spawn/which", test_which);
  g_test_add_func ("/spawn/arguments", test_arguments);
  g_test_add_func ("/spawn/endings", test_endings);
  g_test_add_func ("/spawn/output", test_output);
  g_test_add_func ("/spawn/input", test_input);
  g_test_add_func ("/spawn/own-sandbox", test_own_sandbox);
  g_test_add_func ("/spawn/nul", test_nul);
  g_test_add_func ("/spawn/parallel", test_parallel);
  return g_test_run ();
}
