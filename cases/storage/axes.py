"""Values and defaults of the axes of case `storage`."""

from __future__ import annotations

from contextlib import suppress

from watari import objects
from watari.case import axis, ssd_model
from watari.case.axis import Machine, Parameters
from watari.case.engines import (
    GPU_ONLY,
    OBJECT_ENGINES,
    ONE_AT_A_TIME,
    QUEUED,
    disk_threads,
    folders_of,
    parse_folders,
    usual_depth,
)
from watari.case.modelled_store import depth_within
from watari.cases.storage import workload
from watari.cases.storage.own_data import own_data
from watari.common.errors import UsageError, WatariError
from watari.common.units import exact_size
from watari.machine.usable import usable_cores

CACHES = ("none", "cold", "warm")
DEEP = (
    "uring",
    "gpu",
    "s3",
)  # many requests in flight past the page cache, at little cost a thread
SECTOR, LARGEST = 512, 2**20


def parse_block(text: str) -> int:
    """Bytes of a block: a power of two from 512 bytes to 1 MiB. Raises UsageError."""
    block = axis.parse_size(text)
    if not SECTOR <= block <= LARGEST or block & (block - 1):
        raise UsageError(f"'{text}' is not a block: a power of two from 512 bytes to 1MiB")
    return block


def folders(parameters: Parameters) -> list[str]:
    """The folders of test files; none for objects."""
    return folders_of(str(parameters["folder"]))


def parse_file(text: str) -> str:
    """A path that `watari.open` takes, or none. Raises UsageError."""
    if not text.isprintable():  # nor bytes that are no UTF-8: no result could hold them
        raise UsageError(f"{text!r}: the name of a file must be printable, in UTF-8")
    require_no_password("file", text)
    if not text.startswith("s3://"):
        axis.expanded(text)
    return text


def default_engine(machine: Machine, parameters: Parameters) -> str:
    """The engine of objects for one, else `uring`."""
    return "s3" if parameters["file"].startswith("s3://") else "uring"


def default_size(machine: Machine, parameters: Parameters) -> int:
    """1 GiB; of a user's file all of its blocks. Results are read where the file is not, so that a
    missing one is refused by `require_files`, before a run."""
    with suppress(WatariError):
        if parameters["file"]:
            return own_data(parameters).size(int(parameters["block"]))
        if workload.file_of(parameters["pattern"]):
            unit = max(int(parameters["block"]), LARGEST)  # also of several files
            return -(-workload.load(parameters["pattern"], 0).end // unit) * unit
    return 2**30


def settle(given: Parameters) -> Parameters:
    """Engines without a queue have one request in flight a thread, in a sweep too: more requests in
    flight need more threads."""
    return {**given, "depth": 1} if given.get("engine") in ONE_AT_A_TIME else given


def default_processor(machine: Machine, parameters: Parameters) -> str:
    """`gpu` for engines that need a GPU's memory or threads, `cpu` for engine queue; the others use
    the GPU if there is one."""
    if parameters["engine"] in GPU_ONLY:
        return "gpu"
    has_gpu = any(p["kind"] == "gpu" for p in machine["processors"])
    return "gpu" if has_gpu and parameters["engine"] != "queue" else "cpu"


def default_depth(machine: Machine, parameters: Parameters) -> int:
    """Requests in flight of each thread."""
    engine, block = parameters["engine"], int(parameters["block"])
    disk = on_disk(parameters)
    if ssd_model.file_of(parameters["store"]):
        usual, threads = usual_depth(engine, block, disk), int(parameters["threads"])
        return depth_within(parameters["store"], parameters["direction"], usual, threads)
    staged = parameters["processor"] != "cpu"  # through memory that should stay in the CPU's cache
    usual = usual_depth(engine, block, disk)
    return min(usual, usual_depth("gpu", block, True)) if staged and disk else usual


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core. Threads that serve a GPU's queues poll without pause, so two cores stay free. A
    disk needs few threads if each has many requests in flight; the page cache needs more."""
    cores = usable_cores(machine)
    engine = parameters["engine"]
    most = max(cores - 2, 1) if engine == "gpu" else cores
    return min(most, disk_threads()) if on_disk(parameters) and engine in DEEP else most


def on_disk(parameters: Parameters) -> bool:
    """Whether every request goes to a disk."""
    return bool(parameters["store"] == "file" and parameters["cache"] == "none")


def default_cache(machine: Machine, parameters: Parameters) -> str:
    """`none`, past the page cache; `cold` for mmap, which needs it."""
    return "cold" if parameters["engine"] == "mmap" else "none"


def default_files(machine: Machine, parameters: Parameters) -> int:
    """One a folder."""
    return max(1, len(folders(parameters)))


def default_block(machine: Machine, parameters: Parameters) -> int:
    """4 KiB; of a workload the usual size of its requests, where its file is here."""
    if parameters["pattern"] not in workload.ORDERS:
        with suppress(WatariError):
            return workload.usual_block(parameters["pattern"])
    return 4096


def default_requests(machine: Machine, parameters: Parameters) -> int:
    """64 MiB, but no more than 16384 requests, and enough to keep each queue full most of the time.
    Engines of queues have 16 times as many in memory, but not on the model of a disk that was
    measured, which may be as slow as a disk."""
    store = parameters["store"]
    disk = store == "file" or store.endswith(".toml") or parameters["engine"] not in QUEUED
    most = min(2**26 // parameters["block"], 2**14) * (1 if disk else 16)
    if parameters["loop"] == "open" and workload.file_of(
        parameters["pattern"]
    ):  # once through the recording, which takes its time
        with suppress(WatariError):
            return min(int(most), len(workload.times(parameters)))
    return max(int(most), 8 * int(parameters["depth"]) * int(parameters["threads"]))


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError if the store is not made of whole blocks and stripes, if the `~` in its
    folder has no meaning, or if an open loop has no recorded times."""
    require_place(parameters)
    if parameters["loop"] == "open" and not workload.file_of(parameters["pattern"]):
        raise UsageError(
            f"storage: loop=open begins requests at the times of a trace, pattern=trace:FILE, not "
            f"pattern={parameters['pattern']}"
        )
    if parameters["file"]:
        require_own(parameters)
    elif parameters["store"] == "file":
        for folder in folders(parameters):
            axis.expanded(folder)
    many = len(folders(parameters))
    if many > 1 and parameters["files"] % many:
        raise UsageError(
            f"storage: files={parameters['files']}: each of {many} folders has as many files, "
            f"files={many} or a multiple"
        )
    size, files = parameters["size"], parameters["files"]
    unit = files * LARGEST if files > 1 else parameters["block"]
    if size % unit:
        near = exact_size(max(size // unit, 1) * unit)
        raise UsageError(
            f"storage: size={exact_size(size)} is not made of whole "
            f"{'MiB in each file' if files > 1 else 'blocks'}: it must be a multiple of "
            f"{exact_size(unit)}, such as size={near}"
        )


def parse_place(text: str) -> str:
    """Folders of test files, or an address of objects. Raises UsageError."""
    return text if text.isprintable() and text.startswith("s3://") else parse_folders(text)


def require_place(parameters: Parameters) -> None:
    """Raises UsageError if an engine of objects has a folder of files, or another one an address,
    or if the address has a password. It is kept in results, so that it must have none."""
    name = "file" if parameters["file"] else "folder"
    where, engine = parameters[name], parameters["engine"]
    address = where.startswith("s3://")
    require_no_password(name, where)
    if engine in OBJECT_ENGINES and not address:
        raise UsageError(f"storage: engine={engine} reads an object: {name}=s3://bucket/prefix")
    if engine not in OBJECT_ENGINES and address:
        raise UsageError(f"storage: engine={engine} opens files, not {where}")


def require_no_password(name: str, address: str) -> None:
    """Raises UsageError for an address of objects with a password, which results would keep."""
    bucket = address.removeprefix("s3://").partition("/")[0]
    if address.startswith("s3://") and set("@:") & set(bucket):
        raise UsageError(f"{name}=s3://bucket/prefix has no user, password or port")


def require_own(parameters: Parameters) -> None:
    """Raises UsageError for what a user's file cannot do: it is read, as it is."""
    for name, only in (("direction", "read"), ("files", 1), ("store", "file"), ("fault", "none")):
        if parameters[name] != only:
            raise UsageError(
                f"storage: {name}={parameters[name]}: file={parameters['file']} is only read, as "
                f"it is: {name}={only}"
            )


def require_files(parameters: Parameters) -> None:
    """Before a run: raises FileError for a user's file, a trace or a model of an SSD that is
    missing or damaged, and for a bucket that is missing or denied; UsageError for a file with fewer
    blocks than are asked for, a trace beyond the store, and requests outside the rows of a
    model."""
    if path := ssd_model.file_of(parameters["store"]):
        ssd_model.require_reach(
            ssd_model.load(path),
            path,
            parameters["direction"],
            parameters["block"],
            parameters["depth"] * parameters["threads"],
            parameters["files"],
        )
    if parameters["pattern"] not in workload.ORDERS:
        workload.blocks(parameters)
    folder = parameters["folder"]
    if objects.is_address(folder) and not objects.absent_reason():
        objects.require_bucket(f"{folder.rstrip('/')}/watari")
    if parameters["loop"] == "open":
        workload.times(parameters)
    if not parameters["file"]:
        return
    most = own_data(parameters).size(int(parameters["block"]))
    if parameters["size"] > most:
        raise UsageError(
            f"storage: size={exact_size(parameters['size'])}: file={parameters['file']} has blocks "
            f"of {exact_size(most)} in all"
        )


def bytes_per_sample(parameters: Parameters) -> int:
    """Each request moves one block."""
    return int(parameters["requests"]) * int(parameters["block"])
