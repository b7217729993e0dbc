"""`check=FILE.py:function`: a function of the user says what a launch must write.

The function gets n and the kernel's parameters in order, as NumPy arrays and scalars: an array that
is read as it was before the launch, an array that is only written as it is after it. It returns the
arrays that the kernel must have written, in order (one array, or a tuple of several), or None where
it has compared them itself. An AssertionError, or another value than expected, makes the trial
`wrong`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from watari.cases.kernel import files
from watari.cases.kernel.declaration import Array, Declaration
from watari.common.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from watari._native import Buffer

NONE = "none"
AT_ONCE = 2**20  # elements that are compared at once
Arrays = Mapping[str, "NDArray[Any]"]


def parse(text: str) -> str:
    """The value `check.py@HASH:function` of a file and its function. Raises UsageError."""
    file, colon, function = text.rpartition(":")
    if text == NONE:
        return text
    if not colon or not function.isidentifier():
        raise UsageError(f"'{text}': expected FILE.py:function, or {NONE}")
    recorded = bool(files.VALUE.fullmatch(file))
    value = files.value_of(file)
    if not (recorded and value == file):
        require_function(value, function)
    return f"{value}:{function}"


def require_function(value: str, function: str) -> None:
    """Raises UsageError unless the file is Python and defines the function."""
    name = files.name_of(value)
    try:
        tree = ast.parse(files.content_of(value), name)
    except (SyntaxError, ValueError) as error:
        where = f"{name}:{error.lineno}" if isinstance(error, SyntaxError) else name
        raise UsageError(f"{where}: is not Python: {error.args[0]}") from None
    known = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if function not in known:
        defined = ", ".join(known) or "none"
        raise UsageError(f"{name}: expected a function '{function}'; it defines {defined}")


def load(value: str) -> Callable[..., Any]:
    """The function of a value."""
    file, _, function = value.rpartition(":")
    names: dict[str, Any] = {"__name__": "watari_check"}
    exec(compile(files.content_of(file), files.name_of(file), "exec"), names)
    found: Callable[..., Any] = names[function]
    return found


def values_of(buffer: Buffer, array: Array) -> NDArray[Any]:
    """The elements of an array, to be read only: its memory, or a copy of device memory."""
    from watari import _native as native

    if not buffer.on_cpu:
        here = native.Buffer("pageable", buffer.size)
        here.take(buffer)
        buffer = here
    elements = buffer.bytes().view(array.type.code)
    if array.type.components > 1:
        elements = elements.reshape(-1, array.type.components)
    elements.flags.writeable = False
    return elements


def copy_of(buffer: Buffer, array: Array) -> NDArray[Any]:
    """The elements of an array as they are now."""
    return values_of(buffer, array).copy()


def verdict(value: str, declared: Declaration, n: int, inputs: Arrays, found: Arrays) -> str:
    """Why the arrays that were found are wrong; empty if they are right. Other exceptions than
    AssertionError are the function's own and reach the caller."""
    given = [
        inputs[p.name] if isinstance(p, Array) else scalar(p.type.code, p.number)
        for p in declared.parameters
    ]
    try:
        expected = load(value)(n, *given)
    except AssertionError as error:
        return f"{named(value)}: {' '.join(str(error).split()) or 'AssertionError'}"
    if expected is None:
        return ""
    written = [array for array in declared.arrays if array.is_written]
    listed = list(expected) if isinstance(expected, (tuple, list)) else [expected]
    if len(listed) != len(written):
        names = ", ".join(array.name for array in written)
        raise UsageError(
            f"{named(value)}: expected {len(written)} arrays ({names}), not {len(listed)}"
        )
    for array, wanted in zip(written, listed, strict=True):
        wrong = difference(array.name, found[array.name], wanted, declared.tolerance)
        if wrong:
            return wrong
    return ""


def named(value: str) -> str:
    """`check.py:saxpy`, as the user wrote it."""
    file, _, function = value.rpartition(":")
    return f"{files.name_of(file)}:{function}"


def scalar(code: str, number: float) -> Any:
    """A scalar of NumPy with the type of the parameter."""
    import numpy

    return numpy.dtype(code).type(number)


def largest(values: NDArray[Any]) -> float:
    """The largest of the values that are finite, without their signs; 0 if none is."""
    import numpy

    finite = numpy.isfinite(values)
    return float(numpy.max(numpy.abs(values), where=finite, initial=0))


def difference(name: str, found: NDArray[Any], wanted: Any, tolerance: float) -> str:
    """How many elements differ by more than tolerance x the largest expected value, and the first;
    empty if none. Values that are not a number are equal to each other."""
    import numpy

    wanted = numpy.asarray(wanted)
    if wanted.size != found.size:
        raise UsageError(
            f"{name}: expected {found.size} elements, and the check returned {wanted.size}"
        )
    got, due = found.reshape(-1), wanted.reshape(-1)
    parts = [slice(i, i + AT_ONCE) for i in range(0, got.size, AT_ONCE)]
    allowed = 0.0
    if tolerance:
        allowed = tolerance * max(largest(due[part]) for part in parts)
    count, first = 0, -1
    for part in parts:
        wrong = got[part] != due[part]
        if wrong.any() and got.dtype.kind == "f":
            wrong &= ~(numpy.isnan(got[part]) & numpy.isnan(due[part]))
            with numpy.errstate(invalid="ignore"):  # an infinity less an infinity
                away = numpy.abs(got[part].astype(float) - due[part].astype(float))
            wrong &= ~(away <= allowed)
        if first < 0 and wrong.any():
            first = part.start + int(wrong.argmax())
        count += int(wrong.sum())
    if not count:
        return ""
    return (
        f"{name}: {count} of {got.size} values are wrong; the first is element {first}: "
        f"{got[first]}, expected {due[first]}"
    )
