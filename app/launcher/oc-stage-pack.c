/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stage as bytes in a sealed memory file: how it comes to bubblewrap's stage 2. One walk over the members serves both
 * directions, so that they cannot differ. Plain C: see oc-sandbox-private.h. What is read was written by the launcher; it is
 * checked all the same. */
#include <stdlib.h>
#include <string.h>

#include "launcher/oc-sandbox-private.h"

#define MAGIC 0x32656761745363f1ULL
/* Above what can be selected (oc-options.h), guarded and given on a command line. */
#define MAX_ITEMS (1u << 20)
#define NO_TEXT UINT64_MAX

/* A new member must be walked over below, too. */
#if __SIZEOF_POINTER__ == 8
_Static_assert (sizeof (OcOp) == 64, "OcOp has changed: walk over its new members in walk_op()");
_Static_assert (sizeof (OcNode) == 24, "OcNode has changed: walk over its new members in walk_node()");
_Static_assert (sizeof (OcStage) == 400, "OcStage has changed: walk over its new members in walk_stage(), unless only the direct executor has them");
#endif

typedef struct
{
  char *bytes; /* NULL: only measured */
  size_t at;
  size_t size;
  bool reading;
  bool bad;
} Walk;

/* Where the next @n bytes are; NULL: nowhere. */
static char *
take (Walk *walk, size_t n)
{
  char *place = walk->bytes != NULL ? walk->bytes + walk->at : NULL;

  if ((walk->bytes != NULL || walk->reading) && (walk->bad || n > walk->size - walk->at))
    {
      walk->bad = true;
      return NULL;
    }
  walk->at += n;
  return place;
}

static void
walk_number (Walk *walk, uint64_t *value)
{
  char *place = take (walk, sizeof *value);

  if (walk->reading)
    *value = 0;
  if (place == NULL)
    return;
  if (walk->reading)
    memcpy (value, place, sizeof *value);
  else
    memcpy (place, value, sizeof *value);
}

/* A number of any other type; it must fit. */
#define WALK(walk, member)                                                                         \
  do                                                                                               \
    {                                                                                              \
      uint64_t number = (uint64_t)(member);                                                        \
      walk_number (walk, &number);                                                                 \
      if ((walk)->reading)                                                                         \
        {                                                                                          \
          (member) = (__typeof__ (member))number;                                                  \
          if ((uint64_t)(member) != number)                                                        \
            (walk)->bad = true;                                                                    \
        }                                                                                          \
    }                                                                                              \
  while (0)

static void
walk_text (Walk *walk, const char **text)
{
  uint64_t length = *text != NULL ? strlen (*text) : NO_TEXT;
  char *place;

  walk_number (walk, &length);
  if (walk->reading)
    *text = NULL;
  if (length == NO_TEXT)
    return;
  if (walk->reading && length >= walk->size)
    {
      walk->bad = true;
      return;
    }
  place = take (walk, length + 1);
  if (place == NULL)
    return;
  if (!walk->reading)
    memcpy (place, *text, length + 1);
  else if (place[length] != '\0' || strlen (place) != length)
    walk->bad = true;
  else
    *text = place;
}

/* Items of at least eight bytes each. Returns memory for them where they are read. */
static void *
walk_count (Walk *walk, size_t *n, size_t size)
{
  void *items;

  WALK (walk, *n);
  if (!walk->reading)
    return NULL;
  if (walk->bad || *n > MAX_ITEMS || *n > (walk->size - walk->at) / 8)
    walk->bad = true;
  items = walk->bad ? NULL : calloc (*n + 1, size);
  if (items == NULL)
    {
      walk->bad = true;
      *n = 0;
    }
  return items;
}

/* NULL-terminated, where @counted is NULL. */
static void
walk_list (Walk *walk, const char *const **list, size_t *counted)
{
  const char **read;
  size_t n = counted != NULL ? *counted : 0;

  while (!walk->reading && counted == NULL && (*list)[n] != NULL)
    n++;
  read = walk_count (walk, &n, sizeof *read);
  for (size_t i = 0; i < n; i++)
    {
      const char *text = walk->reading ? NULL : (*list)[i];

      walk_text (walk, &text);
      if (walk->reading)
        {
          read[i] = text;
          walk->bad = walk->bad || text == NULL;
        }
    }
  if (walk->reading)
    *list = read;
  if (counted != NULL)
    *counted = n;
}

static void
walk_op (Walk *walk, OcOp *op)
{
  WALK (walk, op->kind);
  walk_text (walk, &op->path);
  walk_list (walk, &op->points, &op->n_points);
  walk_text (walk, &op->content);
  WALK (walk, op->optional);
  WALK (walk, op->device);
  WALK (walk, op->inode);
  if (!walk->reading)
    return;
  op->fd = -1;
  if (op->path == NULL || op->path[0] != '/' || op->kind > OC_OP_CONTENT
      || (op->kind == OC_OP_CONTENT && op->content == NULL))
    walk->bad = true;
}

static void
walk_node (Walk *walk, OcNode *node)
{
  walk_text (walk, &node->name);
  WALK (walk, node->first_child);
  WALK (walk, node->n_children);
  WALK (walk, node->denied);
}

static void
walk_ops (Walk *walk, OcStage *stage)
{
  OcOp *read = walk_count (walk, &stage->n_ops, sizeof *read);

  if (walk->reading)
    stage->ops = read;
  for (size_t i = 0; i < stage->n_ops && !walk->bad; i++)
    walk_op (walk, &stage->ops[i]);
}

static void
walk_nodes (Walk *walk, OcStage *stage)
{
  OcNode *read = walk_count (walk, &stage->n_nodes, sizeof *read);

  for (size_t i = 0; i < stage->n_nodes && !walk->bad; i++)
    {
      OcNode node = walk->reading ? (OcNode){ 0 } : stage->nodes[i];

      walk_node (walk, &node);
      /* Children come after their parent: no walk down the tree goes round in circles. */
      if (walk->reading && node.n_children > 0
          && (node.first_child <= i || node.first_child > stage->n_nodes
              || node.n_children > stage->n_nodes - node.first_child))
        walk->bad = true;
      if (walk->reading && node.name == NULL)
        walk->bad = true;
      if (walk->reading)
        read[i] = node;
    }
  if (walk->reading)
    stage->nodes = read;
}

static void
walk_limits (Walk *walk, OcStage *stage)
{
  WALK (walk, stage->n_limits);
  if (walk->reading && stage->n_limits > OC_STAGE_MAX_LIMITS)
    {
      walk->bad = true;
      return;
    }
  for (size_t i = 0; i < stage->n_limits; i++)
    {
      WALK (walk, stage->limits[i].resource);
      WALK (walk, stage->limits[i].value);
    }
}

static void
walk_ports (Walk *walk, OcStage *stage)
{
  WALK (walk, stage->named_hosts);
  WALK (walk, stage->n_ports);
  if (walk->reading && stage->n_ports > OC_STAGE_MAX_PORTS)
    {
      walk->bad = true;
      return;
    }
  for (size_t i = 0; i < stage->n_ports; i++)
    WALK (walk, stage->ports[i]);
}

static void
walk_descriptor (Walk *walk, int *fd)
{
  uint64_t number = *fd < 0 ? NO_TEXT : (uint64_t)*fd;

  walk_number (walk, &number);
  if (!walk->reading)
    return;
  *fd = number == NO_TEXT ? -1 : (int)number;
  if (number != NO_TEXT && number > INT32_MAX)
    walk->bad = true;
}

static void
walk_stage (Walk *walk, OcStage *stage)
{
  uint64_t magic = MAGIC;

  walk_number (walk, &magic);
  if (magic != MAGIC)
    walk->bad = true;
  WALK (walk, stage->uid);
  WALK (walk, stage->gid);
  WALK (walk, stage->private_network);
  WALK (walk, stage->sockets);
  WALK (walk, stage->watched);
  walk_ports (walk, stage);
  walk_ops (walk, stage);
  walk_nodes (walk, stage);
  walk_limits (walk, stage);
  walk_text (walk, &stage->working_folder);
  walk_text (walk, &stage->program);
  walk_list (walk, &stage->argv, NULL);
  walk_list (walk, &stage->env, NULL);
  for (size_t i = 0; i < 5; i++)
    walk_descriptor (walk, &stage->fds[i]);
  walk_descriptor (walk, &stage->ready_fd);
  walk_descriptor (walk, &stage->status_fd);
  walk_descriptor (walk, &stage->life_fd);
  for (size_t i = 0; i < OC_N_NAMESPACES; i++)
    WALK (walk, stage->outside[i]);
}

size_t
oc_stage_pack (const OcStage *stage, char *bytes, size_t size)
{
  Walk walk = { .bytes = bytes, .size = size };
  OcStage copy = *stage;

  walk_stage (&walk, &copy);
  return walk.bad ? 0 : walk.at;
}

bool
oc_stage_unpack (OcStage *stage, char *bytes, size_t size)
{
  Walk walk = { .bytes = bytes, .size = size, .reading = true };

  *stage = (OcStage){ .mounts_fd = -1 };
  walk_stage (&walk, stage);
  return !walk.bad && walk.at == size && stage->working_folder != NULL && stage->program != NULL
         && stage->ready_fd >= 0 && stage->status_fd >= 0 && stage->life_fd >= 0;
}
