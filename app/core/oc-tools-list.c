/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-tools-list.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"

#define LIST_RESOURCE "/org/ocelot/core/broad-tools.list"

/* What a line of the list may give as its reason. Few whole sentences instead of one a tool, so that every language can
 * have all of them. {tool} becomes the tool's name, {detail} the line's third column: an option or a command, never
 * translated. */
typedef struct
{
  const char *key;
  OcToolEffect effect;
  gboolean has_detail;
  const char *sentence;
} Reason;

/* Translators: {tool} is the name of a program, {detail} an option or command as it is typed. Keep both as they are. */
static const Reason reasons[] = {
  { "shell", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} is a shell: it runs whatever commands it is given.") },
  { "code", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} runs whatever code it is given.") },
  { "starts", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} starts whatever program it is told to.") },
  { "option", OC_TOOL_EFFECT_RUN, TRUE, N_("The option {detail} of {tool} runs any program.") },
  { "option-some", OC_TOOL_EFFECT_RUN, TRUE,
    N_("In some versions of {tool}, the option {detail} runs any program.") },
  { "command", OC_TOOL_EFFECT_RUN, TRUE, N_("The command {detail} in {tool} runs any program.") },
  { "function", OC_TOOL_EFFECT_RUN, TRUE,
    N_("The function {detail} in the scripts of {tool} runs any program.") },
  { "setting", OC_TOOL_EFFECT_RUN, TRUE, N_("The setting {detail} of {tool} runs any program.") },
  { "settings", OC_TOOL_EFFECT_RUN, FALSE,
    N_("The settings that {tool} reads can name any program for it to run.") },
  { "recipe", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} runs the commands written in the file that it is given.") },
  { "document", OC_TOOL_EFFECT_RUN, FALSE,
    N_("The files that {tool} opens can hold commands, which it runs.") },
  { "editor", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} is an editor that can open a shell and write any file.") },
  { "pager", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} shows its output in a pager, and pagers can open a shell.") },
  { "opens-editor", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} opens an editor, and editors can open a shell.") },
  { "package", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} runs programs that come with the packages it handles.") },
  { "loads", OC_TOOL_EFFECT_RUN, TRUE,
    N_("The option {detail} of {tool} loads any library, and the library’s code runs.") },
  { "loader", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} loads and runs any program file.") },
  { "debugger", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} starts any program, or takes control of one that runs.") },
  { "terminal", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} opens a terminal, and any program can run in it.") },
  { "remote", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} runs commands on other computers, and its options can run any program on this one.") },
  { "container", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} runs any program in a container, a jail or a machine of its own.") },
  { "other-user", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} runs any program, as another user.") },
  { "later", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} has any program run at a later time.") },
  { "service", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} can ask a service of the system to run any program.") },
  { "apps", OC_TOOL_EFFECT_RUN, FALSE, N_("{tool} starts other apps, and these can run any program.") },
  { "input", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} types and clicks in your place, which can start any program.") },
  { "multi", OC_TOOL_EFFECT_RUN, FALSE,
    N_("{tool} is many tools in one file, and some of them run any program.") },
  { "writes", OC_TOOL_EFFECT_WRITE, FALSE, N_("{tool} writes whatever file it is told to.") },
  { "writes-option", OC_TOOL_EFFECT_WRITE, TRUE,
    N_("The option {detail} of {tool} writes whatever file it is told to.") },
  { "writes-command", OC_TOOL_EFFECT_WRITE, TRUE,
    N_("The command {detail} in {tool} writes whatever file it is told to.") },
  { "unpacks", OC_TOOL_EFFECT_WRITE, FALSE,
    N_("{tool} unpacks files to wherever it is told, over those that are there.") },
  { "changes", OC_TOOL_EFFECT_WRITE, FALSE,
    N_("{tool} changes or removes whatever file it is told to.") },
};

typedef struct
{
  char *pattern; /* lower case */
  const Reason *reason;
  char *detail; /* (nullable) */
  char *key;    /* the second column and the third */
  GPatternSpec *spec; /* (nullable): NULL: an exact name */
} Line;

struct _OcToolsList
{
  GPtrArray *lines;   /* (element-type Line), in file order */
  GHashTable *exact;  /* (element-type utf8 Line), borrowed */
  GPtrArray *families; /* (element-type Line), borrowed */
};

static void
line_free (gpointer data)
{
  Line *line = data;
  g_free (line->pattern);
  g_free (line->detail);
  g_free (line->key);
  g_clear_pointer (&line->spec, g_pattern_spec_free);
  g_free (line);
}

static void
list_clear (gpointer data)
{
  OcToolsList *self = data;
  g_clear_pointer (&self->exact, g_hash_table_unref);
  g_clear_pointer (&self->families, g_ptr_array_unref);
  g_clear_pointer (&self->lines, g_ptr_array_unref);
}

OcToolsList *
oc_tools_list_ref (OcToolsList *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_tools_list_unref (OcToolsList *self)
{
  g_atomic_rc_box_release_full (self, list_clear);
}

static const Reason *
find_reason (const char *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_str_equal (reasons[i].key, key))
      return &reasons[i];
  return NULL;
}

static gboolean
bad_line (GError **error,
          guint number,
          const char *what)
{
  g_set_error (error, OC_ERROR, OC_ERROR_DAMAGED, "broad-tools.list: line %u: %s", number, what);
  return FALSE;
}

/* A name as oc_tools_check_name() has it, where '*' and '?' may stand in for characters. A pattern must begin with two
 * literal characters: "*" alone would make every tool broad and so tell nobody anything. */
static gboolean
check_pattern (const char *pattern,
               gboolean *is_family)
{
  g_autofree char *plain = g_strdup (pattern);

  *is_family = strpbrk (pattern, "*?") != NULL;
  if (!*is_family)
    return oc_tools_check_name (pattern, NULL);
  if (strcspn (pattern, "*?") < 2 && !g_str_has_prefix (pattern, "*-"))
    return FALSE;
  g_strdelimit (plain, "*?", 'x');
  return oc_tools_check_name (plain, NULL);
}

static gboolean
parse_line (OcToolsList *self,
            const char *text,
            guint number,
            GError **error)
{
  g_auto (GStrv) columns = g_strsplit (text, "\t", -1);
  guint n = g_strv_length (columns);
  const Reason *reason;
  gboolean is_family;
  Line *line;

  if (n < 2 || n > 3)
    return bad_line (error, number, "must be name, reason and maybe a detail, with one tab between");
  if (!check_pattern (columns[0], &is_family))
    return bad_line (error, number, "the first column is no tool name and no family of names");
  reason = find_reason (columns[1]);
  if (reason == NULL)
    return bad_line (error, number, "the second column is no known reason");
  if (reason->has_detail != (n == 3) || (n == 3 && columns[2][0] == '\0'))
    return bad_line (error, number, "this reason and its detail do not fit together");

  line = g_new0 (Line, 1);
  line->pattern = g_ascii_strdown (columns[0], -1);
  line->reason = reason;
  line->detail = n == 3 ? g_strdup (columns[2]) : NULL;
  line->key = g_strjoinv ("\t", columns + 1);
  g_ptr_array_add (self->lines, line);
  if (is_family)
    {
      line->spec = g_pattern_spec_new (line->pattern);
      g_ptr_array_add (self->families, line);
      return TRUE;
    }
  if (!g_hash_table_insert (self->exact, line->pattern, line))
    return bad_line (error, number, "the same name is listed twice");
  return TRUE;
}

OcToolsList *
oc_tools_list_parse (const char *text,
                     gsize len,
                     GError **error)
{
  g_autoptr (OcToolsList) self = g_atomic_rc_box_new0 (OcToolsList);
  g_autofree char *copy = NULL;
  g_auto (GStrv) lines = NULL;

  self->lines = g_ptr_array_new_with_free_func (line_free);
  self->exact = g_hash_table_new (g_str_hash, g_str_equal);
  self->families = g_ptr_array_new ();
  if (len > OC_TOOLS_LIST_MAX_BYTES || !g_utf8_validate_len (text, len, NULL))
    {
      bad_line (error, 1, "the list is too long or no UTF-8 text");
      return NULL;
    }
  copy = g_strndup (text, len);
  lines = g_strsplit (copy, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0' && lines[i][0] != '#' && !parse_line (self, lines[i], i + 1, error))
      return NULL;
  if (self->lines->len == 0)
    {
      bad_line (error, 1, "the list is empty");
      return NULL;
    }
  return g_steal_pointer (&self);
}

OcToolsList *
oc_tools_list_load (GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) local = NULL;

  bytes = g_resources_lookup_data (LIST_RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE, &local);
  if (bytes == NULL)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_DAMAGED, "broad-tools.list: %s", local->message);
      return NULL;
    }
  return oc_tools_list_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}

guint
oc_tools_list_get_n (OcToolsList *self)
{
  return self->lines->len;
}

const char *
oc_tools_list_get_pattern (OcToolsList *self,
                           guint i)
{
  return ((Line *) g_ptr_array_index (self->lines, i))->pattern;
}

static const Line *
find_line (OcToolsList *self,
           const char *lower)
{
  const Line *line = g_hash_table_lookup (self->exact, lower);

  for (guint i = 0; line == NULL && i < self->families->len; i++)
    {
      const Line *family = g_ptr_array_index (self->families, i);
      if (g_pattern_spec_match_string (family->spec, lower))
        line = family;
    }
  return line;
}

static char *
fill_in (const Line *line,
         const char *name)
{
  g_autoptr (GString) text = g_string_new (_(line->reason->sentence));

  /* The name first: it has no braces (oc_tools_check_name), so that what it puts in is not replaced again. */
  g_string_replace (text, "{tool}", name, 0);
  if (line->detail != NULL)
    g_string_replace (text, "{detail}", line->detail, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
oc_tools_list_match (OcToolsList *self,
                     const char *name,
                     OcToolEffect *effect,
                     const char **key,
                     char **reason)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  const Line *line = find_line (self, lower);

  if (line == NULL)
    return FALSE;
  if (effect != NULL)
    *effect = line->reason->effect;
  if (key != NULL)
    *key = line->key;
  if (reason != NULL)
    *reason = fill_in (line, name);
  return TRUE;
}
