/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mount table inside, read by bubblewrap's stage 2. Plain C: see oc-sandbox-private.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "launcher/oc-sandbox-devices.h"
#include "launcher/oc-sandbox-private.h"

/* A path may be four times as long as it is, with every byte written as \ooo. */
#define MAX_LINE (64 * 1024)

/* Of one line of mountinfo: "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw". */
typedef struct
{
  char *point;
  char *options;
  bool follows; /* the host's mounts below it appear here */
} Mount;

/* Gives every line of @fd to @look until that says no. False: it did, or the table cannot be read. */
static bool
for_each_line (int fd, bool (*look) (const OcStage *, char *, const char **), const OcStage *stage, const char **what)
{
  static char buffer[MAX_LINE + 1];
  size_t have = 0;
  off_t at = 0;

  *what = "/proc/self/mountinfo";
  for (;;)
    {
      ssize_t n = pread (fd, buffer + have, MAX_LINE - have, at);
      char *line = buffer, *end;

      if (n < 0 && errno == EINTR)
        continue;
      /* At the end nothing may be left over. */
      if (n <= 0)
        return n == 0 && have == 0;
      at += n;
      have += (size_t)n;
      while ((end = memchr (line, '\n', have)) != NULL)
        {
          *end = '\0';
          if (!look (stage, line, what))
            return false;
          have -= (size_t)(end + 1 - line);
          line = end + 1;
        }
      memmove (buffer, line, have);
      if (have == MAX_LINE)
        return false;
    }
}

/* "\040" is a space. In place. */
static void
unescape (char *text)
{
  char *to = text;

  for (; *text != '\0'; text++)
    if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7'
        && text[3] >= '0' && text[3] <= '7')
      {
        *to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
        text += 3;
      }
    else
      *to++ = *text;
  *to = '\0';
}

static bool
parse (char *line, Mount *mount)
{
  char *fields[6], *rest = line;

  for (size_t i = 0; i < 6; i++)
    if ((fields[i] = strsep (&rest, " ")) == NULL)
      return false;
  if (rest == NULL)
    return false;
  unescape (fields[4]);
  mount->point = fields[4];
  mount->options = fields[5];
  mount->follows = false;
  for (char *field; (field = strsep (&rest, " ")) != NULL && strcmp (field, "-") != 0;)
    if (strncmp (field, "master:", 7) == 0 || strncmp (field, "shared:", 7) == 0)
      mount->follows = true;
  return true;
}

static bool
has_option (const char *options, const char *name)
{
  size_t length = strlen (name);

  for (const char *at = options; at != NULL; at = strchr (at, ','))
    {
      at += *at == ',' ? 1 : 0;
      if (strncmp (at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
        return true;
    }
  return false;
}

/* Whether what is reached at @path is not to be changed: what hangs below something else there, or where no path leads, is
 * nobody's to change. */
static bool
is_out_of_reach (const char *path)
{
  int fd = oc_stage_open_place (path);
  struct statfs system;
  bool holds;

  /* The reaper's filter knows no openat2(). */
  if (fd < 0 && errno == ENOSYS)
    fd = open (path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return errno == EACCES || errno == ENOENT || errno == ENOTDIR;
  holds = fstatfs (fd, &system) == 0
          && (system.f_flags & (ST_RDONLY | ST_NOSUID | ST_NODEV)) == (ST_RDONLY | ST_NOSUID | ST_NODEV);
  close (fd);
  return holds;
}

static bool
is_device (const char *path)
{
  for (size_t i = 0; i < OC_N_DEVICES; i++)
    if (strcmp (path, oc_devices[i].path) == 0)
      return true;
  return false;
}

/* 1: one of the own folders; -1: below one, where nothing may be mounted: the plugin could move what leads there, and
 * somebody else's disk would be writable; 0: neither. */
static int
compare_with_own (const OcStage *stage, const char *path)
{
  for (size_t i = 0; i < stage->n_ops; i++)
    {
      size_t length = strlen (stage->ops[i].path);

      if (stage->ops[i].kind != OC_OP_WRITABLE || strncmp (path, stage->ops[i].path, length) != 0)
        continue;
      if (path[length] == '\0')
        return 1;
      if (path[length] == '/')
        return -1;
    }
  return 0;
}

static bool
look_at_mount (const OcStage *stage, char *line, const char **what)
{
  Mount mount;
  int own;

  if (!parse (line, &mount))
    return false;
  *what = mount.point;
  own = compare_with_own (stage, mount.point);
  if (own != 0)
    return own > 0 && has_option (mount.options, "nosuid") && has_option (mount.options, "nodev");
  if (!has_option (mount.options, "nosuid"))
    return is_out_of_reach (mount.point);
  /* Their own flags are looked at where they are opened. */
  if (is_device (mount.point))
    return stage->uid != 0 || has_option (mount.options, "ro");
  return (has_option (mount.options, "ro") && has_option (mount.options, "nodev"))
         || is_out_of_reach (mount.point);
}

bool
oc_stage_mounts_hold (const OcStage *stage, int mounts_fd, const char **what)
{
  return for_each_line (mounts_fd, look_at_mount, stage, what);
}

static bool
look_for_private (const OcStage *stage, char *line, const char **what)
{
  Mount mount;

  (void)stage;
  (void)what;
  return parse (line, &mount) && !mount.follows;
}

bool
oc_stage_mounts_follow_host (const OcStage *stage, int mounts_fd)
{
  const char *what;

  return !for_each_line (mounts_fd, look_for_private, stage, &what);
}
