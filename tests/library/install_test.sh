#!/bin/sh
# install_test.sh BUILD_DIR CXX CC: installs into a folder of its own, moves the folder, builds
# programs against it with pkg-config and with find_package, and runs them.
set -eu
build=$1
cxx=$2
cc=$3
tests=$(cd "$(dirname "$0")" && pwd)
examples=$tests/../../examples
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cmake --install "$build" --prefix "$here/first" >/dev/null
mv "$here/first" "$here/prefix"
if grep -rn --include='*.pc' --include='*.cmake' -e "$here" -e -std= "$here/prefix"; then
  echo "a file that programs are built with names the first prefix, or a standard" >&2
  exit 1
fi
"$here/prefix/bin/conch" --version
for file in man/man1/conch.1 man/man1/conch-lock.1 bash-completion/completions/conch zsh/site-functions/_conch \
  fish/vendor_completions.d/conch.fish; do
  [ -s "$here/prefix/share/$file" ] || { echo "share/$file is not installed" >&2; exit 1; }
done

export XDG_STATE_HOME="$here/state"
PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name conch.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$here/prefix" -name libconch.so)")
export LD_LIBRARY_PATH
# The flags are several words.
flags() {
  pkg-config --cflags --libs "$1"
}
# Links without LD_LIBRARY_PATH, where a linker would look as well.
link() (
  unset LD_LIBRARY_PATH
  "$@"
)
for standard in c++17 c++20; do
  # shellcheck disable=SC2046
  link "$cxx" -std=$standard "$tests/consumer/program.cpp" $(flags conch) -o "$here/program"
  "$here/program"
done
for name in listing1 listing2 matrix stencil work_queue fenced_log; do
  # shellcheck disable=SC2046
  link "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$examples/$name.c" $(flags dho) -o "$here/$name"
  "$examples/run.sh" "$name" "$here/$name"
done

# find_package COMPONENTS: a project of another folder finds them and is built.
find_package() {
  link cmake -S "$tests/consumer" -B "$here/build" -G Ninja -DCMAKE_PREFIX_PATH="$here/prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DEXAMPLES="$examples" -DWANTED="$1" >"$here/log" 2>&1 &&
    link cmake --build "$here/build" >>"$here/log" 2>&1
}
must_find() {
  find_package "$1" || {
    cat "$here/log"
    exit 1
  }
}
must_find ""
must_find dho
link "$here/build/program"
link "$examples/run.sh" listing1 "$here/build/listing1"
if find_package nonsense; then
  echo "find_package found a component that there is not" >&2
  exit 1
fi

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
must_find "dho;dho_mpi"
link "$examples/run.sh" mpi_ring "$here/build/mpi_ring" || [ $? -eq 77 ]
