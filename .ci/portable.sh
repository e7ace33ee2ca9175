#!/usr/bin/env bash
# The same answers on other machines: x86-64 down to SSE2, and aarch64. On each
# the tests run, which hold every fast way against its plain twin, and the
# library that ships says of whole documents, byte for byte, what it says here.
# QEMU plays the other machines. It has no AVX-512: that is this machine's part,
# where it has it.
# Needs: x86-64, rustup, gcc, make, gcc-aarch64-linux-gnu, qemu-user.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install -y -q --no-install-recommends gcc libc6-dev make gcc-aarch64-linux-gnu \
    libc6-dev-arm64-cross qemu-user > /dev/null
intel=x86_64-unknown-linux-gnu
arm=aarch64-unknown-linux-gnu
targets=($intel $arm)
rustup target add $arm || {
    echo "skipped: $arm, for which no std can be had here"
    targets=($intel)
}
rustc --version
aarch64-linux-gnu-gcc --version | head -n 1
qemu-aarch64 --version | head -n 1
qemu-x86_64 --version | head -n 1

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
out=$target/portable
rm -rf "$out"
mkdir -p "$out/$intel" "$out/$arm" "$out/documents"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc

make --no-print-directory shared CARGO_FLAGS=--no-default-features OUT="$out/$intel"
compile() { # COMPILER TARGET
    "$1" -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude -Itests/c tests/c/outcomes.c \
        "$out/$2/libnewt_fold.so" -Wl,-rpath,"$out/$2" -o "$out/$2/outcomes"
}
compile gcc $intel
if [[ ${targets[*]} == *"$arm"* ]]; then
    cargo rustc --profile ship --lib --crate-type cdylib --no-default-features --target $arm
    cp "$target/$arm/ship/libnewt_fold.so" "$out/$arm"
    compile aarch64-linux-gnu-gcc $arm
fi

# Unoptimised tests take minutes under QEMU.
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 PROPTEST_CASES=50
tests=(--no-default-features --lib --test abi --test cases --test hostile
    --test json_differential --test laws --test prune)
cargo test "${tests[@]}" "${targets[@]/#/--target=}" --no-run
cargo bench --profile dev --no-default-features --target $intel --bench fold -- \
    fixed "$out/documents"

folders=("$out/documents" examples/golden)
shared=${NEWT_FOLD_SHARED:-../shared}
if [ -d "$shared/transcripts" ]; then
    folders+=("$shared/transcripts")
else
    echo "skipped: no $shared/transcripts here"
fi
mapfile -t documents < <(find "${folders[@]}" -name '*.json' | sort)

on() { # TARGET INSTRUCTIONS [EMULATOR...]
    local target=$1 expected=$2 started=$SECONDS found
    shift 2
    printf '\n+ %s: %s\n' "$target" "${*:-this machine}"
    cargo test "${tests[@]}" --target "$target" \
        --config "target.$target.runner = '${*:-env}'" -- --show-output | tee "$out/tests.txt"
    found=$(sed -n 's/^instructions: \([A-Za-z0-9_]*\).*/\1/p' "$out/tests.txt")
    if [[ -z $found || $found != "${expected:-$found}" ]]; then
        echo "expected ${expected:-some} instructions, found: $found"
        exit 1
    fi
    "$@" "$out/$target/outcomes" "${documents[@]}" > "$out/there.txt"
    [ -e "$out/here.txt" ] || cp "$out/there.txt" "$out/here.txt"
    cmp "$out/here.txt" "$out/there.txt"
    echo "host $target, $found: ${*:-this machine}," \
        "$(grep -c '^test .* ok$' "$out/tests.txt") tests, $(tail -n 1 "$out/there.txt")," \
        "$((SECONDS - started)) s"
}

on $intel ''
on $intel Avx2 qemu-x86_64 -cpu max
on $intel Sse4_2 qemu-x86_64 -cpu Nehalem
on $intel Sse2 qemu-x86_64 -cpu qemu64
[[ ${targets[*]} != *"$arm"* ]] || on $arm Neon qemu-aarch64 -cpu cortex-a57 -L /usr/aarch64-linux-gnu
