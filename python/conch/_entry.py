"""What locks and data have in common: entries, and waiting for them."""

from __future__ import annotations

import sys
import threading
import time
from typing import Callable, Generic, Hashable, TypeVar

from conch._errors import Error, ErrorCode, LockLost
from conch._options import expect_seconds
from conch._peer import Peer, default_peer, default_peer_async

# The longest delay of a signal, such as that of Ctrl-C, while the main thread waits.
_SIGNAL_PATIENCE = 0.05


def caller() -> Hashable:
    """The task that runs, or else the thread."""
    tasks = sys.modules.get("asyncio.tasks")  # A program with tasks has imported it.
    if tasks is not None:
        try:
            task: Hashable | None = tasks.current_task()
        except (RuntimeError, AttributeError):  # No loop runs here, or it is being imported.
            task = None
        if task is not None:
            return task
    return threading.current_thread()


def wait(attempt: Callable[[float | None], bool], timeout: float | None) -> bool:
    """Repeats the attempt until it succeeds or the timeout is over. Meanwhile the main thread looks
    for signals, whose handlers may raise."""
    is_main = threading.current_thread() is threading.main_thread()
    if timeout is None and not is_main:
        return attempt(None)
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        left = float("inf") if deadline is None else max(deadline - time.monotonic(), 0.0)
        part = min(left, _SIGNAL_PATIENCE) if is_main else left
        if attempt(part):
            return True
        if part == left:
            return False


class Entry:
    """One entry of a thread or task, from the request to the release."""

    def __init__(self, peer: Peer, name: str, shared: bool) -> None:
        self._peer = peer  # Keeps the peer alive while something is held.
        self._membership = peer._membership
        self._name = name
        self._shared = shared
        self._owner = caller()
        self._fence = 0
        self._is_inside = False

    @property
    def name(self) -> str:
        return self._name

    def _expect_outside(self) -> None:
        if (self._name, self._owner) in self._membership.inside:
            raise Error(
                f"this thread or task already holds {self._name!r}: it would wait for itself",
                ErrorCode.deadlock,
            )

    def _is_kept_out(self) -> bool:
        """Whether an entry of this peer is inside that cannot share with this one."""
        return any(
            other._name == self._name and not (other._shared and self._shared)
            for other in list(self._membership.inside.values())
        )

    def _begin(self, fence: int) -> None:
        self._fence = fence
        self._is_inside = True
        self._membership.inside[self._name, self._owner] = self

    def _end(self) -> None:
        self._is_inside = False
        if self._membership.inside.get((self._name, self._owner)) is self:
            self._membership.inside.pop((self._name, self._owner), None)

    def _holds(self) -> bool:
        raise NotImplementedError

    def _loss(self) -> LockLost:
        return LockLost(self._name, self._fence)

    def _expect_inside(self) -> None:
        if not self._is_inside:
            raise Error(f"{self._name!r} was released", ErrorCode.misuse)

    @property
    def lost(self) -> bool:
        """Whether the lock was lost while it was held."""
        return self._is_inside and not self._holds()

    @property
    def fence(self) -> int:
        """Greater than that of every earlier exclusive entry of any peer. Raises LockLost if the
        lock was lost."""
        self.check()
        return self._fence

    def check(self) -> None:
        """Raises LockLost if the lock was lost."""
        self._expect_inside()
        if not self._holds():
            raise self._loss()


E = TypeVar("E", bound=Entry)


class Resource(Generic[E]):
    """What threads and tasks enter by name, with the entries that are inside."""

    def __init__(
        self,
        name: str,
        group: str | None,
        shared: bool,
        timeout: float | None,
        peer: Peer | None,
    ) -> None:
        if peer is not None and group is not None and peer.group != group:
            raise ValueError(f"the peer belongs to the group {peer.group!r}, not to {group!r}")
        self.name = name
        self.shared = shared
        self.timeout = None if timeout is None else expect_seconds("timeout", timeout)
        self._group = group
        self._own_peer = peer
        self._entries: dict[Hashable, E] = {}

    def _peer(self) -> Peer:
        return self._own_peer or default_peer(self._group)

    async def _peer_async(self) -> Peer:
        return self._own_peer or await default_peer_async(self._group)

    def _limit(self, timeout: float | None) -> float | None:
        return self.timeout if timeout is None else expect_seconds("timeout", timeout)

    def _mine(self) -> E:
        entry = self._entries.get(caller())
        if entry is None:
            raise Error(f"this thread or task does not hold {self.name!r}", ErrorCode.misuse)
        return entry
