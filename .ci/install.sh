#!/usr/bin/env bash
# Installing: `make install` and `cargo cinstall`, each into a prefix of its
# own; from there the C examples are built three ways: pkg-config shared,
# pkg-config static, CMake; and a host with an SQLite of its own.
# Needs: gcc, make, binutils, cmake, pkg-config, libsqlite3-dev; libssl-dev to
# build cargo-c where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends \
    gcc libc6-dev make binutils cmake pkg-config libsqlite3-dev libssl-dev > /dev/null
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
golden=$PWD/examples/golden
out=$target/install
rm -rf "$out"
mkdir -p "$out"

# The newest cargo-c that the stated Rust builds.
cargo_c=0.10.24+cargo-0.98.0
if ! command -v cargo-cinstall > /dev/null; then
    tools=${NEWT_FOLD_CI_CACHE:-$target/ci}/cargo-c-$cargo_c
    if [ ! -x "$tools/bin/cargo-cinstall" ]; then
        cargo install cargo-c --version "$cargo_c" --locked --root "$tools" --target-dir "$target/cargo-c"
    fi
    PATH=$tools/bin:$PATH
fi
cargo cinstall --version

folds() {
    rm -rf "$out/spans"
    "$1" "$golden/transcript.json" "$out/spans" | sed -n '/^\[NEWT/,/^\[exact/p' | diff "$golden/cards.txt" -
}

runs=0
for how in install cinstall; do
    prefix=$out/$how
    # By way of a staging folder, as packagers do.
    make --no-print-directory $how PREFIX=/usr DESTDIR="$out/staging-$how"
    mv "$out/staging-$how/usr" "$prefix"
    (cd "$prefix" && find . ! -type d | sort)
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    config="pkg-config --define-variable=prefix=$prefix --define-variable=libdir=$prefix/lib"

    echo "+ $how: pkg-config, shared"
    gcc -std=c99 examples/c/harness.c -o "$prefix/shared" $($config --cflags --libs newt_fold)
    LD_LIBRARY_PATH=$prefix/lib folds "$prefix/shared"
    readelf -d "$prefix/shared" > "$out/needed.txt"
    grep 'NEEDED.*libnewt_fold\.so\.1\]' "$out/needed.txt"

    echo "+ $how: pkg-config, static"
    static=$($config --static --libs newt_fold | sed 's/-lnewt_fold/-l:libnewt_fold.a/')
    gcc -std=c99 examples/c/harness.c -o "$prefix/static" $($config --cflags newt_fold) $static
    folds "$prefix/static"

    echo "+ $how: pkg-config, static, beside another SQLite"
    gcc -std=c99 -Itests/c tests/c/own_sqlite.c -o "$prefix/own_sqlite" \
        $($config --cflags newt_fold) $static -l:libsqlite3.a -lm
    rm -f "$out"/own.db*
    "$prefix/own_sqlite" "$out/own.db"

    echo "+ $how: CMake"
    cmake -S examples/c -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix" > "$out/cmake.txt"
    cmake --build "$prefix/build" >> "$out/cmake.txt"
    folds "$prefix/build/harness"
    rm -f "$out"/loop.db*
    "$prefix/build/loop" "$out/loop.db"

    nm -g --defined-only "$prefix/lib/libnewt_fold.a" | awk 'NF == 3 { print $3 }' | sort |
        diff include/newt_fold.symbols -
    diff include/newt_fold.h "$prefix/include/newt_fold.h"
    runs=$((runs + 5))
done
echo "host install: $(cmake --version | head -n 1), cargo-c $cargo_c, $runs programs"
