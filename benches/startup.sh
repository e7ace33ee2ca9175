#!/usr/bin/env bash
# Shows what it takes to start a process that loads the library and folds a
# transcript of 10 KB, beside a process that does nothing.
#
#     benches/startup.sh [TIMES]         1,000 starts of each unless told
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
work=$target/startup
mkdir -p "$work"

make --quiet shared CARGO_FLAGS=--quiet OUT="$work"
cargo bench --quiet --no-default-features --bench fold -- fixed "$work"
cc -O1 -o "$work/fold_once" benches/fold_once.c "$work/libnewt_fold.so" \
    -Wl,-rpath,"$(realpath "$work")"
cc -O1 -o "$work/taking_turns" benches/taking_turns.c
echo 'int main(void) { return 0; }' | cc -O1 -o "$work/empty" -x c -

"$work/fold_once" "$work/10-KB.json" 0
"$work/taking_turns" "${1:-1000}" "$work/empty" "$work/fold_once" "$work/10-KB.json" 0
