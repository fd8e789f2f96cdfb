/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The whole of /dev inside; besides these an empty /dev/shm. Plain C: see oc-sandbox-private.h. */
#define OC_N_DEVICES 5
#define OC_N_DEVICE_LINKS 4
#define OC_DEVICE_MAJOR 1

typedef struct
{
  const char *path;
  unsigned int device_minor;
} OcDevice;

typedef struct
{
  const char *target;
  const char *path;
} OcDeviceLink;

extern const OcDevice oc_devices[OC_N_DEVICES];
extern const OcDeviceLink oc_device_links[OC_N_DEVICE_LINKS];
