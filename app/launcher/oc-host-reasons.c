/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-host.h"

#include <string.h>

/* Every word that data.reason can be, by its code. ocelot-plugin(7) and the SDKs have them all; a test holds that, and that no
 * method answers with a word that is not here. Words are never renamed: plugins compare them. */
static const OcReason reasons[] = {
  { OC_RPC_FAILED, "not-a-file", { "file.readText" } },
  { OC_RPC_FAILED, "io", { "file.readText", "process.spawn", "app.open" } },
  { OC_RPC_FAILED, "sandbox", { "process.spawn" } },
  { OC_RPC_FAILED, "tool-unreadable", { "process.spawn" } },
  { OC_RPC_FAILED, "storage", { "storage.get", "storage.set", "storage.remove", "storage.keys" } },
  { OC_RPC_REFUSED, "outside-selection", { "file.readText", "app.open" } },
  { OC_RPC_REFUSED, "guarded", { "file.readText", "app.open" } },
  { OC_RPC_REFUSED, "link", { "file.readText", "app.open" } },
  { OC_RPC_NOT_FOUND, "missing", { "file.readText", "app.open" } },
  { OC_RPC_NOT_FOUND, "tool-missing", { "process.spawn" } },
  { OC_RPC_NOT_FOUND, "tool-is-folder", { "process.spawn" } },
  { OC_RPC_NOT_FOUND, "tool-not-executable", { "process.spawn" } },
  { OC_RPC_NOT_FOUND, "tool-not-started", { "process.spawn" } },
  { OC_RPC_TOO_LARGE, "too-large", { "file.readText", "storage.set" } },
  { OC_RPC_NOT_TEXT, "not-text", { "file.readText" } },
  { OC_RPC_BUSY, "busy", { "process.spawn", "storage.get", "storage.set", "storage.remove", "storage.keys" } },
  /* What is wrong with an address: core/oc-url.c has the sentences. */
  { OC_RPC_REFUSED, "url-malformed", { "openURL" } },
  { OC_RPC_REFUSED, "url-scheme", { "openURL" } },
  { OC_RPC_REFUSED, "url-too-long", { "openURL" } },
  { OC_RPC_REFUSED, "url-hidden", { "openURL" } },
  { OC_RPC_REFUSED, "url-character", { "openURL" } },
  { OC_RPC_REFUSED, "url-credentials", { "openURL" } },
  { OC_RPC_REFUSED, "url-host", { "openURL" } },
  { OC_RPC_REFUSED, "url-port", { "openURL" } },
  { OC_RPC_REFUSED, "mail-address", { "openURL" } },
  { OC_RPC_REFUSED, "mail-field", { "openURL" } },
  { OC_RPC_REFUSED, "mail-attachment", { "openURL" } },
  { OC_RPC_REFUSED, "no-folder", { "app.open" } },
  { OC_RPC_REFUSED, "not-a-folder", { "app.open" } },
  { OC_RPC_REFUSED, "own-folder", { "app.open" } },
  { OC_RPC_REFUSED, "too-many", { "openURL", "app.open" } },
  { OC_RPC_REFUSED, "too-fast", { "openURL", "app.open" } },
  { OC_RPC_NOT_FOUND, "no-handler", { "openURL" } },
  { OC_RPC_NOT_FOUND, "handler-missing", { "openURL" } },
  { OC_RPC_NOT_FOUND, "app-missing", { "app.open" } },
  { OC_RPC_NOT_FOUND, "app-hidden", { "app.open" } },
  { OC_RPC_NOT_FOUND, "app-program-missing", { "app.open" } },
  { OC_RPC_FAILED, "app-no-folders", { "app.open" } },
  { OC_RPC_FAILED, "no-display", { "openURL", "app.open" } },
  { OC_RPC_FAILED, "not-opened", { "openURL", "app.open" } },
  { OC_RPC_FAILED, "timed-out", { "openURL", "app.open" } },
};

const OcReason *
oc_reason_get (guint n)
{
  return n < G_N_ELEMENTS (reasons) ? &reasons[n] : NULL;
}
