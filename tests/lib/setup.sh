# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by app/run.sh and tests/run.sh: say, fail, and install what is missing.
# shellcheck shell=sh

say ()
{
  printf '%s\n' "$*"
}

complain ()
{
  printf '%s\n' "$*" >&2
}

# Whether a Debian package is installed whole. "install ok installed" and nothing else counts.
package_is_here ()
{
  test "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = 'install ok installed'
}

missing_packages ()
{
  for package in "$@"; do
    package_is_here "$package" || printf '%s ' "$package"
  done
}

as_root ()
{
  if test "$(id -u)" = 0; then
    "$@"
  else
    sudo "$@"
  fi
}

# What apt-get says goes to the file $1; it is shown only where something fails.
apt_quietly ()
{
  apt_log=$1
  shift
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null >>"$apt_log" 2>&1
}

# ensure_packages NAME…: installs those that are missing; no call of apt at all where nothing is.
ensure_packages ()
{
  if ! command -v dpkg-query >/dev/null 2>&1; then
    complain "This is no Debian or Ubuntu: see tests/lib/packages.sh for what has to be there. Going on without a check."
    return 0
  fi
  wanted=$(missing_packages "$@")
  test -n "$wanted" || return 0
  if test "$(id -u)" != 0 && ! command -v sudo >/dev/null 2>&1; then
    complain "These packages are missing, and there is no sudo to install them with. As root:"
    complain "  apt-get update && apt-get install --no-install-recommends $wanted"
    return 1
  fi
  say "Installing: $wanted"
  log=$(mktemp) || return 1
  # The lists are fetched once; on a fresh machine there are none.
  # shellcheck disable=SC2086
  if ! apt_quietly "$log" update || ! apt_quietly "$log" -y --no-install-recommends install $wanted; then
    complain "apt-get could not install: $wanted"
    tail -n 15 "$log" >&2
    rm -f "$log"
    complain "Install these packages by hand, then run this again."
    return 1
  fi
  rm -f "$log"
  # apt may answer 0 and leave one out.
  # shellcheck disable=SC2086
  wanted=$(missing_packages $wanted)
  if test -n "$wanted"; then
    complain "apt-get said that all went well, but these are still missing: $wanted"
    return 1
  fi
}

# build_quietly FOLDER SOURCES OPTION…: configures and compiles; what the tools say is shown only where they fail.
build_quietly ()
{
  build_folder=$1
  build_sources=$2
  shift 2
  if test -f "$build_folder/build.ninja"; then
    set -- --reconfigure "$@"
  fi
  mkdir -p "$build_folder" || return 1
  if ! test -w "$build_folder" || { test -e "$build_folder/build.ninja" && ! test -w "$build_folder/build.ninja"; }; then
    complain "You cannot write to $build_folder: somebody else built there, root perhaps."
    complain "Build as that user, or make a clone of your own, or remove the folder."
    return 1
  fi
  log=$build_folder/build.log
  if ! meson setup "$build_folder" "$build_sources" "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    complain "The build could not be configured."
  elif ! meson compile -C "$build_folder" >"$log" 2>&1; then
    grep -E -A12 'error|FAILED|warning' "$log" | tail -n 60 >&2
    complain "The build failed."
  else
    return 0
  fi
  return 1
}
