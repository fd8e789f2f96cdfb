/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-url-private.h"

#include <arpa/inet.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "core/oc-text.h"

/* RFC 1035, section 2.3.4: 255 octets on the wire are 253 as text. */
#define HOST_MAX_BYTES 253
#define LABEL_MAX_BYTES 63

struct _OcUrl
{
  char *text;
  const char *scheme; /* static */
  char *host;         /* (nullable) */
};

static const struct
{
  const char *reason;
  const char *meaning;
} faults[OC_URL_GOOD] = {
  [OC_URL_MALFORMED] = { "url-malformed",
                         N_("This is no complete address, as in “https://example.org/page” or “mailto:me@example.org”.") },
  [OC_URL_SCHEME] = { "url-scheme", N_("Only addresses that begin with “https:”, “http:” or “mailto:” are opened.") },
  [OC_URL_TOO_LONG] = { "url-too-long", N_("The address has more than 2,048 characters.") },
  [OC_URL_HIDDEN] = { "url-hidden",
                      N_("The address has a blank, or a character that is not seen or acts on how others are seen. In a path, a query "
                         "and a fragment a blank is written as “%20”; line ends may stand, as “%0A”, in a query, a fragment and the "
                         "body of a mail.") },
  [OC_URL_CHARACTER] = { "url-character",
                         N_("The address has a character that must be written with “%” and two hexadecimal digits, or a “%” without "
                            "them.") },
  [OC_URL_CREDENTIALS] = { "url-credentials", N_("The address has a user name or a password before its host: leave them out.") },
  [OC_URL_HOST] = { "url-host",
                    N_("The address has no host, or one that is not written plainly: as a name of ASCII letters (that of "
                       "“müller.de” is “xn--mller-kva.de”), or as an IP address in its usual form.") },
  [OC_URL_PORT] = { "url-port", N_("After the host’s colon there must be a port from 1 to 65535.") },
  [OC_URL_MAIL_ADDRESS] = { "mail-address",
                            N_("A recipient is not a plain mail address, as in “me@example.org”; several have commas between them.") },
  [OC_URL_MAIL_FIELD] = { "mail-field",
                          N_("After “?” a mail has “to”, “cc”, “bcc”, “subject”, “body”, “in-reply-to”, “references” and “keywords”, "
                             "each with “=” and a value, with “&” between them, and nothing else.") },
  [OC_URL_MAIL_ATTACHMENT] = { "mail-attachment", N_("A mail cannot be given files.") },
};

const char *
oc_url_get_reason (guint n,
                   const char **meaning)
{
  if (n >= G_N_ELEMENTS (faults))
    return NULL;
  if (meaning != NULL)
    *meaning = faults[n].meaning;
  return faults[n].reason;
}

/* RFC 3986 leaves these out of every part, and programs differ in what they make of them: browsers take a backslash for a
 * slash, so that "https://a\@b" is on a for them and on b for others; a quotation mark or a grave accent ends an argument of
 * a script. "[", "]" and "#" have one place each, which is looked at elsewhere. */
static gboolean
is_never_allowed (char c)
{
  return strchr ("\"<>\\^`{|}", c) != NULL;
}

static OcUrlFault
check_characters (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return OC_URL_HIDDEN;
  if (g_utf8_strlen (text, -1) > OC_URL_MAX_CHARS)
    return OC_URL_TOO_LONG;
  if (strchr (text, ' ') != NULL || oc_text_has_hidden (text))
    return OC_URL_HIDDEN;
  for (const char *p = text; *p != '\0'; p++)
    if (is_never_allowed (*p) || (*p == '%' && !(g_ascii_isxdigit (p[1]) && g_ascii_isxdigit (p[2]))))
      return OC_URL_CHARACTER;
  return OC_URL_GOOD;
}

/* WHATWG URL, "ends in a number": browsers take such a host for an IPv4 address, in any notation of inet_aton(3). */
static gboolean
is_number (const char *label,
           gsize len)
{
  if (len > 2 && label[0] == '0' && g_ascii_tolower (label[1]) == 'x')
    return strspn (label + 2, "0123456789abcdefABCDEF") >= len - 2;
  return strspn (label, "0123456789") >= len;
}

gboolean
oc_url_is_host (const char *host,
                gsize len)
{
  g_autofree char *name = g_strndup (host, len);
  g_auto (GStrv) labels = g_strsplit (name, ".", -1);
  guint n = g_strv_length (labels);
  struct in_addr address;

  if (len == 0 || len > HOST_MAX_BYTES)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      gsize size = strlen (labels[i]);

      if (size == 0 || size > LABEL_MAX_BYTES || labels[i][0] == '-' || labels[i][size - 1] == '-')
        return FALSE;
      for (const char *p = labels[i]; *p != '\0'; p++)
        if (!g_ascii_isalnum (*p) && *p != '-' && *p != '_')
          return FALSE;
    }
  return !is_number (labels[n - 1], strlen (labels[n - 1])) || inet_pton (AF_INET, name, &address) == 1;
}

static gboolean
is_port (const char *port,
         gsize len)
{
  g_autofree char *text = g_strndup (port, len);
  guint64 number;

  return len <= 5 && *text != '0' && g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT16, &number, NULL);
}

/* Between the brackets. No zone ("%25eth0"): it means something on one computer only, and inet_pton() knows none. */
static gboolean
is_ipv6 (const char *text,
         gsize len)
{
  g_autofree char *address = g_strndup (text, len);
  struct in6_addr bytes;

  return inet_pton (AF_INET6, address, &bytes) == 1;
}

/* @authority: from behind "//" to the first "/", "?" or "#". With so few characters allowed, no way is left to write an "@" in
 * it, and none to have one program see another host than the next. */
static OcUrlFault
check_authority (const char *authority,
                 gsize len,
                 char **host)
{
  const char *end = authority + len;
  const char *host_end;
  gboolean is_good;

  for (const char *p = authority; p < end; p++)
    if (*p == '@' || (end - p >= 3 && strncmp (p, "%40", 3) == 0))
      return OC_URL_CREDENTIALS;
  if (*authority == '[')
    {
      host_end = memchr (authority, ']', len);
      if (host_end == NULL || !is_ipv6 (authority + 1, (gsize) (host_end - authority - 1)))
        return OC_URL_HOST;
      *host = g_ascii_strdown (authority + 1, host_end - authority - 1);
      host_end++;
    }
  else
    {
      host_end = memchr (authority, ':', len);
      host_end = host_end ? host_end : end;
      /* One dot at the end is another way to write the same name, and belongs to it. */
      is_good = oc_url_is_host (authority, (gsize) (host_end - authority)) ||
                (host_end > authority && host_end[-1] == '.' && !g_ascii_isdigit (*authority) &&
                 oc_url_is_host (authority, (gsize) (host_end - authority - 1)));
      if (!is_good)
        return OC_URL_HOST;
      *host = g_ascii_strdown (authority, host_end - authority);
    }
  if (host_end == end)
    return OC_URL_GOOD;
  return *host_end == ':' && is_port (host_end + 1, (gsize) (end - host_end - 1)) ? OC_URL_GOOD : OC_URL_PORT;
}

/* Path, query and fragment, as one. Escaped control characters are data for the server, but a handler may decode them before
 * it splits its command line or sends its request (CRLF injection: CVE-2016-5699, CVE-2019-9740), and cuts at a NUL. Tabs and
 * line ends are common where text is handed to a page: in a query and a fragment. */
static OcUrlFault
check_rest (const char *rest)
{
  gboolean in_path = TRUE;
  gboolean in_fragment = FALSE;

  for (const char *p = rest; *p != '\0'; p++)
    {
      int byte = *p == '%' ? g_ascii_xdigit_value (p[1]) * 16 + g_ascii_xdigit_value (p[2]) : -1;

      if (*p == '[' || *p == ']' || (*p == '#' && in_fragment))
        return OC_URL_CHARACTER;
      in_path = in_path && *p != '?' && *p != '#';
      in_fragment = in_fragment || *p == '#';
      if (byte >= 0 && (byte < 0x20 || byte == 0x7f) && (in_path || (byte != '\t' && byte != '\n' && byte != '\r')))
        return OC_URL_HIDDEN;
    }
  return OC_URL_GOOD;
}

static OcUrlFault
check_web (const char *rest,
           gsize *authority_len,
           char **host)
{
  OcUrlFault fault;

  /* Browsers take "https:example.org" and "https:/example.org" for the same; others for a path on no host. */
  if (!g_str_has_prefix (rest, "//"))
    return OC_URL_MALFORMED;
  *authority_len = strcspn (rest + 2, "/?#");
  fault = check_authority (rest + 2, *authority_len, host);
  return fault != OC_URL_GOOD ? fault : check_rest (rest + 2 + *authority_len);
}

/* What is beyond ASCII as RFC 3987 maps it: a handler need not know IRIs, nor run in a UTF-8 locale. */
static char *
dup_text (const char *scheme,
          const char *rest,
          gsize authority_len)
{
  g_autoptr (GString) text = g_string_new (scheme);
  gsize to_lower = authority_len > 0 ? 2 + authority_len : 0;

  g_string_append_c (text, ':');
  for (gsize i = 0; rest[i] != '\0'; i++)
    if ((guchar) rest[i] >= 0x80)
      g_string_append_printf (text, "%%%02X", (guchar) rest[i]);
    else
      g_string_append_c (text, i < to_lower ? g_ascii_tolower (rest[i]) : rest[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* GUri's view of the same bytes. By itself it is not strict enough: it takes raw control characters and quotation marks, an empty
 * host, zones of IPv6 addresses and escapes in a host. But where it would see another host or port than the check above, one
 * of the two is wrong. */
static gboolean
is_seen_alike (OcUrl *self)
{
  g_autoptr (GUri) uri = g_uri_parse (self->text, G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED, NULL);

  return uri != NULL && g_str_equal (g_uri_get_scheme (uri), self->scheme) && g_uri_get_userinfo (uri) == NULL &&
         g_strcmp0 (g_uri_get_host (uri), self->host) == 0;
}

static void
url_clear (gpointer data)
{
  OcUrl *self = data;

  g_free (self->text);
  g_free (self->host);
}

static OcUrlFault
parse (OcUrl *self,
       const char *text)
{
  static const char *const schemes[] = { "https", "http", "mailto" };
  OcUrlFault fault = check_characters (text);
  const char *scheme;
  const char *rest;
  gsize authority_len = 0;

  if (fault == OC_URL_TOO_LONG)
    return fault;
  /* Of what is no address of the web at all, this is said rather than which of its characters is wrong. */
  scheme = g_uri_peek_scheme (text);
  if (scheme == NULL)
    return fault == OC_URL_GOOD ? OC_URL_MALFORMED : fault;
  for (guint i = 0; i < G_N_ELEMENTS (schemes) && self->scheme == NULL; i++)
    if (g_ascii_strcasecmp (scheme, schemes[i]) == 0)
      self->scheme = schemes[i];
  if (self->scheme == NULL)
    return OC_URL_SCHEME;
  if (fault != OC_URL_GOOD)
    return fault;

  rest = text + strlen (self->scheme) + 1;
  if (g_str_equal (self->scheme, "mailto"))
    fault = oc_url_check_mail (rest);
  else
    fault = check_web (rest, &authority_len, &self->host);
  if (fault != OC_URL_GOOD)
    return fault;
  self->text = dup_text (self->scheme, rest, authority_len);
  return is_seen_alike (self) ? OC_URL_GOOD : OC_URL_MALFORMED;
}

OcUrl *
oc_url_parse (const char *text,
              const char **reason,
              GError **error)
{
  g_autoptr (OcUrl) self = g_atomic_rc_box_new0 (OcUrl);
  OcUrlFault fault = parse (self, text);

  if (fault == OC_URL_GOOD)
    return g_steal_pointer (&self);
  if (reason != NULL)
    *reason = faults[fault].reason;
  g_set_error_literal (error, OC_ERROR, OC_ERROR_INVALID, _(faults[fault].meaning));
  return NULL;
}

OcUrl *
oc_url_ref (OcUrl *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_url_unref (OcUrl *self)
{
  g_atomic_rc_box_release_full (self, url_clear);
}

const char *
oc_url_get_text (OcUrl *self)
{
  return self->text;
}

const char *
oc_url_get_scheme (OcUrl *self)
{
  return self->scheme;
}

const char *
oc_url_get_host (OcUrl *self)
{
  return self->host;
}
