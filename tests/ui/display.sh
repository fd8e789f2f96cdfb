#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# display.sh COMMAND ARGUMENT…: runs a test on a display of its own, so that it also runs alone, and others do not take its
# focus away.
set -eu
unset WAYLAND_DISPLAY
exec xvfb-run --auto-servernum --server-args='-screen 0 1280x1024x24 -nolisten tcp' "$@"
