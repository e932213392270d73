#!/bin/sh
# install_test.sh BUILD_DIR CXX CC: installs into a folder of its own, builds programs against it and runs them.
set -eu
build=$1
cxx=$2
cc=$3
examples=$(dirname "$0")/../../examples
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cmake --install "$build" --prefix "$here/prefix" >/dev/null
"$here/prefix/bin/conch" --version
for file in man/man1/conch.1 man/man1/conch-lock.1 bash-completion/completions/conch zsh/site-functions/_conch \
  fish/vendor_completions.d/conch.fish; do
  [ -s "$here/prefix/share/$file" ] || { echo "share/$file is not installed" >&2; exit 1; }
done

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
export XDG_STATE_HOME="$here/state"
PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name conch.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$here/prefix" -name libconch.so)")
export LD_LIBRARY_PATH
# The flags are words, not one word.
flags() {
  pkg-config --cflags --libs "$1"
}
# shellcheck disable=SC2046
"$cxx" -std=c++20 "$here/program.cpp" $(flags conch) -o "$here/program"
"$here/program"

# Without the libraries' folder in the environment, where a linker would look as well.
link() (
  unset LD_LIBRARY_PATH
  "$@"
)
for name in listing1 listing2 matrix stencil work_queue fenced_log; do
  # shellcheck disable=SC2046
  link "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$examples/$name.c" $(flags dho) -o "$here/$name"
  "$examples/run.sh" "$name" "$here/$name"
done

if ! pkg-config --exists dho_mpi || ! command -v mpicc >/dev/null; then
  echo "dho_mpi was not installed, or there is no mpicc: that part is skipped"
  exit 0
fi
# shellcheck disable=SC2046
link mpicc -std=c11 "$examples/mpi_ring.c" $(flags dho_mpi) -o "$here/mpi_ring"
# shellcheck disable=SC2046
link mpicc -std=c11 -DWITH_MPI "$examples/matrix.c" $(flags dho_mpi) -o "$here/matrix"
for name in ring matrix; do
  [ "$name" = ring ] && program=mpi_ring || program=$name
  "$examples/run.sh" "mpi_$name" "$here/$program" || [ $? -eq 77 ]
done
