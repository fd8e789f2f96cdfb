/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's side of what is asked of the desktop, with made-up programs in place of ocelot-desktop. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/oc-error.h"
#include "core/oc-url.h"
#include "launcher/oc-desktop-private.h"
#include "launcher/oc-desktop.h"
#include "launcher/oc-host-open.h"

#define DEADLINE_S 20

typedef struct
{
  char *folder;
  char *program;
  GMainLoop *loop;
  char *word;
  char *detail;
  guint n;
} Desk;

/* @script: what the program does, as /bin/sh. */
static Desk *
desk_new (const char *script)
{
  Desk *self = g_new0 (Desk, 1);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\ncd \"${0%%/*}\"\n%s\n", script);

  self->folder = g_dir_make_tmp ("ocelot-desk-XXXXXX", NULL);
  self->program = g_build_filename (self->folder, "program", NULL);
  self->loop = g_main_loop_new (NULL, FALSE);
  g_assert_true (g_file_set_contents_full (self->program, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  oc_desktop_set_program (self->program);
  return self;
}

static char *
desk_path (Desk *self,
           const char *name)
{
  return g_build_filename (self->folder, name, NULL);
}

static void
desk_free (Desk *self)
{
  static const char *const names[] = { "program", "pid", "said" };

  oc_desktop_set_program (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = desk_path (self, names[i]);

      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_main_loop_unref (self->loop);
  g_free (self->folder);
  g_free (self->program);
  g_free (self->word);
  g_free (self->detail);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Desk, desk_free)

static void
on_answer (const char *word,
           const char *detail,
           gpointer data)
{
  Desk *self = data;

  self->n++;
  g_free (self->word);
  g_free (self->detail);
  self->word = g_strdup (word);
  self->detail = g_strdup (detail);
  g_main_loop_quit (self->loop);
}

static gboolean
on_deadline (gpointer data)
{
  g_error ("No answer came.");
  return G_SOURCE_REMOVE;
}

static void
ask (Desk *self,
     guint timeout_ms)
{
  g_autoptr (OcDesktop) desktop = NULL;
  g_autoptr (GError) error = NULL;
  guint deadline = g_timeout_add_seconds (DEADLINE_S, on_deadline, NULL);

  desktop = oc_desktop_ask ((const char *const[]){ "url", "a b", NULL }, timeout_ms, on_answer, self, &error);
  g_assert_no_error (error);
  g_main_loop_run (self->loop);
  g_source_remove (deadline);
}

static void
test_answers (void)
{
  g_autofree char *much = g_strnfill (OC_DESKTOP_MAX_BYTES * 3, 'x');
  g_autofree char *flood = g_strdup_printf ("printf '%s' >&3", much);
  const struct
  {
    const char *script;
    const char *word;
    const char *detail;
  } cases[] = {
    { "printf 'opened\\n' >&3", "opened", "" },
    { "printf 'opened' >&3", "opened", "" },
    { "printf 'no-handler\\na\\nb' >&3", "no-handler", "a\nb" },
    { "printf '%s.' \"$#:$1:$2\" >&3", "2:url:a b.", "" },
    { "exit 1", OC_DESKTOP_NOT_OPENED, "" },
    { "kill -9 $$", OC_DESKTOP_NOT_OPENED, "" },
    { "printf '\\nx' >&3", OC_DESKTOP_NOT_OPENED, "" },
    { "exec 3>&-", OC_DESKTOP_NOT_OPENED, "" },
    { flood, NULL, "" },
    /* Nothing of ours is open but what it is to write to. */
    { "printf '%s' \"$(ls /proc/self/fd | tr '\\n' ' ')\" >&3", "0 1 2 3 4 ", "" }, /* 4: what ls reads */
    { "printf '%s' \"$(readlink /proc/self/fd/0 /proc/$$/fd/1 /proc/$$/fd/2 | tr '\\n' ' ')\" >&3", "/dev/null /dev/null /dev/null ", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Desk) self = desk_new (cases[i].script);

      ask (self, DEADLINE_S * 1000);
      g_test_message ("%.60s → %.60s", cases[i].script, self->word);
      if (cases[i].word != NULL)
        g_assert_cmpstr (self->word, ==, cases[i].word);
      else
        g_assert_cmpuint (strlen (self->word), ==, OC_DESKTOP_MAX_BYTES);
      g_assert_cmpstr (self->detail, ==, cases[i].detail);
      g_assert_cmpuint (self->n, ==, 1);
    }
}

static pid_t
wait_for_pid (Desk *self)
{
  g_autofree char *path = desk_path (self, "pid");
  gint64 deadline = g_get_monotonic_time () + DEADLINE_S * G_USEC_PER_SEC;
  g_autofree char *text = NULL;

  while (!g_file_get_contents (path, &text, NULL, NULL) || strchr (text, '\n') == NULL)
    {
      g_clear_pointer (&text, g_free);
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_usleep (2000);
    }
  return (pid_t) atoi (text);
}

/* It answers in time or not at all, and does not stay. */
static void
test_time_out (void)
{
  g_autoptr (Desk) self = desk_new ("echo $$ >pid; exec sleep 600");
  pid_t pid;

  ask (self, 300);
  g_assert_cmpstr (self->word, ==, OC_DESKTOP_TIMED_OUT);
  pid = wait_for_pid (self);
  g_assert_cmpint (kill (pid, 0), ==, -1);
  g_assert_cmpint (errno, ==, ESRCH);
}

static void
test_freed_in_between (void)
{
  g_autoptr (Desk) self = desk_new ("echo $$ >pid; exec sleep 600");
  OcDesktop *desktop = oc_desktop_ask ((const char *const[]){ "url", "x", NULL }, DEADLINE_S * 1000, on_answer, self, NULL);
  pid_t pid = wait_for_pid (self);

  g_assert_cmpint (kill (pid, 0), ==, 0);
  oc_desktop_free (desktop);
  g_assert_cmpint (kill (pid, 0), ==, -1);
  g_assert_cmpint (errno, ==, ESRCH);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (self->n, ==, 0);
}

static void
test_unusable (void)
{
  g_autoptr (Desk) self = desk_new ("exit 0");
  const char *const arguments[] = { "url", "x", NULL };
  g_autoptr (GError) missing = NULL;
  g_autoptr (GError) writable = NULL;
  g_autoptr (GError) plain = NULL;
  g_autoptr (GError) told = NULL;

  g_assert_cmpint (g_chmod (self->program, 0777), ==, 0);
  g_assert_null (oc_desktop_ask (arguments, 1000, on_answer, self, &writable));
  g_assert_error (writable, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_cmpint (g_chmod (self->program, 0600), ==, 0);
  g_assert_null (oc_desktop_ask (arguments, 1000, on_answer, self, &plain));
  g_assert_error (plain, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_cmpint (g_unlink (self->program), ==, 0);
  g_assert_null (oc_desktop_ask (arguments, 1000, on_answer, self, &missing));
  g_assert_error (missing, OC_ERROR, OC_ERROR_SANDBOX);
  g_assert_nonnull (strstr (missing->message, self->program));
  g_assert_false (oc_desktop_tell (arguments, &told));
  g_assert_error (told, OC_ERROR, OC_ERROR_SANDBOX);
}

/* Told and left alone: nothing is waited for, and it goes on. */
static void
test_told (void)
{
  g_autoptr (Desk) self = desk_new ("echo \"$*\" >said; ls /proc/self/fd | tr '\\n' ' ' >>said; echo $$ >pid; exec sleep 600");
  g_autofree char *path = desk_path (self, "said");
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;
  pid_t pid;

  g_assert_true (oc_desktop_tell ((const char *const[]){ "notify", "id", "a b", NULL }, &error));
  g_assert_no_error (error);
  pid = wait_for_pid (self);
  g_assert_true (g_file_get_contents (path, &said, NULL, NULL));
  /* 3 is what ls reads. */
  g_assert_cmpstr (said, ==, "notify id a b\n0 1 2 3 ");
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
}

static gboolean
is_listed (OcRpcCode code,
           const char *word)
{
  const OcReason *reason;

  for (guint i = 0; (reason = oc_reason_get (i)) != NULL; i++)
    if (reason->code == code && g_str_equal (reason->reason, word))
      return g_strv_contains (reason->methods, "openURL") || g_strv_contains (reason->methods, "app.open");
  return FALSE;
}

/* Every word that these methods answer with is in the table that authors read. */
static void
test_reasons (void)
{
  const char *word;
  OcRpcCode code;

  for (guint i = 0; (word = oc_url_get_reason (i, NULL)) != NULL; i++)
    g_assert_true (is_listed (OC_RPC_REFUSED, word));
  for (guint i = 0; (word = oc_opening_get_reason (i, &code)) != NULL; i++)
    g_assert_true (is_listed (code, word));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/desktop/answers", test_answers);
  g_test_add_func ("/desktop/time-out", test_time_out);
  g_test_add_func ("/desktop/freed-in-between", test_freed_in_between);
  g_test_add_func ("/desktop/unusable", test_unusable);
  g_test_add_func ("/desktop/told", test_told);
  g_test_add_func ("/desktop/reasons-are-listed", test_reasons);
  return g_test_run ();
}
