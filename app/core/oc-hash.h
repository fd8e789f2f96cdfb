/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A GHashFunc for strings that somebody hostile may choose: SipHash-1-3 under a key drawn at
 * random for each process. With g_str_hash() a megabyte of keys made to collide costs minutes. */
guint oc_hash_string (gconstpointer string);

G_END_DECLS
