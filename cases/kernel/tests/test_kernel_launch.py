"""What the driver gets from a launch: the packed arguments, the shape, the layout it compares.

The program `launched` loads and launches by libwatari; the driver is the one without a GPU, whose
saxpy and gather read their arguments as the compiled kernels do.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import builds
import numpy
import pytest
import tried
from kernel_sources import example
from launching import HANGS

from watari.cases.kernel import arguments
from watari.cases.kernel.declaration import Declaration

RNG = numpy.random.default_rng(2)
N = 1000


class Launched:
    """The program, between its questions."""

    def __init__(self, folder: Path, name: str, arrays: list[numpy.ndarray]) -> None:
        builds.built("tests/attach/launches/launched")
        (folder / "image").write_bytes(b"an image that this driver does not read")
        self.counts = folder / "counts"
        self.program = subprocess.Popen(
            [str(tried.built() / "launches" / "launched"), str(folder / "image"), name],
            env=tried.driver(counts=self.counts),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.program.stdin
        assert self.program.stdout
        self.program.stdin.write(f"{len(arrays)}\n")
        for array in arrays:
            self.program.stdin.write(f"{array.tobytes().hex()}\n")
        self.program.stdin.flush()
        numbers = [int(word) for word in self.program.stdout.readline().split()]
        self.parameters = list(zip(numbers[::2], numbers[1::2], strict=True))
        self.addresses = [int(word) for word in self.program.stdout.readline().split()]

    def launch(self, shape: tuple[int, int], data: bytes, offsets: list[int]) -> list[bytes]:
        """The bytes of each array after the launch."""
        words = [*map(str, shape), data.hex(), *map(str, offsets)]
        out, _ = self.program.communicate(" ".join(words) + "\n", timeout=HANGS)
        assert self.program.returncode == 0
        return [bytes.fromhex(line) for line in out.split()]


def launch(
    folder: Path, made: Declaration, arrays: dict[str, numpy.ndarray], shape: tuple[int, int]
) -> dict[str, numpy.ndarray]:
    program = Launched(folder, made.name, list(arrays.values()))
    arguments.require_layout(made, program.parameters)
    addresses = dict(zip(arrays, program.addresses, strict=True))
    packed = arguments.packed(made, N, addresses)
    found = program.launch(shape, packed.bytes, packed.offsets)
    (counts,) = map(json.loads, program.counts.read_text().splitlines())
    assert counts["launches"] == 1
    return {
        name: numpy.frombuffer(data, array.dtype)
        for (name, array), data in zip(arrays.items(), found, strict=True)
    }


def saxpy() -> dict[str, numpy.ndarray]:
    return {name: RNG.random(N, dtype=numpy.float32) for name in "xy"}


def test_the_driver_gets_numbers_and_addresses_as_they_were_packed(tmp_path: Path) -> None:
    _, made = example("saxpy")
    arrays = saxpy()
    found = launch(tmp_path, made, arrays, (made.grid.of(N), made.block))
    numpy.testing.assert_array_equal(found["x"], arrays["x"])
    numpy.testing.assert_array_max_ulp(found["y"], numpy.float32(0.5) * arrays["x"] + arrays["y"])


def test_the_driver_gets_the_blocks_and_threads(tmp_path: Path) -> None:
    _, made = example("saxpy")
    arrays = saxpy()
    found = launch(tmp_path, made, arrays, (3, 32))
    numpy.testing.assert_array_equal(found["y"][96:], arrays["y"][96:])
    assert (found["y"][:96] != arrays["y"][:96]).all()


def test_each_array_is_where_its_parameter_says(tmp_path: Path) -> None:
    _, made = example("gather")
    index = RNG.permutation(N).astype(numpy.uint32)
    arrays = {"index": index, "a": RNG.random(N, dtype=numpy.float32)}
    arrays["b"] = numpy.zeros(N, numpy.float32)
    found = launch(tmp_path, made, arrays, (made.grid.of(N), made.block))
    numpy.testing.assert_array_equal(found["b"], arrays["a"][index])


def test_a_kernel_that_the_driver_lacks_is_an_error(tmp_path: Path) -> None:
    builds.built("tests/attach/launches/launched")
    (tmp_path / "image").write_bytes(b"image")
    ended = subprocess.run(
        [str(tried.built() / "launches" / "launched"), str(tmp_path / "image"), "absent"],
        env=tried.driver(),
        input="0\n",
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert ended.returncode != 0
    assert "cuModuleGetFunction(absent)" in ended.stderr


@pytest.mark.parametrize("name", ["saxpy", "gather"])
def test_the_driver_without_a_gpu_lays_parameters_out_as_the_compiler(
    name: str, tmp_path: Path
) -> None:
    _, made = example(name)
    program = Launched(tmp_path, name, [])
    program.program.kill()
    program.program.communicate()
    assert program.parameters == arguments.layout(made)
