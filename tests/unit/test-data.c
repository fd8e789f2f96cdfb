/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <sys/stat.h>

#include <gio/gio.h>

#include "core/oc-catalogue.h"
#include "core/oc-plugin.h"
#include "core/oc-text.h"

/* What ships as data is what it should be. */

static char *
source_path (const char *relative)
{
  const char *root = g_getenv ("OC_TEST_SOURCE_ROOT");

  if (root == NULL)
    g_error ("OC_TEST_SOURCE_ROOT is not set: run this through meson test");
  return g_build_filename (root, relative, NULL);
}

/* Runs a validator on a file of ours. A missing one is a visible skip. */
static void
assert_tool_accepts (const char *relative,
                     const char *const *tool)
{
  g_autofree char *program = g_find_program_in_path (tool[0]);
  g_autofree char *path = source_path (relative);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  int status = -1;

  if (program == NULL)
    {
      g_autofree char *reason = g_strdup_printf ("%s is not installed", tool[0]);
      g_test_skip (reason);
      return;
    }
  for (; *tool != NULL; tool++)
    g_ptr_array_add (argv, (gpointer) *tool);
  g_ptr_array_add (argv, path);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s: %s%s", relative, out, err);
}

static void
test_desktop_file (void)
{
  const char *tool[] = { "desktop-file-validate", "--no-hints", NULL };

  assert_tool_accepts ("data/org.ocelot.Plugins.desktop", tool);
}

static void
test_metainfo (void)
{
  const char *tool[] = { "appstreamcli", "validate", "--no-net", NULL };

  assert_tool_accepts ("data/org.ocelot.Plugins.metainfo.xml", tool);
}

/* groff says on standard error what it does not understand, and ends well all the same. */
static void
test_manual_pages (void)
{
  const char *pages[] = { "data/man/ocelotctl.1", "data/man/ocelot-launcher.1", "data/man/ocelot-plugins.1" };
  g_autofree char *man = g_find_program_in_path ("man");

  if (man == NULL)
    {
      g_test_skip ("man is not installed");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_autofree char *path = source_path (pages[i]);
      const char *argv[] = { man, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path, NULL };
      g_autofree char *out = NULL;
      g_autofree char *err = NULL;
      int status = -1;

      g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, 0, NULL, NULL, &out, &err, &status, NULL));
      g_assert_true (g_spawn_check_wait_status (status, NULL));
      g_assert_cmpstr (err, ==, "");
      g_assert_nonnull (strstr (out, "DESCRIPTION"));
    }
}

/* Each line of the list of guarded places: a path of a known form, one tab, what is there. No place twice, none inside another,
 * which would cost a mask and say nothing. */
static void
test_guarded_places (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data ("/org/ocelot/core/guarded-places.list", 0, &error);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) lines = NULL;
  g_autofree char *text = NULL;
  const char *must[] = { "~/.ssh", "~/.gnupg", "~/.aws", "~/.azure", "~/.docker", "~/.kube", "~/.netrc", "~/.git-credentials",
                         "~/.config/gcloud", "~/.config/gh", "~/.config/op", "~/.config/containers", "~/.npmrc", "~/.pypirc",
                         "~/.password-store", "~/.pki", "~/.local/share/keyrings", "~/.mozilla", "~/.config/chromium",
                         "~/.config/google-chrome", "~/.config/BraveSoftware", "~/.config/microsoft-edge", "~/.config/vivaldi",
                         "~/.config/opera", "~/snap/firefox", "~/snap/chromium", "~/.var/app/org.mozilla.firefox",
                         "~/.var/app/com.google.Chrome", "~/.thunderbird", "~/.local/share/evolution", "~/.local/share/geary", "~/.mutt",
                         "~/.config/Signal", "~/.local/share/TelegramDesktop", "~/.config/discord", "~/.config/Slack", "~/.config/Element",
                         "~/.bash_history", "~/.zsh_history", "~/.python_history" };

  g_assert_no_error (error);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_assert_true (g_utf8_validate (text, -1, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) columns = g_strsplit (lines[i], "\t", -1);
      gboolean known;

      if (lines[i][0] == '\0' || lines[i][0] == '#')
        continue;
      g_assert_cmpuint (g_strv_length (columns), ==, 2);
      known = g_str_has_prefix (columns[0], "~/") || columns[0][0] == '/' || (columns[0][0] == '$' && g_ascii_isupper (columns[0][1]));
      if (!known || g_str_has_suffix (columns[0], "/") || strstr (columns[0], "..") != NULL || strpbrk (columns[0], "*?[") != NULL
          || oc_text_has_hidden (columns[0]) || oc_text_has_hidden (columns[1]) || columns[1][0] == '\0')
        g_error ("guarded-places.list: line %u: %s", i + 1, lines[i]);
      if (!g_hash_table_add (seen, g_strdup (columns[0])))
        g_error ("guarded-places.list: line %u: %s is listed twice", i + 1, columns[0]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (must); i++)
    if (!g_hash_table_contains (seen, must[i]))
      g_error ("%s is not guarded", must[i]);
  {
    GHashTableIter iter;
    const char *path;

    g_hash_table_iter_init (&iter, seen);
    while (g_hash_table_iter_next (&iter, (gpointer *) &path, NULL))
      for (const char *slash = strchr (path + 2, '/'); slash != NULL; slash = strchr (slash + 1, '/'))
        {
          g_autofree char *above = g_strndup (path, (gsize) (slash - path));
          if (g_hash_table_contains (seen, above))
            g_error ("%s lies in %s, which is guarded", path, above);
        }
  }
}

static const struct
{
  const char *id;
  OcPluginKind kind;
  gboolean valid;
  gboolean broad;
  const char *set; /* sorted, with a space between */
} samples[] = {
  { "org.ocelot.samples.WordCount", OC_PLUGIN_KIND_PROCESS, TRUE, FALSE, "file.readText selection.read" },
  { "org.ocelot.samples.Checksums", OC_PLUGIN_KIND_PROCESS, TRUE, FALSE, "process.spawn:sha256sum selection.read" },
  { "org.ocelot.samples.LookUp", OC_PLUGIN_KIND_PROCESS, TRUE, FALSE, "app.open:org.gnome.Nautilus openURL selection.read" },
  { "org.ocelot.samples.NotebookRunner", OC_PLUGIN_KIND_PROCESS, TRUE, TRUE, "file.readText process.spawn:python3 selection.read" },
  { "org.ocelot.samples.TenForbiddenThings", OC_PLUGIN_KIND_PROCESS, TRUE, FALSE, "" },
  { "org.ocelot.samples.Crasher", OC_PLUGIN_KIND_PROCESS, TRUE, FALSE, "" },
  { "org.ocelot.samples.HiddenText", OC_PLUGIN_KIND_PROCESS, FALSE, FALSE, "" },
  { "org.ocelot.samples.AddonBundle", OC_PLUGIN_KIND_ADDON, TRUE, TRUE,
    "cicdCredentials env:REPORTS_TOKEN fs:/srv/exports/** fs:/srv/pictures/*.png net:builds.example.com net:reports.example.com ocr spawn" },
};

static void
test_samples (void)
{
  g_autofree char *folder = source_path ("data/samples");
  g_autofree char *readme = source_path ("data/samples/README.md");
  g_autofree char *lines = NULL;
  /* A host where nothing is installed, so that it does not matter what is here. */
  g_autoptr (OcTools) tools = oc_tools_new ("/nonexistent");

  g_assert_true (g_file_get_contents (readme, &lines, NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (OcPlugin) plugin = oc_plugin_load (folder, samples[i].id);
      OcManifest *manifest = oc_plugin_get_manifest (plugin);
      GPtrArray *problems = oc_plugin_get_problems (plugin);
      g_auto (GStrv) set = oc_permission_set_to_strv (oc_manifest_get_permissions (manifest));
      g_autofree char *joined = g_strjoinv (" ", set);
      g_autofree char *sentence = oc_catalogue_broad_sentence (oc_manifest_get_permissions (manifest), tools);

      if (samples[i].valid && problems->len > 0)
        g_error ("%s: %s", samples[i].id, ((OcProblem *) problems->pdata[0])->message);
      g_assert_true ((problems->len == 0) == samples[i].valid);
      g_assert_cmpint (oc_manifest_get_kind (manifest), ==, samples[i].kind);
      g_assert_cmpstr (joined, ==, samples[i].set);
      g_assert_true ((sentence != NULL) == samples[i].broad);
      g_assert_nonnull (strstr (lines, samples[i].id));
      g_assert_cmpuint (oc_manifest_get_entries (manifest)->len, >, 0);
    }
}

static void
test_hidden_text (void)
{
  g_autofree char *folder = source_path ("data/samples");
  g_autoptr (OcPlugin) plugin = oc_plugin_load (folder, "org.ocelot.samples.HiddenText");
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  OcProblem *problem = g_ptr_array_index (oc_plugin_get_problems (plugin), 0);
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (manifest), 0, NULL);

  g_assert_nonnull (strstr (problem->place, "permissions[1]"));
  g_assert_nonnull (strstr (name, "\\u{200B}"));
  /* Shown, not dropped: what it declared is still there to see. */
  g_assert_cmpuint (oc_manifest_get_declarations (manifest)->len, >=, 2);
}

/* spawn on a hook is declared, and never granted. The same word on an addon is. */
static void
test_addon_bundle (void)
{
  g_autofree char *folder = source_path ("data/samples");
  g_autoptr (OcPlugin) plugin = oc_plugin_load (folder, "org.ocelot.samples.AddonBundle");
  OcManifest *manifest = oc_plugin_get_manifest (plugin);
  const OcEntry *hook = oc_manifest_find_entry (manifest, "Publish result");
  const OcEntry *addon = oc_manifest_find_entry (manifest, "Compare pictures");

  g_assert_false (oc_permission_set_grants (hook->permissions, OC_PERMISSION_SPAWN, NULL));
  g_assert_true (oc_permission_set_grants (addon->permissions, OC_PERMISSION_SPAWN, NULL));
  g_assert_true (oc_permission_set_grants (hook->permissions, OC_PERMISSION_CICD_CREDENTIALS, NULL));
}

static void
test_sample_programs (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *relative = g_build_filename ("data/samples", samples[i].id, "bin", "worker", NULL);
      g_autofree char *path = source_path (relative);
      g_autofree char *content = NULL;
      struct stat st;

      if (samples[i].kind != OC_PLUGIN_KIND_PROCESS)
        continue;
      g_assert_no_errno (stat (path, &st));
      g_assert_true (st.st_mode & S_IXUSR);
      g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
      g_assert_true (g_str_has_prefix (content, samples[i].valid ? "#!/usr/bin/python3 -IS\n" : "#!/bin/sh\n"));
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/desktop-file", test_desktop_file);
  g_test_add_func ("/data/metainfo", test_metainfo);
  g_test_add_func ("/data/manual-pages", test_manual_pages);
  g_test_add_func ("/data/guarded-places", test_guarded_places);
  g_test_add_func ("/data/samples/manifests", test_samples);
  g_test_add_func ("/data/samples/hidden-text", test_hidden_text);
  g_test_add_func ("/data/samples/addon-bundle", test_addon_bundle);
  g_test_add_func ("/data/samples/programs", test_sample_programs);
  return g_test_run ();
}
