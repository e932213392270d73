"""How a peer joins its group: the library's PeerOptions, with times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Sequence

from conch import _conch


@dataclass(frozen=True)
class TlsOptions:
    """PEM files: this peer's certificate and key, and the authority that has signed everybody's."""

    certificate: str = ""
    key: str = ""
    authority: str = ""


@dataclass(frozen=True)
class EtcdOptions:
    """An etcd cluster as the register: docs/etcd.md."""

    endpoints: Sequence[str] = field(default_factory=tuple)
    authority: str = ""
    certificate: str = ""
    key: str = ""
    user: str = ""
    password_file: str = ""


def expect_seconds(name: str, seconds: float) -> float:
    """A time that one can wait for. Raises ValueError for any other, as one that is not a number."""
    value = float(seconds)
    if not 0 <= value <= 1e9:
        raise ValueError(f"{name} is a number of seconds from 0 to 1e9, not {seconds!r}")
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
    """A list, because the letters of one text would be taken for several."""
    if isinstance(texts, str):
        raise TypeError(f"{name} is a list of texts, as in [{texts!r}]")
    return list(texts)
