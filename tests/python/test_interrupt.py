"""Tests Ctrl-C, in separate processes."""

from __future__ import annotations

import signal
import socket
import time

import pytest

import conch

# A process that is interrupted while it waits or joins, and then goes on.
INTERRUPTED = """
def interrupted(call):
    begun = time.monotonic()
    say("begins")
    try:
        call()
    except KeyboardInterrupt:
        say("interrupted")
    else:
        say("not interrupted")
"""


def interrupt(process) -> float:
    """Sends Ctrl-C 0.2 s after the process announces its wait: the wait itself cannot be seen."""
    assert process.line() == "begins"
    time.sleep(0.2)
    begun = time.monotonic()
    process.send(signal.SIGINT)
    assert process.line() == "interrupted"
    return time.monotonic() - begun


WAYS = {
    "lock": 'conch.Lock("deploy", group="test").acquire()',
    "timed": 'conch.Lock("deploy", group="test").acquire(timeout=60)',
    "data": 'conch.Data("deploy", 8, group="test").acquire()',
}


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_c_ends_a_wait_and_gives_up_the_place(peer, script, way):
    held = conch.Lock("deploy", peer=peer).acquire()
    process = script(INTERRUPTED + f"interrupted(lambda: {WAYS[way]})\nsys.stdin.readline()")
    assert interrupt(process) < 1
    held.release()
    with conch.Peer("test") as third:  # the interrupted one is not ahead in the queue
        assert conch.Lock("deploy", peer=third, timeout=10).acquire()
    process.go_on()
    assert process.end() == 0


def test_ctrl_c_while_others_hold_leaves_the_peer_usable(peer, script):
    process = script(
        INTERRUPTED
        + """
        lock = conch.Lock("deploy", group="test")
        interrupted(lock.acquire)
        sys.stdin.readline()
        with lock as held:
            say(held.fence > 0)
        """.replace("\n        ", "\n")
    )
    with conch.Lock("deploy", peer=peer):
        interrupt(process)
    process.go_on()
    assert process.line() == "True"
    assert process.end() == 0


def test_ctrl_c_ends_a_join(script):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts connections but never answers
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        process = script(
            INTERRUPTED + f'interrupted(lambda: conch.Peer("test", join=["{address}"]))\n'
        )
        assert interrupt(process) < 3
        assert process.end() == 0


def test_a_handler_of_another_signal_runs_while_one_waits(peer, script):
    process = script(
        """
        signal.signal(signal.SIGUSR1, lambda *_: say("handled"))
        say("begins")
        with conch.Lock("deploy", group="test"):
            say("in")
        """
    )
    with conch.Lock("deploy", peer=peer):
        assert process.line() == "begins"
        time.sleep(0.2)
        process.send(signal.SIGUSR1)
        assert process.line() == "handled"
    assert process.line() == "in"
    assert process.end() == 0
