#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The whole window: the real programs on a display and a session bus of its own, real keys and clicks (xdotool), and what a
screen reader is told (AT-SPI). Home, bus, display and what is started end with it."""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ.get("OC_TEST_SOURCE_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
import tap  # noqa: E402

BUILD = os.environ.get("OC_TEST_BUILD_ROOT") or os.path.join(SOURCE, "build")
WINDOW = os.path.join(BUILD, "ui", "ocelot-plugins")
TERMINAL = os.path.join(BUILD, "app", "cli", "ocelotctl")
PATIENCE = int(os.environ.get("OC_TEST_PATIENCE", "30"))
ROOT = ["--allow-root"] if os.getuid() == 0 else []
ID = "org.example.Tool"


def inside():
    """Starts this script again on a display, a bus and a window manager of its own."""
    private = tempfile.mkdtemp(prefix="ocelot-window-")
    os.mkdir(private + "/run", 0o700)
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS")}
    environment.update(HOME=private, XDG_RUNTIME_DIR=private + "/run", XDG_CONFIG_HOME=private + "/config",
                       XDG_CACHE_HOME=private + "/cache", GSK_RENDERER="cairo", GDK_BACKEND="x11",
                       GSETTINGS_BACKEND="memory", LC_ALL="C.UTF-8", OC_WINDOW_PRIVATE=private,
                       ADW_DISABLE_PORTAL="1")
    environment.pop("GTK_A11Y", None)
    # The results go round what the bus and its services write: they have no place among them.
    results = fcntl.fcntl(1, fcntl.F_DUPFD, 20)
    os.set_inheritable(results, True)
    environment["OC_WINDOW_RESULTS"] = str(results)
    try:
        return subprocess.run(["dbus-run-session", "--", "xvfb-run", "--auto-servernum",
                               "--server-args=-screen 0 1280x1024x24 -nolisten tcp", "/usr/bin/python3", __file__],
                              env=environment, pass_fds=[results], stdout=sys.stderr, check=False).returncode
    finally:
        shutil.rmtree(private, ignore_errors=True)


def wait(what, condition, patience=PATIENCE):
    """What CONDITION returns once it is true."""
    deadline = time.monotonic() + patience
    while True:
        try:
            got = condition()
        except Exception as error:  # the tree changes under the reader
            got = None
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for {what}: {error}") from error
        if got:
            return got
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience} s for {what}")
        time.sleep(0.05)


def xdotool(*arguments):
    return subprocess.run(["xdotool", *arguments], check=True, capture_output=True, text=True).stdout.strip()


class Home:
    """A private data home, with the window on it."""

    def __init__(self):
        self.data = tempfile.mkdtemp(prefix="home-", dir=os.environ["OC_WINDOW_PRIVATE"])
        self.process = None
        self.log = None

    def plugin(self, identifier=ID, permissions=("openURL",), **more):
        folder = f"{self.data}/ocelot/Plugins/{identifier}"
        os.makedirs(folder + "/bin", exist_ok=True)
        with open(folder + "/bin/worker", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        os.chmod(folder + "/bin/worker", 0o755)
        manifest = {"manifestVersion": 1, "id": identifier, "name": identifier.rsplit(".", 1)[-1], "version": "1",
                    "kind": "process", "main": "bin/worker", "commands": [{"id": "go", "title": "Go"}],
                    "permissions": list(permissions), **more}
        temporary = folder + "/.plugin.json"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        os.rename(temporary, folder + "/plugin.json")
        return folder

    def environment(self):
        return dict(os.environ, XDG_DATA_HOME=self.data, XDG_DATA_DIRS=self.data + "/none:/usr/share")

    def terminal(self, *arguments):
        return subprocess.run([TERMINAL, *arguments, *ROOT], env=self.environment(), capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)

    def state(self, identifier=ID):
        answer = self.terminal("show", identifier, "--json")
        return json.loads(answer.stdout)["state"]

    def consent(self):
        path = self.data + "/ocelot/consent.json"
        return open(path, "rb").read() if os.path.exists(path) else None

    def open(self, *arguments):
        self.log = open(self.data + "/log", "w+b")
        self.process = subprocess.Popen([WINDOW, *ROOT, *arguments], env=self.environment(), stdout=self.log,
                                        stderr=self.log)
        return wait("the window", lambda: find(app(), "frame", "Plugins") or find(app(), "frame"))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.log.seek(0)
        complaints = [line for line in self.log.read().decode("utf-8", "replace").splitlines()
                      if "-CRITICAL **" in line or "-WARNING **" in line]
        self.log.close()
        if kind is None:
            tap.equal(complaints, [], "what the window complained of")


def app():
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        child = desktop.get_child_at_index(index)
        if child is not None and child.get_name() in ("ocelot-plugins", "org.ocelot.Plugins", "Ocelot Plugins"):
            return child
    return None


def fresh():
    """GTK does not tell of every widget that is added later."""
    node = app()
    node.clear_cache()
    return node


def walk(node):
    if node is None:
        return
    yield node
    for index in range(node.get_child_count()):
        yield from walk(node.get_child_at_index(index))


def showing(node):
    """GTK 4.8 tells of its main windows only whether they are shown; what is hidden or closed it leaves out."""
    return node.get_role_name() != "frame" or node.get_state_set().contains(Atspi.StateType.SHOWING)


def sensitive(node):
    return node.get_state_set().contains(Atspi.StateType.SENSITIVE)


def checked(node):
    return node.get_state_set().contains(Atspi.StateType.CHECKED)


def find(root, role, name=None, part=None):
    """The first that is shown, with that role, and that name or a name with PART in it."""
    for node in walk(root):
        if node.get_role_name() != role or not showing(node):
            continue
        if (name is None or node.get_name() == name) and (part is None or part in node.get_name()):
            return node
    return None


def dialog():
    return find(app(), "dialog")


def switch():
    for role in ("toggle button", "switch", "check box"):
        node = find(app(), role, "Enabled")
        if node is not None:
            return node
    return None


def button(name, root=None):
    return find(root or app(), "push button", name) or find(root or app(), "button", name)


def active_window():
    return wait("a window with the keys", lambda: xdotool("getactivewindow"))


def key(*keys):
    xdotool("key", "--clearmodifiers", *keys)


def focused(node):
    return node.get_state_set().contains(Atspi.StateType.FOCUSED)


def press_enable():
    """With the keyboard: Tab until it has the focus, then Space."""
    for _ in range(30):
        if focused(button("Enable", dialog())):
            key("space")
            return
        key("Tab")
        time.sleep(0.1)
    raise AssertionError("the keyboard does not reach Enable")


def text_of(root):
    return "\n".join(node.get_name() for node in walk(root) if showing(node) and node.get_name())


def open_review(home, *arguments):
    home.open("--review", ID, *arguments)
    return wait("the review", dialog)


@tap.case("/window/names-and-descriptions")
def names():
    with Home() as home:
        home.plugin(permissions=("process.spawn:python3", "openURL"), reasons={"openURL": "to show you the manual"})
        home.open("--show", ID)
        row = wait("the permission", lambda: find(app(), "list item", part="python3"))
        tap.contains(row.get_name(), "Broad", "the row's name says how far it goes")
        tap.contains(row.get_description(), "How it is held to this", "the row's description")
        tap.contains(row.get_description(), "Does not grant", "the row's description")
        other = wait("the other permission", lambda: find(app(), "list item", part="web pages"))
        tap.contains(other.get_description(), "The author says: “to show you the manual”", "the author's claim")
        listed = wait("the plugin in the list", lambda: find(app(), "list item", "Tool"))
        tap.contains(listed.get_description(), "Broad", "the list row's description")
        tap.check(switch() is not None, "no switch with the name Enabled")
        for node in walk(app()):
            if node.get_role_name() in ("push button", "button", "toggle button", "switch") and showing(node):
                tap.check(node.get_name() != "", f"a {node.get_role_name()} without a name")


@tap.case("/window/a-notification-leads-to-the-plugin")
def notification():
    from gi.repository import Gio, GLib

    with Home() as home:
        home.plugin()
        home.plugin("org.example.Other", permissions=("process.spawn:python3",))
        home.open("--show", ID)
        wait("the plugin that was asked for", lambda: find(app(), "list item", part="web pages"))
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        for target in ("org.example.None", "org.example.Other"):
            bus.call_sync("org.ocelot.Plugins", "/org/ocelot/Plugins", "org.freedesktop.Application", "ActivateAction",
                          GLib.Variant("(sava{sv})", ("show", [GLib.Variant("s", target)], {})), None, Gio.DBusCallFlags.NONE,
                          PATIENCE * 1000)
        wait("the plugin of the notification", lambda: find(app(), "list item", part="python3"))


@tap.case("/window/enable-with-the-keyboard")
def enable():
    with Home() as home:
        home.plugin()
        open_review(home)
        wait("Enable", lambda: sensitive(button("Enable", dialog())))
        press_enable()
        wait("it to be enabled", lambda: home.state() == "enabled")
        wait("the dialog to go", lambda: dialog() is None)
        wait("the switch to show it", lambda: checked(switch()))


@tap.case("/window/keys-typed-ahead-never-enable")
def typed_ahead():
    with Home() as home:
        home.plugin()
        home.open("--show", ID)
        wait("the switch", lambda: switch() and sensitive(switch()))
        active_window()
        # The review opens by the keyboard, and the keys go on coming while it does.
        key("Tab")
        for _ in range(40):
            if focused(switch()):
                break
            key("Tab")
        tap.check(focused(switch()), "Tab does not reach the switch")
        key("space", "Return", "Return", "Tab", "Return", "space", "Tab", "space", "Return")
        wait("the review", dialog)
        tap.equal(home.consent(), None, "the consent file")
        # The control: once it was shown long enough, a key counts.
        wait("Enable", lambda: sensitive(button("Enable", dialog())))
        press_enable()
        wait("it to be enabled", lambda: home.state() == "enabled")


@tap.case("/window/escape-writes-nothing")
def escape():
    with Home() as home:
        home.plugin()
        open_review(home)
        wait("Enable", lambda: sensitive(button("Enable", dialog())))
        key("Escape")
        wait("the dialog to go", lambda: dialog() is None)
        tap.equal(home.consent(), None, "the consent file")
        tap.check(not checked(switch()), "the switch shows what is not so")


@tap.case("/window/enter-cancels")
def enter():
    with Home() as home:
        home.plugin()
        open_review(home)
        wait("Enable", lambda: sensitive(button("Enable", dialog())))
        key("Return")
        wait("the dialog to go", lambda: dialog() is None)
        tap.equal(home.consent(), None, "the consent file")


@tap.case("/window/broad-needs-the-tick")
def broad():
    with Home() as home:
        home.plugin(permissions=("process.spawn:python3",))
        open_review(home)
        tick = wait("the tick", lambda: find(dialog(), "check box", part="python3"))
        time.sleep(1)  # longer than Enable would take without the tick
        tap.check(not sensitive(button("Enable", dialog())), "Enable is there without the tick")
        tap.equal(home.consent(), None, "the consent file")
        for _ in range(10):
            if focused(tick):
                break
            key("shift+Tab")
            time.sleep(0.1)
        tap.check(focused(tick), "the keyboard does not reach the tick")
        key("space")
        wait("the tick to be set", lambda: checked(tick))
        wait("Enable", lambda: sensitive(button("Enable", dialog())))
        press_enable()
        wait("it to be enabled", lambda: home.state() == "enabled")


@tap.case("/window/undo")
def undo():
    with Home() as home:
        home.plugin()
        tap.equal(home.terminal("enable", ID, "--grant", "openURL").returncode, 0, "enabling in the terminal")
        home.open("--show", ID)
        wait("the switch to show it", lambda: switch() and checked(switch()))
        before = home.consent()
        switch().get_action_iface().do_action(0)
        wait("it to be off", lambda: home.state() == "disabled")
        # The button's own label is part of its name: "Undo Undo".
        wait("Undo", lambda: find(fresh(), "push button", part="Undo")).get_action_iface().do_action(0)
        wait("it to be on again", lambda: home.state() == "enabled")
        wait("the switch to show it", lambda: checked(switch()))
        tap.check(before is not None, "no consent before")


@tap.case("/window/agrees-with-the-terminal")
def agrees():
    with Home() as home:
        home.plugin()
        home.open("--show", ID)
        wait("the switch", lambda: switch() and not checked(switch()))
        began = time.monotonic()
        tap.equal(home.terminal("enable", ID, "--grant", "openURL").returncode, 0, "enabling in the terminal")
        wait("the switch to be on", lambda: checked(switch()))
        tap.equal(home.terminal("disable", ID).returncode, 0, "disabling in the terminal")
        wait("the switch to be off", lambda: not checked(switch()))
        tap.check(time.monotonic() - began < PATIENCE, "too slow")
        home.plugin("org.example.Another")
        wait("the new one", lambda: find(app(), "list item", "Another"))
        shutil.rmtree(f"{home.data}/ocelot/Plugins/org.example.Another")
        wait("it to go", lambda: find(app(), "list item", "Another") is None)
        tap.check(find(app(), "list item", part="web pages") is not None, "the chosen plugin is no longer shown")


@tap.case("/window/hover-shows-the-explanation")
def hover():
    with Home() as home:
        home.plugin(permissions=("process.spawn:python3",))
        home.open("--show", ID)
        wait("the permission", lambda: find(app(), "list item", part="python3"))
        window = active_window()
        xdotool("windowmove", "--sync", window, "0", "0")
        before = set(xdotool("search", "--onlyvisible", "--name", ".*").split())
        shown = False
        # GTK 4.8 does not say where a row is on the screen: a line down the middle of the page meets it.
        for y in range(180, 420, 24):
            xdotool("mousemove", "700", str(y - 3))
            xdotool("mousemove", "700", str(y))
            time.sleep(0.9)
            tip = find(app(), "tool tip")
            if tip is not None and "How it is held to this" in text_of(tip):
                shown = True
                break
            if any(node.get_role_name() == "label" and "How it is held to this" in node.get_name()
                   and showing(node) for node in walk(app())):
                shown = True
                break
        tap.check(shown, f"no tooltip with the explanation (windows before: {len(before)})")


@tap.case("/window/search-by-typing")
def search():
    with Home() as home:
        home.plugin()
        home.plugin("org.example.Other")
        home.open("--show", ID)
        wait("both", lambda: find(app(), "list item", "Other") and find(app(), "list item", "Tool"))
        active_window()
        key("ctrl+f")
        xdotool("type", "--delay", "20", "othe")
        wait("only one to be left", lambda: find(app(), "list item", "Tool") is None)
        tap.check(find(app(), "list item", "Other") is not None, "what was searched for is not there")
        key("Escape")
        wait("both again", lambda: find(app(), "list item", "Tool"))
        key("Down", "Up", "Down")
        wait("a row to have the keys",
             lambda: any(node.get_state_set().contains(Atspi.StateType.FOCUSED) for node in walk(app())
                         if node.get_role_name() == "list item"))


@tap.case("/window/closes-with-the-keyboard")
def closes():
    with Home() as home:
        home.plugin()
        home.open("--show", ID)
        active_window()
        key("ctrl+q")
        tap.equal(home.process.wait(PATIENCE), 0, "the exit code")
        home.process = subprocess.Popen(["true"])


if __name__ == "__main__":
    if "OC_WINDOW_PRIVATE" not in os.environ:
        sys.exit(inside())
    os.dup2(int(os.environ["OC_WINDOW_RESULTS"]), 1, inheritable=False)
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi
    # A real keyring, unlocked; without this the bus would start a locked one.
    subprocess.run(["gnome-keyring-daemon", "--unlock", "--components=secrets"], input=b"private", check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    manager = subprocess.Popen(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        code = tap.run()
    finally:
        manager.terminate()
        manager.wait()
    sys.exit(code)
