#!/bin/sh
# run.sh NAME PROGRAM: runs an example in several processes at once, in a group of its own, and looks at the outcome.
set -eu
name=$1
program=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
mkdir -m 700 "$here/run" "$here/state"
export XDG_RUNTIME_DIR="$here/run" XDG_STATE_HOME="$here/state"
unset CONCH_GROUP

fail() {
  echo "$name: $*" >&2
  exit 1
}

# Starts one more in the background.
pids=
start() {
  "$program" "$@" &
  pids="$pids $!"
}

finish() {
  for pid in $pids; do wait "$pid" || fail "a process failed"; done
}

case $name in
  transfer)
    for _ in 1 2 3 4; do start "$here" 50; done
    finish
    echo "alice $(cat "$here/alice"), bob $(cat "$here/bob")"
    [ "$(cat "$here/alice")" -eq 800 ] || fail "alice should have 800"
    [ "$(cat "$here/bob")" -eq 1200 ] || fail "bob should have 1200"
    ;;
  render)
    for _ in 1 2 3; do start "$here/film" 40; done
    finish
    [ "$(wc -l <"$here/film")" -eq 120 ] || fail "there should be 120 frames"
    awk '$2 <= last { exit 1 } { last = $2 }' "$here/film" || fail "the fences should increase"
    ;;
  catalogue)
    for _ in 1 2; do start write "$here" 30; done
    for _ in 1 2; do start read "$here" 60; done
    finish
    echo "net $(cat "$here/net"), gross $(cat "$here/gross")"
    [ "$(cat "$here/net")" -eq 6000 ] || fail "the net price should be 6000"
    [ "$(cat "$here/gross")" -eq 7140 ] || fail "the gross price should be 7140"
    ;;
  *) fail "no such example" ;;
esac
