/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue.h"

#include <glib/gi18n-lib.h>

/* What every plugin of a kind can do without asking, and what none can (launcher.md section 2). What a set changes is
 * decided by "unless" and "only": a line that a permission makes untrue is not shown, and the one that is true then is. */

#define KIND(k) (1u << OC_PLUGIN_KIND_##k)
#define ALL_KINDS (KIND (UNKNOWN) | KIND (PROCESS) | KIND (SCRIPT) | KIND (ADDON))
#define P(p) (1u << OC_PERMISSION_##p)

typedef struct
{
  guint kinds;
  guint only;   /* shown only where the set has one of these; 0: always */
  guint unless; /* not shown where the set has one of these */
  OcSeverity severity;
  const char *title;
  const char *text;
} Line;

/* Translators: the titles of this list go on from "It can always". */
static const Line always[] = {
  { KIND (PROCESS) | KIND (UNKNOWN), 0, 0, OC_SEVERITY_CAUTION, N_("Read your files"),
    N_("All that you can read, it can read: documents, pictures, settings, system files. Keys, passwords, mail, "
       "messages, browser data and the other guarded places are hidden from it.") },
  { KIND (SCRIPT) | KIND (ADDON), P (PROCESS_SPAWN) | P (SPAWN), 0, OC_SEVERITY_CAUTION,
    N_("Read your files, through the programs it runs"),
    N_("A program that it runs can read what you can read. Keys, passwords, mail, messages, browser data and the "
       "other guarded places are hidden from it.") },
  { KIND (PROCESS) | KIND (UNKNOWN), 0, 0, OC_SEVERITY_OK, N_("Run programs inside its sandbox"),
    N_("What it starts by itself is held exactly as it is: it reads the same, and writes to the plugin’s own folders "
       "only.") },
  { KIND (SCRIPT) | KIND (ADDON), 0, 0, OC_SEVERITY_OK, N_("Run its own script"),
    N_("The script runs in a sandbox. All it gets from outside comes through the permissions listed here.") },
  { ALL_KINDS, 0, 0, OC_SEVERITY_OK, N_("Keep its own data"),
    N_("It has a data folder of its own, and a temporary folder that is removed after each run. What it has read, it "
       "can keep there.") },
  { ALL_KINDS, 0, 0, OC_SEVERITY_OK, N_("Show you messages"),
    N_("What it writes to its log is kept with the run, and shown to you as its own words.") },
};

/* Translators: the titles of this list go on from "It can never". */
static const Line never[] = {
  { KIND (PROCESS) | KIND (SCRIPT) | KIND (UNKNOWN), 0, 0, OC_SEVERITY_OK, N_("Change your files"),
    N_("Everything outside its own folders is read-only for it, its own program files included.") },
  { KIND (ADDON), 0, P (FS), OC_SEVERITY_OK, N_("Change your files"),
    N_("Everything outside its own folders is read-only for it, its own program files included.") },
  { KIND (ADDON), P (FS), 0, OC_SEVERITY_OK, N_("Change other files than its patterns fit"),
    N_("Everything else outside its own folders is read-only for it, its own program files included.") },
  { KIND (SCRIPT) | KIND (ADDON), 0, P (PROCESS_SPAWN) | P (SPAWN) | P (FILE_READ_TEXT) | P (FS), OC_SEVERITY_OK,
    N_("Read your files"), N_("It sees its own files and its own data.") },
  { KIND (SCRIPT), P (FILE_READ_TEXT), P (PROCESS_SPAWN) | P (SPAWN), OC_SEVERITY_OK,
    N_("Read files that you have not selected"), N_("Ocelot reads the selected ones for it, and no others.") },
  { KIND (ADDON), P (FS), P (PROCESS_SPAWN) | P (SPAWN), OC_SEVERITY_OK,
    N_("Read other files than its patterns fit"), N_("Beyond them, it sees its own files and its own data.") },
  { ALL_KINDS, 0, 0, OC_SEVERITY_OK, N_("Look into guarded places"),
    N_("The places where keys, passwords, mail, messages and browser data are usually kept are hidden from it. A copy "
       "that you keep elsewhere is a file like any other.") },
  { ALL_KINDS, 0, 0, OC_SEVERITY_OK, N_("See other plugins, or what you have agreed to"),
    N_("Their folders and data, your consent and the record of what was run are hidden from it.") },
  { ALL_KINDS, 0, P (NETWORK_CLIENT) | P (NET) | P (SPAWN), OC_SEVERITY_OK, N_("Use the network"),
    N_("It can neither connect to others nor be connected to.") },
  { ALL_KINDS, P (NETWORK_CLIENT) | P (NET) | P (SPAWN), 0, OC_SEVERITY_OK, N_("Accept connections from others"),
    N_("It can connect as its permissions say, but nothing can connect to it.") },
  { ALL_KINDS, 0, P (OPEN_URL) | P (APP_OPEN), OC_SEVERITY_OK, N_("Use your session"),
    N_("It reaches neither your screen, clipboard, keyring, sound and notifications, nor other apps.") },
  { ALL_KINDS, P (OPEN_URL) | P (APP_OPEN), 0, OC_SEVERITY_OK, N_("Use your session by itself"),
    N_("It reaches neither your screen, clipboard, keyring, sound and notifications, nor other apps. It can only have "
       "Ocelot open what its permissions name.") },
  { ALL_KINDS, 0, 0, OC_SEVERITY_OK, N_("See or stop other programs"),
    N_("It sees only what it has started itself.") },
  { ALL_KINDS, 0, 0, OC_SEVERITY_OK, N_("Get more rights than yours"),
    N_("Programs such as sudo have no effect in the sandbox.") },
  { ALL_KINDS, 0, P (OPEN_URL) | P (APP_OPEN), OC_SEVERITY_OK, N_("Go on after its run"),
    N_("When a run is over, is stopped or takes too long, all that it has started ends with it.") },
  { ALL_KINDS, P (OPEN_URL) | P (APP_OPEN), 0, OC_SEVERITY_OK, N_("Go on after its run"),
    N_("When a run is over, is stopped or takes too long, all that it has started ends with it. What it had Ocelot open "
       "stays open, and hears nothing more from it.") },
};

static void
statement_free (gpointer data)
{
  OcStatement *statement = data;
  g_free (statement->title);
  g_free (statement->text);
  g_free (statement);
}

static GPtrArray *
select_lines (const Line *lines,
              gsize n,
              OcPermissionSet *set,
              OcPluginKind kind)
{
  GPtrArray *statements = g_ptr_array_new_with_free_func (statement_free);
  guint has = 0;

  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    has |= 1u << oc_permission_get_kind (oc_permission_set_get (set, i));
  for (gsize i = 0; i < n; i++)
    if ((lines[i].kinds & (1u << kind)) && (lines[i].only == 0 || (lines[i].only & has)) && !(lines[i].unless & has))
      {
        OcStatement *statement = g_new0 (OcStatement, 1);
        statement->severity = lines[i].severity;
        statement->title = g_strdup (_(lines[i].title));
        statement->text = g_strdup (_(lines[i].text));
        g_ptr_array_add (statements, statement);
      }
  return statements;
}

GPtrArray *
oc_catalogue_can_always (OcPermissionSet *set,
                         OcPluginKind kind)
{
  return select_lines (always, G_N_ELEMENTS (always), set, kind);
}

GPtrArray *
oc_catalogue_can_never (OcPermissionSet *set,
                        OcPluginKind kind)
{
  return select_lines (never, G_N_ELEMENTS (never), set, kind);
}
