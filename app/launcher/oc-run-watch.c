/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-watch.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib-unix.h>

#define POLL_MS 250
/* The end of an inotify descriptor that watches anything waits for a grace period of the kernel's, 15 ms and more: longer than a
 * whole short run takes. So a run is listened to when it turns out to be a long one, and looked at until then. */
#define LISTEN_AFTER_MS 250
#define EARLY_POLL_MS 20
#define FOLDER_EVENTS                                                                                                     \
  (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF |       \
   IN_MOVE_SELF | IN_ONLYDIR)

/* One folder, and the one name in it that matters. */
typedef struct
{
  char *folder;
  char *name; /* (nullable): all of them */
  int wd;
} Place;

struct _OcConsentWatch
{
  GArray *places; /* owned (element-type Place) */
  int fd;         /* owned; -1: polling */
  guint source;
  guint listen_source;
  gboolean poll_only;
  gboolean at_once; /* no early looking */
  char *signature; /* owned: what polling saw last */
  char *consent;   /* owned */
  struct stat seen; /* @consent's, for oc_consent_watch_take_change(); zero where there was none */
  OcConsentWatchFunc changed;
  gpointer data;
};

static void
clear_place (gpointer data)
{
  Place *place = data;

  g_free (place->folder);
  g_free (place->name);
}

static void
add_place (OcConsentWatch *self,
           const char *folder,
           const char *name)
{
  Place place = { g_strdup (folder), g_strdup (name), -1 };

  g_array_append_val (self->places, place);
}

static void
append_stat (GString *text,
             const char *path)
{
  struct stat st;

  if (lstat (path, &st) != 0)
    g_string_append_printf (text, "-%d;", errno);
  else
    g_string_append_printf (text, "%lu.%lu.%ld.%ld.%09ld.%ld.%09ld.%o;", (gulong) st.st_dev, (gulong) st.st_ino, (glong) st.st_size,
                            (glong) st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (glong) st.st_ctim.tv_sec, st.st_ctim.tv_nsec, st.st_mode);
}

/* A file in it that is written in place leaves the folder as it was. */
static void
append_entries (GString *text,
                const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_string_append_printf (text, "%s;", name);
      append_stat (text, path);
    }
}

static char *
look (OcConsentWatch *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->places->len; i++)
    {
      const Place *place = &g_array_index (self->places, Place, i);
      g_autofree char *path = place->name ? g_build_filename (place->folder, place->name, NULL) : g_strdup (place->folder);

      append_stat (text, path);
      if (place->name == NULL)
        append_entries (text, path);
    }
  return g_string_free (text, FALSE);
}

static gboolean
on_poll (gpointer data)
{
  OcConsentWatch *self = data;
  g_autofree char *signature = look (self);

  if (!g_str_equal (signature, self->signature))
    {
      g_free (self->signature);
      self->signature = g_steal_pointer (&signature);
      self->changed (self->data);
    }
  return G_SOURCE_CONTINUE;
}

void
oc_consent_watch_poll_only (OcConsentWatch *self)
{
  self->poll_only = TRUE;
  self->at_once = TRUE;
}

void
oc_consent_watch_listen_at_once (OcConsentWatch *self)
{
  self->at_once = TRUE;
}

static void
poll_from_now_on (OcConsentWatch *self)
{
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  self->source = g_timeout_add (POLL_MS, on_poll, self);
}

static gboolean
concerns (OcConsentWatch *self,
          const struct inotify_event *event)
{
  /* The queue ran over, or a watched folder itself went away: anything may have happened. */
  if (event->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT))
    return TRUE;
  for (guint i = 0; i < self->places->len; i++)
    {
      const Place *place = &g_array_index (self->places, Place, i);

      if (place->wd == event->wd &&
          (place->name == NULL || (event->len > 0 && g_str_equal (place->name, event->name))))
        return TRUE;
    }
  return FALSE;
}

static gboolean
add_watches (OcConsentWatch *self)
{
  for (guint i = 0; i < self->places->len; i++)
    {
      Place *place = &g_array_index (self->places, Place, i);

      place->wd = inotify_add_watch (self->fd, place->folder, FOLDER_EVENTS);
      /* A folder that is not there has its own name watched in the folder above it. */
      if (place->wd < 0 && errno != ENOENT && errno != ENOTDIR)
        return FALSE;
    }
  return TRUE;
}

static gboolean
on_events (int fd,
           GIOCondition condition,
           gpointer data)
{
  OcConsentWatch *self = data;
  union
  {
    struct inotify_event event;
    char bytes[16384];
  } buffer;
  gboolean changed = FALSE;
  ssize_t n;

  while ((n = read (fd, &buffer, sizeof buffer)) > 0)
    for (ssize_t at = 0; at < n;)
      {
        const struct inotify_event *event = (const struct inotify_event *) (const void *) (buffer.bytes + at);

        changed = changed || concerns (self, event);
        at += (ssize_t) (sizeof *event + event->len);
      }
  if (!changed)
    return G_SOURCE_CONTINUE;
  /* A folder that came to be since is listened to from now on, and only then is everything looked at. */
  if (!add_watches (self))
    {
      g_free (self->signature);
      self->signature = look (self);
      poll_from_now_on (self);
    }
  self->changed (self->data);
  return self->fd >= 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
listen_to (OcConsentWatch *self)
{
  self->fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  return self->fd >= 0 && add_watches (self);
}

static gboolean
on_listen (gpointer data)
{
  OcConsentWatch *self = data;

  self->listen_source = 0;
  g_clear_handle_id (&self->source, g_source_remove);
  if (!self->poll_only && listen_to (self))
    self->source = g_unix_fd_add (self->fd, G_IO_IN, on_events, self);
  else
    poll_from_now_on (self);
  /* What happened before anything listened. */
  on_poll (self);
  return G_SOURCE_REMOVE;
}

static void
add_plugin (OcConsentWatch *self,
            const char *plugins,
            const char *id)
{
  g_autofree char *folder = g_build_filename (plugins, id, NULL);

  add_place (self, plugins, id);
  add_place (self, folder, "plugin.json");
  add_place (self, folder, "manifest.json");
}

static gboolean
look_at_consent (OcConsentWatch *self,
                 struct stat *st)
{
  memset (st, 0, sizeof *st);
  return lstat (self->consent, st) == 0;
}

gboolean
oc_consent_watch_take_change (OcConsentWatch *self)
{
  const struct stat *seen = &self->seen;
  struct stat st;

  look_at_consent (self, &st);
  /* It is replaced, not written to; a change in place changes its times. */
  if (st.st_ino == seen->st_ino && st.st_dev == seen->st_dev && st.st_size == seen->st_size && st.st_mode == seen->st_mode
      && st.st_mtim.tv_sec == seen->st_mtim.tv_sec && st.st_mtim.tv_nsec == seen->st_mtim.tv_nsec
      && st.st_ctim.tv_sec == seen->st_ctim.tv_sec && st.st_ctim.tv_nsec == seen->st_ctim.tv_nsec)
    return FALSE;
  self->seen = st;
  return TRUE;
}

OcConsentWatch *
oc_consent_watch_new (OcPaths *paths,
              const char *id)
{
  OcConsentWatch *self = g_new0 (OcConsentWatch, 1);
  const char *policy = oc_paths_get_policy_dir (paths);
  const char *const *system_plugins = oc_paths_get_system_plugins (paths);
  g_autofree char *policy_d = g_build_filename (policy, "policy.d", NULL);
  g_autofree char *policy_above = g_path_get_dirname (policy);
  g_autofree char *policy_name = g_path_get_basename (policy);

  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_array_set_clear_func (self->places, clear_place);
  add_place (self, oc_paths_get_base (paths), "consent.json");
  add_place (self, policy_above, policy_name);
  add_place (self, policy, NULL);
  add_place (self, policy_d, NULL);
  /* All of them: one that appears in an earlier folder takes the place of a later one. */
  add_plugin (self, oc_paths_get_plugins (paths), id);
  for (guint i = 0; system_plugins[i] != NULL; i++)
    add_plugin (self, system_plugins[i], id);
  self->fd = -1;
  self->signature = look (self);
  self->consent = g_strdup (oc_paths_get_consent (paths));
  look_at_consent (self, &self->seen);
  return self;
}

void
oc_consent_watch_start (OcConsentWatch *self,
                OcConsentWatchFunc changed,
                gpointer data)
{
  self->changed = changed;
  self->data = data;
  self->source = g_timeout_add (EARLY_POLL_MS, on_poll, self);
  self->listen_source = g_timeout_add (self->at_once ? 0 : LISTEN_AFTER_MS, on_listen, self);
}

void
oc_consent_watch_free (OcConsentWatch *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_handle_id (&self->listen_source, g_source_remove);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->signature);
  g_free (self->consent);
  g_array_unref (self->places);
  g_free (self);
}
