"""Folds transcripts that stand in Parquet files, a file at a time, with DuckDB.

    python fold_parquet.py SESSIONS OUT [--workers N]

SESSIONS/*.parquet have a column `transcript`; every other column is carried
along. For SESSIONS/x.parquet it writes

    OUT/folded/x.parquet  the same rows, the transcript folded, with the counts
                          of the fold, or the error of one that cannot be folded
    OUT/spans/x.parquet   address, span: what was removed, in order of address

An address is a hash of its span: the same span has the same address in every
file, whoever folds it. So files may be folded in any order, by any number of
machines, and again; what stands in OUT already is left alone. In another engine
`fold` is the function to call for each row (mapInArrow in Spark, say).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypedDict

import duckdb
import newt_fold
from duckdb.sqltypes import BLOB, DuckDBPyType


class Span(TypedDict):
    address: str
    span: bytes


class Folded(TypedDict):
    transcript: bytes
    rounds_folded: int
    tokens_before: int
    tokens_after: int
    error: str | None
    spans: list[Span]


FOLDED = DuckDBPyType(
    "STRUCT(transcript BLOB, rounds_folded BIGINT, tokens_before BIGINT, tokens_after BIGINT,"
    ' error VARCHAR, spans STRUCT("address" VARCHAR, span BLOB)[])'
)


def address(span: bytes) -> str:
    """80 bits: two of a hundred billion spans share one with a chance of 1 in 240."""
    return base64.b32encode(hashlib.blake2b(span, digest_size=10).digest()).decode().lower()


def fold(transcript: bytes) -> Folded:
    """Folds one transcript. Knows nothing of where it runs."""
    spans: dict[str, bytes] = {}

    def mint(span: bytes) -> str:
        spans[name := address(span)] = span
        return name

    try:
        out = newt_fold.fold(transcript, mint, results="any")
    except newt_fold.Error as error:
        return Folded(
            transcript=transcript, rounds_folded=0, tokens_before=0, tokens_after=0, error=str(error), spans=[]
        )
    return Folded(
        transcript=out.json,
        rounds_folded=out.rounds_folded,
        tokens_before=out.tokens_before,
        tokens_after=out.tokens_after,
        error=None,
        spans=[Span(address=name, span=span) for name, span in spans.items()],
    )


class Work(NamedTuple):
    """What folding one file came to."""

    rows: int
    refused: int
    bytes: int
    tokens_before: int
    tokens_after: int
    seconds: float
    """Of one core, reading and writing Parquet included."""
    fold_seconds: float
    """Of them, inside `fold`."""


def fold_file(source: Path, out: Path) -> Work:
    """Folds one Parquet file, on one core."""
    fold_seconds = 0.0

    def timed(transcript: bytes) -> Folded:
        nonlocal fold_seconds
        start = time.thread_time()
        folded = fold(transcript)
        fold_seconds += time.thread_time() - start
        return folded

    start = time.process_time()
    with duckdb.connect(config={"threads": 1}) as engine:
        engine.create_function("fold", timed, [BLOB], FOLDED)
        engine.execute(
            "CREATE TABLE work AS SELECT *, fold(encode(transcript)) AS fold FROM read_parquet(?)", [str(source)]
        )
        write(
            engine,
            """SELECT * EXCLUDE (fold) REPLACE (decode(fold.transcript) AS transcript),
                      fold.rounds_folded, fold.tokens_before, fold.tokens_after, fold.error
               FROM work""",
            out / "folded" / source.name,
        )
        write(
            engine,
            """SELECT DISTINCT part.address AS address, decode(part.span) AS span
               FROM (SELECT unnest(fold.spans) AS part FROM work) ORDER BY address""",
            out / "spans" / source.name,
        )
        counts: tuple[int, int, int, int, int] | None = engine.execute(
            """SELECT count(*), count(fold.error), coalesce(sum(octet_length(encode(transcript))), 0)::BIGINT,
                      coalesce(sum(fold.tokens_before), 0)::BIGINT, coalesce(sum(fold.tokens_after), 0)::BIGINT
               FROM work"""
        ).fetchone()
    assert counts is not None, "an aggregate has one row"
    return Work(*counts, time.process_time() - start, fold_seconds)


def write(engine: duckdb.DuckDBPyConnection, query: str, path: Path) -> None:
    """Writes a Parquet file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    quoted = str(part).replace("'", "''")
    engine.execute(f"COPY ({query}) TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")
    part.replace(path)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("sessions", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--workers", type=int, help="processes, one core each; all cores by default")
    chosen = arguments.parse_args()

    # The spans are written last: where they stand, the file is done.
    sources = [
        path for path in sorted(chosen.sessions.glob("*.parquet")) if not (chosen.out / "spans" / path.name).exists()
    ]
    start = time.perf_counter()
    with ProcessPoolExecutor(chosen.workers) as pool:
        works = list(pool.map(fold_file, sources, [chosen.out] * len(sources)))
    elapsed = time.perf_counter() - start
    if not works:
        print("nothing to do")
        return 0
    total = Work(*map(sum, zip(*works, strict=True)))
    megabytes = total.bytes / 1e6
    print(f"{total.rows:,} transcripts, {total.refused} refused, {megabytes:,.1f} MB, {len(works)} files, {elapsed:.1f} s")
    print(f"tokens {total.tokens_before:,} -> {total.tokens_after:,}")
    print(
        f"a core: {megabytes / total.seconds:,.0f} MB/s with Parquet read and written,"
        f" {megabytes / total.fold_seconds:,.0f} MB/s inside fold"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
