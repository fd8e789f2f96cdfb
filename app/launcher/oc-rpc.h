/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* `Content-Length: 4194304` and a content type fit many times over. */
#define OC_RPC_MAX_HEADER (4 * 1024)
/* What a worker may send at once: a result this long is already more than a person can look at. */
#define OC_RPC_MAX_MESSAGE (4 * 1024 * 1024)

/**
 * OcRpcReader: takes bytes as they arrive from a worker and gives whole message bodies, framed by `Content-Length` headers as
 * language servers do. The peer is hostile: anything but that framing breaks the reader for good. Holds one message and one
 * read at most; a large announced length costs nothing until the bytes are there.
 */
typedef struct _OcRpcReader OcRpcReader;

OcRpcReader *oc_rpc_reader_new (void);
void oc_rpc_reader_free (OcRpcReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcRpcReader, oc_rpc_reader_free)

void oc_rpc_reader_feed (OcRpcReader *self,
                         const void *data,
                         gsize len);
/* The next whole body: TRUE and @body set, or TRUE and @body NULL where more bytes are needed.
 * FALSE: the framing is broken, and will be at each later call. Errors: OC_ERROR_INVALID.
 * @body: (out) (transfer full) (nullable) */
gboolean oc_rpc_reader_next (OcRpcReader *self,
                             GBytes **body,
                             GError **error);
/* Whether bytes of an unfinished message are held. */
gboolean oc_rpc_reader_is_amid (OcRpcReader *self);

/* "Content-Length: ", the most digits that a size has, and two line ends. */
#define OC_RPC_HEADER_ROOM (16 + 20 + 4)
/* A body is appended to this, and then framed: a large one is not copied for its header, for which there is room in front. */
GString *oc_rpc_begin_body (void);
/* @text: (transfer full): of oc_rpc_begin_body(). (transfer full) */
GBytes *oc_rpc_frame (GString *text);

G_END_DECLS
