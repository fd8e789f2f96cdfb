/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "launcher/oc-host-open.h"
#include "launcher/oc-host-place.h"

/*
 * app.open. The application runs outside of any sandbox, with all the user's rights, so the plugin chooses from what the user
 * chose: an application that was consented to, and the shown folder or one that is selected itself. Not a folder inside a
 * selected one: a project may hold one that its author wants opened in an editor that runs what it finds.
 *
 * - The folder is compared as text with what was chosen, which has no "." and the like, and opened without following a link in its
 *   last component; where it really lies is asked of the kernel, and that path is handed over. A link on the way there cannot be
 *   turned any more; the folder itself can be replaced afterwards by whoever may write the folder above it. A plugin may write
 *   in its own folders only, and those are refused: in an editor or a terminal, what the plugin put there would be acted on
 *   outside of the sandbox.
 * - Which program an application is, its desktop entry says. A plugin cannot write one: the folders that hold them
 *   ($XDG_DATA_HOME/applications and the system's) are read-only for it and for all it starts, as everything outside of its own
 *   folders is.
 */

typedef enum
{
  FAIL_NONE = 0,
  FAIL_OUTSIDE,
  FAIL_NO_FOLDER,
  FAIL_LINK,
  FAIL_NOT_A_FOLDER,
  FAIL_GUARDED,
  FAIL_OWN,
  FAIL_MISSING,
  FAIL_IO,
} Failure;

static const struct
{
  OcRpcCode code;
  const char *reason;
  const char *message;
} failures[] = {
  [FAIL_OUTSIDE] = { OC_RPC_REFUSED, "outside-selection", N_("The folder is neither the shown one nor selected.") },
  [FAIL_NO_FOLDER] = { OC_RPC_REFUSED, "no-folder", N_("No folder is shown. Name a selected one.") },
  [FAIL_LINK] = { OC_RPC_REFUSED, "link", N_("It is a link. Only a folder itself is opened.") },
  [FAIL_NOT_A_FOLDER] = { OC_RPC_REFUSED, "not-a-folder", N_("It is no folder.") },
  [FAIL_GUARDED] = { OC_RPC_REFUSED, "guarded", N_("The folder lies in a place that no plugin may read, selected or not.") },
  [FAIL_OWN] = { OC_RPC_REFUSED, "own-folder",
                 N_("The folder is the plugin’s own: what lies there would be acted on outside of the sandbox.") },
  [FAIL_MISSING] = { OC_RPC_NOT_FOUND, "missing", N_("There is no such folder.") },
  [FAIL_IO] = { OC_RPC_FAILED, "io", N_("The folder could not be looked at.") },
};

typedef struct
{
  OcCall *call;       /* owned */
  OcOpening *opening; /* borrowed: while the task is not cancelled */
  OcHostPlace *place;     /* owned */
  char *app;          /* owned */
  char *path;         /* owned: as it was asked for */
  char *real;         /* owned (nullable): where it lies */
  Failure failure;
} Request;

static void
request_free (gpointer data)
{
  Request *self = data;

  oc_call_unref (self->call);
  oc_host_place_unref (self->place);
  g_free (self->app);
  g_free (self->path);
  g_free (self->real);
  g_free (self);
}

static void
refuse (OcCall *call,
        const char *path,
        Failure failure)
{
  g_autofree char *shown = path ? oc_text_escape (path, 400, NULL) : NULL;
  g_autofree char *message = NULL;

  message = shown ? g_strdup_printf ("%s: %s", shown, _(failures[failure].message)) : g_strdup (_(failures[failure].message));
  if (failures[failure].code == OC_RPC_REFUSED)
    oc_call_refuse (call, failures[failure].reason, path, message);
  else
    oc_call_fail (call, failures[failure].code, failures[failure].reason, message);
}

/* The kernel says of a folder that is gone where it was. */
static gboolean
is_still_there (const char *real,
                const struct stat *st)
{
  struct stat now;

  return lstat (real, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

static Failure
check_folder (Request *self)
{
  /* Links on the way are the user's; those of /proc lead where no path does. */
  struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
  int fd = (int) syscall (SYS_openat2, AT_FDCWD, self->path, &how, sizeof how);
  Failure failure = FAIL_NONE;
  gboolean guarded;
  struct stat st;

  if (fd < 0)
    return errno == ENOENT || errno == ENOTDIR ? FAIL_MISSING : errno == ELOOP ? FAIL_LINK : FAIL_IO;
  if (fstat (fd, &st) != 0)
    failure = FAIL_IO;
  else if (S_ISLNK (st.st_mode))
    failure = FAIL_LINK;
  else if (!S_ISDIR (st.st_mode))
    failure = FAIL_NOT_A_FOLDER;
  else
    {
      guarded = oc_host_place_is_guarded (self->place, fd, &self->real);
      if (self->real != NULL && oc_host_place_is_own (self->place, self->real))
        failure = FAIL_OWN;
      else if (guarded)
        failure = FAIL_GUARDED;
      else if (!is_still_there (self->real, &st))
        failure = FAIL_MISSING;
    }
  close (fd);
  return failure;
}

static void
run_check (GTask *task,
           gpointer source,
           gpointer data,
           GCancellable *cancellable)
{
  Request *self = data;

  self->failure = check_folder (self);
  g_task_return_boolean (task, TRUE);
}

static void
on_checked (GObject *source,
            GAsyncResult *result,
            gpointer data)
{
  Request *self = g_task_get_task_data (G_TASK (result));
  g_autofree char *uri = NULL;

  /* The run ended meanwhile: neither the opening nor the host is there any more. */
  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return;
  if (self->failure != FAIL_NONE)
    {
      refuse (self->call, self->path, self->failure);
      return;
    }
  uri = g_filename_to_uri (self->real, NULL, NULL);
  oc_opening_start (self->opening, (const char *const[]){ "folder", self->app, uri, NULL });
}

static gboolean
is_chosen (const OcHost *host,
           const char *path)
{
  return g_strcmp0 (host->folder, path) == 0 || g_strv_contains (host->selection, path);
}

/* FALSE: answered. @path: (out) (transfer full) */
static gboolean
read_folder (OcCall *call,
             char **path)
{
  const OcHost *host = oc_call_get_host (call);
  JsonNode *node = json_object_get_member (oc_call_get_params (call), "folder");
  g_autofree char *folder = NULL;
  const char *text;
  gsize len;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    {
      *path = g_strdup (host->folder);
      if (*path == NULL)
        refuse (call, NULL, FAIL_NO_FOLDER);
      return *path != NULL;
    }
  if (!oc_call_read_string (call, "folder", 4 * PATH_MAX, &text))
    return FALSE;
  folder = oc_host_path_from_text (text);
  if (folder == NULL)
    {
      oc_call_fail_param (call, "folder", _("an absolute path, or a file:// URI"));
      return FALSE;
    }
  /* With a slash at its end a link would be followed. */
  for (len = strlen (folder); len > 1 && folder[len - 1] == '/'; len--)
    folder[len - 1] = '\0';
  if (!is_chosen (host, folder))
    {
      refuse (call, folder, FAIL_OUTSIDE);
      return FALSE;
    }
  *path = g_steal_pointer (&folder);
  return TRUE;
}

void
oc_host_app_open (OcCall *call)
{
  g_autofree char *permission = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GTask) task = NULL;
  const char *app;
  Request *self;

  if (!oc_call_read_string (call, "app", NAME_MAX, &app) || !read_folder (call, &path))
    return;
  permission = g_strdup_printf ("app.open:%s", app);
  self = g_new0 (Request, 1);
  self->call = oc_call_ref (call);
  self->opening = oc_opening_new (call, permission, path);
  self->place = oc_host_place_get (oc_call_get_host (call));
  self->app = g_strdup (app);
  self->path = g_steal_pointer (&path);

  task = g_task_new (NULL, oc_opening_get_cancellable (self->opening), on_checked, NULL);
  g_task_set_source_tag (task, oc_host_app_open);
  g_task_set_task_data (task, self, request_free);
  g_task_run_in_thread (task, run_check);
}
