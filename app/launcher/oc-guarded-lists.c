/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-guarded-lists.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-text.h"

#define LIST_RESOURCE "/org/ocelot/core/guarded-places.list"
#define USER_LIST "ocelot/guarded-places"
#define SYSTEM_FOLDER "guarded-places.d"
#define SYSTEM_SUFFIX ".list"

void
oc_guarded_list_free (OcGuardedList *self)
{
  if (self == NULL)
    return;
  g_free (self->file);
  g_free (self->text);
  g_free (self);
}

/* The layer comes first, and is not translated: see oc-selftest.c. */
static gboolean
fail (GError **error, const char *message)
{
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "guarded-places: %s", message);
  return FALSE;
}

static gboolean
fail_file (GError **error, const char *file, const char *why)
{
  g_autofree char *shown = oc_text_escape (file, 0, NULL);
  g_autofree char *message = g_strdup_printf (
      _ ("%s cannot be used: %s. Mend the file or take it away; until then no plugin runs."), shown,
      why);

  return fail (error, message);
}

static gboolean
fail_line (GError **error, const char *file, guint number, const char *why)
{
  g_autofree char *shown = file != NULL ? oc_text_escape (file, 0, NULL)
                                        : g_strdup (_ ("The list that is built in"));
  g_autofree char *message = g_strdup_printf (
      /* Translators: a file, the number of a line, and a whole sentence that says what is wrong. */
      _ ("%s, line %u: %s Mend the line or take it away; until then no plugin runs."), shown,
      number, why);

  return fail (error, message);
}

/* "", "." or "..": each slash is followed by something else. */
static gboolean
has_odd_component (const char *path)
{
  for (const char *slash = strchr (path, '/'); slash != NULL; slash = strchr (slash + 1, '/'))
    {
      const char *end = slash + 1;

      if (*end == '.')
        end++;
      if (*end == '.')
        end++;
      if (*end == '/' || *end == '\0')
        return TRUE;
    }
  return FALSE;
}

/* "/…", "~/…", "$NAME" or "$NAME/…". */
static gboolean
has_beginning (const char *path)
{
  gsize length;

  if (path[0] == '/')
    return path[1] != '\0';
  if (path[0] == '~')
    return path[1] == '/' && path[2] != '\0';
  if (path[0] != '$')
    return FALSE;
  length = strspn (path + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return length > 0 && (path[1 + length] == '\0' || path[1 + length] == '/');
}

static gboolean
is_made_anew (const char *path)
{
  return strcmp (path, "/dev") == 0 || g_str_has_prefix (path, "/dev/") || strcmp (path, "/proc") == 0
         || g_str_has_prefix (path, "/proc/");
}

/* NULL: it can be used. */
static const char *
find_fault (const char *path, const char *reason)
{
  static const char *const needed[] = { "/usr", "/bin", "/lib", "/lib64", NULL };

  if (strcmp (path, "/") == 0 || strcmp (path, "~") == 0 || strcmp (path, "~/") == 0)
    return _ ("The whole computer or home cannot be guarded; name what is in it.");
  if (path[0] == '/' && g_strv_contains (needed, path))
    return _ ("No program runs without this folder; name what is in it.");
  if (path[0] == '/' && is_made_anew (path))
    return _ ("Each plugin has a /dev and a /proc of its own; of this computer’s nothing is in them to be guarded.");
  if (!has_beginning (path))
    return _ ("A path begins with “/”, “~/” or the name of a variable in capitals, as in "
              "“$GNUPGHOME”.");
  /* Read as a name it would guard nothing, and whoever wrote it would not know. */
  if (strpbrk (path, "*?[") != NULL)
    return _ ("There are no wildcards here; name the folder around what is meant.");
  if (has_odd_component (path))
    return _ ("A path has no “.”, no “..”, no two slashes together and none at its end.");
  if (!g_utf8_validate (reason, -1, NULL) || reason[strspn (reason, " ")] == '\0')
    return _ ("After the tab, say in words what is in the place.");
  return NULL;
}

/* The tab in @line is taken out. */
static gboolean
check_line (const char *file, guint number, char *line, GError **error)
{
  char *tab = strchr (line, '\t');
  const char *fault;

  for (const char *at = line; *at != '\0'; at++)
    if (((guchar)*at < ' ' && at != tab) || *at == 0x7f)
      return fail_line (error, file, number,
                        _ ("It has a control character, such as a second tab or the carriage "
                           "return that some editors write."));
  if (tab == NULL)
    return fail_line (error, file, number, _ ("It is a path, one tab, and what is in the place."));
  *tab = '\0';
  fault = find_fault (line, tab + 1);
  return fault == NULL || fail_line (error, file, number, fault);
}

/* Whether it begins with a variable that says nothing, and that has no usual value either. */
static gboolean
is_unset (const char *path)
{
  static const char *const usual[] = { "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", NULL };
  g_autofree char *name = NULL;
  const char *value;

  if (path[0] != '$')
    return FALSE;
  name = g_strndup (path + 1, strcspn (path + 1, "/"));
  value = g_getenv (name);
  return !g_strv_contains (usual, name) && (value == NULL || !g_path_is_absolute (value));
}

gboolean
oc_guarded_list_check (OcGuardedList *self, GError **error)
{
  g_autofree char *copy = g_strdup (self->text);
  char *next = copy;

  self->n_places = self->n_unset = 0;
  for (guint number = 1; next != NULL; number++)
    {
      char *line = next;

      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      if (line[0] == '\0' || line[0] == '#')
        continue;
      if (!check_line (self->file, number, line, error))
        return FALSE;
      self->n_places++;
      self->n_unset += is_unset (line);
    }
  return TRUE;
}

static char *
read_text (const char *file, GError **error)
{
  g_auto (OcFd) fd = open (file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  g_autofree char *text = NULL;
  struct stat info;
  gssize n;

  if (fd < 0 || fstat (fd, &info) != 0)
    {
      fail_file (error, file, g_strerror (errno));
      return NULL;
    }
  if (!S_ISREG (info.st_mode) || info.st_size > OC_GUARDED_MAX_BYTES)
    {
      fail_file (error, file, _ ("it is not a regular file of at most 256 KiB"));
      return NULL;
    }
  text = g_malloc (OC_GUARDED_MAX_BYTES + 2);
  n = oc_fd_read_all (fd, text, OC_GUARDED_MAX_BYTES + 1);
  if (n < 0)
    {
      fail_file (error, file, g_strerror (errno));
      return NULL;
    }
  text[n] = '\0';
  if (n > OC_GUARDED_MAX_BYTES || memchr (text, '\0', (gsize)n) != NULL)
    {
      fail_file (error, file, _ ("it is no text of at most 256 KiB"));
      return NULL;
    }
  return g_steal_pointer (&text);
}

static gboolean
add_file (GPtrArray *lists, const char *file, GError **error)
{
  OcGuardedList *list = g_new0 (OcGuardedList, 1);

  g_ptr_array_add (lists, list);
  list->file = g_strdup (file);
  list->text = read_text (file, error);
  return list->text != NULL && oc_guarded_list_check (list, error);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static gboolean
add_system (GPtrArray *lists, OcPaths *paths, GError **error)
{
  g_autofree char *folder = g_build_filename (oc_paths_get_policy_dir (paths), SYSTEM_FOLDER, NULL);
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &local_error);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    return g_error_matches (local_error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
           || fail_file (error, folder, local_error->message);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (name[0] != '.' && g_str_has_suffix (name, SYSTEM_SUFFIX))
      g_ptr_array_add (files, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (files, compare_texts);
  for (guint i = 0; i < files->len; i++)
    if (!add_file (lists, files->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
has_file (GPtrArray *lists, const char *file)
{
  for (guint i = 0; i < lists->len; i++)
    if (g_strcmp0 (((OcGuardedList *)lists->pdata[i])->file, file) == 0)
      return TRUE;
  return FALSE;
}

/* @own: the home that is this user's for certain. The other one, the real one where HOME says
 * something else, can belong to somebody else, as /root does to uid 0 of a container. */
static gboolean
add_user (GPtrArray *lists, const char *config, gboolean own, GError **error)
{
  g_autofree char *file = g_build_filename (config, USER_LIST, NULL);
  struct stat info;

  if (has_file (lists, file))
    return TRUE;
  /* lstat: a link that leads nowhere is a list that cannot be read, not one that is not there. */
  if (lstat (file, &info) != 0
      && (errno == ENOENT || errno == ENOTDIR || (errno == EACCES && !own)))
    return TRUE;
  return add_file (lists, file, error);
}

char **
oc_guarded_list_homes (const char *home)
{
  g_autoptr (GStrvBuilder) homes = g_strv_builder_new ();
  struct passwd entry, *found = NULL;
  char buffer[4096];

  g_strv_builder_add (homes, home);
  if (getpwuid_r (geteuid (), &entry, buffer, sizeof buffer, &found) == 0 && found != NULL
      && found->pw_dir != NULL && g_path_is_absolute (found->pw_dir)
      && strcmp (found->pw_dir, home) != 0)
    g_strv_builder_add (homes, found->pw_dir);
  return g_strv_builder_end (homes);
}

GPtrArray *
oc_guarded_lists_read (OcPaths *paths, const char *const *homes, GError **error)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func (
      (GDestroyNotify)oc_guarded_list_free);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (LIST_RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      NULL);
  const char *config = g_getenv ("XDG_CONFIG_HOME");
  OcGuardedList *built_in = g_new0 (OcGuardedList, 1);

  g_ptr_array_add (lists, built_in);
  if (bytes == NULL)
    {
      fail (error,
            _ ("The list of guarded places is missing from the program. Install it again."));
      return NULL;
    }
  built_in->text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  if (!oc_guarded_list_check (built_in, error) || !add_system (lists, paths, error))
    return NULL;
  if (config != NULL && g_path_is_absolute (config) && !add_user (lists, config, TRUE, error))
    return NULL;
  for (gsize i = 0; homes[i] != NULL; i++)
    {
      g_autofree char *usual = g_build_filename (homes[i], ".config", NULL);

      if (!add_user (lists, usual, i == 0, error))
        return NULL;
    }
  return g_steal_pointer (&lists);
}

char *
oc_guarded_lists_describe (GPtrArray *lists)
{
  g_autoptr (GString) files = g_string_new (NULL);
  g_autofree char *text = NULL;
  guint n = 0;
  guint unset = 0;

  g_return_val_if_fail (lists != NULL, NULL);
  for (guint i = 0; i < lists->len; i++)
    {
      const OcGuardedList *list = lists->pdata[i];
      g_autofree char *shown = list->file != NULL ? oc_text_escape (list->file, 0, NULL) : NULL;

      n += list->n_places;
      if (shown == NULL)
        continue;
      unset += list->n_unset;
      if (files->len > 0)
        g_string_append (files, ", ");
      /* Translators: a file, and how many places it names */
      g_string_append_printf (files, _ ("%s (%u)"), shown, list->n_places);
    }
  if (files->len == 0)
    return g_strdup_printf (
        ngettext ("%u place is guarded, all from the list that is built in.",
                  "%u places are guarded, all from the list that is built in.", n),
        n);
  /* Translators: %2$s: files, each with a number */
  text = g_strdup_printf (ngettext ("%1$u place is guarded, some of them named in %2$s.",
                                    "%1$u places are guarded, some of them named in %2$s.", n),
                          n, files->str);
  if (unset == 0)
    return g_steal_pointer (&text);
  /* Whoever wrote the line thinks otherwise. */
  return g_strdup_printf (ngettext ("%s %u line there begins with a variable that is not set, and guards nothing.",
                                    "%s %u lines there begin with a variable that is not set, and guard nothing.", unset),
                          text, unset);
}
