#!/usr/bin/env bash
# The Swift package, built and tested against the installed library, in Debian
# 13's Swift; the tests run under ThreadSanitizer, then under AddressSanitizer
# and its leak checker.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make install DESTDIR="$work/stage" PREFIX=/usr/local

# shellcheck disable=SC2016 # The inner shell expands.
.ci/trixie.sh "$work/stage/usr/local" bash -euxc '
    export PATH=/usr/libexec/swift/bin:$PATH LD_LIBRARY_PATH=/usr/local/lib
    cd /project/examples/swift
    swift --version
    swift build --scratch-path /tmp/build -Xswiftc -warnings-as-errors
    swift run --scratch-path /tmp/build Example /tmp/spans \
        < ../golden/transcript.json > /tmp/folded.json
    ls -l /tmp/folded.json /tmp/spans/*
    for sanitizer in thread address; do
        swift test --scratch-path /tmp/build -Xswiftc -warnings-as-errors --disable-xctest \
            --sanitize=$sanitizer
    done
' 2>&1 | tee "$work/log"

command -v shellcheck >/dev/null || { apt-get update && apt-get install -y shellcheck; }
shellcheck examples/swift/xcframework.sh
echo "examples/swift/xcframework.sh: checked by shellcheck, not run: that takes a Mac"

version=$(sed -n 's/^Swift version \([0-9.]*\).*/\1/p' "$work/log")
tests=$(sed -n 's/.*Test run with \([0-9]*\) tests passed.*/\1/p' "$work/log" | head -n 1)
echo "host Swift: ${version:?}, ${tests:?} tests"
