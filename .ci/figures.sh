#!/usr/bin/env bash
# What the project promises of floors, bills and tokens, measured again; the
# pictures and tables in docs are the measured ones; the profiles are the same
# in C and in Rust.
# Needs: gcc, git, make.
set -euxo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends gcc libc6-dev git make > /dev/null
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

cargo run --release --example figures | tee "$target/figures.md"
git diff --exit-code -- docs/figures
# Each row of the made-up session stands in the page as it was printed now.
if sed '/^### \(Recorded\|Promised\)/,$d; s/^|  |/| |/' "$target/figures.md" |
    grep '^| ' | grep -vxFf docs/figures.md; then
    echo "docs/figures.md lacks these rows"
    exit 1
fi
cargo test --test tokenizers -- --nocapture --test-threads 1

make --no-print-directory static
gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -Iinclude examples/profiles/profiles.c \
    -o "$target/profiles" "$target/lib/libnewt_fold.a" -lpthread -ldl -lm
shared=${NEWT_FOLD_SHARED:-../shared}
for transcript in examples/golden/transcript.json "$shared"/transcripts/pi-mono/*.json; do
    if [ ! -e "$transcript" ]; then
        echo "skipped: no $transcript here"
        continue
    fi
    cargo run -q --release --example profiles "$transcript" > "$target/profiles.txt"
    "$target/profiles" "$transcript" | diff "$target/profiles.txt" -
done
