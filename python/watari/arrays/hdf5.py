"""Contiguous datasets of HDF5 files: h5py reads the metadata."""

from __future__ import annotations

import io
from typing import Any

from watari.arrays.layout import Layout, in_one_piece, require_bytes
from watari.arrays.named import MOST, chosen, library
from watari.arrays.source import LocalFile, Source, Stream
from watari.common.errors import FileError


def layout(path: str, source: Source, name: str | None) -> Layout:
    """Where a dataset lies. Raises FileError, UnsupportedError (no h5py)."""
    h5py = library("h5py", path)
    try:
        with h5py.File(path if isinstance(source, LocalFile) else stream(source), "r") as file:
            if name is None or name not in file:
                name = chosen(path, name, datasets(h5py, file), "dataset")
            dataset = file[name]
            require_here(h5py, f"{path}::{name}", file, dataset)
            return of_dataset(h5py, path, source, dataset)
    except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:
        text = " ".join(str(error).split())
        raise FileError(f"{path}: cannot be read as HDF5: {text}") from None


def require_here(h5py: Any, label: str, file: Any, one: Any) -> None:
    """Raises FileError for a link to another file: the bytes of this one are not its elements."""
    if h5py.h5o.get_info(one.id).fileno != h5py.h5o.get_info(file.id).fileno:
        raise FileError(
            f"{label}: is a link to another file: open that one, {one.file.filename}::{one.name}"
        )


def stream(source: Source) -> io.BufferedReader:
    """A file for h5py."""
    return io.BufferedReader(Stream(source), 2**20)


def datasets(h5py: Any, file: Any) -> list[str]:
    """Names of the datasets of a file, the first MOST."""
    names: list[str] = []

    def visit(name: str, one: Any) -> bool | None:
        if isinstance(one, h5py.Dataset):
            names.append(name)
        return True if len(names) == MOST else None

    file.visititems(visit)
    return names


def of_dataset(h5py: Any, path: str, source: Source, dataset: Any) -> Layout:
    """The layout of a dataset. Raises FileError where its bytes are not the elements in a row."""
    label = f"{path}::{dataset.name.lstrip('/') or '/'}"
    if not isinstance(dataset, h5py.Dataset):
        raise FileError(f"{label}: is a group, not a dataset")
    if dataset.shape is None:
        raise FileError(f"{label}: has no elements (a null dataset)")
    require_contiguous(h5py, label, dataset)
    require_plain(h5py, label, dataset)
    offset = dataset.id.get_offset()
    if offset is None and dataset.size:
        raise FileError(f"{label}: nothing was written to it yet, so the file has no bytes of it")
    found = in_one_piece(label, dataset.shape, dataset.dtype, offset or 0, path)
    require_bytes(found, source.size if dataset.size else found.offset)
    return found


def require_contiguous(h5py: Any, label: str, dataset: Any) -> None:
    """Raises FileError, with the storage and its filters, unless the dataset is one run of
    bytes."""
    made = dataset.id.get_create_plist()
    filters = [made.get_filter(i) for i in range(made.get_nfilters())]
    names = ", ".join(
        dataset.compression or "" if not each[3] else each[3].decode(errors="replace")
        for each in filters
    )
    advice = "copy it to a contiguous dataset (h5repack -l CONTI)"
    if made.get_layout() == h5py.h5d.CHUNKED:
        kind = f"by the filter {names}" if filters else "without a filter"
        raise FileError(f"{label}: is stored in chunks {kind}, not contiguous: {advice}")
    if made.get_layout() != h5py.h5d.CONTIGUOUS:
        kinds = {h5py.h5d.COMPACT: "in the header (compact)", h5py.h5d.VIRTUAL: "in other datasets"}
        kind = kinds.get(made.get_layout(), "in another way")
        raise FileError(f"{label}: is stored {kind}, not contiguous: {advice}")
    if made.get_external_count():
        raise FileError(f"{label}: is stored in other files (external): {advice}")


def require_plain(h5py: Any, label: str, dataset: Any) -> None:
    """Raises FileError where the elements of the file are not those of NumPy's type."""
    if dataset.dtype.hasobject:
        raise FileError(f"{label}: elements have no fixed bytes ({dataset.dtype}: text, lists)")
    stored = dataset.id.get_type()
    if stored.get_size() != dataset.dtype.itemsize or not stored.equal(
        h5py.h5t.py_create(dataset.dtype, logical=True)
    ):
        raise FileError(f"{label}: elements are stored otherwise than NumPy's {dataset.dtype}")
