/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether bubblewrap has passed the self-test: remembered in the user's runtime folder, which no plugin can write or, since it
 * is covered, read. Only a success is remembered, and only for the same boot, kernel, bubblewrap and launcher. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "core/oc-fd.h"
#include "core/oc-launch.h"
#include "launcher/oc-bwrap-arguments.h"
#include "launcher/oc-bwrap.h"
#include "launcher/oc-executor.h"
#include "launcher/oc-selftest.h"

#define VERDICT_FILE "bubblewrap-holds"
#define MAX_VERDICT 1024
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static gboolean
add_identity (GString *text, int fd)
{
  struct stat info;

  if (fd < 0 || fstat (fd, &info) != 0)
    return FALSE;
  g_string_append_printf (text, "%lu %lu %ld %ld.%09ld %ld.%09ld\n", (gulong)info.st_dev,
                          (gulong)info.st_ino, (long)info.st_size, (long)info.st_mtim.tv_sec,
                          (long)info.st_mtim.tv_nsec, (long)info.st_ctim.tv_sec,
                          (long)info.st_ctim.tv_nsec);
  return TRUE;
}

/* What the verdict holds for. NULL where something cannot be told: then it is tested each time. */
static char *
make_identity (void)
{
  g_autoptr (GString) text = g_string_new ("1\n");
  g_auto (OcFd) bwrap = open (oc_bwrap_get_path (), O_PATH | O_CLOEXEC);
  g_autoptr (OcLauncher) program = oc_launcher_new (NULL);
  const char *launcher_path = oc_launcher_get_path (program, NULL);
  g_auto (OcFd) launcher = launcher_path != NULL ? open (launcher_path, O_PATH | O_CLOEXEC) : -1;
  g_auto (OcFd) stage2 = oc_bwrap_open_stage2 (NULL);
  g_autofree char *boot = NULL;
  struct utsname system;

  if (!g_file_get_contents (BOOT_ID, &boot, NULL, NULL) || uname (&system) != 0)
    return NULL;
  g_string_append_printf (text, "%s%s %s\n%s\n", boot, system.release, system.version, oc_bwrap_get_path ());
  if (!add_identity (text, bwrap) || !add_identity (text, launcher) || !add_identity (text, stage2) || text->len >= MAX_VERDICT)
    return NULL;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
make_path (void)
{
  g_autofree char *folder = oc_runtime_folder_ensure (g_get_user_runtime_dir (), NULL);

  return folder != NULL ? g_build_filename (folder, VERDICT_FILE, NULL) : NULL;
}

static gboolean
is_remembered (const char *path, const char *identity)
{
  g_auto (OcFd) fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  char text[MAX_VERDICT];
  struct stat info;
  gssize n;

  if (fd < 0 || fstat (fd, &info) != 0 || !S_ISREG (info.st_mode) || info.st_uid != geteuid ()
      || (info.st_mode & 077) != 0 || info.st_nlink != 1)
    return FALSE;
  n = oc_fd_read_all (fd, text, sizeof text);
  return n >= 0 && (gsize)n == strlen (identity) && memcmp (text, identity, (gsize)n) == 0;
}

/* Of a report that does not hold: the first layer that was tried and does not. */
static void
set_report_error (GError **error, JsonObject *report)
{
  JsonArray *layers = json_object_get_array_member (report, "layers");

  for (guint i = 0; i < json_array_get_length (layers); i++)
    {
      JsonObject *layer = json_array_get_object_element (layers, i);

      if (json_object_get_boolean_member (layer, "tried") && !json_object_get_boolean_member (layer, "holds"))
        {
          const char *id = json_object_get_string_member (layer, "id");
          const char *detail = json_object_get_string_member (layer, "detail");

          /* What is about no layer of the self-test's begins with its own. */
          if (strcmp (id, "launcher") == 0 && g_regex_match_simple ("^[a-z-]+: ", detail, 0, 0))
            g_set_error_literal (error, OC_ERROR, OC_ERROR_SANDBOX, detail);
          else
            g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "%s: %s", id, detail);
          return;
        }
    }
  g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "launcher: the self-test came to no end");
}

gboolean
oc_executor_check_bubblewrap (GError **error)
{
  static gint passed; /* in this process */
  g_autofree char *identity = NULL;
  g_autofree char *path = NULL;
  g_autoptr (JsonNode) report = NULL;

  if (g_atomic_int_get (&passed))
    return TRUE;
  if (!oc_bwrap_check (oc_bwrap_get_path (), error))
    return FALSE;
  identity = make_identity ();
  path = make_path ();
  if (identity == NULL || path == NULL || !is_remembered (path, identity))
    {
      report = oc_selftest_run_on (OC_EXECUTOR_BUBBLEWRAP);
      if (!json_object_get_boolean_member (json_node_get_object (report), "holds"))
        {
          set_report_error (error, json_node_get_object (report));
          return FALSE;
        }
      /* Where it cannot be written it is tested again. */
      if (identity != NULL && path != NULL)
        (void)g_file_set_contents_full (path, identity, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
    }
  g_atomic_int_set (&passed, 1);
  return TRUE;
}
