/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-run-grant.h"

#include <glib/gi18n-lib.h>

#include "core/oc-consent.h"
#include "core/oc-error.h"
#include "core/oc-policy.h"

void
oc_grant_free (OcGrant *self)
{
  g_clear_pointer (&self->plugin, oc_plugin_unref);
  g_clear_pointer (&self->granted, oc_permission_set_unref);
  g_free (self->message);
  g_free (self->remedy);
  g_free (self);
}

static const char *
first_reason (OcVerdict *verdict,
              const char *fallback)
{
  const char *const *reasons = oc_verdict_get_reasons (verdict);

  return reasons[0] ? reasons[0] : fallback;
}

static void
refuse (OcGrant *self,
        OcExit code,
        const char *message,
        const char *remedy)
{
  self->exit = code;
  self->message = g_strdup (message);
  self->remedy = g_strdup (remedy);
}

static void
refuse_invalid (OcGrant *self)
{
  GPtrArray *problems = oc_plugin_get_problems (self->plugin);
  const OcProblem *problem = problems->len > 0 ? problems->pdata[0] : NULL;
  g_autofree char *message = NULL;

  if (problem == NULL)
    {
      refuse (self, OC_EXIT_INVALID, _("The plugin’s manifest is not valid."), NULL);
      return;
    }
  message = g_strdup_printf (_("The plugin is not valid: %s: %s"), problem->place, problem->message);
  refuse (self, OC_EXIT_INVALID, message, problem->remedy);
}

/* A consent file that cannot be relied on is another answer than "never consented". */
static gboolean
refuse_unusable_consent (OcGrant *self,
                         OcConsent *consent)
{
  switch (oc_consent_get_outcome (consent))
    {
    case OC_CONSENT_DAMAGED:
    case OC_CONSENT_FORGED:
      refuse (self, OC_EXIT_CONSENT_UNUSABLE, oc_consent_get_message (consent),
              _("Review and enable the plugin again in Ocelot Plugins, or with “ocelotctl enable”."));
      return TRUE;
    case OC_CONSENT_LOCKED:
      refuse (self, OC_EXIT_CONSENT_UNUSABLE, oc_consent_get_message (consent), _("Unlock the keyring and try again."));
      return TRUE;
    case OC_CONSENT_ABSENT:
    case OC_CONSENT_VALID:
      return FALSE;
    }
  return TRUE;
}

static void
judge (OcGrant *self,
       OcConsent *consent,
       OcVerdict *verdict)
{
  switch (oc_verdict_get_state (verdict))
    {
    case OC_STATE_ENABLED:
      self->granted = oc_permission_set_ref (oc_consent_record_get_permissions (oc_verdict_get_record (verdict)));
      self->enabled_at = oc_consent_record_get_time (oc_verdict_get_record (verdict));
      self->exit = OC_EXIT_DONE;
      return;
    case OC_STATE_SHADOWED:
    case OC_STATE_INVALID:
      refuse_invalid (self);
      return;
    case OC_STATE_BLOCKED:
      refuse (self, OC_EXIT_BLOCKED, first_reason (verdict, _("The administrator’s policy blocks this plugin.")),
              _("Ask the administrator of this computer."));
      return;
    case OC_STATE_NEEDS_REVIEW:
      refuse (self, OC_EXIT_NEEDS_REVIEW, first_reason (verdict, _("The plugin changed since you enabled it.")),
              _("Review the plugin in Ocelot Plugins, or with “ocelotctl review”, and enable it again."));
      return;
    case OC_STATE_DISABLED_AFTER_ERRORS:
      refuse (self, OC_EXIT_NO_CONSENT, first_reason (verdict, _("The plugin was disabled after errors.")),
              _("Look at what happened in Ocelot Plugins, or with “ocelotctl log”, and enable it again if you want to."));
      return;
    case OC_STATE_DISABLED:
      if (!refuse_unusable_consent (self, consent))
        refuse (self, OC_EXIT_NO_CONSENT, first_reason (verdict, _("The plugin is not enabled.")),
                _("Enable it in Ocelot Plugins, or with “ocelotctl enable”, after a review of what it can do."));
      return;
    }
  refuse (self, OC_EXIT_NO_CONSENT, _("The plugin is not enabled."), NULL);
}

OcGrant *
oc_grant_look_up (OcPaths *paths,
                  const char *id,
                  const OcHealth *health)
{
  OcGrant *self = g_new0 (OcGrant, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (OcConsent) consent = NULL;
  g_autoptr (OcPolicy) policy = NULL;
  g_autoptr (OcVerdict) verdict = NULL;

  self->plugin = oc_plugins_find (paths, id, &error);
  if (self->plugin == NULL)
    {
      gboolean no_such = g_error_matches (error, OC_ERROR, OC_ERROR_NOT_FOUND) || g_error_matches (error, OC_ERROR, OC_ERROR_INVALID);

      refuse (self, no_such ? OC_EXIT_USAGE : OC_EXIT_INVALID, error->message,
              no_such ? _("“ocelotctl list” names the installed plugins.") : NULL);
      return self;
    }
  consent = oc_consent_load (paths, NULL);
  policy = oc_policy_load (paths);
  verdict = oc_state_evaluate (self->plugin, consent, policy, health, oc_policy_reviews_every_update (policy));
  judge (self, consent, verdict);
  return self;
}
