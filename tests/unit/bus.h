/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* A private session bus, with or without a real keyring on it. Nothing is activated: a service is there when a case starts
 * it. */
typedef struct
{
  char *folder; /* home and runtime folder of the keyring */
  char *address;
  GSubprocess *daemon;
  GSubprocess *keyring; /* (nullable) */
  GDBusConnection *watcher;
} Bus;

Bus *bus_new (void);
void bus_free (Bus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bus, bus_free)
/* gnome-keyring; returns when it owns its name. Unlocked: its login keyring is made, or opened with the same password. */
void bus_start_keyring (Bus *bus,
                        gboolean unlocked);
void bus_stop_keyring (Bus *bus);
