/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where only named hosts are reached: who they are, and what programs look names up with. */
#include <stdlib.h>
#include <string.h>

#include "launcher/oc-plan-private.h"

/* Programs that look up names by themselves read these: the C library, c-ares, Go, musl. Where one
 * is missing they all go to 127.0.0.1, port 53, which is right too. The host's own would say what
 * its network is called, and name servers that are not reached from inside. What else nsswitch.conf
 * names (resolve, mymachines, nscd, sss) works over Unix sockets, is refused, and so passed over.
 */
static const struct
{
  const char *path;
  const char *content;
  const char *reason;
} contents[] = {
  { "/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n",
    "names of this computer and its network" },
  { "/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:5\n", "where names are looked up" },
};

gboolean
oc_plan_add_network (OcPlan *self, GError **error)
{
  if (self->network != OC_NETWORK_HOSTS)
    return TRUE;
  self->names = oc_net_names_new ((const char *const *)self->hosts, error);
  if (self->names == NULL)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      /* Often a symbolic link into /run. */
      g_autofree char *path = realpath (contents[i].path, NULL);
      OcPlace *place;

      if (path == NULL)
        continue;
      place = oc_place_new (OC_OP_CONTENT, path, contents[i].reason);
      place->content = contents[i].content;
      g_ptr_array_add (self->places, place);
    }
  return TRUE;
}

OcNetNames *
oc_plan_get_names (OcPlan *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return self->names;
}
