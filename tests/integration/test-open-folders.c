/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* app.open, to a desktop of made-up applications: which folders reach which of them, and which do not. */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "desktop-home.h"

static const char *const all[] = { "app.open:org.x.Files",  "app.open:org.x.Uris", "app.open:org.x.One",  "app.open:org.x.No",
                                   "app.open:org.x.Hidden", "app.open:org.x.Try",  "app.open:org.x.Exec", "app.open:org.x.Gone",
                                   "app.open:org.x.Link",   "app.open:sub-folder-App", NULL };

static Fixture *
new_desktop (void)
{
  Fixture *fixture = fixture_new (all);

  desktop_prepare (fixture);
  return fixture;
}

static char *
make_folder (Fixture *fixture,
             const char *name)
{
  char *path = g_build_filename (fixture->root, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  return path;
}

static void
test_opens_folders (void)
{
  static const char *const names[] = { "plain", "a b", "-x", "q\"'`$(id);&|<>", "new\nline", "\xff\xfe", "%20%u%f", "#?", "日本" };
  g_autoptr (Fixture) fixture = new_desktop ();

  if (!fixture_can_run (fixture))
    return;
  desktop_add (fixture, "org.x.Files", "PROGRAM %f", NULL);
  desktop_add (fixture, "org.x.Uris", "PROGRAM --open %U --end", "X-GIO-NoFuse=true\n");
  desktop_add (fixture, "sub/folder/App", "PROGRAM %F", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *folder = make_folder (fixture, names[i]);
      g_autofree char *uri = g_filename_to_uri (folder, NULL, NULL);
      g_autofree char *slash = g_strconcat (uri, "/", NULL);
      g_autofree char *as_path = NULL;
      g_autofree char *as_uri = NULL;
      const char *selection[] = { fixture->root, folder, NULL };
      GString *calls = g_string_new (NULL);
      g_autoptr (JsonArray) outcomes = NULL;
      g_autoptr (Ran) ran = NULL;

      desktop_add_folder (calls, "org.x.Files", folder);
      desktop_add_folder (calls, "org.x.Uris", slash);
      desktop_add_folder (calls, "sub-folder-App", folder);
      outcomes = desktop_call (fixture, calls, selection, &ran);
      for (guint j = 0; j < 3; j++)
        desktop_assert_opened (outcomes, j);
      as_path = g_strdup_printf ("<%s>\n", folder);
      as_uri = g_strdup_printf ("<--open>\n<%s>\n<--end>\n", uri);
      desktop_assert_started (fixture, as_path, as_uri, as_path, NULL);
      g_assert_cmpint (ran_count (ran, "used", "app.open:org.x.Files"), ==, 1);
      g_string_free (calls, TRUE);
    }
}

/* The shown folder needs no name; without one there is nothing to open. */
static void
test_opens_shown_folder (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  g_autofree char *line = NULL;
  GString *calls = g_string_new (NULL);
  g_autoptr (JsonArray) outcomes = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  desktop_add (fixture, "org.x.Files", "PROGRAM %f", NULL);
  desktop_add_folder (calls, "org.x.Files", NULL);
  outcomes = desktop_call (fixture, calls, NULL, NULL);
  desktop_assert_refused (outcomes, 0, DESKTOP_REFUSED, "no-folder");
  /* With --folder. */
  ran = fixture_run (fixture, "api", NULL);
  ran_assert (ran, 0, "done");
  line = g_strdup_printf ("<%s>\n", fixture->root);
  desktop_assert_started (fixture, line, NULL);
  g_string_free (calls, TRUE);
}

static void
test_refuses_folders (void)
{
  g_autoptr (Fixture) fixture = new_desktop ();
  g_autofree char *chosen = make_folder (fixture, "chosen");
  g_autofree char *below = make_folder (fixture, "chosen/below");
  g_autofree char *other = make_folder (fixture, "other");
  g_autofree char *ssh = make_folder (fixture, ".ssh");
  g_autofree char *in_ssh = make_folder (fixture, ".ssh/keys");
  g_autofree char *own = make_folder (fixture, "share/ocelot/Data/" FIXTURE_ID "/made");
  g_autofree char *link = g_build_filename (fixture->root, "link", NULL);
  g_autofree char *through = g_build_filename (link, "below", NULL);
  g_autofree char *dots = g_build_filename (chosen, "..", "other", NULL);
  g_autofree char *dot = g_build_filename (chosen, ".", NULL);
  g_autofree char *twice = g_strconcat (fixture->root, "//chosen", NULL);
  g_autofree char *slash = g_strconcat (link, "/", NULL);
  g_autofree char *gone = g_build_filename (fixture->root, "gone", NULL);
  g_autofree char *proc = g_strdup_printf ("/proc/%d/cwd", getpid ());
  g_autofree char *by_proc = g_strdup_printf ("/proc/%d/root%s", getpid (), chosen);
  g_autofree char *file = fixture_make_file (fixture, "a.txt", "x", -1);
  g_autofree char *consent = g_path_get_dirname (oc_paths_get_consent (fixture->paths));
  g_autofree char *line = NULL;
  const struct
  {
    const char *path;
    gboolean selected;
    gint64 code;
    const char *reason;
  } cases[] = {
    { below, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { fixture->root, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { other, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { "/", FALSE, DESKTOP_REFUSED, "outside-selection" },
    { dots, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { dot, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { twice, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { through, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { file, TRUE, DESKTOP_REFUSED, "not-a-folder" },
    { link, TRUE, DESKTOP_REFUSED, "link" },
    { slash, FALSE, DESKTOP_REFUSED, "link" }, /* what is selected is the link */
    { gone, FALSE, DESKTOP_REFUSED, "outside-selection" },
    { ssh, TRUE, DESKTOP_REFUSED, "guarded" },
    { in_ssh, TRUE, DESKTOP_REFUSED, "guarded" },
    { consent, TRUE, DESKTOP_REFUSED, "guarded" },
    { "/proc/self", TRUE, DESKTOP_REFUSED, NULL },
    { "/proc", TRUE, DESKTOP_REFUSED, "guarded" },
    { proc, TRUE, DESKTOP_REFUSED, "link" },
    { by_proc, TRUE, DESKTOP_REFUSED, "link" },
    { fixture->data_folder, TRUE, DESKTOP_REFUSED, "own-folder" },
    { own, TRUE, DESKTOP_REFUSED, "own-folder" },
    { fixture->plugin_folder, TRUE, DESKTOP_REFUSED, "own-folder" },
    { chosen, TRUE, 0, NULL },
  };

  g_assert_cmpint (symlink (chosen, link), ==, 0);
  if (!fixture_can_run (fixture))
    return;
  desktop_add (fixture, "org.x.Files", "PROGRAM %f", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *selection[] = { chosen, cases[i].selected ? cases[i].path : link, NULL };
      GString *calls = g_string_new (NULL);
      g_autoptr (JsonArray) outcomes = NULL;
      g_autoptr (Ran) ran = NULL;

      g_test_message ("%s", cases[i].path);
      desktop_add_folder (calls, "org.x.Files", cases[i].path);
      outcomes = desktop_call (fixture, calls, selection, &ran);
      if (cases[i].code == 0)
        desktop_assert_opened (outcomes, 0);
      else if (cases[i].reason != NULL)
        desktop_assert_refused (outcomes, 0, cases[i].code, cases[i].reason);
      else
        g_assert_cmpint (outcome_code (outcomes, 0), ==, cases[i].code);
      g_assert_cmpint (ran_count (ran, "refused", "app.open:org.x.Files"), ==, cases[i].code == DESKTOP_REFUSED);
      g_string_free (calls, TRUE);
    }
  line = g_strdup_printf ("<%s>\n", chosen);
  desktop_assert_started (fixture, line, NULL);
}

static void
test_tells_app_faults (void)
{
  static const struct
  {
    const char *app;
    gint64 code;
    const char *reason;
  } cases[] = {
    { "org.x.Gone", DESKTOP_NOT_FOUND, "app-missing" },
    { "org.x.Link", DESKTOP_NOT_FOUND, "app-missing" },
    { "org.x.Hidden", DESKTOP_NOT_FOUND, "app-hidden" },
    { "org.x.Try", DESKTOP_NOT_FOUND, "app-program-missing" },
    { "org.x.Exec", DESKTOP_NOT_FOUND, "app-program-missing" },
    { "org.x.No", DESKTOP_FAILED, "app-no-folders" },
    { "org.x.Other", DESKTOP_DENIED, NULL },
    { "org.x.Files.desktop", DESKTOP_DENIED, NULL },
    { "../org.x.Files", DESKTOP_DENIED, NULL },
    { "org.x.One", 0, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Fixture) fixture = new_desktop ();
      const char *selection[] = { fixture->root, NULL };
      GString *calls = g_string_new (NULL);
      g_autoptr (JsonArray) outcomes = NULL;

      if (!fixture_can_run (fixture))
        return;
      desktop_add (fixture, "org.x.Files", "PROGRAM %f", NULL);
      desktop_add (fixture, "org.x.Other", "PROGRAM %f", NULL);
      desktop_add (fixture, "org.x.One", "PROGRAM %u", "NoDisplay=true\n");
      desktop_add (fixture, "org.x.No", "PROGRAM --here", NULL);
      desktop_add (fixture, "org.x.Hidden", "PROGRAM %f", "Hidden=true\n");
      desktop_add (fixture, "org.x.Try", "PROGRAM %f", "TryExec=/nonexistent/program\n");
      desktop_add (fixture, "org.x.Exec", "nonexistent-program %f", NULL);
      desktop_add (fixture, "org.x.Link", "PROGRAM %f", "Type=Link\n");
      desktop_add_folder (calls, cases[i].app, fixture->root);
      outcomes = desktop_call (fixture, calls, selection, NULL);
      g_test_message ("%s", cases[i].app);
      if (cases[i].code == 0)
        {
          g_autofree char *line = g_strdup_printf ("<%s>\n", fixture->root);

          desktop_assert_opened (outcomes, 0);
          desktop_assert_started (fixture, line, NULL);
        }
      else
        desktop_assert_refused (outcomes, 0, cases[i].code, cases[i].reason);
      g_assert_cmpuint (desktop_count (fixture), ==, 0);
      g_string_free (calls, TRUE);
    }
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/open-folders/opens", test_opens_folders);
  g_test_add_func ("/open-folders/the-shown-folder", test_opens_shown_folder);
  g_test_add_func ("/open-folders/refuses", test_refuses_folders);
  g_test_add_func ("/open-folders/tells-faults-apart", test_tells_app_faults);
  return g_test_run ();
}
