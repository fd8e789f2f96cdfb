/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum
{
  OC_NOTICE_ERROR = 0,
  OC_NOTICE_WARNING,
  OC_NOTICE_INFO,
} OcNoticeKind;

/**
 * OcNotice: a box that says what happened, why, and what to do, with at most two buttons. (AdwBanner is 1.3, and one line.)
 */
#define OC_TYPE_NOTICE (oc_notice_get_type ())
G_DECLARE_FINAL_TYPE (OcNotice, oc_notice, OC, NOTICE, GtkBox)

/* @title, @text: fit to be shown; @text: (nullable). Floating. */
OcNotice *oc_notice_new (OcNoticeKind kind,
                         const char *title,
                         const char *text);
/* One more paragraph. */
void oc_notice_add_text (OcNotice *self,
                         const char *text);
/* @action_name: "page.review". @target: (nullable) (transfer floating) */
void oc_notice_add_button (OcNotice *self,
                           const char *label,
                           const char *action_name,
                           GVariant *target);

G_END_DECLS
