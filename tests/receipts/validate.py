#!/usr/bin/env python3
"""Holds receipts of real transcripts against include/newt_fold_receipt.schema.json.

usage: validate.py LIBRARY SHARED

Every fold is made, planned and declined, in both groupings and two card forms;
what a receipt says of a card is compared with the document that came back.
"""
import ctypes as C
import glob
import json
import os
import sys

import jsonschema

library, shared = sys.argv[1:3]
sys.path.insert(0, os.path.join(shared, "check"))
import laws  # noqa: E402  (the ABI as ctypes)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(ROOT, "include", "newt_fold_receipt.schema.json")) as f:
    SCHEMA = jsonschema.Draft202012Validator(json.load(f))
RECEIPT, FOLDED, DECLINED, PLANNED = 1, 1, 4, 5


def check(receipt: bytes) -> dict:
    value = json.loads(receipt)
    SCHEMA.validate(value)
    return value


def prune(lib: laws.Lib, doc: bytes, cfg: laws.Config) -> dict:
    def mint(_, span, length, out, cap, out_len):
        C.memmove(out, b"pruned00", 8)
        out_len[0] = 8
        return 0

    lib.c.newt_prune.restype = C.POINTER(laws.Outcome)
    lib.c.newt_prune.argtypes = lib.c.newt_fold.argtypes
    outcome = lib.c.newt_prune(doc, len(doc), C.byref(cfg), laws.MINT(mint), None)
    assert outcome.contents.status == 0
    text = C.string_at(outcome.contents.receipt, outcome.contents.receipt_len)
    lib.c.newt_outcome_free(outcome)
    return check(text)


def main() -> None:
    lib = laws.Lib(library)
    seen = cards = replaced = 0
    for path in sorted(glob.glob(os.path.join(shared, "transcripts", "**", "*.json"), recursive=True)):
        with open(path, "rb") as f:
            doc = f.read()
        for grouping in (laws.RUNS, laws.ALL):
            for card in (laws.USER, laws.TOOL):
                cfg = lib.config(keep_last=2, min_rounds=1, results=1, grouping=grouping, card=card, flags=RECEIPT)
                for mint in ("count", None, "decline"):
                    r = lib.fold(doc, cfg, mint=mint)
                    assert r.status == 0, (path, r.error)
                    receipt = check(r.receipt)
                    seen += 1
                    if r.verdict != FOLDED:
                        assert all(c["handle"] is None for c in receipt["cards"]), path
                        assert bool(receipt["cards"]) == (r.verdict == PLANNED), path
                        continue
                    out = json.loads(r.json)
                    before = json.loads(doc)
                    assert sum(c["rounds"] for c in receipt["cards"]) == r.rounds_folded, path
                    for c, (handle, span) in zip(receipt["cards"], r.minted, strict=True):
                        cards += 1
                        message = json.dumps(out[c["place"] + (card == laws.TOOL)])
                        assert laws.MARK in message and "compaction:" + handle in message, path
                        gone = [m for a, b in c["messages"] for m in before[a:b]]
                        assert gone == [json.loads(line) for line in span.splitlines()], path
        cfg = lib.config(keep_last=2, flags=RECEIPT)
        replaced += len(prune(lib, doc, cfg)["replaced"])
    assert cards and replaced
    print(f"{seen} receipts of folds with {cards} cards and {replaced} pruned values match the schema")


main()
