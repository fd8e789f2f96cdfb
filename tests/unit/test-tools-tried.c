/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>

#include "core/oc-tools-list.h"

/* Found missing by going through what a system with a desktop, compilers and a Java kit has in its program folders. Most of
 * the first three rows were seen to start a program or load a library of the caller's choice; the others go by their manuals.
 * Beside them names like them that only read and print, since a warning that is everywhere tells nobody anything. */
static void
test_list_found_missing (void)
{
  static const struct
  {
    const char *names;
    OcToolEffect effect;
  } tried[] = {
    { "nm x86_64-linux-gnu-nm arm-linux-gnueabihf-nm ranlib ar gcc-nm-12 gcc-ranlib gcc-ar-12 "
      "x86_64-linux-gnu-gcc-nm-12 lto-dump-12 cobcrun p11-kit osslsigncode gio-querymodules",
      OC_TOOL_EFFECT_RUN },
    { "keytool jarsigner javadoc javap jcmd jdeps jfr jlink jmod jpackage jps jstack rmiregistry serialver",
      OC_TOOL_EFFECT_RUN },
    { "apt-cache apt-config apt-mark diff3 rpcgen cppcheck msgunfmt gprofng gp-collect-app gnatchop-12 gnatlink gnat "
      "ppcx64-3.2.2 fpc cscope clangd-14 llvm-cov-14 llvm-lto2-14 bugpoint-14 not-14 tc slattach pkgdata pg_ctl postgres",
      OC_TOOL_EFFECT_RUN },
    { "uniq ptx zstd gzip xz bzip2 lz4 utmpdump msgfmt xgettext tic wayland-scanner glib-compile-resources "
      "systemd-tmpfiles gpgv compare-im6.q16 ctags clang-format-14 touch elfedit llvm-link-14",
      OC_TOOL_EFFECT_WRITE },
  };
  const char *harmless = "objdump readelf strings size addr2line llvm-nm llvm-nm-14 llvm-size llvm-objdump-14 gprof jq grep "
                         "sha256sum cat sort-key ls stat file ngettext envsubst gettext pathchk delpart ps pgrep lsof "
                         "systemd-escape systemd-detect-virt fc-list pango-list xmessage note noty notify uniqueness";
  g_auto (GStrv) others = g_strsplit (harmless, " ", -1);
  g_autoptr (OcToolsList) list = oc_tools_list_load (NULL);

  g_assert_nonnull (list);
  for (gsize i = 0; i < G_N_ELEMENTS (tried); i++)
    {
      g_auto (GStrv) names = g_strsplit (tried[i].names, " ", -1);

      for (guint j = 0; names[j] != NULL; j++)
        {
          OcToolEffect effect;

          if (!oc_tools_list_match (list, names[j], &effect, NULL, NULL))
            g_error ("%s is not listed", names[j]);
          if (effect != tried[i].effect)
            g_error ("%s has another effect", names[j]);
        }
    }
  for (guint j = 0; others[j] != NULL; j++)
    if (oc_tools_list_match (list, others[j], NULL, NULL, NULL))
      g_error ("%s is listed", others[j]);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tools/list/found-missing", test_list_found_missing);
  return g_test_run ();
}
