/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-bwrap-arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-text.h"
#include "launcher/oc-process-private.h"
#include "launcher/oc-sandbox-devices.h"

#define FOLDER "ocelot"
#define MASK_FILE "mask-file"
#define MASK_FOLDER "mask-folder"
/* A few mount points each. */
#define TMPFS_SIZE "65536"

void
oc_mask_sources_clear (OcMaskSources *self)
{
  g_clear_pointer (&self->file, g_free);
  g_clear_pointer (&self->folder, g_free);
}

static gboolean
fail (GError **error, const char *path, const char *why)
{
  g_autofree char *shown = oc_text_escape (path, 0, NULL);

  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "guarded-places: %s: %s", shown, why);
  return FALSE;
}

char *
oc_runtime_folder_ensure (const char *runtime, GError **error)
{
  g_autofree char *path = g_build_filename (runtime, FOLDER, NULL);
  struct stat info;

  /* Where XDG_RUNTIME_DIR is not set, GLib's is the cache folder, which may not be there yet. */
  if (g_mkdir_with_parents (runtime, 0700) != 0 || (mkdir (path, 0700) != 0 && errno != EEXIST)
      || lstat (path, &info) != 0)
    {
      fail (error, path, g_strerror (errno));
      return NULL;
    }
  if (!S_ISDIR (info.st_mode) || info.st_uid != geteuid () || (info.st_mode & 077) != 0)
    {
      fail (error, path, "is not a folder of this user's own that is closed to others; remove it");
      return NULL;
    }
  return g_steal_pointer (&path);
}

static gboolean
check_source (const char *path, mode_t type, GError **error)
{
  struct stat info;

  if (lstat (path, &info) != 0)
    return fail (error, path, g_strerror (errno));
  if ((info.st_mode & S_IFMT) != type || info.st_uid != geteuid () || (info.st_mode & 07777) != 0
      || (type == S_IFREG && info.st_size != 0))
    return fail (error, path, "is not what it was made as; remove it");
  return TRUE;
}

gboolean
oc_mask_sources_ensure (OcMaskSources *self, const char *runtime, GError **error)
{
  g_autofree char *folder = oc_runtime_folder_ensure (runtime, error);
  g_auto (OcFd) fd = -1;

  if (folder == NULL)
    return FALSE;
  oc_mask_sources_clear (self);
  self->file = g_build_filename (folder, MASK_FILE, NULL);
  self->folder = g_build_filename (folder, MASK_FOLDER, NULL);
  fd = open (self->file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  if (fd < 0 && errno != EEXIST)
    return fail (error, self->file, g_strerror (errno));
  if (mkdir (self->folder, 0) != 0 && errno != EEXIST)
    return fail (error, self->folder, g_strerror (errno));
  return check_source (self->file, S_IFREG, error) && check_source (self->folder, S_IFDIR, error);
}

/* NULL-terminated. */
static void
add (GByteArray *arguments, ...)
{
  va_list words;
  const char *word;

  va_start (words, arguments);
  while ((word = va_arg (words, const char *)) != NULL)
    g_byte_array_append (arguments, (const guint8 *)word, (guint)strlen (word) + 1);
  va_end (words);
}

static void
add_whole (GByteArray *arguments, const OcStage *stage)
{
  /* Stage 2 uses them where the system lets it, and drops them: see oc-stage-enter.c. */
  static const char *const capabilities[] = { "CAP_SYS_ADMIN", "CAP_SYS_RESOURCE", "CAP_SETPCAP",
                                              "CAP_NET_ADMIN", "CAP_NET_RAW",      "CAP_NET_BIND_SERVICE" };

  /* Not --die-with-parent: killed at the wrong moment, bubblewrap leaves a child that waits for it for ever. Stage 2 has a
   * life-line of its own. Not --new-session: stage 2 does it. */
  add (arguments, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
       "--unshare-cgroup", "--as-pid-1", "--hostname", "plugin", "--clearenv", "--cap-drop", "ALL",
       NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (capabilities); i++)
    add (arguments, "--cap-add", capabilities[i], NULL);
  if (stage->private_network)
    add (arguments, "--unshare-net", NULL);
  add (arguments, "--ro-bind", "/", "/", "--perms", "0755", "--size", TMPFS_SIZE, "--tmpfs", "/dev",
       NULL);
  for (gsize i = 0; i < OC_N_DEVICES; i++)
    add (arguments, "--dev-bind", oc_devices[i].path, oc_devices[i].path, NULL);
  for (gsize i = 0; i < OC_N_DEVICE_LINKS; i++)
    add (arguments, "--symlink", oc_device_links[i].target, oc_device_links[i].path, NULL);
  add (arguments, "--perms", "0555", "--dir", "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc",
       "--remount-ro", "/proc", NULL);
}

static void
add_hide (GByteArray *arguments, const OcOp *op)
{
  add (arguments, "--perms", "0111", "--size", TMPFS_SIZE, "--tmpfs", op->path, NULL);
  for (gsize i = 0; i < op->n_points; i++)
    {
      g_autofree char *point = g_build_filename (op->path, op->points[i], NULL);

      add (arguments, "--perms", "0111", "--dir", point, NULL);
    }
  add (arguments, "--remount-ro", op->path, NULL);
}

static gboolean
add_op (GByteArray *arguments, OcOp *op, const OcMaskSources *masks, int content_fd, GError **error)
{
  g_auto (OcFd) place = oc_stage_open_place (op->path);
  g_autofree char *number = g_strdup_printf ("%d", content_fd);
  struct stat info;

  if (place < 0 || fstat (place, &info) != 0)
    {
      /* As in the direct executor; the remaining ones too must not lead through a symlink. */
      if (op->optional && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return TRUE;
      return fail (error, op->path, g_strerror (errno));
    }
  op->device = info.st_dev;
  op->inode = info.st_ino;
  switch (op->kind)
    {
    case OC_OP_MASK:
      add (arguments, "--ro-bind", S_ISDIR (info.st_mode) ? masks->folder : masks->file, op->path, NULL);
      break;
    case OC_OP_HIDE:
      add_hide (arguments, op);
      break;
    case OC_OP_READ_ONLY:
      add (arguments, "--ro-bind", op->path, op->path, NULL);
      break;
    case OC_OP_WRITABLE:
      add (arguments, "--bind", op->path, op->path, NULL);
      break;
    case OC_OP_CONTENT:
      add (arguments, "--perms", "0444", "--ro-bind-data", number, op->path, NULL);
      break;
    }
  return TRUE;
}

GByteArray *
oc_bwrap_make_arguments (OcStage *stage, const OcMaskSources *masks, const int *content_fds, GError **error)
{
  g_autoptr (GByteArray) arguments = g_byte_array_new ();

  add_whole (arguments, stage);
  for (gsize i = 0; i < stage->n_ops; i++)
    {
      gboolean content = stage->ops[i].kind == OC_OP_CONTENT;

      if (!add_op (arguments, &stage->ops[i], masks, content ? *content_fds : -1, error))
        return NULL;
      content_fds += content ? 1 : 0;
    }
  return g_steal_pointer (&arguments);
}
