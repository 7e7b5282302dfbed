#!/bin/sh
# Builds a reproducer against one of the installed builds of oneDNN, and runs it: sh run.sh sycl|openmp FILE.c
set -eu
here=$(cd "$(dirname "$0")" && pwd)
environment=$here/../../../target/adapters/onednn
debian=$environment/debian/root/usr libraries=$environment/debian/root/usr/lib/x86_64-linux-gnu
program=$(mktemp)
trap 'rm -f "$program"' EXIT
set -- "$1" "$here/$(basename "$2")"
case $1 in
sycl) cc -std=c11 -I "$environment/include" -o "$program" "$2" -L "$environment/lib" -l:libdnnl.so.3 -Wl,--allow-shlib-undefined
    OCL_ICD_FILENAMES=$environment/lib/libintelocl.so LD_LIBRARY_PATH=$environment/lib "$program" ;;
openmp) cc -std=c11 -I "$debian/include" -o "$program" "$2" "$libraries/libdnnl.so.3.6" -Wl,--allow-shlib-undefined
    "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$program" ;;
esac
