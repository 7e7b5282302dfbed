#!/bin/sh
# Builds the reproducer of a cause against the installed build of oneDNN that its first line names, and runs it:
# sh run.sh ENV CAUSE
set -eu
environment=$1 file=$(cd "$(dirname "$0")" && pwd)/$2.c
debian=$environment/debian/root/usr libraries=$environment/debian/root/usr/lib/x86_64-linux-gnu
program=$(mktemp)
trap 'rm -f "$program"' EXIT
case $(head -n 1 "$file") in
*OpenMP*) cc -std=c11 -I "$debian/include" -o "$program" "$file" "$libraries/libdnnl.so.3.6" -Wl,--allow-shlib-undefined
    "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$program" ;;
*) cc -std=c11 -I "$environment/include" -o "$program" "$file" -L "$environment/lib" -l:libdnnl.so.3 -Wl,--allow-shlib-undefined
    LD_LIBRARY_PATH=$environment/lib "$program" ;;
esac
