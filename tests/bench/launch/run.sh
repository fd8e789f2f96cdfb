#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# How long a launch takes, beside bubblewrap, firejail and sandbox-runtime. Builds what it needs into build/ and prints everything.
# See --help.
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
# shellcheck source=tests/lib/packages.sh
. "$top/tests/lib/packages.sh"
# shellcheck source=tests/lib/setup.sh
. "$top/tests/lib/setup.sh"
# One version, so that figures can be compared.
srt=@anthropic-ai/sandbox-runtime@0.0.83

usage ()
{
  cat <<'END'
Usage: sh tests/bench/launch/run.sh [--rounds N] [--peers] [--build FOLDER] [--help]

Prints medians, quartiles and ratios, everything taken in turns: a launch, a call of the host, a time-out, 1, 8 and 32 runs at
once, and the growth with guarded places and with files in the home. Best as an ordinary user on a machine that does nothing else.

  --rounds N      turns of each launch (60); what takes long gets fewer
  --peers         first installs what it is compared with: firejail (a set-user-id program), socat and ripgrep from the distribution,
                  and sandbox-runtime from npm into the build folder. Without it, what is not installed is said and left out
  --build FOLDER  instead of build/

Exit: 0 all of ours could be measured, 1 something could not, 2 wrong usage.
END
}

rounds=60 peers=no build=$top/build
while test $# -gt 0; do
  case $1 in
    --rounds | --build)
      if test $# -lt 2; then
        complain "$1 needs a value."
        exit 2
      fi
      test "$1" = --rounds && rounds=$2
      test "$1" = --build && build=$2
      shift
      ;;
    --peers) peers=yes ;;
    --help) usage; exit 0 ;;
    *) complain "Unknown option: $1"; usage >&2; exit 2 ;;
  esac
  shift
done
case $rounds in
  '' | *[!0-9]*) complain "--rounds takes a number."; exit 2 ;;
esac
case $build in
  /*) ;;
  *) build=$PWD/$build ;;
esac

# shellcheck disable=SC2154,SC2086
ensure_packages $packages_build bubblewrap || exit 1
if test "$peers" = yes; then
  # shellcheck disable=SC2154,SC2086
  ensure_packages $packages_peers || exit 1
  if ! command -v npm >/dev/null 2>&1; then
    complain "sandbox-runtime needs npm and Node 18 or later; it is left out."
  elif ! npm install --prefix "$build/peers" --ignore-scripts --no-audit --no-fund --silent "$srt"; then
    complain "npm could not install $srt; it is left out."
  fi
fi
say "Building."
build_quietly "$build" "$top" -Dbuildtype=debugoptimized || exit 1

export OC_TEST_SOURCE_ROOT="$top" OC_TEST_BUILD_ROOT="$build" PYTHONDONTWRITEBYTECODE=1
exec python3 "$top/tests/bench/launch/launch.py" --rounds "$rounds" --peers "$build/peers"
