#!/usr/bin/env bash
# The shared mint in C, under AddressSanitizer and UBSan, on a PostgreSQL of its
# own.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

server_is_here() { command -v pg_config psql > /dev/null && [ -x "$(pg_config --bindir)/initdb" ]; }
set -x
if ! server_is_here; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql libpq-dev > /dev/null
fi
make --no-print-directory static
make -B -C examples/postgres OUT="$target" LIBRARY="$target/lib" \
    CFLAGS="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
examples/postgres/test.sh "$target/shared_fold" | tee "$target/postgres-tests.txt"
set +x
passed=$(grep -oP '^\d+(?= passed, 0 failed)' "$target/postgres-tests.txt")
echo "host postgres: PostgreSQL $(pg_config --version | cut -d' ' -f2), $(cc --version | head -n 1), $passed tests"
