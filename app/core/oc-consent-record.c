/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include <string.h>

#include "core/oc-consent-private.h"
#include "core/oc-error.h"
#include "core/oc-json.h"

struct _OcConsentRecord
{
  /* owned */
  char *id;
  char *raw;
  char *successor;
  char *folder;
  char *link;
  char *born;
  char *kind;
  OcPermissionSet *permissions;
  char *digest;
  char *version;
  char *surface;
  GPtrArray *failures;

  OcRecordState state;
  gint64 time;
};

/* The members this version knows; all others are copied when a record changes. */
static const char *const known_members[] = {
  "state", "folder", "link", "born", "kind", "permissions", "digest", "version", "time", "surface", "failures", NULL,
};

static const struct
{
  OcRecordState state;
  const char *id;
} state_ids[] = {
  { OC_RECORD_DISABLED, "disabled" },
  { OC_RECORD_ENABLED, "enabled" },
  { OC_RECORD_DISABLED_AFTER_ERRORS, "disabled-after-errors" },
};

OcFailure *
oc_failure_new (gint64 time,
                const char *entry,
                const char *kind,
                const char *message,
                const char *output)
{
  OcFailure *self = g_new0 (OcFailure, 1);

  self->time = time;
  self->entry = g_strdup (entry != NULL ? entry : "");
  self->kind = g_strdup (kind != NULL ? kind : "");
  self->message = g_strdup (message != NULL ? message : "");
  self->output = g_strdup (output != NULL ? output : "");
  return self;
}

void
oc_failure_free (OcFailure *self)
{
  if (self == NULL)
    return;
  g_free (self->entry);
  g_free (self->kind);
  g_free (self->message);
  g_free (self->output);
  g_free (self);
}

static OcConsentRecord *
record_new (const char *id,
            const char *data,
            gsize len)
{
  OcConsentRecord *self = g_atomic_rc_box_new0 (OcConsentRecord);

  self->id = g_strdup (id);
  self->raw = g_strndup (data, len);
  self->state = OC_RECORD_UNKNOWN;
  self->failures = g_ptr_array_new_with_free_func ((GDestroyNotify) oc_failure_free);
  return self;
}

static void
record_clear (gpointer data)
{
  OcConsentRecord *self = data;

  g_free (self->id);
  g_free (self->raw);
  g_free (self->successor);
  g_free (self->folder);
  g_free (self->link);
  g_free (self->born);
  g_free (self->kind);
  g_clear_pointer (&self->permissions, oc_permission_set_unref);
  g_free (self->digest);
  g_free (self->version);
  g_free (self->surface);
  g_ptr_array_unref (self->failures);
}

OcConsentRecord *
oc_consent_record_ref (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
oc_consent_record_unref (OcConsentRecord *self)
{
  g_return_if_fail (self != NULL);
  g_atomic_rc_box_release_full (self, record_clear);
}

/* Paths are bytes, JSON strings are UTF-8: what is not goes as a URI, which no absolute path begins like. */
static char *
path_from_json (const char *text)
{
  if (text == NULL)
    return NULL;
  if (g_str_has_prefix (text, "file://"))
    return g_filename_from_uri (text, NULL, NULL);
  return g_path_is_absolute (text) ? g_strdup (text) : NULL;
}

static char *
path_to_json (const char *path)
{
  return g_utf8_validate (path, -1, NULL) ? g_strdup (path) : g_filename_to_uri (path, NULL, NULL);
}

static gboolean
is_digest (const char *text)
{
  return text != NULL && strlen (text) == 64 && strspn (text, "0123456789abcdef") == 64;
}

static gboolean
state_from_id (const char *id,
               OcRecordState *state)
{
  for (gsize i = 0; id != NULL && i < G_N_ELEMENTS (state_ids); i++)
    if (strcmp (id, state_ids[i].id) == 0)
      {
        *state = state_ids[i].state;
        return TRUE;
      }
  return FALSE;
}

static const char *
state_to_id (OcRecordState state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (state_ids); i++)
    if (state_ids[i].state == state)
      return state_ids[i].id;
  g_assert_not_reached ();
}

static gboolean
parse_failure (JsonNode *node,
               GPtrArray *failures,
               GError **error)
{
  const char *entry, *kind, *message, *output;
  JsonObject *object;
  gint64 time = 0;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, "failures[] must hold objects");
      return FALSE;
    }
  object = json_node_get_object (node);
  if (!oc_json_get_int (object, "failures[]", "time", G_MININT64, G_MAXINT64, 0, &time, error)
      || (entry = oc_json_get_string (object, "failures[]", "entry", TRUE, error)) == NULL
      || (kind = oc_json_get_string (object, "failures[]", "kind", TRUE, error)) == NULL
      || (message = oc_json_get_string (object, "failures[]", "message", TRUE, error)) == NULL
      || (output = oc_json_get_string (object, "failures[]", "output", TRUE, error)) == NULL)
    return FALSE;
  g_ptr_array_add (failures, oc_failure_new (time, entry, kind, message, output));
  return TRUE;
}

static gboolean
parse_failures (OcConsentRecord *self,
                JsonObject *object,
                GError **error)
{
  JsonNode *node = json_object_get_member (object, "failures");
  JsonArray *array;

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    {
      g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, "failures must be an array");
      return FALSE;
    }
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!parse_failure (json_array_get_element (array, i), self->failures, error))
      return FALSE;
  return TRUE;
}

/* @wrong: set where the member is there and is no text. */
static char *
dup_optional (JsonObject *object,
              const char *key,
              gboolean *wrong)
{
  g_autoptr (GError) error = NULL;
  const char *text = oc_json_get_string (object, "record", key, FALSE, &error);

  *wrong |= error != NULL;
  return g_strdup (text);
}

static gboolean
parse_members (OcConsentRecord *self,
               JsonObject *object,
               GError **error)
{
  g_auto (GStrv) permissions = NULL;
  g_autofree char *link = NULL;
  gboolean wrong = FALSE;
  OcRecordState state;

  if (!state_from_id (oc_json_get_string (object, "record", "state", TRUE, error), &state)
      || !oc_json_get_strv (object, "record", "permissions", &permissions, error)
      || !oc_json_get_int (object, "record", "time", 0, G_MAXINT64, -1, &self->time, error)
      || !parse_failures (self, object, error))
    return FALSE;
  self->folder = path_from_json (oc_json_get_string (object, "record", "folder", TRUE, error));
  self->digest = g_strdup (oc_json_get_string (object, "record", "digest", TRUE, error));
  self->surface = g_strdup (oc_json_get_string (object, "record", "surface", TRUE, error));
  self->version = dup_optional (object, "version", &wrong);
  link = dup_optional (object, "link", &wrong);
  self->link = path_from_json (link);
  self->born = dup_optional (object, "born", &wrong);
  self->kind = dup_optional (object, "kind", &wrong);
  if (wrong || permissions == NULL || self->time < 0 || self->folder == NULL
      || self->surface == NULL || !is_digest (self->digest) || (link != NULL && self->link == NULL))
    return FALSE;
  self->permissions = oc_permission_set_parse ((const char *const *) permissions, error);
  if (self->permissions == NULL)
    return FALSE;
  self->state = state;
  return TRUE;
}

OcConsentRecord *
oc_consent_record_parse (const char *id,
                         const char *data,
                         gsize len)
{
  OcConsentRecord *self = record_new (id, data, len);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = oc_json_parse (data, len, OC_CONSENT_MAX_BYTES, &error);

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node)
      && parse_members (self, json_node_get_object (node), error == NULL ? &error : NULL))
    return self;
  g_debug ("The consent record of “%s” is of a form that this version does not know.", id);
  /* What was read before the fault must not be taken for a consent. */
  self->state = OC_RECORD_UNKNOWN;
  g_clear_pointer (&self->permissions, oc_permission_set_unref);
  g_ptr_array_set_size (self->failures, 0);
  if (self->permissions == NULL)
    self->permissions = oc_permission_set_new (NULL);
  return self;
}

static void
append_member (GString *out,
               const char *key,
               const char *value)
{
  if (value == NULL)
    return;
  if (out->len > 1)
    g_string_append_c (out, ',');
  g_string_append_printf (out, "\"%s\":", key);
  oc_json_append_string (out, value);
}

/* The last @max bytes of @text, from a whole character on. */
static const char *
tail (const char *text,
      gsize max)
{
  gsize len = strlen (text);
  const char *start = len > max ? text + len - max : text;

  while (((guchar) *start & 0xc0) == 0x80)
    start++;
  return start;
}

static void
append_failures (GString *out,
                 GPtrArray *failures)
{
  guint first;

  if (failures == NULL || failures->len == 0)
    return;
  g_string_append (out, ",\"failures\":[");
  first = failures->len > OC_RECORD_MAX_FAILURES ? failures->len - OC_RECORD_MAX_FAILURES : 0;
  for (guint i = first; i < failures->len; i++)
    {
      OcFailure *failure = failures->pdata[i];
      g_autofree char *message = g_strndup (failure->message, OC_FAILURE_MAX_MESSAGE);

      g_string_append_printf (out, "%s{\"time\":%" G_GINT64_FORMAT ",\"entry\":", i > first ? "," : "",
                              failure->time);
      oc_json_append_string (out, failure->entry);
      g_string_append (out, ",\"kind\":");
      oc_json_append_string (out, failure->kind);
      g_string_append (out, ",\"message\":");
      oc_json_append_string (out, message);
      g_string_append (out, ",\"output\":");
      oc_json_append_string (out, tail (failure->output, OC_FAILURE_MAX_OUTPUT));
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

static void
append_unknown (GString *out,
                OcConsentRecord *old)
{
  g_autoptr (GArray) members = NULL;

  if (old == NULL)
    return;
  members = oc_json_members (old->raw, strlen (old->raw), OC_CONSENT_MAX_BYTES, NULL);
  for (guint i = 0; members != NULL && i < members->len; i++)
    {
      OcJsonSpan *span = &g_array_index (members, OcJsonSpan, i);

      if (g_strv_contains (known_members, span->key))
        continue;
      g_string_append_c (out, ',');
      oc_json_append_string (out, span->key);
      g_string_append_c (out, ':');
      g_string_append_len (out, old->raw + span->start, (gssize) (span->end - span->start));
    }
}

char *
oc_consent_record_format (const OcRecordFields *fields,
                          OcConsentRecord *old)
{
  GString *out = g_string_new ("{");
  g_autofree char *folder = path_to_json (fields->folder);
  g_autofree char *link = fields->link != NULL ? path_to_json (fields->link) : NULL;

  append_member (out, "state", state_to_id (fields->state));
  append_member (out, "folder", folder);
  append_member (out, "link", link);
  append_member (out, "born", fields->born);
  append_member (out, "kind", fields->kind);
  g_string_append (out, ",\"permissions\":[");
  for (guint i = 0; i < oc_permission_set_get_n (fields->permissions); i++)
    {
      if (i > 0)
        g_string_append_c (out, ',');
      oc_json_append_string (out, oc_permission_get_text (oc_permission_set_get (fields->permissions, i)));
    }
  g_string_append_c (out, ']');
  append_member (out, "digest", fields->digest);
  append_member (out, "version", fields->version);
  g_string_append_printf (out, ",\"time\":%" G_GINT64_FORMAT, fields->time);
  append_member (out, "surface", fields->surface);
  append_failures (out, fields->failures);
  append_unknown (out, old);
  g_string_append_c (out, '}');
  return g_string_free (out, FALSE);
}

OcRecordFields
oc_consent_record_get_fields (OcConsentRecord *self)
{
  return (OcRecordFields){
    .state = self->state,
    .folder = self->folder,
    .link = self->link,
    .born = self->born,
    .kind = self->kind,
    .permissions = self->permissions,
    .digest = self->digest,
    .version = self->version,
    .time = self->time,
    .surface = self->surface,
    .failures = self->failures,
  };
}

const char *
oc_consent_record_get_raw (OcConsentRecord *self)
{
  return self->raw;
}

OcConsentRecord *
oc_consent_record_with_successor (OcConsentRecord *self,
                                  const char *successor)
{
  OcConsentRecord *copy = oc_consent_record_parse (self->id, self->raw, strlen (self->raw));

  copy->successor = g_strdup (successor);
  return copy;
}

const char *
oc_consent_record_get_successor (OcConsentRecord *self)
{
  return self->successor;
}

gboolean
oc_consent_record_belongs_to (OcConsentRecord *self,
                              OcPlugin *plugin)
{
  const char *real = oc_plugin_get_real_folder (plugin);
  const char *link = oc_plugin_is_symlink (plugin) ? oc_plugin_get_folder (plugin) : NULL;

  return self->folder != NULL && strcmp (self->id, oc_plugin_get_id (plugin)) == 0
         && g_strcmp0 (self->folder, real) == 0 && g_strcmp0 (self->link, link) == 0
         && g_strcmp0 (self->born, oc_plugin_get_born (plugin)) == 0;
}

gboolean
oc_consent_record_equal (OcConsentRecord *a,
                         OcConsentRecord *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return strcmp (a->id, b->id) == 0 && strcmp (a->raw, b->raw) == 0;
}

const char *
oc_consent_record_get_id (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->id;
}

const char *
oc_consent_record_get_folder (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->folder != NULL ? self->folder : "";
}

const char *
oc_consent_record_get_kind (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->kind;
}

OcRecordState
oc_consent_record_get_state (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, OC_RECORD_DISABLED);
  return self->state;
}

OcPermissionSet *
oc_consent_record_get_permissions (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->permissions;
}

const char *
oc_consent_record_get_digest (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->digest != NULL ? self->digest : "";
}

const char *
oc_consent_record_get_version (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->version;
}

gint64
oc_consent_record_get_time (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, 0);
  return self->time;
}

const char *
oc_consent_record_get_surface (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->surface != NULL ? self->surface : "";
}

GPtrArray *
oc_consent_record_get_failures (OcConsentRecord *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->failures;
}
