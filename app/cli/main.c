/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-output.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>
#include <locale.h>
#include <stdio.h>

static const OcCliCommand *const commands[] = {
  &oc_cli_list_command,    &oc_cli_show_command, &oc_cli_review_command, &oc_cli_enable_command,
  &oc_cli_disable_command, &oc_cli_run_command,  &oc_cli_log_command,    &oc_cli_doctor_command,
};

static const char exit_codes[] = N_ (
    "Exit codes: 0 done · 1 it failed, or the plugin reported an error · 2 wrong usage · 3 no consent (enable: the answer was "
    "not yes, or there was nobody to ask) · 4 needs review (enable: what would be granted is not what was named or shown) · "
    "5 invalid manifest · 6 blocked by policy · 7 consent locked, damaged or forged · 8 timed out · 126 refused: the sandbox "
    "does not hold here, nothing ran.");

static void
print_help (void)
{
  g_print ("%s\n\n", _ ("Usage: ocelotctl COMMAND [OPTION…] [ARGUMENT…]"));
  oc_cli_print_wrapped ("", _ ("Shows the installed plugins and what each may do, enables and disables them, and runs "
                               "their commands in their sandbox."));
  oc_cli_print_heading (_ ("Commands"));
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *first = g_strdup_printf ("  %-10s", commands[i]->name);

      oc_cli_print_wrapped (first, _ (commands[i]->summary));
    }
  oc_cli_print_heading (_ ("Options of every command"));
  oc_cli_print_wrapped ("  --json        ", _ ("Print JSON, for programs."));
  oc_cli_print_wrapped ("  --allow-root  ", _ ("Let the launcher run as root; without it the launcher refuses to."));
  oc_cli_print_wrapped ("  --help        ", _ ("Explain the command."));
  oc_cli_print_wrapped ("  --version     ", _ ("Print the version (without a command)."));
  g_print ("\n");
  oc_cli_print_wrapped ("", _ (exit_codes));
}

static const OcCliCommand *
find_command (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i]->name, name))
      return commands[i];
  return NULL;
}

static int
refuse (const char *message)
{
  g_printerr ("ocelotctl: %s\n%s\n", message,
              _ ("Usage: ocelotctl COMMAND [OPTION…] [ARGUMENT…]; “ocelotctl --help” lists the commands."));
  return OC_CLI_USAGE;
}

static int
refuse_option (const char *word)
{
  g_autofree char *escaped = oc_text_escape (word, 80, NULL);
  g_autofree char *message = g_strdup_printf (_ ("Unknown option %s"), escaped);

  return refuse (message);
}

static int
refuse_command (const char *word)
{
  g_autofree char *escaped = oc_text_escape (word, 80, NULL);
  g_autofree char *message = g_strdup_printf (_ ("Unknown command %s"), escaped);

  return refuse (message);
}

/* Options in front of the command. Returns the index of the command, or 0 where *@exit_code ends it. */
static int
read_leading_options (OcCli *self,
                      int argc,
                      char **argv,
                      int *exit_code)
{
  int i = 1;

  for (; i < argc && argv[i][0] == '-'; i++)
    {
      if (g_str_equal (argv[i], "--json"))
        self->json = TRUE;
      else if (g_str_equal (argv[i], "--allow-root"))
        self->allow_root = TRUE;
      else if (g_str_equal (argv[i], "--help") || g_str_equal (argv[i], "-h"))
        {
          print_help ();
          *exit_code = OC_CLI_DONE;
          return 0;
        }
      else if (g_str_equal (argv[i], "--version"))
        {
          g_print ("ocelotctl %s\n", OC_VERSION);
          *exit_code = OC_CLI_DONE;
          return 0;
        }
      else
        {
          *exit_code = refuse_option (argv[i]);
          return 0;
        }
    }
  if (i == argc)
    {
      *exit_code = refuse (_ ("Which command?"));
      return 0;
    }
  return i;
}

static int
run_command (int argc,
             char **argv)
{
  OcCli self = { 0 };
  const OcCliCommand *command;
  int exit_code = OC_CLI_USAGE;
  int at = read_leading_options (&self, argc, argv, &exit_code);

  if (at == 0)
    return exit_code;
  command = find_command (argv[at]);
  if (command == NULL)
    return refuse_command (argv[at]);

  self.paths = oc_paths_new_for_user ();
  self.tools = oc_tools_new (NULL);
  exit_code = command->run (&self, command, argv + at + 1);
  oc_tools_unref (self.tools);
  oc_paths_unref (self.paths);
  return exit_code;
}

int
main (int argc,
      char **argv)
{
  int exit_code;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, OC_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  g_set_prgname ("ocelotctl");

  exit_code = run_command (argc, argv);
  /* A full disk or a closed pipe must not look like success. */
  if ((fflush (stdout) != 0 || ferror (stdout)) && exit_code == OC_CLI_DONE)
    exit_code = OC_CLI_FAILED;
  return exit_code;
}
