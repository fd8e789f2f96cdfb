/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue.h"

#include <glib/gi18n-lib.h>

#include "core/oc-catalogue-app.h"
#include "core/oc-catalogue-glob.h"
#include "core/oc-text.h"

/* What a set comes to, taken together. */
typedef struct
{
  OcPluginKind kind;
  GPtrArray *run_tools;    /* (element-type utf8) broad ones that run any program; escaped, as all names here */
  GPtrArray *write_tools;  /* broad ones that write files */
  GPtrArray *narrow_tools; /* the others */
  GPtrArray *hosts;        /* net */
  GPtrArray *wide_globs;   /* fs: whole homes and the like */
  GPtrArray *start_globs;  /* fs: files that start programs */
  GPtrArray *run_apps;     /* app.open: terminals, shells and the like */
  gboolean has[OC_N_PERMISSIONS];
} Sum;

static void
sum_clear (Sum *sum)
{
  g_clear_pointer (&sum->run_tools, g_ptr_array_unref);
  g_clear_pointer (&sum->write_tools, g_ptr_array_unref);
  g_clear_pointer (&sum->narrow_tools, g_ptr_array_unref);
  g_clear_pointer (&sum->hosts, g_ptr_array_unref);
  g_clear_pointer (&sum->wide_globs, g_ptr_array_unref);
  g_clear_pointer (&sum->start_globs, g_ptr_array_unref);
  g_clear_pointer (&sum->run_apps, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sum, sum_clear)

static void
sum_tool (Sum *sum,
          OcTools *tools,
          const char *name,
          char *shown)
{
  g_autoptr (OcTool) tool = oc_tools_look_up (tools, name);

  if (!oc_tool_is_broad (tool))
    g_ptr_array_add (sum->narrow_tools, shown);
  else if (oc_tool_get_effect (tool) == OC_TOOL_EFFECT_RUN)
    g_ptr_array_add (sum->run_tools, shown);
  else
    g_ptr_array_add (sum->write_tools, shown);
}

static void
sum_glob (Sum *sum,
          const char *glob)
{
  switch (oc_glob_get_reach (glob))
    {
    case OC_GLOB_STARTS_PROGRAMS:
      g_ptr_array_add (sum->start_globs, oc_text_escape (glob, 0, NULL));
      break;
    case OC_GLOB_WIDE:
      g_ptr_array_add (sum->wide_globs, oc_text_escape (glob, 0, NULL));
      break;
    case OC_GLOB_NARROW:
      break;
    }
}

static void
sum_app (Sum *sum,
         OcTools *tools,
         const char *id)
{
  g_autofree char *name = NULL;

  if (oc_app_get_reach (id, tools, &name) != OC_APP_PLAIN)
    g_ptr_array_add (sum->run_apps, oc_text_escape (id, 0, NULL));
}

static void
sum_permission (Sum *sum,
                OcPermission *permission,
                OcTools *tools)
{
  OcPermissionKind kind = oc_permission_get_kind (permission);
  const char *argument = oc_permission_get_argument (permission);

  if (kind >= OC_N_PERMISSIONS)
    return;
  sum->has[kind] = TRUE;
  if (kind == OC_PERMISSION_PROCESS_SPAWN)
    sum_tool (sum, tools, argument, oc_text_escape (argument, 0, NULL));
  else if (kind == OC_PERMISSION_NET)
    g_ptr_array_add (sum->hosts, oc_text_escape (argument, 0, NULL));
  else if (kind == OC_PERMISSION_FS)
    sum_glob (sum, argument);
  else if (kind == OC_PERMISSION_APP_OPEN)
    sum_app (sum, tools, argument);
}

/* @tools: (nullable) */
static void
sum_init (Sum *sum,
          OcPermissionSet *set,
          OcPluginKind kind,
          OcTools *tools)
{
  g_autoptr (OcTools) shared = tools != NULL ? oc_tools_ref (tools) : oc_tools_new (NULL);

  sum->kind = kind;
  sum->run_tools = g_ptr_array_new_with_free_func (g_free);
  sum->write_tools = g_ptr_array_new_with_free_func (g_free);
  sum->narrow_tools = g_ptr_array_new_with_free_func (g_free);
  sum->hosts = g_ptr_array_new_with_free_func (g_free);
  sum->wide_globs = g_ptr_array_new_with_free_func (g_free);
  sum->start_globs = g_ptr_array_new_with_free_func (g_free);
  sum->run_apps = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    sum_permission (sum, oc_permission_set_get (set, i), shared);
}

/* "git, sha256sum". (transfer full) */
static char *
join (GPtrArray *names)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    {
      if (i > 0)
        /* Translators: between two names in a list. */
        g_string_append (text, C_ ("list", ", "));
      g_string_append (text, g_ptr_array_index (names, i));
    }
  return g_string_free (text, FALSE);
}

static void
statement_free (gpointer data)
{
  OcStatement *statement = data;
  g_free (statement->title);
  g_free (statement->text);
  g_free (statement);
}

static GPtrArray *
statements_new (void)
{
  return g_ptr_array_new_with_free_func (statement_free);
}

/* @title, @text: translated */
static void
say (GPtrArray *statements,
     OcSeverity severity,
     const char *title,
     const char *text)
{
  OcStatement *statement = g_new0 (OcStatement, 1);

  statement->severity = severity;
  statement->title = g_strdup (title);
  statement->text = g_strdup (text);
  g_ptr_array_add (statements, statement);
}

static int
compare_statements (gconstpointer a,
                    gconstpointer b)
{
  const OcStatement *x = *(OcStatement *const *) a;
  const OcStatement *y = *(OcStatement *const *) b;

  return (int) x->severity - (int) y->severity;
}

/* Whether something of the plugin reads whatever the user can: a process plugin does, and so does every tool that the
 * launcher runs for one. */
static gboolean
reads_most_files (const Sum *sum)
{
  return sum->kind == OC_PLUGIN_KIND_PROCESS || sum->has[OC_PERMISSION_PROCESS_SPAWN]
         || sum->has[OC_PERMISSION_SPAWN] || sum->wide_globs->len > 0;
}

/* What it knows of the user's files, worst first. (nullable) */
static const char *
describe_reading (const Sum *sum)
{
  if (reads_most_files (sum))
    return _("It can read most of your files.");
  if (sum->has[OC_PERMISSION_FS])
    return _("It can read the files that its patterns fit.");
  if (sum->has[OC_PERMISSION_FILE_READ_TEXT])
    return _("It can read the text of the files that you select.");
  if (sum->has[OC_PERMISSION_SELECTION_READ])
    return _("It knows the names of the files that you select.");
  return NULL;
}

static void
add_sentence (GString *text,
              const char *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
  g_string_append (text, sentence);
}

/* The ways out of this computer. Returns FALSE where there is none. */
static gboolean
describe_ways_out (const Sum *sum,
                   GString *text)
{
  gsize before = text->len;
  g_autofree char *hosts = join (sum->hosts);
  g_autofree char *to_hosts = NULL;

  if (sum->has[OC_PERMISSION_NETWORK_CLIENT])
    add_sentence (text, _("It can connect to the internet, and nobody looks at what it sends."));
  if (sum->hosts->len > 0)
    {
      /* Translators: %s is a list of names of computers. */
      to_hosts = g_strdup_printf (_("It can send anything to %s."), hosts);
      add_sentence (text, to_hosts);
    }
  if (sum->has[OC_PERMISSION_OPEN_URL])
    add_sentence (text, _("It can open web addresses, and an address can carry what it has read."));
  if (sum->has[OC_PERMISSION_AI])
    add_sentence (text, _("It can put what it has read into a question to your language model."));
  return text->len > before;
}

static void
combine_carrying_away (const Sum *sum,
                       GPtrArray *statements)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *reading = describe_reading (sum);
  gboolean open_network = sum->has[OC_PERMISSION_NETWORK_CLIENT] || sum->hosts->len > 0;
  gboolean only_names = !reads_most_files (sum) && !sum->has[OC_PERMISSION_FS]
                        && !sum->has[OC_PERMISSION_FILE_READ_TEXT];

  if (reading == NULL)
    return;
  g_string_append (text, reading);
  if (!describe_ways_out (sum, text))
    return;
  say (statements, reads_most_files (sum) && open_network ? OC_SEVERITY_BROAD : OC_SEVERITY_CAUTION,
       only_names ? _("It can tell others the names of your files")
                  : _("It can send your files away"),
       text->str);
}

static void
combine_secrets (const Sum *sum,
                 GPtrArray *statements)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (!sum->has[OC_PERMISSION_ENV] && !sum->has[OC_PERMISSION_CICD_CREDENTIALS] && !sum->has[OC_PERMISSION_SPAWN])
    return;
  g_string_append (text, _("It gets values that are often passwords or tokens."));
  if (describe_ways_out (sum, text))
    say (statements, OC_SEVERITY_CAUTION, _("It can send passwords and tokens away"), text->str);
}

/* A broad grant makes the narrower ones beside it meaningless. */
static void
combine_moot (const Sum *sum,
              GPtrArray *statements)
{
  g_autofree char *broad = join (sum->run_tools);
  g_autofree char *narrow = join (sum->narrow_tools);
  g_autofree char *text = NULL;

  if (sum->run_tools->len > 0 && sum->narrow_tools->len > 0)
    {
      /* Translators: both are lists of names of programs: first the ones that can run any program, then the others. */
      text = g_strdup_printf (_("Through %s it can run any program. Asking for %s by name as well limits nothing."),
                              broad, narrow);
      say (statements, OC_SEVERITY_BROAD, _("Naming single tools limits nothing"), text);
    }
  if (sum->has[OC_PERMISSION_SPAWN]
      && (sum->has[OC_PERMISSION_FS] || sum->hosts->len > 0 || sum->has[OC_PERMISSION_ENV]))
    say (statements, OC_SEVERITY_BROAD, _("The lists beside “run any program” limit little"),
         _("A program that it runs gets your whole environment and can read your files, whichever of them the "
           "lists here name."));
}

static void
combine_code (const Sum *sum,
              GPtrArray *statements)
{
  if (sum->has[OC_PERMISSION_NETWORK_CLIENT]
      && (sum->kind == OC_PLUGIN_KIND_PROCESS || sum->run_tools->len > 0))
    say (statements, OC_SEVERITY_CAUTION, _("It can fetch other programs and run them"),
         _("What it does can change at any time, without an update. Fetched programs stay in the sandbox."));
}

static void
combine_selection (const Sum *sum,
                   GPtrArray *statements)
{
  if (sum->kind == OC_PLUGIN_KIND_PROCESS && sum->has[OC_PERMISSION_FILE_READ_TEXT])
    say (statements, OC_SEVERITY_CAUTION, _("Its reading does not end at your selection"),
         _("A plugin of this kind can read most of your files without asking. The permission to read the text of "
           "what you select adds little to that."));
  if (sum->kind == OC_PLUGIN_KIND_SCRIPT && sum->has[OC_PERMISSION_PROCESS_SPAWN])
    say (statements, OC_SEVERITY_CAUTION, _("Its tools read more than you select"),
         _("The script itself reads only what its permissions say. A tool that it runs can read most of your files, "
           "and tell the script."));
}

GPtrArray *
oc_catalogue_combine (OcPermissionSet *set,
                      OcPluginKind kind,
                      OcTools *tools)
{
  GPtrArray *statements = statements_new ();
  g_auto (Sum) sum = { 0 };

  sum_init (&sum, set, kind, tools);
  combine_carrying_away (&sum, statements);
  combine_moot (&sum, statements);
  combine_secrets (&sum, statements);
  combine_code (&sum, statements);
  combine_selection (&sum, statements);
  /* Stable: g_ptr_array_sort() keeps the order of what compares equal. */
  g_ptr_array_sort (statements, compare_statements);
  return statements;
}

/* Of an addon bundle: “spawn”, whole homes, files that start programs. (nullable) */
static char *
addon_sentence (const Sum *sum)
{
  g_autofree char *wide = join (sum->wide_globs);
  g_autofree char *starts = join (sum->start_globs);
  gboolean spawn = sum->has[OC_PERMISSION_SPAWN];

  /* Translators: in these sentences a %s in brackets is a list of names of programs or of patterns for paths. A user
   * ticks one of them before enabling a plugin, so that nothing may be left out or softened. */
  if (spawn && *wide != '\0' && *starts != '\0')
    return g_strdup_printf (_("I understand that it can run any program with my credentials, change most of my files (%s), "
                              "and have any program run outside the sandbox (%s)."),
                            wide, starts);
  if (spawn && *wide != '\0')
    return g_strdup_printf (_("I understand that it can run any program with my credentials, and change most of my files "
                              "(%s)."),
                            wide);
  if (spawn && *starts != '\0')
    return g_strdup_printf (_("I understand that it can run any program with my credentials, and have any program run "
                              "outside the sandbox (%s)."),
                            starts);
  if (spawn)
    return g_strdup (_("I understand that it can run any program with my credentials."));
  if (*wide != '\0' && *starts != '\0')
    return g_strdup_printf (_("I understand that it can change most of my files (%s), and have any program run outside the "
                              "sandbox (%s)."),
                            wide, starts);
  if (*wide != '\0')
    return g_strdup_printf (_("I understand that it can change most of my files (%s)."), wide);
  if (*starts != '\0')
    return g_strdup_printf (_("I understand that it can have any program run outside the sandbox (%s)."), starts);
  return NULL;
}

/* Of the other kinds: tools. (nullable) */
static char *
tools_sentence (const Sum *sum)
{
  g_autofree char *run = join (sum->run_tools);
  g_autofree char *write = join (sum->write_tools);

  if (*run != '\0' && *write != '\0')
    return g_strdup_printf (_("I understand that it can run any program (%s), and write any file within its reach (%s)."),
                            run, write);
  if (*run != '\0')
    return g_strdup_printf (_("I understand that it can run any program (%s)."), run);
  if (*write != '\0')
    return g_strdup_printf (_("I understand that it can write any file within its reach (%s)."), write);
  return NULL;
}

/* (nullable) */
static char *
apps_sentence (const Sum *sum)
{
  g_autofree char *apps = join (sum->run_apps);

  if (*apps == '\0')
    return NULL;
  return g_strdup_printf (_("I understand that it can open my folders in what can run their content outside the sandbox (%s)."), apps);
}

char *
oc_catalogue_broad_sentence (OcPermissionSet *set,
                             OcTools *tools)
{
  g_auto (Sum) sum = { 0 };
  g_autofree char *of_addon = NULL;
  g_autofree char *of_tools = NULL;
  g_autofree char *of_apps = NULL;
  GString *text = g_string_new (NULL);

  sum_init (&sum, set, OC_PLUGIN_KIND_UNKNOWN, tools);
  of_addon = addon_sentence (&sum);
  of_tools = tools_sentence (&sum);
  of_apps = apps_sentence (&sum);
  if (of_addon != NULL)
    add_sentence (text, of_addon);
  if (of_tools != NULL)
    add_sentence (text, of_tools);
  if (of_apps != NULL)
    add_sentence (text, of_apps);
  return g_string_free (text, text->len == 0);
}
