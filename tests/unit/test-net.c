/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the network broker that look at bytes: names, addresses, questions, packets. No
 * socket is made. */
#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/oc-error.h"
#include "launcher/oc-net-address.h"
#include "launcher/oc-net-dns.h"
#include "launcher/oc-net-names.h"
#include "launcher/oc-net-record.h"
#include "launcher/oc-net-watch.h"

#define STRV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct in6_addr
parse (const char *text)
{
  g_autoptr (GInetAddress) inet = g_inet_address_new_from_string (text);
  struct in6_addr address;

  g_assert_nonnull (inet);
  g_assert_true (oc_address_from_inet (inet, &address));
  return address;
}

static const struct
{
  const char *text;
  OcAddressKind kind;
} addresses[] = {
  { "1.1.1.1", OC_ADDRESS_PUBLIC },
  { "9.255.255.255", OC_ADDRESS_PUBLIC },
  { "11.0.0.0", OC_ADDRESS_PUBLIC },
  { "100.63.255.255", OC_ADDRESS_PUBLIC },
  { "100.128.0.0", OC_ADDRESS_PUBLIC },
  { "126.255.255.255", OC_ADDRESS_PUBLIC },
  { "128.0.0.0", OC_ADDRESS_PUBLIC },
  { "169.253.255.255", OC_ADDRESS_PUBLIC },
  { "169.255.0.0", OC_ADDRESS_PUBLIC },
  { "172.15.255.255", OC_ADDRESS_PUBLIC },
  { "172.32.0.0", OC_ADDRESS_PUBLIC },
  { "192.0.1.0", OC_ADDRESS_PUBLIC },
  { "192.167.255.255", OC_ADDRESS_PUBLIC },
  { "192.169.0.0", OC_ADDRESS_PUBLIC },
  { "198.17.255.255", OC_ADDRESS_PUBLIC },
  { "198.20.0.0", OC_ADDRESS_PUBLIC },
  { "223.255.255.255", OC_ADDRESS_PUBLIC },
  { "0.0.0.0", OC_ADDRESS_LOOPBACK },
  { "0.255.255.255", OC_ADDRESS_LOOPBACK },
  { "127.0.0.1", OC_ADDRESS_LOOPBACK },
  { "127.255.255.255", OC_ADDRESS_LOOPBACK },
  { "10.0.0.0", OC_ADDRESS_PRIVATE },
  { "10.255.255.255", OC_ADDRESS_PRIVATE },
  { "100.64.0.0", OC_ADDRESS_PRIVATE },
  { "100.127.255.255", OC_ADDRESS_PRIVATE },
  { "172.16.0.0", OC_ADDRESS_PRIVATE },
  { "172.31.255.255", OC_ADDRESS_PRIVATE },
  { "192.168.0.0", OC_ADDRESS_PRIVATE },
  { "192.168.255.255", OC_ADDRESS_PRIVATE },
  { "169.254.169.254", OC_ADDRESS_LINK_LOCAL },
  { "192.0.0.8", OC_ADDRESS_RESERVED },
  { "192.0.2.1", OC_ADDRESS_RESERVED },
  { "192.88.99.1", OC_ADDRESS_RESERVED },
  { "198.18.0.1", OC_ADDRESS_RESERVED },
  { "198.19.255.255", OC_ADDRESS_RESERVED },
  { "198.51.100.1", OC_ADDRESS_RESERVED },
  { "203.0.113.1", OC_ADDRESS_RESERVED },
  { "224.0.0.1", OC_ADDRESS_RESERVED },
  { "239.255.255.255", OC_ADDRESS_RESERVED },
  { "240.0.0.1", OC_ADDRESS_RESERVED },
  { "255.255.255.255", OC_ADDRESS_RESERVED },
  { "2606:4700:4700::1111", OC_ADDRESS_PUBLIC },
  { "2001:4860:4860::8888", OC_ADDRESS_PUBLIC },
  { "2001:200::1", OC_ADDRESS_PUBLIC },
  { "::", OC_ADDRESS_LOOPBACK },
  { "::1", OC_ADDRESS_LOOPBACK },
  { "::2", OC_ADDRESS_RESERVED },
  { "::127.0.0.1", OC_ADDRESS_RESERVED },
  { "::ffff:127.0.0.1", OC_ADDRESS_LOOPBACK },
  { "::ffff:10.1.2.3", OC_ADDRESS_PRIVATE },
  { "::ffff:1.1.1.1", OC_ADDRESS_PUBLIC },
  { "::ffff:0:127.0.0.1", OC_ADDRESS_RESERVED },
  { "64:ff9b::7f00:1", OC_ADDRESS_LOOPBACK },
  { "64:ff9b::a9fe:a9fe", OC_ADDRESS_LINK_LOCAL },
  { "64:ff9b::101:101", OC_ADDRESS_PUBLIC },
  { "64:ff9b:1::7f00:1", OC_ADDRESS_RESERVED },
  { "100::1", OC_ADDRESS_RESERVED },
  { "2002:7f00:1::", OC_ADDRESS_LOOPBACK },
  { "2002:c0a8:101::1", OC_ADDRESS_PRIVATE },
  { "2002:101:101::1", OC_ADDRESS_PUBLIC },
  { "2001:0:4136:e378:8000:63bf:80ff:fffe", OC_ADDRESS_RESERVED },
  { "2001:1::1", OC_ADDRESS_RESERVED },
  { "2001:20::1", OC_ADDRESS_RESERVED },
  { "2001:db8::1", OC_ADDRESS_RESERVED },
  { "3fff:fff::1", OC_ADDRESS_RESERVED },
  { "2606:4700::5efe:a00:1", OC_ADDRESS_PRIVATE },
  { "2606:4700::200:5efe:7f00:1", OC_ADDRESS_LOOPBACK },
  { "fc00::1", OC_ADDRESS_PRIVATE },
  { "fdff::1", OC_ADDRESS_PRIVATE },
  { "fe80::1", OC_ADDRESS_LINK_LOCAL },
  { "febf::1", OC_ADDRESS_LINK_LOCAL },
  { "fec0::1", OC_ADDRESS_PRIVATE },
  { "ff02::1", OC_ADDRESS_RESERVED },
  { "4000::1", OC_ADDRESS_RESERVED },
  { "1fff::1", OC_ADDRESS_RESERVED },
};

static void
test_addresses (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (addresses); i++)
    {
      struct in6_addr address = parse (addresses[i].text);

      g_test_message ("%s: %s", addresses[i].text, oc_address_kind_to_id (addresses[i].kind));
      g_assert_cmpint (oc_address_classify (&address), ==, addresses[i].kind);
    }
}

/* The loopback device's at least is this computer's; so are whatever others it has. */
static void
test_own_addresses (void)
{
  struct in6_addr own = parse ("127.0.0.1"), public = parse ("1.1.1.1");

  g_assert_cmpint (oc_address_classify_here (&own), ==, OC_ADDRESS_LOOPBACK);
  g_assert_cmpint (oc_address_classify_here (&public), ==, OC_ADDRESS_PUBLIC);
}

/* In a network of its own, where 9.9.9.9/8 is this computer's: on the loopback device all of 9/8 is then. 0: as it must be. */
static int
look_at_own (void)
{
  static const char *const own[] = { "9.9.9.9", "9.1.2.3", "64:ff9b::909:909", "2002:909:909::1", "2600::5efe:909:909" };
  struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (0x09090909) };
  struct in6_addr public = parse ("8.8.8.8"), translated = parse ("64:ff9b::808:808");
  int fd;

  if (unshare (CLONE_NEWUSER | CLONE_NEWNET) != 0)
    return 77;
  fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl (fd, SIOCSIFFLAGS, &request) != 0)
    return 77;
  memcpy (&request.ifr_addr, &address, sizeof address);
  if (ioctl (fd, SIOCSIFADDR, &request) != 0)
    return 77;
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    {
      struct in6_addr one = parse (own[i]);

      if (oc_address_classify_here (&one) != OC_ADDRESS_OWN)
        return 1 + (int)i;
    }
  return oc_address_classify_here (&public) == OC_ADDRESS_PUBLIC
                 && oc_address_classify_here (&translated) == OC_ADDRESS_PUBLIC
             ? 0
             : 50;
}

/* What leads here by a route, or through a translator, is no less this computer's. */
static void
test_own_addresses_hidden (void)
{
  pid_t pid = fork ();
  int status;

  if (pid == 0)
    _exit (look_at_own ());
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == 77)
    g_test_skip ("no network namespace of its own can be made here");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static const char *
get_grant (OcNetNames *names, const char *name, guint16 port)
{
  const OcNetName *found = oc_net_names_find (names, name);

  return found != NULL ? oc_net_name_get_grant (found, port) : NULL;
}

static const char *
get_address_grant (OcNetNames *names, const char *text, guint16 port)
{
  struct in6_addr address = parse (text);
  const OcNetName *found = oc_net_names_find_address (names, &address);

  return found != NULL ? oc_net_name_get_grant (found, port) : NULL;
}

static void
test_names (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (OcNetNames) names = oc_net_names_new (
      STRV ("a.example", "a.example:8443", "b.example:81", "localhost:90", "127.0.0.1:91",
            "[2001:db8::1]", "198.18.0.1", "c.example:53"),
      &error);
  const guint16 *ports;
  guint8 ipv4[4];
  gsize n;

  g_assert_no_error (error);
  g_assert_cmpstr (get_grant (names, "a.example", 80), ==, "a.example");
  g_assert_cmpstr (get_grant (names, "a.example", 443), ==, "a.example");
  g_assert_cmpstr (get_grant (names, "a.example", 8443), ==, "a.example:8443");
  g_assert_null (get_grant (names, "a.example", 81));
  g_assert_null (get_grant (names, "b.example", 80));
  g_assert_null (get_grant (names, "b.example", 0));
  g_assert_null (get_grant (names, "a.example", 0));
  g_assert_cmpstr (get_grant (names, "b.example", 81), ==, "b.example:81");
  g_assert_cmpstr (get_grant (names, "c.example", 53), ==, "c.example:53");
  g_assert_null (oc_net_names_find (names, "example"));
  g_assert_null (oc_net_names_find (names, "a.example."));
  g_assert_null (oc_net_names_find (names, "127.0.0.1"));
  g_assert_null (oc_net_names_find (names, "198.18.0.1"));
  /* An address that was consented to as such is not also a name's. */
  g_assert_true (oc_net_name_get_ipv4 (oc_net_names_find (names, "a.example"), ipv4));
  g_assert_cmpmem (ipv4, 4, "\xc6\x12\0\x2", 4);
  g_assert_cmpstr (get_address_grant (names, "198.18.0.1", 443), ==, "198.18.0.1");
  g_assert_cmpstr (get_address_grant (names, "198.18.0.2", 443), ==, "a.example");
  g_assert_null (get_address_grant (names, "198.18.0.200", 443));
  g_assert_cmpstr (get_address_grant (names, "2001:db8::1", 443), ==, "[2001:db8::1]");
  g_assert_false (oc_net_name_is_literal (oc_net_names_find (names, "a.example")));
  g_assert_true (oc_net_name_is_literal (oc_net_names_find (names, "localhost")));
  /* This computer, by its name and by its addresses. */
  g_assert_cmpstr (get_address_grant (names, "127.0.0.1", 90), ==, "localhost:90");
  g_assert_cmpstr (get_address_grant (names, "127.0.0.1", 91), ==, "127.0.0.1:91");
  g_assert_cmpstr (get_address_grant (names, "::1", 90), ==, "localhost:90");
  g_assert_null (get_address_grant (names, "::1", 91));
  g_assert_null (get_address_grant (names, "127.0.0.2", 90));
  ports = oc_net_names_get_ports (names, &n);
  g_assert_cmpmem (ports, n * sizeof *ports, ((const guint16[]){ 80, 81, 90, 91, 443, 8443 }),
                   6 * sizeof *ports);
}

static void
test_bad_names (void)
{
  static const char *const bad[] = { "",
                                     "*.example",
                                     "a.example:0",
                                     "127.1",
                                     "0x7f000001",
                                     "::ffff:127.0.0.1",
                                     "[::ffff:127.0.0.1]",
                                     "a%00b",
                                     "http://a.example",
                                     "a b" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (OcNetNames) names = oc_net_names_new (STRV ("a.example", bad[i]), &error);

      g_assert_error (error, OC_ERROR, OC_ERROR_SANDBOX);
      g_assert_true (g_str_has_prefix (error->message, "network: "));
      g_assert_null (names);
    }
}

/* DNS. */

typedef struct
{
  char name[300];
  gboolean odd;
  guint n;
} Asked;

static OcDnsFound
look_up (const char *name, guint16 type G_GNUC_UNUSED, guint8 address[4], gpointer data)
{
  Asked *asked = data;

  asked->n++;
  asked->odd = name == NULL;
  g_strlcpy (asked->name, name != NULL ? name : "", sizeof asked->name);
  if (g_strcmp0 (name, "a.example") != 0)
    return OC_DNS_NONE;
  memcpy (address, "\xc6\x12\0\1", 4);
  return OC_DNS_ADDRESS;
}

/* With a recursion wish, and one question of @type and class IN. */
#define QUESTION(name, type) "\x12\x34\1\0\0\1\0\0\0\0\0\0" name "\0\0" type "\0\1"
#define EDNS "\0\0\x29\x10\0\0\0\0\0\0\0"
#define A_EXAMPLE "\1a\7example"

typedef struct
{
  const char *what;
  const char *bytes;
  gsize length;
  int rcode; /* -1: no answer */
  int answers;
  const char *asked; /* (nullable): the name that was looked up; "": an odd one */
} DnsCase;
#define CASE(what, bytes, rcode, answers, asked)                                                   \
  {                                                                                                \
    what, bytes, sizeof bytes - 1, rcode, answers, asked                                           \
  }

static const DnsCase dns_cases[] = {
  CASE ("A", QUESTION (A_EXAMPLE, "\1"), 0, 1, "a.example"),
  CASE ("capitals", QUESTION ("\1A\7eXamplE", "\1"), 0, 1, "a.example"),
  CASE ("ANY", QUESTION (A_EXAMPLE, "\xff"), 0, 1, "a.example"),
  CASE ("AAAA", QUESTION (A_EXAMPLE, "\x1c"), 0, 0, "a.example"),
  CASE ("HTTPS", QUESTION (A_EXAMPLE, "\x41"), 0, 0, "a.example"),
  CASE ("other", QUESTION ("\1b\7example", "\1"), 3, 0, "b.example"),
  CASE ("root", QUESTION ("", "\2"), 3, 0, ""),
  CASE ("longer", QUESTION ("\1x" A_EXAMPLE, "\1"), 3, 0, "x.a.example"),
  CASE ("shorter", QUESTION ("\7example", "\1"), 3, 0, "example"),
  CASE ("dot in a label", QUESTION ("\11a.example", "\1"), 3, 0, ""),
  CASE ("NUL in a label", QUESTION ("\2a\0\7example", "\1"), 3, 0, ""),
  CASE ("% in a label", QUESTION ("\4a%lo\7example", "\1"), 3, 0, ""),
  CASE ("number",
        QUESTION ("\1"
                  "1\1"
                  "1\1"
                  "1\1"
                  "1",
                  "\1"),
        3,
        0,
        "1.1.1.1"),
  CASE ("compressed question", "\x12\x34\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1", 1, 0, NULL),
  CASE ("loop", "\x12\x34\1\0\0\1\0\0\0\0\0\0\1a\xc0\x0c\0\1\0\1", 1, 0, NULL),
  CASE ("long label", "\x12\x34\1\0\0\1\0\0\0\0\0\0\x40" A_EXAMPLE "\0\0\1\0\1", 1, 0, NULL),
  CASE ("two questions",
        "\x12\x34\1\0\0\2\0\0\0\0\0\0" A_EXAMPLE "\0\0\1\0\1\1b\0\0\1\0\1",
        1,
        0,
        NULL),
  CASE ("no question", "\x12\x34\1\0\0\0\0\0\0\0\0\0", 1, 0, NULL),
  CASE ("trailing", QUESTION (A_EXAMPLE, "\1") "x", 1, 0, NULL),
  CASE ("claims an answer", "\x12\x34\1\0\0\1\0\1\0\0\0\0" A_EXAMPLE "\0\0\1\0\1", 1, 0, NULL),
  CASE ("class CHAOS", "\x12\x34\1\0\0\1\0\0\0\0\0\0" A_EXAMPLE "\0\0\1\0\3", 5, 0, NULL),
  CASE ("notify", "\x12\x34\x21\0\0\1\0\0\0\0\0\0" A_EXAMPLE "\0\0\1\0\1", 4, 0, NULL),
  CASE ("is an answer", "\x12\x34\x81\0\0\1\0\0\0\0\0\0" A_EXAMPLE "\0\0\1\0\1", -1, 0, NULL),
  CASE ("short", "\x12\x34\1\0\0\1\0\0\0\0\0", -1, 0, NULL),
  CASE ("EDNS", "\x12\x34\1\0\0\1\0\0\0\0\0\1" A_EXAMPLE "\0\0\1\0\1" EDNS, 0, 1, "a.example"),
  CASE ("EDNS 1",
        "\x12\x34\1\0\0\1\0\0\0\0\0\1" A_EXAMPLE "\0\0\1\0\1\0\0\x29\x10\0\0\1\0\0\0\0",
        0,
        0,
        NULL),
  CASE ("EDNS twice", "\x12\x34\1\0\0\1\0\0\0\0\0\2" A_EXAMPLE "\0\0\1\0\1" EDNS EDNS, 1, 0, NULL),
  CASE ("EDNS with a name",
        "\x12\x34\1\0\0\1\0\0\0\0\0\1" A_EXAMPLE "\0\0\1\0\1\1a\0\0\x29\x10\0\0\0\0\0\0\0",
        1,
        0,
        NULL),
  CASE ("EDNS, cut",
        "\x12\x34\1\0\0\1\0\0\0\0\0\1" A_EXAMPLE "\0\0\1\0\1\0\0\x29\x10\0\0\0\0\0\0\5x",
        1,
        0,
        NULL),
  CASE ("many records", "\x12\x34\1\0\0\1\0\0\0\0\xff\xff" A_EXAMPLE "\0\0\1\0\1", 1, 0, NULL),
};

static void
test_dns (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dns_cases); i++)
    {
      const DnsCase *c = &dns_cases[i];
      guint8 answer[OC_DNS_MAX_MESSAGE];
      Asked asked = { 0 };
      gsize n = oc_dns_answer ((const guint8 *)c->bytes, c->length, look_up, &asked, answer);

      g_test_message ("%s", c->what);
      g_assert_cmpint (n > 0, ==, c->rcode >= 0);
      g_assert_cmpint (asked.n, ==, c->asked != NULL);
      g_assert_cmpstr (asked.name, ==, c->asked != NULL ? c->asked : "");
      if (n == 0)
        continue;
      g_assert_cmpmem (answer, 2, "\x12\x34", 2);
      g_assert_cmpint (answer[2] & 0x81, ==, 0x81);
      g_assert_cmpint (answer[3] & 0xf, ==, c->rcode);
      g_assert_cmpint (answer[7], ==, c->answers);
    }
}

/* Every beginning of every message, and a hundred thousand changed ones: always a whole answer or
 * none, and nothing is read that is not there (each message lies in memory of its own size, for the
 * sanitizers). */
/* Returns how many names were looked up. */
static guint
check_any (const guint8 *bytes, gsize length)
{
  g_autofree guint8 *exact = g_memdup2 (bytes, length);
  g_autofree guint8 *answer = g_malloc (OC_DNS_MAX_MESSAGE);
  Asked asked = { 0 };
  gsize n = oc_dns_answer (exact, length, look_up, &asked, answer);

  g_assert_cmpuint (n, <=, 600);
  g_assert_true (
      n == 0
      || (n >= 12 && (answer[2] & 0x80) != 0 && answer[0] == bytes[0] && answer[1] == bytes[1]));
  g_assert_cmpuint (strlen (asked.name), <=, OC_DNS_MAX_NAME);
  g_assert_cmpuint (asked.n, <=, 1);
  /* Nobody else's address is ever in it. */
  if (n > 0 && answer[7] == 1)
    g_assert_cmpstr (asked.name, ==, "a.example");
  return asked.n;
}

static void
test_dns_any (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dns_cases); i++)
    for (gsize length = 0; length <= dns_cases[i].length; length++)
      {
        guint n = check_any ((const guint8 *)dns_cases[i].bytes, length);

        /* What is cut is not understood by what is left of it. */
        if (dns_cases[i].asked != NULL)
          g_assert_cmpuint (n, ==, length == dns_cases[i].length);
      }
  for (int i = 0; i < 100000; i++)
    {
      const DnsCase *c = &dns_cases[g_test_rand_int_range (0, G_N_ELEMENTS (dns_cases))];
      guint8 bytes[600];
      gsize length = c->length + (gsize)g_test_rand_int_range (0, 8);

      memset (bytes, 0, sizeof bytes);
      memcpy (bytes, c->bytes, c->length);
      for (int changes = g_test_rand_int_range (1, 6); changes > 0; changes--)
        bytes[g_test_rand_int_range (0, (int)length)] = (guint8)g_test_rand_int ();
      (void)check_any (bytes, length);
    }
}

/* The longest name there may be, and one byte more. */
static void
test_dns_long_name (void)
{
  for (int last = 61; last <= 62; last++)
    {
      guint8 bytes[400] = { 0x12, 0x34, 1, 0, 0, 1 }, answer[OC_DNS_MAX_MESSAGE];
      Asked asked = { 0 };
      gsize at = 12;

      for (int i = 0; i < 4; i++)
        {
          guint8 length = (guint8)(i < 3 ? 63 : last);

          bytes[at++] = length;
          memset (bytes + at, 'a', length);
          at += length;
        }
      memcpy (bytes + at, "\0\0\1\0\1", 5);
      at += 5;
      g_assert_cmpuint (oc_dns_answer (bytes, at, look_up, &asked, answer), >, 0);
      g_assert_cmpint (answer[3] & 0xf, ==, last == 61 ? 3 : 1);
      g_assert_cmpuint (strlen (asked.name), ==, last == 61 ? 253 : 0);
    }
}

static void
test_packets (void)
{
  static const guint8 tcp4[] = { 0x45, 0, 0, 40, 0, 0, 0, 0, 64,   6,    0, 0,
                                 10,   0, 0, 1,  1, 1, 1, 1, 0x12, 0x34, 1, 0xbb };
  guint8 udp6[44] = { 0x60, [6] = 17, [24] = 0x20, 1, [39] = 9, [42] = 0, 123 };
  struct in6_addr one = parse ("1.1.1.1"), nine = parse ("2001::9");
  OcNetPacket packet;

  g_assert_true (oc_net_packet_parse (tcp4, sizeof tcp4, &packet));
  g_assert_true (packet.stream);
  g_assert_cmpuint (packet.port, ==, 443);
  g_assert_cmpmem (&packet.address, 16, &one, 16);
  g_assert_true (oc_net_packet_parse (udp6, sizeof udp6, &packet));
  g_assert_false (packet.stream);
  g_assert_cmpuint (packet.port, ==, 123);
  g_assert_cmpmem (&packet.address, 16, &nine, 16);
  for (gsize length = 0; length < sizeof tcp4; length++)
    {
      g_autofree guint8 *exact = g_memdup2 (tcp4, length);

      g_assert_false (oc_net_packet_parse (exact, length, &packet));
    }
  for (int i = 0; i < 100000; i++)
    {
      gsize length = (gsize)g_test_rand_int_range (1, 80);
      g_autofree guint8 *bytes = g_malloc (length);

      for (gsize at = 0; at < length; at++)
        bytes[at] = (guint8)g_test_rand_int ();
      bytes[0] = (guint8)(g_test_rand_bit () ? 0x40 | (bytes[0] & 0xf) : 0x60);
      (void)oc_net_packet_parse (bytes, length, &packet);
    }
}

static guint
count (OcUses *uses)
{
  g_autoptr (JsonArray) array = oc_uses_to_json (uses, FALSE);

  return json_array_get_length (array);
}

/* A million made-up names are a hundred in the record, and one that counts the rest; what is
 * refused afterwards of these hundred is still told by its name. */
static void
test_record (void)
{
  g_autoptr (OcUses) uses = oc_uses_new ();
  OcNetRecord *record = oc_net_record_new (uses);
  g_autoptr (JsonArray) array = NULL;
  JsonObject *object;

  for (int i = 0; i < 100000; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%d.example", i);

      oc_net_record_unknown_name (record, name, OC_DNS_TYPE_A);
    }
  oc_net_record_unknown_name (record, "n5.example", OC_DNS_TYPE_A);
  oc_net_record_unknown_name (record, "n5.example", OC_DNS_TYPE_AAAA);
  g_assert_cmpuint (count (uses), ==, OC_NET_RECORD_MAX_REFUSED + 1);
  array = oc_uses_to_json (uses, FALSE);
  object = json_array_get_object_element (array, 5);
  g_assert_cmpstr (json_object_get_string_member (object, "permission"), ==, "net:n5.example");
  g_assert_cmpint (json_object_get_int_member (object, "count"), ==, 2);
  object = json_array_get_object_element (array, OC_NET_RECORD_MAX_REFUSED);
  g_assert_cmpstr (json_object_get_string_member (object, "permission"), ==, "net");
  g_assert_cmpint (json_object_get_int_member (object, "count"), ==,
                   100000 - OC_NET_RECORD_MAX_REFUSED);
  oc_net_record_free (record);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/net/addresses", test_addresses);
  g_test_add_func ("/net/own-addresses", test_own_addresses);
  g_test_add_func ("/net/own-addresses-hidden", test_own_addresses_hidden);
  g_test_add_func ("/net/names", test_names);
  g_test_add_func ("/net/bad-names", test_bad_names);
  g_test_add_func ("/net/dns", test_dns);
  g_test_add_func ("/net/dns-any-bytes", test_dns_any);
  g_test_add_func ("/net/dns-long-name", test_dns_long_name);
  g_test_add_func ("/net/packets", test_packets);
  g_test_add_func ("/net/record", test_record);
  return g_test_run ();
}
