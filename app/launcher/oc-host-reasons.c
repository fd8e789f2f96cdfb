/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <string.h>

/* Every word that data.reason can be, by its code. ocelot-plugin(7) and the SDKs have them all; a test holds that, and that no
 * method answers with a word that is not here. Words are never renamed: plugins compare them. */
static const OcReason reasons[] = {
  { OC_RPC_FAILED, "not-a-file", { "file.readText" } },
  { OC_RPC_FAILED, "io", { "file.readText", "process.spawn" } },
  { OC_RPC_FAILED, "sandbox", { "process.spawn" } },
  { OC_RPC_FAILED, "tool-unreadable", { "process.spawn" } },
  { OC_RPC_FAILED, "storage", { "storage.get", "storage.set", "storage.remove", "storage.keys" } },
  { OC_RPC_REFUSED, "outside-selection", { "file.readText" } },
  { OC_RPC_REFUSED, "guarded", { "file.readText" } },
  { OC_RPC_REFUSED, "link", { "file.readText" } },
  { OC_RPC_NOT_FOUND, "missing", { "file.readText" } },
  { OC_RPC_NOT_FOUND, "tool-missing", { "process.spawn" } },
  { OC_RPC_NOT_FOUND, "tool-is-folder", { "process.spawn" } },
  { OC_RPC_NOT_FOUND, "tool-not-executable", { "process.spawn" } },
  { OC_RPC_NOT_FOUND, "tool-not-started", { "process.spawn" } },
  { OC_RPC_TOO_LARGE, "too-large", { "file.readText", "storage.set" } },
  { OC_RPC_NOT_TEXT, "not-text", { "file.readText" } },
  { OC_RPC_BUSY, "busy", { "process.spawn", "storage.get", "storage.set", "storage.remove", "storage.keys" } },
  { OC_RPC_NOT_AVAILABLE, "not-available", { "openURL", "app.open" } },
};

const OcReason *
oc_reason_get (guint n)
{
  return n < G_N_ELEMENTS (reasons) ? &reasons[n] : NULL;
}
