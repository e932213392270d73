#!/bin/bash
# symbols_test.sh SYMBOLS VERSION LIBRARY...: the libraries export the symbols that the file lists.
# It has the format of dpkg-gensymbols: the name of each library and below it the symbols, each with
# the version that added it.
set -eu
export LC_ALL=C
symbols=$1 version=$2
shift 2

soname() {
  objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'
}

# The exported names, one a line. The variants of a constructor have the same name.
exported() {
  nm -D --defined-only -C "$1" | cut -d' ' -f3- | sort -u
}

# listed SONAME: lines `name@Base" version` of the file, without the quoting before the name.
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
