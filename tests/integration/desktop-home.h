/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher-fixture.h"

G_BEGIN_DECLS

/* A desktop for a Fixture's home: applications that write down what they were started with, and nothing else. */

/* A display that nobody connects to, and an empty list of applications. */
void desktop_prepare (Fixture *fixture);
/* The program of the applications: what it gets is in desktop_take(). Borrowed from the fixture's home. (transfer full) */
char *desktop_get_program (Fixture *fixture);
/* <id>.desktop: "Exec=@exec", where "PROGRAM" stands for that program. @more: (nullable): further lines. */
void desktop_add (Fixture *fixture,
                  const char *id,
                  const char *exec,
                  const char *more);
/* Makes it the default for a scheme. */
void desktop_set_default (Fixture *fixture,
                          const char *scheme,
                          const char *id);
/* What the next application was started with: {"argv": [hex], "fds": {"0": target}, "cwd", "environ": {…}, "pid", "sid",
 * "pgid", "status": {…}}. Waits. (transfer full) */
JsonObject *desktop_take (Fixture *fixture);
/* Of a taken one, its @n-th argument as bytes. (transfer full) (nullable) */
char *desktop_get_argument (JsonObject *started,
                            guint n);
/* How many have been started and not taken. */
guint desktop_count (Fixture *fixture);

/* Error codes. */
enum
{
  DESKTOP_INVALID_PARAMS = -32602,
  DESKTOP_FAILED = -32000,
  DESKTOP_DENIED = -32001,
  DESKTOP_REFUSED = -32002,
  DESKTOP_NOT_FOUND = -32003,
};

/* Calls, put together in a string that was empty. */
void desktop_add_url (GString *calls,
                      const char *url);
void desktop_add_call (GString *calls,
                       const char *call);
/* @folder: (nullable): none is named; an absolute path, or what stands for one. */
void desktop_add_folder (GString *calls,
                         const char *app,
                         const char *folder);
/* Makes them. (transfer full) */
JsonArray *desktop_call (Fixture *fixture,
                         GString *calls,
                         const char *const *selection,
                         Ran **ran);
void desktop_assert_opened (JsonArray *outcomes,
                            guint i);
/* @reason: (nullable) */
void desktop_assert_refused (JsonArray *outcomes,
                             guint i,
                             gint64 code,
                             const char *reason);
/* Exactly these have been started, in whatever order they came to write it down. Each is given as its arguments, "<…>" and a line
 * feed for each. NULL-terminated. */
void desktop_assert_started (Fixture *fixture,
                             ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
