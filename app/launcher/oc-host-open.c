/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host-open.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "core/oc-url.h"
#include "launcher/oc-call.h"
#include "launcher/oc-desktop-private.h"
#include "launcher/oc-desktop.h"

/*
 * openURL, and what it has in common with app.open. What is opened was checked here (core/oc-url.h; oc-host-open-app.c), and is
 * handed over as it was checked. The plugin learns whether it was opened, and no more: not by what, and nothing that this said.
 */

struct _OcOpening
{
  OcCall *call;         /* borrowed: it owns this */
  OcReport *report;     /* borrowed */
  const char *method;   /* static */
  char *permission;     /* owned */
  char *detail;         /* owned */
  OcDesktop *desktop;   /* owned (nullable): not started */
  GCancellable *cancellable;
};

static const struct
{
  const char *word;
  OcRpcCode code;
  const char *message;
} answers[] = {
  { OC_DESKTOP_NO_HANDLER, OC_RPC_NOT_FOUND, N_("No application here opens such addresses.") },
  { OC_DESKTOP_HANDLER_MISSING, OC_RPC_NOT_FOUND,
    N_("The application that is to open such addresses here cannot be started: its program is missing.") },
  { OC_DESKTOP_APP_MISSING, OC_RPC_NOT_FOUND, N_("The application is not installed here.") },
  { OC_DESKTOP_APP_HIDDEN, OC_RPC_NOT_FOUND, N_("The application is switched off here: its desktop entry says that it is hidden.") },
  { OC_DESKTOP_APP_PROGRAM_MISSING, OC_RPC_NOT_FOUND, N_("The application cannot be started here: its program is missing.") },
  { OC_DESKTOP_APP_NO_FOLDERS, OC_RPC_FAILED, N_("The application takes no folders.") },
  { OC_DESKTOP_NO_DISPLAY, OC_RPC_FAILED, N_("There is no display here to open it on.") },
  { OC_DESKTOP_TIMED_OUT, OC_RPC_FAILED, N_("The desktop did not answer in time. It may still be opened.") },
  { OC_DESKTOP_NOT_OPENED, OC_RPC_FAILED, N_("The desktop could not open it.") },
};

const char *
oc_opening_get_reason (guint n,
                       OcRpcCode *code)
{
  if (n >= G_N_ELEMENTS (answers))
    return NULL;
  *code = answers[n].code;
  return answers[n].word;
}

static void
record (OcOpening *self)
{
  oc_uses_add (self->report->uses, self->permission, self->method, self->detail, NULL, TRUE);
}

static void
opening_free (gpointer data)
{
  OcOpening *self = data;

  /* The run ended in between: it may have been opened just before. */
  if (self->desktop != NULL)
    record (self);
  g_clear_pointer (&self->desktop, oc_desktop_free);
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  g_free (self->permission);
  g_free (self->detail);
  g_free (self);
}

OcOpening *
oc_opening_new (OcCall *call,
                const char *permission,
                const char *detail)
{
  OcOpening *self = g_new0 (OcOpening, 1);

  self->call = call;
  self->report = oc_call_get_host (call)->report;
  self->method = oc_call_get_method (call)->name;
  self->permission = g_strdup (permission);
  self->detail = g_strdup (detail);
  self->cancellable = g_cancellable_new ();
  oc_call_set_operation (call, self, opening_free);
  return self;
}

GCancellable *
oc_opening_get_cancellable (OcOpening *self)
{
  return self->cancellable;
}

/* Why, in the desktop's words, which name files of the user's: for the user alone. */
static void
tell_user (OcOpening *self,
           const char *message,
           const char *detail)
{
  g_autofree char *shown = oc_text_escape (detail, 500, NULL);
  g_autofree char *line = NULL;

  if (*shown == '\0')
    return;
  line = g_strdup_printf ("%s: %s (%s)", self->method, message, shown);
  oc_report_add_log (self->report, "warning", line);
}

static void
on_answer (const char *word,
           const char *detail,
           gpointer data)
{
  OcOpening *self = data;
  guint i = 0;

  g_clear_pointer (&self->desktop, oc_desktop_free);
  if (g_str_equal (word, OC_DESKTOP_OPENED) || g_str_equal (word, OC_DESKTOP_TIMED_OUT))
    record (self);
  if (g_str_equal (word, OC_DESKTOP_OPENED))
    {
      oc_call_return (self->call, NULL);
      return;
    }
  /* The last stands for every other. */
  while (i < G_N_ELEMENTS (answers) - 1 && !g_str_equal (word, answers[i].word))
    i++;
  tell_user (self, _(answers[i].message), detail);
  oc_call_fail (self->call, answers[i].code, answers[i].word, _(answers[i].message));
}

/* So that no plugin covers the screen with windows. FALSE: answered. */
static gboolean
take_turn (OcOpening *self)
{
  OcOpens *opens = &oc_call_get_host (self->call)->opens;
  gint64 now = g_get_monotonic_time ();
  gint64 *oldest = &opens->times[opens->n % OC_OPEN_BURST];

  if (opens->n >= OC_OPEN_MAX)
    {
      oc_call_refuse (self->call, "too-many", self->detail, _("In one run 10 things are opened, and no more."));
      return FALSE;
    }
  if (*oldest != 0 && now - *oldest < OC_OPEN_BURST_MS * 1000)
    {
      oc_call_refuse (self->call, "too-fast", self->detail, _("No more than 3 things are opened in 2 seconds. Wait a moment."));
      return FALSE;
    }
  *oldest = now;
  opens->n++;
  return TRUE;
}

void
oc_opening_start (OcOpening *self,
                  const char *const *arguments)
{
  g_autoptr (GError) error = NULL;

  if (!take_turn (self))
    return;
  self->desktop = oc_desktop_ask (arguments, OC_OPEN_TIMEOUT_MS, on_answer, self, &error);
  if (self->desktop == NULL)
    on_answer (OC_DESKTOP_NOT_OPENED, error->message, self);
}

void
oc_host_open_url (OcCall *call)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcUrl) url = NULL;
  const char *reason = NULL;
  const char *text;

  /* The limit in characters is the parser's. */
  if (!oc_call_read_string (call, "url", 4 * OC_URL_MAX_CHARS, &text))
    return;
  url = oc_url_parse (text, &reason, &error);
  if (url == NULL)
    oc_call_refuse (call, reason, text, error->message);
  else
    oc_opening_start (oc_opening_new (call, "openURL", oc_url_get_text (url)),
                      (const char *const[]){ "url", oc_url_get_text (url), NULL });
}
