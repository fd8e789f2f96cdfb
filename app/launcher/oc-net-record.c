/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-record.h"

#include <string.h>

#include "core/oc-permission.h"
#include "launcher/oc-net-dns.h"

struct _OcNetRecord
{
  OcUses *uses;        /* borrowed */
  GHashTable *refused; /* a set of permission and detail */
};

OcNetRecord *
oc_net_record_new (OcUses *uses)
{
  OcNetRecord *self = g_new0 (OcNetRecord, 1);

  self->uses = uses;
  self->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

void
oc_net_record_free (OcNetRecord *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->refused);
  g_free (self);
}

/* As a host is written in front of a port. */
static char *
dup_host (const OcNetName *name)
{
  const char *text = oc_net_name_get_text (name);

  return strchr (text, ':') != NULL ? g_strdup_printf ("[%s]", text) : g_strdup (text);
}

void
oc_net_record_connection (OcNetRecord *self, const char *grant, const OcNetName *name, guint16 port)
{
  g_autofree char *permission = g_strdup_printf ("net:%s", grant);
  g_autofree char *host = dup_host (name);
  g_autofree char *detail = g_strdup_printf ("%s:%u", host, port);

  oc_uses_add (self->uses, permission, "connect", detail, NULL, TRUE);
}

/* @host: (nullable): with a port that is not the web's. */
static void
add_refused (OcNetRecord *self, const char *method, const char *host, const char *detail)
{
  g_autoptr (OcPermission) permission = host != NULL
                                            ? oc_permission_new (OC_PERMISSION_NET, host, NULL)
                                            : NULL;
  const char *text = permission != NULL ? oc_permission_get_text (permission) : "net";
  g_autofree char *key = g_strdup_printf ("%s\x1f%s\x1f%s", text, method, detail);

  if (g_hash_table_contains (self->refused, key))
    oc_uses_add (self->uses, text, method, detail, NULL, FALSE);
  else if (g_hash_table_size (self->refused) >= OC_NET_RECORD_MAX_REFUSED)
    oc_uses_add (self->uses, "net", method, NULL, NULL, FALSE);
  else
    {
      oc_uses_add (self->uses, text, method, detail, NULL, FALSE);
      g_hash_table_add (self->refused, g_steal_pointer (&key));
    }
}

/* As a manifest would have it. */
static char *
make_host (const char *text, guint16 port)
{
  if (port == OC_NET_HTTP_PORT || port == OC_NET_HTTPS_PORT)
    return g_strdup (text);
  return g_strdup_printf ("%s:%u", text, port);
}

void
oc_net_record_unknown_name (OcNetRecord *self, const char *name, guint16 type)
{
  const char *text = name != NULL ? name : "";
  g_autofree char *key = g_strdup_printf ("net:%s\x1fresolve\x1f%s", text, text);

  /* Most programs ask for both kinds of address at once, of which one is enough to tell. */
  if (type == OC_DNS_TYPE_AAAA && name != NULL && g_hash_table_contains (self->refused, key))
    return;
  add_refused (self, "resolve", name, name);
}

void
oc_net_record_refused (OcNetRecord *self,
                       const char *method,
                       const OcNetName *name,
                       const struct in6_addr *address,
                       guint16 port)
{
  g_autofree char *text = name != NULL ? dup_host (name) : oc_address_to_text (address);
  g_autofree char *detail = g_strdup_printf ("%s:%u", text, port);
  g_autofree char *host = make_host (text, port);

  /* No permission for a host is one for datagrams. */
  add_refused (self, method, strcmp (method, "send") == 0 ? NULL : host, detail);
}

void
oc_net_record_led_astray (OcNetRecord *self,
                          const OcNetName *name,
                          guint16 port,
                          const struct in6_addr *address,
                          OcAddressKind kind)
{
  g_autofree char *text = oc_address_to_text (address);
  g_autofree char *detail = g_strdup_printf ("%s:%u → %s (%s)", oc_net_name_get_text (name), port,
                                             text, oc_address_kind_to_id (kind));
  g_autofree char *host = make_host (oc_net_name_get_text (name), port);

  add_refused (self, "connect", host, detail);
}
