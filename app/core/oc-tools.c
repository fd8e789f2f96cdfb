/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-tools.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-tools-find.h"
#include "core/oc-tools-list.h"

/* Longer than any tool's name in Debian; the name is shown in one row. */
#define NAME_MAX_BYTES 64

struct _OcTool
{
  char *name;
  char *path;
  char *target;
  char *interpreter;
  char *reason;
  char *here;
  OcToolStatus status;
  OcToolEffect effect;
  gboolean writable;
  gboolean setuid;
};

struct _OcTools
{
  char *root;
  OcToolsList *list; /* (nullable): damaged: every tool is broad */
  GMutex lock;
  GHashTable *tools;   /* (element-type utf8 OcTool), under @lock */
  GHashTable *reasons; /* (element-type utf8 utf8), under @lock; a NULL value: not listed */
};

static void
tool_clear (gpointer data)
{
  OcTool *self = data;
  g_free (self->name);
  g_free (self->path);
  g_free (self->target);
  g_free (self->interpreter);
  g_free (self->reason);
  g_free (self->here);
}

OcTool *
oc_tool_ref (OcTool *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_tool_unref (OcTool *self)
{
  g_atomic_rc_box_release_full (self, tool_clear);
}

const char *
oc_tool_get_name (OcTool *self)
{
  return self->name;
}

OcToolStatus
oc_tool_get_status (OcTool *self)
{
  return self->status;
}

const char *
oc_tool_get_path (OcTool *self)
{
  return self->path;
}

const char *
oc_tool_get_target (OcTool *self)
{
  return self->target;
}

const char *
oc_tool_get_interpreter (OcTool *self)
{
  return self->interpreter;
}

const char *
oc_tool_get_here (OcTool *self)
{
  return self->here;
}

gboolean
oc_tool_is_broad (OcTool *self)
{
  return self->reason != NULL;
}

OcToolEffect
oc_tool_get_effect (OcTool *self)
{
  return self->effect;
}

const char *
oc_tool_get_reason (OcTool *self)
{
  return self->reason;
}

gboolean
oc_tool_is_writable (OcTool *self)
{
  return self->writable;
}

gboolean
oc_tool_is_setuid (OcTool *self)
{
  return self->setuid;
}

gboolean
oc_tools_check_name (const char *name,
                     GError **error)
{
  gsize len = strlen (name);

  if (len == 0 || len > NAME_MAX_BYTES)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID,
                   _("A tool’s name must have 1 to %d characters."), NAME_MAX_BYTES);
      return FALSE;
    }
  if (strchr (name, '/') != NULL)
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID,
                           _("A tool is given by its name alone, without a folder: write “git”, not "
                             "“/usr/bin/git”."));
      return FALSE;
    }
  if (name[0] == '-' || name[0] == '.')
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID,
                           _("A tool’s name must not begin with “-” or “.”."));
      return FALSE;
    }
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (name[i]) && strchr ("_.+-", name[i]) == NULL)
      {
        g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID,
                             _("A tool’s name may have only the letters A to Z, digits and “_”, “.”, “+”, “-”."));
        return FALSE;
      }
  return TRUE;
}

static void
tools_clear (gpointer data)
{
  OcTools *self = data;
  g_free (self->root);
  g_clear_pointer (&self->list, oc_tools_list_unref);
  g_hash_table_unref (self->tools);
  g_hash_table_unref (self->reasons);
  g_mutex_clear (&self->lock);
}

/* @list: (transfer full) (nullable) */
static OcTools *
tools_new (const char *root,
           OcToolsList *list)
{
  OcTools *self = g_atomic_rc_box_new0 (OcTools);

  self->root = g_strdup (root != NULL ? root : "");
  while (self->root[0] != '\0' && g_str_has_suffix (self->root, "/"))
    self->root[strlen (self->root) - 1] = '\0';
  self->list = list;
  g_mutex_init (&self->lock);
  self->tools = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) oc_tool_unref);
  self->reasons = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

OcTools *
oc_tools_new (const char *root)
{
  g_autoptr (GError) error = NULL;
  OcToolsList *list = oc_tools_list_load (&error);

  if (list == NULL)
    g_debug ("every tool counts as broad: %s", error->message);
  return tools_new (root, list);
}

OcTools *
oc_tools_new_with_list (const char *root,
                        const char *list)
{
  return tools_new (root, list != NULL ? oc_tools_list_parse (list, strlen (list), NULL) : NULL);
}

OcTools *
oc_tools_ref (OcTools *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_tools_unref (OcTools *self)
{
  g_atomic_rc_box_release_full (self, tools_clear);
}

guint
oc_tools_get_n_listed (OcTools *self)
{
  return self->list != NULL ? oc_tools_list_get_n (self->list) : 0;
}

/* Unknown is broad: without a list nothing is known of any tool. */
static gboolean
match (OcTools *self,
       const char *name,
       OcToolEffect *effect,
       const char **key,
       char **reason)
{
  if (self->list != NULL)
    return oc_tools_list_match (self->list, name, effect, key, reason);
  if (effect != NULL)
    *effect = OC_TOOL_EFFECT_RUN;
  if (key != NULL)
    *key = OC_TOOLS_NO_LIST;
  if (reason != NULL)
    *reason = g_strdup (_("Ocelot’s own list of such tools cannot be read, so every tool counts as one "
                          "that can run any program. Install Ocelot Plugins again."));
  return TRUE;
}

static gboolean
is_listed (const char *name,
           gpointer user_data)
{
  return match (user_data, name, NULL, NULL, NULL);
}

/* What makes a tool broad, while it is put together. */
typedef struct
{
  GString *text;
  GHashTable *keys; /* (element-type utf8) reasons given, borrowed */
  gboolean is_broad;
  OcToolEffect effect;
} Judgement;

static void
judge (Judgement *j,
       OcToolEffect effect,
       const char *sentence)
{
  if (j->text->len > 0)
    g_string_append_c (j->text, ' ');
  g_string_append (j->text, sentence);
  /* The worst of all reasons counts. */
  if (!j->is_broad || effect < j->effect)
    j->effect = effect;
  j->is_broad = TRUE;
}

/* By @name alone. @lead: (nullable): a sentence to come before. Not said again where it says nothing new: python3 and the
 * python3.11 that it is a link to have the same reason. */
static void
judge_name (OcTools *self,
            Judgement *j,
            const char *name,
            const char *lead)
{
  g_autofree char *reason = NULL;
  OcToolEffect effect;
  const char *key;

  if (!match (self, name, &effect, &key, &reason) || !g_hash_table_add (j->keys, (gpointer) key))
    return;
  if (lead != NULL)
    judge (j, effect, lead);
  judge (j, effect, reason);
}

/* The other names that the file really goes by. */
static void
judge_programs (OcTools *self,
                Judgement *j,
                const char *name,
                const OcToolsFinding *finding)
{
  for (guint i = 0; i < finding->runs->len; i++)
    {
      const char *program = g_ptr_array_index (finding->runs, i);
      g_autofree char *lead = NULL;

      /* runs[0] is the target, the others are interpreters. The lead is wanted only before the first reason. */
      if (!j->is_broad && i > 0)
        /* Translators: names of programs, such as “On this computer, deluser is a script that perl runs.” */
        lead = g_strdup_printf (_("On this computer, %s is a script that %s runs."), name, program);
      else if (!j->is_broad && !g_str_equal (program, name))
        /* Translators: names of programs, such as “On this computer, awk is really mawk.” */
        lead = g_strdup_printf (_("On this computer, %s is really %s."), name, program);
      judge_name (self, j, program, lead);
    }
  if (finding->twin != NULL)
    {
      /* Translators: both are names of programs. */
      g_autofree char *lead = g_strdup_printf (_("On this computer, %s and %s are one and the same file."), name, finding->twin);

      judge_name (self, j, finding->twin, lead);
    }
}

static void
judge_file (Judgement *j,
            const char *name,
            const OcToolsFinding *finding)
{
  g_autofree char *text = NULL;

  if (finding->writable)
    judge (j, OC_TOOL_EFFECT_RUN,
           _("This file can be replaced without an administrator, so it can become any program."));
  if (finding->setuid)
    judge (j, OC_TOOL_EFFECT_RUN, _("The file is marked to run with more rights than yours."));
  if (finding->status == OC_TOOL_UNREADABLE)
    judge (j, OC_TOOL_EFFECT_RUN, _("The file cannot be looked at, so what it does is not known."));
  else if (finding->odd && finding->interpreter != NULL)
    {
      text = g_strdup_printf (_("On this computer, %s is a script for %s, which cannot be looked at."), name,
                              finding->interpreter);
      judge (j, OC_TOOL_EFFECT_RUN, text);
    }
  else if (finding->odd && finding->status == OC_TOOL_FOUND)
    {
      text = g_strdup_printf (_("On this computer, %s is no ordinary program file, so what it does is not known."),
                              name);
      judge (j, OC_TOOL_EFFECT_RUN, text);
    }
}

static char *
describe_found (const OcToolsFinding *finding)
{
  gboolean linked = !g_str_equal (finding->path, finding->target);

  if (linked && finding->interpreter != NULL)
    /* Translators: paths of a tool, of the file it is a link to, and of the program that runs that script. */
    return g_strdup_printf (_("Here: %s, a link to %s, which is a script that %s runs."), finding->path,
                            finding->target, finding->interpreter);
  if (finding->interpreter != NULL)
    return g_strdup_printf (_("Here: %s, a script that %s runs."), finding->path, finding->interpreter);
  if (linked)
    return g_strdup_printf (_("Here: %s, a link to %s."), finding->path, finding->target);
  return g_strdup_printf (_("Here: %s."), finding->path);
}

static char *
describe (const OcToolsFinding *finding)
{
  switch (finding->status)
    {
    case OC_TOOL_FOUND:
      return describe_found (finding);
    case OC_TOOL_IS_FOLDER:
      return g_strdup_printf (_("Here: %s is no program file, so it cannot be run."), finding->path);
    case OC_TOOL_NOT_EXECUTABLE:
      return g_strdup_printf (_("Here: %s is not marked as a program, so it cannot be run."), finding->path);
    case OC_TOOL_UNREADABLE:
      return g_strdup_printf (_("Here: %s cannot be looked at."), finding->path);
    case OC_TOOL_MISSING:
      break;
    }
  return g_strdup (_("Not installed here."));
}

static OcTool *
look_up (OcTools *self,
         const char *name)
{
  g_autoptr (OcToolsFinding) finding = oc_tools_find (self->root, name, is_listed, self);
  g_autoptr (GHashTable) keys = g_hash_table_new (g_str_hash, g_str_equal);
  Judgement j = { .text = g_string_new (NULL), .keys = keys, .effect = OC_TOOL_EFFECT_RUN };
  OcTool *tool = g_atomic_rc_box_new0 (OcTool);

  judge_name (self, &j, name, NULL);
  judge_programs (self, &j, name, finding);
  judge_file (&j, name, finding);

  tool->name = g_strdup (name);
  tool->status = finding->status;
  tool->here = describe (finding);
  tool->path = g_steal_pointer (&finding->path);
  tool->target = g_steal_pointer (&finding->target);
  tool->interpreter = g_steal_pointer (&finding->interpreter);
  tool->writable = finding->writable;
  tool->setuid = finding->setuid;
  tool->effect = j.effect;
  tool->reason = g_string_free (j.text, !j.is_broad);
  return tool;
}

OcTool *
oc_tools_look_up (OcTools *self,
                  const char *name)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  OcTool *tool = g_hash_table_lookup (self->tools, name);

  g_return_val_if_fail (oc_tools_check_name (name, NULL), NULL);
  if (tool == NULL)
    {
      tool = look_up (self, name);
      g_hash_table_insert (self->tools, tool->name, tool);
    }
  return oc_tool_ref (tool);
}

const char *
oc_tools_get_broad_key (OcTools *self,
                        const char *name)
{
  const char *key = NULL;

  /* Immutable: no lock. */
  match (self, name, NULL, &key, NULL);
  return key;
}

const char *
oc_tools_broad_reason (OcTools *self,
                       const char *name)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gpointer known;
  char *reason = NULL;

  if (g_hash_table_lookup_extended (self->reasons, name, NULL, &known))
    return known;
  match (self, name, NULL, NULL, &reason);
  g_hash_table_insert (self->reasons, g_strdup (name), reason);
  return reason;
}
