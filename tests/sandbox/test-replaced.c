/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be covered goes, or is replaced, while sandboxes are being built: each is built all the same, and covers what is
 * there. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox-host.h"

#define LAUNCHES 40
/* There is always one to be covered, and always one that goes. */
#define FOLDERS 8
#define PAUSE_US 50000

/* bubblewrap mounts by name and tries again: it needs a moment in which nothing is replaced. */
static void
pause_for_bubblewrap (void)
{
  if (g_strcmp0 (g_getenv ("OC_EXECUTOR"), "bubblewrap") == 0)
    g_usleep (PAUSE_US);
}

typedef struct
{
  char *folder;
  gint stop; /* atomic */
  gint rounds;
} Disturber;

/* As runs that end and begin do. */
static gpointer
make_and_remove_folders (gpointer data)
{
  Disturber *self = data;

  for (guint i = 0; !g_atomic_int_get (&self->stop); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/ocelot-%u-other", self->folder, i % FOLDERS);

      if (rmdir (path) != 0 || i % 3 != 0)
        (void)mkdir (path, 0700);
      g_atomic_int_inc (&self->rounds);
      pause_for_bubblewrap ();
    }
  return NULL;
}

/* As an editor does that saves. From a guarded folder: a copy beside the file is a file of its own, which nothing guards, and
 * which a worker that began while it was there can read under whatever name it gets. */
static gpointer
replace_file (gpointer data)
{
  Disturber *self = data;
  g_autofree char *path = g_build_filename (self->folder, ".netrc", NULL);
  g_autofree char *fresh = g_build_filename (self->folder, ".ssh", "netrc.new", NULL);

  while (!g_atomic_int_get (&self->stop))
    {
      FILE *file = fopen (fresh, "w");

      g_assert_nonnull (file);
      fputs ("a secret\n", file);
      fclose (file);
      g_assert_cmpint (rename (fresh, path), ==, 0);
      g_atomic_int_inc (&self->rounds);
      pause_for_bubblewrap ();
    }
  return NULL;
}

/* @words read the file that is replaced. */
static void
launch_many (Host *host, const char *const *words, const char *expected)
{
  for (guint i = 0; i < LAUNCHES; i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (HostResult) result = { 0 };

      host_run (host, OC_ROLE_WORKER, OC_NETWORK_NONE, words, &result, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (g_strchomp (result.output), ==, expected);
    }
}

static void
try_while (GThreadFunc disturb, const char *below, const char *const *words, const char *expected)
{
  g_autoptr (Host) host = host_new ();
  g_auto (HostResult) outside = { 0 };
  Disturber disturber = { .folder = g_build_filename (host->base, below, NULL) };
  GThread *thread = g_thread_new ("disturber", disturb, &disturber);

  /* It is there to be read, and it is being disturbed. */
  host_run_outside (host, words, &outside);
  g_assert_cmpstr (g_strchomp (outside.output), ==, "DONE");
  launch_many (host, words, expected);
  g_atomic_int_set (&disturber.stop, 1);
  g_thread_join (thread);
  g_assert_cmpint (disturber.rounds, >, 10);
  g_free (disturber.folder);
}

static void
test_folder (void)
{
  const char *words[] = { "read", "/etc/passwd", NULL };

  try_while (make_and_remove_folders, "tmp", words, "DONE");
}

static void
test_file (void)
{
  const char *words[] = { "read", "~/.netrc", NULL };

  try_while (replace_file, "home", words, "EACCES");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sandbox/replaced/another-runs-folder", test_folder);
  g_test_add_func ("/sandbox/replaced/guarded-file", test_file);
  return g_test_run ();
}
