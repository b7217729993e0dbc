"""Which GPUs of a machine a program can see: CUDA_VISIBLE_DEVICES names them, by number or UUID."""

from __future__ import annotations

from collections.abc import Sequence


def visible(uuids: Sequence[str], words: str | None) -> list[int]:
    """Numbers of the GPUs that CUDA_VISIBLE_DEVICES (`words`) leaves, of all GPUs in the order of
    the PCI bus, as CUDA numbers equal ones. Both stop at the first unknown word."""
    if words is None:
        return list(range(len(uuids)))
    numbers: list[int] = []
    for word in (part.strip() for part in words.split(",")):
        if word.isdecimal() and int(word) < len(uuids):
            numbers.append(int(word))
            continue
        is_uuid = word.startswith("GPU-")
        meant = [n for n, uuid in enumerate(uuids) if is_uuid and uuid.startswith(word)]
        if len(meant) != 1:
            break
        numbers += meant
    return list(dict.fromkeys(numbers))
