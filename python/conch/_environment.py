"""The environment variables that say how default peers join their groups. docs/data.md lists them;
the C library reads the same ones."""

from __future__ import annotations

import os
from typing import Any

from conch._errors import Error, ErrorCode
from conch._options import EtcdOptions, TlsOptions

_FLAGS = {
    "1": True, "yes": True, "true": True, "on": True,
    "": False, "0": False, "no": False, "false": False, "off": False,
}  # fmt: skip


def group_meant(group: str | None) -> str:
    """The name of the group to use: this one if given, else that of the environment."""
    return group or os.environ.get("CONCH_GROUP") or "default"


def options_from_environment() -> dict[str, Any]:
    """Keyword arguments of conch.Peer. Raises conch.Error if a variable is invalid."""
    return {
        "algorithm": _text("CONCH_ALGORITHM"),
        "listen": _list("CONCH_LISTEN"),
        "advertise": _text("CONCH_ADVERTISE"),
        "join": _list("CONCH_JOIN"),
        "etcd": EtcdOptions(
            endpoints=_list("CONCH_REGISTER"),
            authority=_text("CONCH_REGISTER_CA"),
            certificate=_text("CONCH_REGISTER_CERT"),
            key=_text("CONCH_REGISTER_KEY"),
            user=_text("CONCH_REGISTER_USER"),
            password_file=_text("CONCH_REGISTER_PASSWORD_FILE"),
        ),
        "insecure": _flag("CONCH_INSECURE"),
        "tcp_only": _flag("CONCH_TCP_ONLY"),
        "tls": TlsOptions(
            certificate=_text("CONCH_TLS_CERT"),
            key=_text("CONCH_TLS_KEY"),
            authority=_text("CONCH_TLS_CA"),
        ),
        "persist": _flag("CONCH_PERSIST"),
        # %p is the process id, so that processes with one environment can have a file each.
        "trace": _text("CONCH_TRACE").replace("%p", str(os.getpid())),
        "lease": _milliseconds("CONCH_LEASE_MS"),
    }


def _text(name: str) -> str:
    return os.environ.get(name, "")


def _list(name: str) -> list[str]:
    return [part for part in _text(name).split(",") if part]


def _flag(name: str) -> bool:
    value = _text(name)
    if value not in _FLAGS:
        raise Error(f"{name}={value}: expected 1 or 0", ErrorCode.bad_argument)
    return _FLAGS[value]


def _milliseconds(name: str) -> float | None:
    value = _text(name)
    if not value:
        return None
    if not (value.isascii() and value.isdecimal() and 0 < int(value) < 2**31):
        raise Error(
            f"{name}={value}: expected a number of milliseconds, such as 5000",
            ErrorCode.bad_argument,
        )
    return int(value) / 1000
