#!/bin/sh
# install_test.sh BUILD_DIR PACKAGES PYTHON: installs into a folder of its own, and imports the package from there.
set -eu
build=$1
packages=$2
python=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cmake --install "$build" --prefix "$here/prefix" >/dev/null
unset LD_LIBRARY_PATH
export XDG_STATE_HOME="$here/state" PYTHONPATH="$here/prefix/$packages" PYTHONDONTWRITEBYTECODE=1
cd "$here"
"$python" - "$here/prefix" <<'END'
import sys, conch
from pathlib import Path

folder = Path(conch.__file__).parent
assert folder.is_relative_to(sys.argv[1]), folder
assert (folder / "py.typed").is_file() and (folder / "_conch.pyi").is_file()
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libconch.so" in line}
assert libraries and all(name.startswith(sys.argv[1]) for name in libraries), libraries
with conch.Lock("installed") as held:
    print(conch.__version__, "fence", held.fence)
END
