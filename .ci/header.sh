#!/usr/bin/env bash
# The header and the library's border: it compiles without a warning wherever
# C and C++ do, the structs are laid out as the ABI says, and the libraries
# export the functions of the header and nothing else.
# Needs: gcc, g++, clang, gcc-multilib, binutils, make.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends gcc g++ clang gcc-multilib binutils make > /dev/null
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -Iinclude"

# The header is the first thing that a file includes, and the second.
twice='#include "newt_fold.h"
#include "newt_fold.h"
int main(void) { return newt_fold(NULL, 0, NULL, newt_store_mint, NULL) == NULL; }'
for compiler in gcc clang; do
    for standard in c99 c11 c17; do
        echo "$compiler -std=$standard"
        "$compiler" -std=$standard $warnings -Wc++-compat -Wstrict-prototypes -fsyntax-only -x c - <<< "$twice"
    done
done
for compiler in g++ clang++; do
    for standard in c++11 c++17 c++20; do
        echo "$compiler -std=$standard"
        "$compiler" -std=$standard $warnings -Wold-style-cast -fsyntax-only -x c++ - <<< "$twice"
    done
done

for compiler in gcc clang; do
    for bits in 64 32; do
        echo "$compiler -m$bits: layout"
        "$compiler" -m$bits -std=c11 $warnings -fsyntax-only tests/c/layout.c
    done
done

make --no-print-directory shared static
# Declarations begin a line; their names stand before the first parenthesis.
sed -nE 's/^[a-z].*\b(newt_[a-z0-9_]+)\(.*/\1/p' include/newt_fold.h | grep -v '_fn$' | sort > "$target/header.symbols"
nm -D --defined-only "$target/lib/libnewt_fold.so" | awk '{ print $3 }' | sort > "$target/shared.symbols"
nm -g --defined-only "$target/lib/libnewt_fold.a" | awk 'NF == 3 { print $3 }' | sort > "$target/static.symbols"
for found in header shared static; do
    echo "symbols: $found against include/newt_fold.symbols"
    diff include/newt_fold.symbols "$target/$found.symbols"
done
abi=$(sed -n 's/^#define NEWT_FOLD_ABI_VERSION //p' include/newt_fold.h)
soname=$(readelf -d "$target/lib/libnewt_fold.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
echo "soname: $soname, ABI $abi"
[ "$soname" = "libnewt_fold.so.$abi" ]
