"""Members of groups: those that a program makes, and the one that each process has by default."""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Callable, Hashable, Sequence, TypeVar

from conch import _conch
from conch._environment import group_meant, options_from_environment
from conch._options import (
    EtcdOptions,
    TlsOptions,
    duration,
    expect_seconds,
    expect_texts,
    native_etcd,
    native_tls,
)

if TYPE_CHECKING:
    from conch._entry import Entry

T = TypeVar("T")


class Membership:
    """The part of a peer that locks and data use. It keeps the Peer alive only while something is
    held, and outlives it until the group is left."""

    def __init__(self, native: _conch.Peer, notices: _conch.Notices, try_patience: float) -> None:
        self.native = native
        self.notices = notices
        self.try_patience = try_patience
        self.log: Callable[[str], None] | None = None
        # The entries that are inside, by the lock's name and by the thread or task.
        self.inside: dict[tuple[str, Hashable], Entry] = {}
        # What to call when the ticket with this number is ready, or has lost its lock.
        self.when_ready: dict[int, Callable[[], None]] = {}
        self.when_lost: dict[int, Callable[[], None]] = {}
        self.closed = False
        self._numbers = itertools.count(1)
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._listener: threading.Thread | None = None

    def is_own(self) -> bool:
        """Whether it belongs to this process, not to one that this was forked from."""
        return os.getpid() == self._process

    def next_number(self) -> int:
        """A number for a ticket that will send notices."""
        self.listen()
        return next(self._numbers)

    def listen(self) -> None:
        with self._lock:
            if self._listener is None and not self.closed:
                self._listener = threading.Thread(target=self._hear, name="conch", daemon=True)
                self._listener.start()

    def _hear(self) -> None:
        while (notices := self.notices.take()) is not None:
            for kind, number, line in notices:
                if kind == "log":
                    if self.log is not None:
                        _call(self.log, line)
                else:
                    waiting = self.when_ready if kind == "ready" else self.when_lost
                    callback = waiting.pop(number, None)
                    if callback is not None:
                        _call(callback)

    def close(self) -> None:
        """Leaves the group. Does nothing in a process that was forked since."""
        if not self.is_own():
            return
        with self._lock:
            if self.closed:
                return
            self.closed = True
        try:
            self.native.leave()
        finally:
            self.notices.close()
            listener = self._listener
            if listener is not None and listener is not threading.current_thread():
                listener.join()
            # No more notices come: wake the waiting tasks, whose tickets raise that the peer left.
            for number in list(self.when_ready):
                callback = self.when_ready.pop(number, None)
                if callback is not None:
                    callback()


def _call(callback: Callable[..., None], *arguments: str) -> None:
    """Calls it, and reports an exception as that of any thread."""
    try:
        callback(*arguments)
    except Exception:
        threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), threading.current_thread()]))


class Peer:
    """A member of a group, until it is closed or no longer used. May be used by any thread.

    All times are in seconds; docs/peers.md and include/conch/peer.hpp explain the options.
    """

    def __init__(
        self,
        group: str | None = None,
        *,
        algorithm: str = "",
        listen: Sequence[str] = (),
        advertise: str = "",
        join: Sequence[str] = (),
        state_directory: str | os.PathLike[str] = "",
        etcd: EtcdOptions | None = None,
        lease: float | None = None,
        lock_delay: float = 0.0,
        try_patience: float = 0.05,
        admission_patience: float = 30.0,
        tls: TlsOptions | None = None,
        insecure: bool = False,
        tcp_only: bool = False,
        cluster: str = "",
        eps: int | None = None,
        dht: str = "",
        replicas: int | None = None,
        persist: bool = False,
        serves_clients: bool = False,
        trace: str | os.PathLike[str] = "",
        log: Callable[[str], None] | None = None,
        _by_environment: bool = False,
    ) -> None:
        options = _conch.PeerOptions()
        options.group = group or ""
        options.algorithm = algorithm
        options.listen = expect_texts("listen", listen)
        options.advertise = advertise
        options.join = expect_texts("join", join)
        options.state_directory = os.fspath(state_directory)
        options.etcd = native_etcd(etcd or EtcdOptions())
        options.lease = None if lease is None else duration("lease", lease)
        options.lock_delay = duration("lock_delay", lock_delay)
        options.try_patience = duration("try_patience", try_patience)
        options.admission_patience = duration("admission_patience", admission_patience)
        options.tls = native_tls(tls or TlsOptions())
        options.insecure = insecure
        options.tcp_only = tcp_only
        options.cluster = cluster
        options.eps = eps
        options.dht = dht
        options.replicas = replicas
        options.persist = persist
        options.serves_clients = serves_clients
        options.trace = os.fspath(trace)
        if _by_environment:
            options.name_by_environment()
        notices = _conch.Notices()
        if log is not None:
            options.log_to(notices)
        native = _join(options)
        self._membership = Membership(native, notices, expect_seconds("try_patience", try_patience))
        # Closed when nobody uses the peer any more, and at the latest when the interpreter ends.
        weakref.finalize(self, self._membership.close)
        _of_this_process.add(self)
        if log is not None:
            self._membership.log = log
            self._membership.listen()

    @property
    def id(self) -> int:
        """Unique in the group."""
        return self._membership.native.id

    @property
    def group(self) -> str:
        return self._membership.native.group

    @property
    def algorithm(self) -> str:
        return self._membership.native.algorithm

    @property
    def listens(self) -> list[str]:
        """The addresses it listens on, each as ``host:port``."""
        return self._membership.native.listens

    @property
    def closed(self) -> bool:
        return self._membership.closed

    def close(self) -> None:
        """Gives up what is held and waited for, and leaves the group."""
        self._membership.close()

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._membership.is_own():
            return "<conch.Peer of another process>"
        return f"<conch.Peer {self.id:x} of {self.group!r}{', closed' if self.closed else ''}>"


class _Process:
    """The peers of one process. A forked child begins anew."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.peers: weakref.WeakSet[Peer] = weakref.WeakSet()
        self.defaults: dict[str, Peer] = {}
        # One thread joins a group; other threads that need it wait for that one.
        self.joining: dict[str, threading.Lock] = {}
        self.stops: set[_conch.Stop] = set()
        self._closes_as_child = False

    def add(self, peer: Peer) -> None:
        with self.lock:
            self.peers.add(peer)
            if self._closes_as_child:
                return
            # Children that multiprocessing forks skip what runs at an interpreter's exit.
            util = sys.modules.get("multiprocessing.util")
            if util is not None:
                util.Finalize(None, self.close, exitpriority=-100)
                self._closes_as_child = True

    def close(self) -> None:
        with self.lock:
            peers = list(self.peers)
        for peer in peers:
            peer.close()

    def default(self, group: str) -> Peer:
        with self.lock:
            peer = self.defaults.get(group)
            joining = self.joining.setdefault(group, threading.Lock())
        if peer is not None and not peer.closed:
            return peer
        with joining:
            peer = self.defaults.get(group)
            if peer is None or peer.closed:
                peer = Peer(group, _by_environment=True, **options_from_environment())
                self.defaults[group] = peer
            return peer


_of_this_process = _Process()


def _begin_anew() -> None:
    global _of_this_process
    _of_this_process = _Process()


os.register_at_fork(after_in_child=_begin_anew)


def default_peer(group: str | None = None) -> Peer:
    """The peer that locks of this process use if they name no other. It joins at the first use, as
    the environment says (docs/data.md), and stays until the process ends."""
    return _of_this_process.default(group_meant(group))


def existing_default_peer(group: str | None) -> Peer | None:
    """The default peer if it has already joined. Does not wait."""
    peer = _of_this_process.defaults.get(group_meant(group))
    return None if peer is None or peer.closed else peer


async def default_peer_async(group: str | None) -> Peer:
    """As default_peer, for a task, which may be cancelled while the peer joins."""
    peer = existing_default_peer(group)
    if peer is not None:
        return peer
    return await in_thread(lambda: default_peer(group))


async def in_thread(call: Callable[[], T], give_up: Callable[[], None] = lambda: None) -> T:
    """Runs a call that would block the event loop in a thread. A task that is cancelled meanwhile
    gives up and does not wait for the thread, as it would for a thread of an executor."""
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(tell: Callable[[T], None], outcome: T) -> None:
        if not future.done():
            tell(outcome)

    def work() -> None:
        tell: Callable[..., None] = future.set_result
        try:
            outcome: object = call()
        except BaseException as error:
            tell, outcome = future.set_exception, error
        try:
            loop.call_soon_threadsafe(deliver, tell, outcome)
        except RuntimeError:  # The loop is closed: nobody waits any more.
            pass

    threading.Thread(target=work, name="conch", daemon=True).start()
    try:
        return await future
    except asyncio.CancelledError:
        give_up()
        raise


def _join(options: _conch.PeerOptions) -> _conch.Peer:
    """Joins in another thread if this is the main thread, which handles signals only while it waits
    in Python."""
    stop = _conch.Stop()
    stops = _of_this_process.stops
    stops.add(stop)
    try:
        if threading.current_thread() is not threading.main_thread():
            return _conch.Peer(options, stop)
        return _join_in_thread(options, stop)
    finally:
        stops.discard(stop)


def _join_in_thread(options: _conch.PeerOptions, stop: _conch.Stop) -> _conch.Peer:
    joined: list[_conch.Peer] = []
    failures: list[BaseException] = []
    done = threading.Event()
    given_up = False

    def work() -> None:
        try:
            peer = _conch.Peer(options, stop)
            if given_up:
                peer.leave()
            else:
                joined.append(peer)
        except BaseException as error:
            failures.append(error)
        done.set()

    threading.Thread(target=work, name="conch", daemon=True).start()
    try:
        done.wait()
    except BaseException:
        given_up = True
        stop.request()
        for peer in joined:  # The join succeeded just before.
            peer.leave()
        raise
    if failures:
        raise failures.pop()
    return joined.pop()


def _give_up_joining() -> None:
    for stop in list(_of_this_process.stops):
        stop.request()


atexit.register(_give_up_joining)
