/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-permission-check.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "core/oc-tools.h"

/* The specification of desktop entries sets no limit; file names do. */
#define APP_ID_MAX_BYTES 200
/* PATH_MAX: a longer glob matches nothing. */
#define GLOB_MAX_BYTES 4096
#define ENV_KEY_MAX_BYTES 255

void
oc_complaint_clear (OcComplaint *self)
{
  g_clear_pointer (&self->problem, g_free);
  g_clear_pointer (&self->remedy, g_free);
}

gboolean
oc_complaint_set (OcComplaint *self,
                  const char *problem,
                  const char *remedy)
{
  oc_complaint_clear (self);
  self->problem = g_strdup (problem);
  self->remedy = g_strdup (remedy);
  return FALSE;
}

gboolean
oc_check_tool (const char *argument,
               char **canonical,
               OcComplaint *complaint)
{
  g_autoptr (GError) error = NULL;

  if (!oc_tools_check_name (argument, &error))
    return oc_complaint_set (complaint, error->message,
                             _("Write it as in “process.spawn:git”, one entry for each tool."));

  *canonical = g_strdup (argument);
  return TRUE;
}

/* An application's id as the Desktop Entry specification's section on file naming has it. The
 * canonical form is the bare id: the file is <id>.desktop, always. Nothing is cut off:
 * org.telegram.desktop is an id whose file is org.telegram.desktop.desktop, and cutting would make
 * it another application's. */
gboolean
oc_check_app_id (const char *argument,
                 char **canonical,
                 OcComplaint *complaint)
{
  const char *remedy = _("Write the application's id, as in “app.open:org.gnome.Nautilus”.");
  gboolean after_dot = TRUE;

  if (strlen (argument) > APP_ID_MAX_BYTES)
    return oc_complaint_set (complaint, _("The application's id is too long."), remedy);
  for (const char *p = argument; *p != '\0'; p++)
    {
      if (*p == '.' && after_dot)
        return oc_complaint_set (
            complaint, _("The application's id has an empty part between its dots."), remedy);
      if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_' && *p != '.')
        return oc_complaint_set (
            complaint, _("An application's id has only letters, digits, “-”, “_” and “.”."),
            remedy);
      after_dot = *p == '.';
    }
  if (after_dot)
    return oc_complaint_set (
        complaint, _("The application's id has an empty part between its dots."), remedy);
  if (*argument == '-')
    return oc_complaint_set (complaint, _("An application's id may not begin with “-”."), remedy);

  *canonical = g_strdup (argument);
  return TRUE;
}

static gboolean
check_glob_component (const char *component,
                      OcComplaint *complaint)
{
  if (*component == '\0')
    return oc_complaint_set (
        complaint, _("The path has an empty part: “//”, or a “/” at its end."),
        _("Write each “/” once and none at the end; a whole folder is “/folder/**”."));
  if (g_str_equal (component, "."))
    return oc_complaint_set (complaint, _("The path has a part “.”."), _("Leave the “.” out."));
  if (g_str_equal (component, ".."))
    return oc_complaint_set (complaint, _("The path has a part “..”."),
                             _("Write the path without going up."));
  if (strstr (component, "**") != NULL && !g_str_equal (component, "**"))
    return oc_complaint_set (
        complaint, _("“**” stands beside other characters."),
        _("“**” must be a whole part of the path, as in “/folder/**/*.txt”."));
  return TRUE;
}

/* `**` crosses `/`; `*` and `?` do not; every other character is itself, brackets and braces too.
 */
gboolean
oc_check_glob (const char *argument,
               char **canonical,
               OcComplaint *complaint)
{
  g_auto (GStrv) components = NULL;

  if (*argument != '/')
    return oc_complaint_set (complaint, _("The path is not absolute."),
                             _("Begin it with “/”; “~” and variables are not filled in."));
  if (strlen (argument) > GLOB_MAX_BYTES)
    return oc_complaint_set (complaint, _("The path is too long."),
                             _("Name a folder nearer to the top."));
  if (strchr (argument, '\\') != NULL)
    return oc_complaint_set (
        complaint, _("The path has a backslash."),
        _("Part folders with “/”; there is no way to take “*” or “?” literally."));

  components = g_strsplit (argument + 1, "/", -1);
  if (components[0] == NULL) /* g_strsplit() of "" gives no component at all */
    return check_glob_component ("", complaint);
  for (gsize i = 0; components[i] != NULL; i++)
    {
      if (!check_glob_component (components[i], complaint))
        return FALSE;
    }

  *canonical = g_strdup (argument);
  return TRUE;
}

typedef struct
{
  const char *pattern; /* a name, or a beginning with '*' behind it */
  const char *reason;  /* translatable */
} EnvRule;

/* Keys that do more than carry a value: they decide what code a program loads or runs. A value of
 * the user's own environment (a profiler's LD_PRELOAD, NODE_OPTIONS of an editor) or one set for
 * the plugin would then act inside whatever it starts, before our own code there (deno #11964,
 * #14122). Those the launcher sets itself would be contradicted. */
static const EnvRule env_rules[] = {
  /* The dynamic linker and the C library: ld.so(8) and glibc's own list of unsafe variables. */
  { "LD_*", N_("It tells the dynamic linker which code to load.") },
  { "DYLD_*", N_("It tells the dynamic linker which code to load.") },
  { "GLIBC_TUNABLES", N_("It changes the C library's inner workings (CVE-2023-4911).") },
  { "GCONV_PATH", N_("It tells the C library which code to load.") },
  { "GETCONF_DIR", N_("It tells the C library which code to load.") },
  { "LOCPATH", N_("It tells the C library which files to trust.") },
  { "NLSPATH", N_("It tells the C library which files to trust.") },
  { "HOSTALIASES", N_("It changes what host names mean.") },
  { "LOCALDOMAIN", N_("It changes what host names mean.") },
  { "RES_OPTIONS", N_("It changes what host names mean.") },
  { "RESOLV_HOST_CONF", N_("It changes what host names mean.") },
  { "MALLOC_TRACE", N_("It makes the C library write files.") },
  { "OPENSSL_CONF", N_("It tells OpenSSL which code to load.") },
  { "OPENSSL_ENGINES", N_("It tells OpenSSL which code to load.") },
  { "OPENSSL_MODULES", N_("It tells OpenSSL which code to load.") },
  { "GIO_EXTRA_MODULES", N_("It tells programs which code to load.") },
  { "GIO_MODULE_DIR", N_("It tells programs which code to load.") },
  { "GTK_MODULES", N_("It tells programs which code to load.") },
  { "GTK_PATH", N_("It tells programs which code to load.") },
  { "QT_PLUGIN_PATH", N_("It tells programs which code to load.") },
  /* Interpreters and shells. */
  { "NODE_OPTIONS", N_("It tells Node.js which code to load.") },
  { "NODE_PATH", N_("It tells Node.js which code to load.") },
  { "NODE_REPL_EXTERNAL_MODULE", N_("It tells Node.js which code to load.") },
  { "PYTHONHOME", N_("It tells Python which code to load.") },
  { "PYTHONPATH", N_("It tells Python which code to load.") },
  { "PYTHONSTARTUP", N_("It tells Python which code to load.") },
  { "PYTHONINSPECT", N_("It changes what Python runs.") },
  { "PERL5LIB", N_("It tells Perl which code to load.") },
  { "PERL5OPT", N_("It tells Perl which code to load.") },
  { "PERL5DB", N_("It tells Perl which code to load.") },
  { "PERLLIB", N_("It tells Perl which code to load.") },
  { "RUBYLIB", N_("It tells Ruby which code to load.") },
  { "RUBYOPT", N_("It tells Ruby which code to load.") },
  { "LUA_INIT*", N_("It tells Lua which code to load.") },
  { "LUA_PATH*", N_("It tells Lua which code to load.") },
  { "LUA_CPATH*", N_("It tells Lua which code to load.") },
  { "JAVA_TOOL_OPTIONS", N_("It tells Java which code to load.") },
  { "JDK_JAVA_OPTIONS", N_("It tells Java which code to load.") },
  { "_JAVA_OPTIONS", N_("It tells Java which code to load.") },
  { "CLASSPATH", N_("It tells Java which code to load.") },
  { "BASH_ENV", N_("It tells shells which code to run.") },
  { "BASH_FUNC*", N_("It tells shells which code to run.") },
  { "ENV", N_("It tells shells which code to run.") },
  { "PROMPT_COMMAND", N_("It tells shells which code to run.") },
  { "PS4", N_("It tells shells which code to run.") },
  { "SHELLOPTS", N_("It changes how shells read their scripts.") },
  { "BASHOPTS", N_("It changes how shells read their scripts.") },
  { "IFS", N_("It changes how shells read their scripts.") },
  /* Ours. */
  { "PATH", N_("It decides which programs are found; the launcher sets it for every plugin.") },
  { "TMPDIR", N_("The launcher sets it for every plugin.") },
  { "OCELOT_*", N_("The launcher sets it for every plugin.") },
};

static const EnvRule *
find_env_rule (const char *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (env_rules); i++)
    {
      const char *pattern = env_rules[i].pattern;
      gsize len = strlen (pattern);

      if (pattern[len - 1] == '*' ? strncmp (key, pattern, len - 1) == 0
                                  : g_str_equal (key, pattern))
        return &env_rules[i];
    }
  return NULL;
}

/* A name as POSIX has it (XBD 8.1, with lower-case letters, which programs use as well). */
gboolean
oc_check_env_key (const char *argument,
                  char **canonical,
                  OcComplaint *complaint)
{
  const EnvRule *rule;

  for (const char *p = argument; *p != '\0'; p++)
    {
      if (!g_ascii_isalnum (*p) && *p != '_')
        return oc_complaint_set (complaint,
                                 _("An environment key has only letters, digits and “_”."),
                                 _("Write one key, as in “API_TOKEN”; there are no patterns."));
    }
  if (g_ascii_isdigit (*argument))
    return oc_complaint_set (complaint, _("An environment key may not begin with a digit."),
                             _("Write one key, as in “API_TOKEN”."));
  if (strlen (argument) > ENV_KEY_MAX_BYTES)
    return oc_complaint_set (complaint, _("The environment key is too long."),
                             _("Write a shorter one."));

  rule = find_env_rule (argument);
  if (rule != NULL)
    {
      /* Translators: %s is the name of an environment variable. */
      g_autofree char *problem = g_strdup_printf (
          _("No plugin may ask for the environment key “%s”."), argument);

      /* Translators: %s is a whole sentence that says what the variable does. */
      g_autofree char *remedy = g_strdup_printf (_("%s Use a key of your own."),
                                                 _(rule->reason));

      return oc_complaint_set (complaint, problem, remedy);
    }

  *canonical = g_strdup (argument);
  return TRUE;
}
