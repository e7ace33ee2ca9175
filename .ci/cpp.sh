#!/usr/bin/env bash
# The C++ host: its tests and its example with both compilers, as C++17 and
# C++20, under AddressSanitizer with leaks and UBSan; and a bare C mint that
# throws, through the static and the shared library.
# Needs: g++, clang with its sanitizers' run-time, make, binutils.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends g++ clang libclang-rt-dev make binutils > /dev/null
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
out=$target/cpp
rm -rf "$out"
mkdir -p "$out"
make --no-print-directory shared static
static="$target/lib/libnewt_fold.a -lpthread -ldl -lm"
shared="-L$target/lib -lnewt_fold -Wl,-rpath,$target/lib"
flags="-g -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iinclude -Itests/c"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
golden=examples/golden

for compiler in g++ clang++; do
    for standard in c++17 c++20; do
        echo "+ $compiler -std=$standard $sanitize: tests, example"
        "$compiler" -std=$standard $flags $sanitize examples/cpp/test.cpp -o "$out/test" $static
        "$out/test" $golden/transcript.json > "$out/tests.txt" || { cat "$out/tests.txt"; exit 1; }
        "$compiler" -std=$standard $flags $sanitize examples/cpp/fold.cpp -o "$out/fold" $static
        "$out/fold" $golden/transcript.json > "$out/fold.txt"
        sed -n '/^\[NEWT/,/^\[exact/p' "$out/fold.txt" | diff $golden/cards.txt -
    done
    for library in "$static" "$shared"; do
        echo "+ $compiler $sanitize: a C mint that throws"
        "$compiler" -std=c++11 $flags $sanitize tests/c/throw.cpp -o "$out/throw" $library
        "$out/throw"
    done
done
cat "$out/tests.txt" "$out/fold.txt"
# The examples' own Makefile, as the README says it.
make --no-print-directory -C examples/cpp NEWT_LIBS="$static" clean run
make --no-print-directory -C examples/cpp clean

echo "host c++: $(g++ --version | head -n 1), $(clang++ --version | head -n 1), $(tail -n 1 "$out/tests.txt")"
