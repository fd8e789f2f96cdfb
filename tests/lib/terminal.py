# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program on a terminal of its own, as a person would use it."""
import errno
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

PATIENCE = 60


class Terminal:
    def __init__(self, command, environment, columns=80, typed_ahead=b""):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        # Without an echo, what is read is what the program wrote.
        settings = termios.tcgetattr(slave)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, settings)
        self.seen = b""
        if typed_ahead:
            os.write(self.master, typed_ahead)
        self.process = subprocess.Popen(command, env={"TERM": "xterm", **environment}, stdin=slave, stdout=slave,
                                        stderr=slave, close_fds=True, preexec_fn=lambda: self._own(slave))
        os.close(slave)

    @staticmethod
    def _own(slave):
        """In the child: a session whose terminal this is, so that Ctrl+C is a signal."""
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    def _read(self, seconds):
        """Reads what is there within SECONDS. False at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            part = os.read(self.master, 65536)
        except OSError as error:
            if error.errno == errno.EIO:
                return False
            raise
        self.seen += part
        return bool(part)

    def wait_for(self, text, count=1):
        """Until TEXT has been written COUNT times."""
        end = time.monotonic() + PATIENCE
        while self.seen.count(text.encode()) < count:
            if not self._read(0.2) or time.monotonic() > end:
                raise AssertionError(f"{text!r} was not written {count} times:\n{self.text()}")

    def until(self, condition, what):
        """Until CONDITION() holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if not self._read(0.05) or time.monotonic() > end:
                raise AssertionError(f"{what}: never:\n{self.text()}")

    def type(self, text):
        os.write(self.master, text.encode())

    def type_slowly(self, text):
        """As a person who has read the question: the program takes nothing that comes within half a second."""
        end = time.monotonic() + 0.7
        while time.monotonic() < end:
            self._read(end - time.monotonic() if end > time.monotonic() else 0)
        self.type(text)

    def finish(self):
        """Waits for the end and returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self._read(0.2):
            if time.monotonic() > end:
                self.process.kill()
                raise AssertionError(f"it did not end:\n{self.text()}")
        os.close(self.master)
        return self.process.wait(timeout=PATIENCE)

    def text(self):
        return self.seen.decode("utf-8", "replace").replace("\r\n", "\n")
