"""What the package raises. Every message says what was wrong and what to do."""

from __future__ import annotations

import enum


class ErrorCode(str, enum.Enum):
    """What kind of trouble it is, for a program that has to decide what to do about it.

    A code is also its name as a text: ``error.code == "left"``.
    """

    unavailable = "unavailable"
    """The register or the other peers cannot be reached or used, or not in time."""
    bad_argument = "bad_argument"
    """A name, an address or an option that makes no sense."""
    misconfigured = "misconfigured"
    """Options, files or directories do not fit each other, this machine or the group."""
    unsupported = "unsupported"
    """The group's algorithm cannot do this."""
    misuse = "misuse"
    """A call out of turn, as to release what this thread or task has not acquired."""
    deadlock = "deadlock"
    """This thread or task has the lock already."""
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
    """The last holder of the data died while it wrote."""
    data_lost = "data_lost"
    """Released data were lost together with another peer."""

    def __str__(self) -> str:
        return self.value


class Error(Exception):
    """Whatever the package raises is one of these, but for errors in its arguments."""

    def __init__(self, message: str, code: ErrorCode | str) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (type(self), self.args, self.__dict__))


def _restored(kind: type[Error], args: tuple[object, ...], state: dict[str, object]) -> Error:
    """What pickle makes of an error that came from another process."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class NotObtained(Error, TimeoutError):
    """The lock was not free in time; the place in its queue was given up."""

    def __init__(self, name: str, timeout: float) -> None:
        waited = f"within {timeout:g} s" if timeout > 0 else "at once"
        super().__init__(f"{name!r} was not free {waited}", ErrorCode.not_obtained)
        self.name = name


class LockLost(Error):
    """The lock was lost while it was held.

    The lease ran out, the peer was put out of its group, or the peer was closed. Somebody else may
    have entered since, with a larger fence.
    """

    def __init__(self, name: str, fence: int) -> None:
        super().__init__(
            f"{name!r} was lost while it was held, with the fence {fence}: "
            "somebody else may be inside",
            ErrorCode.lost,
        )
        self.name = name
        self.fence = fence


class DataDamaged(Error):
    """The data are not what the last holder released. Whoever goes on with what there is says so:
    ``conch.Data(name, accept_damaged=True)``."""

    def __init__(self, message: str, code: ErrorCode, name: str) -> None:
        super().__init__(message, code)
        self.name = name


class DataTorn(DataDamaged):
    """The last holder died while it wrote. Data with ``copies`` cannot be torn."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the last holder of {name!r} died while it wrote: "
            "conch.Data(..., accept_damaged=True) has the bytes as they are",
            ErrorCode.torn,
            name,
        )


class DataLost(DataDamaged):
    """What was released last is lost together with the peer that had it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"what was written last to {name!r} is lost with the peer that had it: "
            "conch.Data(..., accept_damaged=True) has the newest there is",
            ErrorCode.data_lost,
            name,
        )
