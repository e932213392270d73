"""A machine without a peer, as far as a test can see, and processes that end with the test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from pathlib import Path
from typing import Iterator

import pytest

import conch
from conch import _peer

PATIENCE = 30.0

# The beginning of every script. The process dies with the test, even if that is killed
# (PR_SET_PDEATHSIG).
BEGIN = """
import conch, ctypes, os, signal, sys, time
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
def say(*words): print(*words, flush=True)
"""


@pytest.fixture(autouse=True)
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # In memory, if there is such a file system: no test is about disks, which may be busy.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="conch-python-", dir=memory))
    for name in [name for name in os.environ if name.startswith("CONCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    yield folder
    _peer._of_this_process.close()
    shutil.rmtree(folder)


@pytest.fixture
def peer() -> Iterator[conch.Peer]:
    """A peer of the test, which is not the default peer of the process."""
    with conch.Peer("test") as peer:
        yield peer


@pytest.fixture
def other() -> Iterator[conch.Peer]:
    """A second member of the same group."""
    with conch.Peer("test") as peer:
        yield peer


class Script:
    """A Python process that runs a script and talks with the test line by line."""

    def __init__(self, text: str, *words: str, patience: float = PATIENCE) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGIN + textwrap.dedent(text), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Killing the process ends its output, so a test that waits for a line fails instead of
        # hanging.
        self._alarm = threading.Timer(patience, self.process.kill)
        self._alarm.start()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Waits until the process ends by itself. Returns its exit status."""
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self._alarm.cancel()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class Scripts:
    def __init__(self) -> None:
        self.all: list[Script] = []

    def __call__(self, text: str, *words: str, patience: float = PATIENCE) -> Script:
        self.all.append(Script(text, *words, patience=patience))
        return self.all[-1]


@pytest.fixture
def script(scratch: Path) -> Iterator[Scripts]:
    scripts = Scripts()
    yield scripts
    for each in scripts.all:
        each.close()


class Elsewhere:
    """A thread whose result or exception can be fetched later."""

    def __init__(self, call) -> None:
        self._outcome: list = []

        def work() -> None:
            try:
                self._outcome = [call(), None]
            except BaseException as error:
                self._outcome = [None, error]

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()

    def is_done(self, within: float = 0.0) -> bool:
        self.thread.join(within)
        return not self.thread.is_alive()

    def result(self):
        assert self.is_done(PATIENCE), "the thread still waits"
        value, error = self._outcome
        if error is not None:
            raise error
        return value


@pytest.fixture
def elsewhere():
    return Elsewhere
