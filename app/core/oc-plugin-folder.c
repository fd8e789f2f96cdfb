/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-plugin-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json.h"
#include "core/oc-text.h"

static const char *const manifest_names[] = { "plugin.json", "manifest.json" };

OcProblem *
oc_problem_new (const char *place,
                const char *message,
                const char *remedy)
{
  OcProblem *self = g_new0 (OcProblem, 1);

  self->place = g_strdup (place);
  self->message = g_strdup (message);
  self->remedy = g_strdup (remedy);
  return self;
}

void
oc_problem_free (OcProblem *self)
{
  g_free (self->place);
  g_free (self->message);
  g_free (self->remedy);
  g_free (self);
}

static gboolean
set_open_error (GError **error,
                const char *path,
                int code)
{
  g_autofree char *shown = oc_text_escape (path, 0, NULL);

  g_set_error (
      error, OC_ERROR, OC_ERROR_IO,
      /* Translators: the first %s is a path, the second the system's words for what went wrong. */
      _("The Plugins folder %s cannot be read: %s. Check who owns it and its permissions."),
      shown, g_strerror (code));
  return FALSE;
}

/* Where an open folder really is: asked of the descriptor, so that it is the one that is read.
 * (nullable) */
static char *
dup_real_path (int fd,
               const char *path)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  char *real = g_file_read_link (link, NULL);

  return real != NULL ? real : realpath (path, NULL);
}

gboolean
oc_plugins_folder_open (OcPluginsFolder *self,
                        const char *path,
                        GError **error)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return errno == ENOENT ? FALSE : set_open_error (error, path, errno);

  self->fd = fd;
  self->path = g_strdup (path);
  self->real = dup_real_path (fd, path);
  return TRUE;
}

void
oc_plugins_folder_close (OcPluginsFolder *self)
{
  close (self->fd);
  self->fd = -1;
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->real, g_free);
}

static gboolean
is_plugin_folder (int fd,
                  const struct dirent *item)
{
  struct stat st;

  if (item->d_name[0] == '.')
    return FALSE;
  if (item->d_type == DT_DIR || item->d_type == DT_LNK)
    return TRUE;
  if (item->d_type != DT_UNKNOWN)
    return FALSE;
  return fstatat (fd, item->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
         && (S_ISDIR (st.st_mode) || S_ISLNK (st.st_mode));
}

GPtrArray *
oc_plugins_folder_list (OcPluginsFolder *self,
                        GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  int fd = openat (self->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *item;
  int code;

  if (dir == NULL)
    {
      set_open_error (error, self->path, errno);
      if (fd >= 0)
        close (fd);
      return NULL;
    }

  while (errno = 0, (item = readdir (dir)) != NULL)
    {
      if (is_plugin_folder (self->fd, item))
        g_ptr_array_add (names, g_strdup (item->d_name));
    }
  code = errno;
  closedir (dir);
  if (code != 0)
    {
      set_open_error (error, self->path, code);
      return NULL;
    }

  return g_steal_pointer (&names);
}

/* An inode number is given again after a removal, a time of birth is not, and nobody can set it. */
static char *
dup_born (int fd)
{
  struct statx status;

  if (statx (fd, "", AT_EMPTY_PATH, STATX_BTIME | STATX_UID, &status) != 0
      || (status.stx_mask & (STATX_BTIME | STATX_UID)) != (STATX_BTIME | STATX_UID)
      || status.stx_uid != geteuid ())
    return NULL;
  return g_strdup_printf ("%" G_GINT64_FORMAT ".%09u", (gint64) status.stx_btime.tv_sec,
                          status.stx_btime.tv_nsec);
}

/* Opens the plugin's own folder. A link is followed, once it is known to be one, and marked: it
 * never carries consent. */
static int
open_plugin (OcPluginsFolder *self,
             const char *name,
             OcPluginContents *contents)
{
  struct stat st;
  int fd;

  if (fstatat (self->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return -1;
  contents->is_symlink = S_ISLNK (st.st_mode);

  fd = openat (self->fd, name,
               O_RDONLY | O_DIRECTORY | O_CLOEXEC | (contents->is_symlink ? 0 : O_NOFOLLOW));
  if (fd < 0)
    return -1;

  if (contents->is_symlink)
    {
      g_autofree char *path = g_build_filename (self->path, name, NULL);

      contents->real_folder = dup_real_path (fd, path);
    }
  else if (self->real != NULL)
    contents->real_folder = g_build_filename (self->real, name, NULL);
  contents->born = dup_born (fd);
  return fd;
}

typedef enum
{
  READ_MISSING = 0,
  READ_DONE,
  READ_FAILED,
} ReadResult;

/* Why opening or reading a manifest failed, as a sentence. */
static const char *
explain_errno (int code)
{
  switch (code)
    {
    case ELOOP:
      return _("It is a link. A manifest must be a file in the plugin's own folder.");
    case EACCES:
    case EPERM:
      return _("You are not allowed to read it.");
    case EFBIG:
      return _("It is larger than 1 MiB. What needs more cannot be reviewed.");
    case EISDIR:
    case ENXIO:
    case ENODEV:
      return _("It is no regular file.");
    default:
      return g_strerror (code);
    }
}

/* Reads at most OC_JSON_MAX_BYTES. O_NONBLOCK: opening a FIFO must not wait for a writer. */
static ReadResult
read_manifest (int folder_fd,
               const char *name,
               GBytes **bytes,
               int *code)
{
  int fd = openat (folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  g_autofree char *buffer = NULL;
  gsize len = 0;
  gsize room;
  struct stat st;

  *code = fd < 0 ? errno : 0;
  if (fd < 0)
    return *code == ENOENT ? READ_MISSING : READ_FAILED;

  if (fstat (fd, &st) != 0)
    *code = errno;
  else if (!S_ISREG (st.st_mode))
    *code = S_ISDIR (st.st_mode) ? EISDIR : ENODEV;
  else if (st.st_size > OC_JSON_MAX_BYTES)
    *code = EFBIG;

  /* The file may grow while it is read: one byte more than there should be, to notice. */
  room = *code == 0 ? (gsize) st.st_size + 1 : 0;
  buffer = g_malloc (room + 1);
  while (*code == 0)
    {
      gssize n = read (fd, buffer + len, room - len);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        *code = errno;
      if (n <= 0)
        break;
      len += (gsize) n;
      if (len == room)
        {
          room = MIN (room * 2, OC_JSON_MAX_BYTES + 1);
          if (len == room)
            *code = EFBIG;
          else
            buffer = g_realloc (buffer, room);
        }
    }
  close (fd);
  if (*code != 0)
    return READ_FAILED;

  *bytes = g_bytes_new_take (g_steal_pointer (&buffer), len);
  return READ_DONE;
}

static void
add_main_problem (OcPluginContents *contents,
                  const char *main,
                  const char *format,
                  const char *remedy)
{
  const char *file = oc_manifest_get_file_name (contents->manifest);
  const char *key = oc_manifest_get_kind (contents->manifest) == OC_PLUGIN_KIND_ADDON ? "entry"
                                                                                      : "main";
  g_autofree char *shown = oc_text_escape (main, 0, NULL);
  g_autofree char *place = g_strdup_printf ("%s: %s", file, key);
  g_autofree char *message = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  message = g_strdup_printf (format, shown);
#pragma GCC diagnostic pop
  g_ptr_array_add (contents->problems, oc_problem_new (place, message, remedy));
}

/* What the manifest says is run has to be there. Walked part by part without following any link,
 * as the launcher does. */
static void
check_main (int folder_fd,
            OcPluginContents *contents)
{
  const char *main = oc_manifest_get_main (contents->manifest);
  gboolean runs = oc_manifest_get_kind (contents->manifest) == OC_PLUGIN_KIND_PROCESS;
  g_auto (GStrv) parts = NULL;
  struct stat st = { 0 };
  int at = folder_fd;

  if (main == NULL)
    return;

  parts = g_strsplit (main, "/", -1);
  for (gsize i = 0; parts[i] != NULL; i++)
    {
      int fd = openat (at, parts[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
      gboolean good = fd >= 0 && fstat (fd, &st) == 0;

      if (at != folder_fd)
        close (at);
      at = fd;
      if (!good)
        {
          if (fd >= 0)
            close (fd);
          add_main_problem (contents, main, _("“%s” is not there."),
                            _("If the plugin is yours, build it; else install it again, whole."));
          return;
        }
      if (S_ISLNK (st.st_mode))
        {
          close (fd);
          add_main_problem (contents, main,
                            _("“%s” is, or lies behind, a link; none is followed."),
                            _("Put the file itself there."));
          return;
        }
    }
  close (at);

  if (!S_ISREG (st.st_mode))
    add_main_problem (contents, main, _("“%s” is no regular file."),
                      _("Install the plugin again, whole."));
  else if (runs && (st.st_mode & 0111) == 0)
    add_main_problem (contents, main, _("“%s” is not executable."),
                      _("Make it executable, with chmod +x, or install the plugin again."));
}

static OcManifest *
manifest_missing (const char *name,
                  int code)
{
  g_autofree char *message = NULL;

  if (code == 0)
    return oc_manifest_new_unreadable (
        manifest_names[0], name,
        _("There is no plugin.json and no manifest.json in this folder."),
        _("Install the plugin again, whole, or remove the folder."));
  if (code == ENOENT || code == ENOTDIR || code == ELOOP)
    return oc_manifest_new_unreadable (manifest_names[0], name,
                                       _("This is a link that leads to no folder."),
                                       _("Correct the link, or remove it."));

  /* Translators: %s is the system's words for what went wrong. */
  message = g_strdup_printf (_("The plugin's folder cannot be read: %s."), g_strerror (code));
  return oc_manifest_new_unreadable (manifest_names[0], name, message,
                                     _("Check who owns the folder and its permissions."));
}

static void
read_manifests (int folder_fd,
                const char *name,
                OcPluginContents *contents)
{
  for (gsize i = 0; i < G_N_ELEMENTS (manifest_names); i++)
    {
      g_autoptr (GBytes) bytes = NULL;
      int code;
      ReadResult result = read_manifest (folder_fd, manifest_names[i], &bytes, &code);

      if (result == READ_MISSING)
        continue;
      if (contents->manifest != NULL)
        {
          g_ptr_array_add (
              contents->problems,
              oc_problem_new (
                  _("the plugin's folder"),
                  _("There is a plugin.json and a manifest.json; which of them counts?"),
                  _("Remove one of the two.")));
          return;
        }
      contents->manifest = result == READ_DONE ? oc_manifest_new (manifest_names[i], name, bytes)
                                               : oc_manifest_new_unreadable (
                                                   manifest_names[i], name, explain_errno (code),
                                                   _("Install the plugin again, whole."));
    }
}

void
oc_plugins_folder_read (OcPluginsFolder *self,
                        const char *name,
                        OcPluginContents *contents)
{
  int fd, code;

  memset (contents, 0, sizeof *contents);
  contents->problems = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_problem_free);

  fd = open_plugin (self, name, contents);
  code = fd < 0 ? errno : 0;
  if (fd >= 0)
    read_manifests (fd, name, contents);
  if (contents->manifest == NULL)
    contents->manifest = manifest_missing (name, code);
  else
    check_main (fd, contents);
  if (fd >= 0)
    close (fd);
}
