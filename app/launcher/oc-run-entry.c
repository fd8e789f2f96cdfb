/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-entry.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-text.h"

static gboolean
has_extension (const char *path,
               char **extensions)
{
  g_autofree char *name = g_path_get_basename (path);

  for (guint i = 0; extensions[i] != NULL; i++)
    {
      const char *extension = extensions[i][0] == '.' ? extensions[i] + 1 : extensions[i];
      gsize len = strlen (extension);
      gsize name_len = strlen (name);

      if (name_len > len + 1 && name[name_len - len - 1] == '.' && g_ascii_strcasecmp (name + name_len - len, extension) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_path (const OcEntry *entry,
            const char *path,
            GError **error)
{
  g_autofree char *shown = oc_text_escape (path, 200, NULL);
  g_autofree char *list = NULL;
  struct stat st;

  if (lstat (path, &st) != 0)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_NOT_FOUND, _("%s was selected, but cannot be found: %s."), shown, g_strerror (errno));
      return FALSE;
    }
  if (entry->extensions == NULL || has_extension (path, entry->extensions))
    return TRUE;
  list = g_strjoinv (", ", entry->extensions);
  g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("%s was selected, but this entry takes only: %s."), shown, list);
  return FALSE;
}

gboolean
oc_run_check_selection (const OcEntry *entry,
                        const OcOptions *options,
                        GError **error)
{
  guint n = g_strv_length (options->paths);

  if (n < entry->min_selection)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID,
                   g_dngettext (GETTEXT_PACKAGE, "This entry needs at least %u selected file or folder.",
                                "This entry needs at least %u selected files or folders.", entry->min_selection),
                   entry->min_selection);
      return FALSE;
    }
  if (n > entry->max_selection)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID,
                   g_dngettext (GETTEXT_PACKAGE, "This entry takes at most %u selected file or folder.",
                                "This entry takes at most %u selected files or folders.", entry->max_selection),
                   entry->max_selection);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (!check_path (entry, options->paths[i], error))
      return FALSE;
  return TRUE;
}

guint
oc_run_get_timeout (const OcEntry *entry,
                    const OcOptions *options)
{
  guint own = (entry->timeout_s ? entry->timeout_s : OC_COMMAND_DEFAULT_TIMEOUT_S) * 1000;

  return options->timeout_ms > 0 ? MIN (options->timeout_ms, own) : own;
}
