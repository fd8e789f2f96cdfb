/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>

#include <glib/gi18n-lib.h>

#include "oc-application.h"
#include "oc-config.h"

int
main (int argc,
      char **argv)
{
  g_autoptr (OcApplication) application = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, OC_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_application_name (_("Ocelot Plugins"));
  application = oc_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
