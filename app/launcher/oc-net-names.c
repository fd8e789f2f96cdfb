/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-names.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "core/oc-error.h"
#include "core/oc-permission.h"
#include "core/oc-text.h"

#define FIRST_FAKE_ADDRESS 0xc6120001U /* 198.18.0.1 */
#define LOCALHOST "localhost"

typedef struct
{
  guint16 port; /* 0: the two of the web */
  char *grant;
} Grant;

struct _OcNetName
{
  char *text;
  gboolean is_literal;
  gboolean is_name; /* found by name */
  struct in6_addr address;
  GArray *grants; /* (element-type Grant) */
};

struct _OcNetNames
{
  GPtrArray *names;       /* (element-type OcNetName) */
  GHashTable *by_name;    /* borrowed → borrowed */
  GHashTable *by_address; /* borrowed struct in6_addr → borrowed */
  GArray *ports;          /* (element-type guint16) */
};

static void
grant_clear (gpointer data)
{
  g_free (((Grant *)data)->grant);
}

static void
name_free (gpointer data)
{
  OcNetName *self = data;

  g_free (self->text);
  g_array_unref (self->grants);
  g_free (self);
}

static guint
address_hash (gconstpointer data)
{
  const guint8 *bytes = data;
  guint hash = 5381;

  for (gsize i = 0; i < sizeof (struct in6_addr); i++)
    hash = hash * 33 + bytes[i];
  return hash;
}

static gboolean
address_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (struct in6_addr)) == 0;
}

static void
set_ipv4 (struct in6_addr *address, guint32 ipv4)
{
  guint32 network = htonl (ipv4);

  *address = (struct in6_addr){ 0 };
  address->s6_addr[10] = address->s6_addr[11] = 0xff;
  memcpy (&address->s6_addr[12], &network, sizeof network);
}

static void
names_clear (gpointer data)
{
  OcNetNames *self = data;

  g_hash_table_unref (self->by_name);
  g_hash_table_unref (self->by_address);
  g_ptr_array_unref (self->names);
  g_array_unref (self->ports);
}

/* @host: canonical. Cuts it into the name without brackets and the port, 0 for none. */
static char *
split (const char *host, guint16 *port)
{
  const char *bracket = strrchr (host, ']');
  const char *colon = strrchr (bracket != NULL ? bracket : host, ':');
  gsize length = colon != NULL ? (gsize)(colon - host) : strlen (host);

  *port = colon != NULL ? (guint16)strtoul (colon + 1, NULL, 10) : 0;
  return bracket != NULL ? g_strndup (host + 1, length - 2) : g_strndup (host, length);
}

static void
place_literal (OcNetName *name)
{
  struct in_addr ipv4;

  name->is_literal = TRUE;
  if (inet_pton (AF_INET, name->text, &ipv4) == 1)
    set_ipv4 (&name->address, ntohl (ipv4.s_addr));
  else if (inet_pton (AF_INET6, name->text, &name->address) != 1)
    {
      name->is_name = TRUE;
      name->is_literal = strcmp (name->text, LOCALHOST) == 0;
      set_ipv4 (&name->address, INADDR_LOOPBACK); /* for the one that is literal */
    }
}

static OcNetName *
ensure_name (OcNetNames *self, const char *text)
{
  OcNetName *name;

  for (guint i = 0; i < self->names->len; i++)
    {
      name = self->names->pdata[i];
      if (strcmp (name->text, text) == 0)
        return name;
    }
  name = g_new0 (OcNetName, 1);
  name->text = g_strdup (text);
  name->grants = g_array_new (FALSE, FALSE, sizeof (Grant));
  g_array_set_clear_func (name->grants, grant_clear);
  place_literal (name);
  g_ptr_array_add (self->names, name);
  return name;
}

static int
compare_ports (gconstpointer a, gconstpointer b)
{
  return *(const guint16 *)a - *(const guint16 *)b;
}

static void
add_port (OcNetNames *self, guint16 port)
{
  if (port == OC_NET_DNS_PORT)
    return;
  for (guint i = 0; i < self->ports->len; i++)
    if (g_array_index (self->ports, guint16, i) == port)
      return;
  g_array_append_val (self->ports, port);
}

static gboolean
add_host (OcNetNames *self, const char *host, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  g_autoptr (OcPermission) permission = oc_permission_new (OC_PERMISSION_NET, host, &wrong);
  g_autofree char *text = NULL;
  OcNetName *name;
  Grant grant;

  if (permission == NULL)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "network: %s", wrong->message);
      return FALSE;
    }
  text = split (oc_permission_get_argument (permission), &grant.port);
  name = ensure_name (self, text);
  grant.grant = g_strdup (oc_permission_get_argument (permission));
  g_array_append_val (name->grants, grant);
  if (grant.port != 0)
    add_port (self, grant.port);
  else
    {
      add_port (self, OC_NET_HTTP_PORT);
      add_port (self, OC_NET_HTTPS_PORT);
    }
  return TRUE;
}

/* "localhost" and its own address lead to the same place, so each may do what the other may. */
static void
index_localhost (OcNetNames *self, OcNetName *name, const struct in6_addr *address)
{
  OcNetName *literal = g_hash_table_lookup (self->by_address, address);

  if (literal == NULL)
    g_hash_table_insert (self->by_address, (gpointer)address, name);
  for (guint i = 0; literal != NULL && i < name->grants->len; i++)
    {
      Grant grant = g_array_index (name->grants, Grant, i);

      grant.grant = g_strdup (grant.grant);
      g_array_append_val (literal->grants, grant);
    }
}

static void
index_names (OcNetNames *self)
{
  static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
  guint32 next = FIRST_FAKE_ADDRESS;

  for (guint i = 0; i < self->names->len; i++)
    {
      OcNetName *name = self->names->pdata[i];

      if (name->is_name)
        g_hash_table_insert (self->by_name, name->text, name);
      else
        g_hash_table_insert (self->by_address, &name->address, name);
    }
  for (guint i = 0; i < self->names->len; i++)
    {
      OcNetName *name = self->names->pdata[i];

      if (name->is_name && name->is_literal)
        {
          index_localhost (self, name, &name->address);
          index_localhost (self, name, &loopback);
        }
      else if (name->is_name)
        {
          do
            set_ipv4 (&name->address, next++);
          while (g_hash_table_contains (self->by_address, &name->address));
          g_hash_table_insert (self->by_address, &name->address, name);
        }
    }
}

OcNetNames *
oc_net_names_new (const char *const *hosts, GError **error)
{
  g_autoptr (OcNetNames) self = g_atomic_rc_box_new0 (OcNetNames);

  self->names = g_ptr_array_new_with_free_func (name_free);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->by_address = g_hash_table_new (address_hash, address_equal);
  self->ports = g_array_new (FALSE, FALSE, sizeof (guint16));
  for (gsize i = 0; hosts != NULL && hosts[i] != NULL; i++)
    {
      if (i >= OC_NET_MAX_HOSTS)
        {
          g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX, "network: more than %d hosts",
                       OC_NET_MAX_HOSTS);
          return NULL;
        }
      if (!add_host (self, hosts[i], error))
        return NULL;
    }
  if (self->ports->len > OC_NET_MAX_PORTS)
    {
      g_set_error (error, OC_ERROR, OC_ERROR_SANDBOX,
                   "network: the hosts have %u different ports, and %d are possible",
                   self->ports->len, OC_NET_MAX_PORTS);
      return NULL;
    }
  g_array_sort (self->ports, compare_ports);
  index_names (self);
  return g_steal_pointer (&self);
}

OcNetNames *
oc_net_names_ref (OcNetNames *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
oc_net_names_unref (OcNetNames *self)
{
  g_atomic_rc_box_release_full (self, names_clear);
}

const guint16 *
oc_net_names_get_ports (const OcNetNames *self, gsize *n)
{
  *n = self->ports->len;
  return (const guint16 *)(gconstpointer)self->ports->data;
}

const OcNetName *
oc_net_names_find (const OcNetNames *self, const char *name)
{
  return g_hash_table_lookup (self->by_name, name);
}

const OcNetName *
oc_net_names_find_address (const OcNetNames *self, const struct in6_addr *address)
{
  return g_hash_table_lookup (self->by_address, address);
}

const char *
oc_net_name_get_text (const OcNetName *self)
{
  return self->text;
}

gboolean
oc_net_name_is_literal (const OcNetName *self)
{
  return self->is_literal;
}

gboolean
oc_net_name_get_ipv4 (const OcNetName *self, guint8 address[4])
{
  if (!IN6_IS_ADDR_V4MAPPED (&self->address))
    return FALSE;
  memcpy (address, &self->address.s6_addr[12], 4);
  return TRUE;
}

const char *
oc_net_name_get_grant (const OcNetName *self, guint16 port)
{
  const char *found = NULL;

  for (guint i = 0; i < self->grants->len; i++)
    {
      const Grant *grant = &g_array_index (self->grants, Grant, i);

      if (grant->port == port && port != 0)
        return grant->grant;
      if (grant->port == 0 && (port == OC_NET_HTTP_PORT || port == OC_NET_HTTPS_PORT))
        found = grant->grant;
    }
  return found;
}
