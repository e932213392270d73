"""Locks."""

from __future__ import annotations

from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Callable

from conch import _conch
from conch._entry import Entry, Resource, caller, wait
from conch._errors import NotObtained
from conch._peer import Peer

if TYPE_CHECKING:
    import asyncio


class Held(Entry):
    """A lock that is held, as ``with`` and ``acquire`` return it. Any thread may release it."""

    def __init__(self, lock: Lock, peer: Peer) -> None:
        super().__init__(peer, lock.name, lock.shared)
        self._lock = lock
        self._ticket = _conch.Ticket(self._membership.native, lock.name, lock.shared)
        self._number: int | None = None

    @property
    def shared(self) -> bool:
        return self._shared

    def release(self) -> None:
        """Releases the lock. Raises LockLost if it was lost before."""
        self._expect_inside()
        lost = not self._holds()
        self._give_up()
        if lost:
            raise self._loss()

    def __enter__(self) -> Held:
        self._expect_inside()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.release()
        elif self._is_inside and self._membership.is_own():
            self._give_up()  # An error inside matters more than a loss.

    def __repr__(self) -> str:
        state = "lost" if self.lost else "held" if self._is_inside else "released"
        return f"<conch.Held {self._name!r}, {state}, fence {self._fence}>"

    def _holds(self) -> bool:
        return self._ticket.holds()

    def _request(self) -> None:
        if self._lock._on_lost is not None:
            self._membership.when_lost[self._numbered()] = partial(self._lock._on_lost, self)
            self._ticket.tell_lost(self._membership.notices, self._numbered())
        self._ticket.request()

    def _numbered(self) -> int:
        if self._number is None:
            self._number = self._membership.next_number()
        return self._number

    def _enter(self, timeout: float | None) -> bool:
        """False if the lock was not free in time. Then, or if it raises, nothing is requested."""
        try:
            self._request()
            if wait(self._ticket.acquire, timeout):
                self._arrive()
                return True
        except BaseException:
            self._give_up()
            raise
        self._give_up()
        return False

    async def _enter_async(self, timeout: float | None) -> bool:
        import asyncio

        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        number = self._numbered()
        self._membership.when_ready[number] = lambda: _wake(loop, ready)
        try:
            self._ticket.tell_ready(self._membership.notices, number)
            self._request()
            if not self._ticket.ready():
                await asyncio.wait({ready}, timeout=timeout)
            if self._ticket.acquire(0):
                self._arrive()
                return True
        except BaseException:
            self._give_up()
            raise
        finally:
            self._membership.when_ready.pop(number, None)
        self._give_up()
        return False

    def _arrive(self) -> None:
        self._begin(self._ticket.fence())
        self._lock._entries[self._owner] = self

    def _give_up(self) -> None:
        self._end()
        self._lock._entries.pop(self._owner, None)
        if self._number is not None:
            self._membership.when_lost.pop(self._number, None)
        self._ticket.release()


def _wake(loop: asyncio.AbstractEventLoop, ready: asyncio.Future[None]) -> None:
    def be_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    try:
        loop.call_soon_threadsafe(be_ready)
    except RuntimeError:  # The loop is closed: nobody waits any more.
        pass


class Lock(Resource[Held]):
    """A lock among all peers of a group: threads, tasks, processes and machines.

        with conch.Lock("deploy") as held:
            print(held.fence)

    One object may be used by any number of threads and tasks at once. It is not reentrant: a thread
    or task that holds the lock and requests it again gets an Error.
    """

    def __init__(
        self,
        name: str,
        *,
        group: str | None = None,
        shared: bool = False,
        timeout: float | None = None,
        peer: Peer | None = None,
        on_lost: Callable[[Held], None] | None = None,
    ) -> None:
        """Does not join the group yet.

        group: of the default peer (default: $CONCH_GROUP, else "default").
        shared: share the lock with other readers, if the group's algorithm supports that.
        timeout: longest time to wait, in seconds (default: wait for ever).
        peer: the peer to use instead of the process's default peer.
        on_lost: called by a thread of conch when the lock is lost while it is held.
        """
        super().__init__(name, group, shared, timeout, peer)
        self._on_lost = on_lost

    def acquire(self, timeout: float | None = None) -> Held:
        """Waits until the lock is here; at most ``timeout`` seconds (default: the constructor's).

        Raises NotObtained, a TimeoutError, after the timeout. Ctrl-C ends the wait.
        """
        limit = self._limit(timeout)
        held = Held(self, self._peer())
        if limit == 0:
            obtained = self._try(held)
        else:
            held._expect_outside()
            obtained = held._enter(limit)
        if not obtained:
            raise NotObtained(self.name, limit or 0)
        return held

    def try_acquire(self) -> Held | None:
        """The lock if nobody else has it. Waits for the answer no longer than the peer's
        ``try_patience``."""
        held = Held(self, self._peer())
        return held if self._try(held) else None

    async def acquire_async(self, timeout: float | None = None) -> Held:
        """As acquire, for a task: other tasks run while it waits. If it is cancelled, it leaves the
        queue."""
        limit = self._limit(timeout)
        held = Held(self, await self._peer_async())
        if limit == 0:
            patience = held._membership.try_patience
            obtained = not held._is_kept_out() and await held._enter_async(patience)
        else:
            held._expect_outside()
            obtained = await held._enter_async(limit)
        if not obtained:
            raise NotObtained(self.name, limit or 0)
        return held

    def release(self) -> None:
        """Releases the lock. Raises LockLost if it was lost before."""
        self._mine().release()

    @property
    def held(self) -> Held | None:
        """What this thread or task holds through this object, if anything."""
        return self._entries.get(caller())

    def __enter__(self) -> Held:
        return self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        held = self._entries.get(caller())
        if held is not None:
            held.__exit__(kind, error, traceback)
        elif error is None:
            self._mine()

    async def __aenter__(self) -> Held:
        return await self.acquire_async()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, traceback)

    def __repr__(self) -> str:
        return f"<conch.Lock {self.name!r}{', shared' if self.shared else ''}>"

    def _try(self, held: Held) -> bool:
        return not held._is_kept_out() and held._enter(held._membership.try_patience)
