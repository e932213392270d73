"""What the package raises. Every message says what was wrong and what to do."""

from __future__ import annotations

import enum


class ErrorCode(str, enum.Enum):
    """The kind of failure, for a program that has to decide what to do about it.

    A code equals its name as a string: ``error.code == "left"``.
    """

    unavailable = "unavailable"
    """The register or the other peers cannot be reached or used in time."""
    bad_argument = "bad_argument"
    """An invalid name, address or option."""
    misconfigured = "misconfigured"
    """Options, files or directories do not fit each other, this machine or the group."""
    unsupported = "unsupported"
    """The group's algorithm cannot do this."""
    misuse = "misuse"
    """A call out of turn, such as releasing what this thread or task does not hold."""
    deadlock = "deadlock"
    """This thread or task already holds the lock."""
    left = "left"
    """The peer has left its group."""
    forked = "forked"
    """The object belongs to the process that this one was forked from."""
    exhausted = "exhausted"
    """The system has no more descriptors, threads, mappings or random numbers."""
    not_obtained = "not_obtained"
    """The lock was not free in time."""
    lost = "lost"
    """The lock was lost while it was held."""
    torn = "torn"
    """The last holder of the data died while writing."""
    data_lost = "data_lost"
    """Released data were lost together with another peer."""

    def __str__(self) -> str:
        return self.value


class Error(Exception):
    """The base of all errors of the package. Only bad arguments, buffers in use and lack of memory
    raise other exceptions (ValueError, TypeError, BufferError, MemoryError)."""

    def __init__(self, message: str, code: ErrorCode | str) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (type(self), self.args, self.__dict__))


def _restored(kind: type[Error], args: tuple[object, ...], state: dict[str, object]) -> Error:
    """Makes a pickled error again, such as one from another process."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class NotObtained(Error, TimeoutError):
    """The lock was not free in time; the request was withdrawn."""

    def __init__(self, name: str, timeout: float) -> None:
        waited = f"within {timeout:g} s" if timeout > 0 else "at once"
        super().__init__(f"{name!r} was not free {waited}", ErrorCode.not_obtained)
        self.name = name


class LockLost(Error):
    """The lock was lost while it was held.

    The lease ran out, the peer was removed from its group, or the peer was closed. Another
    holder may have entered since, with a greater fence.
    """

    def __init__(self, name: str, fence: int) -> None:
        super().__init__(
            f"{name!r} was lost while it was held, with fence {fence}: "
            "another holder may be inside",
            ErrorCode.lost,
        )
        self.name = name
        self.fence = fence


class DataDamaged(Error):
    """The data are not what the last holder released. To go on with what remains, use
    ``conch.Data(name, accept_damaged=True)``."""

    def __init__(self, message: str, code: ErrorCode, name: str) -> None:
        super().__init__(message, code)
        self.name = name


class DataTorn(DataDamaged):
    """The last holder died while writing. Data with ``copies`` cannot be torn."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the last holder of {name!r} died while writing: "
            "conch.Data(..., accept_damaged=True) gives the bytes as they are",
            ErrorCode.torn,
            name,
        )


class DataLost(DataDamaged):
    """The last released data are lost with the peer that had them."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the last data written to {name!r} are lost with the peer that had them: "
            "conch.Data(..., accept_damaged=True) gives the newest that remain",
            ErrorCode.data_lost,
            name,
        )
