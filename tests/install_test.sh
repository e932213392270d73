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
#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <conch/shared_mutex.hpp>
#include <conch/ticket.hpp>
#include <conch/version.hpp>
#include <cstdio>
#include <mutex>

int main() {
  conch::Peer peer;
  conch::Mutex mutex(peer, "installed");
  std::scoped_lock guard(mutex);
  return std::printf("%s, fence %llu\n", conch::version().data(),
                     static_cast<unsigned long long>(mutex.fence())) > 0 ? 0 : 1;
}
END
mkdir -m 700 "$here/run" "$here/state"
export XDG_RUNTIME_DIR="$here/run" XDG_STATE_HOME="$here/state"
PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name conch.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs conch)
# The flags are words, not one word.
# shellcheck disable=SC2086
"$cxx" -std=c++20 "$here/program.cpp" $flags -o "$here/program"
LD_LIBRARY_PATH=$(dirname "$(find "$here/prefix" -name libconch.so)") "$here/program"
