/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * OcApplication: the program `ocelot-plugins`: one process for all its windows.
 */
#define OC_TYPE_APPLICATION (oc_application_get_type ())
G_DECLARE_FINAL_TYPE (OcApplication, oc_application, OC, APPLICATION, AdwApplication)

OcApplication *oc_application_new (void);

G_END_DECLS
