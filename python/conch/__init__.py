"""Distributed mutual exclusion without a lock server: locks among threads, processes and machines,
and blocks of memory that travel with them.

    import conch

    with conch.Lock("deploy") as held:
        print(held.fence)

docs/peers.md tells the rest.
"""

from conch._conch import version as _version
from conch._data import Data
from conch._errors import (
    DataDamaged,
    DataLost,
    DataTorn,
    Error,
    ErrorCode,
    LockLost,
    NotObtained,
)
from conch._lock import Held, Lock
from conch._options import EtcdOptions, TlsOptions
from conch._peer import Peer, default_peer

__version__ = _version()

__all__ = [
    "Data",
    "DataDamaged",
    "DataLost",
    "DataTorn",
    "Error",
    "ErrorCode",
    "EtcdOptions",
    "Held",
    "Lock",
    "LockLost",
    "NotObtained",
    "Peer",
    "TlsOptions",
    "default_peer",
]

# Tracebacks and documentation name the package, not the module of a definition.
for _name in __all__:
    globals()[_name].__module__ = __name__
del _name
