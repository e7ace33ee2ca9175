#!/usr/bin/env python3
"""Whole folds beside what the fastest JSON parsers need merely to parse the same bytes.

usage: parsers.py LIBRARY DOCUMENT...

LIBRARY: the libnewt_fold.so that ships (`make`). DOCUMENT: chat transcripts, as
`cargo bench --bench fold -- write DIR` writes them.

Needs a C compiler, and `pip install yyjson pysimdjson`. Everything is measured in one
process, on one thread, taking turns; the shortest of many calls counts, because what else
the machine does can only make a call longer. Both parsers build their tree (DOM) and make
no Python object of it; simdjson keeps its buffers from call to call. The fold is
`newt_fold` with results ANY and all else at its default, with a mint that returns at once.
"""
import ctypes as C
import os
import subprocess
import sys
import tempfile
import time

import simdjson
import yyjson

# A mint written in Python would take longer than the fold.
MINT = r"""
#include <stddef.h>
#include <stdint.h>
int32_t mint(void *u, const char *span, size_t n, char *h, size_t cap, size_t *len) {
    (void)u; (void)span; (void)n; (void)cap;
    for (*len = 0; *len < 8; ++*len) h[*len] = "h7q2kx3m"[*len];
    return 0;
}
"""


class Config(C.Structure):
    _fields_ = [(name, C.c_uint32) for name in
                "struct_size keep_last min_rounds format results".split()] + [("rest", C.c_uint8 * 256)]


class Outcome(C.Structure):
    _fields_ = [("status", C.c_int32), ("verdict", C.c_uint32)]


def library(path):
    lib = C.CDLL(os.path.abspath(path))
    lib.newt_fold.restype = C.POINTER(Outcome)
    lib.newt_fold.argtypes = [C.c_char_p, C.c_size_t, C.POINTER(Config), C.c_void_p, C.c_void_p]
    lib.newt_outcome_free.argtypes = [C.POINTER(Outcome)]
    lib.newt_config_init.argtypes = [C.POINTER(Config), C.c_size_t]
    return lib


def mint(folder):
    source, built = os.path.join(folder, "mint.c"), os.path.join(folder, "mint.so")
    with open(source, "w") as file:
        file.write(MINT)
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
    return C.cast(C.CDLL(built).mint, C.c_void_p)


def contenders(lib, a_mint, data):
    config = Config()
    lib.newt_config_init(C.byref(config), 20)
    config.results = 1
    parser = simdjson.Parser()

    def fold():
        outcome = lib.newt_fold(data, len(data), C.byref(config), a_mint, None)
        assert outcome.contents.verdict == 1, "it folds"
        lib.newt_outcome_free(outcome)

    return {
        "newt_fold": fold,
        "simdjson": lambda: parser.parse(data) and None,
        "yyjson": lambda: yyjson.Document(data) and None,
    }


def best(work, seconds=1.5):
    shortest = {name: float("inf") for name in work}
    end = time.perf_counter() + seconds
    turns = 0
    while turns < 5 or time.perf_counter() < end:
        for name, call in work.items():
            start = time.perf_counter()
            call()
            shortest[name] = min(shortest[name], time.perf_counter() - start)
        turns += 1
    return shortest


def main(path, documents):
    lib = library(path)
    print(f"{'document':20}{'bytes':>10}{'newt_fold':>13}{'simdjson':>13}{'yyjson':>13}   fold in GB/s, of simdjson's, of yyjson's time")
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        a_mint = mint(folder)
        for document in documents:
            with open(document, "rb") as file:
                data = file.read()
            took = best(contenders(lib, a_mint, data))
            ours = took["newt_fold"]
            slower += ours >= min(took.values()) and ours != min(took.values())
            print(f"{os.path.basename(document):20}{len(data):>10}"
                  + "".join(f"{t * 1e6:>10.0f} µs" for t in took.values())
                  + f"   {len(data) / ours / 1e9:.2f} {ours / took['simdjson']:6.0%} {ours / took['yyjson']:6.0%}")
    return 1 if slower else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
