"""Tests locks in asyncio tasks."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

import conch


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 30))


def test_async_with(peer):
    async def main():
        lock = conch.Lock("deploy", peer=peer)
        async with lock as held:
            assert held.fence > 0
            assert lock.held is held
        assert lock.held is None

    run(main())


def test_the_default_peer_is_joined_without_blocking_the_loop():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        async with conch.Lock("deploy") as held:
            assert held.fence > 0
        ticking.cancel()
        assert ticks > 10

    run(main())


def test_others_run_while_a_task_waits(peer, other):
    async def main():
        held = conch.Lock("deploy", peer=peer).acquire()
        waiting = asyncio.create_task(conch.Lock("deploy", peer=other).acquire_async())
        for _ in range(10):
            await asyncio.sleep(0.01)
        assert not waiting.done()
        held.release()
        entered = await waiting
        assert entered.fence > 0
        entered.release()

    run(main())


def test_tasks_of_one_object_exclude_each_other(peer):
    async def main():
        lock = conch.Lock("deploy", peer=peer)
        inside = 0

        async def work():
            nonlocal inside
            for _ in range(10):
                async with lock:
                    inside += 1
                    assert inside == 1
                    await asyncio.sleep(0)
                    inside -= 1

        await asyncio.gather(*(work() for _ in range(10)))

    run(main())


def test_a_task_that_would_wait_for_itself_is_told(peer):
    async def main():
        async with conch.Lock("deploy", peer=peer):
            with pytest.raises(conch.Error) as caught:
                await conch.Lock("deploy", peer=peer).acquire_async()
            assert caught.value.code is conch.ErrorCode.deadlock

    run(main())


def test_a_cancelled_task_gives_up_its_place(peer, other):
    async def main():
        first = conch.Lock("deploy", peer=peer).acquire()
        lock = conch.Lock("deploy", peer=other)
        waiting = asyncio.create_task(lock.acquire_async())
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        first.release()
        with conch.Peer("test") as third:  # nobody is ahead of it
            held = await conch.Lock("deploy", peer=third).acquire_async(timeout=10)
            held.release()

    run(main())


def test_a_task_that_is_cancelled_when_its_turn_comes_does_not_keep_the_lock(peer, other):
    """Either may happen first, the cancellation or the grant."""

    async def main():
        lock = conch.Lock("deploy", peer=other)
        for _ in range(100):
            first = conch.Lock("deploy", peer=peer).acquire()
            waiting = asyncio.create_task(lock.acquire_async())
            await asyncio.sleep(0)
            first.release()
            waiting.cancel()
            try:
                (await waiting).release()
            except asyncio.CancelledError:
                pass
        assert conch.Lock("deploy", peer=peer).acquire(timeout=10)

    run(main())


def test_timeouts(peer, other):
    async def main():
        with conch.Lock("deploy", peer=peer):
            lock = conch.Lock("deploy", peer=other, timeout=0.05)
            with pytest.raises(conch.NotObtained):
                async with lock:
                    pass
            for timeout in (0, 0.01):
                with pytest.raises(TimeoutError):
                    await lock.acquire_async(timeout)
        await lock.acquire_async(10)

    run(main())


def test_who_waits_when_the_peer_is_closed_is_told(peer, other):
    async def main():
        with conch.Lock("deploy", peer=peer):
            waiting = asyncio.create_task(conch.Lock("deploy", peer=other).acquire_async())
            await asyncio.sleep(0.05)
            await asyncio.to_thread(other.close)
            with pytest.raises(conch.Error) as caught:
                await waiting
            assert caught.value.code is conch.ErrorCode.left

    run(main())


def test_a_task_can_be_cancelled_while_its_process_joins(monkeypatch):
    async def main():
        waiting = asyncio.create_task(conch.Lock("deploy").acquire_async())
        await asyncio.sleep(0.1)
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("CONCH_JOIN", "127.0.0.1:%d" % silent.getsockname()[1])
        begun = time.monotonic()
        run(main())
        assert time.monotonic() - begun < 5
        conch._peer._give_up_joining()


def test_data(peer, other):
    async def main():
        data = conch.Data("table", 8, peer=peer, copies=1)
        async with data as view:
            view[0] = 7
            waiting = asyncio.create_task(conch.Data("table", peer=other).acquire_async())
            await asyncio.sleep(0.05)
            assert not waiting.done()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        async with conch.Data("table", peer=other, timeout=10) as view:
            assert bytes(view) == b"\7" + bytes(7)
            with pytest.raises(conch.NotObtained):
                await conch.Data("table", peer=peer).acquire_async(timeout=0.01)

    run(main())
