/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli.h"

#include "cli/oc-cli-json.h"
#include "cli/oc-cli-output.h"
#include "core/oc-text.h"

#include <glib/gi18n-lib.h>

/* The three parts of the window's list. */
typedef enum
{
  PART_ATTENTION = 0,
  PART_ENABLED,
  PART_DISABLED,
  N_PARTS
} Part;

static Part
part_of (OcState state)
{
  switch (state)
    {
    case OC_STATE_ENABLED:
      return PART_ENABLED;
    case OC_STATE_DISABLED:
    case OC_STATE_SHADOWED:
      return PART_DISABLED;
    case OC_STATE_NEEDS_REVIEW:
    case OC_STATE_DISABLED_AFTER_ERRORS:
    case OC_STATE_INVALID:
    case OC_STATE_BLOCKED:
      return PART_ATTENTION;
    }
  return PART_ATTENTION;
}

static gboolean
parse_state (const char *id,
             OcState *state)
{
  for (guint i = OC_STATE_DISABLED; i <= OC_STATE_SHADOWED; i++)
    if (g_strcmp0 (oc_state_to_id (i), id) == 0)
      {
        *state = i;
        return TRUE;
      }
  return FALSE;
}

static void
print_row (OcStatus *status)
{
  OcVerdict *verdict = oc_status_get_verdict (status);
  OcState state = oc_verdict_get_state (verdict);
  g_autofree char *id = oc_text_escape (oc_status_get_id (status), 0, NULL);
  g_autofree char *name = oc_text_escape (oc_manifest_get_name (oc_plugin_get_manifest (oc_status_get_plugin (status))), 60, NULL);
  g_autofree char *title = oc_cli_style (OC_CLI_BOLD, name);
  g_autoptr (GString) line = g_string_new (NULL);

  g_print ("  %s\n", title);
  if (!g_str_equal (id, name))
    g_print ("    %s\n", id);
  /* The part's heading says as much for two of these and the summary for the third; some other summaries begin with it. */
  if (state != OC_STATE_ENABLED && state != OC_STATE_DISABLED && state != OC_STATE_DISABLED_AFTER_ERRORS
      && !g_str_has_prefix (oc_verdict_get_summary (verdict), oc_state_to_label (state)))
    g_string_append_printf (line, "%s · ", oc_state_to_label (state));
  g_string_append (line, oc_verdict_get_summary (verdict));
  oc_cli_print_wrapped ("    ", line->str);
  if (oc_status_is_broad (status))
    {
      g_autofree char *mark = oc_cli_style (OC_CLI_RED, oc_severity_to_label (OC_SEVERITY_BROAD));

      g_print ("    %s\n", mark);
    }
}

static void
print_list (GPtrArray *shown)
{
  const char *headings[N_PARTS] = { _ ("Needs your attention"), _ ("Enabled"), _ ("Disabled") };

  for (Part part = 0; part < N_PARTS; part++)
    {
      gboolean begun = FALSE;

      for (guint i = 0; i < shown->len; i++)
        {
          OcStatus *status = g_ptr_array_index (shown, i);

          if (part_of (oc_verdict_get_state (oc_status_get_verdict (status))) != part)
            continue;
          if (!begun)
            oc_cli_print_heading (headings[part]);
          begun = TRUE;
          print_row (status);
        }
      if (begun && part == PART_ATTENTION)
        {
          g_print ("\n");
          oc_cli_print_wrapped ("  ", _ ("“ocelotctl show ID” says of each what is wrong and what to do."));
        }
    }
}

static void
print_json (OcRegistry *registry,
            GPtrArray *shown)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  OcConsent *consent = oc_registry_get_consent (registry);

  json_builder_begin_object (builder);
  oc_cli_json_add_string (builder, "consent", oc_consent_outcome_to_id (oc_consent_get_outcome (consent)));
  oc_cli_json_add_string (builder, "consentMessage", oc_consent_get_message (consent));
  json_builder_set_member_name (builder, "plugins");
  json_builder_begin_array (builder);
  for (guint i = 0; i < shown->len; i++)
    {
      OcStatus *status = g_ptr_array_index (shown, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_plugin (builder, oc_status_get_plugin (status), oc_status_get_verdict (status));
      oc_cli_json_add_boolean (builder, "broad", oc_status_is_broad (status));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  oc_cli_json_print (builder);
}

static void
print_nothing (OcCli *self,
               gboolean filtered)
{
  g_autofree char *text = NULL;

  if (filtered)
    text = g_strdup (_ ("No plugin is in that state."));
  else
    text = g_strdup_printf (_ ("No plugin is installed. A plugin is a folder in %s."), oc_paths_get_plugins (self->paths));
  oc_cli_print_wrapped ("", text);
}

static int
run_list (OcCli *self,
          const OcCliCommand *command,
          char **argv)
{
  g_autofree char *state_id = NULL;
  const GOptionEntry entries[] = {
    { "state", 0, 0, G_OPTION_ARG_STRING, &state_id, N_ ("Only plugins in this state"), N_ ("STATE") },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (OcRegistry) registry = NULL;
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;
  OcState state = OC_STATE_DISABLED;
  guint n;
  int exit_code;

  if (!oc_cli_parse (self, command, entries, argv, &arguments, &exit_code))
    return exit_code;
  if (state_id != NULL && !parse_state (state_id, &state))
    return oc_cli_refuse_usage (command, _ ("A state is one of: disabled, enabled, needs-review, disabled-after-errors, "
                                            "invalid, blocked, shadowed."));
  registry = oc_registry_new (self->paths);
  if (!oc_registry_load (registry, NULL, &error))
    return oc_cli_report_error (self, error);
  n = g_list_model_get_n_items (G_LIST_MODEL (registry));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (OcStatus) status = g_list_model_get_item (G_LIST_MODEL (registry), i);

      if (state_id == NULL || oc_verdict_get_state (oc_status_get_verdict (status)) == state)
        g_ptr_array_add (shown, g_steal_pointer (&status));
    }
  if (self->json)
    {
      print_json (registry, shown);
      return OC_CLI_DONE;
    }
  if (oc_consent_get_message (oc_registry_get_consent (registry)) != NULL)
    oc_cli_print_wrapped ("! ", oc_consent_get_message (oc_registry_get_consent (registry)));
  if (shown->len == 0)
    print_nothing (self, state_id != NULL);
  else
    print_list (shown);
  return OC_CLI_DONE;
}

const OcCliCommand oc_cli_list_command = {
  .name = "list",
  .arguments = "[--state STATE]",
  .summary = N_ ("List the installed plugins and their states."),
  .details = N_ ("States: disabled, enabled, needs-review, disabled-after-errors, invalid, blocked, shadowed."),
  .run = run_list,
};
