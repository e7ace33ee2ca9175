#!/usr/bin/env bash
# The shipped library against the laws, from outside, through its C ABI.
# Needs: python3. The checker and its transcripts stand in ../shared; without
# them there is nothing to run, and that is said.
set -euxo pipefail
cd "$(dirname "$0")/.."

shared=${NEWT_FOLD_SHARED:-../shared}
make shared
if [ ! -e "$shared/check/laws.py" ]; then
    echo "skipped: no $shared/check/laws.py here"
    exit 0
fi
python3 "$shared/check/laws.py" target/lib/libnewt_fold.so --formats=chat,anthropic,responses,gemini

python3 -m venv target/ci/laws-venv
target/ci/laws-venv/bin/pip install -q jsonschema
target/ci/laws-venv/bin/python tests/receipts/validate.py target/lib/libnewt_fold.so "$shared"
