"""Folds a folder of recorded sessions, and shows what it saved.

    python fold_folder.py SESSIONS OUT

Each SESSIONS/*.json comes out as OUT/*.json; OUT/spans.db keeps what was folded,
each file a session of its own. What is no transcript is told and left out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import newt_fold
from rich.console import Console
from rich.progress import track
from rich.table import Table


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("sessions", type=Path)
    arguments.add_argument("out", type=Path)
    chosen = arguments.parse_args()

    chosen.out.mkdir(parents=True, exist_ok=True)
    console = Console()
    table = Table("session", *(numbers := ("rounds folded", "cards", "tokens", "left", "saved")))
    for column, _ in enumerate(numbers, start=1):
        table.columns[column].justify = "right"
    rounds = before = after = 0
    refused: list[str] = []

    recorded = sorted(chosen.sessions.glob("*.json"))
    for path in track(recorded, "folding", console=console):
        try:
            with newt_fold.Store(chosen.out / "spans.db", session=path.stem) as store:
                folded = newt_fold.fold(path.read_bytes(), store.mint, results="any")
        except newt_fold.Error as error:
            refused.append(f"{path.name}: {error}")
            continue
        (chosen.out / path.name).write_bytes(folded.json)
        rounds += folded.rounds_folded
        before += folded.tokens_before
        after += folded.tokens_after
        table.add_row(
            path.stem,
            f"{folded.rounds_folded:,}",
            f"{folded.cards:,}",
            f"{folded.tokens_before:,}",
            f"{folded.tokens_after:,}",
            saved(folded.tokens_before, folded.tokens_after),
        )
    table.add_section()
    table.add_row(
        f"total of {len(recorded) - len(refused)}", f"{rounds:,}", "", f"{before:,}", f"{after:,}", saved(before, after)
    )
    console.print(table)
    for sentence in refused:
        console.print(sentence, style="red", markup=False)
    return 1 if refused else 0


def saved(before: int, after: int) -> str:
    return f"{1 - after / before:.0%}" if before else ""


if __name__ == "__main__":
    sys.exit(main())
