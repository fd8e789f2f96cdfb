/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "launcher/oc-guarded.h"
#include "launcher/oc-mount-table.h"
#include "launcher/oc-plan-private.h"
#include "launcher/oc-sandbox.h"

#define ID "test.plugin"

typedef struct
{
  char *base; /* canonical */
  char *home;
  char *folder;
  char *data;
  char *temp;
  OcPaths *paths;
} Fixture;

static char *
make_folder (Fixture *self, const char *below)
{
  char *path = g_build_filename (self->base, below, NULL);

  g_assert_no_errno (g_mkdir_with_parents (path, 0700));
  return path;
}

static void
make_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_file_set_contents (path, "secret", -1, &error);
  g_assert_no_error (error);
}

static void
make_link (Fixture *self, const char *target, const char *below)
{
  g_autofree char *path = g_build_filename (self->base, below, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_no_errno (symlink (target, path));
}

/* @home: relative to the base, what HOME will be; the XDG data home is below it. */
static void
set_home (Fixture *self, const char *home, const char *data_home)
{
  g_autofree char *below_data = g_build_filename (data_home, "ocelot", "Data", ID, NULL);
  g_autofree char *below_folder = g_build_filename (data_home, "ocelot", "Plugins", ID, NULL);
  g_autofree char *data_path = g_build_filename (self->base, data_home, NULL);

  self->home = g_build_filename (self->base, home, NULL);
  self->data = make_folder (self, below_data);
  self->folder = make_folder (self, below_folder);
  self->paths = oc_paths_new (data_path, NULL, self->base);
}

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  self->base = g_dir_make_tmp ("octest-XXXXXX", &error);
  g_assert_no_error (error);
  self->temp = make_folder (self, "tmp/ocelot-1-own");
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  const char *argv[] = { "rm", "-rf", "--", self->base, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (self->base);
  g_free (self->home);
  g_free (self->folder);
  g_free (self->data);
  g_free (self->temp);
  g_clear_pointer (&self->paths, oc_paths_unref);
}

static OcPlan *
make_plan (Fixture *self, GError **error)
{
  OcPlanInput input = {
    .paths = self->paths,
    .id = ID,
    .folder = self->folder,
    .data_folder = self->data,
    .temp_folder = self->temp,
    .home = self->home,
  };

  return oc_plan_new (&input, error);
}

static const OcPlace *
find_place (OcPlan *plan, const char *base, const char *below)
{
  g_autofree char *path = g_build_filename (base, below, NULL);

  for (guint i = 0; i < plan->places->len; i++)
    {
      const OcPlace *place = plan->places->pdata[i];

      if (strcmp (place->path, path) == 0)
        return place;
    }
  return NULL;
}

static gboolean
is_denied (OcPlan *plan, const char *base, const char *below)
{
  g_autofree char *path = g_build_filename (base, below, NULL);

  return g_ptr_array_find_with_equal_func (plan->denied, path, g_str_equal, NULL);
}

static void
assert_kind (OcPlan *plan, const char *base, const char *below, OcOpKind kind)
{
  const OcPlace *place = find_place (plan, base, below);

  g_assert_nonnull (place);
  g_assert_cmpint (place->kind, ==, kind);
}

static void
test_ordinary (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;
  g_autofree char *key = NULL;
  g_autofree char *text = NULL;
  const OcPlace *base;

  set_home (self, "home/u", "home/u/.local/share");
  key = g_build_filename (self->home, ".ssh", "id", NULL);
  make_file (key);
  plan = make_plan (self, &error);
  g_assert_no_error (error);
  assert_kind (plan, self->home, ".ssh", OC_OP_MASK);
  assert_kind (plan, self->home, ".local/share/ocelot", OC_OP_HIDE);
  assert_kind (plan, self->home, ".local/share/ocelot/Data/" ID, OC_OP_WRITABLE);
  assert_kind (plan, self->home, ".local/share/ocelot/Plugins/" ID, OC_OP_READ_ONLY);
  assert_kind (plan, self->base, "tmp/ocelot-1-own", OC_OP_WRITABLE);
  base = find_place (plan, self->home, ".local/share/ocelot");
  g_assert_cmpuint (base->points->len, ==, 4);
  g_assert_true (is_denied (plan, self->home, ".netrc")); /* not there yet */
  for (guint i = 1; i < plan->places->len; i++)
    g_assert_cmpstr (((OcPlace *)plan->places->pdata[i - 1])->path, <,
                     ((OcPlace *)plan->places->pdata[i])->path);
  text = oc_plan_to_text (plan);
  g_assert_nonnull (strstr (text, "unreadable "));
}

static void
test_linked_home (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;
  g_autofree char *key = NULL;

  g_free (make_folder (self, "var/home"));
  make_link (self, "var/home", "home"); /* as on Fedora's immutable systems */
  set_home (self, "home/u", "home/u/.local/share");
  key = g_build_filename (self->home, ".ssh", "id", NULL);
  make_file (key);
  plan = make_plan (self, &error);
  g_assert_no_error (error);
  assert_kind (plan, self->base, "var/home/u/.ssh", OC_OP_MASK);
  assert_kind (plan, self->base, "var/home/u/.local/share/ocelot", OC_OP_HIDE);
  assert_kind (plan, self->base, "var/home/u/.local/share/ocelot/Data/" ID, OC_OP_WRITABLE);
  g_assert_true (is_denied (plan, self->base, "home")); /* whatever replaces the link */
  g_assert_null (find_place (plan, self->base, "home/u/.ssh"));
}

static void
test_linked_secrets (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;
  g_autofree char *key = g_build_filename (self->base, "disk", "keys", "id", NULL);

  set_home (self, "home", "home/.local/share");
  make_file (key);
  make_link (self, "../disk/keys", "home/.ssh");
  make_link (self, "gone", "home/.gnupg");
  make_link (self, ".aws", "home/.aws"); /* a circle */
  plan = make_plan (self, &error);
  g_assert_no_error (error);
  assert_kind (plan, self->base, "disk/keys", OC_OP_MASK);
  g_assert_true (is_denied (plan, self->base, "disk/keys"));
  g_assert_true (is_denied (plan, self->base, "home/.ssh"));
  g_assert_true (is_denied (plan, self->base, "home/gone"));
  g_assert_null (find_place (plan, self->base, "home/.ssh"));
  g_assert_null (find_place (plan, self->base, "home/.aws"));
}

static void
test_odd_xdg (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;
  g_autofree char *moved = g_build_filename (self->base, "odd", NULL);
  g_autofree char *there = g_build_filename (moved, "gh", "hosts.yml", NULL);
  g_autofree char *usual = g_build_filename (self->base, "home", ".config", "gh", "hosts.yml",
                                             NULL);

  set_home (self, "home", "elsewhere/data");
  make_file (there);
  make_file (usual);
  g_setenv ("XDG_CONFIG_HOME", moved, TRUE);
  plan = make_plan (self, &error);
  g_unsetenv ("XDG_CONFIG_HOME");
  g_assert_no_error (error);
  assert_kind (plan, self->base, "odd/gh", OC_OP_MASK);
  assert_kind (plan, self->base, "home/.config/gh", OC_OP_MASK);
  assert_kind (plan, self->base, "elsewhere/data/ocelot", OC_OP_HIDE);
}

/* A runtime folder with the temporary folder in it: covered, and yet the own folder is there. */
static void
test_own_in_covered (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;
  g_autofree char *runtime = g_build_filename (self->base, "tmp", NULL);

  set_home (self, "home", "home/.local/share");
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  plan = make_plan (self, &error);
  g_unsetenv ("XDG_RUNTIME_DIR");
  g_assert_no_error (error);
  assert_kind (plan, self->base, "tmp", OC_OP_HIDE);
  assert_kind (plan, self->base, "tmp/ocelot-1-own", OC_OP_WRITABLE);
}

static void
assert_refused (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = make_plan (self, &error);

  g_assert_null (plan);
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  g_test_message ("%s", error->message);
}

static void
replace (char **field, char *value)
{
  g_free (*field);
  *field = value;
}

static void
test_refusals (Fixture *self, gconstpointer data)
{
  g_autofree char *real_data = NULL;
  g_autofree char *own_folder = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;

  set_home (self, "home", "home/.local/share");
  plan = make_plan (self, &error); /* the control */
  g_assert_no_error (error);
  own_folder = g_strdup (self->folder);
  real_data = g_strdup (self->data);
  /* CVE-2024-42472: the data folder is a link. */
  g_assert_no_errno (rmdir (self->data));
  make_link (self, "..", "home/.local/share/ocelot/Data/" ID);
  assert_refused (self);
  g_assert_no_errno (unlink (real_data));
  g_assert_no_errno (mkdir (real_data, 0755)); /* open to others */
  g_assert_no_errno (chmod (real_data, 0755));
  assert_refused (self);
  g_assert_no_errno (chmod (real_data, 0700));
  /* Code in a folder it can write, in another plugin's, in Data, in a guarded place; all of Plugins
   * as code. */
  replace (&self->folder, make_folder (self, "home/.local/share/ocelot/Data/" ID "/code"));
  assert_refused (self);
  replace (&self->folder, make_folder (self, "home/.local/share/ocelot/Plugins/other"));
  assert_refused (self);
  replace (&self->folder, make_folder (self, "home/.local/share/ocelot/Plugins"));
  assert_refused (self);
  replace (&self->folder, make_folder (self, "home/.ssh/code"));
  assert_refused (self);
  replace (&self->folder, g_strdup (own_folder));
  /* The temporary folder in our own base, and in the data folder. */
  replace (&self->temp, make_folder (self, "home/.local/share/ocelot/tmp"));
  assert_refused (self);
  replace (&self->temp, make_folder (self, "home/.local/share/ocelot/Data/" ID "/tmp"));
  assert_refused (self);
  /* CVE-2026-87766: a secret below a folder the plugin can write would be a mount point it could
   * swap. */
  replace (&self->temp, make_folder (self, "tmp/ocelot-1-own"));
  g_free (make_folder (self, "tmp/ocelot-1-own/keys"));
  make_link (self, "../tmp/ocelot-1-own/keys", "home/.gnupg");
  assert_refused (self);
}

static void
test_guarded_text (void)
{
  static const char *const homes[] = { "/etc", "/usr", NULL };
  static const char *const bad[] = { "~/.ssh", "~/.ssh\t", "relative\treason", "~\treason",
                                     "/\treason" };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) places = oc_guarded_list_from_text (
      "# comment\n\n~/.x\tone\n/var/nonexistent/a/b\ttwo\n/var/nonexistent/a-b\tthree\n$OC_NOT_SET/z\tfour\n"
      "~/.x\tagain\n",
      homes,
      &error);

  g_assert_no_error (error);
  g_assert_cmpuint (places->len, ==, 3);
  g_assert_cmpstr (((OcGuardedPlace *)places->pdata[0])->path, ==, "/etc/.x");
  /* A folder that is not there stands for all that is to lie in it. */
  g_assert_cmpstr (((OcGuardedPlace *)places->pdata[2])->path, ==, "/var/nonexistent");
  g_assert_cmpstr (((OcGuardedPlace *)places->pdata[2])->reason, ==, "two");
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) bad_error = NULL;

      g_assert_null (oc_guarded_list_from_text (bad[i], homes, &bad_error));
      g_assert_error (bad_error, OC_ERROR, OC_ERROR_SANDBOX);
    }
}

static void
assert_alias (OcMountTable *table, const char *path, const char *expected)
{
  g_autoptr (GPtrArray) aliases = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;

  oc_mount_table_find_aliases (table, path, aliases);
  g_ptr_array_add (aliases, NULL);
  text = g_strjoinv (" ", (char **)aliases->pdata);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_mount_aliases (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcMountTable) table = oc_mount_table_new_from_text (
      "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
      "28 27 0:30 /@home /home rw - btrfs /dev/vdb rw\n"
      "29 27 0:30 / /mnt/whole rw - btrfs /dev/vdb rw\n"
      "30 27 0:30 /@home/u/.ssh /srv/the\\040keys rw - btrfs /dev/vdb rw\n"
      "31 27 0:31 / /other rw - ext4 /dev/vdc rw\n",
      &error);

  g_assert_no_error (error);
  assert_alias (table, "/home/u/.ssh", "/mnt/whole/@home/u/.ssh /srv/the keys");
  assert_alias (table, "/home/u", "/mnt/whole/@home/u /srv/the keys");
  assert_alias (table, "/etc/secret", "");
  assert_alias (table, "/other/secret", "");
  g_assert_null (oc_mount_table_new_from_text ("27 1\n", &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
}

static void
test_remedies (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *path, *content, *word;
  } hosts[] = {
    { "proc/sys/kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1" },
    { "proc/sys/user/max_user_namespaces", "0\n", "user.max_user_namespaces" },
    { "proc/sys/user/max_mnt_namespaces", "0\n", "user.max_mnt_namespaces" },
    { "proc/sys/user/max_pid_namespaces", "0\n", "user.max_pid_namespaces" },
    { "proc/sys/user/max_net_namespaces", "0\n", "user.max_net_namespaces" },
    { "proc/sys/user/max_net_namespaces", "10\n", "5.19" },
    { "proc/sys/user/max_ipc_namespaces", "0\n", "user.max_ipc_namespaces" },
    { "proc/sys/user/max_uts_namespaces", "0\n", "user.max_uts_namespaces" },
    { "proc/sys/user/max_cgroup_namespaces", "0\n", "user.max_cgroup_namespaces" },
    { "proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "/etc/apparmor.d/" },
    { "proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n", "5.19" },
    { ".flatpak-info", "", "Flatpak" },
    { "run/.containerenv", "", "seccomp=unconfined" },
    { "proc/self/status", "Name:\tx\nSeccomp:\t2\n", "RestrictNamespaces" },
    { "proc/self/status", "Name:\tx\nSeccomp:\t0\n", "5.19" },
    { ".dockerenv", "", "seccomp=unconfined" },
    { "nothing", "", "5.19" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (hosts); i++)
    {
      g_autofree char *name = g_strdup_printf ("host%" G_GSIZE_FORMAT, i);
      g_autofree char *root = g_build_filename (self->base, name, NULL);
      g_autofree char *path = g_build_filename (root, hosts[i].path, NULL);
      g_autofree char *remedy = NULL;
      g_autoptr (GError) error = NULL;

      make_file (path);
      g_file_set_contents (path, hosts[i].content, -1, &error);
      g_assert_no_error (error);
      remedy = oc_sandbox_dup_remedy_for ("user-namespace", "new namespaces: no", root);
      g_assert_nonnull (strstr (remedy, hosts[i].word));
    }
}

/* What the error says counts, and a remedy is never for another one. */
static void
test_remedy_by_detail (Fixture *self, gconstpointer data)
{
  const struct
  {
    const char *layer, *what, *why, *word;
  } errors[] = {
    { "user-namespace", "new namespaces", g_strerror (ENOSPC), "--disable-userns" },
    { "user-namespace", "new namespaces", g_strerror (EAGAIN), "ulimit -u" },
    { "user-namespace", "new namespaces", g_strerror (EPERM), "5.19" },
    { "user-namespace", "/usr/bin/bwrap", "is not installed", "Install bubblewrap" },
    { "guarded-places", "list, line 1", "It is a path.", "man ocelot-launcher" },
    { "guarded-places", "/a", "lies in or around /b", "Look at the place" },
    { "launcher", "plugins are not run as " OC_NOT_AS_ROOT, "no", "--allow-root" },
    { "launcher", "/tmp/x", g_strerror (EACCES), "$TMPDIR" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autofree char *detail = g_strconcat (errors[i].what, ": ", errors[i].why, NULL);
      g_autofree char *remedy = oc_sandbox_dup_remedy_for (errors[i].layer, detail, self->base);

      g_assert_nonnull (strstr (remedy, errors[i].word));
    }
}

/* A container that no file gives away, but that covers parts of /proc. */
static void
test_remedy_covered_proc (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *mounts;
    const char *word;
  } hosts[] = {
    { "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
      "40 22 0:21 /sys /proc/sys ro,nosuid - proc proc rw\n", "over parts of /proc" },
    { "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
      "41 22 0:35 / /proc/sys/fs/binfmt_misc rw - binfmt_misc binfmt_misc rw\n", "5.19" },
    { "not a mount table", "5.19" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (hosts); i++)
    {
      g_autofree char *name = g_strdup_printf ("proc%" G_GSIZE_FORMAT, i);
      g_autofree char *root = g_build_filename (self->base, name, NULL);
      g_autofree char *path = g_build_filename (root, "proc/self/mountinfo", NULL);
      g_autofree char *remedy = NULL;
      g_autofree char *other = NULL;
      g_autoptr (GError) error = NULL;

      make_file (path);
      g_file_set_contents (path, hosts[i].mounts, -1, &error);
      g_assert_no_error (error);
      remedy = oc_sandbox_dup_remedy_for ("pid-namespace", "/proc: no", root);
      g_assert_nonnull (strstr (remedy, hosts[i].word));
      other = oc_sandbox_dup_remedy_for ("network", "loopback: no", root);
      g_assert_null (strstr (other, "over parts of /proc"));
    }
}

/* What is left out of the allow-list is looked up by halving: in the wrong order it would not be found, and so be readable. */
static void
test_order (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = NULL;

  set_home (self, "home", "home/.local/share");
  plan = make_plan (self, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (plan->denied->len, >, 100);
  for (guint i = 1; i < plan->denied->len; i++)
    g_assert_cmpint (oc_plan_compare_paths (plan->denied->pdata[i - 1], plan->denied->pdata[i]), <=, 0);
  /* The bytes before a slash, and longer than a word that is compared at once. */
  g_assert_cmpint (oc_plan_compare_paths ("/a-long-name/b", "/a-long-name-b"), <, 0);
  g_assert_cmpint (oc_plan_compare_paths ("/a-long-name", "/a-long-name/b"), <, 0);
  g_assert_cmpint (oc_plan_compare_paths ("/a-long-name ", "/a-long-name/b"), >, 0);
  g_assert_cmpint (oc_plan_compare_paths ("/a-long-name\377", "/a-long-name-z"), >, 0);
  g_assert_cmpint (oc_plan_compare_paths ("/a-long-name", "/a-long-name"), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
  g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/plan/ordinary", test_ordinary);
  ADD ("/plan/linked-home", test_linked_home);
  ADD ("/plan/linked-secrets", test_linked_secrets);
  ADD ("/plan/odd-xdg", test_odd_xdg);
  ADD ("/plan/own-folder-in-a-covered-one", test_own_in_covered);
  ADD ("/plan/order", test_order);
  ADD ("/plan/refusals", test_refusals);
  ADD ("/plan/remedies", test_remedies);
  ADD ("/plan/remedy-by-detail", test_remedy_by_detail);
  ADD ("/plan/remedy-covered-proc", test_remedy_covered_proc);
  g_test_add_func ("/plan/guarded-list", test_guarded_text);
  g_test_add_func ("/plan/mount-aliases", test_mount_aliases);
  return g_test_run ();
}
