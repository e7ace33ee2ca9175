"""newt_fold.py: the golden transcript, settings, refusals, callbacks, the store."""

from __future__ import annotations

import gc
import json
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import newt_fold
import pytest
from made_sessions import session
from newt_fold import Config, Store, expand, fetch_tool, fold

GOLDEN = Path(__file__).parent.parent / "golden"


def fnv(span: bytes) -> str:
    digest = 0xCBF29CE484222325
    for byte in span:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"{digest:016x}"


class Kept(dict[str, bytes]):
    """A mint in memory."""

    def mint(self, span: bytes) -> str:
        self[name := fnv(span)] = span
        return name


def test_golden_cards() -> None:
    folded = fold((GOLDEN / "transcript.json").read_bytes(), fnv, results="any")
    texts = [message.get("content") for message in json.loads(folded.json)]
    cards = "".join(f"{text}\n" for text in texts if isinstance(text, str) and text.startswith("[NEWT"))
    print(f"\n{cards}")
    assert cards == (GOLDEN / "cards.txt").read_text()
    assert (folded.messages_before, folded.messages_after) == (30, 19)
    assert (folded.rounds_folded, folded.cards) == (6, 2)


@pytest.mark.parametrize(
    ("settings", "verdict"),
    [
        (Config(results="any"), "folded"),
        (Config(results="any", format="chat", grouping="all", card="tool"), "folded"),
        (Config(results="any", keep_tools=["search", "read_file", "run_command"]), "nothing"),
        (Config(results="any", keep_last=10_000), "nothing"),
        (Config(results="any", min_reclaim=2**32 - 1), "not_smaller"),
        (Config(results="one_lined"), "nothing"),
        (Config(), "nothing"),
    ],
)
def test_settings(settings: Config, verdict: str) -> None:
    document, spans = session(1), Kept()
    folded = fold(document, spans.mint, **settings)
    assert folded.verdict == verdict
    if verdict == "folded":
        assert len(spans) == folded.cards > 0
        assert folded.handle in spans
        assert folded.tokens_after < folded.tokens_before
        assert document.startswith(folded.json[: folded.prefix_len])
    else:
        assert folded.json == document
        assert not spans and folded.handle is None


def test_one_card_for_all() -> None:
    assert fold(session(1), fnv, results="any", grouping="all").cards == 1


def test_names_reach_the_card() -> None:
    assert b"look_up(" in fold(session(1), fnv, results="any", fetch_tool="look_up").json
    assert json.loads(fetch_tool(fetch_tool="look_up"))["function"]["name"] == "look_up"


def test_plan_stores_nothing() -> None:
    document = session(1)
    planned = fold(document, None, results="any", receipt=True)
    assert planned.verdict == "planned"
    assert planned.json == document
    assert planned.tokens_after < planned.tokens_before
    assert planned.receipt is not None and json.loads(planned.receipt)


@pytest.mark.parametrize(
    ("document", "status", "offset"),
    [
        (b"", "NEWT_ERR_JSON", 0),
        (b'[{"role":', "NEWT_ERR_JSON", 9),
        (b'["\xff"]', "NEWT_ERR_UTF8", 2),
        (b"[1]\0", "NEWT_ERR_JSON", 3),
        (b'{"role":"user"}', "NEWT_ERR_TRANSCRIPT", None),
    ],
)
def test_refusals(document: bytes, status: str, offset: int | None) -> None:
    with pytest.raises(newt_fold.Error) as refused:
        fold(document, fnv)
    assert refused.value.status == status
    if offset is not None:
        assert refused.value.offset == offset


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"keep_last": -1}, ValueError),
        ({"keep_last": 2**32}, ValueError),
        ({"keep_last": "12"}, ValueError),
        ({"results": "all"}, ValueError),
        ({"keep_tools": ["a\0b"]}, ValueError),
        ({"keep_lats": 12}, TypeError),
        ({"bytes_per_token": 0}, newt_fold.Error),
        ({"fetch_tool": "no spaces"}, newt_fold.Error),
    ],
)
def test_settings_out_of_range(settings: Config, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        fold(b"[]", fnv, **settings)


@pytest.mark.parametrize("handle", ["", 'a"b', "a" * 257, "ä"])
def test_unusable_handles(handle: str) -> None:
    with pytest.raises(newt_fold.Error) as refused:
        fold(session(1), lambda span: handle, results="any")
    assert refused.value.status == "NEWT_ERR_HANDLE"


def test_mint_declines() -> None:
    document = session(1)
    folded = fold(document, lambda span: None, results="any")
    assert folded.verdict == "declined"
    assert folded.json == document


@pytest.mark.parametrize("error", [OSError("no room"), KeyboardInterrupt()])
def test_what_a_mint_raises_comes_out(error: BaseException) -> None:
    calls = 0

    def mint(span: bytes) -> str:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise error
        return fnv(span)

    with pytest.raises(type(error)) as raised:
        fold(session(1), mint, results="any")
    assert raised.value is error
    assert calls == 2


def test_mint_may_fold() -> None:
    def mint(span: bytes) -> str:
        assert fold(session(2), fnv, results="any").verdict == "folded"
        return fnv(span)

    assert fold(session(1), mint, results="any").json == fold(session(1), fnv, results="any").json


def test_expand_restores_a_chain_of_folds() -> None:
    document, spans = session(3), Kept()
    folded = document
    for keep_last in (100, 60, 20, 12):
        folded = fold(folded, spans.mint, results="any", keep_last=keep_last).json
    assert len(folded) < len(document) / 3
    assert expand(folded, spans.get).json == document


def test_fetch_that_fails() -> None:
    folded = fold(session(1), fnv, results="any")
    nothing = expand(folded.json, lambda handle: None)
    assert (nothing.json, nothing.cards) == (folded.json, folded.cards)
    with pytest.raises(newt_fold.Error, match="mint") as refused:
        expand(folded.json, lambda handle: b"?")
    assert refused.value.status == "NEWT_ERR_STORE"
    with pytest.raises(ZeroDivisionError):
        expand(folded.json, lambda handle: bytes(1 // 0))


def test_store_outlives_its_opening(tmp_path: Path) -> None:
    document, path = session(1), tmp_path / "spans.db"
    with Store(path, session="one") as store:
        folded = fold(document, store.mint, results="any")
    assert folded.handle is not None
    with pytest.raises(ValueError, match="closed"):
        store.fetch(folded.handle)
    with Store(path, session="one") as again, Store(path, session="two") as other:
        assert expand(folded.json, again.fetch).json == document
        assert other.fetch(folded.handle) is None
        assert "role" in again.answer(json.dumps({"address": f"compaction:{folded.handle}"}))
        again.forget()
        assert again.fetch(folded.handle) is None


def test_store_that_cannot_open(tmp_path: Path) -> None:
    with pytest.raises(newt_fold.Error) as refused:
        Store(tmp_path / "missing" / "spans.db")
    assert refused.value.status == "NEWT_ERR_STORE"


def test_threads_share_a_store(tmp_path: Path) -> None:
    with Store(tmp_path / "spans.db", session="one") as store, ThreadPoolExecutor(8) as threads:

        def there_and_back(seed: int) -> bool:
            folded = fold(session(seed), store.mint, results="any")
            return expand(folded.json, store.fetch).json == session(seed)

        assert all(threads.map(there_and_back, range(16)))


def test_nothing_is_left_behind() -> None:
    document = session(1)

    def fails(span: bytes) -> str:
        raise OSError

    def turn() -> None:
        expand(fold(document, lambda span: "a-handle", results="any").json, lambda handle: None)
        with pytest.raises(OSError):
            fold(document, fails, results="any")

    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    for _ in range(20):
        turn()
    before = resident()
    for _ in range(200):
        turn()
    # Were an outcome kept, it would be seen 200 times.
    assert resident() - before < 50 * len(document)
