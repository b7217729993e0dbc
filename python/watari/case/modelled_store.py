"""Modelled SSDs as the store of a case: `store=modelled:NAME` of a data sheet, or
`modelled:FILE.toml` by `watari model-ssd`. The data lie in memory, and each request takes the time
of an SSD, by engines of queues and of files (src/watari/storage/stores/modelled_store.hpp).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from watari.case import axis, ssd_model
from watari.case.axis import Parameters
from watari.case.engines import MODELLED
from watari.case.ssd_model import SsdModel
from watari.common.errors import UsageError, WatariError

STORES = ("file", "ram", *MODELLED)
MOST_SSDS = 64


def parse_store(text: str) -> str:
    """A word of STORES, or `modelled:FILE.toml`. Raises UsageError."""
    path = ssd_model.file_of(text)
    if path is None:
        return str(axis.one_of(*STORES)(text))
    if not path.isprintable():
        raise UsageError(f"{text!r}: the name of a file must be printable, in UTF-8")
    axis.expanded(path)
    return text


def is_modelled(store: str) -> bool:
    """Whether the store is one of modelled SSDs."""
    return store.startswith(ssd_model.MODELLED)


def model_of(store: str) -> SsdModel | None:
    """The model of a store's file; None for other stores and data sheets. Raises FileError."""
    path = ssd_model.file_of(store)
    return ssd_model.load(path) if path else None


def native(store: str) -> dict[str, Any]:
    """The rows of the model as the library takes them; nothing without a file. Raises FileError."""
    model = model_of(store)
    return {"ssd": model.numbers()} if model else {}


def tell(trial: dict[str, Any], store: str, at_row: bool = False) -> None:
    """Adds the error of the model to a trial: at a row of the model, or between rows."""
    if model := model_of(store):
        trial["quantities"] |= ssd_model.quantities(model, at_row)
        trial["notes"].append(ssd_model.note(model, at_row))


def depth_within(store: str, direction: str, usual: int, threads: int) -> int:
    """The requests in flight of each thread: `usual`, but no more than a model's rows had."""
    with suppress(WatariError):
        if model := model_of(store):
            most = model.reach(direction)[1].stop - 1
            return max(1, min(usual, most // threads))
    return usual


def require_reach(parameters: Parameters, direction: str, block: int) -> None:
    """Raises FileError for a damaged model, UsageError for requests outside its rows. A longer
    request becomes several at the disk."""
    path = ssd_model.file_of(parameters["store"])
    if path is None:
        return
    model = ssd_model.load(path)
    blocks, _ = model.reach(direction)
    largest = max(1, blocks.stop - 1)
    each, pieces = min(block, largest), -(-block // largest)
    in_flight = int(parameters["depth"]) * int(parameters["threads"]) * pieces
    ssd_model.require_reach(model, path, direction, each, in_flight, int(parameters["files"]))


def require_ssds(case: str, parameters: Parameters) -> None:
    """Raises UsageError for a number of SSDs where none is modelled."""
    if parameters["files"] != 1 and not is_modelled(parameters["store"]):
        raise UsageError(
            f"{case}: files={parameters['files']} is a number of modelled SSDs, "
            f"store=modelled:NAME; files on disks: folder=A:B"
        )
