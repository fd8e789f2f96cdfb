/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-notify.h"

#include <glib/gi18n-lib.h>

#include "core/oc-state.h"
#include "core/oc-text.h"
#include "launcher/oc-desktop.h"

#define MAX_NAME_CHARS 60

void
oc_run_notify_disabled (OcPlugin *plugin)
{
  const char *id = oc_plugin_get_id (plugin);
  const char *name = oc_manifest_get_name (oc_plugin_get_manifest (plugin));
  g_autofree char *shown = oc_text_escape (name ? name : id, MAX_NAME_CHARS, NULL);
  /* Translators: %s is the name of a plugin, as its author wrote it. The title of a notification. */
  g_autofree char *title = g_strdup_printf (_("“%s” was switched off"), shown);
  /* Translators: %s is the id of a plugin, such as org.example.LineCount, %d is 3. The id's author is not trusted: it stays the only
   * thing of the plugin in this text. */
  g_autofree char *text = g_strdup_printf (_("The plugin %s was switched off after %d errors in a row. It runs again only when you "
                                             "enable it."),
                                           id, OC_HEALTH_MAX_ERRORS);
  /* Translators: a button of a notification. It shows what a plugin did. */
  const char *arguments[] = { "notify", id, title, text, _("Show"), NULL };

  oc_desktop_tell (arguments, NULL);
}
