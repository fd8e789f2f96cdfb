/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue-use.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"

#define MAX_PROGRAM 80
#define MAX_DETAIL 200

/* What a plugin did, or tried, without asking the launcher: the launcher's groups of system calls, and its network. */
typedef struct
{
  const char *method;
  gboolean allowed;
  const char *sentence; /* with %s: the program, and then the detail where it has two */
  const char *without;  /* (nullable): where the detail is not known; with one %s */
  gboolean shows_call;  /* the detail, which is a name of the system's, follows in parentheses */
  const char *only; /* (nullable): the detail that it is for; NULL: all others */
} Row;

/* Translators: in all of these sentences the first %s is the name of a program, such as “curl”, or “The plugin”. */
static const Row rows[] = {
  { "socket", FALSE, N_("%s tried to open a network socket for IPv6"), NULL, FALSE, "AF_INET6" },
  { "socket", FALSE, N_("%s tried to open a network socket"), NULL, FALSE },
  /* Translators: a Unix socket, by which programs of one computer reach each other */
  { "local-socket", FALSE, N_("%s tried to open a local socket, to reach another program"), NULL, FALSE },
  { "special-socket", FALSE, N_("%s tried to open a special kind of socket"), NULL, TRUE },
  { "listen", FALSE, N_("%s tried to let others connect to it"), NULL, TRUE },
  { "trace", FALSE, N_("%s tried to look into another program"), NULL, TRUE },
  { "namespace", FALSE, N_("%s tried to make a namespace of its own"), NULL, TRUE },
  { "mount", FALSE, N_("%s tried to change which files are where"), NULL, TRUE },
  { "terminal", FALSE, N_("%s tried to type into a terminal, or to take one over"), NULL, TRUE },
  { "keyring", FALSE, N_("%s tried to use the kernel’s keyring"), NULL, TRUE },
  { "kernel", FALSE, N_("%s tried to change or watch the whole system"), NULL, TRUE },
  { "file-handle", FALSE, N_("%s tried to reach a file around its path"), NULL, TRUE },
  { "device", FALSE, N_("%s tried to make a device"), NULL, TRUE },
  { "set-user-id", FALSE, N_("%s tried to make a program that runs with your rights for others"), NULL, TRUE },
  { "lease", FALSE, N_("%s tried to make other programs wait for a file"), NULL, TRUE },
  { "call", FALSE, N_("%s tried what no plugin may do"), NULL, TRUE },
  /* Translators: the second %s is a name or an address with a port, such as “192.0.2.1:443” */
  { "connect", FALSE, N_("%s tried to connect to %s"), N_("%s tried to connect to somewhere else"), FALSE },
  { "send", FALSE, N_("%s tried to send data to %s"), N_("%s tried to send data to somewhere else"), FALSE },
  { "resolve", FALSE, N_("%s asked for the address of %s"), N_("%s asked for the address of something else"), FALSE },
  { "connect", TRUE, N_("%s asked for a connection to %s"), N_("%s asked for connections to more places"), FALSE },
  { "send", TRUE, N_("%s sent data to %s"), N_("%s sent data to more places"), FALSE },
  { "udp", TRUE, N_("%s opened a socket to send data by UDP"), NULL, FALSE },
};

static const Row *
find_row (const OcUse *use)
{
  for (guint i = 0; use->method != NULL && i < G_N_ELEMENTS (rows); i++)
    if (!rows[i].allowed == !use->allowed && strcmp (rows[i].method, use->method) == 0
        && (rows[i].only == NULL || g_strcmp0 (rows[i].only, use->detail) == 0))
      return &rows[i];
  return NULL;
}

/* In one pass, so that a "%s" in a program's name stays one. A translation may take them the other way round, as %2$s and %1$s. */
static char *
fill (const char *sentence,
      const char *program,
      const char *detail)
{
  const char *const arguments[] = { program, detail };
  GString *text = g_string_new (NULL);
  guint next = 0;

  for (const char *at = sentence; *at != '\0'; at++)
    {
      gboolean placed = at[0] == '%' && (at[1] == '1' || at[1] == '2') && at[2] == '$' && at[3] == 's';

      if (placed)
        g_string_append (text, arguments[at[1] - '1']);
      else if (at[0] == '%' && at[1] == 's' && next < G_N_ELEMENTS (arguments))
        g_string_append (text, arguments[next++]);
      else
        {
          g_string_append_c (text, *at);
          continue;
        }
      at += placed ? 3 : 1;
    }
  return g_string_free (text, FALSE);
}

char *
oc_catalogue_describe_use (const OcUse *use)
{
  const Row *row = find_row (use);
  g_autofree char *program = NULL;
  g_autofree char *detail = NULL;
  g_autofree char *sentence = NULL;

  if (row == NULL)
    return NULL;
  detail = oc_text_escape (use->detail != NULL ? use->detail : "", MAX_DETAIL, NULL);
  if (use->program != NULL && use->program[0] != '\0')
    program = oc_text_escape (use->program, MAX_PROGRAM, NULL);
  else
    /* Translators: who did something, where the program is not known */
    program = g_strdup (_("The plugin"));
  sentence = fill (_(detail[0] == '\0' && row->without != NULL ? row->without : row->sentence), program, detail);
  if (!row->shows_call || detail[0] == '\0')
    return g_steal_pointer (&sentence);
  return g_strdup_printf ("%s (%s)", sentence, detail);
}

char *
oc_catalogue_describe_use_counted (const OcUse *use)
{
  g_autofree char *sentence = oc_catalogue_describe_use (use);
  g_autofree char *times = NULL;

  if (sentence == NULL || use->count <= 1)
    return g_steal_pointer (&sentence);
  times = g_strdup_printf (ngettext ("%u time", "%u times", use->count), use->count);
  return g_strdup_printf ("%s (%s)", sentence, times);
}
