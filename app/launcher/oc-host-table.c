/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <string.h>

#include "launcher/oc-host-place.h"

/* The host API. What a row does not say is denied. */
static const OcMethod methods[] = {
  { .name = "selection.get", .permission = OC_PERMISSION_SELECTION_READ, .call = oc_host_selection_get },
  { .name = "context.get", .free = TRUE, .call = oc_host_context_get },
  { .name = "file.readText",
    .permission = OC_PERMISSION_FILE_READ_TEXT,
    .detail = "path",
    .held = TRUE,
    .params = { "path" },
    .call = oc_host_file_read_text },
  { .name = "process.spawn",
    .permission = OC_PERMISSION_PROCESS_SPAWN,
    .argument = "tool",
    .detail = "tool",
    .params = { "tool", "args", "stdin", "timeoutMs" },
    .call = oc_host_process_spawn },
  { .name = "openURL",
    .permission = OC_PERMISSION_OPEN_URL,
    .detail = "url",
    .params = { "url" },
    .call = oc_host_open_url },
  { .name = "app.open",
    .permission = OC_PERMISSION_APP_OPEN,
    .argument = "app",
    .detail = "folder",
    .held = TRUE,
    .params = { "app", "folder" },
    .call = oc_host_app_open },
  { .name = "storage.get", .free = TRUE, .held = TRUE, .params = { "key" }, .call = oc_host_storage_get },
  { .name = "storage.set", .free = TRUE, .held = TRUE, .params = { "key", "value" }, .call = oc_host_storage_set },
  { .name = "storage.remove", .free = TRUE, .held = TRUE, .params = { "key" }, .call = oc_host_storage_remove },
  { .name = "storage.keys", .free = TRUE, .held = TRUE, .call = oc_host_storage_keys },
  { .name = "log", .free = TRUE, .shows = "message", .notifies = TRUE, .params = { "level", "message" }, .call = oc_host_log },
};

const OcMethod *
oc_method_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (g_str_equal (methods[i].name, name))
      return &methods[i];
  return NULL;
}

const OcMethod *
oc_method_get (guint n)
{
  return n < G_N_ELEMENTS (methods) ? &methods[n] : NULL;
}

OcTools *
oc_host_get_tools (OcHost *self)
{
  if (self->tools == NULL)
    self->tools = oc_tools_new (NULL);
  return self->tools;
}

void
oc_host_clear (OcHost *self)
{
  g_clear_pointer (&self->tools, oc_tools_unref);
  g_clear_pointer (&self->place, oc_host_place_unref);
  g_clear_pointer (&self->hosts, g_strfreev);
  g_clear_pointer (&self->storage, oc_storage_free);
}
