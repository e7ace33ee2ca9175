#!/usr/bin/env bash
# Makes CNewtFold.xcframework, for Macs, iPhones and the simulator, in the
# folder it is called from. Needs a Mac with Xcode, and rustup's targets below.
set -euo pipefail
out=$PWD/CNewtFold.xcframework
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"

mac=(aarch64-apple-darwin x86_64-apple-darwin)
phone=(aarch64-apple-ios)
simulator=(aarch64-apple-ios-sim x86_64-apple-ios)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The module map stands in a folder of its own below the headers: Xcode copies
# the headers of all frameworks into one folder, where two module maps of the
# same name would collide.
headers=$work/include
mkdir -p "$headers/CNewtFold"
cp include/newt_fold.h "$headers/CNewtFold"
cat >"$headers/CNewtFold/module.modulemap" <<'MAP'
module CNewtFold {
    header "newt_fold.h"
    export *
}
MAP

# One static library a platform, of all its architectures.
arguments=()
platform() {
    local name=$1 target archives=()
    shift
    for target in "$@"; do
        cargo rustc --profile ship --lib --crate-type staticlib --target "$target"
        archives+=("${CARGO_TARGET_DIR:-target}/$target/ship/libnewt_fold.a")
    done
    mkdir "$work/$name"
    lipo -create "${archives[@]}" -output "$work/$name/libnewt_fold.a"
    arguments+=(-library "$work/$name/libnewt_fold.a" -headers "$headers")
}
platform mac "${mac[@]}"
platform phone "${phone[@]}"
platform simulator "${simulator[@]}"

rm -rf "$out"
xcodebuild -create-xcframework "${arguments[@]}" -output "$out"
