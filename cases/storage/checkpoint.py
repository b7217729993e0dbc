"""Tensors of a checkpoint: those of a model of 7 billion parameters (Llama 2), scaled to a size.

    embedding, head         32000 x 4096        each of 32 layers: 4 of 4096 x 4096,
    3 norms, each           4096                3 of 4096 x 11008, 2 norms of 4096

Numbers have 2 bytes, 13.5 GB in all. Each tensor has the same share of the file as there, in whole
sectors. They lie in the order of their names, as safetensors files have them (layer 10 before layer
2), one behind the other. A load reads them in the order of the model, so that it jumps between
layers; a save writes them as they lie.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from watari.cases.storage.requests import Requests
from watari.common.errors import UsageError

WIDTH, INNER, WORDS, LAYERS, NUMBER = 4096, 11008, 32000, 32, 2
SECTOR = 512
LAYER = {
    "input_layernorm": WIDTH,
    "self_attn.q_proj": WIDTH * WIDTH,
    "self_attn.k_proj": WIDTH * WIDTH,
    "self_attn.v_proj": WIDTH * WIDTH,
    "self_attn.o_proj": WIDTH * WIDTH,
    "post_attention_layernorm": WIDTH,
    "mlp.gate_proj": WIDTH * INNER,
    "mlp.up_proj": WIDTH * INNER,
    "mlp.down_proj": WIDTH * INNER,
}


def tensors() -> dict[str, int]:
    """Bytes of each tensor, in the order of the model."""
    numbers = {"model.embed_tokens": WORDS * WIDTH}
    for layer in range(LAYERS):
        numbers |= {f"model.layers.{layer}.{name}": count for name, count in LAYER.items()}
    numbers |= {"model.norm": WIDTH, "lm_head": WORDS * WIDTH}
    return {name: NUMBER * count for name, count in numbers.items()}


def made(size: int) -> Requests:
    """Loads and saves of a file of `size` bytes at most. Raises UsageError if it is too small."""
    whole = tensors()
    least = len(whole) * SECTOR
    if size < 2 * least:
        raise UsageError(f"storage: pattern=checkpoint needs size={2 * least >> 10}KiB or more")
    scale = (size - least) / sum(whole.values())
    scaled = {
        name: max(SECTOR, int(count * scale) // SECTOR * SECTOR) for name, count in whole.items()
    }
    lying = sorted(scaled)
    ends = accumulate(scaled[name] for name in lying)
    starts = {name: end - scaled[name] for name, end in zip(lying, ends, strict=True)}
    order = [*scaled, *lying]  # a load, then a save
    return Requests(
        np.array([starts[name] for name in order], dtype=np.int64),
        np.array([scaled[name] for name in order], dtype=np.int64),
        np.arange(len(order)) >= len(scaled),
    )
