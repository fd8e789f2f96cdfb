/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-activity.h"
#include "core/oc-error.h"
#include "home.h"

#define A "org.example.a"
#define B "org.example.b"

static OcActivity *
open_activity (Home *home)
{
  g_autoptr (GError) error = NULL;
  OcActivity *activity = oc_activity_open (home->paths, &error);

  g_assert_no_error (error);
  return activity;
}

static gint64
begin (OcActivity *activity,
       const char *plugin)
{
  g_autoptr (GError) error = NULL;
  gint64 run = oc_activity_begin_run (activity, plugin, "go", "terminal", 0, &error);

  g_assert_no_error (error);
  g_assert_cmpint (run, >, 0);
  return run;
}

static guint
end (OcActivity *activity,
     gint64 run,
     OcOutcome outcome)
{
  g_autoptr (GError) error = NULL;
  guint errors = 99;

  oc_activity_end_run (activity, run, outcome, "because", "last\nlines", &errors, &error);
  g_assert_no_error (error);
  return errors;
}

static void
test_outcomes (void)
{
  for (int outcome = OC_OUTCOME_RUNNING; outcome <= OC_OUTCOME_REFUSED; outcome++)
    {
      g_assert_cmpint (oc_outcome_from_id (oc_outcome_to_id (outcome)), ==, outcome);
      g_assert_cmpstr (oc_outcome_to_label (outcome), !=, "");
      g_assert_cmpint (oc_outcome_is_error (outcome), ==, outcome >= OC_OUTCOME_CRASH && outcome <= OC_OUTCOME_EXCEPTION);
    }
  g_assert_cmpint (oc_outcome_from_id ("of a later version"), ==, OC_OUTCOME_RUNNING);
  g_assert_cmpint (oc_outcome_from_id (NULL), ==, OC_OUTCOME_RUNNING);
}

static void
test_runs (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GPtrArray) of_b = NULL;
  struct stat status;
  gint64 first = begin (activity, A);
  gint64 second = begin (activity, B);
  OcRun *run;

  g_assert_cmpint (stat (oc_paths_get_activity (home->paths), &status), ==, 0);
  g_assert_cmpint (status.st_mode & 07777, ==, 0600);
  end (activity, first, OC_OUTCOME_DONE);
  runs = oc_activity_list_runs (activity, NULL, 0, NULL);
  g_assert_cmpuint (runs->len, ==, 2);
  run = runs->pdata[0];
  g_assert_cmpint (run->id, ==, second);
  g_assert_cmpint (run->outcome, ==, OC_OUTCOME_RUNNING);
  g_assert_cmpint (run->ended, ==, 0);
  g_assert_null (run->message);
  run = runs->pdata[1];
  g_assert_cmpint (run->id, ==, first);
  g_assert_cmpint (run->outcome, ==, OC_OUTCOME_DONE);
  g_assert_cmpint (run->ended, >=, run->started);
  g_assert_cmpstr (run->message, ==, "because");
  g_assert_cmpstr (run->output, ==, "last\nlines");
  g_assert_true (oc_activity_add_to_message (activity, first, "More.", NULL));
  g_assert_true (oc_activity_add_to_message (activity, second, "All.", NULL));
  of_b = oc_activity_list_runs (activity, B, 1, NULL);
  g_assert_cmpuint (of_b->len, ==, 1);
  g_assert_cmpstr (((OcRun *) of_b->pdata[0])->message, ==, "All.");
  g_clear_pointer (&runs, g_ptr_array_unref);
  runs = oc_activity_list_runs (activity, A, 0, NULL);
  g_assert_cmpstr (((OcRun *) runs->pdata[0])->message, ==, "because More.");
}

static void
test_uses (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);
  g_autoptr (GPtrArray) uses = NULL;
  g_autoptr (GPtrArray) usage = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *long_detail = g_strnfill (2000, 'd');
  gint64 run = begin (activity, A);
  guint n_runs = 0;
  OcUse *use;

  g_assert_true (oc_activity_record_use (activity, run, "file.readText", "file.readText", "/a \xff", NULL, TRUE, 1, &error));
  g_assert_true (oc_activity_record_use (activity, run, "file.readText", "file.readText", "/a \xff", NULL, TRUE, 4, &error));
  g_assert_true (oc_activity_record_use (activity, run, "file.readText", "file.readText", "/b", NULL, FALSE, 7, &error));
  g_assert_true (oc_activity_record_use (activity, run, "", "socket", long_detail, "curl", FALSE, 1000000, &error));
  g_assert_no_error (error);
  uses = oc_activity_list_uses (activity, NULL, run, 0, &error);
  g_assert_cmpuint (uses->len, ==, 3);
  for (guint i = 0; i < uses->len; i++)
    {
      use = uses->pdata[i];
      g_assert_cmpstr (use->plugin, ==, A);
      g_assert_cmpuint (strlen (use->detail), <=, 512);
      if (use->allowed)
        {
          g_assert_cmpuint (use->count, ==, 5);
          g_assert_cmpstr (use->detail, ==, "/a \xff");
          g_assert_null (use->program);
        }
      else if (strcmp (use->method, "socket") == 0)
        g_assert_cmpstr (use->program, ==, "curl");
    }
  usage = oc_activity_get_usage (activity, A, &n_runs, &error);
  g_assert_cmpuint (n_runs, ==, 1);
  g_assert_cmpuint (usage->len, ==, 1);
  g_assert_cmpuint (((OcUsage *) usage->pdata[0])->n_allowed, ==, 5);
  g_assert_cmpuint (((OcUsage *) usage->pdata[0])->n_refused, ==, 7);
  g_assert_cmpint (((OcUsage *) usage->pdata[0])->last, >, 0);
  /* A use belongs to a run that is there. */
  g_assert_false (oc_activity_record_use (activity, 12345, "ai", "ai", "", NULL, TRUE, 1, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
}

static void
test_counting (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);
  g_autoptr (GPtrArray) failures = NULL;
  g_autoptr (GHashTable) health = NULL;
  g_autoptr (GError) error = NULL;
  gint64 run;

  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_CRASH), ==, 1);
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_TIMED_OUT), ==, 2);
  /* These leave the count as it is. */
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_REPORTED), ==, 2);
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_STOPPED), ==, 2);
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_REVOKED), ==, 2);
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_REFUSED), ==, 2);
  g_assert_cmpuint (end (activity, begin (activity, B), OC_OUTCOME_EXCEPTION), ==, 1);
  run = begin (activity, A);
  g_assert_cmpuint (end (activity, run, OC_OUTCOME_PROTOCOL), ==, 3);
  /* Ended once; a second end neither counts nor changes it. */
  g_assert_cmpuint (end (activity, run, OC_OUTCOME_CRASH), ==, 3);
  g_assert_cmpuint (end (activity, run, OC_OUTCOME_DONE), ==, 3);
  failures = oc_activity_get_failures (activity, A, NULL);
  g_assert_cmpuint (failures->len, ==, 3);
  g_assert_cmpstr (((OcFailure *) failures->pdata[0])->kind, ==, "crash");
  g_assert_cmpstr (((OcFailure *) failures->pdata[1])->kind, ==, "time-out");
  g_assert_cmpstr (((OcFailure *) failures->pdata[2])->kind, ==, "protocol");
  g_assert_cmpstr (((OcFailure *) failures->pdata[2])->message, ==, "because");
  health = oc_activity_get_health (activity, NULL);
  g_assert_cmpuint (((OcHealth *) g_hash_table_lookup (health, A))->errors_in_a_row, ==, 3);
  g_assert_cmpint (((OcHealth *) g_hash_table_lookup (health, A))->last_run, >, 0);
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_DONE), ==, 0);
  g_clear_pointer (&failures, g_ptr_array_unref);
  failures = oc_activity_get_failures (activity, A, NULL);
  g_assert_cmpuint (failures->len, ==, 0);
  g_assert_false (oc_activity_end_run (activity, 4711, OC_OUTCOME_DONE, NULL, NULL, NULL, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_NOT_FOUND);
}

static void
test_reset_and_clear (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GPtrArray) uses = NULL;
  gint64 run = begin (activity, A);
  gint64 running = begin (activity, A);

  g_assert_true (oc_activity_record_use (activity, run, "ai", "ai.invoke", "", NULL, TRUE, 1, NULL));
  g_assert_cmpuint (end (activity, run, OC_OUTCOME_CRASH), ==, 1);
  end (activity, begin (activity, B), OC_OUTCOME_CRASH);
  /* History goes, the count stays, and so does what still runs. */
  g_assert_true (oc_activity_clear (activity, A, NULL));
  runs = oc_activity_list_runs (activity, NULL, 0, NULL);
  g_assert_cmpuint (runs->len, ==, 2);
  uses = oc_activity_list_uses (activity, A, 0, 0, NULL);
  g_assert_cmpuint (uses->len, ==, 0);
  g_assert_cmpuint (end (activity, running, OC_OUTCOME_CRASH), ==, 2);
  g_assert_true (oc_activity_reset_health (activity, A, NULL));
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_CRASH), ==, 1);
  g_assert_cmpuint (end (activity, begin (activity, B), OC_OUTCOME_CRASH), ==, 2);
}

static OcRun *
list_one (OcActivity *activity,
          GPtrArray **runs)
{
  g_clear_pointer (runs, g_ptr_array_unref);
  *runs = oc_activity_list_runs (activity, NULL, 1, NULL);
  g_assert_nonnull (*runs);
  g_assert_cmpuint ((*runs)->len, ==, 1);
  return (*runs)->pdata[0];
}

/* A run whose launcher is gone does not go on for ever: whoever reads sees it, and the next start writes it. */
static void
test_launcher_gone (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) launcher = open_activity (home);
  g_autoptr (OcActivity) reader = open_activity (home);
  g_autoptr (GPtrArray) runs = NULL;
  gint64 run = begin (launcher, A);
  gint64 last;
  OcRun *shown;

  g_assert_true (oc_activity_record_use (launcher, run, "ai", "ai.invoke", "", NULL, TRUE, 1, NULL));
  last = g_get_real_time ();
  /* Controls: as long as it is there, by the one who holds it and by another. */
  g_assert_cmpint (list_one (reader, &runs)->outcome, ==, OC_OUTCOME_RUNNING);
  g_assert_cmpint (list_one (launcher, &runs)->outcome, ==, OC_OUTCOME_RUNNING);
  g_assert_true (oc_activity_clear (reader, NULL, NULL));
  g_clear_pointer (&launcher, oc_activity_unref);
  for (int i = 0; i < 2; i++)
    {
      shown = list_one (reader, &runs);
      g_assert_cmpint (shown->id, ==, run);
      g_assert_cmpint (shown->outcome, ==, OC_OUTCOME_STOPPED);
      g_assert_cmpint (shown->ended, >=, shown->started);
      g_assert_cmpint (shown->ended, <=, last);
      g_assert_nonnull (shown->message);
      if (i == 0)
        {
          gint64 next = begin (reader, B);

          g_assert_cmpuint (end (reader, next, OC_OUTCOME_DONE), ==, 0);
          /* What it came to is not said again by its launcher, should that one come back to life. */
          g_assert_cmpuint (end (reader, run, OC_OUTCOME_CRASH), ==, 0);
          g_clear_pointer (&runs, g_ptr_array_unref);
          runs = oc_activity_list_runs (reader, A, 0, NULL);
          g_assert_cmpuint (runs->len, ==, 1);
          g_assert_true (oc_activity_clear (reader, B, NULL));
        }
    }
  g_assert_true (oc_activity_clear (reader, NULL, NULL));
  g_clear_pointer (&runs, g_ptr_array_unref);
  runs = oc_activity_list_runs (reader, NULL, 0, NULL);
  g_assert_cmpuint (runs->len, ==, 0);
}

static void
test_at_once (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);
  g_autoptr (OcActivity) first = open_activity (home);
  g_autoptr (OcActivity) second = open_activity (home);
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  gint64 run = begin (first, A);

  begin (second, A);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 2, &error), ==, 0);
  g_assert_error (error, OC_ERROR, OC_ERROR_BUSY);
  g_clear_error (&error);
  runs = oc_activity_list_runs (activity, A, 0, NULL);
  g_assert_cmpuint (runs->len, ==, 2);
  /* Another plugin, a higher limit, one that ended, one that was killed: each makes room. */
  g_assert_cmpint (oc_activity_begin_run (activity, B, "go", "host", 1, NULL), >, 0);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 3, NULL), >, 0);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 3, NULL), ==, 0);
  end (first, run, OC_OUTCOME_DONE);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 3, NULL), >, 0);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 3, NULL), ==, 0);
  g_clear_pointer (&second, oc_activity_unref);
  g_assert_cmpint (oc_activity_begin_run (activity, A, "go", "host", 3, NULL), >, 0);
}

/* A file that was set aside while runs went on: their numbers are not given again as long as they do. */
static void
test_held_numbers (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) old = open_activity (home);
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GPtrArray) runs = NULL;

  g_assert_cmpint (begin (old, A), ==, 1);
  g_assert_cmpint (g_remove (oc_paths_get_activity (home->paths)), ==, 0);
  activity = open_activity (home);
  g_assert_cmpint (begin (activity, A), ==, 2);
  runs = oc_activity_list_runs (activity, NULL, 0, NULL);
  g_assert_cmpuint (runs->len, ==, 1);
}

/* The user's enabling starts the count anew. */
static void
test_enabling_resets (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);

  home_add_plugin (home, A, "1", "");
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_CRASH), ==, 1);
  home_enable (home, A);
  g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_CRASH), ==, 1);
}

typedef struct
{
  Home *home;
  OcOutcome outcome;
} Writer;

static gpointer
write_runs (gpointer data)
{
  Writer *writer = data;
  g_autoptr (OcActivity) activity = open_activity (writer->home);

  for (int i = 0; i < 50; i++)
    end (activity, begin (activity, A), writer->outcome);
  return NULL;
}

static void
test_concurrent (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) reader = open_activity (home);
  Writer writer = { home, OC_OUTCOME_CRASH };
  GThread *threads[6];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("writer", write_runs, &writer);
  /* Reading works while they write. */
  for (int i = 0; i < 50; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) runs = oc_activity_list_runs (reader, A, 10, &error);

      g_assert_no_error (error);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (end (reader, begin (reader, A), OC_OUTCOME_CRASH), ==, 6 * 50 + 1);
}

/* What another process sees of this one's locks. */
static gboolean
is_locked (const char *path)
{
  pid_t child = fork ();
  int status = 0;

  if (child == 0)
    {
      struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
      int fd = open (path, O_RDWR | O_CLOEXEC);

      _exit (fd < 0 || fcntl (fd, F_GETLK, &lock) < 0 ? 2 : lock.l_type == F_UNLCK ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), <, 2);
  return WEXITSTATUS (status) == 1;
}

/* Opening it once more in the same process must not drop the locks of the first. */
static void
test_keeps_locks (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) first = open_activity (home);
  g_autoptr (OcActivity) second = NULL;

  begin (first, A);
  g_assert_true (is_locked (oc_paths_get_activity (home->paths)));
  second = open_activity (home);
  begin (second, A);
  g_clear_pointer (&second, oc_activity_unref);
  g_assert_true (is_locked (oc_paths_get_activity (home->paths)));
  g_clear_pointer (&first, oc_activity_unref);
  g_assert_false (is_locked (oc_paths_get_activity (home->paths)));
}

static void
test_no_database (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *junk = g_strnfill (5000, 'j');
  g_autofree char *log = g_strconcat (oc_paths_get_activity (home->paths), "-wal", NULL);
  g_autoptr (GDir) dir = NULL;
  const char *name;
  guint aside = 0;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (OcActivity) activity = NULL;

      g_assert_true (g_file_set_contents (oc_paths_get_activity (home->paths), junk, -1, NULL));
      /* What is in the log still holds, whatever the file has become. */
      (void) g_unlink (log);
      activity = open_activity (home);
      end (activity, begin (activity, A), OC_OUTCOME_DONE);
    }
  dir = g_dir_open (oc_paths_get_base (home->paths), 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".damaged"))
      {
        g_autofree char *path = g_build_filename (oc_paths_get_base (home->paths), name, NULL);
        g_autofree char *kept = NULL;

        g_assert_true (g_file_get_contents (path, &kept, NULL, NULL));
        g_assert_cmpstr (kept, ==, junk);
        aside++;
      }
  g_assert_cmpuint (aside, ==, 2);
}

static gboolean
holds_text (const char *path,
            const char *text)
{
  g_autofree char *data = NULL;
  gsize len = 0;

  return g_file_get_contents (path, &data, &len, NULL) && memmem (data, len, text, strlen (text)) != NULL;
}

/* Neither in the file nor in the log beside it. */
static void
test_cleared_is_gone (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (OcActivity) activity = open_activity (home);
  const char *path = oc_paths_get_activity (home->paths);
  g_autofree char *log = g_strconcat (path, "-wal", NULL);
  gint64 run = begin (activity, A);

  g_assert_true (oc_activity_end_run (activity, run, OC_OUTCOME_DONE, "nobody's business", NULL, NULL, NULL));
  g_assert_true (holds_text (path, "nobody's business") || holds_text (log, "nobody's business"));
  g_assert_true (oc_activity_clear (activity, NULL, NULL));
  g_assert_false (holds_text (path, "nobody's business") || holds_text (log, "nobody's business"));
}

/* What is not brought into the file at each end is still there afterwards, and does not grow for ever. */
static void
test_log_stays_small (void)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *log = g_strconcat (oc_paths_get_activity (home->paths), "-wal", NULL);
  struct stat status;

  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (OcActivity) activity = open_activity (home);

      g_assert_cmpuint (end (activity, begin (activity, A), OC_OUTCOME_CRASH), ==, i + 1);
    }
  g_assert_cmpint (stat (log, &status), ==, 0);
  g_assert_cmpint (status.st_size, <, 1024 * 1024);
}

static void
test_later_version (void)
{
  g_autoptr (Home) home = home_new ();
  g_autoptr (GError) error = NULL;
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (oc_paths_get_activity (home->paths), &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "CREATE TABLE t (x); PRAGMA user_version = 2", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_null (oc_activity_open (home->paths, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_UNSUPPORTED);
  g_assert_true (g_file_test (oc_paths_get_activity (home->paths), G_FILE_TEST_EXISTS));
}

static void
test_misplaced (void)
{
  g_autoptr (Home) home = home_new ();
  const char *path = oc_paths_get_activity (home->paths);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("/dev/null", path), ==, 0);
  g_assert_null (oc_activity_open (home->paths, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_clear_error (&error);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_null (oc_activity_open (home->paths, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
}

int
main (int argc,
      char **argv)
{
  home_isolate ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/activity/outcomes", test_outcomes);
  g_test_add_func ("/activity/runs", test_runs);
  g_test_add_func ("/activity/uses", test_uses);
  g_test_add_func ("/activity/counting", test_counting);
  g_test_add_func ("/activity/reset-and-clear", test_reset_and_clear);
  g_test_add_func ("/activity/launcher-gone", test_launcher_gone);
  g_test_add_func ("/activity/at-once", test_at_once);
  g_test_add_func ("/activity/held-numbers", test_held_numbers);
  g_test_add_func ("/activity/enabling-resets-the-count", test_enabling_resets);
  g_test_add_func ("/activity/concurrent", test_concurrent);
  g_test_add_func ("/activity/keeps-locks", test_keeps_locks);
  g_test_add_func ("/activity/keeps-what-is-no-database", test_no_database);
  g_test_add_func ("/activity/cleared-is-gone", test_cleared_is_gone);
  g_test_add_func ("/activity/log-stays-small", test_log_stays_small);
  g_test_add_func ("/activity/later-version", test_later_version);
  g_test_add_func ("/activity/misplaced", test_misplaced);
  return g_test_run ();
}
