/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the canary and the launcher's side agree on. The canary is executed as
 *   ocelot-launcher --canary BASE USER-NAMESPACE PID-NAMESPACE NETWORK-NAMESPACE FILTERS
 * without the network permission, each namespace as it is outside and the number of system call filters there, and as
 *   ocelot-launcher --canary-network PORT
 * with it, PORT being where somebody listens outside, or 0. It writes one line a check on stdout: the layer's id, a tab, "1" or "0", a tab, what it tried
 * and what came of it. */
#define OC_CANARY_ID "check.canary"
#define OC_CANARY_OTHER_ID "check.other"
/* In BASE. */
#define OC_CANARY_HOME "home"
#define OC_CANARY_OCELOT "home/.local/share/ocelot"
#define OC_CANARY_TEMP "temp"
#define OC_CANARY_FILE "home/file"
#define OC_CANARY_FIFO "home/fifo"
#define OC_CANARY_KEY_FOLDER "home/.ssh"
#define OC_CANARY_KEY "home/.ssh/id"
