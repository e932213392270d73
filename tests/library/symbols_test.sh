#!/bin/bash
# symbols_test.sh SYMBOLS VERSION LIBRARY...: what the libraries export is what that file says, which has the format of
# dpkg-gensymbols: under the name of each library its symbols, each with the version in which it came.
set -eu
export LC_ALL=C
symbols=$1 version=$2
shift 2

soname() {
  objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'
}

# One name a line; constructors have one name for all that a compiler makes of them.
exported() {
  nm -D --defined-only -C "$1" | cut -d' ' -f3- | sort -u
}

# listed SONAME: `name@Base" version`, as in the file but for how the name is quoted.
listed() {
  awk -v library="$1" '/^[^ ]/ { inside = $1 == library } inside && /^ /' "$symbols" | sed 's/^ \((c++)"\)\?//'
}

names() {
  sed 's/@Base.*//' | sort -u
}

section() {
  echo "$(soname "$1") libconch0 #MINVER#"
  exported "$1" | while IFS= read -r name; do
    since=$(listed "$(soname "$1")" | awk -v name="$name@Base" 'index($0, name) == 1 { print $NF; exit }')
    case $name in
      *::*) echo " (c++)\"$name@Base\" ${since:-$version}" ;;
      *) echo " $name@Base ${since:-$version}" ;;
    esac
  done
}

if [ -n "${CONCH_REWRITE_SYMBOLS-}" ]; then
  for library in "$@"; do section "$library"; done >"$symbols.new"
  mv "$symbols.new" "$symbols"
fi

status=0
for library in "$@"; do
  name=$(soname "$library")
  [ -n "$(exported "$library")" ] || { echo "$name exports nothing" && status=1; }
  added=$(comm -13 <(listed "$name" | names) <(exported "$library"))
  gone=$(comm -23 <(listed "$name" | names) <(exported "$library"))
  if [ -n "$added" ]; then
    printf '%s exports what is not in %s:\n%s\n' "$name" "$symbols" "$added"
    echo "If a program is to use it, declare it in include/ with CONCH_API; otherwise hide it."
    status=1
  fi
  if [ -n "$gone" ]; then
    printf '%s does not export any more what programs may have been linked with:\n%s\n' "$name" "$gone"
    echo "Bring it back; or, after a release, give the library a new SOVERSION and the package its name."
    status=1
  fi
done
[ $status -eq 0 ] || echo "If it is meant so: CONCH_REWRITE_SYMBOLS=1 ./dev test -R Symbols"
exit $status
