/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "launcher/oc-sandbox.h"

G_BEGIN_DECLS

#define HOST_PLUGIN "test.plugin"
#define HOST_OTHER "test.other"

/**
 * Host: a made-up home with secrets, two plugins, a consent file, services that listen and a
 * process to attack, in a temporary folder. Everything in it can be read and changed by its user:
 * what the sandbox refuses, it refuses.
 */
typedef struct
{
  char *base;
  char *home;
  char *folder; /* the plugin's */
  char *data;
  char *temp;
  OcPaths *paths;
  char *probe;
  int tcp, udp, stream, dgram, abstract; /* sockets */
  int tcp_port, udp_port;
  int terminal; /* the other end of one */
  char *terminal_path;
  int memory, messages, semaphores; /* System V, by number */
  char *queue;                      /* POSIX, by name */
  char *shared;                     /* POSIX memory, by path */
  GPid victim; /* in a process group of its own */
} Host;

/* The executor that the environment's OC_EXECUTOR names, "direct" (also where it is not set) or "bubblewrap", for all sandboxes
 * of this process; host_new() does it too. A test of both registers itself once, and meson runs it twice. */
void host_use_executor (void);
Host *host_new (void);
void host_free (Host *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Host, host_free)

/* What a host has that is no file: sandbox-objects.c. */
void host_make_objects (Host *self);
void host_free_objects (Host *self);
/* Takes away what has come to the services and the terminal. */
void host_drain_objects (Host *self);
/* Whether something has, or the victim has been touched: a message, or NULL. (transfer full) */
char *host_find_touched_object (Host *self);

/* Removes a folder that another host_new() left behind. */
void host_remove_tree (const char *path);
/* Puts every file back as it was. */
void host_reset (Host *self);
/* What differs from what host_reset() made: a message, or NULL. (transfer full) */
char *host_find_change (Host *self);
/* A word of an attempt, with what stands for a place on this host put in: ~ home, %B the ocelot
 * folder, %P the plugin's folder, %D its data, %T its temporary folder, %b the folder around all,
 * %V the victim's pid, %t and %u the TCP and UDP ports, %A the abstract name, %U the user's id,
 * %Y a terminal, %S, %M and %E the System V memory, messages and semaphores, %Q the POSIX queue, %H
 * the POSIX memory.
 * (transfer full) */
char *host_expand (Host *self, const char *word);

typedef struct
{
  char *output; /* of stdout */
  int exit_code;
  int signal;
} HostResult;
void host_result_clear (HostResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HostResult, host_result_clear)

OcPlan *host_make_plan (Host *self, OcRole role, OcNetwork network, GError **error);
/* Runs the probe with @words, expanded, to its end. @input: (nullable) written to its stdin. FALSE:
 * the sandbox did not start. */
gboolean host_run (Host *self,
                   OcRole role,
                   OcNetwork network,
                   const char *const *words,
                   HostResult *result,
                   GError **error);
/* The same with no sandbox around it, in the plugin's data folder. */
void host_run_outside (Host *self, const char *const *words, HostResult *result);
/* Starts the probe with @words and its stdout at @output_fd. Asserts that it works. */
OcProcess *
host_start (Host *self, OcRole role, const char *const *words, int *input_fd, int *output_fd);
/* Reads one line, or to the end of the file; asserts that it comes within seconds. (transfer full)
 * (nullable): NULL at the end */
char *host_read_line (int fd);
char *host_read_all (int fd);
/* Whether skipping is forbidden here. */
void host_skip (const char *reason);

G_END_DECLS
