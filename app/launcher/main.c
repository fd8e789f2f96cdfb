/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-json.h"
#include "core/oc-launch.h"
#include "core/oc-text.h"
#include "launcher/oc-options.h"
#include "launcher/oc-run.h"
#include "launcher/oc-selftest.h"
#include "oc-config.h"

static void
print_layers (JsonObject *report)
{
  JsonArray *layers = json_object_get_array_member (report, "layers");

  for (guint i = 0; i < json_array_get_length (layers); i++)
    {
      JsonObject *layer = json_array_get_object_element (layers, i);
      gboolean holds = json_object_get_boolean_member (layer, "holds");
      gboolean tried = json_object_get_boolean_member (layer, "tried");
      const char *remedy = json_object_get_string_member_with_default (layer, "remedy", NULL);

      printf ("%s  %s: %s\n", !tried ? "?    " : holds ? _("holds") : _("FAILS"), json_object_get_string_member (layer, "title"),
              json_object_get_string_member (layer, "detail"));
      if (!holds && remedy != NULL)
        printf ("       %s\n", remedy);
    }
  printf ("%s\n%s\n", json_object_get_string_member (report, "executorReason"),
          json_object_get_string_member (report, "summary"));
}

static int
check (const OcOptions *options)
{
  g_autoptr (JsonNode) node = oc_selftest_run (options->allow_root);
  JsonObject *report = json_node_get_object (node);
  gboolean holds = json_object_get_boolean_member (report, "holds");

  if (options->json)
    {
      g_autofree char *text = oc_json_to_string (node, FALSE);

      printf ("%s\n", text);
    }
  else
    print_layers (report);
  return holds ? OC_EXIT_DONE : OC_EXIT_REFUSED;
}

/* /proc/PID/environ shows the memory a program was started with, and the sandbox's first process is a copy of this one, with
 * all of the user's variables, tokens too. So they move elsewhere, and what is shown is emptied. */
static void
hide_environment (void)
{
  for (char **variable = environ; *variable != NULL; variable++)
    {
      char *shown = *variable;

      *variable = g_strdup (shown);
      memset (shown, 0, strlen (shown));
    }
}

int
main (int argc,
      char **argv)
{
  g_autoptr (OcOptions) options = NULL;
  g_autoptr (GError) error = NULL;

  /* Inside the sandbox: before anything that is not plain C. */
  if (argc > 1 && strncmp (argv[1], "--canary", strlen ("--canary")) == 0)
    /* Not through exit(): what would run there (LeakSanitizer, in a build with it) wants calls that the sandbox refuses. */
    _exit (oc_selftest_canary (argc, argv));

  hide_environment ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, OC_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");

  options = oc_options_parse (argc, argv, &error);
  if (options == NULL)
    {
      fprintf (stderr, "ocelot-launcher: %s\n%s", error->message, oc_options_get_usage ());
      return OC_EXIT_USAGE;
    }
  oc_sandbox_set_executor (options->executor);
  switch (options->action)
    {
    case OC_ACTION_RUN:
      return oc_run (options);
    case OC_ACTION_CHECK:
      return check (options);
    case OC_ACTION_VERSION:
      printf ("ocelot-launcher %s\n", OC_VERSION);
      return OC_EXIT_DONE;
    case OC_ACTION_HELP:
      fputs (oc_options_get_usage (), stdout);
      return OC_EXIT_DONE;
    }
  return OC_EXIT_USAGE;
}
