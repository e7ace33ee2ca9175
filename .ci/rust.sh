#!/usr/bin/env bash
# The Rust side: formatting, lints, documentation, tests with and without the
# store, and a packaged crate that builds by itself.
# Needs: gcc, sqlite3, valgrind.
set -euxo pipefail
cd "$(dirname "$0")/.."

apt-get install -y -q --no-install-recommends gcc libc6-dev sqlite3 valgrind > /dev/null
sed -n 's/^rust-version = /minimum Rust version: /p' Cargo.toml
rustc --version

cargo fmt --check
cargo clippy --all-targets -- -D warnings
cargo clippy --all-targets --no-default-features -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --no-default-features

# The README's two commands. The first build also checks that the committed
# header is what src/ffi says.
cargo run --release --example fold
cargo test
cargo test --no-default-features

# A packaged crate builds without the checkout around it.
cargo package --allow-dirty --no-default-features --target-dir target/package-check

# Nothing names a registry's host.
if git grep -nIE 'crates\.io|pypi\.org|files\.pythonhosted|deb\.debian\.org|registry\.npmjs' -- . ':!.ci/rust.sh' ':!*Cargo.lock'; then
    exit 1
fi
