/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-error.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>
#include <sys/stat.h>

/* One line of what the doctor looked at, apart from the sandbox's layers. */
typedef struct
{
  const char *id;
  const char *title;
  gboolean holds;
  char *detail; /* owned */
  int exit_code; /* where it does not hold */
} Finding;

static void
finding_free (Finding *self)
{
  g_free (self->detail);
  g_free (self);
}

static void
add_finding (GPtrArray *findings,
             const char *id,
             const char *title,
             gboolean holds,
             char *detail,
             int exit_code)
{
  Finding *finding = g_new0 (Finding, 1);

  finding->id = id;
  finding->title = title;
  finding->holds = holds;
  finding->detail = detail;
  finding->exit_code = exit_code;
  g_ptr_array_add (findings, finding);
}

static char *
describe_protection (OcProtection protection)
{
  switch (protection)
    {
    case OC_PROTECTION_KEYRING:
      return g_strdup (_ ("Sealed with a key in your keyring."));
    case OC_PROTECTION_KEY_FILE:
      return g_strdup (_ ("Sealed with a key file, as there is no keyring here: a program that runs as you outside a sandbox "
                          "could read the key."));
    case OC_PROTECTION_NONE:
      return g_strdup (_ ("Nothing seals it."));
    }
  return g_strdup (_ ("Nothing seals it."));
}

static void
look_at_consent (OcCli *self,
                 GPtrArray *findings)
{
  g_autoptr (OcConsent) consent = oc_consent_load (self->paths, NULL);
  g_autoptr (GError) error = NULL;
  OcConsentOutcome outcome = oc_consent_get_outcome (consent);
  gboolean holds = FALSE;
  g_autofree char *detail = NULL;

  switch (outcome)
    {
    case OC_CONSENT_VALID:
      holds = TRUE;
      detail = describe_protection (oc_consent_get_protection (consent));
      break;
    case OC_CONSENT_ABSENT:
      {
        OcProtection next = oc_seal_probe (NULL, &error);
        g_autofree char *how = describe_protection (next);

        holds = error == NULL;
        if (holds)
          detail = g_strdup_printf (/* Translators: %s is one or more sentences, such as “Sealed with a key in the keyring.” */
                                    _ ("%s Nothing is enabled yet."), how);
        else
          detail = g_strdup (error->message);
      }
      break;
    case OC_CONSENT_LOCKED:
    case OC_CONSENT_DAMAGED:
    case OC_CONSENT_FORGED:
      detail = g_strdup (oc_consent_get_message (consent));
      break;
    }
  add_finding (findings, "consent", _ ("Consent"), holds, g_steal_pointer (&detail), OC_CLI_CONSENT);
  /* A file that was set aside earlier is told of until the user has moved it away; it is no failure of today. */
  for (const char *const *aside = oc_consent_get_set_aside_files (consent); *aside != NULL; aside++)
    {
      g_autofree char *escaped = oc_text_escape (*aside, 0, NULL);

      add_finding (findings, "set-aside", _ ("Set aside"), TRUE,
                   g_strdup_printf (_ ("%s is a consent file that could not be trusted. Look at it, then delete it."), escaped),
                   OC_CLI_DONE);
    }
}

static void
look_at_policy (OcCli *self,
                GPtrArray *findings)
{
  g_autoptr (OcPolicy) policy = oc_policy_load (self->paths);
  g_autoptr (OcPermissionSet) nothing = oc_permission_set_new (NULL);
  /* Not a plugin's id: a policy that blocks even this is one that could not be read, and blocks everything. */
  g_autofree char *block = oc_policy_explain_block (policy, "ocelot.doctor", nothing);

  if (block != NULL)
    add_finding (findings, "policy", _ ("Policy"), FALSE, g_steal_pointer (&block), OC_CLI_BLOCKED);
  else if (oc_policy_is_empty (policy))
    add_finding (findings, "policy", _ ("Policy"), TRUE, g_strdup (_ ("The administrator set no limits.")), OC_CLI_DONE);
  else
    add_finding (findings, "policy", _ ("Policy"), TRUE,
                 g_strdup_printf (_ ("The administrator set limits in %s."), oc_paths_get_policy_dir (self->paths)),
                 OC_CLI_DONE);
}

static void
look_at_plugins (OcCli *self,
                 GPtrArray *findings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) plugins = oc_plugins_scan (self->paths, NULL, &error);

  if (plugins == NULL)
    {
      add_finding (findings, "plugins", _ ("Plugins"), FALSE, g_strdup (error->message), OC_CLI_FAILED);
      return;
    }
  add_finding (findings, "plugins", _ ("Plugins"), TRUE,
               g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u plugin; yours are in %s.", "%u plugins; yours are in %s.",
                                             plugins->len),
                                plugins->len, oc_paths_get_plugins (self->paths)),
               OC_CLI_DONE);
}

static void
look_at_activity (OcCli *self,
                  GPtrArray *findings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcActivity) activity = oc_activity_open (self->paths, &error);

  if (activity == NULL)
    add_finding (findings, "activity", _ ("Activity"), FALSE, g_strdup (error->message), OC_CLI_FAILED);
  else
    add_finding (findings, "activity", _ ("Activity"), TRUE,
                 g_strdup_printf (_ ("What runs is recorded in %s."), oc_paths_get_activity (self->paths)), OC_CLI_DONE);
}

static void
print_line (gboolean holds,
            gboolean tried,
            const char *title,
            const char *detail,
            const char *remedy)
{
  g_autofree char *styled = !tried  ? oc_cli_style (OC_CLI_DIM, "  ?  ")
                            : holds ? oc_cli_style (OC_CLI_GREEN, _ ("holds"))
                                    : oc_cli_style (OC_CLI_RED, _ ("FAILS"));

  g_print ("  %s  %s\n", styled, title);
  if (tried && detail != NULL && detail[0] != '\0')
    oc_cli_print_wrapped ("         ", detail);
  if (remedy != NULL && remedy[0] != '\0')
    oc_cli_print_wrapped ("         → ", remedy);
}

static void
print_report (OcSandboxReport *report,
              GPtrArray *findings)
{
  GPtrArray *layers = oc_sandbox_report_get_layers (report);
  const char *why_not_tried = NULL;
  g_autofree char *heading = oc_cli_style (OC_CLI_BOLD, _ ("Sandbox"));

  g_print ("%s\n", heading);
  oc_cli_print_wrapped ("  ", oc_sandbox_report_get_summary (report));
  if (oc_sandbox_report_get_executor_reason (report) != NULL)
    oc_cli_print_wrapped ("  ", oc_sandbox_report_get_executor_reason (report));
  for (guint i = 0; i < layers->len; i++)
    {
      OcLayer *layer = g_ptr_array_index (layers, i);

      print_line (layer->holds, layer->tried, layer->title, layer->detail, layer->holds ? NULL : layer->remedy);
      if (!layer->tried)
        why_not_tried = layer->detail;
    }
  if (why_not_tried != NULL)
    oc_cli_print_wrapped ("  ?: ", why_not_tried);
  oc_cli_print_heading (_ ("Around it"));
  for (guint i = 0; i < findings->len; i++)
    {
      Finding *finding = g_ptr_array_index (findings, i);

      print_line (finding->holds, TRUE, finding->title, finding->detail, NULL);
    }
}

static void
print_json (OcSandboxReport *report,
            GPtrArray *findings,
            int exit_code)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  GPtrArray *layers = oc_sandbox_report_get_layers (report);

  json_builder_begin_object (builder);
  oc_cli_json_add_boolean (builder, "holds", exit_code == OC_CLI_DONE);
  oc_cli_json_add_boolean (builder, "sandboxHolds", oc_sandbox_report_holds (report));
  oc_cli_json_add_string (builder, "summary", oc_sandbox_report_get_summary (report));
  oc_cli_json_add_string (builder, "executor", oc_sandbox_report_get_executor (report));
  oc_cli_json_add_string (builder, "executorReason", oc_sandbox_report_get_executor_reason (report));
  json_builder_set_member_name (builder, "layers");
  json_builder_begin_array (builder);
  for (guint i = 0; i < layers->len; i++)
    {
      OcLayer *layer = g_ptr_array_index (layers, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "id", layer->id);
      oc_cli_json_add_string (builder, "title", layer->title);
      oc_cli_json_add_boolean (builder, "holds", layer->holds);
      oc_cli_json_add_boolean (builder, "tried", layer->tried);
      oc_cli_json_add_string (builder, "detail", layer->detail);
      oc_cli_json_add_string (builder, "remedy", layer->remedy);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "findings");
  json_builder_begin_array (builder);
  for (guint i = 0; i < findings->len; i++)
    {
      Finding *finding = g_ptr_array_index (findings, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "id", finding->id);
      oc_cli_json_add_boolean (builder, "holds", finding->holds);
      oc_cli_json_add_string (builder, "detail", finding->detail);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  oc_cli_json_print (builder);
}

static int
run_doctor (OcCli *self,
            const OcCliCommand *command,
            char **argv)
{
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcLauncher) launcher = NULL;
  g_autoptr (OcSandboxReport) report = NULL;
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func ((GDestroyNotify) finding_free);
  int exit_code;

  if (!oc_cli_parse (self, command, NULL, argv, &arguments, &exit_code))
    return exit_code;
  launcher = oc_launcher_new (NULL);
  oc_launcher_set_allow_root (launcher, self->allow_root);
  report = oc_launcher_check (launcher);
  look_at_consent (self, findings);
  look_at_policy (self, findings);
  look_at_plugins (self, findings);
  look_at_activity (self, findings);

  exit_code = oc_sandbox_report_holds (report) ? OC_CLI_DONE : OC_CLI_SANDBOX;
  for (guint i = 0; i < findings->len && exit_code == OC_CLI_DONE; i++)
    {
      Finding *finding = g_ptr_array_index (findings, i);

      if (!finding->holds)
        exit_code = finding->exit_code;
    }
  if (self->json)
    print_json (report, findings, exit_code);
  else
    print_report (report, findings);
  return exit_code;
}

const OcCliCommand oc_cli_doctor_command = {
  .name = "doctor",
  .arguments = "",
  .summary = N_ ("Check the sandbox layer by layer, how consent is protected, the policy and the Plugins folder."),
  .details = N_ ("Exit codes: 0 all holds, 126 the sandbox does not, 7 consent is locked, damaged or forged, 6 the policy "
                 "cannot be read, 1 something else."),
  .run = run_doctor,
};
