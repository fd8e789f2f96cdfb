/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-net-lookup.h"

#include "launcher/oc-net-address.h"
#include "launcher/oc-net-relay.h"

struct _OcNetWaiter
{
  OcNetLookupFunc func; /* NULL: cancelled */
  gpointer data;
};

/* One name. Refcounted, since the resolver's answer may come after the end. */
typedef struct
{
  char *name;
  OcNetLookup *owner;        /* borrowed; NULL: gone */
  GPtrArray *waiters;        /* (element-type OcNetWaiter) */
  GArray *addresses;         /* (element-type struct in6_addr) (nullable): the last answer */
  gint64 answered;           /* monotonic */
  GCancellable *cancellable; /* (nullable): a question is under way */
  guint timeout;
  guint idle;
} Name;

struct _OcNetLookup
{
  GResolver *resolver;
  GHashTable *names; /* borrowed name → owned Name */
};

static void
name_clear (gpointer data)
{
  Name *name = data;

  g_free (name->name);
  g_ptr_array_unref (name->waiters);
  g_clear_pointer (&name->addresses, g_array_unref);
  g_clear_object (&name->cancellable);
}

static void
name_unref (gpointer data)
{
  g_rc_box_release_full (data, name_clear);
}

/* The owner lets go. */
static void
name_drop (gpointer data)
{
  Name *name = data;

  name->owner = NULL;
  g_clear_handle_id (&name->timeout, g_source_remove);
  g_clear_handle_id (&name->idle, g_source_remove);
  if (name->cancellable != NULL)
    g_cancellable_cancel (name->cancellable);
  name_unref (name);
}

OcNetLookup *
oc_net_lookup_new (GResolver *resolver)
{
  OcNetLookup *self = g_new0 (OcNetLookup, 1);

  self->resolver = resolver != NULL ? g_object_ref (resolver) : NULL;
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, name_drop);
  return self;
}

void
oc_net_lookup_free (OcNetLookup *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->names);
  g_clear_object (&self->resolver);
  g_free (self);
}

static void
tell_waiters (Name *name)
{
  g_autoptr (GPtrArray) waiters = name->waiters;
  g_autoptr (GArray) addresses = g_array_ref (name->addresses);

  name->waiters = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < waiters->len; i++)
    {
      OcNetWaiter *waiter = waiters->pdata[i];

      /* One of them may cancel another, or free the owner. */
      if (waiter->func != NULL)
        waiter->func (addresses, waiter->data);
    }
}

static void
take_answer (Name *name, GList *inets)
{
  g_clear_pointer (&name->addresses, g_array_unref);
  name->addresses = g_array_new (FALSE, FALSE, sizeof (struct in6_addr));
  name->answered = g_get_monotonic_time ();
  for (GList *at = inets; at != NULL && name->addresses->len < OC_NET_LOOKUP_MAX; at = at->next)
    {
      struct in6_addr address;

      if (oc_address_from_inet (at->data, &address))
        g_array_append_val (name->addresses, address);
    }
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Name *name = data;
  g_autoptr (GError) error = NULL;
  GList *inets = g_resolver_lookup_by_name_finish (G_RESOLVER (source), result, &error);

  /* A question that timed out was answered already. */
  if (name->owner != NULL && name->cancellable != NULL
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      if (error != NULL)
        g_debug ("Looking up %s: %s", name->name, error->message);
      g_clear_object (&name->cancellable);
      g_clear_handle_id (&name->timeout, g_source_remove);
      take_answer (name, inets);
      tell_waiters (name);
    }
  if (inets != NULL)
    g_resolver_free_addresses (inets);
  name_unref (name);
}

static gboolean
on_timed_out (gpointer data)
{
  Name *name = data;

  name->timeout = 0;
  g_cancellable_cancel (name->cancellable);
  g_clear_object (&name->cancellable);
  take_answer (name, NULL);
  g_rc_box_acquire (name);
  tell_waiters (name);
  name_unref (name);
  return G_SOURCE_REMOVE;
}

static gboolean
on_kept (gpointer data)
{
  Name *name = data;

  name->idle = 0;
  g_rc_box_acquire (name);
  tell_waiters (name);
  name_unref (name);
  return G_SOURCE_REMOVE;
}

static void
ask (OcNetLookup *self, Name *name)
{
  /* The system's is made when it is first needed: that costs more than a run that connects to
   * nothing should pay. */
  if (self->resolver == NULL)
    self->resolver = g_resolver_get_default ();
  name->cancellable = g_cancellable_new ();
  name->timeout = g_timeout_add (OC_NET_LOOKUP_MS, on_timed_out, name);
  g_resolver_lookup_by_name_async (self->resolver, name->name, name->cancellable, on_answer,
                                   g_rc_box_acquire (name));
}

OcNetWaiter *
oc_net_lookup_start (OcNetLookup *self, const char *text, OcNetLookupFunc func, gpointer data)
{
  Name *name = g_hash_table_lookup (self->names, text);
  OcNetWaiter *waiter = g_new0 (OcNetWaiter, 1);
  gboolean kept;

  if (name == NULL)
    {
      name = g_rc_box_new0 (Name);
      name->name = g_strdup (text);
      name->owner = self;
      name->waiters = g_ptr_array_new_with_free_func (g_free);
      g_hash_table_insert (self->names, name->name, name);
    }
  waiter->func = func;
  waiter->data = data;
  g_ptr_array_add (name->waiters, waiter);
  kept = name->addresses != NULL && name->addresses->len > 0
         && g_get_monotonic_time () - name->answered < OC_NET_LOOKUP_KEEP_MS * 1000;
  if (name->cancellable != NULL || name->idle != 0)
    return waiter;
  if (kept)
    name->idle = g_idle_add_full (OC_NET_PRIORITY, on_kept, name, NULL);
  else
    ask (self, name);
  return waiter;
}

void
oc_net_lookup_cancel (OcNetWaiter *waiter)
{
  waiter->func = NULL;
}
