/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file.readText through a real worker: what is in the selection and what is not, what is text and what is not. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

enum
{
  FAILED = -32000,
  REFUSED = -32002,
  NOT_FOUND = -32003,
  TOO_LARGE = -32004,
  NOT_TEXT = -32005,
};

static const char *const some[] = { "selection.read", "file.readText", NULL };

static void
add_read (GString *calls,
          const char *path)
{
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

  g_string_append_printf (calls, "%s{\"method\":\"file.readText\",\"params\":{\"path\":\"%s\"}}", calls->len > 1 ? "," : "", uri);
}

/* One reading, below the selected folder unless it is absolute. */
typedef struct
{
  const char *path;
  gint64 code;
  const char *said; /* (nullable) the text that was read, or a part of the message */
} Case;

static void
check_cases (Fixture *fixture,
             const char *folder,
             const char *const *selection,
             const Case *cases,
             guint n)
{
  GString *calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;
  guint refused = 0, used = 0;

  for (guint i = 0; i < n; i++)
    {
      /* Not g_build_filename(), which tidies up. */
      g_autofree char *path = *cases[i].path == '/' ? g_strdup (cases[i].path) : g_strconcat (folder, "/", cases[i].path, NULL);

      add_read (calls, path);
    }
  g_string_append_c (calls, ']');
  outcomes = fixture_call (fixture, calls->str, selection, &ran);
  for (guint i = 0; i < n; i++)
    {
      gint64 code = outcome_code (outcomes, i);
      const char *said = outcome_get (outcomes, i, code == 0 ? "result" : "message");

      g_test_message ("%s → %.80s", cases[i].path, said);
      if (code != cases[i].code)
        g_error ("%s: expected %d, got %d: %.200s", cases[i].path, (int) cases[i].code, (int) code, said);
      if (code == 0 && cases[i].said != NULL)
        g_assert_cmpstr (said, ==, cases[i].said);
      else if (cases[i].said != NULL && strstr (said, cases[i].said) == NULL)
        g_error ("%s: “%s” is not in: %s", cases[i].path, cases[i].said, said);
      used += code == 0;
      refused += code == REFUSED;
    }
  g_assert_cmpint (ran_count (ran, "used", "file.readText"), ==, used);
  g_assert_cmpint (ran_count (ran, "refused", "file.readText"), ==, refused);
  g_assert_null (strstr (ran->out, "secret"));
  g_string_free (calls, TRUE);
}

static void
link_to (const char *folder,
         const char *name,
         const char *target)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
make_text (Fixture *fixture,
           const char *name,
           const char *data,
           gssize len)
{
  g_autofree char *in = g_build_filename ("in", name, NULL);
  g_autofree char *path = fixture_make_file (fixture, in, data, len);
}

static void
test_places (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *outside = fixture_make_file (fixture, "out.txt", "secret", -1);
  g_autofree char *evil = fixture_make_file (fixture, "in_evil/a.txt", "secret", -1);
  g_autofree char *files = g_path_get_dirname (outside);
  g_autofree char *folder = g_build_filename (files, "in", NULL);
  g_autofree char *deep = g_build_filename (folder, "deep/er/ü.txt", NULL);
  g_autofree char *hard = g_build_filename (folder, "hard", NULL);
  g_autofree char *missing = g_build_filename (files, "missing", NULL);
  const char *selection[] = { folder, NULL };
  const Case cases[] = {
    { "deep/er/ü.txt", 0, "grüße" },
    { deep, 0, "grüße" },
    { outside, REFUSED, "not in what is selected" },
    { evil, REFUSED, "not in what is selected" },
    { "/etc/passwd", REFUSED, "not in what is selected" },
    { "/", REFUSED, "not in what is selected" },
    { files, REFUSED, "not in what is selected" },
    { "missing.txt", NOT_FOUND, "no such file" },
    { "deep/er/ü.txt/x", NOT_FOUND, "no such file" },
    { "deep", FAILED, "folder" },
    { folder, FAILED, "folder" },
    /* Paths that are no plain ones: not even where they lead inside. */
    { "deep/../../out.txt", REFUSED, "not in what is selected" },
    { "deep/../deep/er/ü.txt", REFUSED, "not in what is selected" },
    { "./deep/er/ü.txt", REFUSED, "not in what is selected" },
    { "deep//er/ü.txt", REFUSED, "not in what is selected" },
    { "deep/er/ü.txt/", REFUSED, "not in what is selected" },
    { "..", REFUSED, "not in what is selected" },
    /* Links: where they lead is what counts. */
    { "link", 0, "grüße" },
    { "chain", 0, "grüße" },
    { "absolute", 0, "grüße" },
    { "out-and-in", 0, "grüße" },
    { "folder-link/er/ü.txt", 0, "grüße" },
    { "leaves", REFUSED, "leads out" },
    { "chain-leaves", REFUSED, "leads out" },
    { "up/out.txt", REFUSED, "leads out" },
    { "up/in_evil/a.txt", REFUSED, "leads out" },
    { "to-missing", REFUSED, "leads out" },
    { "dangling", NOT_FOUND, "no such file" },
    { "circle", REFUSED, "circle" },
    { "proc", REFUSED, NULL },
    { "proc-fd", REFUSED, NULL },
    /* A hard link is the file itself. */
    { "hard", 0, "grüße" },
  };

  make_text (fixture, "deep/er/ü.txt", "grüße", -1);
  link_to (folder, "link", "deep/er/ü.txt");
  link_to (folder, "chain", "link");
  link_to (folder, "absolute", deep);
  link_to (folder, "out-and-in", "../in/deep/er/ü.txt");
  link_to (folder, "folder-link", "deep");
  link_to (folder, "leaves", outside);
  link_to (folder, "chain-leaves", "leaves");
  link_to (folder, "up", "..");
  link_to (folder, "to-missing", missing);
  link_to (folder, "dangling", "nothing");
  link_to (folder, "circle", "circle");
  link_to (folder, "proc", "/proc/self/environ");
  link_to (folder, "proc-fd", "/proc/self/fd/0");
  g_assert_cmpint (link (deep, hard), ==, 0);
  if (!fixture_can_run (fixture))
    return;
  check_cases (fixture, folder, selection, cases, G_N_ELEMENTS (cases));
}

/* None of these may hang, and none may be opened to see what it is. */
static void
test_not_regular (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *file = fixture_make_file (fixture, "in/closed.txt", "closed", -1);
  g_autofree char *folder = g_path_get_dirname (file);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);
  const char *selection[] = { folder, "/dev/null", "/dev/tty", "/proc", NULL };
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Case cases[] = {
    { "fifo", FAILED, "regular" },
    { "fifo-link", FAILED, "regular" },
    { "socket", FAILED, "regular" },
    { "/dev/null", FAILED, "regular" },
    { "/dev/tty", FAILED, "regular" },
    { "/proc/version", REFUSED, "no plugin may read" },
    { "/proc/1/environ", REFUSED, "no plugin may read" },
    { "/proc/self/environ", REFUSED, NULL },
    { "/proc/self/root/etc/passwd", REFUSED, NULL },
    /* uid 0 may read it. */
    { "closed.txt", geteuid () == 0 ? 0 : FAILED, geteuid () == 0 ? "closed" : "denied" },
  };

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  link_to (folder, "fifo-link", "fifo");
  g_snprintf (address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (chmod (file, 0), ==, 0);
  if (!fixture_can_run (fixture))
    return;
  check_cases (fixture, folder, selection, cases, G_N_ELEMENTS (cases));
  close (fd);
}

/* @n bytes: all x but @text at @at. */
static void
make_long (Fixture *fixture,
           const char *name,
           gsize n,
           gsize at,
           const char *text)
{
  g_autofree char *data = g_strnfill (n, 'x');

  memcpy (data + at, text, strlen (text));
  make_text (fixture, name, data, (gssize) n);
}

static void
test_text (void)
{
  static const Case cases[] = {
    { "empty", 0, "" },
    { "bom", 0, "\xef\xbb\xbf" "a" },
    { "line-ends", 0, "a\r\nb\rc\n" },
    { "controls", 0, "\x01\x1b[31m\x7f" },
    { "most", 0, NULL },
    { "one-more", TOO_LARGE, "1,000,000" },
    { "most-wide", 0, NULL },
    { "huge", TOO_LARGE, "1,000,000" },
    { "first", NOT_TEXT, "offset 0." },
    { "second", NOT_TEXT, "offset 2." },
    { "last", NOT_TEXT, "offset 999999." },
    { "cut", NOT_TEXT, "offset 999998." },
    { "cut-short", NOT_TEXT, "offset 3." },
    { "nul", NOT_TEXT, "a NUL byte at offset 3." },
    { "nul-first", NOT_TEXT, "a NUL byte at offset 0." },
    { "overlong", NOT_TEXT, "offset 1." },
    { "surrogate", NOT_TEXT, "offset 1." },
    { "too-high", NOT_TEXT, "offset 1." },
    { "latin-1", NOT_TEXT, "offset 2." },
    /* What is too long is not looked at further. */
    { "long-bad", TOO_LARGE, "1,000,000" },
  };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *file = fixture_make_file (fixture, "in/empty", "", 0);
  g_autofree char *huge = NULL;
  g_autofree char *folder = g_path_get_dirname (file);
  const char *selection[] = { folder, NULL };

  make_text (fixture, "bom", "\xef\xbb\xbf" "a", -1);
  make_text (fixture, "line-ends", "a\r\nb\rc\n", -1);
  make_text (fixture, "controls", "\x01\x1b[31m\x7f", -1);
  make_long (fixture, "most", 1000000, 0, "x");
  make_long (fixture, "one-more", 1000001, 0, "x");
  make_long (fixture, "most-wide", 1000000, 999996, "\xf0\x9f\x98\x80");
  huge = fixture_make_file (fixture, "in/huge", "", 0);
  g_assert_cmpint (truncate (huge, (off_t) 1 << 40), ==, 0);
  make_text (fixture, "first", "\xff" "abc", -1);
  make_text (fixture, "second", "ab\xff", -1);
  make_long (fixture, "last", 1000000, 999999, "\x80");
  make_long (fixture, "cut", 1000000, 999998, "\xe2\x82");
  make_text (fixture, "cut-short", "abc\xf0\x9f\x98", -1);
  make_text (fixture, "nul", "abc\0d", 5);
  make_text (fixture, "nul-first", "\0", 1);
  make_text (fixture, "overlong", "a\xc0\xaf", -1);
  make_text (fixture, "surrogate", "a\xed\xa0\x80", -1);
  make_text (fixture, "too-high", "a\xf4\x90\x80\x80", -1);
  make_text (fixture, "latin-1", "gr\xfc\xdf" "e", -1);
  make_long (fixture, "long-bad", 1000002, 0, "\xff");
  if (!fixture_can_run (fixture))
    return;
  check_cases (fixture, folder, selection, cases, G_N_ELEMENTS (cases));
}

/* What no plugin may read, though the user selected it and though the broker could. */
static void
test_guarded (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *ssh = g_build_filename (fixture->root, ".ssh", NULL);
  g_autofree char *key = g_build_filename (ssh, "id_ed25519", NULL);
  g_autofree char *control = fixture_make_file (fixture, "a.txt", "free to read", -1);
  g_autofree char *link = g_build_filename (fixture->root, "link.txt", NULL);
  g_autofree char *folder_link = g_build_filename (fixture->root, "folder-link", NULL);
  g_autofree char *storage = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  const char *selection[] = { fixture->root, key, link, folder_link, NULL };
  const Case cases[] = {
    { key, REFUSED, "no plugin may read" },
    { "key-link", REFUSED, "no plugin may read" },
    { oc_paths_get_consent (fixture->paths), REFUSED, "no plugin may read" },
    { oc_paths_get_activity (fixture->paths), REFUSED, "no plugin may read" },
    { storage, REFUSED, "no plugin may read" },
    /* What is selected is a link: not what it points to. */
    { link, REFUSED, "a link" },
    { "folder-link/a.txt", REFUSED, "a link" },
    { control, 0, "free to read" },
    { "share/ocelot/Plugins/" FIXTURE_ID "/plugin.json", REFUSED, "no plugin may read" },
  };

  g_assert_cmpint (g_mkdir (ssh, 0700), ==, 0);
  g_assert_true (g_file_set_contents (key, "secret", -1, NULL));
  link_to (fixture->root, "key-link", ".ssh/id_ed25519");
  link_to (fixture->root, "link.txt", control);
  link_to (fixture->root, "folder-link", "files");
  if (!fixture_can_run (fixture))
    return;
  g_assert_true (g_file_set_contents (storage, "{\"version\":1,\"values\":{\"k\":\"secret\"}}", -1, NULL));
  check_cases (fixture, fixture->root, selection, cases, G_N_ELEMENTS (cases));
}

/* Put in the place of what was selected while the plugin runs. */
static void
test_replaced (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "was selected", -1);
  g_autofree char *inside = fixture_make_file (fixture, "in/b.txt", "was selected", -1);
  g_autofree char *outside = fixture_make_file (fixture, "elsewhere/b.txt", "secret", -1);
  g_autofree char *saved = fixture_make_file (fixture, "c.txt", "was selected", -1);
  g_autofree char *folder = g_path_get_dirname (inside);
  g_autofree char *away = g_strconcat (folder, "-away", NULL);
  g_autofree char *elsewhere = g_path_get_dirname (outside);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autofree char *list = g_build_filename (fixture->data_folder, "calls.json", NULL);
  GString *calls = g_string_new ("[");
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (Ran) ran = NULL;
  JsonArray *outcomes;

  if (!fixture_can_run (fixture))
    return;
  process = fixture_start (fixture, "wait-then-api", "--", file, folder, saved, NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_cmpint (g_unlink (file), ==, 0);
  g_assert_cmpint (symlink (outside, file), ==, 0);
  g_assert_cmpint (g_rename (folder, away), ==, 0);
  g_assert_cmpint (symlink (elsewhere, folder), ==, 0);
  /* A control: an editor that saves it replaces it too, by a file. */
  g_assert_true (g_file_set_contents (saved, "saved", -1, NULL));
  add_read (calls, file);
  add_read (calls, inside);
  add_read (calls, saved);
  g_string_append_c (calls, ']');
  g_assert_true (g_file_set_contents (list, calls->str, -1, NULL));
  g_assert_true (g_file_set_contents (go, "", -1, NULL));
  ran = fixture_wait (process);
  ran_assert (ran, 0, "done");
  outcomes = json_object_get_array_member (json_node_get_object (ran->root), "result");
  g_assert_cmpstr (outcome_get (outcomes, 0, "reason"), ==, "link");
  g_assert_cmpstr (outcome_get (outcomes, 1, "reason"), ==, "link");
  g_assert_cmpstr (outcome_get (outcomes, 2, "result"), ==, "saved");
  g_assert_null (strstr (ran->out, "secret"));
  g_string_free (calls, TRUE);
}

static int stop_growing;

static gpointer
grow (gpointer data)
{
  g_autofree char *block = g_strnfill (65536, 'x');
  int fd = open (data, O_WRONLY | O_CLOEXEC);
  gsize at = 0;

  /* Over and over from nothing: so that some readings begin small. */
  while (!g_atomic_int_get (&stop_growing))
    {
      if (at > 4 * 1000 * 1000 && ftruncate (fd, 0) == 0)
        at = 0;
      at += (gsize) MAX (0, pwrite (fd, block, 65536, (off_t) at));
    }
  close (fd);
  return NULL;
}

/* It grows while it is read: what comes is within the limit, or is too large, and comes. */
static void
test_growing (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "", -1);
  const char *selection[] = { file, NULL };
  GString *calls = g_string_new ("[");
  g_autoptr (JsonArray) outcomes = NULL;
  GThread *thread;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < 4; i++)
    add_read (calls, file);
  g_string_append_c (calls, ']');
  thread = g_thread_new ("grow", grow, file);
  outcomes = fixture_call (fixture, calls->str, selection, NULL);
  g_atomic_int_set (&stop_growing, TRUE);
  g_thread_join (thread);
  for (guint i = 0; i < 4; i++)
    {
      gint64 code = outcome_code (outcomes, i);

      g_assert_true (code == 0 || code == TOO_LARGE);
      if (code == 0)
        g_assert_cmpuint (strlen (outcome_get (outcomes, i, "result")), <=, 1000000);
    }
  g_string_free (calls, TRUE);
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/read/places", test_places);
  g_test_add_func ("/read/not-regular", test_not_regular);
  g_test_add_func ("/read/text", test_text);
  g_test_add_func ("/read/guarded", test_guarded);
  g_test_add_func ("/read/replaced", test_replaced);
  g_test_add_func ("/read/growing", test_growing);
  return g_test_run ();
}
