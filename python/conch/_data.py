"""Blocks of memory that travel with their locks."""

from __future__ import annotations

from functools import partial
from types import TracebackType

from conch import _conch
from conch._entry import Entry, Resource, caller, wait
from conch._errors import DataLost, DataTorn, Error, ErrorCode, NotObtained
from conch._peer import Membership, Peer, in_thread


class Section(Entry):
    """One entry, from acquire to release: the lock, and a view of the bytes."""

    _handle: _conch.Data

    def __init__(self, data: Data, peer: Peer) -> None:
        super().__init__(peer, data.name, data.shared)
        self._data = data
        self._block: _conch.Block | None = None
        self._view: memoryview | None = None
        self._is_over = False

    @property
    def view(self) -> memoryview:
        self._expect_inside()
        assert self._view is not None
        return self._view

    def _holds(self) -> bool:
        return self._handle.state() == "locked"

    # Entering.

    def enter(self, timeout: float | None, tries: bool = False) -> bool:
        """False if the lock was not free in time. Then, or if it raises, nothing is requested."""
        outcome: _conch.Outcome = "timed_out"

        def attempt(seconds: float | None) -> bool:
            nonlocal outcome
            outcome = self._acquire(seconds)
            return outcome != "timed_out"

        self._handle = self._data._take_handle(self._membership)
        try:
            self._request()
            # If the lock comes in time, it was free; its data may take longer.
            obtained = wait(attempt, timeout) or (tries and self._is_here() and wait(attempt, None))
            return self._conclude(outcome if obtained else "timed_out")
        except BaseException:
            self._give_up()
            raise

    async def enter_async(self, timeout: float | None) -> bool:
        self._handle = self._data._take_handle(self._membership)
        try:
            self._request()
            outcome = await in_thread(lambda: self._acquire(timeout), give_up=self._give_up)
            return self._conclude(outcome)
        except BaseException:
            self._give_up()
            raise

    def _request(self) -> None:
        if self._handle.state() == "lost":  # Such a handle is of no use any more.
            self._handle = self._data._new_handle(self._membership)
        outcome = self._handle.request(self._shared)
        if outcome != "ok":
            raise Error(f"{self._name!r} cannot be requested: {outcome}", ErrorCode.misuse)

    def _acquire(self, seconds: float | None) -> _conch.Outcome:
        while True:
            outcome = self._handle.acquire(seconds)
            if outcome == "peer_lost" and self._handle.state() == "lost":
                self._request()  # The peer is in its group again, or raises that it has left.
                if self._is_over:  # The task was cancelled in between.
                    self._handle.release()
                    return "cancelled"
            elif not (outcome in ("torn", "peer_lost") and self._data.accept_damaged):
                return outcome

    def _is_here(self) -> bool:
        return self._handle.state() in ("grant", "fetch")

    def _conclude(self, outcome: _conch.Outcome) -> bool:
        if outcome == "timed_out":
            self._give_up()
            return False
        if outcome == "torn":
            raise DataTorn(self._name)
        if outcome == "peer_lost":
            raise DataLost(self._name)
        if outcome == "no_memory":
            raise MemoryError(f"out of memory for the data of {self._name!r}")
        if outcome != "ok":
            raise Error(f"{self._name!r} was not acquired: {outcome}", ErrorCode.misuse)
        self._arrive()
        return True

    def _arrive(self) -> None:
        wanted = self._data.size
        if wanted is not None and not self._shared and self._handle.size() < wanted:
            self._expect_resized(wanted)
        self._map()
        self._begin(self._handle.fence())
        self._data._entries[self._owner] = self

    # Inside.

    def resize(self, size: int) -> memoryview:
        self.check()
        if self._is_view_used():
            raise BufferError(
                f"{self._name!r} cannot be resized while something other than its view, "
                "such as a numpy array, uses its bytes"
            )
        self._part_with_view()
        try:
            self._expect_resized(size)
        finally:
            self._map()
        return self.view

    def _expect_resized(self, size: int) -> None:
        outcome = self._handle.resize(size)
        if outcome == "no_memory":
            raise MemoryError(f"out of memory for {size} bytes of {self._name!r}")
        if outcome == "peer_lost":
            raise self._loss()
        if outcome != "ok":
            raise Error(f"{self._name!r} cannot be resized: {outcome}", ErrorCode.misuse)

    def _map(self) -> None:
        self._block = self._handle.map(self._shared)
        self._view = self._block.view()

    def _is_view_used(self) -> bool:
        """Whether something uses the view, such as a numpy array."""
        if self._view is None or self._block is None:
            return False
        try:
            self._view.release()
        except BufferError:
            return True
        if self._block.exports > 0:  # Another view has the same buffer.
            self._view = self._block.view()
            return True
        return False

    def _part_with_view(self) -> None:
        """Cuts the view off from the resource's memory: a numpy array that still uses it has a
        private copy from now on."""
        if self._block is not None:
            self._block.detach()
        self._view = self._block = None

    # Leaving.

    def release(self, raises: bool = True) -> None:
        self._expect_inside()
        if not raises and not self._membership.is_own():
            return
        is_used = self._is_view_used()
        try:
            self._part_with_view()
        finally:
            outcome = self._leave()
        if not raises:
            return
        if outcome == "peer_lost":
            raise self._loss()
        if outcome not in ("ok", "ignored"):
            raise Error(f"{self._name!r} was not released: {outcome}", ErrorCode.misuse)
        if is_used:
            raise BufferError(
                f"{self._name!r} was released, but something other than its view, such as a numpy "
                "array, still uses its bytes: it has a copy of its own from now on. "
                "Delete or copy it before the release"
            )

    def _leave(self) -> _conch.Outcome:
        self._is_over = True
        self._end()
        self._data._entries.pop(self._owner, None)
        outcome = self._handle.release()
        self._data._put_handle(self._membership, self._handle)
        return outcome

    def _give_up(self) -> None:
        if self._is_over:
            return
        self._is_view_used()
        self._part_with_view()
        self._leave()


class Data(Resource[Section]):
    """A named block of memory that travels with its lock: a holder finds what the last holder
    wrote.

        with conch.Data("table", size=8) as view:
            view[0] += 1

    The view is a memoryview, of which numpy makes an array without copying; it can be used until
    the ``with`` block ends. One object may be used by any number of threads and tasks at once.
    """

    def __init__(
        self,
        name: str,
        size: int | None = None,
        *,
        copies: int = 0,
        group: str | None = None,
        shared: bool = False,
        timeout: float | None = None,
        peer: Peer | None = None,
        accept_damaged: bool = False,
    ) -> None:
        """Does not join the group yet.

        size: smaller data are extended to this size with zeros (default: left as they are).
        copies: number of other peers (all, if they are fewer) that have the new data before a
            release returns. With copies, a holder's death changes nothing; else it tears the data.
        shared: only read, together with other readers if the group's algorithm supports that.
        accept_damaged: go on with what remains instead of raising DataTorn or DataLost.
        group, timeout, peer: as of a Lock.
        """
        super().__init__(name, group, shared, timeout, peer)
        if size is not None and size < 0:
            raise ValueError(f"a size must not be negative, as {size} is")
        if copies < 0:
            raise ValueError(f"a number of copies must not be negative, as {copies} is")
        self.size = size
        self.copies = copies
        self.accept_damaged = accept_damaged
        self._handles: list[_conch.Data] = []
        self._handles_of: Membership | None = None

    def acquire(self, timeout: float | None = None) -> memoryview:
        """Waits until lock and data are here, for at most ``timeout`` seconds.

        Raises NotObtained, DataTorn or DataLost. Ctrl-C ends the wait.
        """
        limit = self._limit(timeout)
        section = Section(self, self._peer())
        if limit == 0:
            obtained = self._try(section)
        else:
            section._expect_outside()
            obtained = section.enter(limit)
        if not obtained:
            raise NotObtained(self.name, limit or 0)
        assert section._view is not None
        return section._view  # No call here: a signal handler could raise in it.

    def try_acquire(self) -> memoryview | None:
        """The data if nobody else has the lock. Waits for the answer no longer than the peer's
        ``try_patience``, and then for the bytes."""
        section = Section(self, self._peer())
        return section.view if self._try(section) else None

    async def acquire_async(self, timeout: float | None = None) -> memoryview:
        """As acquire, for a task: other tasks run while it waits."""
        limit = self._limit(timeout)
        section = Section(self, await self._peer_async())
        section._expect_outside()
        patience = section._membership.try_patience if limit == 0 else limit
        if not await section.enter_async(patience):
            raise NotObtained(self.name, limit or 0)
        return section.view

    def release(self) -> None:
        """Hands lock and data to the next holder; with copies, once other peers have them.

        Raises LockLost if the lock was lost: then what was written is lost, too. Raises BufferError
        after the release if something still uses the view, such as a numpy array.
        """
        self._mine().release()

    def resize(self, size: int) -> memoryview:
        """While held: sets the size of the data. Replaces the view; new bytes are zero."""
        return self._mine().resize(size)

    @property
    def view(self) -> memoryview:
        """The bytes, while this thread or task holds them."""
        return self._mine().view

    @property
    def fence(self) -> int:
        """Greater than every earlier holder's. Raises LockLost if the lock was lost."""
        return self._mine().fence

    def check(self) -> None:
        """Raises LockLost if the lock was lost."""
        self._mine().check()

    def __enter__(self) -> memoryview:
        return self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        section = self._entries.get(caller())
        if section is not None:  # An error inside matters more than one of the release.
            section.release(raises=error is None)
        elif error is None:
            self._mine()

    async def __aenter__(self) -> memoryview:
        return await self.acquire_async()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.copies == 0:
            return self.__exit__(kind, error, traceback)
        section = self._entries.get(caller())
        if section is not None:  # Waiting for copies would block the event loop.
            await in_thread(partial(section.release, raises=error is None))
        elif error is None:
            self._mine()

    def __repr__(self) -> str:
        return f"<conch.Data {self.name!r}>"

    def _try(self, section: Section) -> bool:
        if section._is_kept_out():
            return False
        return section.enter(section._membership.try_patience, tries=True)

    # Handles are kept for the next entries, as a peer keeps the memory of data that have handles.

    def _take_handle(self, membership: Membership) -> _conch.Data:
        if self._handles_of is membership:
            try:
                return self._handles.pop()
            except IndexError:
                pass
        return self._new_handle(membership)

    def _new_handle(self, membership: Membership) -> _conch.Data:
        return _conch.Data(membership.native, self.name, self.copies)

    def _put_handle(self, membership: Membership, handle: _conch.Data) -> None:
        if self._handles_of is not membership:  # The first entry, a fork, or a new default peer.
            self._handles_of, self._handles = membership, []
        self._handles.append(handle)
