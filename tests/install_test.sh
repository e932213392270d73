#!/bin/sh
# install_test.sh BUILD_DIR CXX: installs into a folder of its own and builds a program against it.
set -eu
build=$1
cxx=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cmake --install "$build" --prefix "$here/prefix" >/dev/null
"$here/prefix/bin/conch" --version

cat >"$here/program.cpp" <<'END'
#include <conch/version.hpp>
#include <cstdio>

int main() { return std::printf("%s\n", conch::version().data()) > 0 ? 0 : 1; }
END
PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name conch.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs conch)
# The flags are words, not one word.
# shellcheck disable=SC2086
"$cxx" "$here/program.cpp" $flags -o "$here/program"
LD_LIBRARY_PATH=$(dirname "$(find "$here/prefix" -name libconch.so)") "$here/program"
