/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host-place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-json-write.h"
#include "core/oc-text.h"
#include "core/oc-utf8.h"

/*
 * file.readText. The broker reads here for the plugin, outside of the sandbox, with all the user's rights. So:
 * - The path is taken apart as text first: inside a selected path, with no empty, "." or ".." component.
 * - What was selected is opened without following a link in its last component: a selected link is not what it points to.
 * - From there openat2(RESOLVE_BENEATH) decides; a link that stays inside the selected folder is fine, one that leaves is not.
 * - It is opened as a path only (O_PATH), looked at, and only a regular file is then opened for reading, through that
 *   descriptor: no FIFO hangs, no device is touched, nothing can be swapped in between.
 * - Where it really lies is asked of the kernel afterwards: guarded places, our own folder and /proc are refused also where
 *   the user selected them.
 * The reading is done in a thread: a network share that hangs must not hold up the time-out.
 */

typedef struct
{
  char *path;       /* owned: as asked for */
  char *root;       /* owned: the selected path it lies in */
  const char *rest; /* borrowed from @path; "" for the root itself */
  OcHostPlace *place; /* owned */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *self = data;

  g_free (self->path);
  g_free (self->root);
  oc_host_place_unref (self->place);
  g_free (self);
}

/* How a reading fails: an OcRpcCode, its reason and a message travel through GError. */
static GQuark
reading_quark (void)
{
  return g_quark_from_static_string ("oc-host-file-quark");
}

typedef enum
{
  FAIL_OUTSIDE,
  FAIL_GUARDED,
  FAIL_LINK,
  FAIL_MISSING,
  FAIL_NOT_REGULAR,
  FAIL_TOO_LARGE,
  FAIL_NOT_TEXT,
  FAIL_IO,
} Failure;

static const struct
{
  OcRpcCode code;
  const char *reason;
} failures[] = {
  [FAIL_OUTSIDE] = { OC_RPC_REFUSED, "outside-selection" },
  [FAIL_GUARDED] = { OC_RPC_REFUSED, "guarded" },
  [FAIL_LINK] = { OC_RPC_REFUSED, "link" },
  [FAIL_MISSING] = { OC_RPC_NOT_FOUND, "missing" },
  [FAIL_NOT_REGULAR] = { OC_RPC_FAILED, "not-a-file" },
  [FAIL_TOO_LARGE] = { OC_RPC_TOO_LARGE, "too-large" },
  [FAIL_NOT_TEXT] = { OC_RPC_NOT_TEXT, "not-text" },
  [FAIL_IO] = { OC_RPC_FAILED, "io" },
};

static int
fail (GError **error,
      Failure failure,
      const char *message)
{
  g_set_error_literal (error, reading_quark (), failure, message);
  return -1;
}

/* The selected path that @path lies in: the longest, so that one selected inside another counts as itself. */
static const char *
find_root (const char *const *selection,
           const char *path)
{
  const char *found = NULL;

  for (guint i = 0; selection[i] != NULL; i++)
    if (oc_host_place_is_beneath (path, selection[i]) && (found == NULL || strlen (selection[i]) > strlen (found)))
      found = selection[i];
  return found;
}

static gboolean
lies_in (int fd,
         int folder)
{
  g_autofree char *fd_proc = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *folder_proc = g_strdup_printf ("/proc/self/fd/%d", folder);
  g_autofree char *path = g_file_read_link (fd_proc, NULL);
  g_autofree char *folder_path = g_file_read_link (folder_proc, NULL);

  return path != NULL && folder_path != NULL && *path == '/' && oc_host_place_is_beneath (path, folder_path);
}

/* A link with an absolute path, and one that leaves and comes back, may lead into what is selected all the same. What is opened
 * does not move any more, so where it lies decides. All else is EXDEV, so that nobody learns what there is elsewhere. */
static int
open_by_way_of_outside (int root,
                        const char *rest)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
  int fd = (int) syscall (SYS_openat2, root, rest, &how, sizeof how);

  if (fd >= 0 && lies_in (fd, root))
    return fd;
  if (fd >= 0)
    close (fd);
  errno = EXDEV;
  return -1;
}

static int
open_beneath (int root,
              const char *rest)
{
  struct open_how how = {
    .flags = O_PATH | O_CLOEXEC,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
  };
  int fd;

  /* EAGAIN: a rename elsewhere raced with "..", which a link inside may hold. */
  for (int i = 0; i < 8; i++)
    {
      fd = (int) syscall (SYS_openat2, root, rest, &how, sizeof how);
      if (fd >= 0 || errno != EAGAIN)
        break;
    }
  return fd < 0 && errno == EXDEV ? open_by_way_of_outside (root, rest) : fd;
}

static int
fail_errno (GError **error)
{
  int saved = errno;

  if (saved == ENOENT || saved == ENOTDIR)
    return fail (error, FAIL_MISSING, _("There is no such file."));
  if (saved == ELOOP)
    return fail (error, FAIL_LINK, _("Links lead in a circle, or into /proc."));
  if (saved == EXDEV)
    return fail (error, FAIL_LINK, _("A link leads out of what is selected."));
  return fail (error, FAIL_IO, g_strerror (saved));
}

/* A descriptor that only names the file. */
static int
open_path (Reading *self,
           GError **error)
{
  int root = open (self->root, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;
  int fd;

  if (root < 0)
    return fail_errno (error);
  if (fstat (root, &st) == 0 && S_ISLNK (st.st_mode))
    {
      close (root);
      return fail (error, FAIL_LINK, _("What is selected is a link. Select the file itself."));
    }
  if (*self->rest == '\0')
    return root;
  fd = open_beneath (root, self->rest);
  if (fd < 0)
    fail_errno (error);
  close (root);
  return fd;
}

static gboolean
check_place (Reading *self,
             int fd,
             GError **error)
{
  struct stat st;

  if (fstat (fd, &st) != 0)
    return fail (error, FAIL_IO, _("It could not be told where the file is.")) == 0;
  if (oc_host_place_is_guarded (self->place, fd, NULL))
    return fail (error, FAIL_GUARDED, _("The file lies in a place that no plugin may read, selected or not.")) == 0;
  if (S_ISREG (st.st_mode))
    return TRUE;
  return fail (error, FAIL_NOT_REGULAR, S_ISDIR (st.st_mode) ? _("It is a folder, not a file.") : _("It is no regular file.")) == 0;
}

static int
open_file (Reading *self,
           GError **error)
{
  g_autofree char *proc = NULL;
  int path_fd = open_path (self, error);
  int fd;

  if (path_fd < 0)
    return -1;
  if (!check_place (self, path_fd, error))
    {
      close (path_fd);
      return -1;
    }
  proc = g_strdup_printf ("/proc/self/fd/%d", path_fd);
  fd = open (proc, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    fail (error, FAIL_IO, g_strerror (errno));
  close (path_fd);
  return fd;
}

/* The text as JSON. */
static char *
quote_text (const char *data,
            gsize len,
            GError **error)
{
  g_autofree char *message = NULL;
  GString *json;
  gsize valid;

  if (len > OC_FILE_MAX_BYTES)
    {
      fail (error, FAIL_TOO_LARGE, _("The file is larger than 1,000,000 bytes."));
      return NULL;
    }
  if (!oc_utf8_check (data, len, &valid))
    {
      message = g_strdup_printf (data[valid] == '\0' ? _("The file is not UTF-8 text: a NUL byte at offset %" G_GSIZE_FORMAT ".")
                                                     : _("The file is not UTF-8 text: a bad byte at offset %" G_GSIZE_FORMAT "."),
                                 valid);
      fail (error, FAIL_NOT_TEXT, message);
      return NULL;
    }
  /* With room for what is escaped in prose. */
  json = g_string_sized_new (len + len / 16 + 16);
  g_string_append_c (json, '"');
  oc_json_append_part (json, data, len);
  g_string_append_c (json, '"');
  return g_string_free (json, FALSE);
}

/* One byte more than is allowed tells that there are more. */
static char *
read_text (int fd,
           GError **error)
{
  struct stat st;
  gsize room = fstat (fd, &st) == 0 && st.st_size >= 0 && st.st_size <= OC_FILE_MAX_BYTES ? (gsize) st.st_size + 1 : OC_FILE_MAX_BYTES + 1;
  g_autofree char *data = g_malloc (room);
  gsize len = 0;
  ssize_t n;

  while ((n = read (fd, data + len, room - len)) != 0)
    {
      if (n < 0 && errno != EINTR)
        {
          fail (error, FAIL_IO, g_strerror (errno));
          return NULL;
        }
      len += n > 0 ? (gsize) n : 0;
      if (len < room)
        continue;
      if (room > OC_FILE_MAX_BYTES)
        break;
      /* It has grown since it was looked at. */
      room = OC_FILE_MAX_BYTES + 1;
      data = g_realloc (data, room);
    }
  return quote_text (data, len, error);
}

static void
run_reading (GTask *task,
             gpointer source,
             gpointer data,
             GCancellable *cancellable)
{
  GError *error = NULL;
  char *text = NULL;
  int fd = open_file (data, &error);

  if (fd >= 0)
    {
      text = read_text (fd, &error);
      close (fd);
    }
  if (text != NULL)
    g_task_return_pointer (task, text, g_free);
  else
    g_task_return_error (task, error);
}

/* One of many files may be selected: which one it is about. (transfer full) */
static char *
name_file (const char *path,
           const char *message)
{
  g_autofree char *shown = oc_text_escape (path, 400, NULL);

  return g_strdup_printf ("%s: %s", shown, message);
}

static void
on_read (GObject *source,
         GAsyncResult *result,
         gpointer user_data)
{
  g_autoptr (OcCall) call = user_data;
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_task_propagate_pointer (G_TASK (result), &error);
  g_autofree char *message = NULL;

  if (text != NULL)
    {
      oc_call_record_use (call, reading->path);
      oc_call_return_text (call, g_steal_pointer (&text));
      return;
    }
  message = name_file (reading->path, error->message);
  if (failures[error->code].code == OC_RPC_REFUSED)
    oc_call_refuse (call, failures[error->code].reason, reading->path, message);
  else
    oc_call_fail (call, failures[error->code].code, failures[error->code].reason, message);
}

void
oc_host_file_read_text (OcCall *call)
{
  OcHost *host = oc_call_get_host (call);
  g_autoptr (GTask) task = NULL;
  g_autofree char *path = NULL;
  const char *root;
  const char *text;
  Reading *reading;

  if (!oc_call_read_string (call, "path", 4 * PATH_MAX, &text))
    return;
  path = oc_host_path_from_text (text);
  if (path == NULL)
    {
      oc_call_fail_param (call, "path", _("an absolute path, or a file:// URI"));
      return;
    }
  root = oc_host_place_is_plain (path) ? find_root (host->selection, path) : NULL;
  if (root == NULL)
    {
      g_autofree char *message = name_file (path, _("The file is not in what is selected."));

      oc_call_refuse (call, "outside-selection", path, message);
      return;
    }
  reading = g_new0 (Reading, 1);
  reading->root = g_strdup (root);
  reading->place = oc_host_place_get (host);
  reading->path = g_steal_pointer (&path);
  reading->rest = reading->path + strlen (root);
  if (*reading->rest == '/')
    reading->rest++;

  task = g_task_new (NULL, NULL, on_read, oc_call_ref (call));
  g_task_set_source_tag (task, oc_host_file_read_text);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, run_reading);
}
