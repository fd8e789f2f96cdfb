/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>

#include "core/oc-catalogue-use.h"

static char *
describe (const char *method,
          const char *detail,
          const char *program,
          gboolean allowed)
{
  const OcUse use = { .method = (char *) method, .detail = (char *) detail, .program = (char *) program, .allowed = allowed };

  return oc_catalogue_describe_use (&use);
}

static const struct
{
  const char *method, *detail, *program;
  gboolean allowed;
  const char *expected;
} cases[] = {
  { "socket", "AF_INET", "curl", FALSE, "curl tried to open a network socket" },
  { "socket", "AF_INET6", "curl", FALSE, "curl tried to open a network socket for IPv6" },
  { "trace", "ptrace", "gdb", FALSE, "gdb tried to look into another program (ptrace)" },
  { "special-socket", "AF_NETLINK", "ip", FALSE, "ip tried to open a special kind of socket (AF_NETLINK)" },
  { "socket", "", NULL, FALSE, "The plugin tried to open a network socket" },
  { "connect", "192.0.2.1:443", "curl", TRUE, "curl asked for a connection to 192.0.2.1:443" },
  { "connect", "", NULL, TRUE, "The plugin asked for connections to more places" },
  { "connect", "example.org:443", NULL, FALSE, "The plugin tried to connect to example.org:443" },
  { "resolve", "example.org", NULL, FALSE, "The plugin asked for the address of example.org" },
  { "udp", "", "dig", TRUE, "dig opened a socket to send data by UDP" },
  /* Names are data. */
  { "connect", "%s", "%s", TRUE, "%s asked for a connection to %s" },
  { "connect", "%1$s", "%2$s", TRUE, "%2$s asked for a connection to %1$s" },
  { "socket", "AF_INET", "a\x1b[31mb", FALSE, "a\\x1b[31mb tried to open a network socket" },
  { "socket", "AF_INET", "\xff", FALSE, "\\xff tried to open a network socket" },
  /* The host API says what it is by itself; what is refused there is not what is allowed. */
  { "file.readText", "/x", NULL, FALSE, NULL },
  { "socket", "AF_INET", "curl", TRUE, NULL },
  { "udp", "", "dig", FALSE, NULL },
  { "", "", NULL, FALSE, NULL },
};

static void
test_sentences (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *got = describe (cases[i].method, cases[i].detail, cases[i].program, cases[i].allowed);

      g_assert_cmpstr (got, ==, cases[i].expected);
    }
}

static void
test_counted (void)
{
  OcUse use = { .method = (char *) "socket", .detail = (char *) "AF_INET", .program = (char *) "curl", .count = 1 };
  g_autofree char *once = oc_catalogue_describe_use_counted (&use);
  g_autofree char *often = NULL;

  g_assert_cmpstr (once, ==, "curl tried to open a network socket");
  use.count = 3;
  often = oc_catalogue_describe_use_counted (&use);
  g_assert_cmpstr (often, ==, "curl tried to open a network socket (3 times)");
  use.method = (char *) "storage.get";
  g_assert_null (oc_catalogue_describe_use_counted (&use));
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/catalogue-use/sentences", test_sentences);
  g_test_add_func ("/catalogue-use/counted", test_counted);
  return g_test_run ();
}
