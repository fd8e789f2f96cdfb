/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-plan.h"

G_BEGIN_DECLS

/**
 * OcQuota: looks, in a thread of its own, at how much lies in the two folders that a plugin may write, while its worker and its
 * tools run. The rarer the longer a look takes. It is no guarantee: between two looks much can be written.
 *
 * What a folder holds at the first look is never too much: a plugin that has more than it may can start and remove some of it.
 * It is ended when it adds to it.
 */
typedef struct _OcQuota OcQuota;

typedef enum
{
  OC_QUOTA_DATA_SIZE = 0,
  OC_QUOTA_DATA_NAMES,
  OC_QUOTA_TEMP_SIZE,
  OC_QUOTA_TEMP_NAMES,
  OC_QUOTA_UNMEASURED, /* it moves folders around so that they cannot be measured, or the disk cannot be read */
} OcQuotaBreach;

/* Called once, in the thread-default main context. */
typedef void (*OcQuotaExceeded) (OcQuotaBreach breach,
                                 gpointer user_data);

/* @limits: data_size, temp_size, data_files; 0: no limit. Errors: OC_ERROR_IO. */
OcQuota *oc_quota_new (const char *data_folder,
                       const char *temp_folder,
                       const OcLimits *limits,
                       OcQuotaExceeded exceeded,
                       gpointer user_data,
                       GError **error);
void oc_quota_free (OcQuota *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcQuota, oc_quota_free)

/* What is said of it, and what to do. Translated. (transfer full); the latter nullable */
char *oc_quota_dup_message (OcQuotaBreach breach,
                            const OcLimits *limits);
char *oc_quota_dup_remedy (OcQuotaBreach breach,
                           const char *data_folder);

G_END_DECLS
