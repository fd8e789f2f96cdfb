/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/oc-permission-check.h"

#include <arpa/inet.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

/* RFC 1035, section 2.3.4: 255 octets on the wire are 253 as text. */
#define HOST_MAX_BYTES 253
#define LABEL_MAX_BYTES 63

static const char *
get_remedy (void)
{
  return _("Write one host name alone, as in “api.example.com”, or with a port, as in "
            "“api.example.com:8443”.");
}

/* Cuts ":port" off @host. Ports are decimal, from 1 to 65535, without leading zeros. */
static gboolean
cut_port (char *host,
          char **port,
          OcComplaint *complaint)
{
  char *bracket = strrchr (host, ']');
  char *colon = strchr (bracket != NULL ? bracket : host, ':');
  guint64 number;

  *port = NULL;
  if (colon == NULL)
    return TRUE;
  if (bracket == NULL && strchr (colon + 1, ':') != NULL)
    return oc_complaint_set (
        complaint, _("There is more than one colon."),
        _("Write an IPv6 address in brackets, as in “[2001:db8::1]” or “[2001:db8::1]:8443”."));

  if (colon[1] == '0' || strlen (colon + 1) > 5
      || !g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &number, NULL))
    return oc_complaint_set (
        complaint, _("After the colon there must be a port from 1 to 65535."), get_remedy ());

  *colon = '\0';
  *port = colon + 1;
  return TRUE;
}

static gboolean
check_address (int family,
               const char *address,
               OcComplaint *complaint)
{
  struct in6_addr bytes;
  char plain[INET6_ADDRSTRLEN];

  if (inet_pton (family, address, &bytes) != 1
      || inet_ntop (family, &bytes, plain, sizeof plain) == NULL)
    return oc_complaint_set (complaint, _("This is no IP address."), get_remedy ());
  /* ::ffff:127.0.0.1 and ::127.0.0.1 are IPv4 addresses in another form, which a check of the one
   * would not see; inet_ntop() writes both with dots. */
  if (family == AF_INET6 && strchr (plain, '.') != NULL)
    return oc_complaint_set (complaint, _("This is an IPv4 address written as an IPv6 one."),
                             _("Write the IPv4 address itself, as in “192.0.2.1”."));
  if (!g_str_equal (plain, address))
    {
      g_autofree char *remedy = g_strdup_printf (_("Write the address as “%s”."), plain);

      return oc_complaint_set (complaint, _("The address is not written in its plain form."),
                               remedy);
    }
  return TRUE;
}

/* Numbers in any notation that inet_aton(3) takes for an address: 127.1, 0x7f000001, 017700000001,
 * 2130706433. */
static gboolean
looks_numeric (const char *label)
{
  gsize len = strlen (label);

  if (strspn (label, "0123456789") == len)
    return TRUE;
  return label[0] == '0' && label[1] == 'x' && strspn (label + 2, "0123456789abcdef") == len - 2;
}

static gboolean
check_labels (const char *host,
              OcComplaint *complaint)
{
  g_auto (GStrv) labels = g_strsplit (host, ".", -1);
  guint n = g_strv_length (labels);

  if (strlen (host) > HOST_MAX_BYTES)
    return oc_complaint_set (complaint, _("The host name is too long."), get_remedy ());

  for (guint i = 0; i < n; i++)
    {
      const char *label = labels[i];
      gsize len = strlen (label);

      if (len == 0)
        return oc_complaint_set (
            complaint, _("The host name has an empty part between its dots."), get_remedy ());
      if (len > LABEL_MAX_BYTES)
        return oc_complaint_set (
            complaint, _("A part of the host name is longer than 63 characters."), get_remedy ());
      if (label[0] == '-' || label[len - 1] == '-')
        return oc_complaint_set (complaint, _("A part of the host name begins or ends with “-”."),
                                 get_remedy ());
      if (strspn (label, "abcdefghijklmnopqrstuvwxyz0123456789-") != len)
        return oc_complaint_set (
            complaint, _("A host name has only letters, digits, “-” and “.”."), get_remedy ());
    }

  if (looks_numeric (labels[n - 1]))
    return oc_complaint_set (
        complaint, _("This is a number, not a host name."),
        _("Write an IP address in its plain form, as in “192.0.2.1”, or a host name."));
  return TRUE;
}

/* The A-labels of @host, in lower case and without the one trailing dot. (nullable) */
static char *
dup_ascii_name (const char *host)
{
  g_autofree char *ascii = g_hostname_to_ascii (host);
  g_autofree char *lower = NULL;
  gsize len;

  if (ascii == NULL)
    return NULL;

  lower = g_ascii_strdown (ascii, -1);
  len = strlen (lower);
  if (len > 1 && lower[len - 1] == '.')
    lower[len - 1] = '\0';

  /* What claims to be an A-label must be one: it has to decode, and to encode to itself again. */
  if (g_hostname_is_ascii_encoded (lower))
    {
      g_autofree char *unicode = g_hostname_to_unicode (lower);
      g_autofree char *again = unicode != NULL ? g_hostname_to_ascii (unicode) : NULL;

      if (again == NULL || !g_str_equal (again, lower))
        return NULL;
    }
  return g_steal_pointer (&lower);
}

static gboolean
check_form (const char *argument,
            OcComplaint *complaint)
{
  if (strchr (argument, '*') != NULL || strchr (argument, '?') != NULL)
    return oc_complaint_set (complaint, _("There are no patterns of host names."),
                             _("List each host with its whole name."));
  if (strstr (argument, "://") != NULL || strchr (argument, '/') != NULL
      || strchr (argument, '@') != NULL)
    return oc_complaint_set (complaint, _("This is an address of a page, not a host name."),
                             get_remedy ());
  if (strchr (argument, '%') != NULL)
    return oc_complaint_set (complaint, _("A host name has no “%”."), get_remedy ());
  return TRUE;
}

/* launcher.md section 4: exact names, lower case, one trailing dot, an IDN by its A-label, numbers
 * in disguise are no names. */
gboolean
oc_check_host (const char *argument,
               char **canonical,
               OcComplaint *complaint)
{
  g_autofree char *host = g_strdup (argument);
  g_autofree char *name = NULL;
  char *port;
  gsize len;

  if (!check_form (argument, complaint) || !cut_port (host, &port, complaint))
    return FALSE;

  len = strlen (host);
  if (*host == '[')
    {
      if (host[len - 1] != ']')
        return oc_complaint_set (complaint, _("This is no IP address."), get_remedy ());
      host[len - 1] = '\0';
      if (!check_address (AF_INET6, host + 1, complaint))
        return FALSE;
      name = g_strdup_printf ("[%s]", host + 1);
    }
  else if (strspn (host, "0123456789.") == len && g_hostname_is_ip_address (host))
    {
      if (!check_address (AF_INET, host, complaint))
        return FALSE;
      name = g_strdup (host);
    }
  else
    {
      name = dup_ascii_name (host);
      if (name == NULL)
        return oc_complaint_set (complaint, _("This is no valid international host name."),
                                 get_remedy ());
      if (!check_labels (name, complaint))
        return FALSE;
    }

  *canonical = port != NULL ? g_strdup_printf ("%s:%s", name, port) : g_steal_pointer (&name);
  return TRUE;
}
