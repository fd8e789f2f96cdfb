#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a call of the host costs, beside a bare pipe echo. Builds what it needs into build/ and prints everything. See --help.
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
# shellcheck source=tests/lib/packages.sh
. "$top/tests/lib/packages.sh"
# shellcheck source=tests/lib/setup.sh
. "$top/tests/lib/setup.sh"

usage ()
{
  cat <<'END'
Usage: sh tests/bench/api/run.sh [--rounds N] [--build FOLDER] [--help]

Prints medians, quartiles and ratios, everything taken in turns: calls of the host beside a bare pipe echo, a tool beside the same
tool started bare, the start of a script plugin beside a bare JavaScriptCore, and the growth with other plugins in the consent file.
Best as an ordinary user on a machine that does nothing else.

  --rounds N      turns of each start (40); what takes long gets fewer
  --build FOLDER  instead of build/

Exit: 0 all could be measured, 1 something could not, 2 wrong usage.
END
}

rounds=40 build=$top/build
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
say "Building."
build_quietly "$build" "$top" -Dbuildtype=debugoptimized || exit 1

export OC_TEST_SOURCE_ROOT="$top" OC_TEST_BUILD_ROOT="$build" PYTHONDONTWRITEBYTECODE=1
exec python3 "$top/tests/bench/api/api.py" --rounds "$rounds"
