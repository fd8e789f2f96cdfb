/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What lies in a folder and all folders in it. */
typedef struct
{
  guint64 bytes; /* as its files say, or as they take on the disk: whichever is more, over all */
  guint64 names; /* files, folders and all else; the folder itself not */
  /* Everything was counted. Else it holds at least this: there were more names than were to be looked at, or folders were
   * moved around at the same time. */
  gboolean complete;
} OcFolderSize;

/* Measures the folder at @path, however deep and whatever is done to it meanwhile: no link is followed, no other mount entered,
 * a file with several names counted once. A folder that its owner may not read (a plugin can do that) is opened to its owner.
 * @max_names: stops after so many; 0: never. @cancelled: (nullable): atomic; stops when it is not zero.
 * No such folder: TRUE, and nothing in it. Errors: OC_ERROR_IO. */
gboolean oc_folder_size_measure (const char *path,
                                 guint64 max_names,
                                 const gint *cancelled,
                                 OcFolderSize *size,
                                 GError **error);

G_END_DECLS
