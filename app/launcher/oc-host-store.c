/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host-store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-json.h"

/* Others hold the lock for one read and one write; more than that is a stuck disk. */
#define LOCK_WAIT_US (2 * G_USEC_PER_SEC)
#define LOCK_STEP_US 2000
/* Between two looks whether it was cancelled. */
#define WRITE_BYTES (256 * 1024)

struct _OcStore
{
  char *path; /* owned */
  OcStoreNotice notice;
  gpointer notice_data;

  /* owned (nullable) (element-type utf8 utf8): each key's value as JSON: what the file held, as long as it is still the same.
   * As text, so that a change of one does not cost the writing out of all others. */
  GHashTable *values;
  struct stat seen;
  gint cancelled; /* atomic */
  gint writing;   /* atomic */
};

OcStore *
oc_store_new (const char *path,
              OcStoreNotice notice,
              gpointer data)
{
  OcStore *self = g_new0 (OcStore, 1);

  self->path = g_strdup (path);
  self->notice = notice;
  self->notice_data = data;
  return self;
}

void
oc_store_free (OcStore *self)
{
  g_clear_pointer (&self->values, g_hash_table_unref);
  g_free (self->path);
  g_free (self);
}

void
oc_store_cancel (OcStore *self)
{
  g_atomic_int_set (&self->cancelled, TRUE);
}

gboolean
oc_store_is_writing (OcStore *self)
{
  return g_atomic_int_get (&self->writing);
}

static GHashTable *
new_values (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static gboolean
fail_io (OcStore *self,
         const char *what,
         GError **error)
{
  int saved = errno;

  g_set_error (error, OC_ERROR, OC_ERROR_IO, "%s: %s: %s", self->path, what, g_strerror (saved));
  return FALSE;
}

static gboolean
same_file (const struct stat *a,
           const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Never overwrites an earlier one. */
static gboolean
set_aside (OcStore *self,
           const char *why,
           GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *stamp = g_date_time_format (now, "%Y%m%dT%H%M%SZ");

  for (int i = 0; i < 100; i++)
    {
      g_autofree char *aside = g_strdup_printf ("%s.damaged-%s-%d", self->path, stamp, i);
      g_autofree char *message = NULL;

      if (renameat2 (AT_FDCWD, self->path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0)
        {
          message = g_strdup_printf (_("The plugin’s stored data could not be read (%s). It was kept as %s, and begins anew."), why,
                                     aside);
          if (self->notice != NULL)
            self->notice (message, self->notice_data);
          return TRUE;
        }
      if (errno == ENOENT)
        return TRUE;
      if (errno != EEXIST)
        break;
    }
  return fail_io (self, _("the damaged file could not be set aside"), error);
}

/* @data: what the file holds. */
static GHashTable *
parse_values (const char *data,
              gsize len,
              GError **error)
{
  g_autoptr (JsonNode) root = oc_json_parse (data, len, OC_STORE_MAX_BYTES, error);
  g_autoptr (GList) keys = NULL;
  GHashTable *table;
  JsonObject *object;
  JsonNode *values;

  if (root == NULL)
    return NULL;
  object = JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  values = object ? json_object_get_member (object, "values") : NULL;
  if (values == NULL || !JSON_NODE_HOLDS_OBJECT (values))
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_DAMAGED, _("it has no “values”"));
      return NULL;
    }
  table = new_values ();
  object = json_node_get_object (values);
  keys = json_object_get_members (object);
  for (GList *l = keys; l != NULL; l = l->next)
    g_hash_table_insert (table, g_strdup (l->data), oc_json_to_string (json_object_get_member (object, l->data), FALSE));
  return table;
}

/* 1: open; 0: there is none; -1: error. */
static int
open_file (OcStore *self,
           int *fd,
           struct stat *st,
           GError **error)
{
  *fd = open (self->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (*fd < 0 && errno == ENOENT)
    return 0;
  if (*fd < 0 && errno == ELOOP)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_IO, _("%s is a link, and nothing is stored through one. Move it away."), self->path);
      return -1;
    }
  if (*fd < 0 || fstat (*fd, st) != 0)
    {
      fail_io (self, _("could not be opened"), error);
      if (*fd >= 0)
        close (*fd);
      return -1;
    }
  if (S_ISREG (st->st_mode))
    return 1;
  close (*fd);
  g_set_error (error, OC_ERROR, OC_ERROR_IO, _("%s is no regular file. Move it away."), self->path);
  return -1;
}

static gboolean
read_all (OcStore *self,
          int fd,
          GByteArray *data,
          GError **error)
{
  guint8 chunk[65536];

  while (data->len <= OC_STORE_MAX_BYTES)
    {
      ssize_t n = read (fd, chunk, sizeof chunk);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail_io (self, _("could not be read"), error);
      if (n == 0)
        break;
      g_byte_array_append (data, chunk, (guint) n);
    }
  return TRUE;
}

/* Makes @self->values what the file holds now. Only where @locked may a damaged file be moved. */
static gboolean
load (OcStore *self,
      gboolean locked,
      gboolean *damaged,
      GError **error)
{
  g_autoptr (GByteArray) data = NULL;
  g_autoptr (GError) local = NULL;
  struct stat st = { 0 };
  int fd;
  int found = open_file (self, &fd, &st, error);
  gboolean ok;

  *damaged = FALSE;
  if (found < 0)
    return FALSE;
  if (found == 1 && self->values != NULL && same_file (&st, &self->seen))
    {
      close (fd);
      return TRUE;
    }
  g_clear_pointer (&self->values, g_hash_table_unref);
  if (found == 0)
    {
      self->values = new_values ();
      memset (&self->seen, 0, sizeof self->seen);
      return TRUE;
    }
  data = g_byte_array_new ();
  ok = read_all (self, fd, data, error);
  close (fd);
  if (!ok)
    return FALSE;
  self->values = parse_values ((const char *) data->data, data->len, &local);
  self->seen = st;
  if (self->values != NULL)
    return TRUE;
  *damaged = TRUE;
  if (!locked)
    return TRUE;
  self->values = new_values ();
  memset (&self->seen, 0, sizeof self->seen);
  return set_aside (self, local->message, error);
}

static int
take_lock (OcStore *self,
           GError **error)
{
  g_autofree char *path = g_strconcat (self->path, ".lock", NULL);
  gint64 deadline = g_get_monotonic_time () + LOCK_WAIT_US;
  int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

  if (fd < 0)
    {
      fail_io (self, _("its lock could not be opened"), error);
      return -1;
    }
  while (flock (fd, LOCK_EX | LOCK_NB) != 0)
    {
      if (errno != EWOULDBLOCK && errno != EINTR)
        {
          fail_io (self, _("could not be locked"), error);
          close (fd);
          return -1;
        }
      if (g_get_monotonic_time () > deadline || g_atomic_int_get (&self->cancelled))
        {
          g_set_error (error, OC_ERROR, OC_ERROR_TIMED_OUT, _("%s is being written by another run for too long."), self->path);
          close (fd);
          return -1;
        }
      g_usleep (LOCK_STEP_US);
    }
  return fd;
}

static gboolean
write_all (OcStore *self,
           int fd,
           const char *data,
           gsize len)
{
  while (len > 0)
    {
      ssize_t n = write (fd, data, MIN (len, WRITE_BYTES));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return FALSE;
      data += n;
      len -= (gsize) n;
      if (g_atomic_int_get (&self->cancelled))
        {
          errno = ECANCELED;
          return FALSE;
        }
    }
  return fsync (fd) == 0;
}

static gboolean
sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  gboolean ok = fd >= 0 && fsync (fd) == 0;

  if (fd >= 0)
    close (fd);
  return ok;
}

/* A new file, fsync, rename, fsync of the folder: answered only once it is there to stay. Its name is always the same, which
 * the lock makes safe: what a launcher that was killed left is gone with the next change. */
static gboolean
write_file (OcStore *self,
            const char *text,
            gsize len,
            GError **error)
{
  g_autofree char *path = g_strconcat (self->path, ".new", NULL);
  int fd;
  gboolean ok;

  if (g_unlink (path) != 0 && errno != ENOENT)
    return fail_io (self, _("could not be written"), error);
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail_io (self, _("could not be written"), error);
  ok = write_all (self, fd, text, len) && fstat (fd, &self->seen) == 0;
  ok = close (fd) == 0 && ok;
  ok = ok && g_rename (path, self->path) == 0 && sync_folder (self->path);
  if (ok)
    return TRUE;
  fail_io (self, _("could not be written"), error);
  g_unlink (path);
  return FALSE;
}

static gboolean
replace_file (OcStore *self,
              const char *text,
              gsize len,
              GError **error)
{
  gboolean ok;

  g_atomic_int_set (&self->writing, TRUE);
  ok = write_file (self, text, len, error);
  g_atomic_int_set (&self->writing, FALSE);
  return ok;
}

static int
compare_keys (const void *a,
              const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Sorted. (transfer container) */
static const char **
get_keys (OcStore *self,
          guint *n)
{
  const char **keys = (const char **) g_hash_table_get_keys_as_array (self->values, n);

  qsort (keys, *n, sizeof *keys, compare_keys);
  return keys;
}

static void
append_key (GString *text,
            const char *key)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), key);
  g_autofree char *quoted = oc_json_to_string (node, FALSE);

  g_string_append (text, quoted);
}

static gboolean
save (OcStore *self,
      GError **error)
{
  guint n = 0;
  g_autofree const char **keys = get_keys (self, &n);
  g_autoptr (GString) text = g_string_new ("{\"version\":1,\"values\":{");

  for (guint i = 0; i < n && text->len <= OC_STORE_MAX_BYTES; i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      append_key (text, keys[i]);
      g_string_append_c (text, ':');
      g_string_append (text, g_hash_table_lookup (self->values, keys[i]));
    }
  g_string_append (text, "}}");
  if (text->len > OC_STORE_MAX_BYTES)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("A plugin’s stored values take at most 10 MiB in all. Remove some first."));
      return FALSE;
    }
  return replace_file (self, text->str, text->len, error);
}

gboolean
oc_store_get (OcStore *self,
              const char *key,
              char **json,
              GError **error)
{
  gboolean damaged;

  if (!load (self, FALSE, &damaged, error))
    return FALSE;
  if (damaged)
    {
      /* Under the lock it is looked at once more: another run may just have put it right. */
      int lock = take_lock (self, error);
      gboolean ok = lock >= 0 && load (self, TRUE, &damaged, error);

      if (lock >= 0)
        close (lock);
      if (!ok)
        return FALSE;
    }
  *json = g_strdup (g_hash_table_lookup (self->values, key));
  return TRUE;
}

/* What our own reader would not take is not written: it would be found damaged, and set aside. */
static gboolean
check_new_key (OcStore *self,
               const char *key,
               GError **error)
{
  GHashTableIter iter;
  gpointer other;
  guint n_alike = 1;

  if (g_hash_table_contains (self->values, key))
    return TRUE;
  if (g_hash_table_size (self->values) >= OC_JSON_MAX_KEYS)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("A plugin stores at most %d keys. Put several values under one."),
                   OC_JSON_MAX_KEYS);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, self->values);
  while (g_hash_table_iter_next (&iter, &other, NULL))
    n_alike += g_str_hash (other) == g_str_hash (key);
  if (n_alike <= OC_JSON_MAX_ALIKE_KEYS)
    return TRUE;
  g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, _("The keys are made to keep a reader busy. Choose others."));
  return FALSE;
}

/* @json: (nullable): NULL removes. */
static gboolean
change (OcStore *self,
        const char *key,
        const char *json,
        gboolean *removed,
        GError **error)
{
  gboolean damaged;
  gboolean had;
  gboolean ok;
  int lock = take_lock (self, error);

  if (lock < 0)
    return FALSE;
  ok = load (self, TRUE, &damaged, error);
  had = ok && g_hash_table_contains (self->values, key);
  ok = ok && (json == NULL || check_new_key (self, key, error));
  if (ok && json != NULL)
    g_hash_table_insert (self->values, g_strdup (key), g_strdup (json));
  else if (had)
    g_hash_table_remove (self->values, key);
  if (ok && (json != NULL || had))
    ok = save (self, error);
  if (!ok)
    g_clear_pointer (&self->values, g_hash_table_unref);
  close (lock);
  if (ok && removed != NULL)
    *removed = had;
  return ok;
}

gboolean
oc_store_set (OcStore *self,
              const char *key,
              const char *json,
              GError **error)
{
  if (strlen (json) > OC_STORE_MAX_VALUE_BYTES)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_INVALID, _("A stored value takes at most 1 MiB as JSON; this one takes %" G_GSIZE_FORMAT " bytes."),
                   strlen (json));
      return FALSE;
    }
  return change (self, key, json, NULL, error);
}

gboolean
oc_store_remove (OcStore *self,
                 const char *key,
                 gboolean *removed,
                 GError **error)
{
  return change (self, key, NULL, removed, error);
}

char **
oc_store_list (OcStore *self,
               GError **error)
{
  g_autofree char *unused = NULL;
  g_autofree const char **keys = NULL;
  guint n = 0;

  if (!oc_store_get (self, "", &unused, error))
    return NULL;
  keys = get_keys (self, &n);
  return g_strdupv ((char **) keys);
}
