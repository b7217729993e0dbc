"""What a source declares: its signature, the statements above it, and errors that name the line."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watari.cases.kernel import declaration, source
from watari.cases.kernel.declaration import Array, Declaration, Grid, Scalar
from watari.cases.kernel.parameter_types import TYPES
from watari.common.errors import UsageError

SIGNATURE = 'extern "C" __global__ void f(size_t n, float s, const int* a, float* b) {}\n'


def read(text: str, name: str = "f") -> Declaration:
    return source.declared(source.kernels(text, "f.cu")[name], "f.cu")


def test_the_defaults_are_a_thread_an_element_and_the_size_of_the_type() -> None:
    made = read("// watari: write b\n// watari: scalar s = 2.5\n" + SIGNATURE)
    assert made.parameters == (
        Scalar("s", TYPES["float"], "2.5"),
        Array("a", TYPES["int"], read=4, is_read=True),
        Array("b", TYPES["float"], written=4, is_written=True),
    )
    assert (made.block, made.grid, made.flops, made.tolerance) == (256, Grid(elements=256), 0, 0)
    assert made.grid.of(257) == 2


def test_every_statement() -> None:
    made = read(
        """/* watari: read a, b; write b; bytes a = 4*16
         * watari: scalar s = -1e-3; fill a = ascending, b = 1.5
         */
        // watari: block 128; grid ceil(n/(4*block)); flops 3; tolerance 1e-6
        """
        + SIGNATURE
    )
    assert made.text() == (
        "f(float s = -0.001; int* a: read 64 fill ascending; float* b: read 4 write 4 fill 1.5) "
        "block 128 grid ceil(n/512) flops 3 tolerance 1e-06"
    )
    assert made.in_place
    assert (made.read, made.written, made.element) == (68, 4, 4)
    assert read("// watari: write b; scalar s = 1; grid 64\n" + SIGNATURE).grid == Grid(blocks=64)


@pytest.mark.parametrize(
    ("written", "name", "constant"),
    [
        ("const float *__restrict__ x", "float", True),
        ("float const* const x", "float", True),
        ("unsigned long long int* x", "unsigned long long", False),
        ("long unsigned *x", "unsigned long", False),
        ("signed char* x", "signed char", False),
        ("const double2*x", "double2", True),
        ("signed* x", "int", False),
        ("short int* x", "short", False),
    ],
)
def test_types_are_read_as_the_language_has_them(written: str, name: str, constant: bool) -> None:
    use = "read x" if constant else "write x"
    text = f'// watari: {use}\nextern "C" __global__ void f(size_t n, {written}) {{}}'
    (array,) = read(text).arrays
    assert array.type == TYPES[name]


def test_comments_strings_and_declarations_are_no_kernels() -> None:
    text = """
    /* extern "C" __global__ void a(size_t n, float* x) {} */
    const char* text = "extern \\"C\\" __global__ void b(size_t n, float* x) {} // watari: no";
    const char* raw = R"(extern "C" __global__ void c(size_t n, float* x) { watari: nothing })";
    constexpr int many = 1'000'000; const char quote = '"';  // see watari: the tool
    extern "C" __global__ void f(size_t n, float* x);
    // watari: write x
    extern "C" __global__ void __launch_bounds__(256) f(size_t n,  // watari is no statement here
        float* x /* written */) {}
    """
    assert list(source.kernels(text, "f.cu")) == ["f"]
    assert read(text).arrays == (Array("x", TYPES["float"], written=4, is_written=True),)


def test_statements_belong_to_the_kernel_below_them() -> None:
    one = 'extern "C" __global__ void {}(size_t n, float* x) {{}}\n'
    text = f"// watari: write x\n{one.format('f')}// watari: read x\n{one.format('g')}"
    assert [a.is_written for a in read(text).arrays] == [True]
    assert [a.is_written for a in read(text, "g").arrays] == [False]


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ("watari: wirte b", "f.cu:1: expected one of .*did you mean 'write'.*, not 'wirte'"),
        ("watari: write b, 7", "f.cu:1: expected names of arrays after 'write', not '7'"),
        (
            "watari: scalar s=1; write a",
            "f.cu:1: expected an array that is not const after 'write', not 'a'",
        ),
        ("watari: write c", "f.cu:1: expected an array of f after 'write', not 'c'"),
        ("watari: write s", "f.cu:1: expected an array of f after 'write', not 's'"),
        ("watari: scalar b = 1", "f.cu:1: expected a scalar of f after 'scalar', not 'b'"),
        ("watari: write b; scalar s", "f.cu:1: expected NAME = NUMBER after 'scalar', not 's'"),
        ("watari: scalar s = nan", "f.cu:1: expected a number that float holds, not 'nan'"),
        ("watari: scalar s = 1e39", "f.cu:1: expected a number that float holds, not '1e39'"),
        ("watari: scalar s = 1, s = 2", "f.cu:1: expected 'scalar' of 's' once"),
        (
            "watari: scalar s=1; fill a = 3000000000",
            "f.cu:1: expected random, ascending or a number that int",
        ),
        (
            "watari: scalar s=1; write b; bytes b = 4+4",
            r"f.cu:1: expected a product of numbers, such as 4\*16, not",
        ),
        ("watari: scalar s=1; write b; bytes b = block", "f.cu:1: expected a product of numbers"),
        ("watari: scalar s=1; write b; bytes b = 9999999", "f.cu:1: expected at most 1048576"),
        ("watari: block 2048", "f.cu:1: expected a number from 1 to 1024 after 'block'"),
        ("watari: block 64; block 32", "f.cu:1: expected 'block' once, not 'block 32'"),
        ("watari: grid n/256", r"f.cu:1: expected ceil\(n/PRODUCT\) or a number of blocks"),
        ("watari: scalar s=1; write b; grid ceil(n/0)", "f.cu:1: expected 1 to 2147483647 blocks"),
        ("watari: scalar s=1; write b; grid 0", "f.cu:1: expected 1 to 2147483647 blocks"),
        ("watari: flops many", "f.cu:1: expected a number up to 1048576 after 'flops'"),
        ("watari: tolerance 2", "f.cu:1: expected a number from 0 to below 1"),
        ("no statement", "f.cu:2: expected 'scalar s = NUMBER' in a comment '// watari:'"),
        ("watari: scalar s = 1", "f.cu:2: expected 'read b' or 'write b' in a comment"),
        ("watari: scalar s=1; write b; bytes a=0, b=0", "f.cu:2: expected an array with bytes"),
    ],
)
def test_an_error_names_the_line_and_what_was_expected(head: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read(f"// {head}\n{SIGNATURE}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("int x;", r'f.cu: expected a kernel, extern "C" __global__ void NAME'),
        ("\n__global__ void f(size_t n, float* x) {}", "f.cu:2: expected a kernel"),
        ('extern "C" __global__ void f(int n, float* x) {}', "expected 'size_t n' as the first"),
        ('extern "C" __global__ void f() {}', "expected 'size_t n' as the first"),
        ('extern "C" __global__ void f(size_t n) {}', r"expected an array, TYPE\* NAME"),
        ('extern "C" __global__ void f(size_t n, half* x) {}', "'half' is not a type of a param"),
        ('extern "C" __global__ void f(size_t n, float** x) {}', r"expected TYPE NAME or TYPE\*"),
        ('extern "C" __global__ void f(size_t n, float x[]) {}', r"expected TYPE NAME or TYPE\*"),
        ('extern "C" __global__ void f(size_t n, float2 x) {}', "expected a scalar of one number"),
        ('extern "C" __global__ void f(size_t n, float&x) {}', r"expected TYPE NAME or TYPE\*"),
    ],
)
def test_a_source_without_such_a_kernel_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read(text)


def test_two_kernels_of_one_name_are_refused() -> None:
    one = 'extern "C" __global__ void f(size_t n, const float* x) {}\n'
    with pytest.raises(UsageError, match=r"f\.cu:2: a second kernel is called f"):
        source.kernels(one + one, "f.cu")


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in {*TYPES, "n", "const", "unsigned", "signed", "__restrict", "block"}
)
SPACE = st.sampled_from([" ", "  ", "\n", " /* a comment, with (brackets) */ ", " // until here\n"])
BYTES = st.one_of(st.none(), st.integers(1, 4096))


@st.composite
def parameters(draw: st.DrawFn, name: str) -> Array | Scalar:
    kind = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    if draw(st.booleans()) and kind.components == 1:
        if not kind.is_integer:
            value = repr(draw(st.floats(allow_nan=False, allow_infinity=False, width=32)))
            return Scalar(name, kind, value)
        least = -kind.most - 1 if kind.code.islower() else 0
        return Scalar(name, kind, str(draw(st.integers(least, kind.most))))
    use = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    size = draw(BYTES) or kind.bytes
    fill = draw(st.sampled_from(["random", "ascending", "7" if kind.is_integer else "7.0"]))
    read, written = size if use[0] else 0, kind.bytes if use == (True, True) else size
    return Array(name, kind, read, written if use[1] else 0, fill, *use)


@st.composite
def declarations(draw: st.DrawFn) -> Declaration:
    names = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    made = [draw(parameters(name)) for name in names[1:]]
    if not any(isinstance(p, Array) for p in made):
        made[0] = Array(names[1], TYPES["float"], 4, 0, is_read=True)
    block, rule = draw(st.integers(1, 1024)), draw(st.integers(1, 10**6))
    grid = Grid(rule, 0) if draw(st.booleans()) else Grid(0, rule)
    tolerance = draw(st.floats(0, 0.5))
    return Declaration(names[0], tuple(made), block, grid, draw(st.integers(0, 99)), tolerance)


@st.composite
def written(draw: st.DrawFn, made: Declaration) -> str:
    """A source that declares this, spaced and ordered in any way."""
    said = [f"block {made.block}", f"grid {made.grid.text()}", f"flops {made.flops}"]
    said.append(f"tolerance {made.tolerance!r}")
    given = ["size_t" + draw(SPACE) + "n"]
    for p in made.parameters:
        star = "*" if isinstance(p, Array) else ""
        const = (
            "const " if isinstance(p, Array) and not p.is_written and draw(st.booleans()) else ""
        )
        given.append(f"{const}{p.type.name}{draw(SPACE)}{star}{draw(SPACE)}{p.name}")
        if isinstance(p, Scalar):
            said.append(f"scalar {p.name} = {p.value}")
            continue
        said += [f"read {p.name}"] if p.is_read and not const else []
        said += [f"write {p.name}"] if p.is_written else []
        said += [
            f"bytes {p.name} = {p.read if p.is_read else p.written}",
            f"fill {p.name}={p.fill}",
        ]
    lines = "".join(
        f"// watari: {text}{draw(st.sampled_from(['', ';']))}\n"
        for text in draw(st.permutations(said))
    )
    inner = f",{draw(SPACE)}".join(given)
    return f'{lines}extern "C"{draw(SPACE)}__global__{draw(SPACE)}void {made.name}({inner}) {{}}\n'


@given(st.data())
def test_a_source_says_what_was_written_into_it(data: st.DataObject) -> None:
    made = data.draw(declarations())
    assert read(data.draw(written(made)), made.name) == made


@given(declarations())
def test_the_text_of_a_declaration_reads_back(made: Declaration) -> None:
    assert declaration.parse(made.text()) == made
    assert "," not in made.text()  # else the values of a sweep


@given(st.text() | st.from_regex(r"f\(.{0,40}\) block [0-9]{1,3} grid [0-9]{1,3}", fullmatch=True))
def test_any_other_text_is_refused_as_a_declaration(text: str) -> None:
    try:
        made = declaration.parse(text)
    except UsageError:
        return
    assert declaration.parse(made.text()) == made


@given(st.text(alphabet=" \n\t/*\"'(){}[],;=:RCfnwatrxe_0123456789", max_size=200))
def test_any_text_is_a_source_or_refused(text: str) -> None:
    signature = 'extern "C" __global__ void f(size_t n, const float* x) {}'
    for whole in (text, f"// watari: {text}\n{signature}", f"{text}{signature}"):
        with suppress(UsageError):
            for found in source.kernels(whole, "f.cu").values():
                source.declared(found, "f.cu")


@pytest.mark.parametrize("head", ["block", "grid", "flops", "bytes a =", "fill a =", "scalar s ="])
def test_thousands_of_digits_are_refused(head: str) -> None:
    digits = "9" * 5000
    with pytest.raises(UsageError, match="expected"):
        read(f"// watari: write b; {head} {digits}\n{SIGNATURE}")
    for text in (f"f(int* a: read {digits}) block 1 grid 1", f"f(int s = {digits}) block 1 grid 1"):
        with pytest.raises(UsageError, match="does not declare"):
            declaration.parse(text)


def test_declarations_that_differ_have_different_texts() -> None:
    made = read("// watari: write b; scalar s = 1\n" + SIGNATURE)
    for other in (replace(made, block=64), replace(made, flops=1), replace(made, name="g")):
        assert other.text() != made.text()
