/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/oc-url.h"

G_BEGIN_DECLS

typedef enum
{
  OC_URL_MALFORMED = 0,
  OC_URL_SCHEME,
  OC_URL_TOO_LONG,
  OC_URL_HIDDEN,
  OC_URL_CHARACTER,
  OC_URL_CREDENTIALS,
  OC_URL_HOST,
  OC_URL_PORT,
  OC_URL_MAIL_ADDRESS,
  OC_URL_MAIL_FIELD,
  OC_URL_MAIL_ATTACHMENT,
  OC_URL_GOOD,
} OcUrlFault;

/* @host: @len bytes. A name of letters, digits, "-", "_" and ".", or an IPv4 address in its plain form. */
gboolean oc_url_is_host (const char *host,
                         gsize len);
/* What follows "mailto:"; its characters have been looked at. */
OcUrlFault oc_url_check_mail (const char *rest);

G_END_DECLS
