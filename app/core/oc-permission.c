/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-permission.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-permission-check.h"
#include "core/oc-text.h"

/* How much of a plugin's text a message repeats. */
#define MAX_SHOWN_CHARS 120

struct _OcPermission
{
  OcPermissionKind kind;
  char *text;
  const char *argument; /* (nullable) inside text */
};

typedef struct
{
  const char *id;
  OcArgumentCheck check; /* (nullable): NULL: takes no argument */
  const char *missing;   /* (nullable) msgid: what to do where the argument is missing */
} KindRow;

/* The one place that says which kinds there are, which take an argument, and what it may be. */
static const KindRow kinds[OC_N_PERMISSIONS] = {
  [OC_PERMISSION_SELECTION_READ] = { "selection.read" },
  [OC_PERMISSION_PROCESS_SPAWN] = { "process.spawn", oc_check_tool,
                                    N_("Name the tool, as in “process.spawn:git”.") },
  [OC_PERMISSION_FILE_READ_TEXT] = { "file.readText" },
  [OC_PERMISSION_OPEN_URL] = { "openURL" },
  [OC_PERMISSION_APP_OPEN] = { "app.open", oc_check_app_id,
                               N_("Name the application, as in “app.open:org.gnome.Nautilus”.") },
  [OC_PERMISSION_NETWORK_CLIENT] = { "network.client" },
  [OC_PERMISSION_FS] = { "fs", oc_check_glob, N_("Name the files, as in “/srv/data/**”.") },
  [OC_PERMISSION_NET] = { "net", oc_check_host, N_("Name the host, as in “api.example.com”.") },
  [OC_PERMISSION_ENV] = { "env", oc_check_env_key, N_("Name the key, as in “API_TOKEN”.") },
  [OC_PERMISSION_SPAWN] = { "spawn" },
  [OC_PERMISSION_AI] = { "ai" },
  [OC_PERMISSION_OCR] = { "ocr" },
  [OC_PERMISSION_CICD_CREDENTIALS] = { "cicdCredentials" },
};

const char *
oc_permission_kind_to_id (OcPermissionKind kind)
{
  return kind > OC_PERMISSION_UNKNOWN && kind < OC_N_PERMISSIONS ? kinds[kind].id : NULL;
}

OcPermissionKind
oc_permission_kind_from_id (const char *id)
{
  for (guint i = OC_PERMISSION_UNKNOWN + 1; i < OC_N_PERMISSIONS; i++)
    {
      if (g_strcmp0 (kinds[i].id, id) == 0)
        return (OcPermissionKind) i;
    }
  return OC_PERMISSION_UNKNOWN;
}

gboolean
oc_permission_kind_takes_argument (OcPermissionKind kind)
{
  return kind > OC_PERMISSION_UNKNOWN && kind < OC_N_PERMISSIONS && kinds[kind].check != NULL;
}

static OcPermission *
permission_new_unchecked (OcPermissionKind kind,
                          const char *argument)
{
  OcPermission *self = g_atomic_rc_box_new0 (OcPermission);

  self->kind = kind;
  if (argument == NULL)
    self->text = g_strdup (kinds[kind].id);
  else
    {
      self->text = g_strconcat (kinds[kind].id, ":", argument, NULL);
      self->argument = self->text + strlen (kinds[kind].id) + 1;
    }
  return self;
}

static gboolean
complain_about (OcComplaint *complaint,
                const char *format,
                const char *text,
                const char *remedy)
{
  g_autofree char *shown = oc_text_escape (text, MAX_SHOWN_CHARS, NULL);
  g_autofree char *problem = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  problem = g_strdup_printf (format, shown);
#pragma GCC diagnostic pop
  return oc_complaint_set (complaint, problem, remedy);
}

static OcPermission *
permission_check_and_new (OcPermissionKind kind,
                          const char *argument,
                          OcComplaint *complaint)
{
  const KindRow *row = &kinds[kind];
  g_autofree char *canonical = NULL;

  if (row->check == NULL)
    {
      if (argument == NULL)
        return permission_new_unchecked (kind, NULL);
      complain_about (complaint, _("The permission “%s” takes nothing after a colon."), row->id,
                      _("Leave the colon and what follows out."));
      return NULL;
    }

  if (argument == NULL || *argument == '\0')
    {
      complain_about (complaint, _("The permission “%s” does not say what for."), row->id,
                      _(row->missing));
      return NULL;
    }
  /* One row must stay one row, in one order, with nothing unseen (Flatpak CVE-2023-28101, deno
   * #36195). */
  if (oc_text_has_hidden (argument))
    {
      complain_about (complaint, _("“%s” has hidden characters, shown here as \\x… and \\u{…}."),
                      argument, _("Write it anew with characters that can be seen."));
      return NULL;
    }
  if (!row->check (argument, &canonical, complaint))
    return NULL;

  return permission_new_unchecked (kind, canonical);
}

OcPermission *
oc_permission_parse_full (const char *text,
                          OcComplaint *complaint)
{
  const char *colon = strchr (text, ':');
  g_autofree char *id = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  OcPermissionKind kind = oc_permission_kind_from_id (id);

  if (oc_text_has_hidden (text))
    {
      complain_about (complaint, _("“%s” has hidden characters, shown here as \\x… and \\u{…}."),
                      text, _("Write it anew with characters that can be seen."));
      return NULL;
    }
  if (kind == OC_PERMISSION_UNKNOWN)
    {
      complain_about (complaint, _("“%s” is not a permission that this version knows."), text,
                      _("Look at its spelling, capitals too, or use a version of Ocelot Plugins "
                         "that knows it."));
      return NULL;
    }

  return permission_check_and_new (kind, colon != NULL ? colon + 1 : NULL, complaint);
}

static void
set_complaint_error (GError **error,
                     const OcComplaint *complaint)
{
  g_set_error (error, OC_ERROR, OC_ERROR_INVALID, "%s %s", complaint->problem, complaint->remedy);
}

OcPermission *
oc_permission_parse (const char *text,
                     GError **error)
{
  g_auto (OcComplaint) complaint = { NULL };
  OcPermission *self;

  g_return_val_if_fail (text != NULL, NULL);

  self = oc_permission_parse_full (text, &complaint);
  if (self == NULL)
    set_complaint_error (error, &complaint);
  return self;
}

OcPermission *
oc_permission_new (OcPermissionKind kind,
                   const char *argument,
                   GError **error)
{
  g_auto (OcComplaint) complaint = { NULL };
  OcPermission *self;

  g_return_val_if_fail (kind > OC_PERMISSION_UNKNOWN && kind < OC_N_PERMISSIONS, NULL);

  self = permission_check_and_new (kind, argument, &complaint);
  if (self == NULL)
    set_complaint_error (error, &complaint);
  return self;
}

OcPermission *
oc_permission_ref (OcPermission *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
permission_clear (OcPermission *self)
{
  g_free (self->text);
}

void
oc_permission_unref (OcPermission *self)
{
  g_atomic_rc_box_release_full (self, (GDestroyNotify) permission_clear);
}

OcPermissionKind
oc_permission_get_kind (const OcPermission *self)
{
  return self->kind;
}

const char *
oc_permission_get_argument (const OcPermission *self)
{
  return self->argument;
}

const char *
oc_permission_get_text (const OcPermission *self)
{
  return self->text;
}

gboolean
oc_permission_equal (const OcPermission *a,
                     const OcPermission *b)
{
  return a == b || g_str_equal (a->text, b->text);
}

int
oc_permission_compare (const OcPermission *a,
                       const OcPermission *b)
{
  return strcmp (a->text, b->text);
}
