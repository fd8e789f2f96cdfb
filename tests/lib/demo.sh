# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by app/run.sh: the samples in a throw-away home, in the terminal, in a window, in a browser.
# shellcheck shell=sh

# demo_begin SOURCES BUILD: makes the home, and sets what the rest needs.
demo_begin ()
{
  demo_sources=$1
  demo_build=$2
  # A fresh machine has no locale set, and the texts are not ASCII.
  demo_locale=${LC_ALL:-}
  test "$(locale charmap 2>/dev/null)" = UTF-8 || demo_locale=C.UTF-8
  demo_cookie=${XAUTHORITY:-$HOME/.Xauthority}
  demo_root=
  test "$(id -u)" = 0 && demo_root=--allow-root
  demo_home=$(mktemp -d) || return 1
  # Somewhere else than its own files, so that what is guarded there is not what is written.
  mkdir -p "$demo_home/.local/share/ocelot/Plugins" "$demo_home/Documents" || return 1
  mkdir -m 700 "$demo_home/.ssh" "$demo_home/run" || return 1
  for sample in "$1"/data/samples/*/; do
    cp -R "$sample" "$demo_home/.local/share/ocelot/Plugins/" || return 1
  done
  printf 'This stands for a private key: no plugin may read it.\n' >"$demo_home/.ssh/id_example"
  printf 'The ocelot is a small wild cat.\nIt hunts at night.\n' >"$demo_home/Documents/ocelot.txt"
  printf 'One line, six words, no surprises.\n' >"$demo_home/Documents/notes.txt"
  demo_bus || return 1
}

demo_end ()
{
  test -n "${demo_broadway:-}" && kill "$demo_broadway" 2>/dev/null
  rm -rf "$demo_home"
}

# A session bus of its own that can start nothing but the accessibility bus: the samples must not reach the user's keyring.
demo_bus ()
{
  mkdir "$demo_home/services" || return 1
  if test -f /usr/share/dbus-1/services/org.a11y.Bus.service; then
    cp /usr/share/dbus-1/services/org.a11y.Bus.service "$demo_home/services/"
  else
    GTK_A11Y=none
    export GTK_A11Y
  fi
  cat >"$demo_home/bus.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=$demo_home/run</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$demo_home/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
END
}

# in_demo COMMAND…: with the throw-away home and the private bus.
in_demo ()
{
  XAUTHORITY="$demo_cookie" HOME="$demo_home" \
    XDG_DATA_HOME="$demo_home/.local/share" XDG_CONFIG_HOME="$demo_home/.config" \
    XDG_CACHE_HOME="$demo_home/.cache" XDG_STATE_HOME="$demo_home/.local/state" LC_ALL="$demo_locale" \
    GSETTINGS_BACKEND=memory \
    dbus-run-session --config-file="$demo_home/bus.conf" -- "$@" 2>"$demo_home/messages"
  demo_status=$?
  # What the private bus says of itself is of no use to anybody.
  grep -v -e '^dbus-daemon\[' -e '^SpiRegistry' -e '^MESA: ' -e '^$' "$demo_home/messages" >&2
  return "$demo_status"
}

# step EXIT TITLE ARGUMENT…: one command of ocelotctl, shown as it would be typed. EXIT is what it should exit with.
step ()
{
  expected=$1
  title=$2
  shift 2
  say ""
  say "── $title"
  say "\$ ocelotctl $*"
  # shellcheck disable=SC2086
  in_demo "$demo_build/app/cli/ocelotctl" $demo_root "$@"
  got=$?
  if test "$got" != "$expected"; then
    complain "(exit $got, where $expected was expected)"
    demo_failed=1
  elif test "$got" != 0; then
    say "(exit $got)"
  fi
}

demo_main_job ()
{
  demo_failed=0
  words=org.ocelot.samples.WordCount
  forbidden=org.ocelot.samples.TenForbiddenThings
  say "There is no display, so here is the main job in the terminal, on the samples, in a throw-away home."
  step 0 "Whether the sandbox holds on this computer" doctor
  if test "$demo_failed" != 0; then
    say ""
    say "So nothing is run here, and nothing can be enabled. What is said above has to be put right first."
    step 0 "What is installed" list
    step 0 "What enabling one would grant" review "$words"
    return 1
  fi
  step 0 "What is installed" list
  step 0 "What enabling one would grant" review "$words"
  step 3 "Before it is enabled, nothing runs" run "$words" "$(demo_entry "$words")" -- "$demo_home/Documents/ocelot.txt"
  demo_enable "$words"
  step 0 "Its command, in its sandbox" run "$words" "$(demo_entry "$words")" -- "$demo_home/Documents/ocelot.txt" \
    "$demo_home/Documents/notes.txt"
  demo_enable "$forbidden"
  step 0 "One that tries ten forbidden things" run "$forbidden" "$(demo_entry "$forbidden")"
  step 0 "What was refused, afterwards" log --refused
  step 0 "Off again, at once" disable "$words"
  step 3 "And then it no longer runs" run "$words" "$(demo_entry "$words")" -- "$demo_home/Documents/ocelot.txt"
  return "$demo_failed"
}

# The first entry of a sample, and its exact set, from the program's own JSON.
demo_entry ()
{
  in_demo "$demo_build/app/cli/ocelotctl" show "$1" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["entries"][0]["id"])'
}

demo_enable ()
{
  # The words of the answer are options, one a word: no permission has a space in it but globs, and the samples have none.
  # shellcheck disable=SC2046
  set -- "$1" $(in_demo "$demo_build/app/cli/ocelotctl" review "$1" --json |
    python3 -c 'import json, sys; print(" ".join("--grant " + p for p in json.load(sys.stdin)["permissions"]) or "--grant none")')
  step 0 "Enabling, by naming exactly what it gets" enable "$@"
}

demo_window ()
{
  # shellcheck disable=SC2086
  in_demo "$demo_build/ui/ocelot-plugins" $demo_root
}

# take_picture FILE ARGUMENT…: the window, started with these arguments, on a private display.
# The pointer stands in the middle of the screen: so wide, it is beside the window and opens no explanation.
take_picture ()
{
  picture=$1
  shift
  # shellcheck disable=SC2086
  if in_demo env GSK_RENDERER=cairo GDK_BACKEND=x11 GTK_A11Y=none xvfb-run -a -s '-screen 0 2600x860x24 -nolisten tcp' \
      sh "$demo_sources/tests/lib/picture.sh" "$picture" "$demo_build/ui/ocelot-plugins" $demo_root "$@"; then
    say "$picture"
  else
    complain "No picture could be taken of the window: $picture"
    return 1
  fi
}

demo_picture ()
{
  mkdir -p "$demo_build/screenshots"
  say ""
  say "── A picture of the window"
  take_picture "$demo_build/screenshots/window.png" --show org.ocelot.samples.NotebookRunner
}

# demo_pictures FOLDER: each page in each look, for a person to look at.
demo_pictures ()
{
  folder=$1
  notebook=org.ocelot.samples.NotebookRunner
  crasher=org.ocelot.samples.Crasher
  demo_failed=0
  mkdir -p "$folder"
  demo_enable "$notebook" >/dev/null
  demo_enable "$crasher" >/dev/null
  for _ in 1 2 3; do
    step 1 "A run that crashes" run "$crasher" "$(demo_entry "$crasher")" >/dev/null
  done
  take_picture "$folder/plugin-page.png" --show "$notebook" || demo_failed=1
  (export ADW_DEBUG_COLOR_SCHEME=prefer-dark; take_picture "$folder/plugin-page-dark.png" --show "$notebook") || demo_failed=1
  (export ADW_DEBUG_HIGH_CONTRAST=1; take_picture "$folder/plugin-page-high-contrast.png" --show "$notebook") || demo_failed=1
  take_picture "$folder/disabled-after-errors.png" --show "$crasher" || demo_failed=1
  take_picture "$folder/invalid.png" --show org.ocelot.samples.HiddenText || demo_failed=1
  take_picture "$folder/addon-bundle.png" --show org.ocelot.samples.AddonBundle || demo_failed=1
  in_demo "$demo_build/app/cli/ocelotctl" disable "$notebook" >/dev/null
  take_picture "$folder/review.png" --review "$notebook" || demo_failed=1
  (export ADW_DEBUG_COLOR_SCHEME=prefer-dark; take_picture "$folder/review-dark.png" --review "$notebook") || demo_failed=1
  return "$demo_failed"
}

# demo_web PORT: Broadway listens on 127.0.0.1 only, and asks for no password: whoever is on this computer can use the
# window. So it shows the samples, never the user's own plugins.
demo_web ()
{
  XDG_RUNTIME_DIR=$demo_home/run
  export XDG_RUNTIME_DIR
  gtk4-broadwayd --address=127.0.0.1 --port="$1" :7 >"$demo_home/broadway.log" 2>&1 &
  demo_broadway=$!
  waited=0
  while ! test -S "$demo_home/run/broadway8.socket"; do
    if ! kill -0 "$demo_broadway" 2>/dev/null || test "$waited" -ge 50; then
      complain "gtk4-broadwayd could not listen on 127.0.0.1:$1:"
      cat "$demo_home/broadway.log" >&2
      return 1
    fi
    waited=$((waited + 1))
    sleep 0.1
  done
  say "The window, on the samples, is at http://127.0.0.1:$1/ (Ctrl+C ends it)."
  say "From another computer: ssh -L $1:127.0.0.1:$1 THIS-COMPUTER, then the same address there."
  # shellcheck disable=SC2086
  in_demo env GDK_BACKEND=broadway BROADWAY_DISPLAY=:7 GSK_RENDERER=cairo "$demo_build/ui/ocelot-plugins" $demo_root
}
