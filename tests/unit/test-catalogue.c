/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include <gio/gio.h>

#include "core/oc-catalogue-app.h"
#include "core/oc-catalogue-glob.h"
#include "core/oc-catalogue.h"
#include "core/oc-text.h"

/* A host where nothing is installed: what is said then comes from the names alone. */
static OcTools *
bare_tools (void)
{
  return oc_tools_new ("/nonexistent");
}

/* @texts: permissions with a space between. */
static OcPermissionSet *
set_of (const char *texts)
{
  g_auto (GStrv) list = g_strsplit (texts, " ", -1);
  g_autoptr (GError) error = NULL;
  OcPermissionSet *set = oc_permission_set_parse (*texts != '\0' ? (const char *const *) list : NULL, &error);

  g_assert_no_error (error);
  return set;
}

static OcExplanation *
explain (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPermission) permission = oc_permission_parse (text, &error);
  g_autoptr (OcTools) tools = bare_tools ();

  g_assert_no_error (error);
  return oc_catalogue_explain (permission, tools);
}

static void
test_table_whole (void)
{
  for (OcPermissionKind kind = OC_PERMISSION_UNKNOWN + 1; kind < OC_N_PERMISSIONS; kind++)
    {
      const OcCatalogueEntry *entry = oc_catalogue_get (kind);

      g_assert_nonnull (entry);
      g_assert_cmpint (entry->kind, ==, kind);
      g_assert_cmpint (oc_catalogue_find (entry->id), ==, kind);
      g_assert_nonnull (entry->icon_name);
      g_assert_true (g_str_has_suffix (entry->grants, "."));
      g_assert_true (g_str_has_suffix (entry->held, "."));
      g_assert_true (entry->excludes == NULL || g_str_has_suffix (entry->excludes, "."));
      g_assert_true ((strstr (entry->title, "%s") != NULL) == (entry->argument_name != NULL));
      g_assert_true ((entry->broad_title != NULL) == (entry->short_broad != NULL));
      g_assert_true (entry->severity != OC_SEVERITY_BROAD || entry->broad_title != NULL);
    }
  g_assert_null (oc_catalogue_get (OC_PERMISSION_UNKNOWN));
  g_assert_null (oc_catalogue_get (OC_N_PERMISSIONS));
  g_assert_cmpint (oc_catalogue_find ("file.writeText"), ==, OC_PERMISSION_UNKNOWN);
  g_assert_cmpint (oc_catalogue_find (""), ==, OC_PERMISSION_UNKNOWN);
}

static const struct
{
  const char *text;
  OcSeverity severity;
  const char *title;
} titles[] = {
  { "selection.read", OC_SEVERITY_OK, "See what you have selected" },
  { "file.readText", OC_SEVERITY_OK, "Read text files you select" },
  { "process.spawn:sha256sum", OC_SEVERITY_CAUTION, "Run sha256sum" },
  { "process.spawn:python3", OC_SEVERITY_BROAD, "Run any program, through python3" },
  { "process.spawn:python3.11", OC_SEVERITY_BROAD, "Run any program, through python3.11" },
  { "process.spawn:cp", OC_SEVERITY_BROAD, "Write any file within its reach, through cp" },
  { "network.client", OC_SEVERITY_CAUTION, "Connect to the internet and this network" },
  { "openURL", OC_SEVERITY_CAUTION, "Open web pages and new mails" },
  { "app.open:org.gnome.Nautilus", OC_SEVERITY_CAUTION, "Open folders in org.gnome.Nautilus" },
  { "net:api.example.com", OC_SEVERITY_CAUTION, "Connect to api.example.com" },
  { "env:API_TOKEN", OC_SEVERITY_CAUTION, "Know the value of API_TOKEN" },
  { "spawn", OC_SEVERITY_BROAD, "Run any program, with your credentials" },
  { "fs:/srv/data/exports/**", OC_SEVERITY_CAUTION, "Read and change files matching /srv/data/exports/**" },
  { "fs:/srv/data/*.csv", OC_SEVERITY_CAUTION, "Read and change files matching /srv/data/*.csv" },
  { "fs:/**", OC_SEVERITY_BROAD, "Read and change everything in /**" },
  { "fs:/etc/**", OC_SEVERITY_BROAD, "Read and change everything in /etc/**" },
  { "fs:/home/alice/**", OC_SEVERITY_BROAD, "Read and change everything in /home/alice/**" },
  { "fs:/home/*/**", OC_SEVERITY_BROAD, "Read and change everything in /home/*/**" },
  { "fs:/root/**", OC_SEVERITY_BROAD, "Read and change everything in /root/**" },
  { "fs:/home/alice/.bashrc", OC_SEVERITY_BROAD, "Run any program outside the sandbox, by changing /home/alice/.bashrc" },
  { "fs:/home/alice/.config/auto*/x*.desktop", OC_SEVERITY_BROAD,
    "Run any program outside the sandbox, by changing /home/alice/.config/auto*/x*.desktop" },
  { "fs:/home/alice/exports/**", OC_SEVERITY_CAUTION, "Read and change files matching /home/alice/exports/**" },
};

static void
test_titles (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      g_autoptr (OcExplanation) explanation = explain (titles[i].text);
      g_autofree char *text = oc_explanation_to_text (explanation);
      gboolean broad = titles[i].severity == OC_SEVERITY_BROAD;

      g_assert_cmpstr (oc_explanation_get_title (explanation), ==, titles[i].title);
      g_assert_cmpint (oc_explanation_get_severity (explanation), ==, titles[i].severity);
      g_assert_true ((oc_explanation_get_short_broad (explanation) != NULL) == broad);
      /* A tooltip and a screen reader get all of it. */
      g_assert_nonnull (strstr (text, titles[i].title));
      g_assert_nonnull (strstr (text, titles[i].text));
      g_assert_nonnull (strstr (text, oc_explanation_get_grants (explanation)));
      g_assert_nonnull (strstr (text, oc_explanation_get_held (explanation)));
      g_assert_nonnull (strstr (text, oc_severity_to_label (titles[i].severity)));
      g_assert_null (strstr (text, "%s"));
    }
}

static void
test_broad_says_why (void)
{
  g_autoptr (OcExplanation) find = explain ("process.spawn:find");
  g_autoptr (OcExplanation) missing = explain ("process.spawn:sha256sum");

  g_assert_true (g_str_has_prefix (oc_explanation_get_grants (find), "The option -exec of find runs any program."));
  g_assert_nonnull (strstr (oc_explanation_get_grants (find), "stays in the sandbox"));
  g_assert_cmpstr (oc_explanation_get_here (missing), ==, "Not installed here.");
}

static void
test_worst_first (void)
{
  g_autoptr (OcPermissionSet) set = set_of ("selection.read file.readText network.client process.spawn:wc process.spawn:sh openURL");
  g_autoptr (OcTools) tools = bare_tools ();
  g_autoptr (GPtrArray) all = oc_catalogue_explain_set (set, tools);

  g_assert_cmpuint (all->len, ==, 6);
  g_assert_cmpstr (oc_explanation_get_title (all->pdata[0]), ==, "Run any program, through sh");
  for (guint i = 1; i < all->len; i++)
    g_assert_cmpint (oc_explanation_get_severity (all->pdata[i - 1]), <=, oc_explanation_get_severity (all->pdata[i]));
}

static void
test_globs_meet (void)
{
  const struct
  {
    const char *a;
    const char *b;
    gboolean meet;
  } cases[] = {
    { "/a/b", "/a/b", TRUE },          { "/a/b", "/a/c", FALSE },        { "/a/*", "/a/b", TRUE },       { "/a/*", "/a/b/c", FALSE },
    { "/a/**", "/a/b/c", TRUE },       { "/a/**/c", "/a/c", TRUE },      { "/a/**/c", "/a/b/d", FALSE }, { "/a/?", "/a/bb", FALSE },
    { "/a/?b", "/a/x*", TRUE },        { "/a/x*", "/a/*y", TRUE },       { "/a/x*", "/a/y*", FALSE },    { "/*/b", "/a/**", TRUE },
    { "/a/exports", "/a/exports_evil", FALSE }, { "/a*", "/a/b", FALSE }, { "/a?b", "/a/b", FALSE },     { "/a**", "/a/b", TRUE },
    { "/a/*", "/a/", TRUE },           { "", "", TRUE },                 { "", "/", FALSE },             { "**", "", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (oc_glob_may_meet (cases[i].a, cases[i].b) != cases[i].meet || oc_glob_may_meet (cases[i].b, cases[i].a) != cases[i].meet)
      g_error ("%s and %s", cases[i].a, cases[i].b);
}

static void
test_globs_that_start_programs (void)
{
  const char *starting[] = { "/home/a/.profile", "/home/*/.zshrc", "/root/.bashrc", "/home/a/.config/autostart/x.desktop",
                             "/home/a/.local/bin/tool", "/home/a/.local/share/ocelot/Plugins/x.y/**", "/home/a/**", "/**",
                             "/home/?/.ssh/authorized_keys", "/**/.gitconfig", "/*/*/.*",
                             "/home/a/.vscode/extensions/**", "/home/a/.cargo/bin/*", "/home/a/.config/i3/config", "/home/a/.nvm/**",
                             "/home/a/.mozilla/**", "/home/a/.gnupg/*", "/home/a/.docker/cli-plugins/x", "/home/a/.bashrc.d/x" };
  const char *harmless[] = { "/home/a/exports/**", "/home/a/Documents/*.txt", "/srv/data/**/x", "/etc/x", "/home/a/bashrc", "/var/data/**",
                             "/home/a/.config/app/*", "/home/a/.bashrc.d" };
  g_autofree char *filler = g_strnfill (600, 'x');
  g_autofree char *long_one = g_strconcat ("/srv/", filler, "/*", NULL);
  g_autofree char *long_plain = g_strconcat ("/srv/", filler, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (starting); i++)
    if (!oc_glob_starts_programs (starting[i]) || oc_glob_get_reach (starting[i]) == OC_GLOB_NARROW)
      g_error ("%s", starting[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (harmless); i++)
    if (oc_glob_starts_programs (harmless[i]) || oc_glob_get_reach (harmless[i]) != OC_GLOB_NARROW)
      g_error ("%s", harmless[i]);
  /* Too long to be judged is not harmless. */
  g_assert_cmpint (oc_glob_get_reach (long_one), ==, OC_GLOB_WIDE);
  g_assert_cmpint (oc_glob_get_reach (long_plain), ==, OC_GLOB_NARROW);
}

/* Whatever is asked, the answer comes at once: no pattern makes it look at a pair of places twice. */
static void
test_globs_are_bounded (void)
{
  g_autoptr (GString) a = g_string_new (NULL);
  g_autoptr (GString) b = g_string_new (NULL);

  for (int i = 0; i < 1000; i++)
    {
      g_string_append (a, "*a**");
      g_string_append (b, "a*?*");
    }
  g_string_append_c (a, 'x');
  g_string_append_c (b, 'y');
  g_assert_false (oc_glob_may_meet (a->str, b->str));
}

static const OcStatement *
find_statement (GPtrArray *statements,
                const char *title)
{
  for (guint i = 0; i < statements->len; i++)
    {
      const OcStatement *statement = g_ptr_array_index (statements, i);
      g_assert_true (g_str_has_suffix (statement->text, "."));
      if (g_str_equal (statement->title, title))
        return statement;
    }
  return NULL;
}

#define AWAY "It can send your files away"
#define NAMES_AWAY "It can tell others the names of your files"
#define SECRETS_AWAY "It can send passwords and tokens away"
#define MOOT "Naming single tools limits nothing"
#define LISTS_MOOT "The lists beside “run any program” limit little"
#define FETCH "It can fetch other programs and run them"
#define BEYOND "Its reading does not end at your selection"

/* For each case: what must be said, and what must not. */
static const struct
{
  OcPluginKind kind;
  const char *set;
  const char *said[3];
  const char *unsaid[6];
} combinations[] = {
  { OC_PLUGIN_KIND_PROCESS, "", { NULL }, { AWAY, NAMES_AWAY, MOOT, FETCH, SECRETS_AWAY, BEYOND } },
  { OC_PLUGIN_KIND_PROCESS, "selection.read process.spawn:sha256sum", { NULL }, { AWAY, NAMES_AWAY, MOOT, FETCH, BEYOND } },
  { OC_PLUGIN_KIND_PROCESS, "network.client", { AWAY, FETCH }, { NAMES_AWAY, MOOT } },
  { OC_PLUGIN_KIND_PROCESS, "openURL", { AWAY }, { FETCH, NAMES_AWAY } },
  { OC_PLUGIN_KIND_PROCESS, "file.readText", { BEYOND }, { AWAY } },
  { OC_PLUGIN_KIND_PROCESS, "process.spawn:sh process.spawn:wc", { MOOT }, { AWAY, FETCH } },
  { OC_PLUGIN_KIND_PROCESS, "process.spawn:sh", { NULL }, { MOOT, AWAY } },
  { OC_PLUGIN_KIND_PROCESS, "process.spawn:cp process.spawn:wc", { NULL }, { MOOT, AWAY } },
  { OC_PLUGIN_KIND_SCRIPT, "network.client", { NULL }, { AWAY, NAMES_AWAY, FETCH } },
  { OC_PLUGIN_KIND_SCRIPT, "network.client selection.read", { NAMES_AWAY }, { AWAY } },
  { OC_PLUGIN_KIND_SCRIPT, "openURL file.readText", { AWAY }, { NAMES_AWAY, BEYOND } },
  { OC_PLUGIN_KIND_SCRIPT, "network.client process.spawn:wc", { AWAY, "Its tools read more than you select" }, { FETCH } },
  { OC_PLUGIN_KIND_SCRIPT, "network.client process.spawn:sh", { AWAY, FETCH }, { NULL } },
  { OC_PLUGIN_KIND_ADDON, "fs:/srv/x/* net:a.example.com", { AWAY }, { SECRETS_AWAY, LISTS_MOOT } },
  { OC_PLUGIN_KIND_ADDON, "env:KEY net:a.example.com", { SECRETS_AWAY }, { AWAY, LISTS_MOOT } },
  { OC_PLUGIN_KIND_ADDON, "env:KEY", { NULL }, { SECRETS_AWAY } },
  { OC_PLUGIN_KIND_ADDON, "fs:/srv/x/* spawn", { LISTS_MOOT }, { SECRETS_AWAY } },
  { OC_PLUGIN_KIND_ADDON, "fs:/srv/x/* ai", { AWAY }, { LISTS_MOOT } },
  { OC_PLUGIN_KIND_ADDON, "spawn net:a.example.com", { AWAY, LISTS_MOOT, SECRETS_AWAY }, { NAMES_AWAY } },
  /* Cautions that would come before the broad one, were they not sorted. */
  { OC_PLUGIN_KIND_ADDON, "fs:/srv/x/* spawn ai", { AWAY, LISTS_MOOT, SECRETS_AWAY }, { NULL } },
};

static void
test_combinations (void)
{
  g_autoptr (OcTools) tools = bare_tools ();

  for (gsize i = 0; i < G_N_ELEMENTS (combinations); i++)
    {
      g_autoptr (OcPermissionSet) set = set_of (combinations[i].set);
      g_autoptr (GPtrArray) statements = oc_catalogue_combine (set, combinations[i].kind, tools);

      for (gsize j = 0; j < G_N_ELEMENTS (combinations[i].said) && combinations[i].said[j] != NULL; j++)
        if (find_statement (statements, combinations[i].said[j]) == NULL)
          g_error ("case %zu does not say “%s”", i, combinations[i].said[j]);
      for (gsize j = 0; j < G_N_ELEMENTS (combinations[i].unsaid) && combinations[i].unsaid[j] != NULL; j++)
        if (find_statement (statements, combinations[i].unsaid[j]) != NULL)
          g_error ("case %zu says “%s”", i, combinations[i].unsaid[j]);
      for (guint j = 1; j < statements->len; j++)
        g_assert_cmpint (((OcStatement *) statements->pdata[j - 1])->severity, <=, ((OcStatement *) statements->pdata[j])->severity);
    }
}

/* Sending away is worst where the reading has no end and the network no ends. */
static void
test_severity_of_carrying_away (void)
{
  const struct
  {
    OcPluginKind kind;
    const char *set;
    OcSeverity severity;
  } cases[] = {
    { OC_PLUGIN_KIND_PROCESS, "network.client", OC_SEVERITY_BROAD },
    { OC_PLUGIN_KIND_PROCESS, "openURL", OC_SEVERITY_CAUTION },
    { OC_PLUGIN_KIND_SCRIPT, "network.client file.readText", OC_SEVERITY_CAUTION },
    { OC_PLUGIN_KIND_SCRIPT, "network.client process.spawn:wc", OC_SEVERITY_BROAD },
    { OC_PLUGIN_KIND_ADDON, "fs:/srv/x/* net:a.example.com", OC_SEVERITY_CAUTION },
    { OC_PLUGIN_KIND_ADDON, "fs:/** net:a.example.com", OC_SEVERITY_BROAD },
    { OC_PLUGIN_KIND_ADDON, "spawn net:a.example.com", OC_SEVERITY_BROAD },
  };
  g_autoptr (OcTools) tools = bare_tools ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (OcPermissionSet) set = set_of (cases[i].set);
      g_autoptr (GPtrArray) statements = oc_catalogue_combine (set, cases[i].kind, tools);
      const OcStatement *statement = find_statement (statements, AWAY);

      g_assert_nonnull (statement);
      g_assert_cmpint (statement->severity, ==, cases[i].severity);
    }
}

static void
test_names_in_combinations (void)
{
  g_autoptr (OcTools) tools = bare_tools ();
  g_autoptr (OcPermissionSet) set = set_of ("process.spawn:sh process.spawn:python3 process.spawn:wc process.spawn:file");
  g_autoptr (GPtrArray) statements = oc_catalogue_combine (set, OC_PLUGIN_KIND_PROCESS, tools);

  g_assert_cmpstr (find_statement (statements, MOOT)->text, ==,
                   "Through python3, sh it can run any program. Asking for file, wc by name as well limits nothing.");
}

static gboolean
has_title (GPtrArray *statements,
           const char *title)
{
  return find_statement (statements, title) != NULL;
}

/* What a set changes in the baseline is changed there too: nothing may be promised that a permission takes back. */
static void
test_baseline (void)
{
  g_autoptr (OcPermissionSet) none = set_of ("");
  g_autoptr (OcPermissionSet) network = set_of ("network.client");
  g_autoptr (OcPermissionSet) url = set_of ("openURL");
  g_autoptr (OcPermissionSet) tool = set_of ("process.spawn:wc");
  g_autoptr (OcPermissionSet) fs = set_of ("fs:/srv/x/*");
  g_autoptr (GPtrArray) always = oc_catalogue_can_always (none, OC_PLUGIN_KIND_PROCESS);
  g_autoptr (GPtrArray) script_always = oc_catalogue_can_always (none, OC_PLUGIN_KIND_SCRIPT);
  g_autoptr (GPtrArray) script_tool = oc_catalogue_can_always (tool, OC_PLUGIN_KIND_SCRIPT);
  g_autoptr (GPtrArray) never = oc_catalogue_can_never (none, OC_PLUGIN_KIND_PROCESS);
  g_autoptr (GPtrArray) never_network = oc_catalogue_can_never (network, OC_PLUGIN_KIND_PROCESS);
  g_autoptr (GPtrArray) never_url = oc_catalogue_can_never (url, OC_PLUGIN_KIND_PROCESS);
  g_autoptr (GPtrArray) never_script = oc_catalogue_can_never (none, OC_PLUGIN_KIND_SCRIPT);
  g_autoptr (GPtrArray) never_script_tool = oc_catalogue_can_never (tool, OC_PLUGIN_KIND_SCRIPT);
  g_autoptr (GPtrArray) never_fs = oc_catalogue_can_never (fs, OC_PLUGIN_KIND_ADDON);

  g_assert_true (has_title (always, "Read your files"));
  g_assert_cmpint (((OcStatement *) always->pdata[0])->severity, ==, OC_SEVERITY_CAUTION);
  g_assert_false (has_title (script_always, "Read your files"));
  g_assert_true (has_title (script_tool, "Read your files, through the programs it runs"));

  g_assert_true (has_title (never, "Use the network"));
  g_assert_false (has_title (never, "Accept connections from others"));
  g_assert_false (has_title (never, "Read your files"));
  g_assert_false (has_title (never_network, "Use the network"));
  g_assert_true (has_title (never_network, "Accept connections from others"));
  g_assert_true (has_title (never, "Use your session"));
  g_assert_false (has_title (never_url, "Use your session"));
  g_assert_true (has_title (never_url, "Use your session by itself"));
  g_assert_true (has_title (never_script, "Read your files"));
  g_assert_false (has_title (never_script_tool, "Read your files"));
  g_assert_false (has_title (never_fs, "Change your files"));
  g_assert_true (has_title (never_fs, "Change other files than its patterns fit"));
}

/* Every permission, alone and with every other: never both a promise and its opposite, and all texts whole. */
static void
test_baseline_never_contradicts (void)
{
  for (OcPermissionKind a = OC_PERMISSION_UNKNOWN + 1; a < OC_N_PERMISSIONS; a++)
    for (OcPluginKind kind = OC_PLUGIN_KIND_UNKNOWN; kind <= OC_PLUGIN_KIND_ADDON; kind++)
      {
        const OcCatalogueEntry *entry = oc_catalogue_get (a);
        const char *argument = a == OC_PERMISSION_FS         ? "/srv/x/*"
                               : a == OC_PERMISSION_APP_OPEN ? "org.x.Y"
                               : a == OC_PERMISSION_NET      ? "a.example.com"
                                                             : "KEY";
        g_autoptr (OcPermission) permission = oc_permission_new (a, entry->argument_name != NULL ? argument : NULL, NULL);
        g_autoptr (GPtrArray) list = g_ptr_array_new ();
        g_autoptr (OcPermissionSet) set = NULL;
        g_autoptr (GPtrArray) always = NULL;
        g_autoptr (GPtrArray) never = NULL;

        g_ptr_array_add (list, permission);
        set = oc_permission_set_new (list);
        always = oc_catalogue_can_always (set, kind);
        never = oc_catalogue_can_never (set, kind);
        g_assert_cmpuint (always->len, >, 0);
        g_assert_cmpuint (never->len, >, 5);
        for (guint i = 0; i < always->len; i++)
          g_assert_false (has_title (never, ((OcStatement *) always->pdata[i])->title));
        g_assert_true (has_title (never, "Use the network") != has_title (never, "Accept connections from others"));
        g_assert_true (has_title (never, "Use your session") != has_title (never, "Use your session by itself"));
      }
}

static void
test_broad_sentence (void)
{
  const char *cases[][2] = {
    { "", NULL },
    { "network.client process.spawn:wc file.readText", NULL },
    { "process.spawn:sh process.spawn:python3 process.spawn:wc", "I understand that it can run any program (python3, sh)." },
    { "process.spawn:cp", "I understand that it can write any file within its reach (cp)." },
    { "process.spawn:cp process.spawn:sh", "I understand that it can run any program (sh), and write any file within its reach (cp)." },
    { "spawn", "I understand that it can run any program with my credentials." },
    { "fs:/**", "I understand that it can change most of my files (/**)." },
    { "fs:/home/a/.bashrc", "I understand that it can have any program run outside the sandbox (/home/a/.bashrc)." },
    { "fs:/home/a/.bashrc fs:/etc/** spawn", "I understand that it can run any program with my credentials, change most of my "
      "files (/etc/**), and have any program run outside the sandbox (/home/a/.bashrc)." },
    { "fs:/home/a/.bashrc fs:/etc/**", "I understand that it can change most of my files (/etc/**), and have any program run "
      "outside the sandbox (/home/a/.bashrc)." },
    { "fs:/home/a/.bashrc spawn", "I understand that it can run any program with my credentials, and have any program run "
      "outside the sandbox (/home/a/.bashrc)." },
    { "process.spawn:sh spawn", "I understand that it can run any program with my credentials. I understand that it can run "
      "any program (sh)." },
    { "fs:/** spawn", "I understand that it can run any program with my credentials, and change most of my files (/**)." },
  };
  g_autoptr (OcTools) tools = bare_tools ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (OcPermissionSet) set = set_of (cases[i][0]);
      g_autofree char *sentence = oc_catalogue_broad_sentence (set, tools);
      g_assert_cmpstr (sentence, ==, cases[i][1]);
    }
}

/* Whatever is broad in the list must be in the sentence: for each kind and a few arguments. */
static void
test_sentence_leaves_nothing_out (void)
{
  const char *all = "selection.read process.spawn:sh process.spawn:tee process.spawn:wc file.readText openURL app.open:org.x.Y "
                    "app.open:xterm app.open:sh network.client fs:/** net:a.example.com env:KEY spawn ai ocr cicdCredentials";
  g_auto (GStrv) texts = g_strsplit (all, " ", -1);
  g_autoptr (OcTools) tools = bare_tools ();

  for (guint i = 0; texts[i] != NULL; i++)
    {
      g_autoptr (OcPermissionSet) set = set_of (texts[i]);
      g_autoptr (OcExplanation) explanation = explain (texts[i]);
      g_autofree char *sentence = oc_catalogue_broad_sentence (set, tools);
      g_assert_true ((sentence != NULL) == (oc_explanation_get_severity (explanation) == OC_SEVERITY_BROAD));
    }
}

/* Applications that run what they are given, by their desktop entry's command line. */
static void
test_app_commands (void)
{
  static const struct
  {
    const char *command;
    OcAppReach reach;
  } cases[] = {
    { "nautilus --new-window %U", OC_APP_PLAIN },
    { "/usr/bin/thunar %F", OC_APP_PLAIN },
    { "code --unity-launch %F", OC_APP_PLAIN },
    { "env BAMF_DESKTOP_FILE_HINT=/x/code.desktop /snap/bin/code %F", OC_APP_PLAIN },
    { "/usr/bin/flatpak run --branch=stable --arch=x86_64 --file-forwarding org.gnome.Nautilus @@u %U @@", OC_APP_PLAIN },
    { "python3 /usr/share/app/main.py %f", OC_APP_PLAIN },
    { "python3 -m app %f", OC_APP_PLAIN },
    { "\"unclosed", OC_APP_PLAIN }, /* GLib starts none such */
    { NULL, OC_APP_PLAIN },
    { "xterm -e %f", OC_APP_TERMINAL },
    { "konsole --workdir %f", OC_APP_TERMINAL },
    { "env GDK_BACKEND=x11 /usr/bin/gnome-terminal --working-directory=%f", OC_APP_TERMINAL },
    { "flatpak run --command=xterm org.example.App %f", OC_APP_TERMINAL },
    { "sh %f", OC_APP_RUNS_FOLDER },
    { "/bin/sh -c \"cd %f && ./run\"", OC_APP_RUNS_FOLDER },
    { "env -i A=b nice -n 5 bash %f", OC_APP_RUNS_FOLDER },
    { "env -u A nohup python3 /usr/share/app/main.py %f", OC_APP_PLAIN },
    { "python3 %f", OC_APP_RUNS_FOLDER },
    { "python3 -I %f", OC_APP_RUNS_FOLDER },
    { "python3 -c \"import sys\" %f", OC_APP_RUNS_FOLDER },
    { "node %F", OC_APP_RUNS_FOLDER },
    { "make -C %f", OC_APP_RUNS_FOLDER },
    { "busybox sh %f", OC_APP_RUNS_FOLDER },
  };
  g_autoptr (OcTools) tools = bare_tools ();
  g_autoptr (OcTools) without = oc_tools_new_with_list (NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].command);
      g_assert_cmpint (oc_app_get_reach_of_command (cases[i].command, tools), ==, cases[i].reach);
    }
  /* Without its list, nothing is known to be harmless. */
  g_assert_cmpint (oc_app_get_reach_of_command ("nautilus %U", without), ==, OC_APP_RUNS_FOLDER);
}

/* By its name alone where it is not installed. */
static void
test_broad_apps (void)
{
  static const struct
  {
    const char *text;
    const char *title;
    const char *sentence;
  } cases[] = {
    { "app.open:org.kde.konsole", "Open a terminal in your folders, through org.kde.konsole",
      "I understand that it can open my folders in what can run their content outside the sandbox (org.kde.konsole)." },
    { "app.open:bash", "Run what is in your folders, through bash",
      "I understand that it can open my folders in what can run their content outside the sandbox (bash)." },
    { "app.open:org.gnome.Nautilus", "Open folders in org.gnome.Nautilus", NULL },
  };
  g_autoptr (OcTools) tools = bare_tools ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (OcPermissionSet) set = set_of (cases[i].text);
      g_autoptr (OcExplanation) explanation = explain (cases[i].text);
      g_autofree char *sentence = oc_catalogue_broad_sentence (set, tools);

      g_assert_cmpstr (oc_explanation_get_title (explanation), ==, cases[i].title);
      g_assert_cmpstr (sentence, ==, cases[i].sentence);
      g_assert_cmpint (oc_explanation_get_severity (explanation), ==, cases[i].sentence ? OC_SEVERITY_BROAD : OC_SEVERITY_CAUTION);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/catalogue/table-whole", test_table_whole);
  g_test_add_func ("/catalogue/titles", test_titles);
  g_test_add_func ("/catalogue/globs/meet", test_globs_meet);
  g_test_add_func ("/catalogue/globs/start-programs", test_globs_that_start_programs);
  g_test_add_func ("/catalogue/globs/bounded", test_globs_are_bounded);
  g_test_add_func ("/catalogue/broad-says-why", test_broad_says_why);
  g_test_add_func ("/catalogue/worst-first", test_worst_first);
  g_test_add_func ("/catalogue/combinations", test_combinations);
  g_test_add_func ("/catalogue/carrying-away", test_severity_of_carrying_away);
  g_test_add_func ("/catalogue/combinations-name-the-tools", test_names_in_combinations);
  g_test_add_func ("/catalogue/baseline", test_baseline);
  g_test_add_func ("/catalogue/baseline-never-contradicts", test_baseline_never_contradicts);
  g_test_add_func ("/catalogue/broad-sentence", test_broad_sentence);
  g_test_add_func ("/catalogue/sentence-leaves-nothing-out", test_sentence_leaves_nothing_out);
  g_test_add_func ("/catalogue/app-commands", test_app_commands);
  g_test_add_func ("/catalogue/broad-apps", test_broad_apps);
  return g_test_run ();
}
