/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-sandbox-flat.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Not 0: with core_pattern a pipe, 0 still starts the host's crash handler on the plugin's memory,
 * outside the sandbox; 1 is the value that does not (core(5)). No file is written either: it would
 * be cut to one byte. */
#define CORE_LIMIT 1
/* Counted for each user: a plugin that used up the user's would keep the rest of the session from
 * making timers. */
#define PENDING_SIGNALS 1024

/* The denied paths as a tree while it is made; then laid out so that a node's children lie
 * together. */
typedef struct _Branch Branch;
struct _Branch
{
  char *name; /* owned by OcFlat.names */
  gboolean denied;
  GPtrArray *children; /* (element-type Branch): in the order of the sorted paths */
};

static Branch *
branch_new (char *name)
{
  Branch *self = g_new0 (Branch, 1);

  self->name = name;
  self->children = g_ptr_array_new ();
  return self;
}

static void
branch_free (Branch *self)
{
  for (guint i = 0; i < self->children->len; i++)
    branch_free (self->children->pdata[i]);
  g_ptr_array_unref (self->children);
  g_free (self);
}

static Branch *
branch_get_child (Branch *self, const char *name, GPtrArray *names)
{
  Branch *child;

  for (guint i = self->children->len; i > 0; i--)
    {
      child = self->children->pdata[i - 1];
      if (strcmp (child->name, name) == 0)
        return child;
    }
  child = branch_new (g_strdup (name));
  g_ptr_array_add (names, child->name);
  g_ptr_array_add (self->children, child);
  return child;
}

static void
branch_add_path (Branch *self, const char *path, GPtrArray *names)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);

  for (gsize i = 0; parts[i] != NULL; i++)
    if (parts[i][0] != '\0')
      {
        if (self->denied) /* all below is, too */
          return;
        self = branch_get_child (self, parts[i], names);
      }
  self->denied = TRUE;
}

static int
compare_branches (gconstpointer a, gconstpointer b)
{
  const Branch *const *branch_a = a, *const *branch_b = b;

  return strcmp ((*branch_a)->name, (*branch_b)->name);
}

/* Breadth first: @at is where @branch's node is. */
static void
lay_out (Branch *branch, guint at, GArray *nodes)
{
  guint first = nodes->len;

  if (branch->denied || branch->children->len == 0)
    return;
  g_ptr_array_sort (branch->children, compare_branches);
  g_array_index (nodes, OcNode, at).first_child = first;
  g_array_index (nodes, OcNode, at).n_children = branch->children->len;
  for (guint i = 0; i < branch->children->len; i++)
    {
      const Branch *child = branch->children->pdata[i];
      OcNode node = { .name = child->name, .denied = child->denied };

      g_array_append_val (nodes, node);
    }
  for (guint i = 0; i < branch->children->len; i++)
    lay_out (branch->children->pdata[i], first + i, nodes);
}

static void
add_nodes (OcFlat *self, OcPlan *plan)
{
  Branch *root = branch_new (NULL);
  OcNode node = { .name = "/" };

  for (guint i = 0; i < plan->denied->len; i++)
    branch_add_path (root, plan->denied->pdata[i], self->names);
  g_array_append_val (self->nodes, node);
  lay_out (root, 0, self->nodes);
  branch_free (root);
  self->stage.nodes = (const OcNode *)self->nodes->data;
  self->stage.n_nodes = self->nodes->len;
}

static void
add_limit (OcStage *stage, int resource, guint64 value)
{
  g_assert (stage->n_limits < OC_STAGE_MAX_LIMITS);
  stage->limits[stage->n_limits++] = (OcStageLimit){ .resource = resource, .value = value };
}

static void
add_limits (OcStage *stage, const OcLimits *limits)
{
  add_limit (stage, RLIMIT_CORE, CORE_LIMIT);
  add_limit (stage, RLIMIT_RTPRIO, 0);
  add_limit (stage, RLIMIT_SIGPENDING, PENDING_SIGNALS);
  add_limit (stage, RLIMIT_MSGQUEUE, 0);
  if (limits->address_space != 0)
    add_limit (stage, RLIMIT_AS, limits->address_space);
  if (limits->file_size != 0)
    add_limit (stage, RLIMIT_FSIZE, limits->file_size);
  if (limits->open_files != 0)
    add_limit (stage, RLIMIT_NOFILE, limits->open_files);
  if (limits->processes != 0)
    add_limit (stage, RLIMIT_NPROC, limits->processes);
}

static void
add_ports (OcStage *stage, OcNetNames *names)
{
  const guint16 *ports;

  G_STATIC_ASSERT (OC_NET_MAX_PORTS <= OC_STAGE_MAX_PORTS);
  G_STATIC_ASSERT (OC_LISTENER_FIRST_PORT + OC_STAGE_MAX_PORTS <= OC_REPORT_MAX_FDS);
  if (names == NULL)
    return;
  stage->named_hosts = true;
  ports = oc_net_names_get_ports (names, &stage->n_ports);
  if (stage->n_ports > 0)
    memcpy (stage->ports, ports, stage->n_ports * sizeof *ports);
}

OcFlat *
oc_flat_new (OcPlan *plan)
{
  OcFlat *self = g_new0 (OcFlat, 1);
  OcStage *stage = &self->stage;

  self->ops = g_array_new (FALSE, TRUE, sizeof (OcOp));
  self->nodes = g_array_new (FALSE, TRUE, sizeof (OcNode));
  self->names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < plan->places->len; i++)
    {
      OcPlace *place = plan->places->pdata[i];
      OcOp op = { .kind = place->kind, .path = place->path, .fd = -1 };

      op.points = (const char *const *)place->points->pdata;
      op.n_points = place->points->len;
      op.content = place->content;
      op.optional = place->kind == OC_OP_MASK || place->kind == OC_OP_CONTENT;
      g_array_append_val (self->ops, op);
    }
  stage->ops = (OcOp *)(gpointer)self->ops->data;
  stage->n_ops = self->ops->len;
  if (plan->role == OC_ROLE_WORKER)
    add_nodes (self, plan);
  add_limits (stage, &plan->limits);
  stage->mounts_fd = -1;
  stage->uid = geteuid ();
  stage->gid = getegid ();
  stage->private_network = plan->network != OC_NETWORK_CLIENT;
  stage->sockets = plan->network != OC_NETWORK_NONE;
  /* Of named hosts the broker tells. */
  stage->watched = plan->network == OC_NETWORK_CLIENT;
  add_ports (stage, plan->names);
  stage->working_folder = plan->data_folder;
  return self;
}

void
oc_flat_free (OcFlat *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->ops);
  g_array_unref (self->nodes);
  g_ptr_array_unref (self->names);
  g_free (self);
}
