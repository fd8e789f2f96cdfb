/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Consent that goes while a plugin runs: taken back by the user, or lost by errors, of one run or of several at once. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "launcher-fixture.h"

static const char *const some[] = { "process.spawn:true", "process.spawn:sleep", NULL };

static void
finish_revoked (GSubprocess *process,
                int code,
                gint64 errors_in_a_row)
{
  g_autoptr (Ran) ran = fixture_wait (process);

  ran_assert (ran, code, "revoked");
  g_assert_cmpint (ran_get_int (ran, "errorsInARow"), ==, errors_in_a_row);
  g_assert_cmpint (ran_get_int (ran, "durationMs"), <, 15000);
}

/* xdg-desktop-portal #235: revoking is immediate. */
static void
test_revoked (void)
{
  static const char *const more[] = { "process.spawn:true", "process.spawn:sleep", "process.spawn:python3", NULL };
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);
  g_autofree char *away = g_strconcat (fixture->plugin_folder, "-away", NULL);
  g_autoptr (GSubprocess) disabled = NULL;
  g_autoptr (GSubprocess) changed = NULL;
  g_autoptr (GSubprocess) removed = NULL;

  if (!fixture_can_run (fixture))
    return;
  disabled = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  fixture_disable (fixture);
  finish_revoked (disabled, 3, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);

  fixture_enable (fixture);
  g_unlink (marker);
  changed = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  fixture_write_manifest (fixture, more, NULL);
  finish_revoked (changed, 4, 0);

  fixture_write_manifest (fixture, some, NULL);
  g_unlink (marker);
  removed = fixture_start (fixture, "hang", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_cmpint (g_rename (fixture->plugin_folder, away), ==, 0);
  finish_revoked (removed, 2, 0);
}

/* Not only soon: a call that is made after the revocation is not answered any more. */
static void
test_no_call_after_revocation (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *marker = g_build_filename (fixture->data_folder, "hanging", NULL);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autofree char *late = g_build_filename (fixture->data_folder, "late", NULL);

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GSubprocess) process = fixture_start (fixture, "call-on", NULL);

      fixture_until (fixture_exists (fixture, "hanging"));
      fixture_disable (fixture);
      g_assert_true (g_file_set_contents (go, "", -1, NULL));
      finish_revoked (process, 3, 0);
      g_assert_false (g_file_test (late, G_FILE_TEST_EXISTS));
      g_unlink (go);
      g_unlink (marker);
      fixture_enable (fixture);
    }
  /* A control: with the consent in place calls go on after the sign, also while others' consents change. */
  {
    g_autoptr (GSubprocess) process = fixture_start (fixture, "call-on", NULL);
    g_autoptr (Ran) ran = NULL;

    g_assert_true (g_file_set_contents (go, "", -1, NULL));
    for (guint i = 0; i < 5; i++)
      {
        g_unlink (late);
        fixture_enable (fixture);
        fixture_until (fixture_exists (fixture, "late"));
      }
    g_subprocess_send_signal (process, SIGTERM);
    ran = fixture_wait (process);
    ran_assert (ran, 1, "stopped");
  }
}

static int stop_changing;

static gpointer
change_consents (gpointer data)
{
  while (!g_atomic_int_get (&stop_changing))
    fixture_enable (data);
  return NULL;
}

/* Each change makes calls wait for a moment: none is lost, none comes out of its turn, also where as many as may be are sent at once. */
static void
test_consents_change (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  GThread *thread;

  if (!fixture_can_run (fixture))
    return;
  g_atomic_int_set (&stop_changing, FALSE);
  thread = g_thread_new ("consents", change_consents, fixture);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Ran) ran = fixture_run (fixture, "pipelined-numbers", NULL);
      g_autofree char *result = NULL;

      ran_assert (ran, 0, "done");
      result = ran_dup_result (ran);
      g_assert_cmpstr (result, ==, "[]");
    }
  g_atomic_int_set (&stop_changing, TRUE);
  g_thread_join (thread);
}

/* While a tool runs, and while its storage is being written: ended as soon, nothing is left, nothing is spoilt. */
static void
test_revoked_amid (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *storage = oc_paths_dup_storage (fixture->paths, FIXTURE_ID);
  g_autofree char *half = g_strconcat (storage, ".new", NULL);
  g_autoptr (GSubprocess) spawning = NULL;
  g_autoptr (GSubprocess) writing = NULL;
  g_autoptr (Ran) after = NULL;

  if (!fixture_can_run (fixture))
    return;
  spawning = fixture_start (fixture, "hang-with-tool", NULL);
  fixture_until (fixture_count_processes (fixture) >= 5);
  fixture_disable (fixture);
  finish_revoked (spawning, 3, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);

  fixture_enable (fixture);
  writing = fixture_start (fixture, "flood-storage", NULL);
  fixture_until (g_file_test (storage, G_FILE_TEST_EXISTS));
  fixture_disable (fixture);
  finish_revoked (writing, 3, 0);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_false (g_file_test (half, G_FILE_TEST_EXISTS));

  fixture_enable (fixture);
  after = fixture_run (fixture, "storage", NULL);
  ran_assert (after, 0, "done");
  g_assert_null (strstr (after->out, "begins anew"));
}

/* Another plugin's consent, and new code under the same set, end nothing. */
static void
test_not_revoked (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autofree char *other = g_build_filename (oc_paths_get_plugins (fixture->paths), "org.example.Other", NULL);
  g_autofree char *manifest = g_build_filename (other, "plugin.json", NULL);
  g_autofree char *program = g_build_filename (other, "x", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (OcPlugin) plugin = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Ran) ran = NULL;

  if (!fixture_can_run (fixture))
    return;
  process = fixture_start (fixture, "wait-then-call", NULL);
  fixture_until (fixture_exists (fixture, "hanging"));
  g_assert_cmpint (g_mkdir (other, 0700), ==, 0);
  g_assert_true (g_file_set_contents_full (program, "#!/bin/sh\n", -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_assert_true (g_file_set_contents (manifest,
                                      "{\"manifestVersion\":1,\"id\":\"org.example.Other\",\"name\":\"O\",\"version\":\"1\","
                                      "\"kind\":\"process\",\"main\":\"x\",\"commands\":[{\"id\":\"a\",\"title\":\"a\"}],"
                                      "\"permissions\":[]}",
                                      -1, NULL));
  plugin = oc_plugin_load (oc_paths_get_plugins (fixture->paths), "org.example.Other");
  oc_consent_enable (fixture->paths, plugin, "terminal", NULL, &error);
  g_assert_no_error (error);
  fixture_write_manifest (fixture, some, "\"description\":\"new\",");
  g_assert_true (g_file_set_contents (go, "", -1, NULL));
  ran = fixture_wait (process);
  ran_assert (ran, 0, "done");
  g_assert_true (json_object_has_member (ran_get_result (ran), "result"));
}

/* Three at the same time: each counts once. */
static void
test_concurrent_errors (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  GSubprocess *runs[3];
  guint disabled = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    runs[i] = fixture_start (fixture, "wait-then-call", NULL);
  fixture_until (fixture_count_temp (fixture) == 3);
  fixture_until (fixture_exists (fixture, "hanging"));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autoptr (Ran) crash = NULL;

      crash = fixture_run (fixture, "crash", NULL);
      ran_assert (crash, 1, "crash");
      g_assert_cmpint (ran_get_int (crash, "errorsInARow"), ==, i + 1);
      disabled += json_object_get_boolean_member (json_node_get_object (crash->root), "disabledAfterErrors");
    }
  g_assert_cmpuint (disabled, ==, 1);
  /* The consent is gone: those still running are ended. */
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      finish_revoked (runs[i], 3, 3);
      g_object_unref (runs[i]);
    }
  /* What tells the desktop outlives the launcher by a moment. */
  fixture_until (fixture_count_processes (fixture) == 0);
}

static guint
count_ready (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->data_folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_prefix (name, "ready-");
  return n;
}

/* As many as may run, all failing in the same moment: each is counted or was ended because of the others, the consent goes once,
 * one of them says so, and nobody waits for anybody. */
static void
test_all_fail_at_once (void)
{
  g_autoptr (Fixture) fixture = fixture_new (some);
  g_autofree char *go = g_build_filename (fixture->data_folder, "go", NULL);
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (GPtrArray) listed = NULL;
  GSubprocess *runs[8];
  guint disabled = 0, counted = 0, told = 0;

  if (!fixture_can_run (fixture))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    runs[i] = fixture_start (fixture, "wait-then-crash", NULL);
  fixture_until (count_ready (fixture) == G_N_ELEMENTS (runs));
  g_assert_true (g_file_set_contents (go, "", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_autoptr (Ran) ran = fixture_wait (runs[i]);

      if (g_strcmp0 (ran_get (ran, "outcome"), "crash") == 0)
        counted++;
      else
        ran_assert (ran, 3, "revoked");
      disabled += json_object_get_boolean_member (json_node_get_object (ran->root), "disabledAfterErrors");
      g_object_unref (runs[i]);
    }
  g_assert_cmpuint (counted, >=, 3);
  g_assert_cmpuint (disabled, ==, 1);
  consent = oc_consent_load (fixture->paths, NULL);
  g_assert_cmpint (oc_consent_record_get_state (oc_consent_look_up (consent, FIXTURE_ID)), ==, OC_RECORD_DISABLED_AFTER_ERRORS);
  activity = oc_activity_open (fixture->paths, NULL);
  listed = oc_activity_list_runs (activity, FIXTURE_ID, 0, NULL);
  for (guint i = 0; i < listed->len; i++)
    {
      const OcRun *run = listed->pdata[i];

      counted -= run->outcome == OC_OUTCOME_CRASH;
      told += run->message != NULL && strstr (run->message, "the plugin was disabled") != NULL;
    }
  g_assert_cmpuint (counted, ==, 0);
  g_assert_cmpuint (told, ==, 1);
  g_assert_cmpuint (fixture_count_processes (fixture), ==, 0);
  g_assert_cmpuint (fixture_count_temp (fixture), ==, 0);
}

int
main (int argc,
      char **argv)
{
  fixture_init (&argc, &argv);
  g_test_add_func ("/revoke/revoked", test_revoked);
  g_test_add_func ("/revoke/no-call-after-revocation", test_no_call_after_revocation);
  g_test_add_func ("/revoke/consents-change", test_consents_change);
  g_test_add_func ("/revoke/revoked-amid", test_revoked_amid);
  g_test_add_func ("/revoke/not-revoked", test_not_revoked);
  g_test_add_func ("/revoke/concurrent-errors", test_concurrent_errors);
  g_test_add_func ("/revoke/all-fail-at-once", test_all_fail_at_once);
  return g_test_run ();
}
