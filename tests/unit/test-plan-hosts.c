/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan on made-up hosts: each is a tree in a temporary folder, and what the plan says of it. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "launcher/oc-guarded.h"
#include "launcher/oc-mount-table.h"
#include "launcher/oc-plan-private.h"

#define ID "test.plugin"
#define MAX_ENTRIES 16

/* Paths are relative to the made-up root. "%" in a value stands for the root. */
typedef struct
{
  const char *name;
  const char *tree[MAX_ENTRIES]; /* "path": a file; "path/": a folder; "path>target": a link */
  const char *home;
  const char *data_home; /* where the ocelot folder is */
  const char *variables[4]; /* NAME=value */
  const char *expected;  /* each place below the root, in order, without its reason */
  const char *denied[MAX_ENTRIES]; /* for the allow-list, besides */
} MadeHost;

#define OWN(data_home)                                                                             \
  "hidden " data_home "/ocelot\n"                                                                  \
  "writable " data_home "/ocelot/Data/" ID "\n"                                                    \
  "read-only " data_home "/ocelot/Plugins/" ID "\n"
#define TEMP "writable /tmp/ocelot-1-own\n"

static const MadeHost hosts[] = {
  { .name = "debian",
    .tree = { "usr/bin/", "bin>usr/bin", "lib64>usr/lib64", "home/u/.ssh/id", "home/u/.netrc",
              "home/u/.config/gh/hosts.yml", "home/u/notes" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .expected = "unreadable /home/u/.config/gh\n" OWN ("/home/u/.local/share")
                "unreadable /home/u/.netrc\nunreadable /home/u/.ssh\n" TEMP,
    .denied = { "home/u/.aws", "home/u/.local/share/keyrings", "home/u/.config/gcloud" } },
  { .name = "not-merged", /* /bin and /usr/bin are two folders */
    .tree = { "usr/bin/", "bin/", "lib/", "lib64/", "root/.ssh/id", "root/.bash_history" },
    .home = "root",
    .data_home = "root/.local/share",
    .expected = "unreadable /root/.bash_history\n" OWN ("/root/.local/share")
                "unreadable /root/.ssh\n" TEMP },
  { .name = "fedora-immutable",
    .tree = { "var/home/u/.ssh/id", "home>var/home", "usr/bin/", "bin>usr/bin",
              "var/roothome/", "root>var/roothome" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .expected = TEMP OWN ("/var/home/u/.local/share") "unreadable /var/home/u/.ssh\n",
    .denied = { "home", "var/home/u/.netrc" } },
  { .name = "arch-home-on-a-disk", /* a chain: /home, then the user's folder */
    .tree = { "mnt/disk/people/ulla/.gnupg/keys", "home>/%/mnt/disk/people", "mnt/disk/people/u>ulla" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .expected = "unreadable /mnt/disk/people/ulla/.gnupg\n"
                OWN ("/mnt/disk/people/ulla/.local/share") TEMP,
    .denied = { "home", "mnt/disk/people/u", "mnt/disk/people/ulla/.ssh" } },
  { .name = "link-inside-home",
    .tree = { "data/config/gh/hosts.yml", "data/config/containers/auth.json", "home/u/.config>../../data/config",
              "data/share/keyrings/login", "home/u/.local/share>/%/data/share" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .expected = "unreadable /data/config/containers\nunreadable /data/config/gh\n"
                "unreadable /data/share/keyrings\n" OWN ("/data/share") TEMP,
    .denied = { "home/u/.config", "home/u/.local/share", "data/config/op" } },
  { .name = "home-with-dots",
    .tree = { "home/u/.ssh/id", "home/other/" },
    .home = "home/other/.././u",
    .data_home = "home/u/.local/share",
    .expected = OWN ("/home/u/.local/share") "unreadable /home/u/.ssh\n" TEMP },
  { .name = "odd-names",
    .tree = { "home/a b\n\"c\" \xff/.ssh/id", "home/a b\n\"c\" \xff/.netrc" },
    .home = "home/a b\n\"c\" \xff",
    .data_home = "home/a b\n\"c\" \xff/.local/share",
    .expected = "hidden /home/a b\n\"c\" \xff/.local/share/ocelot\n"
                "writable /home/a b\n\"c\" \xff/.local/share/ocelot/Data/" ID "\n"
                "read-only /home/a b\n\"c\" \xff/.local/share/ocelot/Plugins/" ID "\n"
                "unreadable /home/a b\n\"c\" \xff/.netrc\nunreadable /home/a b\n\"c\" \xff/.ssh\n" TEMP },
  { .name = "xdg-outside-home",
    .tree = { "home/u/.config/gh/hosts.yml", "etc/mine/gh/hosts.yml", "srv/cache/mozilla/c", "home/u/.cache/mozilla/c" },
    .home = "home/u",
    .data_home = "srv/data",
    .variables = { "XDG_CONFIG_HOME=%/etc/mine", "XDG_CACHE_HOME=%/srv/cache", "XDG_DATA_HOME=%/srv/data" },
    .expected = "unreadable /etc/mine/gh\nunreadable /home/u/.cache/mozilla\n"
                "unreadable /home/u/.config/gh\nunreadable /srv/cache/mozilla\n" OWN ("/srv/data") TEMP,
    .denied = { "srv/data/keyrings", "home/u/.local/share/keyrings" } },
  { .name = "xdg-relative-is-none",
    .tree = { "home/u/.config/gh/hosts.yml", "home/u/odd/gh/hosts.yml" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .variables = { "XDG_CONFIG_HOME=odd", "XDG_CACHE_HOME=", "XDG_RUNTIME_DIR=../tmp" },
    .expected = "unreadable /home/u/.config/gh\n" OWN ("/home/u/.local/share") TEMP },
  { .name = "xdg-all-the-same",
    .tree = { "home/u/all/gh/hosts.yml", "home/u/all/keyrings/login", "home/u/all/op/x" },
    .home = "home/u",
    .data_home = "home/u/all",
    .variables = { "XDG_CONFIG_HOME=%/home/u/all", "XDG_DATA_HOME=%/home/u/all", "XDG_CACHE_HOME=%/home/u/all" },
    .expected = "unreadable /home/u/all/gh\nunreadable /home/u/all/keyrings\n" OWN ("/home/u/all")
                "unreadable /home/u/all/op\n" TEMP },
  { .name = "xdg-inside-a-guarded-place",
    .tree = { "home/u/.ssh/config/gh/hosts.yml" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .variables = { "XDG_CONFIG_HOME=%/home/u/.ssh/config" },
    .expected = OWN ("/home/u/.local/share") "unreadable /home/u/.ssh\n" TEMP,
    .denied = { "home/u/.ssh", "home/u/.ssh/config/gh" } },
  { .name = "linked-secrets",
    .tree = { "vault/keys/id", "home/u/.ssh>/%/vault/keys", "home/u/.gnupg>one", "home/u/one>two", "home/u/two>/%/vault/gpg",
              "vault/gpg/ring", "home/u/.aws>gone/away", "home/u/.kube>.kube", "home/u/.docker>.azure", "home/u/.azure>.docker",
              "home/u/.netrc>.config/gh/netrc", "home/u/.config/gh/netrc" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .expected = "unreadable /home/u/.config/gh\n" OWN ("/home/u/.local/share") TEMP
                "unreadable /vault/gpg\nunreadable /vault/keys\n",
    .denied = { "home/u/.ssh", "home/u/.gnupg", "home/u/one", "home/u/two", "vault/gpg", "home/u/gone/away", "home/u/.kube",
                "home/u/.azure", "home/u/.netrc", "home/u/.config/gh/netrc" } },
  { .name = "secret-is-its-parent", /* a link to what is around it guards all of that */
    .tree = { "home/u/work/file", "home/u/.ssh>work", "home/u/work/.git-credentials" },
    .home = "home/u",
    .data_home = "home/u/.local/share",
    .expected = OWN ("/home/u/.local/share") "unreadable /home/u/work\n" TEMP },
};

static void
make_entry (const char *root, const char *entry)
{
  const char *arrow = strchr (entry, '>');
  g_autofree char *below = arrow != NULL ? g_strndup (entry, (gsize)(arrow - entry))
                                         : g_strdup (entry);
  g_autofree char *path = g_build_filename (root, below, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  if (arrow != NULL && g_str_has_prefix (arrow + 1, "/%"))
    {
      g_autofree char *target = g_strconcat (root, arrow + 3, NULL);

      g_assert_no_errno (symlink (target, path));
    }
  else if (arrow != NULL)
    g_assert_no_errno (symlink (arrow + 1, path));
  else if (!g_str_has_suffix (entry, "/"))
    g_file_set_contents (path, "secret", -1, &error);
  g_assert_no_error (error);
}

static void
set_variables (const char *root, const char *const *variables, gboolean on)
{
  for (; *variables != NULL; variables++)
    {
      g_auto (GStrv) pair = g_strsplit (*variables, "=", 2);
      g_autofree char *value = pair[1][0] == '%' ? g_strconcat (root, pair[1] + 1, NULL)
                                                 : g_strdup (pair[1]);

      if (on)
        g_setenv (pair[0], value, TRUE);
      else
        g_unsetenv (pair[0]);
    }
}

static char *
make_own (const char *root, const char *data_home, const char *kind)
{
  char *path = g_build_filename (root, data_home, "ocelot", kind, ID, NULL);

  g_assert_no_errno (g_mkdir_with_parents (path, 0700));
  return path;
}

static OcPlan *
plan_new (const char *root, const MadeHost *host, GError **error)
{
  g_autofree char *data = make_own (root, host->data_home, "Data");
  g_autofree char *folder = make_own (root, host->data_home, "Plugins");
  g_autofree char *temp = g_build_filename (root, "tmp", "ocelot-1-own", NULL);
  g_autofree char *home = g_build_filename (root, host->home, NULL);
  g_autofree char *data_home = g_build_filename (root, host->data_home, NULL);
  g_autoptr (OcPaths) paths = oc_paths_new (data_home, NULL, root);
  OcPlanInput input = {
    .paths = paths,
    .id = ID,
    .folder = folder,
    .data_folder = data,
    .temp_folder = temp,
    .home = home,
  };

  g_assert_no_errno (g_mkdir_with_parents (temp, 0700));
  return oc_plan_new (&input, error);
}

static const char *
name_kind (OcOpKind kind)
{
  static const char *const names[] = { "unreadable", "hidden", "read-only", "writable" };

  return names[kind];
}

/* The places below the root; others belong to the machine the test runs on. */
static char *
describe (OcPlan *plan, const char *root)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < plan->places->len; i++)
    {
      const OcPlace *place = plan->places->pdata[i];

      if (oc_plan_is_below (place->path, root))
        g_string_append_printf (text, "%s %s\n", name_kind (place->kind),
                                place->path + strlen (root));
    }
  return g_string_free (text, FALSE);
}

/* Itself, or as the folder on the way to it that is not there. */
static gboolean
is_denied (OcPlan *plan, const char *path)
{
  for (guint i = 0; i < plan->denied->len; i++)
    {
      const char *denied = plan->denied->pdata[i];

      if (strcmp (path, denied) == 0
          || (oc_plan_is_below (path, denied) && !g_file_test (denied, G_FILE_TEST_EXISTS)))
        return TRUE;
    }
  return FALSE;
}

static void
remove_tree (const char *root)
{
  const char *argv[] = { "rm", "-rf", "--", root, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
}

static void
test_host (gconstpointer data)
{
  const MadeHost *host = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *made = g_dir_make_tmp ("octest-XXXXXX", &error);
  g_autofree char *root = g_canonicalize_filename (made, "/");
  g_autofree char *text = NULL;
  g_autoptr (OcPlan) plan = NULL;

  g_assert_no_error (error);
  for (gsize i = 0; host->tree[i] != NULL; i++)
    make_entry (root, host->tree[i]);
  set_variables (root, host->variables, TRUE);
  plan = plan_new (root, host, &error);
  set_variables (root, host->variables, FALSE);
  g_assert_no_error (error);
  text = describe (plan, root);
  g_assert_cmpstr (text, ==, host->expected);
  for (gsize i = 0; host->denied[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (root, host->denied[i], NULL);

      if (!is_denied (plan, path))
        g_error ("%s is not left out of the allow-list", path);
      g_assert_true (oc_plan_denies (plan, path));
    }
  remove_tree (root);
}

/* A hard link cannot be found by its name: it is told, so that somebody can look. */
static void
test_hard_link (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *root = g_dir_make_tmp ("octest-XXXXXX", &error);
  g_autofree char *secret = g_build_filename (root, "home", "u", ".netrc", NULL);
  g_autofree char *other = g_build_filename (root, "home", "u", "copy", NULL);
  g_autoptr (OcPlan) before = NULL;
  g_autoptr (OcPlan) after = NULL;

  make_entry (root, "home/u/.netrc");
  before = plan_new (root, &hosts[0], &error);
  g_assert_no_error (error);
  g_assert_cmpuint (before->notes->len, ==, 0);
  g_assert_no_errno (link (secret, other));
  after = plan_new (root, &hosts[0], &error);
  g_assert_no_error (error);
  g_assert_cmpuint (after->notes->len, ==, 1);
  g_assert_nonnull (strstr (after->notes->pdata[0], secret));
  remove_tree (root);
}

/* What the user and the administrator add is in the plan; what they write wrongly stops it. */
static void
test_added_lists (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) bad_error = NULL;
  g_autofree char *root = g_dir_make_tmp ("octest-XXXXXX", &error);
  g_autofree char *user = g_build_filename (root, "home/u/.config/ocelot/guarded-places", NULL);
  g_autofree char *system = g_build_filename (root, "guarded-places.d/company.list", NULL);
  g_autofree char *tax = g_build_filename (root, "home/u/Tax", NULL);
  g_autofree char *vault = g_build_filename (root, "home/u/Vault", NULL);
  g_autofree char *later = g_build_filename (root, "home/u/later", NULL);
  g_autoptr (OcPlan) plan = NULL;

  make_entry (root, "home/u/Tax/2026");
  make_entry (root, "real-vault/keys");
  make_entry (root, "home/u/Vault>../../real-vault");
  make_entry (root, "home/u/.config/ocelot/");
  make_entry (root, "guarded-places.d/");
  g_assert_no_errno (g_mkdir_with_parents (tax, 0700));
  g_assert_true (g_file_set_contents (user, "~/Tax\tTax papers\n~/later\tlater\n", -1, NULL));
  g_assert_true (g_file_set_contents (system, "~/Vault\tVault\n", -1, NULL));
  plan = plan_new (root, &hosts[0], &error);
  g_assert_no_error (error);
  {
    g_autofree char *text = describe (plan, root);

    g_assert_nonnull (strstr (text, "unreadable /home/u/Tax\n"));
    g_assert_nonnull (strstr (text, "unreadable /real-vault\n"));
  }
  g_assert_true (is_denied (plan, vault));
  g_assert_true (is_denied (plan, later));
  g_assert_true (g_file_set_contents (user, "~/Tax papers\n", -1, NULL));
  g_assert_null (plan_new (root, &hosts[0], &bad_error));
  g_assert_error (bad_error, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_nonnull (strstr (bad_error->message, user));
  remove_tree (root);
}

static void
assert_aliases (const char *mounts, const char *path, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcMountTable) table = oc_mount_table_new_from_text (mounts, &error);
  g_autoptr (GPtrArray) aliases = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  oc_mount_table_find_aliases (table, path, aliases);
  g_ptr_array_add (aliases, NULL);
  text = g_strjoinv (" ", (char **)aliases->pdata);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_bind_mounts (void)
{
  static const char mounts[] = "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
                               "28 27 254:1 / /home rw - ext4 /dev/vdb rw\n"
                               "29 27 254:1 /u/.ssh /srv/keys rw - ext4 /dev/vdb rw\n"
                               "30 27 254:1 /u /srv/u rw master:1 - ext4 /dev/vdb rw\n"
                               "31 27 254:1 /u/.ssh/id /srv/one\\040file rw - ext4 /dev/vdb rw\n"
                               "32 27 254:0 /etc /home/u/etc rw - ext4 /dev/vda rw\n"
                               "33 27 0:44 / /home/u/.gnupg rw - fuse.encfs encfs rw\n";

  assert_aliases (mounts, "/home/u/.ssh", "/srv/keys /srv/u/.ssh /srv/one file");
  assert_aliases (mounts, "/home/u/.ssh/id", "/srv/keys/id /srv/u/.ssh/id /srv/one file");
  assert_aliases (mounts, "/home/u/.sshx", "/srv/u/.sshx");
  assert_aliases (mounts, "/etc/secret", "/home/u/etc/secret");
  assert_aliases (mounts, "/home/u/.gnupg", "");
}

static void
test_overlays (void)
{
  static const char mounts[]
      = "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
        "28 27 0:50 / /merged rw - overlay overlay "
        "rw,lowerdir=/home/u:/odd\\134:name,upperdir=/up\\054per,workdir=/work\n"
        "29 27 0:51 / /new rw shared:3 - overlay overlay "
        "rw,lowerdir+=/layers/one,datadir+=/layers/data,upperdir=/layers/up\n"
        "30 27 0:51 /in /bound rw - overlay overlay rw,lowerdir+=/layers/one\n"
        "31 27 0:52 / /relative rw - overlay overlay rw,lowerdir=l/A:l/B,upperdir=up\n";

  /* A secret in a lower layer is seen in the overlay, and at the same name in other layers. */
  assert_aliases (mounts, "/home/u/.ssh", "/merged/.ssh /odd:name/.ssh /up,per/.ssh");
  assert_aliases (mounts, "/up,per/.ssh", "/merged/.ssh /home/u/.ssh /odd:name/.ssh");
  /* A secret of the overlay is seen in the layers. */
  assert_aliases (mounts, "/merged/.netrc", "/home/u/.netrc /odd:name/.netrc /up,per/.netrc");
  /* A layer that is a part of what is guarded: all of the overlay is, with its other layers. */
  assert_aliases (mounts, "/home", "/merged /home/u /odd:name /up,per");
  assert_aliases (mounts, "/layers/one/in/.ssh",
                  "/new/in/.ssh /bound/.ssh /layers/data/in/.ssh /layers/up/in/.ssh");
  assert_aliases (mounts, "/relative/.ssh", "");
  assert_aliases (mounts, "/etc/passwd", "");
}

/* An overlay that lies in one of its own layers has no end of names: this one ends. */
static void
test_overlay_in_itself (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcMountTable) table = oc_mount_table_new_from_text (
      "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
      "28 27 0:50 / /home/u/merged rw - overlay overlay rw,lowerdir=/home/u,upperdir=/home/u/up\n",
      &error);
  g_autoptr (GPtrArray) aliases = g_ptr_array_new_with_free_func (g_free);

  g_assert_no_error (error);
  oc_mount_table_find_aliases (table, "/home/u/.ssh", aliases);
  g_assert_cmpuint (aliases->len, >=, 2);
  g_assert_cmpuint (aliases->len, <, 16);
  g_assert_cmpstr (aliases->pdata[0], ==, "/home/u/merged/.ssh");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("XDG_CONFIG_HOME");
  g_unsetenv ("XDG_DATA_HOME");
  g_unsetenv ("XDG_STATE_HOME");
  g_unsetenv ("XDG_CACHE_HOME");
  g_unsetenv ("XDG_RUNTIME_DIR");
  for (gsize i = 0; i < G_N_ELEMENTS (hosts); i++)
    {
      g_autofree char *name = g_strconcat ("/plan-hosts/", hosts[i].name, NULL);

      g_test_add_data_func (name, &hosts[i], test_host);
    }
  g_test_add_func ("/plan-hosts/hard-link", test_hard_link);
  g_test_add_func ("/plan-hosts/added-lists", test_added_lists);
  g_test_add_func ("/plan-hosts/bind-mounts", test_bind_mounts);
  g_test_add_func ("/plan-hosts/overlays", test_overlays);
  g_test_add_func ("/plan-hosts/overlay-in-itself", test_overlay_in_itself);
  return g_test_run ();
}
