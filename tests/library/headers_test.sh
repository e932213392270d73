#!/bin/sh
# headers_test.sh INCLUDE COMPILER STANDARD HEADER...: each header of that folder compiles by
# itself, without a warning.
set -eu
include=$1 compiler=$2 standard=$3
shift 3
case $standard in c++*) language=c++ ;; *) language=c ;; esac
status=0
for header in "$@"; do
  "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include" \
    -include "$header" /dev/null || { echo "$header does not compile as $standard by $compiler" >&2 && status=1; }
done
exit $status
