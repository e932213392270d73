#!/bin/sh
# run.sh NAME PROGRAM: runs an example in several processes at once, in a group of its own, and
# checks the outcome.
set -eu
name=$1
program=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
export XDG_STATE_HOME="$here/state"
unset CONCH_GROUP CONCH_ALGORITHM CONCH_LISTEN CONCH_JOIN

fail() {
  echo "$name: $*" >&2
  exit 1
}

# Starts one more process in the background.
pids=
start() {
  "$program" "$@" >>"$here/out" &
  pids="$pids $!"
}

finish() {
  for pid in $pids; do wait "$pid" || fail "a process failed"; done
  cat "$here/out"
}

# start_crew ARGS: starts the four processes of a crew (crew.h).
start_crew() {
  for me in 0 1 2 3; do start "$me" 4 "$@"; done
}

# Runs four ranks, and checks that nothing is left of their group.
run_ranks() {
  command -v mpirun >/dev/null || {
    echo "$name: skipped, there is no mpirun (Debian: openmpi-bin)"
    exit 77
  }
  mkdir "$here/tmp"
  TMPDIR="$here/tmp" mpirun --allow-run-as-root --oversubscribe -n 4 "$program" "$@" >"$here/out" ||
    fail "a rank failed"
  cat "$here/out"
  [ -z "$(find "$here/tmp" -name 'dho.*')" ] || fail "something is left in the temporary folder"
}

expect() {
  grep -q -- "$1" "$here/out" || fail "it should have said: $1"
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
    cut -d' ' -f2 "$here/film" | sort -c -n -u || fail "the fences should increase"
    ;;
  catalogue)
    for _ in 1 2; do start write "$here" 30; done
    for _ in 1 2; do start read "$here" 60; done
    finish
    echo "net $(cat "$here/net"), gross $(cat "$here/gross")"
    [ "$(cat "$here/net")" -eq 6000 ] || fail "the net price should be 6000"
    [ "$(cat "$here/gross")" -eq 7140 ] || fail "the gross price should be 7140"
    ;;
  listing1)
    for _ in 1 2; do start disorder 20; done
    for _ in 1 2; do start order 50; done
    finish
    [ "$(grep -c '^order: 50 times' "$here/out")" -eq 2 ] || fail "two should have counted to 50"
    ;;
  listing2)
    for _ in 1 2 3; do start block 1 0 5 1; done
    finish
    [ "$(grep -c '^[1-9][0-9]* cycles' "$here/out")" -eq 3 ] || fail "three should have had cycles"
    ;;
  matrix)
    start_crew 128 32
    finish
    expect "16 blocks, by 4 processes: 0 wrong"
    ;;
  stencil)
    start_crew 400 50
    finish
    expect ": 0 pieces differ"
    ;;
  work_queue)
    start_crew 100
    finish
    expect "200 jobs, 0 not done exactly once"
    ;;
  fenced_log)
    for _ in 1 2; do start "$here/log" write 30; done
    start "$here/log" late
    finish
    expect "^refused"
    [ "$(wc -l <"$here/log")" -eq 61 ] || fail "there should be 61 lines"
    sort -c -n -k1,1 "$here/log" || fail "the fences should increase"
    ;;
  mpi_ring)
    run_ranks 25 1048576
    expect "100 turns of 4 ranks with 1048576 bytes: all right"
    ;;
  mpi_ring_tcp) # each rank as if it were a machine
    CONCH_TCP_ONLY=1 run_ranks 5 1048576
    expect "20 turns of 4 ranks with 1048576 bytes: all right"
    ;;
  mpi_matrix)
    run_ranks 128 32
    expect "16 blocks, by 4 processes: 0 wrong"
    ;;
  mpi_stencil)
    run_ranks 400 50
    expect ": 0 pieces differ"
    ;;
  mpi_work_queue)
    run_ranks 100
    expect "200 jobs, 0 not done exactly once"
    ;;
  *) fail "no such example" ;;
esac
