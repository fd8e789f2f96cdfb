/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "core/oc-activity.h"
#include "core/oc-consent.h"
#include "core/oc-paths.h"
#include "core/oc-plugin.h"

G_BEGIN_DECLS

#define FIXTURE_ID "org.example.Test"
/* What a wait may take before it fails; waits end as soon as what they wait for is there. */
#define FIXTURE_DEADLINE_S 60

/**
 * Fixture: a private home with the test plugin in it, and the real launcher to run it. No session bus: a key file seals the
 * consent, unless a test says otherwise.
 */
typedef struct
{
  char *root;
  char *tmp;
  char *plugin_folder;
  char *data_folder;
  OcPaths *paths;
  char **env;
  GSpawnChildSetupFunc child_setup; /* (nullable): what the launcher's parent leaves it */
} Fixture;

/* To be called first in main(): cuts the test off from the session around it. */
void fixture_init (int *argc,
                   char ***argv);
/* Before that, while there is one thread: mounts of this test's own, as whoever runs it. */
void fixture_enter_mount_namespace (void);
/* Else the test is skipped, or fails where the sandbox must work. */
gboolean fixture_can_mount (void);
/* @permissions: NULL-terminated; the plugin is enabled with them. */
Fixture *fixture_new (const char *const *permissions);
/* In a folder of the test's own. */
Fixture *fixture_new_in (const char *folder,
                         const char *const *permissions);
void fixture_free (Fixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fixture, fixture_free)
/* Whether the sandbox works here; else the test is skipped, or fails where it must work. */
gboolean fixture_can_run (Fixture *self);

/* Writes plugin.json anew; does not enable. @extra: (nullable): members, as in "\"x\":1,". */
void fixture_write_manifest (Fixture *self,
                             const char *const *permissions,
                             const char *extra);
void fixture_enable (Fixture *self);
void fixture_disable (Fixture *self);
char *fixture_make_file (Fixture *self,
                         const char *name,
                         const char *data,
                         gssize len);

/* A finished run. */
typedef struct
{
  int exit; /* -1: by a signal */
  JsonNode *root; /* (nullable): no object was printed */
  char *out;
  char *err;
} Ran;
void ran_free (Ran *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ran, ran_free)

/* `ocelot-launcher run ID @entry` and what follows, NULL-terminated. */
Ran *fixture_run (Fixture *self,
                  const char *entry,
                  ...) G_GNUC_NULL_TERMINATED;
/* `ocelot-launcher` with just these. */
Ran *fixture_run_argv (Fixture *self,
                       const char *const *arguments);
GSubprocess *fixture_start (Fixture *self,
                            const char *entry,
                            ...) G_GNUC_NULL_TERMINATED;
Ran *fixture_wait (GSubprocess *process);

const char *ran_get (Ran *self,
                     const char *key);
gint64 ran_get_int (Ran *self,
                    const char *key);
/* The "result", as compact JSON. */
char *ran_dup_result (Ran *self);
JsonObject *ran_get_result (Ran *self);
/* How often @permission is in "refused". */
gint64 ran_count (Ran *self,
                  const char *list,
                  const char *permission);
#define ran_assert(ran, code, outcome)                                                                                   \
  G_STMT_START                                                                                                           \
  {                                                                                                                      \
    if ((ran)->root == NULL || (ran)->exit != (code) || g_strcmp0 (ran_get ((ran), "outcome"), (outcome)) != 0)          \
      g_error ("%s: expected exit %d and %s, got exit %d: %s%s", G_STRLOC, (code), (outcome), (ran)->exit, (ran)->out,   \
               (ran)->err);                                                                                              \
    g_assert_cmpint (ran_get_int ((ran), "exit"), ==, (code));                                                           \
  }                                                                                                                      \
  G_STMT_END

/* Calls the host API: runs the entry "api" with these calls (a JSON array) and gives their outcomes. */
JsonArray *fixture_call (Fixture *self,
                         const char *calls,
                         const char *const *paths,
                         Ran **ran);
/* Of the @i-th: its "code", 0 where it succeeded. */
gint64 outcome_code (JsonArray *outcomes,
                     guint i);
const char *outcome_get (JsonArray *outcomes,
                         guint i,
                         const char *key);

/* Processes that belong to a run of this home. */
guint fixture_count_processes (Fixture *self);
/* Names in the temporary folder. */
guint fixture_count_temp (Fixture *self);
/* Until @condition: fails after the deadline. */
#define fixture_until(condition)                                                                                         \
  G_STMT_START                                                                                                           \
  {                                                                                                                      \
    gint64 deadline_ = g_get_monotonic_time () + FIXTURE_DEADLINE_S * G_USEC_PER_SEC;                                    \
    while (!(condition))                                                                                                 \
      {                                                                                                                  \
        if (g_get_monotonic_time () > deadline_)                                                                         \
          g_error ("%s: never came true: %s", G_STRLOC, #condition);                                                     \
        g_usleep (2000);                                                                                                 \
      }                                                                                                                  \
  }                                                                                                                      \
  G_STMT_END
gboolean fixture_exists (Fixture *self,
                         const char *name_in_data);

G_END_DECLS
