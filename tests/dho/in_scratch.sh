#!/bin/sh
# in_scratch.sh PROGRAM ARGS: runs it where nobody else's group is.
set -eu
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
mkdir -m 700 "$here/run" "$here/state"
unset CONCH_GROUP CONCH_ALGORITHM CONCH_LISTEN CONCH_JOIN
XDG_RUNTIME_DIR="$here/run" XDG_STATE_HOME="$here/state" "$@"
