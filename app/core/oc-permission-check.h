/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-permission.h"

G_BEGIN_DECLS

/* What is wrong with a permission and what to do, apart from each other, both translated and
 * escaped. */
typedef struct
{
  char *problem;
  char *remedy;
} OcComplaint;
void oc_complaint_clear (OcComplaint *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OcComplaint, oc_complaint_clear)
/* Always FALSE. Both are copied. */
gboolean oc_complaint_set (OcComplaint *self,
                           const char *problem,
                           const char *remedy);

/* The check of one kind's argument. @canonical: (out) (transfer full): the one way it is
 * written. */
typedef gboolean (*OcArgumentCheck) (const char *argument,
                                     char **canonical,
                                     OcComplaint *complaint);
gboolean oc_check_tool (const char *argument,
                        char **canonical,
                        OcComplaint *complaint);
gboolean oc_check_app_id (const char *argument,
                          char **canonical,
                          OcComplaint *complaint);
gboolean oc_check_glob (const char *argument,
                        char **canonical,
                        OcComplaint *complaint);
gboolean oc_check_host (const char *argument,
                        char **canonical,
                        OcComplaint *complaint);
gboolean oc_check_env_key (const char *argument,
                           char **canonical,
                           OcComplaint *complaint);

/* oc_permission_parse() with the complaint in two parts, as the manifest readers need it. NULL:
 * @complaint is set. */
OcPermission *oc_permission_parse_full (const char *text,
                                        OcComplaint *complaint);

G_END_DECLS
