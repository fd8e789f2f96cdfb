/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-options.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-manifest.h"
#include "core/oc-text.h"
#include "launcher/oc-executor.h"

/* Written by hand rather than with GOption: that would convert, reorder and abbreviate, and here "--bind" after "--" and a
 * path that is no text in any encoding are data. */

static const char *const surfaces[] = { "window", "terminal", "host", NULL };

const char *
oc_options_get_usage (void)
{
  return _("Usage:\n"
           "  ocelot-launcher run ID ENTRY [--timeout MS] [--surface window|terminal|host]\n"
           "                      [--folder DIR] [--executor direct|bubblewrap]\n"
           "                      [--allow-root] [-- PATH…]\n"
           "  ocelot-launcher check [--json] [--executor direct|bubblewrap] [--allow-root]\n"
           "  ocelot-launcher --version\n");
}

void
oc_options_free (OcOptions *self)
{
  g_free (self->id);
  g_free (self->entry);
  g_free (self->surface);
  g_free (self->folder);
  g_strfreev (self->paths);
  g_free (self);
}

static gboolean
fail_plain (GError **error,
            const char *message)
{
  g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, message);
  return FALSE;
}

/* @format: with one %s. */
static gboolean
fail (GError **error,
      const char *format,
      const char *text)
{
  g_autofree char *shown = oc_text_escape (text, 120, NULL);
  g_autofree char *message = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  message = g_strdup_printf (format, shown);
#pragma GCC diagnostic pop
  return fail_plain (error, message);
}

static char *
make_absolute (const char *path)
{
  g_autofree char *here = g_get_current_dir ();

  return g_canonicalize_filename (path, here);
}

static gboolean
read_timeout (OcOptions *self,
              const char *value,
              GError **error)
{
  guint64 ms = 0;

  if (!g_ascii_string_to_unsigned (value, 10, 1, (guint64) OC_COMMAND_MAX_TIMEOUT_S * 1000, &ms, NULL))
    return fail (error, _("--timeout takes milliseconds, 1 to 3600000; “%s” is not."), value);
  self->timeout_ms = (guint) ms;
  return TRUE;
}

static gboolean
set_option (OcOptions *self,
            const char *name,
            const char *value,
            GError **error)
{
  if (g_str_equal (name, "--timeout"))
    return read_timeout (self, value, error);
  if (g_str_equal (name, "--executor"))
    return oc_executor_from_id (value, &self->executor)
           || fail (error, _("--executor is direct or bubblewrap; “%s” is not."), value);
  if (g_str_equal (name, "--folder"))
    {
      if (*value == '\0')
        return fail_plain (error, _("--folder needs a folder."));
      g_free (self->folder);
      self->folder = make_absolute (value);
      return TRUE;
    }
  if (!g_strv_contains (surfaces, value))
    return fail (error, _("--surface is window, terminal or host; “%s” is not."), value);
  g_free (self->surface);
  self->surface = g_strdup (value);
  return TRUE;
}

static gboolean
takes_value (const OcOptions *self,
             const char *name)
{
  if (g_str_equal (name, "--executor"))
    return TRUE;
  return self->action == OC_ACTION_RUN
         && (g_str_equal (name, "--timeout") || g_str_equal (name, "--surface") || g_str_equal (name, "--folder"));
}

/* `--name VALUE` or `--name=VALUE`; moves @i past what it took. */
static gboolean
read_option (OcOptions *self,
             int argc,
             char **argv,
             int *i,
             GError **error)
{
  const char *argument = argv[*i];
  const char *equals = strchr (argument, '=');
  g_autofree char *name = equals ? g_strndup (argument, (gsize) (equals - argument)) : g_strdup (argument);

  if (g_str_equal (argument, "--allow-root"))
    return self->allow_root = TRUE;
  if (self->action == OC_ACTION_CHECK && g_str_equal (argument, "--json"))
    return self->json = TRUE;
  if (!takes_value (self, name))
    return fail (error, _("There is no option “%s” here."), argument);
  if (equals != NULL)
    return set_option (self, name, equals + 1, error);
  if (*i + 1 >= argc)
    return fail (error, _("%s needs a value."), name);
  return set_option (self, name, argv[++*i], error);
}

static gboolean
read_paths (OcOptions *self,
            int argc,
            char **argv,
            int from,
            GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  if (argc - from > OC_OPTIONS_MAX_PATHS)
    return fail (error, _("At most %s paths can be selected."), G_STRINGIFY (OC_OPTIONS_MAX_PATHS));
  for (int i = from; i < argc; i++)
    {
      if (argv[i][0] == '\0')
        return fail_plain (error, _("A selected path is empty."));
      g_ptr_array_add (paths, make_absolute (argv[i]));
    }
  g_ptr_array_add (paths, NULL);
  g_strfreev (self->paths);
  self->paths = (char **) g_ptr_array_steal (paths, NULL);
  return TRUE;
}

static gboolean
read_arguments (OcOptions *self,
                int argc,
                char **argv,
                GError **error)
{
  for (int i = 2; i < argc; i++)
    {
      if (g_str_equal (argv[i], "--") && self->action == OC_ACTION_RUN)
        return read_paths (self, argc, argv, i + 1, error);
      if (argv[i][0] == '-' && argv[i][1] != '\0')
        {
          if (!read_option (self, argc, argv, &i, error))
            return FALSE;
        }
      else if (self->action == OC_ACTION_RUN && self->id == NULL)
        self->id = g_strdup (argv[i]);
      else if (self->action == OC_ACTION_RUN && self->entry == NULL)
        self->entry = g_strdup (argv[i]);
      else
        return fail (error, _("“%s” is one argument too many. Selected paths come after “--”."), argv[i]);
    }
  return TRUE;
}

OcOptions *
oc_options_parse (int argc,
                  char **argv,
                  GError **error)
{
  g_autoptr (OcOptions) self = g_new0 (OcOptions, 1);

  self->surface = g_strdup ("host");
  self->paths = g_new0 (char *, 1);
  if (argc < 2)
    {
      fail_plain (error, _("Nothing to do was given."));
      return NULL;
    }
  if (g_str_equal (argv[1], "--version") || g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h"))
    {
      self->action = g_str_equal (argv[1], "--version") ? OC_ACTION_VERSION : OC_ACTION_HELP;
      return g_steal_pointer (&self);
    }
  if (g_str_equal (argv[1], "run"))
    self->action = OC_ACTION_RUN;
  else if (g_str_equal (argv[1], "check"))
    self->action = OC_ACTION_CHECK;
  else
    {
      fail (error, _("There is no command “%s”."), argv[1]);
      return NULL;
    }
  if (!read_arguments (self, argc, argv, error))
    return NULL;
  if (self->action == OC_ACTION_RUN && self->entry == NULL)
    {
      fail_plain (error, _("“run” needs a plugin’s id and an entry."));
      return NULL;
    }
  return g_steal_pointer (&self);
}
