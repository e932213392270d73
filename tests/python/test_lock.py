"""Tests locks in one process."""

from __future__ import annotations

import pickle
import threading
import time

import pytest

import conch


def test_a_lock_is_held_inside_its_block(peer):
    lock = conch.Lock("deploy", peer=peer)
    with lock as held:
        assert held.name == "deploy"
        assert not held.lost
        assert lock.held is held
        held.check()
    assert lock.held is None
    with pytest.raises(conch.Error) as caught:
        held.fence
    assert caught.value.code is conch.ErrorCode.misuse


def test_fences_increase(peer, other):
    fences = []
    for each in (peer, other, peer, peer, other):
        with conch.Lock("deploy", peer=each) as held:
            fences.append(held.fence)
    assert fences == sorted(set(fences))


def test_the_default_peer_is_made_once_for_each_group():
    with conch.Lock("deploy", group="one"), conch.Lock("deploy", group="two"):
        pass
    assert conch.default_peer("one") is conch.default_peer("one")
    assert conch.default_peer("one").group == "one"
    assert conch.default_peer("two").group == "two"


def test_a_default_peer_that_was_closed_is_made_anew():
    first = conch.default_peer()
    first.close()
    with conch.Lock("deploy"):
        assert conch.default_peer() is not first


def test_threads_at_once_have_one_default_peer(elsewhere):
    peers = [elsewhere(conch.default_peer) for _ in range(8)]
    assert len({peer.result() for peer in peers}) == 1


def test_the_environment_names_the_group(monkeypatch):
    monkeypatch.setenv("CONCH_GROUP", "ours")
    assert conch.default_peer().group == "ours"


def test_acquire_and_release(peer):
    lock = conch.Lock("deploy", peer=peer)
    held = lock.acquire()
    assert held.fence > 0
    lock.release()
    with pytest.raises(conch.Error) as caught:
        lock.release()
    assert caught.value.code == "misuse"
    with lock.acquire(timeout=5) as again:
        assert again.fence > 0
    assert lock.held is None


def test_what_raises_inside_passes_through(peer):
    lock = conch.Lock("deploy", peer=peer)
    with pytest.raises(KeyError):
        with lock:
            raise KeyError("mine")
    assert lock.try_acquire() is not None
    lock.release()


def test_a_thread_that_would_wait_for_itself_is_told(peer):
    with conch.Lock("deploy", peer=peer):
        with pytest.raises(conch.Error) as caught:
            conch.Lock("deploy", peer=peer).acquire()
    assert caught.value.code is conch.ErrorCode.deadlock


def test_a_lock_stays_held_when_nobody_keeps_the_object(peer, other):
    conch.Lock("deploy", peer=peer).acquire()
    assert conch.Lock("deploy", peer=other).try_acquire() is None


def test_threads_of_one_object_exclude_each_other(peer, elsewhere):
    lock = conch.Lock("deploy", peer=peer)
    number = 0

    def work():
        nonlocal number
        for _ in range(100):
            with lock:
                before = number
                time.sleep(0)  # lets another thread run
                number = before + 1

    for thread in [elsewhere(work) for _ in range(4)]:
        thread.result()
    assert number == 400


def test_another_thread_may_release(peer, elsewhere):
    held = conch.Lock("deploy", peer=peer).acquire()
    elsewhere(held.release).result()
    assert conch.Lock("deploy", peer=peer).try_acquire()


@pytest.mark.parametrize("of_the_same_peer", [True, False])
def test_try_acquire_has_nothing_while_somebody_is_inside(peer, other, elsewhere, of_the_same_peer):
    lock = conch.Lock("deploy", peer=peer if of_the_same_peer else other)
    with conch.Lock("deploy", peer=peer):
        assert elsewhere(lock.try_acquire).result() is None
    with lock.try_acquire() as held:
        assert held.fence > 0


def test_a_timeout_is_a_timeout_error(peer, other):
    lock = conch.Lock("deploy", peer=other, timeout=0.1)
    with conch.Lock("deploy", peer=peer):
        begun = time.monotonic()
        with pytest.raises(TimeoutError) as caught:
            with lock:
                pass
        assert time.monotonic() - begun >= 0.1
        assert isinstance(caught.value, conch.NotObtained)
        assert caught.value.code is conch.ErrorCode.not_obtained
        for timeout in (0.01, 0):
            with pytest.raises(conch.NotObtained):
                lock.acquire(timeout=timeout)
    assert lock.acquire().fence > 0  # no waiter is left in the queue


@pytest.mark.parametrize("timeout", [-1, float("nan"), float("inf")])
def test_what_is_no_time_is_refused(peer, timeout):
    with pytest.raises(ValueError):
        conch.Lock("deploy", peer=peer, timeout=timeout)
    with pytest.raises(ValueError):
        conch.Lock("deploy", peer=peer).acquire(timeout)


def test_other_threads_run_while_one_waits(peer, other, elsewhere):
    held = conch.Lock("deploy", peer=peer).acquire()

    def count_and_release():
        count = 0
        while count < 100_000:
            count += 1
        held.release()

    runs = elsewhere(count_and_release)
    assert conch.Lock("deploy", peer=other).acquire(timeout=30).fence > 0
    runs.result()


def test_who_shares_is_inside_together():
    with conch.Peer("readers", algorithm="elmp") as one, conch.Peer("readers") as two:
        with conch.Lock("list", peer=one, shared=True) as first:
            with conch.Lock("list", peer=two, shared=True, timeout=10) as second:
                assert first.shared and second.shared
                assert conch.Lock("list", peer=two).try_acquire() is None
        with conch.Lock("list", peer=two, timeout=10):
            assert conch.Lock("list", peer=one, shared=True).try_acquire() is None


def test_who_cannot_share_is_told(peer):
    with pytest.raises(conch.Error) as caught:
        conch.Lock("list", peer=peer, shared=True).acquire()
    assert caught.value.code is conch.ErrorCode.unsupported


def test_bad_names_are_refused(peer):
    for name in ("", "a\nb", "x" * 256):
        with pytest.raises(conch.Error) as caught:
            conch.Lock(name, peer=peer).acquire()
        assert caught.value.code is conch.ErrorCode.bad_argument


def test_a_peer_that_was_closed_is_of_no_use(peer, elsewhere):
    lock = conch.Lock("deploy", peer=peer)
    held = lock.acquire()
    waits = elsewhere(conch.Lock("deploy", peer=peer).acquire)
    assert not waits.is_done(0.05)
    peer.close()
    peer.close()
    with pytest.raises(conch.Error) as caught:
        waits.result()
    assert caught.value.code is conch.ErrorCode.left
    with pytest.raises(conch.LockLost):
        held.check()
    with pytest.raises(conch.LockLost):
        lock.release()
    with pytest.raises(conch.Error) as caught:
        lock.acquire()
    assert caught.value.code is conch.ErrorCode.left


def test_on_lost_is_called_with_what_is_lost(peer):
    told = threading.Event()
    losses = []

    def on_lost(held):
        losses.append(held)
        told.set()

    lock = conch.Lock("deploy", peer=peer, on_lost=on_lost)
    with lock:
        pass
    held = lock.acquire()
    peer.close()
    assert told.wait(10)
    assert losses == [held] and held.lost


def test_the_log_is_told(scratch):
    lines = []
    with conch.Peer("logs", lease=2, log=lines.append):
        with conch.Peer("logs", lease=3, log=lines.append):
            pass
    assert any("lease" in line for line in lines), lines


def test_peers_say_what_they_are(peer, other):
    assert peer.id != other.id
    assert peer.group == "test"
    assert peer.algorithm == "naimi-trehel"
    assert peer.listens == []
    assert f"{peer.id:x}" in repr(peer)
    other.close()
    assert other.closed and "closed" in repr(other)
    with conch.Peer("tcp", listen=["127.0.0.1:0"]) as tcp:
        assert tcp.listens[0].startswith("127.0.0.1:")


def test_options_that_make_no_sense_are_refused(peer):
    with pytest.raises(conch.Error) as caught:
        conch.Peer("test", algorithm="none-such")
    assert caught.value.code in ("bad_argument", "misconfigured")
    with pytest.raises(TypeError):
        conch.Peer("test", listen="127.0.0.1:0")
    with pytest.raises(TypeError):
        conch.Peer("test", no_such_option=1)
    with pytest.raises(ValueError):
        conch.Peer("test", lease=-1)
    with pytest.raises(ValueError):
        conch.Lock("deploy", group="another", peer=peer)


def test_variables_that_make_no_sense_are_refused(monkeypatch):
    for name, value in [("CONCH_LEASE_MS", "soon"), ("CONCH_PERSIST", "perhaps")]:
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            with pytest.raises(conch.Error, match=name) as caught:
                conch.Lock("deploy").acquire()
            assert caught.value.code is conch.ErrorCode.bad_argument


def test_errors_travel_between_processes():
    for error in (conch.NotObtained("deploy", 1.0), conch.LockLost("deploy", 7), conch.DataTorn("x")):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (str(copy), copy.code, copy.name) == (str(error), error.code, error.name)


def test_every_code_of_the_library_has_a_name():
    from pathlib import Path
    import re

    header = Path(__file__).parents[2] / "include/conch/error.hpp"
    body = re.search(r"enum class ErrorCode[^{]*{(.*?)};", header.read_text(), re.S)
    names = re.findall(r"^\s*(\w+),", body.group(1), re.M)
    assert len(names) >= 9
    for name in names:
        assert conch.ErrorCode(name).value == name
