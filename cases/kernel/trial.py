"""One trial of a kernel: arrays of one kind of memory, first touches, samples, residency, check."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from watari import _native as native
from watari.case.axis import Parameters
from watari.cases.kernel import check, compiler, files, source
from watari.cases.kernel.arguments import packed, require_layout
from watari.cases.kernel.declaration import ASCENDING, RANDOM, Array, Declaration
from watari.common.errors import UnsupportedError, UsageError

if TYPE_CHECKING:
    from watari._native import Buffer, LoadedKernel

FEW = 1025  # elements of the launch that loads the code before the first sample; odd: has a tail
POISON = 2  # seed of arrays that are only written
UNVERIFIED = "not verified: no check=FILE.py:function was given"
Buffers = dict[str, "Buffer"]


def role(array: Array) -> str:
    """The axis that says who first touches it: `inputs` are read, `outputs` only written."""
    return "inputs" if array.is_read else "outputs"


def number_of(gpu: str) -> int:
    """1 of `gpu:1`."""
    return int(gpu.partition(":")[2] or 0)


def require_touchers(p: Parameters) -> None:
    """Raises UnsupportedError if a processor cannot touch the memory first, except that inputs of
    the CPU are copied to device memory."""
    memory, beside = p["memory"], "gpu" if p["memory"] == "device" else "cpu"
    for name in ("inputs", "outputs"):
        stays = memory in ("device", "pinned", "pageable")
        copied = (memory, name) == ("device", "inputs")
        if stays and p[name] != beside and not copied:
            raise UnsupportedError(
                f"{name}={p[name]}: {memory} memory stays in one place: the other processor cannot "
                "touch it first"
            )


def require_declared(p: Parameters) -> Declaration:
    """The declaration in the source. Raises UsageError if it is not the one of the parameters."""
    made = source.of(p["source"], p["kernel"])
    if made.text() != p["declares"]:
        name = files.name_of(p["source"])
        raise UsageError(f"{name} declares '{made.text()}', not '{p['declares']}'")
    return made


def load(p: Parameters, declared: Declaration) -> tuple[LoadedKernel, str]:
    """The compiled kernel on its GPU, and a note on how it was compiled."""
    capability = native.gpus()["gpus"][number_of(p["processor"])]["compute_capability"]
    compile_by = compiler.nvrtc()
    wanted = compiler.target(capability, compile_by.architectures, compile_by.version)
    image = compiler.compiled(p["source"], wanted)
    kernel = native.LoadedKernel(p["processor"], image, declared.name)
    require_layout(declared, kernel.parameters)
    return kernel, wanted.note


def fill(buffer: Buffer, array: Array, by: str, n: int) -> None:
    """Writes the values of an array. Whole numbers drawn at random are below n, so that they can
    be indices."""
    kind, limit = array.type, min(n, array.type.most + 1)
    if array.fill == RANDOM:
        rule = "below" if kind.is_integer else "fraction"
        seed = 1 if array.is_read else POISON
        buffer.fill_values(by, kind.filled_as, rule, limit=limit, seed=seed)
    elif array.fill == ASCENDING:
        buffer.fill_values(by, kind.filled_as, "ascending", limit=limit)
    else:
        buffer.fill_values(by, kind.filled_as, "constant", constant=float(array.fill))


def shape(declared: Declaration, n: int) -> tuple[int, int]:
    """Blocks, and threads of a block."""
    return declared.grid.of(n), declared.block


def arguments(declared: Declaration, n: int, buffers: Buffers) -> tuple[bytes, list[int]]:
    """The packed arguments of a launch on these arrays, and their offsets."""
    all_of = packed(declared, n, {name: buffer.address for name, buffer in buffers.items()})
    return all_of.bytes, all_of.offsets


def warm_up(kernel: LoadedKernel, declared: Declaration, gpu: str) -> None:
    """Launches the kernel and the fills once on few elements, so that no sample loads code."""
    few: Buffers = {}
    for array in declared.arrays:
        few[array.name] = native.Buffer("device", FEW * array.type.bytes, number_of(gpu))
        fill(few[array.name], array, gpu, FEW)
        fill(native.Buffer("pageable", FEW * array.type.bytes), array, "cpu", FEW)
    kernel.launch(shape(declared, FEW), *arguments(declared, FEW, few))


def allocate(p: Parameters, declared: Declaration, n: int) -> Buffers:
    """All arrays, whose pages nobody has touched. Raises BeyondMemoryError before any is made."""
    kind, gpu, lift = p["memory"], number_of(p["processor"]), p["oversubscribe"]
    sizes = {array.name: n * array.type.bytes for array in declared.arrays}
    staged = [n * a.type.bytes for a in declared.arrays if is_staged(p, a)]
    rooms = [(kind, size, gpu) for size in sizes.values()]
    native.require_room(rooms + ([("pinned", max(staged), gpu)] if staged else []), lift)
    return {name: native.Buffer(kind, size, gpu, lift) for name, size in sizes.items()}


def is_staged(p: Parameters, array: Array) -> bool:
    """Whether the CPU makes the values, and a copy brings them to device memory."""
    return bool(p["memory"] == "device" and p[role(array)] == "cpu")


def touch(p: Parameters, declared: Declaration, n: int, buffers: Buffers) -> float:
    """Writes every array by the processor that touches it first. Returns the seconds of copies to
    device memory."""
    copied = 0.0
    for array in declared.arrays:
        buffer, by = buffers[array.name], p[role(array)]
        if not is_staged(p, array):
            fill(buffer, array, p["processor"] if by == "gpu" else by, n)
            continue
        made = native.Buffer("pinned", buffer.size)
        fill(made, array, "cpu", n)
        start = time.monotonic()
        buffer.take(made)
        copied += time.monotonic() - start
    return copied


def advise(p: Parameters, declared: Declaration, buffers: Buffers) -> None:
    """Gives the hint. `read-mostly` is for arrays that are only read."""
    for array in declared.arrays:
        if p["hint"] != "read-mostly" or not array.is_written:
            buffers[array.name].advise(p["hint"], p["processor"])


def prefetch(p: Parameters, buffers: Buffers) -> float:
    """Moves all arrays to the GPU, and returns the seconds."""
    start = time.monotonic()
    for buffer in buffers.values():
        buffer.prefetch(p["processor"])
    return time.monotonic() - start


def residency(p: Parameters, buffers: Buffers) -> dict[str, Any]:
    """Where the pages of each array are."""
    return {name: buffer.residency(p["hint"] != "mapped") for name, buffer in buffers.items()}


def run(p: Parameters) -> dict[str, Any]:
    """One trial. Raises UnsupportedError without a GPU, without NVRTC or without this memory."""
    if p["processor"] == "cpu":
        raise UnsupportedError("processor=cpu: a kernel in CUDA C++ runs on a GPU")
    native.require_access(p["memory"], p["processor"])
    require_touchers(p)
    declared = require_declared(p)
    kernel, note = load(p, declared)
    threads, pinned = native.use_threads(p["threads"])
    warm_up(kernel, declared, p["processor"])
    n = int(p["size"]) // declared.element
    buffers = allocate(p, declared, n)
    advise(p, declared, buffers)
    copied = touch(p, declared, n, buffers)
    before = residency(p, buffers)
    fetched = prefetch(p, buffers) if p["hint"] == "prefetch" else 0.0
    packed_arguments = arguments(declared, n, buffers)
    trial = kernel.sample(shape(declared, n), *packed_arguments, p["samples"])
    trial["residency_before"], trial["residency_after"] = before, residency(p, buffers)
    trial["bytes_per_sample"] = n * (declared.read + declared.written)
    trial["flops_per_sample"] = n * declared.flops
    seconds = {"transfer_in": copied, "prefetch": fetched}
    trial["quantities"] |= {k: {"value": s, "unit": "s"} for k, s in seconds.items() if s}
    team = {"threads": float(threads), "threads_pinned": float(pinned)}
    trial["quantities"] |= {name: {"value": value, "unit": "1"} for name, value in team.items()}
    trial["notes"] += [text for text in (note,) if text]
    del trial["wrong_elements"]
    return verified(trial, p, declared, n, buffers, kernel)


def verified(
    trial: dict[str, Any],
    p: Parameters,
    declared: Declaration,
    n: int,
    buffers: Buffers,
    kernel: LoadedKernel,
) -> dict[str, Any]:
    """The trial with the verdict of the user's function on what the samples wrote. A kernel that
    changes its inputs is launched once more, on fresh values."""
    if p["check"] == check.NONE:
        trial["verified"] = None
        trial["notes"] += [UNVERIFIED]
        return trial
    inputs: dict[str, Any] = {}
    if declared.in_place:
        touch(p, declared, n, buffers)
        inputs = {
            a.name: check.copy_of(buffers[a.name], a)
            for a in declared.arrays
            if a.is_read and a.is_written
        }
        kernel.launch(shape(declared, n), *arguments(declared, n, buffers))
    found = {array.name: check.values_of(buffers[array.name], array) for array in declared.arrays}
    error = check.verdict(p["check"], declared, n, {**found, **inputs}, found)
    trial["verified"] = not error
    if error:
        trial |= {"status": "wrong", "error": error}
    return trial
