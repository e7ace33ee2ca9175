#!/usr/bin/env bash
# Folded requests against the typed models of the providers' own libraries, and
# against chat templates that enforce turns.
# Needs: python3.
set -euxo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export PYTHONDONTWRITEBYTECODE=1 NEWT_FOLD_LIBRARY=$target/lib/libnewt_fold.so.1

python3 -m venv "$target/ci/sdk-venv" || { apt-get install -y -q python3-venv > /dev/null && python3 -m venv "$target/ci/sdk-venv"; }
"$target/ci/sdk-venv/bin/pip" install -q --disable-pip-version-check -r tests/sdk/requirements.txt
make --no-print-directory shared
"$target/ci/sdk-venv/bin/python" tests/sdk/validate.py "${NEWT_FOLD_SHARED:-../shared}"
