/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-url-private.h"

#include <string.h>

/*
 * mailto (RFC 6068). A mail program makes a new mail of it, which the user sees and may send. What must not be: a file of the
 * user's in it, a header that the fields below do not name, a recipient that is not seen as what it is.
 *
 * What programs take beyond the RFC, at one time or another: "attach" and "attachment" (Evolution: CVE-2020-11879, KMail:
 * CVE-2020-11880, xdg-email with Thunderbird: CVE-2020-27748; all in "Mailto: Me Your Secrets", IEEE CNS 2020), and each other
 * field as a header line ("from", "reply-to", "html-body", "x-…"). So the fields are a list of what may be, not of what may not.
 */

static const char *const fields[] = { "to", "cc", "bcc", "subject", "body", "in-reply-to", "references", "keywords" };

/* A dot-atom of RFC 5322, letters beyond ASCII too (RFC 6531), without what takes an address apart: xdg-email looks for "&attach="
 * before it looks for the "?", and others decode first. Nor "`" and "|", which scripts mistake. Quoted local parts are left out:
 * they can hold anything. */
static gboolean
is_local_part (const char *text)
{
  gboolean after_dot = TRUE;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '.' && after_dot)
        return FALSE;
      if (c < 0x80 ? !g_ascii_isalnum ((char) c) && strchr ("!$'*+-^_{}~.", (int) c) == NULL : !g_unichar_isalnum (c))
        return FALSE;
      after_dot = c == '.';
    }
  return !after_dot;
}

/* @text: percent escapes and all. */
static gboolean
is_address (const char *text)
{
  g_autofree char *plain = g_uri_unescape_string (text, NULL);
  char *at = plain != NULL && g_utf8_validate (plain, -1, NULL) ? strrchr (plain, '@') : NULL;

  if (at == NULL)
    return FALSE;
  *at = '\0';
  return is_local_part (plain) && oc_url_is_host (at + 1, strlen (at + 1));
}

/* The commas between addresses are plain ones; an escaped one would belong to an address, and is refused in it. */
static gboolean
are_addresses (const char *text)
{
  g_auto (GStrv) addresses = g_strsplit (text, ",", -1);

  for (guint i = 0; addresses[i] != NULL; i++)
    if (!is_address (addresses[i]))
      return FALSE;
  return addresses[0] != NULL;
}

static gboolean
has_name (const char *lower,
          const char *name,
          gboolean only_in_list)
{
  for (const char *p = strstr (lower, name); p != NULL; p = strstr (p + 1, name))
    {
      const char *before = p;

      while (only_in_list && before > lower && g_ascii_isspace (before[-1]))
        before--;
      if (only_in_list ? before > lower && before[-1] == ',' : before == lower || !g_ascii_isalnum (before[-1]))
        return TRUE;
    }
  return FALSE;
}

/* Whether @text would name a file for programs that decode the address before they take it apart, or that put decoded values
 * between quotation marks with commas between them: xdg-email does so for Thunderbird, whose -compose also has "message", a file
 * that the mail is made of. */
static gboolean
names_attachment (const char *text)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);

  return has_name (lower, "attach=", FALSE) || has_name (lower, "attachment=", FALSE) || has_name (lower, "message=", TRUE);
}

/* Text that a header or the body is made of. An escaped line end in a header would begin the next header. The joiners and
 * direction marks (U+200C to U+200F) belong to the writing of languages; what overrides directions is not needed for any. */
static gboolean
is_text (const char *text,
         gboolean is_body)
{
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      GUnicodeType type = g_unichar_type (c);

      if (is_body && (c == '\t' || c == '\n' || c == '\r'))
        continue;
      if (type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR || type == G_UNICODE_PARAGRAPH_SEPARATOR)
        return FALSE;
      if (type == G_UNICODE_FORMAT && (c < 0x200c || c > 0x200f))
        return FALSE;
    }
  return TRUE;
}

static OcUrlFault
check_value (const char *name,
             const char *value)
{
  g_autofree char *plain = NULL;

  if (g_str_equal (name, "to") || g_str_equal (name, "cc") || g_str_equal (name, "bcc"))
    return are_addresses (value) ? OC_URL_GOOD : OC_URL_MAIL_ADDRESS;
  /* NULL: an escaped NUL. */
  plain = g_uri_unescape_string (value, NULL);
  if (plain == NULL || !g_utf8_validate (plain, -1, NULL) || !is_text (plain, g_str_equal (name, "body")))
    return OC_URL_HIDDEN;
  return names_attachment (plain) ? OC_URL_MAIL_ATTACHMENT : OC_URL_GOOD;
}

static OcUrlFault
check_field (const char *field)
{
  const char *equals = strchr (field, '=');
  g_autofree char *name = g_ascii_strdown (field, equals ? equals - field : -1);
  g_autofree char *plain = g_uri_unescape_string (name, NULL);

  if (plain == NULL || strstr (plain, "attach") != NULL)
    return OC_URL_MAIL_ATTACHMENT;
  for (guint i = 0; equals != NULL && i < G_N_ELEMENTS (fields); i++)
    if (g_str_equal (fields[i], name))
      return check_value (name, equals + 1);
  return OC_URL_MAIL_FIELD;
}

OcUrlFault
oc_url_check_mail (const char *rest)
{
  const char *question = strchr (rest, '?');
  g_autofree char *to = g_strndup (rest, question ? (gsize) (question - rest) : strlen (rest));
  g_auto (GStrv) parts = NULL;

  if (*rest == '\0' || *rest == '/')
    return OC_URL_MALFORMED;
  if (strpbrk (rest, "#[]") != NULL)
    return OC_URL_CHARACTER;
  if (*to != '\0' && !are_addresses (to))
    return OC_URL_MAIL_ADDRESS;
  if (question == NULL)
    return OC_URL_GOOD;
  parts = g_strsplit (question + 1, "&", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      OcUrlFault fault = check_field (parts[i]);

      if (fault != OC_URL_GOOD)
        return fault;
    }
  return parts[0] != NULL ? OC_URL_GOOD : OC_URL_MAIL_FIELD;
}
