/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue.h"

#include <string.h>

#include <glib/gi18n-lib.h>

/* The one table of what a permission means to a person (system.md section 5). Every sentence is a promise: it says what
 * the launcher really does, and what it leaves out on purpose is in "excludes".
 *
 * Translators: these are read by people with no knowledge of computer security, before they agree. Keep them short, keep
 * the meaning exact, and never turn a "can" into a "may", nor "cannot" into "should not". */
static const OcCatalogueEntry entries[OC_N_PERMISSIONS] = {
  [OC_PERMISSION_SELECTION_READ] = {
    .kind = OC_PERMISSION_SELECTION_READ,
    .id = "selection.read",
    .severity = OC_SEVERITY_OK,
    .icon_name = "view-list-bullet-symbolic",
    .title = N_("See what you have selected"),
    .grants = N_("When you run one of its commands, it gets the names and places of the files and folders "
                 "that you have selected."),
    .held = N_("Ocelot hands it the list for that one run. Without this permission the list is left out."),
    .excludes = N_("What is in the files, and what you select at other times."),
  },
  [OC_PERMISSION_PROCESS_SPAWN] = {
    .kind = OC_PERMISSION_PROCESS_SPAWN,
    .id = "process.spawn",
    .argument_name = "tool",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "utilities-terminal-symbolic",
    /* Translators: %s is the name of a program, such as git. */
    .title = N_("Run %s"),
    /* Translators: %s is the name of a program, such as python3. */
    .broad_title = N_("Run any program, through %s"),
    .short_broad = N_("Can run any program"),
    .grants = N_("It can have Ocelot run this one tool, and tell it what to do. The tool can read whatever "
                 "you can, apart from keys, passwords and the other guarded places."),
    .held = N_("Ocelot looks for the tool in the system’s program folders only, and runs it in a sandbox: the "
               "tool can write to the plugin’s own folders and nowhere else."),
    .excludes = N_("Network access of its own, and changing your files."),
  },
  [OC_PERMISSION_FILE_READ_TEXT] = {
    .kind = OC_PERMISSION_FILE_READ_TEXT,
    .id = "file.readText",
    .severity = OC_SEVERITY_OK,
    .icon_name = "folder-open-symbolic",
    .title = N_("Read text files you select"),
    .grants = N_("It can have Ocelot read the text of the files that you have selected, and of files inside the "
                 "folders that you have selected: up to 1 MB each."),
    .held = N_("Ocelot reads each file for it, and refuses every file outside your selection, also when a link "
               "leads there."),
    .excludes = N_("Other files, and changing files. What a plugin can read without this permission is listed "
                   "under “It can always”."),
  },
  [OC_PERMISSION_OPEN_URL] = {
    .kind = OC_PERMISSION_OPEN_URL,
    .id = "openURL",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "web-browser-symbolic",
    .title = N_("Open web pages and new mails"),
    .grants = N_("It can open an address in your browser, or a new mail in your mail app, without asking each "
                 "time. An address can carry data to whoever runs that website."),
    .held = N_("Ocelot checks each address and opens it for it: http, https and mailto only, at most 2,048 characters, "
               "and at most 10 things in one run."),
    .excludes = N_("Seeing what the page answers, sending the mail or putting files into it, and opening files."),
  },
  [OC_PERMISSION_APP_OPEN] = {
    .kind = OC_PERMISSION_APP_OPEN,
    .id = "app.open",
    .argument_name = "desktop id",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "window-new-symbolic",
    /* Translators: %s is the id of an app, such as org.gnome.Nautilus. */
    .title = N_("Open folders in %s"),
    .grants = N_("It can open the folder that you are in, or a folder that you have selected, in this app. The "
                 "app itself is not in a sandbox: it does with the folder what it always does."),
    .held = N_("Ocelot opens the folder for it, and refuses files, links, guarded places, the plugin’s own folders and "
               "every other folder."),
    .excludes = N_("Telling the app what to do, and opening other apps."),
  },
  [OC_PERMISSION_NETWORK_CLIENT] = {
    .kind = OC_PERMISSION_NETWORK_CLIENT,
    .id = "network.client",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "network-transmit-receive-symbolic",
    .title = N_("Connect to the internet and this network"),
    .grants = N_("It can connect to any computer on the internet and on your own network, and to services on "
                 "this computer itself. Nobody looks at what it sends or fetches. This goes for the tools it "
                 "runs, too."),
    .held = N_("The sandbox lets it open outgoing connections only, and notes which program asks for a connection to which address."),
    .excludes = N_("Accepting connections from others, and reaching your session, your keyring or other programs "
                   "through local sockets."),
  },
  [OC_PERMISSION_FS] = {
    .kind = OC_PERMISSION_FS,
    .id = "fs",
    .argument_name = "glob",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "document-edit-symbolic",
    /* Translators: %s is a pattern for paths, such as “/data/exports” with two stars. */
    .title = N_("Read and change files matching %s"),
    .broad_title = N_("Read and change everything in %s"),
    .short_broad = N_("Can change most of your files"),
    .grants = N_("It can read, make, change and delete every file and folder that this pattern fits. “**” stands "
                 "for folders of any depth."),
    .held = N_("The sandbox shows it nothing else, and links that lead out of the pattern are refused."),
    .excludes = N_("Files that the pattern does not fit."),
  },
  [OC_PERMISSION_NET] = {
    .kind = OC_PERMISSION_NET,
    .id = "net",
    .argument_name = "host",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "network-server-symbolic",
    /* Translators: %s is the name of a computer on the internet, such as api.example.com. */
    .title = N_("Connect to %s"),
    .grants = N_("It can connect to the computer of exactly this name. Nobody looks at what it sends or fetches."),
    .held = N_("Ocelot makes each connection for it and checks the name every time. The sandbox has no other "
               "network."),
    .excludes = N_("Other names, also ones that end alike, and accepting connections from others."),
  },
  [OC_PERMISSION_ENV] = {
    .kind = OC_PERMISSION_ENV,
    .id = "env",
    .argument_name = "key",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "dialog-password-symbolic",
    /* Translators: %s is the name of an environment variable, such as API_TOKEN. */
    .title = N_("Know the value of %s"),
    .grants = N_("It gets the value that you have stored for it under this name, or else the one in your "
                 "environment. Such values are often passwords or tokens."),
    .held = N_("Ocelot hands over the values it lists, and no others."),
    .excludes = N_("Any other value of your environment."),
  },
  [OC_PERMISSION_SPAWN] = {
    .kind = OC_PERMISSION_SPAWN,
    .id = "spawn",
    .severity = OC_SEVERITY_BROAD,
    .icon_name = "utilities-terminal-symbolic",
    .title = N_("Run any program, with your credentials"),
    .broad_title = N_("Run any program, with your credentials"),
    .short_broad = N_("Can run any program"),
    .grants = N_("It can run every program on this computer and tell it what to do. The program gets your "
                 "environment, with the passwords and tokens in it, and can read your files."),
    .held = N_("Each program runs in a sandbox: it can write only where the plugin can, and cannot accept "
               "connections."),
    .excludes = N_("Changing files that the plugin itself cannot change."),
  },
  [OC_PERMISSION_AI] = {
    .kind = OC_PERMISSION_AI,
    .id = "ai",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "user-available-symbolic",
    .title = N_("Ask your language model"),
    .grants = N_("It can send text and files that it can read to the language model that you have set up, at your "
                 "cost, and gets the answers."),
    .held = N_("Ocelot asks the model for it, at the address you have set up."),
    .excludes = N_("Your key for the model, and other addresses."),
  },
  [OC_PERMISSION_OCR] = {
    .kind = OC_PERMISSION_OCR,
    .id = "ocr",
    .severity = OC_SEVERITY_OK,
    .icon_name = "image-x-generic-symbolic",
    .title = N_("Read text in images"),
    .grants = N_("It can have the text in pictures recognised, and find one picture inside another."),
    .held = N_("Recognising runs on this computer, in a sandbox without network."),
    .excludes = N_("Pictures that it cannot read otherwise, and seeing your screen."),
  },
  [OC_PERMISSION_CICD_CREDENTIALS] = {
    .kind = OC_PERMISSION_CICD_CREDENTIALS,
    .id = "cicdCredentials",
    .severity = OC_SEVERITY_CAUTION,
    .icon_name = "dialog-password-symbolic",
    .title = N_("Know the build system’s credentials"),
    .grants = N_("After a test run, it gets the credentials that the run was given for your build system."),
    .held = N_("Ocelot hands them only to the entries that ask for them."),
    .excludes = N_("Your other passwords and tokens."),
  },
};

const OcCatalogueEntry *
oc_catalogue_get (OcPermissionKind kind)
{
  if (kind <= OC_PERMISSION_UNKNOWN || kind >= OC_N_PERMISSIONS)
    return NULL;
  return &entries[kind];
}

OcPermissionKind
oc_catalogue_find (const char *id)
{
  for (OcPermissionKind kind = OC_PERMISSION_UNKNOWN + 1; kind < OC_N_PERMISSIONS; kind++)
    if (g_strcmp0 (entries[kind].id, id) == 0)
      return kind;
  return OC_PERMISSION_UNKNOWN;
}

const char *
oc_severity_to_label (OcSeverity severity)
{
  switch (severity)
    {
    case OC_SEVERITY_CAUTION:
      /* Translators: mark of a permission that deserves a second look. */
      return C_ ("severity", "Caution");
    case OC_SEVERITY_OK:
      /* Translators: mark of a harmless permission. */
      return C_ ("severity", "OK");
    case OC_SEVERITY_BROAD:
      break;
    }
  /* Translators: mark of a permission that grants far more than its name says. One short word. */
  return C_ ("severity", "Broad");
}

const char *
oc_severity_to_id (OcSeverity severity)
{
  switch (severity)
    {
    case OC_SEVERITY_CAUTION:
      return "caution";
    case OC_SEVERITY_OK:
      return "ok";
    case OC_SEVERITY_BROAD:
      break;
    }
  return "broad";
}
