"""Pages of an inference server's KV cache: conversations whose earlier turns are loaded again.

A page has keys and values of 16 tokens in one layer. With 8 heads of 128 numbers of 2 bytes, as
models of 8 billion parameters have (Llama 3, 32 layers), that is

    2 x 16 x 8 x 128 x 2 bytes = 64 KiB a page, 32 pages = 2 MiB a chunk of 16 tokens

A chunk's pages lie side by side, by layer. A turn of a conversation loads the pages of all its
chunks, layer by layer, since the first layer can begin when its pages are there. Then it appends
chunks and stores their pages. Conversations share a few long prompts. A turn is of a new
conversation, or of an old one, the more probable the more recent. If the store is full, the
conversation whose turn was longest ago goes, and its chunks are used again; prompts stay.
"""

from __future__ import annotations

import numpy as np

from watari.cases.storage.requests import Requests
from watari.common.errors import UsageError

LAYERS, HEADS, HEAD, TOKENS, NUMBER = 32, 8, 128, 16, 2
PAGE = 2 * TOKENS * HEADS * HEAD * NUMBER  # bytes
CHUNK = LAYERS * PAGE
SEED = 2025  # the same requests each time, so that engines can be compared
PROMPTS, NEW, RECENT, APPENDED = 4, 0.3, 0.3, 3  # NEW: share of turns; APPENDED: chunks, the mean
PASSES, MOST = 4, 2**20  # pages loaded: of each chunk so many times, at most


def made(size: int) -> Requests:
    """Requests on a store of `size` bytes. Raises UsageError if it has no four chunks."""
    chunks = size // CHUNK
    if chunks < 4:
        raise UsageError(f"storage: pattern=kv-cache needs size={4 * CHUNK >> 20}MiB or more")
    random = np.random.default_rng(SEED)
    prompts = np.array_split(np.arange(max(PROMPTS, chunks // 16) // PROMPTS * PROMPTS), PROMPTS)
    free = list(range(sum(map(len, prompts)), chunks))[::-1] or [chunks - 1]
    longest = max(1, len(free) // 2)
    talks: list[list[int]] = []  # chunks of each, the most recent turn last
    shared: list[int] = []
    parts, writes = [], []
    loaded = 0
    while loaded < min(PASSES * chunks * LAYERS, MOST):
        if not talks or random.random() < NEW:
            talk, prompt = [], int(random.integers(PROMPTS))
        else:
            at = len(talks) - 1 - min(int(random.geometric(RECENT)) - 1, len(talks) - 1)
            talk, prompt = talks.pop(at), shared.pop(at)
        reads = pages([*prompts[prompt], *talk])
        more = min(int(random.geometric(1 / APPENDED)), max(longest - len(talk), 0))
        while len(free) < more and talks:
            free += talks.pop(0)
            shared.pop(0)
        new = [free.pop() for _ in range(min(more, len(free)))]
        stored = pages(new)
        parts += [reads, stored]
        writes += [np.zeros(len(reads), np.bool_), np.ones(len(stored), np.bool_)]
        loaded += len(reads)
        talks.append(talk + new)
        shared.append(prompt)
    offset = np.concatenate(parts)
    return Requests(offset, np.full(len(offset), PAGE, np.int64), np.concatenate(writes))


def pages(chunks: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Offsets of the pages of these chunks, layer by layer."""
    at = np.array(chunks, dtype=np.int64) * CHUNK
    return (np.arange(LAYERS, dtype=np.int64)[:, None] * PAGE + at[None, :]).reshape(-1)
