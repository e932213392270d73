"""How a peer joins its group: the library's PeerOptions, with times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Sequence

from conch import _conch


@dataclass(frozen=True)
class TlsOptions:
    """PEM files: this peer's certificate and key, and the CA that signed those of all peers."""

    certificate: str = ""
    key: str = ""
    authority: str = ""


@dataclass(frozen=True)
class EtcdOptions:
    """An etcd cluster as the register: docs/register.md."""

    endpoints: Sequence[str] = field(default_factory=tuple)
    authority: str = ""
    certificate: str = ""
    key: str = ""
    user: str = ""
    password_file: str = ""


def expect_seconds(name: str, seconds: float) -> float:
    """Checks a waiting time. Raises ValueError for anything else, such as NaN."""
    value = float(seconds)
    if not 0 <= value <= 1e9:
        raise ValueError(f"{name} must be a number of seconds from 0 to 1e9, not {seconds!r}")
    return value


def duration(name: str, seconds: float) -> timedelta:
    return timedelta(seconds=expect_seconds(name, seconds))


def native_tls(given: TlsOptions) -> _conch.TlsOptions:
    tls = _conch.TlsOptions()
    tls.certificate = given.certificate
    tls.key = given.key
    tls.authority = given.authority
    return tls


def native_etcd(given: EtcdOptions) -> _conch.EtcdOptions:
    etcd = _conch.EtcdOptions()
    etcd.endpoints = expect_texts("endpoints", given.endpoints)
    etcd.authority = given.authority
    etcd.certificate = given.certificate
    etcd.key = given.key
    etcd.user = given.user
    etcd.password_file = given.password_file
    return etcd


def expect_texts(name: str, texts: Sequence[str]) -> list[str]:
    """Checks for a list, as a string would be taken for a list of its letters."""
    if isinstance(texts, str):
        raise TypeError(f"{name} must be a list of strings, as in [{texts!r}]")
    return list(texts)
