/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oc-config.h"

#include "cli/oc-cli-json.h"

#include "core/oc-json.h"

#include <stdio.h>

/* Not letters, signs or the plain space: JSON may spell these as escapes, and then nobody is fooled by them. */
static gboolean
may_fool (gunichar c)
{
  if (c == ' ' || c == '\n')
    return FALSE;
  return !g_unichar_isprint (c) || g_unichar_isspace (c) || g_unichar_iszerowidth (c)
         || g_unichar_type (c) == G_UNICODE_PRIVATE_USE;
}

char *
oc_cli_json_guard (const char *json)
{
  GString *out = g_string_new (NULL);

  for (const char *p = json; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (!may_fool (c))
        g_string_append_unichar (out, c);
      else if (c < 0x10000)
        g_string_append_printf (out, "\\u%04x", c);
      else
        g_string_append_printf (out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  return g_string_free (out, FALSE);
}

void
oc_cli_json_print (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = oc_json_to_string (root, TRUE);
  g_autofree char *guarded = oc_cli_json_guard (text);

  /* JSON is UTF-8 whatever the locale is, so not g_print(). */
  fputs (guarded, stdout);
}

void
oc_cli_json_add_string (JsonBuilder *builder,
                        const char *key,
                        const char *value)
{
  json_builder_set_member_name (builder, key);
  if (value == NULL)
    json_builder_add_null_value (builder);
  else if (g_utf8_validate (value, -1, NULL))
    json_builder_add_string_value (builder, value);
  else
    {
      g_autofree char *valid = g_utf8_make_valid (value, -1);

      json_builder_add_string_value (builder, valid);
    }
}

void
oc_cli_json_add_int (JsonBuilder *builder,
                     const char *key,
                     gint64 value)
{
  json_builder_set_member_name (builder, key);
  json_builder_add_int_value (builder, value);
}

void
oc_cli_json_add_boolean (JsonBuilder *builder,
                         const char *key,
                         gboolean value)
{
  json_builder_set_member_name (builder, key);
  json_builder_add_boolean_value (builder, value);
}

void
oc_cli_json_add_strv (JsonBuilder *builder,
                      const char *key,
                      const char *const *values)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_array (builder);
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    json_builder_add_string_value (builder, values[i]);
  json_builder_end_array (builder);
}

void
oc_cli_json_add_set (JsonBuilder *builder,
                     const char *key,
                     OcPermissionSet *set)
{
  g_auto (GStrv) texts = oc_permission_set_to_strv (set);

  oc_cli_json_add_strv (builder, key, (const char *const *) texts);
}

void
oc_cli_json_add_time (JsonBuilder *builder,
                      const char *key,
                      gint64 us)
{
  g_autoptr (GDateTime) time = us != 0 ? g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC) : NULL;
  g_autofree char *text = time != NULL ? g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ") : NULL;

  oc_cli_json_add_string (builder, key, text);
}

void
oc_cli_json_add_statements (JsonBuilder *builder,
                            const char *key,
                            GPtrArray *statements)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_array (builder);
  for (guint i = 0; i < statements->len; i++)
    {
      OcStatement *statement = g_ptr_array_index (statements, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_string (builder, "title", statement->title);
      oc_cli_json_add_string (builder, "text", statement->text);
      oc_cli_json_add_string (builder, "severity", oc_severity_to_id (statement->severity));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
oc_cli_json_add_uses (JsonBuilder *builder,
                      const char *key,
                      GPtrArray *uses)
{
  json_builder_set_member_name (builder, key);
  json_builder_begin_array (builder);
  for (guint i = 0; i < uses->len; i++)
    {
      OcUse *use = g_ptr_array_index (uses, i);

      json_builder_begin_object (builder);
      oc_cli_json_add_int (builder, "run", use->run);
      oc_cli_json_add_string (builder, "plugin", use->plugin);
      oc_cli_json_add_string (builder, "permission", use->permission);
      oc_cli_json_add_string (builder, "method", use->method);
      oc_cli_json_add_string (builder, "detail", use->detail);
      oc_cli_json_add_string (builder, "program", use->program);
      oc_cli_json_add_boolean (builder, "allowed", use->allowed);
      oc_cli_json_add_int (builder, "count", use->count);
      oc_cli_json_add_time (builder, "last", use->last);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
oc_cli_json_add_plugin (JsonBuilder *builder,
                        OcPlugin *plugin,
                        OcVerdict *verdict)
{
  OcManifest *manifest = oc_plugin_get_manifest (plugin);

  oc_cli_json_add_string (builder, "id", oc_plugin_get_id (plugin));
  oc_cli_json_add_string (builder, "name", oc_manifest_get_name (manifest));
  oc_cli_json_add_string (builder, "version", oc_manifest_get_version (manifest));
  oc_cli_json_add_string (builder, "kind", oc_plugin_kind_to_id (oc_manifest_get_kind (manifest)));
  oc_cli_json_add_string (builder, "folder", oc_plugin_get_folder (plugin));
  oc_cli_json_add_string (builder, "shadowedBy", oc_plugin_get_shadowed_by (plugin));
  oc_cli_json_add_string (builder, "state", oc_state_to_id (oc_verdict_get_state (verdict)));
  oc_cli_json_add_string (builder, "summary", oc_verdict_get_summary (verdict));
  oc_cli_json_add_strv (builder, "reasons", oc_verdict_get_reasons (verdict));
  oc_cli_json_add_boolean (builder, "canEnable", oc_verdict_can_enable (verdict));
  oc_cli_json_add_boolean (builder, "updated", oc_verdict_is_updated (verdict));
  oc_cli_json_add_int (builder, "errorsInARow", oc_verdict_get_errors_in_a_row (verdict));
  oc_cli_json_add_set (builder, "permissions", oc_manifest_get_permissions (manifest));
  oc_cli_json_add_string (builder, "digest", oc_manifest_get_digest (manifest));
}
