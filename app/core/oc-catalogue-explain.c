/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-catalogue.h"

#include <string.h>

#include <gio/gdesktopappinfo.h>
#include <glib/gi18n-lib.h>

#include "core/oc-catalogue-app.h"
#include "core/oc-catalogue-glob.h"
#include "core/oc-text.h"

struct _OcExplanation
{
  OcPermission *permission;
  OcSeverity severity;
  const OcCatalogueEntry *entry;
  char *title;
  char *short_broad;
  char *grants;
  char *held;
  char *excludes;
  char *here;
};

static void
explanation_clear (gpointer data)
{
  OcExplanation *self = data;
  g_clear_pointer (&self->permission, oc_permission_unref);
  g_free (self->title);
  g_free (self->short_broad);
  g_free (self->grants);
  g_free (self->held);
  g_free (self->excludes);
  g_free (self->here);
}

OcExplanation *
oc_explanation_ref (OcExplanation *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_explanation_unref (OcExplanation *self)
{
  g_atomic_rc_box_release_full (self, explanation_clear);
}

OcPermission *
oc_explanation_get_permission (OcExplanation *self)
{
  return self->permission;
}

OcSeverity
oc_explanation_get_severity (OcExplanation *self)
{
  return self->severity;
}

const char *
oc_explanation_get_icon_name (OcExplanation *self)
{
  return self->severity == OC_SEVERITY_BROAD ? "dialog-warning-symbolic" : self->entry->icon_name;
}

const char *
oc_explanation_get_title (OcExplanation *self)
{
  return self->title;
}

const char *
oc_explanation_get_short_broad (OcExplanation *self)
{
  return self->short_broad;
}

const char *
oc_explanation_get_grants (OcExplanation *self)
{
  return self->grants;
}

const char *
oc_explanation_get_held (OcExplanation *self)
{
  return self->held;
}

const char *
oc_explanation_get_excludes (OcExplanation *self)
{
  return self->excludes;
}

const char *
oc_explanation_get_here (OcExplanation *self)
{
  return self->here;
}

/* @template with its %s, if it has one, replaced by @argument. */
static char *
fill_in (const char *template,
         const char *argument)
{
  g_autoptr (GString) text = g_string_new (template);

  if (argument != NULL)
    g_string_replace (text, "%s", argument, 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What a broad tool says instead of the table's texts. */
static void
explain_broad_tool (OcExplanation *self,
                    OcTool *tool,
                    const char *argument)
{
  self->severity = OC_SEVERITY_BROAD;
  switch (oc_tool_get_effect (tool))
    {
    case OC_TOOL_EFFECT_RUN:
      self->title = fill_in (_(self->entry->broad_title), argument);
      self->short_broad = g_strdup (_(self->entry->short_broad));
      /* Translators: %s is one or more whole sentences, such as “python3 runs whatever code it is given.” */
      self->grants = g_strdup_printf (_("%s So this is far more than one tool. What it starts stays in the sandbox: it "
                                        "can read whatever you can, apart from keys, passwords and the other guarded "
                                        "places, and write only to the plugin’s own folders."),
                                      oc_tool_get_reason (tool));
      break;
    case OC_TOOL_EFFECT_WRITE:
      /* Translators: %s is the name of a program, such as cp. */
      self->title = g_strdup_printf (_("Write any file within its reach, through %s"), argument);
      self->short_broad = g_strdup (_("Can write any file within its reach"));
      self->grants = g_strdup_printf (_("%s In the sandbox that reach is the plugin’s own folders; all that you can read, "
                                        "it can copy there, apart from keys, passwords and the other guarded places."),
                                      oc_tool_get_reason (tool));
      break;
    }
}

static void
explain_tool (OcExplanation *self,
              OcTools *tools,
              const char *argument)
{
  g_autoptr (OcTools) own = tools == NULL ? oc_tools_new (NULL) : NULL;
  g_autoptr (OcTool) tool = NULL;

  tool = oc_tools_look_up (tools != NULL ? tools : own, oc_permission_get_argument (self->permission));
  self->here = oc_text_escape (oc_tool_get_here (tool), 0, NULL);
  if (oc_tool_is_broad (tool))
    explain_broad_tool (self, tool, argument);
}

static void
explain_glob (OcExplanation *self,
              const char *argument)
{
  const char *glob = oc_permission_get_argument (self->permission);

  switch (oc_glob_get_reach (glob))
    {
    case OC_GLOB_STARTS_PROGRAMS:
      /* Translators: %s is a pattern for paths, such as /home/me/.bashrc. */
      self->title = fill_in (_("Run any program outside the sandbox, by changing %s"), argument);
      self->short_broad = g_strdup (_("Can run any program"));
      break;
    case OC_GLOB_WIDE:
      self->title = fill_in (_(self->entry->broad_title), argument);
      self->short_broad = g_strdup (_(self->entry->short_broad));
      break;
    case OC_GLOB_NARROW:
      return;
    }
  self->severity = OC_SEVERITY_BROAD;
  if (oc_glob_starts_programs (glob))
    self->grants = g_strdup (_("It can read, make, change and delete every file and folder that this pattern fits. Among "
                               "them are files that are run, or tell what to run, when you log in, open a terminal or start "
                               "an app: by changing one, it can have any program run with all your rights."));
}

static void
explain_app (OcExplanation *self,
             OcTools *tools,
             const char *argument)
{
  g_autoptr (OcTools) own = tools == NULL ? oc_tools_new (NULL) : NULL;
  g_autofree char *found = NULL;
  g_autofree char *name = NULL;
  OcAppReach reach = oc_app_get_reach (oc_permission_get_argument (self->permission), tools != NULL ? tools : own, &found);

  name = found ? oc_text_escape (found, 80, NULL) : NULL;
  /* Translators: %s is the name of an app, such as Files. */
  self->here = name ? g_strdup_printf (_("Here: the app “%s”."), name) : g_strdup (_("Not installed here."));
  switch (reach)
    {
    case OC_APP_PLAIN:
      return;
    case OC_APP_TERMINAL:
      /* Translators: %s is the id of an app, such as org.gnome.Console. */
      self->title = fill_in (_("Open a terminal in your folders, through %s"), argument);
      self->short_broad = g_strdup (_("Can open a terminal"));
      self->grants = g_strdup (_("It can open a terminal in the folder that you are in, or in a folder that you have selected. The "
                                 "terminal is not in a sandbox: a shell that starts there may run what lies in the folder. The plugin "
                                 "itself cannot type there."));
      break;
    case OC_APP_RUNS_FOLDER:
      /* Translators: %s is the id of an app, such as org.example.Runner. */
      self->title = fill_in (_("Run what is in your folders, through %s"), argument);
      self->short_broad = g_strdup (_("Can run what is in your folders"));
      self->grants = g_strdup (_("It can open the folder that you are in, or a folder that you have selected, in this app, which is a "
                                 "shell, an interpreter or the like: what lies in the folder can be run by it, with all your rights and "
                                 "not in a sandbox."));
      break;
    }
  self->severity = OC_SEVERITY_BROAD;
}

/* What depends on the argument and on this machine. */
static void
explain_argument (OcExplanation *self,
                  OcTools *tools,
                  const char *argument)
{
  switch (oc_permission_get_kind (self->permission))
    {
    case OC_PERMISSION_PROCESS_SPAWN:
      explain_tool (self, tools, argument);
      break;
    case OC_PERMISSION_FS:
      explain_glob (self, argument);
      break;
    case OC_PERMISSION_APP_OPEN:
      explain_app (self, tools, argument);
      break;
    case OC_PERMISSION_SPAWN:
      self->short_broad = g_strdup (_(self->entry->short_broad));
      break;
    case OC_PERMISSION_UNKNOWN:
    case OC_PERMISSION_SELECTION_READ:
    case OC_PERMISSION_FILE_READ_TEXT:
    case OC_PERMISSION_OPEN_URL:
    case OC_PERMISSION_NETWORK_CLIENT:
    case OC_PERMISSION_NET:
    case OC_PERMISSION_ENV:
    case OC_PERMISSION_AI:
    case OC_PERMISSION_OCR:
    case OC_PERMISSION_CICD_CREDENTIALS:
    case OC_N_PERMISSIONS:
      break;
    }
}

OcExplanation *
oc_catalogue_explain (OcPermission *permission,
                      OcTools *tools)
{
  const OcCatalogueEntry *entry = oc_catalogue_get (oc_permission_get_kind (permission));
  const char *raw = oc_permission_get_argument (permission);
  g_autofree char *argument = raw != NULL ? oc_text_escape (raw, 0, NULL) : NULL;
  OcExplanation *self;

  g_return_val_if_fail (entry != NULL, NULL);
  self = g_atomic_rc_box_new0 (OcExplanation);
  self->permission = oc_permission_ref (permission);
  self->entry = entry;
  self->severity = entry->severity;
  self->held = g_strdup (_(entry->held));
  self->excludes = entry->excludes != NULL ? g_strdup (_(entry->excludes)) : NULL;
  explain_argument (self, tools, argument);
  if (self->title == NULL)
    self->title = fill_in (_(entry->title), argument);
  if (self->grants == NULL)
    self->grants = g_strdup (_(entry->grants));
  return self;
}

char *
oc_explanation_to_text (OcExplanation *self)
{
  g_autoptr (GString) text = g_string_new (self->title);
  g_autofree char *permission = oc_text_escape (oc_permission_get_text (self->permission), 0, NULL);

  g_string_append_printf (text, "\n%s · %s\n\n%s\n\n", oc_severity_to_label (self->severity), permission,
                          self->grants);
  /* Translators: %s is one or more whole sentences on how a permission is held to its limits. */
  g_string_append_printf (text, _("How it is held to this: %s"), self->held);
  if (self->excludes != NULL)
    {
      g_string_append (text, "\n\n");
      /* Translators: %s is a list of things, as part of a sentence that ends with a full stop. */
      g_string_append_printf (text, _("Does not grant: %s"), self->excludes);
    }
  if (self->here != NULL)
    g_string_append_printf (text, "\n\n%s", self->here);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static int
compare_explanations (gconstpointer a,
                      gconstpointer b)
{
  OcExplanation *x = *(OcExplanation *const *) a;
  OcExplanation *y = *(OcExplanation *const *) b;
  int order;

  if (x->severity != y->severity)
    return x->severity < y->severity ? -1 : 1;
  order = g_utf8_collate (x->title, y->title);
  return order != 0 ? order : oc_permission_compare (x->permission, y->permission);
}

GPtrArray *
oc_catalogue_explain_set (OcPermissionSet *set,
                          OcTools *tools)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_explanation_unref);
  g_autoptr (OcTools) shared = tools != NULL ? oc_tools_ref (tools) : oc_tools_new (NULL);

  for (guint i = 0; i < oc_permission_set_get_n (set); i++)
    g_ptr_array_add (all, oc_catalogue_explain (oc_permission_set_get (set, i), shared));
  g_ptr_array_sort (all, compare_explanations);
  return all;
}
