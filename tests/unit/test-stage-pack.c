/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stage as bytes: what is read is what was written, and nothing else can be read. */
#include <string.h>

#include "launcher/oc-sandbox-private.h"

#include <glib.h>

#define N_CHANGES 20000

static const char *const points[] = { "a", "a/b" };
static const char *const argv[] = { "program", "--bind", "", "a\nb\xff", NULL };
static const char *const env[] = { "HOME=/home/u", NULL };
static const OcNode nodes[] = { { .name = "/", .first_child = 1, .n_children = 2 },
                                { .name = "etc", .denied = true },
                                { .name = "home", .first_child = 3, .n_children = 1 },
                                { .name = "u", .denied = true } };

static OcStage
make_stage (OcOp *ops)
{
  OcStage stage = { .uid = 1000, .gid = 1001, .private_network = true, .sockets = true, .named_hosts = true,
                    .ports = { 443, 8080 }, .n_ports = 2, .ops = ops, .n_ops = 3, .nodes = nodes,
                    .n_nodes = G_N_ELEMENTS (nodes), .limits = { { 4, 1 }, { 9, G_MAXUINT64 } }, .n_limits = 2,
                    .working_folder = "/data", .program = "/bin/true", .argv = argv, .env = env,
                    .fds = { -1, 22, -1, 25, 26 }, .ready_fd = 19, .status_fd = 20, .life_fd = 21, .outside = { 1, 2, 3, 4, 5, 6, 7 } };

  ops[0] = (OcOp){ .kind = OC_OP_MASK, .path = "/home/u/.ssh", .optional = true };
  ops[1] = (OcOp){ .kind = OC_OP_HIDE, .path = "/home/u/o c", .points = points, .n_points = 2 };
  ops[2] = (OcOp){ .kind = OC_OP_CONTENT, .path = "/etc/hosts", .content = "x\n", .device = 7, .inode = G_MAXUINT64 };
  return stage;
}

static char *
pack (gsize *size)
{
  OcOp ops[3];
  OcStage stage = make_stage (ops);
  char *bytes;

  *size = oc_stage_pack (&stage, NULL, 0);
  bytes = g_malloc (*size);
  g_assert_cmpuint (oc_stage_pack (&stage, bytes, *size), ==, *size);
  /* One byte too few is not written over. */
  {
    g_autofree char *small = g_malloc (*size - 1);

    g_assert_cmpuint (oc_stage_pack (&stage, small, *size - 1), ==, 0);
  }
  return bytes;
}

static void
test_round_trip (void)
{
  gsize size;
  g_autofree char *bytes = pack (&size);
  g_autofree char *again = g_malloc (size);
  OcStage stage;

  g_assert_true (oc_stage_unpack (&stage, bytes, size));
  g_assert_cmpuint (stage.uid, ==, 1000);
  g_assert_cmpuint (stage.gid, ==, 1001);
  g_assert_true (stage.private_network && stage.sockets && stage.named_hosts);
  g_assert_cmpuint (stage.ports[1], ==, 8080);
  g_assert_cmpuint (stage.n_ops, ==, 3);
  g_assert_cmpint (stage.ops[1].kind, ==, OC_OP_HIDE);
  g_assert_cmpstr (stage.ops[1].points[1], ==, "a/b");
  g_assert_true (stage.ops[0].optional && !stage.ops[1].optional);
  g_assert_cmpstr (stage.ops[2].content, ==, "x\n");
  g_assert_cmpuint (stage.ops[2].inode, ==, G_MAXUINT64);
  g_assert_cmpint (stage.ops[2].fd, ==, -1);
  g_assert_cmpuint (stage.nodes[2].first_child, ==, 3);
  g_assert_true (stage.nodes[3].denied);
  g_assert_cmpuint (stage.limits[1].value, ==, G_MAXUINT64);
  g_assert_cmpstr (stage.argv[3], ==, "a\nb\xff");
  g_assert_null (stage.argv[4]);
  g_assert_cmpstr (stage.env[0], ==, "HOME=/home/u");
  g_assert_cmpint (stage.fds[0], ==, -1);
  g_assert_cmpint (stage.fds[4], ==, 26);
  g_assert_cmpuint (stage.outside[6], ==, 7);
  g_assert_cmpint (stage.mounts_fd, ==, -1);
  /* Whatever is in it: the same bytes come of it. */
  g_assert_cmpuint (oc_stage_pack (&stage, again, size), ==, size);
  g_assert_cmpmem (again, size, bytes, size);
}

static void
test_cut (void)
{
  gsize size;
  g_autofree char *bytes = pack (&size);
  OcStage stage;

  for (gsize i = 0; i < size; i++)
    {
      /* Memory of just this size, so that a sanitizer sees what is read beyond it. */
      g_autofree char *cut = g_memdup2 (bytes, i);

      g_assert_false (oc_stage_unpack (&stage, cut, i));
    }
  {
    g_autofree char *longer = g_malloc0 (size + 1);

    memcpy (longer, bytes, size);
    g_assert_false (oc_stage_unpack (&stage, longer, size + 1));
  }
}

static void
walk (const OcStage *stage)
{
  gsize length = strlen (stage->program) + strlen (stage->working_folder);

  for (gsize i = 0; i < stage->n_ops; i++)
    {
      length += strlen (stage->ops[i].path);
      for (gsize j = 0; j < stage->ops[i].n_points; j++)
        length += strlen (stage->ops[i].points[j]);
    }
  for (gsize i = 0; i < stage->n_nodes; i++)
    {
      g_assert_true (stage->nodes[i].n_children == 0
                     || (stage->nodes[i].first_child > i
                         && (gsize) stage->nodes[i].first_child + stage->nodes[i].n_children <= stage->n_nodes));
      length += strlen (stage->nodes[i].name);
    }
  for (gsize i = 0; stage->argv[i] != NULL; i++)
    length += strlen (stage->argv[i]);
  g_assert_cmpuint (stage->n_limits, <=, OC_STAGE_MAX_LIMITS);
  g_assert_cmpuint (stage->n_ports, <=, OC_STAGE_MAX_PORTS);
  g_assert_cmpuint (length, >, 0);
}

/* Either refused, or all of it can be used. */
static void
test_changed (void)
{
  gsize size;
  g_autofree char *bytes = pack (&size);
  guint n_read = 0;

  for (guint i = 0; i < N_CHANGES; i++)
    {
      g_autofree char *changed = g_memdup2 (bytes, size);
      OcStage stage;

      for (int n = g_test_rand_int_range (1, 4); n > 0; n--)
        changed[g_test_rand_int_range (0, (gint32) size)] = (char) g_test_rand_int_range (0, 256);
      if (!oc_stage_unpack (&stage, changed, size))
        continue;
      walk (&stage);
      n_read++;
    }
  g_test_message ("%u of %d could be read", n_read, N_CHANGES);
  g_assert_cmpuint (n_read, >, 0);
  g_assert_cmpuint (n_read, <, N_CHANGES);
}

int
main (int argc,
      char **arguments)
{
  g_test_init (&argc, &arguments, NULL);
  g_test_add_func ("/stage-pack/round-trip", test_round_trip);
  g_test_add_func ("/stage-pack/cut", test_cut);
  g_test_add_func ("/stage-pack/changed", test_changed);
  return g_test_run ();
}
