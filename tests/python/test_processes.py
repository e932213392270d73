"""Tests several processes, which are killed, stopped and forked."""

from __future__ import annotations

import ctypes
import os
import signal
import time

import conch

HOLDS = """
with conch.Lock("deploy", group="test") as held:
    say("in", held.fence)
    sys.stdin.readline()
"""


def fence_of(process) -> int:
    word, fence = process.line().split()
    assert word == "in"
    return int(fence)


def test_processes_exclude_each_other(script):
    """Each process increments a number in a file."""
    path = os.environ["XDG_STATE_HOME"] + "/number"
    with open(path, "w") as file:
        file.write("0")
    text = """
        lock = conch.Lock("number", group="test")
        for _ in range(200):
            with lock:
                with open(sys.argv[1]) as file:
                    number = int(file.read())
                with open(sys.argv[1], "w") as file:
                    file.write(str(number + 1))
        """
    processes = [script(text, path) for _ in range(4)]
    assert [process.end() for process in processes] == [0] * 4
    with open(path) as file:
        assert file.read() == "800"


def test_a_holder_that_is_killed_is_followed_by_the_next(peer, script):
    process = script(HOLDS)
    before = fence_of(process)
    lock = conch.Lock("deploy", peer=peer)
    assert lock.try_acquire() is None
    process.send(signal.SIGKILL)
    begun = time.monotonic()
    with lock as held:
        assert held.fence > before
    assert time.monotonic() - begun < 4, "no longer than a lease"


def test_a_waiter_that_is_killed_is_not_waited_for(peer, script):
    with conch.Lock("deploy", peer=peer):
        process = script(
            """
            lock = conch.Lock("deploy", group="test")
            say(lock.try_acquire())
            lock.acquire()
            """
        )
        assert process.line() == "None"
        process.send(signal.SIGKILL)
        process.end()
    with conch.Peer("test") as other:
        assert conch.Lock("deploy", peer=other, timeout=10).acquire()


def test_a_process_that_ends_has_left(peer, script):
    """A process that ends without a word releases what it holds."""
    process = script('conch.Lock("deploy", group="test").acquire(); say("in")')
    assert process.line() == "in"
    assert process.end() == 0
    assert conch.Lock("deploy", peer=peer, timeout=4).acquire()


def test_a_daemon_thread_that_waits_at_the_end_does_no_harm(peer, script):
    with conch.Lock("deploy", peer=peer):
        process = script(
            """
            import threading
            lock = conch.Lock("deploy", group="test")
            lock.try_acquire()
            def work():
                while True:
                    try:
                        lock.acquire()
                    except conch.Error:
                        pass
            for _ in range(4):
                threading.Thread(target=work, daemon=True).start()
            say("begins")
            """
        )
        assert process.line() == "begins"
        assert process.end() == 0


STOPPED = """
import threading
told = threading.Event()
lock = conch.Lock("deploy", group="stops", on_lost=lambda held: told.set())
caught = []
try:
    with lock as held:
        say("in", held.fence)
        sys.stdin.readline()
        told.wait(10)
        for look in (lambda: held.fence, held.check):
            try:
                look()
            except conch.LockLost as lost:
                caught.append(lost.fence)
except conch.LockLost as lost:
    caught.append(lost.fence)
say(told.is_set(), held.lost, *caught)
with lock as held:
    say("in", held.fence)
"""


def test_a_holder_that_was_stopped_is_told_that_it_is_too_late(script):
    with conch.Peer("stops", lease=0.5) as peer:
        process = script(STOPPED)
        before = fence_of(process)
        process.send(signal.SIGSTOP)
        with conch.Lock("deploy", peer=peer) as held:
            assert held.fence > before
        process.send(signal.SIGCONT)
        process.go_on()
        assert process.line() == f"True False {before} {before} {before}"
        assert fence_of(process) > held._fence
        assert process.end() == 0


def test_what_raises_inside_matters_more_than_a_loss(script):
    with conch.Peer("stops", lease=0.5) as peer:
        process = script(
            """
            try:
                with conch.Lock("deploy", group="stops"):
                    say("in", 0)
                    sys.stdin.readline()
                    raise KeyError
            except KeyError:
                say("mine")
            """
        )
        fence_of(process)
        process.send(signal.SIGSTOP)
        conch.Lock("deploy", peer=peer).acquire()
        process.send(signal.SIGCONT)
        process.go_on()
        assert process.line() == "mine"
        assert process.end() == 0


def test_a_thread_that_keeps_the_interpreter_for_longer_than_a_lease_loses_nothing():
    with conch.Peer("leases", lease=1) as peer:
        with conch.Lock("deploy", peer=peer, on_lost=print) as held:
            ctypes.PyDLL(None).usleep(2_500_000)  # PyDLL calls it with the GIL held
            held.check()


def test_a_forked_child_has_a_peer_of_its_own(script):
    process = script(
        """
        lock = conch.Lock("deploy", group="test")
        lasts, ends = os.pipe()
        with lock as held:
            mine = conch.default_peer("test").id
            child = os.fork()
            if child == 0:
                assert conch.default_peer("test").id != mine
                assert lock.try_acquire() is None
                try:
                    held.check()
                except conch.Error as error:
                    say(error.code)
                os.write(ends, b"-")
                with conch.Lock("deploy", group="test", timeout=10):
                    say("in")
                sys.exit(7)
            os.read(lasts, 1)
            held.check()
        say("parent", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        with lock:
            say("in again")
        """
    )
    assert [process.line() for _ in range(4)] == ["forked", "in", "parent 7", "in again"]
    assert process.end() == 0


def test_a_forked_child_that_leaves_the_block_is_told(script):
    process = script(
        """
        with conch.Lock("deploy", group="test"):
            try:
                with conch.Data("table", 8, group="test") as view:
                    child = os.fork()
            except conch.Error as error:
                say(error.code)
                os._exit(0)
            os.waitpid(child, 0)
        say("left")
        """
    )
    assert [process.line() for _ in range(2)] == ["forked", "left"]
    assert process.end() == 0


def test_a_child_forked_while_others_wait_ends(script):
    process = script(
        """
        import threading
        conch.Lock("deploy", group="test").acquire()
        lock = conch.Lock("deploy", group="test", timeout=60, on_lost=print)
        thread = threading.Thread(target=lambda: lock.try_acquire() or lock.acquire(), daemon=True)
        thread.start()
        child = os.fork()
        if child == 0:
            del lock
            sys.exit(7)
        say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert process.line() == "7"
    assert process.end() == 0


def test_workers_of_multiprocessing_leave_when_they_end(script):
    """They skip the exit handlers of the interpreter. Unless they leave nevertheless, data that a
    worker wrote last would die with it."""
    process = script(
        """
        import multiprocessing
        def work(number):
            with conch.Data("sum", 8, group="test") as view:
                numbers = view.cast("q")
                numbers[0] += number
                numbers.release()
        conch.default_peer("test")
        context = multiprocessing.get_context("fork")
        for number in (1, 2, 3, 4):
            worker = context.Process(target=work, args=(number,))
            worker.start()
            worker.join()
            assert worker.exitcode == 0
        with conch.Data("sum", group="test") as view:
            say(view.cast("q")[0])
        """
    )
    assert process.line() == "10"
    assert process.end() == 0
