/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists of guarded places: built in, the administrator's, the user's. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "launcher/oc-guarded-lists.h"
#include "launcher/oc-guarded.h"

#define USER_LIST "home/.config/ocelot/guarded-places"
#define SYSTEM_LIST "etc/guarded-places.d/10-company.list"

typedef struct
{
  char *base;
  char *homes[2];
  OcPaths *paths;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *data_home = NULL;
  g_autofree char *policy = NULL;

  self->base = g_dir_make_tmp ("octest-XXXXXX", &error);
  g_assert_no_error (error);
  self->homes[0] = g_build_filename (self->base, "home", NULL);
  data_home = g_build_filename (self->base, "home", ".local", "share", NULL);
  policy = g_build_filename (self->base, "etc", NULL);
  g_assert_no_errno (g_mkdir_with_parents (data_home, 0700));
  self->paths = oc_paths_new (data_home, NULL, policy);
  g_unsetenv ("XDG_CONFIG_HOME");
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  const char *argv[] = { "rm", "-rf", "--", self->base, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (self->base);
  g_free (self->homes[0]);
  oc_paths_unref (self->paths);
  g_unsetenv ("XDG_CONFIG_HOME");
}

static void
write_list (Fixture *self, const char *below, const char *text, gssize length)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (self->base, below, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_file_set_contents (path, text, length, &error);
  g_assert_no_error (error);
}

static const OcGuardedPlace *
find (GPtrArray *places, const char *home, const char *below)
{
  g_autofree char *path = g_build_filename (home, below, NULL);

  for (guint i = 0; i < places->len; i++)
    if (strcmp (((OcGuardedPlace *)places->pdata[i])->path, path) == 0)
      return places->pdata[i];
  return NULL;
}

static GPtrArray *
list (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *places = oc_guarded_list (self->paths, (const char *const *)self->homes, &error);

  g_assert_no_error (error);
  return places;
}

static void
assert_described (Fixture *self, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) lists = oc_guarded_lists_read (self->paths,
                                                       (const char *const *)self->homes, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = oc_guarded_lists_describe (lists);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, word));
}

static void
test_built_in (Fixture *self, gconstpointer data)
{
  g_autoptr (GPtrArray) places = list (self);

  /* Of its more than 400 lines; what lies in one folder that is not there counts once. */
  g_assert_cmpuint (places->len, >, 200);
  g_assert_nonnull (find (places, self->homes[0], ".ssh"));
  assert_described (self, "all from the list that is built in");
}

/* Lists add, each to the others, and take nothing away. */
static void
test_added (Fixture *self, gconstpointer data)
{
  g_autoptr (GPtrArray) before = NULL;
  g_autoptr (GPtrArray) places = NULL;

  /* The folder is there in both cases. */
  write_list (self, USER_LIST, "# empty\n", -1);
  before = list (self);
  write_list (self, USER_LIST, "# mine\n\n~/Tax papers\tTax papers\n~/.ssh\tagain\n~/\xff\xfe\todd\n",
              -1);
  write_list (self, SYSTEM_LIST, "~/company\tCompany keys\n/srv/none/such\tCompany keys\n", -1);
  write_list (self, "etc/guarded-places.d/notes.txt", "no list\n", -1);
  write_list (self, "etc/guarded-places.d/.hidden.list", "no list\n", -1);
  places = list (self);
  g_assert_cmpuint (places->len, ==, before->len + 4);
  for (guint i = 0; i < before->len; i++)
    g_assert_nonnull (find (places, ((OcGuardedPlace *)before->pdata[i])->path, NULL));
  g_assert_cmpstr (find (places, self->homes[0], "Tax papers")->reason, ==, "Tax papers");
  g_assert_nonnull (find (places, self->homes[0], "\xff\xfe"));
  g_assert_nonnull (find (places, self->homes[0], "company"));
  g_assert_nonnull (find (places, "/srv/none", NULL));
  assert_described (self, USER_LIST " (3).");
  assert_described (self, SYSTEM_LIST " (2)");
  /* A variable that is not set guards nothing, and that is said; XDG's have a usual value. */
  write_list (self, USER_LIST, "$OC_TEST_NOT_SET/x\tone\n$XDG_STATE_HOME/x\tone\n$HOME/x\tone\n", -1);
  assert_described (self, "1 line there begins with a variable that is not set");
}

/* The user's list where XDG_CONFIG_HOME says, and at its usual place as well: neither hides the
 * other. A relative value is none. */
static void
test_config_home (Fixture *self, gconstpointer data)
{
  g_autofree char *odd = g_build_filename (self->base, "odd place", NULL);
  g_autoptr (GPtrArray) both = NULL;
  g_autoptr (GPtrArray) usual = NULL;

  write_list (self, USER_LIST, "~/one\tone\n", -1);
  write_list (self, "odd place/ocelot/guarded-places", "~/two\ttwo\n", -1);
  g_setenv ("XDG_CONFIG_HOME", odd, TRUE);
  both = list (self);
  g_assert_nonnull (find (both, self->homes[0], "one"));
  g_assert_nonnull (find (both, self->homes[0], "two"));
  g_setenv ("XDG_CONFIG_HOME", "odd place", TRUE);
  usual = list (self);
  g_assert_nonnull (find (usual, self->homes[0], "one"));
  g_assert_null (find (usual, self->homes[0], "two"));
}

static void
assert_refused (Fixture *self, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (oc_guarded_list (self->paths, (const char *const *)self->homes, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "guarded-places: "));
  g_assert_nonnull (strstr (error->message, word));
  g_assert_nonnull (strstr (error->message, "Mend"));
}

/* Any line that does not fit means that nothing is listed, and so that nothing runs. */
static void
test_bad_lines (Fixture *self, gconstpointer data)
{
  static const char *const bad[] = {
    "~/.ssh",        "~/.ssh\t",           "~/.ssh\t  ",       "relative\treason",
    "~\treason",     "~/\treason",         "/\treason",        "~other/x\treason",
    "$\treason",     "$lower/x\treason",   "$A-B/x\treason",   "~/*.key\treason",
    "~/k?y\treason", "~/[ab]\treason",     "~/a/../b\treason", "~/a/..\treason",
    "~/./b\treason", "~/a/\treason",       "~/a//b\treason",   "~/a\treason\r",
    "~/a\tone\ttwo", "~/a\t\xff\xfe",      "~/a\001b\treason", " ~/a\treason",
    "/usr\treason",  "/lib64\treason",     "/dev\treason",      "/proc/version\treason",     "~/a reason",      "\t~/a\treason",      "~/a\treason\x7f",  "\xef\xbb\xbf~/a\treason",
  };
  g_autoptr (GPtrArray) control = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_strdup_printf ("# line one\n~/good\tgood\n%s\n", bad[i]);

      write_list (self, USER_LIST, text, -1);
      assert_refused (self, USER_LIST ", line 3: ");
      write_list (self, USER_LIST, "", -1);
      write_list (self, SYSTEM_LIST, text, -1);
      assert_refused (self, SYSTEM_LIST ", line 3: ");
      write_list (self, SYSTEM_LIST, "", -1);
    }
  control = list (self);
  g_assert_cmpuint (control->len, >, 200);
}

/* What cannot be read is no empty list. */
static void
test_unreadable (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->base, USER_LIST, NULL);
  g_autofree char *system = g_build_filename (self->base, "etc", "guarded-places.d", NULL);
  g_autofree char *large = g_strnfill (OC_GUARDED_MAX_BYTES + 1, '#');
  g_autoptr (GPtrArray) control = NULL;

  write_list (self, USER_LIST, "~/a\0b\treason\n", 13);
  assert_refused (self, USER_LIST);
  write_list (self, USER_LIST, large, -1);
  assert_refused (self, USER_LIST);
  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (symlink ("nowhere", path));
  assert_refused (self, USER_LIST);
  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (symlink ("guarded-places", path)); /* a circle */
  assert_refused (self, USER_LIST);
  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (mkfifo (path, 0600)); /* must not wait */
  assert_refused (self, USER_LIST);
  g_assert_no_errno (g_unlink (path));
  g_assert_no_errno (g_mkdir (path, 0700));
  assert_refused (self, USER_LIST);
  g_assert_no_errno (g_rmdir (path));
  if (geteuid () != 0)
    {
      write_list (self, USER_LIST, "~/a\ta\n", -1);
      g_assert_no_errno (g_chmod (path, 0));
      assert_refused (self, USER_LIST);
      g_assert_no_errno (g_unlink (path));
    }
  g_assert_no_errno (g_mkdir_with_parents (self->base, 0700));
  write_list (self, "etc/guarded-places.d", "a file where the folder must be", -1);
  assert_refused (self, "etc/guarded-places.d");
  g_assert_no_errno (g_unlink (system));
  /* Controls: a link to a list is one, as people keep such files; no list is no fault. */
  write_list (self, "home/dotfiles", "~/mine\tmine\n", -1);
  g_assert_no_errno (symlink ("../../dotfiles", path));
  control = list (self);
  g_assert_nonnull (find (control, self->homes[0], "mine"));
  g_assert_no_errno (g_unlink (path));
  g_ptr_array_unref (list (self));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
  g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/guarded/built-in", test_built_in);
  ADD ("/guarded/lists-add", test_added);
  ADD ("/guarded/config-home", test_config_home);
  ADD ("/guarded/bad-lines", test_bad_lines);
  ADD ("/guarded/unreadable", test_unreadable);
  return g_test_run ();
}
