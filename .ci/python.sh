#!/usr/bin/env bash
# The Python host: types, tests, and the Parquet recipe at work.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=$target/python
export NEWT_FOLD_LIBRARY=$target/lib/libnewt_fold.so.1 PYTHONDONTWRITEBYTECODE=1

python3 -m venv "$venv" 2>/dev/null || { apt-get update -qq && apt-get install -y -qq python3-venv && python3 -m venv "$venv"; }
set -x
"$venv/bin/pip" install -q --disable-pip-version-check -r examples/python/requirements.txt
make --no-print-directory shared
"$venv/bin/mypy" --strict --cache-dir "$target/mypy" examples/python/*.py
"$venv/bin/pytest" -q -p no:cacheprovider examples/python | tee "$target/python-tests.txt"

rm -rf "$target/parquet"
"$venv/bin/python" examples/python/made_sessions.py parquet "$target/parquet/in" --sessions 800
"$venv/bin/python" examples/python/fold_parquet.py "$target/parquet/in" "$target/parquet/out"
rm -rf "$target/parquet"
set +x
passed=$(grep -oP '^\d+(?= passed in)' "$target/python-tests.txt")
echo "host python: $("$venv/bin/python" --version), $passed tests"
