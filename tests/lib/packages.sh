# SPDX-License-Identifier: LGPL-2.1-or-later
# The one list of Debian and Ubuntu packages; sourced by app/run.sh and tests/run.sh, and nothing else names packages.
# One package a line. The names are the same on Debian 12 and Ubuntu 24.04.
# shellcheck shell=sh disable=SC2034

packages_build="
gcc
gettext
libadwaita-1-dev
libc6-dev
libglib2.0-dev
libgtk-4-dev
libjavascriptcoregtk-6.0-dev
libjson-glib-dev
libseccomp-dev
libsecret-1-dev
libsqlite3-dev
meson
ninja-build
pkg-config
python3
"

# What the samples and the window need beyond what the libraries pull in.
packages_run="
adwaita-icon-theme
coreutils
dbus
fonts-dejavu-core
librsvg2-common
"

# For a picture of the window on a machine without a display.
packages_picture="
imagemagick
xauth
xvfb
"

# For --web: gtk4-broadwayd.
packages_web="
libgtk-4-bin
"

packages_test="
appstream
at-spi2-core
bubblewrap
curl
desktop-file-utils
gir1.2-atspi-2.0
gnome-keyring
imagemagick
libglib2.0-bin
man-db
openbox
passwd
procps
python3-gi
util-linux
valgrind
xdotool
xauth
xvfb
"

# Only what a launch is compared with, and only where somebody asks for it: tests/bench/launch/run.sh --peers.
packages_peers="
firejail
firejail-profiles
ripgrep
socat
"
