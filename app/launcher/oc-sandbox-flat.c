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

/* Those of the paths that lie below the node at @at: from @begin on, before @end. */
typedef struct
{
  guint at;
  guint begin;
  guint end;
} Group;

/* @offset: where the node's own name ends in each of the paths. */
static void
lay_out (OcFlat *self, GPtrArray *paths, const Group *node, gsize offset)
{
  g_autoptr (GArray) groups = NULL;
  const char *path = paths->pdata[node->begin];

  /* It comes first, and all that lies below it is denied with it. */
  if (path[offset] == '\0')
    {
      g_array_index (self->nodes, OcNode, node->at).denied = TRUE;
      return;
    }
  groups = g_array_new (FALSE, FALSE, sizeof (Group));
  g_array_index (self->nodes, OcNode, node->at).first_child = self->nodes->len;
  for (guint i = node->begin; i < node->end;)
    {
      const char *name = (const char *)paths->pdata[i] + offset + 1;
      gsize length = strcspn (name, "/");
      Group group = { .at = self->nodes->len, .begin = i };
      OcNode child = { .name = g_strndup (name, length) };

      g_ptr_array_add (self->names, (gpointer)child.name);
      for (; i < node->end; i++)
        {
          const char *other = (const char *)paths->pdata[i] + offset + 1;

          if (strncmp (other, name, length) != 0 || (other[length] != '/' && other[length] != '\0'))
            break;
        }
      group.end = i;
      g_array_append_val (groups, group);
      g_array_append_val (self->nodes, child);
    }
  g_array_index (self->nodes, OcNode, node->at).n_children = groups->len;
  for (guint i = 0; i < groups->len; i++)
    {
      const Group *group = &g_array_index (groups, Group, i);

      lay_out (self, paths, group,
               offset + 1 + strlen (g_array_index (self->nodes, OcNode, group->at).name));
    }
}

/* So that a node's children lie together, and in order. */
static void
add_nodes (OcFlat *self, OcPlan *plan)
{
  Group all = { .at = 0, .begin = 0, .end = plan->denied->len };
  OcNode root = { .name = "/" };

  g_array_append_val (self->nodes, root);
  if (all.end > 0)
    lay_out (self, plan->denied, &all, 0);
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
