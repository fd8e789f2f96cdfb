/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses that may be handed to the desktop, and the tricks that are known: each with where it comes from. */
#include <string.h>

#include "core/oc-error.h"
#include "core/oc-url.h"

/* What is opened, and as what: NULL where it is as it was written. */
static const struct
{
  const char *text;
  const char *opened;
  const char *host;
} good[] = {
  { "https://example.org", NULL, "example.org" },
  { "https://example.org/", NULL, "example.org" },
  { "http://example.org/a/b;c=1,2/~me/x.html?q=a+b&r='(1)'*!$#top", NULL, "example.org" },
  { "https://example.org?q", NULL, "example.org" },
  { "https://example.org#f", NULL, "example.org" },
  { "https://example.org:8443/x", NULL, "example.org" },
  { "https://a_b.example.org/", NULL, "a_b.example.org" },
  { "https://localhost/", NULL, "localhost" },
  { "https://xn--mller-kva.de/", NULL, "xn--mller-kva.de" },
  { "https://example.org./", NULL, "example.org." },
  { "https://127.0.0.1:631/", NULL, "127.0.0.1" },
  { "https://[2001:db8::1]:8443/x", NULL, "2001:db8::1" },
  { "https://1.example.org/", NULL, "1.example.org" },
  { "https://example.org/a@b:c", NULL, "example.org" }, /* "@" is a plain character of a path: RFC 3986, 3.3 */
  { "https://example.org/?u=me@example.org", NULL, "example.org" },
  { "https://example.org/../../etc", NULL, "example.org" },
  { "https://example.org/?body=one%0Atwo%0D%0Athree%09#:~:text=a%0Ab", NULL, "example.org" },
  { "https://example.org/%2e%2e/%40/%5C", NULL, "example.org" }, /* data for the server */
  { "https://fa.example.org/%D9%85%DB%8C%E2%80%8C%D8%AE", NULL, "fa.example.org" }, /* a joiner that Persian needs */
  { "https://fr.example.org/?q=%E9t%E9", NULL, "fr.example.org" }, /* Latin-1 */
  { "https://example.org/?javascript:alert(1)", NULL, "example.org" },
  { "HTTPS://EXAMPLE.org/Path", "https://example.org/Path", "example.org" },
  { "https://example.org/straße?q=日本#é", "https://example.org/stra%C3%9Fe?q=%E6%97%A5%E6%9C%AC#%C3%A9", "example.org" },
  { "mailto:me@example.org", NULL, NULL },
  { "MAILTO:Me@Example.org", "mailto:Me@Example.org", NULL },
  { "mailto:a@example.org,b@example.org?cc=c@example.org&bcc=d@example.org&to=e@example.org", NULL, NULL },
  { "mailto:?subject=Hello%20you&body=one%0D%0Atwo%09three", NULL, NULL },
  { "mailto:?Subject=a=b/c?d", NULL, NULL },
  { "mailto:me+tag@example.org?in-reply-to=%3Cx@example.org%3E&references=%3Cy@example.org%3E", NULL, NULL },
  { "mailto:user@example.org?subject=caf%C3%A9", NULL, NULL },   /* RFC 6068, section 6.3 */
  { "mailto:grüße@example.org?subject=café", "mailto:gr%C3%BC%C3%9Fe@example.org?subject=caf%C3%A9", NULL },
  { "mailto:?body=https://example.org/?a%26message=b%20message=c", NULL, NULL },
  { "mailto:?body=please%20attach%20your%20notes;attachments=none", NULL, NULL },
};

static const struct
{
  const char *text;
  const char *reason;
} bad[] = {
  /* Not addresses at all. */
  { "", "url-malformed" },
  { "example.org", "url-malformed" },
  { "//example.org/", "url-malformed" },
  { "://example.org/", "url-malformed" },
  { "https", "url-malformed" },
  { "https:", "url-malformed" },
  /* Browsers take these for https://example.org (WHATWG URL, "special authority slashes state"); others do not. */
  { "https:example.org", "url-malformed" },
  { "https:/example.org", "url-malformed" },
  { "https:///example.org", "url-host" },
  { "https:////example.org", "url-host" },
  { "https:\\\\example.org", "url-character" },
  { "https:/\\example.org", "url-character" },

  /* Other schemes. */
  { "file:///etc/passwd", "url-scheme" },
  { "FILE:///etc/passwd", "url-scheme" },
  { "javascript:alert(1)", "url-scheme" },
  { "javascript://example.org/%0Aalert(1)", "url-scheme" },
  { "data:text/html,x", "url-scheme" },
  { "ftp://example.org/", "url-scheme" },
  { "vbscript:x", "url-scheme" },
  { "view-source:https://example.org", "url-scheme" },
  { "jar:https://example.org!/x", "url-scheme" },
  { "blob:https://example.org/x", "url-scheme" },
  { "ssh://-oProxyCommand=x/", "url-scheme" }, /* CVE-2017-1000117 */
  { "ms-msdt:/id", "url-scheme" },             /* CVE-2022-30190 */
  { "smb://example.org/x", "url-scheme" },
  { "httpss://example.org", "url-scheme" },
  { "http+unix://x/", "url-scheme" },
  { "about:config", "url-scheme" },
  { "x-scheme-handler/https", "url-malformed" },
  { "-h https://example.org", "url-hidden" }, /* an option of the browser's */
  { "--renderer-cmd-prefix=x", "url-malformed" },

  /* What is not seen. WHATWG URL strips tabs and line ends anywhere, and blanks at both ends, before it looks. */
  { " https://example.org", "url-hidden" },
  { "https://example.org ", "url-hidden" },
  { "https://example.org/a b", "url-hidden" },
  { "ht\ntps://example.org", "url-hidden" },
  { "https://exa\tmple.org", "url-hidden" },
  { "https://example.org/\r\nX: y", "url-hidden" },
  { "https://example.org/\x01", "url-hidden" },
  { "https://example.org/\x7f", "url-hidden" },
  { "https://example.org/\xc2\x85", "url-hidden" },         /* C1 */
  { "https://example.org/\xc2\xa0", "url-hidden" },         /* a no-break blank */
  { "https://example.org/\xe2\x80\xa8", "url-hidden" },     /* a line separator */
  { "https://example.org/\xe2\x80\xa9", "url-hidden" },     /* a paragraph separator */
  { "https://example.org/\xe2\x80\xae" "gpj", "url-hidden" }, /* right-to-left override, CVE-2009-3376 */
  { "https://example.org/\xe2\x81\xa6", "url-hidden" },     /* an isolate, CVE-2021-42574 */
  { "https://example.org/\xe2\x80\x8b", "url-hidden" },     /* zero width */
  { "https://example.org/\xef\xbb\xbf", "url-hidden" },
  { "https://example.org/\xe3\x80\x80", "url-hidden" },
  { "https://example.org/\xf3\xa0\x81\xa1", "url-hidden" }, /* a tag character */
  { "https://example.org/\xff", "url-hidden" },             /* not UTF-8 */
  { "https://example.org/%00", "url-hidden" },
  { "https://example.org/?q=%00", "url-hidden" },
  { "https://example.org/#%00", "url-hidden" },
  { "https://example.org/%0d%0aX:y", "url-hidden" }, /* CVE-2016-5699, CVE-2019-9740 */
  { "https://example.org/%1b[2J", "url-hidden" },
  { "https://example.org/%1B", "url-hidden" },
  { "https://example.org/?q=%1B", "url-hidden" },
  { "https://example.org/?q=%7f", "url-hidden" },

  /* Characters that scripts around a browser have stumbled over: CVE-2017-18266 and CVE-2014-9622 (xdg-open). */
  { "https://example.org/\"", "url-character" },
  { "https://example.org/`id`", "url-character" },
  { "https://example.org/|id", "url-character" },
  { "https://example.org/<x>", "url-character" },
  { "https://example.org/{a,b}", "url-character" },
  { "https://example.org/^", "url-character" },
  { "https://example.org/a\\b", "url-character" },
  { "https://example.org/[x]", "url-character" },
  { "https://example.org/?a[]=1", "url-character" },
  { "https://example.org/#a#b", "url-character" },
  { "https://example.org/100%", "url-character" },
  { "https://example.org/%4", "url-character" },
  { "https://example.org/%u0041", "url-character" },
  { "https://example.org/%%%s", "url-character" },

  /* Credentials. "A New Era of SSRF" (Black Hat 2017) has most of these. */
  { "https://me@example.org/", "url-credentials" },
  { "https://me:secret@example.org/", "url-credentials" },
  { "https://@example.org/", "url-credentials" },
  { "https://:@example.org/", "url-credentials" },
  { "https://bank.example%40evil.example/", "url-credentials" },
  { "https://bank.example:443@evil.example/", "url-credentials" },
  { "https://a@b@c/", "url-credentials" },
  { "https://bank.example\\@evil.example/", "url-character" },
  { "https://bank.example%5C@evil.example/", "url-credentials" },
  { "https://bank.example &@evil.example", "url-hidden" },
  { "https://bank.example;@evil.example/", "url-credentials" },

  /* Hosts. */
  { "https://", "url-host" },
  { "https://?q", "url-host" },
  { "https://#f", "url-host" },
  { "https://:80/", "url-host" },
  { "https://./", "url-host" },
  { "https://a..b/", "url-host" },
  { "https://example.org../", "url-host" },
  { "https://-a.example/", "url-host" },
  { "https://a-.example/", "url-host" },
  { "https://exa%6Dple.org/", "url-host" },
  { "https://example.org%2f.evil.example/", "url-host" },
  { "https://example.org%00.evil.example/", "url-host" },
  { "https://example.org,evil.example/", "url-host" },
  { "https://example.org;evil.example/", "url-host" },
  { "https://$(id).example/", "url-host" },
  { "https://a+b.example/", "url-host" },
  { "https://müller.de/", "url-host" },
  { "https://аpple.com/", "url-host" },                        /* a Cyrillic letter */
  { "https://evil.c\xe2\x84\x80.example/", "url-host" },       /* U+2100 becomes "a/c": CVE-2019-9636, "HostSplit" */
  { "https://example.org\xef\xbc\x8f.evil.example/", "url-host" }, /* a full-width slash */
  { "https://example\xe3\x80\x82org/", "url-host" },           /* an ideographic full stop */
  { "https://me\xef\xbc\xa0" "example.org/", "url-host" },     /* a full-width "@" */
  { "https://127.1/", "url-host" },                            /* inet_aton(3) forms */
  { "https://2130706433/", "url-host" },
  { "https://0x7f000001/", "url-host" },
  { "https://0x7f.1/", "url-host" },
  { "https://0X7F.0.0.1/", "url-host" },
  { "https://0177.0.0.1/", "url-host" },
  { "https://127.0.0.01/", "url-host" },
  { "https://1.2.3.256/", "url-host" },
  { "https://1.2.3.4.5/", "url-host" },
  { "https://127.0.0.1./", "url-host" },
  { "https://example.0/", "url-host" },
  { "https://example.0x/", NULL }, /* a control: "0x" and nothing is no number of inet_aton's, and a name like others */
  { "https://[::1", "url-host" },
  { "https://[]/", "url-host" },
  { "https://[::1%25eth0]/", "url-host" },
  { "https://[v1.x]/", "url-host" },
  { "https://[127.0.0.1]/", "url-host" },
  { "https://[::1].example/", "url-port" },
  { "https://[::1]x", "url-port" },
  { "https://::1/", "url-host" },

  /* Ports. */
  { "https://example.org:/", "url-port" },
  { "https://example.org:0/", "url-port" },
  { "https://example.org:080/", "url-port" },
  { "https://example.org:65536/", "url-port" },
  { "https://example.org:99999999999999999999/", "url-port" },
  { "https://example.org:80:80/", "url-port" },
  { "https://example.org:+80/", "url-port" },
  { "https://example.org:8 0/", "url-hidden" },
  { "https://example.org:http/", "url-port" },

  /* Mails: files. CVE-2020-11879 (Evolution), CVE-2020-11880 (KMail), CVE-2020-27748 (xdg-email). */
  { "mailto:me@example.org?attach=/home/me/.ssh/id_rsa", "mail-attachment" },
  { "mailto:?attachment=/etc/passwd", "mail-attachment" },
  { "mailto:?ATTACH=x", "mail-attachment" },
  { "mailto:?attach", "mail-attachment" },
  { "mailto:?subject=x&attach=y", "mail-attachment" },
  { "mailto:?%61ttach=y", "mail-attachment" },
  { "mailto:?x-attach=y", "mail-attachment" },
  { "mailto:?subject=x&amp;attach=y", "mail-attachment" },
  { "mailto:?body=a%26attach=/etc/passwd", "mail-attachment" },       /* decoded before it is taken apart */
  { "mailto:?body=a',attachment='file:///etc/passwd", "mail-attachment" }, /* xdg-email's quotation marks */
  { "mailto:?subject=%27%2CATTACHMENT%3D%27x", "mail-attachment" },
  { "mailto:?body=a',message='/etc/passwd", "mail-attachment" }, /* the same, and Thunderbird's -compose */
  { "mailto:?body=a%27%2C%20Message%3D%27/etc/passwd", "mail-attachment" },
  /* Headers: RFC 6068, section 4, and CVE-2006-2057. */
  { "mailto:?subject=a%0D%0ABcc:x@example.org", "url-hidden" },
  { "mailto:?subject=a%0ABcc:x@example.org", "url-hidden" },
  { "mailto:?subject=a%00", "url-hidden" },
  { "mailto:?body=a%00", "url-hidden" },
  { "mailto:?body=a%08", "url-hidden" },
  { "mailto:?subject=a%C2%85b", "url-hidden" },
  { "mailto:?subject=a%E2%80%A8b", "url-hidden" },
  { "mailto:?subject=a%E2%80%AEb", "url-hidden" },
  { "mailto:?body=a%E2%80%AEb", "url-hidden" },
  { "mailto:?subject=a%E2%80%8Bb", "url-hidden" },
  { "mailto:?subject=a%FFb", "url-hidden" },
  { "mailto:?in-reply-to=a%0Ab", "url-hidden" },
  { "mailto:?from=x@example.org", "mail-field" },
  { "mailto:?reply-to=x@example.org", "mail-field" },
  { "mailto:?html-body=x", "mail-field" },
  { "mailto:?x-header=x", "mail-field" },
  { "mailto:?content-type=text/html", "mail-field" },
  { "mailto:?s%75bject=x", "mail-field" },
  { "mailto:?subject", "mail-field" },
  { "mailto:?", "mail-field" },
  { "mailto:?subject=x&", "mail-field" },
  { "mailto:?subject=x&&body=y", "mail-field" },
  { "mailto:?subject=x&amp;body=y", "mail-field" },
  { "mailto:?=x", "mail-field" },
  /* Recipients. */
  { "mailto:", "url-malformed" },
  { "mailto://me@example.org", "url-malformed" },
  { "mailto:/me@example.org", "url-malformed" },
  { "mailto:me", "mail-address" },
  { "mailto:@example.org", "mail-address" },
  { "mailto:me@", "mail-address" },
  { "mailto:me@ex_-.org", "mail-address" },
  { "mailto:a@b,", "mail-address" },
  { "mailto:,a@b", "mail-address" },
  { "mailto:a@b,,c@d", "mail-address" },
  { "mailto:a@b%2Cc@d", "mail-address" },
  { "mailto:a@b;c@d", "mail-address" },
  { "mailto:%22x%22@example.org", "mail-address" },
  { "mailto:Bank%20%3Cx@example.org%3E", "mail-address" },
  { "mailto:a%0Ab@example.org", "mail-address" },
  { "mailto:a%E2%80%AEb@example.org", "mail-address" },
  { "mailto:a%E2%80%8Bb@example.org", "mail-address" },
  { "mailto:a.@example.org", "mail-address" },
  { "mailto:a..b@example.org", "mail-address" },
  { "mailto:a%60id%60@example.org", "mail-address" },
  { "mailto:gorby%25kremvax@example.com", "mail-address" }, /* RFC 6068, section 6.2: valid, but not plain */
  { "mailto:unlikely%3Faddress@example.com", "mail-address" },
  { "mailto:Mike%26family@example.org", "mail-address" },
  { "mailto:x&attach=/etc/passwd@example.org", "mail-address" }, /* a field for xdg-email */
  { "mailto:attach=x@example.org", "mail-address" },
  { "mailto:?cc=x%26attach%3D/etc/passwd@example.org", "mail-address" },
  { "mailto:a@müller.de", "mail-address" },
  { "mailto:a@[127.0.0.1]", "url-character" },
  { "mailto:?cc=a", "mail-address" },
  { "mailto:?bcc=a@b%0D%0AX:y", "mail-address" },
  { "mailto:?to=", "mail-address" },
  { "mailto:me@example.org#x", "url-character" },
  { "mailto:me@example.org?subject=a b", "url-hidden" },
};

static void
test_good (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;
      const char *reason = NULL;
      g_autoptr (OcUrl) url = oc_url_parse (good[i].text, &reason, &error);

      g_test_message ("%s", good[i].text);
      g_assert_no_error (error);
      g_assert_cmpstr (oc_url_get_text (url), ==, good[i].opened ? good[i].opened : good[i].text);
      g_assert_cmpstr (oc_url_get_host (url), ==, good[i].host);
      g_assert_true (g_str_has_prefix (oc_url_get_text (url), oc_url_get_scheme (url)));
      g_assert_true (g_str_is_ascii (oc_url_get_text (url)));
    }
}

static void
test_bad (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      const char *reason = NULL;
      g_autoptr (OcUrl) url = oc_url_parse (bad[i].text, &reason, &error);
      g_autofree char *shown = g_strescape (bad[i].text, NULL);

      g_test_message ("%s", shown);
      g_assert_cmpstr (reason, ==, bad[i].reason);
      if (reason == NULL)
        {
          g_assert_no_error (error);
          continue;
        }
      g_assert_null (url);
      g_assert_error (error, OC_ERROR, OC_ERROR_INVALID);
    }
}

static char *
make_long (const char *start,
           const char *filler,
           glong chars)
{
  GString *text = g_string_new (start);

  for (glong n = g_utf8_strlen (start, -1); n < chars; n++)
    g_string_append (text, filler);
  return g_string_free (text, FALSE);
}

static void
test_length (void)
{
  static const char *const starts[] = { "https://example.org/", "mailto:me@example.org?body=" };
  static const char *const fillers[] = { "x", "é", "日", "😀" };

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (fillers); j++)
      {
        g_autofree char *exact = make_long (starts[i], fillers[j], OC_URL_MAX_CHARS);
        g_autofree char *over = make_long (starts[i], fillers[j], OC_URL_MAX_CHARS + 1);
        const char *reason = NULL;
        g_autoptr (GError) error = NULL;
        g_autoptr (OcUrl) url = oc_url_parse (exact, NULL, &error);

        g_assert_no_error (error);
        g_assert_nonnull (url);
        g_assert_null (oc_url_parse (over, &reason, NULL));
        g_assert_cmpstr (reason, ==, "url-too-long");
      }
}

/* What was checked is what is handed over: checked once more it stays as it is. Each way to break one byte of a good address
 * is either refused or leaves the host to be what a plain reading says. */
static void
test_stable (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (OcUrl) url = oc_url_parse (good[i].text, NULL, NULL);
      g_autoptr (OcUrl) again = url ? oc_url_parse (oc_url_get_text (url), NULL, NULL) : NULL;

      if (url == NULL)
        continue;
      /* Escapes may be more characters than are allowed; here they are not. */
      g_assert_nonnull (again);
      g_assert_cmpstr (oc_url_get_text (again), ==, oc_url_get_text (url));
      g_assert_cmpstr (oc_url_get_host (again), ==, oc_url_get_host (url));
    }
}

static void
test_every_byte (void)
{
  static const char text[] = "https://example.org/path";

  for (gsize at = 0; at < sizeof text - 1; at++)
    for (int byte = 1; byte < 256; byte++)
      {
        g_autofree char *changed = g_strdup (text);
        g_autoptr (OcUrl) url = NULL;
        const char *host;

        changed[at] = (char) byte;
        url = oc_url_parse (changed, NULL, NULL);
        if (url == NULL)
          continue;
        host = oc_url_get_host (url);
        g_assert_nonnull (host);
        g_assert_cmpuint (strspn (host, "abcdefghijklmnopqrstuvwxyz0123456789._-"), ==, strlen (host));
        g_assert_cmpint (strncmp (oc_url_get_text (url), "https://", 8), ==, 0);
        g_assert_cmpint (strncmp (oc_url_get_text (url) + 8, host, strlen (host)), ==, 0);
        g_assert_nonnull (strchr ("/?#:", oc_url_get_text (url)[8 + strlen (host)]));
      }
}

static void
test_reasons (void)
{
  const char *meaning = NULL;
  guint n = 0;

  for (; oc_url_get_reason (n, &meaning) != NULL; n++)
    {
      gboolean used = g_str_equal (oc_url_get_reason (n, NULL), "url-too-long");

      g_assert_nonnull (meaning);
      for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
        used = used || g_strcmp0 (bad[i].reason, oc_url_get_reason (n, NULL)) == 0;
      g_assert_true (used);
    }
  g_assert_cmpuint (n, ==, 11);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/url/opens-plain-addresses", test_good);
  g_test_add_func ("/url/refuses-tricks", test_bad);
  g_test_add_func ("/url/counts-characters", test_length);
  g_test_add_func ("/url/what-is-checked-is-what-is-opened", test_stable);
  g_test_add_func ("/url/every-byte", test_every_byte);
  g_test_add_func ("/url/each-reason-is-given", test_reasons);
  return g_test_run ();
}
