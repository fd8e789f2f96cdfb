/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs in a bad place: full disks, temporary folders that are none, a host that goes away. Each is bounded, leaves nothing
 * behind, says the right thing and is recorded. */
#include "launcher-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-activity.h"

/* The target is 100 ms (launcher.md section 7), and the benchmark measures it. This is for a machine that does other things at
 * the same time: it tells --timeout from the 20 s of the manifest, and that from never. */
#define LATE_MS 15000

static const char *const some[] = { "process.spawn:true", "process.spawn:sleep", NULL };

/* ---- small disks, in a mount namespace of this test's own ---- */

static void
mount_small (const char *path,
             const char *options)
{
  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  if (mount ("small", path, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
    g_error ("%s: %s", path, g_strerror (errno));
}

/* A fixture whose whole home is a small disk. */
static Fixture *
fixture_on_small_disk (const char *size,
                       char **disk)
{
  g_autofree char *options = g_strconcat ("mode=0700,size=", size, NULL);
  Fixture *fixture;

  *disk = g_dir_make_tmp ("ocelot-disk-XXXXXX", NULL);
  mount_small (*disk, options);
  fixture = fixture_new_in (*disk, some);
  return fixture;
}

static void
unmount (const char *path)
{
  g_assert_cmpint (umount2 (path, MNT_DETACH), ==, 0);
}

static void
fill_up (const char *path)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  static const char block[65536];
  gsize size = sizeof block;

  while (size > 0)
    if (write (fd, block, size) < 0)
      size /= 2;
  close (fd);
}

static guint
count_names (const char *path,
             const char *ending)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_suffix (name, ending);
  return n;
}

static OcOutcome
get_last_outcome (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcActivity) activity = oc_activity_open (fixture->paths, &error);
  g_autoptr (GPtrArray) runs = NULL;

  g_assert_no_error (error);
  runs = oc_activity_list_runs (activity, FIXTURE_ID, 1, &error);
  g_assert_no_error (error);
  return runs->len > 0 ? ((OcRun *) runs->pdata[0])->outcome : OC_OUTCOME_RUNNING;
}

/* ---- full disks ---- */

/* The plugin fills the disk that its record is on: its crash counts all the same, and nothing is lost. */
static void
test_full_of_data (void)
{
  g_autofree char *disk = NULL;
  g_autofree char *filled = NULL;
  g_autoptr (Fixture) fixture = NULL;
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) next = NULL;
  g_autoptr (Ran) after = NULL;

  if (!fixture_can_mount ())
    return;
  fixture = fixture_on_small_disk ("24m", &disk);
  if (!fixture_can_run (fixture))
    return;
  ran = fixture_run (fixture, "fill-data", NULL);
  ran_assert (ran, 1, "crash");
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 1);
  g_assert_cmpint (get_last_outcome (fixture), ==, OC_OUTCOME_CRASH);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
  /* What could not be recorded is not begun. */
  filled = g_build_filename (fixture->data_folder, "filled-up", NULL);
  fill_up (filled);
  next = fixture_run (fixture, "echo", NULL);
  ran_assert (next, 126, "not-run");
  g_unlink (filled);
  g_assert_cmpint (get_last_outcome (fixture), ==, OC_OUTCOME_CRASH);
  g_free (filled);
  filled = g_build_filename (fixture->data_folder, "filled", NULL);
  g_unlink (filled);
  after = fixture_run (fixture, "crash", NULL);
  ran_assert (after, 1, "crash");
  g_assert_cmpint (ran_get_int (after, "errorsInARow"), ==, 2);
  unmount (disk);
}

static void
test_full_of_temp (void)
{
  g_autoptr (Fixture) fixture = NULL;
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) none = NULL;

  if (!fixture_can_mount ())
    return;
  fixture = fixture_new (some);
  if (!fixture_can_run (fixture))
    return;
  mount_small (fixture->tmp, "mode=0700,size=2m");
  ran = fixture_run (fixture, "fill-temp", NULL);
  ran_assert (ran, 1, "crash");
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 1);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
  unmount (fixture->tmp);
  /* No room for one more folder. */
  mount_small (fixture->tmp, "mode=0700,nr_inodes=1");
  none = fixture_run (fixture, "echo", NULL);
  ran_assert (none, 126, "not-run");
  g_assert_nonnull (strstr (ran_get (none, "message"), "TMPDIR"));
  g_assert_cmpint (get_last_outcome (fixture), ==, OC_OUTCOME_REFUSED);
  unmount (fixture->tmp);
}

/* The data folder alone: what is recorded lies elsewhere. */
static void
test_full_data_folder (void)
{
  g_autoptr (Fixture) fixture = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_mount ())
    return;
  fixture = fixture_new (some);
  if (!fixture_can_run (fixture))
    return;
  mount_small (fixture->data_folder, "mode=0700,size=1m");
  ran = fixture_run (fixture, "fill-data", NULL);
  ran_assert (ran, 1, "crash");
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, 1);
  unmount (fixture->data_folder);
}

/* What was stored before stays, and half a file is not left. */
static void
test_full_storage (void)
{
  g_autofree char *disk = NULL;
  g_autofree char *storage = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autoptr (Fixture) fixture = NULL;
  g_autoptr (Ran) stored = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_mount ())
    return;
  fixture = fixture_on_small_disk ("24m", &disk);
  if (!fixture_can_run (fixture))
    return;
  storage = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  folder = g_path_get_dirname (storage);
  stored = fixture_run (fixture, "fill-storage", NULL);
  ran_assert (stored, 0, "done");
  g_assert_true (g_file_get_contents (storage, &before, NULL, NULL));
  ran = fixture_run (fixture, "fill-and-store", NULL);
  ran_assert (ran, 0, "done");
  g_assert_cmpstr (json_object_get_string_member (ran_get_result (ran), "reason"), ==, "storage");
  g_assert_true (g_file_get_contents (storage, &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpuint (count_names (folder, ".new"), ==, 0);
  g_assert_cmpuint (count_names (folder, ".json"), ==, 1);
  unmount (disk);
}

/* ---- temporary folders ---- */

typedef struct
{
  const char *name;
  const char *tmpdir; /* below the fixture's; after "=": as it is */
  void (*prepare) (const char *path);
  int exit;
} Place;

static void
be_nothing (const char *path)
{
}

static void
be_folder (const char *path)
{
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
}

static void
be_file (const char *path)
{
  g_assert_true (g_file_set_contents (path, "", -1, NULL));
}

static void
be_link (const char *path)
{
  g_autofree char *target = g_strconcat (path, "-target", NULL);

  be_folder (target);
  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
be_dangling (const char *path)
{
  g_assert_cmpint (symlink ("/nonexistent/x", path), ==, 0);
}

static void
be_closed (const char *path)
{
  g_assert_cmpint (g_mkdir (path, 0500), ==, 0);
}

static const Place places[] = {
  { "folder", "x", be_folder, 0 },
  { "link", "x", be_link, 0 },
  { "missing", "x", be_nothing, 126 },
  { "file", "x", be_file, 126 },
  { "dangling", "x", be_dangling, 126 },
  { "relative", "=no/such/folder", be_nothing, 126 },
  { "empty", "=", be_nothing, 0 },
  /* Not as uid 0, for whom nothing is closed. */
  { "closed", "x", be_closed, 126 },
};

static void
test_place (gconstpointer data)
{
  const Place *place = data;
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *path = g_build_filename (fixture->tmp, "x", NULL);
  g_autoptr (Ran) ran = NULL;
  int code = place->prepare == be_closed && geteuid () == 0 ? 0 : place->exit;

  if (!fixture_can_run (fixture))
    return;
  place->prepare (path);
  fixture->env = g_environ_setenv (fixture->env, "TMPDIR", *place->tmpdir == '=' ? place->tmpdir + 1 : path, TRUE);
  ran = fixture_run (fixture, "write-places", NULL);
  ran_assert (ran, code, code == 0 ? "done" : "not-run");
  if (code != 0)
    g_assert_nonnull (strstr (ran_get (ran, "message"), "temporary"));
  g_assert_cmpint (get_last_outcome (fixture), ==, code == 0 ? OC_OUTCOME_DONE : OC_OUTCOME_REFUSED);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    g_assert_cmpuint (count_names (path, ""), ==, 0);
  g_chmod (path, 0700);
}

/* What a launcher that was killed left, whatever a plugin made of it: gone in the next starts, a bounded part in each, and
 * nothing beside it is touched. */
static void
test_odd_left_overs (void)
{
  g_autoptr (Fixture) fixture = NULL;
  g_autofree char *many = NULL;
  g_autofree char *mounted = NULL;
  g_autofree char *outside = NULL;
  g_autofree char *kept = NULL;
  gint64 began;

  if (!fixture_can_mount ())
    return;
  fixture = fixture_new (some);
  if (!fixture_can_run (fixture))
    return;
  many = g_build_filename (fixture->tmp, "ocelot-123-Many00", NULL);
  mounted = g_build_filename (fixture->tmp, "ocelot-123-Mount0", "closed", NULL);
  outside = g_build_filename (fixture->root, "outside", NULL);
  kept = g_build_filename (outside, "kept", NULL);
  g_assert_cmpint (g_mkdir (outside, 0700), ==, 0);
  be_file (kept);
  g_assert_cmpint (g_mkdir (many, 0700), ==, 0);
  for (guint i = 0; i < 30000; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%u", many, i);

      g_assert_cmpint (symlink (outside, name), ==, 0);
    }
  g_assert_cmpint (g_mkdir_with_parents (mounted, 0700), ==, 0);
  g_assert_cmpint (mount (outside, mounted, NULL, MS_BIND, NULL), ==, 0);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (Ran) ran = NULL;

      began = g_get_monotonic_time ();
      ran = fixture_run (fixture, "echo", NULL);
      ran_assert (ran, 0, "done");
      g_assert_cmpint (g_get_monotonic_time () - began, <, 10 * G_USEC_PER_SEC);
    }
  g_assert_false (g_file_test (many, G_FILE_TEST_EXISTS));
  /* What is mounted there is somebody else's: it stays, with what is in it. */
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (mounted, G_FILE_TEST_IS_DIR));
  unmount (mounted);
}

/* Taken away while it runs, by whoever. */
static void
test_temp_taken_away (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autofree char *away = g_strconcat (fixture->tmp, "-away", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) ran = NULL;
  g_autoptr (Ran) next = NULL;

  if (!fixture_can_run (fixture))
    return;
  process = fixture_start (fixture, "wait-then-call", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_cmpint (g_rename (fixture->tmp, away), ==, 0);
  g_assert_true (g_file_set_contents (go, "", -1, NULL));
  ran = fixture_wait (process);
  ran_assert (ran, 0, "done");
  next = fixture_run (fixture, "echo", NULL);
  ran_assert (next, 126, "not-run");
  g_assert_cmpint (g_rename (away, fixture->tmp), ==, 0);
}

static void
test_no_runtime_folder (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *file = g_build_filename (fixture->root, "no-folder", NULL);
  const char *values[] = { NULL, "", "relative", "/nonexistent/run", file };

  if (!fixture_can_run (fixture))
    return;
  be_file (file);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (Ran) ran = NULL;

      fixture->env = values[i] ? g_environ_setenv (fixture->env, "XDG_RUNTIME_DIR", values[i], TRUE)
                               : g_environ_unsetenv (fixture->env, "XDG_RUNTIME_DIR");
      ran = fixture_run (fixture, "write-places", NULL);
      ran_assert (ran, 0, "done");
      g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
    }
}

/* ---- a host that goes away ---- */

static int broken_pipe[2];

static void
have_broken_output (gpointer data)
{
  dup2 (broken_pipe[1], 1);
  dup2 (broken_pipe[1], 2);
}

static void
have_no_output (gpointer data)
{
  close (0);
  close (1);
  close (2);
}

static void
have_full_output (gpointer data)
{
  int fd = open ("/dev/full", O_WRONLY);

  dup2 (fd, 1);
}

/* Nobody hears of it, but it is done, recorded and gone. */
static void
test_nobody_listens (void)
{
  static const GSpawnChildSetupFunc setups[] = { have_broken_output, have_no_output, have_full_output };
  g_autoptr (Fixture) fixture = fixture_new (some);

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (setups); i++)
    {
      g_autoptr (Ran) done = NULL;
      g_autoptr (Ran) crash = NULL;

      g_assert_cmpint (pipe2 (broken_pipe, O_CLOEXEC), ==, 0);
      close (broken_pipe[0]);
      fixture->child_setup = setups[i];
      done = fixture_run (fixture, "flood-output", NULL);
      g_assert_cmpint (done->exit, ==, 0);
      g_assert_cmpint (get_last_outcome (fixture), ==, OC_OUTCOME_DONE);
      crash = fixture_run (fixture, "crash", NULL);
      g_assert_cmpint (crash->exit, ==, 1);
      g_assert_cmpint (get_last_outcome (fixture), ==, OC_OUTCOME_CRASH);
      g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
      g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
      close (broken_pipe[1]);
      fixture->child_setup = NULL;
      done = (ran_free (done), fixture_run (fixture, "echo", NULL));
      ran_assert (done, 0, "done");
    }
}

/* A logout: TERM, then KILL a moment later, to all at once. */
static void
test_logout (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GSubprocess) process = fixture_start (fixture, "hang", NULL);
      g_autoptr (Ran) ran = NULL;

      fixture_until (fixture_exists (fixture, "hanging"));
      g_unlink (marker);
      g_subprocess_send_signal (process, SIGHUP);
      g_subprocess_send_signal (process, SIGTERM);
      /* At another moment each time. */
      g_usleep (i * 1000);
      g_subprocess_send_signal (process, SIGKILL);
      ran = fixture_wait (process);
      fixture_until (fixture_count_processes (fixture) == 0);
      g_assert_cmpint (get_last_outcome (fixture), ==, OC_OUTCOME_STOPPED);
    }
}

/* ---- time-outs ---- */

static void
test_late (gconstpointer data)
{
  const char *entry = data;
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autoptr (Ran) filled = NULL;
  g_autoptr (Ran) ran = NULL;
  gint64 began;
  gint64 late;

  if (!fixture_can_run (fixture))
    return;
  if (g_str_equal (entry, "flood-storage"))
    filled = fixture_run (fixture, "fill-storage", NULL);
  began = g_get_monotonic_time ();
  ran = fixture_run (fixture, entry, "--timeout", "500", NULL);
  late = (g_get_monotonic_time () - began) / 1000 - 500;
  ran_assert (ran, 8, "time-out");
  g_test_message ("%s: %" G_GINT64_FORMAT " ms late, start and end of the launcher included", entry, late);
  g_assert_cmpint (late, >=, 0);
  g_assert_cmpint (late, <, LATE_MS);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

int
main (int argc,
      char **argv)
{
  static const char *const late[] = { "hang", "stop-itself", "flood-and-hang", "never-read", "hang-with-tool", "flood-storage" };

  fixture_enter_mount_namespace ();
  fixture_init (&argc, &argv);
  g_test_add_func ("/endings/full-of-data", test_full_of_data);
  g_test_add_func ("/endings/full-of-temp", test_full_of_temp);
  g_test_add_func ("/endings/full-data-folder", test_full_data_folder);
  g_test_add_func ("/endings/full-storage", test_full_storage);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_strconcat ("/endings/temp/", places[i].name, NULL);

      g_test_add_data_func (path, &places[i], test_place);
    }
  g_test_add_func ("/endings/odd-left-overs", test_odd_left_overs);
  g_test_add_func ("/endings/temp-taken-away", test_temp_taken_away);
  g_test_add_func ("/endings/no-runtime-folder", test_no_runtime_folder);
  g_test_add_func ("/endings/nobody-listens", test_nobody_listens);
  g_test_add_func ("/endings/logout", test_logout);
  for (guint i = 0; i < G_N_ELEMENTS (late); i++)
    {
      g_autofree char *path = g_strconcat ("/endings/late/", late[i], NULL);

      g_test_add_data_func (path, late[i], test_late);
    }
  return g_test_run ();
}
