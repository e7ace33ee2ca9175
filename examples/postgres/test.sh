#!/usr/bin/env bash
# Starts a PostgreSQL of its own, tests the shared mint on it, and stops it.
#
#     test.sh SHARED_FOLD      the program that the Makefile builds
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")"
golden=$(realpath ../golden)
bin=$(pg_config --bindir)

root=$(mktemp -d /tmp/shared-mint.XXXXXX)
server=$root/server
export PGHOST=$server PGPORT=5432 PGUSER=fleet PGDATABASE=postgres PGOPTIONS=

# The server refuses to run as root. Debian's package brings the user postgres.
as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && runuser -u postgres -- "$@")
    else
        "$@"
    fi
}
start() {
    as_server "$bin/pg_ctl" -D "$server" -w -l "$server/log" \
        -o "-c listen_addresses='' -c unix_socket_directories='$server' -p $PGPORT" start > "$root/start"
}
stop() { as_server "$bin/pg_ctl" -D "$server" -w -m "$1" stop > "$root/stop"; }
finish() {
    local code=$?
    stop immediate 2> "$root/stop" || true
    [ "$code" -eq 0 ] || tail -n 20 "$server/log" || true
    rm -rf "$root"
}
trap finish EXIT

chmod 755 "$root"
mkdir -m 700 "$server"
[ "$(id -u)" -ne 0 ] || chown postgres: "$server"
as_server "$bin/initdb" -D "$server" -U "$PGUSER" --auth=trust -E UTF8 --no-sync > "$root/init"
start
sql() { psql -qAtX -v ON_ERROR_STOP=1 "$@"; }
sql -f schema.sql

# Transcripts that differ, each with two runs to fold: 1 to 40 for the first
# process, 21 to 60 for the second.
mkdir "$root/in"
for number in $(seq 60); do
    sed "s/gauge/gauge $number/g" "$golden/transcript.json" > "$root/in/$number.json"
done
mapfile -t documents < <(for number in $(seq 60); do echo "$root/in/$number.json"; done)
folder() { mkdir -p "$root/$1" && echo "$root/$1"; }

passed=0
holds() {
    passed=$((passed + 1))
    echo "ok $passed - $1"
}
handles() { cat "$@" | grep -o 'compaction:[0-9a-f]*' | sort -u; }
fails() { if "$@" 2> "$root/complaint"; then return 1; fi; }

first=$(folder first) second=$(folder second)
"$program" fold fleet "$first" "${documents[@]:0:40}" & one=$!
"$program" fold fleet "$second" "${documents[@]:20}" & two=$!
wait "$one"
wait "$two"
for number in $(seq 60); do
    for folded in "$first/$number.json" "$second/$number.json"; do
        [ ! -e "$folded" ] || [ "$(handles "$folded" | wc -l)" -eq 2 ]
    done
done
holds "two processes fold at once, and every document has its two cards"

for number in $(seq 21 40); do cmp "$first/$number.json" "$second/$number.json"; done
test "$(sql -c 'SELECT count(*) FROM span')" -eq 120
test "$(handles "$first"/* "$second"/* | wc -l)" -eq 120
holds "what both folded is kept once, under one handle"

back=$(folder back)
"$program" expand fleet "$back" "$first"/*.json & one=$!
other=$(folder other)
"$program" expand fleet "$other" "$second"/*.json & two=$!
wait "$one"
wait "$two"
for number in $(seq 40); do cmp "$back/$number.json" "$root/in/$number.json"; done
for number in $(seq 21 60); do cmp "$other/$number.json" "$root/in/$number.json"; done
holds "each resolves the other's handles, byte for byte"

again=$(folder again)
"$program" fold fleet "$again" "${documents[@]:0:40}"
diff -rq "$first" "$again"
test "$(sql -c 'SELECT count(*) FROM span')" -eq 120
holds "folding again keeps nothing twice"

stranger=$(folder stranger)
"$program" expand stranger "$stranger" "$first"/*.json
diff -rq "$first" "$stranger"
"$program" fold stranger "$stranger" "${documents[@]:0:40}"
test -z "$(comm -12 <(handles "$first"/*) <(handles "$stranger"/*))"
"$program" expand stranger "$stranger" "$first/1.json"
cmp "$first/1.json" "$stranger/1.json"
holds "another session finds nothing, and has other handles for the same spans"

stop immediate
start
"$program" expand fleet "$back" "$second"/*.json
for number in $(seq 41 60); do cmp "$back/$number.json" "$root/in/$number.json"; done
holds "every handle resolves after the server was killed"

taken=$(handles "$first/1.json" | head -n 1)
taken=${taken#compaction:}
test ${#taken} -eq 8
sql -c "DELETE FROM span WHERE handle = '$taken'" \
    -c "INSERT INTO span VALUES ('fleet', '$taken', 'of another', 'another span')"
longer=$(folder longer)
"$program" fold fleet "$longer" "$root/in/1.json"
handles "$longer/1.json" | grep -qx "compaction:${taken}[0-9a-f]"
"$program" expand fleet "$back" "$longer/1.json"
cmp "$back/1.json" "$root/in/1.json"
sql -c "DELETE FROM span WHERE handle = '$taken'"
"$program" expand fleet "$back" "$first/1.json"
test "$(handles "$back/1.json")" = "compaction:$taken"
holds "where a handle is taken the next is a character longer, and none is found by its beginning"

sql -c "UPDATE span SET span = span || ' ' WHERE handle = (SELECT min(handle) FROM span WHERE session = 'fleet')"
broken=$(sql -c "SELECT min(handle) FROM span WHERE session = 'fleet'")
file=$(grep -l "compaction:$broken" "$first"/* "$second"/* "$longer"/* | head -n 1)
fails "$program" expand fleet "$back" "$file"
grep -q "the span under $broken was changed" "$root/complaint"
cmp "$back/$(basename "$file")" "$file"
holds "a span that was changed is refused, by name"

PGOPTIONS='-c default_transaction_read_only=on' fails "$program" fold new "$back" "$root/in/1.json"
grep -q "declined" "$root/complaint"
grep -q "read-only" "$root/complaint"
cmp "$back/1.json" "$root/in/1.json"
holds "a server that cannot keep a span leaves the transcript as it was, and says why"

sql -c "DELETE FROM session WHERE name = 'stranger'"
test "$(sql -c "SELECT count(*) FROM span WHERE session = 'stranger'")" -eq 0
holds "a session is forgotten with its spans"

"$program" fold golden "$back" "$golden/transcript.json"
grep -o '\[NEWT.*)\]' "$back/transcript.json" |
    sed 's/\\n/\n/g; s/\\"/"/g' | sed 's/compaction:[0-9a-f]*/compaction:…/' > "$root/cards"
sed 's/compaction:[0-9a-f]*/compaction:…/' "$golden/cards.txt" | diff - "$root/cards"
cat "$root/cards"
holds "the golden cards, under the server's handles"

echo "$passed passed, 0 failed"
