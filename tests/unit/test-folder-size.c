/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-folder-size.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)
#define DEPTH 3000

static char *
make_root (void)
{
  char *root = g_dir_make_tmp ("ocelot-size-XXXXXX", NULL);

  g_assert_nonnull (root);
  return root;
}

static void
remove_root (char *root)
{
  const char *argv[] = { "rm", "-rf", "--", root, NULL };

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (root);
}

static void
make_hollow (int folder,
             const char *name,
             guint64 size)
{
  int fd = openat (folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (ftruncate (fd, (off_t) size), ==, 0);
  close (fd);
}

static OcFolderSize
measure (const char *path,
         guint64 max_names)
{
  OcFolderSize size = { 0 };
  g_autoptr (GError) error = NULL;

  oc_folder_size_measure (path, max_names, NULL, &size, &error);
  g_assert_no_error (error);
  return size;
}

static int
open_root (const char *root)
{
  int fd = open (root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  return fd;
}

static void
test_counts (void)
{
  char *root = make_root ();
  g_autofree char *block = g_malloc0 (3 * MIB);
  g_autofree char *file = g_build_filename (root, "full", NULL);
  int fd = open_root (root);
  OcFolderSize size;

  size = measure (root, 0);
  g_assert_cmpuint (size.names, ==, 0);
  g_assert_true (size.complete);
  make_hollow (fd, "hollow", 20 * MIB);
  size = measure (root, 0);
  g_assert_cmpuint (size.bytes, ==, 20 * MIB);
  g_assert_cmpint (unlinkat (fd, "hollow", 0), ==, 0);
  /* What it takes on the disk, where that is more. */
  g_assert_true (g_file_set_contents (file, block, 3 * MIB, NULL));
  size = measure (root, 0);
  g_assert_cmpuint (size.bytes, >=, 3 * MIB);
  g_assert_cmpuint (size.bytes, <, 4 * MIB);
  /* One file of three names is one file; links lead nowhere. */
  g_assert_cmpint (linkat (fd, "full", fd, "second", 0), ==, 0);
  g_assert_cmpint (mkdirat (fd, "folder", 0700), ==, 0);
  g_assert_cmpint (linkat (fd, "full", fd, "folder/third", 0), ==, 0);
  g_assert_cmpint (symlinkat ("/", fd, "root"), ==, 0);
  g_assert_cmpint (mkfifoat (fd, "fifo", 0600), ==, 0);
  size = measure (root, 0);
  g_assert_cmpuint (size.names, ==, 6);
  g_assert_cmpuint (size.bytes, <, 4 * MIB);
  g_assert_true (size.complete);
  size = measure (root, 4);
  g_assert_cmpuint (size.names, ==, 4);
  g_assert_false (size.complete);
  close (fd);
  remove_root (root);
}

static void
test_no_folder (void)
{
  char *root = make_root ();
  g_autofree char *missing = g_build_filename (root, "missing", NULL);
  g_autofree char *link = g_build_filename (root, "link", NULL);
  g_autofree char *file = g_build_filename (root, "file", NULL);
  g_autoptr (GError) error = NULL;
  OcFolderSize size;

  size = measure (missing, 0);
  g_assert_cmpuint (size.names, ==, 0);
  g_assert_true (size.complete);
  g_assert_cmpint (symlink ("/", link), ==, 0);
  g_assert_false (oc_folder_size_measure (link, 0, NULL, &size, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (file, "", -1, NULL));
  g_assert_false (oc_folder_size_measure (file, 0, NULL, &size, &error));
  g_assert_error (error, OC_ERROR, OC_ERROR_IO);
  remove_root (root);
}

/* Below what any path can name, with siblings on the way that are met on the way back; and behind a closed folder. */
static void
test_deep (void)
{
  char *root = make_root ();
  g_autofree char *closed = g_build_filename (root, "closed", NULL);
  int fd;
  OcFolderSize size;

  g_assert_cmpint (g_mkdir (closed, 0700), ==, 0);
  fd = open_root (closed);
  for (guint i = 0; i < DEPTH; i++)
    {
      int inner;

      make_hollow (fd, "a", MIB);
      g_assert_cmpint (mkdirat (fd, "d", 0700), ==, 0);
      make_hollow (fd, "z", MIB);
      inner = openat (fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      g_assert_cmpint (inner, >=, 0);
      close (fd);
      fd = inner;
    }
  close (fd);
  g_assert_cmpint (g_chmod (closed, 0), ==, 0);
  size = measure (root, 0);
  g_assert_true (size.complete);
  g_assert_cmpuint (size.names, ==, 1 + DEPTH * 3);
  g_assert_cmpuint (size.bytes, >=, 2 * DEPTH * MIB);
  g_assert_cmpuint (size.bytes, <, 2 * DEPTH * MIB + 100 * MIB);
  g_chmod (closed, 0700);
  remove_root (root);
}

typedef struct
{
  char *one, *other;
  gint stop;
} Mover;

static gpointer
move_around (gpointer data)
{
  Mover *mover = data;

  while (!g_atomic_int_get (&mover->stop))
    {
      g_rename (mover->one, mover->other);
      g_rename (mover->other, mover->one);
    }
  return NULL;
}

/* A deep folder that is moved about while it is measured: what is counted twice or missed is said to be incomplete or is
 * within bounds, nothing outside is ever counted, and it ends. */
static void
test_moved (void)
{
  char *root = make_root ();
  g_autofree char *outside = g_build_filename (root, "outside", NULL);
  g_autofree char *inside = g_build_filename (root, "inside", NULL);
  g_autoptr (GString) path = g_string_new (inside);
  Mover mover = { 0 };
  GThread *thread;
  int fd;

  g_assert_cmpint (g_mkdir (outside, 0700), ==, 0);
  fd = open_root (outside);
  make_hollow (fd, "large", 1000 * MIB);
  close (fd);
  for (guint i = 0; i < 40; i++)
    g_string_append (path, "/d");
  mover.one = g_strdup (path->str);
  for (guint i = 0; i < 20; i++)
    g_string_append (path, "/d");
  g_assert_cmpint (g_mkdir_with_parents (path->str, 0700), ==, 0);
  /* To and fro between inside and outside of what is measured. */
  mover.other = g_build_filename (outside, "moved", NULL);
  thread = g_thread_new ("mover", move_around, &mover);
  for (guint i = 0; i < 300; i++)
    {
      OcFolderSize size = measure (inside, 0);

      g_assert_cmpuint (size.bytes, <, 1000 * MIB);
      g_assert_cmpuint (size.names, <=, 60);
    }
  g_atomic_int_set (&mover.stop, TRUE);
  g_thread_join (thread);
  g_free (mover.one);
  g_free (mover.other);
  remove_root (root);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/folder-size/counts", test_counts);
  g_test_add_func ("/folder-size/no-folder", test_no_folder);
  g_test_add_func ("/folder-size/deep", test_deep);
  g_test_add_func ("/folder-size/moved", test_moved);
  return g_test_run ();
}
