/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launcher/oc-plan.h"

#include <glib/gi18n-lib.h>

#include "core/oc-text.h"
#include "launcher/oc-cgroup.h"
#include "launcher/oc-memory.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)

/* The one table of defaults.
 *
 * address_space: not for workers. A worker may be a script host, and JavaScriptCore reserves some
 * 137 GB of addresses and aborts at start under any RLIMIT_AS below about 10 GB, Node needs 1 GB
 * (launcher.md section 3).
 *
 * open_files: also how many descriptors the user may have on their way in sockets before this
 * process may send no more. The kernel counts them for the user: from 1024 on, the usual limit,
 * nobody else in the session could send any (Wayland, D-Bus). One message takes up to 253 of them
 * past the limit.
 *
 * processes: counted by the kernel within the sandbox's own user namespace (since Linux 5.14);
 * uid 0 is not bound by it.
 *
 * data_size, temp_size, data_files: looked at while it runs, see OcQuota.
 *
 * runs: a host application that starts one for each of many files must not bring the machine down;
 * eight workers of eight tools each are as many as the user's own limits bear.
 */
static const OcLimits oc_limits_defaults[] = {
  [OC_ROLE_WORKER]
  = { .address_space = 0, .memory = 4096 * MIB, .file_size = 1024 * MIB, .open_files = 768, .processes = 256,
      .data_size = 1024 * MIB, .temp_size = 2048 * MIB, .data_files = 100000, .runs = 8 },
  [OC_ROLE_TOOL]
  = { .address_space = 4096 * MIB, .memory = 4096 * MIB, .file_size = 1024 * MIB, .open_files = 768, .processes = 128 },
};

const OcLimits *
oc_limits_get_default (OcRole role)
{
  g_return_val_if_fail (role == OC_ROLE_WORKER || role == OC_ROLE_TOOL,
                        &oc_limits_defaults[OC_ROLE_WORKER]);
  return &oc_limits_defaults[role];
}

char *
oc_limits_dup_description (void)
{
  const OcLimits *worker = oc_limits_get_default (OC_ROLE_WORKER);
  const OcLimits *tool = oc_limits_get_default (OC_ROLE_TOOL);
  g_autofree char *memory = oc_text_format_size (oc_memory_limit_here (worker->memory));
  g_autofree char *file = oc_text_format_size (worker->file_size);
  g_autofree char *data = oc_text_format_size (worker->data_size);
  g_autofree char *temp = oc_text_format_size (worker->temp_size);
  g_autofree char *reason = NULL;
  g_autofree char *holder = NULL;

  if (oc_cgroup_find (&(OcCgroupHost){ 0 }, NULL, &reason))
    holder = g_strdup (_("the launcher watches memory, and asks this user’s systemd to hold it"));
  else
    holder = g_strdup_printf (_("the launcher watches memory and nothing else holds it: %s"), reason);
  /* Translators: the last %s is who holds them. */
  return g_strdup_printf (_("%s of memory, %" G_GUINT64_FORMAT " processes (a tool: %" G_GUINT64_FORMAT "), %" G_GUINT64_FORMAT
                            " open files, %s a file, %s and %" G_GUINT64_FORMAT " files of data, %s of temporary files, %u runs of a "
                            "plugin at a time; %s."),
                          memory, worker->processes, tool->processes, worker->open_files, file, data, worker->data_files, temp,
                          worker->runs, holder);
}
