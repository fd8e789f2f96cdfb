/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

typedef enum
{
  OC_ACTION_RUN,
  OC_ACTION_CHECK,
  OC_ACTION_VERSION,
  OC_ACTION_HELP,
} OcAction;

/* More files than a person selects by hand; as many as fit an argument list. */
#define OC_OPTIONS_MAX_PATHS 100000

/**
 * OcOptions: the command line, checked. Paths are data of any bytes; only what is before `--` can be an option.
 */
typedef struct
{
  OcAction action;
  gboolean allow_root;
  gboolean json;    /* check */
  OcExecutor executor; /* OC_EXECUTOR_AUTO unless told */
  char *id;         /* run; not checked here */
  char *entry;
  char *surface;    /* "host" unless told */
  char *folder;     /* (nullable) absolute */
  guint timeout_ms; /* 0: the entry's own */
  char **paths;     /* absolute, without "." and ".."; maybe empty */
} OcOptions;

/* Errors: OC_ERROR_INVALID, a sentence for the person who typed it. */
OcOptions *oc_options_parse (int argc,
                             char **argv,
                             GError **error);
void oc_options_free (OcOptions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OcOptions, oc_options_free)
/* Several lines. (transfer none) */
const char *oc_options_get_usage (void);

G_END_DECLS
