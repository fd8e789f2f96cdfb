/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain C: see oc-sandbox-private.h. */
#include "launcher/oc-sandbox-devices.h"

const OcDevice oc_devices[OC_N_DEVICES] = {
  { "/dev/null", 3 },   { "/dev/zero", 5 },    { "/dev/full", 7 },
  { "/dev/random", 8 }, { "/dev/urandom", 9 },
};

const OcDeviceLink oc_device_links[OC_N_DEVICE_LINKS] = {
  { "/proc/self/fd", "/dev/fd" },
  { "/proc/self/fd/0", "/dev/stdin" },
  { "/proc/self/fd/1", "/dev/stdout" },
  { "/proc/self/fd/2", "/dev/stderr" },
};
