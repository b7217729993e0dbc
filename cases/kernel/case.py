"""Case kernel: a kernel of one's own, in one file, over every kind of memory.

README.md says what the file declares. The axes `kernel` and `declares` follow from it.
"""

from __future__ import annotations

import re

from watari.case.axes import (
    HINT,
    KINDS,
    OVERSUBSCRIBE,
    SIZE,
    THREADS,
    gpus,
    samples,
    table,
    words,
)
from watari.case.axis import Axis, Machine, Parameters, numbered, one_of
from watari.case.case import Case
from watari.cases.kernel import check, compiler, declaration, files, source, trial
from watari.cases.kernel.profile import elements, extra_seconds, profile
from watari.common.errors import UsageError

USUAL = "add.cu"


def parse_name(text: str) -> str:
    """The name of a kernel. Raises UsageError."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise UsageError(f"'{text}' is not the name of a kernel")
    return text


def parse_declaration(text: str) -> str:
    """The text of a declaration, as a run writes it. Raises UsageError."""
    if declaration.parse(text).text() != text:
        raise UsageError(f"'{text[:80]}' is not as a source declares it; leave it out")
    return text


def only_kernel(p: Parameters) -> str:
    """The kernel of a source that has one. Raises UsageError."""
    found = source.names(p["source"])
    if len(found) > 1:
        name = files.name_of(p["source"])
        raise UsageError(f"kernel: {name} has several kernels: write kernel={','.join(found)}")
    return found[0]


def declared(machine: Machine, p: Parameters) -> str:
    """The declaration of the kernel, whose source compiles. Raises UsageError."""
    number, here = trial.number_of(p["processor"]), gpus(machine)
    capability = here[number]["compute_capability"] if number < len(here) else ""
    text = source.of(p["source"], p["kernel"]).text()
    compiler.require_compiles(p["source"], capability)
    return text


def settle(given: Parameters) -> Parameters:
    """Refuses a declaration without its source. Raises UsageError."""
    if "declares" in given and "source" not in given:
        raise UsageError("kernel: the source declares; write source=FILE.cu")
    return dict(given)


def require_elements(p: Parameters) -> None:
    """Raises UsageError if an array has no element, or the grid has too many blocks."""
    made, n = declaration.parse(p["declares"]), elements(p)
    if n < 1:
        raise UsageError(
            f"kernel: size={p['size']} holds no element of {made.element} bytes of {made.name}"
        )
    if made.grid.of(n) > declaration.MOST_BLOCKS:
        raise UsageError(
            f"kernel: {n} elements are {made.grid.of(n)} blocks by {made.grid.text()}, more than "
            f"{declaration.MOST_BLOCKS}"
        )


def labels(p: Parameters) -> dict[str, str]:
    """Leaves out what the source declares, and a usual first touch."""
    usual = {"inputs": "cpu", "outputs": usual_outputs(p)}
    hidden = {name: "" for name, value in usual.items() if p[name] == value}
    name = files.name_of(p["source"])
    verdict = "" if p["check"] == check.NONE else check.named(p["check"])
    return {"source": name, "declares": "", "check": verdict} | hidden


def usual_outputs(p: Parameters) -> str:
    """The GPU for its own memory, else the CPU, as in case access."""
    return "gpu" if p["memory"] == "device" else "cpu"


CASES = (
    Case(
        "kernel",
        "a kernel of your own, from one file: what each kind of memory costs it",
        "{processor} {kernel} {memory} {size}",
        table(
            Axis(
                "source",
                "file of the kernel in CUDA C++; comments above it say what it reads and writes",
                files.value_of,
                lambda m, p: files.value_of(str(files.HERE / USUAL)),
                f"{USUAL}, which comes with Watari",
            ),
            Axis(
                "kernel",
                "kernel of the source",
                parse_name,
                lambda m, p: only_kernel(p),
                "the only one",
            ),
            Axis(
                "processor",
                "GPU that executes: gpu, gpu:1; a cpu does not run CUDA C++",
                numbered("cpu", "gpu"),
                lambda m, p: "gpu",
                "gpu",
                ("cpu", "gpu"),
            ),
            Axis(
                "declares",
                "what the source declares; set by the source",
                parse_declaration,
                declared,
                "by the source",
            ),
            words("memory", "kind of memory of all arrays", "device", *KINDS),
            HINT,
            words(
                "inputs", "processor that first touches arrays that are read", "cpu", "cpu", "gpu"
            ),
            Axis(
                "outputs",
                "processor that first touches arrays that are only written",
                one_of("cpu", "gpu"),
                lambda m, p: usual_outputs(p),
                "cpu, for device memory gpu",
                ("cpu", "gpu"),
            ),
            SIZE,
            Axis(
                "check",
                "FILE.py:function that says what a launch must write",
                check.parse,
                lambda m, p: check.NONE,
                check.NONE,
            ),
            samples(50, "launches, one after the other"),
            THREADS,
            OVERSUBSCRIBE,
        ),
        trial.run,
        profile,
        settle=settle,
        require_sense=require_elements,
        extra_seconds=extra_seconds,
        labels=labels,
        outside={"transfer_in": "bring", "prefetch": "bring"},
        example="source=saxpy.cu memory=device,managed,pinned size=1GiB",
        also={"cuda": "", "nvrtc": "", "nvbench": ""},
        presentation="watari.cases.kernel.words",
    ),
)
