"""The recipes, run as their users run them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fold_parquet import address
from made_sessions import session, write_json, write_parquet
from newt_fold import Store, expand

HERE = Path(__file__).parent
Row = tuple[Any, ...]


def recipe(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / name), *map(str, arguments)], capture_output=True, text=True, check=False
    )


def rows(query: str) -> list[Row]:
    return duckdb.execute(query).fetchall()


def test_folder(tmp_path: Path) -> None:
    write_json(tmp_path / "in", 5)
    done = recipe("fold_folder.py", tmp_path / "in", tmp_path / "out")
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert re.search(r"total of 5 .*\d\d%", done.stdout)
    for seed in range(5):
        path = tmp_path / "out" / f"session-{seed:05}.json"
        with Store(tmp_path / "out" / "spans.db", session=path.stem) as store:
            assert len(path.read_bytes()) < len(session(seed)) / 2
            assert expand(path.read_bytes(), store.fetch).json == session(seed)


def test_folder_tells_what_is_no_transcript(tmp_path: Path) -> None:
    write_json(tmp_path / "in", 1)
    (tmp_path / "in" / "broken.json").write_text('[{"role"')
    done = recipe("fold_folder.py", tmp_path / "in", tmp_path / "out")
    assert done.returncode == 1
    assert "broken.json: expected" in done.stdout
    assert "total of 1" in done.stdout
    assert not (tmp_path / "out" / "broken.json").exists()


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 sessions in 4 files, one row of them broken, folded."""
    root = tmp_path_factory.mktemp("parquet")
    write_parquet(root / "in", sessions=60, files=4)
    with duckdb.connect() as engine:
        engine.execute(
            f"""COPY (SELECT session, CASE session WHEN 7 THEN '[{{' ELSE transcript END AS transcript
                      FROM '{root}/in/part-0003.parquet') TO '{root}/in/part-0003.parquet'"""
        )
    done = recipe("fold_parquet.py", root / "in", root / "out", "--workers", 2)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("60 transcripts, 1 refused")
    assert re.search(r"a core: \d+ MB/s .* \d+ MB/s inside fold", done.stdout)
    return root


def test_parquet_comes_back(parquet: Path) -> None:
    spans: dict[str, bytes] = dict(rows(f"SELECT address, encode(span) FROM '{parquet}/out/spans/*.parquet'"))
    folded = rows(f"SELECT session, encode(transcript), rounds_folded, error FROM '{parquet}/out/folded/*.parquet'")
    assert sorted(row[0] for row in folded) == list(range(60))
    for number, transcript, rounds_folded, error in folded:
        if number == 7:
            assert (transcript, rounds_folded) == (b"[{", 0) and "expected" in error
            continue
        assert error is None and rounds_folded > 0
        assert expand(transcript, spans.get).json == session(number)


def test_spans_are_what_their_addresses_say(parquet: Path) -> None:
    for path in (parquet / "out" / "spans").glob("*.parquet"):
        spans = rows(f"SELECT address, encode(span) FROM '{path}'")
        names = [name for name, _ in spans]
        assert names == sorted(set(names)) != []
        assert all(name == address(span) for name, span in spans)


def test_a_job_goes_on_where_it_stopped(parquet: Path) -> None:
    lost = parquet / "out" / "spans" / "part-0001.parquet"
    kept = parquet / "out" / "spans" / "part-0002.parquet"
    before, untouched = lost.read_bytes(), kept.stat().st_mtime_ns
    lost.unlink()
    done = recipe("fold_parquet.py", parquet / "in", parquet / "out")
    assert done.stdout.startswith("15 transcripts, 0 refused"), done.stderr
    assert lost.read_bytes() == before
    assert kept.stat().st_mtime_ns == untouched
