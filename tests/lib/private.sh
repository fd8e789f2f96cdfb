#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# private.sh BUILD PASS ARGUMENT…: runs "meson test" with a home, a runtime folder, a session bus and a display of its own.
# What it starts ends with it, and nothing of the caller's session is reachable from the tests.
set -u

dir=$1
pass=$2
shift 2

private=$(mktemp -d) || exit 1
# Tests leave folders that forbid even this; a chmod does not follow links when it recurses.
trap 'chmod -R u+rwX "$private" 2>/dev/null; rm -rf "$private"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -m 700 "$private/home" "$private/run" "$private/tmp"

unset DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY SSH_AUTH_SOCK
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
export HOME="$private/home" XDG_RUNTIME_DIR="$private/run" TMPDIR="$private/tmp"
export LANG=C.UTF-8 LC_ALL=C.UTF-8 TZ=UTC NO_AT_BRIDGE=0
export GSETTINGS_BACKEND=memory GSK_RENDERER=cairo LIBGL_ALWAYS_SOFTWARE=1

# The tests wait more than they work: twice as many at once as there are processors.
at_once=$(($(nproc) * 2))

# A process that a test left behind can hold meson up after the test itself has ended; this is the end of that.
timeout --kill-after=10 "${OC_PASS_SECONDS:-400}" \
  dbus-run-session -- xvfb-run --auto-servernum --server-args='-screen 0 1600x1200x24 -nolisten tcp' \
  meson test -C "$dir" --no-rebuild --print-errorlogs --logbase "testlog-$pass" \
  --timeout-multiplier "${OC_TIMEOUT_MULTIPLIER:-1}" --num-processes "$at_once" "$@"
