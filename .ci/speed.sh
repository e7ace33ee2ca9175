#!/usr/bin/env bash
# Instructions of six fixed inputs, which may not grow; the ratios to the same
# fold on a tree are shown, and fail nothing, because time differs by machine.
# Needs: gcc, valgrind.
set -euxo pipefail
cd "$(dirname "$0")/.."

apt-get install -y -q --no-install-recommends gcc libc6-dev valgrind > /dev/null
benches/instructions.sh
cargo bench --no-default-features --bench fold
