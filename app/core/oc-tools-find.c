/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-tools-find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* As the kernel's own limit for links in one path (path_resolution(7)). */
#define MAX_LINKS 40
/* What the kernel reads of a script's first line (BINPRM_BUF_SIZE), and how often an interpreter may be a script itself
 * (execve(2)). */
#define SCRIPT_BYTES 256
#define MAX_INTERPRETERS 4

const char *const oc_tools_folders[] = {
  "/usr/bin",
  "/bin",
  "/usr/sbin",
  "/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/home/linuxbrew/.linuxbrew/bin",
  NULL,
};

/* A path being followed, one component at a time, as the kernel would follow it under chroot(root). */
typedef struct
{
  const char *root;
  GString *at;        /* the folder reached, "" for the root */
  struct stat folder; /* of @at */
  GQueue todo;        /* (element-type utf8) components to come */
  guint links;
  gboolean writable;
} Walk;

/* Whether the user, or anybody but root, may write it. For uid 0 everything is writable, which says nothing: then owner and
 * mode bits are looked at. A group of 0 has no other members than root in practice, and containers have such folders. */
static gboolean
may_write (const char *path,
           const struct stat *st)
{
  if (st->st_mode & S_IWOTH)
    return TRUE;
  if (geteuid () == 0)
    return st->st_uid != 0 || ((st->st_mode & S_IWGRP) && st->st_gid != 0);
  /* An owner may change the mode at any time, so the mode of one's own file does not matter. */
  return st->st_uid == geteuid () || faccessat (AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* Whether @child can be replaced in @folder. In a sticky folder only its owner and the folder's can do so. */
static gboolean
may_replace (const char *folder_path,
             const struct stat *folder,
             const struct stat *child)
{
  if (!may_write (folder_path, folder))
    return FALSE;
  if (!(folder->st_mode & S_ISVTX))
    return TRUE;
  if (geteuid () == 0)
    return folder->st_uid != 0 || child->st_uid != 0;
  return folder->st_uid == geteuid () || child->st_uid == geteuid ();
}

/* The path on this machine of the folder reached, or of @component in it. */
static char *
walk_real (const Walk *walk,
           const char *component)
{
  if (component != NULL)
    return g_strconcat (walk->root, walk->at->str, "/", component, NULL);
  if (walk->root[0] == '\0' && walk->at->len == 0)
    return g_strdup ("/");
  return g_strconcat (walk->root, walk->at->str, NULL);
}

static void
walk_push (Walk *walk,
           const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  guint n = g_strv_length (parts);

  for (guint i = n; i > 0; i--)
    if (parts[i - 1][0] != '\0' && !g_str_equal (parts[i - 1], "."))
      g_queue_push_head (&walk->todo, g_strdup (parts[i - 1]));
}

/* Goes to @path, which has been reached before: "" or one that names a folder. Returns an errno. */
static int
walk_set_folder (Walk *walk,
                 const char *path)
{
  g_autofree char *real = NULL;

  g_string_assign (walk->at, path);
  real = walk_real (walk, NULL);
  return lstat (real, &walk->folder) == 0 ? 0 : errno;
}

static int
walk_up (Walk *walk)
{
  const char *slash = strrchr (walk->at->str, '/');
  g_autofree char *up = slash != NULL ? g_strndup (walk->at->str, slash - walk->at->str) : g_strdup ("");

  return walk_set_folder (walk, up);
}

static int
walk_link (Walk *walk,
           const char *real)
{
  char target[4096];
  ssize_t n;

  if (++walk->links > MAX_LINKS)
    return ELOOP;
  n = readlink (real, target, sizeof target - 1);
  if (n <= 0)
    return n < 0 ? errno : ENOENT;
  target[n] = '\0';
  walk_push (walk, target);
  return target[0] == '/' ? walk_set_folder (walk, "") : 0;
}

/* One component. Returns an errno; @st is set where it names something that is no link. */
static int
walk_step (Walk *walk,
           const char *component,
           struct stat *st)
{
  g_autofree char *real = walk_real (walk, component);
  g_autofree char *folder_real = walk_real (walk, NULL);

  if (g_str_equal (component, ".."))
    {
      int e = walk_up (walk);
      *st = walk->folder;
      return e;
    }
  if (lstat (real, st) != 0)
    return errno;
  if (may_replace (folder_real, &walk->folder, st))
    walk->writable = TRUE;
  if (S_ISLNK (st->st_mode))
    return walk_link (walk, real);
  if (!S_ISDIR (st->st_mode) && !g_queue_is_empty (&walk->todo))
    return ENOTDIR;
  g_string_append_printf (walk->at, "/%s", component);
  if (S_ISDIR (st->st_mode))
    walk->folder = *st;
  return 0;
}

/* Follows @path to its end. Returns 0 or an errno. @target: (out) (transfer full) */
static int
resolve (const char *root,
         const char *path,
         char **target,
         struct stat *st,
         gboolean *writable)
{
  Walk walk = { .root = root, .at = g_string_new (NULL), .todo = G_QUEUE_INIT };
  g_autofree char *real = NULL;
  int e = walk_set_folder (&walk, "");

  *st = walk.folder;
  walk_push (&walk, path);
  while (e == 0 && !g_queue_is_empty (&walk.todo))
    {
      g_autofree char *component = g_queue_pop_head (&walk.todo);
      e = walk_step (&walk, component, st);
    }
  if (e == 0)
    {
      real = walk_real (&walk, NULL);
      if (walk.writable || may_write (real, st))
        *writable = TRUE;
      *target = g_strdup (walk.at->len > 0 ? walk.at->str : "/");
    }
  g_queue_clear_full (&walk.todo, g_free);
  g_string_free (walk.at, TRUE);
  return e;
}

static gboolean
has_privileges (const char *real,
                const struct stat *st)
{
  if (st->st_mode & (S_ISUID | S_ISGID))
    return TRUE;
  return lgetxattr (real, "security.capability", NULL, 0) > 0;
}

/* Its first bytes, with a NUL after them. Returns an errno. Never hangs on what is no regular file. */
static int
read_head (const char *real,
           char head[SCRIPT_BYTES + 1],
           gsize *len)
{
  int fd = open (real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  ssize_t n;
  int e;

  if (fd < 0)
    return errno;
  n = pread (fd, head, SCRIPT_BYTES, 0);
  e = n < 0 ? errno : 0;
  close (fd);
  *len = n > 0 ? (gsize) n : 0;
  head[*len] = '\0';
  return e;
}

static OcToolStatus find_in_folders (const char *root,
                                     const char *name,
                                     OcToolsFinding *finding,
                                     char **path);

/* The program that `#!/usr/bin/env …` names: its path, or NULL where that cannot be told. */
static char *
env_program (const char *root,
             const char *argument)
{
  g_auto (GStrv) words = g_strsplit_set (argument, " \t", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *word = words[i];
      char *path = NULL;

      if (g_str_has_prefix (word, "--split-string="))
        word += strlen ("--split-string=");
      else if (g_str_has_prefix (word, "-S"))
        word += 2;
      if (*word == '\0' || *word == '-' || strchr (word, '=') != NULL)
        continue;
      if (word[0] == '/')
        return g_strdup (word);
      if (oc_tools_check_name (word, NULL))
        find_in_folders (root, word, NULL, &path);
      return path;
    }
  return NULL;
}

static void
add_program (OcToolsFinding *self,
             const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  if (!g_ptr_array_find_with_equal_func (self->runs, base, g_str_equal, NULL))
    g_ptr_array_add (self->runs, g_steal_pointer (&base));
}

static void examine (OcToolsFinding *self,
                     const char *root,
                     const char *target,
                     guint depth);

/* An interpreter: its name counts (unless another program is named by it), and what its file really is. */
static void
follow_interpreter (OcToolsFinding *self,
                    const char *root,
                    const char *path,
                    gboolean counts,
                    guint depth)
{
  g_autofree char *target = NULL;
  struct stat st;

  if (counts)
    add_program (self, path);
  if (path[0] != '/' || depth > MAX_INTERPRETERS
      || resolve (root, path, &target, &st, &self->writable) != 0 || !S_ISREG (st.st_mode))
    {
      self->odd = TRUE;
      return;
    }
  if (counts)
    add_program (self, target);
  examine (self, root, target, depth);
}

static void
examine_script (OcToolsFinding *self,
                const char *root,
                char *line,
                guint depth)
{
  g_autofree char *program = NULL;
  g_autofree char *interpreter = NULL;
  g_autofree char *base = NULL;
  gsize n;

  line[strcspn (line, "\n")] = '\0';
  line = g_strstrip (line);
  n = strcspn (line, " \t");
  interpreter = g_strndup (line, n);
  base = g_path_get_basename (interpreter);
  if (g_str_equal (base, "env"))
    program = env_program (root, line + n);
  if (program != NULL)
    follow_interpreter (self, root, program, TRUE, depth + 1);
  follow_interpreter (self, root, interpreter, program == NULL, depth + 1);
  if (depth == 0)
    self->interpreter = g_strdup (program != NULL ? program : interpreter);
}

static void
examine (OcToolsFinding *self,
         const char *root,
         const char *target,
         guint depth)
{
  g_autofree char *real = g_strconcat (root, target, NULL);
  char head[SCRIPT_BYTES + 1];
  gsize len = 0;
  int e = read_head (real, head, &len);

  if (e != 0 && depth == 0)
    self->status = OC_TOOL_UNREADABLE;
  if (e != 0)
    self->odd = TRUE;
  else if (len >= 4 && memcmp (head, "\177ELF", 4) == 0)
    return;
  else if (len > 2 && head[0] == '#' && head[1] == '!')
    examine_script (self, root, head + 2, depth);
  else
    self->odd = TRUE;
}

/* busybox and perl are sometimes hard links: the same file has a name that tells more. */
static char *
find_twin (const char *root,
           const char *target,
           const struct stat *st,
           gboolean (*is_listed) (const char *name,
                                  gpointer user_data),
           gpointer user_data)
{
  g_autofree char *folder = g_path_get_dirname (target);
  g_autofree char *real = g_strconcat (root, folder, NULL);
  g_autofree char *own = g_path_get_basename (target);
  const struct dirent *entry;
  char *twin = NULL;
  DIR *dir = opendir (real);

  if (dir == NULL)
    return NULL;
  while (twin == NULL && (entry = readdir (dir)) != NULL)
    if (entry->d_ino == st->st_ino && !g_str_equal (entry->d_name, own)
        && is_listed (entry->d_name, user_data))
      twin = g_strdup (entry->d_name);
  closedir (dir);
  return twin;
}

/* What one folder has under that name. MISSING where it has nothing, or a link that leads nowhere. */
static OcToolStatus
look_in_folder (const char *root,
                const char *path,
                char **target,
                struct stat *st,
                gboolean *writable)
{
  g_autofree char *real = NULL;
  int e = resolve (root, path, target, st, writable);

  if (e == ENOENT || e == ENOTDIR)
    return OC_TOOL_MISSING;
  if (e != 0)
    return OC_TOOL_UNREADABLE;
  if (!S_ISREG (st->st_mode))
    return OC_TOOL_IS_FOLDER;
  real = g_strconcat (root, *target, NULL);
  if (faccessat (AT_FDCWD, real, X_OK, AT_EACCESS) != 0)
    return OC_TOOL_NOT_EXECUTABLE;
  return OC_TOOL_FOUND;
}

/* The folders in order. The first that can be executed is it; without one, the first that is there at all. A folder that
 * cannot be looked at ends the search: what is in it would have come first.
 * @finding: (nullable); @path: (out) (optional) (transfer full): where it was found, NULL unless FOUND */
static OcToolStatus
find_in_folders (const char *root,
                 const char *name,
                 OcToolsFinding *finding,
                 char **path)
{
  OcToolStatus status = OC_TOOL_MISSING;

  for (guint i = 0; oc_tools_folders[i] != NULL; i++)
    {
      g_autofree char *candidate = g_strconcat (oc_tools_folders[i], "/", name, NULL);
      g_autofree char *target = NULL;
      gboolean writable = FALSE;
      struct stat st;
      OcToolStatus here = look_in_folder (root, candidate, &target, &st, &writable);

      if (here == OC_TOOL_MISSING || (status != OC_TOOL_MISSING && here != OC_TOOL_FOUND))
        continue;
      status = here;
      if (finding != NULL)
        {
          g_free (finding->path);
          finding->path = g_strdup (candidate);
          g_free (finding->target);
          finding->target = g_steal_pointer (&target);
          finding->writable = writable;
        }
      if (here == OC_TOOL_FOUND && path != NULL)
        *path = g_steal_pointer (&candidate);
      if (here == OC_TOOL_FOUND || here == OC_TOOL_UNREADABLE)
        break;
    }
  return status;
}

OcToolsFinding *
oc_tools_find (const char *root,
               const char *name,
               gboolean (*is_listed) (const char *name,
                                      gpointer user_data),
               gpointer user_data)
{
  OcToolsFinding *self = g_new0 (OcToolsFinding, 1);
  g_autofree char *real = NULL;
  struct stat st;

  self->runs = g_ptr_array_new_with_free_func (g_free);
  self->status = find_in_folders (root, name, self, NULL);
  if (self->target == NULL)
    return self;
  real = g_strconcat (root, self->target, NULL);
  if (lstat (real, &st) != 0)
    {
      self->status = OC_TOOL_UNREADABLE;
      return self;
    }
  add_program (self, self->target);
  if (!S_ISREG (st.st_mode))
    return self;
  self->setuid = has_privileges (real, &st);
  examine (self, root, self->target, 0);
  if (st.st_nlink > 1)
    self->twin = find_twin (root, self->target, &st, is_listed, user_data);
  return self;
}

void
oc_tools_finding_free (OcToolsFinding *self)
{
  g_free (self->path);
  g_free (self->target);
  g_free (self->interpreter);
  g_free (self->twin);
  g_ptr_array_unref (self->runs);
  g_free (self);
}
