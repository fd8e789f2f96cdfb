#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# picture.sh FILE PROGRAM ARGUMENT…: starts the program on the (private, otherwise empty) display and writes a picture of the
# whole screen to FILE, once the window is painted and no longer changes.
set -u

file=$1
shift
"$@" &
program=$!
trap 'kill "$program" 2>/dev/null' EXIT

tries=0
before=
while test "$tries" -lt 60; do
  tries=$((tries + 1))
  sleep 0.5
  kill -0 "$program" 2>/dev/null || exit 1
  import -window root "$file" 2>/dev/null || continue
  now=$(identify -format '%k %#' "$file")
  # An empty screen has one colour, a window that has not painted a few.
  if test "${now%% *}" -gt 32 && test "$now" = "$before"; then
    # Without what the window leaves of the screen.
    mogrify -trim +repage "$file"
    exit
  fi
  before=$now
done
exit 1
