#!/usr/bin/env bash
# The Debian packages of this tree, in build/package. `./dev package` calls this when all that it needs is installed.
# What was built stays in build/package/tree for the next time.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/package
packages=(conch conch-lab libconch0 libconch-dev python3-conch)

mkdir -p "$out/tree"
rm -rf "$out"/*.deb "$out"/*.buildinfo "$out"/*.changes "$out/tree/debian"
cp -r "$root/packaging/debian" "$out/tree/debian"
cd "$out/tree"

version=$(sed -n 's/^project(conch VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
if [ "$(dpkg-parsechangelog -S Version)" != "$version" ]; then
  echo "packaging/debian/changelog begins with another version than $version, which CMakeLists.txt has" >&2
  exit 1
fi

if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
export CONCH_SOURCE=$root DEB_BUILD_OPTIONS=noautodbgsym
# -d: Node.js may be one that Debian has not packaged.
if ! dpkg-buildpackage --build=binary --no-sign --no-check-builddeps --no-pre-clean -j"$(nproc)" >"$out/log" 2>&1; then
  tail -n 40 "$out/log" >&2
  echo "The packages cannot be built; build/package/log has all of it" >&2
  exit 1
fi
for package in "${packages[@]}"; do ls "$out/${package}_$version"_*.deb; done
lintian --fail-on error,warning --tag-display-limit 0 "$out"/*.changes
