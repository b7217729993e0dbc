"""The user's function: what it gets, what it may return, and the verdict."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
from kernel_sources import EXAMPLES, example

from watari.cases.kernel import check
from watari.cases.kernel.declaration import Declaration
from watari.common.errors import UsageError

N = 1000
RNG = numpy.random.default_rng(1)


def checks(name: str) -> str:
    return check.parse(f"{EXAMPLES / 'checks.py'}:{name}")


def written(folder: Path, text: str, name: str = "f") -> str:
    (folder / "mine.py").write_text(text)
    return check.parse(f"{folder / 'mine.py'}:{name}")


def saxpy() -> tuple[Declaration, dict[str, numpy.ndarray], dict[str, numpy.ndarray]]:
    """The example, its inputs, and its result as a GPU computes it: by one rounding."""
    x, y = (RNG.random(N, dtype=numpy.float32) for _ in range(2))
    result = (0.5 * x.astype(float) + y).astype(numpy.float32)
    return example("saxpy")[1], {"x": x, "y": y}, {"x": x, "y": result}


def test_a_right_result_within_its_tolerance() -> None:
    made, inputs, found = saxpy()
    assert check.verdict(checks("saxpy"), made, N, inputs, found) == ""


def test_a_planted_error_is_found_and_named() -> None:
    made, inputs, found = saxpy()
    found["y"][[7, 500]] += 1e-3
    said = check.verdict(checks("saxpy"), made, N, inputs, found)
    assert said.startswith(f"y: 2 of {N} values are wrong; the first is element 7: ")


def test_without_a_tolerance_the_bits_must_be_equal() -> None:
    _, made = example("gather")
    index, a = RNG.integers(0, N, N, dtype=numpy.uint32), RNG.random(N, dtype=numpy.float32)
    found = {"index": index, "a": a, "b": a[index]}
    assert check.verdict(checks("gather"), made, N, found, found) == ""
    found["b"] = found["b"].copy()
    found["b"][3] = numpy.nextafter(found["b"][3], 1, dtype=numpy.float32)
    assert "b: 1 of 1000" in check.verdict(checks("gather"), made, N, found, found)


def test_a_function_may_compare_by_itself() -> None:
    _, made = example("stencil")
    a = RNG.random(N)
    b = a.copy()
    b[1:-1] = a[:-2] - 2 * a[1:-1] + a[2:]
    found = {"a": a, "b": b}
    assert check.verdict(checks("stencil"), made, N, found, found) == ""
    found["b"] = b + numpy.eye(1, N, N - 1)[0]
    assert "checks.py:stencil: Arrays are not equal" in check.verdict(
        checks("stencil"), made, N, found, found
    )


def test_values_that_are_no_numbers_are_equal_to_each_other() -> None:
    nan, one = numpy.full(3, numpy.nan), numpy.ones(3)
    assert check.difference("b", nan, nan, 0) == ""
    assert "b: 3 of 3" in check.difference("b", nan, one, 0.5)
    assert "b: 3 of 3" in check.difference("b", one, nan, 0.5)
    inf = numpy.full(3, numpy.inf)
    assert check.difference("b", inf, inf, 1e-6) == ""
    assert "b: 3 of 3" in check.difference("b", one, inf, 0)
    wanted = numpy.array([1.0, numpy.inf, 1.0])  # an infinity allows no error of the others
    assert "b: 1 of 3" in check.difference("b", numpy.array([1.0, numpy.inf, 9.0]), wanted, 1e-6)


def test_every_part_of_a_long_array_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "AT_ONCE", 64)
    found = numpy.arange(1000)
    for place in (0, 63, 64, 999):
        wanted = found.copy()
        wanted[place] = -1
        assert f"element {place}: {place}, expected -1" in check.difference("b", found, wanted, 0)


def test_arguments_come_in_order_with_their_types(tmp_path: Path) -> None:
    made, inputs, found = saxpy()
    value = written(
        tmp_path,
        """import numpy
def f(*given):
    n, alpha, x, y = given
    assert n == 1000 and alpha == numpy.float32(0.5) and alpha.dtype == numpy.float32
    assert x.dtype == y.dtype == numpy.float32 and len(x) == n
""",
    )
    assert check.verdict(value, made, N, inputs, found) == ""


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return n, x, y", r"mine.py:f: expected 1 arrays \(y\), not 3"),
        ("return x[:5]", "y: expected 1000 elements, and the check returned 5"),
    ],
)
def test_another_number_of_arrays_or_elements_is_an_error(
    tmp_path: Path, body: str, says: str
) -> None:
    value = written(tmp_path, f"def f(n, alpha, x, y):\n    {body}\n")
    with pytest.raises(UsageError, match=says):
        check.verdict(value, *saxpy()[:1], N, *saxpy()[1:])


def test_a_mistake_in_the_function_is_no_verdict(tmp_path: Path) -> None:
    value = written(tmp_path, "def f(n, alpha, x, y):\n    return x + absent\n")
    with pytest.raises(NameError, match="absent"):
        check.verdict(value, *saxpy()[:1], N, *saxpy()[1:])


def test_a_value_has_the_hash_of_the_file_and_no_folder(tmp_path: Path) -> None:
    value = written(tmp_path, "def f(n, x):\n    return x\n")
    assert value.startswith("mine.py@")
    assert value.endswith(":f")
    assert str(tmp_path) not in value
    assert check.parse(value) == value
    assert check.named(value) == "mine.py:f"
    assert check.parse("none") == "none"
    changed = written(tmp_path, "def f(n, x):\n    return 2 * x\n")
    assert changed != value
    assert check.load(value)(1, 3) == 3  # what was named, even after the file has changed


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mine.py", "expected FILE.py:function"),
        ("mine.py:", "expected FILE.py:function"),
        ("absent.py:f", "absent.py: cannot be read: No such file"),
        ("mine.py:g", "mine.py: expected a function 'g'; it defines f, h"),
        ("broken.py:f", "broken.py:2: is not Python: "),
        (".:f", "cannot be read: Is a directory"),
    ],
)
def test_what_is_no_check_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f(): ...\ndef h(): ...\n")
    (tmp_path / "broken.py").write_text("x = 1\ndef f(:\n")
    with pytest.raises(UsageError, match=says):
        check.parse(text)
