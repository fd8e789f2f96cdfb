/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-ask.h"
#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-error.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define NO_PERMISSIONS "none"

/* @grants as one permission each. NULL: one of them is none. */
static OcPermissionSet *
parse_grants (const char *const *grants,
              GError **error)
{
  if (g_strv_length ((char **) grants) == 1 && g_str_equal (grants[0], NO_PERMISSIONS))
    return oc_permission_set_new (NULL);
  return oc_permission_set_parse (grants, error);
}

/* The same with commas between permissions. Tried second, because the argument of a permission may have a comma. */
static OcPermissionSet *
parse_listed_grants (const char *const *grants,
                     GError **error)
{
  g_autofree char *joined = g_strjoinv (",", (char **) grants);
  g_auto (GStrv) parts = g_strsplit (joined, ",", -1);

  return parse_grants ((const char *const *) parts, error);
}

static char *
describe_set (OcPermissionSet *set)
{
  g_auto (GStrv) texts = oc_permission_set_to_strv (set);
  g_autofree char *joined = g_strjoinv (", ", texts);

  return texts[0] != NULL ? oc_text_escape (joined, 0, NULL) : g_strdup (NO_PERMISSIONS);
}

/* Whether @grants name exactly what @plugin would get: no more, no less. Says what differs where they do not. */
static gboolean
check_grants (OcCli *self,
              OcPlugin *plugin,
              const char *const *grants,
              int *exit_code)
{
  OcPermissionSet *set = oc_manifest_get_permissions (oc_plugin_get_manifest (plugin));
  g_autoptr (OcPermissionSet) named = parse_grants (grants, NULL);
  g_autoptr (OcPermissionSet) missing = NULL;
  g_autoptr (OcPermissionSet) extra = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *missing_text = NULL;
  g_autofree char *extra_text = NULL;
  g_autofree char *message = NULL;
  g_autofree char *remedy = NULL;

  if (named != NULL && oc_permission_set_equal (named, set))
    return TRUE;
  g_clear_pointer (&named, oc_permission_set_unref);
  named = parse_listed_grants (grants, &error);
  if (named == NULL)
    {
      *exit_code = oc_cli_report (self, OC_CLI_USAGE, error->message, NULL);
      return FALSE;
    }
  if (oc_permission_set_equal (named, set))
    return TRUE;
  missing = oc_permission_set_minus (set, named);
  extra = oc_permission_set_minus (named, set);
  missing_text = describe_set (missing);
  extra_text = describe_set (extra);
  message = g_strdup_printf (_ ("--grant does not name exactly what %s would get. It would get, and you did not name: %s. You "
                                "named, and it does not ask for: %s. Nothing was enabled."),
                             oc_plugin_get_id (plugin), missing_text, extra_text);
  remedy = g_strdup_printf (_ ("“ocelotctl review %s” explains what it asks for."), oc_plugin_get_id (plugin));
  *exit_code = oc_cli_report (self, OC_CLI_NEEDS_REVIEW, message, remedy);
  return FALSE;
}

static gboolean
check_digest (OcCli *self,
              OcPlugin *plugin,
              const char *digest,
              int *exit_code)
{
  g_autofree char *message = NULL;
  g_autofree char *remedy = NULL;

  if (digest == NULL
      || g_ascii_strcasecmp (digest, oc_manifest_get_digest (oc_plugin_get_manifest (plugin))) == 0)
    return TRUE;
  message = g_strdup_printf (_ ("The manifest of %s is not the one with that digest: it was changed since, or the digest is "
                                "another plugin's. Nothing was enabled."),
                             oc_plugin_get_id (plugin));
  remedy = g_strdup_printf (_ ("“ocelotctl review %s” shows it as it is now."), oc_plugin_get_id (plugin));
  *exit_code = oc_cli_report (self, OC_CLI_NEEDS_REVIEW, message, remedy);
  return FALSE;
}

static char *
join_problems (OcPlugin *plugin)
{
  GPtrArray *problems = oc_plugin_get_problems (plugin);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < problems->len; i++)
    {
      OcProblem *problem = g_ptr_array_index (problems, i);

      g_string_append_printf (text, "%s%s: %s", i > 0 ? "\n" : "", problem->place, problem->message);
      if (problem->remedy != NULL)
        g_string_append_printf (text, "\n  %s", problem->remedy);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Whether the state lets it be enabled at all; says why not. */
static gboolean
check_state (OcCli *self,
             OcCliSubject *subject,
             int *exit_code)
{
  const char *id = oc_plugin_get_id (subject->plugin);
  const char *const *reasons = oc_verdict_get_reasons (subject->verdict);
  g_autofree char *joined = g_strjoinv (" ", (char **) reasons);
  g_autofree char *message = NULL;
  g_autofree char *remedy = NULL;
  OcState state = oc_verdict_get_state (subject->verdict);

  if (state == OC_STATE_INVALID || state == OC_STATE_SHADOWED)
    {
      remedy = join_problems (subject->plugin);
      /* The reasons of an invalid one are its problems. */
      if (remedy[0] != '\0')
        message = g_strdup_printf (_ ("%s cannot be enabled, because of this:"), id);
      else
        message = g_strdup_printf (_ ("%s cannot be enabled. %s"), id, joined);
      *exit_code = oc_cli_report (self, OC_CLI_INVALID, message, remedy);
      return FALSE;
    }
  if (state == OC_STATE_BLOCKED)
    {
      message = g_strdup_printf (_ ("%s cannot be enabled. %s"), id, joined);
      *exit_code = oc_cli_report (self, OC_CLI_BLOCKED, message, _ ("Ask the administrator of this computer."));
      return FALSE;
    }
  switch (oc_consent_get_outcome (subject->consent))
    {
    case OC_CONSENT_VALID:
    case OC_CONSENT_ABSENT:
      return TRUE;
    case OC_CONSENT_LOCKED:
      *exit_code = oc_cli_report (self, OC_CLI_CONSENT, oc_consent_get_message (subject->consent), NULL);
      return FALSE;
    case OC_CONSENT_DAMAGED:
    case OC_CONSENT_FORGED:
      /* Loading moved it aside, so that the next attempt begins a new file; but the user must know first that every earlier
       * consent is gone. */
      remedy = g_strdup_printf (_ ("Nothing was enabled. Once you have read this, “ocelotctl enable %s” begins a new file."), id);
      *exit_code = oc_cli_report (self, OC_CLI_CONSENT, oc_consent_get_message (subject->consent), remedy);
      return FALSE;
    }
  return FALSE;
}

/* The layers that do not hold; where one was not tried because of another, only the other. (transfer full) */
static char *
describe_layers (OcSandboxReport *report)
{
  GPtrArray *layers = oc_sandbox_report_get_layers (report);
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GString) causes = g_string_new (NULL);

  for (guint i = 0; i < layers->len; i++)
    {
      OcLayer *layer = g_ptr_array_index (layers, i);

      if (layer->holds)
        continue;
      g_string_append_printf (all, "%s: %s\n", layer->title, layer->detail);
      if (layer->remedy != NULL)
        g_string_append_printf (causes, "%s: %s\n%s\n", layer->title, layer->detail, layer->remedy);
    }
  return g_strdup (g_strchomp (causes->len > 0 ? causes->str : all->str));
}

/* Nothing is enabled on a machine where the sandbox does not hold. */
static gboolean
check_sandbox (OcCli *self,
               int *exit_code)
{
  g_autoptr (OcLauncher) launcher = oc_launcher_new (NULL);
  g_autoptr (OcSandboxReport) report = NULL;
  g_autofree char *layers = NULL;

  oc_launcher_set_allow_root (launcher, self->allow_root);
  report = oc_launcher_check (launcher);
  if (oc_sandbox_report_holds (report))
    return TRUE;
  layers = describe_layers (report);
  *exit_code = oc_cli_report (self, OC_CLI_SANDBOX,
                              _ ("The sandbox does not hold on this computer, so no plugin can run, and none can be enabled. "
                                 "“ocelotctl doctor” shows each layer."),
                              layers);
  return FALSE;
}

/* Shows the review and asks. */
static gboolean
ask (OcCli *self,
     OcCliSubject *subject,
     int *exit_code)
{
  OcPermissionSet *set = oc_manifest_get_permissions (oc_plugin_get_manifest (subject->plugin));
  g_autofree char *broad = oc_catalogue_broad_sentence (set, self->tools);
  gboolean yes;

  if (!oc_cli_can_ask () || self->json)
    {
      g_autofree char *remedy
          = g_strdup_printf (_ ("Name exactly what it would get with --grant; “ocelotctl review %s” shows how."),
                             oc_plugin_get_id (subject->plugin));

      *exit_code = oc_cli_report (self, OC_CLI_NO_CONSENT,
                                  _ ("There is nobody to ask: this is no terminal. Nothing was enabled."), remedy);
      return FALSE;
    }
  oc_cli_print_review (self, subject);
  g_print ("\n");
  if (broad != NULL)
    {
      g_autofree char *styled = oc_cli_style (OC_CLI_RED, "! ");

      oc_cli_print_wrapped (styled, broad);
      yes = oc_cli_ask (_ ("Type “broad” to enable it all the same; anything else changes nothing:"), "broad");
    }
  else
    yes = oc_cli_ask (_ ("Type “yes” to enable it; anything else changes nothing:"), "yes");
  if (yes)
    return TRUE;
  *exit_code = oc_cli_report (self, OC_CLI_NO_CONSENT, _ ("Nothing was changed."), NULL);
  return FALSE;
}

static int
report_enabled (OcCli *self,
                OcPlugin *plugin)
{
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (oc_plugin_get_manifest (plugin)), 80, NULL);
  g_autofree char *line = NULL;
  g_autofree char *command = NULL;

  if (self->json)
    {
      g_autoptr (JsonBuilder) builder = json_builder_new ();

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "id", oc_plugin_get_id (plugin));
      oc_cli_json_add_string (builder, "state", oc_state_to_id (OC_STATE_ENABLED));
      oc_cli_json_add_set (builder, "permissions", oc_manifest_get_permissions (oc_plugin_get_manifest (plugin)));
      oc_cli_json_add_string (builder, "digest", oc_manifest_get_digest (oc_plugin_get_manifest (plugin)));
      json_builder_end_object (builder);
      oc_cli_json_print (builder);
      return OC_CLI_DONE;
    }
  line = g_strdup_printf (_ ("%s is enabled."), name);
  command = g_strdup_printf ("ocelotctl disable %s", oc_plugin_get_id (plugin));
  oc_cli_print_wrapped ("", line);
  g_print (_ ("To take that back at once: %s\n"), command);
  return OC_CLI_DONE;
}

/* The consent itself; then the count of errors starts anew. */
static int
enable (OcCli *self,
        OcPlugin *shown)
{
  g_autoptr (OcActivity) activity = NULL;
  g_autoptr (GError) error = NULL;

  if (!oc_consent_enable (self->paths, shown, "terminal", NULL, &error))
    {
      g_autofree char *remedy = NULL;

      if (!g_error_matches (error, OC_ERROR, OC_ERROR_STALE))
        return oc_cli_report_error (self, error);
      remedy = g_strdup_printf (_ ("“ocelotctl review %s” shows it as it is now."), oc_plugin_get_id (shown));
      return oc_cli_report (self, OC_CLI_NEEDS_REVIEW, error->message, remedy);
    }
  activity = oc_activity_open (self->paths, &error);
  if (activity == NULL || !oc_activity_reset_health (activity, oc_plugin_get_id (shown), &error))
    g_printerr (_ ("ocelotctl: It is enabled, but the count of its errors could not be reset: %s\n"), error->message);
  return report_enabled (self, shown);
}

static int
run_enable (OcCli *self,
            const OcCliCommand *command,
            char **argv)
{
  g_auto (GStrv) grants = NULL;
  g_autofree char *digest = NULL;
  const GOptionEntry entries[] = {
    { "grant", 0, 0, G_OPTION_ARG_STRING_ARRAY, &grants,
      N_ ("Do not ask; name exactly what it gets. Once a permission, or with commas between; “none” for none"), N_ ("SET") },
    { "digest", 0, 0, G_OPTION_ARG_STRING, &digest, N_ ("Only if the manifest has this SHA-256 digest"), N_ ("HEX") },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcCliSubject) subject = NULL;
  int exit_code;

  if (!oc_cli_parse (self, command, entries, argv, &arguments, &exit_code))
    return exit_code;
  subject = oc_cli_subject_open (self, arguments[0], &exit_code);
  if (subject == NULL)
    return exit_code;
  if (!check_state (self, subject, &exit_code) || !check_digest (self, subject->plugin, digest, &exit_code)
      || (grants != NULL && !check_grants (self, subject->plugin, (const char *const *) grants, &exit_code)))
    return exit_code;
  if (oc_verdict_get_state (subject->verdict) == OC_STATE_ENABLED && !oc_verdict_is_updated (subject->verdict))
    return report_enabled (self, subject->plugin);
  if (!check_sandbox (self, &exit_code))
    return exit_code;
  if (grants == NULL && !ask (self, subject, &exit_code))
    return exit_code;
  return enable (self, subject->plugin);
}

const OcCliCommand oc_cli_enable_command = {
  .name = "enable",
  .arguments = "ID [--grant SET [--digest HEX]]",
  .summary = N_ ("Show what enabling a plugin would grant, ask, and enable it."),
  .details = N_ ("Without --grant it asks on the terminal, and “yes” (“broad”, where a permission is broad) enables. With "
                 "--grant it enables only where SET is exactly what the plugin would get, for instance --grant "
                 "process.spawn:git --grant selection.read. Nothing is enabled where the sandbox does not hold.\n\n"
                 "Exit codes: 0 enabled, 3 nobody said yes, 4 the set or the manifest is another one, 5 invalid manifest, "
                 "6 blocked by policy, 7 consent locked, damaged or forged, 126 the sandbox does not hold."),
  .min_arguments = 1,
  .max_arguments = 1,
  .run = run_enable,
};

static void
report_disabled (OcCli *self,
                 const char *id,
                 OcConsentRecord *previous)
{
  g_autofree char *command = g_strdup_printf ("ocelotctl enable %s", id);
  g_autofree char *line = NULL;

  if (self->json)
    {
      g_autoptr (JsonBuilder) builder = json_builder_new ();

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "id", id);
      oc_cli_json_add_string (builder, "state", oc_state_to_id (OC_STATE_DISABLED));
      oc_cli_json_add_boolean (builder, "wasEnabled", previous != NULL);
      json_builder_end_object (builder);
      oc_cli_json_print (builder);
      return;
    }
  line = previous != NULL ? g_strdup_printf (_ ("%s is disabled. What still ran of it is ended."), id)
                          : g_strdup_printf (_ ("%s was not enabled; nothing was changed."), id);
  oc_cli_print_wrapped ("", line);
  if (previous != NULL)
    g_print (_ ("To enable it again: %s\n"), command);
}

static int
run_disable (OcCli *self,
             const OcCliCommand *command,
             char **argv)
{
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcConsentRecord) previous = NULL;
  g_autoptr (GError) error = NULL;
  int exit_code;

  if (!oc_cli_parse (self, command, NULL, argv, &arguments, &exit_code))
    return exit_code;
  /* Not looked up among the plugins: a consent must be revocable also where the plugin's folder is gone or unreadable. */
  if (!oc_plugin_id_check (arguments[0], &error))
    return oc_cli_report (self, OC_CLI_FAILED, error->message, _ ("“ocelotctl list” shows the installed plugins."));
  if (!oc_consent_disable (self->paths, arguments[0], "terminal", &previous, NULL, &error))
    return oc_cli_report_error (self, error);
  if (previous == NULL)
    {
      g_autoptr (OcPlugin) plugin = oc_plugins_find (self->paths, arguments[0], &error);

      /* Otherwise a mistyped id would look as if all were well. */
      if (plugin == NULL && g_error_matches (error, OC_ERROR, OC_ERROR_NOT_FOUND))
        return oc_cli_report (self, OC_CLI_FAILED, error->message, _ ("“ocelotctl list” shows the installed plugins."));
    }
  report_disabled (self, arguments[0], previous);
  return OC_CLI_DONE;
}

const OcCliCommand oc_cli_disable_command = {
  .name = "disable",
  .arguments = "ID",
  .summary = N_ ("Take the consent back at once; what runs of the plugin is ended."),
  .min_arguments = 1,
  .max_arguments = 1,
  .run = run_disable,
};
