#!/usr/bin/env python3
"""Derives the content ids of a store a second time, with other libraries.

Mints spans through the library's C functions into a new file, then reads that
file with Python's own sqlite3 and takes the id of each record with dag-cbor,
multiformats and blake3. Needs those three packages.

    python3 tests/cid/derive.py target/debug/libnewt_fold.so
"""

import ctypes
import os
import sqlite3
import sys
import tempfile

import dag_cbor
from blake3 import blake3
from multiformats import CID, multibase, multihash

# Around each length at which a CBOR head grows, and text beyond ASCII.
SPANS = [
    "",
    "a",
    '{"role":"tool","content":"ok"}',
    '{"content":"Zo\u00eb \U0001f98e \\ud83d"}\n{"n":1e400}',
    *("x" * n for n in (23, 24, 255, 256, 65535, 65536, 1_000_000)),
]
SESSIONS = ["first", "second", None]


def mint(library, path):
    """The handles that the library gives each span, session by session."""
    fold = ctypes.CDLL(os.path.abspath(library))
    fold.newt_store_open.restype = ctypes.c_void_p
    fold.newt_store_open.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * 2
    fold.newt_store_mint.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_size_t),
    ]
    fold.newt_store_close.argtypes = [ctypes.c_void_p]
    handles = {}
    for session in SESSIONS:
        name = session.encode() if session else None
        store = fold.newt_store_open(path.encode(), len(path), name, len(name or b""))
        for span in SPANS:
            handle, length = ctypes.create_string_buffer(256), ctypes.c_size_t()
            text = span.encode()
            status = fold.newt_store_mint(store, text, len(text), handle, 256, length)
            assert status == 0, f"the mint declined with {status}"
            handles[session, span] = handle.raw[: length.value].decode()
        fold.newt_store_close(store)
    return handles


def derive(nonce, kind, text):
    """The content id of a record, and the digest in it, both in base32."""
    digest = blake3(dag_cbor.encode(["newt-span/1", nonce, kind, text])).digest()
    cid = CID("base32", 1, "dag-cbor", multihash.wrap(digest, "blake3"))
    return str(cid), multibase.encode(digest, "base32")[1:]


def main():
    pinned = derive(bytes([7] * 32), "span", '{"n":852775}')[0]
    assert pinned == "bafyr4iguomkwkuikryhjbefpo3eucyn6gamxdup4epi6wfcly7qebuz4fm", pinned
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spans.db")
        handles = mint(sys.argv[1], path)
        rows = sqlite3.connect(path).execute(
            "SELECT name, nonce, kind, text, cid, handle FROM spans JOIN sessions ON id = session"
        )
        found, cids = {}, set()
        for name, nonce, kind, text, cid, handle in rows:
            derived, digest = derive(nonce, kind, text)
            assert derived == cid, f"{handle}: stored {cid}, derived {derived}"
            assert len(handle) >= 8 and digest.startswith(handle), f"{handle} is not of {digest}"
            found[name, text] = handle
            cids.add(cid)
        assert found == handles, "the file does not hold what was minted"
        assert len(cids) == len(handles), "two sessions share a content id"
    print(f"{len(cids)} content ids derived alike")


if __name__ == "__main__":
    main()
