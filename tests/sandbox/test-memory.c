/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sandbox that uses more memory than it may is ended; one that only shares, or reserves, is not. */
#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

#include "launcher/oc-memory.h"
#include "sandbox-host.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)
#define LIMIT (256 * MIB)
/* A look each 100 ms: this is ten of them, and more where the machine is slow. */
#define CALM_MS 1000
#define DEADLINE_MS 60000

typedef struct
{
  const char *name;
  const char *code; /* Python; prints a line when it has what it wants, then stays */
  gboolean ended;
  gboolean inferred; /* from what the whole system holds, which misses some now and then (see README): by hand, with OC_TEST_INFERRED */
} Case;

#define STAY "\nprint ('there', flush=True)\ntime.sleep (600)\n"
/* In a thread: until it is the only one. */
#define ALONE "  while open ('/proc/self/stat').read ().split (') ')[1][0] != 'Z': pass\n"
#define LEAVE "threading.Thread (target=work).start ()\nctypes.CDLL (None).syscall (60, 0)"
/* Twenty, each of them too small to be noticed by itself. */
#define MEMFDS(then)                                                                                                       \
  "for i in range (20):\n  f = os.memfd_create ('x')\n  for j in range (40): os.write (f, b'x' * (1 << 20))\n  " then

static const Case cases[] = {
  { "private", "import time\nb = bytearray (400 << 20)" STAY, TRUE },
  { "memfd", "import os, time\nf = os.memfd_create ('x')\nfor i in range (400): os.write (f, b'x' * (1 << 20))" STAY, TRUE },
  { "shared-mapping", "import mmap, time\nm = mmap.mmap (-1, 400 << 20)\nm.write (b'x' * (400 << 20))" STAY, TRUE },
  { "several-processes",
    "import os, time\nfor i in range (8):\n  if os.fork () == 0:\n    b = bytearray (50 << 20)\n    time.sleep (600)" STAY, TRUE },
  { "of-a-thread",
    "import os, threading, time\ndef work ():\n  if os.fork () == 0:\n    b = bytearray (400 << 20)\n    time.sleep (600)\n  time.sleep (600)\n"
    "threading.Thread (target=work).start ()" STAY, TRUE },
  /* Where it is not seen at once: in threads whose first one is gone, which the kernel then tells nothing of; in descriptors of a
   * thread's own; in one that is closed or on its way; in what has no descriptor, and no page of which is mapped. */
  { "first-thread-gone",
    "import ctypes, os, threading, time\ndef work ():\n" ALONE "  b = bytearray (400 << 20)\n  time.sleep (600)\n" LEAVE, TRUE },
  { "memfd-first-thread-gone",
    "import ctypes, os, threading, time\ndef work ():\n" ALONE "  f = os.memfd_create ('x')\n"
    "  for i in range (400): os.write (f, b'x' * (1 << 20))\n  time.sleep (600)\n" LEAVE, TRUE },
  { "memfd-of-undumpable", "import ctypes, os, time\nctypes.CDLL (None).prctl (4, 0)\n" MEMFDS ("pass") STAY, TRUE },
  { "memfd-closed", "import mmap, os, time\nm = []\n" MEMFDS ("m.append (mmap.mmap (f, 4096)); os.closerange (3, 64)") STAY, TRUE, TRUE },
  { "memfd-sent",
    "import os, socket, time\na, b = socket.socketpair ()\n" MEMFDS ("socket.send_fds (a, [b'x'], [f]); os.close (f)") STAY, TRUE, TRUE },
  { "shared-mapping-let-go",
    "import mmap, time\nm = mmap.mmap (-1, 800 << 20)\nfor i in range (800):\n  m.write (b'x' * (1 << 20))\n  m.madvise (4, i << 20, 1 << 20)"
    STAY, TRUE, TRUE },
  { "sockets",
    "import os, socket, time\nk = []\nfor i in range (6):\n  if os.fork () == 0: break\nfor i in range (340):\n  for s in socket.socketpair ():\n"
    "    k.append (s)\n    s.setblocking (False)\n    try:\n      while True: s.send (b'x' * 65536)\n    except BlockingIOError: pass"
    STAY, TRUE, TRUE },
  /* Controls. */
  { "little", "import time\nb = bytearray (64 << 20)" STAY, FALSE },
  { "shared-by-fork", "import os, time\nb = bytearray (100 << 20)\nfor i in range (8):\n  if os.fork () == 0: time.sleep (600)" STAY, FALSE },
  { "reserved-only", "import mmap, time\nm = mmap.mmap (-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)" STAY, FALSE },
  { "shared-mapping-once", "import mmap, time\nm = mmap.mmap (-1, 64 << 20)\nm.write (b'x' * (64 << 20))" STAY, FALSE },
  { "memfd-once",
    "import mmap, os, time\nf = os.memfd_create ('x')\nfor i in range (64): os.write (f, b'x' * (1 << 20))\nm = mmap.mmap (f, 64 << 20)\nm.read ()"
    STAY, FALSE },
  /* What no process has cannot be had: "there" where all three are not. */
  { "segments",
    "import ctypes, time\nc = ctypes.CDLL (None, use_errno=True)\n"
    "for call in (c.shmget, c.semget, c.msgget):\n  assert call (0, 1, 0o1600) == -1 and ctypes.get_errno () == 38" STAY, FALSE },
};

typedef struct
{
  GMainLoop *loop;
  gboolean exceeded;
} Seen;

static void
on_exceeded (gpointer data)
{
  Seen *seen = data;

  seen->exceeded = TRUE;
}

static gboolean
on_event (int fd, GIOCondition condition, gpointer data)
{
  g_main_loop_quit (((Seen *) data)->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
on_time (gpointer data)
{
  g_main_loop_quit (((Seen *) data)->loop);
  return G_SOURCE_REMOVE;
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = host_make_plan (host, OC_ROLE_WORKER, OC_NETWORK_NONE, &error);
  g_auto (GStrv) env = NULL;
  g_autoptr (OcProcess) process = NULL;
  g_autofree char *line = NULL;
  const char *argv[] = { "python3", "-I", "-S", "-c", self->code, NULL };
  Seen seen = { .loop = g_main_loop_new (NULL, FALSE) };
  OcMemoryWatch *watch;
  int out[2];

  g_assert_no_error (error);
  g_assert_true (oc_memory_check (&error));
  env = oc_plan_dup_environment (plan);
  g_assert_no_errno (pipe2 (out, O_CLOEXEC));
  process = oc_sandbox_start (
      plan, &(OcCommand){ "/usr/bin/python3", argv, (const char *const *) env, { -1, out[1], -1, -1, -1 } }, &error);
  g_assert_no_error (error);
  close (out[1]);
  watch = oc_memory_watch_new (process, LIMIT, on_exceeded, &seen, &error);
  g_assert_no_error (error);
  if (self->ended)
    {
      g_timeout_add (DEADLINE_MS, on_time, &seen);
      g_unix_fd_add (oc_process_get_pidfd (process), G_IO_IN, on_event, &seen);
      g_main_loop_run (seen.loop);
      g_assert_true (seen.exceeded);
    }
  else
    {
      line = host_read_line (out[0]);
      g_assert_cmpstr (line, ==, "there");
      g_timeout_add (CALM_MS, on_time, &seen);
      g_main_loop_run (seen.loop);
      g_assert_false (seen.exceeded);
    }
  oc_memory_watch_free (watch);
  close (out[0]);
  g_main_loop_unref (seen.loop);
}

/* Where memory runs out, the kernel chooses what is in the sandbox. */
static void
test_chosen_first (void)
{
  g_autoptr (Host) host = host_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (OcPlan) plan = host_make_plan (host, OC_ROLE_TOOL, OC_NETWORK_NONE, &error);
  const char *argv[] = { "cat", "/proc/self/oom_score_adj", NULL };
  const char *env[] = { NULL };
  g_autoptr (OcProcess) process = NULL;
  g_autofree char *output = NULL;
  int out[2];

  g_assert_no_error (error);
  g_assert_no_errno (pipe2 (out, O_CLOEXEC));
  process = oc_sandbox_start (plan, &(OcCommand){ "/bin/cat", argv, env, { -1, out[1], -1, -1, -1 } }, &error);
  g_assert_no_error (error);
  close (out[1]);
  output = host_read_all (out[0]);
  close (out[0]);
  g_assert_cmpstr (g_strstrip (output), ==, "1000");
}

static void
test_half_of_the_machine (void)
{
  guint64 all = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);

  g_assert_cmpuint (oc_memory_limit_here (MIB), ==, MIB);
  g_assert_cmpuint (oc_memory_limit_here (G_MAXUINT64), ==, all / 2);
  g_assert_cmpuint (oc_limits_get_default (OC_ROLE_WORKER)->memory, >, 0);
  g_assert_cmpuint (oc_limits_get_default (OC_ROLE_TOOL)->memory, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/memory/%s/%s", cases[i].ended ? "ends" : "leaves", cases[i].name);

      if (!cases[i].inferred || g_getenv ("OC_TEST_INFERRED") != NULL)
        g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/memory/chosen-first", test_chosen_first);
  g_test_add_func ("/memory/half-of-the-machine", test_half_of_the_machine);
  return g_test_run ();
}
