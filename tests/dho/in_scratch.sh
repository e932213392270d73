#!/bin/sh
# in_scratch.sh PROGRAM ARGS: runs it where nobody else's group is.
set -eu
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
unset CONCH_GROUP CONCH_ALGORITHM CONCH_LISTEN CONCH_JOIN
XDG_STATE_HOME="$here/state" "$@"
