/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-tools-list.h"
#include "core/oc-tools.h"

#define ELF "\177ELF and so on"

/* A made-up host: files below a folder of its own, owned by uid 0. */
typedef struct
{
  char *root;
} Host;

static void
host_init (Host *host)
{
  host->root = g_dir_make_tmp ("oc-tools-XXXXXX", NULL);
  g_assert_nonnull (host->root);
  g_assert_no_errno (chmod (host->root, 0755));
}

static void
host_clear (Host *host)
{
  const char *argv[] = { "rm", "-rf", "--", host->root, NULL };

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (host->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Host, host_clear)

/* Makes the folders above @path and returns it on this machine. */
static char *
host_path (Host *host,
           const char *path)
{
  char *real = g_strconcat (host->root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (real);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0755));
  return real;
}

static void
put (Host *host,
     const char *path,
     mode_t mode,
     const char *content)
{
  g_autofree char *real = host_path (host, path);

  g_assert_true (g_file_set_contents (real, content, -1, NULL));
  g_assert_no_errno (chmod (real, mode));
}

static void
put_link (Host *host,
          const char *path,
          const char *target)
{
  g_autofree char *real = host_path (host, path);

  g_assert_no_errno (symlink (target, real));
}

static OcTool *
look_up (Host *host,
         const char *name)
{
  g_autoptr (OcTools) tools = oc_tools_new (host->root);

  return oc_tools_look_up (tools, name);
}

static void
assert_harmless (Host *host,
                 const char *name)
{
  g_autoptr (OcTool) tool = look_up (host, name);

  g_assert_cmpint (oc_tool_get_status (tool), ==, OC_TOOL_FOUND);
  if (oc_tool_is_broad (tool))
    g_error ("%s: %s", name, oc_tool_get_reason (tool));
  g_assert_null (oc_tool_get_reason (tool));
}

/* @part: what the reason must say. */
static void
assert_broad (Host *host,
              const char *name,
              const char *part)
{
  g_autoptr (OcTool) tool = look_up (host, name);

  g_assert_true (oc_tool_is_broad (tool));
  if (strstr (oc_tool_get_reason (tool), part) == NULL)
    g_error ("“%s” is not in “%s”", part, oc_tool_get_reason (tool));
}

static void
test_names (void)
{
  const char *good[] = { "git", "g++", "python3.11", "x86_64-linux-gnu-gcc-12", "7z", "a_b", "_", "+" };
  const char *bad[] = { "", "-rf", ".hidden", "..", "/usr/bin/git", "a/b", "a b", "git\n", "g\u202eit",
                        "é", "a;b", "a\tb", "$(x)", "*" };
  g_autofree char *longest = g_strnfill (64, 'a');
  g_autofree char *too_long = g_strnfill (65, 'a');

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (oc_tools_check_name (good[i], NULL));
  g_assert_true (oc_tools_check_name (longest, NULL));
  g_assert_false (oc_tools_check_name (too_long, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (oc_tools_check_name (bad[i], &error));
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
    }
}

static void
test_list_whole (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcToolsList) list = oc_tools_list_load (&error);

  g_assert_no_error (error);
  g_assert_cmpuint (oc_tools_list_get_n (list), >=, 120);
  for (guint i = 0; i < oc_tools_list_get_n (list); i++)
    {
      g_autofree char *name = g_strdup (oc_tools_list_get_pattern (list, i));
      g_autofree char *reason = NULL;

      g_strdelimit (name, "*?", '1');
      g_assert_true (oc_tools_list_match (list, name, NULL, NULL, &reason));
      g_assert_true (strstr (reason, name) != NULL);
      g_assert_null (strpbrk (reason, "{}"));
      g_assert_true (g_str_has_suffix (reason, "."));
    }
}

static void
test_list_facts (void)
{
  const char *broad = "sh bash zsh fish dash find xargs awk gawk mawk sed tar zip rsync ssh scp git "
                      "make env nice timeout nohup setsid strace gdb busybox toybox systemd-run "
                      "flatpak docker podman sudo su doas pkexec dbus-send gdbus xdotool at crontab "
                      "watch parallel flock script screen tmux expect cp mv dd tee install ln curl "
                      "wget apt dpkg rpm pip npm gem cargo sqlite3 psql mysql less man more nmap "
                      "openssl socat nc vim vi nano emacs ed ex python3 python3.11 python2.7 perl "
                      "perl5.36.0 ruby ruby3.1 lua5.4 luajit node nodejs php8.2 tclsh8.6 wish8.6 "
                      "guile-3.0 java gcc gcc-12 g++-12 cc clang x86_64-linux-gnu-gcc-12 "
                      "aarch64-linux-gnu-gcc pypy3 vim.basic vim.tiny ld-linux-x86-64.so.2 ld.so mail "
                      "sort split PYTHON3 Rscript R octave-cli ipython3 systemctl journalctl unshare "
                      "nsenter chroot bwrap firejail kubectl cmake ninja latex pdflatex gs ffmpeg "
                      "soffice xdg-open gnome-terminal xterm bc-shell-is-not-one";
  const char *harmless = "sha256sum md5sum wc ls cat head tail grep file du df stat date uname id whoami "
                         "echo printf true false pwd basename dirname cut paste tr fold nl od hexdump "
                         "strings jq diff cmp comm bc seq sleep hostname";
  g_auto (GStrv) names = g_strsplit (broad, " ", -1);
  g_auto (GStrv) others = g_strsplit (harmless, " ", -1);
  g_autoptr (OcToolsList) list = oc_tools_list_load (NULL);
  OcToolEffect effect;

  for (guint i = 0; names[i] != NULL; i++)
    if (oc_tools_list_match (list, names[i], NULL, NULL, NULL) == g_str_equal (names[i], "bc-shell-is-not-one"))
      g_error ("%s is told wrongly", names[i]);
  for (guint i = 0; others[i] != NULL; i++)
    if (oc_tools_list_match (list, others[i], NULL, NULL, NULL))
      g_error ("%s is listed", others[i]);
  g_assert_true (oc_tools_list_match (list, "cp", &effect, NULL, NULL));
  g_assert_cmpint (effect, ==, OC_TOOL_EFFECT_WRITE);
  g_assert_true (oc_tools_list_match (list, "sh", &effect, NULL, NULL));
  g_assert_cmpint (effect, ==, OC_TOOL_EFFECT_RUN);
}

static void
test_list_malformed (void)
{
  const char *bad[] = {
    "", "# only a comment\n", "sh\n", "sh\tshell\tdetail\n", "sh\tnonsense\n", "find\toption\n", "find\toption\t\n", "/bin/sh\tshell\n",
    "-sh\tshell\n", "*\tshell\n", "p*\tshell\n", "sh\tshell\nsh\tcode\n", "sh\tshell\nSH\tshell\n", " sh\tshell\n", "sh\tshell \n",
    "sh\tshell\n\xff\xfe\tshell\n", "sh\tshell\r\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (OcToolsList) list = oc_tools_list_parse (bad[i], strlen (bad[i]), &error);
      g_autoptr (OcTools) tools = oc_tools_new_with_list (NULL, bad[i]);
      g_autoptr (OcTool) tool = oc_tools_look_up (tools, "sha256sum");

      g_assert_null (list);
      g_assert_error (error, OC_ERROR, OC_ERROR_DAMAGED);
      g_assert_true (g_str_has_prefix (error->message, "broad-tools.list: line "));
      /* Closed: no list, so that nothing is known to be harmless. */
      g_assert_cmpuint (oc_tools_get_n_listed (tools), ==, 0);
      g_assert_true (oc_tool_is_broad (tool));
      g_assert_cmpint (oc_tool_get_effect (tool), ==, OC_TOOL_EFFECT_RUN);
      g_assert_nonnull (oc_tools_broad_reason (tools, "sha256sum"));
    }
  {
    g_autoptr (OcTools) control = oc_tools_new_with_list (NULL, "sh\tshell\n");
    g_assert_cmpuint (oc_tools_get_n_listed (control), ==, 1);
    g_assert_null (oc_tools_broad_reason (control, "sha256sum"));
    g_assert_nonnull (oc_tools_broad_reason (control, "sh"));
  }
}

static void
test_not_installed (void)
{
  g_auto (Host) host = { 0 };
  g_autoptr (OcTool) python = NULL;
  g_autoptr (OcTool) unknown = NULL;

  host_init (&host);
  python = look_up (&host, "python3");
  g_assert_cmpint (oc_tool_get_status (python), ==, OC_TOOL_MISSING);
  g_assert_null (oc_tool_get_path (python));
  g_assert_true (oc_tool_is_broad (python));
  g_assert_cmpstr (oc_tool_get_here (python), ==, "Not installed here.");
  unknown = look_up (&host, "frobnicate");
  g_assert_cmpint (oc_tool_get_status (unknown), ==, OC_TOOL_MISSING);
  g_assert_false (oc_tool_is_broad (unknown));
}

static void
test_folder_order (void)
{
  g_auto (Host) host = { 0 };
  g_autoptr (OcTool) first = NULL;
  g_autoptr (OcTool) second = NULL;
  g_autoptr (OcTool) nowhere = NULL;
  g_autofree char *elsewhere = NULL;
  g_autofree char *path = g_strdup (g_getenv ("PATH"));

  host_init (&host);
  put (&host, "/usr/local/bin/frob", 0755, ELF);
  put (&host, "/usr/bin/frob", 0755, ELF);
  put (&host, "/usr/local/bin/later", 0755, ELF);
  put (&host, "/usr/bin/later", 0644, ELF);
  first = look_up (&host, "frob");
  g_assert_cmpstr (oc_tool_get_path (first), ==, "/usr/bin/frob");
  /* One that cannot be executed does not stand in the way of one that can, as in every shell. */
  second = look_up (&host, "later");
  g_assert_cmpstr (oc_tool_get_path (second), ==, "/usr/local/bin/later");

  put (&host, "/elsewhere/onlypath", 0755, ELF);
  elsewhere = g_strconcat (host.root, "/elsewhere", NULL);
  g_setenv ("PATH", elsewhere, TRUE);
  nowhere = look_up (&host, "onlypath");
  g_setenv ("PATH", path, TRUE);
  g_assert_cmpint (oc_tool_get_status (nowhere), ==, OC_TOOL_MISSING);
}

static void
test_statuses (void)
{
  g_auto (Host) host = { 0 };
  const struct
  {
    const char *name;
    OcToolStatus status;
  } expected[] = {
    { "folder", OC_TOOL_IS_FOLDER }, { "fifo", OC_TOOL_IS_FOLDER },  { "plain", OC_TOOL_NOT_EXECUTABLE },
    { "dangling", OC_TOOL_MISSING }, { "loop", OC_TOOL_UNREADABLE }, { "good", OC_TOOL_FOUND },
  };
  g_autofree char *fifo = NULL;

  host_init (&host);
  put (&host, "/usr/bin/folder/x", 0755, ELF);
  fifo = host_path (&host, "/usr/bin/fifo");
  g_assert_no_errno (mkfifo (fifo, 0755));
  put (&host, "/usr/bin/plain", 0644, ELF);
  put_link (&host, "/usr/bin/dangling", "/nowhere/at/all");
  put_link (&host, "/usr/bin/loop", "loop");
  put (&host, "/usr/bin/good", 0755, ELF);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autoptr (OcTool) tool = look_up (&host, expected[i].name);
      g_assert_cmpint (oc_tool_get_status (tool), ==, expected[i].status);
    }
  /* "Could not be looked at" is no "missing": it is not known, so it warns. */
  assert_broad (&host, "loop", "cannot be looked at");
  assert_harmless (&host, "good");
}

static void
test_links (void)
{
  g_auto (Host) host = { 0 };
  g_autoptr (OcTool) viewer = NULL;

  host_init (&host);
  put (&host, "/usr/bin/vim.basic", 0755, ELF);
  put_link (&host, "/etc/alternatives/viewer", "/usr/bin/vim.basic");
  put_link (&host, "/usr/bin/viewer", "../../etc/alternatives/viewer");
  put (&host, "/bin/busybox", 0755, ELF);
  put_link (&host, "/usr/bin/sha256sum", "/bin/busybox");
  put (&host, "/usr/lib/frob/frob", 0755, ELF);
  put_link (&host, "/usr/bin/frob", "../lib/frob/frob");
  put_link (&host, "/usr/bin/above", "../../../../../../../usr/lib/frob/frob");
  put_link (&host, "/usr/bin/sheep", "sh");
  put (&host, "/usr/bin/sh", 0755, ELF);

  viewer = look_up (&host, "viewer");
  g_assert_cmpstr (oc_tool_get_path (viewer), ==, "/usr/bin/viewer");
  g_assert_cmpstr (oc_tool_get_target (viewer), ==, "/usr/bin/vim.basic");
  assert_broad (&host, "viewer", "viewer is really vim.basic. vim.basic is an editor");
  assert_broad (&host, "sha256sum", "busybox is many tools in one file");
  assert_broad (&host, "sheep", "sh is a shell");
  assert_harmless (&host, "frob");
  /* ".." at the root stays there, as under chroot. */
  assert_harmless (&host, "above");
}

static void
test_hard_link (void)
{
  g_auto (Host) host = { 0 };
  g_autofree char *one = NULL;
  g_autofree char *other = NULL;
  g_autofree char *plain = NULL;
  g_autofree char *alias = NULL;

  host_init (&host);
  put (&host, "/usr/bin/python3.11", 0755, ELF);
  one = host_path (&host, "/usr/bin/python3.11");
  other = host_path (&host, "/usr/bin/snake");
  g_assert_no_errno (link (one, other));
  put (&host, "/usr/bin/frob", 0755, ELF);
  plain = host_path (&host, "/usr/bin/frob");
  alias = host_path (&host, "/usr/bin/frobnicate");
  g_assert_no_errno (link (plain, alias));
  assert_broad (&host, "snake", "snake and python3.11 are one and the same file");
  assert_harmless (&host, "frobnicate");
}

static void
test_scripts (void)
{
  g_auto (Host) host = { 0 };
  g_autoptr (OcTool) tool = NULL;

  host_init (&host);
  put (&host, "/usr/bin/env", 0755, ELF);
  put (&host, "/usr/bin/python3.11", 0755, ELF);
  put_link (&host, "/usr/bin/python3", "python3.11");
  put (&host, "/bin/sh", 0755, ELF);
  put (&host, "/usr/bin/frobber", 0755, ELF);
  put (&host, "/usr/bin/shelly", 0755, "#! /bin/sh -e\nexit 0\n");
  put (&host, "/usr/bin/snake", 0755, "#!/usr/bin/env python3\n");
  put (&host, "/usr/bin/split", 0755, "#!/usr/bin/env -S LANG=C python3 -u\n");
  put (&host, "/usr/bin/glued", 0755, "#!/usr/bin/env -Spython3 -u\n");
  put (&host, "/usr/bin/lost", 0755, "#!/usr/bin/nowhere\n");
  put (&host, "/usr/bin/relative", 0755, "#!frobber\n");
  put (&host, "/usr/bin/nested", 0755, "#!/usr/bin/shelly\n");
  put (&host, "/usr/bin/itself", 0755, "#!/usr/bin/itself\n");
  put (&host, "/usr/bin/narrow", 0755, "#!/usr/bin/frobber\n");
  put (&host, "/usr/bin/odd", 0755, "no program at all\n");
  put (&host, "/usr/bin/empty", 0755, "");

  tool = look_up (&host, "snake");
  g_assert_cmpstr (oc_tool_get_interpreter (tool), ==, "/usr/bin/python3");
  g_assert_nonnull (strstr (oc_tool_get_here (tool), "/usr/bin/python3"));
  assert_broad (&host, "shelly", "sh is a shell");
  assert_broad (&host, "snake", "snake is a script that python3 runs. python3 runs whatever code it is given.");
  g_assert_null (strstr (oc_tool_get_reason (tool), "python3.11"));
  assert_broad (&host, "split", "python3 runs whatever code");
  assert_broad (&host, "glued", "python3 runs whatever code");
  assert_broad (&host, "lost", "a script for /usr/bin/nowhere, which cannot be looked at");
  assert_broad (&host, "relative", "a script for frobber");
  assert_broad (&host, "nested", "sh is a shell");
  assert_broad (&host, "itself", "cannot be looked at");
  assert_broad (&host, "odd", "no ordinary program file");
  assert_broad (&host, "empty", "no ordinary program file");
  assert_harmless (&host, "narrow");
}

/* Whatever a file begins with: an answer, and never one that calls something unknown harmless. */
static void
test_any_bytes (void)
{
  const char *pieces[] = { "#!", "#", "!", "/usr/bin/", "env", "python3", " ", "\t", "\n", "-S", "=", "/", "..", "\xff", "x", "sh", "\177ELF", "\r" };
  g_auto (Host) host = { 0 };
  g_autofree char *real = NULL;

  host_init (&host);
  put (&host, "/usr/bin/env", 0755, ELF);
  put (&host, "/usr/bin/python3", 0755, ELF);
  put (&host, "/usr/bin/sh", 0755, ELF);
  put (&host, "/usr/bin/tool", 0755, "");
  real = host_path (&host, "/usr/bin/tool");
  for (int i = 0; i < 3000; i++)
    {
      g_autoptr (GString) content = g_string_new (i % 2 ? "#!" : "");
      int n = g_test_rand_int_range (0, i % 50 == 0 ? 200 : 12);
      int fd = open (real, O_WRONLY | O_TRUNC | O_CLOEXEC);
      /* A short list is read faster. */
      g_autoptr (OcTools) tools = oc_tools_new_with_list (host.root, "env\tstarts\npython3\tcode\nsh\tshell\n");
      g_autoptr (OcTool) tool = NULL;

      for (int j = 0; j < n; j++)
        g_string_append (content, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      g_assert_cmpint (write (fd, content->str, content->len), ==, (gssize) content->len);
      close (fd);
      tool = oc_tools_look_up (tools, "tool");
      if (!g_str_has_prefix (content->str, "\177ELF") && !oc_tool_is_broad (tool))
        g_error ("harmless: %s", content->str);
      g_assert_nonnull (oc_tool_get_here (tool));
    }
}

static void
test_writable (void)
{
  g_auto (Host) host = { 0 };
  g_autofree char *sticky = NULL;
  g_autofree char *open_folder = NULL;
  const char *say = "can be replaced without an administrator";

  host_init (&host);
  put (&host, "/usr/bin/closed", 0755, ELF);
  put (&host, "/usr/bin/open", 0757, ELF);
  put (&host, "/opt/open/frob", 0755, ELF);
  put_link (&host, "/usr/bin/infolder", "/opt/open/frob");
  put (&host, "/opt/sticky/frob", 0755, ELF);
  put_link (&host, "/usr/bin/insticky", "/opt/sticky/frob");
  put (&host, "/usr/bin/script", 0755, "#!/usr/bin/open\n");
  open_folder = host_path (&host, "/opt/open");
  g_assert_no_errno (chmod (open_folder, 0777));
  sticky = host_path (&host, "/opt/sticky");
  g_assert_no_errno (chmod (sticky, 01777));

  assert_harmless (&host, "closed");
  assert_broad (&host, "open", say);
  assert_broad (&host, "infolder", say);
  assert_broad (&host, "script", say);
  assert_harmless (&host, "insticky");
}

/* Whether @path can be given to another user here: a user namespace with one mapping cannot. */
static gboolean
give_away (Host *host,
           const char *path)
{
  g_autofree char *real = host_path (host, path);

  return chown (real, 1234, 0) == 0;
}

static void
test_owner (void)
{
  g_auto (Host) host = { 0 };

  host_init (&host);
  put (&host, "/usr/bin/theirs", 0755, ELF);
  assert_harmless (&host, "theirs");
  if (!give_away (&host, "/usr/bin/theirs"))
    {
      g_test_skip ("no second user here to own a file");
      return;
    }
  assert_broad (&host, "theirs", "can be replaced without an administrator");
}

static void
test_setuid (void)
{
  g_auto (Host) host = { 0 };
  g_autoptr (OcTool) tool = NULL;

  host_init (&host);
  put (&host, "/usr/bin/plain", 0755, ELF);
  put (&host, "/usr/bin/raised", 04755, ELF);
  put (&host, "/usr/bin/group", 02755, ELF);
  assert_harmless (&host, "plain");
  assert_broad (&host, "raised", "more rights than yours");
  assert_broad (&host, "group", "more rights than yours");
  tool = look_up (&host, "raised");
  g_assert_true (oc_tool_is_setuid (tool));
  g_assert_false (oc_tool_is_writable (tool));
}

static gpointer
look_up_many (gpointer data)
{
  for (int i = 0; i < 200; i++)
    {
      g_autofree char *name = g_strdup_printf ("tool%d", i % 20);
      g_autoptr (OcTool) tool = oc_tools_look_up (data, name);
      oc_tools_broad_reason (data, name);
      g_assert_cmpstr (oc_tool_get_name (tool), ==, name);
    }
  return NULL;
}

static void
test_threads (void)
{
  g_auto (Host) host = { 0 };
  g_autoptr (OcTools) tools = NULL;
  g_autoptr (OcTool) a = NULL;
  g_autoptr (OcTool) b = NULL;
  GThread *threads[4];

  host_init (&host);
  tools = oc_tools_new (host.root);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("look-up", look_up_many, tools);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  a = oc_tools_look_up (tools, "tool1");
  b = oc_tools_look_up (tools, "tool1");
  g_assert_true (a == b);
}

/* The made-up hosts need files that the user cannot write. An ordinary user has them in a user namespace, as its uid 0. */
static void
become_root (void)
{
  g_autofree char *uids = g_strdup_printf ("0 %u 1\n", geteuid ());
  g_autofree char *gids = g_strdup_printf ("0 %u 1\n", getegid ());
  const char *const files[][2] = { { "/proc/self/setgroups", "deny" },
                                   { "/proc/self/uid_map", uids },
                                   { "/proc/self/gid_map", gids } };

  if (geteuid () == 0 || unshare (CLONE_NEWUSER) != 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      int fd = open (files[i][0], O_WRONLY | O_CLOEXEC);
      gsize len = strlen (files[i][1]);
      g_assert_cmpint (write (fd, files[i][1], len), ==, (gssize) len);
      close (fd);
    }
}

static void
test_skipped (void)
{
  g_test_skip ("neither uid 0 nor a user namespace: no files that the user cannot write");
}

static void
add_host_test (const char *path,
               void (*test) (void))
{
  g_test_add_func (path, geteuid () == 0 ? test : test_skipped);
}

int
main (int argc,
      char **argv)
{
  become_root ();
  umask (022);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tools/names", test_names);
  g_test_add_func ("/tools/list/whole", test_list_whole);
  g_test_add_func ("/tools/list/facts", test_list_facts);
  g_test_add_func ("/tools/list/malformed-fails-closed", test_list_malformed);
  g_test_add_func ("/tools/not-installed-still-warns", test_not_installed);
  add_host_test ("/tools/links", test_links);
  add_host_test ("/tools/hard-link", test_hard_link);
  add_host_test ("/tools/scripts", test_scripts);
  add_host_test ("/tools/any-bytes", test_any_bytes);
  add_host_test ("/tools/writable", test_writable);
  add_host_test ("/tools/owner", test_owner);
  add_host_test ("/tools/set-uid", test_setuid);
  add_host_test ("/tools/statuses", test_statuses);
  /* Before there are threads: it changes the environment. */
  g_test_add_func ("/tools/folder-order", test_folder_order);
  g_test_add_func ("/tools/threads", test_threads);
  return g_test_run ();
}
