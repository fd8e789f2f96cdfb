/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * OcError:
 * @OC_ERROR_INVALID: input breaks a rule; the message names the file, the place in it and the remedy
 * @OC_ERROR_NOT_FOUND: no such plugin, entry, tool or file
 * @OC_ERROR_IO: reading or writing failed; the message names the file
 * @OC_ERROR_LOCKED: the keyring is locked, unreachable, or no longer has the key
 * @OC_ERROR_DAMAGED: our own file cannot be read as what it should be
 * @OC_ERROR_FORGED: our own file's seal does not fit its content
 * @OC_ERROR_STALE: what was shown is no longer what is there; show it again
 * @OC_ERROR_DENIED: not consented, or blocked
 * @OC_ERROR_SANDBOX: the launcher or a layer of its sandbox is missing; nothing ran
 * @OC_ERROR_TIMED_OUT: a limit of time was reached
 * @OC_ERROR_UNSUPPORTED: made for a later version, or not built yet
 * @OC_ERROR_BUSY: as many as may be go on already; wait for one to end
 *
 * The one error domain. Each code is something a caller can act on.
 */
typedef enum
{
  OC_ERROR_INVALID,
  OC_ERROR_NOT_FOUND,
  OC_ERROR_IO,
  OC_ERROR_LOCKED,
  OC_ERROR_DAMAGED,
  OC_ERROR_FORGED,
  OC_ERROR_STALE,
  OC_ERROR_DENIED,
  OC_ERROR_SANDBOX,
  OC_ERROR_TIMED_OUT,
  OC_ERROR_UNSUPPORTED,
  OC_ERROR_BUSY,
} OcError;

#define OC_ERROR (oc_error_quark ())
GQuark oc_error_quark (void);

G_END_DECLS
