#!/usr/bin/env bash
# Counts the instructions of newt_fold on six fixed inputs, and fails where they
# are more than 5 % above benches/instructions.txt. Unlike time, they do not
# depend on what else the machine does.
#
#     benches/instructions.sh            checks
#     benches/instructions.sh --write    writes the counts anew: do so when a
#                                        change is worth what it costs, or with
#                                        another compiler or C library, and say
#                                        so in the commit
#
# valgrind shows the program a machine with AVX2 and without AVX-512, whatever
# the machine has beyond AVX2; on one without AVX2 the counts are others.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
work=$target/instructions
mkdir -p "$work"

make --quiet shared CARGO_FLAGS="--quiet --no-default-features" OUT="$work"
cargo bench --quiet --no-default-features --bench fold -- fixed "$work"
cc -O1 -o "$work/fold" benches/fold_once.c "$work/libnewt_fold.so" \
    -Wl,-rpath,"$(realpath "$work")"

count() { # document card
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=newt_fold \
        "$work/fold" "$work/$1" "$2" 2>&1 | sed -n 's/.*Collected : *//p'
}

while read -r name document card; do
    printf '%-12s %12d\n' "$name" "$(count "$document" "$card")"
done > "$work/counts.txt" <<'END'
one-lined    one-lined.json     0
tool-card    one-lined.json     2
escaped      escaped.json       0
plain        plain.json         0
tiny         tiny.json          0
refused      refused.json       0
END

if [ "${1:-}" = --write ]; then
    cp "$work/counts.txt" benches/instructions.txt
    cat benches/instructions.txt
    exit
fi
join <(sort benches/instructions.txt) <(sort "$work/counts.txt") | awk '
    { percent = 100 * ($3 / $2 - 1)
      printf "%-12s %12d, was %12d (%+.1f %%)\n", $1, $3, $2, percent
      if (percent > 5) more = 1
      if (percent < -5) fewer = 1 }
    END { if (fewer) print "fewer: benches/instructions.sh --write keeps it so"
          if (NR != 6) { print "expected six inputs, found " NR; exit 1 }
          exit more }'
