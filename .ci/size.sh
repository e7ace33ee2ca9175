#!/usr/bin/env bash
# What ships is small: at most 400 KB without the store, 2 MB with it. And the
# start of a process does not feel it.
# Needs: gcc, make, binutils; std's sources, by rustup.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends gcc libc6-dev make binutils > /dev/null
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
rustup component add rust-src || {
    echo "skipped: std's sources cannot be had here, and std as it comes is 240 KB larger"
    exit 0
}

at_most() { # bytes library
    local size
    size=$(stat -Lc %s "$2")
    echo "$2: $size bytes, of $1"
    [ "$size" -le "$1" ]
}

make --no-print-directory shared CARGO_FLAGS=--no-default-features OUT="$target/without-store"
make --no-print-directory shared
at_most 400000 "$target/without-store/libnewt_fold.so"
at_most 2000000 "$target/lib/libnewt_fold.so"
