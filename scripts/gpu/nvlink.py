#!/usr/bin/env python3
"""Links device code as CUDA's nvlink does, by libnvJitLink beside it (lib/ of the folder above).

Clang calls it as bin/nvlink of --cuda-path: nvlink -o FILE -arch sm_90 ... OBJECT ... The runtime
library of LLVM 19 does not read the header of CUDA 13's images (ELF ABI 8: the GPU's number is in
other bits of the flags), and no package of PyPI has the nvlink of CUDA 12.
"""

import ctypes
import sys
from pathlib import Path

VALUES = ("-o", "-arch", "-L", "-l")  # options with a value
OBJECT = 1  # NVJITLINK_INPUT_CUBIN


def parsed(given: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options with a value, and the objects."""
    options: dict[str, str] = {}
    objects: list[str] = []
    words = iter(given)
    for word in words:
        if word in VALUES:
            options[word] = next(words)
        elif not word.startswith("-"):
            objects.append(word)
    return options, objects


def main() -> None:
    options, objects = parsed(sys.argv[1:])
    library = ctypes.CDLL(str(Path(__file__).parents[1] / "lib" / "libnvJitLink.so.12"))

    def call(name: str, *arguments: object) -> None:
        if code := getattr(library, f"__nvJitLink{name}_12_0")(*arguments):
            sys.exit(f"nvlink: {name} failed ({code})")

    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    flags = (ctypes.c_char_p * 1)(f"-arch={options['-arch']}".encode())
    call("Create", ctypes.byref(handle), 1, flags)
    for name in objects:
        call("AddFile", handle, OBJECT, name.encode())
    call("Complete", handle)
    call("GetLinkedCubinSize", handle, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    call("GetLinkedCubin", handle, image)
    Path(options["-o"]).write_bytes(image.raw)


main()
