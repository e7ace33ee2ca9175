"""Fold an agent's aged tool rounds into short cards, losslessly.

One file over ctypes, with nothing to install: copy it beside your program.

    with Store("spans.db", session="session 7") as store:
        folded = fold(request, store.mint, results="any")
        original = expand(folded.json, store.fetch)

It loads the library that the environment variable NEWT_FOLD_LIBRARY names, or
libnewt_fold.so.1 beside it, or the one installed. Every function may be called
from any thread; other threads of the interpreter run on while the library works.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from ctypes import POINTER, c_char_p, c_int32, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypedDict, Unpack, get_args

__all__ = ["Config", "Error", "Fetch", "Mint", "Outcome", "Store", "expand", "fetch_tool", "fold"]

Mint = Callable[[bytes], "str | None"]
"""Stores a span, durably, and returns its handle: 1 to 256 characters of
``A-Z a-z 0-9 . _ ~ : / @ = + -``. None declines, and the document stays as it
was. What it raises comes out of the call that it serves."""

Fetch = Callable[[str], "bytes | None"]
"""Returns the span of a handle, or None if there is none: its card stays."""

Format = Literal["auto", "chat", "anthropic", "responses", "gemini"]
Results = Literal["one_lined", "any"]
Grouping = Literal["runs", "all"]
Card = Literal["user", "assistant", "tool"]
Verdict = Literal["none", "folded", "nothing", "not_smaller", "declined", "planned"]


class Config(TypedDict, total=False):
    """What a fold may do. What is left out takes the library's default."""

    keep_last: int
    """Messages at the end that are never touched."""
    min_rounds: int
    """Nothing changes unless at least this many rounds would go."""
    format: Format
    results: Results
    """Whether only rounds fold whose results are one line already, or any."""
    grouping: Grouping
    """A card for each run of rounds, in place, or one card for all."""
    card: Card
    """The kind of message that a card is."""
    max_card_lines: int
    note_chars: int
    """Characters of an assistant's prose beside its calls that a card keeps."""
    result_chars: int
    """With any results: one line of at most this many characters is shown whole."""
    min_reclaim: int
    """Estimated tokens that a fold must win to happen at all."""
    bytes_per_token: int
    receipt: bool
    """Outcome.receipt is wanted."""
    fetch_tool: str
    """The tool that a card tells the model to call; "" if none is declared."""
    keep_tools: Iterable[str]
    """Rounds that call one of these tools never fold."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call did."""

    json: bytes
    verdict: Verdict
    handle: str | None
    """Of the newest card that this call wrote."""
    rounds_eligible: int
    rounds_folded: int
    cards: int
    """Cards that stand in json, older ones counted."""
    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    prefix_len: int
    """Bytes at the start of json that a provider's prefix cache can still use."""
    receipt: bytes | None


class Error(Exception):
    """The library refused. The message says what it expected and found."""

    def __init__(self, status: str, sentence: str, offset: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        """As the header calls it: "NEWT_ERR_JSON"."""
        self.offset = offset
        """The byte of the document at fault."""


def fold(transcript: bytes, mint: Mint | None, **config: Unpack[Config]) -> Outcome:
    """Replaces the aged tool rounds of a transcript by cards.

    The transcript is an array of messages, or a whole request body that has
    one. Without a mint nothing is stored and nothing changes, and the outcome
    counts what a fold would do.
    """
    raised: list[BaseException] = []

    def call(
        _: object, span: int, span_len: int, handle: int, handle_cap: int, handle_len: Any
    ) -> int:
        try:
            name = mint(ctypes.string_at(span, span_len)) if mint else None
            if name is None:
                return 1
            encoded = name.encode()
            ctypes.memmove(handle, encoded, min(len(encoded), handle_cap))
            # The true length, so that the library sees and refuses one too long.
            handle_len[0] = len(encoded)
            return 0
        except BaseException as error:  # Python cannot unwind the library's frames.
            raised.append(error)
            return 1

    callback = _MintFn(call) if mint else _MintFn()
    native, _names = _native(config)
    out = _library.newt_fold(transcript, len(transcript), native, callback, None)
    return _outcome(out, raised)


def expand(document: bytes, fetch: Fetch, **config: Unpack[Config]) -> Outcome:
    """Replaces the cards of a document by their spans, all the way down."""
    raised: list[BaseException] = []

    def call(_: object, handle: int, handle_len: int, sink: int) -> int:
        try:
            span = fetch(ctypes.string_at(handle, handle_len).decode())
            if span is None:
                return _NOT_FOUND
            _library.newt_sink_write(sink, span, len(span))
            return _OK
        except BaseException as error:
            raised.append(error)
            return _STORE

    native, _names = _native(config)
    out = _library.newt_expand(document, len(document), native, _FetchFn(call), None)
    return _outcome(out, raised)


def fetch_tool(**config: Unpack[Config]) -> bytes:
    """The definition of the fetch tool, as JSON, to be put into a request."""
    native, _names = _native(config)
    return _text(_library.newt_fetch_tool_json(native))


class Store:
    """The built-in storage: spans in an SQLite file, seen by their session only.

    Without a path it is in memory; without a session it is a new one. Any
    threads may share a store, and any processes a file; close() comes last.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, session: str | None = None) -> None:
        name = None if path is None else os.fsencode(path)
        of = None if session is None else session.encode()
        self._native: int | None = _library.newt_store_open(name, len(name or b""), of, len(of or b""))
        try:
            _text(_library.newt_store_state(self._native))
        except Error:
            self.close()
            raise

    def mint(self, span: bytes) -> str:
        """Keeps a span. It is on the disk when its handle is returned."""
        handle = ctypes.create_string_buffer(256)
        length = c_size_t()
        if _library.newt_store_mint(self._open(), span, len(span), handle, len(handle), length) != _OK:
            _text(_library.newt_store_state(self._open()))
        return handle.raw[: length.value].decode()

    def fetch(self, address: str) -> bytes | None:
        """The span of a handle in a card, as it was minted; None if there is none."""
        encoded = address.encode()
        try:
            return _text(_library.newt_store_fetch(self._open(), encoded, len(encoded)))
        except Error as error:
            if error.status == "NEWT_ERR_NOT_FOUND":
                return None
            raise

    def answer(self, arguments: str) -> str:
        """Answers the model's call of the fetch tool, given its JSON arguments."""
        encoded = arguments.encode()
        return _text(_library.newt_store_answer(self._open(), encoded, len(encoded))).decode()

    def forget(self) -> None:
        """Removes the session's spans."""
        if _library.newt_store_forget(self._open()) != _OK:
            _text(_library.newt_store_state(self._open()))

    def close(self) -> None:
        native, self._native = self._native, None
        if native is not None:
            _library.newt_store_close(native)

    def _open(self) -> int:
        # The library takes NULL for a store of its own, which is not meant here.
        if self._native is None:
            raise ValueError("the store is closed")
        return self._native

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Config(ctypes.Structure):
    """newt_config of the C header, which explains the fields."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("keep_last", c_uint32),
        ("min_rounds", c_uint32),
        ("format", c_uint32),
        ("results", c_uint32),
        ("grouping", c_uint32),
        ("card", c_uint32),
        ("max_card_lines", c_uint32),
        ("note_chars", c_uint32),
        ("result_chars", c_uint32),
        ("min_reclaim", c_uint32),
        ("bytes_per_token", c_uint32),
        ("flags", c_uint32),
        ("reserved", c_uint32),
        ("fetch_tool", c_char_p),
        ("keep_tools", POINTER(c_char_p)),
        ("keep_tools_len", c_size_t),
    ]


class _Outcome(ctypes.Structure):
    """newt_outcome of the C header."""

    _fields_ = [
        ("status", c_int32),
        ("verdict", c_uint32),
        ("json", c_void_p),
        ("json_len", c_size_t),
        ("handle", c_void_p),
        ("handle_len", c_size_t),
        ("error", c_char_p),
        ("error_offset", c_size_t),
        ("rounds_eligible", c_size_t),
        ("rounds_folded", c_size_t),
        ("cards", c_size_t),
        ("messages_before", c_size_t),
        ("messages_after", c_size_t),
        ("tokens_before", c_size_t),
        ("tokens_after", c_size_t),
        ("prefix_len", c_size_t),
        ("receipt", c_void_p),
        ("receipt_len", c_size_t),
    ]


class _Text(ctypes.Structure):
    """newt_text of the C header."""

    _fields_ = [
        ("status", c_int32),
        ("text", c_void_p),
        ("text_len", c_size_t),
        ("error", c_char_p),
    ]


_MintFn = ctypes.CFUNCTYPE(
    c_int32, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t)
)
_FetchFn = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t, c_void_p)

_ABI = 1
_OK = 0
_STORE = 7
_NOT_FOUND = 8
_RECEIPT = 1
_SIZE_MAX = c_size_t(-1).value

_ENUMS: dict[str, tuple[str, ...]] = {
    "format": get_args(Format),
    "results": get_args(Results),
    "grouping": get_args(Grouping),
    "card": get_args(Card),
}
_NUMBERS = (
    "keep_last",
    "min_rounds",
    "max_card_lines",
    "note_chars",
    "result_chars",
    "min_reclaim",
    "bytes_per_token",
)


def _load() -> ctypes.CDLL:
    beside = Path(__file__).with_name(f"libnewt_fold.so.{_ABI}")
    named = os.environ.get("NEWT_FOLD_LIBRARY")
    library = ctypes.CDLL(named or (str(beside) if beside.exists() else beside.name))
    if library.newt_abi_version() != _ABI:
        raise ImportError(f"{library} does not speak ABI {_ABI} of newt_fold")
    for name, result, *arguments in (
        ("newt_status_name", c_char_p, c_int32),
        ("newt_config_init", None, c_void_p, c_size_t),
        ("newt_fold", POINTER(_Outcome), c_char_p, c_size_t, POINTER(_Config), _MintFn, c_void_p),
        ("newt_expand", POINTER(_Outcome), c_char_p, c_size_t, POINTER(_Config), _FetchFn, c_void_p),
        ("newt_outcome_free", None, POINTER(_Outcome)),
        ("newt_sink_write", None, c_void_p, c_char_p, c_size_t),
        ("newt_text_free", None, POINTER(_Text)),
        ("newt_fetch_tool_json", POINTER(_Text), POINTER(_Config)),
        ("newt_store_open", c_void_p, c_char_p, c_size_t, c_char_p, c_size_t),
        ("newt_store_state", POINTER(_Text), c_void_p),
        ("newt_store_mint", c_int32, c_void_p, c_char_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t)),
        ("newt_store_fetch", POINTER(_Text), c_void_p, c_char_p, c_size_t),
        ("newt_store_answer", POINTER(_Text), c_void_p, c_char_p, c_size_t),
        ("newt_store_forget", c_int32, c_void_p),
        ("newt_store_close", None, c_void_p),
    ):
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _load()


def _native(config: Config) -> tuple[_Config, object]:
    """The configuration as C reads it, and what must outlive it."""
    native = _Config()
    _library.newt_config_init(ctypes.byref(native), ctypes.sizeof(native))
    names: object = None
    for key, value in config.items():
        if key == "receipt":
            native.flags |= _RECEIPT if value else 0
        elif key == "fetch_tool":
            native.fetch_tool = _name(value)
        elif key == "keep_tools":
            tools = [_name(tool) for tool in config["keep_tools"]]
            names = native.keep_tools = (c_char_p * len(tools))(*tools)
            native.keep_tools_len = len(tools)
        elif key in _ENUMS:
            if value not in _ENUMS[key]:
                raise ValueError(f"{key} is one of {', '.join(_ENUMS[key])}, not {value!r}")
            setattr(native, key, _ENUMS[key].index(str(value)))
        elif key in _NUMBERS:
            # ctypes would cut off what does not fit.
            if not isinstance(value, int) or not 0 <= value < 2**32:
                raise ValueError(f"{key} is a number from 0 to 2**32 - 1, not {value!r}")
            setattr(native, key, value)
        else:
            raise TypeError(f"there is no setting {key!r}")
    return native, names


def _name(tool: object) -> bytes:
    name = str(tool).encode()
    if b"\0" in name:
        raise ValueError(f"the name of a tool has no NUL in it: {tool!r}")
    return name


def _bytes(at: int | None, length: int) -> bytes | None:
    return None if at is None else ctypes.string_at(at, length)


def _status(status: int) -> str:
    name: bytes = _library.newt_status_name(status)
    return name.decode()


def _outcome(pointer: Any, raised: list[BaseException]) -> Outcome:
    try:
        if raised:
            raise raised[0]
        out = pointer.contents
        if out.status != _OK:
            offset = None if out.error_offset == _SIZE_MAX else out.error_offset
            raise Error(_status(out.status), out.error.decode(), offset)
        handle = _bytes(out.handle, out.handle_len)
        return Outcome(
            json=ctypes.string_at(out.json, out.json_len),
            verdict=get_args(Verdict)[out.verdict],
            handle=None if handle is None else handle.decode(),
            rounds_eligible=out.rounds_eligible,
            rounds_folded=out.rounds_folded,
            cards=out.cards,
            messages_before=out.messages_before,
            messages_after=out.messages_after,
            tokens_before=out.tokens_before,
            tokens_after=out.tokens_after,
            prefix_len=out.prefix_len,
            receipt=_bytes(out.receipt, out.receipt_len),
        )
    finally:
        _library.newt_outcome_free(pointer)


def _text(pointer: Any) -> bytes:
    try:
        text = pointer.contents
        if text.status != _OK:
            raise Error(_status(text.status), text.error.decode())
        return ctypes.string_at(text.text, text.text_len)
    finally:
        _library.newt_text_free(pointer)
