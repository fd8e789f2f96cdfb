#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds everything and runs all tests; the last line is "N passed, N failed" (and ", N skipped" where some were).
# Works on a fresh Debian 12 or Ubuntu 24.04: what is missing is installed. See --help.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(dirname "$here")
# The distribution's own programs, not those of somebody's home: the ordinary user below runs them too.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin
export PATH
# shellcheck source=tests/lib/packages.sh
. "$here/lib/packages.sh"
# shellcheck source=tests/lib/setup.sh
. "$here/lib/setup.sh"
# shellcheck source=tests/lib/demo.sh
. "$here/lib/demo.sh"

usage ()
{
  cat <<'END'
Usage: sh tests/run.sh [--fast] [--screenshots] [--bench] [--help] [-- TEST…]

Builds with strict warnings, runs all tests, runs all but the window's once more as an ordinary user (where this is root),
then builds and runs everything again under AddressSanitizer and UndefinedBehaviorSanitizer: all but the window's as that
user only.

  --fast         leaves the second, sanitized pass out
  --screenshots  also writes pictures of the window to build/screenshots/
  --bench        also runs the benchmarks; they print figures and never fail
  -- TEST…       only these tests, by the names that "meson test" takes

With CI=true, or OC_SANDBOX_MUST_WORK=1, a skipped sandbox test is a failure.
Exit: 0 all passed, 1 something failed (a build that fails counts as one), 2 wrong usage.
END
}

fast=no screenshots=no bench=no
while test $# -gt 0; do
  case $1 in
    --fast) fast=yes ;;
    --screenshots) screenshots=yes ;;
    --bench) bench=yes ;;
    --help) usage; exit 0 ;;
    --) shift; break ;;
    *) complain "Unknown option: $1"; usage >&2; exit 2 ;;
  esac
  shift
done

test "${CI:-}" = true && OC_SANDBOX_MUST_WORK=1
export OC_SANDBOX_MUST_WORK="${OC_SANDBOX_MUST_WORK:-0}"

work=$(mktemp -d) || exit 1
chmod 755 "$work"
results=$work/results
mkdir "$results"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The last line, whatever happened before.
finish ()
{
  python3 "$here/lib/count.py" "$results"
  exit $?
}

fail_early ()
{
  complain "$1"
  printf '%s\n' "$1" >"$results/failure"
  finish
}

# shellcheck disable=SC2154,SC2086
if ! ensure_packages $packages_build $packages_run $packages_test; then
  fail_early "The packages that the tests need are not there."
fi

tester=
if test "$(id -u)" = 0; then
  tester=octest
  id "$tester" >/dev/null 2>&1 || useradd --system --create-home --shell /bin/sh "$tester" ||
    fail_early "The user $tester, whom the tests of the launcher need, could not be made."
fi

as_tester ()
{
  setpriv --reuid "$tester" --regid "$tester" --init-groups env -i PATH="$PATH" LANG=C.UTF-8 \
    USER="$tester" LOGNAME="$tester" HOME="$(getent passwd "$tester" | cut -d: -f6)" \
    OC_SANDBOX_MUST_WORK="$OC_SANDBOX_MUST_WORK" OC_TIMEOUT_MULTIPLIER="${OC_TIMEOUT_MULTIPLIER:-1}" OC_PASS_SECONDS="${OC_PASS_SECONDS:-400}" \
    ASAN_OPTIONS="${ASAN_OPTIONS:-}" LSAN_OPTIONS="${LSAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" "$@"
}

# The ordinary user must be able to read what is built. Where the checkout lies in a folder that is closed to others, a copy
# of the sources is built instead.
source=$top
if test -n "$tester" && ! as_tester test -r "$top/meson.build"; then
  source=$work/source
  mkdir "$source"
  (cd "$top" && tar -cf - --exclude=./build --exclude='./build-*' --exclude=./.git .) | tar -xf - -C "$source" ||
    fail_early "The sources could not be copied to $source."
fi
builds=$source

# build NAME OPTION…: configures and compiles into build folder NAME; any warning of the compiler is an error.
build ()
{
  name=$1
  shift
  build_quietly "$builds/$name" "$source" --werror "$@"
}

# run_tests NAME PASS WRAPPER ARGUMENT…: meson test in a private home, with a private bus and display.
run_tests ()
{
  dir=$builds/$1
  pass=$2
  wrapper=$3
  shift 3
  rm -f "$dir/meson-logs/testlog-$pass".*
  $wrapper sh "$source/tests/lib/private.sh" "$dir" "$pass" "$@" </dev/null
  status=$?
  # 124: by timeout; above: by a signal. What has finished until then is counted all the same.
  if test "$status" -ge 124; then
    printf 'the pass "%s" did not come to its end (exit %s)\n' "$pass" "$status" >"$results/$pass-end.failure"
  fi
  if test -f "$dir/meson-logs/testlog-$pass.json"; then
    cp "$dir/meson-logs/testlog-$pass.json" "$results/$pass.json"
    cp "$dir/meson-info/intro-tests.json" "$results/$pass.tests"
  else
    printf 'meson test wrote no log in the pass "%s" (exit %s)\n' "$pass" "$status" >"$results/$pass.failure"
  fi
}

run_pass ()
{
  name=$1
  pass=$2
  shift 2
  if test -z "$tester" || test $# != 0; then
    run_tests "$name" "$pass" '' "$@"
    return
  fi
  # What only root comes to is tried in the plain pass; the sanitizers look at what users run, and at it once.
  test "$pass" != sanitized || set -- --no-suite unit --no-suite integration --no-suite sandbox
  run_tests "$name" "$pass" '' "$@"
  # meson writes its log beside the others; that one folder is opened for it.
  chmod 1777 "$builds/$name/meson-logs"
  say "As the ordinary user $tester:"
  run_tests "$name" "$pass-user" as_tester --suite unit --suite integration --suite sandbox
  chmod 755 "$builds/$name/meson-logs"
}

say "Building."
build build -Dbuildtype=debugoptimized || fail_early "The build failed."
say "Running the tests."
run_pass build plain "$@"

if test "$screenshots" = yes; then
  say "Taking pictures of the window."
  if ! (demo_begin "$source" "$builds/build" && trap demo_end EXIT && demo_pictures "$top/build/screenshots"); then
    printf 'A picture of the window could not be taken.\n' >"$results/screenshots.failure"
  fi
fi

if test "$bench" = yes; then
  say "Running the benchmarks."
  sh "$here/lib/private.sh" "$builds/build" benchmark --benchmark --verbose </dev/null
fi

if test "$fast" = no; then
  say "Building with AddressSanitizer and UndefinedBehaviorSanitizer."
  if build build-sanitize -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1; then
    say "Running the tests again."
    export OC_TIMEOUT_MULTIPLIER=4 OC_PASS_SECONDS=800
    export ASAN_OPTIONS="detect_leaks=1:abort_on_error=1:strict_string_checks=1"
    export LSAN_OPTIONS="suppressions=$source/tests/lib/lsan.supp:print_suppressions=0"
    export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
    run_pass build-sanitize sanitized "$@"
  else
    complain "The sanitized build failed."
    printf 'The sanitized build failed.\n' >"$results/sanitized.failure"
  fi
fi

finish
