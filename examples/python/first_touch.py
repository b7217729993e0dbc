"""First touch: memory of every kind as a NumPy array, and the place of its pages.

python examples/python/first_touch.py
"""

import numpy

import watari

for kind in ("pageable", "pinned", "device", "managed", "system"):
    try:
        with watari.Buffer(kind, shape=(1024, 1024), dtype="float64") as buffer:
            if kind == "device":
                buffer.fill("gpu")
            else:
                numpy.asarray(buffer)[:] = 1.0  # first touched by the CPU; no copy
            seen = buffer.residency()
            print(f"{kind:9} {seen['cpu']} bytes on the CPU, {seen['gpu']} on the GPU")
    except NotImplementedError as reason:  # this machine has no such memory
        print(f"{kind:9} unsupported: {reason}")
