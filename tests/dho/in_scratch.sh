#!/bin/sh
# in_scratch.sh PROGRAM ARGS: runs a program in an environment without other groups.
set -eu
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
unset CONCH_GROUP CONCH_ALGORITHM CONCH_LISTEN CONCH_JOIN
XDG_STATE_HOME="$here/state" "$@"
