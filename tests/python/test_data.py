"""Tests blocks of memory that travel with their locks."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import conch


def test_who_comes_next_finds_what_was_written(peer, other):
    with conch.Data("table", 16, peer=peer) as view:
        assert bytes(view) == bytes(16)
        view[0:4] = b"conch"[:4]
    with conch.Data("table", peer=other) as view:
        assert bytes(view) == b"conc" + bytes(12)
        view[4] = ord("h")
    with conch.Data("table", peer=peer) as view:
        assert bytes(view[:6]) == b"conch\0"


def test_new_data_have_no_bytes(peer):
    with conch.Data("table", peer=peer) as view:
        assert view.nbytes == 0 and bytes(view) == b""


def test_the_size_is_what_there_is_at_least(peer):
    with conch.Data("table", 8, peer=peer) as view:
        view[7] = 1
    with conch.Data("table", 16, peer=peer) as view:
        assert view.nbytes == 16 and view[7] == 1 and view[8] == 0
    with conch.Data("table", 8, peer=peer) as view:
        assert view.nbytes == 16


def test_fences_increase(peer, other):
    fences = []
    for each in (peer, other, peer):
        data = conch.Data("table", 8, peer=each)
        with data:
            data.check()
            fences.append(data.fence)
    assert fences == sorted(set(fences))
    with pytest.raises(conch.Error) as caught:
        data.fence
    assert caught.value.code is conch.ErrorCode.misuse


def test_numpy_views_it_without_copying(peer, other):
    size = 50 << 20
    with conch.Data("matrix", size, peer=peer) as view:
        matrix = np.frombuffer(view, dtype=np.float64).reshape(-1, 1024)
        assert matrix.base is not None and matrix.flags.writeable
        matrix[1, 1] = 2.5
        assert view.cast("d")[1025] == 2.5
        del matrix
    with conch.Data("matrix", peer=other) as view:
        assert np.frombuffer(view)[1025] == 2.5


def test_a_view_cannot_be_used_after_its_block(peer):
    data = conch.Data("table", 8, peer=peer)
    with data as view:
        view[0] = 1
    with pytest.raises(ValueError):
        view[0]
    with pytest.raises(ValueError):
        view[0] = 2
    with pytest.raises(conch.Error):
        data.view


@pytest.mark.parametrize("copies", [0, 1])
@pytest.mark.parametrize("make", [np.asarray, lambda view: view[2:6], memoryview])
def test_what_was_made_of_a_view_is_apart_after_its_block(peer, other, make, copies):
    """Afterwards it neither shows what other holders write, nor crashes its reader."""
    with pytest.raises(BufferError, match="released"):
        with conch.Data("table", 8, peer=peer, copies=copies) as view:
            view[:] = bytes(range(8))
            rest = make(view)
    seen = bytes(rest)
    assert seen in (bytes(range(8)), bytes(range(2, 6)))
    with conch.Data("table", peer=other, timeout=10, copies=copies) as view:
        assert bytes(view) == bytes(range(8))
        rest[0] = 99
        view[0] = 77
        assert bytes(view) == bytes([77, *range(1, 8)])
        assert rest[0] == 99
    with conch.Data("table", peer=peer) as view:
        assert view[0] == 77
    del rest


def test_what_was_made_of_a_view_does_not_hide_what_went_wrong(peer):
    with pytest.raises(KeyError):
        with conch.Data("table", 8, peer=peer) as view:
            array = np.asarray(view)
            array[0] = 1
            raise KeyError
    with conch.Data("table", peer=peer) as view:
        assert view[0] == 1


def test_resizing(peer, other):
    data = conch.Data("table", 8, peer=peer)
    with data as view:
        view[0] = 1
        array = np.asarray(view)
        with pytest.raises(BufferError):
            data.resize(16)
        assert array[0] == 1
        array[1] = 2
        del array
        larger = data.resize(1 << 20)
        with pytest.raises(ValueError):
            view[0]
        assert larger.nbytes == 1 << 20 and bytes(larger[:3]) == b"\1\2\0"
        larger[-1] = 3
    with conch.Data("table", peer=other) as view:
        assert view.nbytes == 1 << 20 and view[-1] == 3


def test_who_shares_only_reads():
    with conch.Peer("readers", algorithm="elmp") as one, conch.Peer("readers") as two:
        with conch.Data("list", 8, peer=one) as view:
            view[0] = 1
        with conch.Data("list", 99, peer=one, shared=True) as first:
            with conch.Data("list", peer=two, shared=True, timeout=10) as second:
                assert first.readonly and bytes(first) == bytes(second) == b"\1" + bytes(7)
                assert not np.asarray(second).flags.writeable
                with pytest.raises(TypeError):
                    second[0] = 2
                with pytest.raises(conch.Error):
                    conch.Data("list", peer=two).acquire(timeout=0.01)


def test_try_timeout_and_deadlock(peer, other):
    with conch.Data("table", 8, peer=peer) as view:
        view[0] = 5
        assert conch.Data("table", peer=other).try_acquire() is None
        assert conch.Data("table", peer=peer).try_acquire() is None
        for timeout in (0, 0.05):
            with pytest.raises(conch.NotObtained):
                conch.Data("table", peer=other).acquire(timeout)
        for same in (conch.Data("table", peer=peer), conch.Lock("table", peer=peer)):
            with pytest.raises(conch.Error) as caught:
                same.acquire()
            assert caught.value.code is conch.ErrorCode.deadlock
    data = conch.Data("table", peer=other)
    assert data.try_acquire()[0] == 5
    data.release()
    with pytest.raises(conch.Error):
        data.release()


def test_threads_of_one_object_wait_for_each_other(peer, elsewhere):
    data = conch.Data("counter", 8, peer=peer)

    def work():
        for _ in range(100):
            with data as view:
                np.frombuffer(view, dtype=np.int64)[0] += 1

    for thread in [elsewhere(work) for _ in range(4)]:
        thread.result()
    with data as view:
        assert view.cast("q")[0] == 400


def test_a_peer_that_was_closed_has_lost_what_it_held(peer):
    data = conch.Data("table", 8, peer=peer)
    view = data.acquire()
    view[0] = 1
    peer.close()
    view[0] = 2  # too late, but it does not crash
    with pytest.raises(conch.LockLost):
        data.check()
    with pytest.raises(conch.LockLost):
        data.release()
    with pytest.raises(conch.Error) as caught:
        data.acquire()
    assert caught.value.code is conch.ErrorCode.left


def test_bad_arguments(peer):
    for arguments in ({"size": -1}, {"copies": -1}, {"timeout": -1}, {"group": "another"}):
        with pytest.raises(ValueError):
            conch.Data("table", peer=peer, **arguments)
    with pytest.raises(conch.Error) as caught:
        conch.Data("", peer=peer).acquire()
    assert caught.value.code is conch.ErrorCode.bad_argument


WRITES_AND_WAITS = """
with conch.Data("table", 8, group="test", copies=int(sys.argv[1])) as view:
    view[0] = 9
    say("in")
    sys.stdin.readline()
"""


def test_data_whose_holder_was_killed_are_torn(peer, script):
    with conch.Data("table", 8, peer=peer) as view:
        view[1] = 1
    process = script(WRITES_AND_WAITS, "0")
    assert process.line() == "in"
    process.send(signal.SIGKILL)
    data = conch.Data("table", peer=peer, timeout=10)
    for _ in range(2):  # until somebody accepts the data
        with pytest.raises(conch.DataTorn) as caught:
            data.acquire()
        assert caught.value.code is conch.ErrorCode.torn and caught.value.name == "table"
    with conch.Data("table", peer=peer, timeout=10, accept_damaged=True) as view:
        assert bytes(view) == b"\x09\x01" + bytes(6)
    with data as view:
        assert view[0] == 9


def test_data_with_copies_are_as_they_were_released(peer, other, script):
    with conch.Data("table", 8, peer=peer, copies=1) as view:
        view[1] = 1
    process = script(WRITES_AND_WAITS, "1")
    assert process.line() == "in"
    process.send(signal.SIGKILL)
    with conch.Data("table", peer=other, timeout=10) as view:
        assert bytes(view) == b"\0\1" + bytes(6)


def test_data_that_end_with_their_writer_are_lost(script):
    """No other peer ever had them."""
    with conch.Peer("test", listen=["127.0.0.1:0"], tcp_only=True) as peer:
        with conch.Data("table", 8, peer=peer) as view:
            view[0] = 1
        process = script(
            """
            peer = conch.Peer("test", listen=["127.0.0.1:0"], tcp_only=True)
            with conch.Data("table", peer=peer) as view:
                view[0] = 2
            say("out")
            sys.stdin.readline()
            """
        )
        assert process.line() == "out"
        process.send(signal.SIGKILL)
        process.end()
        with pytest.raises(conch.DataLost) as caught:
            conch.Data("table", peer=peer, timeout=10).acquire()
        assert caught.value.code is conch.ErrorCode.data_lost
        with conch.Data("table", peer=peer, timeout=10, accept_damaged=True) as view:
            assert view[0] in (0, 1)


def test_data_persist_where_the_peer_says_so():
    for expected in (0, 1, 2):
        with conch.Peer("kept", persist=True) as peer:
            with conch.Data("table", 8, peer=peer) as view:
                assert view[0] == expected
                view[0] += 1
