/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-broker.h"

G_BEGIN_DECLS

/* The broker's side of a call; the methods' side is in oc-host.h. @message: (transfer full); @method: (nullable) unknown. */
OcCall *oc_call_new (OcBroker *broker,
                     OcRpcMessage *message,
                     const OcMethod *method);
const char *oc_call_get_id (OcCall *self);
const OcMethod *oc_call_get_method (OcCall *self);
/* Checks the permission first, then the parameters, then calls the method. */
void oc_call_dispatch (OcCall *self,
                       OcPermissionSet *granted);
/* The run ended: whatever still happens to it goes nowhere. */
void oc_call_drop (OcCall *self);

G_END_DECLS
