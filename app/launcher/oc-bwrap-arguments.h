/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launcher/oc-sandbox-private.h"

#include <glib.h>

G_BEGIN_DECLS

/* What masks are made of: an unreadable file and folder of our own, absolute paths. */
typedef struct
{
  char *file;
  char *folder;
} OcMaskSources;
void oc_mask_sources_clear (OcMaskSources *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OcMaskSources, oc_mask_sources_clear)
/* Makes them in @runtime (the user's runtime folder) where they are not there yet. Errors: OC_ERROR_SANDBOX. */
gboolean oc_mask_sources_ensure (OcMaskSources *self, const char *runtime, GError **error);
/* <runtime>/ocelot, 0700 and ours, made where it is not there yet. (transfer full) Errors: OC_ERROR_SANDBOX. */
char *oc_runtime_folder_ensure (const char *runtime, GError **error);

/* The policy as bubblewrap's arguments, each ended by a NUL byte, for `--args`. @content_fds: for each operation of kind
 * OC_OP_CONTENT in order the descriptor's number in bubblewrap. Looks at what is there, and leaves optional operations out where
 * nothing is; fills the own folders' device and inode numbers in. Errors: OC_ERROR_SANDBOX. (transfer full) */
GByteArray *oc_bwrap_make_arguments (OcStage *stage,
                                     const OcMaskSources *masks,
                                     const int *content_fds,
                                     GError **error);

G_END_DECLS
