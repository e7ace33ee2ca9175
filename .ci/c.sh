#!/usr/bin/env bash
# The C host: the examples under valgrind and the sanitizers, and what C can do
# to the library: odd configurations, small stacks, memory that runs out.
# Needs: gcc, valgrind, make, binutils, libsqlite3-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends gcc libc6-dev valgrind make binutils libsqlite3-dev > /dev/null
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
out=$target/c
rm -rf "$out"
mkdir -p "$out"
make --no-print-directory static
library="$target/lib/libnewt_fold.a -lpthread -ldl -lm"
flags="-std=c99 -g -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude -Itests/c"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
valgrind="valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all"
passed=0

run() {
    echo "+ $*" >&2
    "$@"
    passed=$((passed + 1))
}

for example in harness loop; do
    gcc $flags "examples/c/$example.c" -o "$out/$example" $library
    gcc $flags $sanitize "examples/c/$example.c" -o "$out/$example-sanitized" $library
done
golden=examples/golden
for harness in "$out/harness" "$out/harness-sanitized" "$valgrind $out/harness"; do
    rm -rf "$out/spans"
    run $harness $golden/transcript.json "$out/spans" > "$out/harness.txt"
    sed -n '/^\[NEWT/,/^\[exact/p' "$out/harness.txt" | diff $golden/cards.txt -
done
cat "$out/harness.txt"
for loop in "$out/loop" "$out/loop-sanitized" "$valgrind $out/loop"; do
    rm -f "$out"/loop.db*
    run $loop "$out/loop.db"
done
# The examples' own Makefile, as the README says it.
make --no-print-directory -C examples/c CFLAGS="-O2 -Werror" NEWT_LIBS="$library" clean run
make --no-print-directory -C examples/c clean

for test in config small_stack address_space; do
    gcc $flags "tests/c/$test.c" -o "$out/$test" $library
    run "$out/$test"
done
gcc $flags $sanitize tests/c/config.c -o "$out/config-sanitized" $library
run "$out/config-sanitized"
run $valgrind "$out/small_stack"

# Leaks after a refusal count as well, hence the sanitizer.
gcc $flags $sanitize tests/c/memory.c -o "$out/memory" $library \
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign
run "$out/memory"

# A host with an SQLite of its own, of another version.
gcc $flags tests/c/own_sqlite.c -o "$out/own_sqlite" $library -l:libsqlite3.a -lm
run "$out/own_sqlite" "$out/own.db"

echo "host c: $(gcc --version | head -n 1), $passed runs"
