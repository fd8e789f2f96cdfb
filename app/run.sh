#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds Ocelot Plugins and shows it. Works on a fresh Debian 12 or Ubuntu 24.04: what is missing is installed. See --help.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(dirname "$here")
# The distribution's own programs first, not those of somebody's home.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin
export PATH
# shellcheck source=tests/lib/packages.sh
. "$top/tests/lib/packages.sh"
# shellcheck source=tests/lib/setup.sh
. "$top/tests/lib/setup.sh"
# shellcheck source=tests/lib/demo.sh
. "$top/tests/lib/demo.sh"

usage ()
{
  cat <<'END'
Usage: sh app/run.sh [--samples] [--web [PORT]] [--help]

Builds into build/ and opens the window on your own Plugins folder.

  --samples     on the samples, in a throw-away home that is removed at the end
  --web [PORT]  the window in a browser of this computer, on the samples (port 8085)

With no display it does the main job in this terminal instead, on the samples: list, review, enable, run in the sandbox, show
what was refused, disable. It then writes a picture of the window to build/screenshots/.

As root (a container, a fresh server) it passes --allow-root on, since the launcher refuses to run as root unless told to.
END
}

samples=no web='' port=8085
while test $# -gt 0; do
  case $1 in
    --samples) samples=yes ;;
    --web)
      web=yes
      case ${2:-} in
        [0-9]*) port=$2; shift ;;
      esac
      ;;
    --help) usage; exit 0 ;;
    *) complain "Unknown option: $1"; usage >&2; exit 2 ;;
  esac
  shift
done

display=no
if test -n "${WAYLAND_DISPLAY:-}" || test -n "${DISPLAY:-}"; then
  display=yes
fi

packages="$packages_build $packages_run"
if test "$web" = yes; then
  packages="$packages $packages_web"
elif test "$display" = no; then
  packages="$packages $packages_picture"
fi
# shellcheck disable=SC2086
ensure_packages $packages || exit 1

build=$top/build
say "Building in $build."
build_quietly "$build" "$top" || exit 1

allow_root=
if test "$(id -u)" = 0; then
  allow_root=--allow-root
  say "This runs as root, so --allow-root is passed on: the launcher refuses to run as root by itself."
fi
# Not installed, so the settings' description is the one in the build folder.
if test -f "$build/data/gschemas.compiled"; then
  export GSETTINGS_SCHEMA_DIR="$build/data"
fi

if test "$display" = yes && test "$samples" = no && test -z "$web"; then
  # shellcheck disable=SC2086
  exec "$build/ui/ocelot-plugins" $allow_root
fi

demo_begin "$top" "$build" || exit 1
trap demo_end EXIT
trap 'exit 1' HUP INT TERM
if test "$web" = yes; then
  demo_web "$port"
elif test "$display" = yes; then
  demo_window
else
  demo_main_job
  status=$?
  demo_picture || status=1
  say ""
  say "To see the window from a browser of this computer: sh app/run.sh --web"
  exit "$status"
fi
