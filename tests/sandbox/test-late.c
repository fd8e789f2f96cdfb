/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens to secrets on the host while a worker runs: its reading is held by names that were
 * listed when it began, so whatever comes later, under whatever name, is not among them. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-fd.h"
#include "sandbox-host.h"

static void
put (Host *host, const char *below, const char *content)
{
  g_autofree char *path = g_build_filename (host->home, below, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_file_set_contents (path, content, -1, &error);
  g_assert_no_error (error);
}

static void
move (Host *host, const char *from, const char *to)
{
  g_autofree char *old_path = g_build_filename (host->home, from, NULL);
  g_autofree char *new_path = g_build_filename (host->home, to, NULL);

  g_assert_no_errno (g_rename (old_path, new_path));
}

static void
make_link (Host *host, const char *target, const char *below)
{
  g_autofree char *path = g_build_filename (host->home, below, NULL);

  (void)g_unlink (path);
  g_assert_no_errno (symlink (target, path));
}

static void
make_hard_link (Host *host, const char *from, const char *to)
{
  g_autofree char *old_path = g_build_filename (host->home, from, NULL);
  g_autofree char *new_path = g_build_filename (host->home, to, NULL);

  g_assert_no_errno (link (old_path, new_path));
}

static void
create_file (Host *host)
{
  put (host, ".git-credentials", "secret");
}

static void
create_folder (Host *host)
{
  put (host, ".docker/config.json", "secret");
}

static void
rename_over (Host *host)
{
  put (host, "temporary", "secret");
  move (host, "temporary", ".netrc");
}

static void
replace_folder (Host *host)
{
  move (host, ".ssh", "old-ssh");
  put (host, ".ssh/id", "secret");
}

/* The link that led to the secret leads to another. */
static void
swap_link (Host *host)
{
  put (host, "other-aws/credentials", "secret");
  make_link (host, "other-aws", ".aws");
}

static void
link_into_place (Host *host)
{
  put (host, "vault/npmrc", "secret");
  make_link (host, "vault/npmrc", ".npmrc");
}

static void
replace_parent (Host *host)
{
  move (host, ".config", "old-config");
  put (host, ".config/gh/hosts.yml", "secret");
}

static void
move_secret_away (Host *host)
{
  move (host, ".ssh", "keys");
}

static void
hard_link_beside (Host *host)
{
  make_hard_link (host, ".bash_history", "history");
}

static void
hard_link_into_open_folder (Host *host)
{
  make_hard_link (host, ".bash_history", "folder/history");
}

static void
add_other_plugin (Host *host)
{
  put (host, ".local/share/ocelot/Plugins/later/plugin.json", "secret");
}

static void
replace_consent (Host *host)
{
  put (host, ".local/share/ocelot/consent.json", "secret");
}

static void
change_ordinary (Host *host)
{
  put (host, "folder/new", "content");
}

static void
do_nothing (Host *host)
{
}

static const struct
{
  const char *name;
  void (*change) (Host *host);
  const char *path;   /* read after the change */
  const char *worker; /* what a worker gets */
  const char *tool;   /* (nullable): what a one-shot tool gets: masks only, which lie on what was there */
} cases[] = {
  { "created", create_file, "~/.git-credentials", "EACCES", "DONE" },
  { "created-in-a-folder", create_folder, "~/.docker/config.json", "EACCES", "DONE" },
  /* A rename goes through below the mask, also for the tool. */
  { "renamed-over", rename_over, "~/.netrc", "EACCES", "DONE" },
  { "folder-replaced", replace_folder, "~/.ssh/id", "EACCES", "DONE" },
  { "folder-moved-away", move_secret_away, "~/keys/id", "EACCES", NULL },
  { "link-swapped", swap_link, "~/.aws/credentials", "EACCES", "DONE" },
  { "link-swapped-to", swap_link, "~/other-aws/credentials", "EACCES", "DONE" },
  { "linked-into-place", link_into_place, "~/.npmrc", "EACCES", "DONE" },
  { "parent-replaced", replace_parent, "~/.config/gh/hosts.yml", "EACCES", "DONE" },
  { "hard-linked-beside", hard_link_beside, "~/history", "EACCES", "DONE" },
  /* Known, and said in README: another name of the same file, in a folder that may be read. */
  { "hard-linked-into-an-open-folder", hard_link_into_open_folder, "~/folder/history", "DONE", "DONE" },
  { "another-plugin-installed", add_other_plugin, "%B/Plugins/later/plugin.json", "EACCES|ENOENT",
    "EACCES|ENOENT" },
  { "consent-replaced", replace_consent, "%B/consent.json", "EACCES|ENOENT", "EACCES|ENOENT" },
  /* The controls: what is neither, can be read. */
  { "ordinary-file-in-an-open-folder", change_ordinary, "~/folder/new", "DONE", "DONE" },
  { "nothing-happens", do_nothing, "~/folder/file", "DONE", "DONE" },
  { "secret-before", do_nothing, "~/.ssh/id", "EACCES", "EACCES" },
};

static char *
read_after (Host *host, OcRole role, void (*change) (Host *host), const char *path)
{
  const char *words[] = { "read-when-told", path, NULL };
  g_auto (OcFd) input = -1;
  g_auto (OcFd) output = -1;
  g_autoptr (OcProcess) process = NULL;
  g_autofree char *line = NULL;

  host_reset (host);
  process = host_start (host, role, words, &input, &output);
  line = host_read_line (output);
  g_assert_cmpstr (line, ==, "ready");
  change (host);
  g_assert_cmpint (write (input, "x", 1), ==, 1);
  return host_read_all (output);
}

static gboolean
is_one_of (const char *got, const char *alternatives)
{
  g_auto (GStrv) list = g_strsplit (alternatives, "|", -1);

  return g_strv_contains ((const char *const *)list, got);
}

static void
test_case (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (Host) host = host_new ();
  g_autofree char *worker = read_after (host, OC_ROLE_WORKER, cases[i].change, cases[i].path);
  g_autofree char *tool = read_after (host, OC_ROLE_TOOL, cases[i].change, cases[i].path);

  g_test_message ("worker: %s, tool: %s", worker, tool);
  g_assert_true (is_one_of (worker, cases[i].worker));
  if (cases[i].tool != NULL)
    g_assert_true (is_one_of (tool, cases[i].tool));
}

/* As where /home can be passed through and not listed. */
static void
test_unlisted (void)
{
  g_autoptr (Host) host = host_new ();
  const char *plain[] = { "read", "~/notes/plain", NULL };
  const char *secret[] = { "read", "~/.netrc", NULL };
  g_auto (HostResult) read = { 0 };
  g_auto (HostResult) refused = { 0 };
  g_autoptr (GError) error = NULL;

  put (host, "notes/plain", "nothing");
  put (host, ".netrc", "secret");
  g_assert_no_errno (chmod (host->base, 0311));
  host_run (host, OC_ROLE_WORKER, OC_NETWORK_NONE, plain, &read, &error);
  g_assert_no_error (error);
  host_run (host, OC_ROLE_WORKER, OC_NETWORK_NONE, secret, &refused, &error);
  g_assert_no_errno (chmod (host->base, 0700));
  g_assert_no_error (error);
  g_assert_cmpstr (read.output, ==, "DONE");
  g_assert_cmpstr (refused.output, ==, "EACCES");
}

/* As in a user's session: something is mounted while a worker runs. Needs a mount namespace of its
 * own to do it in; the rest of the test executes itself there. */
static void
mount_secret (Host *host)
{
  g_autofree char *place = g_build_filename (host->home, "empty", NULL);

  g_assert_no_errno (mount ("none", place, "tmpfs", 0, "size=64k"));
  put (host, "empty/late", "secret");
}

static int
try_mount (void)
{
  g_autoptr (Host) host = host_new ();
  g_autofree char *place = g_build_filename (host->home, "empty", NULL);
  g_autofree char *got = NULL;
  g_autofree char *control = NULL;
  g_auto (HostResult) outside = { 0 };
  const char *words[] = { "read", "~/empty/late", NULL };
  /* As systemd sets it up: mounts made later appear in the copies of the namespace. */
  gboolean shared = mount (NULL, "/", NULL, MS_REC | MS_SHARED, NULL) == 0;

  got = read_after (host, OC_ROLE_WORKER, mount_secret, "~/empty/late");
  host_run_outside (host, words, &outside);
  g_assert_no_errno (umount2 (place, MNT_DETACH));
  printf ("%s shared=%d outside=%s", got, shared, outside.output);
  return 0;
}

static void
test_mount (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  const char *probe[] = { "unshare", "-Urm", "true", NULL };
  const char *argv[] = { "unshare", "-Urm", "--propagation", "unchanged", self, "--mount", NULL };
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;

  g_assert_true (g_spawn_sync (NULL, (char **)probe, NULL,
                               G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                               NULL, &status, NULL));
  if (status != 0)
    {
      host_skip ("unshare -Urm does not work here");
      return;
    }
  g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_test_message ("%s (status %d)", output, status);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_str_has_prefix (output, "ENOENT ") || g_str_has_prefix (output, "EACCES "));
  g_assert_true (g_str_has_suffix (output, "outside=DONE"));
}

/* CVE-2026-87766: links that a plugin leaves in the folders it can write, with the names that an
 * executor might use below a mount point, and the next run. */
static void
test_planted_links (void)
{
  static const char *const names[] = { "oldroot", "newroot", "proc", "dev", "tmp", ".old", "put_old" };
  g_autoptr (Host) host = host_new ();
  const char *words[] = { "create", "%T/made", NULL };
  const char *folders[] = { host->data, host->temp };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (folders); j++)
      {
        g_autofree char *path = g_build_filename (folders[j], names[i], NULL);

        g_assert_no_errno (symlink (j == 0 ? host->home : "/", path));
      }
  for (int role = 0; role < 2; role++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (HostResult) result = { 0 };
      g_autofree char *made = g_build_filename (host->temp, "made", NULL);
      g_autofree char *change = NULL;

      host_run (host, role == 0 ? OC_ROLE_WORKER : OC_ROLE_TOOL, OC_NETWORK_NONE, words, &result,
                &error);
      g_assert_no_error (error);
      g_assert_cmpstr (result.output, ==, "DONE");
      g_assert_no_errno (g_unlink (made));
      change = host_find_change (host);
      g_assert_cmpstr (change, ==, NULL);
    }
  g_assert_false (g_file_test ("/oldroot", G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--mount") == 0)
    return try_mount ();
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/late/", cases[i].name, NULL);

      g_test_add_data_func (name, GSIZE_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/late/unlisted-folder", test_unlisted);
  g_test_add_func ("/late/mounted", test_mount);
  g_test_add_func ("/late/planted-links", test_planted_links);
  return g_test_run ();
}
