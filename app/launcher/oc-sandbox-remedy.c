/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "core/oc-error.h"
#include "launcher/oc-landlock.h"
#include "launcher/oc-sandbox.h"
#include "oc-config.h"

/* Settings that take user namespaces away. */
static const struct
{
  const char *path;
  const char *value; /* what they say then */
  const char *remedy;
} settings[] = {
  { "/proc/sys/kernel/unprivileged_userns_clone", "0",
    N_ ("This system does not let ordinary users create user namespaces. An administrator can "
        "allow it with “sysctl -w "
        "kernel.unprivileged_userns_clone=1”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_user_namespaces", "0",
    N_ ("This system allows no user namespaces at all. An administrator can allow some with "
        "“sysctl -w "
        "user.max_user_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_mnt_namespaces", "0",
    N_ ("This system allows no mount namespaces. An administrator can allow some with “sysctl -w "
        "user.max_mnt_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_pid_namespaces", "0",
    N_ ("This system allows no process namespaces. An administrator can allow some with “sysctl -w "
        "user.max_pid_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_net_namespaces", "0",
    N_ ("This system allows no network namespaces. An administrator can allow some with “sysctl -w "
        "user.max_net_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_ipc_namespaces", "0",
    N_ ("This system allows no IPC namespaces. An administrator can allow some with “sysctl -w "
        "user.max_ipc_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_uts_namespaces", "0",
    N_ ("This system allows no UTS namespaces. An administrator can allow some with “sysctl -w "
        "user.max_uts_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
  { "/proc/sys/user/max_cgroup_namespaces", "0",
    N_ ("This system allows no cgroup namespaces. An administrator can allow some with “sysctl -w "
        "user.max_cgroup_namespaces=15000”, and for good with a file in /etc/sysctl.d.") },
};

#define APPARMOR_SETTING "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

static char *
read_setting (const char *root, const char *path)
{
  g_autofree char *file = g_strconcat (root != NULL ? root : "", path, NULL);
  char *text = NULL;

  if (!g_file_get_contents (file, &text, NULL, NULL))
    return NULL;
  return g_strstrip (text);
}

static gboolean
is_there (const char *root, const char *path)
{
  g_autofree char *file = g_strconcat (root != NULL ? root : "", path, NULL);

  return g_file_test (file, G_FILE_TEST_EXISTS);
}

static gboolean
is_container (const char *root)
{
  return is_there (root, "/.dockerenv") || is_there (root, "/run/.containerenv");
}

/* Whether this process was started under a filter of system calls: it inherits it from a container or from systemd. */
static gboolean
is_filtered (const char *root)
{
  g_autofree char *status = read_setting (root, "/proc/self/status");

  return status != NULL && strstr (status, "\nSeccomp:\t2") != NULL;
}

/* What the error itself gives away. */
static char *
dup_errno_remedy (const char *detail)
{
  if (strstr (detail, g_strerror (EAGAIN)) != NULL)
    return g_strdup (_ ("Too many processes of this user run already: end some, or raise the limit (“ulimit -u”)."));
  if (strstr (detail, g_strerror (ENOSPC)) != NULL || strstr (detail, "(ENOSPC)") != NULL)
    return g_strdup (_ ("No more namespaces can be made here: what started this program lets nothing in it make any, as "
                        "“bwrap --disable-userns” does, or as many as are allowed exist already. Start it outside of that."));
  return NULL;
}

static char *
dup_namespace_remedy (const char *detail, const char *root)
{
  g_autofree char *apparmor = read_setting (root, APPARMOR_SETTING);
  char *by_errno;

  /* Of a bubblewrap that was asked for and cannot be used, the path comes first. */
  if (g_str_has_prefix (detail, "/") && strstr (detail, "bwrap: ") != NULL)
    return g_strdup (_ ("Install bubblewrap from your system’s packages, or leave --executor out."));
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autofree char *value = read_setting (root, settings[i].path);

      if (g_strcmp0 (value, settings[i].value) == 0)
        return g_strdup (_ (settings[i].remedy));
    }
  if (apparmor != NULL && strcmp (apparmor, "0") != 0)
    return g_strdup_printf (
        /* Translators: what is in quotes are commands. %s is the path of a folder. */
        _ ("This system lets only programs with an AppArmor profile use user namespaces. An administrator can give the "
           "launcher the one that comes with it: “cp %s/ocelot-launcher /etc/apparmor.d/”, then “apparmor_parser -r "
           "/etc/apparmor.d/ocelot-launcher”. Without it, bubblewrap with a profile of its own is used, where that is "
           "installed."),
        OC_PKGDATADIR "/apparmor");
  if (is_there (root, "/.flatpak-info") || (root == NULL && g_getenv ("SNAP") != NULL))
    return g_strdup (_ ("This program runs inside a Flatpak or a Snap, which lets it make no namespaces of its own. Install "
                        "Ocelot Plugins from your system’s packages."));
  by_errno = dup_errno_remedy (detail);
  if (by_errno != NULL)
    return by_errno;
  if (is_container (root))
    return g_strdup (_ (
        "This is a container that does not let programs make namespaces of their own or hides "
        "parts of /proc. "
        "For Docker and Podman, start it with “--security-opt seccomp=unconfined --security-opt "
        "systempaths=unconfined”, and for Docker also with “--security-opt apparmor=unconfined”."));
  if (is_filtered (root))
    return g_strdup (_ ("This program was started under a filter of system calls, as containers and systemd’s "
                        "RestrictNamespaces= set it up, which lets it make no namespaces. Start it without that filter."));
  return g_strdup (_ ("Plugins need a Linux kernel, 5.19 or later, that lets ordinary users create "
                      "user namespaces."));
}

/* Whether something is mounted over a part of /proc: the kernel then gives no /proc of its own to a
 * user namespace (mount_too_revealing()). An empty folder, as binfmt_misc is mounted on, does not
 * count there. */
static gboolean
is_proc_covered (const char *root)
{
  g_autofree char *mounts = read_setting (root, "/proc/self/mountinfo");
  g_auto (GStrv) lines = g_strsplit (mounts != NULL ? mounts : "", "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], " ", 6);

      if (g_strv_length (fields) == 6 && g_str_has_prefix (fields[4], "/proc/")
          && strcmp (fields[4], "/proc/sys/fs/binfmt_misc") != 0)
        return TRUE;
    }
  return FALSE;
}

static char *
dup_proc_remedy (const char *detail, const char *root)
{
  if (!is_container (root) && is_proc_covered (root))
    return g_strdup (_ ("Something is mounted over parts of /proc here, as containers do, and the "
                        "kernel then gives plugins no /proc of their own. Run this outside of the "
                        "container, or in one that leaves /proc whole."));
  return dup_namespace_remedy (detail, root);
}

static char *
dup_landlock_remedy (const char *root)
{
  g_autofree char *modules = read_setting (root, "/sys/kernel/security/lsm");

  if (root == NULL && oc_landlock_get_abi () > 0)
    return g_strdup (_ ("The kernel's Landlock is too old. Plugins need Linux 5.19 or later."));
  if (modules != NULL)
    return g_strdup_printf (
        /* Translators: %s is a kernel parameter. */
        _ ("Landlock is switched off in the kernel. An administrator can switch it on with the "
           "kernel parameter “lsm=landlock,%s”, "
           "if the kernel was built with it (Linux 5.19 or later)."),
        modules);
  return g_strdup (_ ("Landlock is switched off in the kernel, or missing from it. Plugins need "
                      "Linux 5.19 or later with "
                      "CONFIG_SECURITY_LANDLOCK, and “landlock” in the kernel parameter “lsm=” "
                      "where that is given. A container may "
                      "also forbid it through its seccomp profile."));
}

static char *
dup_launcher_remedy (const char *detail)
{
  if (strstr (detail, OC_NOT_AS_ROOT) != NULL)
    return g_strdup (_ ("Run plugins as an ordinary user, or say --allow-root where there is none, "
                        "as in a container."));
  return g_strdup (_ ("Look at what is named: the launcher needs a folder for temporary files that it can write to "
                      "($TMPDIR), /proc, and some free descriptors (“ulimit -n”)."));
}

char *
oc_sandbox_dup_remedy_for (const char *layer, const char *detail, const char *root)
{
  static const char *const namespace_layers[] = { "user-namespace", "mounts-read-only",
                                                  "capabilities",   "network",
                                                  NULL };

  g_return_val_if_fail (layer != NULL && detail != NULL, NULL);
  if (g_strv_contains (namespace_layers, layer))
    return dup_namespace_remedy (detail, root);
  if (strcmp (layer, "pid-namespace") == 0)
    return dup_proc_remedy (detail, root);
  if (strcmp (layer, "landlock") == 0)
    return dup_landlock_remedy (root);
  if (strcmp (layer, "seccomp") == 0 || strcmp (layer, "unix-sockets") == 0 || strcmp (layer, "network-client") == 0
      || strcmp (layer, "no-new-privs") == 0)
    return g_strdup (_ ("The kernel does not apply system call filters. Plugins need one built "
                        "with CONFIG_SECCOMP_FILTER; a container "
                        "may also forbid it. Where the filter is busy, the container’s manager "
                        "answers system calls itself, as LXD and Incus can: switch that off for "
                        "this container."));
  /* What is wrong with a list is said in whole sentences. */
  if (strcmp (layer, "guarded-places") == 0 && g_str_has_suffix (detail, "."))
    return g_strdup (_ ("“man ocelot-launcher” shows how a list of guarded places is written."));
  if (strcmp (layer, "guarded-places") == 0 || strcmp (layer, "folders") == 0
      || strcmp (layer, "own-folders-writable") == 0)
    return g_strdup (_ ("Look at the place that is named: a folder of the plugin's own may have "
                        "become a symbolic link, or lie "
                        "somewhere that is kept from plugins."));
  if (strcmp (layer, "launcher") == 0)
    return dup_launcher_remedy (detail);
  return NULL;
}

char *
oc_sandbox_dup_remedy (const GError *error)
{
  const char *colon = error != NULL ? strchr (error->message, ':') : NULL;
  g_autofree char *layer = NULL;

  if (colon == NULL || !g_error_matches (error, OC_ERROR, OC_ERROR_SANDBOX))
    return NULL;
  layer = g_strndup (error->message, (gsize)(colon - error->message));
  return oc_sandbox_dup_remedy_for (layer, g_str_has_prefix (colon, ": ") ? colon + 2 : colon, NULL);
}
