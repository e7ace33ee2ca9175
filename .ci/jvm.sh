#!/usr/bin/env bash
# The JVM host: over JNI on Java 17 under -Xcheck:jni, called from Kotlin too,
# and over the foreign-function API on Debian 13's Java 25.
set -euo pipefail
cd "$(dirname "$0")/.."

kotlin=2.4.20
cache=${NEWT_FOLD_CI_CACHE:-$HOME/.cache/newt-fold-ci}
jdk17=/usr/lib/jvm/java-17-openjdk-$(dpkg --print-architecture)

missing=()
[ -x "$jdk17/bin/javac" ] || missing+=(openjdk-17-jdk-headless)
[ -f /usr/share/java/junit4.jar ] || missing+=(junit4)
[ -f /usr/share/java/gson.jar ] || missing+=(libgoogle-gson-java)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
    apt-get update
    apt-get install -y --no-install-recommends "${missing[@]}"
fi
kotlinc=$cache/kotlin-$kotlin/node_modules/kotlin-compiler/bin/kotlinc
[ -f "$kotlinc" ] || npm install --prefix "$cache/kotlin-$kotlin" "kotlin-compiler@$kotlin"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make install DESTDIR="$work/stage" PREFIX=/usr/local

set -x
make -C examples/jvm example test kotlin JAVA_HOME="$jdk17" BUILD="$work/17" \
    NEWT_FOLD="$work/stage/usr/local/lib" KOTLINC="bash $kotlinc" | tee "$work/17.log"

# Android 15 loads no library whose segments are aligned to less than 16 KiB,
# and the library's own SQLite must not meet that of the app.
shim=$work/17/libnewt_fold_jni.so
readelf -lW "$shim" | grep LOAD
if readelf -lW "$shim" | grep LOAD | grep -v '0x4000$'; then
    echo "expected segments aligned to 16 KiB"
    exit 1
fi
if nm -D --defined-only "$shim" | grep -vE ' T (JNI_OnLoad|Java_newt_fold_)'; then
    echo "expected no exported symbol but the JVM's"
    exit 1
fi

jdk25=/usr/lib/jvm/java-25-openjdk-$(dpkg --print-architecture)
.ci/trixie.sh "$work/stage/usr/local" make -C /project/examples/jvm test JAVA_HOME="$jdk25" \
    BUILD=/tmp/build NEWT_FOLD=/usr/local/lib | tee "$work/25.log"
{ set +x; } 2>/dev/null

# What the JVM said of itself, and how many tests JUnit counted.
host() {
    local version tests
    version=$(sed -n 's/.*border: .*, Java \([0-9.]*\).*/\1/p' "$2")
    tests=$(sed -n 's/^OK (\([0-9]*\) tests)$/\1/p' "$2")
    echo "host $1: Java ${version:?}, ${tests:?} tests"
}
host "JVM over JNI" "$work/17.log"
host "JVM over foreign functions" "$work/25.log"
echo "host Kotlin: $kotlin, 1 tests"
