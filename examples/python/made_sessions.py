"""Makes sessions that were never held, to try the recipes on.

    python made_sessions.py json OUT     [--sessions N]
    python made_sessions.py parquet OUT  [--sessions N] [--files N]

The same numbers make the same sessions.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import duckdb

WORDS = "the gauge reads Löwensee level north weir sensor drift after rain before dawn valve opened closed log".split()


def session(seed: int) -> bytes:
    """A session of 20 to 120 tool rounds in OpenAI's chat format."""
    dice = random.Random(seed)

    def prose(words: int) -> str:
        return " ".join(dice.choices(WORDS, k=words))

    messages: list[dict[str, object]] = [
        {"role": "system", "content": "You look after a pond."},
        {"role": "user", "content": prose(20)},
    ]
    for number in range(dice.randint(20, 120)):
        if dice.random() < 0.1:
            messages.append({"role": "assistant", "content": prose(30)})
            messages.append({"role": "user", "content": prose(15)})
        tool, argument = dice.choice([("read_file", "path"), ("run_command", "command"), ("search", "query")])
        function = {"name": tool, "arguments": json.dumps({argument: prose(3)})}
        messages.append(
            {
                "role": "assistant",
                "content": prose(12) if dice.random() < 0.5 else None,
                "tool_calls": [{"id": f"call_{number}", "type": "function", "function": function}],
            }
        )
        lines = "".join(f"{prose(8)}\n" for _ in range(dice.randint(1, 80)))
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": lines})
    messages.append({"role": "assistant", "content": prose(40)})
    return json.dumps(messages, separators=(",", ":")).encode()


def write_json(out: Path, sessions: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for seed in range(sessions):
        (out / f"session-{seed:05}.json").write_bytes(session(seed))


def write_parquet(out: Path, sessions: int, files: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for file in range(files):
        with duckdb.connect() as engine:
            engine.execute("CREATE TABLE made (session BIGINT, transcript VARCHAR)")
            for seed in range(file, sessions, files):
                engine.execute("INSERT INTO made VALUES (?, ?)", [seed, session(seed).decode()])
            path = str(out / f"part-{file:04}.parquet").replace("'", "''")
            engine.execute(f"COPY made TO '{path}' (FORMAT parquet)")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("kind", choices=["json", "parquet"])
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--sessions", type=int, default=400)
    arguments.add_argument("--files", type=int, default=8)
    chosen = arguments.parse_args()
    if chosen.kind == "json":
        write_json(chosen.out, chosen.sessions)
    else:
        write_parquet(chosen.out, chosen.sessions, chosen.files)


if __name__ == "__main__":
    main()
