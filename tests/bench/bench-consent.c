/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/oc-consent-private.h"
#include "core/oc-registry.h"
#include "../unit/home.h"

/* What consent costs at 10, 1,000 and 10,000 records: loading, checking one, changing one, against writing as many bytes with
 * fsync and rename; and what the registry costs with as many plugins. Medians; figures, not a test. Key file, no bus: what a
 * look into the keyring adds is said in the design. */

#define ROUNDS 15
#define ID "org.example.p%05d"

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
median (double *values)
{
  qsort (values, ROUNDS, sizeof *values, compare_doubles);
  return values[ROUNDS / 2];
}

/* Milliseconds of one call. */
#define TIME(values, i, call)                                                                                 \
  G_STMT_START                                                                                                \
  {                                                                                                           \
    gint64 start_ = g_get_monotonic_time ();                                                                  \
    call;                                                                                                     \
    (values)[i] = (double) (g_get_monotonic_time () - start_) / 1000.0;                                       \
  }                                                                                                           \
  G_STMT_END

static void
make_plugins (Home *home,
              int n)
{
  for (int i = 0; i < n; i++)
    {
      g_autofree char *id = g_strdup_printf (ID, i);

      home_add_plugin (home, id, "1.0", "file.readText,process.spawn:sha256sum,selection.read");
    }
}

/* One real record, copied under every id: n changes one by one would take n times n. */
static void
make_consents (Home *home,
               int n)
{
  g_autoptr (OcSealKey) key = NULL;
  g_autoptr (GString) text = g_string_new ("{\"format\":\"ocelot-consent\",\"version\":1,\"protection\":\"key-file\",\"records\":{");
  g_autofree char *first = NULL;
  g_autofree char *seal = NULL;
  g_autofree char *id = g_strdup_printf (ID, 0);

  home_enable (home, id);
  first = home_record (home, id);
  for (int i = 0; i < n; i++)
    {
      g_autoptr (GString) record = g_string_new (first);
      g_autofree char *other = g_strdup_printf (ID, i);
      g_autoptr (OcPlugin) plugin = home_find (home, other);

      g_string_replace (record, id, other, 0);
      memcpy (strstr (record->str, "\"digest\":\"") + 10, oc_manifest_get_digest (oc_plugin_get_manifest (plugin)), 64);
      g_string_append_printf (text, "%s\n\"%s\":%s", i > 0 ? "," : "", other, record->str);
    }
  g_string_append (text, "}");
  key = oc_seal_find_key (home->paths, OC_PROTECTION_KEY_FILE, NULL, NULL);
  seal = oc_seal_key_sign (key, text->str, text->len);
  g_string_append_printf (text, ",\n\"seal\":\"%s\"}\n", seal);
  home_write_consent (home, text->str, text->len);
}

static void
load_and_check (Home *home,
                const char *id)
{
  g_autoptr (OcConsent) consent = oc_consent_load (home->paths, NULL);

  if (oc_consent_look_up (consent, id) == NULL)
    g_error ("The record is not there: %s", oc_consent_get_message (consent));
}

/* What any program pays for as many bytes that must last. */
static void
write_plainly (Home *home,
               const char *data,
               gsize len)
{
  g_autofree char *path = g_build_filename (home->root, "plain", NULL);
  g_autofree char *temporary = g_strconcat (path, ".new", NULL);
  g_auto (OcFd) folder = open (home->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_auto (OcFd) fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  if (!oc_fd_write_all (fd, data, len) || fsync (fd) < 0 || g_rename (temporary, path) < 0 || fsync (folder) < 0)
    g_error ("The comparison cannot be written");
}

static void
measure (int n)
{
  g_autoptr (Home) home = home_new ();
  g_autofree char *id = g_strdup_printf (ID, n / 2);
  g_autofree char *data = NULL;
  double scan[ROUNDS], check[ROUNDS], change[ROUNDS], plain[ROUNDS], load[ROUNDS], again[ROUNDS];
  double check_ms, change_ms, plain_ms;
  gsize len = 0;

  make_plugins (home, n);
  make_consents (home, n);
  data = home_read_consent (home, &len);
  for (int i = 0; i < ROUNDS; i++)
    {
      g_autoptr (OcRegistry) registry = oc_registry_new (home->paths);

      TIME (check, i, load_and_check (home, id));
      /* Interleaved, so that a busy disk is busy for both. */
      TIME (plain, i, write_plainly (home, data, len));
      TIME (change, i,
            i % 2 == 0 ? oc_consent_disable (home->paths, id, "terminal", NULL, NULL, NULL) : (home_enable (home, id), TRUE));
      TIME (scan, i, g_ptr_array_unref (oc_plugins_scan (home->paths, NULL, NULL)));
      TIME (load, i, oc_registry_load (registry, NULL, NULL));
      TIME (again, i, oc_registry_load (registry, NULL, NULL));
    }
  check_ms = median (check);
  change_ms = median (change);
  plain_ms = median (plain);
  g_print ("%6d  %8.1f KiB  %8.2f ms  %8.2f ms  %8.2f ms  %5.2f  %9.1f ms  %9.1f ms  %9.1f ms\n", n, (double) len / 1024, check_ms,
           change_ms, plain_ms, change_ms / plain_ms, median (scan), median (load), median (again));
}

int
main (int argc,
      char **argv)
{
  static const int sizes[] = { 10, 1000, 10000 };

  home_isolate ();
  g_print ("%6s  %12s  %11s  %11s  %11s  %5s  %12s  %12s  %12s\n", "n", "file", "check", "change", "plain", "ratio", "scan", "list", "list again");
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    measure (sizes[i]);
  return 0;
}
