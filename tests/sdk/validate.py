#!/usr/bin/env python3
"""Holds folded requests against the typed request models of the providers' own
libraries, and against chat templates that enforce turns. Nothing is sent.

    NEWT_FOLD_LIBRARY=… python validate.py [SHARED]

SHARED is a folder with real transcripts in `transcripts/`; without one, made
requests are what is checked, and that is said.
"""

import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as genai
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming as ChatParams,
)
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming as ResponsesParams,
)
from pydantic import TypeAdapter

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "examples" / "python"))
import newt_fold  # noqa: E402

MARK = "[NEWT FOLDED TOOL ROUNDS]"
Message = dict[str, Any]


class Broken(Exception):
    """A request that a model or a template refuses."""


# ---------------------------------------------------------------- the judges


def whole(value: Any) -> Any:
    """Reads what pydantic only looks at when it is asked for: lazy lists."""
    if isinstance(value, dict):
        return {key: whole(member) for key, member in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        return value
    return [whole(member) for member in value]


def typed(params: Any, member: str, more: Message) -> Callable[[list[Message]], None]:
    """A judge that reads a request as the library's own request type."""
    adapter = TypeAdapter(params)

    def judge(messages: list[Message]) -> None:
        try:
            read = whole(adapter.validate_python({**more, member: messages}))[member]
        except ValueError as error:
            raise Broken(error) from None
        # What a type does not know it leaves out: a card has nothing of the sort.
        for given, known in zip(messages, read, strict=True):
            if MARK in json.dumps(given) and given != known:
                raise Broken(f"of the card {given} only {known} is known")

    return judge


def gemini(contents: list[Message]) -> None:
    """Google's models forbid members that they do not know."""
    try:
        for content in contents:
            genai.Content.model_validate(content)
    except ValueError as error:
        raise Broken(error) from None


def template(name: str) -> Callable[[list[Message]], None]:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"), undefined=jinja2.ChainableUndefined
    )

    def refuse(sentence: str) -> None:
        raise Broken(sentence)

    environment.globals["raise_exception"] = refuse
    loaded = environment.get_template(name)

    def judge(messages: list[Message]) -> None:
        text = loaded.render(messages=messages)
        for message in messages:
            card = str(message.get("content"))
            if MARK in card and card.splitlines()[-1].split('"')[1] not in text:
                raise Broken(f"the prompt does not name what {card} stands for")

    return judge


CHAT = typed(ChatParams, "messages", {"model": "m"})
ANTHROPIC = typed(MessageCreateParamsNonStreaming, "messages", {"model": "m", "max_tokens": 1})
RESPONSES = typed(ResponsesParams, "input", {"model": "m"})

# A judge, the format it reads, and the cards that suit it.
JUDGES: list[tuple[str, newt_fold.Format, tuple[newt_fold.Card, ...], Callable[[list[Message]], None]]] = [
    ("openai chat", "chat", ("user", "assistant", "tool"), CHAT),
    ("anthropic", "anthropic", ("user", "assistant", "tool"), ANTHROPIC),
    ("openai responses", "responses", ("user", "assistant", "tool"), RESPONSES),
    ("google-genai", "gemini", ("user", "assistant", "tool"), gemini),
    ("Mistral's template", "chat", ("tool",), template("mistral.jinja")),
    ("Gemma's template", "chat", ("tool",), template("gemma.jinja")),
]


# ---------------------------------------------------------------- requests


def made(form: newt_fold.Format) -> list[Message]:
    """A session of two turns, with parallel calls and words beside calls."""
    serial = itertools.count()

    def call() -> tuple[str, str, Message, str]:
        n = next(serial)
        return f"call{n:05}", "read_file", {"path": f"src/part_{n}.rs"}, f"line {n}\n" * 90

    def turn(asked: str, answered: str) -> Iterator[Message]:
        yield words("user", asked)
        for size in (1, 3, 1, 2):
            yield from calls([call() for _ in range(size)], "I look." if size == 1 else None)
        yield words("assistant", answered)

    def words(role: str, text: str) -> Message:
        if form == "gemini":
            return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
        if form == "responses" and role == "assistant":
            # What a response gave goes back as it came.
            part = {"type": "output_text", "text": text, "annotations": []}
            return {"type": "message", "id": "msg_1", "status": "completed", "role": role, "content": [part]}
        return {"role": role, "content": text}

    def calls(made: list[tuple[str, str, Message, str]], prose: str | None) -> Iterator[Message]:
        if form == "chat":
            yield {
                "role": "assistant",
                "content": prose or "",
                "tool_calls": [
                    {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                    for i, name, given, _ in made
                ],
            }
            for i, _, _, said in made:
                yield {"role": "tool", "tool_call_id": i, "content": said}
        elif form == "anthropic":
            blocks: list[Message] = [{"type": "text", "text": prose}] if prose else []
            blocks += [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given, _ in made]
            yield {"role": "assistant", "content": blocks}
            results = [{"type": "tool_result", "tool_use_id": i, "content": said} for i, _, _, said in made]
            yield {"role": "user", "content": results}
        elif form == "responses":
            if prose:
                yield words("assistant", prose)
            for i, name, given, _ in made:
                yield {"type": "function_call", "call_id": i, "name": name, "arguments": json.dumps(given)}
            for i, _, _, said in made:
                yield {"type": "function_call_output", "call_id": i, "output": said}
        else:
            parts: list[Message] = [{"text": prose}] if prose else []
            parts += [{"functionCall": {"name": name, "args": given}} for _, name, given, _ in made]
            yield {"role": "model", "parts": parts}
            responses = [
                {"functionResponse": {"name": name, "response": {"output": said}}} for _, name, _, said in made
            ]
            yield {"role": "user", "parts": responses}

    return [*turn("Why does login fail?", "The token is stale."), *turn("Mend it.", "Done.")]


def real(shared: Path) -> Iterator[tuple[str, list[Message]]]:
    for path in sorted(shared.glob("transcripts/**/*.json")):
        messages = json.loads(path.read_bytes())
        if isinstance(messages, list):
            yield path.name, messages


# ---------------------------------------------------------------- the check


def folds(messages: list[Message], form: newt_fold.Format, card: newt_fold.Card) -> Iterator[list[Message]]:
    """The messages folded, a little and wholly, and folded again."""
    document = json.dumps(messages).encode()
    serial = itertools.count()
    groupings: tuple[newt_fold.Grouping, ...] = ("runs", "all")
    for grouping in groupings:
        folded = document
        for keep_last in (8, 3, 0):
            outcome = newt_fold.fold(
                folded,
                lambda _: f"h{next(serial):07}",
                format=form,
                card=card,
                grouping=grouping,
                results="any",
                keep_last=keep_last,
                min_rounds=1,
            )
            folded = outcome.json
            if outcome.rounds_folded:
                yield json.loads(folded)


def refuse_what_is_broken() -> None:
    """A judge that takes everything would prove nothing."""
    go, call = made("chat")[:2]
    for name, judge, messages in [
        ("openai chat", CHAT, [{"role": "user", "content": 7}]),
        ("anthropic", ANTHROPIC, [{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}]),
        ("openai responses", RESPONSES, [{"type": "function_call", "name": "x", "arguments": {}}]),
        ("google-genai", gemini, [{"role": "user", "parts": [{"text": "x", "surplus": 1}]}]),
        ("Mistral's template", template("mistral.jinja"), [go, go]),
        ("Mistral's template", template("mistral.jinja"), [go, call, go]),
        ("Gemma's template", template("gemma.jinja"), [go, go]),
    ]:
        try:
            judge(messages)
        except Broken:
            continue
        raise AssertionError(f"{name} takes {messages}")


def main() -> int:
    refuse_what_is_broken()
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if shared is None or not (shared / "transcripts").is_dir():
        print(f"skipped: no real transcripts in {shared}")
        shared = None
    failed = 0
    for name, form, cards, judge in JUDGES:
        requests = [("made", made(form))]
        requests += real(shared) if shared else []
        checked = sessions = 0
        for source, messages in requests:
            try:
                judge(messages)
            except (Broken, jinja2.TemplateError):
                assert source != "made", f"{name} refuses what was made for it"
                continue
            before = checked
            for card in cards:
                for folded in folds(messages, form, card):
                    checked += 1
                    try:
                        judge(folded)
                    except Broken as broken:
                        failed += 1
                        print(f"{name} refuses {source} with {card} cards: {broken}")
            sessions += checked > before
        print(f"{name}: {checked} folds of {sessions} sessions")
        assert checked, f"nothing was folded for {name}"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
