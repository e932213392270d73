#!/usr/bin/env bash
# package_test.sh: installs the packages of build/package in a fresh Debian 12 in a folder, and runs
# programs that use them there. `./dev package --test` runs it, as root. Mounts and processes are in
# namespaces that end with it, however it ends.
# shellcheck disable=SC2016 # what stands in single quotes is for apt and for shells in the tree
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/package
if [ "${1-}" != --in-namespaces ]; then
  exec timeout --foreground 1800 unshare --mount --propagation private --pid --fork --kill-child "$0" --in-namespaces
fi

rm -rf --one-file-system "$out"/fresh.* # of one that was killed
tree=$(mktemp -d "$out/fresh.XXXXXX")
finish() {
  local status=$?
  if [ $status -ne 0 ] && [ -s "$out/test.log" ]; then tail -n 30 "$out/test.log" >&2; fi
  grep -o " ${tree}[^ ]*" /proc/mounts | sort -r | xargs -r umount --lazy
  rm -rf --one-file-system "$tree"
  return $status
}
trap finish EXIT
chmod 755 "$tree"
mount -t proc proc /proc # of these processes

fail() {
  echo "package_test: $*" >&2
  exit 1
}

# quietly COMMAND...: prints the command's output only if it fails.
quietly() {
  "$@" >"$out/test.log" 2>&1 || fail "this failed: $*"
}

# The mirror and the proxy, if any, that apt of this machine uses.
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' |
  awk '$1 == "bookworm" && $2 == "main" { print $3; exit }')
[ -n "$mirror" ] || fail "apt's sources have no bookworm; see sources.list(5)"
proxy=$(apt-config dump --format '%v' Acquire::http::Proxy)
if [ -n "$proxy" ]; then export http_proxy=$proxy; fi
include=()
if [[ $mirror == https:* ]]; then include=(--include=ca-certificates); fi

begin=$SECONDS
# done_with WORDS: prints the progress.
done_with() {
  printf '%4d s  %s\n' "$((SECONDS - begin))" "$*"
}

mkdir -p "$out/cache"
quietly debootstrap --variant=minbase "${include[@]}" --cache-dir="$out/cache" bookworm "$tree" "$mirror"
mount -t proc proc "$tree/proc"
mkdir -p "$tree/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
mount --bind "$out/cache" "$tree/var/cache/apt/archives"
cp /etc/resolv.conf "$tree/etc/resolv.conf"
mkdir "$tree/packages"
cp "$out"/*.deb "$root/packaging/install-in-image.sh" "$tree/packages/"
cp -r "$root/examples" "$root/tests/library/consumer" "$tree/packages/"
done_with "a fresh Debian 12"

# inside USER COMMAND...: runs a command in the tree, without this machine's environment.
inside() {
  local user=$1
  shift
  timeout 600 env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
    chroot "$tree" setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs \
    env HOME="/home/$user" "$@"
}
# says USER COMMAND...: prints the command's output, which must match the pattern $expected.
says() {
  local printed expected=$expected
  printed=$(inside "$@" 2>&1) || fail "${*:2}: $printed"
  [[ $printed =~ $expected ]] || fail "${*:2} prints: $printed"
}

# Does what packaging/Dockerfile does, and runs the peer that it starts.
quietly inside root /packages/install-in-image.sh /packages
version=$(sed -n 's/^project(conch VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
expected="conch $version" says root conch --version
if inside root dpkg-query -W 'libsimgrid*' 'libopenmpi*' 2>/dev/null; then fail "the lock brings the laboratory"; fi
inside conch env XDG_STATE_HOME=/var/lib sh -c 'echo $$ >/tmp/pid; exec conch peer --group image' >"$out/test.log" 2>&1 &
peer=$!
grep -q 'is in the group' < <(timeout 30 tail -f -n +1 --pid=$peer "$out/test.log") || fail "the peer is not in its group"
expected='^fence [0-9]+$' says conch env XDG_STATE_HOME=/var/lib conch lock --group image deploy -- \
  sh -c 'echo fence $CONCH_FENCE'
expected='1 member' says conch env XDG_STATE_HOME=/var/lib conch status --group image
kill "$(cat "$tree/tmp/pid")"
wait "$peer" || fail "the peer did not leave in order"
done_with "an image with conch, and a peer in it"

quietly inside root apt-get -qq update
quietly inside root env DEBIAN_FRONTEND=noninteractive sh -c \
  'apt-get -qq install -y --no-install-recommends g++ cmake make pkgconf /packages/*.deb'
quietly inside root useradd --create-home ada
done_with "all packages, and a compiler"

expected='^fence [0-9]+$' says ada conch lock deploy -- sh -c 'echo fence $CONCH_FENCE'
expected='ME1 held' says ada conch sim naimi-trehel --nodes 5 --requests 2
done_with "a lock, and the laboratory"

build() {
  quietly inside ada sh -c "cd /home/ada && $1"
}
build 'cc -Wall -Werror /packages/examples/listing1.c $(pkg-config --cflags --libs dho) -o listing1'
quietly inside ada /packages/examples/run.sh listing1 /home/ada/listing1
build 'c++ -Wall -Werror /packages/consumer/program.cpp $(pkg-config --cflags --libs conch) -o program'
expected="^$version, fence [0-9]+$" says ada /home/ada/program
build 'cmake -S /packages/consumer -B found -DWANTED=dho -DEXAMPLES=/packages/examples && cmake --build found'
expected="^$version, fence [0-9]+$" says ada /home/ada/found/program
done_with "a program in C, and one in C++, by pkg-config and by find_package"

expected='^[0-9]+$' says ada python3 -c '
import conch
with conch.Lock("deploy") as held:
    print(held.fence)'
done_with "a program in Python"

for page in conch.1 conch-lab.1; do
  [ -s "$tree/usr/share/man/man1/$page.gz" ] || fail "there is no manual page $page"
done
for completion in bash-completion/completions/conch zsh/vendor-completions/_conch fish/vendor_completions.d/conch.fish; do
  [ -s "$tree/usr/share/$completion" ] || fail "there is no $completion"
done

quietly inside root apt-get -qq purge -y conch conch-lab libconch0 libconch-dev python3-conch
left=$(find "$tree/usr" "$tree/etc" "$tree/lib" -name '*conch*' -o -name 'libdho*')
[ -z "$left" ] || fail "packages leave behind: $left"
done_with "all packages are gone"
echo "The packages work in a fresh Debian 12."
